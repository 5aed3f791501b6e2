"""Chunked uploads for large files.

https://developer.box.com/guides/uploads/chunked
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from binascii import Error as NoBase64
from datetime import datetime, timedelta
from hashlib import sha1
from typing import Annotated, Any

from twindiff.kit import Body, Call, Header, Operations, Struct, ValueResponse, check_if_match
from twindiff.kit.errors import MissingParameter
from twindiff.twins.box.wire_style import BadRequest, offset_page, window

from ..core.access import find_file, find_folder
from ..core.contents import store_content
from ..core.errors import (
    DigestMismatch,
    FileSizeTooSmall,
    IncompleteParts,
    InvalidFileSize,
    InvalidFolderId,
    InvalidPartRange,
    MissingDestination,
    MissingFileName,
    MissingFileSize,
    NotFound,
    PreconditionFailed,
    RangeOverlapsExistingRange,
)
from ..core.row_stamps import format_instant
from ..tables.further_tables import UploadPart, UploadSession
from ..tables.item_tables import File
from .item_updates import Description, Ref
from .uploads import Attributes, VersionAttributes, add_file, check_new, check_version, files_object, new_version

api = Operations()
SMALLEST_FILE = 20_000_000
PART_SIZE = 8_388_608
KEPT_DAYS = 7
_RANGE = re.compile(r"bytes (\d{1,15})-(\d{1,15})/(\d{1,15})")
Shown = dict[str, Any]


class CommitAttributes(Struct):
    """The attributes of the file that a commit creates."""

    name: str | None = None
    description: Description | None = None
    content_created_at: str | None = None
    content_modified_at: str | None = None


class GivenPart(Struct):
    """A part as the response to its upload described it."""

    part_id: str
    offset: int
    size: int
    sha1: str | None = None


def session_object(call: Call, session: UploadSession) -> Shown:
    """Render an upload session with the URLs of its operations."""
    at = f"{call.base_url}/api/2.0/files/upload_sessions/{session.id}"
    done = call.db.count(UploadPart, UploadPart.session_id == session.id)
    return {
        "type": "upload_session",
        "id": session.id,
        "session_expires_at": format_instant(session.expires_at),
        "part_size": session.part_size,
        "total_parts": -(-session.file_size // session.part_size),
        "num_parts_processed": done,
        "session_endpoints": {
            "upload_part": at,
            "commit": f"{at}/commit",
            "abort": at,
            "list_parts": f"{at}/parts",
            "status": at,
            "log_event": f"{at}/log",
        },
    }


def part_object(part: UploadPart) -> Shown:
    """Render an uploaded part."""
    return {"part_id": part.part_id, "offset": part.offset, "size": part.size, "sha1": part.sha1}


def _start(call: Call, size: int, name: str, **where: Any) -> Shown:
    if size < SMALLEST_FILE:
        said = f"File size {size} less than minimum allowed for this API: {SMALLEST_FILE}"
        raise FileSizeTooSmall.of("file_size", said)
    expires = datetime.fromisoformat(call.clock.iso()).replace(microsecond=0) + timedelta(days=KEPT_DAYS)
    session = UploadSession(
        id=call.ids.new("", 32, "0123456789ABCDEF"),
        user_id=call.actor,
        file_name=name,
        file_size=size,
        part_size=PART_SIZE,
        expires_at=expires.isoformat(),
        **where,
    )
    return session_object(call, call.db.add(session))


@api.post("/api/2.0/files/upload_sessions", status=201)
@api.post("/2.0/files/upload_sessions", status=201)
def start(
    call: Call,
    folder_id: str | int | None = None,
    file_size: int | float | str | None = None,
    file_name: str | None = None,
) -> Shown:
    """Create a session for the chunked upload of a new file.

    https://developer.box.com/reference/post-files-upload-sessions
    """
    if folder_id is None and file_size is None and file_name is None:
        raise MissingParameter("folder_id")  # an empty body is answered as by all operations
    if folder_id is None:
        raise MissingDestination.of("folder_id", "'folder_id' is required")
    if file_name is None:
        raise MissingFileName.of("file_name", "'file_name' is required")
    size = _size(file_size)
    if not str(folder_id).isdecimal():
        raise InvalidFolderId.of("folder_id", f"Invalid value '{str(folder_id)[:60]}'.")
    target = find_folder(call, str(folder_id), "upload")
    check_new(call, target, file_name, size)
    return _start(call, size, file_name, folder_id=target.id)


def _size(given: float | str | None) -> int:
    """Return the size in bytes; raise MissingFileSize or InvalidFileSize if it is not a valid one."""
    if given is None:
        raise MissingFileSize.of("file_size", "'file_size' is required")
    if not isinstance(given, int) or given < 0:
        raise InvalidFileSize.of("file_size", f"Invalid value '{str(given)[:60]}'.")
    return given


@api.post("/api/2.0/files/{file_id}/upload_sessions", status=201)
@api.post("/2.0/files/{file_id}/upload_sessions", status=201)
def start_version(
    call: Call, file_id: str, file_size: int | float | str | None = None, file_name: str | None = None
) -> Shown:
    """Create a session for the chunked upload of a new version.

    https://developer.box.com/reference/post-files-id-upload-sessions
    """
    file = find_file(call, file_id, "revise")
    size = _size(file_size)
    check_version(call, file, file_name, size)
    return _start(call, size, file_name or file.name or "", file_id=file.id)


def _any(call: Call, session_id: str) -> UploadSession:
    """Return a session of the caller's, committed or not; raise NotFound if there is none."""
    session = call.db.find(UploadSession, UploadSession.id == session_id, UploadSession.user_id == call.actor)
    if session is None or session.expires_at <= call.clock.iso():
        raise NotFound.of("upload_session", session_id)
    return session


def _find(call: Call, session_id: str) -> UploadSession:
    session = _any(call, session_id)
    if session.is_committed:
        raise NotFound.of("upload_session", session_id)
    return session


@api.get("/api/2.0/files/upload_sessions/{upload_session_id}")
@api.get("/2.0/files/upload_sessions/{upload_session_id}")
def get_session(call: Call, upload_session_id: str) -> Shown:
    """Get an upload session.

    https://developer.box.com/reference/get-files-upload-sessions-id
    """
    return session_object(call, _find(call, upload_session_id))


@api.get("/api/2.0/files/upload_sessions/{upload_session_id}/parts")
@api.get("/2.0/files/upload_sessions/{upload_session_id}/parts")
def list_parts(call: Call, upload_session_id: str, offset: int = 0, limit: int = 1000) -> Shown:
    """List the parts uploaded so far.

    https://developer.box.com/reference/get-files-upload-sessions-id-parts
    """
    session, at = _find(call, upload_session_id), window(offset, limit)
    of = UploadPart.session_id == session.id
    rows = call.db.rows(UploadPart, of, order=UploadPart.offset, limit=at.limit, offset=at.offset)
    return offset_page([part_object(row) for row in rows], call.db.count(UploadPart, of), at)


def _digest_in(header: str) -> str:
    """Return the SHA-1 of a Digest header in base64."""
    name, _, value = header.partition("=")
    try:
        digest = b64decode(value, validate=True) if name.strip().lower() == "sha" else b""
    except (NoBase64, ValueError):
        digest = b""
    if len(digest) != 20:
        raise BadRequest.of("invalid_parameter", "digest", "The header 'digest' must be sha=, with a SHA-1 in base64")
    return value


def _check_digest(data: bytes, header: str) -> None:
    """Raise DigestMismatch unless the SHA-1 of a Digest header is that of the data."""
    actual, expected = b64encode(sha1(data, usedforsecurity=False).digest()).decode(), _digest_in(header)
    if actual != expected:
        raise DigestMismatch.of(actual, expected)


@api.put("/api/2.0/files/upload_sessions/{upload_session_id}", body_limit=PART_SIZE + 1_000_000)
@api.put("/2.0/files/upload_sessions/{upload_session_id}", body_limit=PART_SIZE + 1_000_000)
def upload_part(
    call: Call,
    data: Annotated[bytes, Body],
    upload_session_id: str,
    digest: Annotated[str, Header("Digest")] = "",
    content_range: Annotated[str, Header("Content-Range")] = "",
) -> Shown:
    """Store a part. It starts at a multiple of the part size and has that size, unless it is the last one.

    https://developer.box.com/reference/put-files-upload-sessions-id
    """
    session = _find(call, upload_session_id)
    if not digest:
        raise MissingParameter("digest")
    offset = _place(session, content_range, len(data))
    checksum = sha1(data, usedforsecurity=False).hexdigest()
    _check_digest(data, digest)
    known = call.db.find(UploadPart, UploadPart.session_id == session.id, UploadPart.offset == offset)
    if known is not None:
        if known.sha1 != checksum:
            raise RangeOverlapsExistingRange
        return {"part": part_object(known)}
    part = UploadPart(
        session_id=session.id,
        offset=offset,
        size=len(data),
        part_id=call.ids.new("", 8, "0123456789ABCDEF"),
        sha1=checksum,
        digest=call.blobs.put(data),
    )
    return {"part": part_object(call.db.add(part))}


def _place(session: UploadSession, content_range: str, size: int) -> int:
    """Return the offset in bytes at which a part starts; raise InvalidPartRange if it does not match the session."""
    if not content_range:
        raise MissingParameter("content-range")
    match = _RANGE.fullmatch(content_range)
    if match is None:
        raise InvalidPartRange(context_info={"message": f"'{content_range[:60]}' is no range"})
    first, last, whole = map(int, match.groups())
    expected = min(session.part_size, session.file_size - first)
    if whole != session.file_size or first % session.part_size or last - first + 1 != size or size != expected:
        said = f"Parts have {session.part_size} bytes, the last one what is left of {session.file_size}"
        raise InvalidPartRange(context_info={"message": said})
    return first


@api.post("/api/2.0/files/upload_sessions/{upload_session_id}/commit", status=201, in_thread=True)
@api.post("/2.0/files/upload_sessions/{upload_session_id}/commit", status=201, in_thread=True)
def commit(
    call: Call,
    upload_session_id: str,
    parts: list[GivenPart] | None = None,
    attributes: CommitAttributes | None = None,
    digest: Annotated[str, Header("Digest")] = "",
    if_match: Annotated[str, Header("If-Match")] = "",
    fields: str = "",
) -> Any:
    """Assemble the parts into a file. While parts are missing, respond with 202 and `Retry-After`.

    https://developer.box.com/reference/post-files-upload-sessions-id-commit
    """
    session = _find(call, upload_session_id)
    if not digest:
        raise MissingParameter("digest")
    if not parts:
        raise MissingParameter("parts")
    kept = call.db.rows(UploadPart, UploadPart.session_id == session.id, order=UploadPart.offset)
    if sum(part.size for part in kept) < session.file_size:
        return ValueResponse(None, 202, (("Retry-After", "1"),))
    if [(part.part_id, part.offset) for part in kept] != [(part.part_id, part.offset) for part in parts]:
        raise IncompleteParts
    data = b"".join(call.blobs.get(part.digest) for part in kept)
    _check_digest(data, digest)
    file = _create_file(call, session, attributes or CommitAttributes(), data, if_match)
    for part in kept:
        call.db.remove(part)
    call.db.change(session, is_committed=True)
    return files_object(call, file, fields)


def _create_file(call: Call, session: UploadSession, said: CommitAttributes, data: bytes, if_match: str) -> File:
    name = said.name or session.file_name
    if session.file_id:
        file = find_file(call, session.file_id, "revise")
        check_if_match(if_match, file.etag or "0", PreconditionFailed)
        check_version(call, file, name, len(data))
        version = VersionAttributes(name=name, content_modified_at=said.content_modified_at)
        return new_version(call, file, version, store_content(call, data, name))
    target = find_folder(call, session.folder_id or "0", "upload")
    check_new(call, target, name, len(data))
    wanted = Attributes(
        name=name,
        parent=Ref(id=target.id),
        content_created_at=said.content_created_at,
        content_modified_at=said.content_modified_at,
        description=said.description,
    )
    return add_file(call, target, wanted, store_content(call, data, name))


@api.delete("/api/2.0/files/upload_sessions/{upload_session_id}", status=204)
@api.delete("/2.0/files/upload_sessions/{upload_session_id}", status=204)
def abort(call: Call, upload_session_id: str) -> None:
    """Abort a session and discard its parts. A file that was already created from it stays.

    https://developer.box.com/reference/delete-files-upload-sessions-id
    """
    call.db.remove(_any(call, upload_session_id))
