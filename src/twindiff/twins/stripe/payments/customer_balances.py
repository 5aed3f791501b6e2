"""Customer balances: credit and debit applied to invoices, and cash received by bank transfer.

https://docs.stripe.com/api/customer_balance_transactions, https://docs.stripe.com/api/cash_balance
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column, references
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.currencies import parse_currency
from ..core.events import record, record_row, update
from ..core.objects import INCLUDES, Fields, StripeObject, build_view, new, resource, retrieve
from ..core.pagination import equal, list_of, to_range_conditions
from ..core.params import (
    Integer,
    ListParams,
    OptMetadata,
    OptName,
    OptRange,
    OptText,
    Params,
    collect_params,
    merge_metadata,
    value_of,
)
from ..customer.customers import CUSTOMERS, CashSettings, Customer, existing, own_mode

api = Operations(prefix="/v1")


class CustomerBalanceTransaction(
    StripeObject,
    table="customer_balance_transactions",
    key=("id",),
    unique=(("seq",),),
    indexes=(("customer", "seq"), ("invoice", "seq")),
):
    amount: Column[int]
    checkout_session: Column[str | None] = column(default=None)
    credit_note: Column[str | None] = column(default=None)
    currency: Column[str]
    customer: Column[str] = references(Customer)
    description: Column[str | None] = column(default=None)
    ending_balance: Column[int] = column(derived=True)
    invoice: Column[str | None] = column(default=None)
    metadata: Column[Json] = column(default={})
    type: Column[str] = column(default="adjustment")


CUSTOMER_TRANSACTIONS = resource(
    CustomerBalanceTransaction,
    "customer_balance_transaction",
    "cbtxn_",
    build_view(CustomerBalanceTransaction, "customer_balance_transaction", customer_account=None),
    spoken="customer balance transaction",
    param="transaction",
    expandable=("customer", "invoice", "credit_note", "checkout_session"),
)


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


class CreateTransaction(Params):
    """The parameters of an adjustment; a negative amount credits the customer."""

    longest: ClassVar = {"description": 350}

    amount: Integer
    currency: str
    description: OptText = UNSET
    metadata: OptMetadata = UNSET


class UpdateTransaction(Params):
    """The parameters of an update."""

    longest: ClassVar = {"description": 350}

    description: OptText = UNSET
    metadata: OptMetadata = UNSET


class ListTransactions(ListParams):
    """The parameters of a list of adjustments."""

    created: OptRange = UNSET
    invoice: OptName = UNSET


class UpdateCash(Params):
    """The parameters of an update of a cash balance."""

    settings: CashSettings | UnsetType = UNSET


class Fund(Params):
    """Simulated cash from a customer."""

    amount: Integer
    currency: str
    reference: OptText = UNSET


@api.post("/customers/{customer}/balance_transactions")
def create_balance_transaction(call: Call, customer: str, params: Annotated[CreateTransaction, Body]) -> Fields:
    """Adjust a customer's balance."""
    row = existing(call, customer)
    metadata = merge_metadata({}, params.metadata)
    made = adjust(
        call, row, params.amount, params.currency, **collect_params(params, "amount", "currency"), metadata=metadata
    )
    return CUSTOMER_TRANSACTIONS.show(made)


@api.get("/customers/{customer}/balance_transactions")
def list_balance_transactions(call: Call, customer: str, params: Annotated[ListTransactions, Body]) -> Fields:
    """List the transactions of a customer's balance."""
    existing(call, customer)
    table = CustomerBalanceTransaction
    url = f"/v1/customers/{customer}/balance_transactions"
    where = to_range_conditions(table.created, params.created) + equal((table.invoice, params.invoice))
    return list_of(call, CUSTOMER_TRANSACTIONS, params, url, table.customer == customer, *where)


@api.get("/customers/{customer}/balance_transactions/{transaction}")
def retrieve_transaction(call: Call, customer: str, transaction: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a transaction of a customer's balance."""
    return CUSTOMER_TRANSACTIONS.show(_of(call, customer, transaction))


@api.post("/customers/{customer}/balance_transactions/{transaction}")
def update_transaction(
    call: Call, customer: str, transaction: str, params: Annotated[UpdateTransaction, Body]
) -> Fields:
    """Update the description and metadata of a balance transaction."""
    row = _of(call, customer, transaction)
    metadata = merge_metadata(row.metadata, params.metadata)
    return CUSTOMER_TRANSACTIONS.show(
        update(call, CUSTOMER_TRANSACTIONS, row, False, **collect_params(params), metadata=metadata)
    )


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


@api.post("/test_helpers/customers/{customer}/fund_cash_balance")
def fund_cash_balance(call: Call, customer: str, params: Annotated[Fund, Body]) -> Fields:
    """Simulate an incoming bank transfer of a customer."""
    row, currency = existing(call, customer), parse_currency(params.currency)
    if params.amount < 1:
        message = "This value must be greater than or equal to 1."
        raise StripeError(message, code="parameter_invalid_integer", param="amount")
    from .bank_transfers import TRANSFERS, reconcile

    kind = TRANSFERS.get(currency, "us_bank_transfer")
    transfer: Fields = {"type": kind, "reference": params.reference or None, kind: {}}
    made = move_cash(call, row, params.amount, currency, "funded", {"bank_transfer": transfer})
    if row.reconciliation_mode != "manual":
        reconcile(call, row, currency)
    holder = existing(call, customer)
    if holder.cash[currency] > 0:
        record(call, "cash_balance.funds_available", cash_balance_object(holder))
    return cash_transaction_object(made)


def _of_customer(call: Call, customer: Fields) -> Fields:
    return cash_balance_object(existing(call, customer["id"]))


INCLUDES["customer.cash_balance"] = _of_customer


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


def adjust(
    call: Call, customer: Customer, amount: int, currency: str, *, type: str = "adjustment", **fields: Any
) -> CustomerBalanceTransaction:
    """Add an amount to a customer's balance, which has one currency; a negative amount is credit."""
    currency = parse_currency(currency)
    if customer.currency and customer.currency != currency:
        message = (
            f"You cannot combine currencies on a single customer. This customer has a balance or has been billed in "
            f"{customer.currency}, and you asked for {currency}."
        )
        raise StripeError(message, param="currency")
    ending = customer.balance + amount
    update(call, CUSTOMERS, customer, balance=ending, currency=currency)
    return new(
        call,
        CUSTOMER_TRANSACTIONS,
        amount=amount,
        currency=currency,
        customer=customer.id,
        ending_balance=ending,
        type=type,
        **fields,
    )


def _of(call: Call, customer: str, transaction_id: str) -> CustomerBalanceTransaction:
    transaction = retrieve(call, CUSTOMER_TRANSACTIONS, transaction_id)
    if transaction.customer != customer:
        raise CUSTOMER_TRANSACTIONS.missing(transaction_id)
    return transaction
