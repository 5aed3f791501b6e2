"""Subscription schedules: operations, and the transitions between phases.

https://docs.stripe.com/api/subscription_schedules
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Annotated, Literal

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ...catalog.discounts import create_discounts
from ...catalog.prices import PRICES
from ...core.due_jobs import schedule, schedule_all, work
from ...core.events import PreviousRow, record_row, update
from ...core.objects import Fields, find, new, now, refer, retrieve, show
from ...core.pagination import list_of, to_range_conditions, to_reference_conditions
from ...core.params import (
    ListParams,
    OptBool,
    OptMetadata,
    OptName,
    OptRange,
    OptText,
    Params,
    is_set,
    merge_metadata,
    time_or_word,
)
from ...core.periods import DAY
from ...core.test_clocks import use_clock_time
from ...tables.customer_tables import CUSTOMERS
from ..tables.schedule_tables import SCHEDULES, SubscriptionSchedule
from ..tables.subscription_tables import (
    ENDED,
    ON_ENDED,
    ON_PERIOD_ENDED,
    SUBSCRIPTIONS,
    Subscription,
    items_of,
    record_subscription_update,
    state,
)
from . import billing_cycles, subscription_updates, subscriptions
from .requested_items import RequestedItem, add_once
from .schedule_phases import (
    Phase,
    PhaseSettings,
    accept_phase,
    check_location,
    discount_params,
    invoices_of,
    once_params,
    phase_fields,
    phase_item,
    phases_of,
    settings_of,
    subscription_params,
)
from .subscription_params import (
    Behavior,
    BillingMode,
    CreateSubscription,
    ItemFields,
    ItemThresholds,
    UpdateSubscription,
)
from .subscription_updates import ItemChange

api = Operations(prefix="/v1/subscription_schedules")

WEEK = 7 * DAY
OVER = ("canceled", "completed", "released")
DONE = {"cancel": "canceled", "release": "released", "update": "updated"}


class ScheduleParams(Params, kw_only=True):
    """Parameters shared by the create and update operations."""

    default_settings: PhaseSettings | UnsetType = UNSET
    end_behavior: Literal["cancel", "release"] | UnsetType = UNSET
    metadata: OptMetadata = UNSET
    phases: list[Phase] | UnsetType = UNSET


class CreateSchedule(ScheduleParams, kw_only=True):
    """The parameters of a new schedule."""

    customer: OptName = UNSET
    customer_account: OptText = UNSET
    from_subscription: OptName = UNSET
    billing_mode: BillingMode | UnsetType = UNSET
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
    customer: OptName = UNSET
    customer_account: OptText = UNSET
    released_at: OptRange = UNSET
    scheduled: OptBool = UNSET


@api.post("")
def create_schedule(call: Call, params: Annotated[CreateSchedule, Body]) -> Fields:
    """Create a schedule for a customer, or from an existing subscription."""
    if isinstance(params.from_subscription, str) and params.from_subscription:
        return show(call, SCHEDULES, _from_subscription(call, params))
    if not isinstance(params.customer, str) or not params.customer:
        raise StripeError("Missing required param: customer.", code="parameter_missing", param="customer")
    customer = refer(call, CUSTOMERS, params.customer, "customer")
    use_clock_time(call, customer.test_clock)
    start = time_or_word(params.start_date, "start_date", "now") if isinstance(params.start_date, str) else "now"
    begins = now(call) if start == "now" else int(start)
    made = new(
        call,
        SCHEDULES,
        customer=customer.id,
        test_clock=customer.test_clock,
        phases=phases_of(call, params.phases, begins, customer.currency),
        billing_mode=params.billing_mode.type if isinstance(params.billing_mode, BillingMode) else "flexible",
        default_settings=_given_settings(call, params),
        end_behavior=params.end_behavior or "release",
        metadata=merge_metadata({}, params.metadata),
        status="not_started",
    )
    check_location(call, customer, made.phases, made.default_settings)
    record_row(call, "subscription_schedule.created", SCHEDULES, made)
    _step(call, made, now(call))
    return show(call, SCHEDULES, retrieve(call, SCHEDULES, made.id))


@api.get("/{schedule}")
def retrieve_schedule(call: Call, schedule: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a schedule."""
    return show(call, SCHEDULES, retrieve(call, SCHEDULES, schedule))


@api.post("/{schedule}")
def update_schedule(call: Call, schedule: str, params: Annotated[UpdateSchedule, Body]) -> Fields:
    """Update a schedule; phases that have started stay the same unless they are given again."""
    row = _open(call, schedule, "update")
    use_clock_time(call, row.test_clock)
    fields: Fields = {"metadata": merge_metadata(row.metadata, params.metadata)}
    if params.end_behavior is not UNSET:
        fields["end_behavior"] = params.end_behavior
    if isinstance(params.phases, list):
        fields["phases"] = _other_phases(call, row, params.phases)
    if params.default_settings is not UNSET:
        fields["default_settings"] = {**row.default_settings, **_given_settings(call, params)}
    running = _phase_at(row, now(call))
    changed = update(call, SCHEDULES, row, **fields)
    behavior = params.proration_behavior or "create_prorations"
    _step(call, changed, now(call), again=behavior if _phase_at(changed, now(call)) != running else "")
    _set_end(call, retrieve(call, SCHEDULES, schedule), behavior)
    return show(call, SCHEDULES, retrieve(call, SCHEDULES, schedule))


def _set_end(call: Call, row: SubscriptionSchedule, behavior: str) -> None:
    """Let the subscription of a running schedule end with it, as its `end_behavior` says."""
    owner = find(call, SUBSCRIPTIONS, row.subscription) if row.subscription and row.status not in OVER else None
    end: int | None = row.phases[-1]["end_date"] if row.end_behavior == "cancel" else None
    if owner is None or owner.status in ENDED or owner.cancel_at == end:
        return
    before = state(call, owner)
    owner = call.db.change(owner, cancel_at=end, canceled_at=None if end is None else now(call))
    subscription_updates.prorate_end(call, owner, behavior)
    if behavior == "always_invoice":
        owner = subscription_updates.invoice_now(call, owner, "subscription_update", "allow_incomplete")
    billing_cycles.set_times(call, owner, items_of(call, owner.id))
    record_subscription_update(call, before)


def _other_phases(call: Call, row: SubscriptionSchedule, wanted: list[Phase]) -> list[Fields]:
    """Return the phases that replace the existing ones; the current one keeps its start."""
    if wanted and not any(is_set(phase.start_date) for phase in wanted):
        raise StripeError(
            "The subscription schedule update is missing at least one phase with a `start_date` to anchor end dates to."
        )
    phases = phases_of(call, wanted, now(call), row.phases[0]["currency"])
    if row.status == "active" and row.current_phase:
        running = next((each for each in phases if each["end_date"] > now(call)), None)
        if running and running["start_date"] != row.current_phase["start_date"]:
            raise StripeError("You can not modify the start date of the current phase.")
    return phases


@api.post("/{schedule}/cancel")
def cancel_schedule(call: Call, schedule: str, params: Annotated[CancelSchedule, Body]) -> Fields:
    """Cancel a schedule and its subscription."""
    row = _open(call, schedule, "cancel")
    use_clock_time(call, row.test_clock)
    owner = find(call, SUBSCRIPTIONS, row.subscription) if row.subscription else None
    canceled = _over(call, row, "canceled", "canceled_at")
    if owner and owner.status not in ENDED:
        wants = {"prorate": params.prorate is not False, "invoice_now": params.invoice_now is not False}
        subscription_updates.cancel(call, call.db.change(owner, schedule=None), **wants)
    return show(call, SCHEDULES, canceled)


@api.post("/{schedule}/release")
def release_schedule(call: Call, schedule: str, params: Annotated[ReleaseSchedule, Body]) -> Fields:
    """Release a subscription from its schedule; future phases are dropped."""
    row = _open(call, schedule, "release")
    use_clock_time(call, row.test_clock)
    return show(call, SCHEDULES, _release(call, row, preserve_end=params.preserve_cancel_date is True))


@api.get("")
def list_schedules(call: Call, params: Annotated[ListSchedules, Body]) -> Fields:
    """List schedules."""
    where = to_range_conditions(SubscriptionSchedule.created, params.created)
    where += to_reference_conditions(call, (SubscriptionSchedule.customer, params.customer, CUSTOMERS))
    where += to_range_conditions(SubscriptionSchedule.canceled_at, params.canceled_at)
    where += to_range_conditions(SubscriptionSchedule.completed_at, params.completed_at)
    where += to_range_conditions(SubscriptionSchedule.released_at, params.released_at)
    if params.scheduled is True:
        where.append(SubscriptionSchedule.status == "not_started")
    return list_of(call, SCHEDULES, params, "/v1/subscription_schedules", *where)


def _given_settings(call: Call, params: ScheduleParams) -> Fields:
    return settings_of(call, params.default_settings) if isinstance(params.default_settings, PhaseSettings) else {}


def _open(call: Call, id: str, how: str) -> SubscriptionSchedule:
    row = retrieve(call, SCHEDULES, id)
    if row.status in OVER:
        message = (
            f"You cannot {how} a subscription schedule that is currently in the `{row.status}` status. It must be in "
            f"`not_started, active` status to be {DONE[how]}."
        )
        raise StripeError(message)
    return row


def _from_subscription(call: Call, params: CreateSchedule) -> SubscriptionSchedule:
    """Create a schedule whose only phase is the current state of a subscription."""
    owner = refer(call, SUBSCRIPTIONS, str(params.from_subscription), "from_subscription")
    use_clock_time(call, owner.test_clock)
    for name in params.__struct_fields__:
        if name not in ("expand", "from_subscription") and is_set(getattr(params, name)):
            message = f"You may only specify one of these parameters: from_subscription, {name}."
            raise StripeError(message, param=name)
    if owner.schedule:
        message = f"You cannot migrate a subscription that is already attached to a schedule: {owner.schedule}"
        raise StripeError(message, param="from_subscription")
    items = items_of(call, owner.id)
    start, end = items[0].current_period_start, items[0].current_period_end
    wanted = [
        {
            **phase_item(item.price, item.quantity, item.metadata),
            "billing_thresholds": item.billing_thresholds,
            "discounts": _same(item.discounts),
            "tax_rates": item.tax_rates,
        }
        for item in items
    ]
    made = new(
        call,
        SCHEDULES,
        customer=owner.customer,
        test_clock=owner.test_clock,
        subscription=owner.id,
        phases=[{**phase_fields(wanted, start, end, owner.currency), **_copy_phase_settings(owner)}],
        billing_mode=owner.billing_mode,
        current_phase={"start_date": start, "end_date": end},
        default_settings=_settings_of(owner),
        status="active",
    )
    call.db.change(owner, schedule=made.id)
    record_row(call, "subscription_schedule.created", SCHEDULES, made)
    schedule(call, next_phase, made.id, end, made.test_clock)
    _schedule_expiry_notice(call, made)
    return made


def _copy_phase_settings(owner: Subscription) -> Fields:
    """Return the settings that the first phase copies from its subscription."""
    trial_end = owner.trial_end if owner.status == "trialing" else None
    return {"default_tax_rates": owner.default_tax_rates, "discounts": _same(owner.discounts), "trial_end": trial_end}


def _same(discounts: Sequence[str]) -> list[Fields]:
    """Return existing discounts in the form that phases have."""
    return [{"coupon": None, "discount": id, "promotion_code": None} for id in discounts]


def _settings_of(owner: Subscription) -> Fields:
    """Return the settings of a subscription that its later phases keep."""
    settings: Fields = {name: getattr(owner, name) for name in ("collection_method", "default_payment_method")}
    if owner.days_until_due is not None:
        settings["invoice_settings"] = invoices_of({"days_until_due": owner.days_until_due})
    return settings


# Transitions


@work
def next_phase(call: Call, id: str) -> None:
    """Scheduled job: start the phase that is due, or end the schedule."""
    row = find(call, SCHEDULES, id)
    if row and row.status not in OVER:
        _step(call, row, now(call))


@work
def expires_soon(call: Call, id: str) -> None:
    """Scheduled job: record that a schedule ends in a week."""
    row = find(call, SCHEDULES, id)
    if row and row.status not in OVER:
        record_row(call, "subscription_schedule.expiring", SCHEDULES, row)


def _handle_period_ended(call: Call, owner: Subscription, at: int) -> None:
    """Start the next phase of a subscription's schedule before its renewal is billed, if it is due."""
    row = find(call, SCHEDULES, owner.schedule) if owner.schedule else None
    if row and row.status not in OVER and row.current_phase and row.current_phase["end_date"] <= at:
        _step(call, row, at)


def _phase_at(row: SubscriptionSchedule, at: int) -> Fields | None:
    phases: list[Fields] = row.phases
    return next((each for each in phases if each["start_date"] <= at < each["end_date"]), None)


def _step(call: Call, row: SubscriptionSchedule, at: int, *, again: str = "") -> None:
    """Enter the phase of a time; `again` is the proration behavior if the current phase was changed while active."""
    phase = _phase_at(row, at)
    if phase is None and at >= row.phases[-1]["end_date"]:
        _finish(call, row)
        return
    if phase is None:
        schedule(call, next_phase, row.id, row.phases[0]["start_date"], row.test_clock)
        return
    current = {"start_date": phase["start_date"], "end_date": phase["end_date"]}
    schedule(call, next_phase, row.id, phase["end_date"], row.test_clock)
    _schedule_expiry_notice(call, row)
    if row.subscription is None:
        _begin(call, row, phase, current)
    elif row.current_phase != current or again:
        former, row = row, call.db.change(row, current_phase=current, status="active")
        owner = retrieve(call, SUBSCRIPTIONS, row.subscription or "")
        entered = {**phase, "proration_behavior": again} if again else phase
        _enter_phase(call, owner, entered, at, row.default_settings)
        if row != former:
            record_row(call, "subscription_schedule.updated", SCHEDULES, row, PreviousRow(former))


def _schedule_expiry_notice(call: Call, row: SubscriptionSchedule) -> None:
    """Schedule the notice a week before the end of a schedule, if that is in the future."""
    at: int = row.phases[-1]["end_date"] - WEEK
    schedule(call, expires_soon, row.id, at if at > now(call) else None, row.test_clock)


def _begin(call: Call, row: SubscriptionSchedule, phase: Fields, current: Fields) -> None:
    accept_phase(call, phase)
    items = [
        ItemFields(
            price=item["price"],
            quantity=UNSET if item["quantity"] is None else item["quantity"],
            billing_thresholds=ItemThresholds(**item["billing_thresholds"]) if item["billing_thresholds"] else UNSET,
            discounts=discount_params(item["discounts"]),
            metadata=item["metadata"],
            tax_rates=item["tax_rates"],
        )
        for item in phase["items"]
    ]
    wanted = subscription_params(call, phase, row.default_settings, row.customer)
    mode = BillingMode(type="classic" if row.billing_mode == "classic" else "flexible")
    ends = {"cancel_at": str(row.phases[-1]["end_date"])} if row.end_behavior == "cancel" else {}
    params = CreateSubscription(
        customer=row.customer, items=items, billing_mode=mode, add_invoice_items=once_params(phase), **ends, **wanted
    )
    made = subscriptions.begin(call, params, as_draft=True)
    call.db.change(made, schedule=row.id)
    update(call, SCHEDULES, row, subscription=made.id, current_phase=current, status="active")


def _enter_phase(call: Call, owner: Subscription, phase: Fields, at: int, settings: Fields) -> None:
    """Apply a phase to its subscription; nothing is prorated if the subscription's period ends as well."""
    before = state(call, owner)
    params = UpdateSubscription(**subscription_params(call, phase, settings, owner.customer))
    fields = subscriptions.common_fields(call, params, owner, retrieve(call, CUSTOMERS, owner.customer))
    owner = call.db.change(owner, **fields)
    items = items_of(call, owner.id)
    wanted = [_to_requested_item(call, item, owner.customer) for item in phase["items"]]
    changes = [ItemChange(old, each) for old, each in zip_longest(items, wanted)]
    if all(item.current_period_end <= at for item in items):
        old = retrieve(call, PRICES, items[0].price).recurring
        if any(old[name] != wanted[0].price.recurring[name] for name in ("interval", "interval_count")):
            owner = call.db.change(owner, billing_cycle_anchor=at)
        subscription_updates.change_items(call, owner, changes, at, "none")
    else:
        subscription_updates.change_all(call, owner, changes, str(phase["proration_behavior"]), at)
    _restart_subscription(call, retrieve(call, SUBSCRIPTIONS, owner.id), phase, params)
    record_subscription_update(call, before)


def _to_requested_item(call: Call, item: Fields, customer: str) -> RequestedItem:
    """Return an item of a phase as a requested subscription item."""
    discounts = create_discounts(call, discount_params(item["discounts"]), customer)
    kept = {name: item[name] for name in ("billing_thresholds", "metadata", "tax_rates")}
    fields: Fields = {"discounts": discounts, **kept}
    return RequestedItem(retrieve(call, PRICES, item["price"]), item["quantity"], fields)


def _restart_subscription(call: Call, owner: Subscription, phase: Fields, params: UpdateSubscription) -> None:
    """Start the trial or period of a phase, and invoice its one-time items."""
    accept_phase(call, phase)
    if params.trial_end is not UNSET:
        subscription_updates.apply(call, owner, UpdateSubscription(trial_end=params.trial_end))
    elif phase["billing_cycle_anchor"] == "phase_start" and owner.billing_cycle_anchor != now(call):
        behavior = phase["proration_behavior"]
        anew = UpdateSubscription(billing_cycle_anchor="now", proration_behavior=behavior)
        subscription_updates.apply(call, owner, anew)
    add_once(call, retrieve(call, SUBSCRIPTIONS, owner.id), once_params(phase), None)


def _finish(call: Call, row: SubscriptionSchedule) -> None:
    if row.end_behavior == "release":
        _release(call, row)
        return
    owner = find(call, SUBSCRIPTIONS, row.subscription) if row.subscription else None
    _over(call, row, "completed", "completed_at")
    if owner and owner.status not in ENDED:
        subscription_updates.cancel(call, call.db.change(owner, schedule=None), prorate=False, invoice_now=False)


def _release(call: Call, row: SubscriptionSchedule, *, preserve_end: bool = False) -> SubscriptionSchedule:
    owner = find(call, SUBSCRIPTIONS, row.subscription) if row.subscription else None
    if owner:
        kept: Fields = {} if preserve_end or row.end_behavior != "cancel" else {"cancel_at": None, "canceled_at": None}
        owner = call.db.change(owner, schedule=None, **kept)
        if kept:
            billing_cycles.set_times(call, owner, items_of(call, owner.id))
    released = call.db.change(row, released_subscription=row.subscription, subscription=None)
    return _over(call, released, "released", "released_at")


def _over(call: Call, row: SubscriptionSchedule, status: str, at: str, event: str = "") -> SubscriptionSchedule:
    schedule_all(call, row.id, {next_phase: None, expires_soon: None}, row.test_clock)
    over = call.db.change(row, **{"status": status, at: now(call), "current_phase": None})
    record_row(call, f"subscription_schedule.{event or status}", SCHEDULES, over)
    return over


def _handle_subscription_ended(call: Call, owner: Subscription) -> None:
    """End the schedule of an ended subscription; it is aborted if the subscription was unpaid."""
    row = find(call, SCHEDULES, owner.schedule) if owner.schedule else None
    if row and row.status not in OVER:
        if row.end_behavior == "cancel" and row.phases[-1]["end_date"] <= now(call):
            _over(call, row, "completed", "completed_at")
            return
        unpaid = owner.cancellation_details.get("reason") == "payment_failed"
        _over(call, row, "canceled", "canceled_at", "aborted" if unpaid else "")


ON_PERIOD_ENDED.append(_handle_period_ended)
ON_ENDED.append(_handle_subscription_ended)
