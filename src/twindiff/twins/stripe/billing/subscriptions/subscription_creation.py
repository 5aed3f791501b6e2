"""Creation of subscriptions: items, the first invoice and its payment.

https://docs.stripe.com/billing/subscriptions/overview
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twindiff.kit import UNSET, Call
from twindiff.twins.stripe.core.wire_style import StripeError

from ...catalog.discounts import check_minimums
from ...catalog.prices import Price
from ...core.currencies import parse_currency
from ...core.events import record_row
from ...core.objects import Fields, new, now, retrieve
from ...core.params import or_none
from ...core.periods import DAY, MONTHS, check_trial_days, next_boundary, next_day, previous_boundary, shift_time
from ...payments.setup_intents import SUCCEEDED, CreateSetup, SetupIntent, create_setup_intent
from ...tables.customer_tables import Customer
from ..invoices import invoice_lifecycle
from ..tables import invoice_payments
from ..tables.invoice_tables import Invoice
from ..tables.subscription_tables import (
    SUBSCRIPTIONS,
    Subscription,
    SubscriptionItem,
    notify_subscriptions_changed,
    record_subscription_update,
    state,
)
from . import billing_cycles, prorations
from .requested_items import (
    RequestedItem,
    add_once,
    check_billing,
    check_items,
    moment,
    nest_param,
    new_item,
    raise_incomplete,
    resolve_new_item,
    set_end,
    trial_end_of,
)
from .subscription_params import AnchorConfig, BillingMode, CreateSubscription


def start(
    call: Call, customer: Customer, params: CreateSubscription, fields: Fields, *, as_draft: bool = False
) -> Subscription:
    """Create a subscription with its items and first invoice; `as_draft` leaves the invoice a draft for an hour."""
    wanted = [resolve_new_item(call, each, f"items[{n}]", customer.id) for n, each in enumerate(params.items or [])]
    prices = [each.price for each in wanted]
    currency = _currency(customer, params, wanted)
    trial_end = _trial_end(call, params, prices)
    check_anchor(call, params, prices, began=trial_end)
    anchor = _anchor(call, params, prices, trial_end)
    made = new(
        call,
        SUBSCRIPTIONS,
        customer=customer.id,
        currency=currency,
        test_clock=customer.test_clock,
        start_date=_start_date(call, params),
        billing_cycle_anchor=anchor,
        billing_cycle_anchor_config=anchor_config(params),
        billing_mode=params.billing_mode.type if isinstance(params.billing_mode, BillingMode) else "flexible",
        trial_end=trial_end,
        trial_start=now(call) if trial_end else None,
        status="trialing" if trial_end else "incomplete",
        **fields,
    )
    items = [_backdate_item(call, made, new_item(call, made, each, trial_end), each.price) for each in wanted]
    check_billing(call, made)
    check_minimums(call, made.discounts, sum(_full(each, currency) for each in wanted), currency)
    made = set_end(call, made, params, items)
    if _bills_nothing(made, items, params):
        made = call.db.change(made, status="active")
    else:
        made = _collect_payment(call, *_first_invoice(call, made, items, params), params, as_draft=as_draft)
    record_row(call, "customer.subscription.created", SUBSCRIPTIONS, made)
    call.memo.pop("starting", None)
    billing_cycles.set_times(call, made, items)
    notify_subscriptions_changed(call, customer.id)
    return made


def _full(wanted: RequestedItem, currency: str) -> int:
    """Return the amount of a requested item for a whole period; usage is not known yet."""
    return 0 if wanted.quantity is None else prorations.full_price(wanted.price, wanted.quantity, currency)


def _currency(customer: Customer, params: CreateSubscription, wanted: Sequence[RequestedItem]) -> str:
    """Return the currency of a new subscription; raises StripeError if a price or the customer has another one."""
    asked = parse_currency(params.currency) if isinstance(params.currency, str) and params.currency else None
    currency = asked or customer.currency or wanted[0].price.currency
    check_items([each.price.id for each in wanted], currency, wanted)
    if customer.currency and customer.currency != currency:
        raise StripeError(
            "You cannot combine currencies on a single customer. This customer has an active subscription, "
            f"subscription schedule, discount, quote, or invoice item with currency {customer.currency}."
        )
    return currency


def _bills_nothing(row: Subscription, items: Sequence[SubscriptionItem], params: CreateSubscription) -> bool:
    """Return whether a subscription ends within its first periods, which are not billed without prorations."""
    ends = row.cancel_at is not None and all(row.cancel_at < item.current_period_end for item in items)
    return ends and params.proration_behavior == "none" and not row.trial_end and not params.add_invoice_items


def _trial_end(call: Call, params: CreateSubscription, prices: Sequence[Price]) -> int | None:
    if isinstance(params.trial_end, str) and params.trial_end:
        end = trial_end_of(call, params.trial_end, "trial_end")
        return None if end == "now" else int(end)
    days: Any = params.trial_period_days
    if params.trial_from_plan is True:
        days = max((price.recurring["trial_period_days"] or 0 for price in prices), default=0)
    if isinstance(days, int):
        check_trial_days(days, "trial_period_days")
    return now(call) + days * DAY if isinstance(days, int) and days else None


def _start_date(call: Call, params: CreateSubscription) -> int:
    """Return the start of a subscription, now or backdated, as a Unix timestamp."""
    began = params.backdate_start_date
    if not isinstance(began, int):
        return now(call)
    if began > now(call):
        raise StripeError(
            "The parameter `backdate_start_date` expects a unix timestamp representing a date and time in the past. "
            f"You specified the value `{began}` which is in the future.",
            param="backdate_start_date",
        )
    return began


def _backdate_item(call: Call, row: Subscription, item: SubscriptionItem, price: Price) -> SubscriptionItem:
    """Start the current period of a backdated item before now, if the billing cycle anchor is in the future."""
    if row.start_date == now(call) or row.trial_end or row.billing_cycle_anchor <= now(call):
        return item
    every: Fields = price.recurring
    begun = previous_boundary(row.billing_cycle_anchor, now(call), every["interval"], every["interval_count"])
    begun = max(row.start_date, begun) if row.billing_mode == "flexible" else row.start_date
    return call.db.change(item, current_period_start=begun)


def _add_past(call: Call, invoice: Invoice, row: Subscription, item: SubscriptionItem, price: Price) -> None:
    """Bill an item for the time before its current period: period by period, or in classic mode at once.

    https://docs.stripe.com/billing/subscriptions/backdating
    """
    every: Fields = price.recurring
    unit, count = every["interval"], every["interval_count"]
    began, until = row.start_date, item.current_period_start
    while began < until:
        end, whole = until, shift_time(began, unit, count) - began
        if row.billing_mode == "flexible":
            end = min(next_boundary(row.billing_cycle_anchor, began, unit, count), until)
            whole = billing_cycles.whole_period(row.billing_cycle_anchor, began, price)
        billing_cycles.add_period(call, invoice, row, item, price, (began, end), whole=whole)
        began = end


def _anchor(call: Call, params: CreateSubscription, prices: Sequence[Price], trial_end: int | None) -> int:
    anchor: Any = params.billing_cycle_anchor
    if config := anchor_config(params):
        return next_day(trial_end or now(call), config)
    return anchor if isinstance(anchor, int) else trial_end or now(call)


def check_anchor(call: Call, params: Any, prices: Sequence[Price], at: str = "", *, began: int | None = None) -> None:
    """Raise StripeError for an anchor that is past or too late, or a day of month without monthly periods."""
    anchor: Any = params.billing_cycle_anchor
    short = [price for price in prices if price.recurring["interval"] not in MONTHS]
    if params.billing_cycle_anchor_config is not UNSET and short:
        message = "`billing_cycle_anchor_config` can only be used with prices whose interval is a month or a year."
        raise StripeError(message, param=nest_param(at, "billing_cycle_anchor_config"))
    anchor_config(params, at)
    if not isinstance(anchor, int):
        return
    moment(call, str(anchor), nest_param(at, "billing_cycle_anchor"))
    began = began or now(call)
    natural = min(shift_time(began, price.recurring["interval"], price.recurring["interval_count"]) for price in prices)
    if anchor > natural:
        message = f"billing_cycle_anchor cannot be later than next natural billing date ({natural}) for plan"
        raise StripeError(message, param=nest_param(at, "billing_cycle_anchor"))


def anchor_config(params: Any, at: str = "") -> dict[str, int | None] | None:
    """Return the requested `billing_cycle_anchor_config` by its date and time parts, or None."""
    config = params.billing_cycle_anchor_config
    if not isinstance(config, AnchorConfig):
        return None
    if params.billing_cycle_anchor is not UNSET:
        message = "You may only specify one of these parameters: billing_cycle_anchor, billing_cycle_anchor_config."
        raise StripeError(message, param=nest_param(at, "billing_cycle_anchor_config"))
    return {name: or_none(getattr(config, name)) for name in AnchorConfig.__struct_fields__}


def _first_invoice(
    call: Call, row: Subscription, items: Sequence[SubscriptionItem], params: CreateSubscription
) -> tuple[Subscription, Invoice]:
    call.memo["starting"] = row.id
    prices = billing_cycles.prices_of(call, items)
    invoice = billing_cycles.create_draft(call, row, "subscription_create", now(call), now(call))
    for item in items:
        price = prices[item.price]
        if billing_cycles.is_metered(price):
            continue
        period = (item.current_period_start, item.current_period_end)
        if params.proration_behavior != "none":
            _add_past(call, invoice, row, item, price)
        if row.trial_end:
            billing_cycles.add_period(call, invoice, row, item, price, period, trial=True)
        elif row.billing_cycle_anchor <= now(call):
            billing_cycles.add_period(call, invoice, row, item, price, period)
        elif params.proration_behavior != "none":
            whole = _whole(row, period[0], price)
            billing_cycles.add_period(call, invoice, row, item, price, period, whole=whole)
    add_once(call, row, params.add_invoice_items, invoice)
    row = call.db.change(row, latest_invoice=invoice.id)
    return row, invoice_lifecycle.publish_draft(call, invoice)


def _collect_payment(
    call: Call, row: Subscription, invoice: Invoice, params: CreateSubscription, *, as_draft: bool
) -> Subscription:
    """Collect the first invoice, unless it is sent or left as a draft."""
    sends = row.collection_method == "send_invoice"
    if not sends and not as_draft:
        _collect_first(call, row, invoice, str(params.payment_behavior or "allow_incomplete"))
        row = retrieve(call, SUBSCRIPTIONS, row.id)
    elif not row.trial_end:
        row = call.db.change(row, status="active")
    if row.trial_end and not sends and not billing_cycles.has_method(call, row):
        row = _set_up_later(call, row)
    return row


def _whole(row: Subscription, start: int, price: Price) -> int:
    """Return the length in seconds of the full period that a partial first period belongs to.

    In classic mode, the full period of a backdated subscription starts with it.
    """
    every: Fields = price.recurring
    if row.billing_mode == "classic" and start == row.start_date < row.created:
        return shift_time(start, every["interval"], every["interval_count"]) - start
    return billing_cycles.whole_period(row.billing_cycle_anchor, start, price)


def _set_up_later(call: Call, row: Subscription) -> Subscription:
    """Create the SetupIntent of a subscription in its trial, to collect a payment method."""
    wanted = CreateSetup(customer=row.customer, usage="off_session", allowed_payment_method_types=["card"])
    return call.db.change(row, pending_setup_intent=create_setup_intent(call, wanted)["id"])


def _was_set_up(call: Call, intent: SetupIntent) -> None:
    """Set the payment method of a subscription whose pending SetupIntent succeeded."""
    waits = Subscription.pending_setup_intent == intent.id
    row = call.db.find(Subscription, Subscription.customer == intent.customer, waits) if intent.customer else None
    if row is not None:
        before = state(call, row)
        call.db.change(row, pending_setup_intent=None, default_payment_method=intent.payment_method)
        record_subscription_update(call, before)


SUCCEEDED.append(_was_set_up)


def _collect_first(call: Call, row: Subscription, invoice: Invoice, behavior: str) -> None:
    """Collect the first invoice; on failure the subscription is incomplete, or its creation is rolled back."""
    if invoice.amount_due and behavior != "default_incomplete" and not billing_cycles.has_method(call, row):
        raise invoice_payments.no_method()
    final = invoice_lifecycle.finalize(call, invoice)
    if final.status == "paid":
        _activate_free(call, row)
        return
    if behavior == "default_incomplete":
        return
    intent, refused = invoice_lifecycle.first_attempt(call, final)
    if behavior == "error_if_incomplete":
        raise_incomplete(intent, refused)


def _activate_free(call: Call, row: Subscription) -> None:
    row = retrieve(call, SUBSCRIPTIONS, row.id)
    if row.status == "incomplete":
        call.db.change(row, status="active")
