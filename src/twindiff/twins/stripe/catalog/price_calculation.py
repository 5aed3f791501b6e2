"""Price calculation: per unit, by tiers, prorated, discounted and taxed.

All amounts are integers in the smallest unit of their currency.

https://docs.stripe.com/products-prices/pricing-models
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any, NamedTuple

Fields = dict[str, Any]


def round_amount(amount: Decimal | Fraction) -> int:
    """Round to the nearest integer; halves away from zero."""
    if isinstance(amount, Decimal):
        return int(amount.to_integral_value(ROUND_HALF_UP))
    sign = -1 if amount < 0 else 1
    return sign * int(abs(amount) + Fraction(1, 2))


def unit_price(price: Fields, quantity: Decimal) -> int:
    """Return the amount of a quantity; uses `unit_amount_decimal`, `tiers`, `tiers_mode` and `transform_quantity`."""
    quantity = _transform_quantity(price.get("transform_quantity"), quantity)
    if not price.get("tiers"):
        return round_amount(Decimal(price["unit_amount_decimal"] or 0) * quantity)
    return round_amount(
        sum((band.unit * band.quantity + (band.flat or 0) for band in _bands(price, quantity)), Decimal(0))
    )


class Band(NamedTuple):
    """The part of a quantity within a tier; `tier` counts from 1, and `flat` is charged once, or None."""

    tier: int
    quantity: Decimal
    unit: Decimal
    flat: Decimal | None


def bands(price: Fields, quantity: Decimal) -> list[Band]:
    """Return the tiers of a price that a quantity reaches; empty for a price without tiers."""
    return _bands(price, _transform_quantity(price.get("transform_quantity"), quantity)) if price.get("tiers") else []


def _bands(price: Fields, quantity: Decimal) -> list[Band]:
    if price.get("tiers_mode") == "graduated":
        return [_band(at, tier, part) for at, (tier, part) in enumerate(_split_by_tier(price["tiers"], quantity), 1)]
    reached = ((at, tier) for at, tier in enumerate(price["tiers"], 1) if _reaches(tier, quantity))
    return [_band(*next(reached), quantity)]


def _reaches(tier: Fields, quantity: Decimal) -> bool:
    return tier["up_to"] is None or quantity <= tier["up_to"]


def _band(number: int, tier: Fields, quantity: Decimal) -> Band:
    flat = tier["flat_amount_decimal"]
    return Band(number, quantity, Decimal(tier["unit_amount_decimal"] or 0), None if flat is None else Decimal(flat))


def _transform_quantity(transform: Fields | None, quantity: Decimal) -> Decimal:
    if not transform:
        return quantity
    parts, rest = divmod(quantity, Decimal(transform["divide_by"]))
    return parts + (1 if rest and transform["round"] == "up" else 0)


def _split_by_tier(tiers: Sequence[Fields], quantity: Decimal) -> list[tuple[Fields, Decimal]]:
    """Return the tiers that a quantity reaches, each with its part; the first one is reached even by 0."""
    reached: list[tuple[Fields, Decimal]] = []
    below = Decimal(0)
    for tier in tiers:
        if reached and quantity <= below:
            break
        top = quantity if tier["up_to"] is None else min(quantity, Decimal(tier["up_to"]))
        reached.append((tier, top - below))
        below = top if tier["up_to"] is None else Decimal(tier["up_to"])
    return reached


def prorate_amount(amount: int, left: int, whole: int) -> int:
    """Return the part of an amount for `left` of `whole` seconds; halves round down: -2.5 to -3, 4.5 to 4."""
    if whole <= 0:
        return amount
    return -((whole - 2 * amount * left) // (2 * whole))


def shares(amount: int, weights: Sequence[int]) -> list[int]:
    """Divide an amount by weights; rounding remainders go to the largest fractions, so the parts add up."""
    whole = sum(weights)
    if not whole:
        return [0 for _ in weights]
    parts = [amount * weight // whole for weight in weights]
    by_rest = sorted(range(len(weights)), key=lambda at: (-(amount * weights[at] % whole), at))
    for at in by_rest[: amount - sum(parts)]:
        parts[at] += 1
    return parts


def percentage(amount: int, percent: float) -> int:
    """Return a percentage of an amount, rounded to the nearest integer."""
    return round_amount(Decimal(amount) * Decimal(str(percent)) / 100)


class Tax(NamedTuple):
    """A tax on an amount; an inclusive tax is part of the amount."""

    rate: str
    amount: int
    taxable: int
    inclusive: bool
    reason: str = "not_available"


def taxes_on(amount: int, rates: Sequence[tuple[str, float, bool]]) -> list[Tax]:
    """Return the taxes on an amount by rates of (id, percentage, inclusive); the base excludes inclusive taxes."""
    inner = sum(Decimal(str(percent)) for _, percent, inclusive in rates if inclusive)
    net = (Decimal(amount) * 100 / (100 + inner)).quantize(Decimal(1), ROUND_HALF_UP) if inner else Decimal(amount)
    return [Tax(rate, percentage(int(net), percent), int(net), inclusive) for rate, percent, inclusive in rates]
