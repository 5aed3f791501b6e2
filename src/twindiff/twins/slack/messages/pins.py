"""Pinned messages.

https://docs.slack.dev/reference/methods?family=pins
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import ApiError, Call, Operations

from ..core.access import is_member, team_of, visible_channel, workspace
from ..core.arguments import is_ts, unix_of
from ..core.errors import (
    AlreadyPinned,
    BadTimestamp,
    NoItemSpecified,
    NoPin,
    NotInChannel,
    PermissionDenied,
)
from ..core.tables import Channel, Message, Pin
from ..rendering.message_relations import load_relations
from ..rendering.message_views import permalink, pinned_message
from .chat import find_message

api = Operations()


@api.method("pins.add", scope="pins:write")
def add(call: Call, channel: str, timestamp: str = "") -> dict[str, Any]:
    """Pin a message to its channel.

    https://docs.slack.dev/reference/methods/pins.add
    """
    room, message = _item(call, channel, timestamp)
    pin = Pin(channel_id=room.channel_id, message_id=timestamp, user_id=call.actor, created_at=call.clock.iso())
    call.db.add(pin, taken=AlreadyPinned)
    call.emit("pin_added", _event(call, "pin_added", message))
    return {}


@api.method("pins.remove", scope="pins:write")
def remove(call: Call, channel: str, timestamp: str = "") -> dict[str, Any]:
    """Unpin a message, regardless of the user who pinned it.

    https://docs.slack.dev/reference/methods/pins.remove
    """
    room, message = _item(call, channel, timestamp)
    call.db.remove(call.db.get(Pin, room.channel_id, message.message_id, missing=NoPin))
    call.emit("pin_removed", _event(call, "pin_removed", message))
    return {}


@api.method("pins.list", reads=True, scope="pins:read")
def list_pins(call: Call, channel: str) -> dict[str, Any]:
    """List the pins of a channel, latest first.

    https://docs.slack.dev/reference/methods/pins.list
    """
    room = visible_channel(call, channel)
    pins = call.db.rows(Pin, Pin.channel_id == room.channel_id, order=(-Pin.created_at, -Pin.message_id))
    if not pins:
        return {"items": []}
    messages = call.db.rows(Message, Message.message_id.in_([pin.message_id for pin in pins]))
    by_ts = {message.message_id: message for message in messages}
    related, team_id, team = load_relations(call, messages), team_of(call.db, room), workspace(call.db)

    def item(pin: Pin) -> dict[str, Any]:
        message = by_ts[pin.message_id]
        shown = pinned_message(message, team_id, related)
        shown.update(permalink=permalink(team, message), pinned_to=[room.channel_id])
        about = {"channel": room.channel_id, "created": unix_of(pin.created_at), "created_by": pin.user_id}
        return {"type": "message", **about, "message": shown}

    return {"items": [item(pin) for pin in pins]}


def _item(call: Call, channel: str, timestamp: str) -> tuple[Channel, Message]:
    """Return the channel and the message if the caller may change pins there.

    Raises NotInChannel, PermissionDenied or MessageNotFound.
    """
    check_timestamp(timestamp)
    room = visible_channel(call, channel)
    if not is_member(call.db, room, call.actor):
        raise NotInChannel
    if room.is_archived:
        raise PermissionDenied
    return room, find_message(call.db, room, timestamp)


def check_timestamp(timestamp: str, none: type[ApiError] = NoItemSpecified) -> None:
    """Raise `none` without a timestamp, BadTimestamp for one that no message can have."""
    if not timestamp:
        raise none
    if not is_ts(timestamp):
        raise BadTimestamp


def _event(call: Call, kind: str, message: Message) -> dict[str, Any]:
    item = {"type": "message", "channel": message.channel_id, "message": {"ts": message.message_id}}
    return {"type": kind, "user": call.actor, "channel_id": message.channel_id, "item": item}
