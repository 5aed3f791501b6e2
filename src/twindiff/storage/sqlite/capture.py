"""What one operation changes, seen below every API: SQLite calls a hook before it writes a row, whoever asked for it.

The hook gives a row as it was before the first write and as it is after the last, so several writes fold to one change.
The hook also reports rows of a statement that was aborted halfway, and knows nothing of a savepoint that was gone back
to: after either, rows are read from their tables again.
A session of SQLite's own does the same and costs ten times as much, most of it for asking the schema again each time.

To have SQLite make the values of a wide row anew takes longer than to write it. So whoever is about to write a row that
will be stored just as it is given says so (`Announced`), and the hook takes that. What is not announced is asked for.
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
from .write_hints import Announced

_place = itemgetter(0, 1)
"""Where a change is: its table and its key."""


class Capture:
    """The rows that were touched since `clear`, each with how it was then."""

    def __init__(self, tables: SqliteSchemaSql, connection: SqliteConnection) -> None:
        self._tables = tables.by_name
        self._connection = connection
        self._before: dict[Place, Stored | None] = {}
        self._after: dict[Place, Stored | None] = {}
        self.announced = Announced()
        """The rows that the next statement writes, where somebody knows."""
        connection.preupdate_hook(self._see, id=self)

    def clear(self) -> None:
        """Begin an operation."""
        self._before.clear()
        self._after.clear()

    @contextmanager
    def pause(self) -> Generator[None]:
        """Look away while known changes are applied."""
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
        """The rows that were touched, as the hook has seen them last; as they are now, once `changes` has been asked.

        None stands for those that are gone.
        """
        return self._after

    def changes(self, *, all_went_well: bool) -> list[StoredChange]:
        """Full rows, one change per row that differs, sorted by table and key.

        `all_went_well` when no statement has failed and no savepoint was gone back to.
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
    """Whether rows differ in nothing but the order of JSON's keys, as by a statement of one's own."""
    places = compress(range(len(after)), map(ne, before, after))
    return all(at in sql.json_at and same(_json(before[at]), _json(after[at])) for at in places)


def _json(stored: str | None) -> Any:
    return None if stored is None else decode_json(stored)
