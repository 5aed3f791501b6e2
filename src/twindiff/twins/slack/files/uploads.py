"""Upload and download of files.

https://docs.slack.dev/messaging/working-with-files
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from twindiff.kit import ApiError, Call, Operations, Response
from twindiff.twins.slack.wire_style import sent_bytes

from ..core.access import workspace
from ..core.arguments import names_in
from ..core.authorization import is_strict
from ..core.errors import (
    AccessDenied,
    ChannelNotFound,
    FileNotFound,
    FileUploadsDisabled,
    InvalidArguments,
    InvalidChannel,
    IsArchived,
    MissingArgument,
    PostingToChannelDenied,
    SnippetTooLarge,
    UnknownSnippetType,
)
from ..core.file_access import bytes_of, visible_file
from ..core.file_types import FAMILIES, filetype_of, kind_of
from ..core.tables import Channel, File, FileContent, FileMessage, TeamSetting, UploadTicket, User
from ..documents.documents import canvas_page, find_document
from ..messages.chat import add_message, resolve_conversation, thread_root
from ..messages.message_content import Blocks, Content, content_of
from ..rendering.file_views import file_objects, public_secret
from ..rendering.message_views import message_event
from .files import add_preview
from .thumbnails import look_at_picture

api = Operations()

_MAX_FILE_BYTES = 100_000_000
_MAX_SNIPPET_BYTES = 1_000_000
_CHANNEL_ID = re.compile(r"[CGDZ][A-Z0-9]{8,}")

Wanted = list[dict[str, Any]]
_OF_A_FILE = ("id", "title", "highlight_type")


@api.method("files.getUploadURLExternal", scope="files:write")
def get_upload_url(call: Call, filename: str, length: int, alt_txt: str = "", snippet_type: str = "") -> dict[str, Any]:
    """Register an upload and return the address for its bytes.

    https://docs.slack.dev/reference/methods/files.getUploadURLExternal
    """
    _check_announcement(call, filename, length, snippet_type)
    ticket = UploadTicket(
        ticket=call.ids.new("", 32),
        file_id=call.ids.new("F"),
        user_id=call.actor,
        file_name=filename,
        file_size=length,
        alt_text=alt_txt or None,
        file_type=snippet_type or None,
    )
    call.db.add(ticket)
    return {"upload_url": f"{call.base_url}/upload/v1/{ticket.ticket}", "file_id": ticket.file_id}


def _check_announcement(call: Call, filename: str, length: int, snippet_type: str) -> None:
    setting = call.db.find(TeamSetting)
    if setting and setting.allow_file_uploads is False:
        raise FileUploadsDisabled
    if length < 1 or not filename.strip():
        raise MissingArgument
    if snippet_type and snippet_type not in FAMILIES["snippets"]:
        raise UnknownSnippetType
    if snippet_type and length > _MAX_SNIPPET_BYTES:
        raise SnippetTooLarge


@api.post("/upload/v1/{ticket}", body_limit=_MAX_FILE_BYTES, open=True)
def upload(call: Call, ticket: str, sent: Any) -> Response:
    """Receive the bytes of a registered upload, as the whole body or as the first part of a form."""
    announced = call.db.find(UploadTicket, UploadTicket.ticket == ticket)
    data = sent_bytes(sent)
    if announced is None or len(data) != announced.file_size:
        return Response(b"The upload is unknown, or not of the announced length", 400, "text/plain")
    call.db.change(announced, digest=call.blobs.put(data))
    return Response(f"OK - {len(data)}".encode(), content_type="text/plain")


@api.method("files.completeUploadExternal", scope="files:write")
def complete_upload(
    call: Call,
    files: Wanted,
    channel_id: str = "",
    channels: str | list[str] = "",
    initial_comment: str = "",
    thread_ts: str = "",
    blocks: Blocks | None = None,
) -> dict[str, Any]:
    """Turn completed uploads into files, and share them together in one message to each of the channels.

    https://docs.slack.dev/reference/methods/files.completeUploadExternal
    """
    for at, each in enumerate(files):
        if unknown := [name for name in each if name not in _OF_A_FILE]:
            wrong = [f"[ERROR] invalid additional property: {name} [json-pointer:/files/{at}]" for name in unknown]
            raise InvalidArguments(response_metadata={"messages": wrong})
    for name in names_in(channel_id):
        _check_channel_id(call, name)
    rooms = [_room(call, name, InvalidChannel) for name in names_in(channels)]
    rooms = rooms or [_room(call, name, ChannelNotFound) for name in names_in(channel_id)]
    titles = {str(each.get("id", "")): str(each.get("title") or "") for each in files}
    tickets = [_ticket(call, file_id) for file_id in titles]
    if not tickets:
        raise FileNotFound
    made = [_file(call, ticket, titles[ticket.file_id]) for ticket in tickets]
    for room in {room.channel_id: room for room in rooms}.values():
        share_files(call, room, made, _comment(initial_comment, blocks), thread_ts)
    shown = file_objects(call, made)
    for file, each in zip(made, shown, strict=True):
        if each["mode"] == "snippet":
            add_preview(call, file, each)
    return {"files": shown}


def _check_channel_id(call: Call, channel: str) -> None:
    """Raise InvalidArguments for a text that is no id of a conversation; lenient environments take names as well.

    https://github.com/slackapi/bolt-js/issues/2115
    """
    names_person = channel.startswith(("U", "W")) and call.db.find(User, User.user_id == channel) is not None
    if names_person or (is_strict(call) and not _CHANNEL_ID.fullmatch(channel)):
        wrong = f"[ERROR] input must match regex pattern: ^{_CHANNEL_ID.pattern}$ [json-pointer:/channel_id]"
        raise InvalidArguments(response_metadata={"messages": [wrong]})


def _room(call: Call, channel: str, unknown: type[ApiError]) -> Channel:
    try:
        return resolve_conversation(call, channel, by_name=False)
    except ChannelNotFound:
        raise unknown from None
    except IsArchived:
        raise PostingToChannelDenied from None


def _ticket(call: Call, file_id: str) -> UploadTicket:
    """Return the caller's upload with this file id; raises FileNotFound, also while its bytes are missing."""
    ticket = call.db.find(UploadTicket, UploadTicket.file_id == file_id)
    if ticket is None or ticket.digest is None:
        raise FileNotFound
    if ticket.user_id != call.actor:
        raise AccessDenied
    return ticket


def _file(call: Call, ticket: UploadTicket, title: str) -> File:
    name = ticket.file_name
    file = File(
        file_id=ticket.file_id,
        user_id=call.actor,
        file_name=name,
        file_size=ticket.file_size,
        file_type=ticket.file_type or filetype_of(name),
        file_url=f"/files-pri/{workspace(call.db).team_id}-{ticket.file_id}/{_in_address(name)}",
        created_at=call.clock.iso(),
        title=title or name,
        alt_text=ticket.alt_text,
    )
    call.db.add(file)
    call.db.add(FileContent(file_id=file.file_id, digest=ticket.digest))
    look_at_picture(call, file, ticket.digest)
    call.db.remove(ticket)
    call.emit("file_created", {"file_id": file.file_id, "user_id": call.actor})
    return file


def _in_address(name: str) -> str:
    """Quote a file name as one path segment, without slashes or leading dots."""
    return quote(re.sub(r"[/\\]", "_", name).strip(".") or "file", safe="")


def _comment(text: str, blocks: Blocks | None) -> Content:
    if text or blocks:
        return content_of(text, None if text else blocks, None, "", None)
    return Content("", None, None, None)


def share_files(call: Call, room: Channel, files: list[File], comment: Content, thread_ts: str = "") -> None:
    """Share files in one message to a conversation or to a thread of it."""
    root = thread_root(call.db, room, thread_ts) if thread_ts else None
    message = add_message(call, room, comment, root)
    for file in files:
        share_id = call.ids.new("Fm")
        call.db.add(FileMessage(file_message_id=share_id, file_id=file.file_id, message_id=message.message_id))
    call.emit("message", {**message_event(room, message), "subtype": "file_share"})


@api.get("/files-pri/{file}/{name}", scope="files:read")
def private_file(call: Call, file: str, name: str) -> Response:
    """Return the bytes of a file, or a canvas as HTML, to users who may see it."""
    file_id = file.partition("-")[2]
    document = find_document(call, file_id)
    if document:
        return canvas_page(document) or _NO_FILE
    try:
        row = visible_file(call, file_id)
    except FileNotFound:
        return _NO_FILE
    return _bytes(call, row)


@api.get("/files-pri/{file}/download/{name}", scope="files:read")
def private_download(call: Call, file: str, name: str) -> Response:
    """Return the bytes of a file as a download."""
    answer = private_file(call, file, name)
    return answer._replace(headers=(("Content-Disposition", f"attachment; filename*=UTF-8''{quote(name)}"),))


@api.get("/files-pub/{secret}", open=True)
def public_file(call: Call, secret: str) -> Response:
    """Return the bytes of a public file to anyone."""
    file_id = secret.split("-")[1] if secret.count("-") > 1 else ""
    file = call.db.find(File, File.file_id == file_id)
    if file is None or not file.public_url_shared or not secret.endswith(public_secret(file_id)):
        return _NO_FILE
    return _bytes(call, file)


_NO_FILE = Response(b"There is no such file, or it is not for you", 404, "text/plain")


def _bytes(call: Call, file: File) -> Response:
    name = file.file_name or ""
    kind = kind_of(name, file.file_type or filetype_of(name))
    is_text = kind.mimetype.startswith("text/")
    return Response(bytes_of(call, file), content_type=f"{kind.mimetype}; charset=utf-8" if is_text else kind.mimetype)
