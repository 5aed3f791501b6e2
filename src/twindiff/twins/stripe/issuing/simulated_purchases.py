"""Purchases with issued cards, simulated by test helpers that stand for merchants.

https://docs.stripe.com/issuing/testing
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.objects import Fields, refer, retrieve, show
from ..core.params import Integer, NestedParams, OptBool, OptInteger, OptText, Params, value_of
from .authorizations import (
    AUTHORIZATIONS,
    IssuingAuthorization,
    change_authorization,
    increment_authorization,
    open_authorization,
)
from .issued_cards import ISSUED_CARDS, IssuedCard
from .issuing_transactions import ISSUING_TRANSACTIONS, IssuingTransaction, add_transaction
from .merchants import MerchantData, build_merchant

api = Operations(prefix="/v1/test_helpers/issuing")

DEFAULT_AMOUNT = 100
Check = Literal["match", "mismatch", "not_provided"] | UnsetType
OptFields = dict[str, Any] | UnsetType


_OF_PURCHASES = {
    "purchase_details.flight.segments.arrival_airport_code": 3,
    "purchase_details.flight.segments.departure_airport_code": 3,
    "purchase_details.receipt.description": 26,
}


class PurchaseAmounts(NestedParams):
    """Parts of an amount."""

    atm_fee: OptInteger = UNSET
    cashback_amount: OptInteger = UNSET


class Exemption(NestedParams):
    """Why a purchase was not authenticated."""

    claimed_by: Literal["acquirer", "issuer"]
    type: Literal["low_value_transaction", "transaction_risk_analysis", "unknown"]


class ThreeDSecure(NestedParams):
    """The result of an authentication."""

    result: Literal["attempt_acknowledged", "authenticated", "failed", "required"]


class VerificationData(NestedParams):
    """What the merchant verified."""

    address_line1_check: Check = UNSET
    address_postal_code_check: Check = UNSET
    authentication_exemption: Exemption | UnsetType = UNSET
    cvc_check: Check = UNSET
    expiry_check: Check = UNSET
    three_d_secure: ThreeDSecure | UnsetType = UNSET


class CreateAuthorization(Params, kw_only=True):
    """The parameters of a simulated purchase; fleet, fuel, network and risk are taken and have no effect."""

    amount: OptInteger = UNSET
    amount_details: PurchaseAmounts | UnsetType = UNSET
    authorization_method: Literal["chip", "contactless", "keyed_in", "online", "swipe"] | UnsetType = UNSET
    card: str
    currency: OptText = UNSET
    fleet: OptFields = UNSET
    fraud_disputability_likelihood: Literal["neutral", "unknown", "very_likely", "very_unlikely"] | UnsetType = UNSET
    fuel: OptFields = UNSET
    is_amount_controllable: OptBool = UNSET
    merchant_amount: OptInteger = UNSET
    merchant_currency: OptText = UNSET
    merchant_data: MerchantData | UnsetType = UNSET
    network_data: OptFields = UNSET
    risk_assessment: OptFields = UNSET
    verification_data: VerificationData | UnsetType = UNSET
    wallet: Literal["apple_pay", "google_pay", "samsung_pay"] | UnsetType = UNSET


class CaptureAuthorization(Params):
    """The parameters of a capture."""

    longest: ClassVar = _OF_PURCHASES

    capture_amount: OptInteger = UNSET
    close_authorization: OptBool = UNSET
    purchase_details: OptFields = UNSET


class FinalizeAmount(Params, kw_only=True):
    """The amount that a purchase came to."""

    final_amount: Integer
    fleet: OptFields = UNSET
    fuel: OptFields = UNSET


class IncrementAuthorization(Params, kw_only=True):
    """The amount by which an authorization grows."""

    increment_amount: Integer
    is_amount_controllable: OptBool = UNSET


class ReverseAuthorization(Params):
    """The amount that is released; without one it is the whole."""

    reverse_amount: OptInteger = UNSET


class RespondToChallenge(Params, kw_only=True):
    """Whether the cardholder says that a purchase is theirs."""

    confirmed: bool


class CreateTransaction(Params, kw_only=True):
    """The parameters of a transaction without an authorization."""

    longest: ClassVar = _OF_PURCHASES

    amount: Integer
    card: str
    currency: OptText = UNSET
    merchant_data: MerchantData | UnsetType = UNSET
    purchase_details: OptFields = UNSET


class RefundTransaction(Params):
    """The amount of a refund; without one it is the whole."""

    refund_amount: OptInteger = UNSET


def _check_amount(amount: int, name: str, most: int | None = None) -> int:
    """Return an amount of at least 1; raises StripeError for another, and for one above `most`."""
    if amount < 1:
        message = "This value must be greater than or equal to 1."
        raise StripeError(message, code="parameter_invalid_integer", param=name)
    if most is not None and amount > most:
        raise StripeError(f"The amount {amount} is greater than what is left ({most}).", param=name)
    return amount


def _check_currency(given: str | UnsetType, card: IssuedCard, name: str) -> None:
    if given and given.lower() != card.currency:
        message = f"The currency of this card is {card.currency}; purchases in {given[:10]} are not simulated."
        raise StripeError(message, param=name)


@api.post("/authorizations")
def create_authorization(call: Call, params: Annotated[CreateAuthorization, Body]) -> Fields:
    """Have a merchant request an amount from a card."""
    card = refer(call, ISSUED_CARDS, params.card, "card")
    _check_currency(params.currency, card, "currency")
    _check_currency(params.merchant_currency, card, "merchant_currency")
    if (
        isinstance(params.amount, int)
        and isinstance(params.merchant_amount, int)
        and params.amount != params.merchant_amount
    ):
        raise StripeError("Amounts in one currency must be equal.", param="merchant_amount")
    given = params.amount if isinstance(params.amount, int) else params.merchant_amount
    amount = _check_amount(given if isinstance(given, int) else DEFAULT_AMOUNT, "amount")
    checks = {"address_line1_check": "not_provided", "address_postal_code_check": "not_provided"}
    checks |= {"authentication_exemption": None, "cvc_check": "match", "expiry_check": "match"}
    checks |= {"postal_code": None, "three_d_secure": None}
    details = {"atm_fee": None, "cashback_amount": None, **value_of(params.amount_details or PurchaseAmounts())}
    return open_authorization(
        call,
        card,
        amount,
        controllable=params.is_amount_controllable is True,
        amount_details=details,
        authorization_method=params.authorization_method or "online",
        merchant_data=build_merchant(params.merchant_data),
        verification_data={**checks, **value_of(params.verification_data or VerificationData())},
        wallet=params.wallet or None,
    )


def _pending(call: Call, id: str, action: str) -> IssuingAuthorization:
    """Return an approved authorization that is pending; raises StripeError for another."""
    row = retrieve(call, AUTHORIZATIONS, id)
    if not row.approved or row.status != "pending":
        state = f"it has a status of {row.status}" if row.approved else "it is not approved"
        raise StripeError(f"You cannot {action} this authorization because {state}.", param="authorization")
    return row


def _answer(call: Call, row: IssuingAuthorization) -> Fields:
    return show(call, AUTHORIZATIONS, row)


@api.post("/authorizations/{authorization}/capture")
def capture_authorization(call: Call, authorization: str, params: Annotated[CaptureAuthorization, Body]) -> Fields:
    """Capture an authorization, wholly or in part; it is closed unless `close_authorization` is false."""
    row = _pending(call, authorization, "capture")
    wanted = params.capture_amount if isinstance(params.capture_amount, int) else row.amount
    amount = _check_amount(wanted, "capture_amount")
    add_transaction(
        call,
        retrieve(call, ISSUED_CARDS, row.card),
        "capture",
        amount,
        authorization=row.id,
        merchant_data=row.merchant_data,
        purchase_details=value_of(params.purchase_details) if isinstance(params.purchase_details, dict) else None,
        wallet=row.wallet,
    )
    left = max(row.amount - amount, 0)
    closes = params.close_authorization is not False or left == 0
    spent = row.spent - left if closes else row.spent
    fields: Fields = {"amount": 0 if closes else left, "status": "closed" if closes else "pending"}
    return _answer(call, change_authorization(call, row, **fields, spent=max(spent, amount)))


@api.post("/authorizations/{authorization}/expire")
def expire_authorization(call: Call, authorization: str, params: Annotated[Params, Body]) -> Fields:
    """Let an authorization expire, which releases what it holds."""
    row = _pending(call, authorization, "expire")
    spent = row.spent - row.amount
    return _answer(call, change_authorization(call, row, status="expired", amount=0, spent=spent))


@api.post("/authorizations/{authorization}/finalize_amount")
def finalize_amount(call: Call, authorization: str, params: Annotated[FinalizeAmount, Body]) -> Fields:
    """Set the amount of an authorization, such as of a fuel dispenser, once it is known."""
    row = _pending(call, authorization, "finalize")
    amount = _check_amount(params.final_amount, "final_amount")
    spent = row.spent - row.amount + amount
    return _answer(call, change_authorization(call, row, amount=amount, merchant_amount=amount, spent=spent))


@api.post("/authorizations/{authorization}/fraud_challenges/respond")
def respond_to_challenge(call: Call, authorization: str, params: Annotated[RespondToChallenge, Body]) -> Fields:
    """Refuse: no authorization has a fraud challenge."""
    row = retrieve(call, AUTHORIZATIONS, authorization)
    raise StripeError(f"The authorization {row.id} has no fraud challenge to respond to.", param="authorization")


@api.post("/authorizations/{authorization}/increment")
def increment(call: Call, authorization: str, params: Annotated[IncrementAuthorization, Body]) -> Fields:
    """Request a further amount of an authorization."""
    row = _pending(call, authorization, "increment")
    amount = _check_amount(params.increment_amount, "increment_amount")
    return _answer(call, increment_authorization(call, row, amount))


@api.post("/authorizations/{authorization}/reverse")
def reverse_authorization(call: Call, authorization: str, params: Annotated[ReverseAuthorization, Body]) -> Fields:
    """Release what an authorization holds, or a part of it."""
    row = _pending(call, authorization, "reverse")
    wanted = params.reverse_amount if isinstance(params.reverse_amount, int) else row.amount
    amount = _check_amount(wanted, "reverse_amount", row.amount)
    left = row.amount - amount
    fields: Fields = {"amount": left, "merchant_amount": left, "status": "pending" if left else "reversed"}
    return _answer(call, change_authorization(call, row, **fields, spent=row.spent - amount))


def _add_unlinked(call: Call, params: CreateTransaction, kind: str) -> Fields:
    """Create a transaction that no authorization precedes."""
    card = refer(call, ISSUED_CARDS, params.card, "card")
    _check_currency(params.currency, card, "currency")
    amount = _check_amount(params.amount, "amount")
    details = value_of(params.purchase_details) if isinstance(params.purchase_details, dict) else None
    merchant = build_merchant(params.merchant_data)
    made = add_transaction(call, card, kind, amount, merchant_data=merchant, purchase_details=details)
    return ISSUING_TRANSACTIONS.show(made)


@api.post("/transactions/create_force_capture")
def create_force_capture(call: Call, params: Annotated[CreateTransaction, Body]) -> Fields:
    """Have a merchant capture an amount without an authorization."""
    return _add_unlinked(call, params, "capture")


@api.post("/transactions/create_unlinked_refund")
def create_unlinked_refund(call: Call, params: Annotated[CreateTransaction, Body]) -> Fields:
    """Have a merchant refund an amount that no transaction names."""
    return _add_unlinked(call, params, "refund")


@api.post("/transactions/{transaction}/refund")
def refund_transaction(call: Call, transaction: str, params: Annotated[RefundTransaction, Body]) -> Fields:
    """Have a merchant refund a capture, wholly or in part; returns the refund."""
    row: IssuingTransaction = retrieve(call, ISSUING_TRANSACTIONS, transaction)
    if row.type != "capture":
        raise StripeError("Only a transaction of the type `capture` can be refunded.", param="transaction")
    left = -row.amount - row.refunded
    wanted = params.refund_amount if isinstance(params.refund_amount, int) else left
    if left == 0:
        raise StripeError(f"The transaction {row.id} has already been refunded.", param="transaction")
    amount = _check_amount(wanted, "refund_amount", left)
    call.db.change(row, refunded=row.refunded + amount)
    card = retrieve(call, ISSUED_CARDS, row.card)
    fields: Fields = {"authorization": row.authorization, "merchant_data": row.merchant_data, "wallet": row.wallet}
    return ISSUING_TRANSACTIONS.show(add_transaction(call, card, "refund", amount, **fields))
