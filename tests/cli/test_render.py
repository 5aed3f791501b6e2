"""What people see of diffs, timelines and verdicts."""

from __future__ import annotations

from typing import Any

from rich.console import Console

from twindiff.cli import render

Json = dict[str, Any]


def seen(body: Any, width: int = 200) -> list[str]:
    console = Console(width=width, color_system=None)
    with console.capture() as written:
        render.show(body, console)
    return [" ".join(line.split()) for line in written.get().splitlines()]


def a_diff(**lists: list[Json]) -> Json:
    return {"inserts": [], "updates": [], "deletes": [], **lists}


def test_an_empty_diff_is_said_in_words() -> None:
    assert seen(render.diff(a_diff())) == ["Nothing was changed."]


def test_an_added_row_shows_what_is_set() -> None:
    row = {"__table__": "notes", "id": "N1", "text": "hi", "tags": ["a"], "gone": None}
    assert seen(render.diff(a_diff(inserts=[row]))) == ["+ notes N1", 'text "hi"', 'tags ["a"]']


def test_rows_stand_in_the_natural_order_of_their_ids() -> None:
    rows = [{"__table__": "notes", "id": id, "after": 1} for id in ("N10", "N2", "N1")]
    headings = [line for line in seen(render.diff(a_diff(inserts=rows))) if line[0] == "+"]
    assert headings == ["+ notes N1", "+ notes N2", "+ notes N10"]


def test_a_removed_row_shows_what_it_was() -> None:
    assert seen(render.diff(a_diff(deletes=[{"__table__": "notes", "id": "N1"}]))) == ["- notes N1"]


def test_a_changed_row_shows_only_what_changed() -> None:
    update = {"__table__": "notes", "before": {"id": "N1", "n": 1, "m": 0}, "after": {"id": "N1", "n": 2, "m": 0}}
    assert seen(render.diff(a_diff(updates=[update]))) == ["~ notes N1", "n 1 → 2"]


def test_what_the_vendor_derives_is_marked() -> None:
    marks = {"__table__": "notes", "changed": ["n", "at"], "derived": ["at"]}
    update = {**marks, "before": {"id": 1, "n": 1, "at": 3}, "after": {"id": 1, "n": 2, "at": 4}}
    row = {"__table__": "history", "__derived__": True, "id": 7}
    shown = seen(render.diff(a_diff(inserts=[row], updates=[update])))
    assert shown == ["+ history 7 derived", "~ notes 1", "n 1 → 2", "at 3 → 4 derived"]


def test_the_twin_is_named_where_there_are_several() -> None:
    assert seen(render.diff(a_diff(inserts=[{"__table__": "notes", "__twin__": "pad", "id": 1}]))) == ["+ pad.notes 1"]


def test_nothing_in_a_row_commands_the_terminal() -> None:
    row = {"__table__": "[red]notes[/red]", "id": "\x1b]0;x\x07", "text": "\x9b31m\u202e[bold]\ud800"}
    shown = "\n".join(seen(render.diff(a_diff(inserts=[row]))))
    assert "[red]notes[/red]" in shown
    assert "[bold]" in shown
    assert all(letter.isprintable() or letter == "\n" for letter in shown)


def test_a_long_value_is_cut() -> None:
    (_, line) = seen(render.diff(a_diff(inserts=[{"__table__": "notes", "id": 1, "text": "x" * 5000}])))
    assert len(line) < 150


def test_a_long_text_is_broken_at_the_edge_of_the_terminal() -> None:
    row = {"__table__": "notes", "id": 1, "text": "word " * 15}
    assert max(map(len, seen(render.diff(a_diff(inserts=[row])), width=60))) <= 60


def test_a_table_that_is_too_wide_for_the_terminal_is_a_block_for_each_row() -> None:
    rows = render.table("id", "status", "note")
    for letter in "ab":
        render.add_row(rows, letter * 30, "ready", "anything")
    blocks = [f"id {letter * 30}\nstatus ready\nnote anything" for letter in "ab"]
    assert seen(rows, width=46)[0] == "id status note"
    assert "\n".join(seen(rows, width=45)) == "\n\n".join(blocks)


def test_no_cell_of_a_narrow_table_is_shortened() -> None:
    rows = render.table("id", "note")
    render.add_row(rows, "a" * 30, "b" * 20)
    assert "…" not in "".join(seen(rows, width=44))
