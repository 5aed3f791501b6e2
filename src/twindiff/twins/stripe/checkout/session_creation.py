"""Creation of checkout sessions: validation, defaults and line items.

https://docs.stripe.com/api/checkout/sessions/create
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ..catalog.coupons import COUPONS, Coupon, check_coupon_currency, check_redeemable
from ..catalog.discounts import DiscountParams
from ..catalog.promotion_codes import PROMOTION_CODES, check_code, check_minimum
from ..connect.destination_charges import check_destination
from ..core.currencies import parse_currency
from ..core.middleware import version_of
from ..core.objects import Fields, new, new_id, now, refer, show
from ..core.params import (
    Integer,
    OptBool,
    OptInteger,
    OptMetadata,
    OptName,
    OptText,
    check_count,
    collect_params,
    is_set,
    merge_metadata,
    value_of,
)
from ..core.urls import check_url
from ..sales import sale_taxes
from ..sales.sale_items import (
    OptSaleItems,
    SaleItem,
    SaleItemParams,
    add_items,
    check_quantities,
    find_billed_currency,
    items_for,
    prices_for,
)
from ..tables.customer_tables import CUSTOMERS
from ..tax import automatic_tax
from .form_fields import AddressCollection, CustomField, ShippingOption, custom_fields, shipping_fields
from .intent_and_subscription_data import IntentData, SubscriptionData, check_data, check_periods
from .mode_rules import check_exclusive_params, check_item_counts, check_mode_params
from .optional_items import OptItems, build_optional_items, check_mode
from .session_amounts import amounts
from .session_settings import KEPT, PageLocale, PageSettings, details_of, settings_of
from .sessions import NEW_MODES, RENAMED, SESSIONS, CheckoutSession

api = Operations(prefix="/v1/checkout/sessions")

DAY = 86400
MIN_OPEN_SECONDS = 30 * 60
MAX_DISCOUNTS = 1


class CreateSession(PageSettings, kw_only=True):
    """The parameters of a new session."""

    longest: ClassVar = {"client_reference_id": 200}

    allow_promotion_codes: OptBool = UNSET
    billing_address_collection: Literal["auto", "required"] | UnsetType = UNSET
    cancel_url: OptName = UNSET
    client_reference_id: OptName = UNSET
    currency: OptName = UNSET
    custom_fields: list[CustomField] | UnsetType = UNSET
    customer: OptName = UNSET
    customer_account: OptText = UNSET
    customer_creation: Literal["always", "if_required"] | UnsetType = UNSET
    customer_email: OptName = UNSET
    discounts: list[DiscountParams] | UnsetType = UNSET
    expires_at: OptInteger = UNSET
    line_items: OptSaleItems = UNSET
    locale: PageLocale | UnsetType = UNSET
    metadata: OptMetadata = UNSET
    optional_items: OptItems = UNSET
    mode: Literal["payment", "setup", "subscription"] | UnsetType = UNSET
    payment_intent_data: IntentData | UnsetType = UNSET
    payment_method_collection: Literal["always", "if_required"] | UnsetType = UNSET
    payment_method_types: list[str] | UnsetType = UNSET
    return_url: OptName = UNSET
    shipping_address_collection: AddressCollection | UnsetType = UNSET
    shipping_options: list[ShippingOption] | UnsetType = UNSET
    submit_type: Literal["auto", "book", "donate", "pay", "subscribe"] | UnsetType = UNSET
    subscription_data: SubscriptionData | UnsetType = UNSET
    success_url: OptName = UNSET
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
    if params.mode == "setup":
        _check_setup(params)
    fields["custom_fields"] = custom_fields(params.custom_fields or [])
    fields["settings"] = settings_of(params, fields.get("customer"))
    fields["payment_intent_data"] = value_of(params.payment_intent_data or {})
    fields |= automatic_tax.to_automatic_tax_columns(call, params.automatic_tax)
    fields["subscription_data"] = value_of(params.subscription_data or {})
    if isinstance(params.subscription_data, SubscriptionData):
        check_data(call, params.subscription_data)
    metadata = merge_metadata({}, params.metadata)
    shipping = params.shipping_options or []
    optional = params.optional_items
    made = open_session(
        call, params.line_items, params.discounts, shipping, optional, params.currency, **fields, metadata=metadata
    )
    check_mode_params(params, made.mode)
    if isinstance(params.subscription_data, SubscriptionData):
        check_periods(call, params.subscription_data, items_for(call, made.id))
    if isinstance(params.payment_intent_data, IntentData):
        check_destination(call, params.payment_intent_data, made.amount_total or 0, "payment_intent_data")
    return show(call, SESSIONS, made)


_NO_COLUMNS = (
    *KEPT,
    "currency",
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
    currency: OptName = UNSET,
    **fields: Any,
) -> CheckoutSession:
    """Create a session with its line items; `fields` are its other columns."""
    id = new_id(call, "cs_test_", 58)
    sold = wanted if isinstance(wanted, list) else []
    items = add_items(call, id, sold, currency=_currency(call, currency, sold, fields))
    check_quantities(items, sold)
    fields["mode"] = fields.get("mode") or _mode(call, items)
    check_items(call, fields["mode"], items)
    if not items and currency:
        fields["currency"] = parse_currency(currency)
    if options := fields.get("optional_items") or build_optional_items(call, optional, items):
        check_mode(call, options, fields["mode"])
        fields["optional_items"] = options
    coupons = _coupons(call, discounts or [], items, fields.get("customer"))
    fields |= shipping_fields(call, shipping, items[0].currency) if items else {}
    fields["discounts"] = [{"coupon": row.id, "promotion_code": code} for row, code in coupons]
    if fields.get("automatic_tax"):
        _check_taxed(call, items, fields)
    made = new(call, SESSIONS, id=id, **{**_defaults(call, id, fields), **fields})
    return call.db.change(made, **amounts(call, made)) if items else made


def _currency(call: Call, asked: OptText, sold: list[SaleItemParams], fields: Fields) -> str | None:
    """Return the currency that a session must have, or None if the first item decides."""
    if isinstance(asked, str) and asked:
        return parse_currency(asked)
    return find_billed_currency(call, fields.get("customer"), sold)


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
            raise StripeError("You can not pass `line_items` in `setup` mode.", param="line_items")
        return
    if not items:
        raise StripeError("Missing required param: line_items.", code="parameter_missing", param="line_items")
    prices = prices_for(call, items)
    check_item_counts([prices[item.price] for item in items], mode)
    recurring = [price.type == "recurring" for price in prices.values()]
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
    check_exclusive_params(params, fields["ui_mode"])
    for name in ("success_url", "cancel_url", "return_url"):
        check_url(fields.get(name), name)
    if customer := fields.get("customer"):
        refer(call, CUSTOMERS, customer, "customer")
    types: list[str] = fields.get("payment_method_types") or []
    for type in types:
        if type != "card":
            raise StripeError(
                f"This twin's page takes cards alone; '{type[:50]}' was given.", param="payment_method_types"
            )
    _check_expiry(call, params.expires_at)


def _check_setup(params: CreateSession) -> None:
    """Raise StripeError for a session in setup mode that sells something, or does not say what it sets up."""
    check_mode_params(params, "setup")
    if not is_set(params.currency) and params.payment_method_types is UNSET:
        raise StripeError("Missing required param: currency.", code="parameter_missing", param="currency")


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
    if isinstance(at, int) and at > now(call) + DAY:
        message = "The `expires_at` timestamp must be less than 24 hours from Checkout Session creation."
        raise StripeError(message, param="expires_at")
    if isinstance(at, int) and at < now(call) + MIN_OPEN_SECONDS:
        message = "The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation."
        raise StripeError(message, param="expires_at")


def _coupons(
    call: Call, wanted: list[DiscountParams], items: list[SaleItem], customer: str | None
) -> list[tuple[Coupon, str | None]]:
    """Return the coupons and promotion codes of a session; raises StripeError for those that cannot be used."""
    check_count(wanted, "discounts", MAX_DISCOUNTS)
    coupons = [_coupon(call, each, f"discounts[{n}]", items, customer) for n, each in enumerate(wanted)]
    for number, (coupon, _) in enumerate(coupons):
        check_redeemable(coupon, f"discounts[{number}][coupon]")
        if items:
            check_coupon_currency(coupon, items[0].currency, f"discounts[{number}][coupon]")
    return coupons


def _coupon(
    call: Call, wanted: DiscountParams, at: str, items: list[SaleItem], customer: str | None
) -> tuple[Coupon, str | None]:
    if isinstance(wanted.promotion_code, str) and wanted.promotion_code:
        param = f"{at}[promotion_code]"
        code = refer(call, PROMOTION_CODES, wanted.promotion_code, param)
        check_code(call, code, customer, param)
        if items:
            check_minimum(code, sum(item.amount_subtotal for item in items), items[0].currency, param)
        return refer(call, COUPONS, code.coupon, param), code.id
    return refer(call, COUPONS, wanted.coupon or "", f"{at}[coupon]"), None
