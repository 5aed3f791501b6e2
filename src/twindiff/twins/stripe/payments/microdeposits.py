"""Microdeposits: small amounts, or a descriptor code, with which a customer verifies a bank account.

https://docs.stripe.com/payments/ach-direct-debit/accept-a-payment#verify-with-microdeposits
"""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.objects import Fields, retrieve
from ..core.params import Integer, OptText, Params
from ..tables.payment_intent_tables import PAYMENTS, PaymentIntent, payment_intent_object
from ..tables.payment_method_tables import METHODS, PaymentMethod
from . import payment_lifecycle, setup_intents
from .payment_methods import outcome_of
from .setup_intents import SETUPS, SetupIntent, setup_intent_object
from .test_cards import Decline

api = Operations(prefix="/v1")

VERIFIED = ("SM11AA", {32, 45})
EXCEEDED = ("SM33CC", {10, 11})
TIMED_OUT = ("SM44DD", {40, 41})
"""Descriptor code and amounts of test accounts, for each result of the verification."""

_CODE = "payment_method_microdeposit"
_FAILURES = {
    "failed": Decline(f"{_CODE}_failed", "", "Microdeposit deposits failed. Please check the account, institution and "
                      "transit numbers provided.", None, None),
    "exceeded": Decline(f"{_CODE}_verification_attempts_exceeded", "",
                        "You have exceeded the number of allowed verification attempts.", None, None),
    "timeout": Decline(f"{_CODE}_verification_timeout", "", "Microdeposit timeout. Customer hasn't verified their bank "
                       "account within the required 10 day period.", None, None),
}  # fmt: skip


class VerifyMicrodeposits(Params):
    """The amounts or the code on the customer's statement."""

    amounts: list[Integer] | UnsetType = UNSET
    client_secret: OptText = UNSET
    descriptor_code: OptText = UNSET


@api.post("/payment_intents/{intent}/verify_microdeposits", scope="publishable", layers=[payment_lifecycle.with_intent])
def verify_payment_microdeposits(call: Call, intent: str, params: Annotated[VerifyMicrodeposits, Body]) -> Any:
    """Verify the bank account of a PaymentIntent, and continue its payment."""
    row = retrieve(call, PAYMENTS, intent)
    method = _method(call, row, "PaymentIntent")
    if failure := _verify_deposits(method, params):
        return payment_lifecycle.fail(call, row, method, failure)[1]
    call.db.change(method, verified=True)
    done, refused = payment_lifecycle.confirm(call, row, authenticated=True)
    return refused or payment_intent_object(done)


@api.post("/setup_intents/{intent}/verify_microdeposits", scope="publishable", layers=[setup_intents.with_intent])
def verify_setup_microdeposits(call: Call, intent: str, params: Annotated[VerifyMicrodeposits, Body]) -> Any:
    """Verify the bank account of a SetupIntent, and complete the setup."""
    row = retrieve(call, SETUPS, intent)
    method = _method(call, row, "SetupIntent")
    if failure := _verify_deposits(method, params):
        return setup_intents.fail(call, row, method, failure)[1]
    call.db.change(method, verified=True)
    return setup_intent_object(setup_intents.complete(call, row, succeeds=True))


def _method(call: Call, intent: PaymentIntent | SetupIntent, spoken: str) -> PaymentMethod:
    """Return the payment method that awaits verification; raises StripeError if none does."""
    action: Fields = intent.next_action or {}
    if intent.status != "requires_action":
        message = (
            f"This {spoken} cannot be actioned on because it has a status of {intent.status}. Only a {spoken} with one "
            'of the following statuses may be actioned on: ["requires_action"].'
        )
        raise StripeError(message, code="intent_invalid_state")
    if action.get("type") != "verify_with_microdeposits":
        message = (
            f"This {spoken} ({intent.id}) does not await verification with microdeposits; its status is "
            f"{intent.status}."
        )
        kind = "payment_intent" if isinstance(intent, PaymentIntent) else "setup_intent"
        raise StripeError(message, code=f"{kind}_unexpected_state")
    return retrieve(call, METHODS, intent.payment_method or "")


def _verify_deposits(method: PaymentMethod, params: VerifyMicrodeposits) -> Decline | None:
    """Return the decline of an account that can no longer be verified, or None if it is verified.

    Raises StripeError if another try may succeed.
    """
    amounts = params.amounts if isinstance(params.amounts, list) else []
    if bool(amounts) == bool(params.descriptor_code):
        message = "You must provide one of `amounts` or `descriptor_code`."
        raise StripeError(message, code="parameter_missing", param="amounts")
    if amounts and len(amounts) != 2:
        message = "You must provide exactly two amounts, in the smallest unit of the currency."
        raise StripeError(message, code=f"{_CODE}_verification_amounts_invalid", param="amounts")
    said = (params.descriptor_code, set(amounts))
    tried = [name for name, known in _KNOWN.items() if said[0] == known[0] or said[1] == known[1]]
    if outcome_of(method) == "no_microdeposits":
        return _FAILURES["failed"]
    if not tried:
        raise _mismatch(amounts)
    return _FAILURES.get(tried[0])


_KNOWN = {"verified": VERIFIED, "exceeded": EXCEEDED, "timeout": TIMED_OUT}


def _mismatch(amounts: list[int]) -> StripeError:
    if amounts:
        message = "The amounts provided do not match the amounts that were sent to the bank account."
        return StripeError(message, code=f"{_CODE}_verification_amounts_mismatch", param="amounts")
    message = "The descriptor code provided does not match the one that was sent to the bank account."
    return StripeError(message, code=f"{_CODE}_verification_descriptor_code_mismatch", param="descriptor_code")
