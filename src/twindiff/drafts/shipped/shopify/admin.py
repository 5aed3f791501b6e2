"""The REST admin API: list, count, read, create, change and delete. https://shopify.dev/docs/api/admin-rest"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, NamedTuple, cast
from urllib.parse import parse_qsl, urlencode

from twindiff.kit.call import Call
from twindiff.kit.clock import Clock, micros_of
from twindiff.kit.http import Response, json_answer
from twindiff.kit.paging import decode_cursor, encode_cursor
from twindiff.kit.parameter_sources import Body
from twindiff.kit.rows import Row
from twindiff.kit.twin import Operations, Rows

from ...wire_style import DRAFTED_HEADER
from .tables import (
    ShopifyCollect,
    ShopifyCollection,
    ShopifyCustomer,
    ShopifyDraftOrder,
    ShopifyOrder,
    ShopifyOrderPart,
    ShopifyProduct,
    ShopifyShop,
)
from .wire_style import ShopifyError, read_number, read_object, show_time

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
    filters: tuple[str, ...] = ()
    """Fields by which lists are filtered."""


PRODUCT = ShopKind(
    "product", "products", ShopifyProduct, "title",
    {"body_html": None, "vendor": "Twindiff", "product_type": "", "template_suffix": None, "published_scope": "web",
     "tags": "", "status": "active", "options": [], "images": [], "image": None, "variants": []},
    ("title", "vendor", "product_type", "handle", "status"),
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
    ("status", "financial_status", "fulfillment_status"),
)  # fmt: skip
COLLECTION = ShopKind(
    "custom_collection", "custom_collections", ShopifyCollection, "title",
    {"body_html": None, "sort_order": "best-selling", "template_suffix": None, "published_scope": "web"},
)  # fmt: skip
COLLECT = ShopKind("collect", "collects", ShopifyCollect, "product_id", {"position": 1})
DRAFT_ORDER = ShopKind("draft_order", "draft_orders", ShopifyDraftOrder, "line_items", filters=("status",))
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


def _list_rows(call: Call, kind: ShopKind, asked: Mapping[str, str]) -> list[Any]:
    """Return the rows of a kind that the parameters of a list ask for; empty ones ask for nothing."""
    table: Any = kind.table
    since, since_id = asked.get("created_at_min", ""), int(asked.get("since_id") or 0)
    rows = [row for row in call.db.rows(table, order=table.id) if _is_after(row, "created_at", since)]
    if ids := asked.get("ids"):
        rows = [row for row in rows if str(row.id) in ids.split(",")]
    if (collection := asked.get("collection_id")) and kind is PRODUCT:
        collects = call.db.rows(ShopifyCollect, ShopifyCollect.collection_id == int(collection))
        rows = [row for row in rows if row.id in {each.product_id for each in collects}]
    filters = {name: asked[name] for name in kind.filters if asked.get(name)}
    if filters:
        rows = [row for row in rows if _fits(kind, show_object(row), filters)]
    wanted = [row for row in rows if row.id > since_id]
    return wanted[::-1] if kind in (CUSTOMER, ORDER) and not since_id else wanted


_ORDER_STATES: Mapping[str, tuple[str, ...]] = {"open": (), "closed": ("closed_at",), "cancelled": ("cancelled_at",)}
_FULFILLED: Mapping[str, tuple[str | None, ...]] = {
    "shipped": ("fulfilled",),
    "partial": ("partial",),
    "unshipped": (None,),
    "unfulfilled": (None, "partial"),
}


def _fits(kind: ShopKind, shown: Shown, filters: Mapping[str, str]) -> bool:
    """Return whether an object has the values of filters; those of orders have words of their own."""
    for name, value in filters.items():
        if kind is ORDER and value == "any":
            continue
        if kind is ORDER and name == "status":
            ended = tuple(each for each in ("cancelled_at", "closed_at") if shown.get(each))[:1]
            if _ORDER_STATES.get(value) != ended:
                return False
        elif name == "fulfillment_status":
            if shown.get(name) not in _FULFILLED.get(value, (value,)):
                return False
        elif str(shown.get(name)).lower() not in value.lower().split(","):
            return False
    return True


def _read_given(kind: ShopKind, body: Mapping[str, Any]) -> Shown:
    return {name: value for name, value in read_object(body, kind.name).items() if name not in ("id", *_TIMES)}


def next_id(call: Call) -> int:
    """Return the id of a new object."""
    return 9_000_000_000 + call.db.next("object")


def _with_parts(call: Call, kind: ShopKind, id: int, given: Shown) -> Shown:
    """Return what a body gives of an object, with the ids of the variants, lines or addresses in it."""
    if kind is PRODUCT and "images" in given:
        images = [{"product_id": id, **each, "id": next_id(call)} for each in read_objects(given["images"], "images")]
        given = {**given, "images": images}
    variants: Any = given.get("variants")
    if kind is PRODUCT and variants is not None:
        return {**given, "variants": make_variants(call, id, read_objects(variants, "variants"), 1)}
    if kind is ORDER and given.get("fulfillments"):
        raise ShopifyError(501, "This drafted twin takes no fulfillments in an order; add them by POST /fulfillments.")
    if kind is ORDER and "line_items" in given:
        lines = [make_line(call, each) for each in read_objects(given["line_items"], "line_items")]
        total = f"{sum(read_number(each['price'], _NO_NUMBER) * each['quantity'] for each in lines):.2f}"
        totals = {"total_price": total, "subtotal_price": total, "total_line_items_price": total}
        return {**totals, **given, "line_items": lines}
    return given


def make_line(call: Call, given: Shown) -> Shown:
    """Return a line of an order; an id that it had stays. Raises ShopifyError for a quantity that is none."""
    line = {"quantity": 1, "price": "0.00", **_find_variant_of(call, given), **given}
    quantity = read_number(line["quantity"], _NO_NUMBER)
    if quantity < 0 or quantity != int(quantity):
        raise ShopifyError(422, {"line_items": ["quantity must be a whole number that is not negative"]})
    known = given.get("id")
    return {**line, "id": known if isinstance(known, int) else next_id(call), "quantity": int(quantity)}


def make_variants(call: Call, product_id: int, given: list[Shown], first: int) -> list[Shown]:
    """Return variants of a product with ids and usual values; the position of the first is `first`."""
    usual = {"price": "0.00", "sku": "", "inventory_policy": "deny", "option1": None}
    return [
        {**usual, "title": each.get("option1") or "Default Title", "product_id": product_id, "position": position,
         "inventory_item_id": next_id(call), **each, "id": each.get("id") or next_id(call)}
        for position, each in enumerate(given, first)
    ]  # fmt: skip


def find_variant(call: Call, said: str) -> tuple[Any, Shown] | None:
    """Return the row of a product and its variant with an id; None if there is none."""
    for row in call.db.rows(ShopifyProduct, order=ShopifyProduct.id):
        for variant in cast(list[Shown], row.details.get("variants", ())):
            if str(variant["id"]) == said:
                return row, variant
    return None


def _find_variant_of(call: Call, line: Shown) -> Shown:
    """Return what a line of an order takes from its variant, if it names one that there is."""
    pair = find_variant(call, str(line["variant_id"])) if line.get("variant_id") else None
    if pair is None:
        return {}
    row, variant = pair
    return {"title": row.title, "product_id": row.id, "price": variant["price"], "sku": variant.get("sku", "")}


_NO_NUMBER = {"line_items": ["price and quantity must be numbers"]}


def read_objects(value: Any, name: str) -> list[Shown]:
    """Return a value that must be a list of objects. Raises ShopifyError."""
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
    id, now = next_id(call), call.clock.iso()
    if kind is PRODUCT:
        handle = re.sub(r"\W+", "-", str(given["title"]).lower()).strip("-")
        given = {"handle": handle, "published_at": show_time(now), "variants": [{}], **given}
    if kind is ORDER:
        number = call.db.next("order")
        given = {"number": number, "order_number": 1000 + number, "name": f"#{1000 + number}", **given}
        customer: Any = given.get("customer")
        if isinstance(customer, dict) and "id" in customer:
            row = find_object(call, CUSTOMER, str(cast(Shown, customer)["id"]))
            given = {"email": row.email, **given, "customer": show_object(row)}
    own, details = _split(kind, _with_parts(call, kind, id, given))
    table: Any = kind.table
    row = table(id=id, details={**kind.usual, **details}, created_at=now, updated_at=now, **own)
    return call.db.add(row)


def pick_shown(shown: Shown, fields: str) -> Shown:
    """Return the named fields of an object; without names, all."""
    wanted = [each.strip() for each in fields.split(",") if each.strip()]
    return {name: value for name, value in shown.items() if name in wanted} if wanted else shown


def _show_page(call: Call, kind: ShopKind, asked: Shown, limit: int, page: int) -> Response:
    """Answer a page of a list; the header `Link` has the address of the next one.

    https://shopify.dev/docs/api/admin-rest/usage/pagination
    """
    if not 1 <= limit <= MAX_PAGE or page < 1:
        raise ShopifyError(400, f"limit must be between 1 and {MAX_PAGE}, and page at least 1")
    start, fields = (page - 1) * limit, asked.pop("fields")
    if page_info := asked.pop("page_info"):
        if any(asked.values()):
            raise ShopifyError(400, {"page_info": ["only limit and fields may stand beside it"]})
        asked, start = _read_cursor(kind, page_info)
    rows = _list_rows(call, kind, asked)
    shown = [pick_shown(show_object(row), fields) for row in rows[start : start + limit]]
    links: list[str] = []
    for name, at in (("previous", max(start - limit, 0)), ("next", start + limit)):
        if at < start or (at > start and at < len(rows)):
            cursor = encode_cursor(kind.plural, urlencode({**{k: v for k, v in asked.items() if v}, "start": at}))
            query = urlencode({"limit": limit, "page_info": cursor, **({"fields": fields} if fields else {})})
            path = call.memo["exchange"].request.path
            links.append(f'<{call.base_url}{path}?{query}>; rel="{name}"')
    headers = (("Link", ", ".join(links)),) if links else ()
    return json_answer({kind.plural: shown}, headers=(*headers, (DRAFTED_HEADER, "written")))


def _read_cursor(kind: ShopKind, page_info: str) -> tuple[Shown, int]:
    """Return what the list of a cursor asked for, and where the page starts. Raises _InvalidPage."""
    asked: Shown = dict(parse_qsl(decode_cursor(kind.plural, page_info, _InvalidPage)))
    numbers = [asked.get("start", ""), asked.get("since_id", "0"), asked.get("collection_id", "0")]
    if not all(re.fullmatch(r"\d{1,18}", each, re.ASCII) for each in numbers):
        raise _InvalidPage
    return asked, int(asked.pop("start"))


class _InvalidPage(ShopifyError):
    """The cursor of a page is none that this twin gave."""

    def __init__(self) -> None:
        super().__init__(400, {"page_info": ["Invalid value."]})


def _declare_count(kind: ShopKind) -> None:
    """Declare how objects of a kind are counted."""

    @api.get(f"/{kind.plural}/count.json")
    def count_objects(
        call: Call,
        collection_id: int = 0,
        created_at_min: str = "",
        status: str = "",
        financial_status: str = "",
        fulfillment_status: str = "",
        vendor: str = "",
        product_type: str = "",
    ) -> Shown:
        asked = {"created_at_min": created_at_min, "status": status, "financial_status": financial_status}
        asked |= {"fulfillment_status": fulfillment_status, "vendor": vendor, "product_type": product_type}
        return {"count": len(_list_rows(call, kind, {**asked, "collection_id": str(collection_id or "")}))}


def _declare_list(kind: ShopKind) -> None:
    """Declare how objects of a kind are listed."""

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
        page_info: str = "",
        title: str = "",
        vendor: str = "",
        product_type: str = "",
        handle: str = "",
        status: str = "",
        financial_status: str = "",
        fulfillment_status: str = "",
    ) -> Response:
        asked = {"ids": ids, "created_at_min": created_at_min, "title": title, "vendor": vendor, "handle": handle}
        asked |= {"product_type": product_type, "status": status, "financial_status": financial_status}
        asked |= {"fulfillment_status": fulfillment_status, "since_id": str(since_id or "")}
        asked |= {"collection_id": str(collection_id or ""), "page_info": page_info, "fields": fields}
        return _show_page(call, kind, asked, limit, page)


def _declare_members(kind: ShopKind) -> None:
    """Declare how objects of a kind are created, read, changed and deleted."""

    @api.post(f"/{kind.plural}.json", status=201)
    def post_object(call: Call, body: _BODY) -> Shown:
        return {kind.name: show_object(create_object(call, kind, _read_given(kind, body)))}

    @api.get(f"/{kind.plural}/{{id}}.json")
    def get_object(call: Call, id: str, fields: str = "") -> Shown:
        return {kind.name: pick_shown(show_object(find_object(call, kind, id)), fields)}

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


for each in (*KINDS, DRAFT_ORDER):
    _declare_count(each)
    _declare_list(each)
for each in KINDS:
    _declare_members(each)


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
