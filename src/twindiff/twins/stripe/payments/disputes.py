"""Disputes: opened by test cards, contested with evidence, and won or lost.

https://docs.stripe.com/api/disputes, https://docs.stripe.com/testing#disputes
"""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column, references
from twindiff.twins.stripe.core.wire_style import StripeError

from ..account.balance_transactions import TRANSACTIONS, BalanceTransaction, enter
from ..core.events import record, record_row, update
from ..core.file_tables import FILES
from ..core.objects import Fields, StripeObject, build_view, new, now, object_id, refer, resource, retrieve, show
from ..core.pagination import list_of, to_range_conditions, to_reference_conditions
from ..core.params import (
    ListParams,
    NestedParams,
    OptBool,
    OptMetadata,
    OptName,
    OptRange,
    OptText,
    Params,
    Unset,
    collect_params,
    merge_metadata,
)
from ..tables.charge_tables import CHARGES, Charge
from ..tables.payment_intent_tables import PAYMENTS

api = Operations(prefix="/v1")

DAY = 86_400
DAYS_TO_ANSWER = 8
FEE = 1500
REVIEW_SECONDS = 60
"""Seconds until test evidence is decided."""

FILES_OF_EVIDENCE = frozenset({
    "cancellation_policy", "customer_communication", "customer_signature", "duplicate_charge_documentation", "receipt",
    "refund_policy", "service_documentation", "shipping_documentation", "uncategorized_file",
})  # fmt: skip
"""Evidence fields that hold the id of a file."""
REASONS = {"fraudulent": "10.4", "product_not_received": "13.1", "inquiry": "10"}
OPEN = ("needs_response", "warning_needs_response", "under_review", "warning_under_review")


class Evidence(NestedParams):
    """The evidence of a dispute; the fields in `FILES_OF_EVIDENCE` are file ids."""

    access_activity_log: OptText = UNSET
    billing_address: OptText = UNSET
    cancellation_policy: OptText = UNSET
    cancellation_policy_disclosure: OptText = UNSET
    cancellation_rebuttal: OptText = UNSET
    customer_communication: OptText = UNSET
    customer_email_address: OptText = UNSET
    customer_name: OptText = UNSET
    customer_purchase_ip: OptText = UNSET
    customer_signature: OptText = UNSET
    duplicate_charge_documentation: OptText = UNSET
    duplicate_charge_explanation: OptText = UNSET
    duplicate_charge_id: OptText = UNSET
    enhanced_evidence: dict[str, Any] | Unset | UnsetType = UNSET
    product_description: OptText = UNSET
    receipt: OptText = UNSET
    refund_policy: OptText = UNSET
    refund_policy_disclosure: OptText = UNSET
    refund_refusal_explanation: OptText = UNSET
    service_date: OptText = UNSET
    service_documentation: OptText = UNSET
    shipping_address: OptText = UNSET
    shipping_carrier: OptText = UNSET
    shipping_date: OptText = UNSET
    shipping_documentation: OptText = UNSET
    shipping_tracking_number: OptText = UNSET
    uncategorized_file: OptText = UNSET
    uncategorized_text: OptText = UNSET


class Dispute(
    StripeObject,
    table="disputes",
    key=("id",),
    unique=(("seq",),),
    indexes=(("charge", "seq"), ("payment_intent", "seq")),
):
    amount: Column[int]
    charge: Column[str] = references(Charge)
    currency: Column[str]
    evidence: Column[Json] = column(default={})
    metadata: Column[Json] = column(default={})
    payment_intent: Column[str | None] = column(default=None)
    reason: Column[str]
    status: Column[str]
    transactions: Column[Json] = column(default=[])
    """Its rendered balance transactions: withdrawal and reinstatement."""
    submission_count: Column[int] = column(default=0)
    due_by: Column[int]
    is_inquiry: Column[bool] = column(default=False)
    decided_at: Column[int] = column(default=0)
    """The Unix timestamp at which the bank decides, or 0."""


def _evidence(row: Dispute) -> Fields:
    evidence = {**dict.fromkeys(Evidence.__struct_fields__), **row.evidence}
    return {**evidence, "enhanced_evidence": evidence["enhanced_evidence"] or {}}


def _details(row: Dispute) -> Fields:
    return {
        "due_by": row.due_by,
        "enhanced_eligibility": {},
        "has_evidence": any(row.evidence.values()),
        "past_due": False,
        "submission_count": row.submission_count,
    }


def _method_details(row: Dispute) -> Fields | None:
    code = REASONS.get("inquiry" if row.is_inquiry else row.reason)
    if code is None:  # a debit has no network reason code
        return None
    kind = "inquiry" if row.is_inquiry else "chargeback"
    card = {"brand": "visa", "case_type": kind, "network": "visa", "network_reason_code": code}
    return {"card": card, "type": "card"}


def _balance_transaction(row: Dispute) -> str | None:
    return row.transactions[0]["id"] if row.transactions else None


def _none(row: Dispute) -> list[str]:
    return []


dispute_object = build_view(
    Dispute,
    "dispute",
    "transactions",
    "submission_count",
    "due_by",
    "is_inquiry",
    "decided_at",
    balance_transaction=_balance_transaction,
    balance_transactions=Dispute.transactions,
    enhanced_eligibility_types=_none,
    evidence=_evidence,
    evidence_details=_details,
    is_charge_refundable=Dispute.is_inquiry,
    payment_method_details=_method_details,
)
DISPUTES = resource(
    Dispute,
    "dispute",
    "du_",
    dispute_object,
    param="dispute",
    expandable=("charge", "payment_intent"),
)


class UpdateDispute(Params):
    """The parameters of an update."""

    evidence: Evidence | UnsetType = UNSET
    metadata: OptMetadata = UNSET
    submit: OptBool = UNSET


class ListDisputes(ListParams):
    """The parameters of a list of disputes."""

    charge: OptName = UNSET
    created: OptRange = UNSET
    payment_intent: OptName = UNSET


@api.get("/disputes/{id}")
def retrieve_dispute(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a dispute."""
    return dispute_object(retrieve(call, DISPUTES, id))


@api.get("/charges/{charge}/dispute")
def retrieve_charge_dispute(call: Call, charge: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve the dispute of a charge."""
    return dispute_object(retrieve(call, DISPUTES, _of(call, charge)))


@api.post("/charges/{charge}/dispute")
def update_charge_dispute(call: Call, charge: str, params: Annotated[UpdateDispute, Body]) -> Fields:
    """Update the evidence of a charge's dispute."""
    return update_dispute(call, _of(call, charge), params)


@api.post("/charges/{charge}/dispute/close")
def close_charge_dispute(call: Call, charge: str, params: Annotated[Params, Body]) -> Fields:
    """Accept the dispute of a charge as lost."""
    return close_dispute(call, _of(call, charge), params)


def _of(call: Call, charge: str) -> str:
    row = retrieve(call, CHARGES, charge)
    if row.dispute is None:
        raise StripeError(f"No dispute for charge: {charge}", status=404)
    return row.dispute


@api.get("/disputes")
def list_disputes(call: Call, params: Annotated[ListDisputes, Body]) -> Fields:
    """List disputes; a list of one charge has a total count."""
    where = to_range_conditions(Dispute.created, params.created)
    where += to_reference_conditions(
        call, (Dispute.charge, params.charge, CHARGES), (Dispute.payment_intent, params.payment_intent, PAYMENTS)
    )
    listed = list_of(call, DISPUTES, params, "/v1/disputes", *where)
    return {**listed, "count": call.db.count(Dispute, *where)} if params.charge else listed


@api.post("/disputes/{id}")
def update_dispute(call: Call, id: str, params: Annotated[UpdateDispute, Body]) -> Fields:
    """Update the evidence of a dispute, and submit it to the bank unless `submit` is false."""
    dispute = retrieve(call, DISPUTES, id)
    wanted: Fields = {"metadata": merge_metadata(dispute.metadata, params.metadata)}
    added = collect_params(params, "submit").get("evidence", {})
    evidence: Fields = {**dispute.evidence, **added}
    if added:
        _check_evidence(call, dispute, added)
        wanted["evidence"] = evidence
    is_kept = dispute.submission_count == 0 and any(evidence.values())
    if params.submit is not False and (added or (params.submit and is_kept)):
        wanted |= _build_submission(call, dispute, evidence)
    return dispute_object(update(call, DISPUTES, dispute, "charge.dispute.updated", **wanted))


@api.post("/disputes/{id}/close")
def close_dispute(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Accept a dispute as lost."""
    dispute = retrieve(call, DISPUTES, id)
    if dispute.status not in OPEN:
        raise StripeError("This dispute is already closed")
    return dispute_object(_close(call, dispute, "warning_closed" if dispute.is_inquiry else "lost"))


def _check_evidence(call: Call, dispute: Dispute, added: Fields) -> None:
    if dispute.status not in OPEN:
        raise StripeError("This dispute is already closed")
    for name in FILES_OF_EVIDENCE & added.keys():
        if added[name]:
            refer(call, FILES, added[name], f"evidence[{name}]")
    if dispute.submission_count:
        message = "This dispute's evidence has already been submitted, so it cannot be changed."
        raise StripeError(message, param="evidence")


def _build_submission(call: Call, dispute: Dispute, evidence: Fields) -> Fields:
    """Return the columns that change when evidence is submitted."""
    is_decided = evidence.get("uncategorized_text") in ("winning_evidence", "losing_evidence")
    return {
        "status": "warning_under_review" if dispute.is_inquiry else "under_review",
        "submission_count": 1,
        "decided_at": now(call) + REVIEW_SECONDS if is_decided else 0,
    }


@api.due(Dispute.decided_at)
def decide_dispute(call: Call, dispute: Dispute) -> None:
    """Scheduled job: decide by the test evidence, `winning_evidence` or `losing_evidence`."""
    wins = dispute.evidence.get("uncategorized_text") == "winning_evidence"
    dispute = call.db.change(dispute, decided_at=0)
    _close(call, dispute, "warning_closed" if dispute.is_inquiry else "won" if wins else "lost")


def open_dispute(call: Call, charge: Charge, kind: str) -> Dispute:
    """Open a dispute of a charge; its amount is withdrawn unless it is an inquiry."""
    is_inquiry = kind == "inquiry"
    at = now(call)
    id = object_id(call, DISPUTES.prefix)
    taken = [] if is_inquiry else [_enter(call, id, charge, -charge.amount_captured, FEE)]
    dispute = new(
        call,
        DISPUTES,
        id=id,
        amount=charge.amount_captured,
        charge=charge.id,
        currency=charge.currency,
        payment_intent=charge.payment_intent,
        reason="fraudulent" if is_inquiry else kind,
        status="warning_needs_response" if is_inquiry else "needs_response",
        transactions=taken,
        due_by=(at // DAY + DAYS_TO_ANSWER + 1) * DAY - 1,
        is_inquiry=is_inquiry,
    )
    call.db.change(charge, disputed=True, dispute=dispute.id)
    record_row(call, "charge.dispute.created", DISPUTES, dispute)
    if taken:
        record_row(call, "charge.dispute.funds_withdrawn", DISPUTES, dispute)
    return dispute


def _enter(call: Call, id: str, charge: Charge, amount: int, fee: int) -> Fields:
    what = "withdrawal" if amount < 0 else "reversal"
    entered: BalanceTransaction = enter(
        call,
        "adjustment",
        amount,
        charge.currency,
        id,
        description=f"Chargeback {what} for {charge.id}",
        fee=(fee, "Dispute fee"),
        category="dispute" if amount < 0 else "dispute_reversal",
    )
    return show(call, TRANSACTIONS, entered)


def _close(call: Call, dispute: Dispute, status: str) -> Dispute:
    """Close a dispute; a won one reinstates the amount, but not the fee."""
    transactions = dispute.transactions
    if status == "won":
        charge = retrieve(call, CHARGES, dispute.charge)
        transactions = [*transactions, _enter(call, dispute.id, charge, dispute.amount, 0)]
    closed = call.db.change(dispute, status=status, transactions=transactions, decided_at=0)
    if status == "won":
        record_row(call, "charge.dispute.funds_reinstated", DISPUTES, closed)
    record(call, "charge.dispute.closed", dispute_object(closed))
    return closed
