"""Entries: money that moves from one account to another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from twindiff.kit import Call, Meta, Operations, View, any_of, expand, page_beside

from .accounts import account_object
from .errors import AccountClosed, AccountNotFound, EntryNotFound, InvalidAmount
from .idempotency import idempotent
from .tables import Account, Entry

api = Operations()

Amount = Annotated[int, Meta(ge=1), InvalidAmount]

entry_object = View(
    Entry,
    {"from": Entry.from_account},
    id=Entry.entry_id,
    to=Entry.to_account,
    amount=Entry.amount,
    posted_at=Entry.posted_at,
    memo=Entry.memo,
)


@api.get("/entries")
def list_entries(
    call: Call,
    account: str,
    limit: Annotated[int, Meta(ge=1, le=100)] = 20,
    starting_after: str | None = None,
    ending_before: str | None = None,
    expand: list[str] | None = None,
) -> dict[str, Any]:
    """List the entries of an account, oldest first, in pages; `expand[]=data.from` shows accounts in place of ids."""
    call.db.get(Account, account, missing=AccountNotFound)
    touching = any_of(Entry.from_account == account, Entry.to_account == account)
    after, before = _known(call, starting_after), _known(call, ending_before)
    entries = page_beside(call.db, Entry, touching, by=Entry.entry_id, limit=limit, after=after, before=before)
    page = {"data": [entry_object(entry) for entry in entries.rows], "has_more": entries.has_more}
    return _expanded(call, page, expand)


def _known(call: Call, entry_id: str | None) -> Entry | None:
    return call.db.get(Entry, entry_id, missing=EntryNotFound) if entry_id else None


@api.get("/entries/{entry_id}")
def get_entry(call: Call, entry_id: str, expand: list[str] | None = None) -> dict[str, Any]:
    """Look at one entry."""
    entry = call.db.get(Entry, entry_id, missing=EntryNotFound)
    return _expanded(call, entry_object(entry), expand)


@api.post("/entries", status=201, layers=[idempotent])
def post_entry(
    call: Call, from_account: str, to_account: str, amount: Amount, memo: str | None = None
) -> dict[str, Any]:
    """Move money between two open accounts."""
    return entry_object(post(call, from_account, to_account, amount, memo))


@api.delete("/entries/{entry_id}", status=204)
def delete_entry(call: Call, entry_id: str) -> None:
    """Take an entry back; its receipts go with it."""
    entry = call.db.get(Entry, entry_id, missing=EntryNotFound)
    _move(call, entry.to_account, entry.from_account, entry.amount)
    call.db.remove(entry)


def post(call: Call, from_account: str, to_account: str, amount: int, memo: str | None = None) -> Entry:
    """Write an entry and tell of it; raises AccountNotFound and AccountClosed."""
    for account_id in (from_account, to_account):
        if call.db.get(Account, account_id, missing=AccountNotFound).is_closed:
            raise AccountClosed
    entry = call.db.add(
        Entry(
            entry_id=f"E{call.db.next('entry'):06d}",
            from_account=from_account,
            to_account=to_account,
            amount=amount,
            posted_at=call.clock.iso(),
            memo=memo,
        )
    )
    _move(call, from_account, to_account, amount)
    call.emit("entry.created", entry_object(entry))
    return entry


def _move(call: Call, from_account: str, to_account: str, amount: int) -> None:
    source = call.db.get(Account, from_account)
    call.db.change(source, balance=source.balance - amount)
    target = call.db.get(Account, to_account)
    call.db.change(target, balance=target.balance + amount)


def _expanded(call: Call, value: dict[str, Any], paths: list[str] | None) -> dict[str, Any]:
    def accounts(ids: Sequence[str]) -> Mapping[str, dict[str, Any]]:
        rows = call.db.rows(Account, Account.account_id.in_(ids))
        return {account.account_id: account_object(account) for account in rows}

    expand(value, paths or (), {"from": accounts, "to": accounts})
    return value
