"""Whom documents are shared with: people, or all members of channels. Canvases and lists are shared so."""

from __future__ import annotations

from collections.abc import Mapping

from twindiff.kit import Call

from .access import is_member, true_channels
from .arguments import names_in
from .errors import ChannelNotFound, UserNotFound
from .surface_errors import InvalidParameters
from .tables import Channel, User


def entities_of(call: Call, channel_ids: str | list[str], user_ids: str | list[str]) -> tuple[list[str], list[str]]:
    """The channels, or the people, that a call names; raises invalid_parameters unless it is either of them."""
    channels, users = names_in(channel_ids), names_in(user_ids)
    if bool(channels) == bool(users):
        raise InvalidParameters
    if call.db.count(User, User.user_id.in_(users)) < len(users):
        raise UserNotFound
    return true_channels(call, channels, ChannelNotFound), users


def levels_through(call: Call, given: Mapping[str, str]) -> set[str]:
    """What the caller may do by each way that leads to a document; `given` are levels by whom they were given to."""
    rooms = call.db.rows(Channel, Channel.channel_id.in_(list(given))) if given else []
    inside = {room.channel_id for room in rooms if is_member(call.db, room, call.actor)}
    return {level for entity, level in given.items() if entity in inside or entity == call.actor}
