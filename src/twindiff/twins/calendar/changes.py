"""What has changed since when: versions, sync tokens, and the news for those who watch.

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
    """The number of a change; later changes have greater ones."""
    return call.db.next(COUNTER)


def etag_for(change: int) -> str:
    """The version of what was changed."""
    return f'"{3_000_000_000_000_000 + 2_000 * change}"'


def stamp(call: Call) -> dict[str, Any]:
    """The columns that every change of a row sets."""
    return {"updated_at": call.clock.iso(), "etag": etag_for(next_change(call))}


def amend(call: Call, row: R, **wanted: Any) -> R:
    """Set what is wanted otherwise, as a change with a version of its own; an update that changes nothing is none."""
    differs = any(value is not UNSET and getattr(row, name) != value for name, value in wanted.items())
    return revise(call.db, row, stamp=stamp(call), **wanted) if differs else row


def emit_change(call: Call, collection: str) -> None:
    """Let those who watch a collection know, once for an operation."""
    told: set[str] = call.memo.setdefault("told", set())
    if collection not in told:
        told.add(collection)
        call.emit("exists", {"resource_uri": collection})


def record_change(call: Call, collection: str, id: str) -> None:
    """Remember that a member of a collection has changed, and tell of it."""
    number = next_change(call)
    here = ResourceChange.collection == collection, ResourceChange.id == id
    known = call.db.find(ResourceChange, *here)
    if known:
        call.db.change(known, changed=number)
    else:
        call.db.add(ResourceChange(collection=collection, id=id, changed=number))
    emit_change(call, collection)


def find_latest_change(db: Store, collection: str) -> int:
    """The number of a collection's last change."""
    order = -ResourceChange.changed
    rows = db.rows(ResourceChange, ResourceChange.collection == collection, order=order, limit=1)
    return rows[0].changed if rows else 0


def changed_since(db: Store, collection: str, number: int) -> set[str]:
    """The members of a collection that have changed after a change."""
    rows = db.rows(ResourceChange, ResourceChange.collection == collection, ResourceChange.changed > number)
    return {row.id for row in rows}


def sync_token(collection: str, number: int) -> str:
    """What a client brings to learn what has changed from here on."""
    return encode_cursor("sync", f"{number} {collection}")


def read_sync_token(collection: str, token: str, last: int) -> int:
    """The number in a token of this collection; raises FullSyncRequired for any other, and for one of another past."""
    text, _, made_for = decode_cursor("sync", token, FullSyncRequired).partition(" ")
    is_number = text.isascii() and text.isdecimal() and len(text) <= 18
    if made_for != collection or not is_number or int(text) > last:
        raise FullSyncRequired
    return int(text)
