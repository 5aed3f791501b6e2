"""The hosted invoice page, on which customers pay.

https://docs.stripe.com/invoicing/hosted-invoice-page
"""

from __future__ import annotations

from html import escape
from typing import Annotated

from twindiff.kit import Body, Call, Operations, Response
from twindiff.twins.stripe.core.wire_style import StripeError

from ..billing.invoices import invoice_lifecycle
from ..billing.tables.invoice_tables import INVOICES, Invoice
from ..core.currencies import format_amount
from ..core.objects import retrieve
from ..core.params import Params
from ..core.test_clocks import use_clock_time
from ..payments.payment_methods import attach, make
from .html_pages import CardForm, card_form, new_method, page, table
from .pdf_documents import items_of, totals_of

api = Operations(prefix="/i")


@api.get("/{secret}", open=True, scope="publishable")
def show_invoice(call: Call, secret: str, params: Annotated[Params, Body]) -> Response:
    """Show an invoice, with a payment form while it is open."""
    return _invoice_page(call, _retrieve_hosted_invoice(call, secret))


@api.post("/{secret}", open=True, scope="publishable")
def pay_invoice(call: Call, secret: str, params: Annotated[CardForm, Body]) -> Response:
    """Pay an invoice with the submitted card."""
    invoice = _retrieve_hosted_invoice(call, secret)
    use_clock_time(call, invoice.test_clock)
    try:
        with call.db.savepoint():
            method = attach(call, make(call, new_method(params, invoice.customer_email)), invoice.customer)
            refused = invoice_lifecycle.pay(
                call, invoice, method=method.id, elsewhere=False, forgive=False, off_session=False
            )
    except StripeError as error:
        return _invoice_page(call, invoice, str(error))
    return _invoice_page(call, retrieve(call, INVOICES, invoice.id), str(refused or ""))


def _retrieve_hosted_invoice(call: Call, secret: str) -> Invoice:
    invoice = call.db.find(Invoice, Invoice.secret == secret)
    if invoice is None or invoice.status == "draft":
        raise StripeError("There is no such page.", status=404)
    return invoice


def _lines(call: Call, invoice: Invoice) -> str:
    return table([*items_of(call, invoice), *totals_of(call, invoice)], invoice.currency)


def _invoice_page(call: Call, invoice: Invoice, error: str = "") -> Response:
    said = f"<p>{escape(invoice.customer_name or invoice.customer_email or '')}</p>{_lines(call, invoice)}"
    if invoice.status in ("open", "uncollectible"):
        said += card_form(f"Pay {format_amount(invoice.amount_remaining, invoice.currency)}", error)
    else:
        said += f"<p>This invoice is {escape(invoice.status)}.</p>"
    return page(f"Invoice {invoice.number}", said)
