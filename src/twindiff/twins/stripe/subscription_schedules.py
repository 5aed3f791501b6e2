"""Subscription schedules: phases that a subscription goes through.

https://docs.stripe.com/api/subscription_schedules
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column
from twindiff.kit.styles.stripe import StripeError

from . import subscription_changes, subscriptions
from .billing_work import schedule, work
from .customers import CUSTOMERS
from .events import record_row, update
from .lists import equal, list_of, within
from .objects import Fields, StripeObject, find, new, now, refer, resource, retrieve, show, shown
from .params import (
    ListParams,
    OptBool,
    OptInteger,
    OptMetadata,
    OptRange,
    OptText,
    Params,
    Part,
    integer_or_word,
    merged_metadata,
    value_of,
)
from .periods import shifted
from .price_params import Interval
from .prices import PRICES, Price, plan_object
from .subscription_changes import Change
from .subscription_objects import ENDED, SUBSCRIPTIONS, Subscription, items_of, told
from .subscription_params import Behavior, CreateSubscription, ItemFields
from .subscription_wanted import Wanted
from .test_clocks import enter

api = Operations(prefix="/v1/subscription_schedules")

OVER = ("canceled", "completed", "released")


class SubscriptionSchedule(
    StripeObject,
    table="subscription_schedules",
    key=("id",),
    unique=(("seq",),),
    indexes=(("customer", "seq"), ("subscription",)),
):
    canceled_at: Column[int | None] = column(default=None)
    completed_at: Column[int | None] = column(default=None)
    current_phase: Column[Json] = column(default=None, derived=True)
    customer: Column[str]
    end_behavior: Column[str] = column(default="release")
    metadata: Column[Json] = column(default={})
    phases: Column[Json]
    released_at: Column[int | None] = column(default=None)
    released_subscription: Column[str | None] = column(default=None)
    status: Column[str]
    subscription: Column[str | None] = column(default=None)
    test_clock: Column[str | None] = column(default=None)


def _mode(row: SubscriptionSchedule) -> Fields:
    return {"type": "flexible", "flexible": {"proration_discounts": "included"}}


def _settings(row: SubscriptionSchedule) -> Fields:
    issuer = {"account_tax_ids": None, "days_until_due": None, "issuer": {"type": "self"}}
    return {
        "application_fee_percent": None,
        "billing_cycle_anchor": "automatic",
        "billing_thresholds": None,
        "collection_method": "charge_automatically",
        "default_payment_method": None,
        "description": None,
        "invoice_settings": {**issuer, "custom_fields": None, "description": None, "footer": None},
        "on_behalf_of": None,
        "transfer_data": None,
    }


schedule_object = shown(
    SubscriptionSchedule,
    "subscription_schedule",
    application=None,
    billing_mode=_mode,
    customer_account=None,
    default_settings=_settings,
)


def _fill(call: Call, objects: list[Fields]) -> None:
    """Put plans beside the prices of phases."""
    ids = {item["price"] for each in objects for phase in each["phases"] for item in phase["items"]}
    plans = {row.id: plan_object(row) for row in call.db.rows(Price, Price.id.in_(ids))}
    for each in objects:
        phases: list[Fields] = each["phases"]
        each["phases"] = [
            {**phase, "items": [{**item, "plan": plans[item["price"]]} for item in phase["items"]]} for phase in phases
        ]


SCHEDULES = resource(
    SubscriptionSchedule,
    "subscription_schedule",
    "sub_sched_",
    schedule_object,
    spoken="subscription schedule",
    param="schedule",
    expandable=("customer", "subscription", "test_clock", "released_subscription", "items.price"),
    fill=_fill,
)


class PhaseItem(Part, kw_only=True):
    """What a phase is for."""

    price: OptText = UNSET
    plan: OptText = UNSET
    quantity: OptInteger = UNSET
    metadata: dict[str, str] | UnsetType = UNSET


class Duration(Part):
    """How long a phase is."""

    interval: Interval
    interval_count: OptInteger = UNSET


class Phase(Part, kw_only=True):
    """A time in which a subscription stays the same."""

    items: list[PhaseItem]
    collection_method: Literal["charge_automatically", "send_invoice"] | UnsetType = UNSET
    description: OptText = UNSET
    duration: Duration | UnsetType = UNSET
    end_date: OptText = UNSET
    iterations: OptInteger = UNSET
    metadata: dict[str, str] | UnsetType = UNSET
    proration_behavior: Behavior | UnsetType = UNSET
    start_date: OptText = UNSET


class ScheduleParams(Params, kw_only=True):
    """What creating and updating have in common."""

    end_behavior: Literal["cancel", "release"] | UnsetType = UNSET
    metadata: OptMetadata = UNSET
    phases: list[Phase] | UnsetType = UNSET


class CreateSchedule(ScheduleParams, kw_only=True):
    """The parameters of a new schedule."""

    customer: OptText = UNSET
    customer_account: OptText = UNSET
    from_subscription: OptText = UNSET
    start_date: OptText = UNSET


class UpdateSchedule(ScheduleParams, kw_only=True):
    """The parameters of an update."""

    proration_behavior: Behavior | UnsetType = UNSET


class CancelSchedule(Params, kw_only=True):
    """The parameters of a cancellation."""

    invoice_now: OptBool = UNSET
    prorate: OptBool = UNSET


class ReleaseSchedule(Params):
    """The parameters of a release."""

    preserve_cancel_date: OptBool = UNSET


class ListSchedules(ListParams, kw_only=True):
    """The parameters of a list of schedules."""

    canceled_at: OptRange = UNSET
    completed_at: OptRange = UNSET
    created: OptRange = UNSET
    customer: OptText = UNSET
    customer_account: OptText = UNSET
    released_at: OptRange = UNSET
    scheduled: OptBool = UNSET


@api.post("")
def create_schedule(call: Call, params: Annotated[CreateSchedule, Body]) -> Fields:
    """Plan phases for a customer, or for a subscription that is there."""
    if isinstance(params.from_subscription, str) and params.from_subscription:
        return show(call, SCHEDULES, _from_subscription(call, params))
    if not isinstance(params.customer, str) or not params.customer:
        raise StripeError("Missing required param: customer.", code="parameter_missing", param="customer")
    customer = refer(call, CUSTOMERS, params.customer, "customer")
    enter(call, customer.test_clock)
    start = integer_or_word(params.start_date, "start_date", "now") if isinstance(params.start_date, str) else "now"
    begins = now(call) if start == "now" else int(start)
    made = new(
        call,
        SCHEDULES,
        customer=customer.id,
        test_clock=customer.test_clock,
        phases=_phases(call, params.phases, begins),
        end_behavior=params.end_behavior or "release",
        metadata=merged_metadata({}, params.metadata),
        status="not_started",
    )
    record_row(call, "subscription_schedule.created", SCHEDULES, made)
    _step(call, made, now(call))
    return show(call, SCHEDULES, retrieve(call, SCHEDULES, made.id))


@api.get("/{schedule}")
def retrieve_schedule(call: Call, schedule: str, params: Annotated[Params, Body]) -> Fields:
    """Look at a schedule."""
    return show(call, SCHEDULES, retrieve(call, SCHEDULES, schedule))


@api.post("/{schedule}")
def update_schedule(call: Call, schedule: str, params: Annotated[UpdateSchedule, Body]) -> Fields:
    """Plan other phases; those that have begun stay as they are unless they are given again."""
    row = _open(call, schedule, "updated")
    enter(call, row.test_clock)
    fields: Fields = {"metadata": merged_metadata(row.metadata, params.metadata)}
    if params.end_behavior is not UNSET:
        fields["end_behavior"] = params.end_behavior
    if isinstance(params.phases, list):
        fields["phases"] = _phases(call, params.phases, row.phases[0]["start_date"])
    changed = update(call, SCHEDULES, row, **fields)
    _step(call, changed, now(call))
    return show(call, SCHEDULES, retrieve(call, SCHEDULES, schedule))


@api.post("/{schedule}/cancel")
def cancel_schedule(call: Call, schedule: str, params: Annotated[CancelSchedule, Body]) -> Fields:
    """End a schedule, and its subscription with it."""
    row = _open(call, schedule, "canceled")
    enter(call, row.test_clock)
    owner = find(call, SUBSCRIPTIONS, row.subscription) if row.subscription else None
    canceled = _over(call, row, "canceled", "canceled_at")
    if owner and owner.status not in ENDED:
        wants = {"prorate": params.prorate is not False, "invoice_now": params.invoice_now is not False}
        subscription_changes.cancel(call, call.db.change(owner, schedule=None), **wants)
    return show(call, SCHEDULES, canceled)


@api.post("/{schedule}/release")
def release_schedule(call: Call, schedule: str, params: Annotated[ReleaseSchedule, Body]) -> Fields:
    """Leave a subscription as it is, without phases to come."""
    return show(call, SCHEDULES, _release(call, _open(call, schedule, "released")))


@api.get("")
def list_schedules(call: Call, params: Annotated[ListSchedules, Body]) -> Fields:
    """List schedules."""
    where = within(SubscriptionSchedule.created, params.created)
    where += equal((SubscriptionSchedule.customer, params.customer))
    if params.scheduled is True:
        where.append(SubscriptionSchedule.status == "not_started")
    return list_of(call, SCHEDULES, params, "/v1/subscription_schedules", *where)


def _open(call: Call, id: str, how: str) -> SubscriptionSchedule:
    row = retrieve(call, SCHEDULES, id)
    if row.status in OVER:
        message = (
            f"You cannot have a subscription schedule {how} that is currently in the `{row.status}` status. It must be "
            "`not_started` or `active`."
        )
        raise StripeError(message, code="resource_invalid_state")
    return row


def _from_subscription(call: Call, params: CreateSchedule) -> SubscriptionSchedule:
    """A schedule whose only phase is what a subscription is now."""
    owner = refer(call, SUBSCRIPTIONS, str(params.from_subscription), "from_subscription")
    enter(call, owner.test_clock)
    if params.phases is not UNSET:
        message = "You may only specify one of these parameters: from_subscription, phases."
        raise StripeError(message, param="phases")
    if owner.schedule:
        message = f"You cannot migrate a subscription that is already attached to a schedule: {owner.schedule}"
        raise StripeError(message, param="from_subscription")
    items = items_of(call, owner.id)
    start, end = items[0].current_period_start, items[0].current_period_end
    wanted = [_item(item.price, item.quantity, item.metadata) for item in items]
    made = new(
        call,
        SCHEDULES,
        customer=owner.customer,
        test_clock=owner.test_clock,
        subscription=owner.id,
        phases=[_phase_fields(wanted, start, end, owner.currency)],
        current_phase={"start_date": start, "end_date": end},
        status="active",
        metadata=merged_metadata({}, params.metadata),
    )
    call.db.change(owner, schedule=made.id)
    record_row(call, "subscription_schedule.created", SCHEDULES, made)
    schedule(call, next_phase, made.id, end, made.test_clock)
    return made


def _phases(call: Call, wanted: list[Phase] | UnsetType, start: int) -> list[Fields]:
    if not isinstance(wanted, list) or not wanted:
        raise StripeError("Missing required param: phases.", code="parameter_missing", param="phases")
    phases: list[Fields] = []
    for number, phase in enumerate(wanted):
        at = f"phases[{number}]"
        prices = [_price(call, item, f"{at}[items][{n}]") for n, item in enumerate(phase.items)]
        if not prices:
            raise StripeError("Each phase must have items.", param=f"{at}[items]")
        begins = _moment(phase.start_date, f"{at}[start_date]", start) or start
        end = _end(phase, begins, prices[0], at)
        items = [
            _item(price.id, item.quantity if isinstance(item.quantity, int) else 1, value_of(item.metadata or {}))
            for price, item in zip(prices, phase.items, strict=True)
        ]
        fields = _phase_fields(items, begins, end, prices[0].currency)
        behavior = phase.proration_behavior or "create_prorations"
        said = {"description": phase.description or None, "metadata": value_of(phase.metadata or {})}
        phases.append({**fields, **said, "proration_behavior": behavior})
        start = end
    return phases


def _price(call: Call, item: PhaseItem, at: str) -> Price:
    price = refer(call, PRICES, str(item.price or item.plan or ""), f"{at}[price]")
    if price.type != "recurring":
        message = (
            "The price specified is set to `type=one_time` but this field only accepts prices with `type=recurring`."
        )
        raise StripeError(message, param=f"{at}[price]")
    return price


def _moment(text: OptText, at: str, moment: int) -> int | None:
    if not isinstance(text, str) or not text:
        return None
    value = integer_or_word(text, at, "now")
    return moment if value == "now" else int(value)


def _end(phase: Phase, start: int, price: Price, at: str) -> int:
    end = _moment(phase.end_date, f"{at}[end_date]", start)
    if end is None and isinstance(phase.duration, Duration):
        count = phase.duration.interval_count if isinstance(phase.duration.interval_count, int) else 1
        end = shifted(start, phase.duration.interval, count)
    if end is None:
        turns = phase.iterations if isinstance(phase.iterations, int) else 1
        every: Fields = price.recurring
        end = shifted(start, every["interval"], every["interval_count"] * turns)
    if end <= start:
        raise StripeError("The end of a phase must be after its start.", param=f"{at}[end_date]")
    return end


def _item(price: str, quantity: int | None, metadata: Any) -> Fields:
    return {
        "billing_thresholds": None,
        "discounts": [],
        "metadata": metadata,
        "price": price,
        "quantity": 1 if quantity is None else quantity,
        "tax_rates": [],
    }


def _phase_fields(items: Sequence[Fields], start: int, end: int, currency: str) -> Fields:
    empty = (
        "application_fee_percent", "billing_cycle_anchor", "billing_thresholds", "collection_method",
        "default_payment_method", "description", "invoice_settings", "on_behalf_of", "transfer_data", "trial_end",
    )  # fmt: skip
    return {
        **dict.fromkeys(empty),
        "add_invoice_items": [],
        "currency": currency,
        "default_tax_rates": [],
        "discounts": [],
        "end_date": end,
        "items": list(items),
        "metadata": {},
        "proration_behavior": "create_prorations",
        "start_date": start,
    }


# Time


@work
def next_phase(call: Call, id: str) -> None:
    """Begin the phase whose time has come, or end the schedule."""
    row = find(call, SCHEDULES, id)
    if row and row.status not in OVER:
        _step(call, row, now(call))


def phase_over(call: Call, owner: Subscription, at: int) -> None:
    """Begin the next phase of a subscription's schedule before its renewal is billed, if its phase is over."""
    row = find(call, SCHEDULES, owner.schedule) if owner.schedule else None
    if row and row.status not in OVER and row.current_phase and row.current_phase["end_date"] <= at:
        _step(call, row, at)


def _step(call: Call, row: SubscriptionSchedule, at: int) -> None:
    """Be in the phase of a time."""
    phase = next((each for each in row.phases if each["start_date"] <= at < each["end_date"]), None)
    if phase is None and at >= row.phases[-1]["end_date"]:
        _finish(call, row)
        return
    if phase is None:
        schedule(call, next_phase, row.id, row.phases[0]["start_date"], row.test_clock)
        return
    current = {"start_date": phase["start_date"], "end_date": phase["end_date"]}
    schedule(call, next_phase, row.id, phase["end_date"], row.test_clock)
    if row.subscription is None:
        _begin(call, row, phase, current)
    elif row.current_phase != current:
        row = call.db.change(row, current_phase=current, status="active")
        _enter_phase(call, retrieve(call, SUBSCRIPTIONS, row.subscription or ""), phase, at)
        record_row(call, "subscription_schedule.updated", SCHEDULES, row)


def _begin(call: Call, row: SubscriptionSchedule, phase: Fields, current: Fields) -> None:
    wanted = [ItemFields(price=item["price"], quantity=item["quantity"]) for item in phase["items"]]
    made = subscriptions.create_subscription(call, CreateSubscription(customer=row.customer, items=wanted))
    call.db.change(retrieve(call, SUBSCRIPTIONS, made["id"]), schedule=row.id)
    begun = call.db.change(row, subscription=made["id"], current_phase=current, status="active")
    record_row(call, "subscription_schedule.updated", SCHEDULES, begun)


def _enter_phase(call: Call, owner: Subscription, phase: Fields, at: int) -> None:
    """Let a subscription be what a phase says; where its period ends too, nothing is prorated."""
    before = show(call, SUBSCRIPTIONS, owner)
    items = items_of(call, owner.id)
    prices = {item["price"]: retrieve(call, PRICES, item["price"]) for item in phase["items"]}
    wanted = [Wanted(prices[item["price"]], item["quantity"], {}) for item in phase["items"]]
    pairs = [*zip(items, wanted, strict=False)]
    changes = [Change(old, each) for old, each in pairs]
    changes += [Change(old, None) for old in items[len(pairs) :]] + [
        Change(None, each) for each in wanted[len(pairs) :]
    ]
    if all(item.current_period_end <= at for item in items):
        old = retrieve(call, PRICES, items[0].price).recurring
        if any(old[name] != wanted[0].price.recurring[name] for name in ("interval", "interval_count")):
            owner = call.db.change(owner, billing_cycle_anchor=at)
        subscription_changes.change_items(call, owner, changes, at, "none")
    else:
        subscription_changes.change_all(call, owner, changes, str(phase["proration_behavior"]), at)
    told(call, before, owner.id)


def _finish(call: Call, row: SubscriptionSchedule) -> None:
    if row.end_behavior == "release":
        _release(call, row)
        return
    owner = find(call, SUBSCRIPTIONS, row.subscription) if row.subscription else None
    _over(call, row, "completed", "completed_at")
    if owner and owner.status not in ENDED:
        subscription_changes.cancel(call, call.db.change(owner, schedule=None), prorate=False, invoice_now=False)


def _release(call: Call, row: SubscriptionSchedule) -> SubscriptionSchedule:
    owner = find(call, SUBSCRIPTIONS, row.subscription) if row.subscription else None
    if owner:
        call.db.change(owner, schedule=None)
    released = call.db.change(row, released_subscription=row.subscription, subscription=None)
    return _over(call, released, "released", "released_at")


def _over(call: Call, row: SubscriptionSchedule, status: str, at: str) -> SubscriptionSchedule:
    schedule(call, next_phase, row.id, None, row.test_clock)
    over = call.db.change(row, **{"status": status, at: now(call), "current_phase": None})
    record_row(call, f"subscription_schedule.{status}", SCHEDULES, over)
    return over


def subscription_ended(call: Call, owner: Subscription) -> None:
    """Let the schedule of a subscription end with it."""
    row = find(call, SCHEDULES, owner.schedule) if owner.schedule else None
    if row and row.status not in OVER:
        _over(call, row, "canceled", "canceled_at")
