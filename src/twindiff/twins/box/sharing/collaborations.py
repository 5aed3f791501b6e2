"""Collaborations: access of users and groups to files and folders that they do not own.

https://developer.box.com/guides/collaborations
"""

from __future__ import annotations

from typing import Any, Literal

from twindiff.kit import UNSET, Call, Operations, Struct, UnsetType, ValueResponse, revise
from twindiff.twins.box.wire_style import BadRequest, Notify, marker_page, offset_page, wanted_fields, window

from ..core.access import (
    ROOT,
    TABLE_OF,
    acting_user,
    find_file,
    find_folder,
    find_item,
    require,
    rights,
    user_of,
)
from ..core.barrier_checks import check_together, list_participants, members_of
from ..core.email_addresses import check_email
from ..core.errors import (
    AccessDeniedInsufficientPermissions,
    CollaborationsNotAvailableOnRootFolder,
    InvalidStatus,
    NotFound,
    UserAlreadyCollaborator,
)
from ..core.folder_listing import rows_from
from ..core.row_stamps import format_instant, new_id, read_instant
from ..event_delivery.event_emission import emit_item_event
from ..tables.further_tables import Collaboration, Group
from ..tables.item_tables import File, Folder, Item, User
from ..views.item_views import item_object, pick_fields, user_mini

api = Operations(prefix="/2.0")
Role = Literal["editor", "viewer", "previewer", "uploader", "previewer uploader", "viewer uploader", "co-owner"]
AnyRole = Literal[
    "editor", "viewer", "previewer", "uploader", "previewer uploader", "viewer uploader", "co-owner", "owner"
]

FILE_ROLES = ("editor", "viewer", "owner")
"""The roles of collaborators on a single file.

https://support.box.com/hc/en-us/articles/360044196413-Understanding-Collaborator-Permission-Levels
"""


class CollaborationItem(Struct):
    """The item of a request for a collaboration."""

    id: str | int
    type: Literal["file", "folder"] = "folder"


class AccessibleBy(Struct):
    """The grantee of a collaboration: a user by id or login, or a group by id."""

    type: Literal["user", "group"] = "user"
    id: str | int | None = None
    login: str | None = None


def collaboration_object(
    call: Call, collaboration: Collaboration, fields: tuple[str, ...] | None = None
) -> dict[str, Any]:
    """Render a collaboration. Before an invitation is accepted, its recipient does not see the item."""
    item = _item(call, collaboration)
    pending = collaboration.status != "accepted" and collaboration.accessible_by_id == call.actor
    shown: dict[str, Any] = {
        "type": "collaboration",
        "id": collaboration.id,
        "created_by": user_mini(call, collaboration.created_by_id),
        "created_at": format_instant(collaboration.created_at),
        "modified_at": format_instant(collaboration.modified_at or collaboration.created_at),
        "expires_at": format_instant(collaboration.expires_at),
        "status": collaboration.status,
        "accessible_by": _grantee(call, collaboration),
        "invite_email": collaboration.invite_email,
        "role": collaboration.role,
        "acknowledged_at": format_instant(collaboration.acknowledged_at),
        "is_access_only": bool(collaboration.is_access_only),
        "item": item_object(call, item, mini=True) if item and not pending else None,
        "can_view_path": bool(collaboration.can_view_path),
    }
    nullable = ("expires_at", "invite_email")
    present = {name: value for name, value in shown.items() if value is not None or name in nullable}
    if fields is None or "can_view_path" not in fields:
        present.pop("can_view_path")
    return pick_fields(present, fields)


def _grantee(call: Call, collaboration: Collaboration) -> dict[str, Any] | None:
    if collaboration.accessible_by_type == "group":
        group = call.db.find(Group, Group.id == collaboration.accessible_by_id)
        return group and {"type": "group", "id": group.id, "name": group.name, "group_type": group.group_type}
    user = user_of(call, collaboration.accessible_by_id)
    mini = user_mini(call, collaboration.accessible_by_id)
    return {**mini, "is_active": user.status == "active"} if mini and user else None


def _item(call: Call, collaboration: Collaboration) -> Item | None:
    table = TABLE_OF[collaboration.item_type]
    return call.db.find(table, table.id == collaboration.item_id)


def _find(call: Call, collaboration_id: str) -> tuple[Collaboration, Item]:
    """Return a collaboration of the caller, or on an item that they can see; raise NotFound otherwise."""
    collaboration = call.db.find(Collaboration, Collaboration.id == collaboration_id)
    item = _item(call, collaboration) if collaboration else None
    if (
        collaboration is None
        or item is None
        or not (collaboration.accessible_by_id == call.actor or rights(call, item))
    ):
        raise NotFound.of("collaboration", collaboration_id)
    return collaboration, item


@api.get("/collaborations")
def list_pending(
    call: Call, status: Literal["pending"], fields: str = "", offset: int = 0, limit: int = 100
) -> dict[str, Any]:
    """List the invitations that the caller has not answered.

    https://developer.box.com/reference/get-collaborations
    """
    at = window(offset, limit)
    mine = (Collaboration.accessible_by_id == acting_user(call).id, Collaboration.status == status)
    rows = call.db.rows(Collaboration, *mine, order=Collaboration.id, limit=at.limit, offset=at.offset)
    entries = [collaboration_object(call, row, wanted_fields(fields)) for row in rows]
    return offset_page(entries, call.db.count(Collaboration, *mine), at)


def _list(call: Call, item: Item, fields: str, limit: int, marker: str) -> dict[str, Any]:
    if isinstance(item, Folder) and item.can_non_owners_view_collaborators is False:
        require(call, item, "own")
    here = (Collaboration.item_id == item.id, Collaboration.item_type == item.type)
    rows, more = rows_from(call, marker, limit, Collaboration, *here, order=Collaboration.id)
    return marker_page([collaboration_object(call, row, wanted_fields(fields)) for row in rows], limit, more)


@api.get("/files/{file_id}/collaborations")
def list_of_file(call: Call, file_id: str, fields: str = "", limit: int = 100, marker: str = "") -> dict[str, Any]:
    """List the collaborations on a file.

    https://developer.box.com/reference/get-files-id-collaborations
    """
    return _list(call, find_file(call, file_id), fields, limit, marker)


@api.get("/folders/{folder_id}/collaborations")
def list_of_folder(call: Call, folder_id: str, fields: str = "", limit: int = 1000, marker: str = "") -> dict[str, Any]:
    """List the collaborations on a folder.

    https://developer.box.com/reference/get-folders-id-collaborations
    """
    page = _list(call, find_folder(call, folder_id), fields, limit, marker)
    return {"total_count": len(page["entries"]), "entries": page["entries"]} if not marker else page


@api.post("/collaborations", status=201)
def create_collaboration(
    call: Call,
    item: CollaborationItem,
    accessible_by: AccessibleBy,
    role: Role,
    fields: str = "",
    notify: Notify = "true",
    is_access_only: bool = False,
    can_view_path: bool = False,
    expires_at: str | None = None,
) -> dict[str, Any]:
    """Give a user or a group access to a file or a folder.

    https://developer.box.com/reference/post-collaborations
    """
    shared = find_item(call, item.type, str(item.id))
    _check_inviter(call, shared, role)
    if can_view_path and item.type != "folder":
        raise BadRequest.of("invalid_parameter", "can_view_path", "Only for folders.")
    grantee = _resolve_grantee(call, accessible_by)
    _check_new(call, shared, grantee)
    _check_barriers(call, shared, grantee)
    made = _add_collaboration(
        call,
        shared,
        role=role,
        expires_at=read_instant(expires_at, "expires_at") if expires_at else None,
        is_access_only=is_access_only,
        can_view_path=can_view_path,
        acknowledged_at=call.clock.iso() if grantee["status"] == "accepted" else None,
        **grantee,
    )
    shown = collaboration_object(call, made)
    emit_item_event(call, "COLLAB_INVITE_COLLABORATOR", shared, "COLLABORATION.CREATED", source=shown)
    return pick_fields(shown, wanted_fields(fields))


def _add_collaboration(call: Call, item: Item, **columns: Any) -> Collaboration:
    """Insert a collaboration on an item and return it."""
    now = call.clock.iso()
    made = Collaboration(
        id=new_id(call, 11),
        item_id=item.id,
        item_type=item.type,
        created_by_id=call.actor,
        created_at=now,
        modified_at=now,
        **columns,
    )
    call.memo.pop("grants", None)
    return call.db.add(made)


def _check_barriers(call: Call, item: Item, grantee: dict[str, Any]) -> None:
    id: str = grantee.get("accessible_by_id", "")
    users = members_of(call, [id]) if grantee.get("accessible_by_type") == "group" else [id]
    check_together(call, users, list_participants(call, item))


def _check_inviter(call: Call, item: Item, role: str) -> None:
    if item.id == ROOT:
        raise CollaborationsNotAvailableOnRootFolder
    require(call, item, "invite")
    mine = rights(call, item)
    if isinstance(item, Folder) and item.can_non_owners_invite is False and "own" not in mine:
        raise AccessDeniedInsufficientPermissions
    if role == "co-owner" and "set_share_access" not in mine:
        raise AccessDeniedInsufficientPermissions
    if isinstance(item, File) and role not in FILE_ROLES:
        raise BadRequest.of("invalid_parameter", "role", f"Invalid value '{role}'. Files have editors and viewers.")


def _resolve_grantee(call: Call, named: AccessibleBy) -> dict[str, Any]:
    """Return the columns for the grantee. A login without a user becomes a pending invitation by mail."""
    if named.type == "group":
        group = call.db.find(Group, Group.id == str(named.id))
        if group is None:
            raise NotFound.of("accessible_by", str(named.id))
        return {"accessible_by_id": group.id, "accessible_by_type": "group", "status": "accepted"}
    if named.id is None and not named.login:
        raise BadRequest.of("missing_parameter", "accessible_by", "'accessible_by' needs an 'id' or a 'login'")
    user = user_of(call, str(named.id)) if named.id is not None else None
    if user is None and named.login:
        user = call.db.find(User, User.login.equals(named.login))
    if user is None and named.id is not None:
        raise NotFound.of("accessible_by", str(named.id))
    if user is None:
        return {"invite_email": check_email("login", named.login or ""), "status": "pending"}
    return {"accessible_by_id": user.id, "status": "accepted"}


def _check_new(call: Call, item: Item, grantee: dict[str, Any]) -> None:
    if grantee.get("accessible_by_id") == item.owned_by_id:
        raise UserAlreadyCollaborator
    same = (
        (Collaboration.accessible_by_id == grantee["accessible_by_id"])
        if "accessible_by_id" in grantee
        else (Collaboration.invite_email == grantee["invite_email"])
    )
    if call.db.find(Collaboration, Collaboration.item_id == item.id, Collaboration.item_type == item.type, same):
        raise UserAlreadyCollaborator


@api.get("/collaborations/{collaboration_id}")
def get_collaboration(call: Call, collaboration_id: str, fields: str = "") -> dict[str, Any]:
    """Get a collaboration.

    https://developer.box.com/reference/get-collaborations-id
    """
    return collaboration_object(call, _find(call, collaboration_id)[0], wanted_fields(fields))


@api.put("/collaborations/{collaboration_id}")
def update_collaboration(
    call: Call,
    collaboration_id: str,
    role: AnyRole | UnsetType = UNSET,
    status: Literal["pending", "accepted", "rejected"] | UnsetType = UNSET,
    expires_at: str | UnsetType | None = UNSET,
    can_view_path: bool | UnsetType = UNSET,
) -> Any:
    """Change a role, or respond to an invitation. The role `owner` transfers the item.

    https://developer.box.com/reference/put-collaborations-id
    """
    collaboration, item = _find(call, collaboration_id)
    if status is not UNSET and collaboration.accessible_by_id != call.actor:
        raise AccessDeniedInsufficientPermissions
    if status is not UNSET and collaboration.status != "pending":
        raise InvalidStatus
    if (role, expires_at, can_view_path) != (UNSET, UNSET, UNSET):
        _check_inviter(call, item, role if isinstance(role, str) else collaboration.role)
    if role == "owner":
        _transfer_ownership(call, collaboration, item)
        return ValueResponse(None, 204)
    changes: dict[str, Any] = {"role": role, "status": status, "can_view_path": can_view_path}
    if expires_at is not UNSET:
        changes["expires_at"] = read_instant(expires_at, "expires_at") if expires_at else None
    stamp: dict[str, Any] = {"modified_at": call.clock.iso()}
    if status not in (UNSET, "pending"):
        stamp["acknowledged_at"] = call.clock.iso()
    now = revise(call.db, collaboration, stamp=stamp, **changes)
    call.memo.pop("grants", None)
    trigger = {"accepted": "ACCEPTED", "rejected": "REJECTED"}.get(str(status), "UPDATED")
    shown = collaboration_object(call, now)
    emit_item_event(
        call,
        "COLLAB_ROLE_CHANGE" if role is not UNSET else "COLLAB_ADD_COLLABORATOR",
        item,
        f"COLLABORATION.{trigger}",
        source=shown,
    )
    return shown


def _transfer_ownership(call: Call, collaboration: Collaboration, item: Item) -> None:
    """Make a collaborator the owner. The previous owner becomes a co-owner."""
    require(call, item, "own")
    if collaboration.accessible_by_type != "user" or collaboration.accessible_by_id is None:
        raise BadRequest.of("invalid_parameter", "role", "Only a user can own something.")
    was = item.owned_by_id
    call.db.change(item, owned_by_id=collaboration.accessible_by_id)
    call.db.remove(collaboration)
    _add_collaboration(call, item, accessible_by_id=was, role="co-owner", acknowledged_at=call.clock.iso())


@api.delete("/collaborations/{collaboration_id}", status=204)
def delete_collaboration(call: Call, collaboration_id: str) -> None:
    """Remove a collaboration. Collaborators may remove their own.

    https://developer.box.com/reference/delete-collaborations-id
    """
    collaboration, item = _find(call, collaboration_id)
    if collaboration.accessible_by_id != call.actor:
        require(call, item, "invite")
    shown = collaboration_object(call, collaboration)
    call.db.remove(collaboration)
    emit_item_event(call, "COLLAB_REMOVE_COLLABORATOR", item, "COLLABORATION.REMOVED", source=shown)
