"""Who may see a conversation, and who may write in it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from twindiff.kit import ApiError, Call, Column, Store, all_of, any_of, exists, not_
from twindiff.kit.rows import Expression

from .authorization import is_strict
from .errors import ChannelNotFound, IsArchived, NotInChannel
from .people import bot_of
from .tables import Channel, ChannelMember, Message, Team, TeamSetting, UserTeam


def visible_channel(call: Call, channel: str, *, by_name: bool = False) -> Channel:
    """The conversation that a call names; raises channel_not_found, also for one the caller may not know of."""
    room = resolve_channel(call, channel, by_name=by_name)
    if room is None or not is_visible(call, room):
        raise ChannelNotFound
    return room


def readable_channel(call: Call, channel: str) -> Channel:
    """The conversation that a call names, for who reads or reacts in it; bots must be members.

    An environment that is lenient lets bots read public channels that they are not in, as people may.
    https://docs.slack.dev/reference/methods/conversations.history
    """
    room = visible_channel(call, channel)
    if is_strict(call) and not is_member(call.db, room, call.actor) and bot_of(call.db, call.actor):
        raise NotInChannel
    return room


def is_visible(call: Call, room: Channel) -> bool:
    """Whether the caller may know of a conversation."""
    return is_open_to_all(room) or is_member(call.db, room, call.actor)


def writable_channel(call: Call, channel: str, *, by_name: bool = False) -> Channel:
    """The conversation that a call names, if the caller may post to it."""
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
    """The conversation that a call names: by its id, and by its name where the method's page says so (`by_name`).

    An environment that is lenient takes names everywhere.
    https://docs.slack.dev/reference/methods/chat.postMessage#channels
    """
    if by_name or not is_strict(call):
        return find_channel(call.db, channel)
    return call.db.find(Channel, Channel.channel_id == channel)


def find_channel(db: Store, channel: str) -> Channel | None:
    """The conversation with this id, else the one with this name, with or without `#`; None when there is neither."""
    try:
        return db.get(Channel, channel, missing=ChannelNotFound)
    except ChannelNotFound:
        name = channel.removeprefix("#").lower()
        return db.find(Channel, Channel.channel_name == name) if name else None


def rooms_by_id(db: Store, ids: Collection[str]) -> dict[str, Channel]:
    """Conversations by id; of one that a template speaks of and does not have, nothing but the id is known."""
    rooms = {room.channel_id: room for room in db.rows(Channel, Channel.channel_id.in_(ids))} if ids else {}
    return {id: rooms.get(id) or Channel(channel_id=id, channel_name=id) for id in ids}


def true_channels(call: Call, ids: list[str], missing: type[ApiError]) -> list[str]:
    """The ids, all of channels that the caller may know of; raises `missing` for any other, direct messages too."""
    rooms = call.db.rows(Channel, Channel.channel_id.in_(ids)) if ids else []
    if len(rooms) < len(ids) or any(room.is_dm or room.is_gc or not is_visible(call, room) for room in rooms):
        raise missing
    return ids


def is_open_to_all(room: Channel) -> bool:
    """Whether everyone in the workspace may read it: a public channel."""
    return not (room.is_private or room.is_dm or room.is_gc)


def is_member(db: Store, room: Channel, user: str) -> bool:
    """Whether a user is in a conversation."""
    try:
        db.get(ChannelMember, room.channel_id, user, missing=NotInChannel)
    except NotInChannel:
        return False
    return True


def readable_by(db: Store, user: str) -> Expression:
    """Messages that a user may read: those of public channels and of their own conversations."""
    hidden = hidden_from(db, user)
    # Rooms that are left out rather than rooms that are let in: so the newest messages are looked at first.
    return not_(Message.channel_id.in_(hidden)) if hidden else all_of()


def hidden_from(db: Store, user: str) -> list[str]:
    """The ids of the conversations that a user may not know of."""
    closed = any_of(holds(Channel.is_private), holds(Channel.is_dm), holds(Channel.is_gc))
    return [room for (room,) in db.rows(Channel, closed, not_(joined_by(user)), columns=(Channel.channel_id,))]


def holds(column: Column[Any]) -> Expression:
    """Rows for which a column is true."""
    return column.in_((True,))


def joined_by(user: str) -> Expression:
    """Conversations that a user is a member of."""
    return exists(ChannelMember, ChannelMember.channel_id == Channel.channel_id, ChannelMember.user_id == user)


def role_of(db: Store, user: str) -> str:
    """What a user is in the workspace: owner, admin, member or guest."""
    place = db.find(UserTeam, UserTeam.user_id == user)
    return (place.role if place else None) or "member"


def refuse_guests(call: Call, error: type[ApiError]) -> None:
    """Raise the error for a guest of the workspace; methods differ in which it is."""
    if role_of(call.db, call.actor) == "guest":
        raise error


def team_of(db: Store, room: Channel) -> str:
    """The id of the workspace that a conversation is in."""
    return room.team_id or workspace(db).team_id


def workspace(db: Store) -> Team:
    """The workspace; of several, the first by id."""
    return db.find(Team) or Team(team_id="", team_name="")


def general_id(db: Store) -> str | None:
    """The id of the channel that everyone is in: the workspace's setting, else the channel named general."""
    team = workspace(db).team_id
    setting = db.find(TeamSetting, TeamSetting.team_id == team)
    if setting and setting.default_channel_id:
        return setting.default_channel_id
    general = db.find(Channel, Channel.team_id == team, Channel.channel_name == "general")
    return general.channel_id if general else None
