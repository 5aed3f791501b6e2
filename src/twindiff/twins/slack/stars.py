"""What people have saved for themselves.

https://docs.slack.dev/reference/methods?family=stars
"""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from msgspec import Meta

from twindiff.kit import Call, Operations

from .access import visible_channel, workspace
from .arguments import unix_of
from .chat import find_message
from .errors import AlreadyStarred, FileCommentNotFound, NoItemSpecified, NotStarred
from .file_views import file_objects
from .files import visible_file
from .pins import message_wanted
from .related import related_to
from .tables import File, Message, Star
from .views import permalink, pinned_message

api = Operations()

Count = Annotated[int, Meta(ge=1, le=1000)]
Page = Annotated[int, Meta(ge=1)]


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
    """Let go of a saved item.

    https://docs.slack.dev/reference/methods/stars.remove
    """
    item = _item(call, channel, timestamp, file, file_comment)
    call.db.remove(call.db.get(Star, call.actor, item.kind, item.id, missing=NotStarred))
    return {}


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
    message_wanted(timestamp)
    return Item("message", find_message(call.db, room, timestamp).message_id, room.channel_id)


@api.method("stars.list", reads=True, scope="stars:read")
def list_stars(call: Call, count: Count = 100, page: Page = 1) -> dict[str, Any]:
    """List what the caller has saved, the latest first.

    https://docs.slack.dev/reference/methods/stars.list
    """
    mine = Star.user_id == call.actor
    stars = call.db.rows(Star, mine, order=(-Star.created_at, -Star.item_id), limit=count, offset=(page - 1) * count)
    total = call.db.count(Star, mine)
    paging = {"per_page": count, "spill": 0, "page": page, "total": total, "pages": -(-total // count)}
    return {"items": _items(call, stars), "paging": paging}


def _items(call: Call, stars: list[Star]) -> list[dict[str, Any]]:
    team = workspace(call.db)
    ids = {kind: [star.item_id for star in stars if star.item_type == kind] for kind in ("message", "file")}
    messages = call.db.rows(Message, Message.message_id.in_(ids["message"])) if ids["message"] else []
    related = related_to(call, messages)
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
    return [_listed(star, shown) for star in stars]


def _listed(star: Star, shown: dict[str, dict[str, Any]]) -> dict[str, Any]:
    listed: dict[str, Any] = {"type": star.item_type, "date_create": unix_of(star.created_at)}
    if star.channel_id:
        listed["channel"] = star.channel_id
    return {**listed, star.item_type: shown[star.item_id]} if star.item_id in shown else listed
