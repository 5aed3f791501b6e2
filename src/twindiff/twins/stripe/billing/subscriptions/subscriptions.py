"""Subscriptions: operations on recurring purchases of a customer.

https://docs.stripe.com/api/subscriptions
"""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit import UNSET, Body, Call, Operations
from twindiff.twins.stripe.core.wire_style import StripeError

from ...catalog.discounts import create_discounts, record_deleted_discount
from ...catalog.prices import PRICES
from ...connect.destination_charges import check_subscription
from ...core.due_jobs import schedule
from ...core.objects import INCLUDES, Fields, now, object_id, refer, retrieve, show, show_all
from ...core.pagination import equal, list_object, list_of, to_range_conditions, to_reference_conditions
from ...core.params import Params, SearchParams, collect_params, is_set, merge_metadata, value_of
from ...core.periods import shift_time
from ...core.search import search_of
from ...core.test_clocks import ADVANCE_LIMITS, use_clock_time, within_clock
from ...metering.meters import USED
from ...payments.payment_methods import retrieve_attached_method
from ...tables.customer_tables import CUSTOMERS, Customer
from ...tax import automatic_tax
from ...tax.tax_rates import tax_rates_of
from ..invoices.invoices import check_types
from ..tables.subscription_tables import (
    ENDED,
    SUBSCRIPTIONS,
    Subscription,
    SubscriptionItem,
    record_subscription_update,
    state,
)
from . import billing_cycles, subscription_creation, subscription_updates
from .billing_thresholds import check_usage
from .pending_item_intervals import set_interval
from .pending_updates import check_pending_params, state_of
from .subscription_params import (
    CancelSubscription,
    CreateSubscription,
    ListSubscriptions,
    MigrateSubscription,
    PauseCollection,
    PaymentSettings,
    ResumeSubscription,
    SubscriptionParams,
    UpdateSubscription,
)

api = Operations(prefix="/v1/subscriptions")


@api.post("")
def create_subscription(call: Call, params: Annotated[CreateSubscription, Body]) -> Fields:
    """Create a subscription and request its first payment."""
    return _render_subscription(call, begin(call, params).id)


def begin(call: Call, params: CreateSubscription, *, as_draft: bool = False) -> Subscription:
    """Create a subscription; with `as_draft`, the first invoice is collected an hour later."""
    _check_new(params)
    customer = refer(call, CUSTOMERS, params.customer or "", "customer", status=404)
    use_clock_time(call, customer.test_clock)
    fields = common_fields(call, params, None, customer)
    made = subscription_creation.start(call, customer, params, fields, as_draft=as_draft)
    set_interval(call, made, params.pending_invoice_item_interval)
    return retrieve(call, SUBSCRIPTIONS, made.id)


SEARCHABLE = {
    "created": Subscription.created,
    "canceled_at": Subscription.canceled_at,
    "metadata": Subscription.metadata,
    "status": Subscription.status,
}


@api.get("/search")
def search_subscriptions(call: Call, params: Annotated[SearchParams, Body]) -> Fields:
    """Search subscriptions."""
    return search_of(call, SUBSCRIPTIONS, params, "/v1/subscriptions/search", SEARCHABLE)


@api.get("/{id}")
def retrieve_subscription(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a subscription, whether it has ended or not."""
    return _render_subscription(call, id)


@api.post("/{id}")
def update_subscription(call: Call, id: str, params: Annotated[UpdateSubscription, Body]) -> Fields:
    """Update a subscription, and bill the change of the current period."""
    row = retrieve(call, SUBSCRIPTIONS, id)
    use_clock_time(call, row.test_clock)
    _check_canceled(row, params)
    check_pending_params(call, params)
    before, former = state(call, row), state_of(call, id)
    customer = retrieve(call, CUSTOMERS, row.customer)
    fields = common_fields(call, params, row, customer)
    changed = call.db.change(row, **fields) if fields else row
    changed = subscription_updates.apply(call, changed, params, former)
    set_interval(call, changed, params.pending_invoice_item_interval)
    record_subscription_update(call, before)
    return _render_subscription(call, id)


@api.delete("/{id}")
def cancel_subscription(call: Call, id: str, params: Annotated[CancelSubscription, Body]) -> Fields:
    """Cancel a subscription immediately."""
    row = running(call, id)
    use_clock_time(call, row.test_clock)
    details = {
        **row.cancellation_details,
        "reason": "cancellation_requested",
        **_to_cancellation_details(params.cancellation_details),
    }
    row = call.db.change(row, cancellation_details=details)
    subscription_updates.cancel(call, row, prorate=params.prorate is True, invoice_now=params.invoice_now is True)
    return _render_subscription(call, id)


@api.post("/{id}/resume")
def resume_subscription(call: Call, id: str, params: Annotated[ResumeSubscription, Body]) -> Fields:
    """Resume a paused subscription; it is active once its invoice is paid."""
    row = running(call, id)
    use_clock_time(call, row.test_clock)
    if row.status != "paused":
        raise StripeError(subscription_updates.NOT_PAUSED)
    before = state(call, row)
    subscription_updates.resume(call, row)
    record_subscription_update(call, before)
    return _render_subscription(call, id)


@api.post("/{id}/migrate")
def migrate_subscription(call: Call, id: str, params: Annotated[MigrateSubscription, Body]) -> Fields:
    """Migrate a subscription to the flexible billing mode."""
    row = running(call, id)
    use_clock_time(call, row.test_clock)
    if row.billing_mode == "flexible":
        raise StripeError(f"The subscription {id} is in the billing mode `flexible` already.", param="billing_mode")
    before = state(call, row)
    call.db.change(row, billing_mode="flexible", migrated_at=now(call))
    record_subscription_update(call, before)
    return _render_subscription(call, id)


@api.delete("/{id}/discount")
def delete_discount(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Delete all discounts of a subscription."""
    row = running(call, id)
    if not row.discounts:
        raise StripeError(f"No active discount for subscription: {id}", status=404, code="resource_missing")
    before = state(call, row)
    call.db.change(row, discounts=[])
    gone = [record_deleted_discount(call, each) for each in row.discounts]
    record_subscription_update(call, before)
    return gone[0]


@api.get("")
def list_subscriptions(call: Call, params: Annotated[ListSubscriptions, Body]) -> Fields:
    """List subscriptions; ended ones are included on request only."""
    where = to_range_conditions(Subscription.created, params.created)
    where += to_reference_conditions(call, (Subscription.customer, params.customer, CUSTOMERS))
    where += within_clock(call, Subscription.test_clock, params.test_clock, customer=params.customer)
    where += equal((Subscription.collection_method, params.collection_method))
    if params.status is UNSET:
        where.append(Subscription.status != "canceled")
    elif params.status == "ended":
        where.append(Subscription.status.in_(ENDED))
    elif params.status != "all":
        where += equal((Subscription.status, params.status))
    of_items = to_reference_conditions(call, (SubscriptionItem.price, params.price, PRICES))
    of_items += equal((SubscriptionItem.price, params.plan))
    of_items += to_range_conditions(SubscriptionItem.current_period_end, params.current_period_end)
    of_items += to_range_conditions(SubscriptionItem.current_period_start, params.current_period_start)
    if of_items:
        rows = call.db.rows(SubscriptionItem, *of_items, columns=(SubscriptionItem.subscription,))
        where.append(Subscription.id.in_([id for (id,) in rows]))
    return list_of(call, SUBSCRIPTIONS, params, "/v1/subscriptions", *where)


def _of_customer(call: Call, customer: Fields) -> Fields:
    """Return the list of a customer's active subscriptions, for `expand`."""
    rows = call.db.rows(Subscription, Subscription.customer == customer["id"], order=-Subscription.seq)
    objects = show_all(call, SUBSCRIPTIONS, [row for row in rows if row.status not in ENDED])
    return list_object(objects, f"/v1/customers/{customer['id']}/subscriptions", total_count=len(objects))


INCLUDES["customer.subscriptions"] = _of_customer
USED.append(check_usage)


def running(call: Call, id: str) -> Subscription:
    """Return a subscription that has not ended; raises StripeError otherwise."""
    row = retrieve(call, SUBSCRIPTIONS, id)
    if row.status in ENDED:
        raise SUBSCRIPTIONS.missing(id)
    return row


def _render_subscription(call: Call, id: str) -> Fields:
    return show(call, SUBSCRIPTIONS, retrieve(call, SUBSCRIPTIONS, id))


def _check_new(params: CreateSubscription) -> None:
    if not is_set(params.customer):
        raise StripeError("Missing required param: customer.", code="parameter_missing", param="customer")
    if not isinstance(params.items, list) or not params.items:
        raise StripeError("Missing required param: items.", code="parameter_missing", param="items")
    if params.payment_behavior == "pending_if_incomplete":
        message = "Setting `payment_behavior` to `pending_if_incomplete` has no effect when creating a subscription."
        raise StripeError(message, param="payment_behavior")
    if params.trial_from_plan is True and (is_set(params.trial_end) or params.trial_period_days is not UNSET):
        raise StripeError("You cannot set `trial_end` or `trial_period_days` when `trial_from_plan=true`.")
    if is_set(params.trial_end) and params.trial_period_days is not UNSET:
        message = "You may only specify one of these parameters: trial_end, trial_period_days."
        raise StripeError(message, param="trial_end")


def _check_canceled(row: Subscription, params: UpdateSubscription) -> None:
    allowed = {"metadata", "cancellation_details", "expand"}
    given_names = {name for name in params.__struct_fields__ if getattr(params, name) is not UNSET}
    if row.status in ENDED and given_names - allowed:
        message = "A canceled subscription can only update its cancellation_details and metadata."
        raise StripeError(message, code="invalid_canceled_subscription_fields")


PLAIN = (
    "description", "days_until_due", "collection_method", "application_fee_percent", "on_behalf_of", "transfer_data",
)  # fmt: skip


def common_fields(call: Call, params: SubscriptionParams, row: Subscription | None, customer: Customer) -> Fields:
    """Return the columns that are set directly from parameters."""
    fields: Fields = {name: value for name, value in collect_params(params).items() if name in PLAIN}
    if transfer := fields.get("transfer_data"):
        fields["transfer_data"] = {"amount_percent": None, **transfer}
    _check_collection(params, row)
    check_subscription(call, params)
    if params.metadata is not UNSET:
        fields["metadata"] = merge_metadata(row.metadata if row else {}, params.metadata)
    if isinstance(params.default_payment_method, str):
        fields["default_payment_method"] = _method(call, params.default_payment_method, customer)
    if params.default_tax_rates is not UNSET:
        fields["default_tax_rates"] = tax_rates_of(call, params.default_tax_rates or [], "default_tax_rates")
    if params.discounts is not UNSET:
        fields |= _discounts(call, params, row, customer)
    if is_set(params.trial_settings):
        fields["trial_settings"] = value_of(params.trial_settings)["end_behavior"]
    if is_set(params.invoice_settings):
        fields["invoice_settings"] = {**(row.invoice_settings if row else {}), **value_of(params.invoice_settings)}
    if isinstance(params.payment_settings, PaymentSettings):
        check_types(params.payment_settings.payment_method_types)
        now_: Fields = row.payment_settings if row else {}
        fields["payment_settings"] = {**now_, **value_of(params.payment_settings)}
    if isinstance(params, UpdateSubscription):
        fields |= _updated_fields(call, params, row)
    return fields | _build_billing_columns(call, params, row, customer)


def _discounts(call: Call, params: SubscriptionParams, row: Subscription | None, customer: Customer) -> Fields:
    """Return the new discounts, and for a new subscription its id, which the discounts refer to."""
    id = row.id if row else object_id(call, "sub_")
    given_now = create_discounts(call, params.discounts, customer.id, subscription=id)
    for each in row.discounts if row else ():
        if each not in given_now:
            record_deleted_discount(call, each)
    return {"discounts": given_now} if row else {"discounts": given_now, "id": id}


def _build_billing_columns(
    call: Call, params: SubscriptionParams, row: Subscription | None, customer: Customer
) -> Fields:
    """Return the columns of thresholds and automatic tax; raises StripeError without a tax location."""
    fields = automatic_tax.to_automatic_tax_columns(call, params.automatic_tax)
    if params.billing_thresholds is not UNSET:
        fields["billing_thresholds"] = params.billing_thresholds.kept if params.billing_thresholds else None
    if fields.get("automatic_tax"):
        method = params.default_payment_method or (row.default_payment_method if row else None)
        automatic_tax.check_location(call, customer, method or None)
    return fields


def _updated_fields(call: Call, params: UpdateSubscription, row: Subscription | None) -> Fields:
    fields: Fields = {}
    if row and is_set(params.cancellation_details):
        fields["cancellation_details"] = {
            **row.cancellation_details,
            **_to_cancellation_details(params.cancellation_details),
        }
    if row and params.pause_collection is not UNSET:
        paused = params.pause_collection if isinstance(params.pause_collection, PauseCollection) else None
        until = paused.resumes_at if paused and isinstance(paused.resumes_at, int) else None
        schedule(call, billing_cycles.collect_again, row.id, until, row.test_clock)
        fields["pause_collection"] = {"behavior": paused.behavior, "resumes_at": until} if paused else None
    return fields


def _to_cancellation_details(details: Any) -> Fields:
    said: Fields = value_of(details) if is_set(details) else {}
    said.pop("feedback_option", None)
    return said


def _check_collection(params: SubscriptionParams, row: Subscription | None) -> None:
    method = params.collection_method or (row.collection_method if row else "charge_automatically")
    days = params.days_until_due if params.days_until_due is not UNSET else (row.days_until_due if row else None)
    if method == "send_invoice" and days is None:
        raise StripeError("If invoice collection method is 'send_invoice', you must specify 'days_until_due'.",
                          param="days_until_due")  # fmt: skip
    if method != "send_invoice" and isinstance(params.days_until_due, int):
        raise StripeError("You can only specify 'days_until_due' if invoice collection method is 'send_invoice'.")
    if isinstance(days, int) and not 0 <= days <= 365:
        raise StripeError("Invalid days_until_due: must be from 0 to 365.", param="days_until_due")


def _method(call: Call, id: str, customer: Customer) -> str | None:
    if not id:
        return None
    return retrieve_attached_method(call, id, customer.id, "default_payment_method").id


def _two_periods(call: Call, clock: str, at: int) -> int | None:
    """Return the end of two periods of the shortest subscription under a test clock, or None.

    https://docs.stripe.com/api/test_clocks/advance
    """
    rows = call.db.rows(Subscription, Subscription.test_clock == clock)
    going = [row.id for row in rows if row.status not in ENDED]
    items = call.db.rows(SubscriptionItem, SubscriptionItem.subscription.in_(going))
    every: list[Fields] = [price.recurring for price in billing_cycles.prices_of(call, items).values()]
    return min((shift_time(at, each["interval"], 2 * each["interval_count"]) for each in every), default=None)


ADVANCE_LIMITS.append(_two_periods)
