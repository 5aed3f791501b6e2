"""Canvases, which users write together.

https://docs.slack.dev/surfaces/canvases
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from twindiff.kit import ApiError, Call, Operations, revise

from ..core.access import is_member, is_visible, visible_channel
from ..core.document_access import entities_of, levels_through
from ..core.errors import InvalidArguments, NotInChannel, RestrictedAction
from ..core.surface_errors import CanvasCreationFailed, CanvasEditingFailed, CanvasNotFound, ChannelCanvasAlreadyExists
from ..core.tables import Canvas, CanvasAccess, Channel
from ..rendering.canvas_views import html_of, levels_given
from .canvas_sections import Section, find_unsupported_markdown, join_sections, sections_of

api = Operations()

_RANKS = ("read", "write", "owner")


class Document(msgspec.Struct, forbid_unknown_fields=True):
    type: str
    markdown: str


class Change(msgspec.Struct):
    operation: str
    document_content: Document | None = None
    title_content: Document | None = None
    section_id: str = ""


class Criteria(msgspec.Struct):
    section_types: list[str] = []
    contains_text: str = ""


@api.method("canvases.create", scope="canvases:write")
def create(
    call: Call, title: str = "", document_content: dict[str, Any] | None = None, channel_id: str = ""
) -> dict[str, Any]:
    """Create a canvas, as a tab of a channel if one is given.

    https://docs.slack.dev/reference/methods/canvases.create
    """
    room = visible_channel(call, channel_id) if channel_id else None
    return {"canvas_id": _add(call, title, _markdown(document_content, CanvasCreationFailed), room).canvas_id}


@api.method("conversations.canvases.create", scope="canvases:write")
def create_in_channel(
    call: Call, channel_id: str, document_content: dict[str, Any] | None = None, title: str = ""
) -> dict[str, Any]:
    """Create the canvas of a channel, which has at most one.

    https://docs.slack.dev/reference/methods/conversations.canvases.create
    """
    room = visible_channel(call, channel_id)
    if not is_member(call.db, room, call.actor):
        raise NotInChannel
    if call.db.find(Canvas, Canvas.channel_id == room.channel_id):
        raise ChannelCanvasAlreadyExists
    return {"canvas_id": _add(call, title, _markdown(document_content, CanvasCreationFailed), room).canvas_id}


def _add(call: Call, title: str, markdown: str, room: Channel | None) -> Canvas:
    canvas = Canvas(
        canvas_id=call.ids.new("F"),
        user_id=call.actor,
        title=title or None,
        markdown=markdown,
        channel_id=room.channel_id if room else None,
        created_at=call.clock.iso(),
    )
    return call.db.add(canvas)


def _markdown(given: dict[str, Any] | None, failed: type[ApiError]) -> str:
    """Return the markdown of a document; raises `failed` for what Slack's canvases do not take."""
    if given is None:
        return ""
    markdown = _read(given, Document).markdown
    if problem := find_unsupported_markdown(markdown):
        raise failed(detail=problem)
    return markdown


def _read(given: Any, kind: type[Any]) -> Any:
    try:
        value = msgspec.convert(given, kind)
    except msgspec.ValidationError as error:
        raise InvalidArguments(response_metadata={"messages": [f"[ERROR] {error}"]}) from None
    if isinstance(value, Document) and value.type != "markdown":
        raise InvalidArguments(response_metadata={"messages": ["[ERROR] type must be markdown"]})
    return value


@api.method("canvases.edit", scope="canvases:write")
def edit(call: Call, canvas_id: str, changes: list[Any]) -> dict[str, Any]:
    """Make one change to a canvas: insert, replace or delete text, or rename it.

    https://docs.slack.dev/reference/methods/canvases.edit
    """
    canvas = _writable(call, canvas_id)
    if len(changes) != 1:
        raise InvalidArguments(response_metadata={"messages": ["[ERROR] changes must be exactly 1 item"]})
    change: Change = _read(changes[0], Change)
    if change.operation == "rename":
        wanted = {"title": _text(change.title_content)}
    else:
        wanted = {"markdown": _apply_change(sections_of(canvas_id, canvas.markdown), change)}
    editors = [*(user for user in canvas.editors or () if user != call.actor), call.actor]
    revise(call.db, canvas, stamp={"edited_at": call.clock.iso(), "editors": editors}, **wanted)
    return {}


def _apply_change(sections: list[Section], change: Change) -> str:
    """Return the markdown after applying a change to the sections."""
    texts = [section.text for section in sections]
    operation, at = change.operation, _place(sections, change.section_id)
    if operation == "delete" and at is not None:
        return join_sections([*texts[:at], *texts[at + 1 :]])
    if operation == "replace":
        new = _text(change.document_content)
        return join_sections([new] if at is None else [*texts[:at], new, *texts[at + 1 :]])
    if operation == "insert_before" and at is not None:
        return join_sections([*texts[:at], _text(change.document_content), *texts[at:]])
    if operation == "insert_after" and at is not None:
        return join_sections([*texts[: at + 1], _text(change.document_content), *texts[at + 1 :]])
    if operation == "insert_at_start":
        return join_sections([_text(change.document_content), *texts])
    if operation == "insert_at_end":
        return join_sections([*texts, _text(change.document_content)])
    raise InvalidArguments(response_metadata={"messages": [f"[ERROR] cannot do {operation} [json-pointer:/changes/0]"]})


def _place(sections: list[Section], section_id: str) -> int | None:
    if not section_id:
        return None
    for at, section in enumerate(sections):
        if section.id == section_id:
            return at
    raise CanvasEditingFailed(detail=f"There is no section {section_id}")


def _text(content: Document | None) -> str:
    if content is None:
        raise InvalidArguments(response_metadata={"messages": ["[ERROR] missing content [json-pointer:/changes/0]"]})
    if problem := find_unsupported_markdown(content.markdown):
        raise CanvasEditingFailed(detail=problem)
    return content.markdown


@api.method("canvases.getContent", reads=True, scope="canvases:read")
def get_content(call: Call, canvas_id: str, content_type: Literal["markdown", "html"] = "markdown") -> dict[str, Any]:
    """Return the whole text of a canvas.

    https://docs.slack.dev/reference/methods/canvases.getContent
    """
    canvas = _readable(call, canvas_id)
    return {"content": html_of(canvas) if content_type == "html" else canvas.markdown}


@api.method("canvases.sections.lookup", reads=True, scope="canvases:read")
def look_up_sections(call: Call, canvas_id: str, criteria: dict[str, Any]) -> dict[str, Any]:
    """Find sections of a canvas by their text, and headings by their level.

    https://docs.slack.dev/reference/methods/canvases.sections.lookup
    """
    canvas = _readable(call, canvas_id)
    wanted: Criteria = _read(criteria, Criteria)
    if not (wanted.section_types or wanted.contains_text):
        raise InvalidArguments(response_metadata={"messages": ["[ERROR] must provide criteria"]})
    sections = [each for each in sections_of(canvas_id, canvas.markdown) if _meets(each, wanted)]
    return {"sections": [{"id": section.id} for section in sections]}


def _meets(section: Section, wanted: Criteria) -> bool:
    types = wanted.section_types
    of_type = not types or (bool(section.heading) and ("any_header" in types or section.heading in types))
    return of_type and wanted.contains_text.casefold() in section.text.casefold()


@api.method("canvases.delete", scope="canvases:write")
def delete(call: Call, canvas_id: str) -> dict[str, Any]:
    """Delete a canvas that the caller may write to.

    https://docs.slack.dev/reference/methods/canvases.delete
    """
    canvas = _writable(call, canvas_id)
    for access in call.db.rows(CanvasAccess, CanvasAccess.canvas_id == canvas_id):
        call.db.remove(access)
    call.db.remove(canvas)
    return {}


@api.method("canvases.access.set", scope="canvases:write")
def set_access(
    call: Call,
    canvas_id: str,
    access_level: str,
    channel_ids: str | list[str] = "",
    user_ids: str | list[str] = "",
) -> dict[str, Any]:
    """Give users, or all members of channels, access to a canvas.

    https://docs.slack.dev/reference/methods/canvases.access.set
    """
    canvas = _writable(call, canvas_id)
    channels, users = entities_of(call, channel_ids, user_ids)
    if access_level not in ("read", "write", "owner"):
        raise InvalidArguments(response_metadata={"messages": ["[ERROR] access_level must be read, write or owner"]})
    if access_level == "owner":
        _hand_over(call, canvas, users)
        return {}
    for entity in channels or users:
        if entity != canvas.user_id:
            _allow(call, canvas, entity, access_level)
    return {}


@api.method("canvases.access.delete", scope="canvases:write")
def delete_access(
    call: Call, canvas_id: str, channel_ids: str | list[str] = "", user_ids: str | list[str] = ""
) -> dict[str, Any]:
    """Remove the access that canvases.access.set gave to users, or to all members of channels.

    https://docs.slack.dev/reference/methods/canvases.access.delete
    """
    canvas = _writable(call, canvas_id)
    channels, users = entities_of(call, channel_ids, user_ids)
    for entity in channels or users:
        if access := _access(call, canvas, entity):
            call.db.remove(access)
    return {}


def _hand_over(call: Call, canvas: Canvas, users: list[str]) -> None:
    """Transfer ownership, which only the owner can do; the former owner keeps write access."""
    if len(users) != 1:
        raise InvalidArguments(response_metadata={"messages": ["[ERROR] only one user can be the owner"]})
    if canvas.user_id != call.actor:
        raise RestrictedAction
    (owner,) = users
    if owner == call.actor:
        return
    _allow(call, canvas, call.actor, "write")
    if access := _access(call, canvas, owner):
        call.db.remove(access)
    call.db.change(canvas, user_id=owner)


def _allow(call: Call, canvas: Canvas, entity: str, level: str) -> None:
    access = _access(call, canvas, entity)
    if access is None:
        call.db.add(CanvasAccess(canvas_id=canvas.canvas_id, entity_id=entity, access_level=level))
    elif access.access_level != level:
        call.db.change(access, access_level=level)


def _access(call: Call, canvas: Canvas, entity: str) -> CanvasAccess | None:
    return call.db.find(CanvasAccess, CanvasAccess.canvas_id == canvas.canvas_id, CanvasAccess.entity_id == entity)


def _readable(call: Call, canvas_id: str) -> Canvas:
    canvas = call.db.get(Canvas, canvas_id, missing=CanvasNotFound)
    if not access_to(call, canvas):
        raise CanvasNotFound
    return canvas


def _writable(call: Call, canvas_id: str) -> Canvas:
    canvas = call.db.get(Canvas, canvas_id, missing=CanvasNotFound)
    access = access_to(call, canvas)
    if not access:
        raise CanvasNotFound
    if access == "read":
        raise RestrictedAction
    return canvas


def access_to(call: Call, canvas: Canvas) -> str:
    """Return the caller's access level to a canvas: owner, write, read, or an empty text."""
    room = call.db.find(Channel, Channel.channel_id == canvas.channel_id) if canvas.channel_id else None
    if canvas.user_id == call.actor and (room is None or is_visible(call, room)):
        return "owner"
    return max(levels_through(call, levels_given(call, canvas)), key=_RANKS.index, default="")
