"""Files that people have shared: list, look at, publish, delete. How they come and go as bytes is uploads.py.

https://docs.slack.dev/reference/methods?family=files
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from twindiff.kit import Call, Operations, Store, all_of, any_of, exists
from twindiff.kit.errors import NotFound
from twindiff.kit.rows import Expression

from .access import readable_by, visible_channel
from .arguments import iso_of, names_in
from .errors import CantDeleteFile, FileNotFound, NotAllowed, UnknownType, UserNotFound
from .file_types import FAMILIES, endings_of
from .file_views import file_objects
from .tables import File, FileContent, FileMessage, Message, Star, User

api = Operations()

Count = Annotated[int, Meta(ge=1, le=1000)]
Page = Annotated[int, Meta(ge=1)]

_LATEST = (-File.created_at, -File.file_id)
_SHOWN_LINES = 5
_LONGEST_CONTENT = 100_000


def visible_files(call: Call) -> Expression:
    """Files that the caller owns or may read where they were shared."""
    return any_of(File.user_id == call.actor, shared_where(readable_by(call.db, call.actor)))


def shared_where(*where: Expression) -> Expression:
    """Files shared in a message for which `where` holds."""
    message = exists(Message, Message.message_id == FileMessage.message_id, *where)
    return exists(FileMessage, FileMessage.file_id == File.file_id, message)


def visible_file(call: Call, file: str) -> File:
    """The file with this id, if the caller owns it or may read where it was shared; raises file_not_found."""
    found = call.db.find(File, File.file_id == file, visible_files(call))
    if found is None:
        raise FileNotFound
    return found


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
    """List the files that the caller may see, the latest first.

    https://docs.slack.dev/reference/methods/files.list
    """
    where = [visible_files(call), *_of_types(names_in(types))]
    if user:
        where.append(File.user_id == call.db.get(User, user, missing=UserNotFound).user_id)
    if channel:
        where.append(shared_where(Message.channel_id == visible_channel(call, channel).channel_id))
    if ts_from:
        where.append(File.created_at >= iso_of(ts_from))
    if ts_to:
        where.append(File.created_at <= iso_of(ts_to))
    # Whether a file may be seen is the dear part: one look at each gives the page and how many there are.
    ids = [file_id for (file_id,) in call.db.rows(File, *where, order=_LATEST, columns=(File.file_id,))]
    shown = ids[(page - 1) * count : page * count]
    found = call.db.rows(File, File.file_id.in_(shown), order=_LATEST) if shown else []
    paging = {"count": count, "total": len(ids), "page": page, "pages": -(-len(ids) // count)}
    return {"files": file_objects(call, found), "paging": paging}


def _of_types(types: list[str]) -> list[Expression]:
    if not types or "all" in types:
        return []
    if any(name not in FAMILIES for name in types):
        raise UnknownType
    filetypes = [filetype for name in types for filetype in FAMILIES[name]]
    # A file of a template may say what it is by its name alone, as the answer does.
    named = [File.file_name.ends(f".{ending}", fold=True) for ending in endings_of(filetypes)]
    untyped = any_of(File.file_type.is_null(), File.file_type == "")
    return [any_of(File.file_type.in_(filetypes), all_of(untyped, any_of(*named)))]


@api.method("files.info", reads=True, scope="files:read")
def info(call: Call, file: str, count: Count = 100, page: Page = 1) -> dict[str, Any]:
    """Describe a file; one of text with its text. Nobody can comment on files here.

    https://docs.slack.dev/reference/methods/files.info
    """
    found = visible_file(call, file)
    (shown,) = file_objects(call, [found])
    paging = {"count": count, "total": 0, "page": page, "pages": 0}
    answer: dict[str, Any] = {"file": shown, "comments": [], "paging": paging, "response_metadata": {"next_cursor": ""}}
    if shown["mode"] != "snippet":
        return answer
    text = add_preview(call, found, shown)
    return {**answer, "content": text[:_LONGEST_CONTENT], "is_truncated": len(text) > _LONGEST_CONTENT}


def add_preview(call: Call, file: File, shown: dict[str, Any]) -> str:
    """Show how a file of text begins, and how long it is; gives the text."""
    text = bytes_of(call, file).decode(errors="replace")
    lines = text.splitlines()
    shown["preview"] = "\n".join(lines[:_SHOWN_LINES])
    shown["lines"], shown["lines_more"] = len(lines), max(0, len(lines) - _SHOWN_LINES)
    shown["preview_is_truncated"] = False
    return text


def bytes_of(call: Call, file: File) -> bytes:
    """What a file holds; nothing for one of a template that says no more than its name."""
    content = call.db.find(FileContent, FileContent.file_id == file.file_id)
    if content and content.digest:
        try:
            return call.blobs.get(content.digest)
        except NotFound:
            return b""
    return (content.text or "").encode() if content else b""


@api.method("files.delete", scope="files:write")
def delete(call: Call, file: str) -> dict[str, Any]:
    """Delete a file of one's own; the messages it was shared in stay.

    https://docs.slack.dev/reference/methods/files.delete
    """
    found = visible_file(call, file)
    if found.user_id != call.actor:
        raise CantDeleteFile
    remove_file(call.db, found)
    call.emit("file_deleted", {"file_id": file})
    return {}


def remove_file(db: Store, file: File) -> None:
    """Remove a file with its contents; it is gone from the messages that it was shared in, which stay."""
    for table in (FileMessage, FileContent):
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
    found = visible_file(call, file)
    if found.user_id != call.actor:
        raise NotAllowed
    if not found.public_url_shared:
        found = call.db.change(found, public_url_shared=True)
        call.emit("file_public", {"file_id": file})
    (shown,) = file_objects(call, [found])
    return {"file": shown}


@api.method("files.revokePublicURL", scope="files:write")
def revoke_public_url(call: Call, file: str) -> dict[str, Any]:
    """Let nobody read a file by its public link any more.

    https://docs.slack.dev/reference/methods/files.revokePublicURL
    """
    found = visible_file(call, file)
    if found.user_id != call.actor:
        raise NotAllowed
    if found.public_url_shared:
        found = call.db.change(found, public_url_shared=False)
    (shown,) = file_objects(call, [found])
    return {"file": shown}
