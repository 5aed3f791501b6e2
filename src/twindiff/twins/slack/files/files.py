"""Files that people have shared: list, look at, publish, delete. How they come and go as bytes is uploads.py.

https://docs.slack.dev/reference/methods?family=files
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from twindiff.kit import Call, Operations, Store, all_of, any_of
from twindiff.kit.rows import Expression

from ..core.access import visible_channel
from ..core.arguments import iso_of, names_in
from ..core.errors import CantDeleteFile, NotAllowed, UnknownType, UserNotFound
from ..core.file_access import bytes_of, is_shared_where, visible_file, visible_files
from ..core.file_types import FAMILIES, endings_of
from ..core.tables import File, FileContent, FileMessage, FilePicture, Message, Star, User
from ..documents.documents import TYPES, document_objects, find_document, list_documents
from ..rendering.file_views import file_objects
from .highlighted_text import MAX_LINES, highlight_lines

api = Operations()

Count = Annotated[int, Meta(ge=1, le=1000)]
Page = Annotated[int, Meta(ge=1)]

_SHOWN_LINES = 5
_MAX_CONTENT_CHARACTERS = 100_000


@api.method("files.list", reads=True, scope="files:read")
def list_files(
    call: Call,
    user: str = "",
    channel: str = "",
    ts_from: float = 0,
    ts_to: float = 0,
    types: str | list[str] = "all",
    count: Count = 100,
    page: Page = 1,
) -> dict[str, Any]:
    """List the files that the caller may see, canvases and lists among them, the latest first.

    https://docs.slack.dev/reference/methods/files.list
    """
    wanted, room = names_in(types), ""
    where = [visible_files(call), *_of_types(wanted)]
    if user:
        where.append(File.user_id == call.db.get(User, user, missing=UserNotFound).user_id)
    if channel:
        room = visible_channel(call, channel).channel_id
        where.append(is_shared_where(Message.channel_id == room))
    if ts_from:
        where.append(File.created_at >= iso_of(ts_from))
    if ts_to:
        where.append(File.created_at <= iso_of(ts_to))
    # Whether a file may be seen is the dear part: one look at each gives the page and how many there are.
    dated = [(made or "", id) for made, id in call.db.rows(File, *where, columns=(File.created_at, File.file_id))]
    dated += list_documents(call, types=wanted, user=user, channel=room, ts_from=ts_from, ts_to=ts_to)
    ids = [id for _, id in sorted(dated, reverse=True)]
    paging = {"count": count, "total": len(ids), "page": page, "pages": -(-len(ids) // count)}
    return {"files": render_files(call, ids[(page - 1) * count : page * count]), "paging": paging}


def render_files(call: Call, ids: list[str]) -> list[dict[str, Any]]:
    """Files, canvases and lists in the order of their ids."""
    files = call.db.rows(File, File.file_id.in_(ids)) if ids else []
    shown = {each["id"]: each for each in file_objects(call, list(files))}
    shown.update(document_objects(call, [id for id in ids if id not in shown]))
    return [shown[id] for id in ids]


def _of_types(types: list[str]) -> list[Expression]:
    if not types or "all" in types:
        return []
    if any(name not in FAMILIES and name not in TYPES for name in types):
        raise UnknownType
    filetypes = [filetype for name in types for filetype in FAMILIES.get(name, ())]
    # A file of a template may say what it is by its name alone, as the answer does.
    named = [File.file_name.ends(f".{ending}", fold=True) for ending in endings_of(filetypes)]
    untyped = any_of(File.file_type.is_null(), File.file_type == "")
    return [any_of(File.file_type.in_(filetypes), all_of(untyped, any_of(*named)))]


@api.method("files.info", reads=True, scope="files:read")
def info(call: Call, file: str, count: Count = 100, page: Page = 1) -> dict[str, Any]:
    """Describe a file, a canvas or a list; a file of text with its text. Nobody can comment on files here.

    https://docs.slack.dev/reference/methods/files.info
    """
    paging = {"count": count, "total": 0, "page": page, "pages": 0}
    answer: dict[str, Any] = {"comments": [], "paging": paging, "response_metadata": {"next_cursor": ""}}
    if find_document(call, file):
        return {**answer, "file": document_objects(call, [file])[file]}
    row = visible_file(call, file)
    (shown,) = file_objects(call, [row])
    answer["file"] = shown
    if shown["mode"] != "snippet":
        return answer
    text = add_preview(call, row, shown)
    lines = text[:_MAX_CONTENT_CHARACTERS].splitlines()
    return {
        **answer,
        "content": text[:_MAX_CONTENT_CHARACTERS],
        "is_truncated": len(text) > _MAX_CONTENT_CHARACTERS,
        "content_highlight_html": highlight_lines(lines),
        "content_highlight_html_truncated": len(text) > _MAX_CONTENT_CHARACTERS or len(lines) > MAX_LINES,
    }


def add_preview(call: Call, file: File, shown: dict[str, Any]) -> str:
    """Show how a file of text begins, and how long it is; gives the text."""
    text = bytes_of(call, file).decode(errors="replace")
    lines = text.splitlines()
    shown["preview"] = "\n".join(lines[:_SHOWN_LINES])
    shown["preview_highlight"] = highlight_lines(lines[:_SHOWN_LINES])
    shown["lines"], shown["lines_more"] = len(lines), max(0, len(lines) - _SHOWN_LINES)
    shown["preview_is_truncated"] = False
    return text


@api.method("files.delete", scope="files:write")
def delete(call: Call, file: str) -> dict[str, Any]:
    """Delete a file of one's own; the messages it was shared in stay.

    https://docs.slack.dev/reference/methods/files.delete
    """
    row = visible_file(call, file)
    if row.user_id != call.actor:
        raise CantDeleteFile
    remove_file(call.db, row)
    call.emit("file_deleted", {"file_id": file})
    return {}


def remove_file(db: Store, file: File) -> None:
    """Remove a file with its contents; it is gone from the messages that it was shared in, which stay."""
    for table in (FileMessage, FileContent, FilePicture):
        for row in db.rows(table, table.file_id == file.file_id):
            db.remove(row)
    for star in db.rows(Star, Star.item_id == file.file_id):
        db.remove(star)
    db.remove(file)


@api.method("files.sharedPublicURL", scope="files:write")
def share_public_url(call: Call, file: str) -> dict[str, Any]:
    """Let everyone who has its public link read a file of the caller's.

    https://docs.slack.dev/reference/methods/files.sharedPublicURL
    """
    row = visible_file(call, file)
    if row.user_id != call.actor:
        raise NotAllowed
    if not row.public_url_shared:
        row = call.db.change(row, public_url_shared=True)
        call.emit("file_public", {"file_id": file})
    (shown,) = file_objects(call, [row])
    return {"file": shown}


@api.method("files.revokePublicURL", scope="files:write")
def revoke_public_url(call: Call, file: str) -> dict[str, Any]:
    """Let nobody read a file by its public link any more.

    https://docs.slack.dev/reference/methods/files.revokePublicURL
    """
    row = visible_file(call, file)
    if row.user_id != call.actor:
        raise NotAllowed
    if row.public_url_shared:
        row = call.db.change(row, public_url_shared=False)
    (shown,) = file_objects(call, [row])
    return {"file": shown}
