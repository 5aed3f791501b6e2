"""Listing of conversations for conversations.list and users.conversations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twindiff.kit import Call, Store, all_of, any_of, not_, page
from twindiff.kit.rows import Expression

from ..core.access import general_id, holds, joined_by, workspace
from ..core.arguments import names_in
from ..core.errors import InvalidTypes
from ..core.tables import Channel, ChannelMember, User
from ..rendering.canvas_views import properties_of
from ..rendering.channel_views import channel_object, im_object

_A_CHANNEL = not_(any_of(holds(Channel.is_dm), holds(Channel.is_gc)))

_TYPES: dict[str, Expression] = {
    "public_channel": all_of(_A_CHANNEL, not_(holds(Channel.is_private))),
    "private_channel": all_of(_A_CHANNEL, holds(Channel.is_private)),
    "mpim": holds(Channel.is_gc),
    "im": holds(Channel.is_dm),
}


def _visible(types: Sequence[str], user: str) -> Expression:
    """Select conversations of these types that a user may see; raises InvalidTypes for an unknown type."""
    if not all(name in _TYPES for name in types):
        raise InvalidTypes
    parts = [_TYPES[name] if name == "public_channel" else all_of(_TYPES[name], joined_by(user)) for name in types]
    return any_of(*parts)


def list_conversations(
    call: Call,
    method: str,
    types: str | list[str],
    *where: Expression,
    exclude_archived: bool,
    limit: int,
    cursor: str,
) -> dict[str, Any]:
    """Return a page of visible conversations of these types, in the form of the response of `method`.

    Its keys are `channels` and `response_metadata`.
    """
    conditions = [_visible(names_in(types) or ["public_channel"], call.actor), *where]
    if exclude_archived:
        conditions.append(not_(holds(Channel.is_archived)))
    rooms = page(call.db, Channel, *conditions, by=Channel.channel_id, limit=limit, cursor=cursor)
    shown = _objects(call, method, rooms.rows)
    return {"channels": shown, "response_metadata": {"next_cursor": rooms.next_cursor}}


def _objects(call: Call, method: str, rooms: Sequence[Channel]) -> list[dict[str, Any]]:
    members = members_of(call.db, rooms)
    others = {room.channel_id: other_of(members[room.channel_id], call.actor) for room in rooms if room.is_dm}
    deactivated = _find_deactivated_users(call.db, others.values())
    team_id, general = workspace(call.db).team_id, general_id(call.db)
    properties = properties_of(call, [room.channel_id for room in rooms])

    def render_channel(room: Channel) -> dict[str, Any]:
        team, people = room.team_id or team_id, members[room.channel_id]
        if other := others.get(room.channel_id):
            return im_object(room, team, other, is_user_deleted=other in deactivated)
        is_member, is_general = call.actor in people, room.channel_id == general
        channel = channel_object(method, room, team, is_member=is_member, is_general=is_general)
        also = {"num_members": len(people)} if method == "conversations.list" else {"parent_conversation": None}
        return {**channel, **also, "properties": properties[room.channel_id]}

    return [render_channel(room) for room in rooms]


def members_of(db: Store, rooms: Sequence[Channel]) -> dict[str, list[str]]:
    """Map channel ids to the user ids of their members."""
    members: dict[str, list[str]] = {room.channel_id: [] for room in rooms}
    if not members:
        return members
    columns = (ChannelMember.channel_id, ChannelMember.user_id)
    for channel_id, user_id in db.rows(ChannelMember, ChannelMember.channel_id.in_(list(members)), columns=columns):
        members[channel_id].append(user_id)
    return members


def other_of(people: Sequence[str], caller: str) -> str:
    """Return the other member of a direct message, or the caller in a conversation with oneself."""
    return next((person for person in people if person != caller), caller)


def _find_deactivated_users(db: Store, users: Any) -> set[str]:
    ids = list(users)
    if not ids:
        return set()
    rows = db.rows(User, User.user_id.in_(ids), User.is_active.in_((False,)), columns=(User.user_id,))
    return {user_id for (user_id,) in rows}
