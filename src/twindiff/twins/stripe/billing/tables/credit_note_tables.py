"""Tables of credit notes and their lines, and how they are rendered.

https://docs.stripe.com/api/credit_notes/object
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, Column, Json, column

from ...core.objects import LEFT_OUT, Fields, StripeObject, build_view, resource
from ...core.pagination import list_object
from ...tax.tax_rates import fill_tax_rates


class CreditNote(
    StripeObject,
    table="credit_notes",
    key=("id",),
    unique=(("seq",),),
    indexes=(("invoice", "seq"), ("customer", "seq")),
):
    amount: Column[int]
    currency: Column[str]
    customer: Column[str]
    customer_balance_transaction: Column[str | None] = column(default=None)
    discount_amounts: Column[Json] = column(default=[], derived=True)
    effective_at: Column[int | None] = column(default=None)
    invoice: Column[str]
    memo: Column[str | None] = column(default=None)
    metadata: Column[Json] = column(default={})
    number: Column[str]
    out_of_band_amount: Column[int | None] = column(default=None)
    post_payment_amount: Column[int] = column(default=0)
    pre_payment_amount: Column[int] = column(default=0)
    reason: Column[str | None] = column(default=None)
    refunds: Column[Json] = column(default=[])
    shipping_cost: Column[Json] = column(default=None)
    status: Column[str] = column(default="issued")
    subtotal: Column[int] = column(derived=True)
    total_taxes: Column[Json] = column(default=[], derived=True)
    type: Column[str]
    voided_at: Column[int | None] = column(default=None)


class CreditNoteLine(
    StripeObject, table="credit_note_line_items", key=("id",), unique=(("seq",),), indexes=(("credit_note", "seq"),)
):
    credit_note: Column[str]
    amount: Column[int]
    description: Column[str | None] = column(default=None)
    discount_amounts: Column[Json] = column(default=[], derived=True)
    invoice_line_item: Column[str | None] = column(default=None)
    metadata: Column[Json] = column(default={})
    quantity: Column[int | None] = column(default=None)
    tax_rates: Column[Json] = column(default=[])
    taxes: Column[Json] = column(default=[], derived=True)
    type: Column[str]
    unit_amount: Column[int | None] = column(default=None)
    unit_amount_decimal: Column[str | None] = column(default=None)


def _nothing(row: Any) -> list[Any]:
    return []


def _shipping(row: CreditNote) -> int:
    return row.shipping_cost["amount_subtotal"] if row.shipping_cost else 0


def _off(row: CreditNote | CreditNoteLine) -> int:
    return sum(each["amount"] for each in row.discount_amounts)


def _effective(row: CreditNote) -> int:
    return row.effective_at or row.created


def _without_inner_tax(row: CreditNote) -> int:
    return row.subtotal - sum(tax["amount"] for tax in row.total_taxes if tax["tax_behavior"] == "inclusive")


def _without_tax(row: CreditNote) -> int:
    on_shipping = row.shipping_cost["amount_tax"] if row.shipping_cost else 0
    return row.amount - sum(tax["amount"] for tax in row.total_taxes) - on_shipping


credit_note_object = build_view(
    CreditNote,
    "credit_note",
    amount_shipping=_shipping,
    customer_account=None,
    discount_amount=_off,
    effective_at=_effective,
    pdf=CreditNote.id,
    pretax_credit_amounts=_nothing,
    subtotal_excluding_tax=_without_inner_tax,
    total=CreditNote.amount,
    total_excluding_tax=_without_tax,
)
_all_of_line = build_view(
    CreditNoteLine,
    "credit_note_line_item",
    "credit_note",
    created=LEFT_OUT,
    discount_amount=_off,
    pretax_credit_amounts=_nothing,
)


def line_object(row: CreditNoteLine) -> Fields:
    """Render a line; a custom line has no `invoice_line_item` field."""
    fields = _all_of_line(row)
    if row.invoice_line_item is None:
        del fields["invoice_line_item"]
    return fields


def _fill(call: Call, objects: list[Fields]) -> None:
    """Set the first lines of each rendered note."""
    by_note: dict[str, list[Fields]] = {each["id"]: [] for each in objects}
    mine = CreditNoteLine.credit_note.in_(list(by_note))
    for line in call.db.rows(CreditNoteLine, mine, order=-CreditNoteLine.seq):
        by_note[line.credit_note].append(line_object(line))
    fill_tax_rates(call, [line for lines in by_note.values() for line in lines])
    for each in objects:
        lines = by_note[each["id"]]
        url = f"/v1/credit_notes/{each['id']}/lines"
        each["pdf"] = f"{call.base_url}/cn/{each['id']}/pdf"
        each["lines"] = list_object(lines[:10], url, has_more=len(lines) > 10)


CREDIT_NOTES = resource(
    CreditNote,
    "credit_note",
    "cn_",
    credit_note_object,
    spoken="credit note",
    expandable=("customer", "customer_balance_transaction", "invoice", "refunds.refund", "shipping_cost.shipping_rate"),
    fill=_fill,
)
CREDIT_NOTE_LINES = resource(
    CreditNoteLine, "credit_note_line_item", "cnli_", line_object, spoken="credit note line item", fill=fill_tax_rates
)
