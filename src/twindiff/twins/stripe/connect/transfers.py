"""Transfers to connected accounts, and their reversals.

https://docs.stripe.com/api/transfers
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column, references
from twindiff.twins.stripe.core.wire_style import StripeError

from ..account.accounts import Account, check_connected_account
from ..account.balance_transactions import enter
from ..account.payouts import check_funds
from ..core.currencies import format_amount, parse_currency
from ..core.events import record_row, update
from ..core.objects import LEFT_OUT, Fields, StripeObject, build_view, new, resource, retrieve
from ..core.pagination import equal, list_object, list_of, to_range_conditions
from ..core.params import (
    ListParams,
    OptBool,
    OptInteger,
    OptMetadata,
    OptName,
    OptRange,
    OptText,
    Params,
    collect_params,
    merge_metadata,
)
from ..tables.charge_tables import CHARGES, Charge

api = Operations(prefix="/v1/transfers")


class TransferReversal(
    StripeObject, table="transfer_reversals", key=("id",), unique=(("seq",),), indexes=(("transfer", "seq"),)
):
    amount: Column[int]
    balance_transaction: Column[str | None] = column(default=None)
    currency: Column[str]
    metadata: Column[Json] = column(default={})
    source_refund: Column[str | None] = column(default=None)
    transfer: Column[str]


REVERSALS = resource(
    TransferReversal,
    "transfer_reversal",
    "trr_",
    build_view(
        TransferReversal,
        "transfer_reversal",
        destination_payment_refund=None,
        livemode=LEFT_OUT,
    ),
    expandable=("balance_transaction", "source_refund", "transfer"),
)


class Transfer(StripeObject, table="transfers", key=("id",), unique=(("seq",),), indexes=(("destination", "seq"),)):
    amount: Column[int]
    amount_reversed: Column[int] = column(default=0)
    balance_transaction: Column[str | None] = column(default=None)
    currency: Column[str]
    description: Column[str | None] = column(default=None)
    destination: Column[str] = references(Account)
    metadata: Column[Json] = column(default={})
    source_transaction: Column[str | None] = column(default=None)
    transfer_group: Column[str | None] = column(default=None)
    reversals: Column[Json] = column(default=[])


def _reversals(row: Transfer) -> Fields:
    return list_object(row.reversals, f"/v1/transfers/{row.id}/reversals")


def _is_reversed(row: Transfer) -> bool:
    return row.amount_reversed == row.amount


transfer_object = build_view(
    Transfer,
    "transfer",
    destination_payment=None,
    reversals=_reversals,
    reversed=_is_reversed,
    source_type="card",
)
TRANSFERS = resource(
    Transfer,
    "transfer",
    "tr_",
    transfer_object,
    param="transfer",
    expandable=("balance_transaction", "destination", "source_transaction"),
)


class CreateTransfer(Params):
    """The parameters of a transfer."""

    currency: str
    destination: str
    amount: OptInteger = UNSET
    description: OptText = UNSET
    metadata: OptMetadata = UNSET
    source_transaction: OptName = UNSET
    source_type: Literal["bank_account", "card", "fpx"] | UnsetType = UNSET
    transfer_group: OptText = UNSET


class UpdateTransfer(Params):
    """The parameters of an update."""

    description: OptText = UNSET
    metadata: OptMetadata = UNSET


class ReverseTransfer(Params):
    """The parameters of a reversal."""

    amount: OptInteger = UNSET
    description: OptText = UNSET
    metadata: OptMetadata = UNSET
    refund_application_fee: OptBool = UNSET


class UpdateReversal(Params):
    """The parameters of an update of a reversal."""

    metadata: OptMetadata = UNSET


class ListTransfers(ListParams):
    """The parameters of a list of transfers."""

    created: OptRange = UNSET
    destination: OptName = UNSET
    transfer_group: OptText = UNSET


@api.post("")
def create_transfer(call: Call, params: Annotated[CreateTransfer, Body]) -> Fields:
    """Create a transfer to a connected account."""
    currency = parse_currency(params.currency)
    check_connected_account(call, params.destination, "destination", "destination")
    charge = None
    if isinstance(params.source_transaction, str):
        charge = retrieve(call, CHARGES, params.source_transaction, param="source_transaction", status=400)
    amount = params.amount if isinstance(params.amount, int) else charge.amount_captured if charge else 0
    if amount < 1:
        message = "Missing required param: amount." if params.amount is UNSET else "Invalid positive integer"
        code = "parameter_missing" if params.amount is UNSET else "parameter_invalid_integer"
        raise StripeError(message, code=code, param="amount")
    if charge is None:
        check_funds(call, amount, currency)
    else:
        _check_source(call, charge, amount, currency)
    fields = collect_params(params, "amount", "currency", "source_type")
    return transfer_object(pay(call, amount, currency, **fields, metadata=merge_metadata({}, params.metadata)))


def _check_source(call: Call, charge: Charge, amount: int, currency: str) -> None:
    """Raise StripeError for a transfer that its source charge cannot fund, with the transfers that it has funded.

    https://docs.stripe.com/connect/separate-charges-and-transfers#transfer-availability
    """
    if charge.status == "failed" or not charge.captured:
        state = "has failed" if charge.status == "failed" else "has not been captured"
        raise StripeError(f"The charge {charge.id} {state}, so it cannot fund a transfer.", param="source_transaction")
    if currency != charge.currency:
        message = (
            f"The currency of source_transaction's balance transaction ({charge.currency}) must be the same as the "
            f"transfer currency ({currency})"
        )
        raise StripeError(message, param="currency")
    earlier = call.db.rows(Transfer, Transfer.source_transaction == charge.id)
    funded = sum(row.amount - row.amount_reversed for row in earlier)
    limit = charge.amount_captured - charge.amount_refunded
    if funded + amount > limit:
        message = (
            "Transfers using this transaction as a source must not exceed the source amount of "
            f"{format_amount(limit, currency)}.{_describe_earlier(len(earlier), funded, currency)}"
        )
        raise StripeError(message, param="amount")


def _describe_earlier(count: int, amount: int, currency: str) -> str:
    if not count:
        return ""
    transfers = "is already a transfer" if count == 1 else f"are already {count} transfers"
    return f" (There {transfers} using this source, amounting to {format_amount(amount, currency)}.)"


def pay(call: Call, amount: int, currency: str, **fields: Any) -> Transfer:
    """Create a transfer and its balance transaction."""
    made = new(call, TRANSFERS, **fields, amount=amount, currency=currency)
    entered = enter(call, "transfer", -amount, currency, made.id, description=made.description)
    made = call.db.change(made, balance_transaction=entered.id)
    record_row(call, "transfer.created", TRANSFERS, made)
    return made


@api.get("/{transfer}")
def retrieve_transfer(call: Call, transfer: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a transfer."""
    return transfer_object(retrieve(call, TRANSFERS, transfer))


@api.get("")
def list_transfers(call: Call, params: Annotated[ListTransfers, Body]) -> Fields:
    """List transfers."""
    where = to_range_conditions(Transfer.created, params.created)
    where += equal((Transfer.destination, params.destination), (Transfer.transfer_group, params.transfer_group))
    return list_of(call, TRANSFERS, params, "/v1/transfers", *where)


@api.post("/{transfer}")
def update_transfer(call: Call, transfer: str, params: Annotated[UpdateTransfer, Body]) -> Fields:
    """Update the given fields of a transfer."""
    row = retrieve(call, TRANSFERS, transfer)
    metadata = merge_metadata(row.metadata, params.metadata)
    return transfer_object(update(call, TRANSFERS, row, **collect_params(params), metadata=metadata))


@api.post("/{transfer}/reversals")
def reverse_transfer(call: Call, transfer: str, params: Annotated[ReverseTransfer, Body]) -> Fields:
    """Reverse a transfer, wholly or in part."""
    row = retrieve(call, TRANSFERS, transfer)
    left = row.amount - row.amount_reversed
    amount = params.amount if isinstance(params.amount, int) else left
    if not 1 <= amount <= left:
        message = (
            f"Transfer reversal amount ({format_amount(amount, row.currency)}) must be from 1 to {left}, what is left."
        )
        raise StripeError(message, param="amount")
    return REVERSALS.show(reverse(call, row, amount, merge_metadata({}, params.metadata)))


def reverse(
    call: Call, row: Transfer, amount: int, metadata: dict[str, str], source_refund: str | None = None
) -> TransferReversal:
    """Create a reversal of a transfer and its balance transaction."""
    fields: Fields = {"metadata": metadata, "source_refund": source_refund}
    made = new(call, REVERSALS, amount=amount, currency=row.currency, transfer=row.id, **fields)
    entered = enter(call, "transfer_refund", amount, row.currency, made.id)
    made = call.db.change(made, balance_transaction=entered.id)
    reversals = [REVERSALS.show(made), *row.reversals]
    update(call, TRANSFERS, row, "transfer.reversed", amount_reversed=row.amount_reversed + amount, reversals=reversals)
    return made


@api.get("/{transfer}/reversals")
def list_transfer_reversals(call: Call, transfer: str, params: Annotated[ListParams, Body]) -> Fields:
    """List the reversals of a transfer."""
    retrieve(call, TRANSFERS, transfer)
    url = f"/v1/transfers/{transfer}/reversals"
    return list_of(call, REVERSALS, params, url, TransferReversal.transfer == transfer)


@api.get("/{transfer}/reversals/{id}")
def retrieve_transfer_reversal(call: Call, transfer: str, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a reversal of a transfer."""
    return REVERSALS.show(_reversal(call, transfer, id))


@api.post("/{transfer}/reversals/{id}")
def update_transfer_reversal(call: Call, transfer: str, id: str, params: Annotated[UpdateReversal, Body]) -> Fields:
    """Update the metadata of a reversal."""
    row = _reversal(call, transfer, id)
    changed = update(call, REVERSALS, row, False, metadata=merge_metadata(row.metadata, params.metadata))
    owner = retrieve(call, TRANSFERS, transfer)
    mine = [REVERSALS.show(changed) if each["id"] == id else each for each in owner.reversals]
    call.db.change(owner, reversals=mine)
    return REVERSALS.show(changed)


def _reversal(call: Call, transfer: str, id: str) -> TransferReversal:
    row = retrieve(call, REVERSALS, id)
    if row.transfer != transfer:
        raise REVERSALS.missing(id)
    return row
