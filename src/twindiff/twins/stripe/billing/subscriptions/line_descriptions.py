"""Descriptions of invoice lines for a period, and the lines of each tier: its units and its flat amount.

https://docs.stripe.com/products-prices/pricing-models#tiered-pricing
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import NamedTuple

from twindiff.kit import Call

from ...catalog.price_calculation import Band, round_amount
from ...catalog.prices import Price
from ...catalog.product_tables import Product
from ...core.currencies import decimals, format_amount
from ..tables.subscription_tables import Subscription, SubscriptionItem
from . import prorations


class TierLine(NamedTuple):
    """A line of a tier; the quantity of a flat amount is 0."""

    amount: int
    description: str
    quantity: Decimal
    unit: str


def tier_lines(bands: list[Band], what: str, currency: str, period: str, part: Callable[[int], int]) -> list[TierLine]:
    """Return the lines of tiers, last tier first, in the order they are written; `part` prorates a full amount."""
    lines: list[TierLine] = []
    for band in bands:
        text = (
            f"{band.quantity.normalize():f} \N{MULTIPLICATION SIGN} {_of_tier(what, band, band.unit, currency, period)}"
        )
        lines.append(TierLine(part(round_amount(band.unit * band.quantity)), text, band.quantity, _text(band.unit)))
        if band.flat is not None:
            text = _of_tier(what, band, band.flat, currency, period)
            lines.append(TierLine(part(round_amount(band.flat)), text, Decimal(0), _text(band.flat)))
    return lines[::-1]


def _of_tier(what: str, band: Band, amount: Decimal, currency: str, period: str) -> str:
    return f"{what} (Tier {band.tier} at {_format_fraction(amount, currency)} / {period})"


def _format_fraction(amount: Decimal, currency: str) -> str:
    """Format an amount that may include a fraction of the currency's smallest unit."""
    whole = round_amount(amount)
    if amount == whole:
        return format_amount(whole, currency)
    number = _text(amount / 10 ** decimals(currency))
    return format_amount(0, currency).replace(f"{0:.{decimals(currency)}f}", number)


def _text(amount: Decimal) -> str:
    return f"{amount.normalize():f}"


def describe_period(call: Call, row: Subscription, item: SubscriptionItem, price: Price, *, trial: bool) -> str:
    """Return the description of a line for a period."""
    product = _product(call, price)
    name = product.name if product else price.product
    if trial:
        return f"Trial period for {name}"
    unit = f" {product.unit_label}" if product and product.unit_label else ""
    quantity = 1 if item.quantity is None else item.quantity
    return f"{quantity}{unit} \N{MULTIPLICATION SIGN} {name} {format_rate(row, price)}"


def product_name(call: Call, price: Price) -> str:
    """Return the name of a price's product, or its id if the product is gone."""
    product = _product(call, price)
    return product.name if product else price.product


def _product(call: Call, price: Price) -> Product | None:
    return call.db.find(Product, Product.id == price.product)


def format_rate(row: Subscription, price: Price) -> str:
    """Format a price's amount and interval for a line description, such as `(at $10.00 / month)`."""
    amount = prorations.amounts_in(price, row.currency)["unit_amount_decimal"]
    return f"(at {_format_fraction(Decimal(amount or 0), row.currency)} / {format_interval(price)})"


def format_interval(price: Price) -> str:
    """Format the billing interval of a price: `month`, or `every 3 months`."""
    count, unit = price.recurring["interval_count"], price.recurring["interval"]
    return unit if count == 1 else f"every {count} {unit}s"
