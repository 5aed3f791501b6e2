"""What a shop has beside products, customers and orders: webhooks, discounts, pages, metafields, stock and more.

https://shopify.dev/docs/api/admin-rest/latest/resources/webhook
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, cast

from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError
from twindiff.kit.parameter_sources import Body
from twindiff.kit.twin import Operations

from ..declared_collections import (
    Collection,
    DeclaredRow,
    DeclaredStyle,
    add_declared,
    declare_collections,
    declare_table,
    find_declared,
    list_declared,
)
from .admin import COLLECTION, CUSTOMER, DEFAULT_PAGE, MAX_PAGE, ORDER, PRODUCT, ShopKind, find_object, show_object
from .tables import ShopifyOrder, ShopifyShop
from .wire_style import ShopifyError, show_time

api = Operations(prefix="/admin")
Shown = dict[str, Any]
LOCATION = 30_000_001


class ShopCollectionStyle(DeclaredStyle):
    """Objects stand under their word, and lists under that of several; ids grow."""

    suffix = ".json"
    created_status = 201
    removed_status = 200
    queries: ClassVar = {"since_id": (int, 0), "limit": (int, DEFAULT_PAGE), "page": (int, 1), "fields": (str, "")}

    def not_found(self, kind: Collection) -> ApiError:
        return ShopifyError(404, "Not Found")

    def refuse_missing(self, kind: Collection, names: Sequence[str]) -> ApiError:
        return ShopifyError(422, {name: ["can't be blank"] for name in names})

    def new_id(self, call: Call, kind: Collection) -> str:
        return str(9_000_000_000 + call.db.next("object"))

    def read(self, kind: Collection, body: Any) -> Shown:
        given: Any = cast(Shown, body).get(kind.name) if isinstance(body, dict) else None
        if not isinstance(given, dict):
            raise ShopifyError(400, {kind.name: ["Required parameter missing or invalid"]})
        return dict(cast(Shown, given))

    def show(self, call: Call, kind: Collection, row: DeclaredRow) -> Shown:
        times = {"created_at": show_time(row.created_at), "updated_at": show_time(row.updated_at)}
        shown: Shown = {"id": int(row.id), **cast(Shown, row.fields), **times}
        for name, id in zip(kind.placeholders, _ids_of(kind, row.scope), strict=True):
            shown[name] = int(id)
        if kind.name == "metafield":
            owner = kind.path.split("/")[1].rstrip("s") if kind.placeholders else "shop"
            shown |= {"owner_id": shown.get(f"{owner}_id", 20_000_001), "owner_resource": owner}
            shown.pop(f"{owner}_id", None)
        return {**shown, "admin_graphql_api_id": f"gid://shopify/{_words(kind.name)}/{row.id}"}

    def wrap(self, kind: Collection, shown: Shown) -> Any:
        return {kind.name: shown}

    def page(self, call: Call, kind: Collection, shown: list[Shown], given: Mapping[str, Any]) -> Any:
        most, page = given["limit"], given["page"]
        if not 1 <= most <= MAX_PAGE or page < 1:
            raise ShopifyError(400, f"limit must be between 1 and {MAX_PAGE}, and page at least 1")
        rows = [each for each in shown if each["id"] > given["since_id"]][(page - 1) * most : page * most]
        names = [name.strip() for name in given["fields"].split(",") if name.strip()]
        if names:
            rows = [{name: value for name, value in each.items() if name in names} for each in rows]
        return {kind.plural: rows}

    def remove(self, kind: Collection, row: DeclaredRow) -> Any:
        return {}


def _words(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("_"))


def _ids_of(kind: Collection, scope: str) -> list[str]:
    """Return the ids in the path of a collection."""
    pairs = zip(kind.path.split("/"), scope.split("/"), strict=True)
    return [value for name, value in pairs if name.startswith("{")]


def _metafields(path: str, kind: ShopKind | None, placeholder: str) -> Collection:
    """Return the metafields of what stands at a path."""

    def check(call: Call, values: Mapping[str, str]) -> None:
        if kind is not None:
            find_object(call, kind, values[placeholder])

    return Collection(
        _METAFIELDS, f"{path}/metafields", "metafield", "metafields", ("namespace", "key", "value"),
        usual={"type": "single_line_text_field", "description": None}, check=check,
    )  # fmt: skip


_METAFIELDS = declare_table("metafields")
WEBHOOK = Collection(
    declare_table("webhooks"), "/webhooks", "webhook", "webhooks", ("topic", "address"),
    usual={"format": "json", "fields": [], "metafield_namespaces": [], "api_version": "2025-01",
           "private_metafield_namespaces": []},
    filters=("topic", "address"),
)  # fmt: skip
PRICE_RULE = Collection(
    declare_table("price_rules"), "/price_rules", "price_rule", "price_rules",
    ("title", "target_type", "target_selection", "allocation_method", "value_type", "value", "customer_selection",
     "starts_at"),
    usual={"ends_at": None, "usage_limit": None, "once_per_customer": False, "allocation_limit": None,
           "entitled_product_ids": [], "entitled_variant_ids": [], "entitled_collection_ids": [],
           "prerequisite_customer_ids": []},
)  # fmt: skip
DISCOUNT_CODE = Collection(
    declare_table("discount_codes"), "/price_rules/{price_rule_id}/discount_codes", "discount_code", "discount_codes",
    ("code",), usual={"usage_count": 0}, above=PRICE_RULE,
)  # fmt: skip
SMART_COLLECTION = Collection(
    declare_table("smart_collections"), "/smart_collections", "smart_collection", "smart_collections",
    ("title", "rules"),
    usual={"body_html": None, "sort_order": "best-selling", "template_suffix": None, "disjunctive": False,
           "published_scope": "web"},
)  # fmt: skip
PAGE = Collection(
    declare_table("pages"), "/pages", "page", "pages", ("title",),
    usual={"body_html": None, "author": "Twindiff", "template_suffix": None, "shop_id": 20_000_001},
)  # fmt: skip
BLOG = Collection(
    declare_table("blogs"), "/blogs", "blog", "blogs", ("title",),
    usual={"commentable": "no", "feedburner": None, "feedburner_location": None, "template_suffix": None, "tags": ""},
)  # fmt: skip
ARTICLE = Collection(
    declare_table("articles"), "/blogs/{blog_id}/articles", "article", "articles", ("title",),
    usual={"body_html": None, "author": "Twindiff", "summary_html": None, "tags": "", "template_suffix": None,
           "user_id": None},
    above=BLOG,
)  # fmt: skip
REDIRECT = Collection(declare_table("redirects"), "/redirects", "redirect", "redirects", ("path", "target"))
SCRIPT_TAG = Collection(
    declare_table("script_tags"), "/script_tags", "script_tag", "script_tags", ("event", "src"),
    usual={"display_scope": "online_store", "cache": False}, filters=("src",),
)  # fmt: skip
THEME = Collection(
    declare_table("themes"), "/themes", "theme", "themes", ("name",),
    usual={"role": "unpublished", "theme_store_id": None, "previewable": True, "processing": False},
)  # fmt: skip
CARRIER_SERVICE = Collection(
    declare_table("carrier_services"), "/carrier_services", "carrier_service", "carrier_services",
    ("name", "callback_url"), usual={"active": True, "service_discovery": True, "carrier_service_type": "api"},
)  # fmt: skip
GIFT_CARD = Collection(
    declare_table("gift_cards"), "/gift_cards", "gift_card", "gift_cards", ("initial_value",),
    usual={"currency": "USD", "note": None, "disabled_at": None, "expires_on": None, "customer_id": None},
    verbs=("list", "create", "get", "change"),
)  # fmt: skip
COUNTED = (
    WEBHOOK, PRICE_RULE, SMART_COLLECTION, PAGE, BLOG, REDIRECT, SCRIPT_TAG, GIFT_CARD,
)  # fmt: skip
_OF_THINGS = (
    ("", None, ""), ("/products/{product_id}", PRODUCT, "product_id"),
    ("/customers/{customer_id}", CUSTOMER, "customer_id"), ("/orders/{order_id}", ORDER, "order_id"),
    ("/collections/{collection_id}", COLLECTION, "collection_id"),
)  # fmt: skip
METAFIELDS = tuple(_metafields(*each) for each in _OF_THINGS)
KINDS = (*COUNTED, DISCOUNT_CODE, ARTICLE, THEME, CARRIER_SERVICE, *METAFIELDS)
_style = ShopCollectionStyle()


def _declare_count(kind: Collection) -> None:
    """Declare how the objects of a collection are counted."""

    @api.get(f"{kind.path}/count.json")
    def count_objects(call: Call) -> Shown:
        return {"count": len(list_declared(call, kind, {}))}


for each in COUNTED:
    _declare_count(each)
declare_collections(api, _style, KINDS)


# -- locations and stock -----------------------------------------------------------------------------------------------

LEVEL = Collection(
    declare_table("inventory_levels"), "/inventory_levels", "inventory_level", "inventory_levels", verbs=(),
    chosen_key="inventory_item_id",
)  # fmt: skip
TABLES = tuple(dict.fromkeys(kind.table for kind in (*KINDS, LEVEL)))


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


def _show_level(row: DeclaredRow) -> Shown:
    level = {"inventory_item_id": int(row.id), "location_id": LOCATION, **cast(Shown, row.fields)}
    return {**level, "updated_at": show_time(row.updated_at)}


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
    row = find_declared(call, LEVEL, {}, item)
    fields = {"available": available}
    if row is None:
        row = add_declared(call, LEVEL, _style, {}, {**fields, "inventory_item_id": item})
    row = call.db.change(row, fields=fields, updated_at=call.clock.iso())
    return {"inventory_level": _show_level(row)}


@api.post("/inventory_levels/set.json")
def post_level(call: Call, body: Annotated[dict[str, Any], Body]) -> Shown:
    """Set how much of an item there is at a location."""
    return _set_level(call, *_read_level(body, "available"))


@api.post("/inventory_levels/adjust.json")
def post_adjustment(call: Call, body: Annotated[dict[str, Any], Body]) -> Shown:
    """Change how much of an item there is at a location by a number."""
    item, change = _read_level(body, "available_adjustment")
    row = find_declared(call, LEVEL, {}, item)
    return _set_level(call, item, change + (cast(Shown, row.fields)["available"] if row else 0))


@api.get("/inventory_levels.json")
def list_levels(call: Call, inventory_item_ids: str = "", location_ids: str = "") -> Shown:
    """List how much there is of items."""
    if not inventory_item_ids and not location_ids:
        raise ShopifyError(422, "at least one of inventory_item_ids or location_ids must be given")
    wanted = inventory_item_ids.split(",") if inventory_item_ids else None
    here = not location_ids or str(LOCATION) in location_ids.split(",")
    rows = [row for row in list_declared(call, LEVEL, {}) if here and (wanted is None or row.id in wanted)]
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
