"""Invoice payments: the PaymentIntents that pay invoices.

https://docs.stripe.com/api/invoice-payment
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ...catalog.price_calculation import percentage
from ...core.events import record_row
from ...core.objects import RESOURCES, Fields, StripeObject, build_view, find, new, now, resource, retrieve
from ...core.pagination import equal, list_object, list_of, to_range_conditions, to_reference_conditions
from ...core.params import ListParams, NestedParams, OptName, OptRange, Params
from ...payments import payment_lifecycle
from ...payments.payment_methods import method_named
from ...tables.payment_intent_tables import PAYMENTS, PaymentIntent
from ...tables.payment_method_tables import METHODS

if TYPE_CHECKING:
    from .invoice_tables import Invoice

api = Operations(prefix="/v1/invoice_payments")


class InvoicePayment(
    StripeObject,
    table="invoice_payments",
    key=("id",),
    unique=(("seq",),),
    indexes=(("invoice", "seq"), ("payment_intent",)),
):
    amount_paid: Column[int | None] = column(default=None)
    amount_requested: Column[int]
    currency: Column[str]
    invoice: Column[str] = column(derived=True)
    is_default: Column[bool] = column(default=True, derived=True)
    status: Column[str] = column(default="open")
    status_transitions: Column[Json] = column(default={}, derived=True)
    payment_intent: Column[str] = column(derived=True)


def _payment(row: InvoicePayment) -> Fields:
    return {"type": "payment_intent", "payment_intent": row.payment_intent}


def _transitions(row: InvoicePayment) -> Fields:
    return {"canceled_at": None, "paid_at": None, **row.status_transitions}


invoice_payment_object = build_view(
    InvoicePayment, "invoice_payment", "payment_intent", payment=_payment, status_transitions=_transitions
)
INVOICE_PAYMENTS = resource(
    InvoicePayment,
    "invoice_payment",
    "inpay_",
    invoice_payment_object,
    spoken="invoice payment",
    param="invoice_payment",
    expandable=("invoice", "payment.payment_intent"),
)


class PaymentFilter(NestedParams):
    """The payment to filter by."""

    type: Literal["charge", "payment_intent", "payment_record"]
    payment_intent: OptName = UNSET


class ListInvoicePayments(ListParams, kw_only=True):
    """The parameters of a list of invoice payments."""

    created: OptRange = UNSET
    invoice: OptName = UNSET
    payment: PaymentFilter | UnsetType = UNSET
    status: Literal["canceled", "open", "paid"] | UnsetType = UNSET


@api.get("")
def list_invoice_payments(call: Call, params: Annotated[ListInvoicePayments, Body]) -> Fields:
    """List invoice payments."""
    where = to_range_conditions(InvoicePayment.created, params.created)
    where += to_reference_conditions(call, (InvoicePayment.invoice, params.invoice, RESOURCES["in_"]))
    where += equal((InvoicePayment.status, params.status))
    if isinstance(params.payment, PaymentFilter) and (id := params.payment.payment_intent):
        where.append(InvoicePayment.payment_intent == id)
    return list_of(call, INVOICE_PAYMENTS, params, "/v1/invoice_payments", *where)


@api.get("/{invoice_payment}")
def retrieve_invoice_payment(call: Call, invoice_payment: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve an invoice payment."""
    return invoice_payment_object(retrieve(call, INVOICE_PAYMENTS, invoice_payment))


def of_invoice(call: Call, invoice: Fields) -> Fields:
    """Return the list of an invoice's payments, for `expand`."""
    rows = call.db.rows(InvoicePayment, InvoicePayment.invoice == invoice["id"], order=-InvoicePayment.seq)
    return list_object([invoice_payment_object(row) for row in rows], "/v1/invoices/payments")


def secret_of_invoice(call: Call, invoice: Fields) -> Fields | None:
    """Return the confirmation secret with which a browser can pay an invoice, or None."""
    of_it = call.db.rows(InvoicePayment, InvoicePayment.invoice == invoice["id"], order=-InvoicePayment.seq, limit=1)
    intent = find(call, PAYMENTS, of_it[0].payment_intent) if of_it else None
    return {"client_secret": intent.client_secret, "type": "payment_intent"} if intent else None


def ensure_payment_intent(call: Call, invoice: Invoice) -> str:
    """Return the id of an invoice's PaymentIntent, which is created if missing."""
    known = find(call, PAYMENTS, invoice.payment_intent) if invoice.payment_intent else None
    intent = known or payment_lifecycle.create(
        call,
        invoice.amount_due,
        invoice.currency,
        customer=invoice.customer,
        description=_description(invoice),
        payment_method_types=invoice.payment_settings.get("payment_method_types") or ["card"],
        capture_method="automatic",
        setup_future_usage="off_session" if invoice.billing_reason in SETS_UP else None,
        invoice=invoice.id,
        **(_for_accounts(invoice) if invoice.connect else {}),
    )
    made = new(
        call,
        INVOICE_PAYMENTS,
        amount_requested=invoice.amount_due,
        currency=invoice.currency,
        invoice=invoice.id,
        payment_intent=intent.id,
    )
    call.memo.setdefault("invoice_payments", {})[invoice.id] = made.id
    return intent.id


def _for_accounts(invoice: Invoice) -> Fields:
    """Return the given ones of `transfer_data`, `application_fee_amount` and `on_behalf_of` of an invoice's payment.

    Percentages are converted to amounts.
    """
    wanted: Fields = invoice.connect
    transfer: Fields | None = wanted.get("transfer_data")
    percent, fee = wanted.get("application_fee_percent"), wanted.get("application_fee_amount")
    if transfer and transfer.get("amount_percent") is not None:
        amount = percentage(invoice.amount_due, transfer["amount_percent"])
        transfer = {"destination": transfer["destination"], "amount": amount}
    if fee is None and percent and transfer:
        fee = percentage(invoice.amount_due, percent)
    said = {"transfer_data": transfer, "application_fee_amount": fee, "on_behalf_of": wanted.get("on_behalf_of")}
    return {name: value for name, value in said.items() if value is not None}


SETS_UP = ("subscription_create", "subscription_update")
"""Billing reasons whose payment sets up the method for off-session use."""


def _description(invoice: Invoice) -> str:
    return {
        "subscription_create": "Subscription creation",
        "subscription_cycle": "Subscription update",
        "subscription_update": "Subscription update",
    }.get(invoice.billing_reason, "Payment for Invoice")


def attempt(
    call: Call, invoice: Invoice, method: str, *, off_session: bool
) -> tuple[PaymentIntent, StripeError | None]:
    """Try to pay an invoice with a payment method; returns its PaymentIntent and the error, or None."""
    intent = retrieve(call, PAYMENTS, invoice.payment_intent or "")
    if intent.status not in payment_lifecycle.CONFIRMABLE:
        raise payment_lifecycle.build_unexpected_state_error(
            f"The invoice's PaymentIntent has a status of {intent.status}."
        )
    row = method_named(call, method)
    changes: dict[str, Any] = {"payment_method": row.id}
    if intent.amount != invoice.amount_remaining:
        changes["amount"] = invoice.amount_remaining
    return payment_lifecycle.confirm(call, call.db.change(intent, **changes), off_session=off_session)


def attach(call: Call, invoice: Invoice, intent: PaymentIntent) -> InvoicePayment:
    """Attach a payment to an invoice."""
    known = call.db.find(InvoicePayment, InvoicePayment.payment_intent == intent.id)
    if known or intent.customer != invoice.customer or intent.currency != invoice.currency:
        why = "it is a payment of an invoice already" if known else "its customer or its currency is another"
        message = f"The PaymentIntent {intent.id} cannot be attached to the invoice {invoice.id}, since {why}."
        raise StripeError(message, param="payment_intent")
    call.db.change(intent, invoice=invoice.id)
    return new(
        call,
        INVOICE_PAYMENTS,
        amount_requested=intent.amount,
        currency=intent.currency,
        invoice=invoice.id,
        is_default=False,
        payment_intent=intent.id,
    )


def find_attached_payment(call: Call, intent: PaymentIntent) -> InvoicePayment | None:
    """Return the payment as which an intent was attached, or None for the invoice's default payment."""
    row = call.db.find(InvoicePayment, InvoicePayment.payment_intent == intent.id)
    return row if row and not row.is_default else None


def record_payment_paid(call: Call, row: InvoicePayment, amount: int) -> None:
    """Mark an invoice payment as paid and record the event."""
    fields = {"status": "paid", "amount_paid": amount, "status_transitions": {"paid_at": now(call)}}
    record_row(call, "invoice_payment.paid", INVOICE_PAYMENTS, call.db.change(row, **fields))


def update_open_payment(call: Call, invoice: Invoice) -> None:
    """Set the default payment of an invoice to the remaining amount; cancel it if nothing remains."""
    if not invoice.amount_remaining:
        settle(call, invoice, paid=0)
        return
    for row in _open(call, invoice):
        intent = find(call, PAYMENTS, row.payment_intent)
        if row.is_default and intent and intent.status in payment_lifecycle.CONFIRMABLE:
            call.db.change(row, amount_requested=invoice.amount_remaining)
            call.db.change(intent, amount=invoice.amount_remaining)


def list_paid_payments(call: Call, invoice: Invoice) -> list[InvoicePayment]:
    """Return the paid payments of an invoice, newest first."""
    mine = (InvoicePayment.invoice == invoice.id, InvoicePayment.status == "paid")
    return call.db.rows(InvoicePayment, *mine, order=-InvoicePayment.seq)


def settle(call: Call, invoice: Invoice, *, paid: int) -> None:
    """Mark the open default payment of an invoice as paid; with `paid=0`, cancel it and its intent."""
    for row in _open(call, invoice):
        if paid and row.is_default:
            record_payment_paid(call, row, paid)
            continue
        call.db.change(row, status="canceled", status_transitions={"canceled_at": now(call)})
        intent = find(call, PAYMENTS, row.payment_intent)
        if intent and intent.status in payment_lifecycle.CANCELABLE:
            payment_lifecycle.cancel(call, intent, "void_invoice")


def _open(call: Call, invoice: Invoice) -> list[InvoicePayment]:
    """Return the open payments of an invoice: the one just created in this call, or the stored ones."""
    made = call.memo.get("invoice_payments", {}).get(invoice.id)
    if made:
        row = retrieve(call, INVOICE_PAYMENTS, made)
        return [row] if row.status == "open" else []
    return call.db.rows(InvoicePayment, InvoicePayment.invoice == invoice.id, InvoicePayment.status == "open")


def method_of(call: Call, invoice: Invoice, subscription_method: str | None, customer_method: str | None) -> str | None:
    """Return the payment method of an invoice: its own, or the default of its subscription or customer."""
    for id in (invoice.default_payment_method, subscription_method, customer_method):
        if id and find(call, METHODS, id):
            return id
    return None


def find_action_required_error(intent: PaymentIntent) -> StripeError | None:
    """Return the error of a payment that requires action, or None; https://docs.stripe.com/error-codes"""
    if intent.status != "requires_action":
        return None
    return StripeError(
        "This payment requires additional user action before it can be completed successfully. Payment can be "
        "completed using the PaymentIntent associated with the invoice. Additional information is available here: "
        "https://stripe.com/docs/billing/subscriptions/overview#requires-action",
        kind="card_error",
        status=402,
        code="invoice_payment_intent_requires_action",
        doc_url=None,
    )


def no_method() -> StripeError:
    """Build the error of a customer without a payment method."""
    return StripeError(
        "This customer has no attached payment source or default payment method. Please consider adding a default "
        "payment method. For more information, visit "
        "https://stripe.com/docs/billing/subscriptions/payment-methods-setting#payment-method-priority.",
        code="resource_missing",
    )
