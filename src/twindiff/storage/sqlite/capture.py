"""Change capture of one operation, by SQLite's preupdate hook, which is called before any statement writes a row.

The first write of a row gives its state before, the last one its state after, so that several writes fold to one
change. The hook also reports rows of a statement that was aborted halfway, and does not report a rollback to a
savepoint: after either, rows are read from their tables again. SQLite's session extension does the same but takes ten
times as long, mostly to query the schema for each session.

Reading the values of a wide row in the hook takes longer than writing it. So a caller that knows exactly how a row will
be stored passes it as a write hint (`WriteHints`), which the hook uses instead.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from itertools import compress
from operator import itemgetter, ne
from typing import Any

from twindiff.storage.values import decode_json, same

from .connection import PendingWrite, SqliteConnection, Stored
from .records import StoredChange
from .row_cache import Place
from .table_sql import SqliteSchemaSql, SqliteTableSql
from .write_hints import WriteHints

_place = itemgetter(0, 1)
"""Table and key of a change, for sorting."""


class Capture:
    """The rows written since `clear`, each with its state then and now."""

    def __init__(self, tables: SqliteSchemaSql, connection: SqliteConnection) -> None:
        self._tables = tables.by_name
        self._connection = connection
        self._before: dict[Place, Stored | None] = {}
        self._after: dict[Place, Stored | None] = {}
        self.announced = WriteHints()
        """Write hints for the next statement."""
        connection.preupdate_hook(self._see, id=self)

    def clear(self) -> None:
        """Start the capture of a new operation."""
        self._before.clear()
        self._after.clear()

    @contextmanager
    def pause(self) -> Generator[None]:
        """Suspend the capture, for the replay of known changes."""
        self._connection.preupdate_hook(None, id=self)
        try:
            yield
        finally:
            self._connection.preupdate_hook(self._see, id=self)

    def _see(self, write: PendingWrite) -> None:
        name = write.table_name
        sql = self._tables.get(name)
        if sql is None:
            return
        announced = self.announced
        is_known = announced.writes and name == announced.table
        old, new = announced.writes.pop() if is_known else (sql.from_hook(write.old), sql.from_hook(write.new))
        if old is not None:
            place = name, sql.key_in(old)
            self._before.setdefault(place, old)
            self._after[place] = None
        if new is not None:
            place = name, sql.key_in(new)
            self._before.setdefault(place, None)
            self._after[place] = new

    @property
    def written(self) -> Mapping[Place, Stored | None]:
        """The written rows as last reported by the hook, None for deleted ones; exact after a call of `changes`."""
        return self._after

    def changes(self, *, all_went_well: bool) -> list[StoredChange]:
        """Return one change with full rows for each row that differs, sorted by table and key.

        Pass `all_went_well` if no statement has failed and no savepoint was rolled back; otherwise rows are read again.
        """
        changes: list[StoredChange] = []
        for place, before in self._before.items():
            name, key = place
            sql = self._tables[name]
            if not all_went_well:
                self._after[place] = self._connection.execute(sql.select_by_key, key).fetchone()
            after = self._after[place]
            if before != after and not (before and after and _same(sql, before, after)):
                changes.append((name, sql.typed_key(key), before, after))
        changes.sort(key=_place)
        return changes


def _same(sql: SqliteTableSql, before: Stored, after: Stored) -> bool:
    """Whether rows differ at most in the order of JSON keys, as raw SQL of a handler may store them."""
    places = compress(range(len(after)), map(ne, before, after))
    return all(at in sql.json_at and same(_json(before[at]), _json(after[at])) for at in places)


def _json(stored: str | None) -> Any:
    return None if stored is None else decode_json(stored)
