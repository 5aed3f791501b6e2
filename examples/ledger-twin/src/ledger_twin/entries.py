"""Entries: money that moves from one account to another."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from twindiff.kit import Call, Operations, any_of, page

from .errors import AccountClosed, AccountNotFound, EntryNotFound, InvalidAmount
from .tables import Account, Entry

api = Operations()


@api.get("/entries")
def list_entries(
    call: Call, account: str, limit: Annotated[int, Meta(ge=1, le=100)] = 20, cursor: str = ""
) -> dict[str, Any]:
    """List the entries of an account, oldest first, in pages."""
    call.db.get(Account, account, missing=AccountNotFound)
    touching = any_of(Entry.from_account == account, Entry.to_account == account)
    found = page(call.db, Entry, touching, by=Entry.entry_id, limit=limit, cursor=cursor)
    return {"entries": [entry_object(entry) for entry in found.rows], "next_cursor": found.next_cursor}


@api.get("/entries/{entry_id}")
def get_entry(call: Call, entry_id: str) -> dict[str, Any]:
    """Look at one entry."""
    return entry_object(call.db.get(Entry, entry_id, missing=EntryNotFound))


@api.post("/entries", status=201)
def post_entry(
    call: Call,
    from_account: str,
    to_account: str,
    amount: Annotated[int, Meta(ge=1), InvalidAmount],
    memo: str | None = None,
) -> dict[str, Any]:
    """Move money between two open accounts."""
    source, target = _open(call, from_account), _open(call, to_account)
    entry = call.db.add(
        Entry(
            entry_id=f"E{call.db.next('entry'):06d}",
            from_account=source.account_id,
            to_account=target.account_id,
            amount=amount,
            posted_at=call.clock.iso(),
            memo=memo,
        )
    )
    call.db.change(source, balance=source.balance - amount)
    call.db.change(target, balance=target.balance + amount)
    return entry_object(entry)


def _open(call: Call, account_id: str) -> Account:
    account = call.db.get(Account, account_id, missing=AccountNotFound)
    if account.is_closed:
        raise AccountClosed
    return account


def entry_object(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.entry_id,
        "from": entry.from_account,
        "to": entry.to_account,
        "amount": entry.amount,
        "posted_at": entry.posted_at,
        "memo": entry.memo,
    }
