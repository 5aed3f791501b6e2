"""Comments and discussions. https://developers.notion.com/reference/comment-object"""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit import Body, Call, Operations

from ..core.body_rules import (
    Rule,
    allow_one,
    array,
    check_body,
    choice,
    invalid_body,
    need_one,
    obj,
    text,
    typed_object,
    uuid,
)
from ..core.edit_stamps import minute
from ..core.file_values import attach_upload, sign_file
from ..core.list_answers import MAX_PAGE_SIZE, check_page_size, list_answer, slice_list
from ..core.object_lookup import (
    check_editable,
    find_bot,
    find_node,
    find_row,
    find_visible,
    is_trashed,
    not_found,
    parse_id,
)
from ..core.user_objects import find_user, user_reference
from ..event_delivery.event_emission import emit_comment
from ..markdown.inline_markdown import read_inline
from ..rich_text.rich_text_rules import rich_text
from ..rich_text.rich_text_values import pack_columns, unpack_columns
from ..tables.content_tables import Block, Comment, Page, User
from ..tables.workspace_tables import FileUpload

api = Operations(prefix="/v1")
JsonBody = Annotated[dict[str, Any], Body]
MAX_ATTACHMENTS = 3
_CATEGORIES = {"image": "image", "video": "video", "audio": "audio", "application/pdf": "pdf"}
_attachment = obj({"file_upload_id": uuid}, type=choice("file_upload"))
_about: dict[str, Rule] = {
    "rich_text": rich_text,
    "markdown": text(),
    "attachments": array(_attachment, most=MAX_ATTACHMENTS),
    "display_name": obj({"type": choice("integration", "user", "custom")}, custom=obj({"name": text()})),
}
_parent = typed_object({"page_id": uuid, "block_id": uuid})
_places = ("parent", "discussion_id")
_create_body = allow_one(_places, need_one(_places, obj(None, parent=_parent, discussion_id=uuid, **_about)))
_update_body = obj(None, rich_text=rich_text, markdown=text())


def _columns(call: Call, body: dict[str, Any]) -> dict[str, Any]:
    if ("rich_text" in body) == ("markdown" in body):
        raise invalid_body("body.rich_text", "defined")
    items = body["rich_text"] if "rich_text" in body else read_inline(body["markdown"])
    plain, pieces = pack_columns(call, items)
    return {"text": plain, "rich_text": pieces}


@api.post("/comments", scope="insert_comments")
def create_comment(call: Call, body: JsonBody) -> dict[str, Any]:
    """Add a comment to a page, a block or a discussion."""
    check_body(_create_body, body)
    columns = {**_columns(call, body), **_find_place(call, body)}
    bot = find_bot(call)
    now = call.clock.iso()
    files: list[dict[str, str]] = body.get("attachments") or []
    attached = [attach_upload(call, each["file_upload_id"]).id for each in files]
    row = Comment(
        id=call.ids.uuid(),
        attachments=attached or None,
        display_name=body.get("display_name"),
        number=call.db.next("notion_comment"),
        created_by=bot.id,
        created_time=now,
        last_edited_time=now,
        **columns,
    )
    call.db.add(row)
    emit_comment(call, "comment.created", row)
    return comment_object(call, row)


def _find_place(call: Call, body: dict[str, Any]) -> dict[str, Any]:
    if "discussion_id" in body:
        discussion_id = parse_id(body["discussion_id"], "discussion_id", "body")
        said = call.db.rows(Comment, Comment.discussion_id == discussion_id, order=Comment.number, limit=1)
        about = _find_subject(call, said[0]) if said else None
        if about is None:
            raise not_found(call, "discussion", discussion_id)
        check_editable(call, about)
        place = {"parent_type": said[0].parent_type, "parent_id": said[0].parent_id}
        return {"discussion_id": discussion_id, "answers_id": said[0].answers_id or said[0].id, **place}
    kind = body["parent"].get("type") or next(iter(body["parent"]))
    node = find_node(call, parse_id(body["parent"][kind], kind, "body.parent"), kind.removesuffix("_id"))
    check_editable(call, node)
    kind = "page_id" if isinstance(node, Page) else "block_id"
    return {"discussion_id": call.ids.uuid(), "parent_type": kind, "parent_id": node.id}


@api.get("/comments", scope="read_comments")
def list_comments(
    call: Call, block_id: str, start_cursor: str | None = None, page_size: str | int = MAX_PAGE_SIZE
) -> dict[str, Any]:
    """List the comments of a page or a block, the oldest first."""
    node = find_node(call, parse_id(block_id, "block_id", "query"))
    if is_trashed(call, node):
        raise not_found(call, "block", node.id)
    rows = call.db.rows(Comment, Comment.parent_id == node.id, order=(Comment.created_time, Comment.number, Comment.id))
    rows, cursor = slice_list(rows, start_cursor, check_page_size(page_size))
    return list_answer("comment", [comment_object(call, row) for row in rows], cursor)


@api.get("/comments/{comment_id}", scope="read_comments")
def get_comment(call: Call, comment_id: str) -> dict[str, Any]:
    """Get a comment."""
    return comment_object(call, _find(call, comment_id))


@api.patch("/comments/{comment_id}", scope="insert_comments")
def update_comment(call: Call, comment_id: str, body: JsonBody) -> dict[str, Any]:
    """Change the text of a comment."""
    row = _find_own(call, comment_id)
    check_body(_update_body, body)
    row = call.db.change(row, **_columns(call, body), last_edited_time=call.clock.iso())
    emit_comment(call, "comment.updated", row)
    return comment_object(call, row)


@api.delete("/comments/{comment_id}", scope="insert_comments")
def delete_comment(call: Call, comment_id: str) -> dict[str, Any]:
    """Delete a comment."""
    row = _find_own(call, comment_id)
    shown = comment_object(call, row)
    call.db.remove(row)
    emit_comment(call, "comment.deleted", row)
    return shown


def _find(call: Call, comment_id: str) -> Comment:
    row = find_row(call, Comment, parse_id(comment_id, "comment_id"), "comment")
    if _find_subject(call, row) is None:
        raise not_found(call, "comment", row.id)
    return row


def _find_subject(call: Call, row: Comment) -> Page | Block | None:
    return find_visible(call, Page, row.parent_id) or find_visible(call, Block, row.parent_id)


def _find_own(call: Call, comment_id: str) -> Comment:
    row = _find(call, comment_id)
    if row.created_by != find_bot(call).id:
        raise not_found(call, "comment", row.id)
    return row


def comment_object(call: Call, row: Comment) -> dict[str, Any]:
    """Render a comment."""
    shown = {
        "object": "comment",
        "id": row.id,
        "parent": {"type": row.parent_type, row.parent_type: row.parent_id},
        "discussion_id": row.discussion_id,
        "created_time": minute(row.created_time),
        "last_edited_time": minute(row.last_edited_time or row.created_time),
        "created_by": user_reference(row.created_by),
        "rich_text": unpack_columns(call, row.text, row.rich_text),
        "display_name": _display_name(call, row),
    }
    if row.attachments:
        shown["attachments"] = [
            {"category": _category(call, id), "file": sign_file(call, id)} for id in row.attachments
        ]
    return shown


def _display_name(call: Call, row: Comment) -> dict[str, Any]:
    author: User | None = find_user(call, row.created_by) if row.created_by else None
    wanted: dict[str, Any] = row.display_name or {
        "type": "user" if author and author.type == "person" else "integration"
    }
    if wanted["type"] == "custom":
        return {"type": "custom", "resolved_name": wanted.get("custom", {"name": None})["name"]}
    if wanted["type"] == "user" and author and author.owner_id:
        author = find_user(call, author.owner_id)
    return {"type": wanted["type"], "resolved_name": author.name if author else None}


def _category(call: Call, upload_id: str) -> str:
    upload = call.db.find(FileUpload, FileUpload.id == upload_id)
    kind = (upload.content_type if upload else None) or ""
    return _CATEGORIES.get(kind) or _CATEGORIES.get(kind.partition("/")[0]) or "productivity"
