"""Meeting notes. https://developers.notion.com/reference/query-meeting-notes"""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit import Body, Call, Operations

from ..blocks.block_objects import render_nodes
from ..core.body_rules import anything, check_body, obj
from ..core.object_lookup import is_trashed, is_visible
from ..tables.content_tables import Block
from ..wire_style import RestrictedResource

api = Operations(prefix="/v1")
JsonBody = Annotated[dict[str, Any], Body]
MAX_NOTES = 100


@api.post("/blocks/meeting_notes/query", reads=True, scope="read_content")
def query_meeting_notes(call: Call, body: JsonBody = {}) -> dict[str, Any]:  # noqa: B006 - read by the kit
    """List the meeting notes of the workspace, the newest first."""
    rows = call.db.rows(
        Block, Block.type == "meeting_notes", ~Block.in_trash, order=-Block.created_time, limit=MAX_NOTES
    )
    shown = [row for row in rows if not is_trashed(call, row) and is_visible(call, row)]
    results = [{name: value for name, value in each.items() if name != "parent"} for each in render_nodes(call, shown)]
    return {"results": results, "has_more": len(rows) == MAX_NOTES}


@api.post("/blocks/meeting_notes", reads=True)
def create_meeting_note(call: Call, body: JsonBody) -> dict[str, Any]:
    """Refuse to transcribe a recording, which the workspace's plan does not include."""
    check_body(obj({"source": anything}, parent=anything, title=anything, language=anything, options=anything), body)
    raise RestrictedResource("AI meeting notes are not available for this workspace's plan.")
