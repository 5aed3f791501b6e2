"""Optional items: products that a customer may add on a page.

https://docs.stripe.com/payments/checkout/optional-items
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Annotated

from twindiff.kit import UNSET, Call, Meta, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ..billing.subscriptions.prorations import full_price
from ..catalog.prices import PRICES, check_price_currency
from ..catalog.product_tables import PRODUCTS
from ..core.currencies import format_amount
from ..core.objects import Fields, refer, retrieve
from ..core.params import NestedParams, value_of
from ..sales.sale_items import Adjustable, SaleItem, SaleItemParams, add_items, items_for

MAX_OPTIONAL_ITEMS = 10
DEFAULT_MAX_QUANTITY = 99
"""Default maximum quantity of an optional item."""
MAX_QUANTITY = 999_999


class OptionalItem(NestedParams, kw_only=True):
    """An item that the customer may add."""

    price: str
    quantity: Annotated[int, Meta(ge=1)]
    adjustable_quantity: Adjustable | UnsetType = UNSET


OptItems = list[OptionalItem] | UnsetType


def build_optional_items(call: Call, wanted: OptItems, items: Sequence[SaleItem]) -> list[Fields] | None:
    """Return the optional items as pages and links show them; raises StripeError if they do not fit the items sold."""
    if not isinstance(wanted, list):
        return None
    if len(wanted) > MAX_OPTIONAL_ITEMS:
        raise StripeError(f"You can have up to {MAX_OPTIONAL_ITEMS} optional items.", param="optional_items")
    for number, each in enumerate(wanted):
        at = f"optional_items[{number}][price]"
        price = refer(call, PRICES, each.price, at)
        if not price.active:
            message = "The price specified is inactive. This field only accepts active prices."
            raise StripeError(message, code="price_inactive", param=at)
        _check_bounds(each, f"optional_items[{number}][adjustable_quantity]")
        if items:
            check_price_currency(price, items[0].currency, at)
    return [_render_optional_item(each) for each in wanted]


def _check_bounds(wanted: OptionalItem, at: str) -> None:
    """Raise StripeError for quantity bounds that no quantity satisfies."""
    bounds = wanted.adjustable_quantity
    if not isinstance(bounds, Adjustable):
        return
    most = DEFAULT_MAX_QUANTITY if bounds.maximum is UNSET else bounds.maximum
    if not 1 <= most <= MAX_QUANTITY:
        raise StripeError(f"The maximum must be from 1 to {MAX_QUANTITY}.", param=f"{at}[maximum]")
    if not 0 <= (bounds.minimum or 0) <= most:
        raise StripeError("The minimum must be from 0 to the maximum.", param=f"{at}[minimum]")


def check_mode(call: Call, options: Sequence[Fields], mode: str) -> None:
    """Raise StripeError for a recurring optional item in payment mode."""
    for number, each in enumerate(options):
        if mode == "payment" and retrieve(call, PRICES, each["price"]).type == "recurring":
            message = "You specified `payment` mode but passed a recurring price."
            raise StripeError(message, param=f"optional_items[{number}][price]")


def _render_optional_item(wanted: OptionalItem) -> Fields:
    adjustable: Fields | None = value_of(wanted.adjustable_quantity) if wanted.adjustable_quantity else None
    bounds = {"enabled": False, "maximum": None, "minimum": None, **adjustable} if adjustable else None
    return {"adjustable_quantity": bounds, "price": wanted.price, "quantity": wanted.quantity}


def inputs(call: Call, options: Sequence[Fields]) -> str:
    """Return the HTML inputs that add each item."""
    return "".join(_input(call, each) for each in options)


def _input(call: Call, option: Fields) -> str:
    price = retrieve(call, PRICES, option["price"])
    cost = format_amount(full_price(price, 1, price.currency), price.currency)
    name, said = f"optional[{price.id}]", escape(f"Add {retrieve(call, PRODUCTS, price.product).name} ({cost})")
    least, most = _bounds(option)
    if least == most:
        box = f'<input type="checkbox" name="{name}" value="{least}">'
        return f"<label>{box} {said}, {least} of it</label>" if least > 1 else f"<label>{box} {said}</label>"
    return f'<label>{said} <input type="number" name="{name}" min="0" max="{most}" value="0"></label>'


def _bounds(option: Fields) -> tuple[int, int]:
    """Return the minimum and maximum quantity of an item that is added."""
    adjustable: Fields = option["adjustable_quantity"] or {"enabled": False}
    if not adjustable["enabled"]:
        return option["quantity"], option["quantity"]
    most: int | None = adjustable["maximum"]
    return max(adjustable["minimum"] or 0, 1), DEFAULT_MAX_QUANTITY if most is None else most


def add_chosen(
    call: Call, owner: str, options: Sequence[Fields], typed: dict[str, str], former: Sequence[str]
) -> list[str]:
    """Replace the previously selected items by the current selection; returns the ids of the line items."""
    for id in former:
        call.db.remove(call.db.get(SaleItem, id))
    wanted: list[SaleItemParams] = []
    for option in options:
        count = typed.get(option["price"], "").strip() or "0"
        least, most = _bounds(option)
        if count == "0":
            continue
        if not count.isdecimal() or len(count) > 6 or not least <= int(count) <= most:
            raise StripeError(f"Choose from {least} to {most}.", param=f"optional[{option['price']}]")
        wanted.append(SaleItemParams(price=option["price"], quantity=int(count)))
    currency = next((item.currency for item in items_for(call, owner)), None)
    return [item.id for item in add_items(call, owner, wanted, currency=currency)]
