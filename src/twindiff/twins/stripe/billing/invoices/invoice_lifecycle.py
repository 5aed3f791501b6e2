"""The lifecycle of an invoice: a draft is finalized, and then paid, retried, written off or voided.

Drafts with `auto_advance` are finalized an hour after creation. A failed payment is retried after three, five and seven
days; if the last retry of a subscription's invoice fails, the subscription ends.

https://docs.stripe.com/invoicing/overview, https://docs.stripe.com/billing/revenue-recovery/smart-retries
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from twindiff.kit import Call
from twindiff.twins.stripe.core.wire_style import StripeError

from ...catalog.discounts import coupons_of, end_one_time_discounts
from ...core.currencies import MIN_CHARGE
from ...core.due_jobs import cancel_all, schedule, schedule_first, work
from ...core.events import PreviousRow, record_row, update
from ...core.objects import Fields, find, new, now, retrieve
from ...core.periods import DAY
from ...payments import customer_balances
from ...payments.payment_lifecycle import ON_PAID
from ...payments.payment_method_types import check_currency, supports_currency
from ...tables.customer_tables import CUSTOMERS, Customer
from ...tables.payment_intent_tables import PaymentIntent
from ...tables.payment_method_tables import METHODS
from ...tax.tax_rates import TaxRate
from ..tables import invoice_payments
from ..tables.invoice_line_items import LINE_ITEMS, LineItem, Totals, lines_of
from ..tables.invoice_payments import InvoicePayment
from ..tables.invoice_tables import INVOICE_ITEMS, INVOICES, Invoice, InvoiceItem
from ..tables.subscription_tables import (
    SUBSCRIPTIONS,
    begins_with,
    collection_pause,
    retain_discounts,
    retain_item_discounts,
)
from . import credit_grants, invoice_taxes

HOUR = 3600
RETRIES = (3 * DAY, 5 * DAY, 7 * DAY)
"""Seconds from each failed attempt to the next one."""
MAX_LINES = 250
NOT_OPEN = "You can only pass in open invoices. This invoice isn't open."

ON_FINALIZED: list[Callable[[Call, Invoice], None]] = []
"""Called with each invoice that was finalized, before it is paid."""
ON_INVOICE_PAID: list[Callable[[Call, Invoice], None]] = []
"""Called with each invoice that was paid."""
ON_INVOICE_VOIDED: list[Callable[[Call, Invoice], None]] = []
"""Called with each invoice that was voided."""
ON_PAYMENT_FAILED: list[Callable[[Call, Invoice, bool], None]] = []
"""Called with each invoice whose payment failed or is overdue, and whether that was its last attempt."""


def publish_draft(call: Call, draft: Invoice) -> Invoice:
    """Record `invoice.created` for a draft with all its lines, and schedule its finalization if it advances."""
    at = _advances_at(call, draft)
    if at is not None:
        schedule_first(call, finalize_draft, draft.id, at, draft.test_clock)
    draft = call.db.change(retotal(call, draft), automatically_finalizes_at=at)
    record_row(call, "invoice.created", INVOICES, draft)
    return draft


def advance_later(call: Call, draft: Invoice) -> Invoice:
    """Schedule the finalization of a draft, in an hour or at its requested time, if it advances automatically."""
    at = _advances_at(call, draft)
    schedule(call, finalize_draft, draft.id, at, draft.test_clock)
    return call.db.change(draft, automatically_finalizes_at=at)


def _advances_at(call: Call, draft: Invoice) -> int | None:
    return (draft.automatically_finalizes_at or now(call) + HOUR) if draft.auto_advance else None


# Lines of a draft


def add_pending_items(call: Call, draft: Invoice, subscription: str | None = None, *, is_alone: bool = False) -> None:
    """Add a customer's pending items to a draft: all, those that a subscription bills, or only its own (`is_alone`)."""
    mine = list_pending_items(call, draft.customer, subscription, draft.currency)
    if is_alone:
        mine = [each for each in mine if each.subscription == subscription]
    add_items(call, draft, mine[:MAX_LINES], quiet=True)


def list_pending_items(call: Call, customer: str, subscription: str | None, currency: str) -> list[InvoiceItem]:
    """Return the pending items of a customer in a currency: all, or those that a subscription bills."""
    mine = (InvoiceItem.customer == customer, InvoiceItem.invoice == None)  # noqa: E711 - a condition on the column
    items = call.db.rows(InvoiceItem, *mine, order=InvoiceItem.seq)
    wanted = [each for each in items if each.subscription in (None, subscription or each.subscription)]
    return [each for each in wanted if each.currency == currency]


def add_items(call: Call, draft: Invoice, items: Sequence[InvoiceItem], *, quiet: bool = False) -> None:
    """Add items to a draft as lines; raises StripeError for an item in another currency."""
    for item in items:
        if item.currency != draft.currency:
            raise StripeError(
                "You cannot combine currencies on a single invoice. This invoice has invoice items currency "
                f"{item.currency} that conflicts with the invoice currency {draft.currency}."
            )
        if item.invoice is None:
            item = call.db.change(item, invoice=draft.id)
        new(call, LINE_ITEMS, invoice=draft.id, **_line_of(item))
    if not quiet:
        _record_update(call, draft, retotal(call, draft))


def update_item_line(call: Call, draft: Invoice, item: InvoiceItem) -> None:
    """Update the line of a draft from its invoice item."""
    if line := call.db.find(LineItem, LineItem.invoice == draft.id, LineItem.invoice_item == item.id):
        call.db.change(line, **_line_of(item))
    _record_update(call, draft, retotal(call, draft))


def remove_item_line(call: Call, draft: Invoice, item: str) -> None:
    """Remove the line of an invoice item from a draft."""
    if line := call.db.find(LineItem, LineItem.invoice == draft.id, LineItem.invoice_item == item):
        call.db.remove(line)
    _record_update(call, draft, retotal(call, draft))


def _record_update(call: Call, old: Invoice, changed: Invoice) -> None:
    if changed is not old:
        record_row(call, "invoice.updated", INVOICES, changed, PreviousRow(old))


def _line_of(item: InvoiceItem) -> Fields:
    proration = {"credited_items": _get_credited_line(item)} if item.proration else None
    details: Fields = {
        "invoice_item": item.id,
        "proration": item.proration,
        "proration_details": proration,
        "subscription": item.subscription,
    }
    kind = "invoice_item_details"
    if item.parent and item.parent["subscription_details"]["subscription_item"] and item.proration:
        kind = "subscription_item_details"
        details["subscription_item"] = item.parent["subscription_details"]["subscription_item"]
    copied = ("amount", "currency", "description", "discountable", "discounts", "metadata", "period", "pricing")
    more = ("quantity", "quantity_decimal", "subscription", "tax_rates", "product")
    return {
        **{name: getattr(item, name) for name in (*copied, *more)},
        "invoice_item": item.id,
        "subscription_item": details.get("subscription_item"),
        "parent": {"type": kind, kind: details},
    }


def _get_credited_line(item: InvoiceItem) -> Fields | None:
    details: Fields = item.proration_details
    credited: Fields = details["credited_items"] or {}
    return credited.get("invoice_line_item_details")


def retotal(call: Call, draft: Invoice) -> Invoice:
    """Recompute the amounts of a draft from its lines, discounts and taxes."""
    lines = lines_of(call, draft.id)
    own = [id for line in lines for id in line.discounts]
    totals = Totals(lines, coupons_of(call, draft.discounts, now(call)), coupons_of(call, own, now(call)))
    ids = {id for line in lines for id in line.tax_rates} | set(draft.default_tax_rates)
    rates = {row.id: row for row in call.db.rows(TaxRate, TaxRate.id.in_(ids))} if ids else {}
    totals.tax(rates, draft.default_tax_rates if draft.customer_tax_exempt == "none" else [])
    customer = retrieve(call, CUSTOMERS, draft.customer)
    if draft.automatic_tax:
        draft = invoice_taxes.reckon(call, draft, customer, totals, _method(call, draft))
    totals.write(call)
    amounts = totals.amounts(draft.shipping_cost["amount_subtotal"] if draft.shipping_cost else 0)
    due = _due(amounts["total"], customer.balance, draft.currency)
    return update(
        call,
        INVOICES,
        draft,
        False,
        **amounts,
        starting_balance=customer.balance,
        amount_due=due,
        amount_remaining=due,
    )


def _due(total: int, balance: int, currency: str) -> int:
    """Return the amount due after the customer's balance; below the minimum charge it is 0 and stays in the balance."""
    due = max(0, total + balance)
    return 0 if due < MIN_CHARGE.get(currency, 1) else due


def delete_draft(call: Call, draft: Invoice) -> None:
    """Delete a draft and the items made for it; items that were pending before stay with it, and are not billed."""
    for item in call.db.rows(InvoiceItem, InvoiceItem.invoice == draft.id):
        if item.seq > draft.seq:
            record_row(call, "invoiceitem.deleted", INVOICE_ITEMS, item)
            call.db.remove(item)
    for line in lines_of(call, draft.id):
        call.db.remove(line)
    cancel_all(call, draft.id)
    call.db.remove(draft)


# Finalization


@work
def finalize_draft(call: Call, id: str) -> None:
    """Scheduled job: finalize a draft whose hour has passed, and collect it."""
    draft = find(call, INVOICES, id)
    if draft is None or draft.status != "draft":
        return
    held = collection_pause(call, draft)
    if held == "keep_as_draft":
        call.db.change(draft, auto_advance=False, automatically_finalizes_at=None)
        return
    if draft.automatic_tax and invoice_taxes.record_finalization_failure(call, retotal(call, draft)):
        return
    final = finalize(call, draft)
    if held == "void" and final.status == "open":
        void(call, final)
    elif held == "mark_uncollectible" and final.status == "open":
        set_uncollectible(call, final)
    elif final.status == "open" and final.collection_method == "charge_automatically":
        attempt_payment(call, id)
    elif final.status == "open":
        record_row(call, "invoice.sent", INVOICES, final)


def finalize(call: Call, draft: Invoice) -> Invoice:
    """Finalize a draft: assign its number, apply the customer's balance, and request payment of the rest."""
    if draft.status != "draft":
        raise StripeError("This invoice is already finalized, you can't re-finalize a non-draft invoice.")
    customer = retrieve(call, CUSTOMERS, draft.customer)
    draft = draft if _is_up_to_date(call, customer, draft) else retotal(call, draft)
    if invoice_taxes.lacks_location(draft):
        draft = retotal(call, invoice_taxes.go_on_without(call, draft))
    if customer.has_credits and credit_grants.apply(call, draft):
        draft = retotal(call, draft)
    schedule(call, finalize_draft, draft.id, None, draft.test_clock)
    number = draft.number or f"{customer.invoice_prefix}-{customer.next_invoice_sequence:04d}"
    ending = customer.balance + draft.total - draft.amount_due
    customer = call.db.change(
        customer, next_invoice_sequence=customer.next_invoice_sequence + 1, currency=draft.currency
    )
    _take_up_balance(call, customer, draft, ending)
    final = call.db.change(
        draft,
        status="open",
        number=number,
        ending_balance=ending,
        effective_at=draft.effective_at or now(call),
        automatically_finalizes_at=None,
        last_finalization_error=None,
        status_transitions={**draft.status_transitions, "finalized_at": now(call)},
        **_collection(call, draft),
    )
    if final.amount_due:
        final = call.db.change(final, payment_intent=invoice_payments.ensure_payment_intent(call, final))
    _use_discounts(call, final)
    record_row(call, "invoice.finalized", INVOICES, final)
    for each in ON_FINALIZED:
        each(call, final)
    return final if final.amount_due else mark_paid(call, final)


def _is_up_to_date(call: Call, customer: Customer, draft: Invoice) -> bool:
    """Return whether the totals of a draft are surely current; discounts can end, addresses and balances change."""
    is_discounted = draft.discounts or any(line.discounts for line in lines_of(call, draft.id))
    return not draft.automatic_tax and not is_discounted and draft.starting_balance == customer.balance


def _take_up_balance(call: Call, customer: Customer, draft: Invoice, ending: int) -> None:
    if ending == customer.balance:
        return
    too_small = not draft.amount_due and draft.total + customer.balance > 0
    type = "invoice_too_small" if too_small else "applied_to_invoice"
    change = ending - customer.balance
    customer_balances.adjust(call, customer, change, draft.currency, type=type, invoice=draft.id)


def _collection(call: Call, draft: Invoice) -> Fields:
    """Schedule the first payment attempt or the due date of a finalized invoice; returns columns to change."""
    if not draft.amount_due:
        return {}
    if draft.collection_method == "send_invoice":
        schedule(call, overdue, draft.id, draft.due_date, draft.test_clock)
        return {}
    at = now(call) + HOUR if draft.auto_advance and not begins_with(call, draft) else None
    schedule(call, attempt_payment, draft.id, at, draft.test_clock)
    return {"next_payment_attempt": at}


def _use_discounts(call: Call, final: Invoice) -> None:
    if not final.total_discount_amounts:
        return
    kept = end_one_time_discounts(call, final.discounts)
    if final.subscription and kept != final.discounts:
        retain_discounts(call, final.subscription, kept)
    for line in lines_of(call, final.id):
        kept = end_one_time_discounts(call, line.discounts)
        if line.subscription_item and kept != line.discounts:
            retain_item_discounts(call, line.subscription_item, kept)


@work
def overdue(call: Call, id: str) -> None:
    """Scheduled job: record `invoice.overdue` for a sent invoice that is unpaid at its due date."""
    invoice = find(call, INVOICES, id)
    if invoice and invoice.status == "open":
        record_row(call, "invoice.overdue", INVOICES, invoice)
        for each in ON_PAYMENT_FAILED:
            each(call, invoice, False)


# Payment


def pay(
    call: Call, invoice: Invoice, *, method: str | None, elsewhere: bool, forgive: bool, off_session: bool
) -> StripeError | None:
    """Pay an invoice; returns the card error instead of raising it, so that the failed attempt is kept."""
    if invoice.status == "draft":
        invoice = finalize(call, invoice)
        if invoice.status == "paid":
            return None
    if invoice.status == "paid":
        raise StripeError("Invoice is already paid")
    if invoice.status == "void":
        raise StripeError("This invoice has been voided and cannot be paid.")
    if elsewhere:
        invoice_payments.settle(call, invoice, paid=0)
        mark_paid(call, invoice, off_stripe=True)
        return None
    chosen = method or _method(call, invoice)
    if not chosen:
        raise invoice_payments.no_method()
    check_currency([retrieve(call, METHODS, chosen).type], invoice.currency)
    intent, refused = _attempt(call, invoice, chosen, off_session=off_session)
    return refused or invoice_payments.find_action_required_error(intent)


def _method(call: Call, invoice: Invoice) -> str | None:
    customer = find(call, CUSTOMERS, invoice.customer)
    default = customer and (customer.invoice_settings.get("default_payment_method") or customer.default_source)
    owner = find(call, SUBSCRIPTIONS, invoice.subscription) if invoice.subscription else None
    return invoice_payments.method_of(call, invoice, owner.default_payment_method if owner else None, default)


def _find_suitable_method(call: Call, invoice: Invoice) -> str | None:
    """Return the payment method of an invoice, or None for a type that cannot pay in the invoice's currency."""
    method = find(call, METHODS, _method(call, invoice) or "")
    return method.id if method and supports_currency(method.type, invoice.currency) else None


@work
def attempt_payment(call: Call, id: str) -> None:
    """Scheduled job: try to collect an invoice; on failure, schedule the next attempt."""
    invoice = find(call, INVOICES, id)
    if invoice is None or invoice.status != "open":
        return
    call.memo[f"tried {id}"] = True
    if method := _find_suitable_method(call, invoice):
        _attempt(call, invoice, method, off_session=True)
    else:
        _record_failed_attempt(call, invoice)


def first_attempt(call: Call, invoice: Invoice) -> tuple[PaymentIntent | None, StripeError | None]:
    """Try to collect the first invoice of a subscription on-session; returns its PaymentIntent and the error.

    Without a payment method, the PaymentIntent is None.
    """
    method = _find_suitable_method(call, invoice)
    return _attempt(call, invoice, method, off_session=False) if method else (None, invoice_payments.no_method())


def _attempt(
    call: Call, invoice: Invoice, method: str, *, off_session: bool
) -> tuple[PaymentIntent, StripeError | None]:
    intent, refused = invoice_payments.attempt(call, invoice, method, off_session=off_session)
    if refused:
        _record_failed_attempt(call, invoice)
    elif intent.status == "requires_action":
        waiting = call.db.change(invoice, attempted=True)
        record_row(call, "invoice.payment_action_required", INVOICES, waiting)
    return intent, refused


def _record_failed_attempt(call: Call, invoice: Invoice) -> None:
    """Record a failed attempt and schedule the next one; sent invoices do not affect their subscription."""
    count = _attempts(call, invoice)
    collects = invoice.collection_method == "charge_automatically"
    retries = collects and invoice.auto_advance and not begins_with(call, invoice)
    at = now(call) + RETRIES[count - 1] if retries and count <= len(RETRIES) else None
    schedule(call, attempt_payment, invoice.id, at, invoice.test_clock)
    failed = call.db.change(invoice, attempt_count=count, attempted=True, next_payment_attempt=at)
    record_row(call, "invoice.updated", INVOICES, failed, PreviousRow(invoice))
    record_row(call, "invoice.payment_failed", INVOICES, failed)
    _delinquent(call, invoice.customer, yes=True)
    if collects:
        for each in ON_PAYMENT_FAILED:
            each(call, failed, retries and at is None)


def _attempts(call: Call, invoice: Invoice) -> int:
    """Return `attempt_count` including this attempt; after the first one, only scheduled attempts count.

    https://docs.stripe.com/api/invoices/object#invoice_object-attempt_count
    """
    counts = not invoice.attempt_count or f"tried {invoice.id}" in call.memo
    return invoice.attempt_count + counts


def _delinquent(call: Call, id: str, *, yes: bool) -> None:
    if customer := find(call, CUSTOMERS, id):
        update(call, CUSTOMERS, customer, delinquent=yes)


def handle_intent_succeeded(call: Call, intent: PaymentIntent) -> None:
    """Mark an invoice as paid when its PaymentIntent succeeds on its own, as after authentication."""
    invoice = find(call, INVOICES, intent.invoice) if intent.invoice else None
    if invoice is None or invoice.status not in ("open", "uncollectible"):
        return
    if payment := intent.id != invoice.payment_intent and invoice_payments.find_attached_payment(call, intent):
        credit(call, invoice, payment, intent.amount_received)
    else:
        mark_paid(call, invoice)


def attach(call: Call, invoice: Invoice, intent: PaymentIntent) -> None:
    """Attach a PaymentIntent to an invoice to pay it wholly or in part; at once if it has succeeded.

    https://docs.stripe.com/invoicing/partial-payments
    """
    if invoice.status != "open":
        message = f"You can only attach payments to open invoices; this one is {invoice.status}."
        raise StripeError(message, code="invoice_not_editable")
    payment = invoice_payments.attach(call, invoice, intent)
    if intent.status == "succeeded":
        credit(call, invoice, payment, intent.amount_received)


def credit(call: Call, invoice: Invoice, payment: InvoicePayment, amount: int) -> None:
    """Subtract an attached payment from the amount remaining; the invoice is paid once nothing remains."""
    taken = min(amount, invoice.amount_remaining)
    invoice_payments.record_payment_paid(call, payment, amount)
    credited = call.db.change(
        invoice,
        amount_paid=invoice.amount_paid + taken,
        amount_overpaid=invoice.amount_overpaid + amount - taken,
        amount_remaining=invoice.amount_remaining - taken,
    )
    if amount > taken:
        record_row(call, "invoice.overpaid", INVOICES, credited)
    invoice_payments.update_open_payment(call, credited)
    if credited.amount_remaining == 0:
        mark_paid(call, credited)


ON_PAID.append(handle_intent_succeeded)


def mark_paid(call: Call, invoice: Invoice, *, off_stripe: bool = False) -> Invoice:
    """Mark an invoice as paid; `off_stripe` if the payment was made outside of Stripe."""
    due = invoice.amount_remaining
    changes: dict[str, Any] = {
        "status": "paid",
        "attempted": invoice.attempted or not off_stripe,
        "attempt_count": _attempts(call, invoice) if due and not off_stripe else invoice.attempt_count,
        "amount_paid": invoice.amount_paid + due,
        "amount_paid_off_stripe": due if off_stripe else 0,
        "amount_remaining": 0,
        "next_payment_attempt": None,
        "status_transitions": {**invoice.status_transitions, "paid_at": now(call)},
    }
    settled = call.db.change(invoice, **changes)
    if due and not off_stripe:
        invoice_payments.settle(call, settled, paid=due)
    cancel_all(call, invoice.id)
    if due:
        record_row(call, "invoice.updated", INVOICES, settled, PreviousRow(invoice))
    record_row(call, "invoice.paid", INVOICES, settled, also=("invoice.payment_succeeded",))
    if due:
        _delinquent(call, invoice.customer, yes=False)
    for each in ON_INVOICE_PAID:
        each(call, settled)
    return settled


# Write-off


def void(call: Call, invoice: Invoice) -> Invoice:
    """Void an open or uncollectible invoice; its amounts stay visible."""
    if invoice.status == "paid":
        raise StripeError("Invoices with `paid` payments cannot be voided.")
    if invoice.status not in ("open", "uncollectible"):
        raise StripeError(NOT_OPEN)
    return _end(call, invoice, "void", "voided_at", "invoice.voided")


def set_uncollectible(call: Call, invoice: Invoice) -> Invoice:
    """Mark an open invoice as uncollectible."""
    if invoice.status == "uncollectible":
        raise StripeError("This invoice has already been marked uncollectible.")
    if invoice.status != "open":
        raise StripeError(NOT_OPEN)
    changed = call.db.change(
        invoice,
        status="uncollectible",
        next_payment_attempt=None,
        status_transitions={**invoice.status_transitions, "marked_uncollectible_at": now(call)},
    )
    cancel_all(call, invoice.id)
    record_row(call, "invoice.updated", INVOICES, changed, PreviousRow(invoice))
    record_row(call, "invoice.marked_uncollectible", INVOICES, changed)
    return changed


def _end(call: Call, invoice: Invoice, status: str, at: str, event: str) -> Invoice:
    ended = call.db.change(
        invoice,
        status=status,
        next_payment_attempt=None,
        status_transitions={**invoice.status_transitions, at: now(call)},
    )
    invoice_payments.settle(call, ended, paid=0)
    cancel_all(call, invoice.id)
    if invoice.total_pretax_credit_amounts:
        credit_grants.restore_credits(call, invoice)
    taken = (invoice.ending_balance or 0) - invoice.starting_balance
    if taken:
        customer = retrieve(call, CUSTOMERS, invoice.customer)
        back = "unapplied_from_invoice"
        customer_balances.adjust(call, customer, -taken, invoice.currency, type=back, invoice=invoice.id)
    record_row(call, "invoice.updated", INVOICES, ended, PreviousRow(invoice))
    record_row(call, event, INVOICES, ended)
    for each in ON_INVOICE_VOIDED:
        each(call, ended)
    return ended
