"""`--stat`: a diff in numbers."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from twindiff.cli import stat

KINDS = ("inserts", "updates", "deletes")
DIFFS = st.dictionaries(
    st.sampled_from(["notes", "pads", "pens"]), st.tuples(*[st.integers(0, 90)] * 3), max_size=3
).map(lambda numbers: {kind: rows(*repeated(numbers, place)) for place, kind in enumerate(KINDS)})


def repeated(numbers: dict[str, tuple[int, ...]], place: int) -> list[str]:
    return [name for name, each in numbers.items() for _ in range(each[place])]


def seen(diff: Any) -> list[str]:
    console = Console(width=80, color_system=None)
    with console.capture() as written:
        console.print(stat.render_stat(stat.counts(diff)))
    return [" ".join(line.split()) for line in written.get().splitlines()]


def rows(*names: str) -> list[dict[str, str]]:
    return [{"__table__": name} for name in names]


def test_each_table_has_its_numbers_and_a_sign_for_each_row() -> None:
    diff = {"inserts": rows("notes", "notes", "pads"), "updates": rows("notes"), "deletes": rows("pads")}
    assert seen(diff) == [
        "notes +2 ~1 ++~",
        "pads +1 -1 +-",
        "2 tables: 3 rows added, 1 row changed, 1 row removed",
    ]


def test_tables_of_several_twins_are_told_apart() -> None:
    inserts = [{"__table__": "notes", "__twin__": twin} for twin in ("pad", "pen")]
    assert seen({"inserts": inserts, "updates": [], "deletes": []})[:2] == ["pad.notes +1 +", "pen.notes +1 +"]


def test_nothing_is_said_in_words() -> None:
    assert seen({"inserts": [], "updates": [], "deletes": []}) == ["Nothing was changed."]


@given(DIFFS)
def test_numbers_add_up_to_the_diff(diff: Any) -> None:
    counts = stat.counts(diff)
    sums = [sum(numbers) for numbers in zip(*(each[1:] for each in counts), strict=True)] or [0, 0, 0]
    assert sums == [len(diff[kind]) for kind in KINDS]


@given(DIFFS)
def test_a_bar_is_short_and_hides_no_kind_of_change(diff: Any) -> None:
    counts = stat.counts(diff)
    for line, count in zip(seen(diff), counts, strict=False):
        bar = line.split()[-1]
        assert len(bar) <= stat.MAX_BAR_CELLS + 2
        assert [sign in bar for sign in "+~-"] == [number > 0 for number in count[1:]]
