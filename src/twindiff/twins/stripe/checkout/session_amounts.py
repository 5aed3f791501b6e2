"""Amounts of a checkout session: items, discounts, taxes and shipping.

https://docs.stripe.com/api/checkout/sessions/object#checkout_session_object-amount_total
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call
from twindiff.twins.stripe.core.wire_style import StripeError

from ..catalog.coupons import COUPONS
from ..catalog.discounts import Discount, discount_object
from ..core.currencies import MIN_CHARGE, check_charge, format_amount
from ..core.objects import Fields, refer, retrieve
from ..sales import sale_amounts, sale_taxes
from ..sales.sale_amounts import SELLERS, AppliedDiscount, Seller, Taxing, compute_item_amounts
from ..sales.sale_items import SaleItem, items_for, prices_for, totals
from ..tables.customer_tables import CUSTOMERS, Customer
from ..tax.automatic_tax import TaxLocation, find_tax_location, is_on
from ..tax.tax_rules import to_taxable_address
from .intent_and_subscription_data import until_anchor
from .session_customers import billing_of, get_shipping_details, keeps
from .sessions import SESSIONS, CheckoutSession


def amounts(call: Call, row: CheckoutSession) -> Fields:
    """Compute the amount columns of a session, its currency and the status of automatic tax.

    The amounts of its items are stored with them; raises StripeError for a total below the minimum charge.
    """
    items = items_for(call, row.id)
    sale_amounts.write_amounts(call, compute_item_amounts(call, items, _off(call, row), _taxing(call, row)))
    taxes: Fields = {}
    if is_on(row):
        place, customer = _place(call, row), _customer(call, row)
        cost = sale_taxes.shipping(call, row.shipping_cost, place, customer, items)
        taxes = {"automatic_tax": sale_taxes.status(row.automatic_tax, place), "shipping_cost": cost}
    sums = totals(due(call, row), taxes.get("shipping_cost", row.shipping_cost))
    if row.mode == "payment" and sums["amount_total"]:
        _check_total(sums["amount_total"], sums["currency"])
    return {**sums, "currency": items[0].currency, **taxes}


def _check_total(amount: int, currency: str) -> None:
    """Raise StripeError for a total that cannot be charged."""
    if amount < MIN_CHARGE.get(currency, 0):
        least = f"{format_amount(MIN_CHARGE[currency], currency)} {currency}"
        message = f"The Checkout Session's total amount due must add up to at least {least}"
        raise StripeError(message, code="amount_too_small")
    check_charge(amount, currency, None)


def due(call: Call, row: CheckoutSession) -> list[SaleItem]:
    """Return the items that are charged at once; during a trial, recurring ones are not."""
    items = items_for(call, row.id)
    said: Fields = row.subscription_data
    if said.get("trial_period_days") or said.get("trial_end"):
        prices = prices_for(call, items)
        items = [item for item in items if prices[item.price].type == "one_time"]
    return compute_item_amounts(call, until_anchor(call, items, said), _off(call, row), _taxing(call, row))


def _off(call: Call, row: CheckoutSession) -> list[AppliedDiscount]:
    given = list[dict[str, Any]](row.discounts)
    return [AppliedDiscount(refer(call, COUPONS, each["coupon"], "coupon"), each) for each in given]


def _taxing(call: Call, row: CheckoutSession) -> Taxing:
    if not is_on(row):
        return sale_amounts.by_rates(call)
    return sale_taxes.by_place(call, _place(call, row), _customer(call, row))


def _customer(call: Call, row: CheckoutSession) -> Customer | None:
    return refer(call, CUSTOMERS, row.customer, "customer") if row.customer else None


def _place(call: Call, row: CheckoutSession) -> TaxLocation | None:
    """Return the tax location: submitted addresses if they are saved to the customer, or else the customer's own."""
    shipping = get_shipping_details(row) if keeps(row, "shipping") else None
    typed = billing_of(row) if keeps(row, "address") else None
    if address := to_taxable_address(shipping["address"] if shipping else typed):
        return TaxLocation(address, "billing_address")
    customer = _customer(call, row)
    return find_tax_location(call, customer) if customer else None


def _items(call: Call, id: str, part: str) -> list[SaleItem]:
    return due(call, retrieve(call, SESSIONS, id))


def _discount(call: Call, id: str, given: Fields) -> Fields:
    """Render a discount of a session, which becomes a stored object only on the purchase."""
    row = retrieve(call, SESSIONS, id)
    number = [(each["coupon"], each["promotion_code"]) for each in row.discounts].index(
        (given["coupon"], given["promotion_code"])
    )
    made = Discount(
        id=f"di_{id[-23:]}{number}",
        seq=0,
        created=row.created,
        start=row.created,
        customer=row.customer,
        coupon=given["coupon"],
        promotion_code=given["promotion_code"],
    )
    return {**discount_object(made), "checkout_session": id if row.mode == "payment" else None}


SELLERS["cs"] = Seller(_items, _discount)
