"""The server engine: many processes share one PostgreSQL database; changes are captured from its write-ahead log."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from itertools import islice
from typing import Any, NamedTuple, TypeVar, cast

import msgspec

from twindiff.kit.blobs import Blobs
from twindiff.kit.clock import Clock, ClockMode
from twindiff.kit.due import NEVER
from twindiff.storage import (
    EnvironmentGone,
    EnvironmentOrigin,
    OperationContext,
    OperationInfo,
    PlannedOperation,
    PointComparison,
    Present,
    Template,
    TemplatePayload,
    WorkDue,
    WrongStorage,
)
from twindiff.storage.cooperative import CooperativeStep, yield_control
from twindiff.storage.due import NO_JOBS, UNKNOWN, TemplateTimes, earliest
from twindiff.storage.feed import Feed, RowsWritten
from twindiff.storage.journal import ADVANCE, JournalRecord, Values, between
from twindiff.storage.quota import StorageQuota
from twindiff.storage.schema import Schema

from .admin import initialise, version_of
from .blobs import DatabaseBlobs
from .catalog import PostgresCatalog
from .connections import EnvironmentSlots, PostgresConnection, PostgresPool
from .ddl import CATALOG, schema_of
from .environment_positions import EnvironmentPositions, forget
from .health import SlotGuard
from .journal_fence import JournalFence, announce
from .leader_election import Leadership
from .point_comparison import compare
from .points import PostgresPoints, refuse_unknown
from .preprovisioned import PreprovisionedPool
from .records import PostgresJournal
from .statements import Stored
from .store import Counters, PostgresStore, Touched, within
from .tables import PostgresSchemaSql
from .templates import PostgresTemplates

T = TypeVar("T")


class OperationStart(NamedTuple):
    """The position of an environment at the start of an operation; times are in microseconds since 1970."""

    mode: str
    clock: int
    at: int
    counters: str
    due: int

    def time_of(self, at: int | None, wall: int, *, writes: bool) -> tuple[Clock, int]:
        """Return the clock of an operation and the wall clock; raises WorkDue as `StorageEngine.read` does."""
        mode = ClockMode(cast(Any, self.mode))
        if at is None:
            clock = mode.at(wall, self.clock, self.at, writes=writes)
            if clock.micros >= self.due:
                raise WorkDue(clock.micros)
            return clock, wall
        clock = max(at, self.clock)
        return Clock(clock), mode.wall_of(clock, wall, self.clock, self.at)


class PostgresEngine:
    """Environments, journal, templates and catalog in one database. Operations run in threads, not the event loop."""

    may_block = True
    is_shared = True
    embedded = None
    durability = None
    """A commit is durable when the database has answered."""

    def __init__(self, dsn: str, *, admin_dsn: str | None = None, ready: int = 0, most_bytes: int = 0) -> None:
        self.room = StorageQuota(most_bytes)
        self._admin_dsn = admin_dsn
        self._pool = PostgresPool(dsn)
        self._turns = EnvironmentSlots()
        self._tables: dict[str, PostgresSchemaSql] = {}
        self._loaded: set[str] = set()
        self._catalog = PostgresCatalog(self._pool)
        self._fence = JournalFence(dsn, self._pool)
        self.feed: Feed = self._fence.feed
        self._journal = PostgresJournal(self._pool, self._fence)
        self._standings = EnvironmentPositions(self._pool)
        self._templates = PostgresTemplates(self._pool, self._tables)
        self._points = PostgresPoints(self._pool, self._tables, self._journal)
        self._times = TemplateTimes()
        self._copies = PreprovisionedPool(self._pool, ready)
        self.blobs: Blobs = DatabaseBlobs(self._pool, self.room)
        self._slot = SlotGuard(self._pool)
        self._leadership = Leadership(dsn)
        self.measure()

    def schema(self, schema: Schema) -> None:
        if self._admin_dsn:
            initialise(self._admin_dsn, [schema], None)
        with self._pool.connection() as connection:
            query = "SELECT schema_hash FROM twindiff.shapes WHERE twin = %s"
            row = connection.execute(query, (schema.twin,)).fetchone()
        if row != (version_of(schema),):
            state = "is of another version" if row else "is missing"
            raise WrongStorage(
                f"What the database holds for the twin '{schema.twin}' {state}; run `twindiff db init --admin-dsn …`."
            )
        self._tables[schema.twin] = PostgresSchemaSql(schema, schema_of(schema.twin))

    # Templates

    def add_template(self, twin: str, rows: Mapping[str, Iterable[Mapping[str, Any]]]) -> Template:
        full = {name: [dict(each) for each in values] for name, values in rows.items()}
        return self._templates.keep(self._tables[twin], full, {})

    def keep_template(self, twin: str, start: TemplatePayload) -> Iterator[CooperativeStep]:
        """Store the template without steps, since this engine runs in a worker thread anyway."""
        self._templates.keep(self._tables[twin], start.rows, start.template.counters)
        return iter(())

    def template_rows(self, twin: str, hash: str) -> dict[str, list[Values]]:
        store, tables = self.template(twin, hash), self._tables[twin].schema.tables
        return {name: [msgspec.structs.asdict(row) for row in store.rows(table.row)] for name, table in tables.items()}

    def copy_template(
        self, env: str, origin: EnvironmentOrigin, twin: str
    ) -> Generator[CooperativeStep, None, Template]:
        yield yield_control
        rows, counters = self._content(env, twin)
        return self._templates.keep(self._tables[twin], rows, counters)

    def _content(self, env: str, twin: str) -> tuple[dict[str, list[Values]], dict[str, int]]:
        tables = self._tables[twin]
        with self._reading(env) as (connection, begun):
            rows = {
                name: [form.values(each) for each in connection.rows(form.select_all)]
                for name, form in tables.by_name.items()
            }
            return rows, msgspec.json.decode(begun.counters, type=dict[str, int])

    def has_template(self, twin: str, hash: str) -> bool:
        return self._templates.has(twin, hash)

    def template(self, twin: str, hash: str) -> PostgresStore:
        return self._templates.rows(twin, hash)

    # Environments

    def ready(self, origin: EnvironmentOrigin) -> str | None:
        return self._copies.take(origin)

    def create(self, env: str, origin: EnvironmentOrigin) -> None:
        self._templates.check(origin)
        self._copies.create(env, origin, self._first_due(origin))
        self._loaded.add(env)

    def _first_due(self, origin: EnvironmentOrigin) -> int:
        """Return the earliest time that a job falls due in a new environment."""
        schemas = [(self._tables[twin].schema, hash) for twin, hash in origin.templates.items() if twin in self._tables]
        times = (self._times.first(schema, hash, origin.clock_start, self.template) for schema, hash in schemas)
        return min(times, default=NO_JOBS)

    def is_loaded(self, env: str) -> bool:
        return env in self._loaded

    def load(self, env: str, origin: EnvironmentOrigin) -> None:
        """Mark an environment as loaded; raises EnvironmentGone. Nothing is rebuilt: rows migrate with the database."""
        if not self._standings.has(env):
            raise EnvironmentGone(f"environment '{env}' is not there any more")
        self._loaded.add(env)

    def evict(self, env: str) -> None:
        self._loaded.discard(env)

    def import_environment(
        self, env: str, origin: EnvironmentOrigin, starts: Mapping[str, TemplatePayload], records: list[JournalRecord]
    ) -> Iterator[CooperativeStep]:
        """Import without steps, since this engine runs in a worker thread anyway."""
        for twin, start in starts.items():
            self._templates.keep(self._tables[twin], start.rows, start.template.counters)
        self._points.import_environment(env, origin, records)
        self._loaded.add(env)
        return iter(())

    def delete(self, env: str) -> None:
        self._loaded.discard(env)
        with self._catalog.statement() as connection:
            forget(connection, env)

    # Operations

    def read(self, env: str, twin: str, work: Callable[[OperationContext], T], *, at: int | None = None) -> T:
        with self._reading(env) as (connection, begun):
            clock, _ = begun.time_of(at, _wall(), writes=False)
            return work(OperationContext(PostgresStore(within(connection), self._tables[twin], None), clock))

    @contextmanager
    def _reading(self, env: str) -> Generator[tuple[PostgresConnection, OperationStart]]:
        """Open a read-only transaction in which all statements see the same state."""
        with self._pool.connection() as connection:
            begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT * FROM twindiff.begin_read(%s)"
            yield connection, _read_begun(connection.script(begin, (env,)), env)
            connection.script("COMMIT")

    def write(
        self, env: str, info: OperationInfo, work: Callable[[OperationContext], T], *, at: int | None = None
    ) -> tuple[T, int | None]:
        with self._turns.of(env), self._pool.connection() as connection:
            begin = "BEGIN; SELECT * FROM twindiff.begin_write(%s, %s)"
            begun = _read_begun(connection.script(begin, (env, info.operation)), env)
            clock, wall = begun.time_of(at, _wall(), writes=True)
            counters = Counters(msgspec.json.decode(begun.counters))
            touched = Touched()
            store = PostgresStore(within(connection), self._tables[info.twin], counters, touched)
            result = work(OperationContext(store, clock))
            if not _has_changed(touched, connection):
                connection.script("ROLLBACK")
                return result, None
            self._note_due(connection, env, info.twin, touched)
            meta = msgspec.json.encode(info.to_tuple()).decode()[1:-1]
            told = msgspec.json.encode(store.events).decode()
            size = touched.size + len(told)
            self.room.take(size)
            values = (env, meta, clock.micros, wall, msgspec.json.encode(counters.values).decode(), told, size)
            ((seq,),) = connection.rows("SELECT twindiff.finish_write(%s, %s, %s, %s, %s, %s, %s)", values)
            connection.script("COMMIT")
        self.feed.wrote(RowsWritten(env, seq, info.twin, touched.tables))
        return result, seq

    def write_all(self, env: str, twin: str, operations: Iterable[PlannedOperation]) -> list[int | None]:
        return [self.write(env, each.info, each.work, at=each.at)[1] for each in islice(operations, 1)]

    def _note_due(self, connection: PostgresConnection, env: str, twin: str, touched: Touched) -> None:
        """Lower the due time of the environment to those just written, in the same transaction."""
        tables = self._tables[twin]
        if not tables.schema.due:
            return
        written = [(name, after) for name, after in touched.rows() if after and name in tables.schema.due]
        rows = ((name, tables.by_name[name].values(after)) for name, after in written)
        times = [values[column] for name, values in rows for column in tables.schema.due[name]]
        due = earliest(times, 0) if touched.wrote else UNKNOWN
        if due != NEVER:
            connection.count("UPDATE twindiff.standings SET due = LEAST(due, %s) WHERE env = %s", (due, env))

    # Time

    def present(self, env: str) -> Present:
        mode, clock, at, due, seq = self._standing(env)
        return Present(mode.at(_wall(), clock, at, writes=False).micros, seq, due)

    def _standing(self, env: str) -> tuple[ClockMode, int, int, int, int]:
        standing = self._standings.present(env)
        if standing is None:
            raise EnvironmentGone(f"environment '{env}' is not there any more")
        return ClockMode(cast(Any, standing.mode)), *standing[1:]

    def expect(self, env: str, due: int, seq: int) -> None:
        self._standings.expect(env, due, seq)

    def advance(self, env: str, to: int) -> int:
        with self._turns.of(env), self._pool.connection() as connection:
            begun = _read_begun(
                connection.script("BEGIN; SELECT * FROM twindiff.begin_write(%s, %s)", (env, ADVANCE)), env
            )
            values = (env, f'"","{ADVANCE}",""', max(to, begun.clock), _wall(), begun.counters)
            ((seq,),) = connection.rows("SELECT twindiff.finish_write(%s, %s, %s, %s, %s)", values)
            connection.script("COMMIT")
            return seq

    # Points

    def is_materialized(self, env: str, seq: int) -> bool:
        """Return True for every point, since all are reached by the journal; raises UnknownPoint."""
        refuse_unknown(seq, self.seq(env))
        return True

    def materialize(self, env: str, origin: EnvironmentOrigin, seq: int) -> None:
        """Do nothing: points are not cached."""

    def rewind(self, env: str, to: int) -> int:
        with self._turns.of(env):
            return self._points.rewind(env, to)

    def fork(self, env: str, at: int, child: str) -> None:
        with self._turns.of(env):
            self._points.fork(env, at, child)
        self._loaded.add(child)

    # Journal and catalog

    def admit(self) -> None:
        self._slot.admit()

    def announce(self, env: str) -> None:
        seq = self.seq(env)
        with self._catalog.statement() as connection:
            announce(connection, env, seq)

    def leads(self) -> bool:
        return self._leadership.acquire()

    def seq(self, env: str) -> int:
        return self._standings.seq(env)

    def records(self, env: str, after: int = 0, upto: int | None = None) -> list[JournalRecord]:
        return self._journal.records(env, after, upto)

    def difference(self, env: str, after: int, upto: int) -> list[JournalRecord]:
        return between(lambda low, high: self._journal.records(env, low, high), after, upto)

    def compare(self, env: str, origin: EnvironmentOrigin, start: int, end: int) -> PointComparison | None:
        """Fold the journal while it is read, since past rows are not stored anywhere else."""
        return compare(self._journal, env, start, end)

    def maintain(self) -> Generator[CooperativeStep]:
        """Do nothing: the leader's tasks and the administrator's jobs maintain the database."""
        yield from ()

    def measure(self) -> None:
        if self.room.is_limited:
            self.room.set_used(self._standings.bytes())

    def catalog(self, schema: Schema) -> PostgresStore:
        if self._admin_dsn:
            initialise(self._admin_dsn, [], schema)
        return PostgresStore(self._catalog.statement, PostgresSchemaSql(schema, CATALOG, env=False), Counters({}))

    def transaction(self) -> AbstractContextManager[None]:
        return self._catalog.transaction()

    async def wait_until_durable(self) -> None:
        """Return at once: PostgreSQL acknowledges a commit only when it is durable."""

    def close(self) -> None:
        self._leadership.close()
        self._copies.close()
        self._fence.close()
        self._pool.close()


def _read_begun(rows: list[Stored], env: str) -> OperationStart:
    if not rows:
        raise EnvironmentGone(f"environment '{env}' is not there any more")
    return OperationStart(*rows[0])


def _has_changed(touched: Touched, connection: PostgresConnection) -> bool:
    """Whether an operation needs a journal record; any write around the Store counts as a change."""
    if touched.wrote:
        return touched.anything
    return connection.row("SELECT pg_current_xact_id_if_assigned() IS NOT NULL") == (True,)


def _wall() -> int:
    return time.time_ns() // 1000
