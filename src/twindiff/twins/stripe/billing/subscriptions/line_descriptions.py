"""What an invoice's lines say of a period, and what each tier of a price comes to: its units, and its flat amount.

https://docs.stripe.com/products-prices/pricing-models#tiered-pricing
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import NamedTuple

from twindiff.kit import Call

from ...catalog.price_calculation import Band, round_amount
from ...catalog.prices import Price
from ...catalog.products import Product
from ...core.currencies import decimals, format_amount
from ..tables.subscription_tables import Subscription, SubscriptionItem
from . import prorations


class TierLine(NamedTuple):
    """A line of a tier; a flat amount is for no unit."""

    amount: int
    description: str
    quantity: Decimal
    unit: str


def tier_lines(bands: list[Band], what: str, currency: str, period: str, part: Callable[[int], int]) -> list[TierLine]:
    """The lines of tiers, the last one first, as lines are written; `part` is what is asked of a full amount."""
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
    """An amount that may be a fraction of the currency's smallest unit."""
    whole = round_amount(amount)
    if amount == whole:
        return format_amount(whole, currency)
    number = _text(amount / 10 ** decimals(currency))
    return format_amount(0, currency).replace(f"{0:.{decimals(currency)}f}", number)


def _text(amount: Decimal) -> str:
    return f"{amount.normalize():f}"


def describe_period(call: Call, row: Subscription, item: SubscriptionItem, price: Price, *, trial: bool) -> str:
    """What a line of a period says."""
    product = _product(call, price)
    name = product.name if product else price.product
    if trial:
        return f"Trial period for {name}"
    unit = f" {product.unit_label}" if product and product.unit_label else ""
    quantity = 1 if item.quantity is None else item.quantity
    return f"{quantity}{unit} \N{MULTIPLICATION SIGN} {name} {format_rate(row, price)}"


def product_name(call: Call, price: Price) -> str:
    """What is sold at a price."""
    product = _product(call, price)
    return product.name if product else price.product


def _product(call: Call, price: Price) -> Product | None:
    return call.db.find(Product, Product.id == price.product)


def format_rate(row: Subscription, price: Price) -> str:
    """How much a price is, and how often."""
    amount = prorations.amounts_in(price, row.currency)["unit_amount_decimal"]
    return f"(at {_format_fraction(Decimal(amount or 0), row.currency)} / {format_interval(price)})"


def format_interval(price: Price) -> str:
    """How often a price is asked for."""
    count, unit = price.recurring["interval_count"], price.recurring["interval"]
    return unit if count == 1 else f"every {count} {unit}s"
