"""Cash balances: cash received from customers by bank transfer.

https://docs.stripe.com/api/cash_balance, https://docs.stripe.com/api/cash_balance_transactions
"""

from __future__ import annotations

from typing import Annotated, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column, references

from ..core.events import record_row, update
from ..core.objects import INCLUDES, Fields, StripeObject, build_view, new, resource, retrieve
from ..core.pagination import list_of
from ..core.params import ListParams, NestedParams, Params, value_of
from ..tables.customer_tables import CUSTOMERS, Customer, existing

api = Operations(prefix="/v1")


class CashTransaction(
    StripeObject,
    table="customer_cash_balance_transactions",
    key=("id",),
    unique=(("seq",),),
    indexes=(("customer", "seq"),),
):
    currency: Column[str]
    customer: Column[str] = references(Customer)
    ending_balance: Column[int]
    net_amount: Column[int]
    type: Column[str]
    details: Column[Json] = column(default={})
    """The object under the key named by `type`."""


_cash_shared = build_view(CashTransaction, "customer_cash_balance_transaction", "details", customer_account=None)


def cash_transaction_object(row: CashTransaction) -> Fields:
    """Render a cash balance transaction."""
    return {**_cash_shared(row), row.type: row.details}


CASH_TRANSACTIONS = resource(
    CashTransaction,
    "customer_cash_balance_transaction",
    "ccsbtxn_",
    cash_transaction_object,
    param="transaction",
    expandable=("customer",),
)


class UpdateCash(Params):
    """The parameters of an update of a cash balance."""

    settings: CashSettings | UnsetType = UNSET


@api.get("/customers/{customer}/cash_balance")
def retrieve_cash_balance(call: Call, customer: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve the cash balance of a customer."""
    return cash_balance_object(existing(call, customer))


@api.post("/customers/{customer}/cash_balance")
def update_cash_balance(call: Call, customer: str, params: Annotated[UpdateCash, Body]) -> Fields:
    """Update the reconciliation mode of a cash balance."""
    row = existing(call, customer)
    mode = value_of(params.settings).get("reconciliation_mode") if isinstance(params.settings, CashSettings) else None
    if mode:
        row = update(call, CUSTOMERS, row, False, **own_mode(mode))
    return cash_balance_object(row)


@api.get("/customers/{customer}/cash_balance_transactions")
def list_cash_transactions(call: Call, customer: str, params: Annotated[ListParams, Body]) -> Fields:
    """List the transactions of a customer's cash balance."""
    existing(call, customer)
    url = f"/v1/customers/{customer}/cash_balance_transactions"
    return list_of(call, CASH_TRANSACTIONS, params, url, CashTransaction.customer == customer)


@api.get("/customers/{customer}/cash_balance_transactions/{transaction}")
def retrieve_cash_transaction(call: Call, customer: str, transaction: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a transaction of a customer's cash balance."""
    row = retrieve(call, CASH_TRANSACTIONS, transaction)
    if row.customer != customer:
        raise CASH_TRANSACTIONS.missing(transaction)
    return cash_transaction_object(row)


def _of_customer(call: Call, customer: Fields) -> Fields:
    return cash_balance_object(existing(call, customer["id"]))


def cash_balance_object(customer: Customer) -> Fields:
    """Render the cash balance of a customer."""
    return {
        "object": "cash_balance",
        "available": customer.cash or None,
        "customer": customer.id,
        "customer_account": None,
        "livemode": False,
        "settings": {
            "reconciliation_mode": customer.reconciliation_mode,
            "using_merchant_default": not customer.has_own_mode,
        },
    }


def move_cash(
    call: Call, customer: Customer, amount: int, currency: str, type: str, details: Fields
) -> CashTransaction:
    """Add an amount to a customer's cash balance; a negative amount is deducted."""
    ending = customer.cash.get(currency, 0) + amount
    call.db.change(customer, cash={**customer.cash, currency: ending})
    made = new(
        call,
        CASH_TRANSACTIONS,
        currency=currency,
        customer=customer.id,
        ending_balance=ending,
        net_amount=amount,
        type=type,
        details=details,
    )
    record_row(call, "customer_cash_balance_transaction.created", CASH_TRANSACTIONS, made)
    return made


class CashSettings(NestedParams):
    """The reconciliation settings of a cash balance."""

    reconciliation_mode: Literal["automatic", "manual", "merchant_default"] | UnsetType = UNSET


def own_mode(wanted: str | None) -> Fields:
    """Return the reconciliation columns of a customer: the requested mode, or the account's default."""
    is_own = wanted in ("automatic", "manual")
    return {"reconciliation_mode": wanted if is_own else "automatic", "has_own_mode": is_own}


INCLUDES["customer.cash_balance"] = _of_customer
