"""Rendering of files.

https://docs.slack.dev/reference/objects/file-object
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple, cast

from twindiff.kit import Call

from ..core.access import is_open_to_all, readable_by, rooms_by_id, workspace
from ..core.addresses import workspace_url
from ..core.arguments import unix_of
from ..core.file_types import filetype_of, kind_of
from ..core.tables import Channel, File, FileMessage, FilePicture, Message, Star, Team
from .thumbnail_views import pictures_of, thumbnail_fields

_OF_SHARES = (FileMessage.message_id, FileMessage.file_id)
_AS_SHARED = (FileMessage.message_id, FileMessage.file_message_id)


class Share(NamedTuple):
    """A message that shares a file, and its conversation."""

    message: Message
    room: Channel


def file_objects(call: Call, files: Sequence[File]) -> list[dict[str, Any]]:
    """Return files in Slack's form, with the conversations they were shared in."""
    ids = [file.file_id for file in files]
    shares = shares_of(call, ids)
    shown, stars = _in_messages(call, files), stars_on(call, ids)
    return [{**shown[id], **_places(shares.get(id, ())), **stars.get(id, {})} for id in ids]


def stars_on(call: Call, ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Map ids to `num_stars` and `is_starred` of files; files that no user has saved have no entry."""
    where, columns = (Star.item_id.in_(ids), Star.item_type == "file"), (Star.item_id, Star.user_id)
    people: dict[str, list[str]] = {}
    for file_id, user in cast(list[tuple[str, str]], call.db.rows(Star, *where, columns=columns) if ids else []):
        people.setdefault(file_id, []).append(user)
    return {each: {"num_stars": len(users), "is_starred": call.actor in users} for each, users in people.items()}


def _in_messages(call: Call, files: Sequence[File]) -> dict[str, dict[str, Any]]:
    """Map ids to files in the form in which messages contain them."""
    team, pictures = workspace(call.db), pictures_of(call.db, files)
    return {file.file_id: _file_object(call, team, file, pictures.get(file.file_id)) for file in files}


def _file_object(call: Call, team: Team, file: File, picture: FilePicture | None) -> dict[str, Any]:
    if file.external_id is not None:
        return _remote_object(team, file)
    shown = _hosted_object(call, team, file)
    return {**shown, **thumbnail_fields(call.base_url, team.team_id, file, picture)} if picture else shown


def _hosted_object(call: Call, team: Team, file: File) -> dict[str, Any]:
    name = file.file_name or ""
    kind = kind_of(name, file.file_type or filetype_of(name))
    created = unix_of(file.created_at)
    page = f"{workspace_url(team)}files/{file.user_id}/{file.file_id}/{name}"
    shown: dict[str, Any] = {
        "id": file.file_id,
        "created": created,
        "timestamp": created,
        "name": name,
        "title": file.title or name,
        "mimetype": kind.mimetype,
        "filetype": kind.filetype,
        "pretty_type": kind.pretty,
        "user": file.user_id,
        "user_team": team.team_id,
        "editable": kind.mode == "snippet",
        "size": file.file_size or 0,
        "mode": kind.mode,
        "is_external": False,
        "external_type": "",
        "public_url_shared": file.public_url_shared,
        "display_as_bot": False,
        "username": "",
        "url_private": private_url(call.base_url, file),
        "url_private_download": private_url(call.base_url, file, download=True),
        "permalink": page,
        "permalink_public": public_url(call.base_url, team.team_id, file),
        "is_starred": False,
        "has_rich_preview": False,
        "file_access": "visible",
        "media_display_type": "unknown",
    }
    if kind.mode == "snippet":
        shown["edit_link"] = f"{page}/edit"
    if file.alt_text:
        shown["alt_txt"] = file.alt_text
    return shown


def _remote_object(team: Team, file: File) -> dict[str, Any]:
    """Return a remote file in Slack's form.

    https://docs.slack.dev/reference/methods/files.remote.info
    """
    name, created = file.file_name or "", unix_of(file.created_at)
    kind = kind_of(name, file.file_type or "remote")
    return {
        "id": file.file_id,
        "created": created,
        "timestamp": created,
        "name": name,
        "title": file.title or name,
        "mimetype": "application/vnd.slack-remote",
        "filetype": kind.filetype,
        "pretty_type": kind.pretty,
        "user": file.user_id,
        "user_team": team.team_id,
        "editable": False,
        "size": 0,
        "mode": "external",
        "is_external": True,
        "external_type": "app",
        "external_id": file.external_id,
        "external_url": file.external_url or "",
        "public_url_shared": False,
        "display_as_bot": False,
        "username": "",
        "url_private": file.external_url or "",
        "media_display_type": "unknown",
        "permalink": f"{workspace_url(team)}files/{file.user_id}/{file.file_id}/{_slug(name)}",
        "is_starred": False,
        "has_rich_preview": False,
        "file_access": "visible",
    }


def _slug(name: str) -> str:
    """Return a title as the last segment of a URL."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def private_url(base_url: str, file: File, *, download: bool = False) -> str:
    """Return the URL of a file's bytes for users who may see it."""
    url = file.file_url or ""
    if not url.startswith("/"):
        return url
    if download:
        folder, _, name = url.rpartition("/")
        url = f"{folder}/download/{name}"
    return base_url + url


def public_url(base_url: str, team_id: str, file: File) -> str:
    """Return the URL at which anyone gets a file's bytes while it is public."""
    return f"{base_url}/files-pub/{team_id}-{file.file_id}-{public_secret(file.file_id)}"


def public_secret(file_id: str) -> str:
    """Return the secret in a file's public URL, which keeps the URL from being derived from the id alone."""
    return blake2b(file_id.encode(), digest_size=5, key=b"public link").hexdigest()


def shares_of(call: Call, ids: Sequence[str]) -> dict[str, list[Share]]:
    """Map file ids to the messages that share them and that the caller may read, oldest first."""
    if not ids:
        return {}
    db, readable = call.db, readable_by(call.db, call.actor)
    columns = (FileMessage.file_id, FileMessage.message_id)
    pairs = db.rows(FileMessage, FileMessage.file_id.in_(ids), order=FileMessage.message_id, columns=columns)
    messages = db.rows(Message, Message.message_id.in_([ts for _, ts in pairs]), readable) if pairs else []
    by_ts = {message.message_id: message for message in messages}
    rooms = rooms_by_id(db, {message.channel_id for message in messages})
    shares: dict[str, list[Share]] = {}
    for file_id, ts in cast(list[tuple[str, str]], pairs):
        if message := by_ts.get(ts):
            shares.setdefault(file_id, []).append(Share(message, rooms[message.channel_id]))
    return shares


def _places(shares: Iterable[Share]) -> dict[str, Any]:
    """Return the sharing fields of a file: channel ids by type of conversation, and the messages."""
    shares = list(shares)
    ids: dict[str, list[str]] = {"channels": [], "groups": [], "ims": []}
    messages: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for share in shares:
        is_open = is_open_to_all(share.room)
        place = "ims" if share.room.is_dm else "channels" if is_open else "groups"
        if share.room.channel_id not in ids[place]:
            ids[place].append(share.room.channel_id)
        by_room = messages.setdefault("public" if is_open else "private", {})
        by_room.setdefault(share.room.channel_id, []).append(_share(share))
    return {
        **ids,
        "is_public": bool(ids["channels"]),
        "comments_count": 0,
        "shares": messages,
        "has_more_shares": False,
    }


def _share(share: Share) -> dict[str, Any]:
    shown: dict[str, Any] = {"ts": share.message.message_id, "channel_name": share.room.channel_name}
    return {**shown, "thread_ts": share.message.parent_id} if share.message.parent_id else shown


def files_in(call: Call, messages: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """Map message ids to the files shared in them."""
    if not messages:
        return {}
    pairs = call.db.rows(FileMessage, FileMessage.message_id.in_(messages), order=_AS_SHARED, columns=_OF_SHARES)
    if not pairs:
        return {}
    shared = call.db.rows(File, File.file_id.in_([file_id for _, file_id in pairs]))
    shown = _in_messages(call, list(shared))
    files: dict[str, list[dict[str, Any]]] = {}
    for ts, file_id in cast(list[tuple[str, str]], pairs):
        if file_id in shown:
            files.setdefault(ts, []).append(shown[file_id])
    return files
