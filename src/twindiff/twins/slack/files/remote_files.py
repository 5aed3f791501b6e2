"""Remote files, which other services store.

https://docs.slack.dev/messaging/working-with-files#remote
"""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlsplit

from msgspec import Meta

from twindiff.kit import Call, Operations, not_, page, revise
from twindiff.kit.rows import Expression

from ..core.access import visible_channel, writable_channel
from ..core.arguments import iso_of, names_in
from ..core.authorization import is_strict
from ..core.errors import FileNotFound, InvalidArguments, InvalidCursor, InvalidExternalId, InvalidTitle
from ..core.file_access import is_shared_where
from ..core.people import bot_of
from ..core.tables import File, Message
from ..messages.message_content import Content
from ..rendering.file_views import file_objects
from .files import remove_file
from .remote_file_errors import (
    BotUserRequired,
    InvalidArgs,
    InvalidUrl,
    TooManyIds,
)
from .uploads import share_files

api = Operations()

Limit = Annotated[int, Meta(ge=1, le=1000)]


@api.method("files.remote.add", scope="remote_files:write")
def add(call: Call, external_id: str, external_url: str, title: str, filetype: str = "") -> dict[str, Any]:
    """Add a remote file, or update the one with this external id; it is invisible until it is shared.

    https://docs.slack.dev/reference/methods/files.remote.add
    """
    _check_bot(call)
    if not external_id:
        raise InvalidExternalId
    if not _is_address(external_url):
        raise InvalidArguments(response_metadata={"messages": ["[ERROR] external_url must be an address"]})
    known = call.db.find(File, File.external_id == external_id)
    told: dict[str, Any] = {"title": title, "file_name": title, "external_url": external_url}
    if known:
        told["file_type"] = filetype or known.file_type
        return _render_remote_file(call, revise(call.db, known, **told))
    file = File(
        file_id=call.ids.new("F"),
        user_id=call.actor,
        external_id=external_id,
        file_type=filetype or "remote",
        created_at=call.clock.iso(),
        **told,
    )
    call.emit("file_created", {"file_id": file.file_id, "user_id": call.actor})
    return _render_remote_file(call, call.db.add(file))


def _check_bot(call: Call) -> None:
    """Raise BotUserRequired if, in strict mode, the caller is not a bot."""
    if is_strict(call) and not bot_of(call.db, call.actor):
        raise BotUserRequired


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc)


def _render_remote_file(call: Call, file: File) -> dict[str, Any]:
    (shown,) = file_objects(call, [file])
    return {"file": shown}


def _remote(call: Call, file: str, external_id: str) -> File:
    """Return the remote file with this id and external id, one of which may be empty.

    Raises InvalidArgs if both are empty, FileNotFound if there is no such file.
    """
    if not (file or external_id):
        raise InvalidArgs
    where: list[Expression] = [not_(File.external_id.is_null())]
    where += [File.file_id == file] if file else []
    where += [File.external_id == external_id] if external_id else []
    remote = call.db.find(File, *where)
    if remote is None:
        raise FileNotFound
    return remote


def _either(file: str, external_id: str) -> None:
    if file and external_id:
        raise TooManyIds


@api.method("files.remote.info", reads=True, scope="remote_files:read")
def info(call: Call, file: str = "", external_id: str = "") -> dict[str, Any]:
    """Return a remote file.

    https://docs.slack.dev/reference/methods/files.remote.info
    """
    _either(file, external_id)
    return _render_remote_file(call, _remote(call, file, external_id))


@api.method("files.remote.list", reads=True, scope="remote_files:read")
def list_files(
    call: Call, channel: str = "", ts_from: float = 0, ts_to: float = 0, limit: Limit = 20, cursor: str = ""
) -> dict[str, Any]:
    """List the remote files, shared or not.

    https://docs.slack.dev/reference/methods/files.remote.list
    """
    where: list[Expression] = [not_(File.external_id.is_null())]
    if channel:
        where.append(is_shared_where(Message.channel_id == visible_channel(call, channel).channel_id))
    if ts_from:
        where.append(File.created_at >= iso_of(ts_from))
    if ts_to:
        where.append(File.created_at <= iso_of(ts_to))
    files = page(call.db, File, *where, by=File.file_id, limit=limit, cursor=cursor, invalid=InvalidCursor)
    return {"files": file_objects(call, files.rows), "response_metadata": {"next_cursor": files.next_cursor}}


@api.method("files.remote.remove", scope="remote_files:write")
def remove(call: Call, file: str = "", external_id: str = "") -> dict[str, Any]:
    """Remove a remote file; the messages that it was shared in stay.

    https://docs.slack.dev/reference/methods/files.remote.remove
    """
    _check_bot(call)
    _either(file, external_id)
    remote = _remote(call, file, external_id)
    remove_file(call.db, remote)
    call.emit("file_deleted", {"file_id": remote.file_id})
    return {}


@api.method("files.remote.share", scope="remote_files:share")
def share(call: Call, channels: str | list[str], file: str = "", external_id: str = "") -> dict[str, Any]:
    """Share a remote file in a message to each of the channels.

    https://docs.slack.dev/reference/methods/files.remote.share
    """
    remote = _remote(call, file, external_id)
    rooms = [writable_channel(call, name) for name in names_in(channels)]
    if not rooms:
        raise InvalidArgs
    block = {"type": "file", "external_id": remote.external_id, "source": "remote"}
    for room in {room.channel_id: room for room in rooms}.values():
        share_files(call, room, [remote], Content("", [block], None, None))
    return _render_remote_file(call, remote)


@api.method("files.remote.update", scope="remote_files:write")
def update(
    call: Call,
    file: str = "",
    external_id: str = "",
    external_url: str = "",
    title: str | None = None,
    filetype: str = "",
) -> dict[str, Any]:
    """Update the title, address or type of a remote file.

    https://docs.slack.dev/reference/methods/files.remote.update
    """
    _check_bot(call)
    remote = _remote(call, file, external_id)
    wanted: dict[str, Any] = {}
    if title is not None:
        if not title:
            raise InvalidTitle
        wanted.update(title=title, file_name=title)
    if external_url:
        if not _is_address(external_url):
            raise InvalidUrl
        wanted["external_url"] = external_url
    if filetype:
        wanted["file_type"] = filetype
    return _render_remote_file(call, revise(call.db, remote, **wanted))
