"""The JSON key index (`Table.entries`): finds the rows whose Json column has a given text under a given key.

An SQLite index has one entry per row, so this one is a table maintained by triggers. It is in the same database as the
rows, so it is forked and rewound with them, and the capture ignores it. Rows with empty objects cost nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from twindiff.kit.rows import Table
from twindiff.storage.sql.names import names, quote

MANY_ROWS = 1_000
"""Matching rows beyond which the index is not used: a scan soon finds enough of them for a page."""
MARK = "(entries "
"""The part of the names of index tables that no table of a twin has."""


class EntryIndex:
    """The SQL statements of the JSON key index of one column."""

    def __init__(self, table: Table, column: str) -> None:
        self._table, self._column = quote(table.name), quote(column)
        self._name = f"{table.name}{MARK}{column})"
        self._entries = quote(self._name)

    def statements(self, places: Sequence[str]) -> Iterator[str]:
        """Yield the DDL of the index and its triggers; an update of one of the columns `places` reindexes the row."""
        # CREATE TRIGGER IF NOT EXISTS "users(entries data) added" AFTER INSERT ON "users" WHEN new."data" <> '{}' BEGIN
        #   INSERT INTO "users(entries data)" SELECT key, value, new.rowid FROM json_each(new."data")
        #   WHERE type = 'text' AND json_type(new."data") = 'object'; END
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
        """Return a query for the rowids that have a text under a key; both arguments are placeholders."""
        return f"SELECT row FROM {self._entries} WHERE name = {key} AND value = {text}"

    @property
    def count(self) -> str:
        """A query for the number of rows that have a text under a key, at most MANY_ROWS."""
        return f"SELECT count(*) FROM ({self.select_rows('?', '?')} LIMIT {MANY_ROWS})"


def _texts(json: str) -> str:
    return f"json_each({json}) WHERE type = 'text' AND json_type({json}) = 'object'"
