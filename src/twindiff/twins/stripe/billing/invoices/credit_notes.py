"""Credit notes: a reduction of a finalized invoice by refund, customer credit or a lower amount due.

https://docs.stripe.com/api/credit_notes
"""

from __future__ import annotations

from typing import Annotated, Literal

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ...core.currencies import format_amount
from ...core.events import record_row, update
from ...core.objects import Fields, new, now, refer, retrieve, show, show_all
from ...core.pagination import clamp_limit, list_object, list_of, to_range_conditions, to_reference_conditions
from ...core.params import (
    Integer,
    ListParams,
    NestedParams,
    OptInteger,
    OptMetadata,
    OptName,
    OptRange,
    OptText,
    Params,
    collect_params,
    merge_metadata,
)
from ...payments import customer_balances
from ...payments.refunds import REFUNDS, CreateRefund, create_refund
from ...tables.charge_tables import CHARGES
from ...tables.customer_tables import CUSTOMERS
from ...tables.payment_intent_tables import PAYMENTS
from ..tables.credit_note_tables import CREDIT_NOTE_LINES, CREDIT_NOTES, CreditNote, CreditNoteLine
from ..tables.invoice_payments import list_paid_payments, update_open_payment
from ..tables.invoice_tables import INVOICES, Invoice
from . import invoice_lifecycle
from .credit_note_line_items import NoteLine, line_of

api = Operations(prefix="/v1/credit_notes")

Reason = Literal["duplicate", "fraudulent", "order_change", "product_unsatisfactory"]


class NotedRefund(NestedParams):
    """A refund that belongs to a credit note."""

    amount_refunded: OptInteger = UNSET
    refund: OptText = UNSET
    type: Literal["refund"] | UnsetType = UNSET


class NotedShipping(NestedParams):
    """The shipping rate whose cost is credited."""

    shipping_rate: OptName = UNSET


class CreateNote(Params, kw_only=True):
    """The parameters of a new credit note."""

    invoice: str
    amount: OptInteger = UNSET
    credit_amount: OptInteger = UNSET
    effective_at: OptInteger = UNSET
    email_type: Literal["credit_note", "none"] | UnsetType = UNSET
    lines: list[NoteLine] | UnsetType = UNSET
    memo: OptText = UNSET
    metadata: OptMetadata = UNSET
    out_of_band_amount: OptInteger = UNSET
    reason: Reason | UnsetType = UNSET
    refund_amount: OptInteger = UNSET
    refunds: list[NotedRefund] | UnsetType = UNSET
    shipping_cost: NotedShipping | UnsetType = UNSET


class UpdateNote(Params):
    """The parameters of an update."""

    memo: OptText = UNSET
    metadata: OptMetadata = UNSET


class ListNotes(ListParams, kw_only=True):
    """The parameters of a list of credit notes."""

    created: OptRange = UNSET
    customer: OptName = UNSET
    customer_account: OptText = UNSET
    invoice: OptName = UNSET


class PreviewLines(CreateNote, kw_only=True):
    """The parameters of a preview's lines."""

    limit: Integer = 10
    starting_after: OptName = UNSET
    ending_before: OptName = UNSET


class CreditNotePreview(Exception):
    """A note that was seen, with its lines."""

    def __init__(self, note: Fields, lines: list[Fields]) -> None:
        super().__init__()
        self.note = note
        self.lines = lines


@api.post("")
def create_credit_note(call: Call, params: Annotated[CreateNote, Body]) -> Fields:
    """Create a credit note."""
    return show(call, CREDIT_NOTES, _make(call, params))


@api.get("/preview", reads=False)
def preview_credit_note(call: Call, params: Annotated[CreateNote, Body]) -> Fields:
    """Preview a credit note; it has no customer balance transaction."""
    return {**_preview_note(call, params).note, "customer_balance_transaction": None}


@api.get("/preview/lines", reads=False)
def preview_credit_note_lines(call: Call, params: Annotated[PreviewLines, Body]) -> Fields:
    """Preview the lines of a credit note."""
    names = CreateNote.__struct_fields__
    lines = _preview_note(call, CreateNote(**{name: getattr(params, name) for name in names})).lines
    most = clamp_limit(params.limit)
    return list_object(lines[:most], "/v1/credit_notes/preview/lines", has_more=len(lines) > most)


def _preview_note(call: Call, params: CreateNote) -> CreditNotePreview:
    """Make a note within a savepoint and roll it back, so that a preview cannot differ from the real note."""
    memo = dict(call.memo)
    try:
        with call.db.savepoint():
            made = _make(call, params)
            mine = CreditNoteLine.credit_note == made.id
            rows = call.db.rows(CreditNoteLine, mine, order=-CreditNoteLine.seq)
            raise CreditNotePreview(show(call, CREDIT_NOTES, made), show_all(call, CREDIT_NOTE_LINES, rows))
    except CreditNotePreview as seen:
        return seen
    finally:
        call.memo.clear()
        call.memo.update(memo)


def _make(call: Call, params: CreateNote) -> CreditNote:
    """Create a credit note and carry out its effects on the invoice, refunds and customer balance."""
    invoice = refer(call, INVOICES, params.invoice, "invoice")
    if invoice.status not in ("open", "paid"):
        message = f"The invoice {invoice.id} must be open or paid; it is {invoice.status}."
        raise StripeError(message, param="invoice")
    _check_parts(call, params, invoice)
    shipping = _shipping_of(call, params, invoice)
    cost = shipping["amount_total"] if shipping else 0
    lines = _lines(call, params, invoice, cost)
    sums = _sums(lines, cost)
    amount: int = sums["amount"]
    _check_amount(call, invoice, amount)
    before = min(amount, invoice.amount_remaining) if invoice.status == "open" else 0
    made = new(
        call,
        CREDIT_NOTES,
        **collect_params(params, *_NO_COLUMNS),
        **sums,
        currency=invoice.currency,
        customer=invoice.customer,
        invoice=invoice.id,
        metadata=merge_metadata({}, params.metadata),
        shipping_cost=shipping,
        number=f"{invoice.number}-CN-{call.db.count(CreditNote, CreditNote.invoice == invoice.id) + 1:02d}",
        type=_type(before, amount - before),
        pre_payment_amount=before,
        post_payment_amount=amount - before,
    )
    for line in lines:
        new(call, CREDIT_NOTE_LINES, credit_note=made.id, **line)
    made = _repay(call, made, invoice, params)
    record_row(call, "credit_note.created", CREDIT_NOTES, made)
    _apply_to_invoice(call, invoice, made)
    return made


def _type(before: int, after: int) -> str:
    if before and after:
        return "mixed"
    return "pre_payment" if before else "post_payment"


_NO_COLUMNS = (
    "lines", "credit_amount", "refund_amount", "refunds", "email_type", "amount", "invoice", "shipping_cost",
)  # fmt: skip


def _shipping_of(call: Call, params: CreateNote, invoice: Invoice) -> Fields | None:
    """Return the credited shipping cost: the whole cost of the invoice, which can be credited once."""
    if not isinstance(params.shipping_cost, NotedShipping):
        return None
    cost: Fields | None = invoice.shipping_cost
    if cost is None or params.shipping_cost.shipping_rate not in (UNSET, "", cost["shipping_rate"]):
        message = f"The shipping rate is not the one of the invoice {invoice.id}."
        raise StripeError(message, param="shipping_cost[shipping_rate]")
    noted = call.db.rows(CreditNote, CreditNote.invoice == invoice.id, CreditNote.status == "issued")
    if any(each.shipping_cost for each in noted):
        message = f"The shipping cost of the invoice {invoice.id} has already been credited."
        raise StripeError(message, param="shipping_cost")
    return cost


def _check_parts(call: Call, params: CreateNote, invoice: Invoice) -> None:
    """Raise StripeError if an amount cannot be given back in the requested way."""
    for name in ("credit_amount", "refund_amount", "out_of_band_amount"):
        part = getattr(params, name)
        if isinstance(part, int) and part < 0:
            message = "This value must be greater than or equal to 0."
            raise StripeError(message, code="parameter_invalid_integer", param=name)
    for number, each in enumerate(params.refunds if isinstance(params.refunds, list) else []):
        _check_refund(call, each, invoice, f"refunds[{number}]")


def _check_refund(call: Call, linked: NotedRefund, invoice: Invoice, at: str) -> None:
    """Raise StripeError for a refund of another invoice's payment, or for more than its amount."""
    made = refer(call, REFUNDS, linked.refund or "", f"{at}[refund]")
    if made.payment_intent not in [each.payment_intent for each in list_paid_payments(call, invoice)]:
        message = f"The refund {made.id} is not of a payment of the invoice {invoice.id}."
        raise StripeError(message, param=f"{at}[refund]")
    if isinstance(linked.amount_refunded, int) and not 0 < linked.amount_refunded <= made.amount:
        message = f"The amount must be positive and at most that of the refund, {made.amount}."
        raise StripeError(message, param=f"{at}[amount_refunded]")


def _sums(lines: list[Fields], shipping: int) -> Fields:
    """Return the totals of a note's lines: amounts with discounts, taxes and shipping."""
    off: dict[str, int] = {}
    taxes: dict[str, Fields] = {}
    for line in lines:
        for each in line.get("discount_amounts", ()):
            off[each["discount"]] = off.get(each["discount"], 0) + each["amount"]
        for tax in line.get("taxes", ()):
            known = taxes.setdefault(tax["tax_rate_details"]["tax_rate"], {**tax, "amount": 0, "taxable_amount": 0})
            known["amount"] += tax["amount"]
            known["taxable_amount"] += tax["taxable_amount"]
    subtotal = sum(line["amount"] for line in lines)
    added = sum(tax["amount"] for tax in taxes.values() if tax["tax_behavior"] == "exclusive")
    return {
        "amount": subtotal - sum(off.values()) + added + shipping,
        "discount_amounts": [{"amount": amount, "discount": id} for id, amount in off.items()],
        "subtotal": subtotal,
        "total_taxes": [*taxes.values()],
    }


@api.get("/{id}")
def retrieve_credit_note(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a credit note."""
    return show(call, CREDIT_NOTES, retrieve(call, CREDIT_NOTES, id))


@api.post("/{id}")
def update_credit_note(call: Call, id: str, params: Annotated[UpdateNote, Body]) -> Fields:
    """Update the memo and the metadata of a credit note."""
    row = retrieve(call, CREDIT_NOTES, id)
    metadata = merge_metadata(row.metadata, params.metadata)
    return show(call, CREDIT_NOTES, update(call, CREDIT_NOTES, row, **collect_params(params), metadata=metadata))


@api.get("/{id}/lines")
def list_credit_note_lines(call: Call, id: str, params: Annotated[ListParams, Body]) -> Fields:
    """List the lines of a credit note."""
    row = retrieve(call, CREDIT_NOTES, id)
    mine = CreditNoteLine.credit_note == row.id
    return list_of(call, CREDIT_NOTE_LINES, params, f"/v1/credit_notes/{id}/lines", mine)


@api.post("/{id}/void")
def void_credit_note(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Void a credit note of an open invoice."""
    row = retrieve(call, CREDIT_NOTES, id)
    invoice = retrieve(call, INVOICES, row.invoice)
    if row.status == "void" or row.type != "pre_payment" or invoice.status != "open":
        raise StripeError("You can only void issued credit notes of open invoices.")
    voided = call.db.change(row, status="void", voided_at=now(call))
    record_row(call, "credit_note.voided", CREDIT_NOTES, voided)
    _apply_to_invoice(call, invoice, voided)
    return show(call, CREDIT_NOTES, voided)


@api.get("")
def list_credit_notes(call: Call, params: Annotated[ListNotes, Body]) -> Fields:
    """List credit notes."""
    where = to_range_conditions(CreditNote.created, params.created)
    where += to_reference_conditions(
        call, (CreditNote.customer, params.customer, CUSTOMERS), (CreditNote.invoice, params.invoice, INVOICES)
    )
    return list_of(call, CREDIT_NOTES, params, "/v1/credit_notes", *where)


def _lines(call: Call, params: CreateNote, invoice: Invoice, shipping: int) -> list[Fields]:
    """Return the lines of a note; an amount without lines is the total, credited shipping included."""
    if isinstance(params.lines, list) and params.lines:
        return [line_of(call, each, invoice, f"lines[{n}]") for n, each in enumerate(params.lines)]
    amount = params.amount
    if not isinstance(amount, int):
        parts = (params.credit_amount, params.refund_amount, params.out_of_band_amount)
        amount = sum(each for each in parts if isinstance(each, int))
    amount = max(amount - shipping, 0)
    if not amount and shipping:
        return []
    if not amount:
        raise StripeError("You must pass an amount, or lines.", code="parameter_missing", param="amount")
    fields = {"amount": amount, "quantity": 1, "unit_amount": amount, "unit_amount_decimal": str(amount)}
    return [{**fields, "description": "Credit", "type": "custom_line_item"}]


def _check_amount(call: Call, invoice: Invoice, amount: int) -> None:
    noted = call.db.rows(CreditNote, CreditNote.invoice == invoice.id, CreditNote.status == "issued")
    left = invoice.total - sum(each.amount for each in noted)
    if not 0 < amount <= left:
        message = f"The amount of the credit note must be positive and at most {left}, which is left of the invoice."
        raise StripeError(message, param="amount")


def _apply_to_invoice(call: Call, invoice: Invoice, note: CreditNote) -> None:
    """Reduce the amount due of an invoice, or restore it for a voided note; with nothing left, it is paid."""
    sign = -1 if note.status == "void" else 1
    before, after = sign * note.pre_payment_amount, sign * note.post_payment_amount
    noted = update(
        call,
        INVOICES,
        invoice,
        amount_due=invoice.amount_due - before,
        amount_remaining=invoice.amount_remaining - before,
        pre_payment_credit_notes_amount=invoice.pre_payment_credit_notes_amount + before,
        post_payment_credit_notes_amount=invoice.post_payment_credit_notes_amount + after,
    )
    if noted.status == "open":
        update_open_payment(call, noted)
    if noted.status == "open" and noted.amount_remaining == 0:
        invoice_lifecycle.mark_paid(call, noted)


def _repay(call: Call, note: CreditNote, invoice: Invoice, params: CreateNote) -> CreditNote:
    """Return the post-payment amount by refund, as customer credit, or outside of Stripe."""
    parts = [params.credit_amount, params.refund_amount, params.out_of_band_amount]
    credit, refund, elsewhere = (each if isinstance(each, int) else 0 for each in parts)
    linked = params.refunds if isinstance(params.refunds, list) else []
    refunds = [_link_refund(call, each) for each in linked]
    _check_sum(note, credit + refund + elsewhere + sum(each["amount_refunded"] for each in refunds))
    fields: Fields = {"refunds": [*refunds, *_refund_payments(call, invoice, refund)]}
    if credit:
        customer = retrieve(call, CUSTOMERS, invoice.customer)
        entry = customer_balances.adjust(
            call, customer, -credit, invoice.currency, type="credit_note", credit_note=note.id
        )
        fields["customer_balance_transaction"] = entry.id
    return call.db.change(note, **fields)


def _link_refund(call: Call, linked: NotedRefund) -> Fields:
    """Render an existing refund as part of a note: all of it unless an amount is given."""
    made = retrieve(call, REFUNDS, linked.refund or "")
    return _render_refund(made.id, linked.amount_refunded if isinstance(linked.amount_refunded, int) else made.amount)


def _check_sum(note: CreditNote, given_back: int) -> None:
    if given_back != note.post_payment_amount:
        wanted, currency = note.post_payment_amount, note.currency
        raise StripeError(
            "The sum of credit amount, refund amount and out of band amount "
            f"({format_amount(given_back, currency)}) must "
            f"equal the credit note amount ({format_amount(wanted, currency)})."
        )


def _refund_payments(call: Call, invoice: Invoice, amount: int) -> list[Fields]:
    """Refund `amount` from the payments of an invoice, one after the other; returns the rendered refunds."""
    made: list[Fields] = []
    for each in list_paid_payments(call, invoice) if amount else ():
        intent = retrieve(call, PAYMENTS, each.payment_intent)
        charge = retrieve(call, CHARGES, intent.latest_charge or "")
        if part := min(amount, charge.amount_captured - charge.amount_refunded):
            made.append(
                _render_refund(create_refund(call, CreateRefund(payment_intent=intent.id, amount=part))["id"], part)
            )
            amount -= part
    if amount:
        message = f"The invoice {invoice.id} has no payments of which so much could be refunded."
        raise StripeError(message, param="refund_amount")
    return made


def _render_refund(refund: str, amount: int) -> Fields:
    return {"amount_refunded": amount, "refund": refund, "type": "refund", "payment_record_refund": None}
