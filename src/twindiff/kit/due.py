"""Work that falls due: what a twin does by itself when the environment's clock reaches the time that a row names.

A job is declared beside the table that holds its rows:

    @api.due(ScheduledMessage.post_at, actor=ScheduledMessage.user_id)
    def post_scheduled(call: Call, row: ScheduledMessage) -> None:
        ...

It runs once for each row, at that row's time, as an operation of its own, and must leave the row no longer due: remove
it, move its time on, or change it so that what the job asks of its rows (`where`) no longer holds. A time of NULL or 0
means never, and so does one from before the environment began.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple

from .call import Call
from .clock import LAST_INSTANT, SECOND, Clock, micros_of
from .rows import Column, Expression, Row, Timestamp

NEVER = 2**62
"""The time of what does not fall due, in microseconds since 1970."""

Run = Callable[[Call, Any], None]


class Job(NamedTuple):
    """What is done for each row of a table for which `where` holds when a time in it has come.

    `actor` holds who does it.
    """

    name: str
    column: Column[Any]
    actor: Column[Any] | None
    where: tuple[Expression, ...]
    run: Run

    @property
    def table(self) -> type[Row]:
        return self.column.table


class FailedWork(Row, table="failed_work", key=("job", "row_key", "due"), visibility="bookkeeping"):
    """A piece of work that failed and is not tried again; `due` is in microseconds since 1970."""

    job: Column[str]
    row_key: Column[str]
    due: Column[int]
    error: Column[str]
    failed_at: Column[Timestamp]


def instant_due(value: str | float | None) -> int:
    """Microseconds since 1970 of a time in a row: naive ISO text in UTC, or seconds since 1970; NEVER for none."""
    if not value:
        return NEVER
    micros = micros_of(datetime.fromisoformat(value)) if isinstance(value, str) else round(value * SECOND)
    return micros if 0 < micros <= LAST_INSTANT else NEVER


def first_value(column: Column[Any], start: int) -> str | float:
    """The earliest time that a column can hold and fall due in an environment whose clock began at `start`."""
    start = max(start, 1)
    if column.kind == "timestamp":
        return Clock(start).iso()
    return start / SECOND if column.kind == "float" else -(-start // SECOND)


def last_value(column: Column[Any], at: int) -> str | float:
    """The latest time that a column can hold and be due by an instant."""
    if column.kind == "timestamp":
        return Clock(at).iso()
    return at / SECOND if column.kind == "float" else at // SECOND
