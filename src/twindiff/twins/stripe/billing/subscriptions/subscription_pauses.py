"""Paused subscriptions: no service and no charges until they are resumed.

https://docs.stripe.com/billing/subscriptions/pause
"""

from __future__ import annotations

from typing import Annotated, Literal

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ...core.due_jobs import schedule
from ...core.events import record_row
from ...core.objects import Fields, now, retrieve, show
from ...core.params import NestedParams, Params
from ...core.test_clocks import use_clock_time
from ..invoices import invoice_lifecycle
from ..tables.subscription_tables import SUBSCRIPTIONS, Subscription, items_of, record_subscription_update, state
from . import billing_cycles, prorations
from .subscription_updates import add_usage_until_now
from .subscriptions import running

api = Operations(prefix="/v1/subscriptions")


class UsageThrough(NestedParams):
    """The time up to which usage is billed."""

    type: Literal["none", "now"]


class UnusedFrom(NestedParams):
    """The time from which unused time is credited."""

    type: Literal["item_current_period_start", "none", "now"]


class BillFor(NestedParams):
    """What is billed and credited when a subscription pauses."""

    outstanding_usage_through: UsageThrough | UnsetType = UNSET
    unused_time_from: UnusedFrom | UnsetType = UNSET


class PauseSubscription(Params):
    """The parameters of a pause."""

    bill_for: BillFor | UnsetType = UNSET
    invoicing_behavior: Literal["invoice", "pending_invoice_item"] | UnsetType = UNSET
    type: Literal["subscription"] | UnsetType = UNSET


@api.post("/{id}/pause")
def pause_subscription(call: Call, id: str, params: Annotated[PauseSubscription, Body]) -> Fields:
    """Pause a subscription and credit its unused time."""
    row = running(call, id)
    use_clock_time(call, row.test_clock)
    _check(row)
    before = state(call, row)
    bill_for = params.bill_for if isinstance(params.bill_for, BillFor) else BillFor()
    _credit_unused_time(call, row, bill_for.unused_time_from or UnusedFrom(type="now"))
    _bill_usage(call, row, params, bill_for.outstanding_usage_through or UsageThrough(type="now"))
    schedule(call, billing_cycles.renew, row.id, None, row.test_clock)
    details = billing_cycles.paused_details(call, "pause_requested")
    paused = call.db.change(retrieve(call, SUBSCRIPTIONS, id), status="paused", status_details=details)
    record_row(call, "customer.subscription.paused", SUBSCRIPTIONS, paused)
    record_subscription_update(call, before)
    return show(call, SUBSCRIPTIONS, retrieve(call, SUBSCRIPTIONS, id))


def _check(row: Subscription) -> None:
    if row.status != "active":
        message = f"Only active subscriptions can be paused; this one is {row.status}."
        raise StripeError(message)
    if row.billing_mode != "flexible":
        raise StripeError("To pause a subscription, it must use `billing_mode[type]=flexible`.")
    if row.schedule:
        raise StripeError(f"You cannot pause a subscription that the subscription schedule {row.schedule} manages.")


def _credit_unused_time(call: Call, row: Subscription, since: UnusedFrom) -> None:
    for item in items_of(call, row.id) if since.type != "none" else ():
        prorations.credit_unused_time(call, row, item, now(call) if since.type == "now" else item.current_period_start)
        call.db.change(item, billed=None)


def _bill_usage(call: Call, row: Subscription, params: PauseSubscription, through: UsageThrough) -> None:
    """Bill usage; with `invoicing_behavior=invoice`, pending items too, at once."""
    items = items_of(call, row.id)
    prices = billing_cycles.prices_of(call, items)
    used = [item for item in items if through.type == "now" and billing_cycles.is_metered(prices[item.price])]
    if params.invoicing_behavior != "invoice":
        if used:
            message = "This twin asks for usage at a pause on an invoice alone; use `invoicing_behavior=invoice`."
            raise StripeError(message, param="invoicing_behavior")
        return
    invoice = billing_cycles.create_draft(call, row, "subscription_update", items[0].current_period_start, now(call))
    add_usage_until_now(call, invoice, row, used)
    invoice_lifecycle.add_pending_items(call, invoice, row.id)
    invoice_lifecycle.publish_draft(call, invoice)
    call.db.change(row, latest_invoice=invoice.id)
