"""Tables of subscriptions and their items, and how they are rendered.

https://docs.stripe.com/api/subscriptions, https://docs.stripe.com/api/subscription_items
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

from msgspec import convert
from msgspec.structs import replace

from twindiff.kit import Call, Column, Json, column

from ...catalog.prices import PRICES, Price, plan_object
from ...core.events import PreviousRow, record_row
from ...core.objects import (
    DeferredFill,
    Fields,
    StripeObject,
    build_view,
    find,
    render_unmanaged_payments,
    resource,
    retrieve,
    show_all,
)
from ...core.pagination import list_object
from ...tax.automatic_tax import shown_as
from ...tax.tax_rates import TaxRate, fill_tax_rates, put_tax_rates, rates_of

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
    automatic_tax: Column[Json] = column(default=None)
    billing_cycle_anchor: Column[int]
    billing_cycle_anchor_config: Column[Json] = column(default=None)
    billing_mode: Column[str] = column(default="flexible")
    migrated_at: Column[int | None] = column(default=None, derived=True)
    """When the billing mode became flexible, or None if it always was."""
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
    """Items and columns that the pending update sets; see `pending_updates`."""
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
    """The last charge of this item, while its period lasts; see `prorations`."""
    used: Column[Json | None] = column(default=None, derived=True)
    """The usage of the current period that thresholds have billed; see `billing_thresholds`."""


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


def _none_scheduled(row: Subscription) -> list[Any]:
    return []


subscription_object = build_view(
    Subscription,
    "subscription",
    "put_off",
    "migrated_at",
    application=None,
    automatic_tax=shown_as("disabled_reason", "enabled", "liability"),
    billing_mode=_mode,
    billing_schedules=_none_scheduled,
    cancellation_details=_details,
    customer_account=None,
    default_source=None,
    invoice_settings=_invoice_settings,
    managed_payments=render_unmanaged_payments,
    payment_settings=_payment_settings,
    trial_settings=_trial_settings,
)
item_object = build_view(SubscriptionItem, "subscription_item", "billed", "used", current_trial=None)


def fill_prices(call: Call, objects: list[Fields]) -> None:
    """Replace the price ids of subscription items by prices, and add the matching plans."""
    fill_tax_rates(call, objects)
    _put_prices(objects, _prices_of(call, {each["price"] for each in objects}))


def _prices_of(call: Call, ids: Collection[str]) -> list[Price]:
    return call.db.rows(Price, Price.id.in_(ids))


def _put_prices(items: list[Fields], prices: Sequence[Price]) -> None:
    by_id = {row.id: row for row in prices}
    for each in items:
        row = by_id[each["price"]]
        each["plan"], each["price"] = plan_object(row), PRICES.show(row)
        del each["livemode"]
        if each["quantity"] is None:
            del each["quantity"]


def _fill(call: Call, objects: list[Fields]) -> None:
    """Set the items of each rendered subscription, oldest first."""
    fill_tax_rates(call, objects)
    by_subscription: dict[str, list[Fields]] = {each["id"]: [] for each in objects}
    mine = SubscriptionItem.subscription.in_(list(by_subscription))
    for item in show_all(call, SUBSCRIPTION_ITEMS, call.db.rows(SubscriptionItem, mine, order=SubscriptionItem.seq)):
        by_subscription[item["subscription"]].append(item)
    for each in objects:
        items = by_subscription[each["id"]]
        _put_items(each, items[:FIRST_SHOWN], len(items))


def _put_items(subscription: Fields, items: list[Fields], count: int) -> None:
    """Set the items of a rendered subscription; `count` is the number of all its items."""
    url = f"/v1/subscription_items?subscription={subscription['id']}"
    subscription["items"] = list_object(items, url, has_more=count > len(items), total_count=count)
    one = items[0] if count == 1 else {}
    subscription["plan"], subscription["quantity"] = one.get("plan"), one.get("quantity")


def _collect_event_data(call: Call, row: Subscription) -> Fields:
    return _collect_related_rows(call, SubscriptionState(row, items_of(call, row.id)))


def _collect_related_rows(call: Call, state: SubscriptionState) -> Fields:
    """Return the other rows that the event of a subscription includes."""
    items = state.items[:FIRST_SHOWN]
    rates = {id for each in items for id in each.tax_rates}.union(state.row.default_tax_rates)
    return {
        "items": [replace(each, billed=None, used=None) for each in items],
        "count": len(state.items),
        "prices": _prices_of(call, {each.price for each in items}),
        "tax_rates": rates_of(call, rates),
    }


def _fill_later(subscription: Fields, kept: Fields) -> None:
    items = [SUBSCRIPTION_ITEMS.show(each) for each in convert(kept["items"], list[SubscriptionItem])]
    put_tax_rates([subscription, *items], convert(kept["tax_rates"], list[TaxRate]))
    _put_prices(items, convert(kept["prices"], list[Price]))
    _put_items(subscription, items, kept["count"])


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
    later=DeferredFill(_collect_event_data, _fill_later),
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
"""Callbacks of other modules, called with a customer whose subscribed products changed."""
ON_PERIOD_ENDED: list[Callable[[Call, Subscription, int], None]] = []
"""Called with each subscription whose period ends at a time, before its next one is billed."""
ON_ENDED: list[Callable[[Call, Subscription], None]] = []
"""Called with each subscription that has ended."""


def notify_subscriptions_changed(call: Call, customer: str) -> None:
    """Call the `CHANGED` callbacks for a customer."""
    for each in CHANGED:
        each(call, customer)


class SubscriptionState(NamedTuple):
    """A subscription and its items, oldest first, at one point in time."""

    row: Subscription
    items: list[SubscriptionItem]

    @property
    def shown(self) -> Any:
        """The visible content, with prices and tax rates by id, for comparison."""
        items = [SUBSCRIPTION_ITEMS.show(each) for each in self.items[:FIRST_SHOWN]]
        return SUBSCRIPTIONS.show(self.row), items, len(self.items)

    @property
    def sells(self) -> tuple[str, set[str]]:
        """The status and the price ids, for comparison."""
        return self.row.status, {each.price for each in self.items}


def state(call: Call, row: Subscription) -> SubscriptionState:
    """Return the current state of a subscription, to compare it with a later one."""
    return SubscriptionState(row, items_of(call, row.id))


def record_subscription_update(call: Call, before: SubscriptionState) -> None:
    """Record the events for what has changed since the state `before`."""
    row = retrieve(call, SUBSCRIPTIONS, before.row.id)
    after = state(call, row)
    if before.row.latest_invoice != row.latest_invoice or before.shown != after.shown:
        former = PreviousRow(before.row, _collect_related_rows(call, before))
        record_row(call, "customer.subscription.updated", SUBSCRIPTIONS, row, former)
        if before.sells != after.sells:
            notify_subscriptions_changed(call, row.customer)


def items_of(call: Call, subscription: str) -> list[SubscriptionItem]:
    """Return a subscription's items, oldest first."""
    mine = SubscriptionItem.subscription == subscription
    return call.db.rows(SubscriptionItem, mine, order=SubscriptionItem.seq)


def invoice_defaults(row: Subscription) -> Fields:
    """Return the default columns of a subscription's invoice."""
    details = {"metadata": row.metadata, "subscription": row.id, "subscription_proration_date": None}
    settings: Fields = row.invoice_settings
    pays: Fields = row.payment_settings
    connected = {name: getattr(row, name) for name in ("transfer_data", "application_fee_percent", "on_behalf_of")}
    return {
        "automatic_tax": row.automatic_tax,
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


def begins_with(call: Call, invoice: Any) -> bool:
    """Return whether an invoice is the first of its subscription and is collected or sent at once, not a draft."""
    if invoice.billing_reason != "subscription_create" or not invoice.subscription:
        return False
    row = retrieve(call, SUBSCRIPTIONS, invoice.subscription)
    return row.collection_method == "send_invoice" or row.status not in ("active", "past_due", "unpaid")


def collection_pause(call: Call, invoice: Any) -> str:
    """Return the `behavior` of the paused collection that applies to an invoice, or ""."""
    row = find(call, SUBSCRIPTIONS, invoice.subscription) if invoice.subscription else None
    return row.pause_collection["behavior"] if row and row.pause_collection else ""


def retain_discounts(call: Call, id: str, kept: list[str]) -> None:
    """Keep only the discounts in `kept` on a subscription."""
    if row := find(call, SUBSCRIPTIONS, id):
        call.db.change(row, discounts=[each for each in row.discounts if each in kept])


def retain_item_discounts(call: Call, id: str, kept: list[str]) -> None:
    """Keep only the discounts in `kept` on a subscription item."""
    if item := find(call, SUBSCRIPTION_ITEMS, id):
        call.db.change(item, discounts=[each for each in item.discounts if each in kept])
