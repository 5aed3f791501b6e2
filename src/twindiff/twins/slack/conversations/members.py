"""Members of channels: join, invite, kick and leave.

https://docs.slack.dev/reference/methods?family=conversations
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from twindiff.kit import ApiError, Call, Operations, page

from ..core.access import general_id, is_member, refuse_guests, visible_channel
from ..core.arguments import names_in
from ..core.errors import (
    AlreadyInChannel,
    CantInvite,
    CantInviteSelf,
    CantKickFromGeneral,
    CantKickSelf,
    CantLeaveGeneral,
    IsArchived,
    LastMember,
    MethodNotSupportedForChannelType,
    NotInChannel,
    NoUser,
    TooManyUsers,
    UserIsRestricted,
    UserNotFound,
)
from ..core.tables import Channel, ChannelMember, User
from .conversations import PageSize, channel_of_member, render_channel, true_channel

api = Operations()

_MAX_INVITED_USERS = 1000


@api.method("conversations.members", reads=True, scope="channels:read")
def members(call: Call, channel: str, limit: PageSize = 100, cursor: str = "") -> dict[str, Any]:
    """List the user ids of a conversation's members.

    https://docs.slack.dev/reference/methods/conversations.members
    """
    room = visible_channel(call, channel)
    inside = ChannelMember.channel_id == room.channel_id
    memberships = page(call.db, ChannelMember, inside, by=ChannelMember.user_id, limit=limit, cursor=cursor)
    return {
        "members": [member.user_id for member in memberships.rows],
        "response_metadata": {"next_cursor": memberships.next_cursor},
    }


@api.method("conversations.join", scope="channels:join")
def join(call: Call, channel: str) -> dict[str, Any]:
    """Join a public channel; a member gets a warning.

    https://docs.slack.dev/reference/methods/conversations.join
    """
    room = true_channel(call, channel)
    if room.is_private:
        raise MethodNotSupportedForChannelType
    if room.is_archived:
        raise IsArchived
    if is_member(call.db, room, call.actor):
        warnings = {"warning": "already_in_channel", "response_metadata": {"warnings": ["already_in_channel"]}}
        return {"channel": render_channel(call, "conversations.join", room), **warnings}
    refuse_guests(call, UserIsRestricted)
    _add_member(call, room, call.actor)
    return {"channel": render_channel(call, "conversations.join", room)}


@api.method("conversations.invite", scope="channels:manage")
def invite(call: Call, channel: str, users: str | list[str] = "", force: bool = False) -> dict[str, Any]:
    """Add users to a channel: all or none, or with `force` those who can be added.

    https://docs.slack.dev/reference/methods/conversations.invite
    """
    room = channel_of_member(call, channel)
    refuse_guests(call, UserIsRestricted)
    invited = names_in(users)
    if not invited:
        raise NoUser
    if len(invited) > _MAX_INVITED_USERS:
        raise TooManyUsers
    refused = dict(_refusals(call, room, invited))
    errors = [{"user": user, "ok": False, "error": error.code} for user, error in refused.items()]
    welcome = [user for user in invited if user not in refused]
    if errors and not (force and welcome):
        raise next(iter(refused.values()))(errors=errors)
    for user in welcome:
        _add_member(call, room, user, inviter=call.actor)
    return {"channel": render_channel(call, "conversations.invite", room), **({"errors": errors} if errors else {})}


def _refusals(call: Call, room: Channel, invited: Sequence[str]) -> Iterator[tuple[str, type[ApiError]]]:
    """Yield the users who cannot be invited, each with the error."""
    users = {user.user_id: user for user in call.db.rows(User, User.user_id.in_(invited))}
    inside = call.db.rows(
        ChannelMember,
        ChannelMember.channel_id == room.channel_id,
        ChannelMember.user_id.in_(invited),
        columns=(ChannelMember.user_id,),
    )
    for user in invited:
        if user not in users:
            yield user, UserNotFound
        elif user == call.actor:
            yield user, CantInviteSelf
        elif (user,) in inside:
            yield user, AlreadyInChannel
        elif users[user].is_active is False:
            yield user, CantInvite


def _add_member(call: Call, room: Channel, user: str, inviter: str | None = None) -> None:
    call.db.add(ChannelMember(channel_id=room.channel_id, user_id=user, joined_at=call.clock.iso()))
    invitation = {"inviter": inviter} if inviter else {}
    call.emit("member_joined_channel", {"user": user, **_place(room), **invitation})


@api.method("conversations.kick", scope="channels:manage")
def kick(call: Call, channel: str, user: str = "") -> dict[str, Any]:
    """Remove another user from a channel, as a member of it.

    https://docs.slack.dev/reference/methods/conversations.kick
    """
    room = true_channel(call, channel)
    refuse_guests(call, UserIsRestricted)
    if not user:
        raise NoUser
    call.db.get(User, user, missing=UserNotFound)
    if user == call.actor:
        raise CantKickSelf
    if room.channel_id == general_id(call.db):
        raise CantKickFromGeneral
    if room.is_archived:
        raise IsArchived
    if not is_member(call.db, room, call.actor):
        raise NotInChannel
    _remove_member(call, room, user)
    return {"errors": {}}


@api.method("conversations.leave", scope="channels:manage")
def leave(call: Call, channel: str) -> dict[str, Any]:
    """Leave a channel; callers who are no members get `not_in_channel` without an error code.

    https://docs.slack.dev/reference/methods/conversations.leave
    """
    room = true_channel(call, channel)
    refuse_guests(call, UserIsRestricted)
    if room.is_archived:
        raise IsArchived
    if not is_member(call.db, room, call.actor):
        return {"ok": False, "not_in_channel": True}
    if room.channel_id == general_id(call.db):
        raise CantLeaveGeneral
    if room.is_private and call.db.count(ChannelMember, ChannelMember.channel_id == room.channel_id) == 1:
        raise LastMember
    _remove_member(call, room, call.actor)
    return {}


def _remove_member(call: Call, room: Channel, user: str) -> None:
    call.db.remove(call.db.get(ChannelMember, room.channel_id, user, missing=NotInChannel))
    call.emit("member_left_channel", {"user": user, **_place(room)})


def _place(room: Channel) -> dict[str, Any]:
    """Return the channel fields of a membership event; the type is C for a public channel, G for a private one."""
    return {"channel": room.channel_id, "channel_type": "G" if room.is_private else "C", "team": room.team_id}
