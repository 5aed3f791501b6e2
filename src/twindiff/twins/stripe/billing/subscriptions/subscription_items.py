"""Subscription items: the prices and quantities of a subscription.

https://docs.stripe.com/api/subscription_items
"""

from __future__ import annotations

from typing import Annotated

from twindiff.kit import Body, Call, Operations
from twindiff.twins.stripe.core.wire_style import StripeError

from ...core.objects import Fields, find, refer, retrieve, show
from ...core.pagination import list_of
from ...core.params import Params
from ...core.test_clocks import use_clock_time
from ..tables.subscription_tables import (
    ENDED,
    SUBSCRIPTION_ITEMS,
    SUBSCRIPTIONS,
    Subscription,
    SubscriptionItem,
    items_of,
    record_subscription_update,
    state,
)
from . import subscription_updates
from .pending_updates import check_pending_params
from .requested_items import resolve_changed_item, resolve_new_item
from .subscription_params import (
    CreateSubscriptionItem,
    DeleteSubscriptionItem,
    ListSubscriptionItems,
    UpdateSubscriptionItem,
)
from .subscription_updates import LAST_ITEM, ItemChange

api = Operations(prefix="/v1/subscription_items")


@api.post("")
def create_subscription_item(call: Call, params: Annotated[CreateSubscriptionItem, Body]) -> Fields:
    """Add an item to a subscription."""
    check_pending_params(call, params)
    row = _open(call, refer(call, SUBSCRIPTIONS, params.subscription, "subscription"))
    wanted = resolve_new_item(call, params, "", row.customer)
    if any(item.price == wanted.price.id for item in items_of(call, row.id)):
        message = f"Cannot add multiple subscription items with the same plan: {wanted.price.id}"
        raise StripeError(message, param="price")
    _apply(call, row, ItemChange(None, wanted), params)
    return show(call, SUBSCRIPTION_ITEMS, items_of(call, row.id)[-1])


@api.get("/{item}")
def retrieve_subscription_item(call: Call, item: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve an item."""
    return show(call, SUBSCRIPTION_ITEMS, _item(call, item))


@api.post("/{item}")
def update_subscription_item(call: Call, item: str, params: Annotated[UpdateSubscriptionItem, Body]) -> Fields:
    """Update an item's price, quantity or other fields."""
    check_pending_params(call, params)
    old = _item(call, item)
    row = _open(call, retrieve(call, SUBSCRIPTIONS, old.subscription))
    _apply(call, row, ItemChange(old, resolve_changed_item(call, old, params, "", row.customer)), params)
    return show(call, SUBSCRIPTION_ITEMS, _item(call, item))


@api.delete("/{item}")
def delete_subscription_item(call: Call, item: str, params: Annotated[DeleteSubscriptionItem, Body]) -> Fields:
    """Delete an item from a subscription that has others."""
    check_pending_params(call, params)
    old = _item(call, item)
    row = _open(call, retrieve(call, SUBSCRIPTIONS, old.subscription))
    if len(items_of(call, row.id)) == 1:
        message = LAST_ITEM
        raise StripeError(message)
    _apply(call, row, ItemChange(old, None), params)
    return {"id": old.id, "object": "subscription_item", "deleted": True}


@api.get("")
def list_subscription_items(call: Call, params: Annotated[ListSubscriptionItems, Body]) -> Fields:
    """List a subscription's items, oldest first."""
    row = refer(call, SUBSCRIPTIONS, params.subscription, "subscription")
    url = f"/v1/subscription_items?subscription={row.id}"
    mine = SubscriptionItem.subscription == row.id
    return list_of(call, SUBSCRIPTION_ITEMS, params, url, mine, oldest_first=True)


def _apply(
    call: Call,
    row: Subscription,
    change: ItemChange,
    params: CreateSubscriptionItem | UpdateSubscriptionItem | DeleteSubscriptionItem,
) -> None:
    before = state(call, row)
    behavior = str(params.proration_behavior or "create_prorations")
    payment = str(params.payment_behavior or "allow_incomplete")
    subscription_updates.change_item(call, row, change, behavior, params.proration_date, payment)
    record_subscription_update(call, before)


def _item(call: Call, id: str) -> SubscriptionItem:
    item = find(call, SUBSCRIPTION_ITEMS, id)
    if item is None:
        raise StripeError(f"Invalid subscription_item id: {id[:100]}", status=404)
    return item


def _open(call: Call, row: Subscription) -> Subscription:
    if row.status in ENDED:
        raise SUBSCRIPTIONS.missing(row.id, param="subscription")
    use_clock_time(call, row.test_clock)
    return row
