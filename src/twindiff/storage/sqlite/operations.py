"""One operation: from the rows that its work is given to the record of what it has changed."""

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
    intent: OperationInfo,
    work: Callable[[OperationContext], T],
    moment: tuple[Clock, int],
    limit: Limit,
) -> tuple[T, StoredRecord | None]:
    """Run an operation in the open transaction, at a time and the wall clock then; gives its record if it has written.

    The record comes after the position and is not in the journal yet.
    """
    (clock, wall), counters = moment, Counters(position.counters)
    result, changes, events = database.write(lambda store: work(OperationContext(store, clock)), limit, counters)
    if not changes:
        return result, None
    start, tables = (env, position.seq + 1, *intent.to_tuple()), database.tables.by_name
    columns = {name: tables[name].packed_columns for name in dict.fromkeys([name for name, _, _, _ in changes])}
    return result, StoredRecord(*start, wall, clock.micros, counters.values, changes, None, events, columns)
