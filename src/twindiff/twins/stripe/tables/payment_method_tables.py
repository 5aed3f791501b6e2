"""The table of payment methods, their types, and how they are rendered.

https://docs.stripe.com/api/payment_methods/object
"""

from __future__ import annotations

from twindiff.kit import Column, Json, column, references

from ..core.objects import Fields, StripeObject, build_view, resource
from .customer_tables import Customer

DETAILS: Fields = {"address": None, "email": None, "name": None, "phone": None, "tax_id": None}

NOWHERE: Fields = dict.fromkeys(("city", "country", "line1", "line2", "postal_code", "state"))

DEBITS = ("us_bank_account", "sepa_debit", "acss_debit", "bacs_debit", "au_becs_debit")
"""Types whose payment completes later."""

TO_VERIFY = ("us_bank_account", "acss_debit")
"""Types whose bank account must be verified."""

_REDIRECTS = """
affirm afterpay_clearpay alipay alma amazon_pay bancontact billie blik boleto cashapp eps fpx giropay grabpay ideal
kakao_pay klarna konbini link mobilepay multibanco naver_pay oxxo p24 pay_by_bank payco paynow paypal pix promptpay
revolut_pay samsung_pay satispay sofort swish twint wechat_pay zip
"""

REDIRECTS = tuple(_REDIRECTS.split())
"""Types that the customer authorizes on another page."""

IN_PERSON = ("card_present", "interac_present")
"""Types of cards that a reader takes; no request creates them."""

TYPES = ("card", *IN_PERSON, *DEBITS, *REDIRECTS, "customer_balance")


class PaymentMethod(
    StripeObject,
    table="payment_methods",
    key=("id",),
    unique=(("seq",),),
    indexes=(("customer", "seq"),),
):
    type: Column[str]
    customer: Column[str | None] = references(Customer, default=None)
    billing_details: Column[Json] = column(default={})
    allow_redisplay: Column[str] = column(default="unspecified")
    metadata: Column[Json] = column(default={})
    details: Column[Json] = column(default={}, derived=True)
    """The object under the key named by `type`."""
    test_card: Column[str] = column(default="")
    set_up: Column[bool] = column(default=False, derived=True)
    """Whether the cardholder has agreed to off-session payments."""
    detached: Column[bool] = column(default=False, derived=True)
    """Whether it was detached from a customer, or paid without one; it cannot be used again."""
    verified: Column[bool] = column(default=False, derived=True)
    """Whether the bank account is verified."""


_shared = build_view(
    PaymentMethod,
    "payment_method",
    "details",
    "test_card",
    "set_up",
    "detached",
    "verified",
    "billing_details",
    customer_account=None,
    shared_payment_granted_token=None,
)


def payment_method_object(row: PaymentMethod) -> Fields:
    """Render a payment method, with the details of its type under the type's name."""
    billing = {**DETAILS, **row.billing_details}
    billing["address"] = {**NOWHERE, **(billing["address"] or {})}
    return {**_shared(row), "billing_details": billing, row.type: row.details}


METHODS = resource(
    PaymentMethod,
    "payment_method",
    "pm_",
    payment_method_object,
    spoken="PaymentMethod",
    param="payment_method",
    expandable=("customer",),
)
