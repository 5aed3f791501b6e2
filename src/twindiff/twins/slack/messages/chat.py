"""Messages: send, update, delete, schedule and permalinks.

https://docs.slack.dev/reference/methods?family=chat
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from twindiff.kit import Call, Operations, Store, not_

from ..conversations.conversation_states import bring_back
from ..conversations.direct_messages import open_direct
from ..core.access import team_of, visible_channel, workspace, writable_channel
from ..core.arguments import is_ts
from ..core.authorization import check_scope
from ..core.errors import (
    CantBroadcastMessage,
    CantDeleteMessage,
    CantUpdateMessage,
    ChannelNotFound,
    InvalidThreadTs,
    InvalidTime,
    IsInactive,
    MessageNotFound,
    RestrictedTooMany,
    TimeInPast,
    TimeTooFar,
)
from ..core.people import acting_bot
from ..core.tables import (
    Channel,
    FileMessage,
    Message,
    MessageEdit,
    MessageReaction,
    Pin,
    ScheduledMessage,
    Star,
    User,
    UserMention,
)
from ..rendering.call_blocks import check_calls, fill_calls, record_posted_calls
from ..rendering.message_relations import NO_REPLIES, threads_of
from ..rendering.message_views import (
    edited_message,
    message_event,
    permalink,
    posted_message,
    scheduled_message,
    tombstone,
)
from ..rendering.user_views import bot_id_of
from .assistant_threads import clear_status
from .mentions import record_mentions
from .message_content import Attachments, Blocks, Content, Metadata, content_of

api = Operations()

BROADCAST = "thread_broadcast"
"""The subtype of a reply that is also sent to its channel."""


class Persona(NamedTuple):
    """The name and icon under which an app's message appears."""

    username: str
    icons: dict[str, str] | None


_DAY = 24 * 60 * 60
_MAX_SCHEDULE_DAYS = 120
_SCHEDULE_WINDOW_SECONDS = 5 * 60
_MAX_SCHEDULED_PER_WINDOW = 30


@api.method("chat.postMessage", scope="chat:write")
def post_message(
    call: Call,
    channel: str,
    text: str = "",
    blocks: Blocks | None = None,
    attachments: Attachments | None = None,
    markdown_text: str = "",
    thread_ts: Annotated[str, InvalidThreadTs] | None = None,
    reply_broadcast: bool = False,
    metadata: Metadata | None = None,
    username: str = "",
    icon_emoji: str = "",
    icon_url: str = "",
) -> dict[str, Any]:
    """Send a message to a channel, a user or a thread; an app may set a custom name and icon.

    https://docs.slack.dev/reference/methods/chat.postMessage
    """
    room = resolve_conversation(call, channel)
    content = content_of(text, blocks, attachments, markdown_text, metadata)
    root = None if thread_ts is None else thread_root(call.db, room, thread_ts)
    bot = acting_bot(call)
    persona = persona_of(call, bot, username, icon_emoji, icon_url)
    subtype = BROADCAST if root and reply_broadcast else None
    message = add_message(call, room, content, root, subtype=subtype, persona=persona)
    shown = posted_message(message, team_of(call.db, room), _author(call.db, root), bot)
    if root and bot:
        clear_status(call, room, root)
    call.emit("message", message_event(room, message, bot))
    if message.metadata:
        shown["metadata"] = message.metadata
    fill_calls(call, [shown])
    return {"channel": room.channel_id, "ts": message.message_id, "message": shown}


@api.method("chat.update", scope="chat:write")
def update(
    call: Call,
    channel: str,
    ts: str,
    text: str = "",
    blocks: Blocks | None = None,
    attachments: Attachments | None = None,
    markdown_text: str = "",
    reply_broadcast: bool = False,
    metadata: Metadata | None = None,
) -> dict[str, Any]:
    """Edit a message of the caller; without new blocks, the blocks stay.

    https://docs.slack.dev/reference/methods/chat.update
    """
    room = visible_channel(call, channel)
    message = find_message(call.db, room, ts)
    if message.user_id != call.actor:
        raise CantUpdateMessage
    if room.is_archived:
        raise IsInactive
    if reply_broadcast and not message.parent_id:
        raise CantBroadcastMessage
    content = content_of(text, blocks, attachments, markdown_text, metadata)
    edited = _edit(call, room, message, content, BROADCAST if reply_broadcast else message.subtype)
    answer = {"channel": room.channel_id, "ts": ts, "text": edited.message_text or ""}
    shown = edited_message(edited, team_of(call.db, room), acting_bot(call))
    fill_calls(call, [shown])
    return {**answer, "message": shown}


@api.method("chat.delete", scope="chat:write")
def delete(call: Call, channel: str, ts: str) -> dict[str, Any]:
    """Delete a message of the caller with its reactions and pins; its replies stay below a tombstone.

    https://docs.slack.dev/reference/methods/chat.delete
    """
    room = visible_channel(call, channel)
    message = find_message(call.db, room, ts)
    if message.user_id != call.actor:
        raise CantDeleteMessage
    for table in (MessageReaction, FileMessage, UserMention, MessageEdit, Pin):
        for row in call.db.rows(table, table.message_id == ts):
            call.db.remove(row)
    for star in call.db.rows(Star, Star.item_id == ts):
        call.db.remove(star)
    call.db.remove(message)
    _tell_of_deletion(call, room, message)
    return {"channel": room.channel_id, "ts": ts}


def _tell_of_deletion(call: Call, room: Channel, message: Message) -> None:
    """Emit the events of a deleted message.

    A message with replies becomes a tombstone, and its last reply takes the tombstone with it.
    https://github.com/slack-edge/slack-edge/pull/10
    """
    ts, team_id = message.message_id, team_of(call.db, room)
    told = message_event(room, message)
    if thread := threads_of(call.db, [ts]).get(ts):
        call.emit("message", {**told, "subtype": "message_changed", "message": tombstone(ts, team_id, thread)})
        return
    call.emit("message", {**told, "subtype": "message_deleted", "deleted_ts": ts})
    root = message.parent_id
    if root and not threads_of(call.db, [root]) and _author(call.db, root) is None:
        gone = {**told, "ts": root, "thread_ts": root, "previous_message": tombstone(root, team_id, NO_REPLIES)}
        call.emit("message", {**gone, "subtype": "message_deleted", "deleted_ts": root})


@api.method("chat.getPermalink", reads=True)
def get_permalink(call: Call, channel: str, message_ts: str) -> dict[str, Any]:
    """Return the permalink of a message.

    https://docs.slack.dev/reference/methods/chat.getPermalink
    """
    room = visible_channel(call, channel)
    message = find_message(call.db, room, message_ts)
    return {"channel": room.channel_id, "permalink": permalink(workspace(call.db), message)}


@api.method("chat.scheduleMessage", scope="chat:write")
def schedule_message(
    call: Call,
    channel: str,
    post_at: Annotated[int, InvalidTime],
    text: str = "",
    blocks: Blocks | None = None,
    attachments: Attachments | None = None,
    markdown_text: str = "",
    thread_ts: Annotated[str, InvalidThreadTs] | None = None,
    reply_broadcast: bool = False,
    metadata: Metadata | None = None,
) -> dict[str, Any]:
    """Schedule a message for `post_at`, in seconds since 1970.

    https://docs.slack.dev/reference/methods/chat.scheduleMessage
    """
    room = resolve_conversation(call, channel)
    content = content_of(text, blocks, attachments, markdown_text, metadata)
    check_calls(call, content.blocks)
    _check_time(call, room, post_at)
    scheduled = ScheduledMessage(
        scheduled_message_id=call.ids.new("Q"),
        channel_id=room.channel_id,
        user_id=call.actor,
        post_at=post_at,
        message_text=content.text,
        blocks=content.blocks or None,
        parent_id=None if thread_ts is None else thread_root(call.db, room, thread_ts),
        reply_broadcast=reply_broadcast,
        created_at=call.clock.iso(),
        attachments=content.attachments or None,
        metadata=content.metadata,
    )
    call.db.add(scheduled)
    shown = scheduled_message(scheduled, team_of(call.db, room), acting_bot(call))
    if content.metadata:
        shown["metadata"] = content.metadata
    answer = {"channel": room.channel_id, "scheduled_message_id": scheduled.scheduled_message_id}
    return {**answer, "post_at": post_at, "message": shown}


def find_message(db: Store, room: Channel, ts: str) -> Message:
    """Return the message with this `ts` in a channel; raises MessageNotFound."""
    message = db.get(Message, ts, missing=MessageNotFound)
    if message.channel_id != room.channel_id:
        raise MessageNotFound
    return message


def thread_root(db: Store, room: Channel, thread_ts: str) -> str | None:
    """Return the `ts` of a thread's first message, given that message, even a deleted one, or one of its replies.

    None means that there is no such thread: Slack posts the reply as a message of its own.
    https://github.com/slack-go/slack/issues/1571. Raises InvalidThreadTs.
    """
    if not is_ts(thread_ts):
        raise InvalidThreadTs(response_metadata={"messages": [f"[ERROR] {thread_ts} is not a valid thread_ts"]})
    try:
        return find_message(db, room, thread_ts).parent_id or thread_ts
    except MessageNotFound:
        orphan = db.find(Message, Message.parent_id == thread_ts, Message.channel_id == room.channel_id)
        return thread_ts if orphan else None


def _author(db: Store, root: str | None) -> str | None:
    """Return the user id of the author of a thread's first message; None if it was deleted."""
    message = db.find(Message, Message.message_id == root) if root else None
    return message.user_id if message else None


def resolve_conversation(call: Call, channel: str, *, by_name: bool = True) -> Channel:
    """Return the conversation to post to; a user id or `@name` opens a direct message."""
    try:
        return writable_channel(call, channel, by_name=by_name)
    except ChannelNotFound:
        person = _person(call.db, channel)
        if person is None:
            raise
        return open_direct(call, {call.actor, person.user_id})[0]


def _person(db: Store, name: str) -> User | None:
    named = User.username == name[1:] if name.startswith("@") else User.user_id == name
    return db.find(User, named, not_(User.is_active.in_((False,))))


def persona_of(call: Call, bot: User | None, username: str, icon_emoji: str, icon_url: str) -> Persona | None:
    """Return the name and icon that an app sets for a message; None for users, whose messages have their own.

    https://docs.slack.dev/reference/methods/chat.postMessage#authorship
    """
    if bot is None or not (username or icon_emoji or icon_url):
        return None
    check_scope(call, "chat:write.customize")
    icons = {"emoji": icon_emoji} if icon_emoji else {"image_48": icon_url} if icon_url else None
    return Persona(username or bot.username, icons)


def add_message(
    call: Call,
    room: Channel,
    content: Content,
    root: str | None,
    *,
    subtype: str | None = None,
    persona: Persona | None = None,
) -> Message:
    """Add a message of the caller to a conversation, or to the thread of `root`; emits no event."""
    record_posted_calls(call, room, content.blocks)
    now, bot = call.clock.iso(), acting_bot(call)
    message = Message(
        message_id=call.ids.ts(),
        channel_id=room.channel_id,
        user_id=call.actor,
        message_text=content.text or "",
        parent_id=root,
        type="message",
        blocks=content.blocks or None,
        created_at=now,
        subtype=subtype or ("bot_message" if persona else None),
        attachments=content.attachments or None,
        metadata=content.metadata,
        username=persona.username if persona else None,
        icons=persona.icons if persona else None,
        bot_id=bot_id_of(bot) if bot and not bot.is_bot else None,
    )
    call.db.add(message)
    call.db.change(room, last_message_at=now)
    if room.is_dm or room.is_gc:
        bring_back(call.db, room)
    record_mentions(call, message)
    return message


def _edit(call: Call, room: Channel, message: Message, content: Content, subtype: str | None) -> Message:
    """Return the message after an edit; equal content changes nothing."""
    wanted = {
        "message_text": content.text if content.text is not None else message.message_text,
        "blocks": message.blocks if content.blocks is None else content.blocks or None,
        "attachments": message.attachments if content.attachments is None else content.attachments or None,
        "metadata": message.metadata if content.metadata is None else content.metadata,
        "subtype": subtype,
    }
    changed = {name: value for name, value in wanted.items() if value != getattr(message, name)}
    if not changed:
        return message
    record_posted_calls(call, room, content.blocks)
    now = call.clock.iso()
    if "message_text" in changed:
        edit_id, before = call.ids.new("E"), message.message_text
        call.db.add(MessageEdit(edit_id=edit_id, message_id=message.message_id, edited_text=before, edited_at=now))
    edited = call.db.change(message, **changed, edited_at=now)
    record_mentions(call, edited)
    call.emit("message", {**message_event(room, edited), "subtype": "message_changed"})
    return edited


def _check_time(call: Call, room: Channel, post_at: int) -> None:
    """Raise TimeInPast, TimeTooFar or RestrictedTooMany unless a message may be scheduled for this time."""
    now = call.clock.unix()
    if post_at <= now:
        raise TimeInPast
    if post_at > now + _MAX_SCHEDULE_DAYS * _DAY:
        raise TimeTooFar
    start = post_at - post_at % _SCHEDULE_WINDOW_SECONDS
    at, here = ScheduledMessage.post_at, ScheduledMessage.channel_id == room.channel_id
    if (
        call.db.count(ScheduledMessage, here, at >= start, at < start + _SCHEDULE_WINDOW_SECONDS)
        >= _MAX_SCHEDULED_PER_WINDOW
    ):
        raise RestrictedTooMany
