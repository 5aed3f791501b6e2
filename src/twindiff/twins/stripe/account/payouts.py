"""Payouts: transfers from the balance to a bank account.

https://docs.stripe.com/api/payouts
"""

from __future__ import annotations

from typing import Annotated, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.currencies import parse_currency
from ..core.events import record_row, update
from ..core.objects import Fields, StripeObject, build_view, new, now, resource, retrieve
from ..core.pagination import equal, list_of, to_range_conditions
from ..core.params import (
    Integer,
    ListParams,
    OptMetadata,
    OptName,
    OptRange,
    OptText,
    Params,
    collect_params,
    merge_metadata,
)
from .accounts import own_account
from .balance_transactions import available, enter
from .external_accounts import EXTERNAL_ACCOUNTS

api = Operations(prefix="/v1/payouts")

DAY = 86_400
DAYS_TO_ARRIVE = 2


class Payout(StripeObject, table="payouts", key=("id",), unique=(("seq",),), indexes=(("status", "seq"),)):
    amount: Column[int]
    arrival_date: Column[int]
    automatic: Column[bool] = column(default=False)
    balance_transaction: Column[str | None] = column(default=None)
    currency: Column[str]
    description: Column[str | None] = column(default=None)
    destination: Column[str | None] = column(default=None)
    failure_balance_transaction: Column[str | None] = column(default=None)
    failure_code: Column[str | None] = column(default=None)
    failure_message: Column[str | None] = column(default=None)
    metadata: Column[Json] = column(default={})
    method: Column[str] = column(default="standard")
    original_payout: Column[str | None] = column(default=None)
    reversed_by: Column[str | None] = column(default=None)
    statement_descriptor: Column[str | None] = column(default=None)
    status: Column[str] = column(default="pending")


payout_object = build_view(
    Payout,
    "payout",
    application_fee=None,
    application_fee_amount=None,
    payout_method=None,
    reconciliation_status="not_applicable",
    source_type="card",
    trace_id=None,
    type="bank_account",
)
PAYOUTS = resource(
    Payout,
    "payout",
    "po_",
    payout_object,
    param="payout",
    expandable=("balance_transaction", "destination", "failure_balance_transaction", "original_payout", "reversed_by"),
)


class CreatePayout(Params):
    """The parameters of a payout."""

    amount: Integer
    currency: str
    description: OptText = UNSET
    destination: OptName = UNSET
    metadata: OptMetadata = UNSET
    method: Literal["instant", "standard"] | UnsetType = UNSET
    payout_method: OptText = UNSET
    source_type: Literal["bank_account", "card", "fpx"] | UnsetType = UNSET
    statement_descriptor: OptText = UNSET


class UpdatePayout(Params):
    """The parameters of an update or a reversal."""

    metadata: OptMetadata = UNSET


class ListPayouts(ListParams):
    """The parameters of a list of payouts."""

    arrival_date: OptRange = UNSET
    created: OptRange = UNSET
    destination: OptName = UNSET
    status: OptText = UNSET


@api.post("")
def create_payout(call: Call, params: Annotated[CreatePayout, Body]) -> Fields:
    """Create a payout from the available balance."""
    if params.amount < 1:
        message = "This value must be greater than or equal to 1."
        raise StripeError(message, code="parameter_invalid_integer", param="amount")
    currency = parse_currency(params.currency)
    if isinstance(params.destination, str):
        _check_destination(call, params.destination)
    check_funds(call, params.amount, currency)
    fields = collect_params(params, "amount", "currency", "payout_method", "source_type")
    made = new(
        call,
        PAYOUTS,
        **fields,
        amount=params.amount,
        currency=currency,
        arrival_date=(now(call) // DAY + DAYS_TO_ARRIVE) * DAY,
        metadata=merge_metadata({}, params.metadata),
    )
    entered = enter(call, "payout", -params.amount, currency, made.id, description="STRIPE PAYOUT")
    made = call.db.change(made, balance_transaction=entered.id)
    record_row(call, "payout.created", PAYOUTS, made)
    return payout_object(made)


@api.get("/{payout}")
def retrieve_payout(call: Call, payout: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a payout."""
    return payout_object(retrieve(call, PAYOUTS, payout))


@api.get("")
def list_payouts(call: Call, params: Annotated[ListPayouts, Body]) -> Fields:
    """List payouts."""
    where = to_range_conditions(Payout.created, params.created) + to_range_conditions(
        Payout.arrival_date, params.arrival_date
    )
    where += equal((Payout.status, params.status), (Payout.destination, params.destination))
    return list_of(call, PAYOUTS, params, "/v1/payouts", *where)


@api.post("/{payout}")
def update_payout(call: Call, payout: str, params: Annotated[UpdatePayout, Body]) -> Fields:
    """Update the metadata of a payout."""
    row = retrieve(call, PAYOUTS, payout)
    return payout_object(update(call, PAYOUTS, row, metadata=merge_metadata(row.metadata, params.metadata)))


@api.post("/{payout}/cancel")
def cancel_payout(call: Call, payout: str, params: Annotated[Params, Body]) -> Fields:
    """Cancel a pending payout and return its amount to the balance."""
    row = retrieve(call, PAYOUTS, payout)
    if row.status != "pending":
        message = f"Payouts may only be canceled while they are pending; this one has a status of {row.status}."
        raise StripeError(message)
    back = enter(call, "payout_cancel", row.amount, row.currency, row.id, description="STRIPE PAYOUT CANCELED")
    canceled = call.db.change(row, status="canceled", failure_balance_transaction=back.id)
    record_row(call, "payout.canceled", PAYOUTS, canceled)
    return payout_object(canceled)


@api.post("/{payout}/reverse")
def reverse_payout(call: Call, payout: str, params: Annotated[UpdatePayout, Body]) -> Fields:
    """Reverse a paid payout; the amount returns to the balance."""
    row = retrieve(call, PAYOUTS, payout)
    if row.status != "paid" or row.reversed_by:
        message = f"Only payouts that were paid can be reversed; this one has a status of {row.status}."
        raise StripeError(message)
    made = new(
        call,
        PAYOUTS,
        amount=-row.amount,
        currency=row.currency,
        arrival_date=now(call),
        original_payout=row.id,
        metadata=merge_metadata({}, params.metadata),
        status="paid",
    )
    entered = enter(call, "payout", row.amount, row.currency, made.id, description="STRIPE PAYOUT REVERSAL")
    made = call.db.change(made, balance_transaction=entered.id)
    record_row(call, "payout.created", PAYOUTS, made)
    update(call, PAYOUTS, row, reversed_by=made.id)
    return payout_object(made)


@api.due(Payout.arrival_date, Payout.status == "pending")
def pay_out(call: Call, payout: Payout) -> None:
    """Mark a payout as paid and record `payout.paid`."""
    paid = call.db.change(payout, status="paid")
    record_row(call, "payout.paid", PAYOUTS, paid)


def _check_destination(call: Call, id: str) -> None:
    """Raise StripeError unless the destination is an external account of the acting account."""
    if retrieve(call, EXTERNAL_ACCOUNTS, id, param="destination", status=400).account != own_account(call).id:
        raise EXTERNAL_ACCOUNTS.missing(id, param="destination", status=400)


def check_funds(call: Call, amount: int, currency: str) -> None:
    """Raise StripeError if `amount` exceeds the available balance."""
    if amount > available(call, currency):
        raise StripeError(
            "You have insufficient funds in your Stripe account for this transfer. Your card balance is too low. You "
            "can use the /v1/balance endpoint to view your Stripe balance (for more details, see "
            "stripe.com/docs/api#balance).",
            code="balance_insufficient",
        )
