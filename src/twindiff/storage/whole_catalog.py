"""The records of a whole server, some of which other processes write into data files of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast

from twindiff.kit.errors import ApiError
from twindiff.kit.rows import Column, Expression, Row, table_of
from twindiff.kit.store import Store

R = TypeVar("R", bound=Row)


class WholeCatalog:
    """Reads the catalog of this process, and then those of the other shards."""

    def __init__(self, own: Store, others: Callable[[], Iterable[Store]] = tuple) -> None:
        self._own = own
        self._others = others

    def _each(self) -> Iterable[Store]:
        yield self._own
        yield from self._others()

    def find(self, table: type[R], key: str) -> R | None:
        """The record with this key, of whichever shard, or None."""
        has_key = getattr(table, table_of(table).key[0]) == key
        return next((record for each in self._each() if (record := each.find(table, has_key))), None)

    def get(self, table: type[R], key: str, *, missing: type[ApiError]) -> R:
        """The record with this key, of whichever shard; raises `missing`."""
        record = self.find(table, key)
        if record is None:
            raise missing
        return record

    def rows(self, table: type[Row], *where: Expression, columns: tuple[Column[Any], ...]) -> list[tuple[Any, ...]]:
        """Tuples of these values of the matching records of all shards, in no order."""
        return [values for each in self._each() for values in each.rows(table, *where, columns=columns)]

    def records(self, table: type[R], *where: Expression) -> list[R]:
        """The matching records of all shards, in no order."""
        return [record for each in self._each() for record in each.rows(table, *where)]

    def newest(self, table: type[R], *where: Expression, limit: int | None = None, offset: int = 0) -> list[R]:
        """Matching records of all shards, the newest first, of a table with a column `created`."""
        order = -cast(Any, table).created
        most = None if limit is None else offset + limit
        records = [record for each in self._each() for record in each.rows(table, *where, order=order, limit=most)]
        records.sort(key=lambda record: cast(Any, record).created, reverse=True)
        return records[offset:most]

    def count(self, table: type[Row], *where: Expression) -> int:
        """The number of matching records of all shards."""
        return sum(each.count(table, *where) for each in self._each())
