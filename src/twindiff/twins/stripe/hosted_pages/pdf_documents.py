"""PDF documents of invoices, credit notes and quotes: their text, line by line.

https://docs.stripe.com/invoicing/customize, https://docs.stripe.com/api/quotes/pdf
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Annotated

from twindiff.kit import Body, Call, Operations, Response
from twindiff.twins.stripe.core.wire_style import StripeError

from ..billing.tables.credit_note_tables import CREDIT_NOTES, CreditNote, CreditNoteLine
from ..billing.tables.invoice_line_items import lines_of
from ..billing.tables.invoice_tables import INVOICES, NAME, PAGES, Invoice
from ..core.currencies import format_amount
from ..core.objects import Fields, retrieve
from ..core.params import LATEST, Params
from ..sales.quotes import QUOTES, Quote
from ..sales.sale_items import items_for
from ..tables.customer_tables import CUSTOMERS
from ..tax.tax_rates import rates_of
from .pdf_writer import columns, pdf_answer, row

api = Operations()

Amounts = Iterable[tuple[str, int]]


@api.get("/i/{secret}/pdf", open=True, scope="publishable")
def print_invoice(call: Call, secret: str, params: Annotated[Params, Body]) -> Response:
    """Download a finalized invoice as PDF."""
    invoice = call.db.find(Invoice, Invoice.secret == secret)
    if invoice is None or invoice.status == "draft":
        raise StripeError("There is no such page.", status=404)
    rendering: Fields = INVOICES.show(invoice)["rendering"] or {"pdf": {"page_size": PAGES}}
    size: str = rendering["pdf"]["page_size"]
    return pdf_answer(_invoice(call, invoice, size), size, f"Invoice-{invoice.number}")


@api.get("/cn/{credit_note}/pdf", open=True, scope="publishable")
def print_credit_note(call: Call, credit_note: str, params: Annotated[Params, Body]) -> Response:
    """Download a credit note as PDF."""
    note = retrieve(call, CREDIT_NOTES, credit_note)
    return pdf_answer(_credit_note(call, note), PAGES, f"Credit-Note-{note.number}")


@api.get("/v1/quotes/{quote}/pdf")
def print_quote(call: Call, quote: str, params: Annotated[Params, Body]) -> Response:
    """Download a finalized quote as PDF."""
    offer = retrieve(call, QUOTES, quote)
    if offer.status == "draft":
        raise StripeError("A quote must be finalized before its PDF can be downloaded.")
    return pdf_answer(_quote(call, offer), PAGES, f"Quote-{offer.number}")


def _invoice(call: Call, invoice: Invoice, size: str) -> list[str]:
    facts = [("Invoice number", invoice.number), ("Date of issue", _day(invoice.effective_at))]
    facts += [("Date due", _day(invoice.due_date))]
    facts += [(each["name"], each["value"]) for each in invoice.custom_fields or ()]
    items, totals = items_of(call, invoice), totals_of(call, invoice)
    whom = _bill_to(invoice.customer_name, invoice.customer_email, invoice.customer_address)
    body = [
        *_table(items, totals, invoice.currency, size),
        *_to_paragraph(invoice.description),
        *_to_paragraph(invoice.footer),
    ]
    return _paper("Invoice", facts, whom, body)


def items_of(call: Call, invoice: Invoice) -> Amounts:
    """Return descriptions and amounts of an invoice's lines."""
    return [(line.description or "", line.amount) for line in reversed(lines_of(call, invoice.id))]


def totals_of(call: Call, invoice: Invoice) -> Amounts:
    """Return labels and amounts of an invoice's totals, from the subtotal to the amount due."""
    off = sum(each["amount"] for each in invoice.total_discount_amounts)
    totals = [("Subtotal", invoice.subtotal), *_unless_0("Discount", -off)]
    totals += _unless_0("Shipping", invoice.shipping_cost["amount_subtotal"] if invoice.shipping_cost else 0)
    totals += [*_taxes(call, invoice.total_taxes), ("Total", invoice.total)]
    totals += _unless_0("Applied balance", (invoice.ending_balance or 0) - invoice.starting_balance)
    return [*totals, *_unless_0("Amount paid", invoice.amount_paid), ("Amount due", invoice.amount_remaining)]


def _credit_note(call: Call, note: CreditNote) -> list[str]:
    invoice = retrieve(call, INVOICES, note.invoice)
    facts = [("Credit note", note.number), ("Invoice number", invoice.number)]
    facts += [("Date of issue", _day(note.effective_at or note.created))]
    mine = call.db.rows(CreditNoteLine, CreditNoteLine.credit_note == note.id, order=CreditNoteLine.seq)
    items = [(line.description or "", line.amount) for line in mine]
    totals = [*_taxes(call, note.total_taxes), ("Total", note.amount)]
    whom = _bill_to(invoice.customer_name, invoice.customer_email, invoice.customer_address)
    return _paper("Credit note", facts, whom, [*_table(items, totals, note.currency, PAGES), *_to_paragraph(note.memo)])


def _quote(call: Call, offer: Quote) -> list[str]:
    facts = [("Quote number", offer.number), ("Expires", _day(offer.expires_at))]
    items = [(f"{item.quantity or 1} x {item.description}", item.amount_subtotal) for item in items_for(call, offer.id)]
    details: Fields = offer.total_details
    totals = [*_unless_0("Discount", -details.get("amount_discount", 0))]
    totals += [*_unless_0("Tax", details.get("amount_tax", 0)), ("Total", offer.amount_total)]
    customer = retrieve(call, CUSTOMERS, offer.customer or "")
    table = _table(items, totals, offer.currency or "usd", PAGES)
    body = [*_to_paragraph(offer.header), *table, *_to_paragraph(offer.description), *_to_paragraph(offer.footer)]
    return _paper("Quote", facts, _bill_to(customer.name, customer.email, customer.address), body)


def _day(at: int | None) -> str:
    if not at or not 0 < at <= LATEST:
        return ""
    when = datetime.fromtimestamp(at, UTC)
    return f"{when:%B} {when.day}, {when.year}"


def _unless_0(what: str, amount: int) -> Amounts:
    return [(what, amount)] if amount else []


def _to_paragraph(text: str | None) -> list[str]:
    return ["", *text.splitlines()] if text else []


def _taxes(call: Call, taxes: Sequence[Fields]) -> Amounts:
    rates = {rate.id: rate for rate in rates_of(call, {each["tax_rate_details"]["tax_rate"] for each in taxes})}
    for each in taxes:
        rate = rates[each["tax_rate_details"]["tax_rate"]]
        within = ", within the price" if rate.inclusive else ""
        yield f"{rate.display_name} ({rate.percentage:g} %{within})", each["amount"]


def _bill_to(name: str | None, email: str | None, address: Fields | None) -> list[str]:
    place: Fields = address or {}
    town = " ".join(str(place[each]) for each in ("postal_code", "city", "state") if place.get(each))
    parts = (name, place.get("line1"), place.get("line2"), town, place.get("country"), email)
    return [str(part) for part in parts if part]


def _paper(title: str, facts: Iterable[tuple[str, str | None]], whom: list[str], body: list[str]) -> list[str]:
    """Return all lines of a document; facts without a value are omitted."""
    known = [f"{name:<16}{value}" for name, value in facts if value]
    return [title, "", *known, "", NAME, "", "Bill to", *whom, "", *body]


def _table(rows: Amounts, totals: Amounts, currency: str, size: str) -> list[str]:
    """Return the lines of a table of items and totals."""
    items = [line for what, amount in rows for line in row(what, format_amount(amount, currency), size)]
    sums = [line for what, amount in totals for line in row(what, format_amount(amount, currency), size)]
    rule = "-" * columns(size)
    return [*row("Description", "Amount", size), rule, *items, rule, *sums]
