"""Messages as Slack shows them. Each method shows its own part of a message: the vendor's types say which.

https://docs.slack.dev/messaging
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import Any, cast

from twindiff.kit.clock import SECOND, micros_of
from twindiff.kit.throttling import give_way

from ..core.addresses import workspace_url
from ..core.emoji import canonical
from ..core.tables import Channel, Message, ScheduledMessage, Team, User
from .message_relations import MessageRelations, Reaction, Thread
from .rich_text import rich_text_block
from .user_views import app_id_of, bot_author, bot_id_of

SLACKBOT = "USLACKBOT"
"""Slack's own user, whose message a thread's deleted root seems to be too; it is in no template."""

_SPECIAL = re.compile(r"<(?:[@#!]|https?:|mailto:|tel:)[^<>]*>|&(?:amp|lt|gt);|[&<>]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}

_SHOWN_REPLY_USERS = 5
_SHOWN_REACTION_USERS = 50


def message_content(message: Message, team_id: str, bot: User | None = None) -> dict[str, Any]:
    """What every method shows of a message; `bot` is its author, if that is one."""
    shown: dict[str, Any] = {
        "type": message.type or "message",
        "user": message.user_id,
        "text": escape_text(message.message_text or ""),
        "team": team_id,
    }
    blocks: Any = message.blocks
    if bot:
        shown.update(bot_author(bot, team_id))
        if not blocks and message.message_text:
            blocks = [rich_text_block(message.message_text)]
    if blocks:
        shown["blocks"] = block_objects(blocks, message.message_id)
    return shown


def escape_text(text: str) -> str:
    """A text with `&`, `<` and `>` as entities where they begin no reference and are none already.

    https://docs.slack.dev/messaging/formatting-message-text#escaping
    """
    give_way()
    return _SPECIAL.sub(_entity, text) if any(sign in text for sign in _ENTITIES) else text


def _entity(match: re.Match[str]) -> str:
    return _ENTITIES.get(match[0], match[0])


def posted_message(
    message: Message, team_id: str, root_author: str | None = None, bot: User | None = None
) -> dict[str, Any]:
    """A message as its sender gets it back; for a reply, `root_author` wrote the message it hangs on."""
    shown = message_content(message, team_id, bot)
    shown["ts"] = message.message_id
    if message.subtype:
        shown["subtype"] = message.subtype
    if message.username:
        shown.pop("user")
        shown.update(username=message.username, **({"icons": message.icons} if message.icons else {}))
    if message.attachments:
        shown["attachments"] = message.attachments
    if message.parent_id:
        shown["thread_ts"] = message.parent_id
        shown["parent_user_id"] = root_author or SLACKBOT
    return shown


def listed_message(
    message: Message, team_id: str, related: MessageRelations, *, metadata: bool = False
) -> dict[str, Any]:
    """A message as history and replies list it; `related` holds what belongs to the page, `metadata` asks for it."""
    ts = message.message_id
    root_author, bot = related.authors.get(message.parent_id or ""), related.bots.get(message.user_id)
    shown = posted_message(message, team_id, root_author, bot)
    if message.edited_at:
        shown["edited"] = edited_object(message.user_id, message.edited_at)
    if reactions := related.reactions.get(ts):
        shown["reactions"] = reaction_objects(reactions)
    if thread := related.threads.get(ts):
        shown.update(thread_object(ts, thread))
    if pins := related.pins.get(ts):
        shown["pinned_to"] = pins
    if files := related.files.get(ts):
        shown.update(files=files, upload=False)
    if metadata and message.metadata:
        shown["metadata"] = message.metadata
    return shown


def pinned_message(message: Message, team_id: str, related: MessageRelations) -> dict[str, Any]:
    """A message as lists of pinned and of saved items show it."""
    shown = listed_message(message, team_id, related)
    for key in ("subtype", "edited", "subscribed", "parent_user_id"):
        shown.pop(key, None)
    return shown


def reacted_message(
    message: Message, team_id: str, reactions: Sequence[Reaction], bot: User | None, *, full: bool
) -> dict[str, Any]:
    """A message as reactions.get shows it."""
    shown = {**message_content(message, team_id, bot), "ts": message.message_id}
    return {**shown, "reactions": reaction_objects(reactions, full=full)} if reactions else shown


def edited_message(message: Message, team_id: str, bot: User | None) -> dict[str, Any]:
    """A message as chat.update shows it."""
    shown = message_content(message, team_id, bot)
    if message.edited_at:
        shown["edited"] = edited_object(message.user_id, message.edited_at)
    if message.metadata:
        shown["metadata"] = message.metadata
    return shown


def scheduled_message(scheduled: ScheduledMessage, team_id: str, bot: User | None) -> dict[str, Any]:
    """A message that waits, as chat.scheduleMessage shows it."""
    shown: dict[str, Any] = {
        "type": "delayed_message",
        "user": scheduled.user_id,
        "text": scheduled.message_text or "",
        "team": team_id,
    }
    if bot:
        shown.update(bot_author(bot, team_id))
    if scheduled.blocks:
        shown["blocks"] = block_objects(scheduled.blocks, scheduled.scheduled_message_id)
    return shown


def message_event(room: Channel, message: Message, bot: User | None = None) -> dict[str, Any]:
    """What those who subscribed to messages are told of one; `bot` is its author, if that is one.

    https://docs.slack.dev/reference/events/message
    """
    told = {
        "type": "message",
        "channel": message.channel_id,
        "channel_type": channel_type(room),
        "user": message.user_id,
        "text": escape_text(message.message_text or ""),
        "ts": message.message_id,
    }
    if message.subtype:
        told["subtype"] = message.subtype
    if bot:
        told.update(bot_id=bot_id_of(bot), app_id=app_id_of(bot))
    return {**told, "thread_ts": message.parent_id} if message.parent_id else told


def channel_type(room: Channel) -> str:
    """`im`, `mpim`, `group` or `channel`."""
    if room.is_dm:
        return "im"
    if room.is_gc:
        return "mpim"
    return "group" if room.is_private else "channel"


def tombstone(ts: str, team_id: str, thread: Thread) -> dict[str, Any]:
    """What stands in the place of a deleted message that still has replies."""
    shown = {
        "type": "message",
        "subtype": "tombstone",
        "hidden": True,
        "user": SLACKBOT,
        "text": "This message was deleted.",
        "team": team_id,
        "ts": ts,
    }
    return {**shown, **thread_object(ts, thread)}


def thread_object(ts: str, thread: Thread) -> dict[str, Any]:
    """What the message that a thread hangs on shows of it."""
    return {
        "thread_ts": ts,
        "reply_count": thread.size,
        "reply_users": list(thread.users[:_SHOWN_REPLY_USERS]),
        "reply_users_count": len(thread.users),
        "latest_reply": thread.latest,
        "subscribed": False,
        "is_locked": False,
    }


def edited_object(user: str, edited_at: str) -> dict[str, Any]:
    """Who edited a message last, and when."""
    return {"user": user, "ts": ts_of(edited_at)}


def reaction_objects(reactions: Iterable[Reaction], *, full: bool = False) -> list[dict[str, Any]]:
    """Reactions by emoji, whatever name each person gave it; with `full`, everyone who gave it."""
    groups: dict[str, tuple[str, list[str]]] = {}
    for user, emoji in reactions:
        groups.setdefault(canonical(emoji), (emoji, []))[1].append(user)
    most = None if full else _SHOWN_REACTION_USERS
    return [{"name": emoji.strip(":"), "users": users[:most], "count": len(users)} for emoji, users in groups.values()]


def block_objects(blocks: Any, ts: str) -> list[dict[str, Any]]:
    """Blocks as Slack shows them: each has a block_id, made up where none was sent; what is no block is left out."""
    listed = cast(list[Any], blocks) if isinstance(blocks, list) else []
    return [
        block if "block_id" in block else {**cast(dict[str, Any], block), "block_id": _block_id(ts, at)}
        for at, block in enumerate(listed)
        if isinstance(block, dict)
    ]


def _block_id(ts: str, at: int) -> str:
    return blake2b(f"{ts}/{at}".encode(), digest_size=3).hexdigest()[:5]


def permalink(team: Team, message: Message) -> str:
    """The address at which people open a message."""
    link = f"{workspace_url(team)}archives/{message.channel_id}/p{message.message_id.replace('.', '')}"
    if message.parent_id:
        link += f"?thread_ts={message.parent_id}&cid={message.channel_id}"
    return link


def ts_of(timestamp: str) -> str:
    """A Timestamp column's instant in the form of a message's ts."""
    seconds, micros = divmod(micros_of(datetime.fromisoformat(timestamp)), SECOND)
    return f"{seconds}.{micros:06d}"
