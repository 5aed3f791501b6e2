"""What Ledger stores. Amounts are in cents."""

from __future__ import annotations

from twindiff.kit import Column, Json, Row, Timestamp, column, references


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


class Receipt(Row, table="receipts", key=("receipt_id",)):
    """A file that belongs to an entry, and goes when it goes; its bytes are kept by their digest."""

    receipt_id: Column[str]
    entry_id: Column[str] = references(Entry, on_delete="cascade")
    filename: Column[str]
    content_type: Column[str]
    size: Column[int]
    digest: Column[str]


class StandingOrder(Row, table="standing_orders", key=("order_id",)):
    order_id: Column[str]
    from_account: Column[str] = references(Account, on_delete="cascade")
    to_account: Column[str] = references(Account, on_delete="cascade")
    amount: Column[int]
    every_days: Column[int]
    next_at: Column[Timestamp]


class WebhookEndpoint(Row, table="webhook_endpoints", key=("endpoint_id",)):
    endpoint_id: Column[str]
    url: Column[str]
    secret: Column[str]
    events: Column[Json]
    created_at: Column[Timestamp]


class IdempotencyKey(Row, table="idempotency_keys", key=("key",), visibility="bookkeeping"):
    """The answer that a key was given once, and a digest of what was asked for with it."""

    key: Column[str]
    request: Column[str]
    status: Column[int]
    body: Column[str]
