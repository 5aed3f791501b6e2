"""The data of the other shards of a server where they are on other machines: each is asked for what it has.

`ShardReader` answers what `RemoteShards` asks; what carries questions and answers is not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, cast

from twindiff.kit.rows import Row
from twindiff.storage import Template
from twindiff.storage.schema import Schema

from .other_shards import OtherShards
from .store import SqliteStore

T = TypeVar("T")

Ask = Callable[..., Any]
"""Calls a method of another shard's `ShardReader`, given by its name; raises ShardUnreachable."""


class ShardUnreachable(Exception):
    """A shard has ended, or does not answer."""


class ShardReader:
    """Reads the data file in a folder for other shards, beside the shard that writes it; for one thread."""

    def __init__(self, folder: str, schema: Schema) -> None:
        self._files = OtherShards([folder])
        self._schema = schema

    @property
    def _catalog(self) -> SqliteStore:
        return next(self._files.catalogs(self._schema))

    def find(self, table: type[Row], where: tuple[Any, ...]) -> Row | None:
        """Return the first record that matches, or None."""
        return self._catalog.find(table, *where)

    def rows(self, table: type[Row], where: tuple[Any, ...], options: dict[str, Any]) -> list[Any]:
        """Return the records that match, or tuples of their `columns`; `options` are those of `Store.rows`."""
        return list(self._catalog.rows(table, *where, **options))

    def count(self, table: type[Row], where: tuple[Any, ...]) -> int:
        """Count the records that match."""
        return self._catalog.count(table, *where)

    def load_template(self, twin: str, hash: str) -> tuple[Template, bytes] | None:
        """Return a template with its bytes, or None."""
        return self._files.load_template(twin, hash)

    def load_blob(self, digest: str) -> bytes | None:
        """Return a blob by its hexadecimal digest, or None."""
        return self._files.load_blob(digest)

    def last_seq(self, env: str) -> int:
        """Return the seq of the last record of an environment, 0 for none."""
        return self._files.last_seq(env)


class RemoteCatalog:
    """The catalog of a shard elsewhere, for reading; that of one that cannot be reached is empty."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask

    def find(self, table: type[Row], *where: Any) -> Row | None:
        return _ask_or(None, self._ask, "find", table, where)

    def rows(self, table: type[Row], *where: Any, **options: Any) -> list[Any]:
        return _ask_or([], self._ask, "rows", table, where, options)

    def count(self, table: type[Row], *where: Any) -> int:
        return _ask_or(0, self._ask, "count", table, where)


class RemoteShards(OtherShards):
    """Asks the other shards, those that can be reached."""

    are_near = False

    def __init__(self, all_asks: Sequence[Ask]) -> None:
        super().__init__()
        self._all_asks = all_asks

    def catalogs(self, schema: Schema) -> Iterator[SqliteStore]:
        """Yield the catalog of each other shard, for reading only."""
        return (cast(SqliteStore, RemoteCatalog(each)) for each in self._all_asks)

    def load_template(self, twin: str, hash: str) -> tuple[Template, bytes] | None:
        """Return a template of any other shard with its bytes, or None; safe in any thread."""
        return self._find_first("load_template", twin, hash)

    def load_blob(self, digest: str) -> bytes | None:
        """Return a blob of any other shard by its hexadecimal digest, or None; safe in any thread."""
        return self._find_first("load_blob", digest)

    def _find_first(self, method: str, *arguments: Any) -> Any:
        answers = (_ask_or(None, each, method, *arguments) for each in self._all_asks)
        return next((answer for answer in answers if answer is not None), None)

    def last_seq(self, env: str) -> int:
        """Return the seq of the last record of an environment of another shard; 0 if it has none."""
        return max((_ask_or(0, each, "last_seq", env) for each in self._all_asks), default=0)


def _ask_or(otherwise: T, ask: Ask, method: str, *arguments: Any) -> T:
    try:
        return ask(method, *arguments)
    except ShardUnreachable:
        return otherwise
