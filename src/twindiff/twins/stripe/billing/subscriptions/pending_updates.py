"""Pending updates: changes that apply once paid, as requested by `payment_behavior=pending_if_incomplete`.

The update is applied, and reverted if its invoice is not paid at once. The subscription stores the reverted changes
until the invoice is paid or the pending update expires.
https://docs.stripe.com/billing/subscriptions/pending-updates
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import asdict

from twindiff.kit import Call

from ...core.objects import Fields, retrieve, show_all
from ..tables.subscription_tables import SUBSCRIPTION_ITEMS, SUBSCRIPTIONS, Subscription, SubscriptionItem, items_of

PENDING = "pending_if_incomplete"
_MOVED = ("billing_cycle_anchor", "status", "trial_end", "trial_start")


class SubscriptionSnapshot(NamedTuple):
    """A subscription and its items at one point in time."""

    row: Subscription
    items: list[SubscriptionItem]


def state_of(call: Call, id: str) -> SubscriptionSnapshot:
    """Return a snapshot of a subscription."""
    return SubscriptionSnapshot(retrieve(call, SUBSCRIPTIONS, id), items_of(call, id))


def put_off(call: Call, before: SubscriptionSnapshot, expires_at: int) -> Subscription:
    """Revert the changes made since a snapshot, except the invoice, and store them as the pending update."""
    row, items = state_of(call, before.row.id)
    moved = {name: getattr(row, name) for name in _MOVED if getattr(row, name) != getattr(before.row, name)}
    update = {
        "billing_cycle_anchor": moved.get("billing_cycle_anchor"),
        "expires_at": expires_at,
        "subscription_items": show_all(call, SUBSCRIPTION_ITEMS, items),
        "trial_end": moved.get("trial_end"),
        "trial_from_plan": None,
    }
    kept = {"items": [asdict(item) for item in items], "fields": moved}
    _become(call, items, [asdict(item) for item in before.items])
    were = {name: getattr(before.row, name) for name in moved}
    return call.db.change(row, **were, pending_update=update, put_off=kept)


def apply_pending_update(call: Call, row: Subscription) -> Subscription:
    """Apply the pending update of a subscription."""
    kept: Fields = row.put_off or {}
    _become(call, items_of(call, row.id), kept["items"])
    return call.db.change(row, **kept["fields"], pending_update=None, put_off=None)


def _become(call: Call, items: Sequence[SubscriptionItem], wanted: Sequence[Fields]) -> None:
    """Replace a subscription's items by the requested ones."""
    now = {item.id: item for item in items}
    for fields in wanted:
        item = now.pop(fields["id"], None)
        if item is None:
            call.db.add(SubscriptionItem(**fields))
        else:
            call.db.change(item, **{name: value for name, value in fields.items() if name != "id"})
    for item in now.values():
        call.db.remove(item)
