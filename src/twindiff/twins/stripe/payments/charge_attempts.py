"""Attempts to charge a payment method: their outcome, and the capture of a charge.

https://docs.stripe.com/testing
"""

from __future__ import annotations

from typing import Any, NamedTuple

from twindiff.kit import Call

from ..account.balance_transactions import enter, processing_fee, settles_on
from ..connect.destination_charges import transfer_to_destination
from ..core.events import record_row
from ..core.objects import Fields, new, new_id, now
from ..tables.charge_tables import CHARGES, Charge, is_of_card
from ..tables.payment_method_tables import DEBITS, DETAILS, IN_PERSON, NOWHERE, PaymentMethod
from .charge_outcomes import render_outcome
from .mandates import mandate_of
from .payment_methods import outcome_of
from .test_cards import Decline, decline_by_amount, decline_of

WEEK = 7 * 86_400
DEBIT_SECONDS = 10
DELAYED_SECONDS = 180
"""Seconds until a debit of a delayed test account completes."""


class Attempt(NamedTuple):
    """The amount and the payment method of an attempt."""

    amount: int
    currency: str
    method: PaymentMethod
    capture: bool = True
    off_session: bool = False
    may_increment: bool = False
    shared: Fields = {}  # noqa: RUF012 - never written to
    """Further columns of the charge: customer, description, payment_intent …"""


def attempt(call: Call, asked: Attempt, decline: Decline | None = None) -> tuple[Charge, Decline | None]:
    """Charge a card; returns the charge and the decline, or None. A given `decline` comes first."""
    outcome = outcome_of(asked.method)
    decline = decline or decline_of(outcome)
    if asked.method.type in IN_PERSON:
        decline = decline or decline_by_amount(asked.amount)
    charge = _create_charge(
        call,
        asked,
        decline,
        outcome=render_outcome(outcome, decline),
        special=outcome,
        status="failed" if decline else "succeeded",
        paid=decline is None,
        failure_code=decline and decline.code,
        failure_message=decline and decline.message,
    )
    if decline:
        record_row(call, "charge.failed", CHARGES, charge)
        return charge, decline
    if asked.capture:
        charge = settle(call, charge, charge.amount)
    record_row(call, "charge.succeeded", CHARGES, charge)
    return charge, None


def begin(call: Call, asked: Attempt) -> Charge:
    """Create the pending charge of a debit, whose result the bank reports later."""
    outcome = outcome_of(asked.method)
    charge = _create_charge(call, asked, None, outcome=render_outcome("", None), special=outcome, status="pending")
    record_row(call, "charge.pending", CHARGES, charge)
    return charge


def settling_time(call: Call, charge: Charge) -> int:
    """Return the Unix timestamp at which the bank reports the result of a debit, or 0 if it never does."""
    if charge.special == "stays_processing":
        return 0
    return now(call) + (DELAYED_SECONDS if charge.special.startswith("delayed") else DEBIT_SECONDS)


def _create_charge(call: Call, asked: Attempt, decline: Decline | None, **fields: Any) -> Charge:
    return new(
        call,
        CHARGES,
        created=call.clock.unix(),
        amount=asked.amount,
        currency=asked.currency,
        payment_method=asked.method.id,
        billing_details=_billing(asked.method),
        payment_method_details=_details(call, asked, decline),
        **fields,
        **asked.shared,
    )


def conclude(call: Call, charge: Charge) -> tuple[Charge, Decline | None]:
    """Complete a pending debit; returns the charge and its failure, or None."""
    if decline := decline_of(charge.special):
        fields = {"failure_code": decline.code, "failure_message": decline.message}
        charge = call.db.change(charge, status="failed", outcome=render_outcome(charge.special, decline), **fields)
        record_row(call, "charge.failed", CHARGES, charge)
        return charge, decline
    charge = call.db.change(settle(call, charge, charge.amount), status="succeeded", paid=True)
    record_row(call, "charge.succeeded", CHARGES, charge)
    return charge, None


def settle(call: Call, charge: Charge, amount: int) -> Charge:
    """Capture an amount of a charge, enter it in the balance, and transfer it if the charge has a destination."""
    entered = enter(
        call,
        "charge" if is_of_card(charge) else "payment",
        amount,
        charge.currency,
        charge.id,
        description=charge.description,
        fee=processing_fee(amount),
        available_on=now(call) if charge.special == "bypass_pending" else settles_on(call),
    )
    settled = call.db.change(charge, captured=True, amount_captured=amount, balance_transaction=entered.id)
    return transfer_to_destination(call, settled) if settled.transfer_data else settled


def _billing(method: PaymentMethod) -> Fields:
    billing = {**DETAILS, **method.billing_details}
    return {**billing, "address": {**NOWHERE, **(billing["address"] or {})}}


def _details(call: Call, asked: Attempt, decline: Decline | None) -> Fields:
    method = asked.method
    if method.type in IN_PERSON:
        return {"type": method.type, method.type: _build_reading(call, asked, decline)}
    if method.type != "card":
        return {"type": method.type, method.type: {**_plain_details(method), **_mandate(call, method)}}
    card = method.details
    return {"type": "card", "card": {**_shared_details(card), **_build_authorization(call, asked, decline)}}


def _build_reading(call: Call, asked: Attempt, decline: Decline | None) -> Fields:
    """Return the details of a card that was read in person, with what a receipt must show."""
    card = asked.method.details
    code = None if decline else f"{asked.amount % 1_000_000:06d}"
    receipt = {
        "account_type": card["funding"],
        "application_cryptogram": new_id(call, "", 16).upper(),
        "application_preferred_name": "Stripe Credit",
        "authorization_code": code,
        "authorization_response_code": "3035" if decline else "3030",
        "cardholder_verification_method": "approval",
        "dedicated_file_name": "A000000003101001",
        "terminal_verification_results": "0000000000",
        "transaction_status_information": "0000",
    }
    return {
        **{name: value for name, value in card.items() if name != "networks"},
        "amount_authorized": None if decline else asked.amount,
        "emv_auth_data": None,
        "generated_card": None,
        "incremental_authorization_supported": False,
        "network": card["brand"],
        "network_transaction_id": None,
        "overcapture_supported": False,
        "receipt": receipt,
    }


def _mandate(call: Call, method: PaymentMethod) -> Fields:
    return {"mandate": mandate_of(call, method)} if method.type in DEBITS else {}


def _plain_details(method: PaymentMethod) -> Fields:
    hidden = ("networks", "status_details", "financial_connections_account", "generated_from")
    return {name: value for name, value in method.details.items() if name not in hidden}


_OF_CARDS = (
    "brand",
    "checks",
    "country",
    "exp_month",
    "exp_year",
    "fingerprint",
    "funding",
    "last4",
    "regulated_status",
)


def _shared_details(card: Fields) -> Fields:
    return {**{name: card[name] for name in _OF_CARDS}, "network": card["brand"], "wallet": None}


def _build_authorization(call: Call, asked: Attempt, decline: Decline | None) -> Fields:
    """Return the authorization columns of a charge."""
    unavailable = {"status": "unavailable"}
    more = {"status": "available"} if asked.may_increment and not asked.capture else unavailable
    waiting = not asked.capture and decline is None
    return {
        "amount_authorized": None if decline else asked.amount,
        "authorization_code": None if decline else f"{asked.amount % 1_000_000:06d}",
        **({"capture_before": now(call) + WEEK} if waiting else {}),
        "electronic_commerce_indicator": "07",
        "extended_authorization": {"status": "disabled"},
        "incremental_authorization": more,
        "installments": None,
        "mandate": None,
        "multicapture": unavailable,
        "network_token": {"used": False},
        "overcapture": {"maximum_amount_capturable": asked.amount, **unavailable},
        "three_d_secure": None,
    }
