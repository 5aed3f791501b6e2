"""User groups.

https://docs.slack.dev/reference/methods?family=usergroups
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, cast

from msgspec import UNSET, UnsetType

from twindiff.kit import Call, Operations, Store, exists, not_
from twindiff.kit.rows import Expression

from ..core.access import holds, refuse_guests, true_channels, workspace
from ..core.arguments import names_in, unix_of
from ..core.errors import (
    AlreadyDisabled,
    AlreadyEnabled,
    BadHandle,
    HandleAlreadyExists,
    InvalidChannelProvided,
    InvalidUsers,
    MissingSubteamName,
    NameAlreadyExists,
    NoSuchSubteam,
    NoUsersProvided,
    UserIsRestricted,
)
from ..core.tables import Channel, User, UserGroup, UserGroupMember
from ..rendering.entities import escape_text

api = Operations()

_NOT_IN_A_HANDLE = re.compile(r"[^\w.-]+")


@api.method("usergroups.list", reads=True, scope="usergroups:read")
def list_groups(
    call: Call, include_users: bool = False, include_count: bool = False, include_disabled: bool = False
) -> dict[str, Any]:
    """List user groups; disabled ones only on request.

    https://docs.slack.dev/reference/methods/usergroups.list
    """
    refuse_guests(call, UserIsRestricted)
    where: list[Expression] = [] if include_disabled else [holds(UserGroup.is_active)]
    groups = call.db.rows(UserGroup, *where, order=UserGroup.usergroup_id)
    members = _members(call.db, [group.usergroup_id for group in groups])

    def render_listed_group(group: UserGroup) -> dict[str, Any]:
        users = members.get(group.usergroup_id, [])
        also = {"users": users} if include_users else {}
        count = {"user_count": len(users)} if include_count else {}
        return {**_render_group(group), "deleted_by": None if group.is_active else group.updated_by, **also, **count}

    return {"usergroups": [render_listed_group(group) for group in groups]}


@api.method("usergroups.create", scope="usergroups:write")
def create(
    call: Call,
    name: str,
    handle: str = "",
    description: str = "",
    channels: str | list[str] = "",
    include_count: bool = False,
) -> dict[str, Any]:
    """Create a user group without members.

    https://docs.slack.dev/reference/methods/usergroups.create
    """
    refuse_guests(call, UserIsRestricted)
    handle = handle.removeprefix("@") or _NOT_IN_A_HANDLE.sub("-", name.lower()).strip("-")
    _check_names(call.db, name, handle, "")
    now = call.clock.iso()
    group = UserGroup(
        usergroup_id=call.ids.new("S"),
        team_id=workspace(call.db).team_id or None,
        name=name,
        handle=handle,
        description=description or None,
        channels=true_channels(call, names_in(channels), InvalidChannelProvided) or None,
        creator_id=call.actor,
        created_at=now,
        updated_by=call.actor,
        updated_at=now,
    )
    call.db.add(group)
    call.emit("subteam_created", {"subteam": {"id": group.usergroup_id, "handle": handle}})
    return _with_users(call, group, include_count)


@api.method("usergroups.update", scope="usergroups:write")
def update(
    call: Call,
    usergroup: str,
    name: str = "",
    handle: str = "",
    description: str | UnsetType = UNSET,
    channels: str | list[str] | UnsetType = UNSET,
    include_count: bool = False,
) -> dict[str, Any]:
    """Change name, handle, description or channels of a user group.

    https://docs.slack.dev/reference/methods/usergroups.update
    """
    group = _group(call, usergroup)
    wanted: dict[str, Any] = {"name": name or group.name, "handle": handle.removeprefix("@") or group.handle}
    _check_names(call.db, wanted["name"], wanted["handle"], group.usergroup_id)
    if description is not UNSET:
        wanted["description"] = description or None
    if channels is not UNSET:
        wanted["channels"] = true_channels(call, names_in(channels), InvalidChannelProvided) or None
    return _with_users(call, _change(call, group, **wanted), include_count)


@api.method("usergroups.enable", scope="usergroups:write")
def enable(call: Call, usergroup: str, include_count: bool = False) -> dict[str, Any]:
    """Enable a disabled user group, with its former members.

    https://docs.slack.dev/reference/methods/usergroups.enable
    """
    group = _group(call, usergroup)
    if group.is_active:
        raise AlreadyEnabled
    return _with_users(call, _change(call, group, is_active=True), include_count)


@api.method("usergroups.disable", scope="usergroups:write")
def disable(call: Call, usergroup: str, include_count: bool = False) -> dict[str, Any]:
    """Disable a user group.

    https://docs.slack.dev/reference/methods/usergroups.disable
    """
    group = _group(call, usergroup)
    if not group.is_active:
        raise AlreadyDisabled
    answer = _with_users(call, _change(call, group, is_active=False), include_count)
    return {"usergroup": {**answer["usergroup"], "deleted_by": call.actor}}


@api.method("usergroups.users.list", reads=True, scope="usergroups:read")
def list_users(call: Call, usergroup: str, include_disabled: bool = False) -> dict[str, Any]:
    """List the members of a user group; of a disabled one only on request.

    https://docs.slack.dev/reference/methods/usergroups.users.list
    """
    refuse_guests(call, UserIsRestricted)
    group = call.db.get(UserGroup, usergroup, missing=NoSuchSubteam)
    if not (group.is_active or include_disabled):
        raise NoSuchSubteam
    return {"users": _members(call.db, [usergroup]).get(usergroup, [])}


@api.method("usergroups.users.update", scope="usergroups:write")
def update_users(call: Call, usergroup: str, users: str | list[str], include_count: bool = False) -> dict[str, Any]:
    """Replace the members of a user group; an empty list removes them all, which Slack's Java client documents.

    https://github.com/slackapi/java-slack-sdk/pull/1574
    https://docs.slack.dev/reference/methods/usergroups.users.update
    """
    group = _group(call, usergroup)
    wanted = set(names_in(users))
    if users == "":
        raise NoUsersProvided
    if call.db.count(User, User.user_id.in_(wanted)) < len(wanted):
        raise InvalidUsers
    before = call.db.rows(UserGroupMember, UserGroupMember.usergroup_id == usergroup)
    for member in before:
        if member.user_id not in wanted:
            call.db.remove(member)
    for user in sorted(wanted - {member.user_id for member in before}):
        call.db.add(UserGroupMember(usergroup_id=usergroup, user_id=user))
    if {member.user_id for member in before} != wanted:
        group = _change(call, group, updated_at=call.clock.iso())
    return _with_users(call, group, include_count)


def _group(call: Call, usergroup: str) -> UserGroup:
    """Return a user group that the caller may change; raises UserIsRestricted or NoSuchSubteam."""
    refuse_guests(call, UserIsRestricted)
    return call.db.get(UserGroup, usergroup, missing=NoSuchSubteam)


def _check_names(db: Store, name: str, handle: str, own: str) -> None:
    """Raise unless the name is unique among groups, and the handle among groups, channels and users."""
    if not name.strip():
        raise MissingSubteamName
    if not handle or _NOT_IN_A_HANDLE.search(handle):
        raise BadHandle
    other = UserGroup.usergroup_id != own
    if db.find(UserGroup, UserGroup.name.equals(name), other):
        raise NameAlreadyExists
    taken = (UserGroup, UserGroup.handle), (Channel, Channel.channel_name), (User, User.username)
    if any(db.find(table, column == handle, *((other,) if table is UserGroup else ())) for table, column in taken):
        raise HandleAlreadyExists


def _change(call: Call, group: UserGroup, **wanted: Any) -> UserGroup:
    changed = {name: value for name, value in wanted.items() if value != getattr(group, name)}
    if not changed:
        return group
    call.emit("subteam_updated", {"subteam": {"id": group.usergroup_id, "handle": group.handle}})
    stamp = {"updated_by": call.actor, "updated_at": call.clock.iso()}
    return call.db.change(group, **{**changed, **stamp})


def _members(db: Store, groups: Sequence[str]) -> dict[str, list[str]]:
    if not groups:
        return {}
    columns = (UserGroupMember.usergroup_id, UserGroupMember.user_id)
    # Excludes deactivated users.
    active = exists(User, User.user_id == UserGroupMember.user_id, not_(User.is_active.in_((False,))))
    pairs = db.rows(UserGroupMember, UserGroupMember.usergroup_id.in_(groups), active, columns=columns)
    members: dict[str, list[str]] = {}
    for group, user in cast(list[tuple[str, str]], pairs):
        members.setdefault(group, []).append(user)
    return members


def _with_users(call: Call, group: UserGroup, include_count: bool) -> dict[str, Any]:
    users = _members(call.db, [group.usergroup_id]).get(group.usergroup_id, [])
    count = {"user_count": len(users)} if include_count else {}
    return {"usergroup": {**_render_group(group), "users": users, **count}}


def _render_group(group: UserGroup) -> dict[str, Any]:
    return {
        "id": group.usergroup_id,
        "team_id": group.team_id or "",
        "is_usergroup": True,
        "is_subteam": True,
        "name": escape_text(group.name),
        "description": escape_text(group.description or ""),
        "handle": group.handle,
        "is_external": False,
        "is_idp_group": False,
        "is_org_level": False,
        "is_section": False,
        "is_visible": True,
        "is_membership_locked": False,
        "is_editing_restricted": False,
        "date_create": unix_of(group.created_at),
        "date_update": unix_of(group.updated_at or group.created_at),
        "date_delete": 0 if group.is_active else unix_of(group.updated_at),
        "auto_provision": False,
        "enterprise_subteam_id": "",
        "created_by": group.creator_id or "",
        "updated_by": group.updated_by or group.creator_id or "",
        "prefs": {"channels": group.channels or [], "groups": []},
        "channel_count": len(group.channels or []),
    }
