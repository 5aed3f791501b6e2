"""Updates of subscriptions: items, periods, trials, cancellation and resumption, and what each bills.

https://docs.stripe.com/billing/subscriptions/change, https://docs.stripe.com/billing/subscriptions/trials
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from twindiff.kit import Call
from twindiff.twins.stripe.core.wire_style import StripeError

from ...catalog.prices import PRICES, Price
from ...core.due_jobs import schedule
from ...core.objects import Fields, find, now, retrieve
from ...core.periods import next_boundary
from ..invoices import invoice_lifecycle
from ..tables.invoice_line_items import LineItem
from ..tables.invoice_tables import INVOICE_ITEMS, INVOICES, Invoice
from ..tables.subscription_tables import SUBSCRIPTION_ITEMS, SUBSCRIPTIONS, Subscription, SubscriptionItem, items_of
from . import billing_cycles, prorations
from .pending_updates import PENDING, SubscriptionSnapshot, put_off, state_of
from .requested_items import (
    RequestedItem,
    add_once,
    check_billing,
    check_items,
    new_item,
    raise_incomplete,
    resolve_changed_item,
    resolve_new_item,
    set_end,
    trial_end_of,
)
from .subscription_params import (
    ChangedItem,
    UpdateSubscription,
)

LAST_ITEM = (
    "A subscription must have at least one active plan. To cancel a subscription, please use the cancel API endpoint "
    "on /v1/subscriptions."
)


NOT_PAUSED = "You can only resume a subscription if it is `paused`."


class ItemChange(NamedTuple):
    """A change of an item; `new` is None if it is deleted, `old` is None if it is added."""

    old: SubscriptionItem | None
    new: RequestedItem | None


def apply(
    call: Call, row: Subscription, params: UpdateSubscription, former: SubscriptionSnapshot | None = None
) -> Subscription:
    """Apply an update to a subscription, and bill it as the update requests.

    `former` is the subscription before its plain columns were changed, if they wait for the payment as well.
    """
    items, ended_at = items_of(call, row.id), row.cancel_at
    if row.status not in ("canceled", "incomplete_expired"):
        row = set_end(call, row, params, items)
    changes = _changes(call, row, items, params)
    behavior = str(params.proration_behavior or "create_prorations")
    payment = str(params.payment_behavior or "allow_incomplete")
    before = former or state_of(call, row.id)
    if isinstance(params.trial_end, str) and _moves_trial(row, params.trial_end):
        change_items(call, row, changes, now(call), "none")
        row = _move_trial(call, row, trial_end_of(call, params.trial_end, "trial_end"), behavior, payment)
    elif params.billing_cycle_anchor == "now" or _other_interval(call, row, changes):
        _reset_anchor(call, row, changes, behavior, payment)
    elif changes:
        at = _proration_date(call, params, items)
        change_items(call, row, changes, at, "none" if row.status == "trialing" else behavior)
        prorate_end(call, row, behavior)
        if behavior == "always_invoice":
            invoice_now(call, row, "subscription_update", payment)
    elif row.cancel_at != ended_at:
        prorate_end(call, row, behavior)
        if behavior == "always_invoice":
            invoice_now(call, row, "subscription_update", payment)
    check_billing(call, row)
    add_once(call, row, params.add_invoice_items, None)
    _put_off_if_unpaid(call, before)
    row = retrieve(call, SUBSCRIPTIONS, row.id)
    if row.status not in ("canceled", "incomplete_expired"):
        billing_cycles.set_times(call, row, items_of(call, row.id))
    return row


def prorate_end(call: Call, row: Subscription, behavior: str) -> None:
    """Create the prorations of a new end of a subscription, unless it is in its trial."""
    if behavior == "none" or row.status == "trialing":
        return
    for item in items_of(call, row.id):
        prorations.prorate_new_end(call, row, item)


def change_item(call: Call, row: Subscription, change: ItemChange, behavior: str, at: Any, payment: str) -> None:
    """Update, add or delete one item of a subscription."""
    when = at if isinstance(at, int) else now(call)
    _check_result(row, items_of(call, row.id), [change])
    before = state_of(call, row.id)
    change_items(call, row, [change], when, "none" if row.status == "trialing" else behavior)
    check_billing(call, row)
    if behavior == "always_invoice":
        invoice_now(call, row, "subscription_update", payment)
    _put_off_if_unpaid(call, before)
    row = retrieve(call, SUBSCRIPTIONS, row.id)
    billing_cycles.set_times(call, row, items_of(call, row.id))


def _put_off_if_unpaid(call: Call, before: SubscriptionSnapshot) -> None:
    """Turn a change into a pending update if its invoice had to be paid first and was not."""
    if call.memo.pop("unpaid", None) == before.row.id:
        expires_at = now(call) + billing_cycles.INCOMPLETE
        put_off(call, before, expires_at)
        schedule(call, billing_cycles.expire_update, before.row.id, expires_at, before.row.test_clock)


def _proration_date(call: Call, params: UpdateSubscription, items: Sequence[SubscriptionItem]) -> int:
    at = params.proration_date
    if not isinstance(at, int):
        return now(call)
    starts, ends = (
        min(each) for each in ([i.current_period_start for i in items], [i.current_period_end for i in items])
    )
    if not starts <= at <= ends:
        message = (
            "Invalid proration_date: it must be within the current period of the subscription, "
            f"from {starts} to {ends}."
        )
        raise StripeError(message, param="proration_date")
    return at


def _changes(
    call: Call, row: Subscription, items: Sequence[SubscriptionItem], params: UpdateSubscription
) -> list[ItemChange]:
    given_items: list[ChangedItem] = params.items if isinstance(params.items, list) else []
    by_id = {item.id: item for item in items}
    changes = [_change(call, row, by_id, each, f"items[{n}]") for n, each in enumerate(given_items)]
    if changes:
        _check_result(row, items, changes)
    return changes


def _change(
    call: Call, row: Subscription, by_id: dict[str, SubscriptionItem], params: ChangedItem, at: str
) -> ItemChange:
    if not isinstance(params.id, str) or not params.id:
        if params.deleted is True:
            raise StripeError("You must pass the id of the item that is to be deleted.", param=f"{at}[id]")
        return ItemChange(None, resolve_new_item(call, params, at, row.customer))
    old = by_id.get(params.id)
    if old is None:
        raise SUBSCRIPTION_ITEMS.missing(params.id, param=f"{at}[id]", status=400)
    if params.deleted is True:
        return ItemChange(old, None)
    return ItemChange(old, resolve_changed_item(call, old, params, at, row.customer))


def _check_result(row: Subscription, items: Sequence[SubscriptionItem], changes: Sequence[ItemChange]) -> None:
    touched = {change.old.id for change in changes if change.old}
    requested = [change.new for change in changes if change.new]
    left = [item.price for item in items if item.id not in touched] + [each.price.id for each in requested]
    if not left:
        raise StripeError(LAST_ITEM, param="items")
    check_items(left, row.currency, requested)


def change_all(call: Call, row: Subscription, changes: Sequence[ItemChange], behavior: str, at: int) -> None:
    """Change items; start new periods if their length changes, and invoice at once if requested."""
    if _other_interval(call, row, changes):
        _reset_anchor(call, row, changes, behavior, "allow_incomplete")
        return
    change_items(call, row, changes, at, "none" if row.status == "trialing" else behavior)
    if behavior == "always_invoice":
        invoice_now(call, row, "subscription_update", "allow_incomplete")
    row = retrieve(call, SUBSCRIPTIONS, row.id)
    billing_cycles.set_times(call, row, items_of(call, row.id))


def change_items(call: Call, row: Subscription, changes: Sequence[ItemChange], at: int, behavior: str) -> None:
    """Change items, and create the prorations."""
    for change in changes:
        prorates = behavior != "none" and _differs(change)
        back = change.old if prorates else None
        if change.new is None:
            if back:
                prorations.credit_unused_time(call, row, back, at)
            if change.old:
                call.db.remove(change.old)
            continue
        item = _changed_row(call, row, change)
        # The charge is created before the credit, so that lists, which are newest first, start with the credit.
        if prorates and not billing_cycles.is_metered(change.new.price):
            item = prorations.charge_remaining_time(call, row, item, change.new.price, at)
        if back:
            prorations.credit_unused_time(call, row, back, at)


def _differs(change: ItemChange) -> bool:
    if change.old is None or change.new is None:
        return True
    return (change.old.price, change.old.quantity) != (change.new.price.id, change.new.quantity)


def _changed_row(call: Call, row: Subscription, change: ItemChange) -> SubscriptionItem:
    if change.new is None or change.old is None:
        assert change.new is not None
        return _align_period(
            call, row, new_item(call, row, change.new, row.trial_end if row.status == "trialing" else None)
        )
    return call.db.change(change.old, price=change.new.price.id, quantity=change.new.quantity, **change.new.fields)


def _align_period(call: Call, row: Subscription, item: SubscriptionItem) -> SubscriptionItem:
    """Align the period of a new item with existing items of the same length."""
    others = [each for each in items_of(call, row.id) if each.id != item.id]
    same = [each for each in others if each.current_period_end == item.current_period_end]
    return call.db.change(item, current_period_start=same[0].current_period_start) if same else item


def _other_interval(call: Call, row: Subscription, changes: Sequence[ItemChange]) -> bool:
    """Return whether an item's period changes its length, which starts a new period at once."""
    if row.status == "trialing":
        return False
    names = ("interval", "interval_count")
    for change in changes:
        if change.old and change.new:
            old = retrieve(call, PRICES, change.old.price).recurring
            if any(old[name] != change.new.price.recurring[name] for name in names):
                return True
    return False


def _reset_anchor(call: Call, row: Subscription, changes: Sequence[ItemChange], behavior: str, payment: str) -> None:
    """Start new periods now: unused time is credited, and the new periods are charged at once."""
    at = now(call)
    before = items_of(call, row.id)
    change_items(call, row, changes, at, "none")
    for item in before if behavior != "none" else ():
        prorations.credit_unused_time(call, row, item, at)
    row = call.db.change(row, billing_cycle_anchor=at)
    billing_cycles.restart(call, row)
    items = items_of(call, row.id)
    prices = billing_cycles.prices_of(call, items)
    waiting = invoice_lifecycle.list_pending_items(call, row.customer, row.id, row.currency)
    full = sum(prorations.full_price(prices[item.price], item.quantity, row.currency) for item in items)
    back = [item for item in waiting if item.proration and item.period["start"] == at]
    if back and full + sum(item.amount for item in back) == 0:
        _even(call, row, items, prices, [item.id for item in back])
        return
    invoice = billing_cycles.create_draft(call, row, "subscription_update", _since(call, row), at)
    for item in items:
        if not billing_cycles.is_metered(prices[item.price]):
            period = (item.current_period_start, item.current_period_end)
            billing_cycles.add_period(call, invoice, row, item, prices[item.price], period)
    _finish(call, row, invoice, payment)


def _even(
    call: Call,
    row: Subscription,
    items: Sequence[SubscriptionItem],
    prices: dict[str, Price],
    given_back: Sequence[str],
) -> None:
    """If a new anchor changes no amount, make no invoice: replace the credits by a pending item of 0 per item."""
    for id in given_back:
        call.db.remove(retrieve(call, INVOICE_ITEMS, id))
    for item in items:
        prorations.charge_remaining_time(call, row, item, prices[item.price], item.current_period_start, nothing=True)


def _moves_trial(row: Subscription, trial_end: str) -> bool:
    """Return whether the end of a trial changes; `now` has no effect without a trial."""
    return bool(trial_end) and (trial_end != "now" or row.status == "trialing")


def _move_trial(call: Call, row: Subscription, until: int | str, behavior: str, payment: str) -> Subscription:
    """End the trial of a subscription now, or move its end."""
    if isinstance(until, int):
        return _extend_trial(call, row, until, behavior)
    row = call.db.change(row, trial_end=now(call))
    missing = row.collection_method == "charge_automatically" and not billing_cycles.has_method(call, row)
    if missing and row.trial_settings.get("missing_payment_method") == "pause":
        return billing_cycles.pause(call, row)
    if missing and row.trial_settings.get("missing_payment_method") == "cancel":
        return billing_cycles.end(call, row)
    row = call.db.change(row, status="active")
    billing_cycles.restart(call, row)
    items = items_of(call, row.id)
    prices = billing_cycles.prices_of(call, items)
    invoice = billing_cycles.create_draft(call, row, "subscription_update", _since(call, row), now(call))
    for item in items:
        if not billing_cycles.is_metered(prices[item.price]):
            period = (item.current_period_start, item.current_period_end)
            billing_cycles.add_period(call, invoice, row, item, prices[item.price], period)
    return _finish(call, row, invoice, payment)


def _extend_trial(call: Call, row: Subscription, until: int, behavior: str) -> Subscription:
    for item in items_of(call, row.id):
        if row.status != "trialing" and behavior != "none":
            prorations.credit_unused_time(call, row, item, now(call))
        start = item.current_period_start if row.status == "trialing" else now(call)
        call.db.change(item, current_period_start=start, current_period_end=until, billed=None)
    start = row.trial_start if row.status == "trialing" else now(call)
    return call.db.change(row, status="trialing", trial_end=until, trial_start=start, billing_cycle_anchor=until)


def invoice_now(call: Call, row: Subscription, reason: str, behavior: str) -> Subscription:
    """Invoice the pending items of a subscription at once, if it has any."""
    if not invoice_lifecycle.list_pending_items(call, row.customer, row.id, row.currency):
        return row
    return _finish(call, row, billing_cycles.create_draft(call, row, reason, _since(call, row), now(call)), behavior)


def _since(call: Call, row: Subscription) -> int:
    """Return the time of the last invoice, from which items for the next one were added."""
    last = find(call, INVOICES, row.latest_invoice or "")
    return last.period_end if last else now(call)


def _finish(call: Call, row: Subscription, invoice: Invoice, behavior: str) -> Subscription:
    """Add pending items to a draft, finalize it and collect it."""
    invoice_lifecycle.add_pending_items(call, invoice, row.id)
    invoice = invoice_lifecycle.publish_draft(call, invoice)
    row = call.db.change(retrieve(call, SUBSCRIPTIONS, row.id), latest_invoice=invoice.id)
    if row.collection_method == "send_invoice":
        return row
    final = invoice_lifecycle.finalize(call, invoice)
    if final.status == "open" and behavior != "default_incomplete":
        _collect(call, row, final, behavior)
    return retrieve(call, SUBSCRIPTIONS, row.id)


def _collect(call: Call, row: Subscription, final: Invoice, behavior: str) -> None:
    """Try to collect the payment for a change; mark an unpaid change that requires payment as pending."""
    if behavior == PENDING:
        call.memo["putting_off"] = row.id
    intent, refused = invoice_lifecycle.first_attempt(call, final)
    call.memo.pop("putting_off", None)
    if behavior == "error_if_incomplete":
        raise_incomplete(intent, refused)
    if behavior == PENDING and retrieve(call, INVOICES, final.id).status == "open":
        call.memo["unpaid"] = row.id


# Cancellation and resumption


def cancel(call: Call, row: Subscription, *, prorate: bool, invoice_now: bool) -> Subscription:
    """Cancel a subscription now; with `prorate`, unused time is credited."""
    for item in items_of(call, row.id) if prorate else ():
        prorations.credit_unused_time(call, row, item, now(call))
    if invoice_now:
        items = items_of(call, row.id)
        invoice = billing_cycles.create_draft(call, row, "subscription_cycle", items[0].current_period_start, now(call))
        add_usage_until_now(call, invoice, row, items)
        invoice_lifecycle.add_pending_items(call, invoice, row.id)
        invoice_lifecycle.publish_draft(call, invoice)
        row = call.db.change(row, latest_invoice=invoice.id)
    was_incomplete = row.status == "incomplete"
    row = call.db.change(row, canceled_at=now(call), cancel_at=row.cancel_at)
    ended = billing_cycles.end(call, row)
    invoice = find(call, INVOICES, row.latest_invoice or "")
    if was_incomplete and invoice and invoice.status == "open":
        invoice_lifecycle.void(call, invoice)
    return ended


def add_usage_until_now(call: Call, invoice: Invoice, row: Subscription, items: Sequence[SubscriptionItem]) -> None:
    """Bill the usage of items in their current periods, including the current second."""
    prices = billing_cycles.prices_of(call, items)
    for item in items:
        start = item.current_period_start
        if billing_cycles.is_metered(prices[item.price]):
            billing_cycles.add_usage(call, invoice, row, item, prices[item.price], (start, now(call) + 1))
        for line in call.db.rows(LineItem, LineItem.invoice == invoice.id, LineItem.subscription_item == item.id):
            call.db.change(line, period={"start": start, "end": now(call)})


def resume(call: Call, row: Subscription) -> Subscription:
    """Resume a paused subscription as soon as its invoice is paid."""
    items = items_of(call, row.id)
    prices = billing_cycles.prices_of(call, items)
    at = now(call)
    waits = {"billing_cycle_anchor": None, "expires_at": at + billing_cycles.INCOMPLETE, "subscription_items": None}
    row = call.db.change(row, pending_update={**waits, "trial_end": None, "trial_from_plan": None})
    schedule(call, billing_cycles.expire_update, row.id, at + billing_cycles.INCOMPLETE, row.test_clock)
    invoice = billing_cycles.create_draft(call, row, "subscription_update", at, at)
    for item in items:
        price = prices[item.price]
        if not billing_cycles.is_metered(price):
            every: Fields = price.recurring
            end = next_boundary(at, at, every["interval"], every["interval_count"])
            billing_cycles.add_period(call, invoice, row, item, price, (at, end))
    return _finish(call, row, invoice, "allow_incomplete")
