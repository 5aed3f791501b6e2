"""Tables of invoices and invoice items, and how they are rendered.

https://docs.stripe.com/api/invoices, https://docs.stripe.com/api/invoiceitems
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from twindiff.kit import OWN_ADDRESS, Call, Column, Json, column

from ...catalog.prices import Price
from ...catalog.promotion_codes import PRIOR_TRANSACTIONS
from ...core.events import record_row
from ...core.objects import LEFT_OUT, DeferredFill, Fields, StripeObject, build_view, new, new_id, now, resource
from ...core.pagination import list_object
from ...tables.customer_tables import Customer
from ...tax.automatic_tax import shown_as
from ...tax.tax_rates import TaxRate, fill_tax_rates, put_tax_rates, rates_of
from . import invoice_payments
from .invoice_line_items import LINE_ITEMS, LineItem, lines_of, pretax

COUNTRY = "US"
NAME = "Twindiff Test Shop"

NO_TRANSITIONS: Fields = {"finalized_at": None, "marked_uncollectible_at": None, "paid_at": None, "voided_at": None}
NO_RENDERING: Fields = {"amount_tax_display": None, "pdf": None, "template": None, "template_version": None}
PAGES_OF_DRAFTS = "auto"
PAGES = "letter"
"""Default page size of a finalized invoice in the United States."""
SHOWN_LINES = 10


class Invoice(
    StripeObject,
    table="invoices",
    key=("id",),
    unique=(("seq",), ("number",)),
    indexes=(("customer", "seq"), ("subscription", "seq"), ("status", "seq"), ("created",), ("test_clock",)),
    folded=("number",),
    entries=("metadata",),
):
    account_tax_ids: Column[Json] = column(default=None)
    amount_due: Column[int] = column(default=0)
    amount_overpaid: Column[int] = column(default=0, derived=True)
    amount_paid: Column[int] = column(default=0)
    amount_paid_off_stripe: Column[int] = column(default=0, derived=True)
    amount_remaining: Column[int] = column(default=0)
    attempt_count: Column[int] = column(default=0, derived=True)
    attempted: Column[bool] = column(default=False, derived=True)
    auto_advance: Column[bool] = column(default=False)
    automatic_tax: Column[Json] = column(default=None)
    automatically_finalizes_at: Column[int | None] = column(default=None)
    billing_reason: Column[str] = column(default="manual")
    collection_method: Column[str] = column(default="charge_automatically")
    currency: Column[str]
    custom_fields: Column[Json] = column(default=None)
    customer: Column[str]
    customer_address: Column[Json] = column(default=None)
    customer_email: Column[str | None] = column(default=None, derived=True)
    customer_name: Column[str | None] = column(default=None, derived=True)
    customer_phone: Column[str | None] = column(default=None)
    customer_shipping: Column[Json] = column(default=None)
    customer_tax_exempt: Column[str] = column(default="none", derived=True)
    customer_tax_ids: Column[Json] = column(default=[], derived=True)
    default_payment_method: Column[str | None] = column(default=None)
    default_tax_rates: Column[Json] = column(default=[])
    description: Column[str | None] = column(default=None)
    discounts: Column[Json] = column(default=[])
    due_date: Column[int | None] = column(default=None)
    effective_at: Column[int | None] = column(default=None, derived=True)
    ending_balance: Column[int | None] = column(default=None, derived=True)
    footer: Column[str | None] = column(default=None)
    from_invoice: Column[Json] = column(default=None)
    last_finalization_error: Column[Json] = column(default=None)
    latest_revision: Column[str | None] = column(default=None)
    metadata: Column[Json] = column(default={})
    next_payment_attempt: Column[int | None] = column(default=None, derived=True)
    number: Column[str | None] = column(default=None, derived=True)
    parent: Column[Json] = column(default=None)
    payment_settings: Column[Json] = column(default={})
    period_end: Column[int] = column(derived=True)
    period_start: Column[int] = column(derived=True)
    post_payment_credit_notes_amount: Column[int] = column(default=0, derived=True)
    pre_payment_credit_notes_amount: Column[int] = column(default=0, derived=True)
    rendering: Column[Json] = column(default=None)
    shipping_cost: Column[Json | None] = column(default=None)
    shipping_details: Column[Json] = column(default=None)
    starting_balance: Column[int] = column(default=0, derived=True)
    statement_descriptor: Column[str | None] = column(default=None)
    status: Column[str] = column(default="draft")
    status_transitions: Column[Json] = column(default={}, derived=True)
    subtotal: Column[int] = column(default=0, derived=True)
    subtotal_excluding_tax: Column[int] = column(default=0, derived=True)
    test_clock: Column[str | None] = column(default=None)
    threshold_reason: Column[Json] = column(default=None)
    total: Column[int] = column(default=0)
    total_discount_amounts: Column[Json] = column(default=[])
    total_excluding_tax: Column[int] = column(default=0, derived=True)
    total_pretax_credit_amounts: Column[Json] = column(default=[])
    total_taxes: Column[Json] = column(default=[])
    webhooks_delivered_at: Column[int | None] = column(default=None)
    subscription: Column[str | None] = column(default=None)
    payment_intent: Column[str | None] = column(default=None, derived=True)
    secret: Column[str] = column(default="", derived=True)
    connect: Column[Json] = column(default={})
    """Connect settings of the invoice's payment."""


def _to_hosted_url(row: Invoice) -> str | None:
    return f"https://invoice.stripe.com/i/acct_test/{row.secret}" if row.status != "draft" else None


def _advances(row: Invoice) -> bool:
    return row.auto_advance and row.status in ("draft", "open")


def _next_attempt(row: Invoice) -> int | None:
    """Return the next payment attempt: for an automatically advancing draft, its finalization."""
    if row.status == "draft" and row.collection_method == "charge_automatically":
        return row.automatically_finalizes_at
    return row.next_payment_attempt


def _to_delivery_time(row: Invoice) -> int | None:
    return row.webhooks_delivered_at or row.created


def _pdf(row: Invoice) -> str | None:
    return f"https://pay.stripe.com/invoice/acct_test/{row.secret}/pdf?s=ap" if row.status != "draft" else None


def _transitions(row: Invoice) -> Fields:
    return {**NO_TRANSITIONS, **row.status_transitions}


def _rendering(row: Invoice) -> Fields | None:
    """Return the `rendering` field; invoices of subscriptions have it only if it was set."""
    given: Fields = row.rendering or {}
    if not given and row.billing_reason != "manual":
        return None
    pages: Fields = {"page_size": PAGES_OF_DRAFTS, **(given.get("pdf") or {})}
    if row.status != "draft" and pages["page_size"] == PAGES_OF_DRAFTS:
        pages["page_size"] = PAGES
    return {**NO_RENDERING, **given, "pdf": pages}


def _issuer(row: Invoice) -> Fields:
    return {"type": "self"}


def _behalf(row: Invoice) -> str | None:
    return row.connect.get("on_behalf_of")


def _pretax(row: Invoice) -> list[Fields]:
    return pretax(row.total_discount_amounts, row.total_pretax_credit_amounts)


def _shipping(row: Invoice) -> int:
    return row.shipping_cost["amount_subtotal"] if row.shipping_cost else 0


def _settings(row: Invoice) -> Fields:
    empty = {"default_mandate": None, "payment_method_options": None, "payment_method_types": None}
    return {**empty, **row.payment_settings} if row.payment_settings else empty


invoice_object = build_view(
    Invoice,
    "invoice",
    "subscription",
    "payment_intent",
    "secret",
    "connect",
    account_country=COUNTRY,
    account_name=NAME,
    amount_shipping=_shipping,
    application=None,
    auto_advance=_advances,
    automatic_tax=shown_as("disabled_reason", "enabled", "liability", "provider", "status"),
    customer_account=None,
    default_source=None,
    hosted_invoice_url=_to_hosted_url,
    invoice_pdf=_pdf,
    issuer=_issuer,
    on_behalf_of=_behalf,
    next_payment_attempt=_next_attempt,
    payment_settings=_settings,
    receipt_number=None,
    rendering=_rendering,
    status_transitions=_transitions,
    total_pretax_credit_amounts=_pretax,
    webhooks_delivered_at=_to_delivery_time,
)


def _fill(call: Call, objects: list[Fields]) -> None:
    """Set the first lines and the hosted URLs of each rendered invoice."""
    fill_tax_rates(call, objects)
    by_invoice: dict[str, list[LineItem]] = {each["id"]: [] for each in objects}
    for line in call.db.rows(LineItem, LineItem.invoice.in_(list(by_invoice)), order=-LineItem.seq):
        by_invoice[line.invoice].append(line)
    for each in objects:
        lines = by_invoice[each["id"]]
        _put(each, lines[:SHOWN_LINES], len(lines))


def _put(invoice: Fields, lines: Sequence[LineItem], count: int) -> None:
    """Set the lines and the hosted URLs of a rendered invoice; `count` is the number of all its lines."""
    data = [LINE_ITEMS.show(line) for line in lines]
    url = f"/v1/invoices/{invoice['id']}/lines"
    invoice["lines"] = list_object(data, url, has_more=count > len(data), total_count=count)
    if invoice["hosted_invoice_url"]:
        secret = invoice["hosted_invoice_url"].rpartition("/")[2]
        invoice["hosted_invoice_url"] = f"{OWN_ADDRESS}/i/{secret}"
        invoice["invoice_pdf"] = f"{OWN_ADDRESS}/i/{secret}/pdf"


def _collect_event_data(call: Call, row: Invoice) -> Fields:
    """Return the lines and tax rates that the event of an invoice includes."""
    lines, rates = lines_of(call, row.id), rates_of(call, row.default_tax_rates)
    return {"lines": lines[:SHOWN_LINES], "count": len(lines), "tax_rates": rates}


def _fill_later(invoice: Fields, kept: Fields) -> None:
    put_tax_rates([invoice], msgspec.convert(kept.get("tax_rates", []), list[TaxRate]))
    _put(invoice, msgspec.convert(kept["lines"], list[LineItem]), kept["count"])


def _has_been_billed(call: Call, customer: str) -> bool:
    """Return whether a customer has an invoice that was finalized and not voided."""
    billed = Invoice.status.in_(("open", "paid", "uncollectible"))
    return call.db.find(Invoice, Invoice.customer == customer, billed) is not None


PRIOR_TRANSACTIONS.append(_has_been_billed)
INVOICES = resource(
    Invoice,
    "invoice",
    "in_",
    invoice_object,
    spoken="invoice",
    param="invoice",
    expandable=(
        "customer",
        "default_payment_method",
        "discounts",
        "from_invoice.invoice",
        "latest_revision",
        "issuer.account",
        "shipping_cost.shipping_rate",
        "test_clock",
        "subscription_details.subscription",
        "total_discount_amounts.discount",
        "invoice",
    ),
    includes={
        "payments": invoice_payments.of_invoice,
        "confirmation_secret": invoice_payments.secret_of_invoice,
    },
    fill=_fill,
    later=DeferredFill(_collect_event_data, _fill_later),
)


def make_invoice(call: Call, customer: Customer, **fields: Any) -> Invoice:
    """Create a draft with the current details of a customer."""
    at = now(call)
    of_customer = {
        "customer": customer.id,
        "customer_address": customer.address,
        "customer_email": customer.email,
        "customer_name": customer.name,
        "customer_phone": customer.phone,
        "customer_shipping": customer.shipping,
        "customer_tax_exempt": customer.tax_exempt,
        "customer_tax_ids": customer.invoice_tax_ids,
        "test_clock": customer.test_clock,
    }
    defaults = {name: customer.invoice_settings.get(name) for name in ("custom_fields", "footer")}
    times = {"period_start": at, "period_end": at}
    wanted = {**times, **of_customer, **fields}
    wanted.update({name: value for name, value in defaults.items() if wanted.get(name) is None})
    return new(call, INVOICES, **wanted, secret=call.ids.new("test_", 32))


FROZEN = ["pricing", "quantity", "discounts"]
"""Fields of a proration that cannot change."""


class InvoiceItem(
    StripeObject,
    table="invoiceitems",
    key=("id",),
    unique=(("seq",),),
    indexes=(("customer", "invoice", "seq"), ("invoice", "seq")),
):
    amount: Column[int]
    currency: Column[str]
    customer: Column[str]
    description: Column[str | None] = column(default=None)
    discountable: Column[bool] = column(default=True, derived=True)
    discounts: Column[Json] = column(default=[])
    invoice: Column[str | None] = column(default=None)
    metadata: Column[Json] = column(default={})
    parent: Column[Json] = column(default=None)
    period: Column[Json] = column(derived=True)
    pricing: Column[Json] = column(default=None, derived=True)
    proration: Column[bool] = column(default=False, derived=True)
    proration_details: Column[Json] = column(default=None)
    quantity: Column[int] = column(default=1)
    quantity_decimal: Column[str] = column(default="1", derived=True)
    tax_rates: Column[Json] = column(default=[])
    taxed_as: Column[Json] = column(default=None, derived=True)
    """Tax behavior and tax code of an item without a price."""
    test_clock: Column[str | None] = column(default=None)
    subscription: Column[str | None] = column(default=None)
    product: Column[str | None] = column(default=None)


def _no_rules(row: InvoiceItem) -> list[str]:
    return []


def _frozen(row: InvoiceItem) -> list[str]:
    return FROZEN if row.proration else []


invoiceitem_object = build_view(
    InvoiceItem,
    "invoiceitem",
    "subscription",
    "product",
    "taxed_as",
    created=LEFT_OUT,
    customer_account=None,
    date=InvoiceItem.created,
    frozen_fields=_frozen,
    invoicing_rules=_no_rules,
    net_amount=InvoiceItem.amount,
)
INVOICE_ITEMS = resource(
    InvoiceItem,
    "invoiceitem",
    "ii_",
    invoiceitem_object,
    spoken="Invoice Item",
    mode="(livemode=false)",
    expandable=("customer", "discounts", "invoice", "test_clock", "price_details.price"),
    fill=fill_tax_rates,
)


def make_item(call: Call, **fields: Any) -> InvoiceItem:
    """Create an invoice item and record its event."""
    made = new(call, INVOICE_ITEMS, **fields)
    record_row(call, "invoiceitem.created", INVOICE_ITEMS, made)
    return made


def build_pricing(price: Price, unit_amount_decimal: str | None) -> Fields:
    """Build the `pricing` of items and lines from a price."""
    details = {"price": price.id, "product": price.product}
    return {"type": "price_details", "price_details": details, "unit_amount_decimal": unit_amount_decimal}


def one_off(call: Call, unit_amount_decimal: str) -> Fields:
    """Build the `pricing` of an item without a stored price; the price and product ids exist only here."""
    details = {"price": new_id(call, "price_"), "product": new_id(call, "prod_", 14)}
    return {"type": "price_details", "price_details": details, "unit_amount_decimal": unit_amount_decimal}
