"""Files: list, info, publication and deletion. Their upload and download is in uploads.py.

https://docs.slack.dev/reference/methods?family=files
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from twindiff.kit import Call, Operations, Store, all_of, any_of
from twindiff.kit.rows import Expression

from ..core.access import refuse_guests, visible_channel
from ..core.arguments import iso_of, names_in
from ..core.errors import CantDeleteFile, NotAllowed, UnknownType, UserIsRestricted, UserNotFound
from ..core.file_access import bytes_of, is_shared_where, undeleted_file, visible_file, visible_files
from ..core.file_types import FAMILIES, endings_of
from ..core.tables import DeletedFile, File, FileContent, FileMessage, FilePicture, Message, Star, User
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
    """List the files that the caller may see, including canvases and lists, latest first.

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
    # The visibility check is the expensive part, so one pass over all files yields both the page and the total.
    dated = [(made or "", id) for made, id in call.db.rows(File, *where, columns=(File.created_at, File.file_id))]
    dated += list_documents(call, types=wanted, user=user, channel=room, ts_from=ts_from, ts_to=ts_to)
    ids = [id for _, id in sorted(dated, reverse=True)]
    paging = {"count": count, "total": len(ids), "page": page, "pages": -(-len(ids) // count)}
    return {"files": render_files(call, ids[(page - 1) * count : page * count]), "paging": paging}


def render_files(call: Call, ids: list[str]) -> list[dict[str, Any]]:
    """Return the objects of files, canvases and lists in the order of the ids."""
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
    # Template files may have no type; their responses derive it from the name, so the filter does too.
    named = [File.file_name.ends(f".{ending}", fold=True) for ending in endings_of(filetypes)]
    untyped = any_of(File.file_type.is_null(), File.file_type == "")
    return [any_of(File.file_type.in_(filetypes), all_of(untyped, any_of(*named)))]


@api.method("files.info", reads=True, scope="files:read")
def info(call: Call, file: str, count: Count = 100, page: Page = 1) -> dict[str, Any]:
    """Return a file, canvas or list; text files include their text. The twin has no file comments.

    https://docs.slack.dev/reference/methods/files.info
    """
    paging = {"count": count, "total": 0, "page": page, "pages": 0}
    answer: dict[str, Any] = {"comments": [], "paging": paging, "response_metadata": {"next_cursor": ""}}
    if find_document(call, file):
        return {**answer, "file": document_objects(call, [file])[file]}
    row = undeleted_file(call, file)
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
    """Add the preview fields of a text file to the object `shown`, and return the whole text."""
    text = bytes_of(call, file).decode(errors="replace")
    lines = text.splitlines()
    shown["preview"] = "\n".join(lines[:_SHOWN_LINES])
    shown["preview_highlight"] = highlight_lines(lines[:_SHOWN_LINES])
    shown["lines"], shown["lines_more"] = len(lines), max(0, len(lines) - _SHOWN_LINES)
    shown["preview_is_truncated"] = False
    return text


@api.method("files.delete", scope="files:write")
def delete(call: Call, file: str) -> dict[str, Any]:
    """Delete a file of the caller; the messages it was shared in stay.

    https://docs.slack.dev/reference/methods/files.delete
    """
    row = undeleted_file(call, file)
    if row.user_id != call.actor:
        raise CantDeleteFile
    remove_file(call.db, row)
    call.db.add(DeletedFile(file_id=file, user_id=call.actor))
    call.emit("file_deleted", {"file_id": file})
    return {}


def remove_file(db: Store, file: File) -> None:
    """Remove a file, its contents, and its links to messages and saved items; the messages stay."""
    for table in (FileMessage, FileContent, FilePicture):
        for row in db.rows(table, table.file_id == file.file_id):
            db.remove(row)
    for star in db.rows(Star, Star.item_id == file.file_id):
        db.remove(star)
    db.remove(file)


@api.method("files.sharedPublicURL", scope="files:write")
def share_public_url(call: Call, file: str) -> dict[str, Any]:
    """Make a file of the caller readable for anyone with its public link.

    https://docs.slack.dev/reference/methods/files.sharedPublicURL
    """
    refuse_guests(call, UserIsRestricted)
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
    """Disable the public link of a file.

    https://docs.slack.dev/reference/methods/files.revokePublicURL
    """
    refuse_guests(call, UserIsRestricted)
    row = visible_file(call, file)
    if row.user_id != call.actor:
        raise NotAllowed
    if row.public_url_shared:
        row = call.db.change(row, public_url_shared=False)
    (shown,) = file_objects(call, [row])
    return {"file": shown}
