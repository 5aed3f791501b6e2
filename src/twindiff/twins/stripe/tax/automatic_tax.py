"""Automatic tax: Stripe Tax on invoices, subscriptions, quotes, payment links and checkout sessions.

It uses the settings, registrations and rules of tax calculations. Each tax on a line refers to a tax rate, which is
created on first use and is always inactive.

https://docs.stripe.com/tax/invoicing, https://docs.stripe.com/tax/customer-locations
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from twindiff.kit import UNSET, Call, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ..catalog.price_calculation import Tax
from ..catalog.prices import Price
from ..catalog.product_tables import Product
from ..catalog.shipping_rates import SHIPPING_RATES
from ..core.objects import INCLUDES, Fields, find, new, retrieve
from ..core.params import NO_HEAD_OFFICE, AutomaticTax
from ..tables.customer_tables import CUSTOMERS, Customer
from ..tables.payment_method_tables import METHODS
from .tax_codes import ELECTRONIC, NONTAXABLE, SHIPPING
from .tax_rates import TAX_RATES, TaxRate
from .tax_rules import SPOKEN, part_of, to_taxable_address
from .tax_rules import Tax as Rule
from .tax_settings import is_inclusive, rule_for, settings_now

OFF: Fields = {"disabled_reason": None, "enabled": False, "liability": None, "provider": None, "status": None}
ON: Fields = {**OFF, "enabled": True, "liability": {"type": "self"}, "provider": "stripe"}
EXEMPT = {"exempt": "customer_exempt", "reverse": "reverse_charge"}
BEHAVIORS = "https://stripe.com/docs/tax/products-prices-tax-categories-tax-behavior#tax-behavior"


def shown_as(*names: str) -> Callable[[Any], Fields]:
    """Return a function that renders the `automatic_tax` of a row, with the fields in `names`."""

    def view(row: Any) -> Fields:
        kept: Fields = row.automatic_tax or OFF
        return {name: kept[name] for name in names}

    return view


def to_automatic_tax_columns(call: Call, wanted: AutomaticTax | UnsetType) -> Fields:
    """Return the column for the parameter, if given; raises StripeError without a head office."""
    if not isinstance(wanted, AutomaticTax):
        return {}
    if not wanted.enabled:
        return {"automatic_tax": None}
    if not settings_now(call).head_office:
        raise StripeError(NO_HEAD_OFFICE, param="automatic_tax")
    if wanted.liability is not UNSET and wanted.liability.get("type") != "self":
        message = "Taxes of this twin are the shop's own; use `self`."
        raise StripeError(message, param="automatic_tax[liability][type]")
    return {"automatic_tax": ON}


def copy_automatic_tax(row: Any) -> AutomaticTax | UnsetType:
    """Return the parameter that gives another object the automatic tax of this row."""
    return AutomaticTax(enabled=True) if is_on(row) else UNSET


def is_on(row: Any) -> bool:
    """Return whether automatic tax is enabled on a row."""
    return bool(row.automatic_tax and row.automatic_tax["enabled"])


def build_location_error() -> StripeError:
    """Build the error of a customer without a recognized location."""
    message = (
        "The customer's location isn't recognized. "
        "Set a valid customer address in order to automatically calculate tax."
    )
    return StripeError(message, code="customer_tax_location_invalid")


class TaxLocation(NamedTuple):
    """The address by which a customer is taxed, and its source."""

    address: Fields
    source: str


def find_tax_location(call: Call, customer: Customer, method: str | None = None) -> TaxLocation | None:
    """Return the tax location of a customer, or None.

    The shipping address comes first, then the customer's address, then the address or country of the payment method.
    https://docs.stripe.com/tax/customer-locations#address-hierarchy
    """
    shipping: Fields = customer.shipping or {}
    for address, source in ((shipping.get("address"), "shipping_destination"), (customer.address, "billing_address")):
        if address and any(address.values()):
            known = to_taxable_address(address)
            return TaxLocation(known, source) if known else None
    method = method or customer.invoice_settings.get("default_payment_method")
    paid_with = find(call, METHODS, method) if method else None
    if paid_with is None:
        return None
    billing: Fields = paid_with.billing_details.get("address") or {}
    known = to_taxable_address({**billing, "country": billing.get("country") or paid_with.details.get("country")})
    return TaxLocation(known, "payment_method") if known else None


def check_location(call: Call, customer: Customer, method: str | None = None) -> None:
    """Raise StripeError for a customer without a recognized location."""
    if find_tax_location(call, customer, method) is None:
        raise build_location_error()


def check_taxable(call: Call, prices: Iterable[str | None], rates: Sequence[str]) -> None:
    """Raise StripeError for explicit tax rates, or prices without a tax behavior, under automatic tax."""
    if rates:
        message = "Tax rates cannot be set where `automatic_tax[enabled]` is true, which sets them itself."
        raise StripeError(message, param="automatic_tax[enabled]")
    for price in call.db.rows(Price, Price.id.in_([id for id in prices if id])):
        if price.tax_behavior == "unspecified":
            check_default(call, f"The price `{price.id}`")


def check_default(call: Call, spoken: str) -> None:
    """Raise StripeError for a missing tax behavior, unless the settings have a default."""
    if not settings_now(call).defaults.get("tax_behavior"):
        raise StripeError(
            f"{spoken} does not have a `tax_behavior` set which is required for automatic tax computation. Please "
            f"visit {BEHAVIORS} for more information."
        )


class TaxableSale(NamedTuple):
    """An amount to be taxed, its discount, and its price."""

    amount: int
    price: str | None
    product: str | None
    behavior: str | None = None
    """The tax behavior, if no price determines it."""
    code: str | None = None
    """The tax code, if no product determines it."""


def taxes(
    call: Call, place: TaxLocation, customer: Customer | None, sold: Sequence[TaxableSale], currency: str
) -> list[Tax]:
    """Return the tax on each sale to a customer, who may be None."""
    numbers = [each["type"] for each in customer.invoice_tax_ids] if customer else []
    rule = rule_for(call, place.address, EXEMPT.get(customer.tax_exempt, "none") if customer else "none", numbers)
    settings = settings_now(call)
    usual = settings.defaults.get("tax_code") or ELECTRONIC
    prices = Price.id.in_([each.price for each in sold if each.price])
    products = Product.id.in_([each.product for each in sold if each.product])
    behaviors = dict(call.db.rows(Price, prices, columns=(Price.id, Price.tax_behavior)))
    codes = dict(call.db.rows(Product, products, columns=(Product.id, Product.tax_code)))
    made: list[Tax] = []
    for each in sold:
        exempt = (each.code or codes.get(each.product or "") or usual) == NONTAXABLE
        mine = Rule(rule.kind, "0", "product_exempt") if exempt else rule
        inclusive = is_inclusive(settings, each.behavior or behaviors.get(each.price or ""), currency)
        made.append(_tax(call, place.address, mine, each.amount, inclusive=inclusive))
    return made


def tax_on_shipping(call: Call, place: TaxLocation, customer: Customer | None, cost: Fields, currency: str) -> Tax:
    """Return the tax on a shipping cost."""
    rate = retrieve(call, SHIPPING_RATES, cost["shipping_rate"])
    code = rate.tax_code or SHIPPING
    (tax,) = taxes(
        call, place, customer, [TaxableSale(cost["amount_subtotal"], None, None, rate.tax_behavior, code)], currency
    )
    return tax


def shipping_taxed(cost: Fields, tax: Tax | None) -> Fields:
    """Return a shipping cost with the given tax, or with none."""
    added = tax.amount if tax and not tax.inclusive else 0
    return {**cost, "amount_tax": tax.amount if tax else 0, "amount_total": cost["amount_subtotal"] + added}


def _tax(call: Call, address: Fields, rule: Rule, amount: int, *, inclusive: bool) -> Tax:
    tax = part_of(amount, rule.percentage, inclusive=inclusive)
    taxable = amount - (tax if inclusive else 0) if rule.percentage != "0" else 0
    return Tax(_rate(call, address, rule, inclusive=inclusive).id, tax, taxable, inclusive, rule.reason)


def _rate(call: Call, address: Fields, rule: Rule, *, inclusive: bool) -> TaxRate:
    """Return the tax rate of a location, which is created if missing."""
    in_state = address["country"] == "US"
    fields: Fields = {
        "active": False,
        "country": address["country"],
        "display_name": SPOKEN[rule.kind],
        "inclusive": inclusive,
        "jurisdiction": address["state"] if in_state else address["country"],
        "jurisdiction_level": "state" if in_state else "country",
        "percentage": float(rule.percentage),
        "state": address["state"] if in_state else None,
        "tax_type": rule.kind,
    }
    same = [getattr(TaxRate, name) == value for name, value in fields.items()]
    return call.db.find(TaxRate, *same) or new(call, TAX_RATES, **fields)


def _of_customer(call: Call, customer: Fields) -> Fields:
    """Return the `tax` field of a customer, for `expand`."""
    row = retrieve(call, CUSTOMERS, customer["id"])
    place = find_tax_location(call, row)
    if place is None:
        return {"automatic_tax": "unrecognized_location", "ip_address": None, "location": None, "provider": "stripe"}
    rule = rule_for(call, place.address, "none", [])
    location = {"country": place.address["country"], "source": place.source, "state": place.address.get("state")}
    state = "not_collecting" if rule.reason in ("not_collecting", "not_supported") else "supported"
    return {"automatic_tax": state, "ip_address": None, "location": location, "provider": "stripe"}


INCLUDES["customer.tax"] = _of_customer
