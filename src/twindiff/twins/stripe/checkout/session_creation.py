"""Creation of checkout sessions: validation, defaults and line items.

https://docs.stripe.com/api/checkout/sessions/create
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ..catalog.coupons import COUPONS, Coupon
from ..catalog.discounts import DiscountParams
from ..catalog.promotion_codes import PROMOTION_CODES
from ..connect.destination_charges import check_destination
from ..core.middleware import version_of
from ..core.objects import Fields, new, new_id, now, refer, show
from ..core.params import (
    Integer,
    OptBool,
    OptInteger,
    OptMetadata,
    OptText,
    check_text,
    collect_params,
    is_set,
    merge_metadata,
    value_of,
)
from ..core.urls import check_url
from ..customer.customers import CUSTOMERS
from ..sales import sale_taxes
from ..sales.sale_items import OptSaleItems, SaleItem, add_items, check_quantities, items_for, prices_for
from ..tax import automatic_tax
from .form_fields import AddressCollection, CustomField, ShippingOption, custom_fields, shipping_fields
from .intent_and_subscription_data import IntentData, SubscriptionData, check_data, check_periods
from .optional_items import OptItems, build_optional_items, check_mode
from .session_amounts import amounts
from .session_settings import KEPT, PageSettings, details_of, settings_of
from .sessions import NEW_MODES, RENAMED, SESSIONS, CheckoutSession

api = Operations(prefix="/v1/checkout/sessions")

DAY = 86400
MIN_OPEN_SECONDS = 30 * 60


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


@api.post("")
def create_session(call: Call, params: Annotated[CreateSession, Body]) -> Fields:
    """Create a checkout session, in payment, subscription or setup mode."""
    fields = collect_params(params, *_NO_COLUMNS)
    fields["ui_mode"] = _ui_mode(call, params)
    _check(call, params, fields)
    fields["custom_fields"] = custom_fields(params.custom_fields or [])
    fields["settings"] = settings_of(params, fields.get("customer"))
    fields["payment_intent_data"] = value_of(params.payment_intent_data or {})
    check_text(fields["payment_intent_data"], "payment_intent_data")
    fields |= automatic_tax.to_automatic_tax_columns(call, params.automatic_tax)
    fields["subscription_data"] = value_of(params.subscription_data or {})
    if isinstance(params.subscription_data, SubscriptionData):
        check_data(call, params.subscription_data)
    metadata = merge_metadata({}, params.metadata)
    shipping = params.shipping_options or []
    optional = params.optional_items
    made = open_session(call, params.line_items, params.discounts, shipping, optional, **fields, metadata=metadata)
    _check_data_mode(params, made.mode)
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
"""Parameters that are not stored as columns unchanged."""


CREATION = {"payment": "if_required", "setup": None, "subscription": "always"}
"""Default of `customer_creation` by mode, for a session without a customer."""


def open_session(
    call: Call,
    wanted: OptSaleItems,
    discounts: list[DiscountParams] | UnsetType,
    shipping: list[ShippingOption],
    optional: OptItems = UNSET,
    **fields: Any,
) -> CheckoutSession:
    """Create a session with its line items; `fields` are its other columns."""
    id = new_id(call, "cs_test_", 58)
    sold = wanted if isinstance(wanted, list) else []
    items = add_items(call, id, sold)
    check_quantities(items, sold)
    fields["mode"] = fields.get("mode") or _mode(call, items)
    check_items(call, fields["mode"], items)
    if options := fields.get("optional_items") or build_optional_items(call, optional, items):
        check_mode(call, options, fields["mode"])
        fields["optional_items"] = options
    coupons = [_coupon(call, each, f"discounts[{n}]") for n, each in enumerate(discounts or [])]
    if shipping and fields["mode"] != "payment":
        raise StripeError("`shipping_options` is only supported in `payment` mode.", param="shipping_options")
    fields |= shipping_fields(call, shipping, items[0].currency) if items else {}
    fields["discounts"] = [{"coupon": row.id, "promotion_code": code} for row, code in coupons]
    if fields.get("automatic_tax"):
        _check_taxed(call, items, fields)
    made = new(call, SESSIONS, id=id, **{**_defaults(call, id, fields), **fields})
    return call.db.change(made, **amounts(call, made)) if items else made


def _defaults(call: Call, id: str, fields: Fields) -> Fields:
    """Return the default columns of a session."""
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


def _check_taxed(call: Call, items: list[SaleItem], fields: Fields) -> None:
    """Raise StripeError for what automatic tax does not allow; the page may still ask for a location."""
    sale_taxes.check_items(call, items)
    customer = refer(call, CUSTOMERS, fields["customer"], "customer") if fields.get("customer") else None
    updates: Fields = fields.get("settings", {}).get("customer_update") or {}
    if customer is None or "auto" in (updates.get("address"), updates.get("shipping")):
        return
    if automatic_tax.find_tax_location(call, customer) is None:
        message = (
            "Automatic tax calculation in Checkout requires a valid address on the Customer. Add a valid address to "
            "the Customer or set either `customer_update[address]` to 'auto' or `customer_update[shipping]` to 'auto' "
            "to save the address entered in Checkout to the Customer."
        )
        raise StripeError(message, code="customer_tax_location_invalid")


def _mode(call: Call, items: list[SaleItem]) -> str:
    recurring = any(price.type == "recurring" for price in prices_for(call, items).values()) if items else False
    return "subscription" if recurring else "payment"


def check_items(call: Call, mode: str, items: list[SaleItem]) -> None:
    """Raise StripeError for items that cannot be sold in a mode."""
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


_OF_MODE = {"payment_intent_data": "payment", "setup_intent_data": "setup", "subscription_data": "subscription"}
"""The mode that each parameter requires."""


def _check_data_mode(params: CreateSession, mode: str) -> None:
    for name, only in _OF_MODE.items():
        if is_set(getattr(params, name)) and mode != only:
            raise StripeError(f"You can not pass `{name}` in `{mode}` mode.", param=name)


def _ui_mode(call: Call, params: CreateSession) -> str:
    """Return the `ui_mode` under its current name."""
    wanted = params.ui_mode or "hosted_page"
    if version_of(call) < RENAMED:
        wanted = NEW_MODES.get(wanted, wanted)
    if wanted in NEW_MODES:
        message = "Invalid ui_mode: must be one of elements, embedded_page, form, or hosted_page"
        raise StripeError(message, param="ui_mode")
    return wanted


def _check_urls(params: CreateSession, ui_mode: str) -> None:
    """Raise StripeError for URLs that are missing, or unused by the `ui_mode`."""
    hosted = ui_mode == "hosted_page"
    useless = ("return_url", "redirect_on_completion") if hosted else ("success_url", "cancel_url")
    for name in useless:
        if is_set(getattr(params, name)):
            raise StripeError(f"`{name}` can not be used when `ui_mode` is `{ui_mode}`.", param=name)
    needed = "success_url" if hosted else "return_url"
    if not getattr(params, needed) and params.redirect_on_completion != "never":
        raise StripeError(f"Missing required param: {needed}.", code="parameter_missing", param=needed)


def _check_expiry(call: Call, at: Integer | UnsetType) -> None:
    if isinstance(at, int) and not now(call) + MIN_OPEN_SECONDS <= at <= now(call) + DAY:
        message = "The `expires_at` timestamp must be between 30 minutes and 24 hours from Checkout Session creation."
        raise StripeError(message, param="expires_at")


def _coupon(call: Call, wanted: DiscountParams, at: str) -> tuple[Coupon, str | None]:
    if isinstance(wanted.promotion_code, str) and wanted.promotion_code:
        code = refer(call, PROMOTION_CODES, wanted.promotion_code, f"{at}[promotion_code]")
        return refer(call, COUPONS, code.coupon, f"{at}[promotion_code]"), code.id
    return refer(call, COUPONS, wanted.coupon or "", f"{at}[coupon]"), None
