"""Canvases and lists as files: access, and their file objects.

https://docs.slack.dev/surfaces/canvases#finding-canvases-with-fileslist
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from twindiff.kit import Call, Column, Response, Row, all_of, any_of, exists, not_
from twindiff.kit.rows import Expression

from ..core.access import hidden_from
from ..core.arguments import iso_of
from ..core.list_tables import ListAccess, SlackList
from ..core.tables import Canvas, CanvasAccess, ChannelMember
from ..lists.list_views import list_object
from ..lists.lists import access_of, levels_of
from ..rendering.canvas_views import canvas_object, html_of, levels_given, reach_of
from ..rendering.file_views import stars_on
from .canvases import access_to

TYPES = ("canvas",)
"""The types that files.list accepts in addition to types of files."""

Document = Canvas | SlackList


def find_document(call: Call, id: str) -> Document | None:
    """Return the canvas or list with this id if the caller may read it, else None."""
    canvas = call.db.find(Canvas, Canvas.canvas_id == id)
    if canvas:
        return canvas if access_to(call, canvas) else None
    slack_list = call.db.find(SlackList, SlackList.list_id == id)
    return slack_list if slack_list and access_of(call, slack_list) else None


def document_objects(call: Call, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Map ids to file objects of canvases and lists; callers pass only ids that the actor may read."""
    shown = {
        each.canvas_id: {**canvas_object(call, each, access_to(call, each)), **reach_of(call, levels_given(call, each))}
        for each in (call.db.rows(Canvas, Canvas.canvas_id.in_(ids)) if ids else ())
    }
    for each in call.db.rows(SlackList, SlackList.list_id.in_(ids)) if ids else ():
        reach = reach_of(call, levels_of(call, each))
        shown[each.list_id] = {**list_object(call, each, access_of(call, each)), **reach}
    stars = stars_on(call, list(shown))
    return {id: {**each, **stars.get(id, {})} for id, each in shown.items()}


def list_documents(
    call: Call, *, types: Sequence[str], user: str, channel: str, ts_from: float, ts_to: float
) -> list[tuple[str, str]]:
    """Return creation time and id of the canvases and lists that files.list shows to the caller."""
    tables: list[tuple[type[Row], Any, Any, Expression]] = []
    if not types or "all" in types or "canvas" in types:
        tables.append((Canvas, Canvas, Canvas.canvas_id, _canvases(call, channel)))
    if not types or "all" in types:
        tables.append((SlackList, SlackList, SlackList.list_id, _lists(call, channel)))
    listed: list[tuple[str, str]] = []
    for table, columns, key, visible in tables:
        where = [visible]
        where += [columns.user_id == user] if user else []
        where += [columns.created_at >= iso_of(ts_from)] if ts_from else []
        where += [columns.created_at <= iso_of(ts_to)] if ts_to else []
        listed += [(made or "", id) for made, id in call.db.rows(table, *where, columns=(columns.created_at, key))]
    return listed


def find_documents_by_title(call: Call, has_words: Callable[[Column[Any]], Expression]) -> list[tuple[str, str]]:
    """Return creation time and id of the readable canvases and lists whose titles have the words."""
    canvases, lists = (Canvas.created_at, Canvas.canvas_id), (SlackList.created_at, SlackList.list_id)
    titled = [
        *call.db.rows(Canvas, _canvases(call, ""), has_words(Canvas.title), columns=canvases),
        *call.db.rows(SlackList, _lists(call, ""), has_words(SlackList.title), columns=lists),
    ]
    return [(made or "", id) for made, id in titled]


def _canvases(call: Call, channel: str) -> Expression:
    """Select canvases that the caller may read; with `channel`, only those of the channel or shared with it."""
    hidden = hidden_from(call.db, call.actor)
    own = all_of(Canvas.user_id == call.actor, any_of(Canvas.channel_id.is_null(), not_(Canvas.channel_id.in_(hidden))))
    of_my_channel = _is_member_of(call, Canvas.channel_id)
    shared = exists(CanvasAccess, CanvasAccess.canvas_id == Canvas.canvas_id, _reaches(call, CanvasAccess.entity_id))
    visible = any_of(own, of_my_channel, shared)
    if not channel:
        return visible
    with_it = exists(CanvasAccess, CanvasAccess.canvas_id == Canvas.canvas_id, CanvasAccess.entity_id == channel)
    return all_of(visible, any_of(Canvas.channel_id == channel, with_it))


def _lists(call: Call, channel: str) -> Expression:
    of_list = ListAccess.list_id == SlackList.list_id
    visible = any_of(SlackList.user_id == call.actor, exists(ListAccess, of_list, _reaches(call, ListAccess.entity_id)))
    return all_of(visible, exists(ListAccess, of_list, ListAccess.entity_id == channel)) if channel else visible


def _reaches(call: Call, entity: Column[str]) -> Expression:
    return any_of(entity == call.actor, _is_member_of(call, entity))


def _is_member_of(call: Call, channel: Column[Any]) -> Expression:
    return exists(ChannelMember, ChannelMember.channel_id == channel, ChannelMember.user_id == call.actor)


def canvas_page(canvas: Document) -> Response | None:
    """Return a canvas as the HTML page at its private address; None for a list, which is exported as CSV elsewhere."""
    if not isinstance(canvas, Canvas):
        return None
    return Response(html_of(canvas).encode(), content_type="text/html; charset=utf-8")
