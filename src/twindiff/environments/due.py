"""Runs due jobs before any later operation, ordered by due time, then by declaration and row key.

Each job run is an operation of its own at its own time. The journal is therefore the same whether the clock was
advanced in one step or in many, or no call came for days.

Finding due jobs queries the table of every job of every twin. A single writing process therefore reads several due jobs
at once and caches them (`DueQueue`) until another operation writes, or until a job makes something due earlier. Several
jobs are committed in one transaction, with a journal record each; if one of them fails, each is run by itself.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from itertools import takewhile
from typing import Any, NamedTuple, TypeVar

import msgspec

from twindiff.catalog.stamps import wall
from twindiff.kit.blobs import Blobs, NoBlobs
from twindiff.kit.call import Call
from twindiff.kit.clock import Clock
from twindiff.kit.due import NEVER, FailedWork, Job, first_value, instant_due, last_value
from twindiff.kit.errors import ApiError
from twindiff.kit.rows import Column, Row, table_of
from twindiff.kit.store import Store
from twindiff.kit.throttling import Arrivals
from twindiff.kit.twin import Twin
from twindiff.storage import NotServed, OperationContext, OperationInfo, PlannedOperation, StorageEngine, WorkDue
from twindiff.storage.deadline import BRIEF_SECONDS, lasting
from twindiff.storage.due import NO_JOBS

from .call_log import CallLog, CallLogEntry
from .environments import LoadedEnvironment

T = TypeVar("T")

log = logging.getLogger("twindiff")

MAX_PIECES_PER_REQUEST = 10_000
"""Due jobs that one request runs."""
MAX_PIECES_PER_SLICE = 100
"""Due jobs that run before an operation without yielding to other requests."""
FOUND_AT_ONCE = 128
"""Due rows of one job that one query reads."""
MAX_REMEMBERED_ENVIRONMENTS = 64
"""Environments with a cached queue."""
KEPT_AT_ONCE = 64
"""Due jobs committed in one transaction, time permitting, unless one fails."""
MAX_SLICE_SECONDS = 0.03
"""CPU seconds of one slice of due jobs while no other request arrives."""


class StillDue(NotServed):
    """So much work had fallen due that not all of it is done yet; try again in a second."""

    status = 503

    def __init__(self) -> None:
        super().__init__(headers=(("Retry-After", "1"),))


class LeftDue(ApiError):
    """The job has left its row due at the same time; it must remove the row, or move its time on."""


class TooMuchDue(ApiError):
    """More than 10,000 jobs would be due before the world is ready; let what recurs begin later."""


class DueItem(NamedTuple):
    """A due job for one row; pieces sort in the order in which they run.

    `due` is in microseconds since 1970, `job` is the index of the twin's job, `key` is the row's key.
    """

    due: int
    twin: str
    job: int
    key: tuple[Any, ...]
    actor: str


class DueQueue(NamedTuple):
    """The first due jobs of an environment, in order, as of the journal record `seq`."""

    seq: int
    pieces: list[DueItem]
    is_old: bool = False
    """Whether some of these jobs have run since the query."""


class Done(NamedTuple):
    """One job that ran, at a time in microseconds since 1970; `seq` is its journal record."""

    twin: str
    operation: str
    actor: str
    at: int
    seq: int | None
    error: str | None


class DueSlice:
    """The time budget of a slice of due jobs: `seconds` double with each slice during which no request arrived."""

    def __init__(self, arrivals: Arrivals) -> None:
        self._arrivals, self._seen = arrivals, arrivals()
        self.seconds = BRIEF_SECONDS

    @property
    def is_long(self) -> bool:
        """Whether the slice is longer than other work may block the event loop."""
        return self.seconds > BRIEF_SECONDS

    def end(self) -> None:
        """Start the next slice, after other requests have run."""
        seen, self._seen = self._seen, self._arrivals()
        self.seconds = min(2 * self.seconds, MAX_SLICE_SECONDS) if seen == self._seen else BRIEF_SECONDS


class DueWork:
    """Runs the due jobs of loaded environments."""

    def __init__(self, engine: StorageEngine, calls: CallLog) -> None:
        self._engine = engine
        self._calls = calls
        self._queues: dict[str, DueQueue] = {}

    def before(self, environment: LoadedEnvironment, operation: Callable[[int | None], T]) -> T:
        """Run an operation after all jobs that are due by its time.

        `operation` receives the clock time at which it must run, or None at the first attempt. Raises StillDue after
        `MAX_PIECES_PER_SLICE` jobs if more are due; the jobs that ran stay done.
        """
        try:
            return operation(None)
        except WorkDue as due:
            at = due.at
        left = MAX_PIECES_PER_SLICE
        while left > 0:
            done = self.do_some(environment, at, left)
            if not done:
                return operation(at)
            left -= len(done)
        raise StillDue

    def do_some(self, environment: LoadedEnvironment, at: int, most: int, seconds: float = BRIEF_SECONDS) -> list[Done]:
        """Run some of the jobs due by `at`, in order, for about `seconds`; returns [] only when nothing is due."""
        while piece := self._first(environment, at):
            known = self._queues.get(environment.id)
            pieces = _of_one_twin(known.pieces[: min(most, KEPT_AT_ONCE)], at) if known else []
            if len(pieces) < 2:
                done = self._do_in_turn(environment, at, 1, piece)
            else:
                done = self._do_together(environment, pieces, seconds)
            if done is None:
                done = self._do_in_turn(environment, at, len(pieces))
            if done:
                return done
        return []

    def _first(self, environment: LoadedEnvironment, at: int) -> DueItem | None:
        """Return the next due job, if it is due by `at`."""
        if self._engine.present(environment.id).due > at:
            return None
        piece = self.next(environment)
        return piece if piece and piece.due <= at else None

    def _do_together(
        self, environment: LoadedEnvironment, pieces: Sequence[DueItem], seconds: float
    ) -> list[Done] | None:
        """Run cached jobs in one transaction; returns None if one of them fails, and then none has run."""
        works: list[DueJobRun] = []
        try:
            with self._gone_on(environment, pieces[0]) as queue:
                operations = self._plan_operations(environment, pieces, works, seconds)
                seqs = self._engine.write_all(environment.id, pieces[0].twin, operations)
                del queue.pieces[: len(seqs)]
        except NotServed:
            raise
        except Exception:  # noqa: BLE001 - the failing piece raises it again when it runs by itself
            return None
        return [
            Done(piece.twin, operation_of(environment, piece), piece.actor, piece.due, seq, None)
            for number, (piece, seq) in enumerate(zip(pieces, seqs, strict=False))
            if not (works[number].is_over and (number or queue.is_old))
        ]

    def _plan_operations(
        self, environment: LoadedEnvironment, pieces: Sequence[DueItem], works: list[DueJobRun], seconds: float
    ) -> Generator[PlannedOperation]:
        """Yield pieces as operations for `seconds`; the engine stops if one makes something due earlier."""
        turn = lasting(seconds)
        for piece in pieces:
            if works and turn.is_past():
                return
            work = _job_run(environment, piece)
            works.append(work)
            info = OperationInfo(piece.twin, operation_of(environment, piece), piece.actor)
            yield PlannedOperation(info, partial(work.do, self._engine.blobs), piece.due)

    def _do_in_turn(
        self, environment: LoadedEnvironment, at: int, most: int, first: DueItem | None = None
    ) -> list[Done]:
        """Run pieces one by one, so that a failure does not undo the others; `first` is the first one, if known."""
        done: list[Done] = []
        while len(done) < most and (piece := first or self._first(environment, at)):
            first = None
            with self._gone_on(environment, piece) as queue:
                one = self._do(environment, piece, may_be_over=queue.is_old)
                del queue.pieces[0]
            done += [one] if one else []
        return done

    def next(self, environment: LoadedEnvironment) -> DueItem | None:
        """Return the next due job, or None; caches what it finds."""
        seq = self._engine.present(environment.id).seq
        queue = self._queues.get(environment.id)
        if queue and queue.seq == seq:
            return queue.pieces[0]
        pieces = self._look(environment)
        due = pieces[0].due if pieces else NEVER if _working(environment) else NO_JOBS
        self._engine.expect(environment.id, due, seq)
        self._remember(environment, DueQueue(seq, pieces))
        return pieces[0] if pieces else None

    def note_advance(self, environment: LoadedEnvironment, seq: int) -> None:
        """Keep the cached queue valid after a journal record that only set the clock."""
        if queue := self._queues.get(environment.id):
            self._remember(environment, queue._replace(seq=seq))

    def _look(self, environment: LoadedEnvironment) -> list[DueItem]:
        """Query the first due jobs, in order."""
        most, start = 1 if self._engine.is_shared else FOUND_AT_ONCE, environment.origin.clock_start
        jobs = [
            pieces
            for twin in _working(environment)
            for pieces in self._engine.read(environment.id, twin.name, partial(_firsts, twin, start, most), at=0)
        ]
        last = min((pieces[-1] for pieces in jobs if len(pieces) == most), default=None)
        return sorted(piece for pieces in jobs for piece in pieces if last is None or piece <= last)

    def _remember(self, environment: LoadedEnvironment, queue: DueQueue) -> None:
        self._queues.pop(environment.id, None)
        if queue.pieces and not self._engine.is_shared:
            self._queues[environment.id] = queue
            if len(self._queues) > MAX_REMEMBERED_ENVIRONMENTS:
                del self._queues[next(iter(self._queues))]

    @contextmanager
    def _gone_on(self, environment: LoadedEnvironment, piece: DueItem) -> Generator[DueQueue]:
        """Yield the cached queue, from which the caller removes the pieces it has run; those still first stay cached.

        No other operation runs meanwhile, so the engine's `due` value can be borrowed to detect what the pieces make
        due.
        """
        engine, queue = self._engine, self._queues.pop(environment.id, None)
        if queue is None:
            yield DueQueue(0, [piece])
            return
        engine.expect(environment.id, NEVER, queue.seq)
        rest: list[DueItem] = []
        try:
            yield queue
            rest = queue.pieces
        finally:
            if engine.is_loaded(environment.id):
                present = engine.present(environment.id)
                left = [each for each in rest if each.due < present.due]
                self._remember(environment, DueQueue(present.seq, left, is_old=True))
                engine.expect(environment.id, left[0].due if left else piece.due, present.seq)

    def count(self, environment: LoadedEnvironment, at: int) -> int:
        """Count the rows that are due by a time."""
        start = environment.origin.clock_start
        return sum(
            self._engine.read(environment.id, twin.name, partial(_count, twin, start, at), at=0)
            for twin in _working(environment)
        )

    def _do(self, environment: LoadedEnvironment, piece: DueItem, *, may_be_over: bool) -> Done | None:
        """Run one job; returns None if an earlier job has made it not due any more."""
        started = time.perf_counter()
        work = _job_run(environment, piece)
        operation = operation_of(environment, piece)
        info = OperationInfo(piece.twin, operation, piece.actor)
        seq, error = self._attempt(environment, info, work)
        if may_be_over and work.is_over:
            return None
        if error is None:
            return Done(piece.twin, operation, piece.actor, piece.due, seq, None)
        status, code = (error.status, error.code) if isinstance(error, ApiError) else (500, "internal_error")
        _, seq = self._engine.write(environment.id, info, partial(work.fail, error), at=piece.due)
        spent = (time.perf_counter() - started) * 1000
        self._calls.add(
            environment.id, CallLogEntry(wall(), piece.twin, operation, piece.actor, status, spent, code, seq)
        )
        return Done(piece.twin, operation, piece.actor, piece.due, seq, code)

    def _attempt(
        self, environment: LoadedEnvironment, info: OperationInfo, work: DueJobRun
    ) -> tuple[int | None, Exception | None]:
        """Run one job; returns its journal record, or the exception it raised."""
        try:
            done = partial(work.do, self._engine.blobs)
            return self._engine.write(environment.id, info, done, at=work.piece.due)[1], None
        except NotServed:
            raise
        except ApiError as error:
            return None, error
        except Exception as error:  # an internal error in one job must not block the twin's other jobs
            log.exception("%s failed", info.operation)
            return None, error


def run_due_within(twin: Twin, moment: OperationContext, since: int, until: int) -> tuple[int, int]:
    """Run a twin's jobs that are due between two instants as part of an operation, each at its own time.

    Returns when the last of them was due (`since` if there was none), and when the next one is (NEVER if none is). All
    instants are in microseconds since 1970.
    Raises what a job raises, and TooMuchDue after MAX_PIECES_PER_REQUEST jobs.
    """
    last = since
    if not twin.jobs:
        return last, NEVER
    for _ in range(MAX_PIECES_PER_REQUEST + 1):
        pieces = [piece for waiting in _firsts(twin, since, 1, moment) for piece in waiting]
        first = min(pieces, default=None)
        if first is None or first.due > until:
            return last, first.due if first else NEVER
        DueJobRun(twin.jobs[first.job], first).do(NoBlobs(), moment._replace(clock=Clock(first.due)))
        last = first.due
    raise TooMuchDue


def _of_one_twin(pieces: Sequence[DueItem], at: int) -> list[DueItem]:
    """Return the leading pieces of one twin that are due by `at`."""
    return list(takewhile(lambda each: each.due <= at and each.twin == pieces[0].twin, pieces))


def operation_of(environment: LoadedEnvironment, piece: DueItem) -> str:
    """Return the operation name of a job in the journal: `twin:job`."""
    return f"{piece.twin}:{environment.twins[piece.twin].jobs[piece.job].name}"


def _job_run(environment: LoadedEnvironment, piece: DueItem) -> DueJobRun:
    return DueJobRun(environment.twins[piece.twin].jobs[piece.job], piece, environment.came_by.get(piece.twin, ""))


class DueJobRun:
    """One run of a job for one row; `came_by` is the address of the twin that its events name."""

    def __init__(self, job: Job, piece: DueItem, came_by: str = "") -> None:
        self.piece = piece
        self._came_by = came_by
        self.is_over = False
        """Whether the row was no longer due."""
        self._job = job
        same = [column == value for column, value in zip(_key_columns(job.table), piece.key, strict=True)]
        self._where = (*same, *job.where)

    def do(self, blobs: Blobs, moment: OperationContext) -> None:
        """Run the job, unless another process already has. Raises LeftDue if the row is still due at the same time."""
        row = self._row(moment.db)
        self.is_over = row is None
        if row is not None:
            self._job.run(Call(self.piece.actor, moment.db, moment.clock, blobs=blobs, came_by=self._came_by), row)
            if self._row(moment.db) is not None:
                raise LeftDue

    def _row(self, db: Store) -> Any:
        """Return the row if it is still due."""
        row = db.find(self._job.table, *self._where)
        return row if row and instant_due(getattr(row, self._job.column.name)) == self.piece.due else None

    def fail(self, error: Exception, moment: OperationContext) -> None:
        """Record the failure, so that the job is not retried."""
        named = (self._job.name, _text(self.piece.key), self.piece.due)
        if not _failed_keys(moment.db, self._job) >= {named[1:]}:
            said = f"{type(error).__name__}: {error}"[:500]
            job, key, due = named
            moment.db.add(FailedWork(job=job, row_key=key, due=due, error=said, failed_at=moment.clock.iso()))


@cache
def _key_columns(table: type[Row]) -> tuple[Column[Any], ...]:
    """The columns of a table's key."""
    return tuple(table_of(table).columns[name] for name in table_of(table).key)


def _working(environment: LoadedEnvironment) -> list[Twin]:
    """Return the twins that have jobs, in the same order in every process."""
    return [twin for _, twin in sorted(environment.twins.items()) if twin.jobs]


def _firsts(twin: Twin, start: int, most: int, moment: OperationContext) -> list[list[DueItem]]:
    """Return the first due rows of each job, at most `most` of each."""
    failed = _all_failed(moment.db)
    jobs = enumerate(twin.jobs)
    return [_first(moment.db, twin.name, number, job, start, failed.get(job.name, set()), most) for number, job in jobs]


def _first(
    db: Store, twin: str, number: int, job: Job, start: int, failed: set[tuple[str, int]], most: int
) -> list[DueItem]:
    """Return the first due rows of a job, without those that failed."""
    key = _key_columns(job.table)
    rows = db.rows(
        job.table,
        job.column >= first_value(job.column, start),
        *job.where,
        order=(job.column, *key),
        limit=most + len(failed),
        columns=(job.column, job.actor or job.column, *key),
    )
    pieces: list[DueItem] = []
    for value, actor, *row_key in rows:
        due = instant_due(value)
        if due != NEVER and not (failed and (_text(row_key), due) in failed):
            pieces.append(DueItem(due, twin, number, tuple(row_key), (actor or "") if job.actor else ""))
    return pieces[:most]


def _failed_keys(db: Store, job: Job) -> set[tuple[str, int]]:
    """Return the keys and due times of a job's failed rows."""
    columns = (FailedWork.row_key, FailedWork.due)
    return {(key, due) for key, due in db.rows(FailedWork, FailedWork.job == job.name, columns=columns)}


def _all_failed(db: Store) -> dict[str, set[tuple[str, int]]]:
    """Return the keys and due times of failed rows, by job name."""
    by_job: dict[str, set[tuple[str, int]]] = {}
    for job, key, due in db.rows(FailedWork, columns=(FailedWork.job, FailedWork.row_key, FailedWork.due)):
        by_job.setdefault(job, set()).add((key, due))
    return by_job


def _count(twin: Twin, start: int, at: int, moment: OperationContext) -> int:
    return sum(
        moment.db.count(
            job.table,
            job.column >= first_value(job.column, start),
            job.column <= last_value(job.column, at),
            *job.where,
        )
        for job in twin.jobs
    )


def _text(key: Sequence[Any]) -> str:
    return msgspec.json.encode(key).decode()
