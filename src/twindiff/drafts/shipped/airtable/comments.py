"""Comments on records. https://airtable.com/developers/web/api/list-comments, /create-comment"""

from __future__ import annotations

from typing import Any

from twindiff.kit.call import Call
from twindiff.kit.twin import Operations

from .bases import CALLER, CALLER_EMAIL
from .records import find_named_table, find_record
from .tables import AirtableComment
from .wire_style import AirtableError, make_id

api = Operations(prefix="/v0/{baseId}/{tableIdOrName}/{recordId}/comments")
MAX_PAGE = 100
Shown = dict[str, Any]


def _show_time(timestamp: str | None) -> str | None:
    return f"{timestamp[:19]}.000Z" if timestamp else None


def _show(row: AirtableComment) -> Shown:
    return {
        "id": row.id,
        "author": {"id": row.author_id, "email": CALLER_EMAIL, "name": "Agent"},
        "text": row.text,
        "createdTime": _show_time(row.created_time),
        "lastUpdatedTime": _show_time(row.updated_time),
        **({"parentCommentId": row.parent_id} if row.parent_id else {}),
    }


def _find(call: Call, record_id: str, id: str) -> AirtableComment:
    row = call.db.find(AirtableComment, AirtableComment.id == id, AirtableComment.record_id == record_id)
    if row is None:
        raise AirtableError(404, "NOT_FOUND", is_bare=True)
    return row


def _check_text(text: str) -> str:
    if not text.strip():
        raise AirtableError(422, "INVALID_REQUEST_UNKNOWN", "Invalid request: parameter validation failed: text")
    return text


@api.get("")
def list_comments(
    call: Call, base_id: str, table_id_or_name: str, record_id: str, page_size: int = MAX_PAGE, offset: str = ""
) -> Shown:
    """List the comments on a record, the newest first."""
    record = find_record(call, find_named_table(call, base_id, table_id_or_name), record_id)
    rows = call.db.rows(AirtableComment, AirtableComment.record_id == record.id, order=-AirtableComment.position)
    start = next((n for n, row in enumerate(rows) if row.id == offset), None) if offset else 0
    if start is None:
        raise AirtableError(422, "INVALID_OFFSET_VALUE", "The offset is not one that a page gave")
    end = start + min(max(page_size, 1), MAX_PAGE)
    return {"comments": [_show(row) for row in rows[start:end]], "offset": rows[end].id if end < len(rows) else None}


@api.post("")
def post_comment(
    call: Call, base_id: str, table_id_or_name: str, record_id: str, text: str, parent_comment_id: str = ""
) -> Shown:
    """Comment on a record, or reply to a comment on it."""
    record = find_record(call, find_named_table(call, base_id, table_id_or_name), record_id)
    parent = _find(call, record.id, parent_comment_id).id if parent_comment_id else None
    row = AirtableComment(
        id=make_id(call, "com"),
        record_id=record.id,
        text=_check_text(text),
        author_id=CALLER,
        parent_id=parent,
        created_time=call.clock.iso(),
        position=call.db.next("comment"),
    )
    return _show(call.db.add(row))


@api.patch("/{rowCommentId}")
def patch_comment(
    call: Call, base_id: str, table_id_or_name: str, record_id: str, row_comment_id: str, text: str
) -> Shown:
    """Change the text of a comment."""
    record = find_record(call, find_named_table(call, base_id, table_id_or_name), record_id)
    row = _find(call, record.id, row_comment_id)
    return _show(call.db.change(row, text=_check_text(text), updated_time=call.clock.iso()))


@api.delete("/{rowCommentId}")
def delete_comment(call: Call, base_id: str, table_id_or_name: str, record_id: str, row_comment_id: str) -> Shown:
    """Delete a comment; replies to it stay."""
    record = find_record(call, find_named_table(call, base_id, table_id_or_name), record_id)
    row = _find(call, record.id, row_comment_id)
    call.db.remove(row)
    return {"id": row.id, "deleted": True}
