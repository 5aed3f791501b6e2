"""Files, icons and covers between Notion's objects and rows, and the signed addresses of uploaded files.

https://developers.notion.com/reference/file-object · https://developers.notion.com/reference/emoji-object
"""

from __future__ import annotations

import hmac
import re
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from twindiff.kit import Call
from twindiff.kit.clock import SECOND, Clock

from ..tables.workspace_tables import CustomEmoji, FileUpload
from ..wire_style import ValidationError
from .api_version import has_data_sources
from .body_rules import (
    MAX_URL_LENGTH,
    Problems,
    Rule,
    anything,
    as_uuid,
    invalid_at,
    nullable,
    obj,
    text,
    typed_object,
    uuid,
    web_address,
)
from .edit_stamps import minute

FILE_SECONDS = 3600
"""How long the address of an uploaded file is valid."""
NATIVE_ICON = re.compile(r"https://www\.notion\.so/icons/([a-z0-9-]+)_([a-z]+)\.svg")
UPLOADED_FILE = re.compile(r"/files/([0-9a-f-]{36})/")
MAX_EMOJI_LENGTH = 40
INFORMATION_SIGN = "\u2139"
"""The only emoji that Unicode calls a letter."""


def external_file(wrong: str) -> Rule:
    """A rule of a file elsewhere; `wrong` is the text for an address that is none."""
    return obj({"url": web_address(wrong)})


def _emoji(value: Any, path: str) -> Problems:
    yield from text(MAX_EMOJI_LENGTH, 1)(value, path)
    if isinstance(value, str) and (value.isascii() or (value[0].isalpha() and value[0] != INFORMATION_SIGN)):
        yield invalid_at(path, "an emoji", value)


_internal = obj({"url": text(MAX_URL_LENGTH * 4)}, expiry_time=anything)
_sources: dict[str, Rule] = {"file_upload": obj({"id": uuid}), "file": _internal}
_icons = {
    "external": external_file("Invalid page icon URL."),
    **_sources,
    "emoji": _emoji,
    "custom_emoji": obj({"id": uuid}, name=anything, url=anything),
    "icon": obj({"name": text()}, color=text()),
}
icon = nullable(typed_object(_icons))
cover = nullable(typed_object({"external": external_file("Invalid page cover URL."), **_sources}))
Value = dict[str, Any]


def pack_file(call: Call, given: Value | None) -> Value | None:
    """Return what a row holds for a file, an icon or a cover in a request; an upload is attached by it."""
    if given is None:
        return None
    kind = given.get("type") or next(name for name in _icons if name in given)
    source = given[kind]
    if kind == "external":
        return {"external": source["url"]}
    if kind == "file":
        match = UPLOADED_FILE.search(source["url"])
        return {"file_upload": match[1]} if match else {"external": source["url"]}
    if kind == "file_upload":
        return {"file_upload": attach_upload(call, source["id"]).id}
    return {kind: source["id"] if kind == "custom_emoji" else source}


def status_of(call: Call, row: FileUpload) -> str:
    """Return the status of an upload; one that is not attached in time has expired."""
    is_late = row.expiry_time is not None and row.expiry_time <= call.clock.iso()
    return "expired" if is_late and row.status in ("pending", "uploaded") and not row.is_attached else row.status


def attach_upload(call: Call, id: str) -> FileUpload:
    """Attach a complete upload; raise ValidationError for any other."""
    upload = call.db.find(FileUpload, FileUpload.id == (as_uuid(id) or id))
    if upload is None:
        raise ValidationError(f"Could not find file_upload with ID: {id}.")
    status = status_of(call, upload)
    if status != "uploaded":
        raise ValidationError(f"File upload {id} has status `{status}`; only `uploaded` files can be attached.")
    return upload if upload.is_attached else call.db.change(upload, is_attached=True, expiry_time=None)


def render_file(call: Call, stored: Value | None) -> Value | None:
    """Render a file, an icon or a cover."""
    if not stored:
        return None
    [(kind, value)] = stored.items()
    if kind == "external":
        match = NATIVE_ICON.fullmatch(value)
        if match and has_data_sources(call):
            return {"type": "icon", "icon": {"name": match[1], "color": match[2]}}
        return {"type": "external", "external": {"url": value}}
    if kind == "file_upload":
        return {"type": "file", "file": sign_file(call, value)}
    if kind == "custom_emoji":
        emoji = call.db.find(CustomEmoji, CustomEmoji.id == value)
        value = {"id": value, "name": emoji.name if emoji else "", "url": emoji.url if emoji else ""}
    return {"type": kind, kind: value}


def sign_file(call: Call, upload_id: str) -> Value:
    """Return the address of an uploaded file and the time until which it is valid."""
    upload = call.db.find(FileUpload, FileUpload.id == upload_id)
    if upload and upload.external_url and not upload.digest:
        return {"url": upload.external_url, "expiry_time": minute(call.clock.iso())}
    until = call.clock.unix() // FILE_SECONDS * FILE_SECONDS + 2 * FILE_SECONDS
    name = quote((upload.filename if upload else None) or "file")
    url = f"{call.base_url}/files/{upload_id}/{name}?until={until}&signature={signature_of(call, upload_id, until)}"
    return {"url": url, "expiry_time": f"{Clock(until * SECOND).iso()[:19]}.000Z"}


def signature_of(call: Call, upload_id: str, until: int) -> str:
    """Return the signature of a file's address."""
    return hmac.new(call.secret.encode(), f"{upload_id}.{until}".encode(), sha256).hexdigest()[:32]
