"""Batches of new folders, deletions, moves, copies and uploads, and files from addresses.

As at Dropbox most are jobs, whose result a check returns.

https://www.dropbox.com/developers/documentation/http/documentation#files-delete_batch
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any
from urllib.parse import urlsplit

import msgspec

from twindiff.kit.call import Call
from twindiff.kit.errors import InvalidParameter
from twindiff.kit.twin import Operations

from .entries import Shown, check_path, choose_path, look_for, show_entry, write_file
from .files import (
    FinishArgument,
    add_session,
    copy_path,
    delete_path,
    finish_session,
    move_path,
    post_create_folder,
    try_each,
)
from .jobs import start_job
from .wire_style import DropboxError

api = Operations(prefix="/2/files")
MAX_SESSIONS = 1000
MAX_FOLDERS_AT_ONCE = 100
"""Folders from which on a batch is a job. Dropbox does not say its bound; 1,000 are one, and a few are not."""
Entries = list[dict[str, Any]]


@api.post("/create_folder_batch")
def post_create_folder_batch(
    call: Call, paths: list[str], autorename: bool = False, force_async: bool = False
) -> Shown:
    """Create folders: at once if they are few, by a job if they are many or the call asks for one."""

    def create(path: str) -> Shown:
        return {".tag": "success", **post_create_folder(call, path, autorename)}

    complete = _complete(try_each(paths, create))
    is_job = force_async or len(paths) > MAX_FOLDERS_AT_ONCE
    return start_job(call, "create_folder_batch", complete) if is_job else complete


@api.post("/delete_batch")
def post_delete_batch(call: Call, entries: Entries) -> Shown:
    """Delete files and folders."""

    def delete(given: Shown) -> Shown:
        return {".tag": "success", "metadata": delete_path(call, _text(given, "path"), given.get("parent_rev"))}

    return start_job(call, "delete_batch", _complete(try_each(entries, delete)))


@api.post("/move_batch_v2")
def post_move_batch(call: Call, entries: Entries, autorename: bool = False) -> Shown:
    """Move files and folders."""
    return start_job(call, "move_batch", _relocate(call, entries, move_path, autorename=autorename))


@api.post("/copy_batch_v2")
def post_copy_batch(call: Call, entries: Entries, autorename: bool = False) -> Shown:
    """Copy files and folders."""
    return start_job(call, "copy_batch", _relocate(call, entries, copy_path, autorename=autorename))


def _relocate(call: Call, entries: Entries, place: Callable[..., Shown], *, autorename: bool) -> Shown:
    def relocate(given: Shown) -> Shown:
        shown = place(call, _text(given, "from_path"), _text(given, "to_path"), autorename=autorename)
        return {".tag": "success", "success": shown}

    def refuse(error: DropboxError) -> Shown:
        return {".tag": "failure", "failure": {".tag": "relocation_error", "relocation_error": error.show()}}

    return _complete(try_each(entries, relocate, refuse))


def _complete(entries: list[Shown]) -> Shown:
    return {".tag": "complete", "entries": entries}


def _text(given: Shown, name: str) -> str:
    if not isinstance(given.get(name), str):
        raise InvalidParameter(f"entries.{name}", "expected string")
    return given[name]


@api.post("/upload_session/start_batch")
def post_upload_session_start_batch(
    call: Call, num_sessions: Annotated[int, msgspec.Meta(ge=1, le=MAX_SESSIONS)]
) -> Shown:
    """Begin uploads in parts."""
    return {"session_ids": [add_session(call, b"") for _ in range(num_sessions)]}


@api.post("/upload_session/finish_batch_v2")
def post_upload_session_finish_batch(call: Call, entries: Entries) -> Shown:
    """End uploads in parts."""
    return {"entries": _finish_all(call, entries)}


@api.post("/upload_session/finish_batch")
def post_upload_session_finish_batch_once(call: Call, entries: Entries) -> Shown:
    """End uploads in parts, by the former endpoint."""
    return start_job(call, "finish_batch", _complete(_finish_all(call, entries)))


def _finish_all(call: Call, entries: Entries) -> list[Shown]:
    def finish(given: Shown) -> Shown:
        try:
            asked = msgspec.convert(given, FinishArgument)
        except msgspec.ValidationError as error:
            raise InvalidParameter("entries", str(error)) from None
        return {".tag": "success", **finish_session(call, asked, b"")}

    return try_each(entries, finish)


@api.post("/save_url")
def post_save_url(call: Call, path: str, url: str) -> Shown:
    """Save what is at an address as a file.

    A twin fetches nothing: the file holds the content of an address of its own, such as a temporary link, and for
    another address the address itself.
    """
    parts = urlsplit(url) if url.isprintable() else urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise DropboxError("invalid_url")
    free = choose_path(call, check_path(path), autorename=True)
    written = write_file(call, free, _content_of(call, url))
    return start_job(call, "save_url", {".tag": "complete", **show_entry(written, tagged=False)})


def _content_of(call: Call, url: str) -> bytes:
    id = url.partition("/temporary/")[2]
    entry = look_for(call, f"id:{id}") if id else None
    return call.blobs.get(entry.blob) if entry and entry.blob else url.encode()
