"""Channels: search, creation, naming and archiving. Members are in members.py, messages in history.py.

https://docs.slack.dev/reference/methods?family=conversations
"""

from __future__ import annotations

from string import punctuation
from typing import Annotated, Any

from msgspec import Meta

from twindiff.kit import Call, Operations

from ..core.access import (
    general_id,
    is_member,
    refuse_guests,
    role_of,
    team_of,
    visible_channel,
    workspace,
)
from ..core.arguments import names_in
from ..core.errors import (
    AlreadyArchived,
    CantArchiveGeneral,
    ChannelNotFound,
    InvalidLimit,
    InvalidNamePunctuation,
    InvalidNameRequired,
    InvalidNameSpecials,
    IsArchived,
    MethodNotSupportedForChannelType,
    NameTaken,
    NotArchived,
    NotAuthorized,
    NotInChannel,
    TooManyUsers,
    UserDisabled,
    UserIsRestricted,
    UserNotFound,
    UsersListNotSupplied,
)
from ..core.people import bot_of
from ..core.tables import Channel, ChannelMember, Message, User
from ..rendering.canvas_views import properties_of
from ..rendering.channel_views import NEVER_READ, channel_object, im_object, opened_object
from ..rendering.message_views import message_content
from .conversation_lists import list_conversations, members_of, other_of
from .conversation_states import save_state, state_of
from .direct_messages import find_direct, open_direct

api = Operations()

PageSize = Annotated[int, Meta(ge=1, le=1000), InvalidLimit]

_MAX_OTHER_MEMBERS = 8

_UNRESTRICTED = {"is_read_only": False, "is_thread_only": False, "is_non_threadable": False}


@api.method("conversations.list", reads=True, scope="channels:read")
def list_channels(
    call: Call,
    types: str | list[str] = "public_channel",
    exclude_archived: bool = False,
    limit: PageSize = 100,
    cursor: str = "",
) -> dict[str, Any]:
    """List public channels, and conversations of other types that the caller is a member of.

    https://docs.slack.dev/reference/methods/conversations.list
    """
    return list_conversations(
        call, "conversations.list", types, exclude_archived=exclude_archived, limit=limit, cursor=cursor
    )


@api.method("conversations.info", reads=True, scope="channels:read")
def info(call: Call, channel: str, include_locale: bool = False, include_num_members: bool = False) -> dict[str, Any]:
    """Return one conversation.

    https://docs.slack.dev/reference/methods/conversations.info
    """
    room = visible_channel(call, channel)
    shown = _im(call, room) if room.is_dm else {**render_channel(call, "conversations.info", room), **_UNRESTRICTED}
    shown["properties"] = properties_of(call, [room.channel_id])[room.channel_id]
    if include_locale:
        shown["locale"] = "en-US"
    if include_num_members:
        shown["num_members"] = call.db.count(ChannelMember, ChannelMember.channel_id == room.channel_id)
    return {"channel": shown}


def _im(call: Call, room: Channel) -> dict[str, Any]:
    other = other_of(members_of(call.db, [room])[room.channel_id], call.actor)
    user = call.db.get(User, other)
    return im_object(room, team_of(call.db, room), other, is_user_deleted=user.is_active is False)


def render_channel(call: Call, method: str, room: Channel) -> dict[str, Any]:
    """Return a channel in the form of the response of `method`."""
    return channel_object(
        method,
        room,
        team_of(call.db, room),
        is_member=is_member(call.db, room, call.actor),
        is_general=room.channel_id == general_id(call.db),
        last_read=last_read(call, room),
    )


def last_read(call: Call, room: Channel) -> str:
    """Return the `ts` up to which the caller has read a conversation."""
    state = state_of(call.db, room, call.actor)
    return (state and state.last_read) or NEVER_READ


@api.method("conversations.create", scope="channels:manage")
def create(call: Call, name: str, is_private: bool = False) -> dict[str, Any]:
    """Create a channel with the caller as its first member.

    https://docs.slack.dev/reference/methods/conversations.create
    """
    _check_name(name)
    refuse_guests(call, UserIsRestricted)
    room = Channel(
        channel_id=call.ids.new("C"),
        channel_name=name,
        team_id=workspace(call.db).team_id,
        is_private=is_private,
        created_at=call.clock.iso(),
        creator_id=call.actor,
    )
    call.db.add(room, taken=NameTaken)
    call.db.add(ChannelMember(channel_id=room.channel_id, user_id=call.actor, joined_at=call.clock.iso()))
    if not is_private:
        call.emit("channel_created", {"channel": {"id": room.channel_id, "name": name, "creator": call.actor}})
    return {"channel": render_channel(call, "conversations.create", room)}


def _check_name(name: str) -> None:
    if not name:
        raise InvalidNameRequired
    if not name.strip(punctuation):
        raise InvalidNamePunctuation
    if not all(_may_be_in_a_name(letter) for letter in name):
        raise InvalidNameSpecials


def _may_be_in_a_name(letter: str) -> bool:
    """Whether a channel name may contain the character: `-`, `_`, digits, and letters of any script, not upper case."""
    return letter in "-_" or (letter.isalnum() and letter == letter.lower())


@api.method("conversations.rename", scope="channels:manage")
def rename(call: Call, channel: str, name: str) -> dict[str, Any]:
    """Rename a channel.

    https://docs.slack.dev/reference/methods/conversations.rename
    """
    room = channel_of_member(call, channel)
    refuse_guests(call, UserIsRestricted)
    if room.channel_id == general_id(call.db) or not _may_rename(call, room):
        raise NotAuthorized
    _check_name(name)
    if name != room.channel_name:
        room = _rename_channel(call, room, name)
    return {"channel": render_channel(call, "conversations.rename", room)}


def _may_rename(call: Call, room: Channel) -> bool:
    """Whether the caller is the channel's creator, an owner or an admin; without a recorded creator, any member may."""
    return room.creator_id in (call.actor, None) or role_of(call.db, call.actor) in ("owner", "admin")


def _rename_channel(call: Call, room: Channel, name: str) -> Channel:
    if call.db.find(Channel, Channel.team_id == room.team_id, Channel.channel_name == name):
        raise NameTaken
    earlier: list[str] = room.previous_names or []
    previous = [room.channel_name, *(old for old in earlier if old not in (room.channel_name, name))]
    call.emit(f"{_event_of(room)}_rename", {"channel": {"id": room.channel_id, "name": name}})
    return call.db.change(room, channel_name=name, previous_names=previous, updated_at=call.clock.iso())


@api.method("conversations.setTopic", scope="channels:manage")
def set_topic(call: Call, channel: str, topic: str) -> dict[str, Any]:
    """Set the topic of a channel; an empty topic clears it.

    https://docs.slack.dev/reference/methods/conversations.setTopic
    """
    room = channel_of_member(call, channel)
    refuse_guests(call, UserIsRestricted)
    if topic != (room.topic_text or ""):
        now = call.clock.iso()
        stamp = {"topic_creator_id": call.actor, "topic_set_at": now, "updated_at": now}
        room = call.db.change(room, topic_text=topic, **stamp)
    return {"channel": render_channel(call, "conversations.setTopic", room)}


@api.method("conversations.setPurpose", scope="channels:manage")
def set_purpose(call: Call, channel: str, purpose: str) -> dict[str, Any]:
    """Set the purpose of a channel; an empty purpose clears it.

    https://docs.slack.dev/reference/methods/conversations.setPurpose
    """
    room = channel_of_member(call, channel)
    refuse_guests(call, UserIsRestricted)
    if purpose != (room.purpose_text or ""):
        now = call.clock.iso()
        stamp = {"purpose_creator_id": call.actor, "purpose_set_at": now, "updated_at": now}
        room = call.db.change(room, purpose_text=purpose, **stamp)
    return {"channel": render_channel(call, "conversations.setPurpose", room)}


@api.method("conversations.archive", scope="channels:manage")
def archive(call: Call, channel: str) -> dict[str, Any]:
    """Archive a channel, which stays readable and searchable but takes no messages.

    https://docs.slack.dev/reference/methods/conversations.archive
    """
    room = true_channel(call, channel)
    refuse_guests(call, UserIsRestricted)
    if room.is_archived:
        raise AlreadyArchived
    if room.channel_id == general_id(call.db):
        raise CantArchiveGeneral
    if not is_member(call.db, room, call.actor):
        raise NotInChannel
    call.db.change(room, is_archived=True, updated_at=call.clock.iso())
    call.emit(f"{_event_of(room)}_archive", {"channel": room.channel_id, "user": call.actor})
    return {}


@api.method("conversations.unarchive", scope="channels:manage")
def unarchive(call: Call, channel: str) -> dict[str, Any]:
    """Unarchive a channel, with the members it had.

    https://docs.slack.dev/reference/methods/conversations.unarchive
    """
    room = true_channel(call, channel)
    refuse_guests(call, UserIsRestricted)
    if not room.is_archived:
        raise NotArchived
    call.db.change(room, is_archived=False, updated_at=call.clock.iso())
    call.emit(f"{_event_of(room)}_unarchive", {"channel": room.channel_id, "user": call.actor})
    return {}


def true_channel(call: Call, channel: str) -> Channel:
    """Return a visible public or private channel.

    Raises ChannelNotFound, or MethodNotSupportedForChannelType for direct and group messages.
    """
    room = visible_channel(call, channel)
    if room.is_dm or room.is_gc:
        raise MethodNotSupportedForChannelType
    return room


def channel_of_member(call: Call, channel: str) -> Channel:
    """Return a public or private channel that the caller is a member of.

    Raises the errors of `true_channel`, IsArchived or NotInChannel.
    """
    room = true_channel(call, channel)
    if room.is_archived:
        raise IsArchived
    if not is_member(call.db, room, call.actor):
        raise NotInChannel
    return room


def _event_of(room: Channel) -> str:
    """Return the prefix of event types; Slack still calls private channels groups there."""
    return "group" if room.is_private else "channel"


@api.method("conversations.open", scope="im:write")
def open_conversation(
    call: Call,
    users: str | list[str] = "",
    channel: str = "",
    return_im: bool = False,
    prevent_creation: bool = False,
) -> dict[str, Any]:
    """Open a direct or group message with these users, and create it if needed.

    https://docs.slack.dev/reference/methods/conversations.open
    """
    if channel:
        room, is_new = _direct_message_by_id(call, channel), False
    else:
        people = _people(call, names_in(users))
        if prevent_creation and not find_direct(call.db, people):
            raise ChannelNotFound
        room, is_new = open_direct(call, people)
    state = state_of(call.db, room, call.actor)
    if state and state.is_closed:
        save_state(call, room, is_closed=False)
        is_new = True
    known = {} if is_new else {"no_op": True, "already_open": True}
    return {**known, "channel": _render_opened_conversation(call, room, return_im)}


def _direct_message_by_id(call: Call, channel: str) -> Channel:
    room = visible_channel(call, channel)
    if not (room.is_dm or room.is_gc):
        raise MethodNotSupportedForChannelType
    return room


def _people(call: Call, users: list[str]) -> set[str]:
    """Return the ids of the caller and the given users; only the caller for a conversation with oneself."""
    if not users:
        raise UsersListNotSupplied
    people = {call.actor, *users}
    if len(people) - 1 > _MAX_OTHER_MEMBERS:
        raise TooManyUsers
    accounts = call.db.rows(User, User.user_id.in_(people))
    if len(accounts) < len(people):
        raise UserNotFound
    if any(user.is_active is False for user in accounts):
        raise UserDisabled
    return people


def _render_opened_conversation(call: Call, room: Channel, return_im: bool) -> dict[str, Any]:
    if not return_im:
        return {"id": room.channel_id}
    team_id = team_of(call.db, room)
    other = other_of(members_of(call.db, [room])[room.channel_id], call.actor) if room.is_dm else None
    shown = opened_object(room, team_id, other, last_read(call, room))
    latest = call.db.rows(
        Message,
        Message.channel_id == room.channel_id,
        Message.parent_id.is_null(),
        order=-Message.message_id,
        limit=1,
    )
    if latest:
        bot = bot_of(call.db, latest[0].user_id)
        shown["latest"] = {**message_content(latest[0], team_id, bot), "ts": latest[0].message_id}
    return shown
