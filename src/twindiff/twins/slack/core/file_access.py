"""Which files the caller may see, and what they hold."""

from __future__ import annotations

from twindiff.kit import Call, any_of, exists
from twindiff.kit.errors import NotFound
from twindiff.kit.rows import Expression

from .access import readable_by
from .errors import FileNotFound
from .tables import File, FileContent, FileMessage, Message


def visible_files(call: Call) -> Expression:
    """Files that the caller owns or may read where they were shared."""
    return any_of(File.user_id == call.actor, is_shared_where(readable_by(call.db, call.actor)))


def is_shared_where(*where: Expression) -> Expression:
    """Files shared in a message for which `where` holds."""
    message = exists(Message, Message.message_id == FileMessage.message_id, *where)
    return exists(FileMessage, FileMessage.file_id == File.file_id, message)


def visible_file(call: Call, file_id: str) -> File:
    """The file with this id, if the caller owns it or may read where it was shared; raises file_not_found."""
    file = call.db.find(File, File.file_id == file_id, visible_files(call))
    if file is None:
        raise FileNotFound
    return file


def bytes_of(call: Call, file: File) -> bytes:
    """What a file holds; nothing for one of a template that says no more than its name."""
    content = call.db.find(FileContent, FileContent.file_id == file.file_id)
    if content and content.digest:
        try:
            return call.blobs.get(content.digest)
        except NotFound:
            return b""
    return (content.text or "").encode() if content else b""
