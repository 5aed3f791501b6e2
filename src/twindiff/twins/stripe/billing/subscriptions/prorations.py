"""Prorations: credit for the unused part of a period, and the charge that replaces it, to the second.

An item records in `billed` what was last charged for it: the amount of a whole period, its length in seconds, its end,
and the line or item of the charge. A credit is a part of that amount, whatever the current price is.
https://docs.stripe.com/billing/subscriptions/prorations
"""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

from twindiff.kit import Call

from ...catalog.discounts import coupons_of
from ...catalog.price_calculation import percentage, prorate_amount, unit_price
from ...catalog.prices import PRICES, Price
from ...catalog.product_tables import PRODUCTS
from ...core.objects import Fields, now, retrieve
from ..tables.invoice_tables import InvoiceItem, build_pricing, make_item
from ..tables.subscription_tables import Subscription, SubscriptionItem


def full_price(price: Price, quantity: int | None, currency: str) -> int:
    """Return the amount of a quantity for a whole period, in a currency that the price supports."""
    amounts = amounts_in(price, currency)
    return unit_price(amounts, Decimal(1 if quantity is None else quantity))


def amounts_in(price: Price, currency: str) -> Fields:
    """Return the amounts of a price in a currency, with the keys that `unit_price` takes."""
    option: Fields | None = price.currency_options.get(currency) if currency != price.currency else None
    decimal = option["unit_amount_decimal"] if option else price.unit_amount_decimal
    tiers = option.get("tiers") if option else price.tiers
    return {
        "unit_amount_decimal": decimal,
        "tiers": tiers,
        "tiers_mode": price.tiers_mode,
        "transform_quantity": price.transform_quantity,
    }


def apply_percent_discounts(call: Call, subscription: Subscription, item: SubscriptionItem, amount: int) -> int:
    """Return an amount after the percentage coupons of an item and its subscription.

    The resulting prorations are not discounted again.
    """
    for _, coupon in coupons_of(call, [*item.discounts, *subscription.discounts], now(call)):
        if coupon.percent_off is not None:
            amount -= percentage(amount, coupon.percent_off)
    return amount


def credit_unused_time(call: Call, subscription: Subscription, item: SubscriptionItem, at: int) -> InvoiceItem | None:
    """Create a pending item that credits the time left after `at`; None if nothing was charged for it."""
    billed: Fields | None = item.billed
    if not billed or at >= billed["end"]:
        return None
    amount = prorate_amount(-billed["amount"], billed["end"] - max(at, billed["start"]), billed["whole"])
    price = retrieve(call, PRICES, billed["price"])
    credited: Fields = {"credited_items": _source(billed), "discount_amounts": []}
    return _pending(
        call, subscription, item, price, billed["quantity"], amount, (at, billed["end"]), "Unused", credited
    )


def _source(billed: Fields) -> Fields:
    if billed["invoice_item"]:
        return {"type": "invoice_item", "invoice_item": billed["invoice_item"], "invoice_line_item_details": None}
    details = {"invoice": billed["invoice"], "invoice_line_items": billed.get("lines") or [billed["line"]]}
    return {"type": "invoice_line_items", "invoice_item": None, "invoice_line_item_details": details}


def charge_remaining_time(
    call: Call, subscription: Subscription, item: SubscriptionItem, price: Price, at: int, *, nothing: bool = False
) -> SubscriptionItem:
    """Create a pending item that charges the rest of an item's period; returns the updated item."""
    whole = item.current_period_end - item.current_period_start
    end = end_of_billing(subscription, item)
    full = apply_percent_discounts(call, subscription, item, full_price(price, item.quantity, subscription.currency))
    amount = 0 if nothing else prorate_amount(full, end - at, whole)
    details: Fields = {"credited_items": None, "discount_amounts": []}
    made = _pending(call, subscription, item, price, item.quantity or 1, amount, (at, end), "Remaining", details)
    return call.db.change(item, billed=build_billed_record(item, price, full, (at, end), whole, invoice_item=made.id))


def end_of_billing(subscription: Subscription, item: SubscriptionItem) -> int:
    """Return the end of the time that an item's current period bills: the subscription's own, if that is earlier."""
    end = item.current_period_end
    return end if subscription.cancel_at is None else min(end, max(subscription.cancel_at, item.current_period_start))


def prorate_new_end(call: Call, subscription: Subscription, item: SubscriptionItem) -> SubscriptionItem:
    """Credit or charge the time by which a new end of the subscription shortens or extends an item's billed period.

    https://docs.stripe.com/billing/subscriptions/cancel#custom-date
    """
    billed: Fields | None = item.billed
    if not billed or billed["end"] <= item.current_period_start:
        return item
    end, former = end_of_billing(subscription, item), billed["end"]
    if end == former:
        return item
    if end < former:
        credit_unused_time(call, subscription, item, end)
        return call.db.change(item, billed={**billed, "end": end})
    price = retrieve(call, PRICES, billed["price"])
    amount = prorate_amount(billed["amount"], end - former, billed["whole"])
    details: Fields = {"credited_items": None, "discount_amounts": []}
    _pending(call, subscription, item, price, billed["quantity"], amount, (former, end), "Remaining", details)
    return call.db.change(item, billed={**billed, "end": end})


def build_billed_record(
    item: SubscriptionItem, price: Price, full: int, period: tuple[int, int], whole: int, **source: str
) -> Fields:
    """Build the `billed` record of a subscription item from the charge of a line or invoice item.

    `period` has its start and end, and `whole` is the length of a full period in seconds. `source` is the `invoice` and
    `line`, or the `invoice_item`, of the charge.
    """
    shared = {"invoice": None, "line": None, "invoice_item": None, **source}
    start, end = period
    mine = {"amount": full, "whole": whole, "start": start, "end": end, "price": price.id}
    return {**mine, "quantity": 1 if item.quantity is None else item.quantity, **shared}


def _pending(
    call: Call,
    subscription: Subscription,
    item: SubscriptionItem,
    price: Price,
    quantity: int,
    amount: int,
    period: tuple[int, int],
    spoken: str,
    details: Fields,
) -> InvoiceItem:
    product = retrieve(call, PRODUCTS, price.product)
    several = f"{quantity} \N{MULTIPLICATION SIGN} " if quantity != 1 else ""
    day = datetime.fromtimestamp(period[0], UTC).strftime("%d %b %Y")
    parent = {"subscription": subscription.id, "subscription_item": item.id}
    return make_item(
        call,
        amount=amount,
        currency=subscription.currency,
        customer=subscription.customer,
        description=f"{spoken} time on {several}{product.name} after {day}",
        discountable=False,
        parent={"type": "subscription_details", "subscription_details": parent},
        period={"start": period[0], "end": period[1]},
        pricing=build_pricing(price, None),
        proration=True,
        proration_details=details,
        quantity=quantity,
        quantity_decimal=str(quantity),
        tax_rates=item.tax_rates,
        test_clock=subscription.test_clock,
        subscription=subscription.id,
        product=price.product,
    )
