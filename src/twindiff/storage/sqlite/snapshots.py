"""Execution of single operations with a time limit, or on a snapshot of the environment in any thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from twindiff.kit import throttling
from twindiff.kit.clock import Clock
from twindiff.storage import OperationContext, OperationInfo, deadline
from twindiff.storage.deadline import Limit, OffloadRequired, brief, whole

from .database import Database
from .live_environments import LiveEnvironment
from .operations import perform
from .pages import Undo
from .records import StoredRecord
from .table_sql import SqliteSchemaSql

T = TypeVar("T")


class SnapshotEngine(Protocol):
    """The operations of an engine that `TimeLimitedEngine` needs."""

    def read(
        self, env: str, twin: str, work: Callable[[OperationContext], T], *, at: int | None, limit: Limit
    ) -> T: ...
    def write(
        self, env: str, info: OperationInfo, work: Callable[[OperationContext], T], *, at: int | None, limit: Limit
    ) -> tuple[T, int | None]: ...


class TimeLimitedEngine:
    """An engine's operations with the time limit of the event loop; both raise OffloadRequired."""

    def __init__(self, engine: SnapshotEngine) -> None:
        self._engine = engine

    def read(self, env: str, twin: str, work: Callable[[OperationContext], T], *, at: int | None = None) -> T:
        """Run work that cannot write."""
        return self._engine.read(env, twin, _ended_in_time(work), at=at, limit=brief)

    def write(
        self, env: str, info: OperationInfo, work: Callable[[OperationContext], T], *, at: int | None = None
    ) -> tuple[T, int | None]:
        """Run work in one transaction."""
        return self._engine.write(env, info, _ended_in_time(work), at=at, limit=brief)


def _ended_in_time(work: Callable[[OperationContext], T]) -> Callable[[OperationContext], T]:
    """Apply the time limit between statements too, wherever work calls `yield_processor`."""

    def run(moment: OperationContext) -> T:
        with throttling.CpuBudget(deadline.BRIEF_SECONDS, OffloadRequired):
            return work(moment)

    return run


class WorkingCopy:
    """A copy of one twin of an environment, for one operation at a fixed time; as cheap as a fork.

    Writes have no effect on the environment until the engine commits them with `take_over`.
    """

    def __init__(self, live: LiveEnvironment, twin: str, tables: SqliteSchemaSql, clock: Clock, wall: int) -> None:
        self.env = live.env
        self.twin = twin
        self.position = live.position
        self.pages = live.pages[twin].copy()
        self.record: StoredRecord | None = None
        """The record of the operation, if it changed rows."""
        self.undo = Undo(self.pages.count)
        self._tables = tables
        self._clock = clock
        self._wall = wall

    def read(self, env: str, twin: str, work: Callable[[OperationContext], T], *, at: int | None = None) -> T:
        """Run work that cannot write."""
        database = Database(self._tables, self.pages)
        try:
            return database.read(lambda store: work(OperationContext(store, self._clock)), whole)
        finally:
            database.close()

    def write(
        self,
        env: str,
        info: OperationInfo,
        work: Callable[[OperationContext], T],
        *,
        at: int | None = None,
        limit: Limit = whole,
    ) -> tuple[T, int | None]:
        """Run work that may write; return its result and the seq it will have after `take_over`, or None."""
        database = Database(self._tables, self.pages)
        try:
            return self._write(database, info, work, limit)
        finally:
            database.close()

    def _write(
        self, database: Database, info: OperationInfo, work: Callable[[OperationContext], T], limit: Limit
    ) -> tuple[T, int | None]:
        moment = (self._clock, self._wall)
        with database.undoable():
            result, record = perform(self.env, self.position, database, info, work, moment, limit)
            if record is None:
                database.take_back()
                return result, None
            database.commit()
        self.record, self.undo = record, database.undo
        return result, record.seq
