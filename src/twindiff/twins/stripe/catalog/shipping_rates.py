"""Shipping rates: costs and delivery estimates of shipping options.

https://docs.stripe.com/api/shipping_rates
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Meta, Operations, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.currencies import parse_currency
from ..core.events import update
from ..core.objects import Fields, StripeObject, build_view, new, resource, retrieve
from ..core.pagination import equal, list_of, to_range_conditions
from ..core.params import (
    Integer,
    ListParams,
    NestedParams,
    OptBool,
    OptMetadata,
    OptName,
    OptRange,
    OptText,
    Params,
    collect_params,
    merge_metadata,
    value_of,
)
from .prices import check_keys

api = Operations(prefix="/v1/shipping_rates")

TaxBehavior = Literal["exclusive", "inclusive", "unspecified"]


class ShippingRate(StripeObject, table="shipping_rates", key=("id",), unique=(("seq",),)):
    active: Column[bool] = column(default=True)
    currency: Column[str]
    delivery_estimate: Column[Json] = column(default=None)
    display_name: Column[str]
    fixed_amount: Column[Json]
    metadata: Column[Json] = column(default={})
    tax_behavior: Column[str] = column(default="unspecified")
    tax_code: Column[str | None] = column(default=None)
    type: Column[str] = column(default="fixed_amount")


shipping_rate_object = build_view(ShippingRate, "shipping_rate", "currency")
SHIPPING_RATES = resource(
    ShippingRate, "shipping_rate", "shr_", shipping_rate_object, spoken="shipping rate", param="shipping_rate_token"
)


class CurrencyOption(NestedParams):
    """The cost in another currency."""

    amount: Annotated[int, Meta(ge=0)]
    tax_behavior: TaxBehavior | UnsetType = UNSET


class FixedAmount(NestedParams):
    """The cost in the main currency, and optionally in others."""

    amount: Integer
    currency: str
    currency_options: dict[str, CurrencyOption] | UnsetType = UNSET


class Duration(NestedParams):
    """The duration of a delivery."""

    unit: Literal["business_day", "day", "hour", "month", "week"]
    value: Integer


class Estimate(NestedParams):
    """The minimum and maximum duration of a delivery."""

    maximum: Duration | UnsetType = UNSET
    minimum: Duration | UnsetType = UNSET


class RateData(NestedParams, kw_only=True):
    """An inline shipping rate."""

    longest: ClassVar = {"display_name": 100}

    display_name: str
    delivery_estimate: Estimate | UnsetType = UNSET
    fixed_amount: FixedAmount | UnsetType = UNSET
    metadata: OptMetadata = UNSET
    tax_behavior: TaxBehavior | UnsetType = UNSET
    tax_code: OptText = UNSET
    type: Literal["fixed_amount"] | UnsetType = UNSET


class CreateRate(RateData, kw_only=True):
    """The parameters of a new rate."""

    expand: list[str] | UnsetType = UNSET


class UpdateAmount(NestedParams):
    """The cost in other currencies."""

    currency_options: dict[str, CurrencyOption] | UnsetType = UNSET


class UpdateRate(Params):
    """The parameters of an update."""

    active: OptBool = UNSET
    fixed_amount: UpdateAmount | UnsetType = UNSET
    metadata: OptMetadata = UNSET
    tax_behavior: TaxBehavior | UnsetType = UNSET


class ListRates(ListParams):
    """The parameters of a list of rates."""

    active: OptBool = UNSET
    created: OptRange = UNSET
    currency: OptName = UNSET


@api.post("")
def create_shipping_rate(call: Call, params: Annotated[CreateRate, Body]) -> Fields:
    """Create a shipping rate."""
    return shipping_rate_object(make_rate(call, params))


def make_rate(call: Call, params: RateData, at: str = "") -> ShippingRate:
    """Create a rate from parameters; `at` is the name of the parameter that holds them."""
    param = f"{at}[fixed_amount]" if at else "fixed_amount"
    cost = params.fixed_amount
    if not isinstance(cost, FixedAmount):
        raise StripeError(f"Missing required param: {param}.", code="parameter_missing", param=param)
    currency = parse_currency(cost.currency, f"{param}[currency]")
    if cost.amount < 0:
        message = "This value must be greater than or equal to 0."
        raise StripeError(message, code="parameter_invalid_integer", param=f"{param}[amount]")
    if isinstance(cost.currency_options, dict):
        check_keys(cost.currency_options)
    fields = collect_params(params, "fixed_amount")
    fields["fixed_amount"] = {**value_of(cost), "currency": currency}
    if estimate := fields.get("delivery_estimate"):
        fields["delivery_estimate"] = {**dict.fromkeys(Estimate.__struct_fields__), **estimate}
    metadata = merge_metadata({}, params.metadata)
    return new(call, SHIPPING_RATES, **fields, currency=currency, metadata=metadata)


@api.get("/{id}")
def retrieve_shipping_rate(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a shipping rate."""
    return shipping_rate_object(retrieve(call, SHIPPING_RATES, id))


@api.post("/{id}")
def update_shipping_rate(call: Call, id: str, params: Annotated[UpdateRate, Body]) -> Fields:
    """Update whether a rate is active, its cost in other currencies, or its metadata."""
    row = retrieve(call, SHIPPING_RATES, id)
    fields = collect_params(params, "fixed_amount")
    if isinstance(params.fixed_amount, UpdateAmount) and isinstance(params.fixed_amount.currency_options, dict):
        options = params.fixed_amount.currency_options
        check_keys(options)
        fields["fixed_amount"] = {**row.fixed_amount, "currency_options": {**_options(row), **value_of(options)}}
    metadata = merge_metadata(row.metadata, params.metadata)
    return shipping_rate_object(update(call, SHIPPING_RATES, row, False, **fields, metadata=metadata))


def _options(row: ShippingRate) -> Fields:
    return row.fixed_amount.get("currency_options") or {}


@api.get("")
def list_shipping_rates(call: Call, params: Annotated[ListRates, Body]) -> Fields:
    """List shipping rates."""
    where = to_range_conditions(ShippingRate.created, params.created)
    where += equal((ShippingRate.active, params.active), (ShippingRate.currency, params.currency))
    return list_of(call, SHIPPING_RATES, params, "/v1/shipping_rates", *where)


def cost_of(option: Fields) -> Fields:
    """Return the `shipping_cost` of an option: subtotal, tax of 0 and total, and its `shipping_rate`."""
    amount = option["shipping_amount"]
    return {
        "amount_subtotal": amount,
        "amount_tax": 0,
        "amount_total": amount,
        "shipping_rate": option["shipping_rate"],
    }
