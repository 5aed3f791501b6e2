"""Execution of one operation, from its work to the journal record of its changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from twindiff.kit.clock import Clock
from twindiff.storage import OperationContext, OperationInfo
from twindiff.storage.deadline import Limit

from .database import Database
from .live_environments import JournalPosition
from .records import StoredRecord
from .store import Counters

T = TypeVar("T")


def perform(
    env: str,
    position: JournalPosition,
    database: Database,
    info: OperationInfo,
    work: Callable[[OperationContext], T],
    moment: tuple[Clock, int],
    limit: Limit,
) -> tuple[T, StoredRecord | None]:
    """Run an operation in the open transaction; return its result, and its record unless it changed nothing.

    `moment` is the environment's clock and the wall clock. The record follows `position`; it is not written here.
    """
    (clock, wall), counters = moment, Counters(position.counters)
    result, changes, events = database.write(lambda store: work(OperationContext(store, clock)), limit, counters)
    if not changes:
        return result, None
    start, tables = (env, position.seq + 1, *info.to_tuple()), database.tables.by_name
    columns = {name: tables[name].packed_columns for name in dict.fromkeys([name for name, _, _, _ in changes])}
    return result, StoredRecord(*start, wall, clock.micros, counters.values, changes, None, events, columns)
