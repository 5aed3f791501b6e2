"""Amounts of sale items: discounts and taxes.

https://docs.stripe.com/api/checkout/sessions/line_items#line_item_object-amount_total
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from twindiff.kit import Call

from ..catalog.coupons import Coupon, off_each, takes_off
from ..catalog.price_calculation import Tax, taxes_on
from ..core.objects import IN_PARTS, INCLUDES, Fields, PartWith, retrieve
from ..tax.tax_rates import TAX_RATES, TaxRate, tax_rate_object
from .sale_items import SALE_ITEMS, SaleItem, prices_for


class AppliedDiscount(NamedTuple):
    """A coupon, and the reference to its discount as the selling object renders it."""

    coupon: Coupon
    discount: Fields


Taxing = Callable[[Sequence[SaleItem]], list[list[Tax]]]
"""Function that returns the taxes on the discounted amount of each item."""


def by_rates(call: Call, default: Sequence[str] = ()) -> Taxing:
    """Return a `Taxing` by the rates of each item, or else by the default ones."""

    def taxing(items: Sequence[SaleItem]) -> list[list[Tax]]:
        wanted: list[list[str]] = [item.tax_rates or [*default] for item in items]
        known = {row.id: row for row in call.db.rows(TaxRate, TaxRate.id.in_({id for ids in wanted for id in ids}))}
        rates = [[known[id] for id in ids if id in known] for ids in wanted]
        return [
            taxes_on(compute_discounted_amount(item), [(rate.id, rate.percentage, rate.inclusive) for rate in mine])
            for item, mine in zip(items, rates, strict=True)
        ]

    return taxing


def compute_discounted_amount(item: SaleItem) -> int:
    """Return the amount of an item after discounts."""
    return item.amount_subtotal - item.amount_discount


def compute_item_amounts(
    call: Call, items: Sequence[SaleItem], off: Sequence[AppliedDiscount], taxing: Taxing
) -> list[SaleItem]:
    """Return items with their discounts and taxes, without storing them."""
    taken = _compute_discount_amounts(call, items, off)
    less = [
        replace(item, amount_discount=sum(each["amount"] for each in mine), discount_amounts=mine)
        for item, mine in zip(items, taken, strict=True)
    ]
    return [_with_taxes(item, taxes) for item, taxes in zip(less, taxing(less) if less else [], strict=True)]


def _compute_discount_amounts(
    call: Call, items: Sequence[SaleItem], off: Sequence[AppliedDiscount]
) -> list[list[Fields]]:
    """Return the amounts of each discount on each item; discounts apply in order."""
    products = {id: price.product for id, price in prices_for(call, [*items]).items()} if off else {}
    left = [item.amount_subtotal for item in items]
    taken: list[list[Fields]] = [[] for _ in items]
    for coupon, discount in off:
        base = [
            amount if takes_off(coupon, products[item.price]) else 0 for item, amount in zip(items, left, strict=True)
        ]
        for at, amount in enumerate(off_each(coupon, base, items[0].currency if items else None)):
            if amount:
                left[at] -= amount
                taken[at].append({"amount": amount, "discount": discount})
    return taken


def _with_taxes(item: SaleItem, taxes: Sequence[Tax]) -> SaleItem:
    added = sum(tax.amount for tax in taxes if not tax.inclusive)
    return replace(
        item,
        amount_tax=sum(tax.amount for tax in taxes),
        amount_total=compute_discounted_amount(item) + added,
        taxes=[_to_stored_tax(tax) for tax in taxes],
    )


def _to_stored_tax(tax: Tax) -> Fields:
    reason = None if tax.reason == "not_available" else tax.reason
    return {"amount": tax.amount, "rate": tax.rate, "taxability_reason": reason, "taxable_amount": tax.taxable}


def write_amounts(call: Call, items: Sequence[SaleItem]) -> None:
    """Store the computed amounts of items."""
    names = ("amount_discount", "amount_tax", "amount_total", "discount_amounts", "taxes")
    for item in items:
        row = call.db.get(SaleItem, item.id)
        call.db.change(row, **{name: getattr(item, name) for name in names})


# Expanded breakdowns


class Seller(NamedTuple):
    """How a kind of object sells.

    `items` returns the items of a part, given the object's id and the part's name; `discount` renders one of its
    discounts.
    """

    items: Callable[[Call, str, str], Sequence[SaleItem]]
    discount: Callable[[Call, str, Fields], Fields]


SELLERS: dict[str, Seller] = {}
"""Sellers by id prefix, such as `cs`."""


def _seller(owner: str) -> Seller:
    return SELLERS[owner.partition("_")[0]]


def _item_discounts(call: Call, fields: Fields) -> list[Fields]:
    item = retrieve(call, SALE_ITEMS, fields["id"])
    return [_shown_discount(call, item.owner, each) for each in item.discount_amounts]


def _shown_discount(call: Call, owner: str, each: Fields) -> Fields:
    return {**each, "discount": _seller(owner).discount(call, owner, each["discount"])}


def _item_taxes(call: Call, fields: Fields) -> list[Fields]:
    return [_shown_tax(call, each) for each in retrieve(call, SALE_ITEMS, fields["id"]).taxes]


def _shown_tax(call: Call, each: Fields) -> Fields:
    return {**each, "rate": tax_rate_object(retrieve(call, TAX_RATES, each["rate"]))}


def total_details(fields: Fields, owner: str, part: str) -> Fields:
    """Return the `total_details` of a part of a sale, with a breakdown when expanded."""
    return PartWith(fields, breakdown=lambda call: _breakdown(call, owner, part))


def _breakdown(call: Call, owner: str, part: str) -> Fields:
    """Return the discounts by discount and the taxes by tax rate."""
    discounts: list[Fields] = []
    taxes: list[Fields] = []
    for item in _seller(owner).items(call, owner, part):
        for each in item.discount_amounts:
            _add(discounts, each, ("discount",), ("amount",))
        for each in item.taxes:
            _add(taxes, each, ("rate", "taxability_reason"), ("amount", "taxable_amount"))
    return {
        "discounts": [_shown_discount(call, owner, each) for each in discounts],
        "taxes": [_shown_tax(call, each) for each in taxes],
    }


def _add(sums: list[Fields], each: Fields, same: Sequence[str], added: Sequence[str]) -> None:
    known = next((one for one in sums if all(one[name] == each[name] for name in same)), None)
    if known is None:
        sums.append({**each})
        return
    for name in added:
        known[name] += each[name]


INCLUDES["item.discounts"] = _item_discounts
INCLUDES["item.taxes"] = _item_taxes
IN_PARTS.add("breakdown")
