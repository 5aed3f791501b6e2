"""The catalog in the data file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twindiff.storage import StorageFull
from twindiff.storage.sql.tables import Counters

from .connection import Run, Stored
from .files import DataFile
from .store import SqliteStore
from .table_sql import SqliteSchemaSql


class SqliteCatalog(SqliteStore):
    """The store of a data file. A commit that failed for lack of disk space does not reappear after a crash."""

    def __init__(self, file: DataFile, tables: SqliteSchemaSql) -> None:
        super().__init__(file.connection, tables, Counters({}))
        self._file = file

    def _run(self, query: str, parameters: Sequence[Any], execute: Run | None = None) -> list[Stored]:
        try:
            return super()._run(query, parameters, execute)
        except StorageFull:
            self._file.write_over()
            raise
