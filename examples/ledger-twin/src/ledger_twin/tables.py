"""What Ledger stores. Amounts are in cents."""

from __future__ import annotations

from twindiff.kit import Column, Row, Timestamp, column, references


class Account(Row, table="accounts", key=("account_id",)):
    account_id: Column[str]
    name: Column[str]
    is_closed: Column[bool] = column(default=False)
    balance: Column[int] = column(default=0, derived=True)
    """A consequence of the entries: a diff leaves it out unless it is asked for."""


class Entry(
    Row, table="entries", key=("entry_id",), indexes=(("from_account", "entry_id"), ("to_account", "entry_id"))
):
    entry_id: Column[str]
    from_account: Column[str] = references(Account)
    to_account: Column[str] = references(Account)
    amount: Column[int]
    posted_at: Column[Timestamp]
    memo: Column[str | None] = column(default=None)
