"""Checkout sessions: pages on which customers pay.

https://docs.stripe.com/api/checkout/sessions
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column
from twindiff.kit.styles.stripe import StripeError

from . import automatic_tax, sale_taxes
from .checkout_data import IntentData, SubscriptionData, check_data, check_periods, until_anchor
from .checkout_extras import AddressCollection, CustomField, ShippingOption, custom_fields, shipping_fields
from .checkout_settings import KEPT, VIEWS, PageSettings, branding, details_of, settings_of
from .coupons import COUPONS, Coupon
from .currencies import check_charge
from .customers import CUSTOMERS
from .destinations import check_destination
from .discounts import DiscountParams
from .events import record_row
from .layer import version_of
from .lists import equal, list_of, of_objects, within
from .objects import Fields, StripeObject, new, new_id, now, refer, resource, retrieve, show, shown
from .optional_items import OptItems, check_mode, offered
from .params import (
    Integer,
    ListParams,
    OptBool,
    OptInteger,
    OptMetadata,
    OptRange,
    OptText,
    Params,
    Part,
    check_text,
    given,
    is_set,
    merged_metadata,
    value_of,
)
from .payments import PAYMENTS
from .pricing import percentage
from .promotion_codes import PROMOTION_CODES
from .sale_items import OptSaleItems, SaleItem, add_items, items_for, listed_items, prices_for, shown_items, totals
from .urls import check_url

api = Operations(prefix="/v1/checkout/sessions")

DAY = 86400
LEAST_OPEN = 30 * 60


class CheckoutSession(
    StripeObject,
    table="checkout_sessions",
    key=("id",),
    unique=(("seq",),),
    indexes=(("customer", "seq"), ("payment_intent",), ("payment_link", "seq"), ("subscription",)),
):
    allow_promotion_codes: Column[bool | None] = column(default=None)
    amount_subtotal: Column[int | None] = column(default=None)
    amount_total: Column[int | None] = column(default=None)
    automatic_tax: Column[Json] = column(default=None)
    billing_address_collection: Column[str | None] = column(default=None)
    cancel_url: Column[str | None] = column(default=None)
    client_reference_id: Column[str | None] = column(default=None)
    collected_information: Column[Json | None] = column(default=None)
    currency: Column[str | None] = column(default=None)
    custom_fields: Column[Json | None] = column(default=None)
    customer: Column[str | None] = column(default=None)
    customer_creation: Column[str | None] = column(default=None)
    customer_details: Column[Json] = column(default=None)
    customer_email: Column[str | None] = column(default=None)
    discounts: Column[Json] = column(default=[])
    expires_at: Column[int]
    invoice: Column[str | None] = column(default=None)
    locale: Column[str | None] = column(default=None)
    metadata: Column[Json] = column(default={})
    mode: Column[str]
    optional_items: Column[Json | None] = column(default=None)
    payment_intent: Column[str | None] = column(default=None)
    payment_link: Column[str | None] = column(default=None)
    payment_method_collection: Column[str | None] = column(default=None)
    payment_method_types: Column[Json]
    payment_status: Column[str] = column(default="unpaid")
    return_url: Column[str | None] = column(default=None)
    setup_intent: Column[str | None] = column(default=None)
    shipping_address_collection: Column[Json | None] = column(default=None)
    shipping_cost: Column[Json | None] = column(default=None)
    shipping_options: Column[Json | None] = column(default=None)
    status: Column[str] = column(default="open")
    submit_type: Column[str | None] = column(default=None)
    subscription: Column[str | None] = column(default=None)
    success_url: Column[str | None] = column(default=None)
    total_details: Column[Json] = column(default=None)
    ui_mode: Column[str] = column(default="hosted_page")
    client_secret: Column[str | None] = column(default=None, derived=True)
    redirect_on_completion: Column[str | None] = column(default=None)
    settings: Column[Json] = column(default={})
    payment_intent_data: Column[Json] = column(default={})
    subscription_data: Column[Json] = column(default={})


def _custom_fields(row: CheckoutSession) -> list[Any]:
    return row.custom_fields or []


def _shipping_options(row: CheckoutSession) -> list[Any]:
    return row.shipping_options or []


session_object = shown(
    CheckoutSession,
    "checkout.session",
    "settings",
    "payment_intent_data",
    "subscription_data",
    **VIEWS,
    allowed_payment_method_types=None,
    automatic_tax=automatic_tax.shown_as("enabled", "liability", "provider", "status"),
    currency_conversion=None,
    integration_identifier=None,
    custom_fields=_custom_fields,
    customer_account=None,
    payment_method_configuration_details=None,
    permissions=None,
    recovered_from=None,
    shipping_options=_shipping_options,
)


def _fill(call: Call, objects: list[Fields]) -> None:
    """Say at which address an open session is paid."""
    for each in objects:
        is_open = each["status"] == "open" and each["ui_mode"] == "hosted_page"
        each["branding_settings"] = {**branding(call), **(each["branding_settings"] or {})}
        each["url"] = f"{call.base_url}/c/pay/{each['id']}" if is_open else None
        if each["redirect_on_completion"] is None:
            del each["redirect_on_completion"]
        if version_of(call) < RENAMED:
            each["ui_mode"] = OLD_MODES.get(each["ui_mode"], each["ui_mode"])


def _items(call: Call, fields: Fields) -> Fields:
    return shown_items(call, fields["id"], f"/v1/checkout/sessions/{fields['id']}/line_items")


SESSIONS = resource(
    CheckoutSession,
    "checkout.session",
    "cs_test_",
    session_object,
    spoken="checkout.session",
    param="session",
    id_length=58,
    expandable=(
        "customer",
        "invoice",
        "payment_intent",
        "payment_link",
        "setup_intent",
        "subscription",
        "shipping_cost.shipping_rate",
        "shipping_options.shipping_rate",
    ),
    includes={"line_items": _items},
    fill=_fill,
)


RENAMED = "2026-03-25"
"""The version from which ways to show a session have other names."""
OLD_MODES = {"embedded_page": "embedded", "elements": "custom", "hosted_page": "hosted"}
NEW_MODES = {old: new for new, old in OLD_MODES.items()}


class CreateSession(PageSettings, kw_only=True):
    """The parameters of a new session."""

    allow_promotion_codes: OptBool = UNSET
    billing_address_collection: Literal["auto", "required"] | UnsetType = UNSET
    cancel_url: OptText = UNSET
    client_reference_id: OptText = UNSET
    currency: OptText = UNSET
    custom_fields: list[CustomField] | UnsetType = UNSET
    customer: OptText = UNSET
    customer_account: OptText = UNSET
    customer_creation: Literal["always", "if_required"] | UnsetType = UNSET
    customer_email: OptText = UNSET
    discounts: list[DiscountParams] | UnsetType = UNSET
    expires_at: OptInteger = UNSET
    line_items: OptSaleItems = UNSET
    locale: OptText = UNSET
    metadata: OptMetadata = UNSET
    optional_items: OptItems = UNSET
    mode: Literal["payment", "setup", "subscription"] | UnsetType = UNSET
    payment_intent_data: IntentData | UnsetType = UNSET
    payment_method_collection: Literal["always", "if_required"] | UnsetType = UNSET
    payment_method_types: list[str] | UnsetType = UNSET
    return_url: OptText = UNSET
    shipping_address_collection: AddressCollection | UnsetType = UNSET
    shipping_options: list[ShippingOption] | UnsetType = UNSET
    submit_type: Literal["auto", "book", "donate", "pay", "subscribe"] | UnsetType = UNSET
    subscription_data: SubscriptionData | UnsetType = UNSET
    success_url: OptText = UNSET
    redirect_on_completion: Literal["always", "if_required", "never"] | UnsetType = UNSET
    ui_mode: Literal["custom", "elements", "embedded", "embedded_page", "form", "hosted", "hosted_page"] | UnsetType = (
        UNSET
    )


class CustomerFilter(Part):
    """Whose sessions are listed."""

    email: str


class ListSessions(ListParams, kw_only=True):
    """The parameters of a list of sessions."""

    created: OptRange = UNSET
    customer: OptText = UNSET
    customer_account: OptText = UNSET
    customer_details: CustomerFilter | UnsetType = UNSET
    payment_intent: OptText = UNSET
    payment_link: OptText = UNSET
    status: Literal["complete", "expired", "open"] | UnsetType = UNSET
    subscription: OptText = UNSET


@api.post("")
def create_session(call: Call, params: Annotated[CreateSession, Body]) -> Fields:
    """Open a page on which something is paid, subscribed to, or a card is kept for later."""
    fields = given(params, *_NO_COLUMNS)
    fields["ui_mode"] = _ui_mode(call, params)
    _check(call, params, fields)
    fields["custom_fields"] = custom_fields(params.custom_fields or [])
    fields["settings"] = settings_of(params, fields.get("customer"))
    fields["payment_intent_data"] = value_of(params.payment_intent_data or {})
    check_text(fields["payment_intent_data"], "payment_intent_data")
    fields |= automatic_tax.switched(call, params.automatic_tax)
    fields["subscription_data"] = value_of(params.subscription_data or {})
    if isinstance(params.subscription_data, SubscriptionData):
        check_data(call, params.subscription_data)
    metadata = merged_metadata({}, params.metadata)
    shipping = params.shipping_options or []
    optional = params.optional_items
    made = open_session(call, params.line_items, params.discounts, shipping, optional, **fields, metadata=metadata)
    if isinstance(params.subscription_data, SubscriptionData):
        check_periods(call, params.subscription_data, items_for(call, made.id))
    if isinstance(params.payment_intent_data, IntentData):
        check_destination(call, params.payment_intent_data, made.amount_total or 0)
    return show(call, SESSIONS, made)


_NO_COLUMNS = (
    *KEPT,
    "line_items",
    "discounts",
    "payment_intent_data",
    "subscription_data",
    "customer_account",
    "optional_items",
    "custom_fields",
    "shipping_options",
)
"""Parameters that are no columns of the session as they are."""


CREATION = {"payment": "if_required", "setup": None, "subscription": "always"}
"""By mode: whether a session makes a customer, where none is named and nothing else is said."""


def open_session(
    call: Call,
    wanted: OptSaleItems,
    discounts: list[DiscountParams] | UnsetType,
    shipping: list[ShippingOption],
    optional: OptItems = UNSET,
    **fields: Any,
) -> CheckoutSession:
    """Write a session with what it sells."""
    id = new_id(call, "cs_test_", 58)
    items = add_items(call, id, wanted if isinstance(wanted, list) else [])
    fields["mode"] = fields.get("mode") or _mode(call, items)
    check_items(call, fields["mode"], items)
    if options := fields.get("optional_items") or offered(call, optional, items):
        check_mode(call, options, fields["mode"])
        fields["optional_items"] = options
    coupons = [_coupon(call, each, f"discounts[{n}]") for n, each in enumerate(discounts or [])]
    if shipping and fields["mode"] != "payment":
        raise StripeError("`shipping_options` is only supported in `payment` mode.", param="shipping_options")
    fields |= shipping_fields(call, shipping, items[0].currency) if items else {}
    off = off_total(items, [row for row, _ in coupons])
    if fields.get("automatic_tax"):
        items, taxed = _taxed(call, items, off, fields)
        fields |= taxed
    amounts = amounts_of(call, items, off, fields) if items else {}
    if fields["mode"] == "payment" and amounts["amount_total"]:
        check_charge(amounts["amount_total"], amounts["currency"])
    given_discounts = [{"coupon": row.id, "promotion_code": code} for row, code in coupons]
    return new(call, SESSIONS, id=id, **{**_defaults(call, id, fields), **fields, **amounts}, discounts=given_discounts)


def _defaults(call: Call, id: str, fields: Fields) -> Fields:
    """What a session has where nothing else is said."""
    defaults: Fields = {"expires_at": now(call) + DAY, "payment_method_types": ["card"]}
    if fields.get("ui_mode", "hosted_page") != "hosted_page":
        defaults |= {"client_secret": f"{id}_secret_{new_id(call, '', 40)}", "redirect_on_completion": "always"}
    email: str | None = fields.get("customer_email")
    if who := fields.get("customer"):
        email = refer(call, CUSTOMERS, who, "customer").email
    else:
        defaults["customer_creation"] = CREATION[fields["mode"]]
    if who or email:
        defaults["customer_details"] = details_of(email, fields["mode"])
    return defaults


def _taxed(call: Call, items: list[SaleItem], off: int, fields: Fields) -> tuple[list[SaleItem], Fields]:
    """The items with automatic tax, and what is said of it; where the customer is may still have to be asked."""
    sale_taxes.check_items(call, items)
    customer = refer(call, CUSTOMERS, fields["customer"], "customer") if fields.get("customer") else None
    place = automatic_tax.place_of(call, customer) if customer else None
    updates: Fields = fields.get("settings", {}).get("customer_update") or {}
    if customer and not place and "auto" not in (updates.get("address"), updates.get("shipping")):
        message = (
            "Automatic tax calculation in Checkout requires a valid address on the Customer. Add a valid address to "
            "the Customer or set either `customer_update[address]` to 'auto' or `customer_update[shipping]` to 'auto' "
            "to save the address entered in Checkout to the Customer."
        )
        raise StripeError(message, code="customer_tax_location_invalid")
    cost = sale_taxes.shipping(call, fields.get("shipping_cost"), place, customer, items)
    status = sale_taxes.status(fields["automatic_tax"], place)
    return sale_taxes.taxed(call, items, off, place, customer), {"automatic_tax": status, "shipping_cost": cost}


def amounts_of(call: Call, items: list[SaleItem], off: int, fields: Fields) -> Fields:
    """What is paid at once, which a trial makes nothing of for all that is paid again and again."""
    said: Fields = fields.get("subscription_data") or {}
    if not said.get("trial_period_days") and not said.get("trial_end"):
        due = until_anchor(call, items, said)
        return totals(due, min(off, sum(item.amount_subtotal for item in due)), fields.get("shipping_cost"))
    prices = prices_for(call, items)
    once = [item for item in items if prices[item.price].type == "one_time"]
    amounts = totals(once, min(off, sum(item.amount_subtotal for item in once)))
    return {**amounts, "currency": items[0].currency}


@api.get("/{session}")
def retrieve_session(call: Call, session: str, params: Annotated[Params, Body]) -> Fields:
    """Look at a session."""
    return show(call, SESSIONS, retrieve(call, SESSIONS, session))


@api.post("/{session}/expire")
def expire_session(call: Call, session: str, params: Annotated[Params, Body]) -> Fields:
    """Close a session that nobody has paid."""
    row = retrieve(call, SESSIONS, session)
    if row.status != "open":
        raise StripeError(
            f'Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of '
            f"{row.status}.",
        )
    return show(call, SESSIONS, _expire(call, row))


@api.get("/{session}/line_items")
def list_line_items(call: Call, session: str, params: Annotated[ListParams, Body]) -> Fields:
    """List what a session sells."""
    row = retrieve(call, SESSIONS, session)
    return listed_items(call, row.id, params, f"/v1/checkout/sessions/{session}/line_items")


@api.get("")
def list_sessions(call: Call, params: Annotated[ListSessions, Body]) -> Fields:
    """List sessions."""
    where = within(CheckoutSession.created, params.created)
    where += equal((CheckoutSession.payment_link, params.payment_link), (CheckoutSession.status, params.status))
    where += of_objects(call, (CheckoutSession.customer, params.customer, CUSTOMERS))
    where += of_objects(call, (CheckoutSession.payment_intent, params.payment_intent, PAYMENTS))
    where += equal((CheckoutSession.subscription, params.subscription))
    if isinstance(params.customer_details, CustomerFilter):
        where += equal((CheckoutSession.customer_email, params.customer_details.email))
    return list_of(call, SESSIONS, params, "/v1/checkout/sessions", *where)


@api.due(CheckoutSession.expires_at, CheckoutSession.status == "open")
def close_session(call: Call, row: CheckoutSession) -> None:
    """Close a session whose time is over."""
    _expire(call, row)


def _expire(call: Call, row: CheckoutSession) -> CheckoutSession:
    expired = call.db.change(row, status="expired")
    record_row(call, "checkout.session.expired", SESSIONS, expired)
    return expired


def _mode(call: Call, items: list[SaleItem]) -> str:
    recurring = any(price.type == "recurring" for price in prices_for(call, items).values()) if items else False
    return "subscription" if recurring else "payment"


def check_items(call: Call, mode: str, items: list[SaleItem]) -> None:
    """Raise for what cannot be sold in a mode."""
    if mode == "setup":
        if items:
            raise StripeError("`line_items` are not supported in `setup` mode.", param="line_items")
        return
    if not items:
        raise StripeError("Missing required param: line_items.", code="parameter_missing", param="line_items")
    recurring = [price.type == "recurring" for price in prices_for(call, items).values()]
    if mode == "payment" and any(recurring):
        message = (
            "You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use "
        )
        raise StripeError(message + "only one-time prices.", param="line_items")
    if mode == "subscription" and not any(recurring):
        message = "You must provide at least one recurring price in `subscription` mode when using prices."
        raise StripeError(message, param="line_items")


def _check(call: Call, params: CreateSession, fields: Fields) -> None:
    if params.mode is UNSET and params.line_items is UNSET:
        raise StripeError("Missing required param: line_items.", code="parameter_missing", param="line_items")
    _check_urls(params, fields["ui_mode"])
    if params.allow_promotion_codes is not UNSET and is_set(params.discounts):
        message = "You may only specify one of these parameters: allow_promotion_codes, discounts."
        raise StripeError(message, param="allow_promotion_codes")
    for name in ("success_url", "cancel_url", "return_url"):
        check_url(fields.get(name), name)
    if fields.get("customer") and fields.get("customer_email"):
        raise StripeError("You may only specify one of these parameters: customer, customer_email.", param="customer")
    if customer := fields.get("customer"):
        refer(call, CUSTOMERS, customer, "customer")
    types: list[str] = fields.get("payment_method_types") or []
    for type in types:
        if type != "card":
            raise StripeError(
                f"This twin's page takes cards alone; '{type[:50]}' was given.", param="payment_method_types"
            )
    _check_expiry(call, params.expires_at)


def _ui_mode(call: Call, params: CreateSession) -> str:
    """How a session is shown, by its name of today."""
    wanted = params.ui_mode or "hosted_page"
    if version_of(call) < RENAMED:
        wanted = NEW_MODES.get(wanted, wanted)
    if wanted in NEW_MODES:
        message = "Invalid ui_mode: must be one of elements, embedded_page, form, or hosted_page"
        raise StripeError(message, param="ui_mode")
    return wanted


def _check_urls(params: CreateSession, ui_mode: str) -> None:
    """Raise for addresses that are lacking, or that a session shown like that has no use for."""
    hosted = ui_mode == "hosted_page"
    useless = ("return_url", "redirect_on_completion") if hosted else ("success_url", "cancel_url")
    for name in useless:
        if is_set(getattr(params, name)):
            raise StripeError(f"`{name}` can not be used when `ui_mode` is `{ui_mode}`.", param=name)
    needed = "success_url" if hosted else "return_url"
    if not getattr(params, needed) and params.redirect_on_completion != "never":
        raise StripeError(f"Missing required param: {needed}.", code="parameter_missing", param=needed)


def _check_expiry(call: Call, at: Integer | UnsetType) -> None:
    if isinstance(at, int) and not now(call) + LEAST_OPEN <= at <= now(call) + DAY:
        message = "The `expires_at` timestamp must be between 30 minutes and 24 hours from Checkout Session creation."
        raise StripeError(message, param="expires_at")


def _coupon(call: Call, wanted: DiscountParams, at: str) -> tuple[Coupon, str | None]:
    if isinstance(wanted.promotion_code, str) and wanted.promotion_code:
        code = refer(call, PROMOTION_CODES, wanted.promotion_code, f"{at}[promotion_code]")
        return refer(call, COUPONS, code.coupon, f"{at}[promotion_code]"), code.id
    return refer(call, COUPONS, wanted.coupon or "", f"{at}[coupon]"), None


def off_total(items: list[SaleItem], coupons: list[Coupon]) -> int:
    """What coupons take off all items."""
    left = total = sum(item.amount_subtotal for item in items)
    for coupon in coupons:
        off = coupon.amount_off if coupon.percent_off is None else percentage(left, coupon.percent_off)
        left -= min(off or 0, left)
    return total - left
