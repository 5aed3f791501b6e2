"""Rendering of messages. Each method returns some of the fields, according to Slack's type definitions.

https://docs.slack.dev/messaging
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import Any, cast

from twindiff.kit.clock import SECOND, micros_of

from ..core.addresses import workspace_url
from ..core.emoji import canonical
from ..core.tables import Channel, Message, ScheduledMessage, Team, User
from .entities import escape_attachments, escape_objects, format_text
from .message_relations import MessageRelations, Reaction, Thread
from .rich_text import rich_text_block
from .user_views import app_id_of, bot_author, bot_id_of

SLACKBOT = "USLACKBOT"
"""Slack's own user, the author of the placeholder for a thread's deleted root; no template has it."""

_SHOWN_REPLY_USERS = 5
_SHOWN_REACTION_USERS = 50


def message_content(message: Message, team_id: str, bot: User | None = None) -> dict[str, Any]:
    """Return the fields of a message that all methods share; `bot` is its author if that is a bot."""
    shown: dict[str, Any] = {
        "type": message.type or "message",
        "user": message.user_id,
        "text": format_text(message.message_text or ""),
        "team": team_id,
    }
    if bot:
        shown.update(bot_author(bot, team_id))
    if blocks := blocks_of(message, shown["text"]):
        shown["blocks"] = blocks
    return shown


def blocks_of(message: Message, text: str) -> list[dict[str, Any]]:
    """Return the blocks of a message, or else its text as rich text, which Slack makes of every plain message."""
    if message.blocks:
        return block_objects(message.blocks, message.message_id)
    return [{**rich_text_block(text), "block_id": _block_id(message.message_id, 0)}] if text else []


def posted_message(
    message: Message, team_id: str, root_author: str | None = None, bot: User | None = None
) -> dict[str, Any]:
    """Return a message in the form of chat.postMessage; `root_author` is the author of the thread's first message."""
    shown = message_content(message, team_id, bot)
    shown["ts"] = message.message_id
    if message.subtype:
        shown["subtype"] = message.subtype
    if message.username:
        shown.pop("user")
        shown.update(username=message.username, **({"icons": message.icons} if message.icons else {}))
    if message.attachments:
        shown["attachments"] = escape_attachments(message.attachments)
    if message.parent_id:
        shown["thread_ts"] = message.parent_id
        shown["parent_user_id"] = root_author or SLACKBOT
    return shown


def listed_message(
    message: Message, team_id: str, related: MessageRelations, *, metadata: bool | None = None
) -> dict[str, Any]:
    """Return a message in the form of conversations.history and conversations.replies.

    `related` holds the related rows of the page; `metadata` is whether the message's metadata is shown
    whole or without its payload, and None where lists have none.
    """
    ts = message.message_id
    root_author, bot = related.authors.get(message.parent_id or ""), related.bot_of(message)
    shown = posted_message(message, team_id, root_author, bot)
    if message.edited_at:
        shown["edited"] = edited_object(message.user_id, message.edited_at)
    if reactions := related.reactions.get(ts):
        shown["reactions"] = reaction_objects(reactions)
    if thread := related.threads.get(ts):
        follows = related.reader in (message.user_id, *thread.users)
        shown.update(thread_object(ts, thread, is_followed=follows))
    if pins := related.pins.get(ts):
        shown["pinned_to"] = pins
    if files := related.files.get(ts):
        shown.update(files=files, upload=False)
    if metadata and message.metadata:
        shown["metadata"] = message.metadata
    elif metadata is False and message.metadata and "event_type" in message.metadata:
        shown["metadata"] = {"event_type": message.metadata["event_type"], "event_payload": {}}
    return shown


def pinned_message(message: Message, team_id: str, related: MessageRelations) -> dict[str, Any]:
    """Return a message in the form of the lists of pinned and saved items."""
    shown = listed_message(message, team_id, related)
    for key in ("subtype", "edited", "subscribed", "parent_user_id"):
        shown.pop(key, None)
    return shown


def reacted_message(
    message: Message, team_id: str, reactions: Sequence[Reaction], bot: User | None, *, full: bool
) -> dict[str, Any]:
    """Return a message in the form of reactions.get."""
    shown = {**message_content(message, team_id, bot), "ts": message.message_id}
    return {**shown, "reactions": reaction_objects(reactions, full=full)} if reactions else shown


def edited_message(message: Message, team_id: str, bot: User | None) -> dict[str, Any]:
    """Return a message in the form of chat.update."""
    shown = message_content(message, team_id, bot)
    if message.edited_at:
        shown["edited"] = edited_object(message.user_id, message.edited_at)
    if message.metadata:
        shown["metadata"] = message.metadata
    return shown


def scheduled_message(scheduled: ScheduledMessage, team_id: str, bot: User | None) -> dict[str, Any]:
    """Return a scheduled message in the form of chat.scheduleMessage."""
    shown: dict[str, Any] = {
        "type": "delayed_message",
        "user": scheduled.user_id,
        "text": format_text(scheduled.message_text or ""),
        "team": team_id,
    }
    if bot:
        shown.update(bot_author(bot, team_id))
    if scheduled.blocks:
        shown["blocks"] = block_objects(scheduled.blocks, scheduled.scheduled_message_id)
    return shown


def message_event(room: Channel, message: Message, bot: User | None = None) -> dict[str, Any]:
    """Return the payload of a `message` event; `bot` is the author if that is a bot.

    https://docs.slack.dev/reference/events/message
    """
    told: dict[str, Any] = {
        "type": "message",
        "channel": message.channel_id,
        "channel_type": channel_type(room),
        "user": message.user_id,
        "text": format_text(message.message_text or ""),
        "ts": message.message_id,
    }
    if blocks := blocks_of(message, told["text"]):
        told["blocks"] = blocks
    if message.subtype:
        told["subtype"] = message.subtype
    if bot:
        told.update(bot_id=bot_id_of(bot), app_id=app_id_of(bot))
    return {**told, "thread_ts": message.parent_id} if message.parent_id else told


def channel_type(room: Channel) -> str:
    """Return the type of a conversation: `im`, `mpim`, `group` or `channel`."""
    if room.is_dm:
        return "im"
    if room.is_gc:
        return "mpim"
    return "group" if room.is_private else "channel"


def tombstone(ts: str, team_id: str, thread: Thread) -> dict[str, Any]:
    """Return the placeholder for a deleted message that still has replies."""
    shown = {
        "type": "message",
        "subtype": "tombstone",
        "hidden": True,
        "user": SLACKBOT,
        "text": "This message was deleted.",
        "team": team_id,
        "ts": ts,
        "parent_user_id": SLACKBOT,
    }
    return {**shown, **thread_object(ts, thread)}


def thread_object(ts: str, thread: Thread, *, is_followed: bool = False) -> dict[str, Any]:
    """Return the fields that a thread's first message has about the thread; those who write in one follow it."""
    return {
        "thread_ts": ts,
        "reply_count": thread.size,
        "reply_users": list(thread.users[:_SHOWN_REPLY_USERS]),
        "reply_users_count": len(thread.users),
        "latest_reply": thread.latest,
        "subscribed": is_followed,
        "is_locked": False,
    }


def edited_object(user: str, edited_at: str) -> dict[str, Any]:
    """Return the user and the time of the latest edit."""
    return {"user": user, "ts": ts_of(edited_at)}


def reaction_objects(reactions: Iterable[Reaction], *, full: bool = False) -> list[dict[str, Any]]:
    """Group reactions by emoji, with aliases as one; with `full`, each has all its users."""
    groups: dict[str, tuple[str, list[str]]] = {}
    for user, emoji in reactions:
        groups.setdefault(canonical(emoji), (emoji, []))[1].append(user)
    most = None if full else _SHOWN_REACTION_USERS
    return [{"name": emoji.strip(":"), "users": users[:most], "count": len(users)} for emoji, users in groups.values()]


def block_objects(blocks: Any, ts: str) -> list[dict[str, Any]]:
    """Return blocks with a `block_id` each, generated where none was sent; items that are no objects are dropped."""
    listed = cast(list[Any], blocks) if isinstance(blocks, list) else []
    return [
        block if "block_id" in block else {**block, "block_id": _block_id(ts, at)}
        for at, block in enumerate(map(escape_objects, listed))
        if isinstance(block, dict)
    ]


def _block_id(ts: str, at: int) -> str:
    return blake2b(f"{ts}/{at}".encode(), digest_size=3).hexdigest()[:5]


def permalink(team: Team, message: Message) -> str:
    """Return the permalink of a message."""
    link = f"{workspace_url(team)}archives/{message.channel_id}/p{message.message_id.replace('.', '')}"
    if message.parent_id:
        link += f"?thread_ts={message.parent_id}&cid={message.channel_id}"
    return link


def ts_of(timestamp: str) -> str:
    """Convert a Timestamp column's value to the form of a message's `ts`."""
    seconds, micros = divmod(micros_of(datetime.fromisoformat(timestamp)), SECOND)
    return f"{seconds}.{micros:06d}"
