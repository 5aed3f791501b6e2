"""Pending updates: changes that apply once paid, as requested by `payment_behavior=pending_if_incomplete`.

The update is applied, and reverted if its invoice is not paid at once. The subscription stores the reverted changes
until the invoice is paid or the pending update expires.
https://docs.stripe.com/billing/subscriptions/pending-updates
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from msgspec.structs import asdict

from twindiff.kit import UNSET, Call
from twindiff.twins.stripe.core.wire_style import StripeError

from ...core.middleware import version_of
from ...core.objects import Fields, retrieve, show_all
from ..tables.subscription_tables import SUBSCRIPTION_ITEMS, SUBSCRIPTIONS, Subscription, SubscriptionItem, items_of

PENDING = "pending_if_incomplete"
_MOVED = ("billing_cycle_anchor", "discounts", "metadata", "status", "trial_end", "trial_start")
_SUPPORTED = frozenset({
    "add_invoice_items", "billing_cycle_anchor", "discounts", "expand", "items", "metadata", "off_session",
    "payment_behavior", "price", "proration_behavior", "proration_date", "quantity", "subscription", "trial_end",
    "trial_from_plan",
})  # fmt: skip
"""Parameters that a pending update can hold;
https://docs.stripe.com/billing/subscriptions/pending-updates-reference#supported-attributes
"""
_WITH_METADATA = "2026-05-27"
"""First API version in which pending updates have metadata and discounts;
https://docs.stripe.com/changelog/dahlia/2026-05-27/pending-subscription-update-metadata
"""


def check_pending_params(call: Call, params: Any) -> None:
    """Raise StripeError for parameters that cannot wait for a payment, with `pending_if_incomplete`."""
    if params.payment_behavior != PENDING:
        return
    supported = _SUPPORTED - ({"metadata", "discounts"} if version_of(call) < _WITH_METADATA else set())
    for name in params.__struct_fields__:
        if getattr(params, name) is not UNSET and name not in supported:
            message = (
                f"You cannot pass `{name}` with `payment_behavior` of `{PENDING}`. For the parameters that you can "
                "pass, see https://stripe.com/docs/billing/subscriptions/pending-updates-reference#supported-attributes."
            )
            raise StripeError(message, param=name)


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
        "discount": None,
        "discounts": moved.get("discounts"),
        "expires_at": expires_at,
        "metadata": moved.get("metadata"),
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
