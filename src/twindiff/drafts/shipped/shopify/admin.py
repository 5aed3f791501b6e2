"""The REST admin API: list, count, read, create, change and delete. https://shopify.dev/docs/api/admin-rest"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, NamedTuple, cast

from twindiff.kit.call import Call
from twindiff.kit.clock import Clock, micros_of
from twindiff.kit.parameter_sources import Body
from twindiff.kit.rows import Row
from twindiff.kit.twin import Operations, Rows

from .tables import (
    ShopifyCollect,
    ShopifyCollection,
    ShopifyCustomer,
    ShopifyOrder,
    ShopifyOrderPart,
    ShopifyProduct,
    ShopifyShop,
)
from .wire_style import ShopifyError, show_time

api = Operations(prefix="/admin")
Shown = dict[str, Any]
DEFAULT_PAGE = 50
MAX_PAGE = 250
_BEGIN = Clock(1_767_225_600_000_000).iso()
_BODY = Annotated[dict[str, Any], Body]
_TIMES = ("created_at", "updated_at")


class ShopKind(NamedTuple):
    """A kind of objects: the words of one and of several, its table, what it needs, and its first values."""

    name: str
    plural: str
    table: type[Row]
    needed: str = ""
    usual: Mapping[str, Any] = {}


PRODUCT = ShopKind(
    "product", "products", ShopifyProduct, "title",
    {"body_html": None, "vendor": "Twindiff", "product_type": "", "template_suffix": None, "published_scope": "web",
     "tags": "", "status": "active", "options": [], "images": [], "image": None, "variants": []},
)  # fmt: skip
CUSTOMER = ShopKind(
    "customer", "customers", ShopifyCustomer, "",
    {"first_name": None, "last_name": None, "orders_count": 0, "state": "disabled", "total_spent": "0.00",
     "last_order_id": None, "note": None, "verified_email": True, "multipass_identifier": None, "tax_exempt": False,
     "phone": None, "tags": "", "last_order_name": None, "addresses": []},
)  # fmt: skip
ORDER = ShopKind(
    "order", "orders", ShopifyOrder, "line_items",
    {"closed_at": None, "note": None, "test": False, "currency": "USD", "confirmed": True, "cancelled_at": None,
     "cancel_reason": None, "fulfillment_status": None, "tags": "", "total_tax": "0.00", "total_discounts": "0.00",
     "refunds": [], "fulfillments": []},
)  # fmt: skip
COLLECTION = ShopKind(
    "custom_collection", "custom_collections", ShopifyCollection, "title",
    {"body_html": None, "sort_order": "best-selling", "template_suffix": None, "published_scope": "web"},
)  # fmt: skip
COLLECT = ShopKind("collect", "collects", ShopifyCollect, "product_id", {"position": 1})
KINDS = (PRODUCT, CUSTOMER, ORDER, COLLECTION, COLLECT)


def shop_rows() -> Rows:
    """Return the row of a shop."""
    domain = "twindiff.myshopify.com"
    details = {"email": "agent@example.com", "domain": domain, "myshopify_domain": domain, "currency": "USD"}
    details |= {"plan_name": "affiliate", "country_code": "US"}
    times = dict.fromkeys(_TIMES, _BEGIN)
    return {"shops": [{"id": 20_000_001, "name": "Twindiff", "details": details, **times}]}


def show_object(row: Any) -> Shown:
    """Return an object as answers show it."""
    columns = [name for name in type(row).__annotations__ if name not in ("details", "kind", *_TIMES)]
    times = {name: show_time(getattr(row, name)) for name in _TIMES}
    return {**{name: getattr(row, name) for name in columns}, **times, **cast(Shown, row.details)}


def find_object(call: Call, kind: ShopKind, said: str) -> Any:
    """Return the row of an object of a kind by id; raises ShopifyError."""
    table: Any = kind.table
    row = call.db.find(table, table.id == int(said)) if re.fullmatch(r"\d{1,15}", said) else None
    if row is None:
        raise ShopifyError(404, "Not Found")
    return row


def _is_after(row: Any, name: str, since: str) -> bool:
    try:
        return not since or micros_of(datetime.fromisoformat(f"{getattr(row, name)[:26]}+00:00")) >= micros_of(
            datetime.fromisoformat(since)
        )
    except ValueError:
        raise ShopifyError(400, {f"{name}_min": ["must be a time in ISO 8601"]}) from None


def _list_rows(
    call: Call, kind: ShopKind, ids: str, collection_id: int, created_at_min: str, since_id: int
) -> list[Any]:
    table: Any = kind.table
    rows = [row for row in call.db.rows(table, order=table.id) if _is_after(row, "created_at", created_at_min)]
    if ids:
        rows = [row for row in rows if str(row.id) in ids.split(",")]
    if collection_id and kind is PRODUCT:
        collects = call.db.rows(ShopifyCollect, ShopifyCollect.collection_id == collection_id)
        rows = [row for row in rows if row.id in {each.product_id for each in collects}]
    wanted = [row for row in rows if row.id > since_id]
    return wanted[::-1] if kind in (CUSTOMER, ORDER) and not since_id else wanted


def _read_given(kind: ShopKind, body: Mapping[str, Any]) -> Shown:
    given: Any = body.get(kind.name)
    if not isinstance(given, dict):
        raise ShopifyError(400, {kind.name: ["Required parameter missing or invalid"]})
    return {name: value for name, value in cast(Shown, given).items() if name not in ("id", *_TIMES)}


def _next_id(call: Call) -> int:
    return 9_000_000_000 + call.db.next("object")


def _with_parts(call: Call, kind: ShopKind, id: int, given: Shown) -> Shown:
    """Return what a body gives of an object, with the ids of the variants, lines or addresses in it."""
    variants: Any = given.get("variants")
    if kind is PRODUCT and variants is not None:
        usual = {"title": "Default Title", "price": "0.00", "sku": "", "inventory_policy": "deny", "option1": None}
        listed = _objects(variants, "variants")
        made = [
            {**usual, "product_id": id, "position": n, **each, "id": each.get("id") or _next_id(call)}
            for n, each in enumerate(listed, 1)
        ]
        return {**given, "variants": made}
    if kind is ORDER and "line_items" in given:
        lines = [{"id": _next_id(call), "quantity": 1, "price": "0.00", **each}
                 for each in _objects(given["line_items"], "line_items")]  # fmt: skip
        total = f"{sum(_number(each['price']) * _number(each['quantity']) for each in lines):.2f}"
        totals = {"total_price": total, "subtotal_price": total, "total_line_items_price": total}
        return {**totals, **given, "line_items": lines}
    return given


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ShopifyError(422, {"line_items": ["price and quantity must be numbers"]}) from None


def _objects(value: Any, name: str) -> list[Shown]:
    listed = cast(list[Any], value) if isinstance(value, list) else [None]
    if not all(isinstance(each, dict) for each in listed):
        raise ShopifyError(400, {name: ["must be a list of objects"]})
    return cast(list[Shown], listed)


def _split(kind: ShopKind, given: Shown) -> tuple[Shown, Shown]:
    """Return columns and details of what a body gives; raises ShopifyError for a column that is no text or number."""
    columns = frozenset(kind.table.__annotations__) - {"id", "details", *_TIMES}
    own = {name: value for name, value in given.items() if name in columns}
    for name, value in own.items():
        wanted = int if name.endswith("_id") else str
        if not isinstance(value, wanted) and not (value is None and name == "email"):
            raise ShopifyError(422, {name: [f"must be a {'number' if wanted is int else 'string'}"]})
    return own, {name: value for name, value in given.items() if name not in columns}


def _check(call: Call, kind: ShopKind, given: Shown, own: int = 0) -> None:
    """Raise ShopifyError for what is empty, taken or not there."""
    email = given.get("email")
    if kind is CUSTOMER and email:
        taken = call.db.find(ShopifyCustomer, ShopifyCustomer.email.equals(str(email)))
        if taken is not None and taken.id != own:
            raise ShopifyError(422, {"email": ["has already been taken"]})
    if kind.needed in given and not given[kind.needed]:
        raise ShopifyError(422, {kind.needed: ["can't be blank"]})
    for name, table in (("product_id", ShopifyProduct), ("collection_id", ShopifyCollection)):
        if kind is COLLECT and name in given and call.db.find(table, table.id == given[name]) is None:
            raise ShopifyError(422, {name: ["does not exist"]})


def create_object(call: Call, kind: ShopKind, given: Shown) -> Any:
    """Add an object of a kind; returns its row. Raises ShopifyError with what is missing, wrong or taken."""
    if kind.needed and kind.needed not in given:
        raise ShopifyError(422, {kind.needed: ["can't be blank"]})
    if kind is COLLECT and "collection_id" not in given:
        raise ShopifyError(422, {"collection_id": ["can't be blank"]})
    _check(call, kind, given)
    id, now = _next_id(call), call.clock.iso()
    if kind is PRODUCT:
        handle = re.sub(r"\W+", "-", str(given["title"]).lower()).strip("-")
        given = {"handle": handle, "published_at": show_time(now), "variants": [{}], **given}
    if kind is ORDER:
        number = call.db.next("order")
        given = {"number": number, "order_number": 1000 + number, "name": f"#{1000 + number}", **given}
    own, details = _split(kind, _with_parts(call, kind, id, given))
    table: Any = kind.table
    row = table(id=id, details={**kind.usual, **details}, created_at=now, updated_at=now, **own)
    return call.db.add(row)


def _pick(shown: Shown, fields: str) -> Shown:
    wanted = [each.strip() for each in fields.split(",") if each.strip()]
    return {name: value for name, value in shown.items() if name in wanted} if wanted else shown


def _declare(kind: ShopKind) -> None:
    """Declare the operations of a kind."""

    @api.get(f"/{kind.plural}/count.json")
    def count_objects(call: Call, collection_id: int = 0, created_at_min: str = "") -> Shown:
        return {"count": len(_list_rows(call, kind, "", collection_id, created_at_min, 0))}

    @api.get(f"/{kind.plural}.json")
    def list_objects(
        call: Call,
        ids: str = "",
        collection_id: int = 0,
        created_at_min: str = "",
        since_id: int = 0,
        limit: int = DEFAULT_PAGE,
        page: int = 1,
        fields: str = "",
    ) -> Shown:
        if not 1 <= limit <= MAX_PAGE or page < 1:
            raise ShopifyError(400, f"limit must be between 1 and {MAX_PAGE}, and page at least 1")
        rows = _list_rows(call, kind, ids, collection_id, created_at_min, since_id)[(page - 1) * limit : page * limit]
        return {kind.plural: [_pick(show_object(row), fields) for row in rows]}

    _declare_members(kind)


def _declare_members(kind: ShopKind) -> None:
    """Declare how objects of a kind are created, read, changed and deleted."""

    @api.post(f"/{kind.plural}.json", status=201)
    def post_object(call: Call, body: _BODY) -> Shown:
        return {kind.name: show_object(create_object(call, kind, _read_given(kind, body)))}

    @api.get(f"/{kind.plural}/{{id}}.json")
    def get_object(call: Call, id: str, fields: str = "") -> Shown:
        return {kind.name: _pick(show_object(find_object(call, kind, id)), fields)}

    @api.put(f"/{kind.plural}/{{id}}.json")
    def put_object(call: Call, id: str, body: _BODY) -> Shown:
        row, given = find_object(call, kind, id), _read_given(kind, body)
        _check(call, kind, given, row.id)
        own, details = _split(kind, _with_parts(call, kind, row.id, given))
        changed = call.db.change(row, details={**row.details, **details}, updated_at=call.clock.iso(), **own)
        return {kind.name: show_object(changed)}

    @api.delete(f"/{kind.plural}/{{id}}.json")
    def delete_object(call: Call, id: str) -> Shown:
        call.db.remove(find_object(call, kind, id))
        return {}


for each in KINDS:
    _declare(each)


def _list_parts(call: Call, order_id: str, kind: str) -> list[ShopifyOrderPart]:
    order = find_object(call, ORDER, order_id)
    rows = call.db.rows(ShopifyOrderPart, ShopifyOrderPart.order_id == order.id, order=ShopifyOrderPart.id)
    return [row for row in rows if row.kind == kind]


def _declare_part(name: str) -> None:
    """Declare how transactions or refunds of an order are read."""

    @api.get(f"/orders/{{order_id}}/{name}s.json")
    def list_parts(call: Call, order_id: str) -> Shown:
        return {f"{name}s": [show_object(row) for row in _list_parts(call, order_id, name)]}

    @api.get(f"/orders/{{order_id}}/{name}s/{{id}}.json")
    def get_part(call: Call, order_id: str, id: str) -> Shown:
        row = next((each for each in _list_parts(call, order_id, name) if str(each.id) == id), None)
        if row is None:
            raise ShopifyError(404, "Not Found")
        return {name: show_object(row)}


for each in ("transaction", "refund"):
    _declare_part(each)


def _declare_move(word: str, name: str) -> None:
    """Declare how an order is closed, opened again or cancelled; `name` is the time that says so."""

    @api.post(f"/orders/{{id}}/{word}.json")
    def post_move(call: Call, id: str) -> Shown:
        row, now = find_object(call, ORDER, id), call.clock.iso()
        if word == "cancel" and row.details.get("cancelled_at"):
            raise ShopifyError(422, {"base": ["Cannot cancel an order that is cancelled"]})
        details = {**row.details, name: None if word == "open" else show_time(now)}
        return {"order": show_object(call.db.change(row, details=details, updated_at=now))}


for word, time in (("close", "closed_at"), ("open", "closed_at"), ("cancel", "cancelled_at")):
    _declare_move(word, time)


@api.get("/shop.json")
def get_shop(call: Call) -> Shown:
    """Return the shop."""
    return {"shop": show_object(call.db.rows(ShopifyShop)[0])}


@api.get("/customers/search.json")
def search_customers(call: Call, query: str, limit: int = DEFAULT_PAGE) -> Shown:
    """Find customers by words, or by `field:value`."""
    shown = [show_object(row) for row in call.db.rows(ShopifyCustomer, order=ShopifyCustomer.id)]
    words = [each.lower().partition(":") for each in query.split()]
    matching = [each for each in shown if all(_has_word(each, *word) for word in words)]
    return {"customers": matching[: max(1, min(limit, MAX_PAGE))]}


def _has_word(shown: Shown, name: str, colon: str, value: str) -> bool:
    if colon:
        return value in str(shown.get(name) or "").lower()
    return any(name in str(shown.get(each) or "").lower() for each in ("email", "first_name", "last_name", "phone"))
