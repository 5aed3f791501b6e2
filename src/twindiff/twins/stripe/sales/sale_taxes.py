"""Automatic tax on the items of quotes and checkout sessions.

https://docs.stripe.com/tax/checkout, https://docs.stripe.com/billing/taxes/collect-taxes
"""

from __future__ import annotations

from collections.abc import Sequence

from twindiff.kit import Call

from ..catalog.price_calculation import Tax
from ..core.objects import Fields
from ..tables.customer_tables import Customer
from ..tax.automatic_tax import TaxableSale, TaxLocation, check_taxable, shipping_taxed, tax_on_shipping, taxes
from .sale_amounts import Taxing, compute_discounted_amount
from .sale_items import SaleItem, prices_for


def check_items(call: Call, items: Sequence[SaleItem], rates: Sequence[str] = ()) -> None:
    """Raise StripeError for items that automatic tax cannot apply to."""
    check_taxable(call, [item.price for item in items], [*rates, *(id for item in items for id in item.tax_rates)])


def by_place(call: Call, place: TaxLocation | None, customer: Customer | None) -> Taxing:
    """Return a `Taxing` by the customer's location; without a location, there are no taxes."""

    def taxing(items: Sequence[SaleItem]) -> list[list[Tax]]:
        if place is None:
            return [[] for _ in items]
        prices = prices_for(call, [*items])
        sold = [TaxableSale(compute_discounted_amount(item), item.price, prices[item.price].product) for item in items]
        return [[tax] for tax in taxes(call, place, customer, sold, items[0].currency)]

    return taxing


def shipping(
    call: Call, cost: Fields | None, place: TaxLocation | None, customer: Customer | None, items: Sequence[SaleItem]
) -> Fields | None:
    """Return the shipping cost with the tax of a location; without a location, it has none."""
    if cost is None:
        return None
    currency = items[0].currency if items else "usd"
    return shipping_taxed(cost, tax_on_shipping(call, place, customer, cost, currency) if place else None)


def status(kept: Fields, place: TaxLocation | None) -> Fields:
    """Return `automatic_tax` with its status: `complete`, or `requires_location_inputs` without a location."""
    return {**kept, "status": "complete" if place else "requires_location_inputs"}
