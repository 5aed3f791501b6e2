"""Account settings: branding, card payments, statement descriptors, invoices and the payout schedule.

https://docs.stripe.com/api/accounts/object#account_object-settings
"""

from __future__ import annotations

from typing import Literal

from twindiff.kit import UNSET, UnsetType

from ..core.objects import Fields
from ..core.params import NestedParams, OptBool, OptInteger, OptText

MIN_DELAY_DAYS = 2
"""Minimum days between a payment and its payout; the default of most countries."""


class Branding(NestedParams):
    """Colors, icon and logo of hosted pages."""

    icon: OptText = UNSET
    logo: OptText = UNSET
    primary_color: OptText = UNSET
    secondary_color: OptText = UNSET


class DeclineOn(NestedParams):
    """Checks whose failure declines a card payment."""

    avs_failure: OptBool = UNSET
    cvc_failure: OptBool = UNSET


class CardPayments(NestedParams):
    """Settings of card payments."""

    decline_on: DeclineOn | UnsetType = UNSET
    statement_descriptor_prefix: OptText = UNSET
    statement_descriptor_prefix_kana: OptText = UNSET
    statement_descriptor_prefix_kanji: OptText = UNSET


class InvoiceSettings(NestedParams):
    """Settings of invoices."""

    hosted_payment_method_save: Literal["always", "never", "offer"] | UnsetType = UNSET


class Payments(NestedParams):
    """Statement descriptors of payments."""

    statement_descriptor: OptText = UNSET
    statement_descriptor_kana: OptText = UNSET
    statement_descriptor_kanji: OptText = UNSET


class Schedule(NestedParams):
    """The schedule of automatic payouts."""

    delay_days: OptInteger | Literal["minimum"] = UNSET
    interval: Literal["daily", "manual", "monthly", "weekly"] | UnsetType = UNSET
    monthly_anchor: OptInteger = UNSET
    weekly_anchor: Literal["friday", "monday", "saturday", "sunday", "thursday", "tuesday", "wednesday"] | UnsetType = (
        UNSET
    )


class Payouts(NestedParams):
    """Settings of payouts."""

    debit_negative_balances: OptBool = UNSET
    schedule: Schedule | UnsetType = UNSET
    statement_descriptor: OptText = UNSET


class Settings(NestedParams):
    """All settings of an account, grouped as on the wire."""

    branding: Branding | UnsetType = UNSET
    card_payments: CardPayments | UnsetType = UNSET
    invoices: InvoiceSettings | UnsetType = UNSET
    payments: Payments | UnsetType = UNSET
    payouts: Payouts | UnsetType = UNSET


def default_settings(name: str | None, descriptor: str | None, interval: str) -> Fields:
    """Return the `settings` object of an account that has changed none; `interval` is that of its payout schedule."""
    schedule = {"delay_days": MIN_DELAY_DAYS, "interval": interval}
    scripts = ("statement_descriptor_kana", "statement_descriptor_kanji")
    prefixes = ("statement_descriptor_prefix", "statement_descriptor_prefix_kana", "statement_descriptor_prefix_kanji")
    declined = {"avs_failure": False, "cvc_failure": False}
    return {
        "bacs_debit_payments": {"display_name": None, "service_user_number": None},
        "branding": dict.fromkeys(("icon", "logo", "primary_color", "secondary_color")),
        "card_issuing": {"tos_acceptance": {"date": None, "ip": None}},
        "card_payments": {"decline_on": declined, **dict.fromkeys(prefixes)},
        "dashboard": {"display_name": name, "timezone": "Etc/UTC"},
        "invoices": {"default_account_tax_ids": None, "hosted_payment_method_save": None},
        "payments": {"statement_descriptor": descriptor, **dict.fromkeys(scripts)},
        "payouts": {"debit_negative_balances": True, "schedule": schedule, "statement_descriptor": None},
        "sepa_debit_payments": {},
    }


def merge_settings(old: Fields, new: Fields) -> Fields:
    """Merge `new` into `old` recursively: nested objects are merged, other values are replaced."""
    both = {
        name: merge_settings(old[name], new[name]) for name in old.keys() & new.keys() if isinstance(old[name], dict)
    }
    return {**old, **new, **both}


def change_settings(old: Fields, wanted: Fields) -> Fields:
    """Merge requested settings into the current ones and replace a `delay_days` of "minimum" by its number of days."""
    both = merge_settings(old, wanted)
    payouts: Fields = both.get("payouts", {})
    if payouts.get("schedule", {}).get("delay_days") == "minimum":
        return merge_settings(both, {"payouts": {"schedule": {"delay_days": MIN_DELAY_DAYS}}})
    return both
