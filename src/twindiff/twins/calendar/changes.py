"""Change tracking: change numbers, ETags, sync tokens and events for watch channels.

https://developers.google.com/workspace/calendar/api/guides/sync
"""

from __future__ import annotations

from typing import Any, TypeVar

from msgspec import UNSET

from twindiff.kit import Call, Row, Store, revise
from twindiff.kit.paging import decode_cursor, encode_cursor

from .errors import FullSyncRequired
from .tables import ResourceChange

COUNTER = "calendar_change"
R = TypeVar("R", bound=Row)


def next_change(call: Call) -> int:
    """Return the next change number of the environment; later changes have greater numbers."""
    return call.db.next(COUNTER)


def etag_for(change: int) -> str:
    """Return the ETag of the version that a change created."""
    return f'"{3_000_000_000_000_000 + 2_000 * change}"'


def stamp(call: Call) -> dict[str, Any]:
    """Return the columns that every change of a row sets: `updated_at` and `etag`."""
    return {"updated_at": call.clock.iso(), "etag": etag_for(next_change(call))}


def amend(call: Call, row: R, **wanted: Any) -> R:
    """Set columns of a row and give it a new ETag; if no value differs, return the row unchanged."""
    differs = any(value is not UNSET and getattr(row, name) != value for name, value in wanted.items())
    return revise(call.db, row, stamp=stamp(call), **wanted) if differs else row


def emit_change(call: Call, collection: str) -> None:
    """Emit `exists` for the watch channels of a collection, once per operation."""
    told: set[str] = call.memo.setdefault("told", set())
    if collection not in told:
        told.add(collection)
        call.emit("exists", {"resource_uri": collection})


def record_change(call: Call, collection: str, id: str) -> None:
    """Record the change of a member of a collection for incremental sync, and notify watch channels."""
    number = next_change(call)
    here = ResourceChange.collection == collection, ResourceChange.id == id
    known = call.db.find(ResourceChange, *here)
    if known:
        call.db.change(known, changed=number)
    else:
        call.db.add(ResourceChange(collection=collection, id=id, changed=number))
    emit_change(call, collection)


def find_latest_change(db: Store, collection: str) -> int:
    """Return the number of a collection's latest change, or 0."""
    order = -ResourceChange.changed
    rows = db.rows(ResourceChange, ResourceChange.collection == collection, order=order, limit=1)
    return rows[0].changed if rows else 0


def changed_since(db: Store, collection: str, number: int) -> set[str]:
    """Return the ids of a collection's members that changed after the change `number`."""
    rows = db.rows(ResourceChange, ResourceChange.collection == collection, ResourceChange.changed > number)
    return {row.id for row in rows}


def sync_token(collection: str, number: int) -> str:
    """Return a sync token for changes after `number`."""
    return encode_cursor("sync", f"{number} {collection}")


def read_sync_token(collection: str, token: str, last: int) -> int:
    """Return the change number in a sync token of this collection.

    Raises FullSyncRequired for a malformed token, one of another collection, or one newer than the change `last`.
    """
    text, _, made_for = decode_cursor("sync", token, FullSyncRequired).partition(" ")
    is_number = text.isascii() and text.isdecimal() and len(text) <= 18
    if made_for != collection or not is_number or int(text) > last:
        raise FullSyncRequired
    return int(text)
