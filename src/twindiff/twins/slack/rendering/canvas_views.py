"""Rendering of canvases: as files, as HTML, and in the properties of their channels.

https://docs.slack.dev/surfaces/canvases
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markdown_it import MarkdownIt

from twindiff.kit import Call

from ..core.access import is_open_to_all, is_visible, workspace
from ..core.addresses import workspace_url
from ..core.arguments import unix_of
from ..core.tables import Canvas, CanvasAccess, Channel
from .rich_text import rich_text_block

MAX_HTML_SOURCE_CHARACTERS = 100_000
"""The most characters of a canvas that are rendered as HTML; markdown is returned whole."""

_TABS = [{"id": each, "label": "", "type": each} for each in ("files", "bookmarks")]
_OF_ALL: dict[str, Any] = {
    "mimetype": "application/vnd.slack-docs",
    "filetype": "quip",
    "pretty_type": "Canvas",
    "mode": "quip",
    "is_external": False,
    "external_type": "",
    "public_url_shared": False,
    "display_as_bot": False,
    "username": "",
    "is_starred": False,
    "has_rich_preview": False,
    "file_access": "visible",
    "org_or_workspace_access": "none",
    "teams_shared_with": [],
    "is_restricted_sharing_enabled": False,
    "is_ai_suggested": False,
    "is_modified_by_ai": False,
    "comments_count": 0,
}
"""Fields that are the same for all canvases."""

_PARSER = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def html_of(canvas: Canvas) -> str:
    """Return a canvas as HTML."""
    return f'<div class="quip-canvas-content">{_PARSER.render(canvas.markdown[:MAX_HTML_SOURCE_CHARACTERS])}</div>'


def canvas_object(call: Call, canvas: Canvas, access: str) -> dict[str, Any]:
    """Return a canvas as a file object; `access` is the caller's access level."""
    team, title = workspace(call.db), canvas.title or "Untitled"
    created = unix_of(canvas.created_at)
    address = f"{call.base_url}/files-pri/{team.team_id}-{canvas.canvas_id}"
    return {
        "id": canvas.canvas_id,
        "created": created,
        "timestamp": created,
        "name": title.replace(" ", "_"),
        "title": title,
        "title_blocks": [rich_text_block(title)],
        "user": canvas.user_id,
        "user_team": team.team_id,
        "canvas_creator_id": canvas.user_id,
        "size": len(canvas.markdown.encode()),
        "url_private": f"{address}/canvas",
        "url_private_download": f"{address}/download/canvas",
        "permalink": f"{workspace_url(team)}docs/{team.team_id}/{canvas.canvas_id}",
        "access": access,
        "editable": access != "read",
        "is_channel_space": canvas.channel_id is not None,
        **({"linked_channel_id": canvas.channel_id} if canvas.channel_id else {}),
        **_edits(canvas, created),
        **_OF_ALL,
    }


def _edits(canvas: Canvas, created: int) -> dict[str, Any]:
    """Return the fields on edits: the time of the last one, and the editors."""
    edited, later = unix_of(canvas.edited_at) or created, canvas.editors or ()
    editors = list(dict.fromkeys((canvas.user_id, *later)))
    last_editor = later[-1] if later else canvas.user_id
    return {"updated": edited, "edit_timestamp": edited, "editors": editors, "last_editor": last_editor}


def reach_of(call: Call, levels: dict[str, str]) -> dict[str, Any]:
    """Return the sharing fields of a canvas or list; `levels` maps ids of users and channels to access levels.

    Private conversations are listed only to their members.
    """
    rooms = list(call.db.rows(Channel, Channel.channel_id.in_(list(levels)))) if levels else []
    people = {entity: level for entity, level in levels.items() if entity not in {room.channel_id for room in rooms}}
    of_kind: dict[str, list[str]] = {"channels": [], "groups": [], "ims": []}
    for room in rooms:
        if is_visible(call, room):
            of_kind["ims" if room.is_dm else "channels" if is_open_to_all(room) else "groups"].append(room.channel_id)
    return {
        **of_kind,
        "is_public": bool(of_kind["channels"]),
        "dm_mpdm_users_with_file_access": [{"user_id": user, "access": level} for user, level in people.items()],
        "private_channels_with_file_access_count": sum(room.is_private and not room.is_dm for room in rooms),
        "has_more_shares": False,
    }


def levels_given(call: Call, canvas: Canvas) -> dict[str, str]:
    """Map ids of users and channels to their access levels to a canvas.

    The owner is not included; members of the canvas's channel may write.
    """
    given = call.db.rows(CanvasAccess, CanvasAccess.canvas_id == canvas.canvas_id)
    levels = {access.entity_id: access.access_level for access in given}
    return {canvas.channel_id: "write", **levels} if canvas.channel_id else levels


def properties_of(call: Call, rooms: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Map channel ids to their `properties`: the tabs and the canvas.

    https://docs.slack.dev/reference/objects/conversation-object
    """
    canvases = call.db.rows(Canvas, Canvas.channel_id.in_(rooms), order=-Canvas.created_at) if rooms else []
    shown = {each.channel_id: {"file_id": each.canvas_id, "is_empty": not each.markdown.strip()} for each in canvases}
    return {room: {"tabs": _TABS, **({"canvas": shown[room]} if room in shown else {})} for room in rooms}
