"""`--stat`: counts the rows of each table that a diff adds, changes and removes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from twindiff.cli.render import ADDED, CHANGED, QUIET, REMOVED, add_row, table_name

MAX_BAR_CELLS = 30

KINDS = (("inserts", "+", ADDED, "added"), ("updates", "~", CHANGED, "changed"), ("deletes", "-", REMOVED, "removed"))


class TableCount(NamedTuple):
    """A table, named as in the diff, and its numbers of rows."""

    table: str
    added: int
    changed: int
    removed: int

    @property
    def total(self) -> int:
        return self.added + self.changed + self.removed


def counts(diff: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[TableCount]:
    """Return the row counts of a diff's tables, by name."""
    names = [[table_name(row) for row in diff[kind]] for kind, *_ in KINDS]
    tables = sorted({name for each in names for name in each})
    return [TableCount(table, *(each.count(table) for each in names)) for table in tables]


def render_stat(tables: Sequence[TableCount]) -> RenderableType:
    """Render a line with a bar for each table, and their sum."""
    if not tables:
        return Text("Nothing was changed.", QUIET)
    lines = Table.grid(padding=(0, 2, 0, 0))
    present = [place for place in range(len(KINDS)) if any(each[place + 1] for each in tables)]
    for name in ("table", *present, "bar"):
        lines.add_column(justify="right" if name in present else "left", no_wrap=True)
    longest = max(each.total for each in tables)
    for table, *numbers in tables:
        add_row(lines, table, *(_sign(numbers[place], place) for place in present), _bar(numbers, longest))
    return Group(lines, _sum(tables))


def _sign(number: int, place: int) -> Text:
    _, sign, style, _ = KINDS[place]
    return Text(f"{sign}{number}" if number else "", style)


def _bar(numbers: Sequence[int], longest: int) -> Text:
    """Draw a sign for each row; if the longest bar would not fit, for several rows."""
    rows = max(longest, MAX_BAR_CELLS)
    lengths = [-(-number * MAX_BAR_CELLS // rows) for number in numbers]
    return Text.assemble(*((sign * n, style) for n, (_, sign, style, _) in zip(lengths, KINDS, strict=True)))


def _sum(tables: Sequence[TableCount]) -> str:
    rows = [sum(numbers) for numbers in zip(*(each[1:] for each in tables), strict=True)]
    said = [f"{n} {'row' if n == 1 else 'rows'} {word}" for n, (*_, word) in zip(rows, KINDS, strict=True) if n]
    return f"{len(tables)} {'table' if len(tables) == 1 else 'tables'}: {', '.join(said)}"
