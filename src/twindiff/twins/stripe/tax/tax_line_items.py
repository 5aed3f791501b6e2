"""Line items of tax calculations and tax transactions, which share a table."""

from __future__ import annotations

from collections.abc import Sequence

from twindiff.kit import Call, Column, Json, column

from ..core.objects import Fields, StripeObject, resource, retrieve
from ..core.pagination import list_object, list_of
from ..core.params import ListParams

MAX_EMBEDDED_LINES = 10


class TaxLine(StripeObject, table="tax_line_items", key=("id",), unique=(("seq",),), indexes=(("parent", "seq"),)):
    parent: Column[str]
    """The id of the calculation or the transaction."""
    amount: Column[int]
    amount_tax: Column[int]
    metadata: Column[Json] = column(default=None)
    product: Column[str | None] = column(default=None)
    quantity: Column[int] = column(default=1)
    reference: Column[str]
    reversal_of: Column[str | None] = column(default=None)
    tax_behavior: Column[str] = column(default="exclusive")
    tax_breakdown: Column[Json] = column(default=None)
    tax_code: Column[str]


def line_object(row: TaxLine) -> Fields:
    """Render a line item."""
    of_calculation = row.parent.startswith("taxcalc_")
    shown: Fields = {
        "id": row.id,
        "object": "tax.calculation_line_item" if of_calculation else "tax.transaction_line_item",
        "amount": row.amount,
        "amount_tax": row.amount_tax,
        "livemode": False,
        "metadata": row.metadata,
        "product": row.product,
        "quantity": row.quantity,
        "reference": row.reference,
        "tax_behavior": row.tax_behavior,
        "tax_code": row.tax_code,
    }
    if of_calculation:
        return shown
    reversal = {"original_line_item": row.reversal_of} if row.reversal_of else None
    return {**shown, "reversal": reversal, "type": "reversal" if reversal else "transaction"}


def _breakdown(call: Call, line: Fields) -> Json:
    return retrieve(call, LINES, line["id"]).tax_breakdown


LINES = resource(
    TaxLine,
    "tax.calculation_line_item",
    "tax_li_",
    line_object,
    spoken="tax line item",
    id_length=14,
    includes={"tax_breakdown": _breakdown},
)


def lines_of(call: Call, parent: str) -> Sequence[TaxLine]:
    """Return all line items of a calculation or a transaction."""
    return call.db.rows(TaxLine, TaxLine.parent == parent, order=TaxLine.seq)


def lines_within(call: Call, parent: Fields) -> Fields:
    """Return the list of the first line items, for `expand`."""
    rows, url = lines_of(call, parent["id"]), _url(parent["id"])
    data = [line_object(row) for row in rows[:MAX_EMBEDDED_LINES]]
    return list_object(data, url, has_more=len(rows) > len(data), total_count=len(rows))


def list_lines(call: Call, parent: str, params: ListParams) -> Fields:
    """Return a page of line items."""
    return list_of(call, LINES, params, _url(parent), TaxLine.parent == parent, oldest_first=True)


def _url(parent: str) -> str:
    kind = "calculations" if parent.startswith("taxcalc_") else "transactions"
    return f"/v1/tax/{kind}/{parent}/line_items"
