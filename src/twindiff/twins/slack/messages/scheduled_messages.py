"""Scheduled messages: listing, deletion, and posting when they are due.

https://docs.slack.dev/reference/methods?family=chat
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from twindiff.kit import Call, Operations, page
from twindiff.kit.rows import Expression

from ..core.access import is_visible, resolve_channel, writable_channel
from ..core.arguments import unix_of
from ..core.errors import (
    ChannelNotFound,
    InvalidChannel,
    InvalidCursor,
    InvalidLimit,
    InvalidScheduledMessageId,
    IsArchived,
    NotInChannel,
)
from ..core.tables import ScheduledMessage
from ..rendering.entities import format_text
from ..rendering.message_views import message_event
from .chat import BROADCAST, add_message, thread_root
from .message_content import Content

api = Operations()

MIN_DELETION_SECONDS = 60
"""The least time before a scheduled message is posted at which it can still be deleted."""


@api.method("chat.scheduledMessages.list", reads=True)
def list_scheduled(
    call: Call,
    channel: str = "",
    oldest: int = 0,
    latest: int = 0,
    limit: Annotated[int, Meta(ge=1, le=1000), InvalidLimit] = 100,
    cursor: str = "",
) -> dict[str, Any]:
    """List the scheduled messages of the caller.

    https://docs.slack.dev/reference/methods/chat.scheduledMessages.list
    """
    where: list[Expression] = [ScheduledMessage.user_id == call.actor]
    if channel:
        room = resolve_channel(call, channel)
        if room is None:
            raise InvalidChannel
        where.append(ScheduledMessage.channel_id == room.channel_id)
        if not (is_visible(call, room) or call.db.find(ScheduledMessage, *where)):
            raise InvalidChannel
    if oldest:
        where.append(ScheduledMessage.post_at >= oldest)
    if latest:
        where.append(ScheduledMessage.post_at <= latest)
    by = ScheduledMessage.scheduled_message_id
    scheduled = page(call.db, ScheduledMessage, *where, by=by, limit=limit, cursor=cursor, invalid=InvalidCursor)
    return {
        "scheduled_messages": [_render_scheduled_message(each) for each in scheduled.rows],
        "response_metadata": {"next_cursor": scheduled.next_cursor},
    }


def _render_scheduled_message(scheduled: ScheduledMessage) -> dict[str, Any]:
    return {
        "id": scheduled.scheduled_message_id,
        "channel_id": scheduled.channel_id,
        "post_at": scheduled.post_at,
        "date_created": unix_of(scheduled.created_at),
        "text": format_text(scheduled.message_text or ""),
    }


@api.method("chat.deleteScheduledMessage", scope="chat:write")
def delete_scheduled(call: Call, channel: str, scheduled_message_id: str) -> dict[str, Any]:
    """Delete a scheduled message of the caller, until a minute before it is posted.

    https://docs.slack.dev/reference/methods/chat.deleteScheduledMessage
    """
    room = resolve_channel(call, channel)
    if room is None:
        raise ChannelNotFound
    scheduled = call.db.find(
        ScheduledMessage,
        ScheduledMessage.scheduled_message_id == scheduled_message_id,
        ScheduledMessage.channel_id == room.channel_id,
        ScheduledMessage.user_id == call.actor,
    )
    is_late = scheduled and 0 <= scheduled.post_at - call.clock.unix() < MIN_DELETION_SECONDS
    if scheduled is None or is_late:
        raise InvalidScheduledMessageId if is_visible(call, room) else ChannelNotFound
    call.db.remove(scheduled)
    return {}


@api.due(ScheduledMessage.post_at, actor=ScheduledMessage.user_id)
def post_scheduled(call: Call, row: ScheduledMessage) -> None:
    """Post a scheduled message that is due, or drop it if its author may no longer post to the channel.

    https://docs.slack.dev/messaging/sending-and-scheduling-messages#scheduling
    """
    call.db.remove(row)
    try:
        room = writable_channel(call, row.channel_id)
    except (ChannelNotFound, IsArchived, NotInChannel):
        return
    content = Content(row.message_text, row.blocks, row.attachments, row.metadata)
    root = thread_root(call.db, room, row.parent_id) if row.parent_id else None
    message = add_message(call, room, content, root, subtype=BROADCAST if root and row.reply_broadcast else None)
    call.emit("message", message_event(room, message))
