"""Disputes of transactions with issued cards: evidence, submission, and the network's decision.

https://docs.stripe.com/api/issuing/disputes, https://docs.stripe.com/issuing/testing#disputes
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.events import record_row, update
from ..core.objects import Fields, StripeObject, build_view, new, refer, resource, retrieve
from ..core.pagination import equal, list_of, to_range_conditions, to_reference_conditions
from ..core.params import (
    ListParams,
    NestedParams,
    OptInteger,
    OptMetadata,
    OptName,
    OptRange,
    OptText,
    Params,
    Unset,
    merge_metadata,
    value_of,
)
from .issuing_transactions import ISSUING_TRANSACTIONS, IssuingTransaction

api = Operations(prefix="/v1/issuing/disputes")

Reason = Literal[
    "canceled", "duplicate", "fraudulent", "merchandise_not_as_described", "no_valid_authorization", "not_received",
    "other", "service_not_as_described",
]  # fmt: skip
DECISIONS = {"winning_evidence": "won", "losing_evidence": "lost"}
"""Explanations by which test mode decides a submitted dispute at once."""


class IssuingDispute(
    StripeObject,
    table="issuing_disputes",
    key=("id",),
    unique=(("seq",),),
    indexes=(("status", "seq"), ("transaction", "seq")),
):
    amount: Column[int]
    currency: Column[str]
    evidence: Column[Json] = column(default={})
    loss_reason: Column[str | None] = column(default=None)
    metadata: Column[Json] = column(default={})
    status: Column[str] = column(default="unsubmitted")
    transaction: Column[str]


ISSUING_DISPUTES = resource(
    IssuingDispute,
    "issuing.dispute",
    "idp_",
    build_view(IssuingDispute, "issuing.dispute", balance_transactions=None),
    spoken="dispute",
    param="dispute",
    expandable=("transaction",),
)

MAX_EVIDENCE_CHARACTERS = 1500
_LONG_TEXTS = {
    "canceled": ("cancellation_reason", "explanation", "product_description"),
    "duplicate": ("explanation",),
    "fraudulent": ("explanation",),
    "merchandise_not_as_described": ("explanation", "return_description"),
    "not_received": ("explanation", "product_description"),
    "other": ("explanation", "product_description"),
    "service_not_as_described": ("cancellation_reason", "explanation"),
}
"""Texts of evidence that are limited, by reason."""

OptTime = int | Unset | UnsetType


class DisputeArguments(NestedParams):
    """The evidence for one reason; each reason asks for some of these."""

    additional_documentation: OptText = UNSET
    canceled_at: OptTime = UNSET
    cancellation_policy_provided: bool | Unset | UnsetType = UNSET
    cancellation_reason: OptText = UNSET
    card_statement: OptText = UNSET
    cash_receipt: OptText = UNSET
    check_image: OptText = UNSET
    expected_at: OptTime = UNSET
    explanation: OptText = UNSET
    original_transaction: OptText = UNSET
    product_description: OptText = UNSET
    product_type: Literal["", "merchandise", "service"] | UnsetType = UNSET
    received_at: OptTime = UNSET
    return_description: OptText = UNSET
    return_status: Literal["", "merchant_rejected", "successful"] | UnsetType = UNSET
    returned_at: OptTime = UNSET


_Arguments = DisputeArguments | Unset | UnsetType


class DisputeEvidence(NestedParams):
    """The reason of a dispute, and the evidence for it."""

    canceled: _Arguments = UNSET
    duplicate: _Arguments = UNSET
    fraudulent: _Arguments = UNSET
    merchandise_not_as_described: _Arguments = UNSET
    no_valid_authorization: _Arguments = UNSET
    not_received: _Arguments = UNSET
    other: _Arguments = UNSET
    reason: Reason | UnsetType = UNSET
    service_not_as_described: _Arguments = UNSET


class TreasuryDispute(NestedParams):
    """A received debit."""

    received_debit: str


class UpdateDispute(Params):
    """The parameters of an update."""

    longest: ClassVar = {
        f"evidence.{reason}.{name}": MAX_EVIDENCE_CHARACTERS for reason, names in _LONG_TEXTS.items() for name in names
    }

    amount: OptInteger = UNSET
    evidence: DisputeEvidence | UnsetType = UNSET
    metadata: OptMetadata = UNSET


class CreateDispute(UpdateDispute):
    """The parameters of a new dispute."""

    transaction: OptName = UNSET
    treasury: TreasuryDispute | UnsetType = UNSET


class SubmitDispute(Params):
    """The parameters of a submission."""

    metadata: OptMetadata = UNSET


class ListDisputes(ListParams):
    """The parameters of a list of disputes."""

    created: OptRange = UNSET
    status: Literal["expired", "lost", "submitted", "unsubmitted", "won"] | UnsetType = UNSET
    transaction: OptName = UNSET


def _merge_evidence(known: Fields, given: DisputeEvidence | UnsetType) -> Fields:
    """Return evidence with that which was given; the fields of a reason are null unless they were given."""
    if not isinstance(given, DisputeEvidence):
        return known
    merged: Fields = {**known, **value_of(given)}
    empty: Fields = {"additional_documentation": None, "explanation": None}
    return {name: {**empty, **value} if isinstance(value, dict) else value for name, value in merged.items()}


def _check_amount(amount: int, transaction: IssuingTransaction) -> int:
    if not 1 <= amount <= -transaction.amount:
        message = f"The amount of a dispute must be from 1 to that of its transaction ({-transaction.amount})."
        raise StripeError(message, param="amount")
    return amount


@api.post("")
def create_dispute(call: Call, params: Annotated[CreateDispute, Body]) -> Fields:
    """Dispute a captured transaction, wholly or in part; the dispute is not yet submitted."""
    if not isinstance(params.transaction, str):
        if isinstance(params.treasury, TreasuryDispute):
            raise StripeError(
                f"No such received_debit: '{params.treasury.received_debit[:500]}'", code="resource_missing"
            )
        raise StripeError("Missing required param: transaction.", code="parameter_missing", param="transaction")
    transaction = refer(call, ISSUING_TRANSACTIONS, params.transaction, "transaction")
    if transaction.type != "capture":
        raise StripeError("Only a transaction of the type `capture` can be disputed.", param="transaction")
    if transaction.dispute:
        raise StripeError(f"The transaction {transaction.id} already has a dispute.", param="transaction")
    wanted = params.amount if isinstance(params.amount, int) else -transaction.amount
    made = new(
        call,
        ISSUING_DISPUTES,
        amount=_check_amount(wanted, transaction),
        currency=transaction.currency,
        evidence=_merge_evidence({"reason": "other"}, params.evidence),
        metadata=merge_metadata({}, params.metadata),
        transaction=transaction.id,
    )
    call.db.change(transaction, dispute=made.id)
    record_row(call, "issuing_dispute.created", ISSUING_DISPUTES, made)
    return ISSUING_DISPUTES.show(made)


@api.get("/{dispute}")
def retrieve_dispute(call: Call, dispute: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a dispute."""
    return ISSUING_DISPUTES.show(retrieve(call, ISSUING_DISPUTES, dispute))


@api.get("")
def list_disputes(call: Call, params: Annotated[ListDisputes, Body]) -> Fields:
    """List disputes, of a transaction or a status."""
    where = to_range_conditions(IssuingDispute.created, params.created)
    where += to_reference_conditions(call, (IssuingDispute.transaction, params.transaction, ISSUING_TRANSACTIONS))
    where += equal((IssuingDispute.status, params.status))
    return list_of(call, ISSUING_DISPUTES, params, "/v1/issuing/disputes", *where)


def _change(call: Call, row: IssuingDispute, **fields: Any) -> Fields:
    return ISSUING_DISPUTES.show(update(call, ISSUING_DISPUTES, row, "issuing_dispute.updated", **fields))


def _retrieve_unsubmitted(call: Call, id: str, action: str) -> IssuingDispute:
    """Return a dispute that is not submitted; raises StripeError for another."""
    row = retrieve(call, ISSUING_DISPUTES, id)
    if row.status != "unsubmitted":
        raise StripeError(f"You cannot {action} this dispute because it has a status of {row.status}.", param="dispute")
    return row


@api.post("/{dispute}")
def update_dispute(call: Call, dispute: str, params: Annotated[UpdateDispute, Body]) -> Fields:
    """Update a dispute; after its submission only its metadata."""
    row = retrieve(call, ISSUING_DISPUTES, dispute)
    metadata = merge_metadata(row.metadata, params.metadata)
    if params.amount is UNSET and params.evidence is UNSET:
        return _change(call, row, metadata=metadata)
    row = _retrieve_unsubmitted(call, dispute, "update")
    transaction = retrieve(call, ISSUING_TRANSACTIONS, row.transaction)
    amount = _check_amount(params.amount, transaction) if isinstance(params.amount, int) else row.amount
    return _change(call, row, amount=amount, evidence=_merge_evidence(row.evidence, params.evidence), metadata=metadata)


@api.post("/{dispute}/submit")
def submit_dispute(call: Call, dispute: str, params: Annotated[SubmitDispute, Body]) -> Fields:
    """Submit a dispute whose reason has an explanation; two explanations are decided at once."""
    row = _retrieve_unsubmitted(call, dispute, "submit")
    given: Fields = row.evidence.get(row.evidence["reason"]) or {}
    explanation: str | None = given.get("explanation")
    if not explanation:
        name = f"evidence[{row.evidence['reason']}][explanation]"
        raise StripeError(f"Missing required evidence: {name}.", param=name)
    metadata = merge_metadata(row.metadata, params.metadata)
    row = call.db.change(row, status="submitted", metadata=metadata)
    record_row(call, "issuing_dispute.submitted", ISSUING_DISPUTES, row)
    if status := DECISIONS.get(explanation):
        row = call.db.change(row, status=status)
        record_row(call, "issuing_dispute.closed", ISSUING_DISPUTES, row)
    if row.status == "won":
        record_row(call, "issuing_dispute.funds_reinstated", ISSUING_DISPUTES, row)
    return ISSUING_DISPUTES.show(row)
