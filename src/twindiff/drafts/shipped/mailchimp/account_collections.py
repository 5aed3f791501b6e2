"""Webhooks, folders, stores and other collections of an account.

https://mailchimp.com/developer/marketing/api/list-webhooks/, /ecommerce-stores/, /campaign-folders/
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar

from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError
from twindiff.kit.twin import Operations

from ..document_collections import (
    CollectionStyle,
    DocumentCollection,
    DocumentRequest,
    list_tables,
    serve_collections,
)
from ..document_fields import FieldType
from .field_selection import select_fields
from .lists import find_list
from .members import find_member
from .wire_style import MailchimpError, ResourceNotFound, page_rows, show_time

api = Operations(prefix="/3.0", layers=[select_fields])
Shown = dict[str, Any]


_SCHEMA_WORDS = {
    "str": "string", "bool": "boolean", "int": "integer", "float": "number", "list": "array", "dict": "object",
}  # fmt: skip
_TYPES = {"text": "string", "list": "array", "": "string", "time": "string"}


class AccountDocuments(CollectionStyle):
    """Lists are pages with `total_items`; every object has `_links`."""

    created = 200
    parameters: ClassVar = {"count": (int, 10), "offset": (int, 0)}

    def show_now(self, call: Call) -> Any:
        return show_time(call.clock.iso())

    def __init__(self, name: str, plural: str) -> None:
        """`name` and `plural` are the words of one object and of several."""
        self.name, self.plural = name, plural

    def read_fields(self, request: DocumentRequest) -> Shown:
        given = request.find_object()
        if given is None:
            raise MailchimpError(400, "The request body is not a valid JSON object", "JSON Parse Error")
        return given

    def refuse_missing(self, name: str, key: str) -> ApiError:
        return ResourceNotFound()

    def refuse_absent(self, name: str, absent: Sequence[str]) -> ApiError:
        said = "; ".join(f"{each}: Required fields were not provided: {each}" for each in absent)
        return MailchimpError(400, f"The resource submitted could not be validated. {said}")

    def refuse_taken(self, name: str, taken: str, value: Any) -> ApiError:
        return MailchimpError(400, f"A {name} with the provided ID '{value}' already exists in the account.")

    def refuse_invalid(self, name: str, field: str, kind: FieldType, value: Any) -> ApiError:
        kind_given = _SCHEMA_WORDS.get(value.__class__.__name__, "null")
        said = f"Schema describes {_TYPES.get(kind.kind, kind.kind)}, {kind_given} found instead"
        if kind.words and isinstance(value, str):
            said = f"Value must be {kind.description}"
        return MailchimpError(400, f"The resource submitted could not be validated. {field}: {said}")

    def make_key(self, call: Call, collection: DocumentCollection) -> str:
        return call.ids.uuid().replace("-", "")[-10:]

    def show_list(self, request: DocumentRequest, shown: list[Shown]) -> Any:
        above = {name: value for name, value in request.path.items() if name in ("list_id", "store_id")}
        few = page_rows(shown, request.query["count"], request.query["offset"])
        return {**above, self.plural: few, "total_items": len(shown), "_links": []}


class StoreDocuments(AccountDocuments):
    """Those of e-commerce have times."""

    times = ("created_at", "updated_at")


class _MemberEvents(AccountDocuments):
    """An event is taken without an answer, and shown with its time."""

    created = 204
    times = ("occurred_at",)

    def show_one(self, shown: Shown) -> Any:
        return None


def _declare(
    table: str, path: str, name: str, plural: str, item: str, *required: str, **more: Any
) -> DocumentCollection:
    names = [each for each in re.findall(r"{(\w+)}", path) if each in ("list_id", "store_id")]

    def show(request: DocumentRequest, fields: Shown) -> Shown:
        return {**fields, **{each: request.path[each] for each in names}, "_links": []}

    style = (StoreDocuments if path.startswith("/ecommerce") else AccountDocuments)(name, plural)
    return DocumentCollection(
        table=table, path=path, item=f"/{{{item}}}", name=name, required=required, style=more.pop("style", style),
        given_key="id" if "id" in required else "", show=more.pop("show", show), **more,
    )  # fmt: skip


def _show_event(_request: DocumentRequest, fields: Shown) -> Shown:
    return {"properties": {}, **{name: value for name, value in fields.items() if name != "id"}}


def _find_list(call: Call, given: Sequence[str]) -> Sequence[str]:
    return [str(find_list(call, given[0]).id)]


def _find_member(call: Call, given: Sequence[str]) -> Sequence[str]:
    find_member(call, *given)
    return given


_FLAGS = ("subscribe", "unsubscribe", "profile", "cleaned", "upemail", "campaign")
WEBHOOK = _declare(
    "list_webhooks", "/lists/{list_id}/webhooks", "webhook", "webhooks", "webhook_id", "url",
    fields="url, secret: text; events, sources: object", resolve=_find_list,
    defaults={"events": dict.fromkeys(_FLAGS, False), "sources": dict.fromkeys(("user", "admin", "api"), False)},
)  # fmt: skip
STORE = _declare(
    "stores", "/ecommerce/stores", "store", "stores", "store_id", "id", "list_id", "name", "currency_code",
    fields="list_id, name, platform, domain, currency_code, money_format, primary_locale, timezone, phone,"
           "email_address: text; is_syncing: boolean; address: object",
    defaults={"platform": "", "domain": "", "is_syncing": False, "email_address": "", "money_format": "",
              "primary_locale": "", "timezone": "", "phone": "", "list_is_active": True},
)  # fmt: skip
_OF_STORE = "/ecommerce/stores/{store_id}"
_ADDRESS = (
    "address1", "address2", "city", "province", "province_code", "postal_code", "country", "country_code",
)  # fmt: skip
CUSTOMER = _declare(
    "store_customers", f"{_OF_STORE}/customers", "customer", "customers", "customer_id", "id", "email_address",
    "opt_in_status", above=STORE, filters=("email_address",),
    fields="email_address, company, first_name, last_name: text; opt_in_status: boolean; address: object",
    defaults={"company": "", "first_name": "", "last_name": "", "orders_count": 0, "total_spent": 0,
              "sms_phone_number": "", "address": dict.fromkeys(_ADDRESS, "")},
)  # fmt: skip
PRODUCT = _declare(
    "store_products", f"{_OF_STORE}/products", "product", "products", "product_id", "id", "title", "variants",
    above=STORE,
    fields="title, handle, url, description, type, vendor, image_url: text; variants, images: list",
    defaults={"currency_code": "USD", "handle": "", "url": "", "description": "", "type": "", "vendor": "",
              "image_url": "", "images": [], "published_at_foreign": ""},
)  # fmt: skip
_SOLD_FIELDS = "customer: object; lines: list; currency_code, campaign_id: text; order_total, tax_total: number"
_SOLD = ("id", "customer", "currency_code", "order_total", "lines")
ORDER = _declare(
    "store_orders", f"{_OF_STORE}/orders", "order", "orders", "order_id", *_SOLD, above=STORE,
    filters=("customer_id=customer.id", "campaign_id"),
    unserved=("has_outreach", "outreach_id"),
    fields=f"{_SOLD_FIELDS}; landing_site, financial_status, fulfillment_status, tracking_code: text;"
           "discount_total, shipping_total: number",
    defaults={"store_id": "", "campaign_id": "", "landing_site": "", "financial_status": "", "fulfillment_status": "",
              "discount_total": 0, "tax_total": 0, "shipping_total": 0, "tracking_code": ""},
)  # fmt: skip
CART = _declare(
    "store_carts", f"{_OF_STORE}/carts", "cart", "carts", "cart_id", *_SOLD, above=STORE,
    fields=f"{_SOLD_FIELDS}; checkout_url: text",
    defaults={"campaign_id": "", "checkout_url": "", "tax_total": 0},
)  # fmt: skip
PROMO_RULE = _declare(
    "promo_rules", f"{_OF_STORE}/promo-rules", "promo rule", "promo_rules", "promo_rule_id", "id", "description",
    "amount", "type", "target", above=STORE,
    fields="title, description: text; amount: number; type: fixed|percentage; target: per_item|total|shipping;"
           "enabled: boolean",
    defaults={"title": "", "starts_at": "", "ends_at": "", "enabled": True},
)  # fmt: skip
PROMO_CODE = _declare(
    "promo_codes", f"{_OF_STORE}/promo-rules/{{promo_rule_id}}/promo-codes", "promo code", "promo_codes",
    "promo_code_id", "id", "code", "redemption_url", above=PROMO_RULE,
    fields="code, redemption_url: text; usage_count: integer; enabled: boolean",
    defaults={"usage_count": 0, "enabled": True},
)  # fmt: skip
BATCH_WEBHOOK = _declare(
    "batch_webhooks", "/batch-webhooks", "batch webhook", "webhooks", "batch_webhook_id", "url",
    fields="url: text; enabled: boolean",
    defaults={"enabled": True},
)  # fmt: skip
EVENT = _declare(
    "member_events", "/lists/{list_id}/members/{subscriber_hash}/events", "event", "events", "event_id", "name",
    fields="name: text; properties: object; is_syncing: boolean",
    style=_MemberEvents("event", "events"), serves=frozenset(["list", "create"]), resolve=_find_member,
    show=_show_event,
)  # fmt: skip
COLLECTIONS = (
    WEBHOOK, STORE, CUSTOMER, PRODUCT, ORDER, CART, PROMO_RULE, PROMO_CODE, BATCH_WEBHOOK, EVENT,
    *(_declare(f"{word}_folders", f"/{word}-folders", "folder", "folders", "folder_id", "name", fields="name: text",
               defaults={"count": 0}) for word in ("campaign", "template")),
)  # fmt: skip
serve_collections(api, COLLECTIONS)
TABLES = list_tables(COLLECTIONS)
