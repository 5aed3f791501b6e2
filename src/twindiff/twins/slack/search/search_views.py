"""Rendering of search results.

https://docs.slack.dev/reference/methods/search.messages
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, NamedTuple, cast

from twindiff.kit import SearchTerm, Store, has_word, without_accents

from ..conversations.conversation_lists import members_of, other_of
from ..core.access import rooms_by_id, workspace
from ..core.tables import Channel, Message, MessageReaction, Team, User
from ..rendering.entities import escape_attachments, format_text
from ..rendering.message_views import blocks_of, channel_type, permalink

_BEFORE_HIT, _AFTER_HIT = "\ue000", "\ue001"


class Around(NamedTuple):
    """The related rows of a page of matches, each loaded with one query."""

    team: Team
    rooms: dict[str, Channel]
    channels: dict[str, dict[str, Any]]
    """The rendered conversations by channel id."""
    usernames: dict[str, str]
    reacted: set[str]


def around(db: Store, messages: Sequence[Message], actor: str) -> Around:
    """Load the related rows of matching messages, as seen by the user `actor`."""
    rooms = rooms_by_id(db, {message.channel_id for message in messages})
    members = members_of(db, [room for room in rooms.values() if room.is_dm])
    partners = {channel_id: other_of(people, actor) for channel_id, people in members.items()}
    return Around(
        team=workspace(db),
        rooms=rooms,
        channels={channel_id: _channel(room, partners.get(channel_id)) for channel_id, room in rooms.items()},
        usernames=usernames_of(db, {message.user_id for message in messages}),
        reacted=_find_reacted_messages(db, [message.message_id for message in messages]),
    )


def _find_reacted_messages(db: Store, ids: Sequence[str]) -> set[str]:
    """Return those of the ids whose messages have reactions."""
    reactions = db.rows(MessageReaction, MessageReaction.message_id.in_(ids), columns=(MessageReaction.message_id,))
    return {ts for (ts,) in reactions}


def usernames_of(db: Store, ids: set[str]) -> dict[str, str]:
    """Map user ids to usernames."""
    if not ids:
        return {}
    usernames = db.rows(User, User.user_id.in_(ids), columns=(User.user_id, User.username))
    return dict(cast(list[tuple[str, str]], usernames))


def message_match(message: Message, known: Around, words: Sequence[SearchTerm], *, highlight: bool) -> dict[str, Any]:
    """Return a match in Slack's form; `words` are used for its score and for highlighting."""
    room = known.rooms[message.channel_id]
    team_id = room.team_id or known.team.team_id
    said = message.message_text or ""
    shown: dict[str, Any] = {
        "iid": _iid(message),
        "type": "message",
        "team": team_id,
        "channel": known.channels[room.channel_id],
        "user": message.user_id,
        "username": known.usernames.get(message.user_id, ""),
        "ts": message.message_id,
        "text": _highlight_hits(format_text(said), words) if highlight else format_text(said),
        "permalink": permalink(known.team, message),
        "no_reactions": message.message_id not in known.reacted,
        "is_mpim": room.is_gc,
        "score": _score(said, words),
    }
    if blocks := blocks_of(message, format_text(said)):
        shown["blocks"] = blocks
    if message.attachments:
        shown["attachments"] = escape_attachments(message.attachments)
    return shown


def _iid(message: Message) -> str:
    """Return an id for the match, which is the same in every search."""
    digest = blake2b(f"{message.channel_id}{message.message_id}".encode(), digest_size=16).hexdigest()
    return f"{digest[:8]}-{digest[8:12]}-4{digest[13:16]}-a{digest[17:20]}-{digest[20:]}"


def _channel(room: Channel, partner: str | None) -> dict[str, Any]:
    kind = channel_type(room)
    shown: dict[str, Any] = {
        "id": room.channel_id,
        "name": partner or room.channel_name,
        "name_normalized": partner or room.channel_name,
        "is_channel": kind == "channel",
        "is_group": kind == "group",
        "is_im": room.is_dm,
        "is_mpim": room.is_gc,
        "is_private": room.is_private,
        "is_archived": room.is_archived,
        "is_shared": False,
        "is_org_shared": False,
        "is_ext_shared": False,
        "is_pending_ext_shared": False,
        "pending_shared": [],
    }
    return {**shown, "user": partner} if partner else shown


def _score(said: str, words: Sequence[SearchTerm]) -> int:
    """Return how many of the words the text contains."""
    return sum([has_word(said, word.pattern) is True for word in words])


def _highlight_hits(said: str, words: Sequence[SearchTerm]) -> str:
    """Mark each hit in a text by private-use characters before and after it."""
    if not words:
        return said
    bare = [without_accents(letter) for letter in said]
    places = [place for place, letters in enumerate(bare) for _ in letters]
    marked = list(said)
    for hit in re.finditer("|".join(word.pattern for word in words), "".join(bare)):
        first, last = places[hit.start()], places[hit.end() - 1]
        marked[first] = _BEFORE_HIT + marked[first]
        marked[last] += _AFTER_HIT
    return "".join(marked)


class Window(NamedTuple):
    """The requested page of matches."""

    page: int
    size: int


def render_result_part(matches: Sequence[dict[str, Any]], total: int, window: Window) -> dict[str, Any]:
    """Return one kind of result: the matches on this page, the total and the paging fields."""
    pages = -(-total // window.size)
    first = (window.page - 1) * window.size + 1
    return {
        "total": total,
        "matches": list(matches),
        "pagination": {
            "total_count": total,
            "page": window.page,
            "per_page": window.size,
            "page_count": pages,
            "first": first if matches else 0,
            "last": first + len(matches) - 1 if matches else 0,
        },
        "paging": {"count": window.size, "total": total, "page": window.page, "pages": pages},
    }
