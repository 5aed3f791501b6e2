"""Amounts of a quote: total, upfront and recurring.

https://docs.stripe.com/api/quotes/object#quote_object-computed
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from twindiff.kit import Call

from ..catalog.discounts import coupons_of
from ..core.objects import Fields, now, refer
from ..tables.customer_tables import CUSTOMERS, Customer
from ..tax.automatic_tax import TaxLocation, find_tax_location
from . import sale_amounts, sale_taxes
from .sale_amounts import AppliedDiscount, Taxing, compute_item_amounts
from .sale_items import SaleItem, prices_for, totals


def amounts(call: Call, items: Sequence[SaleItem], quote: Fields) -> Fields:
    """Compute the amount columns of a quote, its `computed` parts and the status of automatic tax.

    The amounts of its items are stored with them.
    """
    taxes: Fields = {}
    if quote.get("automatic_tax"):
        sale_taxes.check_items(call, items, quote.get("default_tax_rates", []))
        place = _place(call, quote)[0]
        taxes = {"automatic_tax": sale_taxes.status(quote["automatic_tax"], place)}
    whole = compute_item_amounts(call, items, _off(call, quote), _taxing(call, quote))
    sale_amounts.write_amounts(call, whole)
    computed = {"recurring": _recurring(call, items, quote), "upfront": _sums(upfront(call, items, quote))}
    return {**totals(whole), **taxes, "computed": computed}


def upfront(call: Call, items: Sequence[SaleItem], quote: Fields) -> list[SaleItem]:
    """Return the items of the first invoice with their amounts; items in a trial cost 0."""
    said: Fields = quote.get("subscription_data") or {}
    if said.get("trial_period_days"):
        again = {item.id for item in recurring_items(call, items)}
        items = [replace(item, amount_subtotal=0) if item.id in again else item for item in items]
    return compute_item_amounts(call, items, _off(call, quote), _taxing(call, quote))


def recurring(call: Call, items: Sequence[SaleItem], quote: Fields) -> list[SaleItem]:
    """Return the recurring items with their amounts after discounts of unlimited duration."""
    lasting = [each for each in _off(call, quote) if each.coupon.duration == "forever"]
    return compute_item_amounts(call, recurring_items(call, items), lasting, _taxing(call, quote))


def recurring_items(call: Call, items: Sequence[SaleItem]) -> list[SaleItem]:
    """Return the items with a recurring price."""
    prices = prices_for(call, [*items])
    return [item for item in items if prices[item.price].type == "recurring"]


def _recurring(call: Call, items: Sequence[SaleItem], quote: Fields) -> Fields | None:
    again = recurring(call, items, quote)
    if not again:
        return None
    every: Fields = prices_for(call, again)[again[0].price].recurring
    return {**_sums(again), "interval": every["interval"], "interval_count": every["interval_count"]}


def _sums(items: Sequence[SaleItem]) -> Fields:
    sums = totals(items)
    return {name: sums[name] for name in ("amount_subtotal", "amount_total", "total_details")}


def _off(call: Call, quote: Fields) -> list[AppliedDiscount]:
    return [
        AppliedDiscount(coupon, {"discount": id})
        for id, coupon in coupons_of(call, quote.get("discounts", []), now(call))
    ]


def _taxing(call: Call, quote: Fields) -> Taxing:
    if not quote.get("automatic_tax"):
        return sale_amounts.by_rates(call, quote.get("default_tax_rates", []))
    return sale_taxes.by_place(call, *_place(call, quote))


def _place(call: Call, quote: Fields) -> tuple[TaxLocation | None, Customer | None]:
    """Return the tax location and the customer of a quote."""
    customer = refer(call, CUSTOMERS, quote["customer"], "customer") if quote.get("customer") else None
    return (find_tax_location(call, customer) if customer else None), customer
