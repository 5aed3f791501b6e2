"""Access checks: visibility of conversations, membership and roles."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from twindiff.kit import ApiError, Call, Column, Store, all_of, any_of, exists, not_
from twindiff.kit.rows import Expression

from .authorization import is_strict
from .errors import ChannelNotFound, IsArchived, NotInChannel
from .people import acting_bot
from .tables import Channel, ChannelMember, Message, Team, TeamSetting, UserTeam


def visible_channel(call: Call, channel: str, *, by_name: bool = False) -> Channel:
    """Return the conversation with this id; raises ChannelNotFound, also if the caller may not see it.

    `by_name` also accepts names.
    """
    room = resolve_channel(call, channel, by_name=by_name)
    if room is None or not is_visible(call, room):
        raise ChannelNotFound
    return room


def readable_channel(call: Call, channel: str) -> Channel:
    """Return a conversation whose messages the caller may read; raises ChannelNotFound or NotInChannel.

    Bots must be members. Without strict mode they may, like users, read public channels that they are not in.
    https://docs.slack.dev/reference/methods/conversations.history
    """
    room = visible_channel(call, channel)
    if is_strict(call) and not is_member(call.db, room, call.actor) and acting_bot(call):
        raise NotInChannel
    return room


def is_visible(call: Call, room: Channel) -> bool:
    """Whether the caller may see that a conversation exists."""
    return is_open_to_all(room) or is_member(call.db, room, call.actor)


def writable_channel(call: Call, channel: str, *, by_name: bool = False) -> Channel:
    """Return a conversation that the caller may post to; raises ChannelNotFound, IsArchived or NotInChannel."""
    room = resolve_channel(call, channel, by_name=by_name)
    if room is None:
        raise ChannelNotFound
    inside = is_member(call.db, room, call.actor)
    if not inside and not is_open_to_all(room):
        raise ChannelNotFound
    if room.is_archived:
        raise IsArchived
    if not inside:
        raise NotInChannel
    return room


def resolve_channel(call: Call, channel: str, *, by_name: bool = False) -> Channel | None:
    """Find a conversation by id, and by name if the method documents names (`by_name`); None if there is none.

    Without strict mode, every method accepts names.
    https://docs.slack.dev/reference/methods/chat.postMessage#channels
    """
    if by_name or not is_strict(call):
        return find_channel(call.db, channel)
    return call.db.find(Channel, Channel.channel_id == channel)


def find_channel(db: Store, channel: str) -> Channel | None:
    """Return the conversation with this id, else with this name, with or without `#`; None if there is none."""
    try:
        return db.get(Channel, channel, missing=ChannelNotFound)
    except ChannelNotFound:
        name = channel.removeprefix("#").lower()
        return db.find(Channel, Channel.channel_name == name) if name else None


def rooms_by_id(db: Store, ids: Collection[str]) -> dict[str, Channel]:
    """Map ids to conversations; an id without a row, as templates may have, gets a placeholder named by its id."""
    rooms = {room.channel_id: room for room in db.rows(Channel, Channel.channel_id.in_(ids))} if ids else {}
    return {id: rooms.get(id) or Channel(channel_id=id, channel_name=id) for id in ids}


def true_channels(call: Call, ids: list[str], missing: type[ApiError]) -> list[str]:
    """Return the ids if all are channels that the caller may see; raises `missing` otherwise.

    Direct and group messages do not count as channels.
    """
    rooms = call.db.rows(Channel, Channel.channel_id.in_(ids)) if ids else []
    if len(rooms) < len(ids) or any(room.is_dm or room.is_gc or not is_visible(call, room) for room in rooms):
        raise missing
    return ids


def is_open_to_all(room: Channel) -> bool:
    """Whether a conversation is a public channel, which everyone in the workspace may read."""
    return not (room.is_private or room.is_dm or room.is_gc)


def is_member(db: Store, room: Channel, user: str) -> bool:
    """Whether a user is a member of a conversation."""
    try:
        db.get(ChannelMember, room.channel_id, user, missing=NotInChannel)
    except NotInChannel:
        return False
    return True


def readable_by(db: Store, user: str) -> Expression:
    """Select messages that a user may read: those of public channels and of the user's own conversations."""
    hidden = hidden_from(db, user)
    # Excludes the hidden conversations instead of listing the visible ones, so that the query scans the newest messages
    # first.
    return not_(Message.channel_id.in_(hidden)) if hidden else all_of()


def hidden_from(db: Store, user: str) -> list[str]:
    """Return the ids of conversations that a user may not see."""
    closed = any_of(holds(Channel.is_private), holds(Channel.is_dm), holds(Channel.is_gc))
    return [room for (room,) in db.rows(Channel, closed, not_(joined_by(user)), columns=(Channel.channel_id,))]


def holds(column: Column[Any]) -> Expression:
    """Select rows in which a boolean column is true."""
    return column.in_((True,))


def joined_by(user: str) -> Expression:
    """Select conversations that a user is a member of."""
    return exists(ChannelMember, ChannelMember.channel_id == Channel.channel_id, ChannelMember.user_id == user)


def role_of(db: Store, user: str) -> str:
    """Return a user's role in the workspace: owner, admin, member or guest."""
    place = db.find(UserTeam, UserTeam.user_id == user)
    return (place.role if place else None) or "member"


def refuse_guests(call: Call, error: type[ApiError]) -> None:
    """Raise `error` if the caller is a guest; methods differ in the error."""
    if role_of(call.db, call.actor) == "guest":
        raise error


def team_of(db: Store, room: Channel) -> str:
    """Return the id of a conversation's workspace."""
    return room.team_id or workspace(db).team_id


def workspace(db: Store) -> Team:
    """Return the workspace, the first by id if there are several; an empty one if there is none."""
    return db.find(Team) or Team(team_id="", team_name="")


def general_id(db: Store) -> str | None:
    """Return the id of the channel that everyone is in: the workspace's setting, else the channel named `general`."""
    team = workspace(db).team_id
    setting = db.find(TeamSetting, TeamSetting.team_id == team)
    if setting and setting.default_channel_id:
        return setting.default_channel_id
    general = db.find(Channel, Channel.team_id == team, Channel.channel_name == "general")
    return general.channel_id if general else None
