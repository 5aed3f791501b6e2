"""Billing cycles of subscriptions: periods are billed, trials end, and payments determine the status.

https://docs.stripe.com/billing/subscriptions/overview
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from twindiff.kit import Call

from ...catalog.price_calculation import bands, prorate_amount, unit_price
from ...catalog.prices import Price
from ...core.due_jobs import cancel_all, schedule, schedule_all, work
from ...core.events import record_row
from ...core.objects import Fields, find, new, now, retrieve
from ...core.periods import DAY, next_boundary, previous_boundary
from ...core.test_clocks import ON_DELETE
from ...customer import customers
from ...metering.meters import METERS, usage
from ...tables.customer_tables import CUSTOMERS, Customer
from ...tables.payment_intent_tables import PAYMENTS
from ..invoices import invoice_lifecycle
from ..invoices.invoice_lifecycle import ON_INVOICE_PAID, ON_INVOICE_VOIDED, ON_PAYMENT_FAILED
from ..tables.invoice_line_items import LINE_ITEMS, LineItem
from ..tables.invoice_tables import INVOICES, Invoice, build_pricing, make_invoice
from ..tables.subscription_tables import (
    ENDED,
    ON_ENDED,
    ON_PERIOD_ENDED,
    SUBSCRIPTIONS,
    Subscription,
    SubscriptionItem,
    invoice_defaults,
    items_of,
    notify_subscriptions_changed,
    record_subscription_update,
    state,
)
from . import prorations
from .line_descriptions import describe_period, format_interval, format_rate, product_name, tier_lines
from .pending_updates import apply_pending_update

HOUR = 3600
INCOMPLETE = 23 * HOUR
"""Seconds until an unpaid first invoice, or an unpaid pending update, expires."""
TRIAL_NOTICE = 3 * DAY


def prices_of(call: Call, items: Sequence[SubscriptionItem]) -> dict[str, Price]:
    """Return the prices of items, by id."""
    ids = {item.price for item in items}
    return {row.id: row for row in call.db.rows(Price, Price.id.in_(ids))}


def create_draft(call: Call, row: Subscription, reason: str, start: int, end: int) -> Invoice:
    """Create a draft without lines for a subscription."""
    customer = retrieve(call, CUSTOMERS, row.customer)
    due = now(call) + (row.days_until_due or 0) * DAY if row.collection_method == "send_invoice" else None
    fields = invoice_defaults(row)
    return make_invoice(
        call,
        customer,
        **fields,
        auto_advance=True,
        billing_reason=reason,
        due_date=due,
        period_start=start,
        period_end=end,
    )


def add_period(
    call: Call,
    invoice: Invoice,
    row: Subscription,
    item: SubscriptionItem,
    price: Price,
    period: tuple[int, int],
    *,
    whole: int | None = None,
    trial: bool = False,
) -> None:
    """Bill an item for a period in advance.

    `whole` is the length of a full period in seconds, given if this period is shorter. A period in which the
    subscription ends is billed up to that end.
    """
    start, end = period
    if not trial and row.cancel_at is not None and start < row.cancel_at < end:
        whole = whole or end - start
        end = row.cancel_at
        period = (start, end)
    full = prorations.full_price(price, item.quantity, row.currency)
    if trial or not price.tiers:
        amount = 0 if trial else prorate_amount(full, end - start, whole) if whole else full
        text = describe_period(call, row, item, price, trial=trial)
        lines = [_line(call, invoice, row, item, price, amount, period, text)]
    else:
        quantity = Decimal(1 if item.quantity is None else item.quantity)
        lines = _tiers(call, invoice, row, item, price, period, quantity, end - start if whole else 0, whole or 0)
    if not trial:
        net = prorations.apply_percent_discounts(call, row, item, full)
        source = {"invoice": invoice.id, "line": lines[0].id}
        billed = prorations.build_billed_record(item, price, net, period, whole or end - start, **source)
        if lines[1:]:
            billed["lines"] = [line.id for line in lines]
        call.db.change(item, billed=billed)


def add_usage(
    call: Call, invoice: Invoice, row: Subscription, item: SubscriptionItem, price: Price, period: tuple[int, int]
) -> None:
    """Bill the usage of an item in a past period, less what thresholds have billed of it."""
    meter = retrieve(call, METERS, price.meter or "")
    quantity = usage(call, meter, row.customer, *period)
    billed: Fields | None = item.used if item.used and item.used["start"] == period[0] else None
    if price.tiers and not billed:
        _tiers(call, invoice, row, item, price, period, max(quantity, Decimal(0)))
        return
    amount = unit_price(prorations.amounts_in(price, row.currency), max(quantity, Decimal(0)))
    if billed:
        amount, quantity = amount - billed["amount"], quantity - Decimal(billed["quantity"])
    text = f"{quantity.normalize():f} \N{MULTIPLICATION SIGN} {product_name(call, price)} {format_rate(row, price)}"
    _line(call, invoice, row, item, price, amount, period, text, quantity)


def _tiers(
    call: Call,
    invoice: Invoice,
    row: Subscription,
    item: SubscriptionItem,
    price: Price,
    period: tuple[int, int],
    quantity: Decimal,
    left: int = 0,
    whole: int = 0,
) -> list[LineItem]:
    """Add a line for each tier that a quantity reaches; the first tier is the newest line."""
    reached = bands(prorations.amounts_in(price, row.currency), quantity)
    lines = [
        _line(call, invoice, row, item, price, each.amount, period, each.description, each.quantity, each.unit)
        for each in tier_lines(
            reached,
            product_name(call, price),
            row.currency,
            format_interval(price),
            lambda full: prorate_amount(full, left, whole),
        )
    ]
    return lines[::-1]


def _line(
    call: Call,
    invoice: Invoice,
    row: Subscription,
    item: SubscriptionItem,
    price: Price,
    amount: int,
    period: tuple[int, int],
    text: str,
    quantity: Decimal | None = None,
    unit: str = "",
) -> LineItem:
    number = Decimal(1 if item.quantity is None else item.quantity) if quantity is None else quantity
    details = {
        "invoice_item": None,
        "proration": False,
        "proration_details": {"credited_items": None},
        "subscription": row.id,
        "subscription_item": item.id,
    }
    return new(
        call,
        LINE_ITEMS,
        invoice=invoice.id,
        amount=amount,
        currency=row.currency,
        description=text,
        discounts=item.discounts,
        metadata=row.metadata,
        parent={"type": "subscription_item_details", "subscription_item_details": details},
        period={"start": period[0], "end": period[1]},
        pricing=build_pricing(price, unit or prorations.amounts_in(price, row.currency)["unit_amount_decimal"]),
        quantity=int(number),
        quantity_decimal=f"{number.normalize():f}",
        subscription=row.id,
        tax_rates=item.tax_rates,
        subscription_item=item.id,
        product=price.product,
    )


def is_metered(price: Price) -> bool:
    """Return whether a price is billed by usage, in arrears."""
    return price.usage_type == "metered"


# Schedule


def set_times(call: Call, row: Subscription, items: Sequence[SubscriptionItem]) -> None:
    """Schedule the next renewal: the earliest end of a period, or the cancellation of the subscription."""
    ends = [item.current_period_end for item in items]
    if row.cancel_at is not None:
        ends.append(row.cancel_at)
    goes_on = row.status in ("active", "trialing", "past_due", "unpaid") and bool(ends)
    notice = (row.trial_end or 0) - TRIAL_NOTICE if row.status == "trialing" else 0
    times = {
        renew: min(ends) if goes_on else None,
        trial_will_end: notice if notice > now(call) else None,
        expire_incomplete: row.created + INCOMPLETE if row.status == "incomplete" else None,
    }
    schedule_all(call, row.id, times, row.test_clock)


@work
def trial_will_end(call: Call, id: str) -> None:
    """Scheduled job: record `customer.subscription.trial_will_end` three days before a trial ends."""
    row = find(call, SUBSCRIPTIONS, id)
    if row and row.status == "trialing":
        record_row(call, "customer.subscription.trial_will_end", SUBSCRIPTIONS, row)


@work
def expire_incomplete(call: Call, id: str) -> None:
    """Scheduled job: expire a subscription whose first payment was not made in time."""
    row = find(call, SUBSCRIPTIONS, id)
    if row is None or row.status != "incomplete":
        return
    before = state(call, row)
    cancel_all(call, id)
    call.db.change(row, status="incomplete_expired", ended_at=now(call))
    record_subscription_update(call, before)
    invoice = find(call, INVOICES, row.latest_invoice or "")
    if invoice and invoice.status == "open":
        invoice_lifecycle.void(call, invoice)


@work
def expire_update(call: Call, id: str) -> None:
    """Scheduled job: discard a pending update that was not paid in time."""
    row = find(call, SUBSCRIPTIONS, id)
    if row is None or not row.pending_update:
        return
    changed = call.db.change(row, pending_update=None, put_off=None)
    record_row(call, "customer.subscription.pending_update_expired", SUBSCRIPTIONS, changed)
    invoice = find(call, INVOICES, row.latest_invoice or "")
    if invoice and invoice.status == "open":
        invoice_lifecycle.void(call, invoice)


@work
def collect_again(call: Call, id: str) -> None:
    """Scheduled job: resume the collection of a paused subscription."""
    row = find(call, SUBSCRIPTIONS, id)
    if row and row.pause_collection:
        before = state(call, row)
        call.db.change(row, pause_collection=None)
        record_subscription_update(call, before)


@work
def renew(call: Call, id: str) -> None:
    """Scheduled job: bill the periods that end and begin, or end a subscription that is due to end."""
    row = find(call, SUBSCRIPTIONS, id)
    if row is None or row.status in ENDED:
        return
    before = state(call, row)
    at = now(call)
    if row.cancel_at is not None and row.cancel_at <= at:
        _bill_usage(call, row, at)
        end(call, row)
        return
    if row.status == "trialing" and not _trial_over(call, row):
        return
    row = retrieve(call, SUBSCRIPTIONS, id)
    for each in ON_PERIOD_ENDED:
        each(call, row, at)
    row, items = retrieve(call, SUBSCRIPTIONS, id), items_of(call, id)
    if row.status in ENDED:
        return
    due = [item for item in items if item.current_period_end <= at]
    _bill(call, row, due)
    record_subscription_update(call, before)
    set_times(call, retrieve(call, SUBSCRIPTIONS, id), items_of(call, id))


def _bill(call: Call, row: Subscription, due: Sequence[SubscriptionItem]) -> None:
    if not due:
        return
    prices = prices_of(call, due)
    start = min(item.current_period_start for item in due)
    invoice = create_draft(call, row, "subscription_cycle", start, due[0].current_period_end)
    for item in due:
        price = prices[item.price]
        old = (item.current_period_start, item.current_period_end)
        if is_metered(price):
            add_usage(call, invoice, row, item, price, old)
        every: Fields = price.recurring
        end = next_boundary(row.billing_cycle_anchor, old[1], every["interval"], every["interval_count"])
        moved = call.db.change(item, current_period_start=old[1], current_period_end=end)
        if not is_metered(price):
            add_period(call, invoice, row, moved, price, (old[1], end))
    invoice_lifecycle.add_pending_items(call, invoice, row.id)
    if row.status == "unpaid":
        invoice = call.db.change(invoice, auto_advance=False)
    invoice_lifecycle.publish_draft(call, invoice)
    call.db.change(row, latest_invoice=invoice.id)


def _bill_usage(call: Call, row: Subscription, at: int) -> None:
    """Bill the usage up to a subscription's end, and its pending items."""
    items = items_of(call, row.id)
    prices = prices_of(call, items)
    metered = [item for item in items if is_metered(prices[item.price])]
    waiting = invoice_lifecycle.list_pending_items(call, row.customer, row.id, row.currency)
    if not metered and not any(item.subscription == row.id for item in waiting):
        return
    invoice = create_draft(call, row, "subscription_cycle", items[0].current_period_start, at)
    for item in metered:
        add_usage(call, invoice, row, item, prices[item.price], (item.current_period_start, at))
    invoice_lifecycle.add_pending_items(call, invoice, row.id)
    invoice_lifecycle.publish_draft(call, invoice)
    call.db.change(row, latest_invoice=invoice.id)


def _trial_over(call: Call, row: Subscription) -> bool:
    """End a trial; returns False if a missing payment method has canceled or paused the subscription."""
    before = state(call, row)
    missing = not has_method(call, row) and row.collection_method == "charge_automatically"
    behavior = row.trial_settings.get("missing_payment_method", "create_invoice")
    if missing and behavior == "cancel":
        end(call, row)
        return False
    if missing and behavior == "pause":
        pause(call, row)
        record_subscription_update(call, before)
        return False
    call.db.change(row, status="active")
    return True


def pause(call: Call, row: Subscription) -> Subscription:
    """Pause a subscription that has no payment method after its trial."""
    for item in items_of(call, row.id):
        call.db.change(item, current_period_end=now(call))
    schedule(call, renew, row.id, None, row.test_clock)
    schedule(call, trial_will_end, row.id, None, row.test_clock)
    details = paused_details(call, "trial_end_without_payment_method")
    paused = call.db.change(row, status="paused", status_details=details, billing_cycle_anchor=now(call))
    record_row(call, "customer.subscription.paused", SUBSCRIPTIONS, paused)
    return paused


def paused_details(call: Call, reason: str) -> Fields:
    """Return the status details of a subscription that pauses now for `reason`."""
    return {"paused": {"subscription": {"type": reason}, "transitioned_at": now(call), "type": "subscription"}}


def has_method(call: Call, row: Subscription) -> bool:
    """Return whether a subscription or its customer has a payment method."""
    if row.default_payment_method:
        return True
    customer = find(call, CUSTOMERS, row.customer)
    return bool(customer and (customer.invoice_settings.get("default_payment_method") or customer.default_source))


def end(call: Call, row: Subscription, **details: Any) -> Subscription:
    """Cancel a subscription now, and its scheduled jobs; `details` are added to its `cancellation_details`."""
    cancel_all(call, row.id)
    ended = call.db.change(
        row,
        status="canceled",
        ended_at=now(call),
        canceled_at=row.canceled_at or now(call),
        cancellation_details={**row.cancellation_details, **details},
    )
    record_row(call, "customer.subscription.deleted", SUBSCRIPTIONS, ended)
    for each in ON_ENDED:
        each(call, ended)
    notify_subscriptions_changed(call, row.customer)
    return ended


def whole_period(anchor: int, start: int, price: Price) -> int:
    """Return the length in seconds of the full period that contains `start`."""
    every: Fields = price.recurring
    unit, count = every["interval"], every["interval_count"]
    return next_boundary(anchor, start, unit, count) - previous_boundary(anchor, start, unit, count)


def _end_of_customer(call: Call, customer: str) -> None:
    """End the subscriptions of a deleted customer."""
    for row in call.db.rows(Subscription, Subscription.customer == customer):
        if row.status not in ENDED:
            end(call, row)


def _leave(call: Call, clock: str) -> None:
    """End the subscriptions of a deleted test clock's customers, and delete the customers."""
    for row in call.db.rows(Subscription, Subscription.test_clock == clock):
        if row.status not in ENDED:
            end(call, row)
    for customer in call.db.rows(Customer, Customer.test_clock == clock, ~Customer.deleted):
        record_row(call, "customer.deleted", CUSTOMERS, customer)
        call.db.change(customer, deleted=True)


customers.ON_DELETE.append(_end_of_customer)
ON_DELETE.append(_leave)


# Outcomes of invoices


def handle_invoice_paid(call: Call, invoice: Invoice) -> None:
    """Activate a subscription whose invoice was paid, and apply what waited for the payment."""
    row = find(call, SUBSCRIPTIONS, invoice.subscription) if invoice.subscription else None
    if row is None or row.status in ENDED:
        return
    is_latest = row.latest_invoice == invoice.id
    begins = row.status == "incomplete" and invoice.billing_reason == "subscription_create"
    if not (begins or (is_latest and (row.pending_update or row.status in ("past_due", "unpaid")))):
        return
    before = None if call.memo.get("starting") == row.id else state(call, row)
    go_on = _apply_pending if row.pending_update and is_latest else _become_active
    go_on(call, row)
    if before:
        record_subscription_update(call, before)


def _become_active(call: Call, row: Subscription) -> None:
    active = call.db.change(row, status="active")
    if row.payment_settings.get("save_default_payment_method") == "on_subscription" and row.latest_invoice:
        _save_method(call, active)
    if call.memo.get("starting") != row.id:
        set_times(call, active, items_of(call, row.id))


def _save_method(call: Call, row: Subscription) -> None:
    invoice = find(call, INVOICES, row.latest_invoice or "")
    intent = find(call, PAYMENTS, invoice.payment_intent) if invoice and invoice.payment_intent else None
    if intent and intent.payment_method:
        call.db.change(row, default_payment_method=intent.payment_method)


def _apply_pending(call: Call, row: Subscription) -> None:
    """Apply what waited for a payment: a pending update, or the resumption of a paused subscription."""
    schedule(call, expire_update, row.id, None, row.test_clock)
    if row.put_off:
        active = apply_pending_update(call, row)
        set_times(call, active, items_of(call, row.id))
    else:
        active = call.db.change(row, status="active", status_details=None, pending_update=None)
        restart(call, active)
    record_row(call, "customer.subscription.pending_update_applied", SUBSCRIPTIONS, active)
    if row.status == "paused":
        record_row(call, "customer.subscription.resumed", SUBSCRIPTIONS, active)


def restart(call: Call, row: Subscription) -> None:
    """Start all periods of a subscription now; this is its new billing cycle anchor."""
    at = now(call)
    items = items_of(call, row.id)
    prices = prices_of(call, items)
    row = call.db.change(row, billing_cycle_anchor=at)
    for item in items:
        every: Fields = prices[item.price].recurring
        until = next_boundary(at, at, every["interval"], every["interval_count"])
        call.db.change(item, current_period_start=at, current_period_end=until)
    set_times(call, row, items_of(call, row.id))


def handle_payment_failed(call: Call, invoice: Invoice, last: bool) -> None:
    """Set a subscription to past due, or end it after the last attempt."""
    row = find(call, SUBSCRIPTIONS, invoice.subscription) if invoice.subscription else None
    if row is None or row.status in ENDED or row.pending_update or call.memo.get("putting_off") == row.id:
        return
    if last:
        end(call, row, reason="payment_failed")
    elif row.status == "active" and row.latest_invoice == invoice.id:
        before = state(call, row)
        call.db.change(row, status="past_due")
        record_subscription_update(call, before)


def handle_invoice_voided(call: Call, invoice: Invoice) -> None:
    """Reactivate a subscription whose latest open invoice was voided."""
    row = find(call, SUBSCRIPTIONS, invoice.subscription) if invoice.subscription else None
    if row and row.status in ("past_due", "unpaid") and row.latest_invoice == invoice.id:
        before = state(call, row)
        call.db.change(row, status="active")
        record_subscription_update(call, before)
    elif row and row.status == "incomplete" and invoice.billing_reason == "subscription_create":
        expire_incomplete(call, row.id)


ON_INVOICE_PAID.append(handle_invoice_paid)
ON_PAYMENT_FAILED.append(handle_payment_failed)
ON_INVOICE_VOIDED.append(handle_invoice_voided)
