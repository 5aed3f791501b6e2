"""Renders diffs, timelines and verdicts for a terminal; without one, and with NO_COLOR, as plain text."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from twindiff.checks import Verdict
from twindiff.cli.naming import natural

Row = Mapping[str, Any]

LETTERS_SHOWN = 100
PLAIN_WIDTH = 1000
"""Line width without a terminal, so that lines read by a program are not wrapped."""

NUMBERS = {"checks", "ms", "operations", "reading", "rows", "score", "seq", "tables", "tests", "writing"}
"""Right-aligned columns."""

WHOLE = {"at", "expires (UTC)", "id", "operation", "status", "template"}
"""Columns that are never wrapped; where a line is too long the others shrink."""

COLUMN_GAP = 2
MAX_WORD_WIDTH = 6
"""Longer words may be broken where a line is too short."""

ADDED, REMOVED, CHANGED, QUIET = "green", "red", "yellow", "dim"


def screen(*, errors: bool = False) -> Console:
    """Return the console to print to."""
    stream = sys.stderr if errors else sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else PLAIN_WIDTH
    # rich's own handling of NO_COLOR keeps bold and dim.
    colours = None if os.environ.get("NO_COLOR") else "auto"
    return Console(stderr=errors, highlight=False, emoji=False, width=width, color_system=colours)


def show(body: RenderableType, console: Console | None = None) -> None:
    """Print a body without trailing blanks."""
    console = console or screen()
    with console.capture() as written:
        console.print(body)
    if lines := written.get().splitlines():
        console.out("\n".join(line.rstrip() for line in lines), highlight=False)


def printable(text: str) -> str:
    """Return a text as one line, with control characters escaped."""
    return "".join(letter if letter.isprintable() else _escape(letter) for letter in text)


def paragraph(text: str) -> Text:
    """Return a text in its own lines, with other control characters escaped; folded where it is too wide."""
    return Text("\n".join(map(printable, text.splitlines())), overflow="fold")


def _escape(letter: str) -> str:
    return letter.encode("unicode_escape").decode()


def short(value: Any) -> str:
    """Write a value as JSON, truncated if it is long."""
    text = printable(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= LETTERS_SHOWN else f"{text[:LETTERS_SHOWN]}…"


def indent_body(body: RenderableType) -> Padding:
    """Indent a body under its heading."""
    return Padding(body, (0, 0, 0, 2))


class FittingTable(Table):
    """A table; in a terminal too narrow for its columns, a block per row with a line per cell. No cell is shortened."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if lines := self._make_lines(options.max_width):
            yield from lines
            return
        if self._min_width(console, options) <= options.max_width:
            yield from super().__rich_console__(console, options)
            return
        for number in range(self.row_count):
            lines = Table.grid(padding=(0, 2, 0, 0))
            for column in self.columns:
                lines.add_row(Text(str(column.header), QUIET), [*column.cells][number])
            yield from ("", lines) if number else (lines,)

    def _make_lines(self, width: int) -> list[Text]:
        """Return a line for each row, the header first; nothing if a row has several lines, or is wider than `width`.

        Rich takes ten times as long to lay out a thousand rows that need no folding.
        """
        columns = [[Text(str(each.header), QUIET), *map(_to_text, each.cells)] for each in self.columns]
        widths = [max(cell.cell_len for cell in cells) for cells in columns]
        is_folded = any("\n" in cell.plain for cells in columns for cell in cells)
        if is_folded or sum(widths) + COLUMN_GAP * (len(widths) - 1) > width:
            return []
        rights = [each.justify == "right" for each in self.columns]
        return [_join_cells(row, widths, rights) for row in zip(*columns, strict=True)]

    def _min_width(self, console: Console, options: ConsoleOptions) -> int:
        """Return how many characters the columns need, if all but `WHOLE` may break words."""
        needed = 0
        for column in self.columns:
            cells = [Measurement.get(console, options, cell) for cell in (column.header, *column.cells)]
            words = max(cell.maximum if column.no_wrap else min(cell.minimum, MAX_WORD_WIDTH) for cell in cells)
            needed += words + COLUMN_GAP
        return needed - COLUMN_GAP


def _to_text(cell: RenderableType) -> Text:
    return cell if isinstance(cell, Text) else Text(str(cell))


def _join_cells(cells: Sequence[Text], widths: Sequence[int], rights: Sequence[bool]) -> Text:
    """Return a line in which each cell begins, or ends if it is one of `rights`, where those of other rows do."""
    line = Text(no_wrap=True)
    for number, (cell, width, is_right) in enumerate(zip(cells, widths, rights, strict=True)):
        padding = " " * (width - cell.cell_len)
        line.append(" " * COLUMN_GAP if number else "").append(padding if is_right else "")
        line.append_text(cell).append("" if is_right else padding)
    return line


def table(*columns: str) -> Table:
    """Create a table without a box."""
    made = FittingTable(box=None, padding=(0, COLUMN_GAP, 0, 0), header_style=QUIET, pad_edge=False)
    for column in columns:
        right = column in NUMBERS
        made.add_column(column, justify="right" if right else "left", no_wrap=column in WHOLE, overflow="fold")
    return made


def add_row(rows: Table, *cells: str | Text) -> None:
    """Add a row of untrusted texts: no markup, control characters escaped."""
    rows.add_row(*(cell if isinstance(cell, Text) else Text(printable(cell)) for cell in cells))


def diff(changes: Mapping[str, Sequence[Row]]) -> RenderableType:
    """Render rows added (+), changed (~: each column before and after) and removed (-)."""
    lines = Table.grid(padding=(0, 2, 0, 0))
    for row in sorted(changes["inserts"], key=lambda row: _place(row, row)):
        _whole_row(lines, "+", ADDED, row)
    for row in sorted(changes["updates"], key=lambda row: _place(row, row["after"])):
        _update(lines, row)
    for row in sorted(changes["deletes"], key=lambda row: _place(row, row)):
        _whole_row(lines, "-", REMOVED, row)
    return lines if lines.row_count else Text("Nothing was changed.", QUIET)


def _place(row: Row, values: Row) -> tuple[str, list[tuple[int, int, str]]]:
    """Return the sort key of a row: table, then key in natural order."""
    return table_name(row), natural(next(iter(_columns(values).values()), ""))


def table_name(row: Row) -> str:
    """Return the table of a diff's row, with its twin where there are several."""
    return f"{row['__twin__']}.{row['__table__']}" if "__twin__" in row else row["__table__"]


def _heading(sign: str, style: str, row: Row, values: Row) -> Text:
    """Identify a row: twin, table, and the first column, which is the key or its first part."""
    key = next(iter(_columns(values).values()), "")
    heading = Text.assemble(
        (f"{sign} {printable(table_name(row))}", f"bold {style}"), ("  " + printable(str(key)), style)
    )
    return heading.append("  derived", QUIET) if row.get("__derived__") else heading


def _columns(row: Row) -> dict[str, Any]:
    return {name: value for name, value in row.items() if not name.startswith("__")}


def _whole_row(lines: Table, sign: str, style: str, row: Row) -> None:
    lines.add_row(_heading(sign, style, row, row))
    for name, value in list(_columns(row).items())[1:]:
        if value is not None:
            _line(lines, name, Text(short(value), style))


def _update(lines: Table, row: Row) -> None:
    before, after = row["before"], row["after"]
    lines.add_row(_heading("~", CHANGED, row, after))
    for name in row.get("changed") or [name for name in after if before.get(name) != after[name]]:
        said = Text.assemble((short(before.get(name)), REMOVED), (" → ", QUIET), (short(after.get(name)), ADDED))
        if name in row.get("derived", ()):
            said.append("  derived", QUIET)
        _line(lines, name, said)


def _line(lines: Table, name: str, said: Text) -> None:
    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(min_width=16, no_wrap=True)
    grid.add_row(Text(printable(name), QUIET), said)
    lines.add_row(Padding(grid, (0, 0, 0, 4)))


def timeline(calls: Sequence[Row], journal: Sequence[Row]) -> Table:
    """Render every call in order, with its changes; a reset precedes the first call that wrote after it."""
    by_seq = {record["seq"]: record for record in journal}
    entries = merge_journal(calls, journal)
    twins, actors = ({entry[name] for entry in entries} - {""} for name in ("twin", "actor"))
    shown = table("at", "operation", *(["actor"] if len(actors) > 1 else []), "answer", "ms", "seq", "changed")
    for entry in entries:
        failed = entry["error"] or entry["status"] >= 400
        add_row(
            shown,
            Text(entry["at"][11:23], QUIET),
            f"{entry['twin']} {entry['operation']}" if len(twins) > 1 else entry["operation"],
            *([entry["actor"]] if len(actors) > 1 else []),
            Text(printable(entry["error"] or str(entry["status"] or "")), REMOVED if failed else ""),
            f"{entry['milliseconds']:.2f}" if entry["milliseconds"] is not None else "",
            str(entry["seq"] or ""),
            counts(by_seq.get(entry["seq"])),
        )
    return shown


def merge_journal(calls: Sequence[Row], journal: Sequence[Row]) -> list[Row]:
    """Return calls, and the journal records that no logged call wrote, in order."""
    logged = {call["seq"] for call in calls}
    waiting = [
        {**each, "at": "", "status": 0, "error": None, "milliseconds": None}
        for each in reversed(journal)
        if each["seq"] not in logged
    ]
    merged: list[Row] = []
    for call in calls:
        while waiting and call["seq"] and waiting[-1]["seq"] < call["seq"]:
            merged.append(waiting.pop())
        merged.append(call)
    return [*merged, *reversed(waiting)]


def counts(record: Row | None) -> Text:
    """Render how many rows of each table a record changed: `+1 messages ~1 channels`."""
    if record and record.get("to") is not None:
        return Text(f"back to {record['to']}", CHANGED)
    counts: dict[tuple[str, str, str], int] = {}
    for change in record["changes"] if record else ():
        place = (*_sign(change), change["table"])
        counts[place] = counts.get(place, 0) + 1
    return Text("  ").join(Text(f"{sign}{count} {name}", style) for (sign, style, name), count in counts.items())


def _sign(change: Row) -> tuple[str, str]:
    if change["before"] is None:
        return "+", ADDED
    return ("-", REMOVED) if change["after"] is None else ("~", CHANGED)


def verdict(judged: Verdict, titles: Sequence[str] = ()) -> RenderableType:
    """Render the verdict with an explanation of each failed assertion; with `titles`, passed ones are listed too."""
    score = judged.score
    word, style = ("passed", "bold green") if judged.passed else ("failed", "bold red")
    lines = Table.grid(padding=(0, 1, 0, 0))
    held = f"{score.passed} of {score.total} assertions hold ({score.percent:.0f} %)"
    lines.add_row(Text.assemble((word, style), (f" {held}", "")))
    failed = {why.assertion: why for why in judged.explanations}
    for number in range(1, score.total + 1):
        why = failed.get(number)
        if why:
            title = titles[number - 1] if titles else f"{why.diff_type} {why.entity}"
            lines.add_row(_assertion("✗", REMOVED, number, title, why.text))
        elif titles:
            lines.add_row(_assertion("✓", ADDED, number, titles[number - 1]))
    return lines


def _assertion(mark: str, style: str, number: int, title: str, why: str = "") -> Padding:
    grid = Table.grid(padding=(0, 1, 0, 0))
    grid.add_row(Text(mark, style), Text(str(number), QUIET), Text(printable(title)))
    if why:
        grid.add_row("", "", Text(printable(why), style))
    return Padding(grid, (0, 0, 0, 2))
