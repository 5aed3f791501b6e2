"""Accounts."""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit import (
    UNSET,
    Call,
    Header,
    Operations,
    UnsetType,
    View,
    any_of,
    check_if_match,
    conditional,
    etag_of,
    revise,
)

from .errors import AccountChanged, AccountInUse, AccountNotFound
from .tables import Account, Entry

api = Operations()

account_object = View(
    Account, id=Account.account_id, name=Account.name, closed=Account.is_closed, balance=Account.balance
)


@api.get("/accounts")
def list_accounts(call: Call, closed: bool | None = None) -> dict[str, Any]:
    """List all accounts, or those that are open or closed."""
    where = () if closed is None else (Account.is_closed,) if closed else (~Account.is_closed,)
    return {"accounts": [account_object(account) for account in call.db.rows(Account, *where)]}


@api.get("/accounts/{account_id}", layers=[conditional])
def get_account(call: Call, account_id: str) -> dict[str, Any]:
    """Look at one account, or learn that it is as it was."""
    return account_object(call.db.get(Account, account_id, missing=AccountNotFound))


@api.patch("/accounts/{account_id}")
def change_account(
    call: Call,
    account_id: str,
    name: str | UnsetType = UNSET,
    closed: bool | UnsetType = UNSET,
    if_match: Annotated[str, Header("If-Match")] = "",
) -> dict[str, Any]:
    """Rename an account, close it or open it again; with If-Match only as long as nobody else has changed it."""
    account = call.db.get(Account, account_id, missing=AccountNotFound)
    check_if_match(if_match, etag_of(account_object(account)), AccountChanged)
    return account_object(revise(call.db, account, name=name, is_closed=closed))


@api.delete("/accounts/{account_id}", status=204)
def delete_account(call: Call, account_id: str) -> None:
    """Delete an account without entries; its standing orders go with it."""
    account = call.db.get(Account, account_id, missing=AccountNotFound)
    if call.db.find(Entry, any_of(Entry.from_account == account_id, Entry.to_account == account_id)):
        raise AccountInUse
    call.db.remove(account)
