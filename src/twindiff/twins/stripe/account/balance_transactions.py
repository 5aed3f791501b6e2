"""Balance transactions: the ledger of all movements of money, and the balance, which is their sum.

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
from ..core.params import ListParams, OptName, OptRange, OptText, Params
from .accounts import own_account

api = Operations(prefix="/v1")

DAY = 86_400
DAYS_PENDING = 2
Type = Literal[
    "adjustment", "charge", "payment", "payment_refund", "payout", "payout_cancel", "refund", "refund_failure",
    "transfer", "transfer_refund", "stripe_fee", "application_fee", "application_fee_refund", "topup", "topup_reversal",
    "climate_order_purchase", "climate_order_refund",
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
"""Reporting categories of the types whose category is not the type itself.
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
    """The sum of all transactions in a currency."""

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
    currency: OptName = UNSET
    payout: OptText = UNSET
    source: OptText = UNSET
    type: OptText = UNSET


@api.get("/balance_transactions")
def list_balance_transactions(call: Call, params: Annotated[ListTransactions, Body]) -> Fields:
    """List balance transactions."""
    if isinstance(params.payout, str):
        _check_payout(call, params.payout)
    where = to_range_conditions(BalanceTransaction.created, params.created) + equal(
        (BalanceTransaction.currency, params.currency),
        (BalanceTransaction.payout, params.payout),
        (BalanceTransaction.type, params.type),
        (BalanceTransaction.source, params.source),
    )
    if isinstance(params.source, str) and prefix_of(params.source) in ("du_", "dp_"):
        where.append(BalanceTransaction.id.in_(()))  # Stripe finds none by a dispute, although it is their source.
    return list_of(call, TRANSACTIONS, params, "/v1/balance_transactions", *where)


@api.get("/balance/history")
def list_balance_history(call: Call, params: Annotated[ListTransactions, Body]) -> Fields:
    """List balance transactions; the path is the former name of the resource."""
    return list_balance_transactions(call, params)


@api.get("/balance/history/{id}")
def retrieve_balance_history(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a balance transaction; the path is the former name of the resource."""
    return retrieve_balance_transaction(call, id, params)


def _check_payout(call: Call, id: str) -> None:
    """Raise StripeError for a manual payout: only automatic payouts know their transactions."""
    payout: Any = retrieve(call, RESOURCES["po_"], id, param="payout", status=400)
    if not payout.automatic:
        message = "Balance transaction history can only be filtered on automatic transfers, not manual."
        raise StripeError(message, param="payout")


@api.get("/balance_transactions/{id}")
def retrieve_balance_transaction(call: Call, id: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a balance transaction."""
    return show(call, TRANSACTIONS, retrieve(call, TRANSACTIONS, id))


@api.get("/balance")
def retrieve_balance(call: Call, params: Annotated[Params, Body]) -> Fields:
    """Retrieve the balance: available and pending amounts by currency."""
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
    """Return the amount in a currency that can be paid out, in its smallest unit."""
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
    """Add a transaction to the ledger; a negative `amount` is money that leaves.

    `fee` is an amount and its description. The amount is pending until the Unix timestamp `available_on`; 0 means now.
    """
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
    """Return the Unix timestamp from which a payment made now can be paid out."""
    return (now(call) // DAY + DAYS_PENDING) * DAY


def processing_fee(amount: int) -> tuple[int, str]:
    """Return Stripe's fee of a card payment, 2.9 % plus 30, and its description; never more than the amount."""
    return min((amount * 29 + 500) // 1000 + 30, amount), "Stripe processing fees"
