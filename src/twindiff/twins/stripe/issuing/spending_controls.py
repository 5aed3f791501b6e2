"""Spending controls: what a card may be used for, and how much may be spent with it in a period.

https://docs.stripe.com/issuing/controls/spending-controls
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Literal

from twindiff.kit import UNSET
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.currencies import parse_currency
from ..core.objects import Fields
from ..core.params import Integer, NestedParams, OptName, UnsetType, check_country, value_of
from .merchant_categories import Category

Presences = list[Literal["not_present", "present"]] | UnsetType
Names = list[str] | UnsetType
Categories = list[Category] | UnsetType

DEFAULT_LIMIT: Fields = {"amount": 50_000, "categories": [], "interval": "daily"}
"""The limit of cards that are given none: 500 a day."""


class SpendingLimit(NestedParams):
    """The amount that may be spent in an interval, with merchants of some categories or with all."""

    amount: Integer
    interval: Literal["all_time", "daily", "monthly", "per_authorization", "weekly", "yearly"]
    categories: Categories = UNSET


class CardControls(NestedParams):
    """The spending controls of a card; allowed and blocked categories exclude each other, and so do countries."""

    allowed_card_presences: Presences = UNSET
    allowed_categories: Categories = UNSET
    allowed_merchant_countries: Names = UNSET
    blocked_card_presences: Presences = UNSET
    blocked_categories: Categories = UNSET
    blocked_merchant_countries: Names = UNSET
    spending_limits: list[SpendingLimit] | UnsetType = UNSET


class HolderControls(CardControls):
    """The spending controls of a cardholder, whose limits are in a currency."""

    spending_limits_currency: OptName = UNSET


def merge_controls(known: Fields, given: CardControls | UnsetType, currency: str | None) -> Fields:
    """Return spending controls with those that were given; raises StripeError for exclusive or negative ones.

    `currency` is that of the limits of a card; a cardholder's comes with the controls, or is US dollars.
    """
    if not isinstance(given, CardControls):
        return known
    for kind in ("categories", "merchant_countries", "card_presences"):
        if getattr(given, f"allowed_{kind}") and getattr(given, f"blocked_{kind}"):
            names = f"spending_controls[allowed_{kind}], spending_controls[blocked_{kind}]"
            message = f"You may only specify one of these parameters: {names}."
            raise StripeError(message, param=f"spending_controls[allowed_{kind}]")
    for name in ("allowed_merchant_countries", "blocked_merchant_countries"):
        for country in getattr(given, name) or ():
            check_country(country, f"spending_controls[{name}]")
    if isinstance(given.spending_limits, list):
        _check_limits(given.spending_limits)
        currency = currency or parse_currency(getattr(given, "spending_limits_currency", "") or "usd")
        known = {**known, "spending_limits_currency": currency}
    merged = {**known, **value_of(given)}
    limits: list[Fields] = [{"categories": [], **each} for each in merged["spending_limits"]]
    return {**merged, "spending_limits": limits}


def _check_limits(limits: Sequence[SpendingLimit]) -> None:
    for number, limit in enumerate(limits):
        if limit.amount < 0:
            param = f"spending_controls[spending_limits][{number}][amount]"
            message = "This value must be greater than or equal to 0."
            raise StripeError(message, code="parameter_invalid_integer", param=param)


def build_controls(limits: Sequence[Fields], currency: str | None) -> Fields:
    """Return the controls of a card or cardholder that has none but these limits."""
    kinds = ("categories", "merchant_countries", "card_presences")
    names = [f"{which}_{kind}" for kind in kinds for which in ("allowed", "blocked")]
    limits = [dict(each) for each in limits]
    return {**dict.fromkeys(names), "spending_limits": limits, "spending_limits_currency": currency}


def is_merchant_allowed(controls: Fields, merchant: Fields, presence: str) -> bool:
    """Whether controls allow a merchant, by its category and country, and the presence of the card."""
    given = {"categories": merchant["category"], "merchant_countries": merchant["country"], "card_presences": presence}
    for kind, value in given.items():
        allowed, blocked = controls[f"allowed_{kind}"], controls[f"blocked_{kind}"]
        if (allowed and value not in allowed) or (blocked and value in blocked):
            return False
    return True


def applies(limit: Fields, category: str) -> bool:
    """Whether a limit counts what is spent with a merchant of a category."""
    return not limit["categories"] or category in limit["categories"]


def find_start(interval: str, at: int) -> int:
    """Return when the interval of a limit began, in Unix seconds; intervals are those of the calendar in UTC."""
    today = datetime.fromtimestamp(at, UTC).replace(hour=0, minute=0, second=0)
    starts = {
        "daily": today,
        "weekly": today - timedelta(days=(today.weekday() + 1) % 7),
        "monthly": today.replace(day=1),
        "yearly": today.replace(month=1, day=1),
    }
    return int(starts[interval].timestamp()) if interval in starts else 0
