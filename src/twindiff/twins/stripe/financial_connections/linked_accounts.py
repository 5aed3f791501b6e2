"""Accounts at banks that a customer has linked: balances, owners and transactions, which are those of a test bank.

https://docs.stripe.com/api/financial_connections/accounts, https://docs.stripe.com/financial-connections/testing
"""

from __future__ import annotations

from typing import Annotated, Literal

from twindiff.kit import UNSET, Body, Call, Column, Json, Operations, UnsetType, column
from twindiff.twins.stripe.core.wire_style import StripeError

from ..account.balance_transactions import DAY
from ..core.events import record_row
from ..core.objects import LEFT_OUT, Fields, StripeObject, build_view, new, new_id, now, resource, retrieve
from ..core.pagination import equal, list_of, to_range_conditions, to_reference_conditions
from ..core.params import ListParams, NestedParams, OptName, OptRange, Params
from ..tables.customer_tables import CUSTOMERS

api = Operations(prefix="/v1/financial_connections/accounts")
transactions_api = Operations(prefix="/v1/financial_connections/transactions")

Feature = Literal["balance", "ownership", "transactions"]
PERMISSIONS = {"balance": "balances", "ownership": "ownership", "transactions": "transactions"}
"""The permission that each feature needs."""
REFRESH_SECONDS = 5
"""How long a refresh takes, which no page says."""
BALANCE = 3_000_000
PURCHASES = ((-1_250, "Coffee"), (-6_899, "Rocket Rides"), (250_000, "Payroll"))


class LinkedAccount(
    StripeObject,
    table="financial_connections_accounts",
    key=("id",),
    unique=(("seq",),),
    indexes=(("session", "seq"), ("customer", "seq"), ("refresh_on",)),
):
    balance: Column[Json] = column(default=None)
    balance_refresh: Column[Json] = column(default=None)
    category: Column[str] = column(default="cash")
    customer: Column[str | None] = column(default=None)
    account: Column[str | None] = column(default=None)
    display_name: Column[str | None] = column(default=None)
    institution_name: Column[str] = column(default="Test Institution")
    last4: Column[str | None] = column(default=None)
    ownership: Column[str | None] = column(default=None)
    ownership_refresh: Column[Json] = column(default=None)
    permissions: Column[Json] = column(default=[])
    refresh_on: Column[int] = column(default=0, derived=True)
    """When the refreshes under way are done; 0 without any."""
    session: Column[str | None] = column(default=None)
    status: Column[str] = column(default="active")
    subcategory: Column[str] = column(default="checking")
    subscriptions: Column[Json] = column(default=[])
    transaction_refresh: Column[Json] = column(default=None)


class LinkedOwner(
    StripeObject,
    table="financial_connections_owners",
    key=("id",),
    unique=(("seq",),),
    indexes=(("ownership", "seq"),),
):
    email: Column[str | None] = column(default=None)
    name: Column[str]
    ownership: Column[str]
    phone: Column[str | None] = column(default=None)
    raw_address: Column[str | None] = column(default=None)
    refreshed_at: Column[int | None] = column(default=None)


class LinkedTransaction(
    StripeObject,
    table="financial_connections_transactions",
    key=("id",),
    unique=(("seq",),),
    indexes=(("account", "seq"), ("transacted_at",)),
):
    account: Column[str]
    amount: Column[int]
    currency: Column[str] = column(default="usd")
    description: Column[str]
    status: Column[str] = column(default="posted")
    status_transitions: Column[Json] = column(default={})
    transacted_at: Column[int]
    transaction_refresh: Column[str]
    updated: Column[int]


def _holder(row: LinkedAccount) -> Fields:
    kind = "customer" if row.customer else "account"
    return {"type": kind, kind: row.customer or row.account}


def _payment_method_types(row: LinkedAccount) -> list[str]:
    return ["us_bank_account", "link"] if row.category == "cash" else []


ACCOUNTS = resource(
    LinkedAccount,
    "financial_connections.account",
    "fca_",
    build_view(
        LinkedAccount,
        "financial_connections.account",
        "account",
        "customer",
        "refresh_on",
        "session",
        account_holder=_holder,
        account_numbers=None,
        status_details=None,
        supported_payment_method_types=_payment_method_types,
    ),
    spoken="financial connections account",
    param="account",
    expandable=("account_holder.customer",),
)
OWNERS = resource(
    LinkedOwner,
    "financial_connections.account_owner",
    "fcaowner_",
    build_view(LinkedOwner, "financial_connections.account_owner", "created", livemode=LEFT_OUT),
    spoken="account owner",
)
TRANSACTIONS = resource(
    LinkedTransaction,
    "financial_connections.transaction",
    "fctxn_",
    build_view(LinkedTransaction, "financial_connections.transaction", "created"),
    spoken="transaction",
    param="transaction",
)


class AccountHolder(NestedParams):
    """Whose accounts are listed."""

    account: OptName = UNSET
    customer: OptName = UNSET
    customer_account: OptName = UNSET


class ListAccounts(ListParams):
    """The parameters of a list of accounts."""

    account_holder: AccountHolder | UnsetType = UNSET
    session: OptName = UNSET


class Features(Params):
    """What is refreshed."""

    features: list[Feature]


class Subscriptions(Params):
    """What is kept fresh."""

    features: list[Literal["transactions"]]


class ListOwners(ListParams, kw_only=True):
    """The parameters of a list of owners."""

    ownership: str


class TransactionRefresh(NestedParams):
    """After which refresh transactions are listed."""

    after: str


class ListTransactions(ListParams, kw_only=True):
    """The parameters of a list of transactions."""

    account: str
    transacted_at: OptRange = UNSET
    transaction_refresh: TransactionRefresh | UnsetType = UNSET


@api.get("")
def list_accounts(call: Call, params: Annotated[ListAccounts, Body]) -> Fields:
    """List linked accounts, of a holder or of a session."""
    where = equal((LinkedAccount.session, params.session))
    holder = params.account_holder
    if isinstance(holder, AccountHolder):
        where += to_reference_conditions(call, (LinkedAccount.customer, holder.customer, CUSTOMERS))
        where += equal((LinkedAccount.account, holder.account))
        if holder.customer_account is not UNSET:  # a customer of the second version of accounts, of which there is none
            message = f"No such account: '{holder.customer_account}'"
            raise StripeError(message, code="resource_missing", param="account_holder[customer_account]")
    return list_of(call, ACCOUNTS, params, "/v1/financial_connections/accounts", *where)


@api.get("/{account}")
def retrieve_account(call: Call, account: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a linked account."""
    return ACCOUNTS.show(retrieve(call, ACCOUNTS, account))


def _active(call: Call, id: str, features: list[Feature] | list[Literal["transactions"]]) -> LinkedAccount:
    """Return an account that is connected and allows what is asked for; raises StripeError for another.

    https://docs.stripe.com/financial-connections/disconnections
    """
    row = retrieve(call, ACCOUNTS, id)
    if row.status != "active":
        raise StripeError(f"The account {id} is {row.status} and cannot be used.", param="account")
    for each in features:
        if PERMISSIONS[each] not in row.permissions:
            message = f"You do not have the `{PERMISSIONS[each]}` permission for this account."
            raise StripeError(message, param="features")
    return row


@api.post("/{account}/refresh")
def refresh_account(call: Call, account: str, params: Annotated[Features, Body]) -> Fields:
    """Refresh the balance, owners or transactions of an account; an event tells of each when it is done."""
    row = _active(call, account, params.features)
    _check_refreshable(row, params.features, now(call))
    row = begin_refresh(call, row, params.features)
    return ACCOUNTS.show(row)


def _refresh_column(feature: Feature) -> str:
    return "transaction_refresh" if feature == "transactions" else f"{feature}_refresh"


def _check_refreshable(row: LinkedAccount, features: list[Feature], at: int) -> None:
    """Raise StripeError before the time at which a feature may be refreshed again, and while it is being refreshed.

    https://docs.stripe.com/api/financial_connections/accounts/object#financial_connections_account_object-balance_refresh-next_refresh_available_at
    """
    for each in features:
        state: Fields = getattr(row, _refresh_column(each)) or {}
        if state.get("status") == "pending":
            raise StripeError(f"A refresh of `{each}` is in progress for this account.", param="features")
        if (after := state.get("next_refresh_available_at") or 0) > at:
            raise StripeError(f"`{each}` cannot be refreshed before {after} for this account.", param="features")


def begin_refresh(call: Call, row: LinkedAccount, features: list[Feature]) -> LinkedAccount:
    """Begin refreshes of an account."""
    at = now(call)
    begun: Fields = {"last_attempted_at": at, "next_refresh_available_at": None, "status": "pending"}
    columns: Fields = {}
    for each in features:
        name = _refresh_column(each)
        columns[name] = {"id": new_id(call, "fctxnref_"), **begun} if each == "transactions" else begun
    return call.db.change(row, **columns, refresh_on=at + REFRESH_SECONDS)


@api.due(LinkedAccount.refresh_on, LinkedAccount.refresh_on > 0)
def finish_refresh(call: Call, row: LinkedAccount) -> None:
    """Scheduled job: bring what is being refreshed; that of subscribed transactions is due again after a day."""
    at, columns, events = now(call), Fields({}), list[str]()
    for name in ("balance_refresh", "ownership_refresh", "transaction_refresh"):
        state: Fields | None = getattr(row, name)
        if name == "transaction_refresh" and _is_daily_due(row, at):
            state = {"id": new_id(call, "fctxnref_"), "last_attempted_at": at, "status": "pending"}
        if not state or state["status"] != "pending":
            continue
        columns[name] = {**state, "status": "succeeded", "next_refresh_available_at": at + DAY}
        events.append({"transaction_refresh": "transactions"}.get(name, name.removesuffix("_refresh")))
        if name == "balance_refresh":
            columns["balance"] = _balance(row, at)
        elif name == "ownership_refresh":
            columns["ownership"] = _add_owners(call, at)
        else:
            _add_transactions(call, row, state["id"], at)
    next_on = _next_daily(columns.get("transaction_refresh", row.transaction_refresh)) if row.subscriptions else 0
    done = call.db.change(row, **columns, refresh_on=next_on)
    for each in events:
        record_row(call, f"financial_connections.account.refreshed_{each}", ACCOUNTS, done)


def _next_daily(refresh: Fields | None) -> int:
    """Return when transactions may be refreshed again; 0 where they never were."""
    return (refresh or {}).get("next_refresh_available_at") or 0


def _is_daily_due(row: LinkedAccount, at: int) -> bool:
    return bool(row.subscriptions) and 0 < _next_daily(row.transaction_refresh) <= at


def _balance(row: LinkedAccount, at: int) -> Fields:
    known: Fields = {"as_of": at, "type": row.category, "cash": None, "credit": None}
    if row.category == "credit":
        return {**known, "current": {"usd": -BALANCE}, "credit": {"used": {"usd": BALANCE}}}
    return {**known, "current": {"usd": BALANCE}, "cash": {"available": {"usd": BALANCE}}}


def _add_owners(call: Call, at: int) -> str:
    ownership = new_id(call, "fcaown_")
    person = {"name": "Jane Doe", "email": "jane@example.com", "phone": "+15555550100"}
    new(call, OWNERS, **person, raw_address="123 Main Street, Everytown USA", ownership=ownership, refreshed_at=at)
    return ownership


def _add_transactions(call: Call, row: LinkedAccount, refresh: str, at: int) -> None:
    """Add the purchases of the last days that no refresh has brought yet."""
    known = max(
        (each.transacted_at for each in call.db.rows(LinkedTransaction, LinkedTransaction.account == row.id)), default=0
    )
    for number, (amount, description) in enumerate(PURCHASES):
        moment = at - (len(PURCHASES) - number) * DAY
        if moment < known + DAY:
            continue
        new(
            call,
            TRANSACTIONS,
            account=row.id,
            amount=amount,
            description=description,
            status_transitions={"posted_at": moment, "void_at": None},
            transacted_at=moment,
            transaction_refresh=refresh,
            updated=at,
        )


@api.post("/{account}/subscribe")
def subscribe_account(call: Call, account: str, params: Annotated[Subscriptions, Body]) -> Fields:
    """Ask for daily refreshes of transactions, of which the first begins at once."""
    row = _active(call, account, params.features)
    row = call.db.change(row, subscriptions=sorted({*row.subscriptions, *params.features}))
    return ACCOUNTS.show(begin_refresh(call, row, [*params.features]))


@api.post("/{account}/unsubscribe")
def unsubscribe_account(call: Call, account: str, params: Annotated[Subscriptions, Body]) -> Fields:
    """Ask for no more daily refreshes."""
    row = retrieve(call, ACCOUNTS, account)
    left = [each for each in row.subscriptions if each not in params.features]
    return ACCOUNTS.show(call.db.change(row, subscriptions=left))


@api.post("/{account}/disconnect")
def disconnect_account(call: Call, account: str, params: Annotated[Params, Body]) -> Fields:
    """Disconnect an account for good; what is known of it stays."""
    row = _active(call, account, [])
    gone = call.db.change(row, status="disconnected", subscriptions=[], refresh_on=0)
    record_row(call, "financial_connections.account.disconnected", ACCOUNTS, gone)
    return ACCOUNTS.show(gone)


@api.get("/{account}/owners")
def list_owners(call: Call, account: str, params: Annotated[ListOwners, Body]) -> Fields:
    """List the owners of an account, as a refresh brought them."""
    retrieve(call, ACCOUNTS, account)
    url = f"/v1/financial_connections/accounts/{account}/owners"
    return list_of(call, OWNERS, params, url, LinkedOwner.ownership == params.ownership)


@transactions_api.get("")
def list_transactions(call: Call, params: Annotated[ListTransactions, Body]) -> Fields:
    """List the transactions of an account."""
    row = retrieve(call, ACCOUNTS, params.account, param="account", status=400)
    table = LinkedTransaction
    where = [table.account == row.id, *to_range_conditions(table.transacted_at, params.transacted_at)]
    if isinstance(params.transaction_refresh, TransactionRefresh):
        known = call.db.rows(table, table.transaction_refresh == params.transaction_refresh.after)
        where.append(table.seq > max((each.seq for each in known), default=0))
    return list_of(call, TRANSACTIONS, params, "/v1/financial_connections/transactions", *where)


@transactions_api.get("/{transaction}")
def retrieve_transaction(call: Call, transaction: str, params: Annotated[Params, Body]) -> Fields:
    """Retrieve a transaction of a linked account."""
    return TRANSACTIONS.show(retrieve(call, TRANSACTIONS, transaction))
