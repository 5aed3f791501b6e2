"""Form fields of a checkout session besides the card: addresses, shipping options and custom fields.

https://docs.stripe.com/payments/collect-addresses, https://docs.stripe.com/payments/checkout/custom-components
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import Any, Literal

from twindiff.kit import UNSET, Call, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ..catalog.shipping_rates import SHIPPING_RATES, RateData, ShippingRate, cost_of, make_rate
from ..core.currencies import format_amount
from ..core.objects import Fields, refer, retrieve
from ..core.params import NestedParams, OptBool, OptInteger, OptText, check_country, value_of
from ..hosted_pages.html_pages import CardForm
from ..tax.tax_rules import to_taxable_address

MAX_CUSTOM_FIELDS = 3
MAX_SHIPPING_OPTIONS = 5
_KEY = re.compile(r"[a-zA-Z0-9]{1,200}")
_ADDRESS = {
    "line1": "Address",
    "line2": "Address line 2",
    "city": "City",
    "state": "State",
    "postal_code": "Postal code",
}


class AddressCollection(NestedParams):
    """The countries that can be shipped to."""

    allowed_countries: list[str]


class ShippingOption(NestedParams):
    """A shipping option: an existing rate, or an inline one."""

    shipping_rate: OptText = UNSET
    shipping_rate_data: RateData | UnsetType = UNSET


class Label(NestedParams):
    """The label of a custom field."""

    custom: str
    type: Literal["custom"]


class Choice(NestedParams):
    """An option of a dropdown field."""

    label: str
    value: str


class Choices(NestedParams):
    """The options of a dropdown field."""

    options: list[Choice]
    default_value: OptText = UNSET


class FieldLimits(NestedParams):
    """Minimum and maximum length of a custom field."""

    default_value: OptText = UNSET
    maximum_length: OptInteger = UNSET
    minimum_length: OptInteger = UNSET


class CustomField(NestedParams, kw_only=True):
    """A custom field."""

    key: str
    label: Label
    type: Literal["dropdown", "numeric", "text"]
    dropdown: Choices | UnsetType = UNSET
    numeric: FieldLimits | UnsetType = UNSET
    optional: OptBool = UNSET
    text: FieldLimits | UnsetType = UNSET


class SessionForm(CardForm, kw_only=True):
    """The submitted form of a session's page."""

    promotion_code: OptText = UNSET
    shipping: dict[str, str] | UnsetType = UNSET
    shipping_rate: OptText = UNSET
    custom: dict[str, str] | UnsetType = UNSET
    billing: dict[str, str] | UnsetType = UNSET
    optional: dict[str, str] | UnsetType = UNSET
    phone: OptText = UNSET
    terms: OptText = UNSET


# Fields of the session


def shipping_fields(call: Call, wanted: list[ShippingOption], currency: str) -> Fields:
    """Return the columns `shipping_options` and `shipping_cost` of a session; the first option is the default."""
    if len(wanted) > MAX_SHIPPING_OPTIONS:
        raise StripeError(f"You can have up to {MAX_SHIPPING_OPTIONS} shipping options.", param="shipping_options")
    rates = [_rate(call, each, f"shipping_options[{n}]", currency) for n, each in enumerate(wanted)]
    if not rates:
        return {}
    options = [{"shipping_amount": rate.fixed_amount["amount"], "shipping_rate": rate.id} for rate in rates]
    return {"shipping_options": options, "shipping_cost": cost_of(options[0])}


def _rate(call: Call, wanted: ShippingOption, at: str, currency: str) -> ShippingRate:
    if isinstance(wanted.shipping_rate_data, RateData):
        rate = make_rate(call, wanted.shipping_rate_data, f"{at}[shipping_rate_data]")
    else:
        rate = refer(call, SHIPPING_RATES, str(wanted.shipping_rate or ""), f"{at}[shipping_rate]")
    if not rate.active:
        raise StripeError(f"The shipping rate {rate.id} is not active.", param=f"{at}[shipping_rate]")
    if rate.currency != currency:
        message = f"The shipping rate is in {rate.currency}, but the line items are in {currency}."
        raise StripeError(message, param=at)
    return rate


def custom_fields(wanted: list[CustomField]) -> list[Fields]:
    """Return the custom fields as sessions show them; raises StripeError for invalid ones."""
    if len(wanted) > MAX_CUSTOM_FIELDS:
        raise StripeError(f"You can have up to {MAX_CUSTOM_FIELDS} custom fields.", param="custom_fields")
    for number, field in enumerate(wanted):
        _check_field(field, {each.key for each in wanted[:number]}, f"custom_fields[{number}]")
    return [_render_custom_field(field) for field in wanted]


def _check_field(field: CustomField, others: set[str], at: str) -> None:
    if not _KEY.fullmatch(field.key) or field.key in others:
        message = "The key must be unique to this field and alphanumeric, up to 200 characters."
        raise StripeError(message, param=f"{at}[key]")
    if not 0 < len(field.label.custom) <= 50:
        raise StripeError("The label must have up to 50 characters.", param=f"{at}[label][custom]")
    if field.type == "dropdown" and not (isinstance(field.dropdown, Choices) and field.dropdown.options):
        raise StripeError(f"Missing required param: {at}[dropdown].", code="parameter_missing", param=f"{at}[dropdown]")


def _render_custom_field(field: CustomField) -> Fields:
    limits: Fields = {"default_value": None, "maximum_length": None, "minimum_length": None}
    if field.type == "dropdown":
        limits = {"default_value": None}
    holder = {"dropdown": field.dropdown, "numeric": field.numeric, "text": field.text}[field.type]
    said: Fields = value_of(holder) if holder is not UNSET else {}
    empty = dict.fromkeys(("dropdown", "numeric", "text"))
    shared = {"key": field.key, "label": value_of(field.label), "optional": field.optional is True, "type": field.type}
    return {**shared, **empty, field.type: {**limits, **said, "value": None}}


# Input of the customer


def shipping_details(form: SessionForm, allowed: list[str]) -> Fields:
    """Return `name` and `address` of the recipient.

    Raises StripeError if they are incomplete, or if the country is not in `allowed`.
    """
    typed: dict[str, str] = form.shipping or {}
    country = typed.get("country", "")
    if not (typed.get("name") and typed.get("line1") and country):
        raise StripeError("Your shipping address is incomplete.", param="shipping")
    if country not in allowed:
        raise StripeError("This shop does not ship to your country.", param="shipping[country]")
    address = {name: typed.get(name) or None for name in (*_ADDRESS, "country")}
    return {"address": address, "name": typed["name"]}


def find_shipping_option(options: list[Fields], rate: str) -> Fields:
    """Return the selected shipping option; raises StripeError for an unknown one."""
    matches = [option for option in options if option["shipping_rate"] == rate]
    if not matches:
        raise StripeError("Choose one of the ways of shipping.", param="shipping_rate")
    return matches[0]


def fill_custom_fields(fields: list[Fields], typed: dict[str, str]) -> list[Fields]:
    """Return the custom fields with the submitted values; raises StripeError for invalid ones."""
    return [{**each, each["type"]: {**each[each["type"]], "value": _value(each, typed)}} for each in fields]


def _value(field: Fields, typed: dict[str, str]) -> str | None:
    value, name, limits = typed.get(field["key"], "").strip(), field["label"]["custom"], field[field["type"]]
    if not value:
        if field["optional"]:
            return None
        raise StripeError(f"{name} is required.", param=f"custom[{field['key']}]")
    least, most = limits.get("minimum_length") or 0, limits.get("maximum_length") or 255
    fits = least <= len(value) <= most and (field["type"] != "numeric" or value.isdecimal())
    if field["type"] == "dropdown":
        fits = value in [option["value"] for option in limits["options"]]
    if not fits:
        raise StripeError(f"{name} is invalid.", param=f"custom[{field['key']}]")
    return value


def billing_address(form: SessionForm) -> Fields:
    """Return the submitted billing address; raises StripeError if it is insufficient to calculate taxes."""
    typed: dict[str, str] = form.billing or {}
    if to_taxable_address(typed) is None:
        raise StripeError("Your billing address is incomplete.", param="billing")
    check_country(typed["country"], "billing[country]")
    return {name: typed.get(name) or None for name in (*_ADDRESS, "country")}


# Inputs of the page


def billing_inputs() -> str:
    """Return the HTML inputs of the billing address."""
    parts = [_input(f"billing[{name}]", label, required=False) for name, label in _ADDRESS.items()]
    return _input("billing[country]", "Country (two letters)") + "".join(parts)


def inputs(call: Call, fields: list[Fields], options: list[Fields], countries: list[str], currency: str) -> str:
    """Return the HTML inputs of the shipping address, shipping options and custom fields."""
    parts: list[str] = []
    if countries:
        parts.append(_input("shipping[name]", "Recipient"))
        parts += [_input(f"shipping[{name}]", label, name == "line1") for name, label in _ADDRESS.items()]
        parts.append(_select("shipping[country]", "Country", [(each, each) for each in countries]))
    if options:
        parts.append(
            _select("shipping_rate", "Shipping", [_to_select_option(call, each, currency) for each in options])
        )
    parts += [_custom(field) for field in fields]
    return "".join(parts)


def _to_select_option(call: Call, option: Fields, currency: str) -> tuple[str, str]:
    rate = retrieve(call, SHIPPING_RATES, option["shipping_rate"])
    return rate.id, f"{rate.display_name} ({format_amount(option['shipping_amount'], currency)})"


def _custom(field: Fields) -> str:
    name, label, limits = f"custom[{field['key']}]", field["label"]["custom"], field[field["type"]]
    if field["type"] != "dropdown":
        return _input(name, label, not field["optional"], limits.get("default_value") or "")
    none = [("", "")] if field["optional"] else []
    return _select(name, label, none + [(each["value"], each["label"]) for each in limits["options"]])


def _input(name: str, label: str, required: bool = True, value: str = "") -> str:
    needed = " required" if required else ""
    return f'<label>{escape(label)} <input name="{escape(name)}" value="{escape(value)}"{needed}></label>'


def _select(name: str, label: str, choices: Sequence[tuple[str, Any]]) -> str:
    options = "".join(f'<option value="{escape(value)}">{escape(said)}</option>' for value, said in choices)
    return f'<label>{escape(label)} <select name="{escape(name)}">{options}</select></label>'
