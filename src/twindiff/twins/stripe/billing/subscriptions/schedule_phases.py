"""Phases of subscription schedules: their settings, and their start and end.

https://docs.stripe.com/billing/subscriptions/subscription-schedules
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from twindiff.kit import UNSET, Call, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ...catalog.coupons import COUPONS, check_coupon_currency
from ...catalog.discounts import DiscountParams, OptDiscounts
from ...catalog.inline_prices import accept_inline, check_one_price, price_of
from ...catalog.price_params import Interval, PriceData, RecurringPriceData
from ...catalog.prices import PRICES, Price, check_price_currency, check_price_type
from ...connect.destination_charges import check_subscription
from ...core.currencies import parse_currency
from ...core.objects import Fields, now, refer, retrieve
from ...core.params import (
    AutomaticTax,
    Issuer,
    NestedParams,
    OptAutomaticTax,
    OptBool,
    OptInteger,
    OptName,
    OptText,
    Unset,
    time_or_word,
    value_of,
)
from ...core.periods import DAY, check_trial_days, shift_time
from ...tables.customer_tables import CUSTOMERS, Customer
from ...tax import automatic_tax
from ...tax.tax_rates import tax_rates_of
from .subscription_params import (
    Behavior,
    BillingThresholds,
    OnceItem,
    OptItemThresholds,
    OptThresholds,
    SubscriptionTransfer,
)

Collection = Literal["charge_automatically", "send_invoice"]
WHOLE_PERIOD: Fields = {"start": {"type": "max_item_period_start"}, "end": {"type": "min_item_period_end"}}
MAX_INTERVALS = 120
Anchor = Literal["automatic", "phase_start"]


class PhaseItem(NestedParams, kw_only=True):
    """An item of a phase."""

    price: OptName = UNSET
    plan: OptText = UNSET
    price_data: RecurringPriceData | UnsetType = UNSET
    quantity: OptInteger = UNSET
    billing_thresholds: OptItemThresholds = UNSET
    discounts: OptDiscounts = UNSET
    metadata: dict[str, str] | UnsetType = UNSET
    tax_rates: list[str] | Unset | UnsetType = UNSET


class Duration(NestedParams):
    """The length of a phase."""

    interval: Interval
    interval_count: OptInteger = UNSET


class PhaseInvoices(NestedParams):
    """Invoice settings of a phase."""

    account_tax_ids: list[str] | Unset | UnsetType = UNSET
    days_until_due: OptInteger = UNSET
    issuer: Issuer | UnsetType = UNSET


class PhaseSettings(NestedParams, kw_only=True):
    """Settings of a phase, or the defaults of all phases of a schedule."""

    application_fee_percent: float | UnsetType = UNSET
    automatic_tax: OptAutomaticTax = UNSET
    billing_cycle_anchor: Anchor | UnsetType = UNSET
    billing_thresholds: OptThresholds = UNSET
    collection_method: Collection | UnsetType = UNSET
    default_payment_method: OptText = UNSET
    description: OptText = UNSET
    invoice_settings: PhaseInvoices | UnsetType = UNSET
    on_behalf_of: OptText = UNSET
    transfer_data: SubscriptionTransfer | Unset | UnsetType = UNSET


class Phase(PhaseSettings, kw_only=True):
    """A period in which the settings of a subscription stay the same."""

    items: list[PhaseItem]
    add_invoice_items: list[OnceItem] | UnsetType = UNSET
    currency: OptName = UNSET
    default_tax_rates: list[str] | Unset | UnsetType = UNSET
    discounts: OptDiscounts = UNSET
    duration: Duration | UnsetType = UNSET
    end_date: OptText = UNSET
    metadata: dict[str, str] | UnsetType = UNSET
    proration_behavior: Behavior | UnsetType = UNSET
    start_date: OptText = UNSET
    trial: OptBool = UNSET
    trial_end: OptText = UNSET


def phases_of(call: Call, wanted: list[Phase] | UnsetType, start: int, currency: str | None = None) -> list[Fields]:
    """Return phases as stored and shown by schedules; each starts where the previous one ends.

    All have one currency: `currency` if it is known already, or the first phase's.
    """
    if not isinstance(wanted, list) or not wanted:
        raise StripeError("Missing required param: phases.", code="parameter_missing", param="phases")
    phases: list[Fields] = []
    for number, phase in enumerate(wanted):
        at = f"phases[{number}]"
        prices = [_price(call, item, f"{at}[items][{n}]") for n, item in enumerate(phase.items)]
        if not prices:
            raise StripeError("Each phase must have items.", param=f"{at}[items]")
        currency = _check_currency(call, phase, prices, currency, at)
        begins = _moment(phase.start_date, f"{at}[start_date]", start) or start
        end = _end(phase, begins, prices[0], at)
        items = [
            _wanted_item(call, price, item, f"{at}[items][{n}]")
            for n, (price, item) in enumerate(zip(prices, phase.items, strict=True))
        ]
        fields = phase_fields(items, begins, end, currency)
        phases.append({**fields, **_settings(call, phase, at, begins, end, currency)})
        start = end
    return phases


def _check_currency(call: Call, phase: Phase, prices: Sequence[Price], expected: str | None, at: str) -> str:
    """Return the currency of a phase; raises StripeError unless all prices and coupons of it support that."""
    asked = parse_currency(phase.currency, f"{at}[currency]") if phase.currency else None
    currency = expected or asked or prices[0].currency
    if asked and asked != currency:
        message = f"All phases of a schedule have one currency: `{currency}`, and not `{asked}`."
        raise StripeError(message, param=f"{at}[currency]")
    for number, price in enumerate(prices):
        check_price_currency(price, currency, f"{at}[items][{number}][price]")
    given = [(phase.discounts, at), *((item.discounts, f"{at}[items][{n}]") for n, item in enumerate(phase.items))]
    for discounts, owner in given:
        for number, each in enumerate(discounts if isinstance(discounts, list) else ()):
            if isinstance(each.coupon, str) and each.coupon:
                name = f"{owner}[discounts][{number}][coupon]"
                check_coupon_currency(refer(call, COUPONS, each.coupon, name), currency, name)
    return currency


def _price(call: Call, item: PhaseItem, at: str) -> Price:
    check_one_price(item, at)
    if isinstance(item.price_data, PriceData):
        price = price_of(call, item.price_data, f"{at}[price_data]")
    else:
        price = refer(call, PRICES, str(item.price or item.plan or ""), f"{at}[price]")
    check_price_type(price, "recurring", f"{at}[price]")
    return price


def _moment(text: OptText, at: str, moment: int) -> int | None:
    if not isinstance(text, str) or not text:
        return None
    value = time_or_word(text, at, "now")
    return moment if value == "now" else int(value)


def _end(phase: Phase, start: int, price: Price, at: str) -> int:
    end = _moment(phase.end_date, f"{at}[end_date]", start)
    if end is None and isinstance(phase.duration, Duration):
        count = phase.duration.interval_count if isinstance(phase.duration.interval_count, int) else 1
        if not 0 < count <= MAX_INTERVALS:
            message = f"The count of intervals must be from 1 to {MAX_INTERVALS}."
            raise StripeError(message, param=f"{at}[duration][interval_count]")
        end = shift_time(start, phase.duration.interval, count)
    if end is None:
        every: Fields = price.recurring
        end = shift_time(start, every["interval"], every["interval_count"])
    if end <= start:
        raise StripeError("The end of a phase must be after its start.", param=f"{at}[end_date]")
    return end


def _settings(call: Call, phase: Phase, at: str, start: int, end: int, currency: str) -> Fields:
    """Return the settings of a phase besides its items."""
    trial_end = end if phase.trial is True else _moment(phase.trial_end, f"{at}[trial_end]", start)
    if trial_end is not None:
        name = "trial" if phase.trial is True else "trial_end"
        check_trial_days(max(trial_end - start, 0) / DAY, f"{at}[{name}]")
    return {
        **settings_of(call, phase),
        "add_invoice_items": [
            _once(call, each, currency, f"{at}[add_invoice_items][{n}]")
            for n, each in enumerate(phase.add_invoice_items or [])
        ],
        "default_tax_rates": tax_rates_of(call, phase.default_tax_rates or [], f"{at}[default_tax_rates]"),
        "discounts": _discounts(phase.discounts),
        "metadata": value_of(phase.metadata or {}),
        "proration_behavior": phase.proration_behavior or "create_prorations",
        "trial_end": trial_end,
    }


def check_location(call: Call, customer: Customer, phases: Sequence[Fields], settings: Fields) -> None:
    """Raise StripeError if automatic tax is requested for a customer without a valid tax location."""
    said: list[Fields | None] = [each.get("automatic_tax") for each in (*phases, settings)]
    if any(each and each["enabled"] for each in said):
        automatic_tax.check_location(call, customer)


def settings_of(call: Call, params: PhaseSettings) -> Fields:
    """Return the given settings among those shared by phases and schedules."""
    check_subscription(call, params)
    names = (
        "application_fee_percent", "billing_cycle_anchor", "collection_method", "default_payment_method", "description",
        "invoice_settings", "on_behalf_of", "transfer_data",
    )  # fmt: skip
    said = {name: value_of(getattr(params, name)) for name in names if getattr(params, name) is not UNSET}
    if invoices := said.get("invoice_settings"):
        said["invoice_settings"] = invoices_of(invoices)
    if transfer := said.get("transfer_data"):
        said["transfer_data"] = {"amount_percent": None, **transfer}
    if isinstance(params.billing_thresholds, BillingThresholds):
        said["billing_thresholds"] = params.billing_thresholds.kept
    if taxes := automatic_tax.to_automatic_tax_columns(call, params.automatic_tax):
        kept: Fields = taxes["automatic_tax"] or automatic_tax.OFF
        said["automatic_tax"] = {name: kept[name] for name in ("disabled_reason", "enabled", "liability")}
    return said


def invoices_of(said: Fields) -> Fields:
    """Complete the given invoice settings with defaults."""
    return {"account_tax_ids": None, "days_until_due": None, "issuer": {"type": "self"}, **said}


def _once(call: Call, item: OnceItem, currency: str, at: str) -> Fields:
    data = {"discounts": _discounts(item.discounts), "metadata": value_of(item.metadata or {}), "period": WHOLE_PERIOD}
    tax_rates: list[str] = item.tax_rates if isinstance(item.tax_rates, list) else []
    quantity = item.quantity if isinstance(item.quantity, int) else 1
    price = _once_price(call, item, at)
    check_price_type(price, "one_time", f"{at}[price]")
    check_price_currency(price, currency, f"{at}[price]")
    return {**data, "price": price.id, "quantity": quantity, "tax_rates": tax_rates}


def _once_price(call: Call, item: OnceItem, at: str) -> Price:
    check_one_price(item, at)
    if isinstance(item.price_data, PriceData):
        return price_of(call, item.price_data, f"{at}[price_data]")
    return refer(call, PRICES, str(item.price or ""), f"{at}[price]")


def _discounts(wanted: OptDiscounts) -> list[Fields]:
    given = wanted if isinstance(wanted, list) else []
    return [{name: getattr(each, name) or None for name in DiscountParams.__struct_fields__} for each in given]


def _wanted_item(call: Call, price: Price, item: PhaseItem, at: str) -> Fields:
    quantity = item.quantity if isinstance(item.quantity, int) else None if price.usage_type == "metered" else 1
    rates = tax_rates_of(call, item.tax_rates or [], f"{at}[tax_rates]")
    more: Fields = {"discounts": _discounts(item.discounts), "tax_rates": rates}
    more["billing_thresholds"] = value_of(item.billing_thresholds) if item.billing_thresholds else None
    return {**phase_item(price.id, quantity, value_of(item.metadata or {})), **more}


def phase_item(price: str, quantity: int | None, metadata: Any) -> Fields:
    """Return an item of a phase as stored by schedules; metered items have no quantity."""
    return {
        "billing_thresholds": None,
        "discounts": [],
        "metadata": metadata,
        "price": price,
        "quantity": quantity,
        "tax_rates": [],
    }


def phase_fields(items: Sequence[Fields], start: int, end: int, currency: str) -> Fields:
    """Return a phase with items and times only; all settings are empty."""
    empty = (
        "application_fee_percent", "billing_cycle_anchor", "billing_thresholds", "collection_method",
        "default_payment_method", "description", "invoice_settings", "on_behalf_of", "transfer_data", "trial_end",
    )  # fmt: skip
    return {
        **dict.fromkeys(empty),
        "add_invoice_items": [],
        "currency": currency,
        "default_tax_rates": [],
        "discounts": [],
        "end_date": end,
        "items": list(items),
        "metadata": {},
        "proration_behavior": "create_prorations",
        "start_date": start,
    }


def subscription_params(call: Call, phase: Fields, settings: Fields, customer: str) -> Fields:
    """Return the parameters of a subscription in a phase; `settings` are those of the schedule.

    Automatic tax is off for a customer whose tax location is missing by then:
    https://docs.stripe.com/tax/customer-locations#invoice-finalization-errors
    """
    said: Fields = {**settings, **{name: value for name, value in phase.items() if value is not None}}
    invoices: Fields = said.get("invoice_settings") or {}
    transfer: Fields | None = said.get("transfer_data")
    wanted: Fields = {
        "application_fee_percent": said.get("application_fee_percent"),
        "collection_method": said.get("collection_method"),
        "days_until_due": invoices.get("days_until_due"),
        "default_payment_method": said.get("default_payment_method"),
        "description": said.get("description"),
        "on_behalf_of": said.get("on_behalf_of"),
        "transfer_data": transfer and SubscriptionTransfer(**_drop_nulls(transfer)),
    }
    wanted = {name: value for name, value in wanted.items() if value is not None}
    if thresholds := said.get("billing_thresholds"):
        wanted["billing_thresholds"] = BillingThresholds(**_drop_nulls(thresholds))
    if taxes := said.get("automatic_tax"):
        known = not taxes["enabled"] or automatic_tax.find_tax_location(call, retrieve(call, CUSTOMERS, customer))
        wanted["automatic_tax"] = AutomaticTax(enabled=taxes["enabled"] and bool(known))
    if phase["trial_end"] and phase["trial_end"] > now(call):
        wanted["trial_end"] = str(phase["trial_end"])
    wanted |= {name: phase[name] for name in ("default_tax_rates", "metadata") if phase[name]}
    return {**wanted, "discounts": discount_params(phase["discounts"])}


def _drop_nulls(kept: Fields) -> Fields:
    return {name: value for name, value in kept.items() if value is not None}


def discount_params(kept: Sequence[Fields]) -> list[DiscountParams]:
    """Return the discounts of a phase as parameters."""
    return [DiscountParams(**{name: value or UNSET for name, value in each.items()}) for each in kept]


def accept_phase(call: Call, phase: Fields) -> None:
    """Allow this call to sell the inline prices of a phase."""
    accept_inline(call, [each["price"] for each in (*phase["items"], *phase["add_invoice_items"])])


def once_params(phase: Fields) -> list[OnceItem]:
    """Return the one-time items of a phase as parameters."""
    return [
        OnceItem(
            price=each["price"],
            quantity=each["quantity"],
            discounts=discount_params(each["discounts"]),
            metadata=each["metadata"],
            tax_rates=each["tax_rates"],
        )
        for each in phase["add_invoice_items"]
    ]
