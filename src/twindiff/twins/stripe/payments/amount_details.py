"""Amount details of a payment: line items, shipping, taxes and discounts.

https://docs.stripe.com/payments/payment-line-items
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import UNSET, Call, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.objects import IN_PARTS, Fields, new_id
from ..core.params import Integer, NestedParams, OptBool, OptInteger, OptText, Unset, check_count, value_of

MAX_LINE_ITEMS = 200
ITEM: Fields = {
    "discount_amount": None,
    "payment_method_options": None,
    "product_code": None,
    "tax": None,
    "unit_of_measure": None,
}
"""Default fields of a line item."""


class Tax(NestedParams, kw_only=True):
    """The tax part of an amount."""

    total_tax_amount: Integer


class LineItem(NestedParams, kw_only=True):
    """A product that is paid for."""

    discount_amount: OptInteger = UNSET
    payment_method_options: dict[str, dict[str, Any]] | UnsetType = UNSET
    product_code: OptText = UNSET
    product_name: str
    quantity: Integer
    tax: Tax | UnsetType = UNSET
    unit_cost: Integer
    unit_of_measure: OptText = UNSET


class ShippingCost(NestedParams):
    """The shipping part of an amount."""

    amount: OptInteger | Unset = UNSET
    from_postal_code: OptText = UNSET
    to_postal_code: OptText = UNSET


class AmountDetails(NestedParams):
    """The parts of an amount."""

    discount_amount: OptInteger | Unset = UNSET
    enforce_arithmetic_validation: OptBool = UNSET
    line_items: list[LineItem] | Unset | UnsetType = UNSET
    shipping: ShippingCost | Unset | UnsetType = UNSET
    tax: Tax | Unset | UnsetType = UNSET


OptAmountDetails = AmountDetails | Unset | UnsetType


IN_PARTS.add("line_items")


def merge_details(call: Call, now: Fields | None, wanted: OptAmountDetails, amount: int) -> Fields | None:
    """Merge requested details into the current ones.

    Raises StripeError if they do not add up to the amount, unless `enforce_arithmetic_validation` is false.
    """
    if not isinstance(wanted, AmountDetails):
        return now if wanted is UNSET else None
    given: Fields = value_of(wanted)
    enforced = given.pop("enforce_arithmetic_validation", True)
    if "line_items" in given:
        given["line_items"] = _items(call, given["line_items"] or [])
    merged = {name: value for name, value in {**(now or {}), **given, "error": None}.items() if value}
    _check_levels(merged)
    error = _error(merged, amount)
    if error and enforced:
        raise StripeError(error["message"], code=error["code"], param="amount_details")
    return {**merged, "error": error} if error else merged


def _items(call: Call, given: list[Fields]) -> list[Fields]:
    check_count(given, "amount_details[line_items]", MAX_LINE_ITEMS)
    for number, item in enumerate(given):
        for name, least in (("quantity", 1), ("unit_cost", 0), ("discount_amount", 1)):
            if item.get(name, least) < least:
                message = f"This value must be greater than or equal to {least}."
                param = f"amount_details[line_items][{number}][{name}]"
                raise StripeError(message, code="parameter_invalid_integer", param=param)
    shared: Fields = {"object": "payment_intent_amount_details_line_item", **ITEM}
    return [{"id": new_id(call, "uli_"), **shared, **item} for item in given]


def _check_levels(details: Fields) -> None:
    """Raise StripeError for taxes or discounts on both the payment and its line items."""
    for name in ("tax", "discount_amount"):
        if details.get(name) and any(item[name] for item in details.get("line_items", [])):
            message = f"You may only specify one of these parameters: amount_details[{name}], {name} of line items."
            raise StripeError(message, param=f"amount_details[{name}]")


def _error(details: Fields, amount: int) -> Fields | None:
    """Return the error of details that do not add up to an amount, or None."""
    items: list[Fields] = details.get("line_items", [])
    shipping: Fields = details.get("shipping") or {}
    added: int = _tax(details) + (shipping.get("amount") or 0) - (details.get("discount_amount") or 0)
    if not items:
        if added <= amount:
            return None
        code = "amount_details_tax_shipping_discount_greater_than_amount"
        return {"code": code, "message": f"Taxes and shipping without the discount ({added}) exceed {amount}."}
    total = sum(map(_total, items)) + added
    if total == amount:
        return None
    message = f"The line items with taxes, shipping and discounts come to {total}, and not to the amount, {amount}."
    return {"code": "amount_details_amount_mismatch", "message": message}


def _total(item: Fields) -> int:
    return item["quantity"] * item["unit_cost"] + _tax(item) - (item["discount_amount"] or 0)


def _tax(part: Fields) -> int:
    tax: Fields = part.get("tax") or {}
    return tax.get("total_tax_amount", 0)
