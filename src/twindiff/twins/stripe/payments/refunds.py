"""Refunds of charges, wholly or in part: succeeded, pending or failed.

https://docs.stripe.com/api/refunds
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec.structs import replace

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column, references
from twindiff.twins.stripe.core.wire_style import StripeError

from ..account.balance_transactions import TRANSACTIONS, enter
from ..connect.destination_charges import check_reversal, reverse_destination_transfer
from ..core.currencies import format_amount
from ..core.events import PreviousRow, record_row, update
from ..core.objects import (
    INCLUDES,
    LEFT_OUT,
    Fields,
    StripeObject,
    build_view,
    find,
    new,
    now,
    resource,
    retrieve,
    show,
)
from ..core.pagination import list_object, list_of, to_range_conditions, to_reference_conditions
from ..core.params import (
    ListParams,
    OptBool,
    OptInteger,
    OptMetadata,
    OptName,
    OptRange,
    OptText,
    Params,
    merge_metadata,
)
from ..radar.reviews import close_review
from ..tables.charge_tables import CHARGES, Charge, is_of_card
from ..tables.payment_intent_tables import PAYMENTS

api = Operations(prefix="/v1")

HOUR = 3600
PENDING_SECONDS = 24 * HOUR
"""Seconds until a refund of the asynchronous test cards succeeds or fails."""


class Refund(
    StripeObject,
    table="refunds",
    key=("id",),
    unique=(("seq",),),
    indexes=(("charge", "seq"), ("payment_intent", "seq")),
):
    amount: Column[int]
    balance_transaction: Column[str | None] = column(default=None, derived=True)
    charge: Column[str | None] = references(Charge, default=None)
    currency: Column[str]
    customer: Column[str | None] = column(default=None, derived=True)
    failure_balance_transaction: Column[str | None] = column(default=None)
    failure_reason: Column[str | None] = column(default=None)
    metadata: Column[Json] = column(default={})
    payment_intent: Column[str | None] = column(default=None, derived=True)
    payment_method: Column[str | None] = column(default=None, derived=True)
    reason: Column[str | None] = column(default=None)
    status: Column[str]
    transfer_reversal: Column[str | None] = column(default=None)
    settles_at: Column[int] = column(default=0, derived=True)
    """The Unix timestamp at which the result is known, or 0."""
    method_type: Column[str | None] = column(default=None, derived=True)
    """The payment method type of the refunded charge, or None for cards."""


_shown = build_view(
    Refund,
    "refund",
    "settles_at",
    "method_type",
    "failure_balance_transaction",
    "failure_reason",
    customer_account=None,
    receipt_number=None,
    source_transfer_reversal=None,
    livemode=LEFT_OUT,
)


def refund_object(row: Refund) -> Fields:
    """Render a refund; the failure fields are present only if it failed."""
    known: Fields = {**_shown(row), **_destination(row)}
    if row.failure_reason is None:
        return known
    failure = {"failure_balance_transaction": row.failure_balance_transaction, "failure_reason": row.failure_reason}
    return {**known, **failure}


PLAIN_DESTINATIONS = frozenset({
    "affirm", "afterpay_clearpay", "alipay", "alma", "amazon_pay", "cashapp", "eps", "giropay", "grabpay", "klarna",
    "paynow", "pix", "scalapay", "sofort", "twint", "wechat_pay", "zip",
})  # fmt: skip
"""Payment method types whose `destination_details` object is empty."""


def _destination(row: Refund) -> Fields:
    """Return the `destination_details`, which exist for cards and some other types."""
    if row.method_type is None:
        kind = "pending" if row.status == "pending" else "refund"
        card = {"reference_status": "pending", "reference_type": "acquirer_reference_number", "type": kind}
        return {"destination_details": {"card": card, "type": "card"}}
    if row.method_type in PLAIN_DESTINATIONS:
        return {"destination_details": {row.method_type: {}, "type": row.method_type}}
    return {}


REFUNDS = resource(
    Refund,
    "refund",
    "re_",
    refund_object,
    param="refund",
    expandable=(
        "balance_transaction",
        "charge",
        "customer",
        "payment_intent",
        "payment_method",
        "failure_balance_transaction",
        "transfer_reversal",
    ),
)


class CreateRefund(Params):
    """The parameters of a refund."""

    amount: OptInteger = UNSET
    charge: OptName = UNSET
    payment_intent: OptName = UNSET
    reason: Literal["duplicate", "fraudulent", "requested_by_customer"] | UnsetType = UNSET
    metadata: OptMetadata = UNSET
    refund_application_fee: OptBool = UNSET
    reverse_transfer: OptBool = UNSET
    instructions_email: OptText = UNSET
    customer: OptName = UNSET
    currency: OptName = UNSET
    origin: Literal["customer_balance"] | UnsetType = UNSET


class UpdateRefund(Params):
    """The parameters of an update."""

    metadata: OptMetadata = UNSET


class ListRefunds(ListParams):
    """The parameters of a list of refunds."""

    charge: OptName = UNSET
    created: OptRange = UNSET
    payment_intent: OptName = UNSET


@api.post("/refunds")
def create_refund(call: Call, params: Annotated[CreateRefund, Body]) -> Fields:
    """Refund a charge."""
    charge, amount = find_refunded_charge(call, params)
    back = {"transfer": params.reverse_transfer is True, "fee": params.refund_application_fee is True}
    check_reversal(charge, **back)
    made = refund(call, charge, amount, params.reason or None, merge_metadata({}, params.metadata))
    if reversal := reverse_destination_transfer(call, charge, amount, made.id, **back):
        made = call.db.change(made, transfer_reversal=reversal)
    return refund_object(made)


@api.get("/refunds/{id}")
def retrieve_refund(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a refund."""
    return refund_object(retrieve(call, REFUNDS, id))


@api.get("/refunds")
def list_refunds(call: Call, params: Annotated[ListRefunds, Body]) -> Fields:
    """List refunds; a list of one charge has a total count."""
    where = to_range_conditions(Refund.created, params.created)
    where += to_reference_conditions(
        call, (Refund.charge, params.charge, CHARGES), (Refund.payment_intent, params.payment_intent, PAYMENTS)
    )
    listed = list_of(call, REFUNDS, params, "/v1/refunds", *where)
    return {**listed, "count": call.db.count(Refund, *where)} if params.charge else listed


@api.post("/charges/{charge}/refunds")
def create_charge_refund(call: Call, charge: str, params: Annotated[CreateRefund, Body]) -> Fields:
    """Refund a charge; legacy path."""
    return create_refund(call, replace(params, charge=retrieve(call, CHARGES, charge).id))


@api.post("/charges/{charge}/refund")
def refund_charge(call: Call, charge: str, params: Annotated[CreateRefund, Body]) -> Fields:
    """Refund a charge, and return the charge."""
    create_charge_refund(call, charge, params)
    return show(call, CHARGES, retrieve(call, CHARGES, charge))


@api.get("/charges/{charge}/refunds")
def list_charge_refunds(call: Call, charge: str, params: Annotated[ListParams, Body]) -> Fields:
    """List the refunds of a charge."""
    mine = Refund.charge == retrieve(call, CHARGES, charge).id
    return list_of(call, REFUNDS, params, f"/v1/charges/{charge}/refunds", mine)


@api.get("/charges/{charge}/refunds/{refund}")
def retrieve_charge_refund(call: Call, charge: str, refund: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a refund of a charge."""
    return refund_object(_of(call, charge, refund))


@api.post("/charges/{charge}/refunds/{refund}")
def update_charge_refund(call: Call, charge: str, refund: str, params: Annotated[UpdateRefund, Body]) -> Fields:
    """Update the metadata of a charge's refund."""
    return update_refund(call, _of(call, charge, refund).id, params)


def _of(call: Call, charge: str, refund: str) -> Refund:
    row = retrieve(call, REFUNDS, refund)
    if row.charge != charge:
        raise REFUNDS.missing(refund)
    return row


@api.post("/refunds/{id}")
def update_refund(call: Call, id: str, params: Annotated[UpdateRefund, Body]) -> Fields:
    """Update the metadata of a refund."""
    row = retrieve(call, REFUNDS, id)
    return refund_object(update(call, REFUNDS, row, metadata=merge_metadata(row.metadata, params.metadata)))


@api.post("/refunds/{id}/cancel")
def cancel_refund(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Cancel a refund that requires action by the customer; others cannot be canceled."""
    row = retrieve(call, REFUNDS, id)
    if row.status != "requires_action":
        raise StripeError("Canceling this refund is unsupported.")
    return refund_object(_undo(call, row, "canceled", None))


@api.post("/test_helpers/refunds/{id}/expire")
def expire_refund(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Expire a refund that requires action by the customer."""
    row = retrieve(call, REFUNDS, id)
    if row.status != "requires_action":
        message = f"You cannot expire this refund because it has a status of {row.status}."
        raise StripeError(
            f"{message} Only a refund with one of the following statuses may be expired: requires_action."
        )
    return refund_object(_undo(call, row, "failed", "expired_or_canceled_card"))


def refund(
    call: Call, charge: Charge, amount: int, reason: str | None = None, metadata: dict[str, str] | None = None
) -> Refund:
    """Create a refund of a part of a charge, and its balance transaction."""
    pending = charge.special in ("refund_pending", "refund_fails")
    made = new(
        call,
        REFUNDS,
        amount=amount,
        charge=charge.id,
        currency=charge.currency,
        customer=charge.customer,
        payment_method=charge.payment_method,
        metadata=metadata or {},
        payment_intent=charge.payment_intent,
        method_type=None if is_of_card(charge) else charge.payment_method_details["type"],
        reason=reason,
        status="pending" if charge.special == "refund_pending" else "succeeded",
        settles_at=now(call) + PENDING_SECONDS if pending else 0,
    )
    entered = enter(
        call,
        "refund" if is_of_card(charge) else "payment_refund",
        -amount,
        charge.currency,
        made.id,
        description=f"REFUND FOR CHARGE ({charge.description})" if charge.description else "REFUND FOR CHARGE",
        available_on=_available_on(call, charge),
    )
    made = call.db.change(made, balance_transaction=entered.id)
    record_row(call, "refund.created", REFUNDS, made)
    _update_refunded_amount(call, charge, charge.amount_refunded + amount)
    if charge.review and charge.amount_refunded + amount >= charge.amount_captured:
        close_review(call, charge.review, "refunded_as_fraud" if reason == "fraudulent" else "refunded")
    return made


def find_refunded_charge(call: Call, params: CreateRefund) -> tuple[Charge, int]:
    """Return the charge that parameters name and the amount to refund; raises StripeError if it cannot be refunded."""
    charge = _charge(call, params)
    if isinstance(params.amount, int):
        _check_amount(params.amount)
    if not charge.captured and charge.payment_intent:
        is_held = charge.status == "succeeded" and not charge.refunded
        raise _build_uncaptured_error(charge.payment_intent) if is_held else _build_unpaid_error(charge.payment_intent)
    return charge, _amount(charge, params.amount)


def _update_refunded_amount(call: Call, charge: Charge, refunded: int) -> None:
    """Set the refunded amount of a charge."""
    whole = refunded >= charge.amount_captured
    update(call, CHARGES, charge, "charge.refunded", amount_refunded=refunded, refunded=whole)


def _available_on(call: Call, charge: Charge) -> int:
    """Return when a refund is available: no earlier than its charge, so that both leave `pending` together."""
    entered = find(call, TRANSACTIONS, charge.balance_transaction or "")
    return max(entered.available_on if entered else 0, now(call))


def _charge(call: Call, params: CreateRefund) -> Charge:
    if isinstance(params.charge, str) and isinstance(params.payment_intent, str):
        raise StripeError("You may only specify one of these parameters: charge, payment_intent.", param="charge")
    if isinstance(params.charge, str):
        return retrieve(call, CHARGES, params.charge)
    if not isinstance(params.payment_intent, str):
        message = "One of the following params should be provided for this request: payment_intent or charge."
        raise StripeError(message)
    intent = retrieve(call, PAYMENTS, params.payment_intent, param="payment_intent")
    charge = find(call, CHARGES, intent.latest_charge or "")
    if charge is None or charge.status != "succeeded":
        raise _build_unpaid_error(intent.id)
    return charge


def _build_uncaptured_error(intent: str) -> StripeError:
    """Build the error of a refund of an intent whose authorization was not captured."""
    return StripeError(
        f"This uncaptured Charge was created by a PaymentIntent ({intent}). You must cancel the PaymentIntent to "
        "reverse the authorization instead of refunding the Charge directly. For more information, see "
        "https://stripe.com/docs/payments/place-a-hold-on-a-payment-method"
    )


def _build_unpaid_error(intent: str) -> StripeError:
    """Build the error of a refund of an intent that was not paid, or whose authorization was released."""
    message = f"This PaymentIntent ({intent}) does not have a successful charge to refund."
    return StripeError(message, param="payment_intent")


def _check_amount(amount: int) -> None:
    if amount < 0:
        raise StripeError("Invalid positive integer", param="amount")
    if amount == 0:
        message = "This value must be greater than or equal to 1."
        raise StripeError(message, code="parameter_invalid_integer", param="amount")


def _amount(charge: Charge, wanted: Any) -> int:
    """Return the amount to refund: the requested one, or all that is left; raises StripeError if not refundable."""
    left = charge.amount_captured - charge.amount_refunded
    if charge.status != "succeeded":
        state = "is pending" if charge.status == "pending" else "has failed"
        raise StripeError(f"Charge {charge.id} {state}, so it cannot be refunded.", code="charge_not_refundable")
    if charge.disputed and not _is_inquiry(charge):
        message = f"Charge {charge.id} has been charged back; cannot issue a refund."
        raise StripeError(message, code="charge_disputed")
    if left <= 0:
        message = f"Charge {charge.id} has already been refunded."
        raise StripeError(message, code="charge_already_refunded")
    amount = left if wanted is UNSET else wanted
    if amount > left:
        over, rest = format_amount(amount, charge.currency), format_amount(left, charge.currency)
        whole = charge.amount_refunded == 0 and charge.amount_captured == charge.amount
        message = (
            f"Refund amount ({over}) is greater than charge amount ({rest})"
            if whole
            else f"Refund amount ({over}) is greater than unrefunded amount on charge ({rest})"
        )
        raise StripeError(message, param="amount")
    return amount


def _is_inquiry(charge: Charge) -> bool:
    return charge.special == "dispute_inquiry"


@api.due(Refund.settles_at)
def settle_refund(call: Call, row: Refund) -> None:
    """Scheduled job: complete a pending refund, or fail it for the failing test card."""
    settled = call.db.change(row, settles_at=0)
    charge = retrieve(call, CHARGES, row.charge or "")
    if charge.special == "refund_fails":
        _undo(call, settled, "failed", "expired_or_canceled_card")
        return
    _record_refund_update(call, settled, call.db.change(settled, status="succeeded"))


def _record_refund_update(call: Call, before: Refund, row: Refund) -> None:
    """Record the update of a refund under both of its event types."""
    record_row(call, "refund.updated", REFUNDS, row, PreviousRow(before), also=("charge.refund.updated",))


def _undo(call: Call, row: Refund, status: str, reason: str | None) -> Refund:
    """Return the amount of a failed or canceled refund to the balance."""
    back = enter(call, "refund_failure", row.amount, row.currency, row.id, description=f"REFUND FAILURE ({row.id})")
    undone = call.db.change(row, status=status, failure_reason=reason, failure_balance_transaction=back.id)
    _record_refund_update(call, row, undone)
    if status == "failed":
        record_row(call, "refund.failed", REFUNDS, undone)
    charge = retrieve(call, CHARGES, row.charge or "")
    refunded = charge.amount_refunded - row.amount
    update(call, CHARGES, charge, amount_refunded=refunded, refunded=refunded >= charge.amount_captured)
    return undone


def _of_charge(call: Call, charge: Fields) -> Fields:
    """Return the `refunds` of a charge, for `expand`: the newest ten."""
    rows = call.db.rows(Refund, Refund.charge == charge["id"], order=-Refund.seq, limit=10)
    data = [REFUNDS.show(row) for row in rows]
    count = call.db.count(Refund, Refund.charge == charge["id"])
    return list_object(data, f"/v1/charges/{charge['id']}/refunds", has_more=count > len(data), total_count=count)


INCLUDES["charge.refunds"] = _of_charge
