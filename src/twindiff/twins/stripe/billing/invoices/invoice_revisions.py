"""Invoice revisions: a draft copied from a finalized invoice, which replaces it when finalized.

https://docs.stripe.com/invoicing/invoice-edits
"""

from __future__ import annotations

from typing import Literal

from twindiff.kit import Call
from twindiff.twins.stripe.core.wire_style import StripeError

from ...core.objects import Fields, find, retrieve
from ...core.params import NestedParams
from ..tables.invoice_line_items import lines_of
from ..tables.invoice_tables import INVOICE_ITEMS, INVOICES, Invoice, make_item
from . import invoice_lifecycle

_COPIED = (
    "account_tax_ids", "automatic_tax", "collection_method", "currency", "custom_fields", "default_payment_method",
    "default_tax_rates", "description", "discounts", "due_date", "footer", "metadata", "rendering", "shipping_cost",
    "shipping_details", "statement_descriptor",
)  # fmt: skip


class FromInvoice(NestedParams):
    """The invoice to revise."""

    action: Literal["revision"]
    invoice: str


def original(call: Call, wanted: FromInvoice) -> Invoice:
    """Return the invoice to revise; raises StripeError if it cannot be revised."""
    row = retrieve(call, INVOICES, wanted.invoice, param="from_invoice[invoice]", status=400)
    if row.status not in ("open", "uncollectible"):
        message = f"You can only revise invoices that are open or uncollectible; this one is {row.status}."
        raise StripeError(message, code="invoice_not_editable", param="from_invoice[invoice]")
    if row.latest_revision:
        message = f"The invoice {row.id} was revised before; revise {row.latest_revision}, its latest revision."
        raise StripeError(message, param="from_invoice[invoice]")
    return row


def fields_of(row: Invoice) -> Fields:
    """Return the columns that a revision copies from its original by default."""
    copied = {name: getattr(row, name) for name in _COPIED}
    return {**copied, "from_invoice": {"action": "revision", "invoice": row.id}}


def copy_lines(call: Call, row: Invoice, draft: Invoice) -> None:
    """Copy the lines of an invoice to its revision as new invoice items."""
    copied = ("amount", "currency", "description", "discountable", "discounts", "metadata", "period", "pricing")
    for line in reversed(lines_of(call, row.id)):
        fields: Fields = {name: getattr(line, name) for name in (*copied, "product", "tax_rates")}
        number = line.quantity_decimal or "1"
        former = find(call, INVOICE_ITEMS, line.invoice_item) if line.invoice_item else None
        item = make_item(
            call,
            customer=row.customer,
            test_clock=row.test_clock,
            quantity=line.quantity or 1,
            quantity_decimal=number,
            taxed_as=former and former.taxed_as,
            **fields,
        )
        invoice_lifecycle.add_items(call, draft, [item], quiet=True)


def _replace(call: Call, final: Invoice) -> None:
    """Void the original of a revision that was finalized."""
    if not final.from_invoice:
        return
    row = retrieve(call, INVOICES, final.from_invoice["invoice"])
    row = call.db.change(row, latest_revision=final.id)
    if row.status in ("open", "uncollectible"):
        invoice_lifecycle.void(call, row)


invoice_lifecycle.ON_FINALIZED.append(_replace)
