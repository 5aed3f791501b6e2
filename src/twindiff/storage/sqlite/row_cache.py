"""Rows that an environment's calls ask for again and again, as they were committed last: no statement is needed.

They belong to the pages that they were read from, and follow every operation that is committed to those; pages that
come by any other way come without them. An operation looks here for rows that it has not touched itself.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping

from .connection import Stored

Place = tuple[str, Stored]
"""A table and a key; the empty key stands for how many rows the table has."""

MAX_KNOWN_ROWS = 32
"""Rows that are remembered: a few kilobytes for each environment."""
ALL: Stored = ()


class KnownRows:
    """Rows as SQLite gives them, by place."""

    __slots__ = ("_rows",)

    def __init__(self) -> None:
        self._rows: OrderedDict[Place, Stored] = OrderedDict()

    def get(self, place: Place) -> Stored | None:
        """A row, if it is known."""
        row = self._rows.get(place)
        if row is not None:
            self._rows.move_to_end(place)
        return row

    def note(self, place: Place, row: Stored) -> None:
        """Remember a committed row in the place of the one that nobody has asked for for longest."""
        self._rows[place] = row
        if len(self._rows) > MAX_KNOWN_ROWS:
            self._rows.popitem(last=False)

    def follow(self, written: Mapping[Place, Stored | None]) -> None:
        """Know what an operation has left of the rows it wrote."""
        rows = self._rows
        if not rows:
            return
        for place, row in written.items():
            if place in rows:
                if row is None:
                    del rows[place]
                else:
                    rows[place] = row
        for table in {table for table, _ in written}:
            rows.pop((table, ALL), None)

    def clear(self) -> None:
        """Know nothing."""
        self._rows.clear()
