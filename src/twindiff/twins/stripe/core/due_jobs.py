"""Scheduled jobs of billing: renewals, trial ends, retries. Each job is a row with its due time.

The environment's clock runs jobs without a test clock. A test clock runs its own jobs as it advances.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from twindiff.kit import Call, Column, Operations, Row, column, written_once

api = Operations(prefix="/v1")

Run = Callable[[Call, str], None]

KINDS: dict[str, Run] = {}
"""Job functions by name; each takes the id of its object."""


class BillingWork(
    Row,
    table="billing_work",
    key=("object", "kind"),
    indexes=(("test_clock", "clock_due"),),
    visibility="bookkeeping",
):
    """A scheduled job.

    Under a test clock, its time is `clock_due` and `due` is None, so the environment's clock skips it.
    """

    object: Column[str]
    kind: Column[str]
    due: Column[int | None] = column(default=None)
    test_clock: Column[str | None] = column(default=None)
    clock_due: Column[int | None] = column(default=None)


def work(run: Run) -> Run:
    """Decorator that registers a job function under its name."""
    KINDS[run.__name__] = run
    return run


def schedule(call: Call, run: Run, object: str, at: int | None, test_clock: str | None) -> None:
    """Schedule a job of an object at a Unix timestamp, in place of its former time; None cancels it."""
    schedule_all(call, object, {run: at}, test_clock)


def schedule_all(call: Call, object: str, wanted: Mapping[Run, int | None], test_clock: str | None) -> None:
    """Schedule several jobs of an object; a time of None cancels the job."""
    waiting = {each.kind: each for each in _waiting(call, object)}
    for run, at in wanted.items():
        known = waiting.get(run.__name__)
        if known is None and at is not None:
            schedule_first(call, run, object, at, test_clock)
        elif known and at is None:
            call.db.remove(known)
        elif known and (known.due, known.clock_due) != _times(at, test_clock):
            due, clock_due = _times(at, test_clock)
            call.db.change(known, due=due, clock_due=clock_due)


def schedule_first(call: Call, run: Run, object: str, at: int, test_clock: str | None) -> None:
    """Schedule a job of an object that is known not to be scheduled yet; this saves a read."""
    due, clock_due = _times(at, test_clock)
    row = BillingWork(object=object, kind=run.__name__, due=due, test_clock=test_clock, clock_due=clock_due)
    call.db.add(row)


def _times(at: int | None, test_clock: str | None) -> tuple[int | None, int | None]:
    """Return the `due` and `clock_due` columns for a time."""
    return (None, at) if test_clock else (at, None)


def cancel_all(call: Call, object: str) -> None:
    """Cancel all jobs of an object."""
    for each in _waiting(call, object):
        call.db.remove(each)


def _waiting(call: Call, object: str) -> list[BillingWork]:
    """Return the scheduled jobs of an object, read once per operation."""
    return call.db.rows(BillingWork, BillingWork.object == object)


@api.due(BillingWork.due)
def bill(call: Call, row: BillingWork) -> None:
    """Run a due job as one unit of work."""
    with written_once(call):
        perform(call, row, row.due or 0)


def perform(call: Call, row: BillingWork, at: int) -> None:
    """Run a job at its time, then remove its row unless the job has rescheduled itself."""
    call.memo["now"] = at
    KINDS[row.kind](call, row.object)
    left = call.db.find(BillingWork, BillingWork.object == row.object, BillingWork.kind == row.kind)
    if left and (left.due, left.clock_due) == (row.due, row.clock_due):
        call.db.remove(left)
