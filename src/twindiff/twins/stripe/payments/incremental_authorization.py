"""Incremental authorization: a higher authorization of a payment before its capture.

https://docs.stripe.com/payments/incremental-authorization
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from twindiff.kit import UNSET, Body, Call, Operations, UnsetType
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.currencies import check_charge
from ..core.events import record_row, update
from ..core.objects import Fields, retrieve
from ..core.params import Integer, OptInteger, OptMetadata, OptText, Params, merge_metadata
from ..tables.charge_tables import CHARGES
from ..tables.payment_intent_tables import PAYMENTS, PaymentIntent, payment_intent_object
from .amount_details import OptAmountDetails, merge_details
from .payment_lifecycle import build_unexpected_state_error, with_intent

api = Operations(prefix="/v1/payment_intents", layers=[with_intent])

MAX_INCREMENTS = 10


class Increment(Params, kw_only=True):
    """The parameters of an increment; `amount` is the new total."""

    longest: ClassVar = {"description": 1000}

    amount: Integer
    amount_details: OptAmountDetails = UNSET
    application_fee_amount: OptInteger = UNSET
    description: OptText = UNSET
    metadata: OptMetadata = UNSET
    payment_details: dict[str, Any] | UnsetType = UNSET
    statement_descriptor: OptText = UNSET
    transfer_data: dict[str, int] | UnsetType = UNSET


@api.post("/{intent}/increment_authorization")
def increment_authorization(call: Call, intent: str, params: Annotated[Increment, Body]) -> Fields:
    """Increase the authorized amount of a payment."""
    row = retrieve(call, PAYMENTS, intent)
    charge = retrieve(call, CHARGES, _check_incrementable(row, params.amount).latest_charge or "")
    details: Fields = charge.payment_method_details
    if details["card"]["incremental_authorization"]["status"] != "available":
        message = "The authorization of this PaymentIntent cannot be incremented."
        raise StripeError(message)
    done = details["card"].get("increments", 0) + 1
    if done > MAX_INCREMENTS:
        raise StripeError(f"The authorization of a PaymentIntent can be incremented up to {MAX_INCREMENTS} times.")
    card = {**details["card"], "amount_authorized": params.amount, "increments": done}
    update(call, CHARGES, charge, amount=params.amount, payment_method_details={**details, "card": card})
    wanted: Fields = {"amount": params.amount, "amount_capturable": params.amount}
    if params.amount_details is not UNSET:
        wanted["amount_details"] = merge_details(call, row.amount_details, params.amount_details, params.amount)
    for name in ("application_fee_amount", "description"):
        if (value := getattr(params, name)) is not UNSET:
            wanted[name] = value
    held = call.db.change(row, **wanted, metadata=merge_metadata(row.metadata, params.metadata))
    record_row(call, "payment_intent.amount_capturable_updated", PAYMENTS, held)
    return payment_intent_object(held)


def _check_incrementable(row: PaymentIntent, amount: int) -> PaymentIntent:
    """Return the intent; raises StripeError if its authorization cannot be increased."""
    if row.status != "requires_capture":
        raise build_unexpected_state_error(
            f"This PaymentIntent's authorization could not be incremented because it has a status of {row.status}. "
            "Only a PaymentIntent with one of the following statuses may be incremented: requires_capture."
        )
    if amount <= row.amount:
        message = f"The amount must be greater than the currently authorized amount, which is {row.amount}."
        raise StripeError(message, code="parameter_invalid_integer", param="amount")
    check_charge(amount, row.currency)
    return row
