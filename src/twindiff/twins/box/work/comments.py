"""Comments on files, replies and mentions.

https://developer.box.com/reference/resources/comment
"""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from twindiff.kit import Call, Meta, Operations, Struct, revise
from twindiff.twins.box.wire_style import BadRequest, offset_page, wanted_fields, window

from ..core.access import Right, find_file, require
from ..core.errors import NotFound
from ..core.row_stamps import format_instant, new_id
from ..event_delivery.event_emission import emit_item_event
from ..tables.item_tables import Comment, File
from ..views.item_views import pick_fields, user_mini

api = Operations(prefix="/2.0")
_MENTION = re.compile(r"@\[\d+:([^\]]*)\]")
MAX_MESSAGE_CHARACTERS = 10_000
Fields = tuple[str, ...] | None


class Target(Struct):
    """The target of a comment: a file, or a comment to reply to."""

    id: str | int
    type: Literal["file", "comment"]


def comment_object(call: Call, comment: Comment, fields: Fields = None) -> dict[str, Any]:
    """Render a comment. If it mentions users, `tagged_message` names them by id."""
    shown: dict[str, Any] = {
        "type": "comment",
        "id": comment.id,
        "is_reply_comment": comment.is_reply_comment,
        "message": comment.message or "",
        "created_by": user_mini(call, comment.created_by_id),
        "created_at": format_instant(comment.created_at),
        "modified_at": format_instant(comment.modified_at or comment.created_at),
        "item": {"type": comment.item_type, "id": comment.item_id},
    }
    if comment.tagged_message or (fields and "tagged_message" in fields):
        shown["tagged_message"] = comment.tagged_message or ""
    return pick_fields({name: value for name, value in shown.items() if value is not None}, fields)


def _find(call: Call, comment_id: str) -> Comment:
    comment = call.db.find(Comment, Comment.id == comment_id)
    if comment is None:
        raise NotFound.of("comment", comment_id)
    find_file(call, comment.file_id, "preview")
    return comment


def _check_author(call: Call, comment: Comment, needed: Right) -> File:
    """Return the file of a comment; raise unless the caller wrote the comment or has the `needed` right to the file."""
    file = find_file(call, comment.file_id)
    if comment.created_by_id != call.actor:
        require(call, file, needed)
    return file


def _plain(tagged: str) -> str:
    """Return a text without the ids of mentioned users."""
    return _MENTION.sub(r"@\1", tagged)


@api.get("/files/{file_id}/comments")
def list_comments(call: Call, file_id: str, fields: str = "", offset: int = 0, limit: int = 100) -> dict[str, Any]:
    """List the comments on a file with their replies, oldest first.

    https://developer.box.com/reference/get-files-id-comments
    """
    file, at = find_file(call, file_id, "preview"), window(offset, limit)
    where = Comment.file_id == file.id
    rows = call.db.rows(Comment, where, order=(Comment.created_at, Comment.id), limit=at.limit, offset=at.offset)
    entries = [comment_object(call, row, wanted_fields(fields)) for row in rows]
    return offset_page(entries, call.db.count(Comment, where), at)


@api.post("/comments", status=201)
def create_comment(
    call: Call,
    item: Target,
    message: Annotated[str, Meta(max_length=MAX_MESSAGE_CHARACTERS)] | None = None,
    tagged_message: Annotated[str, Meta(max_length=MAX_MESSAGE_CHARACTERS)] | None = None,
    fields: str = "",
) -> dict[str, Any]:
    """Comment on a file, or reply to a comment.

    https://developer.box.com/reference/post-comments
    """
    text = _plain(tagged_message) if tagged_message else message
    if not text or not text.strip():
        raise BadRequest.of("missing_parameter", "message", "'message' is required")
    replied = _find(call, str(item.id)) if item.type == "comment" else None
    file = find_file(call, replied.file_id if replied else str(item.id), "comment")
    now = call.clock.iso()
    comment = Comment(
        id=new_id(call, 9),
        message=text,
        tagged_message=tagged_message,
        file_id=file.id,
        item_id=str(item.id),
        item_type=item.type,
        is_reply_comment=replied is not None,
        created_by_id=call.actor,
        created_at=now,
        modified_at=now,
    )
    call.db.add(comment)
    shown = comment_object(call, comment, wanted_fields(fields))
    emit_item_event(call, "COMMENT_CREATE", file, "COMMENT.CREATED", source=comment_object(call, comment))
    return shown


@api.get("/comments/{comment_id}")
def get_comment(call: Call, comment_id: str, fields: str = "") -> dict[str, Any]:
    """Get a comment.

    https://developer.box.com/reference/get-comments-id
    """
    return comment_object(call, _find(call, comment_id), wanted_fields(fields))


@api.put("/comments/{comment_id}")
def update_comment(
    call: Call,
    comment_id: str,
    message: Annotated[str, Meta(max_length=MAX_MESSAGE_CHARACTERS)] | None = None,
    tagged_message: Annotated[str, Meta(max_length=MAX_MESSAGE_CHARACTERS)] | None = None,
    fields: str = "",
) -> dict[str, Any]:
    """Change the text of a comment. The author and the owner of the file may do so.

    https://developer.box.com/reference/put-comments-id
    """
    comment = _find(call, comment_id)
    _check_author(call, comment, "own")
    text = _plain(tagged_message) if tagged_message else message
    if not text or not text.strip():
        raise BadRequest.of("missing_parameter", "message", "'message' is required")
    said = {"message": text, "tagged_message": tagged_message}
    now = revise(call.db, comment, stamp={"modified_at": call.clock.iso()}, **said)
    if now is not comment:
        file = find_file(call, comment.file_id)
        emit_item_event(call, "COMMENT_EDIT", file, "COMMENT.UPDATED", source=comment_object(call, now))
    return comment_object(call, now, wanted_fields(fields))


@api.delete("/comments/{comment_id}", status=204)
def delete_comment(call: Call, comment_id: str) -> None:
    """Delete a comment. The author, the owner of the file and its co-owners may do so. Replies to it stay.

    https://developer.box.com/reference/delete-comments-id
    """
    comment = _find(call, comment_id)
    file = _check_author(call, comment, "moderate")
    call.db.remove(comment)
    emit_item_event(call, "COMMENT_DELETE", file, "COMMENT.DELETED", source=comment_object(call, comment))
