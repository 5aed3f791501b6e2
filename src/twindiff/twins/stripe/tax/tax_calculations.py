"""Tax calculations for sales, in the places where the account is registered.

https://docs.stripe.com/api/tax/calculations
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

from twindiff.kit import UNSET, Body, Call, Column, Json, Meta, Operations, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..catalog.product_tables import PRODUCTS
from ..catalog.shipping_rates import SHIPPING_RATES
from ..core.currencies import parse_currency
from ..core.objects import LEFT_OUT, Fields, StripeObject, build_view, new, now, refer, resource, retrieve
from ..core.params import (
    NO_HEAD_OFFICE,
    Address,
    Integer,
    ListParams,
    NestedParams,
    OptInteger,
    OptName,
    OptText,
    Params,
    check_country,
    merge_metadata,
    value_of,
)
from ..tables.customer_tables import CUSTOMERS
from .tax_codes import ELECTRONIC, NONTAXABLE, SHIPPING, check_tax_code
from .tax_id_types import check_tax_id
from .tax_line_items import LINES, lines_within, list_lines
from .tax_rules import SPOKEN, Tax, part_of, to_taxable_address
from .tax_settings import TaxSettings, is_inclusive, rule_for, settings_now

api = Operations(prefix="/v1/tax/calculations")

LIFE = 90 * 86400

Behavior = Literal["exclusive", "inclusive"]


class TaxCalculation(StripeObject, table="tax_calculations", key=("id",), unique=(("seq",),)):
    amount_total: Column[int]
    currency: Column[str]
    customer: Column[str | None] = column(default=None)
    customer_details: Column[Json]
    expires_at: Column[int]
    ship_from_details: Column[Json] = column(default=None)
    shipping_cost: Column[Json] = column(default=None)
    tax_amount_exclusive: Column[int]
    tax_amount_inclusive: Column[int]
    tax_breakdown: Column[Json]
    tax_date: Column[int]


CALCULATIONS = resource(
    TaxCalculation,
    "tax.calculation",
    "taxcalc_",
    build_view(TaxCalculation, "tax.calculation", created=LEFT_OUT),
    spoken="tax calculation",
    param="calculation",
    includes={"line_items": lines_within},
)


class TaxNumber(NestedParams):
    """A tax id of the customer."""

    type: str
    value: str


class CustomerDetails(NestedParams):
    """The customer's address and tax status."""

    address: Address | UnsetType = UNSET
    address_source: Literal["billing", "shipping"] | UnsetType = UNSET
    ip_address: OptText = UNSET
    tax_ids: list[TaxNumber] | UnsetType = UNSET
    taxability_override: Literal["customer_exempt", "none", "reverse_charge"] | UnsetType = UNSET


class LineItem(NestedParams, kw_only=True):
    """A sold item."""

    amount: Integer
    metadata: dict[str, str] | UnsetType = UNSET
    product: OptName = UNSET
    quantity: Annotated[int, Meta(ge=1)] | UnsetType = UNSET
    reference: OptText = UNSET
    tax_behavior: Behavior | UnsetType = UNSET
    tax_code: OptText = UNSET


class ShipFrom(NestedParams):
    """The address of dispatch."""

    address: Address


class ShippingCost(NestedParams):
    """The shipping cost."""

    amount: OptInteger = UNSET
    shipping_rate: OptName = UNSET
    tax_behavior: Behavior | UnsetType = UNSET
    tax_code: OptText = UNSET


class CreateCalculation(Params, kw_only=True):
    """The parameters of a calculation."""

    currency: str
    line_items: list[LineItem]
    customer: OptName = UNSET
    customer_details: CustomerDetails | UnsetType = UNSET
    ship_from_details: ShipFrom | UnsetType = UNSET
    shipping_cost: ShippingCost | UnsetType = UNSET
    tax_date: OptInteger = UNSET


class TaxedAmount(NamedTuple):
    """An amount with its tax."""

    amount: int
    tax: int
    inclusive: bool
    rule: Tax

    @property
    def behavior(self) -> Behavior:
        """The tax behavior: `inclusive` or `exclusive`."""
        return "inclusive" if self.inclusive else "exclusive"


@api.post("")
def create_calculation(call: Call, params: Annotated[CreateCalculation, Body]) -> Fields:
    """Calculate the taxes on a sale, without recording it."""
    currency, settings = parse_currency(params.currency), settings_now(call)
    if not params.line_items:
        raise _lacking("line_items")
    if not settings.head_office and params.ship_from_details is UNSET:
        raise StripeError(NO_HEAD_OFFICE)
    details = _details(call, params)
    numbers = [each["type"] for each in details["tax_ids"]]
    rule = rule_for(call, details["address"], details["taxability_override"], numbers)
    codes = [_code(call, settings, each, f"line_items[{n}]") for n, each in enumerate(params.line_items)]
    taxed = [_compute_tax(each.amount, is_inclusive(settings, each.tax_behavior or None, currency), code, rule)
             for each, code in zip(params.line_items, codes, strict=True)]  # fmt: skip
    shipping = _shipping(call, settings, params.shipping_cost, rule, currency)
    everything = [*taxed, shipping] if shipping else taxed
    made = new(
        call,
        CALCULATIONS,
        currency=currency,
        customer=params.customer or None,
        customer_details=details,
        expires_at=now(call) + LIFE,
        ship_from_details=value_of(params.ship_from_details) if params.ship_from_details is not UNSET else None,
        shipping_cost=_shipping_object(params.shipping_cost, shipping),
        tax_date=params.tax_date if isinstance(params.tax_date, int) else now(call),
        **_sums(everything, details["address"]),
    )
    for number, (item, code, each) in enumerate(zip(params.line_items, codes, taxed, strict=True)):
        _write_line(call, made, item, code, each, number)
    return CALCULATIONS.show(made)


def _write_line(call: Call, made: TaxCalculation, item: LineItem, code: str, taxed: TaxedAmount, number: int) -> None:
    metadata = merge_metadata({}, item.metadata, f"line_items[{number}][metadata]")
    new(
        call,
        LINES,
        parent=made.id,
        amount=item.amount,
        amount_tax=taxed.tax,
        metadata=metadata if item.metadata is not UNSET else None,
        product=item.product or None,
        quantity=item.quantity or 1,
        reference=item.reference or f"L{number + 1}",
        tax_behavior=taxed.behavior,
        tax_breakdown=[_of_line(taxed, made.customer_details["address"])],
        tax_code=code,
    )


def _details(call: Call, params: CreateCalculation) -> Fields:
    """Return the customer details of a calculation: the given ones, or those of the customer."""
    said = params.customer_details if isinstance(params.customer_details, CustomerDetails) else CustomerDetails()
    if not params.customer and params.customer_details is UNSET:
        raise _lacking("customer_details")
    address, source = _place(call, params.customer or None, said)
    if not address.get("country"):
        raise _lacking("customer_details[address][country]")
    check_country(address["country"], "customer_details[address][country]")
    place = to_taxable_address(address)
    if place is None:
        message = "We could not determine the customer's tax location based on the provided customer address."
        raise StripeError(message, code="customer_tax_location_invalid", param="customer_details[address]")
    if source is None:
        raise _lacking("customer_details[address_source]")
    for number, each in enumerate(said.tax_ids or ()):
        check_tax_id(each.type, each.value, f"customer_details[tax_ids][{number}]")
    return {
        "address": place,
        "address_source": source,
        "ip_address": said.ip_address or None,
        "tax_ids": value_of(said.tax_ids or []),
        "taxability_override": said.taxability_override or "none",
    }


def _place(call: Call, id: str | None, said: CustomerDetails) -> tuple[Fields, str | None]:
    """Return the customer's address, and its source: `shipping` or `billing`."""
    customer = refer(call, CUSTOMERS, id, "customer") if id else None
    if said.address or customer is None:
        return value_of(said.address) if said.address else {}, said.address_source or None
    shipping: Fields = customer.shipping or {}
    if shipping.get("address"):
        return shipping["address"], "shipping"
    return customer.address or {}, "billing"


def _lacking(name: str) -> StripeError:
    return StripeError(f"Missing required param: {name}.", code="parameter_missing", param=name)


def _code(call: Call, settings: TaxSettings, item: LineItem, at: str) -> str:
    """Return the tax code of a line, of its product, or the account's default."""
    code = item.tax_code
    if item.product:
        code = code or refer(call, PRODUCTS, str(item.product), f"{at}[product]").tax_code
    code = str(code or settings.defaults.get("tax_code") or ELECTRONIC)
    check_tax_code(code, f"{at}[tax_code]")
    return code


def _compute_tax(amount: int, inclusive: bool, code: str, rule: Tax) -> TaxedAmount:
    if code == NONTAXABLE:
        rule = Tax(rule.kind, "0", "product_exempt")
    return TaxedAmount(amount, part_of(amount, rule.percentage, inclusive=inclusive), inclusive, rule)


def _shipping(
    call: Call, settings: TaxSettings, wanted: ShippingCost | UnsetType, rule: Tax, currency: str
) -> TaxedAmount | None:
    if not isinstance(wanted, ShippingCost):
        return None
    amount = wanted.amount
    if wanted.shipping_rate:
        rate = refer(call, SHIPPING_RATES, str(wanted.shipping_rate), "shipping_cost[shipping_rate]")
        amount = rate.fixed_amount["amount"]
    if not isinstance(amount, int):
        raise _lacking("shipping_cost[amount]")
    code = str(wanted.tax_code or SHIPPING)
    check_tax_code(code, "shipping_cost[tax_code]")
    return _compute_tax(amount, is_inclusive(settings, wanted.tax_behavior or None, currency), code, rule)


def _shipping_object(wanted: ShippingCost | UnsetType, taxed: TaxedAmount | None) -> Fields | None:
    if not isinstance(wanted, ShippingCost) or taxed is None:
        return None
    amounts = {"amount": taxed.amount, "amount_tax": taxed.tax}
    rate = {"shipping_rate": wanted.shipping_rate} if wanted.shipping_rate else {}
    return {**amounts, **rate, "tax_behavior": taxed.behavior, "tax_code": wanted.tax_code or SHIPPING}


def _sums(everything: Sequence[TaxedAmount], address: Fields) -> Fields:
    exclusive = sum(each.tax for each in everything if not each.inclusive)
    alike: dict[tuple[bool, Tax], list[TaxedAmount]] = {}
    for each in everything:
        alike.setdefault((each.inclusive, each.rule), []).append(each)
    return {
        "amount_total": sum(each.amount for each in everything) + exclusive,
        "tax_amount_exclusive": exclusive,
        "tax_amount_inclusive": sum(each.tax for each in everything if each.inclusive),
        "tax_breakdown": [_of_all(some, address) for some in alike.values()],
    }


def _of_all(some: Sequence[TaxedAmount], address: Fields) -> Fields:
    """Return the breakdown of amounts taxed alike."""
    inclusive, rule, tax = some[0].inclusive, some[0].rule, sum(each.tax for each in some)
    return {
        "amount": tax,
        "inclusive": inclusive,
        "tax_rate_details": {
            "country": address["country"],
            "flat_amount": None,
            "percentage_decimal": _decimal(rule),
            "rate_type": "percentage",
            "state": address.get("state") if address["country"] == "US" else None,
            "tax_type": rule.kind,
        },
        "taxability_reason": rule.reason,
        "taxable_amount": _taxable(some),
    }


def _of_line(taxed: TaxedAmount, address: Fields) -> Fields:
    """Return the breakdown of a line."""
    country, state = address["country"], address.get("state")
    in_state = country == "US"
    details = {"display_name": SPOKEN[taxed.rule.kind], "percentage_decimal": _decimal(taxed.rule)}
    return {
        "amount": taxed.tax,
        "jurisdiction": {
            "country": country,
            "display_name": state if in_state else country,
            "level": "state" if in_state else "country",
            "state": state if in_state else None,
        },
        "sourcing": "destination",
        "tax_rate_details": {**details, "tax_type": taxed.rule.kind} if taxed.rule.percentage != "0" else None,
        "taxability_reason": taxed.rule.reason,
        "taxable_amount": _taxable([taxed]),
    }


def _taxable(some: Sequence[TaxedAmount]) -> int:
    """Return the taxable amount, which is 0 if no tax is due."""
    if some[0].rule.percentage == "0":
        return 0
    return sum(each.amount - (each.tax if each.inclusive else 0) for each in some)


def _decimal(rule: Tax) -> str:
    return rule.percentage if "." in rule.percentage else f"{rule.percentage}.0"


@api.get("/{calculation}")
def retrieve_calculation(call: Call, calculation: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a calculation."""
    return CALCULATIONS.show(retrieve(call, CALCULATIONS, calculation))


@api.get("/{calculation}/line_items")
def list_calculation_lines(call: Call, calculation: str, params: Annotated[ListParams, Body]) -> Fields:
    """List the lines of a calculation."""
    return list_lines(call, retrieve(call, CALCULATIONS, calculation).id, params)
