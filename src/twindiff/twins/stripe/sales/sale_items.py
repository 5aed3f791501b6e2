"""Line items of checkout sessions, payment links and quotes.

https://docs.stripe.com/api/checkout/sessions/line_items
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from twindiff.kit import UNSET, Call, Column, Json, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..billing.subscriptions.prorations import full_price
from ..catalog.inline_prices import accept_inline, check_one_price, check_sold, price_of
from ..catalog.price_calculation import taxes_on
from ..catalog.price_params import SoldPriceData
from ..catalog.prices import PRICES, Price, check_price_currency
from ..catalog.product_tables import Product
from ..core.objects import LEFT_OUT, Fields, StripeObject, build_view, find, new, refer, resource, show_all
from ..core.pagination import list_object, list_of
from ..core.params import (
    Integer,
    ListParams,
    NestedParams,
    OptInteger,
    OptMetadata,
    OptName,
    OptText,
    Unset,
    is_set,
    merge_metadata,
    value_of,
)
from ..tables.customer_tables import CUSTOMERS
from ..tax.tax_rates import TaxRate, tax_rates_of

MAX_LINE_ITEMS = 100


class SaleItem(StripeObject, table="sale_items", key=("id",), unique=(("seq",),), indexes=(("owner", "seq"),)):
    owner: Column[str]
    adjustable_quantity: Column[Json] = column(default=None)
    amount_discount: Column[int] = column(default=0)
    amount_subtotal: Column[int]
    amount_tax: Column[int] = column(default=0)
    amount_total: Column[int]
    currency: Column[str]
    description: Column[str]
    discount_amounts: Column[Json] = column(default=[], derived=True)
    """Amounts by discount, as the selling object refers to it."""
    metadata: Column[Json] = column(default={})
    price: Column[str]
    quantity: Column[int | None] = column(default=1)
    tax_rates: Column[Json] = column(default=[])
    taxes: Column[Json] = column(default=[], derived=True)


def _fill(call: Call, objects: list[Fields]) -> None:
    """Replace price ids by prices."""
    ids = {each["price"] for each in objects}
    prices = {row.id: PRICES.show(row) for row in call.db.rows(Price, Price.id.in_(ids))}
    for each in objects:
        each["price"] = prices[each["price"]]


HIDDEN = ("owner", "tax_rates", "discount_amounts", "taxes")
item_object = build_view(SaleItem, "item", *HIDDEN, created=LEFT_OUT, livemode=LEFT_OUT)
SALE_ITEMS = resource(SaleItem, "item", "li_", item_object, spoken="line item", fill=_fill)


class Adjustable(NestedParams):
    """Whether customers may adjust the quantity, and its bounds."""

    enabled: bool
    maximum: OptInteger = UNSET
    minimum: OptInteger = UNSET


class SaleItemParams(NestedParams, kw_only=True):
    """A line item."""

    adjustable_quantity: Adjustable | UnsetType = UNSET
    discounts: list[dict[str, str]] | Unset | UnsetType = UNSET
    id: OptText = UNSET
    metadata: OptMetadata = UNSET
    price: OptName = UNSET
    price_data: SoldPriceData | UnsetType = UNSET
    quantity: OptInteger = UNSET
    tax_rates: list[str] | Unset | UnsetType = UNSET


OptSaleItems = list[SaleItemParams] | UnsetType


def add_items(
    call: Call, owner: str, wanted: list[SaleItemParams], at: str = "line_items", *, currency: str | None = None
) -> list[SaleItem]:
    """Create line items of an owner in a currency, by default that of the first price.

    Raises StripeError for a price without an amount in it.
    """
    if len(wanted) > MAX_LINE_ITEMS:
        raise StripeError(f"You can have up to {MAX_LINE_ITEMS} line items.", param=at)
    made: list[SaleItem] = []
    for number, each in enumerate(wanted):
        made.append(_add(call, owner, each, f"{at}[{number}]", currency))
        currency = currency or made[0].currency
    return made


def find_billed_currency(call: Call, customer: str | None, wanted: Sequence[SaleItemParams]) -> str | None:
    """Return the currency in which a customer is billed if items are recurring, because there is only one."""
    known = find(call, CUSTOMERS, customer) if customer else None
    recurring = any(_is_recurring_item(call, each) for each in wanted)
    return known.currency if known and recurring else None


def _is_recurring_item(call: Call, params: SaleItemParams) -> bool:
    """Return whether the parameters of a line item have a recurring price."""
    if isinstance(params.price_data, SoldPriceData):
        return params.price_data.recurring is not UNSET
    price = find(call, PRICES, params.price) if isinstance(params.price, str) else None
    return price is not None and price.type == "recurring"


def replace_items(call: Call, owner: str, wanted: list[SaleItemParams], at: str = "line_items") -> list[SaleItem]:
    """Replace the line items of an owner; items named by id are kept with the given changes."""
    known = {item.id: item for item in items_for(call, owner)}
    for number, each in enumerate(wanted):
        if each.id and each.id not in known:
            raise SALE_ITEMS.missing(str(each.id), param=f"{at}[{number}][id]", status=400)
    accept_inline(call, [item.price for item in known.values()])
    for item in known.values():
        call.db.remove(item)
    items = [_as_before(known[each.id], each) if each.id else each for each in wanted]
    return add_items(call, owner, items, at, currency=next((item.currency for item in known.values()), None))


def _as_before(item: SaleItem, said: SaleItemParams) -> SaleItemParams:
    """Return an existing item as parameters, with the given changes."""
    is_other = said.price is not UNSET or said.price_data is not UNSET
    kept: Fields = item.adjustable_quantity or {}
    bounds: Fields = {name: value for name, value in kept.items() if value is not None}
    adjustable = Adjustable(**bounds) if bounds else UNSET
    before: Fields = {
        "adjustable_quantity": adjustable,
        "metadata": item.metadata,
        "price": UNSET if is_other else item.price,
        "quantity": UNSET if item.quantity is None else item.quantity,
        "tax_rates": item.tax_rates,
    }
    return replace(said, **{name: value for name, value in before.items() if getattr(said, name) is UNSET})


def _add(call: Call, owner: str, params: SaleItemParams, at: str, currency: str | None) -> SaleItem:
    price = _price(call, params, at)
    currency = currency or price.currency
    check_price_currency(price, currency, f"{at}[price]")
    quantity: Integer | None = params.quantity if isinstance(params.quantity, int) else None
    if quantity is None and price.usage_type != "metered":
        quantity = 1
    if quantity is not None and quantity < 1:
        message = "This value must be greater than or equal to 1."
        raise StripeError(message, code="parameter_invalid_integer", param=f"{at}[quantity]")
    subtotal = full_price(price, quantity, currency) if quantity else 0
    rates = tax_rates_of(call, params.tax_rates or [], f"{at}[tax_rates]") if params.tax_rates is not UNSET else []
    added, inner = _taxes(call, rates, subtotal)
    product = call.db.find(Product, Product.id == price.product)
    return new(
        call,
        SALE_ITEMS,
        id=params.id or None,
        owner=owner,
        adjustable_quantity=_adjustable(params.adjustable_quantity),
        amount_subtotal=subtotal,
        amount_tax=added + inner,
        amount_total=subtotal + added,
        currency=currency,
        description=product.name if product else price.product,
        metadata=merge_metadata({}, params.metadata),
        price=price.id,
        quantity=quantity,
        tax_rates=rates,
    )


def _adjustable(wanted: Adjustable | UnsetType) -> Fields | None:
    said: Fields | None = value_of(wanted) if is_set(wanted) else None
    return said and {**dict.fromkeys(Adjustable.__struct_fields__), **said}


def check_quantities(items: Sequence[SaleItem], wanted: Sequence[SaleItemParams], at: str = "line_items") -> None:
    """Raise StripeError for items without a quantity, unless they are metered."""
    for number, (item, each) in enumerate(zip(items, wanted, strict=True)):
        if item.quantity is not None and each.quantity is UNSET:
            param = f"{at}[{number}]"
            raise StripeError(f"Quantity is required. Add `quantity` to `{param}`", param=param)


def _price(call: Call, params: SaleItemParams, at: str) -> Price:
    check_one_price(params, at)
    if isinstance(params.price_data, SoldPriceData):
        return price_of(call, params.price_data, f"{at}[price_data]")
    if not isinstance(params.price, str) or not params.price:
        message = "Each line item must have a price or price_data."
        raise StripeError(message, code="parameter_missing", param=f"{at}[price]")
    price = refer(call, PRICES, params.price, f"{at}[price]")
    check_sold(call, price, f"{at}[price]")
    return price


def _taxes(call: Call, ids: list[str], amount: int) -> tuple[int, int]:
    rows = call.db.rows(TaxRate, TaxRate.id.in_(ids)) if ids else []
    taxes = taxes_on(amount, [(row.id, row.percentage, row.inclusive) for row in rows])
    added = sum(tax.amount for tax in taxes if not tax.inclusive)
    return added, sum(tax.amount for tax in taxes if tax.inclusive)


def items_for(call: Call, owner: str) -> list[SaleItem]:
    """Return the line items of an owner, in order."""
    return call.db.rows(SaleItem, SaleItem.owner == owner, order=SaleItem.seq)


def prices_for(call: Call, items: list[SaleItem]) -> dict[str, Price]:
    """Return the prices of line items, by id."""
    return {row.id: row for row in call.db.rows(Price, Price.id.in_({item.price for item in items}))}


def is_recurring(call: Call, items: list[SaleItem]) -> bool:
    """Return whether any line item has a recurring price."""
    return any(price.type == "recurring" for price in prices_for(call, items).values())


def render_items(call: Call, owner: str, url: str) -> Fields:
    """Return the list of line items that objects include when expanded."""
    items = items_for(call, owner)
    return list_object(show_all(call, SALE_ITEMS, items[:10]), url, has_more=len(items) > 10)


def list_items(call: Call, owner: str, params: ListParams, url: str) -> Fields:
    """Return a page of line items."""
    return list_of(call, SALE_ITEMS, params, url, SaleItem.owner == owner, oldest_first=True)


def totals(items: Sequence[SaleItem], shipping: Fields | None = None) -> Fields:
    """Return `amount_subtotal`, `amount_total`, `total_details` and `currency` of line items and shipping."""
    cost = shipping or {"amount_subtotal": 0, "amount_tax": 0, "amount_total": 0}
    return {
        "amount_subtotal": sum(item.amount_subtotal for item in items),
        "amount_total": sum(item.amount_total for item in items) + cost["amount_total"],
        "total_details": {
            "amount_discount": sum(item.amount_discount for item in items),
            "amount_shipping": cost["amount_subtotal"],
            "amount_tax": sum(item.amount_tax for item in items) + cost["amount_tax"],
        },
        "currency": items[0].currency if items else None,
    }


def items_params(items: list[SaleItem]) -> list[dict[str, Any]]:
    """Return line items as parameters of a subscription."""
    return [{"price": item.price, "quantity": item.quantity, "tax_rates": item.tax_rates} for item in items]
