"""Accounts."""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, Operations

from .errors import AccountNotFound
from .tables import Account

api = Operations()


@api.get("/accounts")
def list_accounts(call: Call) -> dict[str, Any]:
    """List all accounts."""
    return {"accounts": [account_object(account) for account in call.db.rows(Account)]}


@api.get("/accounts/{account_id}")
def get_account(call: Call, account_id: str) -> dict[str, Any]:
    """Look at one account."""
    return account_object(call.db.get(Account, account_id, missing=AccountNotFound))


@api.patch("/accounts/{account_id}")
def change_account(call: Call, account_id: str, name: str | None = None, closed: bool | None = None) -> dict[str, Any]:
    """Rename an account, close it or open it again."""
    account = call.db.get(Account, account_id, missing=AccountNotFound)
    closed = account.is_closed if closed is None else closed
    return account_object(call.db.change(account, name=name or account.name, is_closed=closed))


def account_object(account: Account) -> dict[str, Any]:
    return {
        "id": account.account_id,
        "name": account.name,
        "closed": account.is_closed,
        "balance": account.balance,
    }
