"""With what an intent can be paid: as the shop's dashboard says, or as its parameters choose.

https://docs.stripe.com/changelog/dahlia/2026-07-29/allowed-payment-method-types-parameter
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import UNSET, Call
from twindiff.kit.styles.stripe import StripeError

from .layer import version_of
from .objects import Fields
from .payment_methods import TYPES

ENDIVE = "2026-09-30"
"""The version that has no `payment_method_types` any more:
https://docs.stripe.com/changelog/endive/2026-09-30/removes-the-payment-method-types-parameter-from-payment-intents-and-setup-intents"""

EXCLUSIVE = (
    "payment_method_types",
    "excluded_payment_method_types",
    "automatic_payment_methods",
    "payment_method_configuration",
)
"""What cannot be given beside `allowed_payment_method_types`."""

_CURRENCIES = """
us_bank_account usd, cashapp usd, sepa_debit eur, acss_debit cad usd, bacs_debit gbp, au_becs_debit aud, ideal eur,
bancontact eur, eps eur, giropay eur, sofort eur, multibanco eur, p24 eur pln, blik pln, swish sek, twint chf, pix brl,
boleto brl, oxxo mxn, konbini jpy, paynow sgd, promptpay thb, fpx myr, grabpay myr sgd, paypal eur usd gbp chf
"""
CURRENCIES = {name: currencies for name, *currencies in (each.split() for each in _CURRENCIES.split(","))}
"""The currencies of types that do not take all; https://docs.stripe.com/payments/payment-methods/payment-method-support"""


def check_choice(call: Call, params: Any) -> None:
    """Refuse choices that exclude one another, and those that the version of the request does not have."""
    if params.payment_method_types is not UNSET and version_of(call) >= ENDIVE:
        message = (
            "The `payment_method_types` parameter is no longer supported in this API version. Use "
            "`allowed_payment_method_types`, `excluded_payment_method_types`, or dynamic payment methods instead."
        )
        code = "payment_method_types_no_longer_supported"
        raise StripeError(message, code=code, param="payment_method_types")
    if getattr(params, "allowed_payment_method_types", UNSET) is UNSET:
        return
    for name in EXCLUSIVE:
        if getattr(params, name, UNSET) is not UNSET:
            message = f"You may only specify one of these parameters: allowed_payment_method_types, {name}."
            raise StripeError(message, param="allowed_payment_method_types")


def check_redirects(call: Call, kind: str, ways: Fields | None, return_url: str | None) -> None:
    """Refuse to confirm on a server, without a way back, what may lead the customer to another page."""
    if ways and ways["allow_redirects"] == "always" and not return_url and not call.token.startswith("pk_"):
        raise StripeError(
            f"This {kind} is configured to accept payment methods enabled in your Dashboard. Because some of "
            "these payment methods might redirect your customer off of your page, you must provide a `return_url`. If "
            "you don't want to accept redirect-based payment methods, set `automatic_payment_methods[enabled]` to "
            "`true` and `automatic_payment_methods[allow_redirects]` to `never` when creating Setup Intents and "
            "Payment Intents.",
            param="return_url",
        )


def check_currency(types: list[str], currency: str) -> None:
    """Refuse types that are never paid in a currency."""
    for type in types:
        if currency not in CURRENCIES.get(type, (currency,)):
            message = (
                f"The currency provided ({currency}) is invalid. Payments with {type} support the following "
                f"currencies: {', '.join(CURRENCIES[type])}."
            )
            raise StripeError(message, code="payment_intent_invalid_parameter", param="currency")


def allowed(types: list[str], currency: str = "") -> list[str]:
    """Those of some types that suit a currency, without a word of the others; raises where none of them does."""
    for number, type in enumerate(types):
        if type not in TYPES:
            param = f"allowed_payment_method_types[{number}]"
            raise StripeError(f"Invalid {param}: {type[:100]} is no payment method type.", param=param)
    suitable = [type for type in types if not currency or currency in CURRENCIES.get(type, (currency,))]
    if not suitable:
        message = "None of the `allowed_payment_method_types` is compatible with the other parameters of the intent."
        raise StripeError(message, param="allowed_payment_method_types")
    return suitable
