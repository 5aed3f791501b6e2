"""Related rows of messages: threads, reactions and so on, each loaded with one query for a whole page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, cast

from twindiff.kit import Call, Store
from twindiff.kit.rows import Expression

from ..core.people import bots_among
from ..core.tables import Message, MessageReaction, Pin, User
from .file_views import files_in


class Thread(NamedTuple):
    """The replies to a message."""

    size: int
    users: tuple[str, ...]
    """The users who replied, without duplicates, in the order of their first replies."""
    latest: str


NO_REPLIES = Thread(0, (), "0000000000.000000")
"""The thread of a tombstone whose last reply was deleted."""
_OF_REPLIES = (Message.parent_id, Message.message_id, Message.user_id)
_OF_REACTIONS = (MessageReaction.message_id, MessageReaction.user_id, MessageReaction.reaction_type)
_AS_GIVEN = (MessageReaction.message_id, MessageReaction.created_at)

Reaction = tuple[str, str]
"""A reaction: the user's id and the name of the emoji."""


class MessageRelations(NamedTuple):
    """Related rows by message id; a message without them has no entry."""

    threads: dict[str, Thread]
    reactions: dict[str, list[Reaction]]
    authors: dict[str, str]
    """The user ids of authors of threads' first messages, for the replies among the messages."""
    files: dict[str, list[dict[str, Any]]]
    bots: dict[str, User]
    """The bots among the authors of the messages, by user id."""
    pins: dict[str, list[str]]
    """The ids of the channels that the messages are pinned to."""
    reader: str
    """The id of the user who reads the messages."""

    def bot_of(self, message: Message) -> User | None:
        """Return the author of a message if it is a bot, or wrote the message with a bot's token."""
        user = self.bots.get(message.user_id)
        return user if user and (user.is_bot or message.bot_id) else None


def load_relations(
    call: Call, messages: Sequence[Message], threads: dict[str, Thread] | None = None
) -> MessageRelations:
    """Load the related rows of these messages; `threads` may be passed if they are loaded already."""
    ids = [message.message_id for message in messages]
    roots = {message.parent_id for message in messages if message.parent_id}
    db = call.db
    known = threads_of(db, ids) if threads is None else threads
    bots = bots_among(
        db,
        {message.user_id for message in messages},
        {message.user_id for message in messages if message.bot_id},
    )
    return MessageRelations(
        known, reactions_to(db, ids), authors_of(db, roots), files_in(call, ids), bots, pins_of(db, ids), call.actor
    )


def pins_of(db: Store, ids: Sequence[str]) -> dict[str, list[str]]:
    """Map message ids to the channels that they are pinned to."""
    pins: dict[str, list[str]] = {}
    if ids:
        for ts, channel in db.rows(Pin, Pin.message_id.in_(ids), columns=(Pin.message_id, Pin.channel_id)):
            pins.setdefault(ts, []).append(channel)
    return pins


def threads_of(db: Store, ids: Sequence[str]) -> dict[str, Thread]:
    """Map message ids to the threads that they start."""
    return threads_in(db, Message.parent_id.in_(ids)) if ids else {}


def threads_in(db: Store, *where: Expression) -> dict[str, Thread]:
    """Map the ids of threads' first messages to the threads of the replies that match."""
    replies: dict[str, list[tuple[str, str]]] = {}
    for root, ts, user in db.rows(Message, *where, order=Message.parent_id, columns=_OF_REPLIES):
        replies.setdefault(root, []).append((ts, user))
    return {root: _thread(pairs) for root, pairs in replies.items()}


def _thread(replies: Sequence[tuple[str, str]]) -> Thread:
    users = tuple(dict.fromkeys([user for _, user in replies]))
    return Thread(len(replies), users, replies[-1][0])


def reactions_to(db: Store, ids: Sequence[str]) -> dict[str, list[Reaction]]:
    """Map message ids to their reactions, in the order in which they were added."""
    if not ids:
        return {}
    of_them = MessageReaction.message_id.in_(ids)
    reactions: dict[str, list[Reaction]] = {}
    for ts, user, emoji in db.rows(MessageReaction, of_them, order=_AS_GIVEN, columns=_OF_REACTIONS):
        reactions.setdefault(ts, []).append((user, emoji))
    return reactions


def authors_of(db: Store, ids: Iterable[str]) -> dict[str, str]:
    """Map message ids to their authors."""
    ids = list(ids)
    if not ids:
        return {}
    columns = (Message.message_id, Message.user_id)
    authors = db.rows(Message, Message.message_id.in_(ids), columns=columns)
    return dict(cast(list[tuple[str, str]], authors))
