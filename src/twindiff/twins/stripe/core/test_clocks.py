"""Test clocks: customers and subscriptions in simulated time, which advances on request.

https://docs.stripe.com/api/test_clocks
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, ClassVar

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, column
from twindiff.kit.rows import Expression
from twindiff.twins.stripe.core.wire_style import StripeError

from .due_jobs import BillingWork, perform
from .events import record
from .objects import Fields, StripeObject, build_view, find, new, refer, resource, retrieve
from .pagination import list_of, to_reference_conditions
from .params import Integer, ListParams, OptText, Params, collect_params

api = Operations(prefix="/v1/test_helpers/test_clocks")

DAY = 86400
MAX_ADVANCE_SECONDS = 2 * 366 * DAY
MAX_JOBS = 2000
"""Jobs that one advance may run."""


class TestClock(StripeObject, table="test_clocks", key=("id",), unique=(("seq",),)):
    __test__ = False
    deletes_after: Column[int]
    frozen_time: Column[int]
    name: Column[str | None] = column(default=None)
    status: Column[str] = column(default="ready")
    status_details: Column[Json] = column(default={})


test_clock_object = build_view(TestClock, "test_helpers.test_clock")
TEST_CLOCKS = resource(
    TestClock, "test_helpers.test_clock", "clock_", test_clock_object, spoken="test clock", param="test_clock"
)


class CreateTestClock(Params):
    """The parameters of a new test clock."""

    longest: ClassVar = {"name": 300}

    frozen_time: Integer
    name: OptText = UNSET


class Advance(Params):
    """The time to advance to."""

    frozen_time: Integer


@api.post("")
def create_test_clock(call: Call, params: Annotated[CreateTestClock, Body]) -> Fields:
    """Create a test clock, frozen at a time."""
    if params.frozen_time < 1:
        raise StripeError("Invalid timestamp: must be a positive number of seconds.", param="frozen_time")
    made = new(call, TEST_CLOCKS, **collect_params(params), deletes_after=call.clock.unix() + 30 * DAY)
    record(call, "test_helpers.test_clock.created", test_clock_object(made))
    return test_clock_object(made)


@api.get("/{test_clock}")
def retrieve_test_clock(call: Call, test_clock: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a test clock."""
    return test_clock_object(retrieve(call, TEST_CLOCKS, test_clock))


@api.get("")
def list_test_clocks(call: Call, params: Annotated[ListParams, Body]) -> Fields:
    """List test clocks."""
    return list_of(call, TEST_CLOCKS, params, "/v1/test_helpers/test_clocks")


def within_clock(call: Call, column: Column[Any], clock: Any, *, customer: Any = UNSET) -> list[Expression]:
    """Return the condition of a list by its test clock; objects of clocks are listed by clock or customer only."""
    if clock is UNSET and customer is UNSET:
        return [column == None]  # noqa: E711 - a condition on the column
    return to_reference_conditions(call, (column, clock, TEST_CLOCKS))


@api.post("/{test_clock}/advance")
def advance_test_clock(call: Call, test_clock: str, params: Annotated[Advance, Body]) -> Fields:
    """Advance a test clock and run its due jobs in order.

    As at Stripe, the response has the status `advancing`; a later request finds it `ready`.
    """
    clock = retrieve(call, TEST_CLOCKS, test_clock)
    target = params.frozen_time
    if target <= clock.frozen_time:
        message = "The `frozen_time` must be later than the test clock's current frozen time."
        raise StripeError(message, param="frozen_time")
    _check_distance(call, clock, target)
    advancing = {"advancing": {"target_frozen_time": target}}
    clock = call.db.change(clock, status="advancing", status_details=advancing)
    answer = test_clock_object(clock)
    record(call, "test_helpers.test_clock.advancing", answer)
    _work_until(call, clock, target)
    ready = call.db.change(clock, status="ready", status_details={}, frozen_time=target)
    call.memo.pop("now", None)
    record(call, "test_helpers.test_clock.ready", test_clock_object(ready))
    return answer


def _check_distance(call: Call, clock: TestClock, target: int) -> None:
    """Raise StripeError for a target beyond two periods of the shortest subscription, or two years without one."""
    if limits := [limit for each in ADVANCE_LIMITS if (limit := each(call, clock.id, clock.frozen_time)) is not None]:
        if target > min(limits):
            message = "A test clock cannot advance by more than two intervals of its shortest subscription at once."
            raise StripeError(message, param="frozen_time")
    elif target > clock.frozen_time + MAX_ADVANCE_SECONDS:
        raise StripeError("A test clock cannot advance by more than two years at once.", param="frozen_time")


def _work_until(call: Call, clock: TestClock, target: int) -> None:
    order = (BillingWork.clock_due, BillingWork.kind, BillingWork.object)
    mine = (BillingWork.test_clock == clock.id, BillingWork.clock_due <= target)
    for _ in range(MAX_JOBS):
        due = call.db.rows(BillingWork, *mine, order=order, limit=1)
        if not due:
            return
        perform(call, due[0], due[0].clock_due or 0)
    message = "The advance includes too many billing events; advance to an earlier time first."
    raise StripeError(message, param="frozen_time")


@api.delete("/{test_clock}")
def delete_test_clock(call: Call, test_clock: str, params: Annotated[Params, Body]) -> Fields:
    """Delete a test clock with its customers, and cancel their subscriptions."""
    clock = retrieve(call, TEST_CLOCKS, test_clock)
    use_clock_time(call, clock.id)
    for owned in ON_DELETE:
        owned(call, clock.id)
    for each in call.db.rows(BillingWork, BillingWork.test_clock == clock.id):
        call.db.remove(each)
    record(call, "test_helpers.test_clock.deleted", test_clock_object(clock))
    call.db.remove(clock)
    return {"id": clock.id, "object": "test_helpers.test_clock", "deleted": True}


ON_DELETE: list[Callable[[Call, str], None]] = []
"""Callbacks of other modules for a deleted clock; they take its id."""


ADVANCE_LIMITS: list[Callable[[Call, str, int], int | None]] = []
"""Functions of other modules that return the latest time a clock may advance to; they take its id and time."""


def use_clock_time(call: Call, id: str | None) -> None:
    """Use the time of a test clock for the current operation, unless a time is set already."""
    if id and "now" not in call.memo and (clock := find(call, TEST_CLOCKS, id)):
        call.memo["now"] = clock.frozen_time


def require_clock(call: Call, id: str) -> TestClock:
    """Return the test clock that a parameter refers to."""
    return refer(call, TEST_CLOCKS, id, "test_clock")
