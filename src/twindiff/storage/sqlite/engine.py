"""The embedded engine: one process with one writer; SQL runs in the calling thread."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from functools import partial
from typing import Any, TypeVar

from twindiff.kit.blobs import Blobs
from twindiff.storage import (
    EnvironmentOrigin,
    OperationContext,
    OperationInfo,
    PlannedOperation,
    PointComparison,
    Present,
    StorageFull,
    Template,
    TemplatePayload,
)
from twindiff.storage.blobs import blobs_of
from twindiff.storage.cooperative import CooperativeStep, portions, run_to_end, yield_control
from twindiff.storage.deadline import Limit, whole
from twindiff.storage.due import TemplateTimes, unknown
from twindiff.storage.durability import Durability
from twindiff.storage.feed import Feed, RowsWritten
from twindiff.storage.journal import ADVANCE, JournalRecord, Values, between
from twindiff.storage.quota import StorageQuota
from twindiff.storage.schema import Schema

from .catalog import SqliteCatalog
from .database import contents_of, problems_of
from .files import IN_MEMORY, LAST_SEQ, DataFile, ForkOrigin, Reading
from .images import ImageQueue, PendingImage, QueuedImage, Stored
from .live_environments import (
    ALL_UNDO_BYTES,
    UNDO_BYTES,
    LiveEnvironment,
    Point,
    SqlitePool,
    position_after,
    position_at_birth,
    position_of_fork,
)
from .memory import give_back
from .operations import perform
from .other_shards import OtherShards
from .pages import Undo
from .point_comparison import compare
from .positions import last_seq
from .rebuild import Rebuilding
from .records import StoredRecord
from .snapshots import WorkingCopy
from .store import SqliteStore
from .table_sql import SqliteSchemaSql
from .templates import TemplateImages
from .unnamed_blobs import UnreferencedBlobs

T = TypeVar("T")

IMAGE_EVERY = 1000
"""Operations between images of an environment, so that no rebuild replays more."""
IMAGE_AT_EVICTION = 200
"""Operations since the last image beyond which an evicted environment gets a provisional image."""
RECALLED = 16
"""Rebuilt points in the cache."""
ENVIRONMENTS_AT_ONCE = 1000
"""Environments processed by one step of `maintain`."""
ADOPTED_AT_ONCE = 100
"""Records of an imported environment that are written in one transaction."""


class SqliteEngine:
    """Environments in memory; journal, images, templates and catalog in one file of the data directory."""

    may_block = False
    is_shared = False

    def __init__(
        self, directory: str, *, fsync: bool = False, most_bytes: int = 0, others: OtherShards | None = None
    ) -> None:
        """Open a data directory; `others` reads those of the other shards of the server."""
        self.room = StorageQuota(most_bytes)
        self.file = DataFile(directory, self.room)
        self.durability = self._made_durable() if fsync and directory != IN_MEMORY else None
        self.others = others or OtherShards()
        self._kept_blobs = blobs_of(directory, self.room, self.others.load_blob)
        self.blobs: Blobs = self._kept_blobs
        self.feed = Feed()
        self._templates = TemplateImages(self.file, self.others)
        self._times = TemplateTimes()
        self._pools: dict[str, SqlitePool] = {}
        self._rebuilding = Rebuilding(self._pools, self._templates)
        self._live: dict[str, LiveEnvironment] = {}
        self._loading = threading.Lock()
        self._recalled: OrderedDict[tuple[str, int], LiveEnvironment] = OrderedDict()
        self._images = ImageQueue(self.file)
        self.unnamed_blobs = UnreferencedBlobs(self.file, self._kept_blobs, self._pools, self._templates)
        self._evicted, self._evicted_lately = 0, 0
        self.measure()

    @property
    def embedded(self) -> SqliteEngine:
        return self

    def _made_durable(self) -> Durability:
        durability = Durability(self._sync)
        self.file.log.on_commit = durability.on_commit
        return durability

    def _sync(self) -> None:
        self._kept_blobs.sync()
        self.file.log.sync()

    def schema(self, schema: Schema) -> None:
        self._pools[schema.twin] = SqlitePool(SqliteSchemaSql(schema))

    # Templates

    def add_template(self, twin: str, rows: Mapping[str, Iterable[Mapping[str, Any]]]) -> Template:
        full = {name: [dict(row) for row in values] for name, values in rows.items()}
        return self._templates.keep(self._pools[twin].tables, full, {})

    def keep_template(self, twin: str, start: TemplatePayload) -> Iterator[CooperativeStep]:
        return self._templates.adopt(self._pools[twin].tables, start)

    def template_rows(self, twin: str, hash: str) -> dict[str, list[Values]]:
        tables = self._pools[twin].tables
        with self.file.reader() as reading:
            return contents_of(tables, self._templates.image(tables, hash, reading))

    def copy_template(
        self, env: str, origin: EnvironmentOrigin, twin: str
    ) -> Generator[CooperativeStep, None, Template]:
        live = self._ensure_loaded(env, origin)
        tables, counters = self._pools[twin].tables, dict(live.position.counters)
        return (yield from self._templates.copy(tables, live.pages[twin].copy(), counters))

    def has_template(self, twin: str, hash: str) -> bool:
        return self._templates.has(twin, hash)

    def template(self, twin: str, hash: str) -> SqliteStore:
        return self._templates.rows(self._pools[twin].tables, hash)

    @property
    def asked(self) -> set[tuple[str, str]]:
        """The templates recently looked up with `has_template`, as (twin, hash); garbage collection spares them."""
        return self._templates.asked

    def stored_templates(self) -> set[tuple[str, str]]:
        """Return all stored templates as (twin, hash)."""
        return self.file.templates()

    def forget_template(self, twin: str, hash: str) -> None:
        """Delete a template that no environment uses."""
        self._templates.forget(twin, hash)

    # Environments

    def ready(self, origin: EnvironmentOrigin) -> str | None:
        """Return None: creation takes microseconds, so nothing is pre-provisioned."""
        return None

    def create(self, env: str, origin: EnvironmentOrigin) -> None:
        point = Point(self._rebuilding.pages_at_birth(origin), position_at_birth(origin), [])
        self._live[env] = LiveEnvironment(env, origin, point, self._first_due(origin))

    def _unknown(self, origin: EnvironmentOrigin) -> int:
        return unknown(self._pools[twin].tables.schema for twin in origin.templates)

    def _first_due(self, origin: EnvironmentOrigin) -> int:
        """Return the earliest time that a job falls due in a new environment."""
        schemas = [(self._pools[twin].tables.schema, hash) for twin, hash in origin.templates.items()]
        return min(self._times.first(schema, hash, origin.clock_start, self.template) for schema, hash in schemas)

    def is_loaded(self, env: str) -> bool:
        return env in self._live

    def load(self, env: str, origin: EnvironmentOrigin) -> None:
        self._ensure_loaded(env, origin)

    def _ensure_loaded(self, env: str, origin: EnvironmentOrigin) -> LiveEnvironment:
        live = self._live.get(env)
        if live is None:
            with self._loading, self.file.reader() as reading:
                live = self._live.get(env) or self._rebuilt(reading, env, origin, last_seq(reading, env))
                self._live[env] = live
        return live

    def _rebuilt(self, reading: Reading, env: str, origin: EnvironmentOrigin, seq: int) -> LiveEnvironment:
        return LiveEnvironment(env, origin, self._rebuilding.point(reading, env, origin, seq), self._unknown(origin))

    def evict(self, env: str) -> None:
        live = self._live.get(env)
        if live is None:
            return
        if live.seq > live.begun and live.since_image > IMAGE_AT_EVICTION:
            self._take_image(live, since=live.position.since)
        del self._live[env]
        self._evicted += 1

    def _take_image_if_due(self, live: LiveEnvironment) -> None:
        if live.position.since >= IMAGE_EVERY:
            self._take_image(live)

    def _take_image(self, live: LiveEnvironment, *, since: int = 0) -> None:
        """Queue an image, so that later rebuilds replay less; does nothing while the queue is full."""
        if self._images.is_full:
            return
        replaced = live.drop_passing()
        bases = live.images[-1].ids if live.images else {}
        ids = {twin: self._images.new_id() for twin in live.pages}
        parts: list[PendingImage] = []
        for twin, pages in live.pages.items():
            schema = self._pools[twin].tables.schema
            stored = Stored(ids[twin], live.seq, twin, bases.get(twin), since, schema.hash, pages.count)
            parts.append(PendingImage(stored, pages.dirty_pages()))
        live.note_image(ids, since)
        self._images.add(QueuedImage(live.env, parts, replaced))

    def maintain(self) -> Generator[CooperativeStep]:
        """Run background maintenance; yields steps that may run in another thread. Raises StorageFull.

        Limits the undo logs of all environments, writes pending images, removes deleted environments, shrinks the data
        file, truncates the write-ahead log, and returns free memory to the operating system.
        """
        self.file.refuse_full()
        if self.durability:
            self.durability.refuse_failed()
        most = min(UNDO_BYTES, ALL_UNDO_BYTES // max(1, len(self._live)))
        for at, live in enumerate(list(self._live.values())):
            live.forget_steps(most)
            if at % ENVIRONMENTS_AT_ONCE == ENVIRONMENTS_AT_ONCE - 1:
                yield yield_control
        try:
            yield from self._images.write()
        except StorageFull:  # rebuilds use the journal alone, and the next images have no base
            self._images.clear()
            for live in self._live.values():
                self._lose_images(live)
            raise
        yield from self.file.remove_forgotten()
        yield from self.file.shrink()
        if self._evicted_lately and not self._evicted:  # a series of evictions is over
            yield give_back
        self._evicted_lately, self._evicted = self._evicted, 0
        if self.file.log.is_long:
            yield self.file.log.shorten
            self.file.log.finish()

    def _lose_images(self, live: LiveEnvironment) -> None:
        live.images.clear()
        for twin, pages in live.pages.items():
            template = self._templates.as_written(self._pools[twin].tables, live.origin.templates[twin])
            pages.dirty = set(pages.own) if pages.image is template else set(range(pages.count))

    def import_environment(
        self, env: str, origin: EnvironmentOrigin, starts: Mapping[str, TemplatePayload], records: list[JournalRecord]
    ) -> Iterator[CooperativeStep]:
        for twin, start in starts.items():
            yield from self._templates.adopt(self._pools[twin].tables, start)
        last = len(records)
        for portion in portions(records, ADOPTED_AT_ONCE):
            with self.file.transaction():
                for record in portion:
                    self.file.append(record)
            yield yield_control
        for seq in range(IMAGE_EVERY, last + 1, IMAGE_EVERY):
            yield partial(self.materialize, env, origin, seq)
            self._take_image(self._recalled.pop((env, seq)))
            yield from self._images.write()
        yield partial(self.load, env, origin)

    def delete(self, env: str) -> None:
        self.file.forget(env)
        if self.file.is_free(env):
            self._images.forget(env)
        self._live.pop(env, None)
        for point in [point for point in self._recalled if point[0] == env]:
            self._recalled.pop(point, None)

    # Operations

    def read(
        self, env: str, twin: str, work: Callable[[OperationContext], T], *, at: int | None = None, limit: Limit = whole
    ) -> T:
        live = self._live[env]
        clock, _ = live.time_of(at, _wall(), writes=False)
        database = self._pools[twin].open(live.pages[twin])
        return database.read(lambda store: work(OperationContext(store, clock)), limit)

    def write(
        self,
        env: str,
        info: OperationInfo,
        work: Callable[[OperationContext], T],
        *,
        at: int | None = None,
        limit: Limit = whole,
    ) -> tuple[T, int | None]:
        live = self._live[env]
        moment = live.time_of(at, _wall(), writes=True)
        database = self._pools[info.twin].open(live.pages[info.twin])
        with database.undoable():
            result, record = perform(live.env, live.position, database, info, work, moment, limit)
            if record is None:
                database.take_back()
                return result, None
            database.commit()
            self._append(record)
        live.note_due(self._pools[record.twin].tables, record)
        self._go_on(live, [record], database.undo)
        return result, record.seq

    def write_all(self, env: str, twin: str, operations: Iterable[PlannedOperation]) -> list[int | None]:
        live, seqs, records = self._live[env], list[int | None](), list[StoredRecord]()
        database = self._pools[twin].open(live.pages[twin])
        deadline = whole()
        with live.ahead(), database.undoable():
            for info, work, at in operations:
                if seqs and at >= live.due:
                    break
                moment = live.time_of(at, _wall(), writes=True)
                _, record = perform(live.env, live.position, database, info, work, moment, lambda: deadline)
                database.go_on()
                seqs.append(record and record.seq)
                if record is not None:
                    records.append(record)
                    live.position = position_after(record, live.position.since + 1)
                    live.note_due(self._pools[record.twin].tables, record)
                if live.position.since >= IMAGE_EVERY:
                    break
            if not records:
                database.take_back()
                return seqs
            database.commit()
            self._append(*records)
        self._go_on(live, records, database.undo)
        return seqs

    def _go_on(self, live: LiveEnvironment, records: Sequence[StoredRecord], undo: Undo) -> None:
        """Advance the position past committed records, and notify the feed."""
        live.go_on(records, undo)
        if self.feed.listener:
            for record in records:
                tables = frozenset([table for table, _, _, _ in record.changes])
                self.feed.wrote(RowsWritten(live.env, record.seq, record.twin, tables))
        self.feed.announce_commit(live.env, live.seq)
        self._take_image_if_due(live)

    def snapshot(self, env: str, twin: str, *, writes: bool, at: int | None = None) -> WorkingCopy:
        """Copy one twin of a loaded environment for one operation of any length; raises WorkDue as `read` does."""
        live = self._live[env]
        clock, wall = live.time_of(at, _wall(), writes=writes)
        return WorkingCopy(live, twin, self._pools[twin].tables, clock, wall)

    def take_over(self, snapshot: WorkingCopy) -> bool:
        """Commit what was written to a snapshot; returns False if the environment has changed since, or is gone."""
        record, live = snapshot.record, self._live.get(snapshot.env)
        if record is None:
            return True
        if live is None or live.position is not snapshot.position:
            return False
        self._append(record)
        snapshot.pages.dirty |= live.pages[snapshot.twin].dirty
        live.pages[snapshot.twin] = snapshot.pages
        live.note_due(self._pools[record.twin].tables, record)
        self._go_on(live, [record], snapshot.undo)
        return True

    def _append(self, *records: JournalRecord | StoredRecord) -> None:
        """Append records to the journal. If it is unknown whether they were written, discard the in-memory state.

        The next access then rebuilds the environment from the journal, which is authoritative.
        """
        try:
            self.file.append(*records)
        except StorageFull:
            raise
        except BaseException:  # KeyboardInterrupt may arrive after the commit
            self._live.pop(records[0].env, None)
            raise

    # Time

    def present(self, env: str) -> Present:
        live = self._live[env]
        return Present(live.now(_wall(), writes=False).micros, live.seq, live.due)

    def expect(self, env: str, due: int, seq: int) -> None:
        live = self._live[env]
        if live.seq == seq:
            live.due = due

    def advance(self, env: str, to: int) -> int:
        live, last = self._live[env], self._live[env].position
        record = JournalRecord(env, last.seq + 1, "", ADVANCE, "", _wall(), max(to, last.clock), last.counters, [])
        self._append(record)
        live.advance(record)
        self._take_image_if_due(live)
        self.feed.announce_commit(env, live.seq)
        return live.seq

    # Points

    def is_materialized(self, env: str, seq: int) -> bool:
        live = self._live[env]
        live.refuse_unknown(seq)
        return (env, seq) in self._recalled or live.is_materialized(seq)

    def materialize(self, env: str, origin: EnvironmentOrigin, seq: int) -> None:
        with self.file.reader() as reading:
            self._recalled[env, seq] = self._rebuilt(reading, env, origin, seq)
        if len(self._recalled) > RECALLED:
            self._recalled.popitem(last=False)

    def rewind(self, env: str, to: int) -> int:
        live = self._live[env]
        remembered = live.is_materialized(to)
        point = self._point(live, to)
        wall, position = _wall(), point.position
        clock = live.origin.clock.resume_at(wall, position.clock, position.at)
        record = JournalRecord(env, live.seq + 1, "", "rewind", "", wall, clock, position.counters, [], to=to)
        self._append(record)
        live.return_to(point, record, remembered=remembered)
        live.due = self._unknown(live.origin)
        self.feed.announce_commit(env, live.seq)
        return live.seq

    def fork(self, env: str, at: int, child: str) -> None:
        live = self._live[env]
        point = self._point(live, at)
        made = _wall()
        self.file.add_fork(child, ForkOrigin(env, at, made))
        point = point._replace(position=position_of_fork(point.position, live.origin, made))
        self._live[child] = LiveEnvironment(child, live.origin, point, self._unknown(live.origin))

    def _point(self, live: LiveEnvironment, seq: int) -> Point:
        """Return a point of an environment, from memory if possible."""
        live.refuse_unknown(seq)
        if live.is_materialized(seq):
            return live.point_at(seq)
        if (live.env, seq) not in self._recalled:
            self.materialize(live.env, live.origin, seq)
        return self._recalled[live.env, seq].point_at(seq)

    # Journal and catalog

    def admit(self) -> None:
        """Do nothing: a run may start at any time."""

    def announce(self, env: str) -> None:
        self.feed.announce_commit(env, self.seq(env))

    def leads(self) -> bool:
        """Return True: a data file belongs to one process."""
        return True

    def seq(self, env: str) -> int:
        live = self._live.get(env)
        return live.seq if live else last_seq(self.file, env) or self.others.last_seq(env)

    def records(self, env: str, after: int = 0, upto: int | None = None) -> list[JournalRecord]:
        return self.file.records(env, after, LAST_SEQ if upto is None else upto)

    def difference(self, env: str, after: int, upto: int) -> list[JournalRecord]:
        return between(lambda low, high: self.file.records(env, low, high), after, upto)

    def compare(self, env: str, origin: EnvironmentOrigin, start: int, end: int) -> PointComparison | None:
        with self.file.reader() as reading:
            return compare(reading, self._rebuilding, env, origin, start, end)

    def measure(self) -> None:
        if self.room.is_limited:
            self.room.set_used(self.file.used_bytes() + self._kept_blobs.size)

    def content(self, env: str, origin: EnvironmentOrigin) -> dict[str, dict[str, list[Values]]]:
        """Return every row of an environment, by twin and table name."""
        live = self._ensure_loaded(env, origin)
        return {twin: self._pools[twin].open(pages).content() for twin, pages in live.pages.items()}

    def problems(self, env: str, origin: EnvironmentOrigin) -> list[str]:
        """Return the problems that SQLite finds in the databases of an environment; empty if there are none."""
        live = self._ensure_loaded(env, origin)
        return [line for twin, pages in live.pages.items() for line in problems_of(self._pools[twin].tables, pages)]

    def catalog(self, schema: Schema) -> SqliteStore:
        self.file.ensure(schema)
        return SqliteCatalog(self.file, SqliteSchemaSql(schema, is_as_declared=False))

    def transaction(self) -> AbstractContextManager[None]:
        return self.file.transaction()

    async def wait_until_durable(self) -> None:
        if self.durability:
            await self.durability.wait_until_durable()

    def close(self) -> None:
        if self.durability:
            self.durability.close()
        with suppress(StorageFull):
            run_to_end(self._images.write())
        for pool in self._pools.values():
            pool.close()
        self._templates.close()
        self.others.close()
        self.file.close()


def _wall() -> int:
    return time.time_ns() // 1000
