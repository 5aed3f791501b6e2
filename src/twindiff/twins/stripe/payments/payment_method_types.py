"""Payment method types that an intent accepts: those of the dashboard, or those of its parameters.

https://docs.stripe.com/changelog/dahlia/2026-07-29/allowed-payment-method-types-parameter
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twindiff.kit import UNSET, Call
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.middleware import version_of
from ..core.objects import Fields
from ..tables.payment_method_tables import TYPES, PaymentMethod

ENDIVE = "2026-09-30"
"""First API version without `payment_method_types`:
https://docs.stripe.com/changelog/endive/2026-09-30/removes-the-payment-method-types-parameter-from-payment-intents-and-setup-intents
"""

EXCLUSIVE = (
    "payment_method_types",
    "excluded_payment_method_types",
    "automatic_payment_methods",
    "payment_method_configuration",
)
"""Parameters that exclude `allowed_payment_method_types`."""

_CURRENCIES = """
us_bank_account usd, cashapp usd, sepa_debit eur, acss_debit cad usd, bacs_debit gbp, au_becs_debit aud, ideal eur,
bancontact eur, eps eur, giropay eur, sofort eur, multibanco eur, p24 eur pln, blik pln, swish sek, twint chf, pix brl,
boleto brl, oxxo mxn, konbini jpy, paynow sgd, promptpay thb, fpx myr, grabpay myr sgd, paypal eur usd gbp chf
"""
CURRENCIES = {name: currencies for name, *currencies in (each.split() for each in _CURRENCIES.split(","))}
"""Currencies of types that do not support all; https://docs.stripe.com/payments/payment-methods/payment-method-support
"""


def check_choice(call: Call, params: Any) -> None:
    """Raise StripeError for mutually exclusive parameters, and for those unknown to the API version."""
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
    """Raise StripeError for a server-side confirmation without `return_url` where the type may redirect."""
    if ways and ways["allow_redirects"] == "always" and not return_url and not call.token.startswith("pk_"):
        raise StripeError(
            f"This {kind} is configured to accept payment methods enabled in your Dashboard. Because some of "
            "these payment methods might redirect your customer off of your page, you must provide a `return_url`. If "
            "you don't want to accept redirect-based payment methods, set `automatic_payment_methods[enabled]` to "
            "`true` and `automatic_payment_methods[allow_redirects]` to `never` when creating Setup Intents and "
            "Payment Intents.",
            param="return_url",
        )


def supports_currency(type: str, currency: str) -> bool:
    """Whether payments of a type can be in a currency."""
    return currency in CURRENCIES.get(type, (currency,))


def check_currency(types: list[str], currency: str) -> None:
    """Raise StripeError for types that do not support a currency."""
    for type in types:
        if not supports_currency(type, currency):
            message = (
                f"The currency provided ({currency}) is invalid. Payments with {type} support the following "
                f"currencies: {', '.join(CURRENCIES[type])}."
            )
            raise StripeError(message, code="payment_intent_invalid_parameter", param="currency")


def check_types(kind: str, types: list[str]) -> None:
    """Raise StripeError for unknown types; `kind` is the intent's name in the message."""
    for number, type in enumerate(types):
        if type not in TYPES:
            raise StripeError(
                f"The payment method type provided: {type[:100]} is invalid. Please ensure the provided type is "
                "activated in your dashboard (https://dashboard.stripe.com/account/payments/settings) and your account "
                "is enabled for any preview features that you are trying to use. See https://stripe.com/docs/payments/"
                "payment-methods/integration-options for supported payment method types, countries and currencies.",
                code=f"{kind}_invalid_parameter",
                param=f"payment_method_types[{number}]",
            )


def check_no_customer(kind: str, customer: str | None) -> None:
    """Raise StripeError for an update of the customer of an intent that has one, even if it is the same.

    The message is that of public programs which avoid it; for SetupIntents it is inferred.
    """
    if customer:
        purpose = "fulfill a payment" if kind == "PaymentIntent" else "set up"
        raise StripeError(
            f"You cannot modify `customer` on a {kind} once it already has been set. To {purpose} with a different "
            f"Customer, cancel this {kind} and create a new one.",
            param="customer",
        )


def check_owner(kind: str, method: PaymentMethod, customer: str | None) -> None:
    """Raise StripeError for a payment method of a customer other than the intent's."""
    if method.customer and customer is None:
        raise StripeError(
            f"The `payment_method` parameter supplied {method.id} belongs to the Customer {method.customer}. Please "
            f"include the Customer in the `customer` parameter on the {kind}.",
            code="parameter_missing",
            param="source",
        )
    if method.customer and method.customer != customer:
        raise StripeError(
            f"The PaymentMethod {method.id} does not belong to the Customer you supplied {customer}. Please use this "
            "PaymentMethod with the Customer that it belongs to instead.",
            param="payment_method",
        )


def check_allowed(kind: str, method: PaymentMethod | None, types: list[str]) -> None:
    """Raise StripeError for a payment method whose type the intent does not accept."""
    if method is None or method.type in types:
        return
    raise StripeError(
        f"The PaymentMethod provided ({method.type}) is not allowed for this {kind}. Please attach a PaymentMethod of "
        f"one of the following types: {', '.join(types)}. Alternatively, update the allowed payment_method_types for "
        f'this {kind} to include "{method.type}"',
        param="payment_method",
    )


def check_confirms(kind: str, params: Any, names: Sequence[str]) -> None:
    """Raise StripeError for confirmation parameters without `confirm`."""
    for name in names:
        if not params.confirm and getattr(params, name) is not UNSET:
            message = f"The parameter `{name}` cannot be passed when creating a {kind} unless `confirm` is set to true."
            raise StripeError(message, param=name)


def without_method(kind: str, customer: str | None) -> str:
    """Return the message of an intent that has no payment method to confirm."""
    missing = f"You cannot confirm this {kind} because it's missing a payment method."
    if customer:
        return (
            f"{missing} To confirm the {kind} with {customer}, specify a payment method attached to this customer "
            "along with the customer ID."
        )
    return (
        f"{missing} You can either update the {kind} with a payment method and then confirm it again, or confirm it "
        "again directly with a payment method or ConfirmationToken."
    )


def filter_allowed_types(types: list[str], currency: str = "") -> list[str]:
    """Return the types that support a currency; raises StripeError if none does, or for an unknown type."""
    for number, type in enumerate(types):
        if type not in TYPES:
            param = f"allowed_payment_method_types[{number}]"
            raise StripeError(f"Invalid {param}: {type[:100]} is no payment method type.", param=param)
    suitable = [type for type in types if not currency or supports_currency(type, currency)]
    if not suitable:
        message = "None of the `allowed_payment_method_types` is compatible with the other parameters of the intent."
        raise StripeError(message, param="allowed_payment_method_types")
    return suitable
