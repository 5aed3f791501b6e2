"""Balance transactions: the ledger of all money that comes and goes, and the balance, which is its sum.

https://docs.stripe.com/api/balance_transactions, https://docs.stripe.com/api/balance
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, Row, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.objects import (
    LEFT_OUT,
    RESOURCES,
    Fields,
    StripeObject,
    build_view,
    new,
    now,
    prefix_of,
    resource,
    retrieve,
    show,
)
from ..core.pagination import equal, list_of, to_range_conditions
from ..core.params import ListParams, OptRange, OptText, Params

api = Operations(prefix="/v1")

DAY = 86_400
DAYS_PENDING = 2
Type = Literal[
    "adjustment", "charge", "payment", "payment_refund", "payout", "payout_cancel", "refund", "refund_failure",
    "transfer", "transfer_refund", "stripe_fee", "application_fee", "application_fee_refund", "topup", "topup_reversal",
]  # fmt: skip
CATEGORIES = {
    "application_fee": "platform_earning",
    "application_fee_refund": "platform_earning_refund",
    "payment": "charge",
    "payment_refund": "refund",
    "payout_cancel": "payout_reversal",
    "stripe_fee": "fee",
    "transfer_refund": "transfer_reversal",
}
"""What reports call the types that they do not call by their own name.

https://docs.stripe.com/reports/reporting-categories
"""


class BalanceTransaction(
    StripeObject,
    table="balance_transactions",
    key=("id",),
    unique=(("seq",),),
    indexes=(("source", "seq"), ("type", "seq"), ("available_on",), ("created",), ("payout", "seq")),
    visibility="derived",
):
    amount: Column[int]
    available_on: Column[int]
    currency: Column[str]
    description: Column[str | None] = column(default=None)
    fee: Column[int] = column(default=0)
    fee_details: Column[Json] = column(default=[])
    net: Column[int]
    reporting_category: Column[str]
    source: Column[str | None] = column(default=None)
    type: Column[str]
    payout: Column[str | None] = column(default=None)


class Balance(Row, table="balances", key=("currency",), visibility="derived"):
    """What all transactions in a currency add up to."""

    currency: Column[str]
    net: Column[int]


def _fill(call: Call, transactions: list[Fields]) -> None:
    at = now(call)
    for each in transactions:
        each["status"] = "pending" if each["available_on"] > at else "available"


TRANSACTIONS = resource(
    BalanceTransaction,
    "balance_transaction",
    "txn_",
    build_view(
        BalanceTransaction,
        "balance_transaction",
        "payout",
        balance_type="payments",
        exchange_rate=None,
        status="available",
        livemode=LEFT_OUT,
    ),
    expandable=("source",),
    fill=_fill,
)


class ListTransactions(ListParams):
    """The parameters of a list of balance transactions."""

    created: OptRange = UNSET
    currency: OptText = UNSET
    payout: OptText = UNSET
    source: OptText = UNSET
    type: OptText = UNSET


@api.get("/balance_transactions")
def list_balance_transactions(call: Call, params: Annotated[ListTransactions, Body]) -> Fields:
    """List what has come and gone."""
    if isinstance(params.payout, str):
        _check_payout(call, params.payout)
    where = to_range_conditions(BalanceTransaction.created, params.created) + equal(
        (BalanceTransaction.currency, params.currency),
        (BalanceTransaction.payout, params.payout),
        (BalanceTransaction.type, params.type),
        (BalanceTransaction.source, params.source),
    )
    if isinstance(params.source, str) and prefix_of(params.source) in ("du_", "dp_"):
        where.append(BalanceTransaction.id.in_(()))  # Stripe finds none by a dispute, though it is their source.
    return list_of(call, TRANSACTIONS, params, "/v1/balance_transactions", *where)


@api.get("/balance/history")
def list_balance_history(call: Call, params: Annotated[ListTransactions, Body]) -> Fields:
    """List what has come and gone, by the name that this had before."""
    return list_balance_transactions(call, params)


@api.get("/balance/history/{id}")
def retrieve_balance_history(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Look at a balance transaction, by the name that this had before."""
    return retrieve_balance_transaction(call, id, params)


def _check_payout(call: Call, id: str) -> None:
    """Only of a payout that was made by itself it is known what is in it."""
    payout: Any = retrieve(call, RESOURCES["po_"], id, param="payout", status=400)
    if not payout.automatic:
        message = "Balance transaction history can only be filtered on automatic transfers, not manual."
        raise StripeError(message, param="payout")


@api.get("/balance_transactions/{id}")
def retrieve_balance_transaction(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Look at a balance transaction."""
    return show(call, TRANSACTIONS, retrieve(call, TRANSACTIONS, id))


@api.get("/balance")
def retrieve_balance(call: Call, params: Annotated[Params, Body]) -> Fields:
    """Look at what there is, and at what is on its way."""
    from .accounts import own_account

    held = {each.currency: each.net for each in call.db.rows(Balance)} or {own_account(call).default_currency: 0}
    pending = _pending(call)
    return {
        "object": "balance",
        "available": [_money(name, net - pending.get(name, 0)) for name, net in held.items()],
        "livemode": False,
        "pending": [_money(name, pending.get(name, 0)) for name in held],
        "refund_and_dispute_prefunding": {
            "available": [{"amount": 0, "currency": name} for name in held],
            "pending": [{"amount": 0, "currency": name} for name in held],
        },
    }


def _money(currency: str, amount: int) -> Fields:
    return {"amount": amount, "currency": currency, "source_types": {"card": amount}}


def _pending(call: Call) -> dict[str, int]:
    pending: dict[str, int] = {}
    waiting = call.db.rows(
        BalanceTransaction,
        BalanceTransaction.available_on > now(call),
        columns=(BalanceTransaction.currency, BalanceTransaction.net),
    )
    for currency, net in waiting:
        pending[currency] = pending.get(currency, 0) + net
    return pending


def available(call: Call, currency: str) -> int:
    """What can be paid out."""
    held = call.db.find(Balance, Balance.currency == currency)
    return (held.net if held else 0) - _pending(call).get(currency, 0)


def enter(
    call: Call,
    type: Type,
    amount: int,
    currency: str,
    source: str,
    *,
    description: str | None = None,
    fee: tuple[int, str] = (0, ""),
    available_on: int = 0,
    category: str = "",
) -> BalanceTransaction:
    """Enter money that comes, or with a negative amount goes; a fee is an amount and what it is for."""
    charged, reason = fee
    detail = {"amount": charged, "application": None, "currency": currency, "description": reason, "type": "stripe_fee"}
    made = new(
        call,
        TRANSACTIONS,
        amount=amount,
        currency=currency,
        source=source,
        description=description,
        fee=charged,
        fee_details=[detail] if charged else [],
        net=amount - charged,
        type=type,
        reporting_category=category or CATEGORIES.get(type, type),
        available_on=available_on or now(call),
    )
    held = call.db.find(Balance, Balance.currency == currency)
    if held is None:
        call.db.add(Balance(currency=currency, net=made.net))
    else:
        call.db.change(held, net=held.net + made.net)
    return made


def settles_on(call: Call) -> int:
    """When a payment of now can be paid out."""
    return (now(call) // DAY + DAYS_PENDING) * DAY


def processing_fee(amount: int) -> tuple[int, str]:
    """What Stripe keeps of a card payment: 2.9 % and 30."""
    return min((amount * 29 + 500) // 1000 + 30, amount), "Stripe processing fees"
