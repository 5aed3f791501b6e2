"""Settings of a checkout session's page, and how sessions store and show them.

https://docs.stripe.com/api/checkout/sessions/create
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from twindiff.kit import UNSET, Call, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ..account.accounts import own_account
from ..core.objects import Fields, render_unmanaged_payments
from ..core.params import AutomaticTax, Issuer, NestedParams, OptBool, OptText, Params, Unset, value_of

Keeps = Literal["auto", "never"]
PageLocale = Literal[
    "auto", "bg", "cs", "da", "de", "el", "en", "en-GB", "es", "es-419", "et", "fi", "fil", "fr", "fr-CA", "hr", "hu",
    "id", "it", "ja", "ko", "lt", "lv", "ms", "mt", "nb", "nl", "pl", "pt", "pt-BR", "ro", "ru", "sk", "sl", "sv", "th",
    "tr", "vi", "zh", "zh-HK", "zh-TW",
]  # fmt: skip
"""Languages of a page; https://docs.stripe.com/api/checkout/sessions/create#create_checkout_session-locale"""


class Switch(NestedParams):
    """An `enabled` flag."""

    enabled: bool


class TaxIdCollection(NestedParams):
    """Collection of tax ids."""

    enabled: bool
    required: Literal["if_supported", "never"] | UnsetType = UNSET


class Agreement(NestedParams):
    """The position of the agreement on payment method reuse."""

    position: Literal["auto", "hidden"]


class ConsentCollection(NestedParams):
    """Consents that customers are asked for."""

    payment_method_reuse_agreement: Agreement | UnsetType = UNSET
    promotions: Literal["auto", "none"] | UnsetType = UNSET
    terms_of_service: Literal["none", "required"] | UnsetType = UNSET


class Message(NestedParams):
    """A custom text."""

    message: str


class CustomText(NestedParams):
    """Custom texts by position."""

    after_submit: Message | Unset | UnsetType = UNSET
    shipping_address: Message | Unset | UnsetType = UNSET
    submit: Message | Unset | UnsetType = UNSET
    terms_of_service_acceptance: Message | Unset | UnsetType = UNSET


class CustomerUpdate(NestedParams):
    """Which submitted details update the customer."""

    address: Keeps | UnsetType = UNSET
    name: Keeps | UnsetType = UNSET
    shipping: Keeps | UnsetType = UNSET


class SavedMethods(NestedParams):
    """How a customer's payment methods are saved and offered."""

    allow_redisplay_filters: list[Literal["always", "limited", "unspecified"]] | UnsetType = UNSET
    payment_method_remove: Literal["disabled", "enabled"] | UnsetType = UNSET
    payment_method_save: Literal["disabled", "enabled"] | UnsetType = UNSET


class Recovery(NestedParams):
    """Whether an expired session has a recovery URL."""

    enabled: bool
    allow_promotion_codes: OptBool = UNSET


class AfterExpiration(NestedParams):
    """The behavior after expiry."""

    recovery: Recovery | UnsetType = UNSET


class NameAsked(NestedParams):
    """Collection of a name."""

    enabled: bool
    optional: OptBool = UNSET


class NameCollection(NestedParams):
    """Collection of business and individual names."""

    business: NameAsked | UnsetType = UNSET
    individual: NameAsked | UnsetType = UNSET


class SetupData(NestedParams):
    """Settings of a session's SetupIntent."""

    description: OptText = UNSET
    metadata: dict[str, str] | UnsetType = UNSET
    on_behalf_of: OptText = UNSET


class InvoiceField(NestedParams):
    """A custom field shown on the invoice."""

    name: str
    value: str


class InvoiceRendering(NestedParams):
    """Rendering settings of the invoice."""

    amount_tax_display: Literal["", "exclude_tax", "include_inclusive_tax"] | UnsetType = UNSET
    template: OptText = UNSET


class InvoiceData(NestedParams):
    """Settings of the invoice of a payment."""

    account_tax_ids: list[str] | Unset | UnsetType = UNSET
    custom_fields: list[InvoiceField] | Unset | UnsetType = UNSET
    description: OptText = UNSET
    footer: OptText = UNSET
    issuer: Issuer | UnsetType = UNSET
    metadata: dict[str, str] | UnsetType = UNSET
    rendering_options: InvoiceRendering | Unset | UnsetType = UNSET


class InvoiceCreation(NestedParams):
    """Whether and how a payment creates an invoice."""

    enabled: bool
    invoice_data: InvoiceData | UnsetType = UNSET


class PageSettings(Params, kw_only=True):
    """Parameters for the settings of a page."""

    branding_settings: dict[str, Any] | UnsetType = UNSET
    adaptive_pricing: Switch | UnsetType = UNSET
    after_expiration: AfterExpiration | UnsetType = UNSET
    automatic_tax: AutomaticTax | UnsetType = UNSET
    consent_collection: ConsentCollection | UnsetType = UNSET
    custom_text: CustomText | UnsetType = UNSET
    customer_update: CustomerUpdate | UnsetType = UNSET
    excluded_payment_method_types: list[str] | UnsetType = UNSET
    invoice_creation: InvoiceCreation | UnsetType = UNSET
    name_collection: NameCollection | UnsetType = UNSET
    origin_context: Literal["mobile_app", "web"] | UnsetType = UNSET
    payment_method_options: dict[str, dict[str, Any]] | UnsetType = UNSET
    phone_number_collection: Switch | UnsetType = UNSET
    saved_payment_method_options: SavedMethods | UnsetType = UNSET
    setup_intent_data: SetupData | UnsetType = UNSET
    tax_id_collection: TaxIdCollection | UnsetType = UNSET
    wallet_options: dict[str, dict[str, str]] | UnsetType = UNSET


KEPT = tuple(name for name in PageSettings.__struct_fields__ if name not in ("expand", "automatic_tax"))
"""Names of the settings that a session stores."""


def settings_of(params: PageSettings, customer: str | None) -> Fields:
    """Return the given settings as stored by a session; raises StripeError for invalid ones."""
    if isinstance(params.customer_update, CustomerUpdate) and not customer:
        raise StripeError("`customer_update` can only be used with `customer`.", param="customer_update")
    if customer:
        _check_tax_ids(params)
    settings = {name: getattr(params, name) for name in KEPT}
    return {name: value_of(value) for name, value in settings.items() if value is not UNSET}


def _check_tax_ids(params: PageSettings) -> None:
    """Raise StripeError for tax ids of an existing customer whose name and address the page does not update."""
    collects = isinstance(params.tax_id_collection, TaxIdCollection) and params.tax_id_collection.enabled
    updates = params.customer_update if isinstance(params.customer_update, CustomerUpdate) else CustomerUpdate()
    for name, spoken in (("name", "business name"), ("address", "address")):
        if collects and getattr(updates, name) != "auto":
            raise StripeError(
                f"Tax ID collection requires updating {spoken} on the customer. To enable tax ID collection for an "
                f"existing customer, please set `customer_update[{name}]` to `auto`."
            )


USUALLY_SAVED: Fields = {
    "allow_redisplay_filters": ["always"],
    "payment_method_remove": "disabled",
    "payment_method_save": None,
}
"""Default of `saved_payment_method_options`."""

_BRANDING: Fields = {
    "background_color": "#ffffff",
    "border_style": "rounded",
    "button_color": "#0074d4",
    "font_family": "default",
    "icon": None,
    "logo": None,
}


def branding(call: Call) -> Fields:
    """Return the default branding of a page."""
    return {**_BRANDING, "display_name": own_account(call).business_profile.get("name")}


def details_of(email: str | None, mode: str) -> Fields:
    """Return the initial `customer_details` of a session."""
    names = ("address", "business_name", "individual_name", "name", "phone", "tax_ids")
    return {**dict.fromkeys(names), "email": email, "tax_exempt": None if mode == "setup" else "none"}


def _get_setting(row: Any, name: str) -> Any:
    settings: Fields = row.settings or {}
    return settings.get(name)


def _as_given(name: str) -> Callable[[Any], Any]:
    return lambda row: _get_setting(row, name)


def _phone(row: Any) -> Fields:
    return _get_setting(row, "phone_number_collection") or {"enabled": False}


def _text(row: Any) -> Fields:
    given: Fields = _get_setting(row, "custom_text") or {}
    return {**dict.fromkeys(CustomText.__struct_fields__), **given}


def _options(row: Any) -> Fields:
    usual: Fields = {"card": {"request_three_d_secure": "automatic"}}
    given: Fields = _get_setting(row, "payment_method_options") or {}
    return {**usual, **{name: {**usual.get(name, {}), **said} for name, said in given.items()}}


def _consents(row: Any) -> Fields | None:
    given: Fields | None = _get_setting(row, "consent_collection")
    return given and {**dict.fromkeys(ConsentCollection.__struct_fields__), **given}


def _render_saved_method_options(row: Any) -> Fields | None:
    given: Fields | None = _get_setting(row, "saved_payment_method_options")
    if given:
        return {**dict.fromkeys(SavedMethods.__struct_fields__), **given}
    return dict(USUALLY_SAVED) if row.customer and row.mode != "setup" else None


def _adaptive(row: Any) -> Fields:
    return _get_setting(row, "adaptive_pricing") or {"enabled": row.mode != "setup"}


def _collection(row: Any) -> str:
    return row.payment_method_collection or ("if_required" if row.mode == "payment" else "always")


def _render_collected_information(row: Any) -> Fields:
    return row.collected_information or {"business_name": None, "individual_name": None, "shipping_details": None}


def _render_managed_payments(row: Any) -> Fields | None:
    return render_unmanaged_payments(row) if row.mode != "setup" else None


def _names(row: Any) -> Fields | None:
    given: Fields | None = _get_setting(row, "name_collection")
    return given and {name: {"optional": False, **said} for name, said in given.items()}


def _recovery(row: Any) -> Fields | None:
    given: Fields | None = _get_setting(row, "after_expiration")
    if not given or not given.get("recovery"):
        return None
    return {"recovery": {"allow_promotion_codes": False, "expires_at": None, "url": None, **given["recovery"]}}


def _tax_ids(row: Any) -> Fields | None:
    given: Fields | None = _get_setting(row, "tax_id_collection")
    return given and {"required": "never", **given}


_NO_INVOICE_DATA = (
    "account_tax_ids", "custom_fields", "description", "footer", "issuer", "metadata", "rendering_options",
)  # fmt: skip


def _invoice_creation(row: Any) -> Fields | None:
    return invoice_creation(_get_setting(row, "invoice_creation")) if row.mode == "payment" else None


def invoice_creation(wanted: Fields | None) -> Fields:
    """Render `invoice_creation` with its defaults."""
    given: Fields = wanted or {"enabled": False}
    issuer = {"type": "self"} if given["enabled"] else None
    empty: Fields = {**dict.fromkeys(_NO_INVOICE_DATA), "issuer": issuer, "metadata": {}}
    return {**given, "invoice_data": {**empty, **(given.get("invoice_data") or {})}}


VIEWS: Fields = {
    "adaptive_pricing": _adaptive,
    "after_expiration": _recovery,
    "branding_settings": _as_given("branding_settings"),
    "collected_information": _render_collected_information,
    "consent": _as_given("consent"),
    "consent_collection": _consents,
    "custom_text": _text,
    "excluded_payment_method_types": _as_given("excluded_payment_method_types"),
    "invoice_creation": _invoice_creation,
    "managed_payments": _render_managed_payments,
    "name_collection": _names,
    "origin_context": _as_given("origin_context"),
    "payment_method_collection": _collection,
    "payment_method_options": _options,
    "phone_number_collection": _phone,
    "saved_payment_method_options": _render_saved_method_options,
    "tax_id_collection": _tax_ids,
    "wallet_options": _as_given("wallet_options"),
}
"""Functions that render each setting of a session, by field."""


def inputs(settings: Fields) -> str:
    """Return the HTML inputs of the phone number and the consent to the terms of service."""
    phone = '<label>Phone number <input name="phone" required></label>' if _asks_phone(settings) else ""
    box = '<input type="checkbox" name="terms" value="accepted" required>'
    return phone + (f"<label>{box} I agree to the terms of service</label>" if _needs_terms(settings) else "")


def _asks_phone(settings: Fields) -> bool:
    asks: Fields = settings.get("phone_number_collection") or {}
    return bool(asks.get("enabled"))


def _needs_terms(settings: Fields) -> bool:
    asks: Fields = settings.get("consent_collection") or {}
    return asks.get("terms_of_service") == "required"


def accept_terms(settings: Fields, terms: OptText) -> Fields:
    """Return the settings with the customer's consent; raises StripeError if it is required and missing."""
    if not _needs_terms(settings):
        return settings
    if terms != "accepted":
        raise StripeError("You must agree to the terms of service.", param="terms")
    return {**settings, "consent": {"promotions": None, "terms_of_service": "accepted"}}


def phone_of(settings: Fields, phone: OptText) -> str | None:
    """Return the submitted phone number, or None if not collected; raises StripeError if it is missing."""
    if not _asks_phone(settings):
        return None
    if not phone:
        raise StripeError("Your phone number is incomplete.", param="phone")
    return phone
