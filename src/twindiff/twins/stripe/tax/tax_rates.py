"""Tax rates, inclusive or exclusive, of invoice lines.

https://docs.stripe.com/api/tax_rates
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from decimal import Decimal
from typing import Annotated, ClassVar, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.events import record, update
from ..core.objects import Fields, StripeObject, build_view, new, refer, resource, retrieve
from ..core.pagination import equal, list_of, to_range_conditions
from ..core.params import (
    ListParams,
    OptBool,
    OptMetadata,
    OptName,
    OptRange,
    OptText,
    Params,
    check_country,
    check_percentage,
    collect_params,
    merge_metadata,
)

api = Operations(prefix="/v1/tax_rates")

TaxType = Literal[
    "amusement_tax", "communications_tax", "gst", "hst", "igst", "jct", "lease_tax", "mass_transit_parking_tax",
    "parking_tax", "pst", "qst",
    "retail_delivery_fee", "rst", "sales_tax", "service_tax", "vat",
]  # fmt: skip


class TaxRate(StripeObject, table="tax_rates", key=("id",), unique=(("seq",),)):
    active: Column[bool] = column(default=True)
    country: Column[str | None] = column(default=None)
    description: Column[str | None] = column(default=None)
    display_name: Column[str]
    inclusive: Column[bool]
    jurisdiction: Column[str | None] = column(default=None)
    jurisdiction_level: Column[str | None] = column(default=None, derived=True)
    """The jurisdiction level of rates created by automatic tax."""
    metadata: Column[Json] = column(default={})
    percentage: Column[float]
    state: Column[str | None] = column(default=None)
    tax_type: Column[str | None] = column(default=None)


tax_rate_object = build_view(
    TaxRate,
    "tax_rate",
    effective_percentage=TaxRate.percentage,
    flat_amount=None,
    rate_type="percentage",
)
TAX_RATES = resource(TaxRate, "tax_rate", "txr_", tax_rate_object, param="tax_rate")


class TaxRateParams(Params, kw_only=True):
    """Parameters shared by the create and update operations."""

    longest: ClassVar = {"display_name": 50, "jurisdiction": 50, "state": 2}

    active: OptBool = UNSET
    country: OptText = UNSET
    description: OptText = UNSET
    jurisdiction: OptText = UNSET
    metadata: OptMetadata = UNSET
    state: OptText = UNSET
    tax_type: TaxType | UnsetType = UNSET


class CreateTaxRate(TaxRateParams):
    """The parameters of a new tax rate."""

    display_name: str
    inclusive: bool
    percentage: float


class UpdateTaxRate(TaxRateParams):
    """The parameters of an update."""

    display_name: OptName = UNSET


class ListTaxRates(ListParams):
    """The parameters of a list of tax rates."""

    active: OptBool = UNSET
    created: OptRange = UNSET
    inclusive: OptBool = UNSET


@api.post("")
def create_tax_rate(call: Call, params: Annotated[CreateTaxRate, Body]) -> Fields:
    """Create a tax rate."""
    check_percentage(params.percentage, 0, "percentage")
    _check_decimals(params.percentage)
    if params.country:
        check_country(params.country, "country")
    made = new(call, TAX_RATES, **collect_params(params), metadata=merge_metadata({}, params.metadata))
    record(call, "tax_rate.created", tax_rate_object(made))
    return tax_rate_object(made)


def _check_decimals(percentage: float) -> None:
    if -int(Decimal(str(percentage)).as_tuple().exponent) > 4:
        message = f"Invalid decimal: {percentage}; must contain at maximum four decimal places."
        raise StripeError(message, param="percentage")


@api.get("/{tax_rate}")
def retrieve_tax_rate(call: Call, tax_rate: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a tax rate."""
    return tax_rate_object(retrieve(call, TAX_RATES, tax_rate))


@api.post("/{tax_rate}")
def update_tax_rate(call: Call, tax_rate: str, params: Annotated[UpdateTaxRate, Body]) -> Fields:
    """Update the mutable fields of a tax rate; its percentage is fixed."""
    row = retrieve(call, TAX_RATES, tax_rate)
    metadata = merge_metadata(row.metadata, params.metadata)
    return tax_rate_object(update(call, TAX_RATES, row, **collect_params(params), metadata=metadata))


@api.get("")
def list_tax_rates(call: Call, params: Annotated[ListTaxRates, Body]) -> Fields:
    """List tax rates."""
    where = to_range_conditions(TaxRate.created, params.created)
    where += equal((TaxRate.active, params.active), (TaxRate.inclusive, params.inclusive))
    return list_of(call, TAX_RATES, params, "/v1/tax_rates", *where)


def tax_rates_of(call: Call, ids: list[str], param: str) -> list[str]:
    """Return the ids; raises StripeError for missing or archived tax rates."""
    for number, id in enumerate(ids):
        if not refer(call, TAX_RATES, id, f"{param}[{number}]").active:
            raise StripeError(f"The tax rate {id} is archived and cannot be used.", param=f"{param}[{number}]")
    return ids


def fill_tax_rates(call: Call, objects: list[Fields]) -> None:
    """Replace tax rate ids by tax rates, in each field that holds them."""
    if ids := {id for each in objects for name in _HOLDING for id in each.get(name) or ()}:
        put_tax_rates(objects, rates_of(call, ids))


def rates_of(call: Call, ids: Collection[str]) -> list[TaxRate]:
    """Return the tax rates with the given ids."""
    return call.db.rows(TaxRate, TaxRate.id.in_(list(ids))) if ids else []


def put_tax_rates(objects: Iterable[Fields], rates: Iterable[TaxRate]) -> None:
    """Replace tax rate ids by the given tax rates; other ids are removed."""
    by_id = {row.id: tax_rate_object(row) for row in rates}
    for each in objects:
        for name in _HOLDING:
            if each.get(name):
                each[name] = [by_id[id] for id in each[name] if id in by_id]


_HOLDING = ("tax_rates", "default_tax_rates")
"""Fields that hold tax rates."""
