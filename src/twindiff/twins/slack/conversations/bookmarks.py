"""Bookmarks of channels.

https://docs.slack.dev/reference/methods?family=bookmarks
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from msgspec import UNSET, UnsetType

from twindiff.kit import Call, Operations, revise
from twindiff.kit.errors import MissingParameter

from ..core.access import is_member, team_of, visible_channel
from ..core.arguments import unix_of
from ..core.emoji import is_emoji
from ..core.errors import (
    InvalidBookmarkType,
    InvalidEmoji,
    InvalidLink,
    NoSuchItem,
    PermissionDenied,
    TooManyBookmarks,
)
from ..core.tables import Bookmark, Channel
from ..rendering.entities import escape_text

api = Operations()

_MAX_BOOKMARKS = 100
_LINK = re.compile(r"https?://\S+")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@api.method("bookmarks.add", scope="bookmarks:write")
def add(call: Call, channel_id: str, title: str, type: str, link: str = "", emoji: str = "") -> dict[str, Any]:
    """Add a link to the bookmarks of a channel.

    https://docs.slack.dev/reference/methods/bookmarks.add
    """
    room = _room(call, channel_id)
    if not title.strip():
        raise MissingParameter("title")
    if type != "link":
        raise InvalidBookmarkType
    here = Bookmark.channel_id == room.channel_id
    last = call.db.rows(Bookmark, here, order=-Bookmark.rank, limit=1)
    if call.db.count(Bookmark, here) >= _MAX_BOOKMARKS:
        raise TooManyBookmarks
    bookmark = Bookmark(
        bookmark_id=call.ids.new("Bk"),
        channel_id=room.channel_id,
        title=title,
        link=_parse_link(link),
        emoji=_parse_emoji(emoji) or None,
        created_at=call.clock.iso(),
        rank=last[0].rank + 1 if last else 0,
        updated_by=call.actor,
    )
    call.db.add(bookmark)
    return {"bookmark": _render_bookmark(bookmark, team_of(call.db, room))}


@api.method("bookmarks.edit", scope="bookmarks:write")
def edit(
    call: Call,
    channel_id: str,
    bookmark_id: str,
    title: str | UnsetType = UNSET,
    link: str | UnsetType = UNSET,
    emoji: str | UnsetType = UNSET,
) -> dict[str, Any]:
    """Change title, link or emoji of a bookmark; an empty emoji removes it.

    https://docs.slack.dev/reference/methods/bookmarks.edit
    """
    room = _room(call, channel_id)
    bookmark = _bookmark(call, room, bookmark_id)
    wanted: dict[str, Any] = {}
    if title:
        wanted["title"] = title
    if link:
        wanted["link"] = _parse_link(link)
    if emoji is not UNSET:
        wanted["emoji"] = _parse_emoji(emoji) or None
    stamp = {"updated_at": call.clock.iso(), "updated_by": call.actor}
    bookmark = revise(call.db, bookmark, stamp=stamp, **wanted)
    return {"bookmark": _render_bookmark(bookmark, team_of(call.db, room))}


@api.method("bookmarks.list", reads=True, scope="bookmarks:read")
def list_bookmarks(call: Call, channel_id: str) -> dict[str, Any]:
    """List the bookmarks of a channel in order.

    https://docs.slack.dev/reference/methods/bookmarks.list
    """
    room = visible_channel(call, channel_id)
    bookmarks = call.db.rows(Bookmark, Bookmark.channel_id == room.channel_id, order=Bookmark.rank)
    return {"bookmarks": [_render_bookmark(each, team_of(call.db, room)) for each in bookmarks]}


@api.method("bookmarks.remove", scope="bookmarks:write")
def remove(call: Call, channel_id: str, bookmark_id: str) -> dict[str, Any]:
    """Remove a bookmark from a channel.

    https://docs.slack.dev/reference/methods/bookmarks.remove
    """
    call.db.remove(_bookmark(call, _room(call, channel_id), bookmark_id))
    return {}


def _room(call: Call, channel: str) -> Channel:
    room = visible_channel(call, channel)
    if room.is_archived or not is_member(call.db, room, call.actor):
        raise PermissionDenied
    return room


def _bookmark(call: Call, room: Channel, bookmark_id: str) -> Bookmark:
    bookmark = call.db.get(Bookmark, bookmark_id, missing=NoSuchItem)
    if bookmark.channel_id != room.channel_id:
        raise NoSuchItem
    return bookmark


def _parse_link(link: str) -> str:
    if not _LINK.fullmatch(link) or not _host(link):
        raise InvalidLink
    return link


def _host(link: str) -> str:
    """Return host and port of a link, or an empty text if it is no URL."""
    try:
        return urlsplit(link).netloc
    except ValueError:  # for example for http://[
        return ""


def _parse_emoji(emoji: str) -> str:
    if emoji and not is_emoji(emoji.strip(":").lower()):
        raise InvalidEmoji
    return emoji


def _render_bookmark(bookmark: Bookmark, team_id: str) -> dict[str, Any]:
    link = bookmark.link or ""
    return {
        "id": bookmark.bookmark_id,
        "channel_id": bookmark.channel_id,
        "title": escape_text(bookmark.title),
        "link": bookmark.link,
        "emoji": bookmark.emoji or "",
        "icon_url": f"{link.partition('://')[0]}://{_host(link)}/favicon.ico",
        "type": "link",
        "entity_id": None,
        "date_created": unix_of(bookmark.created_at),
        "date_updated": unix_of(bookmark.updated_at),
        "rank": _rank(bookmark.rank),
        "last_updated_by_user_id": bookmark.updated_by or "",
        "last_updated_by_team_id": team_id,
        "shortcut_id": None,
        "app_id": None,
        "app_action_id": None,
    }


def _rank(number: int) -> str:
    """Return letters that sort like the number, the form of Slack's `rank`."""
    return "z" * (number // len(_LETTERS)) + _LETTERS[number % len(_LETTERS)]
