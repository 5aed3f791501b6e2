"""Garbage collection of blobs to which no journal record and no row of a template refers."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Generator, Mapping

from twindiff.storage.blobs import KeptBlobs
from twindiff.storage.cooperative import CooperativeStep, yield_control

from .database import Database
from .ddl import quote
from .files import DataFile, Reading
from .live_environments import SqlitePool
from .pages import Pages
from .templates import TemplateImages

log = logging.getLogger("twindiff")

SECONDS_NEW = 3600
"""Age below which a blob is kept, since the row that refers to it may not be written yet."""

_DIGEST = re.compile(rb"[0-9a-f]{64}")


class UnreferencedBlobs:
    """Removes unreferenced blobs after a deletion, and once more when those too new at the time are old enough."""

    def __init__(
        self, file: DataFile, blobs: KeptBlobs, pools: Mapping[str, SqlitePool], templates: TemplateImages
    ) -> None:
        self._file = file
        self._blobs = blobs
        self._pools = pools
        self._templates = templates
        self._seen = -1
        self._forgotten_at = 0.0
        """When a deletion was last noticed, in seconds since 1970."""
        self._swept_before = 0.0
        """The last sweep covered blobs put before this time, in seconds since 1970."""
        self._irremovable: set[str] = set()
        """Digests of blobs whose files could not be removed since the server started."""

    def sweep(self) -> Generator[CooperativeStep]:
        """Find unreferenced blobs, in a step for another thread, and remove them, if a sweep is due."""
        forgotten, now = self._file.forgotten, time.time()
        instant = now - SECONDS_NEW
        if forgotten != self._seen:
            self._forgotten_at = now
        elif not self._swept_before < self._forgotten_at <= instant:
            return
        left: set[str] = set()
        yield lambda: left.update(self._find_unnamed(instant))
        for digest in sorted(left - self._irremovable):
            self._remove(digest, instant)
            yield yield_control
        self._seen, self._swept_before = forgotten, instant

    def _remove(self, digest: str, instant: float) -> None:
        """Remove a blob; one whose file cannot be removed is set aside, so that it holds up no other."""
        try:
            self._blobs.remove(digest, instant)
        except OSError as error:
            self._irremovable.add(digest)
            log.warning("Unreferenced blob %s set aside: %s", digest, error)

    def _find_unnamed(self, instant: float) -> set[str]:
        left = self._blobs.put_before(instant)
        if left:
            with self._file.reader() as reading:
                _drop_named_by_records(reading, left)
                for twin, hash in reading.templates() if left else ():
                    self._drop_named_by_template(reading, twin, hash, left)
        return left

    def _drop_named_by_template(self, reading: Reading, twin: str, hash: str, left: set[str]) -> None:
        """Drop digests found in a template. If its twin is not installed, its rows are unknown: drop all digests."""
        pool = self._pools.get(twin)
        if pool is None:
            left.clear()
            return
        database = Database(pool.tables, Pages(self._templates.image(pool.tables, hash, reading)))
        try:
            for name, table in pool.tables.schema.tables.items():
                for column in (each.name for each in table.columns.values() if each.kind == "text"):
                    query = f"SELECT {quote(column)} FROM {quote(name)} WHERE length({quote(column)}) = 64"
                    left.difference_update(str(value) for (value,) in database.connection.execute(query))
        finally:
            database.close()


def _drop_named_by_records(reading: Reading, left: set[str]) -> None:
    for (record,) in reading.connection.execute("SELECT record FROM journal"):
        left.difference_update(digest.decode() for digest in _DIGEST.findall(record))
