"""Billing thresholds: a subscription is billed within its period once enough was used.

The item stores what a threshold has billed. The rest of the period is billed by the difference, so tiers continue where
they were.
https://docs.stripe.com/billing/subscriptions/usage-based/thresholds
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple

from twindiff.kit import Call

from ...catalog.price_calculation import unit_price
from ...catalog.prices import Price
from ...core.objects import Fields, now, retrieve
from ...core.periods import DAY
from ...metering.meters import METERS, Meter, usage
from ..invoices import invoice_lifecycle
from ..tables.invoice_line_items import LineItem
from ..tables.invoice_tables import Invoice
from ..tables.subscription_tables import (
    SUBSCRIPTIONS,
    Subscription,
    SubscriptionItem,
    items_of,
    record_subscription_update,
    state,
)
from . import billing_cycles
from . import prorations as proration

GOING = ("active", "past_due")


class MeteredUsage(NamedTuple):
    """The usage of an item in the current period: the total, and the part not billed yet."""

    item: SubscriptionItem
    price: Price
    quantity: Decimal
    amount: int
    more: int
    """The amount not billed yet."""


def check_usage(call: Call, meter: Meter, customer: str) -> None:
    """Bill the customer's subscriptions that have reached a billing threshold."""
    for row in call.db.rows(Subscription, Subscription.customer == customer, Subscription.status.in_(GOING)):
        items = items_of(call, row.id)
        if not row.billing_thresholds and not any(item.billing_thresholds for item in items):
            continue
        if min(item.current_period_end for item in items) - now(call) > DAY:
            _check(call, row, items)


def _check(call: Call, row: Subscription, items: Sequence[SubscriptionItem]) -> None:
    prices = billing_cycles.prices_of(call, items)
    used = [
        _measure_usage(call, row, item, prices[item.price])
        for item in items
        if billing_cycles.is_metered(prices[item.price])
    ]
    reached = [each.item for each in used if each.item.billing_thresholds and _units(each) >= _limit(each.item)]
    thresholds: Fields = row.billing_thresholds or {}
    least: int | None = thresholds.get("amount_gte")
    is_reached = least is not None and _compute_accrued_amount(call, row, used) >= least
    if is_reached or reached:
        _bill(call, row, used, reached, least if is_reached else None)


def _measure_usage(call: Call, row: Subscription, item: SubscriptionItem, price: Price) -> MeteredUsage:
    meter = retrieve(call, METERS, price.meter or "")
    period = (item.current_period_start, item.current_period_end)
    quantity = max(usage(call, meter, row.customer, *period), Decimal(0))
    amount = unit_price(proration.amounts_in(price, row.currency), quantity)
    return MeteredUsage(item, price, quantity, amount, amount - _before(item)["amount"])


def _before(item: SubscriptionItem) -> Fields:
    """Return what thresholds have billed of the current period: its `amount` and `quantity`."""
    if item.used and item.used["start"] == item.current_period_start:
        return item.used
    return {"amount": 0, "quantity": "0"}


def _units(used: MeteredUsage) -> Decimal:
    return used.quantity - Decimal(_before(used.item)["quantity"])


def _limit(item: SubscriptionItem) -> int:
    return item.billing_thresholds["usage_gte"]


def _compute_accrued_amount(call: Call, row: Subscription, used: Sequence[MeteredUsage]) -> int:
    """Return the amount that would be billed now, after discounts and before taxes."""
    waiting = invoice_lifecycle.list_pending_items(call, row.customer, row.id, row.currency)
    prorations = sum(each.amount for each in waiting if each.proration)
    return prorations + sum(proration.apply_percent_discounts(call, row, each.item, each.more) for each in used)


def _bill(
    call: Call, row: Subscription, used: Sequence[MeteredUsage], reached: Sequence[SubscriptionItem], least: int | None
) -> None:
    """Invoice the usage so far, and start a new period if `reset_billing_cycle_anchor` is set."""
    before = state(call, row)
    start = min(each.item.current_period_start for each in used)
    invoice = billing_cycles.create_draft(call, row, "subscription_threshold", start, now(call))
    for each in used:
        period = (each.item.current_period_start, each.item.current_period_end)
        billing_cycles.add_usage(call, invoice, row, each.item, each.price, period)
        for line in _lines(call, invoice, each.item):
            call.db.change(line, period={"start": period[0], "end": now(call)})
        billed = {"start": period[0], "quantity": str(each.quantity), "amount": each.amount}
        call.db.change(each.item, used=billed)
    reason = {"amount_gte": least, "item_reasons": [_reason(call, invoice, item) for item in reached]}
    if row.billing_thresholds and row.billing_thresholds["reset_billing_cycle_anchor"]:
        _begin_anew(call, row, invoice)
    invoice_lifecycle.add_pending_items(call, invoice, row.id)
    invoice_lifecycle.publish_draft(call, call.db.change(invoice, threshold_reason=reason))
    call.db.change(retrieve(call, SUBSCRIPTIONS, row.id), latest_invoice=invoice.id)
    record_subscription_update(call, before)


def _reason(call: Call, invoice: Invoice, item: SubscriptionItem) -> Fields:
    return {"line_item_ids": [line.id for line in _lines(call, invoice, item)], "usage_gte": _limit(item)}


def _lines(call: Call, invoice: Invoice, item: SubscriptionItem) -> list[LineItem]:
    return call.db.rows(LineItem, LineItem.invoice == invoice.id, LineItem.subscription_item == item.id)


def _begin_anew(call: Call, row: Subscription, invoice: Invoice) -> None:
    """Start all periods now; unused time of the prepaid ones is credited."""
    for item in items_of(call, row.id):
        proration.credit_unused_time(call, row, item, now(call))
    billing_cycles.restart(call, row)
    items = items_of(call, row.id)
    prices = billing_cycles.prices_of(call, items)
    for item in items:
        price = prices[item.price]
        if not billing_cycles.is_metered(price):
            billing_cycles.add_period(
                call, invoice, row, item, price, (item.current_period_start, item.current_period_end)
            )
            continue
        # Usage of this second, or dated ahead, is billed already, yet it falls into the new period as well.
        fresh = _measure_usage(call, row, item, price)
        billed = {"start": item.current_period_start, "quantity": str(fresh.quantity), "amount": fresh.amount}
        call.db.change(item, used=billed)
