"""The data files of the other shards of a server, which their own processes write and this one only reads.

SQLite shows a reader in another process all that was committed, so a response of one shard is true for all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from twindiff.storage import Template
from twindiff.storage.blobs import blob_path
from twindiff.storage.schema import Schema

from .connection import connect
from .files import NAME, Reading
from .positions import last_seq
from .store import SqliteStore
from .table_sql import SqliteSchemaSql


class OtherShards:
    """Reads the data files in the folders of other shards; each is opened on first use."""

    are_near = True
    """Whether they are on this machine."""

    def __init__(self, folders: Sequence[str] = ()) -> None:
        self._folders = [Path(folder) for folder in folders]
        self._paths = [folder / NAME for folder in self._folders]
        self._readings: dict[Path, Reading] = {}
        self._catalogs: dict[Path, SqliteStore] = {}

    def _open(self) -> Iterator[tuple[Path, Reading]]:
        for path in self._paths:
            if path not in self._readings:
                connection = connect(str(path))
                connection.set_busy_timeout(5000)
                self._readings[path] = Reading(connection)
            yield path, self._readings[path]

    def catalogs(self, schema: Schema) -> Iterator[SqliteStore]:
        """Yield the catalog of each other shard, for reading only."""
        for path, reading in self._open():
            if path not in self._catalogs:
                sql = SqliteSchemaSql(schema, is_as_declared=False)
                self._catalogs[path] = SqliteStore(reading.connection, sql, None)
            yield self._catalogs[path]

    def load_template(self, twin: str, hash: str) -> tuple[Template, bytes] | None:
        """Return a template of any other shard with its bytes, or None; safe in any thread."""
        for path in self._paths:
            connection = connect(str(path))
            try:
                if template := Reading(connection).load_template(twin, hash):
                    return template
            finally:
                connection.close()
        return None

    def load_blob(self, digest: str) -> bytes | None:
        """Return a blob of any other shard by its hexadecimal digest, or None; safe in any thread."""
        for folder in self._folders:
            with suppress(FileNotFoundError):
                return blob_path(folder, digest).read_bytes()
        return None

    def last_seq(self, env: str) -> int:
        """Return the seq of the last record of an environment of another shard; 0 if it has none."""
        return max((last_seq(reading, env) for _, reading in self._open()), default=0)

    def close(self) -> None:
        for reading in self._readings.values():
            reading.connection.close()
