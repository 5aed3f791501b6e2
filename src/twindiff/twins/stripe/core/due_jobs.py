"""What billing does by itself: renewals, trials that end, retries; each is a row with the time it is due.

The environment's clock does what it holds; a test clock what is under it, as it advances.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from twindiff.kit import Call, Column, Operations, Row, column, written_once

api = Operations(prefix="/v1")

Run = Callable[[Call, str], None]

KINDS: dict[str, Run] = {}
"""What is done, by name; given the id of the object that it is done for."""


class BillingWork(
    Row,
    table="billing_work",
    key=("object", "kind"),
    indexes=(("test_clock", "clock_due"),),
    visibility="bookkeeping",
):
    """One piece of work; under a test clock its time is `clock_due`, and the environment's clock passes it by."""

    object: Column[str]
    kind: Column[str]
    due: Column[int | None] = column(default=None)
    test_clock: Column[str | None] = column(default=None)
    clock_due: Column[int | None] = column(default=None)


def work(run: Run) -> Run:
    """Declare a kind of work, by the name of its function."""
    KINDS[run.__name__] = run
    return run


def schedule(call: Call, run: Run, object: str, at: int | None, test_clock: str | None) -> None:
    """Have something done for an object at a time, instead of at the time that was set before; None is never."""
    schedule_all(call, object, {run: at}, test_clock)


def schedule_all(call: Call, object: str, wanted: Mapping[Run, int | None], test_clock: str | None) -> None:
    """Have several things done for an object, each at its time or never."""
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
    """Have something done for an object at a time, where it is known that it does not wait yet."""
    due, clock_due = _times(at, test_clock)
    row = BillingWork(object=object, kind=run.__name__, due=due, test_clock=test_clock, clock_due=clock_due)
    call.db.add(row)


def _times(at: int | None, test_clock: str | None) -> tuple[int | None, int | None]:
    """When work is due, and when it is by its test clock."""
    return (None, at) if test_clock else (at, None)


def cancel_all(call: Call, object: str) -> None:
    """Do nothing more for an object."""
    for each in _waiting(call, object):
        call.db.remove(each)


def _waiting(call: Call, object: str) -> list[BillingWork]:
    """What is to be done for an object, read once in an operation."""
    return call.db.rows(BillingWork, BillingWork.object == object)


@api.due(BillingWork.due)
def bill(call: Call, row: BillingWork) -> None:
    """Do a piece of work whose time has come."""
    with written_once(call):
        perform(call, row, row.due or 0)


def perform(call: Call, row: BillingWork, at: int) -> None:
    """Do a piece of work at its time; the row stays where that sets another time for it."""
    call.memo["now"] = at
    KINDS[row.kind](call, row.object)
    left = call.db.find(BillingWork, BillingWork.object == row.object, BillingWork.kind == row.kind)
    if left and (left.due, left.clock_due) == (row.due, row.clock_due):
        call.db.remove(left)
