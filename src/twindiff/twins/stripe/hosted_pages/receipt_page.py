"""The receipt page: payment, method and refunds.

https://docs.stripe.com/receipts
"""

from __future__ import annotations

from datetime import UTC, datetime
from html import escape
from typing import Annotated

from twindiff.kit import Body, Call, Operations, Response

from ..billing.tables.invoice_tables import NAME
from ..core.objects import Fields, retrieve
from ..core.params import Params
from ..tables.charge_tables import CHARGES, Charge
from .html_pages import page, table

api = Operations(prefix="/receipts/payment")


@api.get("/{charge}", open=True, scope="publishable")
def show_receipt(call: Call, charge: str, params: Annotated[Params, Body]) -> Response:
    """Show the receipt of a payment."""
    row = retrieve(call, CHARGES, charge)
    if not row.paid:
        raise CHARGES.missing(charge)
    rows = [(row.description or "Amount paid", row.amount_captured or row.amount)]
    rows += [("Refunded", -row.amount_refunded)] if row.amount_refunded else []
    day = datetime.fromtimestamp(row.created, UTC).date().isoformat()
    said = f"<p>Paid on {day} with {escape(_paid_with(row))}.</p>"
    return page(f"Receipt from {NAME}", said + table(rows, row.currency))


def _paid_with(row: Charge) -> str:
    details: Fields = row.payment_method_details or {"type": "another payment method"}
    kind: str = details["type"]
    known: Fields = details.get(kind) or {}
    ending = f" ending in {known['last4']}" if known.get("last4") else ""
    return f"{known.get('brand') or kind.replace('_', ' ')}{ending}"
