"""Hubs, their items and their collaborators (API version 2025.0).

https://developer.box.com/reference/v2025.0/resources/hub
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Call, Meta, Operations, Struct, UnsetType, revise
from twindiff.kit.rows import Expression
from twindiff.twins.box.wire_style import check_limit, marker_of, offset_in, require_version

from ..core.access import NONE, TABLE_OF, is_trashed, require_admin, rights
from ..core.errors import AccessDeniedInsufficientPermissions, NotFound
from ..core.row_stamps import format_instant, new_id
from ..tables.further_tables import HubCollaboration
from ..tables.item_tables import Hub, HubItem, User
from ..views.item_views import user_mini

Shown = dict[str, Any]
_EDITORS = ("editor", "co-owner")


api = Operations(prefix="/2.0", layers=(require_version,))


def hub_object(call: Call, hub: Hub) -> Shown:
    """Render a hub."""
    shown: Shown = {
        "type": "hubs",
        "id": hub.id,
        "title": hub.title or "",
        "description": hub.description or "",
        "created_at": format_instant(hub.created_at),
        "updated_at": format_instant(hub.updated_at or hub.created_at),
        "created_by": user_mini(call, hub.created_by_id),
        "updated_by": user_mini(call, hub.updated_by_id or hub.created_by_id),
        "view_count": hub.view_count,
        "is_ai_enabled": hub.is_ai_enabled,
        "is_collaboration_restricted_to_enterprise": hub.is_collaboration_restricted_to_enterprise,
        "can_non_owners_invite": hub.can_non_owners_invite,
        "can_shared_link_be_created": hub.can_shared_link_be_created,
    }
    return {name: value for name, value in shown.items() if value is not None}


def _role(call: Call, hub: Hub) -> str:
    """Return the caller's role on a hub, "" if they have none."""
    if hub.created_by_id in (None, call.actor):
        return "owner"
    mine = (HubCollaboration.hub_id == hub.id, HubCollaboration.accessible_by_id == call.actor)
    collaboration = call.db.find(HubCollaboration, *mine)
    return collaboration.role if collaboration else ""


def _find(call: Call, hub_id: str, *, edits: bool = False) -> Hub:
    hub = call.db.find(Hub, Hub.id == hub_id)
    role = _role(call, hub) if hub else ""
    if hub is None or not role:
        raise NotFound.of("hub", hub_id)
    if edits and role not in ("owner", *_EDITORS):
        raise AccessDeniedInsufficientPermissions
    return hub


def _page(entries: list[Shown], limit: int, marker: str) -> Shown:
    start = offset_in(marker)
    page = entries[start : start + check_limit(limit)]
    more = {"next_marker": marker_of(start + limit)} if start + limit < len(entries) else {}
    return {"entries": page, "limit": limit, **more}


def _sort_hubs(hubs: list[Hub], sort: str, direction: str) -> list[Hub]:
    names = {"name": "title", "updated_at": "updated_at", "last_accessed_at": "updated_at", "view_count": "view_count"}
    key = names.get(sort, "id")
    return sorted(hubs, key=lambda hub: getattr(hub, key) or "", reverse=direction.upper() == "DESC")


def _matching(call: Call, query: str) -> list[Hub]:
    where: list[Expression] = [Hub.title.contains(query, fold=True)] if query else []
    return call.db.rows(Hub, *where)


@api.get("/hubs")
def list_hubs(
    call: Call,
    query: str = "",
    scope: Literal["all", "editable", "view_only"] = "all",
    sort: str = "relevance",
    direction: Literal["ASC", "DESC"] = "ASC",
    marker: str = "",
    limit: int = 100,
) -> Shown:
    """List the hubs that the caller may see.

    https://developer.box.com/reference/v2025.0/get-hubs
    """
    roles = [(hub, _role(call, hub)) for hub in _matching(call, query)]
    seen = [hub for hub, role in roles if role and _is_in_scope(role, scope)]
    return _page([hub_object(call, hub) for hub in _sort_hubs(seen, sort, direction)], limit, marker)


def _is_in_scope(role: str, scope: str) -> bool:
    return scope == "all" or (role == "viewer") is (scope == "view_only")


@api.get("/enterprise_hubs")
def list_enterprise_hubs(
    call: Call,
    query: str = "",
    sort: str = "relevance",
    direction: Literal["ASC", "DESC"] = "ASC",
    marker: str = "",
    limit: int = 100,
) -> Shown:
    """List all hubs of the enterprise, for its administrators.

    https://developer.box.com/reference/v2025.0/get-enterprise-hubs
    """
    require_admin(call)
    hubs = _sort_hubs(_matching(call, query), sort, direction)
    return _page([hub_object(call, hub) for hub in hubs], limit, marker)


Title = Annotated[str, Meta(min_length=1, max_length=50)]


@api.post("/hubs", status=201)
def create_hub(call: Call, title: Title, description: str = "") -> Shown:
    """Create a hub.

    https://developer.box.com/reference/v2025.0/post-hubs
    """
    now = call.clock.iso()
    hub = Hub(
        id=new_id(call),
        title=title,
        description=description,
        created_by_id=call.actor,
        updated_by_id=call.actor,
        created_at=now,
        updated_at=now,
    )
    return hub_object(call, call.db.add(hub))


@api.get("/hubs/{hub_id}")
def get_hub(call: Call, hub_id: str) -> Shown:
    """Get a hub.

    https://developer.box.com/reference/v2025.0/get-hubs-id
    """
    return hub_object(call, _find(call, hub_id))


@api.put("/hubs/{hub_id}")
def update_hub(
    call: Call,
    hub_id: str,
    title: Title | UnsetType = UNSET,
    description: str | UnsetType = UNSET,
    is_ai_enabled: bool | UnsetType = UNSET,
    is_collaboration_restricted_to_enterprise: bool | UnsetType = UNSET,
    can_non_owners_invite: bool | UnsetType = UNSET,
    can_shared_link_be_created: bool | UnsetType = UNSET,
) -> Shown:
    """Update the given fields of a hub.

    https://developer.box.com/reference/v2025.0/put-hubs-id
    """
    changes = {
        "title": title,
        "description": description,
        "is_ai_enabled": is_ai_enabled,
        "is_collaboration_restricted_to_enterprise": is_collaboration_restricted_to_enterprise,
        "can_non_owners_invite": can_non_owners_invite,
        "can_shared_link_be_created": can_shared_link_be_created,
    }
    hub = _find(call, hub_id, edits=True)
    stamp = {"updated_at": call.clock.iso(), "updated_by_id": call.actor}
    return hub_object(call, revise(call.db, hub, stamp=stamp, **changes))


@api.delete("/hubs/{hub_id}", status=204)
def delete_hub(call: Call, hub_id: str) -> None:
    """Delete a hub. The items in it are not affected.

    https://developer.box.com/reference/v2025.0/delete-hubs-id
    """
    hub = _find(call, hub_id)
    if _role(call, hub) != "owner":
        raise AccessDeniedInsufficientPermissions
    for item in call.db.rows(HubItem, HubItem.hub_id == hub.id):
        call.db.remove(item)
    call.db.remove(hub)


@api.post("/hubs/{hub_id}/copy", status=201)
def copy_hub(
    call: Call, hub_id: str, title: Title | None = None, description: str | None = None, include_items: bool = True
) -> Shown:
    """Copy a hub, by default with its items.

    https://developer.box.com/reference/v2025.0/post-hubs-id-copy
    """
    hub, now = _find(call, hub_id), call.clock.iso()
    made = Hub(
        id=new_id(call),
        title=title or f"{hub.title} (copy)"[:50],
        description=hub.description if description is None else description,
        is_ai_enabled=hub.is_ai_enabled,
        created_by_id=call.actor,
        updated_by_id=call.actor,
        created_at=now,
        updated_at=now,
    )
    call.db.add(made)
    for item in call.db.rows(HubItem, HubItem.hub_id == hub.id) if include_items else ():
        _add(call, made, item.item_type, item.item_id, item.item_name or "")
    return hub_object(call, made)


def _add(call: Call, hub: Hub, kind: str, item_id: str, name: str) -> None:
    position = call.db.count(HubItem, HubItem.hub_id == hub.id)
    call.db.add(
        HubItem(
            id=new_id(call),
            hub_id=hub.id,
            item_id=item_id,
            item_type=kind,
            item_name=name,
            position=position,
            added_by_id=call.actor,
            added_at=call.clock.iso(),
        )
    )


@api.get("/hub_items")
def list_items(call: Call, hub_id: str, parent_id: str = "", marker: str = "", limit: int = 100) -> Shown:
    """List the items in a hub.

    https://developer.box.com/reference/v2025.0/get-hub-items
    """
    hub = _find(call, hub_id)
    rows = call.db.rows(HubItem, HubItem.hub_id == hub.id, order=(HubItem.position, HubItem.id))
    entries = [{"type": row.item_type, "id": row.item_id, "name": row.item_name or ""} for row in rows]
    return _page(entries, limit, marker)


class ItemReference(Struct):
    """A reference to a file, a folder or a web link."""

    type: Literal["file", "folder", "web_link"]
    id: str | int


class ItemOperation(Struct):
    """An operation on an item of a hub."""

    action: Literal["add", "remove"]
    item: ItemReference
    parent_id: str | None = None


@api.post("/hubs/{hub_id}/manage_items", status=207)
def manage_items(
    call: Call, hub_id: str, operations: Annotated[list[ItemOperation], Meta(min_length=1, max_length=100)]
) -> Shown:
    """Add items to a hub and remove them. Each operation has a status of its own in the response.

    https://developer.box.com/reference/v2025.0/post-hubs-id-manage-items
    """
    hub = _find(call, hub_id, edits=True)
    results = [_apply_item_operation(call, hub, operation) for operation in operations]
    if any(result["status"] in (200, 201, 204) for result in results):
        call.db.change(hub, updated_at=call.clock.iso(), updated_by_id=call.actor)
    return {"operations": results}


def _apply_item_operation(call: Call, hub: Hub, operation: ItemOperation) -> Shown:
    kind, item_id = operation.item.type, str(operation.item.id)
    answer: Shown = {"action": operation.action, "item": {"type": kind, "id": item_id}}
    here = (HubItem.hub_id == hub.id, HubItem.item_type == kind, HubItem.item_id == item_id)
    known = call.db.find(HubItem, *here)
    if operation.action == "remove":
        if known is None:
            return {**answer, "status": 404, "error": "The item is not in the hub"}
        call.db.remove(known)
        return {**answer, "status": 200}
    table = TABLE_OF[kind]
    item = call.db.find(table, table.id == item_id)
    if item is None or rights(call, item) == NONE or is_trashed(call, item):
        return {**answer, "status": 404, "error": "There is no such item"}
    if known is not None:
        return {**answer, "status": 409, "error": "The item is in the hub already"}
    _add(call, hub, kind, item_id, item.name or "")
    return {**answer, "status": 201}


def collaboration_object(call: Call, row: HubCollaboration) -> Shown:
    """Render a collaborator of a hub."""
    return {
        "type": "hub_collaboration",
        "id": row.id,
        "hub": {"type": "hubs", "id": row.hub_id},
        "accessible_by": user_mini(call, row.accessible_by_id) or {"type": "user", "id": row.accessible_by_id},
        "role": row.role,
        "status": row.status,
    }


class HubReference(Struct):
    """A reference to the hub of a collaboration."""

    id: str
    type: Literal["hubs"] = "hubs"


class Grantee(Struct):
    """The user with whom a hub is shared."""

    type: Literal["user", "group"] = "user"
    id: str | int | None = None
    login: str | None = None


Role = Literal["viewer", "editor", "co-owner"]


@api.get("/hub_collaborations")
def list_collaborations(call: Call, hub_id: str, marker: str = "", limit: int = 100) -> Shown:
    """List the collaborators of a hub.

    https://developer.box.com/reference/v2025.0/get-hub-collaborations
    """
    hub = _find(call, hub_id)
    rows = call.db.rows(HubCollaboration, HubCollaboration.hub_id == hub.id)
    return _page([collaboration_object(call, row) for row in rows], limit, marker)


@api.post("/hub_collaborations", status=201)
def create_collaboration(call: Call, hub: HubReference, accessible_by: Grantee, role: Role) -> Shown:
    """Share a hub with a user.

    https://developer.box.com/reference/v2025.0/post-hub-collaborations
    """
    shared = _find(call, hub.id, edits=True)
    by = (
        User.id == str(accessible_by.id)
        if accessible_by.id is not None
        else User.login.equals(accessible_by.login or "")
    )
    user = call.db.find(User, by)
    if user is None:
        raise NotFound.of("accessible_by", str(accessible_by.id or accessible_by.login))
    made = HubCollaboration(id=new_id(call), hub_id=shared.id, accessible_by_id=user.id, role=role)
    return collaboration_object(call, call.db.add(made))


def _collaboration(call: Call, collaboration_id: str, *, edits: bool = False) -> HubCollaboration:
    collaboration = call.db.find(HubCollaboration, HubCollaboration.id == collaboration_id)
    if collaboration is None:
        raise NotFound.of("hub_collaboration", collaboration_id)
    _find(call, collaboration.hub_id, edits=edits)
    return collaboration


@api.get("/hub_collaborations/{hub_collaboration_id}")
def get_collaboration(call: Call, hub_collaboration_id: str) -> Shown:
    """Get a collaboration on a hub.

    https://developer.box.com/reference/v2025.0/get-hub-collaborations-id
    """
    return collaboration_object(call, _collaboration(call, hub_collaboration_id))


@api.put("/hub_collaborations/{hub_collaboration_id}")
def update_collaboration(call: Call, hub_collaboration_id: str, role: Role | UnsetType = UNSET) -> Shown:
    """Change a collaborator's role on a hub.

    https://developer.box.com/reference/v2025.0/put-hub-collaborations-id
    """
    collaboration = _collaboration(call, hub_collaboration_id, edits=True)
    return collaboration_object(call, revise(call.db, collaboration, role=role))


@api.delete("/hub_collaborations/{hub_collaboration_id}", status=204)
def delete_collaboration(call: Call, hub_collaboration_id: str) -> None:
    """Remove a collaborator from a hub.

    https://developer.box.com/reference/v2025.0/delete-hub-collaborations-id
    """
    call.db.remove(_collaboration(call, hub_collaboration_id, edits=True))
