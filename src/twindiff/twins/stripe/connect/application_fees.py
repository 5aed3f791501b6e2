"""Application fees: what the platform keeps of payments for connected accounts, and their refunds.

https://docs.stripe.com/api/application_fees, https://docs.stripe.com/api/fee_refunds
"""

from __future__ import annotations

from typing import Annotated

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..account.balance_transactions import enter
from ..core.currencies import format_amount
from ..core.events import record_row, update
from ..core.objects import LEFT_OUT, Fields, StripeObject, build_view, new, resource, retrieve, show
from ..core.pagination import equal, list_object, list_of, to_range_conditions
from ..core.params import ListParams, OptInteger, OptMetadata, OptName, OptRange, Params, merge_metadata
from ..tables.charge_tables import Charge

api = Operations(prefix="/v1/application_fees")


class FeeRefund(StripeObject, table="fee_refunds", key=("id",), unique=(("seq",),), indexes=(("fee", "seq"),)):
    amount: Column[int]
    balance_transaction: Column[str | None] = column(default=None, derived=True)
    currency: Column[str]
    fee: Column[str]
    metadata: Column[Json] = column(default={})


FEE_REFUNDS = resource(
    FeeRefund,
    "fee_refund",
    "fr_",
    build_view(FeeRefund, "fee_refund", livemode=LEFT_OUT),
    spoken="application fee refund",
    expandable=("balance_transaction", "fee"),
)


class ApplicationFee(
    StripeObject, table="application_fees", key=("id",), unique=(("seq",),), indexes=(("charge", "seq"),)
):
    account: Column[str]
    amount: Column[int]
    amount_refunded: Column[int] = column(default=0)
    balance_transaction: Column[str | None] = column(default=None, derived=True)
    charge: Column[str]
    currency: Column[str]


def _is_refunded(row: ApplicationFee) -> bool:
    return row.amount_refunded == row.amount


def _source(row: ApplicationFee) -> Fields:
    return {"charge": row.charge, "payout": None, "type": "charge"}


def _fill(call: Call, fees: list[Fields]) -> None:
    """Set the refunds of each rendered fee."""
    by_fee: dict[str, list[Fields]] = {fee["id"]: [] for fee in fees}
    for row in call.db.rows(FeeRefund, FeeRefund.fee.in_(list(by_fee)), order=-FeeRefund.seq):
        by_fee[row.fee].append(FEE_REFUNDS.show(row))
    for fee in fees:
        fee["refunds"] = list_object(by_fee[fee["id"]], f"/v1/application_fees/{fee['id']}/refunds")


FEES = resource(
    ApplicationFee,
    "application_fee",
    "fee_",
    build_view(
        ApplicationFee,
        "application_fee",
        application="ca_TwindiffTestShop",
        fee_source=_source,
        originating_transaction=ApplicationFee.charge,
        refunded=_is_refunded,
    ),
    spoken="application fee",
    expandable=("account", "balance_transaction", "charge", "originating_transaction"),
    fill=_fill,
)


class ListFees(ListParams):
    """The parameters of a list of fees."""

    charge: OptName = UNSET
    created: OptRange = UNSET


class CreateFeeRefund(Params):
    """The parameters of a refund."""

    amount: OptInteger = UNSET
    metadata: OptMetadata = UNSET


class UpdateFeeRefund(Params):
    """The parameters of an update."""

    metadata: OptMetadata = UNSET


@api.get("")
def list_application_fees(call: Call, params: Annotated[ListFees, Body]) -> Fields:
    """List application fees."""
    where = to_range_conditions(ApplicationFee.created, params.created) + equal((ApplicationFee.charge, params.charge))
    return list_of(call, FEES, params, "/v1/application_fees", *where)


@api.get("/{id}")
def retrieve_application_fee(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve an application fee."""
    return show(call, FEES, retrieve(call, FEES, id))


@api.post("/{id}/refunds")
def create_fee_refund(call: Call, id: str, params: Annotated[CreateFeeRefund, Body]) -> Fields:
    """Refund an application fee, wholly or in part."""
    fee = retrieve(call, FEES, id)
    left = fee.amount - fee.amount_refunded
    amount = params.amount if isinstance(params.amount, int) else left
    if not left:
        raise StripeError(f"Application fee {id} has already been refunded.")
    if not 1 <= amount <= left:
        over, rest = format_amount(amount, fee.currency), format_amount(left, fee.currency)
        raise StripeError(f"Refund amount ({over}) must be from 1 to {left} ({rest}), what is left.", param="amount")
    return FEE_REFUNDS.show(refund_fee(call, fee, amount, merge_metadata({}, params.metadata)))


@api.get("/{id}/refunds")
def list_fee_refunds(call: Call, id: str, params: Annotated[ListParams, Body]) -> Fields:
    """List the refunds of an application fee."""
    fee = retrieve(call, FEES, id)
    return list_of(call, FEE_REFUNDS, params, f"/v1/application_fees/{id}/refunds", FeeRefund.fee == fee.id)


@api.get("/{fee}/refunds/{id}")
def retrieve_fee_refund(call: Call, fee: str, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a refund of an application fee."""
    return FEE_REFUNDS.show(_refund_of(call, fee, id))


@api.post("/{fee}/refunds/{id}")
def update_fee_refund(call: Call, fee: str, id: str, params: Annotated[UpdateFeeRefund, Body]) -> Fields:
    """Update the metadata of a refund."""
    row = _refund_of(call, fee, id)
    metadata = merge_metadata(row.metadata, params.metadata)
    return FEE_REFUNDS.show(update(call, FEE_REFUNDS, row, "application_fee.refund.updated", metadata=metadata))


def _refund_of(call: Call, fee: str, id: str) -> FeeRefund:
    row = retrieve(call, FEE_REFUNDS, id)
    if row.fee != fee:
        raise FEE_REFUNDS.missing(id)
    return row


def create_fee(call: Call, charge: Charge, account: str, amount: int) -> ApplicationFee:
    """Create the application fee of a charge and its balance transaction."""
    made = new(call, FEES, account=account, amount=amount, charge=charge.id, currency=charge.currency)
    entered = enter(call, "application_fee", amount, charge.currency, made.id)
    made = call.db.change(made, balance_transaction=entered.id)
    record_row(call, "application_fee.created", FEES, made)
    return made


def refund_fee(call: Call, fee: ApplicationFee, amount: int, metadata: dict[str, str]) -> FeeRefund:
    """Create a refund of a fee and its balance transaction."""
    made = new(call, FEE_REFUNDS, amount=amount, currency=fee.currency, fee=fee.id, metadata=metadata)
    entered = enter(call, "application_fee_refund", -amount, fee.currency, made.id)
    made = call.db.change(made, balance_transaction=entered.id)
    update(call, FEES, fee, "application_fee.refunded", amount_refunded=fee.amount_refunded + amount)
    return made
