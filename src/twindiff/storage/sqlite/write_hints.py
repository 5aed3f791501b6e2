"""The rows that the next statement writes, as whoever writes them knows them to be stored."""

from __future__ import annotations

from collections.abc import Sequence

from .connection import Stored

Write = tuple[Stored | None, Stored]
"""A row before (None for one that is new) and after."""


class Announced:
    """Writes to one table, in order; `clear` when the statement is over, whatever came of it."""

    __slots__ = ("table", "writes")

    def __init__(self) -> None:
        self.table = ""
        self.writes: list[Write] = []
        """Those that are still to come, the next one last."""

    def insert(self, table: str, rows: Sequence[Stored]) -> None:
        """Have rows of a table be known."""
        self.table = table
        self.writes = [(None, row) for row in reversed(rows)]

    def update(self, table: str, before: Stored, after: Stored) -> None:
        """Have it be known what a row of a table was and will be."""
        self.table = table
        self.writes = [(before, after)]

    def clear(self) -> None:
        """Know nothing."""
        self.writes.clear()
