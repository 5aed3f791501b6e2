"""What billing does by itself: renewals, trials that end, retries; each is a row with the time it is due.

The environment's clock does what it holds; a test clock what is under it, as it advances.
"""

from __future__ import annotations

from collections.abc import Callable

from twindiff.kit import Call, Column, Operations, Row, column, written_once

api = Operations(prefix="/v1")

Run = Callable[[Call, str], None]

KINDS: dict[str, Run] = {}
"""What is done, by name; given the id of the object that it is done for."""


class BillingWork(
    Row,
    table="billing_work",
    key=("object", "kind"),
    indexes=(("due",), ("test_clock", "clock_due")),
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
    kind = run.__name__
    known = next((each for each in _waiting(call, object) if each.kind == kind), None)
    times = _times(at, test_clock)
    if known and at is None:
        call.db.remove(known)
    elif known and (known.due, known.clock_due) != (times["due"], times["clock_due"]):
        call.db.change(known, **times)
    elif known is None and at is not None:
        schedule_first(call, run, object, at, test_clock)


def schedule_first(call: Call, run: Run, object: str, at: int, test_clock: str | None) -> None:
    """Have something done for an object at a time, where it is known that it does not wait yet."""
    call.db.add(BillingWork(object=object, kind=run.__name__, test_clock=test_clock, **_times(at, test_clock)))


def _times(at: int | None, test_clock: str | None) -> dict[str, int | None]:
    return {"due": None, "clock_due": at} if test_clock else {"due": at, "clock_due": None}


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
    """Do a piece of work at its time."""
    call.memo["now"] = at
    call.db.remove(row)
    KINDS[row.kind](call, row.object)
