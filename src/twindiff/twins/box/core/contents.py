"""The bytes of files: stored once per digest, identified to Box by SHA-1, with a text for searches."""

from __future__ import annotations

from base64 import b64decode
from hashlib import sha1
from mimetypes import guess_type
from typing import NamedTuple

from twindiff.kit import Call
from twindiff.twins.box.wire_style import BadRequest

from ..tables.further_tables import ContentText
from ..tables.item_tables import File, FileContent, FileVersion
from .access import user_of
from .errors import BadDigest, FileSizeLimitExceeded, NotFound, StorageLimitExceeded
from .row_stamps import new_id
from .text_extraction import text_of


class Bytes(NamedTuple):
    """Stored content."""

    digest: str
    sha_1: str
    size: int


def store_content(call: Call, data: bytes, name: str) -> Bytes:
    """Store bytes, and their text for searches."""
    kept = Bytes(call.blobs.put(data), sha1(data, usedforsecurity=False).hexdigest(), len(data))
    if call.db.find(ContentText, ContentText.sha_1 == kept.sha_1) is None:
        text = text_of(data, name)
        if text:
            call.db.add(ContentText(sha_1=kept.sha_1, text=text))
    return kept


def check_digest(data: bytes, given: str) -> None:
    """Raise if the header Content-MD5, which holds a SHA-1 here, is not the SHA-1 of the bytes."""
    if given and given.lower() != sha1(data, usedforsecurity=False).hexdigest():
        raise BadDigest(
            context_info={
                "message": f"The SHA-1 of what was sent is {sha1(data, usedforsecurity=False).hexdigest()}, not {given}"
            }
        )


def check_room(call: Call, owner: str | None, size: int) -> None:
    """Raise if `size` bytes exceed the user's maximum file size or free storage."""
    user = user_of(call, owner)
    if size < 0:
        raise BadRequest.of("invalid_parameter", "size", f"Invalid value '{size}'. A size is not negative.")
    if user and user.max_upload_size is not None and size > user.max_upload_size:
        raise FileSizeLimitExceeded
    if user and user.space_amount is not None and 0 <= user.space_amount < (user.space_used or 0) + size:
        raise StorageLimitExceeded


def charge(call: Call, owner: str | None, size: int) -> None:
    """Add `size` bytes, which may be negative, to the storage that a user occupies."""
    user = user_of(call, owner)
    if user and size:
        call.memo[f"user {user.id}"] = call.db.change(user, space_used=max(0, (user.space_used or 0) + size))


def add_version(call: Call, file: File, number: int, held: Bytes, name: str) -> FileVersion:
    """Insert a version of a file with its bytes and return it."""
    now = call.clock.iso()
    version = FileVersion(
        id=file.file_version_id or new_id(call, 13),
        file_id=file.id,
        version_number=number,
        sha_1=held.sha_1,
        size=held.size,
        name=name,
        modified_by_id=call.actor,
        created_at=now,
        modified_at=now,
    )
    call.db.add(version)
    call.db.add(FileContent(id=version.id, version_id=version.id, digest=held.digest, content_type=type_of(name)))
    charge(call, file.owned_by_id, held.size)
    return version


def type_of(name: str) -> str:
    """Return the media type of a file, derived from its name."""
    return guess_type(name)[0] or "application/octet-stream"


def current_version(call: Call, file: File) -> FileVersion:
    """Return the current version of a file; raise NotFound if it has none."""
    if file.file_version_id:
        version = call.db.find(FileVersion, FileVersion.id == file.file_version_id)
    else:
        versions = call.db.rows(FileVersion, FileVersion.file_id == file.id, order=-FileVersion.version_number, limit=1)
        version = versions[0] if versions else None
    if version is None:
        raise NotFound.of("file_version", f"f_{file.id}")
    return version


def bytes_of(call: Call, version: FileVersion) -> bytes:
    """Return the bytes of a version; raise NotFound if its template came without them."""
    content = call.db.find(FileContent, FileContent.version_id == version.id)
    if content is not None and content.digest:
        return call.blobs.get(content.digest)
    if content is None or content.content is None:
        raise NotFound(
            "The content of this file is not here",
            context_info={"message": "The template has the size and the SHA-1 of this file but not its bytes"},
        )
    return b64decode(content.content)


def get_content(call: Call, version: FileVersion) -> Bytes:
    """Return the stored content of a version, so that another version can share it."""
    content = call.db.find(FileContent, FileContent.version_id == version.id)
    digest = content.digest if content and content.digest else call.blobs.put(bytes_of(call, version))
    return Bytes(digest, version.sha_1 or "", version.size)
