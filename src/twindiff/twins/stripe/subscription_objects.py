"""Subscriptions and their items: their tables and how they are shown.

https://docs.stripe.com/api/subscriptions, https://docs.stripe.com/api/subscription_items
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twindiff.kit import Call, Column, Json, column

from .events import differences, record_row
from .lists import list_object
from .objects import Fields, StripeObject, filled, resource, retrieve, show_all, shown, unmanaged
from .prices import PRICES, Price, plan_object
from .tax_rates import fill_tax_rates

FIRST_SHOWN = 20
ENDED = ("canceled", "incomplete_expired")
END_OF_TRIAL = {"missing_payment_method": "create_invoice", "billing_cycle_anchor": "now"}
NO_SETTINGS: Fields = {
    "payment_method_options": None,
    "payment_method_types": None,
    "save_default_payment_method": "off",
}


class Subscription(
    StripeObject,
    table="subscriptions",
    key=("id",),
    unique=(("seq",),),
    indexes=(("customer", "seq"), ("status", "seq"), ("test_clock",), ("created",)),
    entries=("metadata",),
):
    application_fee_percent: Column[float | None] = column(default=None)
    billing_cycle_anchor: Column[int]
    billing_cycle_anchor_config: Column[Json] = column(default=None)
    billing_mode: Column[str] = column(default="flexible")
    migrated_at: Column[int | None] = column(default=None, derived=True)
    """When it became flexible, if it was not at first."""
    billing_thresholds: Column[Json] = column(default=None)
    cancel_at: Column[int | None] = column(default=None)
    cancel_at_period_end: Column[bool] = column(default=False)
    canceled_at: Column[int | None] = column(default=None, derived=True)
    cancellation_details: Column[Json] = column(default={})
    collection_method: Column[str] = column(default="charge_automatically")
    currency: Column[str]
    customer: Column[str]
    days_until_due: Column[int | None] = column(default=None)
    default_payment_method: Column[str | None] = column(default=None)
    default_tax_rates: Column[Json] = column(default=[])
    description: Column[str | None] = column(default=None)
    discounts: Column[Json] = column(default=[])
    ended_at: Column[int | None] = column(default=None)
    invoice_settings: Column[Json] = column(default={})
    latest_invoice: Column[str | None] = column(default=None)
    metadata: Column[Json] = column(default={})
    next_pending_invoice_item_invoice: Column[int | None] = column(default=None)
    pause_collection: Column[Json] = column(default=None)
    payment_settings: Column[Json] = column(default={})
    on_behalf_of: Column[str | None] = column(default=None)
    transfer_data: Column[Json] = column(default=None)
    pending_invoice_item_interval: Column[Json] = column(default=None)
    pending_setup_intent: Column[str | None] = column(default=None)
    pending_update: Column[Json] = column(default=None)
    put_off: Column[Json | None] = column(default=None)
    """What a pending update makes of the subscription: its items and columns, see `pending_updates`."""
    schedule: Column[str | None] = column(default=None)
    start_date: Column[int]
    status: Column[str]
    status_details: Column[Json | None] = column(default=None, derived=True)
    test_clock: Column[str | None] = column(default=None)
    trial_end: Column[int | None] = column(default=None)
    trial_settings: Column[Json] = column(default={})
    trial_start: Column[int | None] = column(default=None)


class SubscriptionItem(
    StripeObject,
    table="subscription_items",
    key=("id",),
    unique=(("seq",),),
    indexes=(("subscription", "seq"), ("price",)),
):
    billing_thresholds: Column[Json] = column(default=None)
    current_period_end: Column[int]
    current_period_start: Column[int]
    discounts: Column[Json] = column(default=[])
    metadata: Column[Json] = column(default={})
    price: Column[str]
    quantity: Column[int | None] = column(default=None)
    subscription: Column[str]
    tax_rates: Column[Json] = column(default=[])
    billed: Column[Json] = column(default=None)
    """What was last asked for of this item, for as long as it goes: see `proration`."""


def _mode(row: Subscription) -> Fields:
    if row.billing_mode != "flexible":
        return {"type": row.billing_mode, "flexible": None}
    flexible = {"proration_discounts": "included"}
    return {"type": row.billing_mode, "flexible": flexible, "updated_at": row.migrated_at or row.created}


def _details(row: Subscription) -> Fields:
    return {"comment": None, "feedback": None, "reason": None, **row.cancellation_details}


def _invoice_settings(row: Subscription) -> Fields:
    return {"account_tax_ids": None, "issuer": {"type": "self"}, **row.invoice_settings}


def _payment_settings(row: Subscription) -> Fields:
    return {**NO_SETTINGS, **row.payment_settings}


def _trial_settings(row: Subscription) -> Fields:
    return {"end_behavior": {**END_OF_TRIAL, **row.trial_settings}}


def _not_automatic(row: Subscription) -> Fields:
    return {"disabled_reason": None, "enabled": False, "liability": None}


def _none_scheduled(row: Subscription) -> list[Any]:
    return []


subscription_object = shown(
    Subscription,
    "subscription",
    "put_off",
    "migrated_at",
    application=None,
    automatic_tax=_not_automatic,
    billing_mode=_mode,
    billing_schedules=_none_scheduled,
    cancellation_details=_details,
    customer_account=None,
    default_source=None,
    invoice_settings=_invoice_settings,
    managed_payments=unmanaged,
    payment_settings=_payment_settings,
    trial_settings=_trial_settings,
)
item_object = shown(SubscriptionItem, "subscription_item", "billed", current_trial=None)


def fill_prices(call: Call, objects: list[Fields]) -> None:
    """Put prices in place of their ids, and plans beside them, as items of subscriptions have them."""
    fill_tax_rates(call, objects)
    ids = {each["price"] for each in objects}
    prices = {row.id: row for row in call.db.rows(Price, Price.id.in_(ids))}
    for each in objects:
        row = prices[each["price"]]
        each["plan"], each["price"] = plan_object(row), PRICES.show(row)
        del each["livemode"]
        if each["quantity"] is None:
            del each["quantity"]


def _fill(call: Call, objects: list[Fields]) -> None:
    """Put its items into each subscription, oldest first."""
    fill_tax_rates(call, objects)
    by_subscription: dict[str, list[Fields]] = {each["id"]: [] for each in objects}
    mine = SubscriptionItem.subscription.in_(list(by_subscription))
    for item in show_all(call, SUBSCRIPTION_ITEMS, call.db.rows(SubscriptionItem, mine, order=SubscriptionItem.seq)):
        by_subscription[item["subscription"]].append(item)
    for each in objects:
        items = by_subscription[each["id"]]
        url = f"/v1/subscription_items?subscription={each['id']}"
        each["items"] = list_object(items[:FIRST_SHOWN], url, has_more=len(items) > FIRST_SHOWN, total_count=len(items))
        one = items[0] if len(items) == 1 else {}
        each["plan"], each["quantity"] = one.get("plan"), one.get("quantity")


SUBSCRIPTIONS = resource(
    Subscription,
    "subscription",
    "sub_",
    subscription_object,
    expandable=(
        "customer",
        "default_payment_method",
        "discounts",
        "latest_invoice",
        "on_behalf_of",
        "pending_setup_intent",
        "schedule",
        "test_clock",
    ),
    fill=_fill,
)
SUBSCRIPTION_ITEMS = resource(
    SubscriptionItem,
    "subscription_item",
    "si_",
    item_object,
    id_length=14,
    expandable=("discounts",),
    fill=fill_prices,
)


CHANGED: list[Callable[[Call, str], None]] = []
"""What other pages do when a customer is subscribed to something else."""


def tell_customer(call: Call, customer: str) -> None:
    """Have done what follows from another subscription of a customer."""
    for each in CHANGED:
        each(call, customer)


def _sells(shown: Fields) -> tuple[str, set[str]]:
    """What a subscription is for."""
    return shown["status"], {item["price"]["id"] for item in shown["items"]["data"]}


def told(call: Call, before: Fields, id: str) -> None:
    """Tell of what has changed since a subscription was shown."""
    row = retrieve(call, SUBSCRIPTIONS, id)
    after = filled(call, SUBSCRIPTIONS, row)
    if previous := differences(before, after):
        record_row(call, "customer.subscription.updated", SUBSCRIPTIONS, row, previous, object=after)
        if _sells(before) != _sells(after):
            tell_customer(call, row.customer)


def items_of(call: Call, subscription: str) -> list[SubscriptionItem]:
    """A subscription's items, oldest first."""
    mine = SubscriptionItem.subscription == subscription
    return call.db.rows(SubscriptionItem, mine, order=SubscriptionItem.seq)


def invoice_defaults(row: Subscription) -> Fields:
    """What an invoice of a subscription has unless it is told otherwise."""
    details = {"metadata": row.metadata, "subscription": row.id, "subscription_proration_date": None}
    settings: Fields = row.invoice_settings
    pays: Fields = row.payment_settings
    connected = {name: getattr(row, name) for name in ("transfer_data", "application_fee_percent", "on_behalf_of")}
    return {
        "connect": {name: value for name, value in connected.items() if value is not None},
        "payment_settings": {name: value for name, value in pays.items() if name != "save_default_payment_method"},
        "subscription": row.id,
        "currency": row.currency,
        "parent": {"type": "subscription_details", "quote_details": None, "subscription_details": details},
        "collection_method": row.collection_method,
        "default_payment_method": None,
        "default_tax_rates": row.default_tax_rates,
        "discounts": row.discounts,
        "description": settings.get("description"),
        "account_tax_ids": settings.get("account_tax_ids"),
        "footer": settings.get("footer"),
        "custom_fields": settings.get("custom_fields"),
    }
