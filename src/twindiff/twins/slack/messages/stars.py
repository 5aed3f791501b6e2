"""Saved (starred) items.

https://docs.slack.dev/reference/methods?family=stars
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from msgspec import Meta

from twindiff.kit import Call, Operations, all_of, any_of, exists, not_
from twindiff.kit.paging import decode_cursor, encode_cursor
from twindiff.kit.rows import Expression

from ..core.access import hidden_from, is_open_to_all, readable_by, visible_channel, workspace
from ..core.arguments import unix_of
from ..core.errors import AlreadyStarred, FileCommentNotFound, InvalidCursor, NoItemSpecified, NotStarred
from ..core.file_access import visible_file, visible_files
from ..core.tables import Channel, File, Message, Star
from ..rendering.file_views import file_objects
from ..rendering.message_relations import load_relations
from ..rendering.message_views import permalink, pinned_message
from .chat import find_message
from .pins import check_timestamp

api = Operations()

Count = Annotated[int, Meta(ge=1, le=1000)]
Page = Annotated[int, Meta(ge=1)]
Limit = Annotated[int, Meta(ge=0, le=1000)]

_CURSOR = "star"
_LATEST = (-Star.created_at, -Star.item_id)


class Item(NamedTuple):
    kind: str
    id: str
    channel_id: str | None


@api.method("stars.add", scope="stars:write")
def add(call: Call, channel: str = "", timestamp: str = "", file: str = "", file_comment: str = "") -> dict[str, Any]:
    """Save a message, a file or a whole channel for the caller.

    https://docs.slack.dev/reference/methods/stars.add
    """
    item = _item(call, channel, timestamp, file, file_comment)
    star = Star(
        user_id=call.actor,
        item_type=item.kind,
        item_id=item.id,
        channel_id=item.channel_id,
        created_at=call.clock.iso(),
    )
    call.db.add(star, taken=AlreadyStarred)
    return {}


@api.method("stars.remove", scope="stars:write")
def remove(
    call: Call, channel: str = "", timestamp: str = "", file: str = "", file_comment: str = ""
) -> dict[str, Any]:
    """Remove a saved item.

    https://docs.slack.dev/reference/methods/stars.remove
    """
    star = _own(call, channel, timestamp, file)
    if star is None:
        item = _item(call, channel, timestamp, file, file_comment)
        star = call.db.get(Star, call.actor, item.kind, item.id, missing=NotStarred)
    call.db.remove(star)
    return {}


def _own(call: Call, channel: str, timestamp: str, file: str) -> Star | None:
    """Return the caller's saved item with these ids, even if the caller can no longer see it; None if there is none."""
    kind, id = ("file", file) if file else ("message", timestamp) if timestamp else ("channel", channel)
    star = call.db.find(Star, Star.user_id == call.actor, Star.item_type == kind, Star.item_id == id)
    return star if star and star.channel_id in (channel or None, None) else None


def _item(call: Call, channel: str, timestamp: str, file: str, file_comment: str) -> Item:
    if file_comment:
        raise FileCommentNotFound
    if file:
        return Item("file", visible_file(call, file).file_id, None)
    if not channel:
        raise NoItemSpecified
    room = visible_channel(call, channel)
    if not timestamp:
        return Item("channel", room.channel_id, room.channel_id)
    check_timestamp(timestamp)
    return Item("message", find_message(call.db, room, timestamp).message_id, room.channel_id)


@api.method("stars.list", reads=True, scope="stars:read")
def list_stars(call: Call, count: Count = 100, page: Page = 1, cursor: str = "", limit: Limit = 0) -> dict[str, Any]:
    """List the caller's saved items that the caller can still see, latest first.

    https://docs.slack.dev/reference/methods/stars.list
    """
    mine, size = [Star.user_id == call.actor, _is_visible(call)], limit or count
    after = [_from(decode_cursor(_CURSOR, cursor, InvalidCursor))] if cursor else []
    offset = 0 if cursor else (page - 1) * size
    stars = call.db.rows(Star, *mine, *after, order=_LATEST, limit=size + 1, offset=offset)
    total, rest = call.db.count(Star, *mine), stars[size:]
    return {
        "items": _items(call, stars[:size]),
        "paging": {"per_page": size, "spill": 0, "page": page, "total": total, "pages": -(-total // size)},
        "response_metadata": {"next_cursor": encode_cursor(_CURSOR, _place(rest[0])) if rest else ""},
    }


def _is_visible(call: Call) -> Expression:
    """Select saved items that still exist and that the caller can still see."""
    hidden = hidden_from(call.db, call.actor)
    message = exists(Message, Message.message_id == Star.item_id, readable_by(call.db, call.actor))
    file = exists(File, File.file_id == Star.item_id, visible_files(call))
    room = exists(Channel, Channel.channel_id == Star.item_id, not_(Channel.channel_id.in_(hidden)))
    of_kind = (("message", message), ("file", file), ("channel", room))
    return any_of(*(all_of(Star.item_type == kind, is_there) for kind, is_there in of_kind))


def _place(star: Star) -> str:
    return f"{star.created_at or ''} {star.item_id}"


def _from(place: str) -> Expression:
    """Select stars from a position in the list on; stars of templates may have no date and come last."""
    created_at, _, item_id = place.partition(" ")
    if not created_at:
        return all_of(Star.created_at.is_null(), Star.item_id <= item_id)
    same = all_of(Star.created_at == created_at, Star.item_id <= item_id)
    return any_of(Star.created_at < created_at, same, Star.created_at.is_null())


def _items(call: Call, stars: list[Star]) -> list[dict[str, Any]]:
    team = workspace(call.db)
    kinds = ("message", "file", "channel")
    ids = {kind: [star.item_id for star in stars if star.item_type == kind] for kind in kinds}
    messages = call.db.rows(Message, Message.message_id.in_(ids["message"])) if ids["message"] else []
    related = load_relations(call, messages)
    shown: dict[str, dict[str, Any]] = {
        each.message_id: {
            **pinned_message(each, team.team_id, related),
            "permalink": permalink(team, each),
            "is_starred": True,
        }
        for each in messages
    }
    files = call.db.rows(File, File.file_id.in_(ids["file"])) if ids["file"] else []
    shown.update((each["id"], each) for each in file_objects(call, files))
    rooms = call.db.rows(Channel, Channel.channel_id.in_(ids["channel"])) if ids["channel"] else []
    shown.update((room.channel_id, _room(room)) for room in rooms)
    return [_render_star(star, shown) for star in stars]


def _render_star(star: Star, shown: dict[str, dict[str, Any]]) -> dict[str, Any]:
    created = {"date_create": unix_of(star.created_at)}
    if star.item_type == "channel":
        return {**shown[star.item_id], **created}
    where = {"channel": star.channel_id} if star.channel_id else {}
    return {"type": star.item_type, **created, **where, star.item_type: shown[star.item_id]}


def _room(room: Channel) -> dict[str, Any]:
    """Return a saved conversation; Slack still calls private channels and group messages groups here."""
    if room.is_dm:
        return {"type": "im", "channel": room.channel_id}
    kind = "channel" if is_open_to_all(room) else "group"
    return {"type": kind, kind: room.channel_id}
