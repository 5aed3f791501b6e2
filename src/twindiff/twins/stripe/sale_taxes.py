"""Automatic tax on what is for sale: the items of quotes, and of checkout sessions.

https://docs.stripe.com/tax/checkout, https://docs.stripe.com/billing/taxes/collect-taxes
"""

from __future__ import annotations

from collections.abc import Sequence

from twindiff.kit import Call

from .automatic_tax import Place, Sold, check_sold, shipping_taxed, tax_on_shipping, taxes
from .customers import Customer
from .objects import Fields
from .pricing import shares
from .sale_items import SaleItem, prices_for


def check_items(call: Call, items: Sequence[SaleItem], rates: Sequence[str] = ()) -> None:
    """Raise for items that cannot be taxed automatically."""
    check_sold(call, [item.price for item in items], [*rates, *(id for item in items for id in item.tax_rates)])


def taxed(
    call: Call, items: Sequence[SaleItem], off: int, place: Place | None, customer: Customer | None
) -> list[SaleItem]:
    """Items with the taxes of a place on what a discount leaves of them; without a place, with none."""
    if place is None:
        return [call.db.change(item, amount_tax=0, amount_total=item.amount_subtotal) for item in items]
    prices = prices_for(call, [*items])
    nets = [
        item.amount_subtotal - less
        for item, less in zip(items, shares(off, [each.amount_subtotal for each in items]), strict=True)
    ]
    sold = [Sold(net, item.price, prices[item.price].product) for item, net in zip(items, nets, strict=True)]
    on = taxes(call, place, customer, sold, items[0].currency if items else "usd")
    return [
        call.db.change(
            item, amount_tax=tax.amount, amount_total=item.amount_subtotal + (0 if tax.inclusive else tax.amount)
        )
        for item, tax in zip(items, on, strict=True)
    ]


def shipping(
    call: Call, cost: Fields | None, place: Place | None, customer: Customer | None, items: Sequence[SaleItem]
) -> Fields | None:
    """The cost of shipping with the tax of a place; without a place, with none."""
    if cost is None:
        return None
    currency = items[0].currency if items else "usd"
    return shipping_taxed(cost, tax_on_shipping(call, place, customer, cost, currency) if place else None)


def status(kept: Fields, place: Place | None) -> Fields:
    """What is said of automatic tax after it was reckoned for a place."""
    return {**kept, "status": "complete" if place else "requires_location_inputs"}
