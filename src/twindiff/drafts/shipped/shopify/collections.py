"""What a shop has beside products, customers and orders: webhooks, discounts, pages, metafields, stock and more.

https://shopify.dev/docs/api/admin-rest/latest/resources/webhook
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar

from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations

from ..document_collections import (
    ALL,
    CollectionStyle,
    DocumentCollection,
    DocumentRequest,
    declare_operation,
    list_tables,
    serve_collections,
)
from ..document_fields import FieldType
from .admin import COLLECTION, CUSTOMER, DEFAULT_PAGE, MAX_PAGE, ORDER, PRODUCT, ShopKind, find_object, show_object
from .tables import ShopifyOrder, ShopifyShop
from .wire_style import ShopifyError, read_object, show_time

api = Operations(prefix="/admin")
Shown = dict[str, Any]
LOCATION = 30_000_001


BOUNDS = ("created_at_min", "created_at_max", "updated_at_min", "updated_at_max")
"""Parameters of lists that bound the times of objects."""


def _is_between(request: DocumentRequest, shown: Shown) -> bool:
    """Return whether the times of an object are within the bounds that a request names. Raises ShopifyError."""
    for name in BOUNDS:
        bound = request.query.get(name)
        if bound is None:
            continue
        try:
            at, limit = (datetime.fromisoformat(each) for each in (shown[name[:-4]], bound))
        except ValueError:
            raise ShopifyError(400, f"{name} is not a time") from None
        limit = limit if limit.tzinfo else limit.replace(tzinfo=UTC)
        if (at < limit) if name.endswith("min") else (at > limit):
            return False
    return True


class ShopDocuments(CollectionStyle):
    """Objects stand under their word, and lists under that of several; ids grow."""

    suffix = ".json"
    updates_by = ("PUT",)
    deleted = 200
    times = ("created_at", "updated_at")
    is_lenient = True
    parameters: ClassVar = {
        "since_id": (int, 0), "limit": (int, DEFAULT_PAGE), "page": (int, 1), "fields": (str, ""), "ids": (str, ""),
        **dict.fromkeys(BOUNDS, (str, None)),
    }  # fmt: skip

    def __init__(self, name: str, plural: str) -> None:
        """`name` and `plural` are the words of one object and of several."""
        self.name, self.plural = name, plural

    def read_fields(self, request: DocumentRequest) -> Shown:
        return read_object(request.body, self.name)

    def refuse_missing(self, name: str, key: str) -> ApiError:
        return ShopifyError(404, "Not Found")

    def refuse_absent(self, name: str, absent: Sequence[str]) -> ApiError:
        return ShopifyError(422, {each: ["can't be blank"] for each in absent})

    def refuse_invalid(self, name: str, field: str, kind: FieldType, value: Any) -> ApiError:
        return ShopifyError(
            422, {field: ["is not included in the list" if kind.words else f"must be {kind.description}"]}
        )

    def make_key(self, call: Call, collection: DocumentCollection) -> int:
        return 9_000_000_000 + call.db.next("object")

    def show_now(self, call: Call) -> Any:
        return show_time(call.clock.iso())

    def show_one(self, shown: Shown) -> Any:
        return {self.name: shown}

    def show_list(self, request: DocumentRequest, shown: list[Shown]) -> Any:
        most, page, since = (request.query[name] for name in ("limit", "page", "since_id"))
        if not 1 <= most <= MAX_PAGE or page < 1:
            raise ShopifyError(400, f"limit must be between 1 and {MAX_PAGE}, and page at least 1")
        ids = [each.strip() for each in str(request.query.get("ids") or "").split(",") if each.strip()]
        shown = [each for each in shown if (not ids or str(each["id"]) in ids) and _is_between(request, each)]
        rows = [each for each in shown if each["id"] > since][(page - 1) * most : page * most]
        names = [name.strip() for name in request.query["fields"].split(",") if name.strip()]
        if names:
            rows = [{name: value for name, value in each.items() if name in names} for each in rows]
        return {self.plural: rows}

    def show_deleted(self, request: DocumentRequest, shown: Shown) -> Any:
        return {}


def _declare(name: str, plural: str, *required: str, under: str = "", **more: Any) -> DocumentCollection:
    """Return the collection of a word, below what the path `under` names."""
    above = _PLACEHOLDER.findall(under)
    graphql = "".join(part.capitalize() for part in name.split("_"))
    add: Callable[[DocumentRequest], Shown] | None = more.pop("add", None)

    def show(request: DocumentRequest, fields: Shown) -> Shown:
        shown = {**fields, **{each: int(request.path[each]) for each in above}}
        shown |= add(request) if add else {}
        return {**shown, "admin_graphql_api_id": f"gid://shopify/{graphql}/{fields['id']}"}

    return DocumentCollection(
        table=more.pop("table", plural), path=f"{under}/{plural}", style=ShopDocuments(name, plural), name=name,
        required=required, show=show, **more,
    )  # fmt: skip


def _add_shop(_request: DocumentRequest) -> Shown:
    return {"owner_id": 20_000_001, "owner_resource": "shop"}


def _declare_metafields(plural: str, kind: ShopKind) -> DocumentCollection:
    """Return the metafields of products and the like."""
    owner = plural.rstrip("s")

    def resolve(call: Call, given: Sequence[str]) -> Sequence[str]:
        return [str(find_object(call, kind, given[0]).id)]

    def add(request: DocumentRequest) -> Shown:
        return {"owner_id": int(request.path[f"{owner}_id"]), "owner_resource": owner}

    return _declare(
        "metafield", "metafields", *_METAFIELD, fields=_METAFIELD_FIELDS, filters=("namespace", "key", "type"),
        under=f"/{plural}/{{{owner}_id}}",
        table=f"{owner}_metafields",
        defaults=_USUAL_METAFIELD, resolve=resolve, hidden=frozenset(["owner_id", "owner_resource"]),
        add=add,
    )  # fmt: skip


_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_METAFIELD = ("namespace", "key", "value")
_METAFIELD_FIELDS = "namespace, type, description: text"
_USUAL_METAFIELD: Shown = {"type": "single_line_text_field", "description": None}
PRICE_RULE = _declare(
    "price_rule", "price_rules", "title", "target_type", "target_selection", "allocation_method", "value_type",
    "value", "customer_selection", "starts_at",
    fields="title, value: text; target_type: line_item|shipping_line; target_selection: all|entitled;"
           "allocation_method: each|across; value_type: fixed_amount|percentage; customer_selection: all|prerequisite;"
           "starts_at, ends_at: time; usage_limit, allocation_limit: integer; once_per_customer: boolean;"
           "entitled_product_ids, entitled_variant_ids, entitled_collection_ids, prerequisite_customer_ids: list",
    defaults={"ends_at": None, "usage_limit": None, "once_per_customer": False, "allocation_limit": None,
              "entitled_product_ids": [], "entitled_variant_ids": [], "entitled_collection_ids": [],
              "prerequisite_customer_ids": []},
)  # fmt: skip
BLOG = _declare(
    "blog", "blogs", "title", filters=("handle",),
    fields="title, handle, template_suffix, feedburner, feedburner_location: text; commentable: no|moderate|yes",
    defaults={"commentable": "no", "feedburner": None, "feedburner_location": None, "template_suffix": None,
              "tags": ""},
)  # fmt: skip
COUNTED = (
    PRICE_RULE, BLOG,
    _declare("webhook", "webhooks", "topic", "address", filters=("topic", "address"),
             fields="topic, address, api_version: text; format: json|xml;"
                    "fields, metafield_namespaces, private_metafield_namespaces: list",
             defaults={"format": "json", "fields": [], "metafield_namespaces": [], "api_version": "2025-01",
                       "private_metafield_namespaces": []}),
    _declare("smart_collection", "smart_collections", "title", "rules", filters=("title", "handle"),
             unserved=("product_id", "published_status"),
             fields="title, body_html, handle, template_suffix: text; rules: list; disjunctive: boolean;"
                    "sort_order: alpha-asc|alpha-desc|best-selling|created|created-desc|manual|price-asc|price-desc;"
                    "published_scope: web|global",
             defaults={"body_html": None, "sort_order": "best-selling", "template_suffix": None, "disjunctive": False,
                       "published_scope": "web"}),
    _declare("page", "pages", "title", filters=("title", "handle"), unserved=("published_status",),
             fields="title, body_html, author, handle, template_suffix: text; published: boolean",
             defaults={"body_html": None, "author": "Twindiff", "template_suffix": None, "shop_id": 20_000_001}),
    _declare("redirect", "redirects", "path", "target", filters=("path", "target"), fields="path, target: text"),
    _declare("script_tag", "script_tags", "event", "src", filters=("src",),
             fields="event, src: text; display_scope: online_store|order_status|all; cache: boolean",
             defaults={"display_scope": "online_store", "cache": False}),
    _declare("gift_card", "gift_cards", "initial_value", unserved=("status",),
             fields="initial_value, note, code, currency, template_suffix: text; expires_on: date;"
                    "customer_id: integer", serves=ALL - {"delete"},
             defaults={"currency": "USD", "note": None, "disabled_at": None, "expires_on": None, "customer_id": None}),
)  # fmt: skip
COLLECTIONS = (
    *COUNTED,
    _declare("discount_code", "discount_codes", "code", under="/price_rules/{price_rule_id}", above=PRICE_RULE,
             fields="code: text; usage_count: integer",
             defaults={"usage_count": 0}),
    _declare("article", "articles", "title", under="/blogs/{blog_id}", above=BLOG,
             filters=("author", "handle"), unserved=("tag", "published_status"),
             fields="title, author, body_html, handle, summary_html, template_suffix: text; published: boolean;"
                    "image: object",
             defaults={"body_html": None, "author": "Twindiff", "summary_html": None, "tags": "",
                       "template_suffix": None, "user_id": None}),
    _declare("theme", "themes", "name", fields="name, src: text; role: main|unpublished|demo|development",
             defaults={"role": "unpublished", "theme_store_id": None, "previewable": True, "processing": False}),
    _declare("carrier_service", "carrier_services", "name", "callback_url",
             fields="name, callback_url: text; active, service_discovery: boolean; carrier_service_type: api|legacy;"
                    "format: json|xml",
             defaults={"active": True, "service_discovery": True, "carrier_service_type": "api"}),
    _declare("metafield", "metafields", *_METAFIELD, fields=_METAFIELD_FIELDS, filters=("namespace", "key", "type"),
             defaults=_USUAL_METAFIELD,
             hidden=frozenset(["owner_id", "owner_resource"]),
             add=_add_shop),
    _declare_metafields("products", PRODUCT), _declare_metafields("customers", CUSTOMER),
    _declare_metafields("orders", ORDER), _declare_metafields("collections", COLLECTION),
)  # fmt: skip


def _count(collection: DocumentCollection) -> Any:
    def respond(request: DocumentRequest) -> Any:
        """Count the objects of a collection."""
        return {"count": sum(_is_between(request, each) for each in collection.list_shown(request))}

    return respond


for _counted in COUNTED:
    _name, _parameters = f"GET {_counted.path}/count.json", {**_counted.parameters}
    declare_operation(api, _name, _count(_counted), "Count the objects of a collection.", parameters=_parameters)
serve_collections(api, COLLECTIONS)


# -- locations and stock -----------------------------------------------------------------------------------------------

LEVELS = DocumentCollection(
    table="inventory_levels", path="/inventory_levels", style=ShopDocuments("inventory_level", "inventory_levels"),
    serves=frozenset(), key="inventory_item_id", given_key="inventory_item_id",
)  # fmt: skip
TABLES = list_tables((*COLLECTIONS, LEVELS))


def _show_location(call: Call) -> Shown:
    shop = call.db.rows(ShopifyShop)[0]
    empty = dict.fromkeys(("address1", "address2", "city", "zip", "province", "phone"))
    times = {"created_at": show_time(shop.created_at), "updated_at": show_time(shop.updated_at)}
    place = {"country": "US", "country_code": "US", "country_name": "United States", "province_code": None}
    return {"id": LOCATION, "name": "Shop location", **empty, **place, **times, "legacy": False, "active": True}


@api.get("/locations.json")
def list_locations(call: Call) -> Shown:
    """List the locations of the shop."""
    return {"locations": [_show_location(call)]}


@api.get("/locations/count.json")
def count_locations(call: Call) -> Shown:
    """Count the locations of the shop."""
    return {"count": 1}


@api.get("/locations/{id}.json")
def get_location(call: Call, id: str) -> Shown:
    """Return a location."""
    if id != str(LOCATION):
        raise ShopifyError(404, "Not Found")
    return {"location": _show_location(call)}


def _show_level(row: Any) -> Shown:
    names = ("available", "updated_at")
    return {"inventory_item_id": int(row.key), "location_id": LOCATION, **{name: row.fields[name] for name in names}}


def _read_level(body: Mapping[str, Any], name: str) -> tuple[str, int]:
    """Return the item and the number that a body gives. Raises ShopifyError."""
    missing = [each for each in ("location_id", "inventory_item_id", name) if body.get(each) is None]
    if missing:
        raise ShopifyError(422, {each: ["Required parameter missing or invalid"] for each in missing})
    if str(body["location_id"]) != str(LOCATION):
        raise ShopifyError(404, "Not Found")
    if not isinstance(body[name], int) or not str(body["inventory_item_id"]).isdecimal():
        raise ShopifyError(422, {name: ["must be a number"]})
    return str(body["inventory_item_id"]), body[name]


def _set_level(call: Call, item: str, available: int) -> Shown:
    request, row = DocumentRequest(call), LEVELS.find_in(call, "", item)
    fields = {"inventory_item_id": item, "available": available}
    row = LEVELS.add(request, fields) if row is None else LEVELS.change(request, row, fields)
    return {"inventory_level": _show_level(row)}


@api.post("/inventory_levels/set.json")
def post_level(call: Call, body: Annotated[dict[str, Any], Body]) -> Shown:
    """Set how much of an item there is at a location."""
    return _set_level(call, *_read_level(body, "available"))


@api.post("/inventory_levels/adjust.json")
def post_adjustment(call: Call, body: Annotated[dict[str, Any], Body]) -> Shown:
    """Change how much of an item there is at a location by a number."""
    item, change = _read_level(body, "available_adjustment")
    row = LEVELS.find_in(call, "", item)
    return _set_level(call, item, change + (row.fields["available"] if row else 0))


@api.get("/inventory_levels.json")
def list_levels(call: Call, inventory_item_ids: str = "", location_ids: str = "") -> Shown:
    """List how much there is of items."""
    if not inventory_item_ids and not location_ids:
        raise ShopifyError(422, "at least one of inventory_item_ids or location_ids must be given")
    wanted = inventory_item_ids.split(",") if inventory_item_ids else None
    here = not location_ids or str(LOCATION) in location_ids.split(",")
    rows = [row for row in LEVELS.rows_in(call, "") if here and (wanted is None or row.key in wanted)]
    return {"inventory_levels": [_show_level(row) for row in rows]}


# -- parts of customers -----------------------------------------------------------------------------------------------


@api.get("/customers/{customer_id}/orders.json")
def list_customer_orders(call: Call, customer_id: str) -> Shown:
    """List the orders of a customer, by address."""
    customer = find_object(call, CUSTOMER, customer_id)
    rows = call.db.rows(ShopifyOrder, order=ShopifyOrder.id)
    return {"orders": [show_object(row) for row in rows if row.email and row.email == customer.email]}


@api.get("/customers/{customer_id}/addresses.json")
def list_addresses(call: Call, customer_id: str) -> Shown:
    """List the addresses of a customer."""
    return {"addresses": find_object(call, CUSTOMER, customer_id).details.get("addresses", [])}
