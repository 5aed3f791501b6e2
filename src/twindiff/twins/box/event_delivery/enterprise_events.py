"""Enterprise events: the administrators' event stream, whose event types and sources differ from the users' stream.

https://developer.box.com/guides/events/enterprise-events/for-enterprise
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from twindiff.kit import Call

from ..tables.further_tables import StreamEvent
from .event_emission import event_object, record

if TYPE_CHECKING:
    from twindiff.kit.request_context import RequestContext

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
ADMINISTRATION = {
    "POST /2.0/legal_hold_policies": "LEGAL_HOLD_POLICY_CREATE",
    "PUT /2.0/legal_hold_policies/{legal_hold_policy_id}": "LEGAL_HOLD_POLICY_UPDATE",
    "DELETE /2.0/legal_hold_policies/{legal_hold_policy_id}": "LEGAL_HOLD_POLICY_DELETE",
    "POST /2.0/legal_hold_policy_assignments": "LEGAL_HOLD_ASSIGNMENT_CREATE",
    "DELETE /2.0/legal_hold_policy_assignments/{legal_hold_policy_assignment_id}": "LEGAL_HOLD_ASSIGNMENT_DELETE",
    "POST /2.0/retention_policies": "DATA_RETENTION_CREATE_RETENTION",
    "DELETE /2.0/retention_policies/{retention_policy_id}": "DATA_RETENTION_REMOVE_RETENTION",
    "POST /2.0/retention_policy_assignments": "RETENTION_POLICY_ASSIGNMENT_ADD",
    "POST /2.0/file_requests/{file_request_id}/copy": "FILE_REQUEST_CREATE",
    "PUT /2.0/file_requests/{file_request_id}": "FILE_REQUEST_UPDATE",
    "DELETE /2.0/file_requests/{file_request_id}": "FILE_REQUEST_DELETE",
    "PUT /2.0/files/{file_id}/watermark": "WATERMARK_LABEL_CREATE",
    "DELETE /2.0/files/{file_id}/watermark": "WATERMARK_LABEL_DELETE",
    "POST /2.0/metadata_cascade_policies": "METADATA_CASCADE_POLICY_CREATE",
    "POST /2.0/metadata_cascade_policies/{metadata_cascade_policy_id}/apply": "METADATA_CASCADE_POLICY_APPLY",
    "POST /2.0/users/{user_id}/email_aliases": "EMAIL_ALIAS_CONFIRM",
    "DELETE /2.0/users/{user_id}/email_aliases/{email_alias_id}": "EMAIL_ALIAS_REMOVE",
    "POST /2.0/terms_of_service_user_statuses": "TERMS_OF_SERVICE_ACCEPT",
    "PUT /2.0/terms_of_service_user_statuses/{terms_of_service_user_status_id}": "TERMS_OF_SERVICE_ACCEPT",
}
"""Operations that only the enterprise's stream reports, with their event types."""

ENTERPRISE_ONLY = frozenset({*ADMINISTRATION.values(), "TERMS_OF_SERVICE_REJECT"})
_SERVICE = {"service_id": "1000001", "service_name": "Box API"}
"""The application that every event names as its origin."""


def record_administration(exchange: RequestContext, call: Call, proceed: Callable[[], Any]) -> Any:
    """A middleware that records the events of operations in `ADMINISTRATION`, with the response as their source."""
    value = proceed()
    event_type = ADMINISTRATION.get(exchange.operation.name)
    if event_type is not None:
        shown: Shown = cast(Shown, value) if isinstance(value, dict) else {}
        if shown.get("is_accepted") is False:
            event_type = "TERMS_OF_SERVICE_REJECT"
        record(call, event_type, shown or {**exchange.path_parameters}, owner=None)
    return cast(Any, value)


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
