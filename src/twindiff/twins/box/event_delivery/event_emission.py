"""Emits events: to the event stream, to webhooks and to the caller's recent items.

https://developer.box.com/guides/events
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..core.access import chain, user_of
from ..core.row_stamps import format_instant
from ..tables.further_tables import RecentItem, StreamEvent
from ..tables.item_tables import File, Folder, Item
from ..views.item_views import item_object, user_mini

_RECENT = {"ITEM_UPLOAD": "item_upload", "ITEM_MODIFY": "item_modify", "COMMENT_CREATE": "item_comment"}


def emit_item_event(call: Call, event_type: str, item: Item, trigger: str = "", **about: Any) -> None:
    """Emit an event about an item: `event_type` in the event stream, `trigger` to webhooks.

    `about` may hold `source`, the rendered source of the event, and `additional_info` for webhooks.
    """
    source = about.get("source") or item_object(call, item)
    record(call, event_type, source, owner=item.owned_by_id, about=item)
    if isinstance(item, File) and event_type in _RECENT:
        record_recent_item(call, item.id, _RECENT[event_type])
    if trigger:
        around = [each.id for each in chain(call, item.parent_id)]
        told = {"source": source, "about": [item.type, item.id], "within": around, "trigger": trigger}
        call.emit(
            trigger, {**told, "additional_info": about.get("additional_info", {}), "by": user_mini(call, call.actor)}
        )


def record(call: Call, event_type: str, source: Any, *, owner: str | None, about: Item | None = None) -> None:
    """Append an event to the stream. It is visible to its creator, to `owner` and to users who can see `about`."""
    position = call.db.next("box_event")
    call.db.add(
        StreamEvent(
            position=position,
            event_id=call.ids.uuid().replace("-", ""),
            event_type=event_type,
            created_by_id=call.actor,
            owned_by_id=owner,
            source_type=about.type if about else None,
            source_id=about.id if about else None,
            source=source,
            created_at=call.clock.iso(),
        )
    )


def record_recent_item(call: Call, file_id: str, interaction: str) -> None:
    """Record the caller's latest interaction with a file among the recent items."""
    now = call.clock.iso()
    known = call.db.find(RecentItem, RecentItem.user_id == call.actor, RecentItem.item_id == file_id)
    if known is None:
        call.db.add(RecentItem(user_id=call.actor, item_id=file_id, interaction_type=interaction, interacted_at=now))
    else:
        call.db.change(known, interaction_type=interaction, interacted_at=now)


def event_object(call: Call, event: StreamEvent) -> dict[str, Any]:
    """Render an event for the users' stream."""
    by = user_of(call, event.created_by_id)
    return {
        "type": "event",
        "event_id": event.event_id,
        "event_type": event.event_type,
        "created_at": format_instant(event.created_at),
        "recorded_at": format_instant(event.created_at),
        "created_by": user_mini(call, event.created_by_id) if by else {"type": "user", "id": event.created_by_id},
        "session_id": "",
        "source": event.source,
    }


def kind_word(item: Item) -> str:
    """Return the first word of an item's webhook triggers: FILE or FOLDER."""
    return "FOLDER" if isinstance(item, Folder) else "FILE" if isinstance(item, File) else "WEB_LINK"


def trigger_of(item: Item, what: str) -> str:
    """Return the webhook trigger of an event on an item; "" for web links, which have no triggers."""
    word = kind_word(item)
    return f"{word}.{what}" if word != "WEB_LINK" else ""
