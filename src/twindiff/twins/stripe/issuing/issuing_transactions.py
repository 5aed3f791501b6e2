"""Transactions: captures and refunds of purchases with issued cards.

https://docs.stripe.com/api/issuing/transactions
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column

from ..core.events import record_row, update
from ..core.objects import Fields, StripeObject, build_view, new, resource, retrieve
from ..core.pagination import equal, list_of, to_range_conditions, to_reference_conditions
from ..core.params import ListParams, OptMetadata, OptName, OptRange, Params, merge_metadata
from .cardholders import CARDHOLDERS
from .issued_cards import ISSUED_CARDS, IssuedCard

api = Operations(prefix="/v1/issuing/transactions")


class IssuingTransaction(
    StripeObject,
    table="issuing_transactions",
    key=("id",),
    unique=(("seq",),),
    indexes=(("authorization", "seq"), ("card", "seq"), ("cardholder", "seq")),
):
    amount: Column[int]
    authorization: Column[str | None] = column(default=None)
    card: Column[str]
    cardholder: Column[str]
    currency: Column[str]
    dispute: Column[str | None] = column(default=None)
    merchant_amount: Column[int]
    merchant_currency: Column[str]
    merchant_data: Column[Json]
    metadata: Column[Json] = column(default={})
    purchase_details: Column[Json] = column(default=None)
    refunded: Column[int] = column(default=0)
    """The amount of a capture that was refunded."""
    type: Column[str]
    wallet: Column[str | None] = column(default=None)


def _amount_details(row: IssuingTransaction) -> Fields:
    return {"atm_fee": None, "cashback_amount": None}


def _network(row: IssuingTransaction) -> Fields:
    return {"authorization_code": f"{row.seq % 10**6:06d}", "processing_date": None, "transaction_id": None}


ISSUING_TRANSACTIONS = resource(
    IssuingTransaction,
    "issuing.transaction",
    "ipi_",
    build_view(
        IssuingTransaction,
        "issuing.transaction",
        "refunded",
        amount_details=_amount_details,
        balance_transaction=None,
        network_data=_network,
        token=None,
    ),
    spoken="transaction",
    param="transaction",
    expandable=("authorization", "card", "cardholder", "dispute"),
)


class UpdateTransaction(Params):
    """The parameters of an update."""

    metadata: OptMetadata = UNSET


class ListTransactions(ListParams):
    """The parameters of a list of transactions."""

    card: OptName = UNSET
    cardholder: OptName = UNSET
    created: OptRange = UNSET
    type: Literal["capture", "refund"] | UnsetType = UNSET


def add_transaction(call: Call, card: IssuedCard, kind: str, amount: int, **fields: Any) -> IssuingTransaction:
    """Create a capture or a refund of an amount, which is negative where money leaves the business."""
    signed = -amount if kind == "capture" else amount
    made = new(
        call,
        ISSUING_TRANSACTIONS,
        amount=signed,
        card=card.id,
        cardholder=card.cardholder,
        currency=card.currency,
        merchant_amount=signed,
        merchant_currency=card.currency,
        type=kind,
        **fields,
    )
    record_row(call, "issuing_transaction.created", ISSUING_TRANSACTIONS, made)
    return made


@api.get("/{transaction}")
def retrieve_transaction(call: Call, transaction: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a transaction."""
    return ISSUING_TRANSACTIONS.show(retrieve(call, ISSUING_TRANSACTIONS, transaction))


@api.get("")
def list_transactions(call: Call, params: Annotated[ListTransactions, Body]) -> Fields:
    """List transactions, of a card or a cardholder."""
    where = to_range_conditions(IssuingTransaction.created, params.created)
    where += to_reference_conditions(
        call,
        (IssuingTransaction.card, params.card, ISSUED_CARDS),
        (IssuingTransaction.cardholder, params.cardholder, CARDHOLDERS),
    )
    where += equal((IssuingTransaction.type, params.type))
    return list_of(call, ISSUING_TRANSACTIONS, params, "/v1/issuing/transactions", *where)


@api.post("/{transaction}")
def update_transaction(call: Call, transaction: str, params: Annotated[UpdateTransaction, Body]) -> Fields:
    """Update the metadata of a transaction."""
    row = retrieve(call, ISSUING_TRANSACTIONS, transaction)
    metadata = merge_metadata(row.metadata, params.metadata)
    changed = update(call, ISSUING_TRANSACTIONS, row, "issuing_transaction.updated", metadata=metadata)
    return ISSUING_TRANSACTIONS.show(changed)
