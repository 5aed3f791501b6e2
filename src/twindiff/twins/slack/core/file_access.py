"""Access to files and their contents."""

from __future__ import annotations

from twindiff.kit import Call, any_of, exists
from twindiff.kit.errors import NotFound
from twindiff.kit.rows import Expression

from .access import readable_by
from .errors import FileDeleted, FileNotFound
from .tables import DeletedFile, File, FileContent, FileMessage, Message


def visible_files(call: Call) -> Expression:
    """Select files that the caller owns, or that were shared where the caller may read."""
    return any_of(File.user_id == call.actor, is_shared_where(readable_by(call.db, call.actor)))


def is_shared_where(*where: Expression) -> Expression:
    """Select files shared in a message that matches `where`."""
    message = exists(Message, Message.message_id == FileMessage.message_id, *where)
    return exists(FileMessage, FileMessage.file_id == File.file_id, message)


def visible_file(call: Call, file_id: str) -> File:
    """Return the file with this id; raises FileNotFound, also if the caller may not see it."""
    file = call.db.find(File, File.file_id == file_id, visible_files(call))
    if file is None:
        raise FileNotFound
    return file


def undeleted_file(call: Call, file_id: str) -> File:
    """Return the file with this id; raises FileNotFound, or FileDeleted if it was the caller's own.

    https://docs.slack.dev/reference/methods/files.info
    """
    if call.db.find(DeletedFile, DeletedFile.file_id == file_id, DeletedFile.user_id == call.actor):
        raise FileDeleted
    return visible_file(call, file_id)


def bytes_of(call: Call, file: File) -> bytes:
    """Return the content of a file; empty if a template gives none."""
    content = call.db.find(FileContent, FileContent.file_id == file.file_id)
    if content and content.digest:
        try:
            return call.blobs.get(content.digest)
        except NotFound:
            return b""
    return (content.text or "").encode() if content else b""
