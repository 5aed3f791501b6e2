"""Quotes: offers that become subscriptions or invoices on acceptance.

https://docs.stripe.com/api/quotes
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError, refuse_unknown

from ..catalog.discounts import DISCOUNTS, OptDiscounts, check_discount_currencies, check_minimums, create_discounts
from ..catalog.inline_prices import accept_inline
from ..catalog.price_params import SoldPriceData
from ..connect.destination_charges import check_sale
from ..core.events import record_row, update
from ..core.objects import (
    IN_PARTS,
    Fields,
    PartWith,
    StripeObject,
    build_view,
    new,
    now,
    object_id,
    refer,
    resource,
    retrieve,
    show,
    show_all,
)
from ..core.pagination import equal, list_object, list_of, to_reference_conditions
from ..core.params import (
    Issuer,
    ListParams,
    NestedParams,
    OptAutomaticTax,
    OptBool,
    OptInteger,
    OptMetadata,
    OptName,
    OptText,
    Params,
    Unset,
    collect_params,
    is_set,
    merge_metadata,
    time_or_word,
    value_of,
)
from ..core.periods import DAY, check_trial_days
from ..core.test_clocks import within_clock
from ..customer.customers import CustomField
from ..tables.customer_tables import CUSTOMERS
from ..tax import automatic_tax
from ..tax.tax_rates import tax_rates_of
from .quote_amounts import amounts, recurring, upfront
from .sale_amounts import SELLERS, Seller, total_details
from .sale_items import (
    SALE_ITEMS,
    OptSaleItems,
    SaleItem,
    SaleItemParams,
    add_items,
    find_billed_currency,
    is_recurring,
    items_for,
    items_params,
    list_items,
    render_items,
    replace_items,
)

api = Operations(prefix="/v1/quotes")

NO_TRANSITIONS: Fields = {"accepted_at": None, "canceled_at": None, "finalized_at": None}


class Quote(
    StripeObject,
    table="quotes",
    key=("id",),
    unique=(("seq",),),
    indexes=(("customer", "seq"), ("status", "seq")),
):
    amount_subtotal: Column[int] = column(default=0)
    amount_total: Column[int] = column(default=0)
    application_fee_amount: Column[int | None] = column(default=None)
    application_fee_percent: Column[float | None] = column(default=None)
    automatic_tax: Column[Json] = column(default=None)
    collection_method: Column[str] = column(default="charge_automatically")
    currency: Column[str | None] = column(default=None)
    customer: Column[str | None] = column(default=None)
    default_tax_rates: Column[Json] = column(default=[])
    description: Column[str | None] = column(default=None)
    discounts: Column[Json] = column(default=[])
    expires_at: Column[int]
    footer: Column[str | None] = column(default=None)
    from_quote: Column[Json] = column(default=None)
    header: Column[str | None] = column(default=None)
    invoice: Column[str | None] = column(default=None)
    invoice_settings: Column[Json] = column(default={})
    metadata: Column[Json] = column(default={})
    number: Column[str | None] = column(default=None)
    on_behalf_of: Column[str | None] = column(default=None)
    status: Column[str] = column(default="draft")
    status_transitions: Column[Json] = column(default={})
    subscription: Column[str | None] = column(default=None)
    subscription_data: Column[Json] = column(default={})
    subscription_schedule: Column[str | None] = column(default=None)
    test_clock: Column[str | None] = column(default=None)
    total_details: Column[Json] = column(default={})
    transfer_data: Column[Json] = column(default=None)
    computed: Column[Json] = column(default={})


def _settings(row: Quote) -> Fields:
    empty = {"custom_fields": None, "days_until_due": None, "description": None, "footer": None}
    return {**empty, "issuer": {"type": "self"}, **row.invoice_settings}


def _data(row: Quote) -> Fields:
    empty: Fields = {"description": None, "effective_date": None, "metadata": {}, "trial_period_days": None}
    return {**empty, "billing_mode": {"type": "flexible"}, **row.subscription_data}


def _details(row: Quote) -> Fields:
    return total_details(row.total_details, row.id, "quote")


def _render_computed(row: Quote) -> Fields:
    """Render the `computed` field; its parts have further fields when expanded."""
    return {name: part and _part(part, row.id, name) for name, part in row.computed.items()}


def _part(part: Fields, id: str, name: str) -> Fields:
    whole = {**part, "total_details": total_details(part["total_details"], id, name)}
    return PartWith(whole, line_items=lambda call: _upfront_items(call, id)) if name == "upfront" else whole


def _transitions(row: Quote) -> Fields:
    return {**NO_TRANSITIONS, **row.status_transitions}


quote_object = build_view(
    Quote,
    "quote",
    application=None,
    automatic_tax=automatic_tax.shown_as("enabled", "liability", "provider", "status"),
    computed=_render_computed,
    customer_account=None,
    invoice_settings=_settings,
    status_transitions=_transitions,
    subscription_data=_data,
    total_details=_details,
)


def _items(call: Call, fields: Fields) -> Fields:
    return render_items(call, fields["id"], f"/v1/quotes/{fields['id']}/line_items")


QUOTES = resource(
    Quote,
    "quote",
    "qt_",
    quote_object,
    param="quote",
    expandable=(
        "customer",
        "default_tax_rates",
        "discounts",
        "invoice",
        "on_behalf_of",
        "subscription",
        "subscription_schedule",
        "test_clock",
        "transfer_data.destination",
    ),
    includes={"line_items": _items},
)


class QuoteInvoice(NestedParams):
    """Settings of a quote's invoices."""

    custom_fields: list[CustomField] | Unset | UnsetType = UNSET
    days_until_due: OptInteger = UNSET
    description: OptText = UNSET
    footer: OptText = UNSET
    issuer: Issuer | UnsetType = UNSET


class QuoteSubscription(NestedParams):
    """Settings of a quote's subscription."""

    billing_mode: dict[str, Any] | UnsetType = UNSET
    description: OptText = UNSET
    effective_date: OptText = UNSET
    metadata: dict[str, str] | UnsetType = UNSET
    trial_period_days: OptInteger = UNSET


class QuoteTransfer(NestedParams):
    """The connected account that is paid, and an amount, or a percentage of recurring payments."""

    destination: str
    amount: OptInteger = UNSET
    amount_percent: float | UnsetType = UNSET


class QuoteParams(Params, kw_only=True):
    """Parameters shared by the create and update operations."""

    longest: ClassVar = {"description": 500, "footer": 500, "header": 50}

    application_fee_amount: OptInteger | Unset = UNSET
    application_fee_percent: float | Unset | UnsetType = UNSET
    automatic_tax: OptAutomaticTax = UNSET
    collection_method: Literal["charge_automatically", "send_invoice"] | UnsetType = UNSET
    customer: OptName = UNSET
    customer_account: OptText = UNSET
    default_tax_rates: list[str] | Unset | UnsetType = UNSET
    description: OptText = UNSET
    discounts: OptDiscounts = UNSET
    expires_at: OptInteger = UNSET
    footer: OptText = UNSET
    header: OptText = UNSET
    invoice_settings: QuoteInvoice | UnsetType = UNSET
    line_items: OptSaleItems = UNSET
    metadata: OptMetadata = UNSET
    on_behalf_of: OptText = UNSET
    transfer_data: QuoteTransfer | Unset | UnsetType = UNSET
    subscription_data: QuoteSubscription | UnsetType = UNSET


class FromQuote(NestedParams):
    """The quote to copy or to revise."""

    quote: str
    is_revision: OptBool = UNSET


class CreateQuote(QuoteParams, kw_only=True):
    """The parameters of a new quote."""

    from_quote: FromQuote | UnsetType = UNSET

    test_clock: OptName = UNSET


class FinalizeQuote(Params):
    """The parameters of a finalization."""

    expires_at: OptInteger = UNSET


class ListQuotes(ListParams, kw_only=True):
    """The parameters of a list of quotes."""

    customer: OptName = UNSET
    customer_account: OptText = UNSET
    status: Literal["accepted", "canceled", "draft", "open"] | UnsetType = UNSET
    test_clock: OptName = UNSET


@api.post("")
def create_quote(call: Call, params: Annotated[CreateQuote, Body]) -> Fields:
    """Create a draft quote."""
    id = object_id(call, "qt_")
    like = _like(call, params.from_quote)
    fields = {**like.fields, **_fields(call, params, like.row)}
    _check_described(params.line_items)
    wanted = params.line_items if isinstance(params.line_items, list) else like.items
    items = add_items(call, id, wanted, currency=find_billed_currency(call, fields.get("customer"), wanted))
    _check_discounts(call, items, fields)
    check_sale(call, params, recurring=is_recurring(call, items), destination=fields.get("transfer_data"))
    fields |= amounts(call, items, fields)
    fields.setdefault("expires_at", now(call) + 30 * DAY)
    made = new(call, QUOTES, id=id, **fields)
    record_row(call, "quote.created", QUOTES, made)
    return show(call, QUOTES, made)


def _check_described(items: OptSaleItems) -> None:
    """Raise StripeError for inline prices with a new product: those of quotes have an existing one."""
    for number, item in enumerate(items if isinstance(items, list) else ()):
        price_at = f"line_items[{number}][price_data]"
        if isinstance(item.price_data, SoldPriceData) and is_set(item.price_data.product_data):
            raise refuse_unknown([f"{price_at}[product_data]"])
        if isinstance(item.price_data, SoldPriceData) and not is_set(item.price_data.product):
            message = f"Missing required param: {price_at}[product]."
            raise StripeError(message, code="parameter_missing", param=f"{price_at}[product]")


def _check_discounts(call: Call, items: list[SaleItem], fields: Fields) -> None:
    """Raise StripeError for discounts that take nothing off in the currency of the items."""
    if items:
        discounts: list[str] = fields.get("discounts") or []
        check_discount_currencies(call, discounts, items[0].currency)
        check_minimums(call, discounts, sum(item.amount_subtotal for item in items), items[0].currency)


class Like(NamedTuple):
    """What a new quote copies from another one."""

    row: Quote | None
    fields: Fields
    items: list[SaleItemParams]


_TAKEN_OVER = (
    "application_fee_amount", "application_fee_percent", "automatic_tax", "collection_method", "customer",
    "default_tax_rates", "description", "discounts", "footer", "header", "invoice_settings", "metadata", "on_behalf_of",
    "subscription_data", "test_clock", "transfer_data",
)  # fmt: skip


def _like(call: Call, wanted: FromQuote | UnsetType) -> Like:
    if not isinstance(wanted, FromQuote):
        return Like(None, {}, [])
    row = refer(call, QUOTES, wanted.quote, "from_quote[quote]")
    is_revision = wanted.is_revision is True
    if is_revision and row.status != "open":
        message = f"Only open quotes can be revised; this one is {row.status}."
        raise StripeError(message, param="from_quote[quote]")
    fields = {name: getattr(row, name) for name in _TAKEN_OVER}
    sold = items_for(call, row.id)
    accept_inline(call, [item.price for item in sold])
    items = [SaleItemParams(**each) for each in items_params(sold)]
    return Like(row, {**fields, "from_quote": {"is_revision": is_revision, "quote": row.id}}, items)


@api.get("/{quote}")
def retrieve_quote(call: Call, quote: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a quote."""
    return show(call, QUOTES, retrieve(call, QUOTES, quote))


@api.post("/{quote}")
def update_quote(call: Call, quote: str, params: Annotated[QuoteParams, Body]) -> Fields:
    """Update a draft quote."""
    row = require_quote_status(call, quote, "draft", "updated")
    if row.customer and params.customer not in (UNSET, row.customer):
        raise StripeError("The customer of a quote cannot be changed once it is specified.", param="customer")
    fields = _fields(call, params, row)
    _check_described(params.line_items)
    if isinstance(params.line_items, list):
        replace_items(call, row.id, params.line_items)
    kept = {name: getattr(row, name) for name in _TAKEN_OVER}
    items = items_for(call, row.id)
    becomes = {**kept, **fields}
    _check_discounts(call, items, becomes)
    check_sale(call, params, recurring=is_recurring(call, items), destination=becomes["transfer_data"])
    fields |= amounts(call, items, becomes)
    return show(call, QUOTES, update(call, QUOTES, row, False, **fields))


@api.post("/{quote}/finalize")
def finalize_quote(call: Call, quote: str, params: Annotated[FinalizeQuote, Body]) -> Fields:
    """Finalize a draft quote, which opens it for acceptance."""
    row = require_quote_status(call, quote, "draft", "finalized")
    if not row.customer:
        raise StripeError("A quote must have a customer to be finalized.", param="customer")
    if not items_for(call, row.id):
        raise StripeError("A quote must have line items to be finalized.", param="line_items")
    if automatic_tax.is_on(row):
        automatic_tax.check_location(call, refer(call, CUSTOMERS, row.customer, "customer"))
    fields = collect_params(params)
    fields["number"] = _number(call, row)
    if row.from_quote and row.from_quote["is_revision"]:
        former = retrieve(call, QUOTES, row.from_quote["quote"])
        if former.status == "open":
            become(call, former, "canceled", "canceled_at", "quote.canceled")
    return become(call, row, "open", "finalized_at", "quote.finalized", **fields)


def _number(call: Call, row: Quote) -> str:
    """Return the number of a quote; a revision has that of its original with the next count."""
    if row.from_quote and row.from_quote["is_revision"]:
        former, _, count = str(retrieve(call, QUOTES, row.from_quote["quote"]).number).rpartition("-")
        return f"{former}-{int(count) + 1}"
    customer = retrieve(call, CUSTOMERS, row.customer or "")
    begun = call.db.rows(Quote, Quote.customer == customer.id)
    numbers = {str(each.number).rpartition("-")[0] for each in begun if each.number}
    return f"QT-{customer.invoice_prefix}-{len(numbers) + 1:04d}-1"


@api.post("/{quote}/cancel")
def cancel_quote(call: Call, quote: str, params: Annotated[Params, Body]) -> Fields:
    """Cancel a draft or open quote."""
    row = retrieve(call, QUOTES, quote)
    if row.status not in ("draft", "open"):
        raise StripeError(f"You cannot cancel a quote that is {row.status}.")
    return become(call, row, "canceled", "canceled_at", "quote.canceled")


@api.get("/{quote}/line_items")
def list_line_items(call: Call, quote: str, params: Annotated[ListParams, Body]) -> Fields:
    """List the line items of a quote."""
    row = retrieve(call, QUOTES, quote)
    return list_items(call, row.id, params, f"/v1/quotes/{quote}/line_items")


@api.get("/{quote}/computed_upfront_line_items")
def list_upfront_line_items(call: Call, quote: str, params: Annotated[ListParams, Body]) -> Fields:
    """List the line items billed on acceptance."""
    row = retrieve(call, QUOTES, quote)
    page = list_items(call, row.id, params, f"/v1/quotes/{quote}/computed_upfront_line_items")
    known = {each["id"]: each for each in show_all(call, SALE_ITEMS, _load_priced_items(call, row.id, "upfront"))}
    return {**page, "data": [known[each["id"]] for each in page["data"]]}


@api.get("")
def list_quotes(call: Call, params: Annotated[ListQuotes, Body]) -> Fields:
    """List quotes."""
    where = to_reference_conditions(call, (Quote.customer, params.customer, CUSTOMERS))
    where += within_clock(call, Quote.test_clock, params.test_clock, customer=params.customer)
    where += equal((Quote.status, params.status))
    return list_of(call, QUOTES, params, "/v1/quotes", *where)


@api.due(Quote.expires_at, Quote.status == "open")
def expire_quote(call: Call, row: Quote) -> None:
    """Scheduled job: cancel a quote at its `expires_at`."""
    become(call, row, "canceled", "canceled_at", "quote.canceled")


def require_quote_status(call: Call, id: str, status: str, how: str) -> Quote:
    """Return a quote; raises StripeError unless it has the status that the operation requires."""
    row = retrieve(call, QUOTES, id)
    if row.status != status:
        message = f"Only {status} quotes can be {how}; this one is {row.status}."
        raise StripeError(message)
    return row


def become(call: Call, row: Quote, status: str, at: str, event: str, **fields: Any) -> Fields:
    """Set the status of a quote, record the event, and return the quote rendered."""
    transitions = {**row.status_transitions, at: now(call)}
    changed = call.db.change(row, status=status, status_transitions=transitions, **fields)
    record_row(call, event, QUOTES, changed)
    return show(call, QUOTES, changed)


def _fields(call: Call, params: QuoteParams, row: Quote | None) -> Fields:
    fields = collect_params(params, "line_items", "discounts", "default_tax_rates", "customer_account", "from_quote")
    if isinstance(params.customer, str) and params.customer:
        customer = refer(call, CUSTOMERS, params.customer, "customer")
        fields["test_clock"] = customer.test_clock
    if params.discounts is not UNSET:
        fields["discounts"] = create_discounts(
            call, params.discounts, fields.get("customer") or (row.customer if row else None)
        )
    if params.default_tax_rates is not UNSET:
        fields["default_tax_rates"] = tax_rates_of(call, params.default_tax_rates or [], "default_tax_rates")
    for name in ("invoice_settings", "subscription_data"):
        if (value := getattr(params, name)) is not UNSET:
            fields[name] = {**(getattr(row, name) if row else {}), **value_of(value)}
    if isinstance(days := fields.get("subscription_data", {}).get("trial_period_days"), int):
        check_trial_days(days, "subscription_data[trial_period_days]")
    if effective := fields.get("subscription_data", {}).get("effective_date"):
        name = "subscription_data[effective_date]"
        fields["subscription_data"]["effective_date"] = time_or_word(str(effective), name)
    if transfer := fields.get("transfer_data"):
        fields["transfer_data"] = {"amount": None, "amount_percent": None, **transfer}
    fields["metadata"] = merge_metadata(row.metadata if row else {}, params.metadata)
    return fields | automatic_tax.to_automatic_tax_columns(call, params.automatic_tax)


def _load_priced_items(call: Call, id: str, part: str) -> list[SaleItem]:
    row = retrieve(call, QUOTES, id)
    items = items_for(call, id)
    if part == "quote":
        return items
    quote = {name: getattr(row, name) for name in _TAKEN_OVER}
    return recurring(call, items, quote) if part == "recurring" else upfront(call, items, quote)


def _discount(call: Call, id: str, given: Fields) -> Fields:
    return show(call, DISCOUNTS, retrieve(call, DISCOUNTS, given["discount"]))


def _upfront_items(call: Call, id: str) -> Fields:
    """Return the list of upfront line items, for `expand`."""
    items = show_all(call, SALE_ITEMS, _load_priced_items(call, id, "upfront"))
    return list_object(items[:10], f"/v1/quotes/{id}/computed_upfront_line_items", has_more=len(items) > 10)


IN_PARTS.add("line_items")
SELLERS["qt"] = Seller(_load_priced_items, _discount)
