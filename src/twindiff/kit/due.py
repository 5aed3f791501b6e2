"""Due jobs: what a twin does by itself when the environment's clock reaches a time in a row.

Declare a job beside the table with its rows:

    @api.due(ScheduledMessage.post_at, actor=ScheduledMessage.user_id)
    def post_scheduled(call: Call, row: ScheduledMessage) -> None:
        ...

The job runs once for each row, at the row's time, as an operation of its own. It must leave the row no longer due:
remove it, advance its time, or change it so that the job's conditions (`where`) no longer hold. A time of NULL or 0
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
"""The due time of a row that is never due, in microseconds since 1970."""

Run = Callable[[Call, Any], None]


class Job(NamedTuple):
    """A job: `run(call, row)` for each row that matches `where`, at the time in `column`.

    `actor` is the column with the id of the user that the job acts as.
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
    """A run of a job that failed and is not retried; `due` is in microseconds since 1970."""

    job: Column[str]
    row_key: Column[str]
    due: Column[int]
    error: Column[str]
    failed_at: Column[Timestamp]


def instant_due(value: str | float | None) -> int:
    """Convert a time in a row, naive ISO text in UTC or seconds since 1970, to microseconds since 1970.

    Returns NEVER for NULL, 0 and times outside 1970 to 2286.
    """
    if not value:
        return NEVER
    micros = micros_of(datetime.fromisoformat(value)) if isinstance(value, str) else round(value * SECOND)
    return micros if 0 < micros <= LAST_INSTANT else NEVER


def first_value(column: Column[Any], start: int) -> str | float:
    """The earliest value of a column that is due in an environment whose clock began at `start` (in microseconds)."""
    start = max(start, 1)
    if column.kind == "timestamp":
        return Clock(start).iso()
    return start / SECOND if column.kind == "float" else -(-start // SECOND)


def last_value(column: Column[Any], at: int) -> str | float:
    """The latest value of a column that is due at `at`, in microseconds since 1970."""
    if column.kind == "timestamp":
        return Clock(at).iso()
    return at / SECOND if column.kind == "float" else at // SECOND
