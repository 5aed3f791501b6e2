"""Form submission of a checkout session: how the customer's input changes the session.

https://docs.stripe.com/payments/checkout/discounts, https://docs.stripe.com/payments/during-payment/charge-shipping
"""

from __future__ import annotations

from twindiff.kit import Call
from twindiff.twins.stripe.core.wire_style import StripeError

from ..catalog.coupons import COUPONS, redeem
from ..catalog.promotion_codes import PROMOTION_CODES, PromotionCode, check_code, check_minimum, count_use
from ..catalog.shipping_rates import cost_of
from ..core.objects import Fields, refer
from ..tax.automatic_tax import build_location_error, is_on
from . import form_fields, optional_items, session_settings
from .form_fields import SessionForm, billing_address, fill_custom_fields, find_shipping_option, shipping_details
from .session_amounts import amounts
from .session_customers import get_shipping_details, keeps
from .sessions import CheckoutSession

CHOSEN = "optional_items"
"""Key in a session's settings that holds the ids of line items added by the customer."""


def inputs(call: Call, row: CheckoutSession) -> str:
    """Return the HTML inputs of a session's page besides those of the card."""
    collection: dict[str, list[str]] = row.shipping_address_collection or {}
    countries, currency = collection.get("allowed_countries", []), row.currency or "usd"
    fields: list[Fields] = row.custom_fields or []
    options: list[Fields] = row.shipping_options or []
    code = '<label>Promotion code <input name="promotion_code"></label>' if _takes_codes(row) else ""
    further = form_fields.inputs(call, fields, options, countries, currency)
    further = optional_items.inputs(call, row.optional_items or []) + further
    if _asks_place(row):
        further += form_fields.billing_inputs()
    return code + further + session_settings.inputs(row.settings or {})


def _asks_place(row: CheckoutSession) -> bool:
    """Return whether the page asks for a billing address: if required, or if tax needs it."""
    lacks = is_on(row) and row.automatic_tax["status"] != "complete"
    told = bool(row.shipping_address_collection) and keeps(row, "shipping")
    return row.billing_address_collection == "required" or (lacks and not told)


def _takes_codes(row: CheckoutSession) -> bool:
    return bool(row.allow_promotion_codes) and not row.discounts


def apply_session_form(call: Call, row: CheckoutSession, form: SessionForm) -> CheckoutSession:
    """Apply the submitted form to a session; raises StripeError for missing or invalid input."""
    settings: Fields = row.settings or {}
    changes: Fields = {}
    if (consents := session_settings.accept_terms(settings, form.terms)) != settings:
        changes["settings"] = consents
    if row.optional_items:
        former: list[str] = settings.get(CHOSEN) or []
        added = optional_items.add_chosen(call, row.id, row.optional_items, form.optional or {}, former)
        changes["settings"] = {**changes.get("settings", settings), CHOSEN: added}
    if row.shipping_address_collection:
        details = shipping_details(form, row.shipping_address_collection["allowed_countries"])
        changes["collected_information"] = {"business_name": None, "individual_name": None, "shipping_details": details}
    if row.shipping_options and form.shipping_rate:
        changes["shipping_cost"] = cost_of(find_shipping_option(row.shipping_options, form.shipping_rate))
    if row.custom_fields:
        changes["custom_fields"] = fill_custom_fields(row.custom_fields, form.custom or {})
    if form.promotion_code and _takes_codes(row):
        changes["discounts"] = [_resolve_promotion_code(call, row, form.promotion_code)]
    if _asks_place(row):
        changes["customer_details"] = {**row.customer_details, "address": billing_address(form)}
    if not changes:
        return row
    changed = call.db.change(row, **changes)
    return _update_amounts(call, changed) if row.mode != "setup" else changed


def _update_amounts(call: Call, row: CheckoutSession) -> CheckoutSession:
    """Recompute the amounts of a session; raises StripeError if tax has no location."""
    priced = call.db.change(row, **amounts(call, row))
    if is_on(priced) and priced.automatic_tax["status"] != "complete":
        raise build_location_error()
    return priced


def _resolve_promotion_code(call: Call, row: CheckoutSession, text: str) -> Fields:
    """Return the discount of a submitted promotion code."""
    code = call.db.find(PromotionCode, PromotionCode.code.equals(text.strip()), PromotionCode.active)
    if code is None:
        raise StripeError("This code is invalid.", param="promotion_code")
    check_code(call, code, row.customer)
    check_minimum(code, row.amount_subtotal or 0, row.currency or "usd")
    return {"coupon": code.coupon, "promotion_code": code.id}


def shipping_of(row: CheckoutSession) -> Fields | None:
    """Return the `shipping` of the session's PaymentIntent, or None if no address was collected."""
    details = get_shipping_details(row)
    return {**details, "carrier": None, "phone": None, "tracking_number": None} if details else None


def count_discounts(call: Call, row: CheckoutSession) -> None:
    """Count the redemptions of a payment's codes and coupons; subscriptions and invoices count their own."""
    for each in row.discounts if row.mode == "payment" and not row.invoice else ():
        coupon = refer(call, COUPONS, each["coupon"], "coupon")
        if coupon.valid:  # it may have been used up while the customer was paying
            redeem(call, coupon)
        if each["promotion_code"]:
            count_use(call, refer(call, PROMOTION_CODES, each["promotion_code"], "promotion_code"))
