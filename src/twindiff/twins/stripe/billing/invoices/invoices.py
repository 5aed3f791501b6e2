"""Invoices: operations from draft to final state.

https://docs.stripe.com/api/invoices
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ...account.accounts import check_connected_account
from ...catalog.discounts import OptDiscounts, check_discount_currencies, create_discounts
from ...core.currencies import parse_currency
from ...core.events import PreviousRow, record_row, update
from ...core.objects import Fields, now, object_id, refer, retrieve, show
from ...core.pagination import equal, list_of, to_range_conditions, to_reference_conditions
from ...core.params import (
    Integer,
    Issuer,
    ListParams,
    NestedParams,
    OptAutomaticTax,
    OptBool,
    OptInteger,
    OptMetadata,
    OptName,
    OptRange,
    OptText,
    Params,
    SearchParams,
    Shipping,
    Unset,
    collect_params,
    merge_metadata,
    or_none,
    time_or_word,
    value_of,
)
from ...core.periods import DAY
from ...core.search import search_of
from ...core.test_clocks import use_clock_time
from ...customer.tax_ids import TAX_IDS
from ...payments.payment_intents import TransferData
from ...payments.payment_methods import retrieve_attached_method
from ...tables.customer_tables import CUSTOMERS
from ...tables.payment_intent_tables import PAYMENTS
from ...tables.payment_method_tables import TYPES
from ...tax import automatic_tax
from ...tax.tax_rates import tax_rates_of
from ..tables.invoice_line_items import LINE_ITEMS, LineItem
from ..tables.invoice_tables import INVOICES, Invoice, make_invoice
from ..tables.subscription_tables import SUBSCRIPTIONS, invoice_defaults
from . import invoice_lifecycle, invoice_taxes
from .invoice_revisions import FromInvoice, copy_lines, fields_of, original
from .invoice_shipping import OptShippingCost, ShippingCost, shipping_cost

api = Operations(prefix="/v1/invoices")

Status = Literal["draft", "open", "void", "paid", "uncollectible"]
Collection = Literal["charge_automatically", "send_invoice"]


LATE = frozenset({"auto_advance", "default_payment_method", "metadata", "payment_settings"})
"""Fields of a finalized invoice that may change; https://docs.stripe.com/invoicing/overview"""


class CustomField(NestedParams):
    """A custom field shown on an invoice."""

    name: str
    value: str


class PaymentSettings(NestedParams):
    """Payment settings of an invoice; the twin accepts cards."""

    default_mandate: OptText = UNSET
    payment_method_options: dict[str, Any] | UnsetType = UNSET
    payment_method_types: list[str] | Unset | UnsetType = UNSET


class Pdf(NestedParams):
    """PDF settings of an invoice."""

    page_size: Literal["a4", "auto", "letter"] | UnsetType = UNSET


class Rendering(NestedParams):
    """Rendering settings of an invoice."""

    amount_tax_display: Literal["", "exclude_tax", "include_inclusive_tax"] | UnsetType = UNSET
    pdf: Pdf | UnsetType = UNSET
    template: OptText = UNSET
    template_version: OptInteger | Unset = UNSET


class InvoiceParams(Params, kw_only=True):
    """Parameters shared by the create and update operations."""

    longest: ClassVar = {"description": 1500}

    account_tax_ids: list[str] | Unset | UnsetType = UNSET
    application_fee_amount: OptInteger = UNSET
    auto_advance: OptBool = UNSET
    automatic_tax: OptAutomaticTax = UNSET
    automatically_finalizes_at: OptInteger = UNSET
    collection_method: Collection | UnsetType = UNSET
    custom_fields: list[CustomField] | Unset | UnsetType = UNSET
    days_until_due: OptInteger = UNSET
    default_payment_method: OptText = UNSET
    default_tax_rates: list[str] | Unset | UnsetType = UNSET
    description: OptText = UNSET
    discounts: OptDiscounts = UNSET
    due_date: OptInteger = UNSET
    effective_at: OptText = UNSET
    footer: OptText = UNSET
    issuer: Issuer | UnsetType = UNSET
    metadata: OptMetadata = UNSET
    number: OptText = UNSET
    on_behalf_of: OptText = UNSET
    payment_settings: PaymentSettings | UnsetType = UNSET
    rendering: Rendering | Unset | UnsetType = UNSET
    shipping_cost: OptShippingCost = UNSET
    shipping_details: Shipping | Unset | UnsetType = UNSET
    statement_descriptor: OptText = UNSET
    transfer_data: TransferData | Unset | UnsetType = UNSET


class CreateInvoice(InvoiceParams, kw_only=True):
    """The parameters of a new invoice."""

    customer: OptName = UNSET
    customer_account: OptText = UNSET
    currency: OptName = UNSET
    from_invoice: FromInvoice | UnsetType = UNSET
    pending_invoice_items_behavior: Literal["exclude", "include"] | UnsetType = UNSET
    subscription: OptName = UNSET


class ListInvoices(ListParams, kw_only=True):
    """The parameters of a list of invoices."""

    collection_method: Collection | UnsetType = UNSET
    created: OptRange = UNSET
    customer: OptName = UNSET
    customer_account: OptText = UNSET
    due_date: OptRange = UNSET
    status: Status | UnsetType = UNSET
    subscription: OptName = UNSET


class Upcoming(Params):
    """The parameters of a removed operation; unknown ones are still rejected."""

    customer: OptName = UNSET
    subscription: OptName = UNSET


class Finalize(Params):
    """The parameters of a finalization."""

    auto_advance: OptBool = UNSET


class Pay(Params):
    """The parameters of a payment."""

    forgive: OptBool = UNSET
    mandate: OptText = UNSET
    off_session: OptBool = UNSET
    paid_out_of_band: OptBool = UNSET
    payment_method: OptName = UNSET
    source: OptText = UNSET


class Attach(Params):
    """The payment to attach."""

    payment_intent: OptName = UNSET


@api.post("")
def create_invoice(call: Call, params: Annotated[CreateInvoice, Body]) -> Fields:
    """Create a draft, empty or with the customer's pending items."""
    revised = original(call, params.from_invoice) if isinstance(params.from_invoice, FromInvoice) else None
    owner_id = revised.customer if revised else params.customer
    if not isinstance(owner_id, str) or not owner_id:
        raise StripeError("Missing required param: customer.", code="parameter_missing", param="customer")
    customer = refer(call, CUSTOMERS, owner_id, "customer")
    use_clock_time(call, customer.test_clock)
    fields = _fields(call, params, revised, customer.id)
    fields = {**(fields_of(revised) if revised else {}), **fields}
    subscription = fields.pop("subscription", None)
    if subscription:
        owner = refer(call, SUBSCRIPTIONS, subscription, "subscription")
        fields = {**invoice_defaults(owner), **fields}
    fields.setdefault("auto_advance", False)
    fields["currency"] = parse_currency(fields.get("currency") or customer.currency or "usd")
    check_discount_currencies(call, fields.get("discounts") or [], fields["currency"])
    if isinstance(params.shipping_cost, ShippingCost):
        fields["shipping_cost"] = shipping_cost(call, params.shipping_cost, fields["currency"])
    draft = make_invoice(call, customer, **fields)
    if revised:
        copy_lines(call, revised, draft)
    if subscription or params.pending_invoice_items_behavior == "include":
        invoice_lifecycle.add_pending_items(call, draft, subscription, is_alone=bool(subscription))
    invoice_taxes.check(call, invoice_lifecycle.publish_draft(call, draft))
    return _render_invoice(call, draft.id)


SEARCHABLE = {
    "created": Invoice.created,
    "currency": Invoice.currency,
    "customer": Invoice.customer,
    "last_finalization_error_code": Invoice.last_finalization_error.json("code"),
    "last_finalization_error_type": Invoice.last_finalization_error.json("type"),
    "metadata": Invoice.metadata,
    "number": Invoice.number,
    "subscription": Invoice.subscription,
    "status": Invoice.status,
    "total": Invoice.total,
}


@api.get("/search")
def search_invoices(call: Call, params: Annotated[SearchParams, Body]) -> Fields:
    """Search invoices."""
    return search_of(call, INVOICES, params, "/v1/invoices/search", SEARCHABLE)


@api.get("/upcoming")
def retrieve_upcoming_invoice(call: Call, params: Annotated[Upcoming, Body]) -> Fields:
    """Raise the error of an operation that `create_preview` has replaced.

    https://docs.stripe.com/changelog/basil/2025-03-31/invoice-preview-api-deprecations
    """
    message = (
        "Unrecognized request URL (GET: /v1/invoices/upcoming). Please see https://stripe.com/docs or we can help at "
        "https://support.stripe.com/."
    )
    raise StripeError(message, status=404)


@api.get("/{invoice}")
def retrieve_invoice(call: Call, invoice: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve an invoice."""
    return _render_invoice(call, invoice)


@api.post("/{invoice}")
def update_invoice(call: Call, invoice: str, params: Annotated[InvoiceParams, Body]) -> Fields:
    """Update a draft, or the metadata and collection settings of a finalized invoice."""
    row = retrieve(call, INVOICES, invoice, param="id")
    use_clock_time(call, row.test_clock)
    fields = _fields(call, params, row, row.customer)
    if row.status != "draft" and (fixed := [name for name in fields if name not in LATE]):
        raise StripeError("Finalized invoices can't be updated in this way", param=fixed[0])
    changed = update(call, INVOICES, row, False, **fields)
    changed = invoice_lifecycle.retotal(call, changed) if changed.status == "draft" else changed
    invoice_taxes.check(call, changed)
    if "auto_advance" in fields and changed.status == "draft":
        changed = invoice_lifecycle.advance_later(call, changed)
    if changed is not row:
        record_row(call, "invoice.updated", INVOICES, changed, PreviousRow(row))
    return _render_invoice(call, invoice)


@api.delete("/{invoice}")
def delete_invoice(call: Call, invoice: str, params: Annotated[Params, Body]) -> Fields:
    """Delete a draft and the items made for it; its formerly pending items are not billed."""
    row = retrieve(call, INVOICES, invoice)
    if row.status != "draft":
        raise StripeError("You can only delete draft invoices.")
    if row.subscription:
        raise StripeError("You cannot delete an invoice that a subscription has made. Void it instead.")
    record_row(call, "invoice.deleted", INVOICES, row)
    invoice_lifecycle.delete_draft(call, row)
    return {"id": invoice, "object": "invoice", "deleted": True}


@api.get("")
def list_invoices(call: Call, params: Annotated[ListInvoices, Body]) -> Fields:
    """List invoices."""
    where = to_range_conditions(Invoice.created, params.created)
    if params.due_date is not UNSET:
        where += to_range_conditions(Invoice.due_date, params.due_date)  # pyright: ignore[reportArgumentType] - None is never within
    where += to_reference_conditions(
        call,
        (Invoice.customer, params.customer, CUSTOMERS),
        (Invoice.subscription, params.subscription, SUBSCRIPTIONS),
    )
    where += equal((Invoice.collection_method, params.collection_method), (Invoice.status, params.status))
    return list_of(call, INVOICES, params, "/v1/invoices", *where)


@api.get("/{invoice}/lines")
def list_lines(call: Call, invoice: str, params: Annotated[ListParams, Body]) -> Fields:
    """List an invoice's lines, newest first."""
    row = retrieve(call, INVOICES, invoice)
    return list_of(call, LINE_ITEMS, params, f"/v1/invoices/{invoice}/lines", LineItem.invoice == row.id)


@api.post("/{invoice}/finalize")
def finalize_invoice(call: Call, invoice: str, params: Annotated[Finalize, Body]) -> Any:
    """Finalize a draft; it stays a draft if its tax location is missing."""
    row = retrieve(call, INVOICES, invoice, param="id")
    use_clock_time(call, row.test_clock)
    advance = row.auto_advance if params.auto_advance is UNSET else params.auto_advance
    row = call.db.change(row, auto_advance=bool(advance))
    if row.automatic_tax and (
        refused := invoice_taxes.record_finalization_failure(call, invoice_lifecycle.retotal(call, row))
    ):
        return refused
    invoice_lifecycle.finalize(call, row)
    return _render_invoice(call, invoice)


@api.post("/{invoice}/pay")
def pay_invoice(call: Call, invoice: str, params: Annotated[Pay, Body]) -> Any:
    """Pay an invoice with the customer's payment method, or mark it as paid out of band.

    A card decline is returned as an error response, and the failed attempt is kept.
    """
    row = retrieve(call, INVOICES, invoice, param="id")
    use_clock_time(call, row.test_clock)
    refused = invoice_lifecycle.pay(
        call,
        row,
        method=or_none(params.payment_method),
        elsewhere=params.paid_out_of_band is True,
        forgive=params.forgive is True,
        off_session=params.off_session is not False,
    )
    return refused or _render_invoice(call, invoice)


@api.post("/{invoice}/attach_payment")
def attach_payment(call: Call, invoice: str, params: Annotated[Attach, Body]) -> Fields:
    """Attach a PaymentIntent of the same customer to an invoice, to pay it wholly or in part."""
    row = retrieve(call, INVOICES, invoice)
    use_clock_time(call, row.test_clock)
    if not isinstance(params.payment_intent, str) or not params.payment_intent:
        raise StripeError("Missing required param: payment_intent.", code="parameter_missing", param="payment_intent")
    invoice_lifecycle.attach(call, row, refer(call, PAYMENTS, params.payment_intent, "payment_intent"))
    return _render_invoice(call, invoice)


@api.post("/{invoice}/send")
def send_invoice(call: Call, invoice: str, params: Annotated[Params, Body]) -> Fields:
    """Send an invoice to its customer; a draft is finalized first."""
    row = retrieve(call, INVOICES, invoice)
    use_clock_time(call, row.test_clock)
    if row.status == "paid":
        raise StripeError(
            "This invoice cannot be sent right now. Please contact us via https://support.stripe.com/contact with "
            "details, so we can help."
        )
    if row.collection_method != "send_invoice":
        raise StripeError("You can only manually send an invoice if its collection method is 'send_invoice'.")
    if row.status == "draft":
        row = invoice_lifecycle.finalize(call, row)
    if row.status == "void":
        raise StripeError("You can only manually send an invoice that is open.")
    if not row.customer_email:
        raise StripeError("The customer must have an email address for the invoice to be sent.")
    record_row(call, "invoice.sent", INVOICES, row)
    return _render_invoice(call, invoice)


@api.post("/{invoice}/void")
def void_invoice(call: Call, invoice: str, params: Annotated[Params, Body]) -> Fields:
    """Void an invoice."""
    row = retrieve(call, INVOICES, invoice, param="id")
    use_clock_time(call, row.test_clock)
    invoice_lifecycle.void(call, row)
    return _render_invoice(call, invoice)


@api.post("/{invoice}/mark_uncollectible")
def mark_uncollectible(call: Call, invoice: str, params: Annotated[Params, Body]) -> Fields:
    """Mark an invoice as uncollectible."""
    row = retrieve(call, INVOICES, invoice, param="id")
    use_clock_time(call, row.test_clock)
    invoice_lifecycle.set_uncollectible(call, row)
    return _render_invoice(call, invoice)


def _render_invoice(call: Call, id: str) -> Fields:
    return show(call, INVOICES, retrieve(call, INVOICES, id))


_NO_COLUMNS = (
    "days_until_due", "discounts", "payment_settings", "default_tax_rates", "effective_at", "issuer", "shipping_cost",
    "customer", "customer_account", "from_invoice", "pending_invoice_items_behavior", "application_fee_amount",
    "on_behalf_of", "transfer_data",
)  # fmt: skip


def _fields(call: Call, params: InvoiceParams, row: Invoice | None, customer: str) -> Fields:
    """Return the columns that the parameters set."""
    fields = collect_params(params, *_NO_COLUMNS)
    if params.shipping_cost is not UNSET and row:
        wanted = params.shipping_cost
        fields["shipping_cost"] = (
            shipping_cost(call, wanted, row.currency) if isinstance(wanted, ShippingCost) else None
        )
    if params.metadata is not UNSET or row is None:
        fields["metadata"] = merge_metadata(row.metadata if row else {}, params.metadata)
    if params.discounts is not UNSET:
        id = row.id if row else object_id(call, INVOICES.prefix)
        currency = row.currency if row else None
        fields["discounts"] = create_discounts(call, params.discounts, customer, currency=currency, invoice=id)
        fields |= {} if row else {"id": id}
    if params.default_tax_rates is not UNSET:
        fields["default_tax_rates"] = tax_rates_of(call, params.default_tax_rates or [], "default_tax_rates")
    for number, id in enumerate(params.account_tax_ids if isinstance(params.account_tax_ids, list) else ()):
        refer(call, TAX_IDS, id, f"account_tax_ids[{number}]")
    _check_number(call, params.number, row)
    if params.default_payment_method:
        retrieve_attached_method(call, params.default_payment_method, customer, "default_payment_method")
    if isinstance(params.effective_at, str):
        fields["effective_at"] = time_or_word(params.effective_at, "effective_at", "") or None
    if isinstance(params.payment_settings, PaymentSettings):
        check_types(params.payment_settings.payment_method_types)
        fields["payment_settings"] = {**(row.payment_settings if row else {}), **value_of(params.payment_settings)}
    fields |= _build_connect(call, params, row)
    fields |= automatic_tax.to_automatic_tax_columns(call, params.automatic_tax)
    cost = fields.get("shipping_cost") or (row.shipping_cost if row else None)
    if cost and "automatic_tax" in fields and not fields["automatic_tax"]:
        fields["shipping_cost"] = automatic_tax.shipping_taxed(cost, None)
    method = fields.get("collection_method") or (row.collection_method if row else "charge_automatically")
    return fields | _due(call, params, method, row)


def _check_number(call: Call, number: OptText, row: Invoice | None) -> None:
    """Raise StripeError for a number in use by another invoice."""
    other = call.db.find(Invoice, Invoice.number == number) if isinstance(number, str) and number else None
    if other and other.id != (row.id if row else None):
        raise StripeError(f"The invoice number {number} is already in use.", param="number")


def _build_connect(call: Call, params: InvoiceParams, row: Invoice | None) -> Fields:
    """Return the Connect columns of an invoice's payment: application fee, `on_behalf_of` and transfer data."""
    names = ("application_fee_amount", "on_behalf_of", "transfer_data")
    wanted = {name: value_of(getattr(params, name)) for name in names if getattr(params, name) is not UNSET}
    if not wanted:
        return {}
    transfer: Fields = wanted.get("transfer_data") or {}
    check_connected_account(call, wanted.get("on_behalf_of"), "on_behalf_of", "account")
    check_connected_account(call, transfer.get("destination"), "transfer_data[destination]", "destination")
    both: Fields = {**(row.connect if row else {}), **wanted}
    return {"connect": {name: value for name, value in both.items() if value is not None}}


def check_types(types: list[str] | Unset | UnsetType) -> None:
    """Raise StripeError for an unknown payment method type."""
    for number, type in enumerate(types if isinstance(types, list) else ()):
        if type not in TYPES:
            param = f"payment_settings[payment_method_types][{number}]"
            raise StripeError(f"Invalid {param}: {type[:50]} is no payment method type.", param=param)


def _due(call: Call, params: InvoiceParams, method: str, row: Invoice | None) -> Fields:
    """Return the `due_date` column of a sent invoice; raises StripeError if the parameters contradict each other."""
    days: Integer | UnsetType = params.days_until_due
    if method != "send_invoice":
        if days is not UNSET or params.due_date is not UNSET:
            raise StripeError("You can only specify 'due_date' or 'days_until_due' if invoice collection method is "
                              "'send_invoice'.")  # fmt: skip
        return {}
    if isinstance(days, int) and params.due_date is not UNSET:
        message = "You may only specify one of these parameters: days_until_due, due_date."
        raise StripeError(message, param="days_until_due")
    if isinstance(days, int) and days < 0:
        message = "This value must be greater than or equal to 0."
        raise StripeError(message, code="parameter_invalid_integer", param="days_until_due")
    if isinstance(days, int):
        return {"due_date": now(call) + days * DAY}
    if params.due_date is UNSET and (row is None or row.due_date is None):
        raise StripeError("If invoice collection method is 'send_invoice', you must specify 'due_date' or "
                          "'days_until_due'.")  # fmt: skip
    if isinstance(params.due_date, int) and params.due_date <= now(call):
        raise StripeError("The due date must be in the future.", param="due_date")
    return {}
