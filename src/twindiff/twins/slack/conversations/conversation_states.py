"""Per-user state of conversations: the read position, and whether the user has closed it.

https://docs.slack.dev/reference/methods?family=conversations
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, Operations, Store

from ..core.access import holds, is_member, visible_channel
from ..core.arguments import ts_in
from ..core.errors import InvalidTimestamp, MethodNotSupportedForChannelType, NotInChannel
from ..core.tables import Channel, ConversationState

api = Operations()


def state_of(db: Store, room: Channel, user: str) -> ConversationState | None:
    """Return a user's state of a conversation; None if it was never marked or closed."""
    here = (ConversationState.channel_id == room.channel_id, ConversationState.user_id == user)
    return db.find(ConversationState, *here)


def save_state(call: Call, room: Channel, **fields: Any) -> None:
    """Set fields of the caller's state of a conversation."""
    state = state_of(call.db, room, call.actor)
    if state:
        call.db.change(state, **fields)
    else:
        call.db.add(ConversationState(channel_id=room.channel_id, user_id=call.actor, **fields))


def bring_back(db: Store, room: Channel) -> None:
    """Reopen a direct or group message for all members who have closed it, as Slack does on a new message."""
    here = ConversationState.channel_id == room.channel_id
    for state in db.rows(ConversationState, here, holds(ConversationState.is_closed)):
        db.change(state, is_closed=False)


@api.method("conversations.mark", scope="channels:write")
def mark(call: Call, channel: str, ts: str | float) -> dict[str, Any]:
    """Set the caller's read position in a conversation.

    https://docs.slack.dev/reference/methods/conversations.mark
    """
    room = visible_channel(call, channel)
    instant = ts_in(ts)
    if instant is None:
        raise InvalidTimestamp
    if not is_member(call.db, room, call.actor):
        raise NotInChannel
    save_state(call, room, last_read=instant)
    return {}


@api.method("conversations.close", scope="im:write")
def close(call: Call, channel: str) -> dict[str, Any]:
    """Hide a direct or group message from the caller until it is opened again or gets a new message.

    https://docs.slack.dev/reference/methods/conversations.close
    """
    room = visible_channel(call, channel)
    if not (room.is_dm or room.is_gc):
        raise MethodNotSupportedForChannelType
    state = state_of(call.db, room, call.actor)
    if state and state.is_closed:
        return {"no_op": True, "already_closed": True}
    save_state(call, room, is_closed=True)
    return {}
