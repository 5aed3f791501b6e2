"""Authorizations: requests of merchants to be paid with an issued card, and who decides on them.

The card, its cardholder and their spending controls decide first. Where a webhook endpoint listens to
`issuing_authorization.request`, the business then has two seconds to approve or decline.

https://docs.stripe.com/api/issuing/authorizations, https://docs.stripe.com/issuing/controls/real-time-authorizations
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.events import record_row, update
from ..core.objects import Fields, StripeObject, build_view, new, now, resource, retrieve, show
from ..core.pagination import equal, list_of, to_range_conditions, to_reference_conditions
from ..core.params import ListParams, OptInteger, OptMetadata, OptName, OptRange, Params, merge_metadata
from ..core.webhook_endpoints import listening
from .cardholders import CARDHOLDERS
from .issued_cards import ISSUED_CARDS, IssuedCard
from .issuing_transactions import ISSUING_TRANSACTIONS, IssuingTransaction
from .spending_controls import applies, find_start, is_merchant_allowed

api = Operations(prefix="/v1/issuing/authorizations")

SECONDS_TO_DECIDE = 2
REQUEST = "issuing_authorization.request"


class IssuingAuthorization(
    StripeObject,
    table="issuing_authorizations",
    key=("id",),
    unique=(("seq",),),
    indexes=(("card", "seq"), ("cardholder", "seq"), ("status", "seq"), ("decide_by",)),
):
    amount: Column[int]
    amount_details: Column[Json] = column(default=None)
    approved: Column[bool] = column(default=False)
    authorization_method: Column[str] = column(default="online")
    card: Column[str]
    cardholder: Column[str]
    currency: Column[str]
    decide_by: Column[int] = column(default=0, derived=True)
    """When a pending request is declined without an answer; 0 if none is pending."""
    merchant_amount: Column[int]
    merchant_currency: Column[str]
    merchant_data: Column[Json]
    metadata: Column[Json] = column(default={})
    pending_request: Column[Json] = column(default=None)
    request_history: Column[Json] = column(default=[])
    spent: Column[int] = column(default=0, derived=True)
    """What counts towards spending limits: the amount that was held or captured."""
    status: Column[str] = column(default="pending")
    verification_data: Column[Json] = column(default={})
    wallet: Column[str | None] = column(default=None)


def _no_transactions(row: IssuingAuthorization) -> list[Fields]:
    return []


def _presence(row: IssuingAuthorization) -> str:
    return "not_present" if row.authorization_method in ("keyed_in", "online") else "present"


def _fill(call: Call, authorizations: list[Fields]) -> None:
    """Set the card, which authorizations show whole, and their transactions."""
    transactions = IssuingTransaction.authorization.in_([each["id"] for each in authorizations])
    made = [ISSUING_TRANSACTIONS.show(row) for row in call.db.rows(IssuingTransaction, transactions)]
    for each in authorizations:
        each["card"] = show(call, ISSUED_CARDS, retrieve(call, ISSUED_CARDS, each["card"]))
        each["transactions"] = [one for one in made if one["authorization"] == each["id"]]


AUTHORIZATIONS = resource(
    IssuingAuthorization,
    "issuing.authorization",
    "iauth_",
    build_view(
        IssuingAuthorization,
        "issuing.authorization",
        "decide_by",
        "spent",
        balance_transactions=_no_transactions,
        card_presence=_presence,
        fleet=None,
        fraud_challenges=None,
        fuel=None,
        network_data=None,
        token=None,
        transactions=_no_transactions,
        treasury=None,
        verified_by_fraud_challenge=None,
    ),
    spoken="authorization",
    param="authorization",
    expandable=("cardholder",),
    fill=_fill,
)


class UpdateAuthorization(Params):
    """The parameters of an update or a refusal."""

    metadata: OptMetadata = UNSET


class ApproveAuthorization(UpdateAuthorization):
    """The parameters of an approval; an amount only where the merchant lets the business decide."""

    amount: OptInteger = UNSET


class ListAuthorizations(ListParams):
    """The parameters of a list of authorizations."""

    card: OptName = UNSET
    cardholder: OptName = UNSET
    created: OptRange = UNSET
    status: Literal["closed", "expired", "pending", "reversed"] | UnsetType = UNSET


def open_authorization(call: Call, card: IssuedCard, amount: int, *, controllable: bool, **fields: Any) -> Fields:
    """Create an authorization of an amount, and decide on it or ask the business; returns the rendered object."""
    row = new(
        call,
        AUTHORIZATIONS,
        amount=0,
        card=card.id,
        cardholder=card.cardholder,
        currency=card.currency,
        merchant_amount=amount,
        merchant_currency=card.currency,
        **fields,
    )
    reason = find_refusal(call, card, row, amount)
    request = _build_request(row, amount, controllable=controllable)
    if reason is None and listening(call, REQUEST):
        waiting = call.db.change(row, pending_request=request, decide_by=now(call) + SECONDS_TO_DECIDE)
        record_row(call, REQUEST, AUTHORIZATIONS, waiting)
        return show(call, AUTHORIZATIONS, waiting)
    decided = _decide(call, row, request, approved=reason is None, reason=reason or "card_active")
    record_row(call, "issuing_authorization.created", AUTHORIZATIONS, decided)
    return show(call, AUTHORIZATIONS, decided)


def _build_request(row: IssuingAuthorization, amount: int, *, controllable: bool) -> Fields:
    """Return the request that waits for a decision."""
    return {
        "amount": amount,
        "amount_details": row.amount_details,
        "currency": row.currency,
        "is_amount_controllable": controllable,
        "merchant_amount": amount,
        "merchant_currency": row.merchant_currency,
        "network_risk_score": None,
    }


def _decide(
    call: Call, row: IssuingAuthorization, request: Fields, *, approved: bool, reason: str
) -> IssuingAuthorization:
    """Approve or decline a request, which becomes a part of the history."""
    entry = {name: value for name, value in request.items() if name != "is_amount_controllable"}
    entry |= {"approved": approved, "authorization_code": f"{row.seq % 10**6:06d}" if approved else None}
    entry |= {"created": now(call), "reason": reason, "reason_message": None, "requested_at": now(call)}
    held: int = request["amount"] if approved else 0
    return call.db.change(
        row,
        amount=row.amount + held,
        approved=approved or row.approved,
        decide_by=0,
        pending_request=None,
        request_history=[entry, *row.request_history],
        spent=row.spent + held,
        status=row.status if approved or row.approved else "closed",
    )


def increment_authorization(call: Call, row: IssuingAuthorization, amount: int) -> IssuingAuthorization:
    """Hold a further amount of an authorization, if card and controls allow it."""
    reason = find_refusal(call, retrieve(call, ISSUED_CARDS, row.card), row, amount)
    request = _build_request(row, amount, controllable=False)
    decided = _decide(call, row, request, approved=reason is None, reason=reason or "card_active")
    return change_authorization(call, decided, before=row)


def change_authorization(
    call: Call, row: IssuingAuthorization, *, before: IssuingAuthorization | None = None, **fields: Any
) -> IssuingAuthorization:
    """Change an authorization and tell of it."""
    if before is None:
        return update(call, AUTHORIZATIONS, row, "issuing_authorization.updated", **fields)
    record_row(call, "issuing_authorization.updated", AUTHORIZATIONS, row)
    return row


def find_refusal(call: Call, card: IssuedCard, row: IssuingAuthorization, amount: int) -> str | None:
    """Return why an authorization is declined before anyone is asked, or None."""
    holder = retrieve(call, CARDHOLDERS, card.cardholder)
    at = call.clock.now
    if card.status != "active":
        return f"card_{card.status}"
    if (card.exp_year, card.exp_month) < (at.year, at.month):
        return "card_expired"
    if holder.status != "active":
        return f"cardholder_{holder.status}"
    if "mismatch" in (row.verification_data["cvc_check"], row.verification_data["expiry_check"]):
        return "verification_failed"
    for controls, mine in (
        (card.spending_controls, IssuingAuthorization.card == card.id),
        (holder.spending_controls, IssuingAuthorization.cardholder == holder.id),
    ):
        allowed = is_merchant_allowed(controls, row.merchant_data, _presence(row))
        if not allowed or _exceeds(call, controls["spending_limits"], row, amount, mine):
            return "spending_controls"
    return None


def _exceeds(call: Call, limits: Sequence[Fields], row: IssuingAuthorization, amount: int, mine: Any) -> bool:
    """Whether an amount goes beyond a spending limit, together with what was spent in its interval."""
    category: str = row.merchant_data["category"]
    for limit in limits:
        if not applies(limit, category):
            continue
        if limit["interval"] == "per_authorization":
            spent = row.spent
        else:
            since = IssuingAuthorization.created >= find_start(limit["interval"], now(call))
            rows = call.db.rows(IssuingAuthorization, mine, since)
            spent = sum(each.spent for each in rows if applies(limit, each.merchant_data["category"]))
        if spent + amount > limit["amount"]:
            return True
    return False


@api.get("/{authorization}")
def retrieve_authorization(call: Call, authorization: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve an authorization."""
    return show(call, AUTHORIZATIONS, retrieve(call, AUTHORIZATIONS, authorization))


@api.get("")
def list_authorizations(call: Call, params: Annotated[ListAuthorizations, Body]) -> Fields:
    """List authorizations, of a card, a cardholder or a status."""
    where = to_range_conditions(IssuingAuthorization.created, params.created)
    where += to_reference_conditions(
        call,
        (IssuingAuthorization.card, params.card, ISSUED_CARDS),
        (IssuingAuthorization.cardholder, params.cardholder, CARDHOLDERS),
    )
    where += equal((IssuingAuthorization.status, params.status))
    return list_of(call, AUTHORIZATIONS, params, "/v1/issuing/authorizations", *where)


@api.post("/{authorization}")
def update_authorization(call: Call, authorization: str, params: Annotated[UpdateAuthorization, Body]) -> Fields:
    """Update the metadata of an authorization."""
    row = retrieve(call, AUTHORIZATIONS, authorization)
    changed = change_authorization(call, row, metadata=merge_metadata(row.metadata, params.metadata))
    return show(call, AUTHORIZATIONS, changed)


@api.post("/{authorization}/approve")
def approve_authorization(call: Call, authorization: str, params: Annotated[ApproveAuthorization, Body]) -> Fields:
    """Approve a pending request, wholly, or in part where the amount is controllable."""
    row = retrieve(call, AUTHORIZATIONS, authorization)
    request = _find_request(row)
    if isinstance(params.amount, int):
        if not request["is_amount_controllable"]:
            raise StripeError("The amount of this authorization cannot be controlled.", param="amount")
        if not 0 < params.amount <= request["amount"]:
            raise StripeError(f"The amount must be from 1 to {request['amount']}.", param="amount")
        request = {**request, "amount": params.amount}
    return _answer(call, row, request, params, approved=True)


@api.post("/{authorization}/decline")
def decline_authorization(call: Call, authorization: str, params: Annotated[UpdateAuthorization, Body]) -> Fields:
    """Decline a pending request."""
    row = retrieve(call, AUTHORIZATIONS, authorization)
    return _answer(call, row, _find_request(row), params, approved=False)


def _find_request(row: IssuingAuthorization) -> Fields:
    """Return the request that waits for a decision; raises StripeError if none does."""
    if row.pending_request is None:
        raise StripeError("This authorization has no pending request, so it cannot be approved or declined.")
    return row.pending_request


def _answer(
    call: Call, row: IssuingAuthorization, request: Fields, params: UpdateAuthorization, *, approved: bool
) -> Fields:
    """Decide on a request as the business says."""
    row = call.db.change(row, metadata=merge_metadata(row.metadata, params.metadata))
    decided = _decide(call, row, request, approved=approved, reason=f"webhook_{'approved' if approved else 'declined'}")
    record_row(call, "issuing_authorization.created", AUTHORIZATIONS, decided)
    return show(call, AUTHORIZATIONS, decided)


@api.due(IssuingAuthorization.decide_by, IssuingAuthorization.decide_by > 0)
def time_out(call: Call, row: IssuingAuthorization) -> None:
    """Decline a request on which the business did not decide in time."""
    decided = _decide(call, row, row.pending_request, approved=False, reason="webhook_timeout")
    record_row(call, "issuing_authorization.created", AUTHORIZATIONS, decided)
