"""Groups and their members.

https://developer.box.com/reference/resources/group
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Meta, Operations, Struct, UnsetType, revise
from twindiff.kit.errors import MissingParameter
from twindiff.kit.rows import Expression
from twindiff.twins.box.wire_style import errors_of, offset_page, wanted_fields, window

from ..content.item_updates import Ref
from ..core.access import is_admin, require_admin
from ..core.barrier_checks import check_together, members_of
from ..core.errors import AccessDeniedInsufficientPermissions, Conflict, NotFound
from ..core.row_stamps import format_instant, new_id
from ..event_delivery.event_emission import record
from ..sharing.collaborations import collaboration_object
from ..tables.further_tables import Collaboration, Group, GroupMembership
from ..views.item_views import pick_fields, user_mini
from .users import find_user

api = Operations(prefix="/2.0")
Level = Literal["admins_only", "admins_and_members", "all_managed_users"]
Role = Literal["member", "admin"]
_USUAL = ("name", "group_type", "created_at", "modified_at")


def group_mini(group: Group) -> dict[str, Any]:
    """Render a group as other objects refer to it."""
    return {"type": "group", "id": group.id, "name": group.name, "group_type": group.group_type}


def group_object(call: Call, group: Group, fields: tuple[str, ...] | None = None) -> dict[str, Any]:
    """Render a group with the requested fields or the default ones."""
    shown: dict[str, Any] = {
        **group_mini(group),
        "created_at": format_instant(group.created_at),
        "modified_at": format_instant(group.modified_at or group.created_at),
        "provenance": group.provenance or "",
        "external_sync_identifier": group.external_sync_identifier or "",
        "description": group.description or "",
        "invitability_level": group.invitability_level,
        "member_viewability_level": group.member_viewability_level,
        "permissions": {"can_invite_as_collaborator": is_admin(call) or group.invitability_level != "admins_only"},
    }
    return pick_fields({name: value for name, value in shown.items() if value is not None}, fields or _USUAL)


def membership_object(call: Call, row: GroupMembership, fields: tuple[str, ...] | None = None) -> dict[str, Any]:
    """Render a membership."""
    shown: dict[str, Any] = {
        "type": "group_membership",
        "id": row.id,
        "user": user_mini(call, row.user_id),
        "group": group_mini(call.db.get(Group, row.group_id)),
        "role": row.role,
        "created_at": format_instant(row.created_at),
        "modified_at": format_instant(row.modified_at or row.created_at),
    }
    return pick_fields({name: value for name, value in shown.items() if value is not None}, fields)


def _find(call: Call, group_id: str) -> Group:
    group = call.db.find(Group, Group.id == group_id)
    if group is None:
        raise NotFound.of("group", group_id)
    return group


class GroupSettings(Struct, kw_only=True):
    """The settable fields of a group."""

    name: Annotated[str, Meta(min_length=1, max_length=255)] | UnsetType = UNSET
    provenance: Annotated[str, Meta(max_length=255)] | UnsetType | None = UNSET
    external_sync_identifier: str | UnsetType | None = UNSET
    description: Annotated[str, Meta(max_length=255)] | UnsetType | None = UNSET
    invitability_level: Level | UnsetType = UNSET
    member_viewability_level: Level | UnsetType = UNSET

    def to_columns(self) -> dict[str, Any]:
        """Return the given fields as columns by name."""
        return {name: getattr(self, name) for name in self.__struct_fields__ if getattr(self, name) is not UNSET}


def _check_name(call: Call, name: str, but: str = "") -> None:
    known = call.db.find(Group, Group.name.equals(name))
    if known and known.id != but:
        said = f"Invalid value '{name}'. A resource with value '{name}' already exists"
        raise Conflict("Conflict", context_info=errors_of("invalid_parameter", "group_tag_name", said))


@api.get("/groups")
def list_groups(
    call: Call, filter_term: str = "", fields: str = "", offset: int = 0, limit: int = 100
) -> dict[str, Any]:
    """List groups, or those whose name begins with a term.

    https://developer.box.com/reference/get-groups
    """
    at = window(offset, limit)
    where: list[Expression] = [Group.name.starts(filter_term, fold=True)] if filter_term else []
    rows = call.db.rows(Group, *where, order=(Group.name, Group.id), limit=at.limit, offset=at.offset)
    entries = [group_object(call, row, wanted_fields(fields)) for row in rows]
    return offset_page(entries, call.db.count(Group, *where), at)


@api.get("/groups/{group_id}")
def get_group(call: Call, group_id: str, fields: str = "") -> dict[str, Any]:
    """Get a group.

    https://developer.box.com/reference/get-groups-id
    """
    return group_object(call, _find(call, group_id), wanted_fields(fields))


@api.post("/groups", status=201)
def create_group(call: Call, settings: Annotated[GroupSettings, Body], fields: str = "") -> dict[str, Any]:
    """Create a group.

    https://developer.box.com/reference/post-groups
    """
    require_admin(call)
    if settings.name is UNSET:
        raise MissingParameter("name")
    _check_name(call, settings.name)
    now = call.clock.iso()
    said: dict[str, Any] = settings.to_columns()
    made = Group(id=new_id(call, 9), created_at=now, modified_at=now, **said)
    call.db.add(made)
    record(call, "GROUP_CREATION", group_mini(made), owner=call.actor)
    return group_object(call, made, wanted_fields(fields))


@api.put("/groups/{group_id}")
def update_group(
    call: Call, group_id: str, settings: Annotated[GroupSettings, Body], fields: str = ""
) -> dict[str, Any]:
    """Update the given fields of a group.

    https://developer.box.com/reference/put-groups-id
    """
    group = _find(call, group_id)
    _require_group_admin(call, group)
    if settings.name is not UNSET:
        _check_name(call, settings.name, group.id)
    now = revise(call.db, group, stamp={"modified_at": call.clock.iso()}, **settings.to_columns())
    record(call, "GROUP_EDITED", group_mini(now), owner=call.actor)
    return group_object(call, now, wanted_fields(fields))


@api.delete("/groups/{group_id}", status=204)
def delete_group(call: Call, group_id: str) -> None:
    """Delete a group with its memberships and the access that it had.

    https://developer.box.com/reference/delete-groups-id
    """
    require_admin(call)
    group = _find(call, group_id)
    for row in call.db.rows(Collaboration, Collaboration.accessible_by_id == group.id):
        call.db.remove(row)
    call.db.remove(group)
    record(call, "GROUP_DELETION", group_mini(group), owner=call.actor)


def _require_group_admin(call: Call, group: Group) -> None:
    mine = (GroupMembership.group_id == group.id, GroupMembership.user_id == call.actor)
    membership = call.db.find(GroupMembership, *mine)
    if not (is_admin(call) or (membership and membership.role == "admin")):
        raise AccessDeniedInsufficientPermissions


def _memberships(call: Call, where: Expression, offset: int, limit: int) -> dict[str, Any]:
    at = window(offset, limit)
    rows = call.db.rows(GroupMembership, where, order=GroupMembership.id, limit=at.limit, offset=at.offset)
    entries = [membership_object(call, row) for row in rows]
    return offset_page(entries, call.db.count(GroupMembership, where), at)


@api.get("/groups/{group_id}/memberships")
def list_memberships(call: Call, group_id: str, offset: int = 0, limit: int = 100) -> dict[str, Any]:
    """List the members of a group.

    https://developer.box.com/reference/get-groups-id-memberships
    """
    return _memberships(call, GroupMembership.group_id == _find(call, group_id).id, offset, limit)


@api.get("/users/{user_id}/memberships")
def list_memberships_of_user(call: Call, user_id: str, offset: int = 0, limit: int = 100) -> dict[str, Any]:
    """List the groups of a user.

    https://developer.box.com/reference/get-users-id-memberships
    """
    return _memberships(call, GroupMembership.user_id == find_user(call, user_id).id, offset, limit)


@api.get("/groups/{group_id}/collaborations")
def list_collaborations(call: Call, group_id: str, offset: int = 0, limit: int = 100) -> dict[str, Any]:
    """List the items that a group has access to.

    https://developer.box.com/reference/get-groups-id-collaborations
    """
    at, where = window(offset, limit), Collaboration.accessible_by_id == _find(call, group_id).id
    rows = call.db.rows(Collaboration, where, order=Collaboration.id, limit=at.limit, offset=at.offset)
    entries = [collaboration_object(call, row) for row in rows]
    return offset_page(entries, call.db.count(Collaboration, where), at)


@api.post("/group_memberships", status=201)
def add_member(
    call: Call,
    user: Ref,
    group: Ref,
    role: Role = "member",
    configurable_permissions: dict[str, bool] | None = None,
    fields: str = "",
) -> dict[str, Any]:
    """Add a user to a group.

    https://developer.box.com/reference/post-group-memberships
    """
    row = _find(call, str(group.id))
    _require_group_admin(call, row)
    member = find_user(call, str(user.id))
    if call.db.find(GroupMembership, GroupMembership.group_id == row.id, GroupMembership.user_id == member.id):
        said = f"Invalid value '{member.id}'. The user is a member of the group already"
        raise Conflict(context_info=errors_of("invalid_parameter", "user", said))
    check_together(call, [member.id], members_of(call, [row.id]))
    now = call.clock.iso()
    made = GroupMembership(
        id=new_id(call, 11),
        user_id=member.id,
        group_id=row.id,
        role=role,
        configurable_permissions=configurable_permissions,
        created_at=now,
        modified_at=now,
    )
    call.db.add(made)
    record(call, "GROUP_ADD_USER", membership_object(call, made), owner=call.actor)
    return membership_object(call, made, wanted_fields(fields))


def _find_membership(call: Call, membership_id: str) -> GroupMembership:
    membership = call.db.find(GroupMembership, GroupMembership.id == membership_id)
    if membership is None:
        raise NotFound.of("group_membership", membership_id)
    return membership


@api.get("/group_memberships/{group_membership_id}")
def get_membership(call: Call, group_membership_id: str, fields: str = "") -> dict[str, Any]:
    """Get a membership.

    https://developer.box.com/reference/get-group-memberships-id
    """
    return membership_object(call, _find_membership(call, group_membership_id), wanted_fields(fields))


@api.put("/group_memberships/{group_membership_id}")
def update_membership(
    call: Call,
    group_membership_id: str,
    role: Role | UnsetType = UNSET,
    configurable_permissions: dict[str, bool] | UnsetType | None = UNSET,
    fields: str = "",
) -> dict[str, Any]:
    """Change a membership's role.

    https://developer.box.com/reference/put-group-memberships-id
    """
    row = _find_membership(call, group_membership_id)
    _require_group_admin(call, _find(call, row.group_id))
    changes = {"role": role, "configurable_permissions": configurable_permissions}
    now = revise(call.db, row, stamp={"modified_at": call.clock.iso()}, **changes)
    return membership_object(call, now, wanted_fields(fields))


@api.delete("/group_memberships/{group_membership_id}", status=204)
def remove_member(call: Call, group_membership_id: str) -> None:
    """Remove a user from a group.

    https://developer.box.com/reference/delete-group-memberships-id
    """
    row = _find_membership(call, group_membership_id)
    if row.user_id != call.actor:
        _require_group_admin(call, _find(call, row.group_id))
    shown = membership_object(call, row)
    call.db.remove(row)
    record(call, "GROUP_REMOVE_USER", shown, owner=call.actor)
