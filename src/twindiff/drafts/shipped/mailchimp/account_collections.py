"""Webhooks, folders, stores and other collections of an account.

https://mailchimp.com/developer/marketing/api/list-webhooks/, /ecommerce-stores/, /campaign-folders/
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError
from twindiff.kit.twin import Operations

from ..declared_collections import Collection, DeclaredRow, DeclaredStyle, declare_collections, declare_table
from .field_selection import select_fields
from .lists import find_list
from .members import find_member
from .wire_style import MailchimpError, ResourceNotFound, page_rows, show_time

api = Operations(prefix="/3.0", layers=[select_fields])
Shown = dict[str, Any]


class AccountStyle(DeclaredStyle):
    """Lists are pages with `total_items`; every object has `_links`."""

    change_verb = "PATCH"
    created_status = 200
    has_numbers = False
    queries: ClassVar = {"count": (int, 10), "offset": (int, 0)}

    def not_found(self, kind: Collection) -> ApiError:
        return ResourceNotFound()

    def refuse_missing(self, kind: Collection, names: Sequence[str]) -> ApiError:
        said = "; ".join(f"{name}: Required fields were not provided: {name}" for name in names)
        return MailchimpError(400, f"The resource submitted could not be validated. {said}")

    def refuse_taken(self, kind: Collection, id: str) -> ApiError:
        return MailchimpError(400, f"A {kind.name} with the provided ID '{id}' already exists in the account.")

    def new_id(self, call: Call, kind: Collection) -> str:
        return call.ids.uuid().replace("-", "")[-10:]

    def read(self, kind: Collection, body: Any) -> Shown:
        if not isinstance(body, dict):
            raise MailchimpError(400, "The request body is not a valid JSON object", "JSON Parse Error")
        return dict(cast(Shown, body))

    def show(self, call: Call, kind: Collection, row: DeclaredRow) -> Shown:
        scope = row.scope.split("/")
        above: Shown = {"list_id": scope[2]} if scope[1] == "lists" else {}
        above |= {"store_id": scope[3]} if scope[1:3] == ["ecommerce", "stores"] and len(scope) > 4 else {}
        times: Shown = {}
        if scope[1] == "ecommerce":
            times = {"created_at": show_time(row.created_at), "updated_at": show_time(row.updated_at)}
        return {"id": row.id, **cast(Shown, row.fields), **above, **times, "_links": []}

    def page(self, call: Call, kind: Collection, shown: list[Shown], given: Mapping[str, Any]) -> Any:
        above = {name: given[name] for name in ("list_id", "store_id") if name in given}
        few = page_rows(shown, given["count"], given["offset"])
        return {**above, kind.plural: few, "total_items": len(shown), "_links": []}


def _check_list(call: Call, values: Mapping[str, str]) -> None:
    find_list(call, values["list_id"])


def _check_member(call: Call, values: Mapping[str, str]) -> None:
    find_member(call, values["list_id"], values["subscriber_hash"])


_EVENTS = ("subscribe", "unsubscribe", "profile", "cleaned", "upemail", "campaign")
WEBHOOK = Collection(
    declare_table("list_webhooks"), "/lists/{list_id}/webhooks", "webhook", "webhooks", ("url",),
    usual={"events": dict.fromkeys(_EVENTS, False), "sources": dict.fromkeys(("user", "admin", "api"), False)},
    key="webhook_id", check=_check_list,
)  # fmt: skip
STORE = Collection(
    declare_table("stores"), "/ecommerce/stores", "store", "stores", ("id", "list_id", "name", "currency_code"),
    usual={"platform": "", "domain": "", "is_syncing": False, "email_address": "", "money_format": "",
           "primary_locale": "", "timezone": "", "phone": "", "list_is_active": True},
    key="store_id", chosen_key="id",
)  # fmt: skip
_OF_STORE = "/ecommerce/stores/{store_id}"
_ADDRESS = (
    "address1", "address2", "city", "province", "province_code", "postal_code", "country", "country_code",
)  # fmt: skip
CUSTOMER = Collection(
    declare_table("store_customers"), f"{_OF_STORE}/customers", "customer", "customers",
    ("id", "email_address", "opt_in_status"),
    usual={"company": "", "first_name": "", "last_name": "", "orders_count": 0, "total_spent": 0,
           "sms_phone_number": "", "address": dict.fromkeys(_ADDRESS, "")},
    key="customer_id", chosen_key="id", above=STORE,
)  # fmt: skip
PRODUCT = Collection(
    declare_table("store_products"), f"{_OF_STORE}/products", "product", "products", ("id", "title", "variants"),
    usual={"currency_code": "USD", "handle": "", "url": "", "description": "", "type": "", "vendor": "",
           "image_url": "", "images": [], "published_at_foreign": ""},
    key="product_id", chosen_key="id", above=STORE,
)  # fmt: skip
ORDER = Collection(
    declare_table("store_orders"), f"{_OF_STORE}/orders", "order", "orders",
    ("id", "customer", "currency_code", "order_total", "lines"),
    usual={"store_id": "", "campaign_id": "", "landing_site": "", "financial_status": "", "fulfillment_status": "",
           "discount_total": 0, "tax_total": 0, "shipping_total": 0, "tracking_code": ""},
    key="order_id", chosen_key="id", above=STORE,
)  # fmt: skip
CART = Collection(
    declare_table("store_carts"), f"{_OF_STORE}/carts", "cart", "carts",
    ("id", "customer", "currency_code", "order_total", "lines"),
    usual={"campaign_id": "", "checkout_url": "", "tax_total": 0}, key="cart_id", chosen_key="id", above=STORE,
)  # fmt: skip
PROMO_RULE = Collection(
    declare_table("promo_rules"), f"{_OF_STORE}/promo-rules", "promo rule", "promo_rules",
    ("id", "description", "amount", "type", "target"),
    usual={"title": "", "starts_at": "", "ends_at": "", "enabled": True}, key="promo_rule_id", chosen_key="id",
    above=STORE,
)  # fmt: skip
PROMO_CODE = Collection(
    declare_table("promo_codes"), f"{_OF_STORE}/promo-rules/{{promo_rule_id}}/promo-codes", "promo code",
    "promo_codes", ("id", "code", "redemption_url"), usual={"usage_count": 0, "enabled": True}, key="promo_code_id",
    chosen_key="id", above=PROMO_RULE,
)  # fmt: skip
CAMPAIGN_FOLDER = Collection(
    declare_table("campaign_folders"), "/campaign-folders", "folder", "folders", ("name",), usual={"count": 0},
    key="folder_id",
)  # fmt: skip
TEMPLATE_FOLDER = CAMPAIGN_FOLDER._replace(table=declare_table("template_folders"), path="/template-folders")
BATCH_WEBHOOK = Collection(
    declare_table("batch_webhooks"), "/batch-webhooks", "batch webhook", "webhooks", ("url",),
    usual={"enabled": True}, key="batch_webhook_id",
)  # fmt: skip
EVENT = Collection(
    declare_table("member_events"), "/lists/{list_id}/members/{subscriber_hash}/events", "event", "events", ("name",),
    verbs=("list", "create"), check=_check_member,
)  # fmt: skip
KINDS = (
    WEBHOOK, STORE, CUSTOMER, PRODUCT, ORDER, CART, PROMO_RULE, PROMO_CODE, CAMPAIGN_FOLDER, TEMPLATE_FOLDER,
    BATCH_WEBHOOK,
)  # fmt: skip


class _EventStyle(AccountStyle):
    """An event is taken without an answer, and shown with its time."""

    created_status = 204

    def show(self, call: Call, kind: Collection, row: DeclaredRow) -> Shown:
        usual: Shown = {"occurred_at": show_time(row.created_at), "name": "", "properties": {}}
        return {**usual, **cast(Shown, row.fields)}

    def wrap(self, kind: Collection, shown: Shown) -> Any:
        return None


declare_collections(api, AccountStyle(), KINDS)
declare_collections(api, _EventStyle(), [EVENT])
TABLES = tuple(kind.table for kind in (*KINDS, EVENT))
