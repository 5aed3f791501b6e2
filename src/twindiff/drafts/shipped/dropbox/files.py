"""Files and folders. https://www.dropbox.com/developers/documentation/http/documentation#files"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, cast

import msgspec

from twindiff.kit.call import Call
from twindiff.kit.errors import InvalidParameter
from twindiff.kit.http import Response
from twindiff.kit.paging import decode_cursor, encode_cursor
from twindiff.kit.parameter_sources import Header, Named
from twindiff.kit.request_context import RequestContext
from twindiff.kit.twin import Operations

from .entries import (
    LIST_PATTERN,
    Shown,
    add_folder,
    check_path,
    choose_path,
    copy_entry,
    find_deletion,
    find_entry,
    find_file,
    hash_content,
    list_deletions,
    list_folder,
    look_for,
    move_entry,
    remove_entry,
    show_deletion,
    show_entry,
    show_failure,
    write_file,
)
from .tables import DropboxDeletion, DropboxEntry, DropboxUploadSession
from .wire_style import ARGUMENT_HEADER, DropboxError, UploadRefused

api = Operations(prefix="/2/files")
MAX_LISTED = 2000
MAX_MATCHES = 1000
MAX_BATCH = 1000
SESSION_LETTERS = 40
MAX_UPLOAD_BYTES = 150 * 1024 * 1024
ApiArgument = Annotated[str, Named(ARGUMENT_HEADER), Header(ARGUMENT_HEADER)]


class InvalidDropboxCursor(DropboxError):
    """The cursor is not one of this list."""

    def __init__(self) -> None:
        super().__init__("path/malformed_path")


class ListPlace(msgspec.Struct, array_like=True):
    """Where a list goes on: after `offset` entries, and once all are shown, with what came after `change`."""

    path: str
    recursive: bool
    offset: int
    limit: int
    change: int
    include_deleted: bool = False


class UploadArgument(msgspec.Struct):
    """The argument of an upload; `mode` is `add`, `overwrite` or an object with a revision to update."""

    path: str
    mode: Any = "add"
    autorename: bool = False
    client_modified: str | None = None
    mute: bool = False
    strict_conflict: bool = False


class SessionCursor(msgspec.Struct):
    """A place in an upload session."""

    session_id: str
    offset: int


class AppendArgument(msgspec.Struct):
    """The argument of a further part."""

    cursor: SessionCursor
    close: bool = False


class FinishArgument(msgspec.Struct):
    """The argument of the end of an upload session."""

    cursor: SessionCursor
    commit: UploadArgument


class PathArgument(msgspec.Struct):
    """The argument of a download."""

    path: str


def read_argument(text: str, kind: Any) -> Any:
    """Return the argument in a header as `kind`; raises InvalidParameter."""
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.DecodeError as error:
        raise InvalidParameter(ARGUMENT_HEADER, str(error)) from None


def _read_content(call: Call) -> bytes:
    exchange: RequestContext = call.memo["exchange"]
    return exchange.request.body


@api.post("/list_folder", reads=True)
def post_list_folder(
    call: Call, path: str, recursive: bool = False, limit: int = MAX_LISTED, include_deleted: bool = False
) -> Shown:
    """List a folder."""
    place = ListPlace("", recursive, 0, max(1, min(limit, MAX_LISTED)), _last_change(call), include_deleted)
    if path:
        folder = find_entry(call, path, pattern=LIST_PATTERN)
        if folder.tag != "folder":
            raise DropboxError("path/not_folder")
        place.path = folder.path_lower
    return _list_from(call, place)


@api.post("/list_folder/continue", reads=True)
def post_list_folder_continue(call: Call, cursor: str) -> Shown:
    """Go on with a list, or say what came after its end."""
    return _list_from(call, _read_place(cursor, "path/malformed_path"))


def _read_place(cursor: str, tags: str) -> ListPlace:
    try:
        return msgspec.json.decode(decode_cursor("folder", cursor, InvalidDropboxCursor), type=ListPlace)
    except (msgspec.DecodeError, InvalidDropboxCursor):
        raise DropboxError(tags) from None


@api.post("/list_folder/get_latest_cursor", reads=True)
def post_get_latest_cursor(call: Call, path: str, recursive: bool = False) -> Shown:
    """Return the cursor after which only changes are listed."""
    at = find_entry(call, path, pattern=LIST_PATTERN).path_lower if path else ""
    return {"cursor": _write_place(ListPlace(at, recursive, -1, MAX_LISTED, _last_change(call)))}


def _list_from(call: Call, place: ListPlace) -> Shown:
    entries: list[DropboxEntry | DropboxDeletion] = [*list_folder(call, place.path, recursive=place.recursive)]
    if place.offset < 0 or place.include_deleted:
        gone = list_deletions(call, place.path, recursive=place.recursive)
        entries = sorted([*entries, *gone], key=lambda each: each.path_lower)
    if place.offset < 0:
        shown = [each for each in entries if each.change_number > place.change]
        end = -1
    else:
        shown = entries[place.offset : place.offset + place.limit]
        end = place.offset + len(shown)
    has_more = 0 <= end < len(entries)
    last = place.change if has_more else _last_change(call)
    cursor = msgspec.structs.replace(place, offset=end if has_more else -1, change=last)
    return {
        "entries": [show_entry(each) if isinstance(each, DropboxEntry) else show_deletion(each) for each in shown],
        "cursor": _write_place(cursor),
        "has_more": has_more,
    }


def _write_place(place: ListPlace) -> str:
    return encode_cursor("folder", msgspec.json.encode(place).decode())


def _last_change(call: Call) -> int:
    last = call.db.rows(DropboxEntry, order=-DropboxEntry.change_number, limit=1)
    gone = call.db.rows(DropboxDeletion, order=-DropboxDeletion.change_number, limit=1)
    return max((each.change_number for each in (*last, *gone)), default=0)


@api.post("/list_folder/longpoll", reads=True)
def post_list_folder_longpoll(
    call: Call, cursor: str, timeout: Annotated[int, msgspec.Meta(ge=30, le=480)] = 30
) -> Shown:
    """Say whether something changed after a cursor. It does not wait: without changes it answers at once."""
    place = _read_place(cursor, "reset")
    return {"changes": bool(_list_from(call, msgspec.structs.replace(place, offset=-1))["entries"])}


@api.post("/get_metadata", reads=True)
def post_get_metadata(call: Call, path: str, include_deleted: bool = False) -> Shown:
    """Return a file or folder, or on demand that something was deleted there."""
    if path in ("", "/"):
        raise InvalidParameter("path", "The root folder is unsupported.")
    deletion = find_deletion(call, path) if include_deleted else None
    if deletion is not None:
        return show_deletion(deletion)
    return show_entry(find_entry(call, path))


@api.post("/create_folder_v2")
def post_create_folder(call: Call, path: str, autorename: bool = False) -> Shown:
    """Create a folder."""
    free = choose_path(call, check_path(path), autorename=autorename)
    return {"metadata": show_entry(add_folder(call, free), tagged=False)}


@api.post("/create_folder")
def post_create_folder_once(call: Call, path: str, autorename: bool = False) -> Shown:
    """Create a folder, by the former endpoint."""
    return post_create_folder(call, path, autorename)["metadata"]


def try_each(
    items: Sequence[Any], act: Callable[[Any], Shown], refuse: Callable[[DropboxError], Shown] = show_failure
) -> list[Shown]:
    """Return what each item of a batch comes to; those that cannot be done are shown by `refuse`."""
    if len(items) > MAX_BATCH:
        raise DropboxError("too_many_files")
    shown: list[Shown] = []
    for each in items:
        try:
            shown.append(act(each))
        except DropboxError as error:
            shown.append(refuse(error))
    return shown


@api.post("/delete_v2")
def post_delete(call: Call, path: str, parent_rev: str | None = None) -> Shown:
    """Delete a file, or a folder with all in it."""
    return {"metadata": delete_path(call, path, parent_rev)}


def delete_path(call: Call, path: str, parent_rev: str | None) -> Shown:
    """Delete what is at a path, and return what it was."""
    entry = find_entry(call, path, "path_lookup")
    if parent_rev and entry.rev != parent_rev:
        raise DropboxError("path_write/conflict/file")
    remove_entry(call, entry)
    return show_entry(entry)


@api.post("/delete")
def post_delete_once(call: Call, path: str, parent_rev: str | None = None) -> Shown:
    """Delete a file or folder, by the former endpoint."""
    return delete_path(call, path, parent_rev)


@api.post("/move_v2")
def post_move(call: Call, from_path: str, to_path: str, autorename: bool = False) -> Shown:
    """Move a file or folder."""
    return {"metadata": move_path(call, from_path, to_path, autorename=autorename)}


def move_path(call: Call, from_path: str, to_path: str, *, autorename: bool) -> Shown:
    """Move what is at a path, and return it."""
    entry = find_entry(call, from_path, "from_lookup")
    is_same = entry.path_lower == to_path.lower()
    if to_path.lower().startswith(f"{entry.path_lower}/"):
        raise DropboxError("duplicated_or_nested_paths")
    free = to_path if is_same else choose_path(call, check_path(to_path, "to"), autorename=autorename, tag="to")
    return show_entry(move_entry(call, entry, free))


@api.post("/move")
def post_move_once(call: Call, from_path: str, to_path: str, autorename: bool = False) -> Shown:
    """Move a file or folder, by the former endpoint."""
    return move_path(call, from_path, to_path, autorename=autorename)


@api.post("/copy_v2")
def post_copy(call: Call, from_path: str, to_path: str, autorename: bool = False) -> Shown:
    """Copy a file or folder."""
    return {"metadata": copy_path(call, from_path, to_path, autorename=autorename)}


def copy_path(call: Call, from_path: str, to_path: str, *, autorename: bool) -> Shown:
    """Copy what is at a path, and return the copy."""
    entry = find_entry(call, from_path, "from_lookup")
    if to_path.lower().startswith(f"{entry.path_lower}/"):
        raise DropboxError("duplicated_or_nested_paths")
    free = choose_path(call, check_path(to_path, "to"), autorename=autorename, tag="to")
    return show_entry(copy_entry(call, entry, free))


@api.post("/copy")
def post_copy_once(call: Call, from_path: str, to_path: str, autorename: bool = False) -> Shown:
    """Copy a file or folder, by the former endpoint."""
    return copy_path(call, from_path, to_path, autorename=autorename)


@api.post("/search_v2", reads=True)
def post_search(call: Call, query: str, options: dict[str, Any] | None = None) -> Shown:
    """Find files and folders by words in their names."""
    asked = options or {}
    given = asked.get("max_results", 100)
    most = max(1, min(given, MAX_MATCHES)) if isinstance(given, int) else 100
    return _search(call, query.lower(), str(asked.get("path") or "").lower(), most, 0)


@api.post("/search/continue_v2", reads=True)
def post_search_continue(call: Call, cursor: str) -> Shown:
    """Go on with a search."""
    value = decode_cursor("search", cursor, InvalidDropboxCursor)
    offset, most, path, query = msgspec.json.decode(value, type=tuple[int, int, str, str])
    return _search(call, query, path, most, offset)


def _search(call: Call, query: str, path: str, most: int, offset: int) -> Shown:
    words = query.split()
    rows = [
        each
        for each in list_folder(call, path, recursive=True)
        if each.path_lower != path and all(word in each.name.lower() for word in words)
    ]
    end = offset + most
    matches = [
        {
            "match_type": {".tag": "filename"},
            "metadata": {".tag": "metadata", "metadata": show_entry(each)},
        }
        for each in rows[offset:end]
    ]
    shown: Shown = {"matches": matches, "has_more": end < len(rows)}
    if end < len(rows):
        shown["cursor"] = encode_cursor("search", msgspec.json.encode((end, most, path, query)).decode())
    return shown


@api.post("/upload", body_limit=MAX_UPLOAD_BYTES)
def post_upload(call: Call, argument: ApiArgument) -> Shown:
    """Upload a file; the argument stands in a header and the content in the body."""
    return _commit(call, read_argument(argument, UploadArgument), _read_content(call))


def _commit(call: Call, asked: UploadArgument, data: bytes) -> Shown:
    try:
        return _write(call, asked, data)
    except DropboxError as error:
        session = call.ids.new("pid_upload_session:", SESSION_LETTERS)
        raise UploadRefused("/".join(error.tags), upload_session_id=session) from None


def _write(call: Call, asked: UploadArgument, data: bytes) -> Shown:
    path = check_path(asked.path)
    mode_given: Any = asked.mode
    given = cast(Shown, mode_given if isinstance(mode_given, dict) else {".tag": mode_given})
    mode = str(given.get(".tag", "add"))
    known = look_for(call, path)
    if known is not None and known.tag == "folder":
        path = choose_path(call, path, autorename=asked.autorename)
    elif known is not None and mode != "overwrite":
        is_current = mode == "update" and given.get("update") == known.rev
        is_equal = mode == "add" and not asked.strict_conflict and known.content_hash == hash_content(data)
        if is_equal:
            return show_entry(known, tagged=False)
        path = path if is_current else choose_path(call, path, autorename=asked.autorename)
    return show_entry(write_file(call, path, data, asked.client_modified), tagged=False)


@api.post("/upload_session/start", body_limit=MAX_UPLOAD_BYTES)
def post_upload_session_start(call: Call, argument: ApiArgument = "{}") -> Shown:
    """Begin an upload in parts."""
    return {"session_id": add_session(call, _read_content(call))}


def add_session(call: Call, data: bytes) -> str:
    """Store an upload session with its first part, and return its id."""
    session = DropboxUploadSession(
        session_id=call.ids.new("pid_upload_session:", SESSION_LETTERS), blob=call.blobs.put(data), size=len(data)
    )
    return call.db.add(session).session_id


def _find_session(call: Call, cursor: SessionCursor, tag: str = "") -> DropboxUploadSession:
    session = call.db.find(DropboxUploadSession, DropboxUploadSession.session_id == cursor.session_id)
    if session is None:
        raise DropboxError(f"{tag}not_found")
    if session.size != cursor.offset:
        raise DropboxError(f"{tag}incorrect_offset", correct_offset=session.size)
    return session


@api.post("/upload_session/append_v2", body_limit=MAX_UPLOAD_BYTES)
def post_upload_session_append(call: Call, argument: ApiArgument) -> None:
    """Add a part."""
    asked: AppendArgument = read_argument(argument, AppendArgument)
    session = _find_session(call, asked.cursor)
    if session.is_closed:
        raise DropboxError("closed")
    data = call.blobs.get(session.blob) + _read_content(call)
    call.db.change(session, blob=call.blobs.put(data), size=len(data), is_closed=asked.close)


@api.post("/upload_session/finish", body_limit=MAX_UPLOAD_BYTES)
def post_upload_session_finish(call: Call, argument: ApiArgument) -> Shown:
    """End an upload in parts."""
    return finish_session(call, read_argument(argument, FinishArgument), _read_content(call))


def finish_session(call: Call, asked: FinishArgument, last: bytes) -> Shown:
    """Write the file of an upload session, whose last part is given."""
    session = _find_session(call, asked.cursor, "lookup_failed/")
    data = call.blobs.get(session.blob) + last
    shown = _write(call, asked.commit, data)
    call.db.remove(session)
    return shown


@api.post("/download", reads=True)
def post_download(call: Call, argument: ApiArgument) -> Response:
    """Download a file; its metadata stand in a header."""
    entry = find_file(call, read_argument(argument, PathArgument).path)
    told = msgspec.json.encode(show_entry(entry, tagged=False)).decode()
    escaped = told.encode("ascii", "backslashreplace").decode()
    data = call.blobs.get(entry.blob) if entry.blob else b""
    return Response(data, 200, "application/octet-stream", (("Dropbox-API-Result", escaped),))


@api.post("/get_temporary_link", reads=True)
def post_get_temporary_link(call: Call, path: str) -> Shown:
    """Return an address of a file's content."""
    entry = find_file(call, path)
    return {"metadata": show_entry(entry, tagged=False), "link": f"{call.base_url}/temporary/{entry.id[3:]}"}


links = Operations()


@links.get("/temporary/{id}")
def get_temporary(call: Call, id: str) -> Response:
    """Return the content at a temporary address."""
    entry = find_file(call, f"id:{id}")
    return Response(call.blobs.get(entry.blob) if entry.blob else b"", 200, "application/octet-stream")
