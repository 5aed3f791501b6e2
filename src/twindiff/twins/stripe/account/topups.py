"""Top-ups: transfers from a bank account to the balance.

https://docs.stripe.com/api/topups
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

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
    OptRange,
    OptText,
    Params,
    collect_params,
    merge_metadata,
)
from .balance_transactions import enter

api = Operations(prefix="/v1/topups")

DAY = 86_400
DAYS_TO_ARRIVE = 2


class Topup(StripeObject, table="topups", key=("id",), unique=(("seq",),), indexes=(("status", "seq"),)):
    amount: Column[int]
    balance_transaction: Column[str | None] = column(default=None)
    currency: Column[str]
    description: Column[str | None] = column(default=None)
    expected_availability_date: Column[int]
    metadata: Column[Json] = column(default={})
    statement_descriptor: Column[str | None] = column(default=None)
    status: Column[str] = column(default="pending")
    transfer_group: Column[str | None] = column(default=None)


TOPUPS = resource(
    Topup,
    "topup",
    "tu_",
    build_view(Topup, "topup", failure_code=None, failure_message=None, initiated_by=None, source=None),
    param="topup",
    expandable=("balance_transaction",),
)


class UpdateTopup(Params):
    """The parameters of an update."""

    description: OptText = UNSET
    metadata: OptMetadata = UNSET


class CreateTopup(UpdateTopup, kw_only=True):
    """The parameters of a top-up; `source` is ignored, since the bank account is always the shop's."""

    longest: ClassVar = {"statement_descriptor": 15}

    amount: Integer
    currency: str
    source: OptText = UNSET
    statement_descriptor: OptText = UNSET
    transfer_group: OptText = UNSET


class ListTopups(ListParams):
    """The parameters of a list of top-ups."""

    amount: OptRange = UNSET
    created: OptRange = UNSET
    status: Literal["canceled", "failed", "pending", "succeeded"] | UnsetType = UNSET


@api.post("")
def create_topup(call: Call, params: Annotated[CreateTopup, Body]) -> Fields:
    """Create a top-up; its amount is available two days later."""
    if params.amount < 1:
        message = "This value must be greater than or equal to 1."
        raise StripeError(message, code="parameter_invalid_integer", param="amount")
    currency, arrives = parse_currency(params.currency), (now(call) // DAY + DAYS_TO_ARRIVE) * DAY
    made = new(
        call,
        TOPUPS,
        **collect_params(params, "currency", "source"),
        currency=currency,
        expected_availability_date=arrives,
        metadata=merge_metadata({}, params.metadata),
    )
    entered = enter(call, "topup", made.amount, currency, made.id, description=made.description, available_on=arrives)
    made = call.db.change(made, balance_transaction=entered.id)
    record_row(call, "topup.created", TOPUPS, made)
    return TOPUPS.show(made)


@api.get("/{topup}")
def retrieve_topup(call: Call, topup: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a top-up."""
    return TOPUPS.show(retrieve(call, TOPUPS, topup))


@api.get("")
def list_topups(call: Call, params: Annotated[ListTopups, Body]) -> Fields:
    """List top-ups."""
    where = to_range_conditions(Topup.created, params.created) + to_range_conditions(Topup.amount, params.amount)
    return list_of(call, TOPUPS, params, "/v1/topups", *where, *equal((Topup.status, params.status)))


@api.post("/{topup}")
def update_topup(call: Call, topup: str, params: Annotated[UpdateTopup, Body]) -> Fields:
    """Update the description and the metadata of a top-up."""
    row = retrieve(call, TOPUPS, topup)
    metadata = merge_metadata(row.metadata, params.metadata)
    return TOPUPS.show(update(call, TOPUPS, row, False, **collect_params(params), metadata=metadata))


@api.post("/{topup}/cancel")
def cancel_topup(call: Call, topup: str, params: Annotated[Params, Body]) -> Fields:
    """Cancel a pending top-up."""
    row = retrieve(call, TOPUPS, topup)
    if row.status != "pending":
        raise StripeError(f"Only pending top-ups can be canceled; this one has a status of {row.status}.")
    enter(call, "topup_reversal", -row.amount, row.currency, row.id, available_on=row.expected_availability_date)
    canceled = call.db.change(row, status="canceled")
    record_row(call, "topup.canceled", TOPUPS, canceled)
    return TOPUPS.show(canceled)


@api.due(Topup.expected_availability_date, Topup.status == "pending")
def arrive(call: Call, topup: Topup) -> None:
    """Mark a top-up as succeeded and record `topup.succeeded`."""
    arrived = call.db.change(topup, status="succeeded")
    record_row(call, "topup.succeeded", TOPUPS, arrived)
