"""Enterprise events: the administrators' event stream, whose event types and sources differ from the users' stream.

https://developer.box.com/guides/events/enterprise-events/for-enterprise
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..tables.further_tables import StreamEvent
from .event_emission import event_object

Shown = dict[str, Any]
TYPES = {
    "ITEM_CREATE": "UPLOAD",  # there is no other word for a folder or web link that is made
    "ITEM_UPLOAD": "UPLOAD",
    "ITEM_MODIFY": "EDIT",
    "ITEM_COPY": "COPY",
    "ITEM_MOVE": "MOVE",
    "ITEM_RENAME": "RENAME",
    "ITEM_TRASH": "DELETE",
    "ITEM_UNDELETE_VIA_TRASH": "UNDELETE",
    "ITEM_MAKE_CURRENT_VERSION": "FILE_VERSION_RESTORE",
    "ITEM_SHARED_CREATE": "SHARE",
    "ITEM_SHARED_UNSHARE": "UNSHARE",
    "LOCK_CREATE": "LOCK",
    "LOCK_DESTROY": "UNLOCK",
    "COLLAB_INVITE_COLLABORATOR": "COLLABORATION_INVITE",
    "COLLAB_ADD_COLLABORATOR": "COLLABORATION_ACCEPT",
    "COLLAB_ROLE_CHANGE": "COLLABORATION_ROLE_CHANGE",
    "COLLAB_REMOVE_COLLABORATOR": "COLLABORATION_REMOVE",
}
_SERVICE = {"service_id": "1000001", "service_name": "Box API"}
"""The application that every event names as its origin."""


def types_named(event_types: list[str]) -> list[str]:
    """Return the stored types of the requested event types, which may be of either stream."""
    return [*event_types, *(kept for kept, shown in TYPES.items() if shown in event_types)]


def enterprise_event_object(call: Call, event: StreamEvent) -> Shown:
    """Render an event for the enterprise stream."""
    source: Shown = event.source or {}
    is_item = source.get("type") in ("file", "folder")
    return {
        **event_object(call, event),
        "event_type": TYPES.get(event.event_type, event.event_type),
        "source": _item_source(source) if is_item else source,
        "additional_details": {**_SERVICE, **(_size(source) if is_item else {})},
    }


def _item_source(source: Shown) -> Shown:
    owner: Shown | None = source.get("owned_by")
    parent: Shown | None = source.get("parent")
    return {
        "item_type": source["type"],
        "item_id": source["id"],
        "item_name": source.get("name"),
        **({"classification": source["classification"]} if source.get("classification") else {}),
        "parent": {name: parent.get(name) for name in ("type", "name", "id")} if parent else None,
        "owned_by": {name: owner.get(name) for name in ("type", "id", "name", "login")} if owner else None,
    }


def _size(source: Shown) -> Shown:
    version: Shown | None = source.get("file_version")
    size: Shown = {"size": source["size"]} if "size" in source else {}
    return {**size, "version_id": version["id"]} if version else size
