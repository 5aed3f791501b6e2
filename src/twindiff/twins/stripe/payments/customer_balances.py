"""Customer balances: credit and debit applied to invoices.

https://docs.stripe.com/api/customer_balance_transactions
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, column, references
from twindiff.twins.stripe.core.wire_style import StripeError

from ..core.currencies import parse_currency
from ..core.events import update
from ..core.objects import Fields, StripeObject, build_view, new, resource, retrieve
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
)
from ..tables.customer_tables import CUSTOMERS, Customer, existing

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
