"""Payment links: reusable URLs at which anyone can buy.

https://docs.stripe.com/api/payment-link
"""

from __future__ import annotations

from typing import Annotated, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..connect.destination_charges import check_sale
from ..core.currencies import parse_currency
from ..core.events import record_row, update
from ..core.objects import (
    LEFT_OUT,
    Fields,
    StripeObject,
    build_view,
    new,
    new_id,
    object_id,
    resource,
    retrieve,
    show,
)
from ..core.pagination import equal, list_of
from ..core.params import (
    Integer,
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
    check_count,
    collect_params,
    merge_metadata,
    value_of,
)
from ..core.urls import check_url
from ..payments.payment_intents import TransferData
from ..sales import sale_taxes
from ..sales.sale_items import (
    Adjustable,
    SaleItem,
    SaleItemParams,
    add_items,
    is_recurring,
    items_for,
    list_items,
    render_items,
    totals,
)
from ..tax import automatic_tax
from .form_fields import AddressCollection, CustomField, ShippingOption, custom_fields, shipping_fields
from .intent_and_subscription_data import LinkIntentData, LinkSubscriptionData, check_trial
from .mode_rules import MAX_ITEMS_OF_LINK, check_mode_params
from .optional_items import OptItems, build_optional_items, check_mode
from .session_settings import (
    VIEWS,
    ConsentCollection,
    CustomText,
    InvoiceCreation,
    NameCollection,
    Switch,
    TaxIdCollection,
    invoice_creation,
)

api = Operations(prefix="/v1/payment_links")


class PaymentLink(StripeObject, table="payment_links", key=("id",), unique=(("seq",), ("slug",))):
    active: Column[bool] = column(default=True)
    after_completion: Column[Json] = column(default={})
    allow_promotion_codes: Column[bool] = column(default=False)
    application_fee_amount: Column[int | None] = column(default=None)
    application_fee_percent: Column[float | None] = column(default=None)
    automatic_tax: Column[Json] = column(default=None)
    billing_address_collection: Column[str] = column(default="auto")
    currency: Column[str]
    customer_creation: Column[str] = column(default="if_required")
    inactive_message: Column[str | None] = column(default=None)
    metadata: Column[Json] = column(default={})
    on_behalf_of: Column[str | None] = column(default=None)
    optional_items: Column[Json | None] = column(default=None)
    payment_intent_data: Column[Json] = column(default=None)
    payment_method_collection: Column[str] = column(default="always")
    payment_method_types: Column[Json] = column(default=None)
    submit_type: Column[str] = column(default="auto")
    subscription_data: Column[Json] = column(default=None)
    custom_fields: Column[Json] = column(default=[])
    restrictions: Column[Json] = column(default=None)
    settings: Column[Json] = column(default={})
    """Page settings of its sessions, in the form of a session's own."""
    shipping_address_collection: Column[Json] = column(default=None)
    shipping_options: Column[Json] = column(default=[])
    slug: Column[str]
    transfer_data: Column[Json] = column(default=None)


CONFIRMATION: Fields = {"type": "hosted_confirmation", "hosted_confirmation": {"custom_message": None}}


def _after(row: PaymentLink) -> Fields:
    said: Fields = row.after_completion
    return {**CONFIRMATION, **said} if said.get("type", "hosted_confirmation") == "hosted_confirmation" else said


def _intent_data(row: PaymentLink) -> Fields | None:
    """Render `payment_intent_data` with its empty fields."""
    empty: Fields = {**dict.fromkeys(LinkIntentData.__struct_fields__), "metadata": {}}
    return {**empty, **row.payment_intent_data} if row.payment_intent_data else None


def _invoices(row: PaymentLink) -> Fields:
    return invoice_creation(row.settings.get("invoice_creation"))


def _subscriptions(row: PaymentLink) -> Fields:
    """Render `subscription_data`, which every link has, with its defaults."""
    return {
        "description": None,
        "invoice_settings": {"issuer": {"type": "self"}},
        "metadata": {},
        "trial_period_days": None,
        "trial_settings": {"end_behavior": {"missing_payment_method": "create_invoice"}},
        **(row.subscription_data or {}),
    }


def _tax_ids(row: PaymentLink) -> Fields:
    return VIEWS["tax_id_collection"](row) or {"enabled": False, "required": "never"}


link_object = build_view(
    PaymentLink,
    "payment_link",
    "settings",
    "slug",
    created=LEFT_OUT,
    after_completion=_after,
    application=None,
    automatic_tax=automatic_tax.shown_as("enabled", "liability"),
    consent_collection=VIEWS["consent_collection"],
    custom_text=VIEWS["custom_text"],
    invoice_creation=_invoices,
    name_collection=VIEWS["name_collection"],
    payment_intent_data=_intent_data,
    phone_number_collection=VIEWS["phone_number_collection"],
    subscription_data=_subscriptions,
    tax_id_collection=_tax_ids,
    url=PaymentLink.slug,
)


def _fill(call: Call, objects: list[Fields]) -> None:
    """Set the URL of each rendered link."""
    for each in objects:
        each["url"] = f"{call.base_url}/b/{each['url']}"


def _items(call: Call, fields: Fields) -> Fields:
    return render_items(call, fields["id"], f"/v1/payment_links/{fields['id']}/line_items")


LINKS = resource(
    PaymentLink,
    "payment_link",
    "plink_",
    link_object,
    spoken="payment link",
    param="payment_link",
    expandable=("on_behalf_of", "transfer_data.destination"),
    includes={"line_items": _items},
    fill=_fill,
)


class AfterCompletion(NestedParams):
    """The behavior after a payment."""

    type: Literal["hosted_confirmation", "redirect"]
    hosted_confirmation: dict[str, str] | UnsetType = UNSET
    redirect: dict[str, str] | UnsetType = UNSET


class CompletedSessionsLimit(NestedParams):
    """The maximum of completed sessions."""

    limit: Integer


class Restrictions(NestedParams):
    """Restrictions on the use of a link."""

    completed_sessions: CompletedSessionsLimit


class LinkParams(Params, kw_only=True):
    """Parameters shared by the create and update operations."""

    active: OptBool = UNSET
    automatic_tax: OptAutomaticTax = UNSET
    after_completion: AfterCompletion | UnsetType = UNSET
    allow_promotion_codes: OptBool = UNSET
    billing_address_collection: Literal["auto", "required"] | UnsetType = UNSET
    consent_collection: ConsentCollection | UnsetType = UNSET
    custom_fields: list[CustomField] | Unset | UnsetType = UNSET
    custom_text: CustomText | UnsetType = UNSET
    customer_creation: Literal["always", "if_required"] | UnsetType = UNSET
    inactive_message: OptText = UNSET
    invoice_creation: InvoiceCreation | UnsetType = UNSET
    metadata: OptMetadata = UNSET
    name_collection: NameCollection | UnsetType = UNSET
    payment_intent_data: LinkIntentData | UnsetType = UNSET
    payment_method_collection: Literal["always", "if_required"] | UnsetType = UNSET
    payment_method_types: list[str] | Unset | UnsetType = UNSET
    phone_number_collection: Switch | UnsetType = UNSET
    restrictions: Restrictions | Unset | UnsetType = UNSET
    shipping_address_collection: AddressCollection | Unset | UnsetType = UNSET
    submit_type: Literal["auto", "book", "donate", "pay", "subscribe"] | UnsetType = UNSET
    subscription_data: LinkSubscriptionData | UnsetType = UNSET
    tax_id_collection: TaxIdCollection | UnsetType = UNSET


class CreateLink(LinkParams, kw_only=True):
    """The parameters of a new link."""

    line_items: list[SaleItemParams]
    application_fee_amount: OptInteger = UNSET
    application_fee_percent: float | UnsetType = UNSET
    currency: OptName = UNSET
    on_behalf_of: OptText = UNSET
    optional_items: OptItems = UNSET
    transfer_data: TransferData | UnsetType = UNSET
    shipping_options: list[ShippingOption] | UnsetType = UNSET


class ChangedItem(NestedParams, kw_only=True):
    """A new quantity of a line item."""

    id: str
    adjustable_quantity: Adjustable | UnsetType = UNSET
    quantity: OptInteger = UNSET


class UpdateLink(LinkParams, kw_only=True):
    """The parameters of an update."""

    line_items: list[ChangedItem] | UnsetType = UNSET
    optional_items: OptItems | Unset = UNSET


class ListLinks(ListParams, kw_only=True):
    """The parameters of a list of links."""

    active: OptBool = UNSET


@api.post("")
def create_payment_link(call: Call, params: Annotated[CreateLink, Body]) -> Fields:
    """Create a payment link."""
    id = object_id(call, "plink_")
    for number, each in enumerate(params.line_items):
        if each.quantity is UNSET:
            param = f"line_items[{number}][quantity]"
            raise StripeError(f"Missing required param: {param}.", code="parameter_missing", param=param)
    currency = parse_currency(params.currency) if isinstance(params.currency, str) and params.currency else None
    items = add_items(call, id, params.line_items, currency=currency)
    check_count(items, "line_items", MAX_ITEMS_OF_LINK)
    if not items:
        raise StripeError("Missing required param: line_items.", code="parameter_missing", param="line_items")
    check_mode_params(params, "subscription" if is_recurring(call, items) else "payment")
    fields = _fields(call, params, None)
    if fields.get("automatic_tax"):
        sale_taxes.check_items(call, items)
    check_sale(call, params, recurring=is_recurring(call, items), destination=params.transfer_data)
    fields["optional_items"] = _options(call, items, params.optional_items)
    if transfer := fields.get("transfer_data"):
        fields["transfer_data"] = {"amount": None, **transfer}
    fields["currency"] = totals(items)["currency"]
    shipping = params.shipping_options if isinstance(params.shipping_options, list) else []
    fields |= shipping_fields(call, shipping, fields["currency"])
    fields.pop("shipping_cost", None)
    slug = f"test_{new_id(call, '', 18)}"
    made = new(call, LINKS, id=id, slug=slug, **fields, metadata=merge_metadata({}, params.metadata))
    record_row(call, "payment_link.created", LINKS, made)
    return show(call, LINKS, made)


@api.get("/{payment_link}")
def retrieve_payment_link(call: Call, payment_link: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a payment link."""
    return show(call, LINKS, retrieve(call, LINKS, payment_link))


@api.post("/{payment_link}")
def update_payment_link(call: Call, payment_link: str, params: Annotated[UpdateLink, Body]) -> Fields:
    """Update the mutable fields of a payment link."""
    row = retrieve(call, LINKS, payment_link)
    for number, each in enumerate(params.line_items or []):
        _change_item(call, row, each, number)
    if params.optional_items is not UNSET:
        options = _options(call, items_for(call, row.id), params.optional_items or [])
        row = call.db.change(row, optional_items=options or None)
    check_mode_params(params, "subscription" if is_recurring(call, items_for(call, row.id)) else "payment")
    metadata = merge_metadata(row.metadata, params.metadata)
    return show(call, LINKS, update(call, LINKS, row, **_fields(call, params, row), metadata=metadata))


@api.get("/{payment_link}/line_items")
def list_line_items(call: Call, payment_link: str, params: Annotated[ListParams, Body]) -> Fields:
    """List the line items of a payment link."""
    row = retrieve(call, LINKS, payment_link)
    return list_items(call, row.id, params, f"/v1/payment_links/{payment_link}/line_items")


@api.get("")
def list_payment_links(call: Call, params: Annotated[ListLinks, Body]) -> Fields:
    """List payment links."""
    return list_of(call, LINKS, params, "/v1/payment_links", *equal((PaymentLink.active, params.active)))


def _options(call: Call, items: list[SaleItem], wanted: OptItems) -> list[Fields] | None:
    """Return the optional items of a link."""
    options = build_optional_items(call, wanted, items)
    check_mode(call, options or [], "subscription" if is_recurring(call, items) else "payment")
    return options


SETTINGS = (
    "consent_collection", "custom_text", "invoice_creation", "name_collection", "phone_number_collection",
    "tax_id_collection",
)  # fmt: skip


def _fields(call: Call, params: LinkParams, row: PaymentLink | None) -> Fields:
    """Return the columns that the parameters set; `row` is the existing link, or None."""
    fields = collect_params(
        params,
        "line_items",
        "optional_items",
        "currency",
        "custom_fields",
        "restrictions",
        "shipping_options",
        *SETTINGS,
    )
    said = {name: value_of(getattr(params, name)) for name in SETTINGS if getattr(params, name) is not UNSET}
    if said:
        fields["settings"] = {**(row.settings if row else {}), **said}
    if params.custom_fields is not UNSET:
        fields["custom_fields"] = custom_fields(params.custom_fields or [])
    if isinstance(params.restrictions, Restrictions):
        used: Fields | None = row.restrictions if row else None
        count: int = used["completed_sessions"]["count"] if used else 0
        limit = params.restrictions.completed_sessions.limit
        fields["restrictions"] = {"completed_sessions": {"count": count, "limit": limit}}
    elif params.restrictions == "":
        fields["restrictions"] = None
    if isinstance(params.subscription_data, LinkSubscriptionData):
        check_trial(params.subscription_data)
    if isinstance(params.after_completion, AfterCompletion):
        after, at = params.after_completion, "after_completion[redirect]"
        if after.type == "redirect" and not after.redirect:
            raise StripeError(f"Missing required param: {at}.", code="parameter_missing", param=at)
        check_url((after.redirect or {}).get("url"), f"{at}[url]")
        fields["after_completion"] = value_of(params.after_completion)
    types: list[str] = fields.get("payment_method_types") or []
    for type in types:
        if type != "card":
            raise StripeError(
                f"This twin's page takes cards alone; '{type[:50]}' was given.", param="payment_method_types"
            )
    return fields | automatic_tax.to_automatic_tax_columns(call, params.automatic_tax)


def _change_item(call: Call, row: PaymentLink, params: ChangedItem, number: int) -> None:
    item = next((each for each in items_for(call, row.id) if each.id == params.id), None)
    if item is None:
        raise StripeError(
            f"No such line item: '{params.id[:100]}'", code="resource_missing", param=f"line_items[{number}][id]"
        )
    if isinstance(params.quantity, int) and params.quantity > 0:
        each = item.amount_subtotal // (item.quantity or 1) * params.quantity
        total = item.amount_total // (item.quantity or 1) * params.quantity
        call.db.change(item, quantity=params.quantity, amount_subtotal=each, amount_total=total)


def to_session_columns(row: PaymentLink) -> Fields:
    """Return the columns that sessions inherit from a link."""
    return {
        "allow_promotion_codes": row.allow_promotion_codes,
        "automatic_tax": row.automatic_tax,
        "billing_address_collection": row.billing_address_collection,
        "custom_fields": row.custom_fields,
        "optional_items": row.optional_items,
        "payment_link": row.id,
        "settings": row.settings,
        "shipping_address_collection": row.shipping_address_collection,
    }


def payment_data(row: PaymentLink) -> Fields:
    """Return the payment settings that sessions inherit from a link: intent data and Connect settings."""
    connected = {name: getattr(row, name) for name in ("application_fee_amount", "on_behalf_of", "transfer_data")}
    return {**(row.payment_intent_data or {}), **{name: value for name, value in connected.items() if value}}


def subscription_data(row: PaymentLink) -> Fields:
    """Return the subscription settings that sessions inherit from a link, Connect settings included."""
    connected: Fields = {"application_fee_percent": row.application_fee_percent, "on_behalf_of": row.on_behalf_of}
    if row.transfer_data:
        connected["transfer_data"] = {"destination": row.transfer_data["destination"]}
    return {**(row.subscription_data or {}), **{name: value for name, value in connected.items() if value}}


def count_completed(call: Call, id: str) -> None:
    """Count a completed session of a link; the link is deactivated when its limit is reached."""
    row = retrieve(call, LINKS, id)
    if row.restrictions:
        used: Fields = row.restrictions["completed_sessions"]
        counted = {**used, "count": used["count"] + 1}
        over = counted["count"] >= counted["limit"]
        update(call, LINKS, row, restrictions={"completed_sessions": counted}, active=row.active and not over)
