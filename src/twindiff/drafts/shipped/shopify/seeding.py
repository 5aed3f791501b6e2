"""Fills a Shopify shop from a configuration: products, customers, orders with their payments, and collections."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, cast

import msgspec

from twindiff.kit.call import Call
from twindiff.kit.clock import iso_instant, micros_of
from twindiff.kit.seeding import InvalidSeedConfig, Person, Seeding

from ...seeding import describe_unknown
from .admin import COLLECT, COLLECTION, CUSTOMER, ORDER, PRODUCT, ShopKind, create_object, shop_rows, show_object
from .tables import ShopifyCustomer, ShopifyOrder, ShopifyOrderPart, ShopifyProduct, ShopifyShop
from .wire_style import ShopifyError

Values = dict[str, Any]
_MORE_FIELDS = {
    "product": ("handle", "published_at", "created_at"),
    "customer": ("accepts_marketing", "currency", "default_address", "email_marketing_consent", "created_at"),
    "order": ("line_items", "customer", "transactions", "shipping_address", "billing_address", "phone", "processed_at",
              "gateway", "discount_codes", "shipping_lines", "note_attributes", "source_name", "total_price",
              "created_at"),
    "custom_collection": ("handle", "published_at", "products", "created_at"),
}  # fmt: skip
"""The fields of each kind that a configuration may give, beside those that every object shows."""


_FROM_VARIANT = (("variant_id", "id"), ("price", "price"), ("sku", "sku"))
"""What a line of an order takes from the first variant of its product."""


class ShopifyConfig(msgspec.Struct):
    """The configuration of a shop. Fields are the vendor's.

    An order's `customer` is the address of a customer, and a line may name its `product`; `transactions` and `refunds`
    of an order are kept beside it; `products` of a collection are titles.
    """

    products: list[Values] = msgspec.field(default_factory=list[Values])
    customers: list[Values] = msgspec.field(default_factory=list[Values])
    orders: list[Values] = msgspec.field(default_factory=list[Values])
    custom_collections: list[Values] = msgspec.field(default_factory=list[Values])


def write(call: Call, config: ShopifyConfig, people: Sequence[Person]) -> dict[str, int]:
    """Fill a shop; raises InvalidSeedConfig for unknown fields, missing ones, and names of what is not there."""
    if call.db.find(ShopifyShop) is None:
        call.db.add_all([ShopifyShop(**row) for row in shop_rows()["shops"]])
    problems: list[str] = []
    counts: dict[str, int] = {}
    for kind in (PRODUCT, CUSTOMER, ORDER, COLLECTION):
        for number, given in enumerate(getattr(config, kind.plural)):
            place = f"{kind.plural}[{number}]"
            try:
                problems += describe_unknown(given, _list_fields(kind), place) or _add(call, kind, given)
            except ShopifyError as error:
                problems.append(f"{place}: {_describe(error)}")
            counts[kind.plural] = number + 1
    if problems:
        raise InvalidSeedConfig(problems)
    return counts


def _list_fields(kind: ShopKind) -> set[str]:
    columns = {*kind.table.__annotations__} - {"id", "details", "created_at", "updated_at"}
    return {*columns, *kind.usual, *_MORE_FIELDS[kind.name]}


def _describe(error: ShopifyError) -> str:
    errors = error.errors
    if isinstance(errors, str):
        return errors
    return "; ".join(f"{name} {said}" for name, each in errors.items() for said in each)


def _add(call: Call, kind: ShopKind, given: Values) -> list[str]:
    """Add an object; raises ShopifyError."""
    values = {name: value for name, value in given.items() if name != "created_at"}
    at = _read_time(given["created_at"]) if "created_at" in given else None
    if kind is ORDER:
        _add_order(call, values, at)
        return []
    titles: Any = values.pop("products", []) if kind is COLLECTION else []
    row = create_object(call, kind, values)
    if at:
        call.db.change(row, created_at=at, updated_at=at)
    for title in cast(list[Any], titles) if isinstance(titles, list) else [titles]:
        create_object(call, COLLECT, {"product_id": _find_product(call, title).id, "collection_id": row.id})
    return []


def _add_order(call: Call, given: Values, created_at: str | None) -> None:
    """Add an order with its payments and refunds, and count it with its customer."""
    customer = _find_customer(call, given.get("customer"))
    lines: Any = given.get("line_items")
    if isinstance(lines, list):
        given["line_items"] = [_read_line(call, each) for each in cast(list[Any], lines)]
    if customer is not None:
        given = {"email": customer.email, **given, "customer": show_object(customer)}
    parts = {name: _read_parts(given.pop(name), name) for name in ("transactions", "refunds") if name in given}
    order = create_object(call, ORDER, given)
    at = created_at or str(order.created_at)
    for each in parts.get("transactions", ()):
        _add_part(call, order.id, "transaction", each, at)
    refunds = [_add_part(call, order.id, "refund", each, at) for each in parts.get("refunds", ())]
    details = {**order.details, "refunds": refunds}
    call.db.change(order, details=details, created_at=at, updated_at=at)
    if customer is not None:
        is_paid = order.financial_status in ("paid", "partially_refunded", "refunded")
        spent = _read_number(customer, "total_spent") + (_read_number(order, "total_price") if is_paid else 0)
        last = {"last_order_id": order.id, "last_order_name": order.details["name"]}
        count = int(_read_number(customer, "orders_count")) + 1
        counted = {"orders_count": count, "total_spent": f"{spent:.2f}", **last}
        call.db.change(customer, details={**customer.details, **counted})


def _read_parts(given: Any, name: str) -> list[Values]:
    listed = cast(list[Any], given) if isinstance(given, list) else [None]
    if not all(isinstance(each, dict) for each in listed):
        raise ShopifyError(400, {name: ["must be a list of objects"]})
    return cast(list[Values], listed)


def _add_part(call: Call, order_id: int, kind: str, given: Values, at: str) -> Values:
    at = _read_time(given["created_at"]) if "created_at" in given else at
    details = {name: value for name, value in given.items() if name != "created_at"}
    id = 9_000_000_000 + call.db.next("object")
    row = ShopifyOrderPart(id=id, kind=kind, order_id=order_id, details=details, created_at=at, updated_at=at)
    return show_object(call.db.add(row))


def _read_line(call: Call, given: Any) -> Any:
    """Return a line of an order; a `product` that it names gives title, id, variant and price."""
    line: Values = {**cast(Values, given)} if isinstance(given, dict) else {}
    if "product" not in line:
        return cast(Any, given)
    product = _find_product(call, line.pop("product"))
    variants: Sequence[Values] = product.details["variants"] or ()
    of_variant = {name: each[key] for each in variants[:1] for name, key in _FROM_VARIANT}
    return {"title": product.title, "product_id": product.id, **of_variant, **line}


def _find_product(call: Call, title: Any) -> ShopifyProduct:
    row = next((each for each in call.db.rows(ShopifyProduct, order=ShopifyProduct.id) if each.title == title), None)
    if row is None:
        raise ShopifyError(422, f"there is no product '{title}'")
    return row


def _find_customer(call: Call, said: Any) -> ShopifyCustomer | None:
    if said is None:
        return None
    email: Any = cast(Values, said).get("email") if isinstance(said, dict) else said
    row = next((each for each in call.db.rows(ShopifyCustomer) if each.email == email), None)
    if row is None:
        raise ShopifyError(422, f"there is no customer '{email}'")
    return row


def _read_number(row: ShopifyCustomer | ShopifyOrder, name: str) -> float:
    try:
        return float(row.details[name])
    except (TypeError, ValueError):
        raise ShopifyError(422, {name: ["must be a number"]}) from None


def _read_time(said: Any) -> str:
    try:
        return iso_instant(micros_of(datetime.fromisoformat(str(said)))).isoformat()
    except ValueError:
        raise ShopifyError(422, f"created_at '{said}' is no time in ISO 8601") from None


seeding = Seeding(ShopifyConfig, write)
