"""Emoji reactions to messages.

https://docs.slack.dev/reference/methods?family=reactions
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from twindiff.kit import Call, Operations, exists
from twindiff.kit.paging import decode_cursor, encode_cursor

from ..core.access import readable_by, readable_channel, team_of, visible_channel, workspace
from ..core.arguments import is_ts
from ..core.emoji import canonical, is_emoji
from ..core.errors import (
    AlreadyReacted,
    BadTimestamp,
    FileCommentNotFound,
    InvalidCursor,
    InvalidName,
    IsArchived,
    NoItemSpecified,
    NoReaction,
    TooManyEmoji,
    TooManyReactions,
    UserNotFound,
)
from ..core.file_access import visible_file
from ..core.people import bot_of, bots_among
from ..core.tables import File, Message, MessageReaction, User
from ..rendering.message_relations import reactions_to
from ..rendering.message_views import permalink, reacted_message
from .chat import find_message

api = Operations()

_MAX_EMOJI_PER_USER = 23
_MAX_EMOJI_PER_MESSAGE = 50
_CURSOR = "reacted_ts"


@api.method("reactions.add", scope="reactions:write")
def add(call: Call, channel: str = "", timestamp: str = "", name: str = "") -> dict[str, Any]:
    """Add an emoji to a message.

    https://docs.slack.dev/reference/methods/reactions.add
    """
    _check_item(channel, timestamp)
    emoji = _emoji(name)
    room = readable_channel(call, channel)
    if room.is_archived:
        raise IsArchived
    message = find_message(call.db, room, timestamp)
    _check_room_for(call, message, emoji)
    call.db.add(
        MessageReaction(
            message_id=message.message_id, user_id=call.actor, reaction_type=emoji, created_at=call.clock.iso()
        ),
        taken=AlreadyReacted,
    )
    call.emit("reaction_added", _event(call, "reaction_added", message, emoji))
    return {}


@api.method("reactions.remove", scope="reactions:write")
def remove(
    call: Call, name: str = "", channel: str = "", timestamp: str = "", file: str = "", file_comment: str = ""
) -> dict[str, Any]:
    """Remove an emoji of the caller from a message.

    https://docs.slack.dev/reference/methods/reactions.remove
    """
    if file or file_comment:
        _check_file(call, file)
        raise NoReaction
    _check_item(channel, timestamp)
    wanted = canonical(_emoji(name))
    message = find_message(call.db, visible_channel(call, channel), timestamp)
    mine = _own_reactions(call, message)
    reaction = next((each for each in mine if canonical(each.reaction_type) == wanted), None)
    if reaction is None:
        raise NoReaction
    call.db.remove(reaction)
    call.emit("reaction_removed", _event(call, "reaction_removed", message, reaction.reaction_type))
    return {}


@api.method("reactions.get", reads=True, scope="reactions:read")
def get(
    call: Call, channel: str = "", timestamp: str = "", full: bool = False, file: str = "", file_comment: str = ""
) -> dict[str, Any]:
    """Return a message with its reactions; with `full`, each has all its users.

    https://docs.slack.dev/reference/methods/reactions.get
    """
    if file or file_comment:
        row = _check_file(call, file)
        return {"type": "file", "file": {"id": row.file_id, "name": row.file_name, "user": row.user_id}}
    _check_item(channel, timestamp)
    room = visible_channel(call, channel)
    message = find_message(call.db, room, timestamp)
    reactions = reactions_to(call.db, [message.message_id]).get(message.message_id, [])
    bot = bot_of(call.db, message.user_id)
    shown = reacted_message(message, team_of(call.db, room), reactions, bot, full=full)
    shown["permalink"] = permalink(workspace(call.db), message)
    return {"type": "message", "channel": room.channel_id, "message": shown}


def _check_item(channel: str, timestamp: str) -> None:
    if not channel or not timestamp:
        raise NoItemSpecified
    if not is_ts(timestamp):
        raise BadTimestamp


def _check_file(call: Call, file: str) -> File:
    """Return the file; raises FileCommentNotFound without one, as the twin has no file comments."""
    if not file:
        raise FileCommentNotFound
    return visible_file(call, file)


def _emoji(name: str) -> str:
    """Return an emoji's name in stored form, lower case without colons; raises InvalidName."""
    plain = name.strip().strip(":").lower()
    if not is_emoji(plain):
        raise InvalidName
    return plain


def _own_reactions(call: Call, message: Message) -> list[MessageReaction]:
    of_message = MessageReaction.message_id == message.message_id
    return call.db.rows(MessageReaction, of_message, MessageReaction.user_id == call.actor)


def _check_room_for(call: Call, message: Message, emoji: str) -> None:
    """Raise AlreadyReacted, TooManyReactions or TooManyEmoji unless the caller may add this emoji."""
    reactions = reactions_to(call.db, [message.message_id]).get(message.message_id, [])
    mine = {canonical(given) for user, given in reactions if user == call.actor}
    if canonical(emoji) in mine:
        raise AlreadyReacted
    if len(mine) >= _MAX_EMOJI_PER_USER:
        raise TooManyReactions
    everyones = {canonical(given) for _, given in reactions}
    if len(everyones | {canonical(emoji)}) > _MAX_EMOJI_PER_MESSAGE:
        raise TooManyEmoji


def _event(call: Call, kind: str, message: Message, emoji: str) -> dict[str, Any]:
    item = {"type": "message", "channel": message.channel_id, "ts": message.message_id}
    return {"type": kind, "user": call.actor, "reaction": emoji, "item": item, "item_user": message.user_id}


@api.method("reactions.list", reads=True, scope="reactions:read")
def list_reactions(
    call: Call,
    user: str = "",
    full: bool = False,
    count: Annotated[int, Meta(ge=1, le=1000)] = 100,
    page: Annotated[int, Meta(ge=1)] = 1,
    cursor: str = "",
    limit: Annotated[int, Meta(ge=0, le=1000)] = 0,
) -> dict[str, Any]:
    """List the messages that a user, by default the caller, has reacted to, newest message first.

    https://docs.slack.dev/reference/methods/reactions.list
    """
    person = call.db.get(User, user or call.actor, missing=UserNotFound).user_id
    theirs = exists(
        MessageReaction, MessageReaction.message_id == Message.message_id, MessageReaction.user_id == person
    )
    where, size = (theirs, readable_by(call.db, call.actor)), limit or count
    after = [Message.message_id <= decode_cursor(_CURSOR, cursor, InvalidCursor)] if cursor else []
    offset = 0 if cursor else (page - 1) * size
    messages = call.db.rows(Message, *where, *after, order=-Message.message_id, limit=size + 1, offset=offset)
    total, rest = call.db.count(Message, *where), messages[size:]
    return {
        "items": _render_reacted_messages(call, messages[:size], full=full),
        "paging": {"count": size, "total": total, "page": page, "pages": -(-total // size)},
        "response_metadata": {"next_cursor": encode_cursor(_CURSOR, rest[0].message_id) if rest else ""},
    }


def _render_reacted_messages(call: Call, messages: list[Message], *, full: bool) -> list[dict[str, Any]]:
    team = workspace(call.db)
    reactions = reactions_to(call.db, [message.message_id for message in messages])
    bots = bots_among(call.db, {message.user_id for message in messages})

    def item(message: Message) -> dict[str, Any]:
        given, bot = reactions[message.message_id], bots.get(message.user_id)
        shown = reacted_message(message, team.team_id, given, bot, full=full)
        shown["permalink"] = permalink(team, message)
        return {"type": "message", "channel": message.channel_id, "message": shown}

    return [item(message) for message in messages]
