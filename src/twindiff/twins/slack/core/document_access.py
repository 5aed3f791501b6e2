"""Access to documents (canvases and lists), which are shared with users or with all members of channels."""

from __future__ import annotations

from collections.abc import Mapping

from twindiff.kit import Call

from .access import is_member, true_channels
from .arguments import names_in
from .errors import ChannelNotFound, UserNotFound
from .surface_errors import InvalidParameters
from .tables import Channel, User


def entities_of(call: Call, channel_ids: str | list[str], user_ids: str | list[str]) -> tuple[list[str], list[str]]:
    """Return the given channel ids and user ids, one of which is empty.

    Raises InvalidParameters unless exactly one of them is given, UserNotFound or ChannelNotFound.
    """
    channels, users = names_in(channel_ids), names_in(user_ids)
    if bool(channels) == bool(users):
        raise InvalidParameters
    if call.db.count(User, User.user_id.in_(users)) < len(users):
        raise UserNotFound
    return true_channels(call, channels, ChannelNotFound), users


def levels_through(call: Call, given: Mapping[str, str]) -> set[str]:
    """Return the access levels that the caller has to a document, as a user and by channels.

    `given` maps ids of users and channels to levels.
    """
    rooms = call.db.rows(Channel, Channel.channel_id.in_(list(given))) if given else []
    inside = {room.channel_id for room in rooms if is_member(call.db, room, call.actor)}
    return {level for entity, level in given.items() if entity in inside or entity == call.actor}
