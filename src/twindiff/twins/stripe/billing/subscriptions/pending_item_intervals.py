"""Intervals at which a subscription's pending invoice items are billed, independent of its periods.

https://docs.stripe.com/billing/invoices/subscription#generate-invoices-for-pending-invoice-items
"""

from __future__ import annotations

from twindiff.kit import UNSET, Call
from twindiff.twins.stripe.core.wire_style import StripeError

from ...core.due_jobs import schedule, work
from ...core.objects import Fields, find, now
from ...core.params import or_none
from ...core.periods import shift_time
from ..invoices import invoice_lifecycle
from ..tables.subscription_tables import ENDED, SUBSCRIPTIONS, Subscription
from . import billing_cycles
from .subscription_params import OptPendingInterval, PendingInterval


def set_interval(call: Call, row: Subscription, wanted: OptPendingInterval) -> Subscription:
    """Set the interval at which pending items are billed from now on, or remove it."""
    if wanted is UNSET:
        return row
    if not isinstance(wanted, PendingInterval):
        schedule(call, bill_pending, row.id, None, row.test_clock)
        return call.db.change(row, pending_invoice_item_interval=None, next_pending_invoice_item_invoice=None)
    count = or_none(wanted.interval_count) or 1
    if not 1 <= count <= 52 or shift_time(0, wanted.interval, count) > shift_time(0, "year", 1):
        message = "The interval for pending invoice items can be at most one year (1 year, 12 months or 52 weeks)."
        raise StripeError(message, param="pending_invoice_item_interval[interval_count]")
    every = {"interval": wanted.interval, "interval_count": count}
    return _next(call, call.db.change(row, pending_invoice_item_interval=every))


def _next(call: Call, row: Subscription) -> Subscription:
    every: Fields = row.pending_invoice_item_interval
    at = shift_time(now(call), every["interval"], every["interval_count"])
    schedule(call, bill_pending, row.id, at, row.test_clock)
    return call.db.change(row, next_pending_invoice_item_invoice=at)


@work
def bill_pending(call: Call, id: str) -> None:
    """Scheduled job: bill the pending items of a subscription, if it has any."""
    row = find(call, SUBSCRIPTIONS, id)
    if row is None or row.status in ENDED or not row.pending_invoice_item_interval:
        return
    row = _next(call, row)
    if invoice_lifecycle.list_pending_items(call, row.customer, row.id, row.currency):
        draft = billing_cycles.create_draft(call, row, "subscription_update", now(call), now(call))
        invoice_lifecycle.add_pending_items(call, draft, row.id)
        invoice_lifecycle.publish_draft(call, draft)
