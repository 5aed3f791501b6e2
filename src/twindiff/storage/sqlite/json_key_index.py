"""An index of the texts in the objects of a Json column: which rows have a text under a key, without a look at them.

An index of SQLite's has one entry for each row, so this one is a table that triggers keep. It lies in the same pages as
the rows, so it goes wherever they go, and no capture sees it. Rows with empty objects cost nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from twindiff.kit.rows import Table
from twindiff.storage.sql.names import names, quote

MANY_ROWS = 1_000
"""Rows with a text from which on they are not listed: a page of them is soon met by reading rows in their order."""
MARK = "(entries "
"""What the names of these tables have, and no twin's."""


class EntryIndex:
    """The index of one Json column of a table, by its SQL."""

    def __init__(self, table: Table, column: str) -> None:
        self._table, self._column = quote(table.name), quote(column)
        self._name = f"{table.name}{MARK}{column})"
        self._entries = quote(self._name)

    def statements(self, places: Sequence[str]) -> Iterator[str]:
        """What creates it and keeps it; `places` are the columns at whose change a row's entries are made anew."""
        columns = "name TEXT NOT NULL, value TEXT NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (name, value, row)"
        yield f"CREATE TABLE IF NOT EXISTS {self._entries} ({columns}) STRICT, WITHOUT ROWID"
        old, new = f"old.{self._column}", f"new.{self._column}"
        add = f"INSERT INTO {self._entries} SELECT key, value, new.rowid FROM {_texts(new)};"
        texts = f"SELECT key, value, old.rowid FROM {_texts(old)}"
        drop = f"DELETE FROM {self._entries} WHERE (name, value, row) IN ({texts});"
        differs = f"{old} IS NOT {new} OR old.rowid IS NOT new.rowid"
        yield self._trigger("added", "INSERT", f"{new} <> '{{}}'", add)
        yield self._trigger("changed", f"UPDATE OF {names(places)}", differs, drop + add)
        yield self._trigger("removed", "DELETE", f"{old} <> '{{}}'", drop)

    def _trigger(self, what: str, event: str, when: str, then: str) -> str:
        name = quote(f"{self._name} {what}")
        return f"CREATE TRIGGER IF NOT EXISTS {name} AFTER {event} ON {self._table} WHEN {when} BEGIN {then} END"

    def select_rows(self, key: str, text: str) -> str:
        """The rows that have a text under a key, each given at a place."""
        return f"SELECT row FROM {self._entries} WHERE name = {key} AND value = {text}"

    @property
    def count(self) -> str:
        """How many rows have it, up to as many as are not listed."""
        return f"SELECT count(*) FROM ({self.select_rows('?', '?')} LIMIT {MANY_ROWS})"


def _texts(json: str) -> str:
    return f"json_each({json}) WHERE type = 'text' AND json_type({json}) = 'object'"
