"""Uploads in a single request, and the preflight check. Both of Box's hosts accept them.

https://developer.box.com/guides/uploads/direct
"""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit import Call, Header, Operations, Struct, Upload, revise
from twindiff.twins.box.wire_style import BadRequest, wanted_fields

from ..core.access import ROOT, find_file, find_folder
from ..core.contents import Bytes, add_version, check_digest, check_room, store_content
from ..core.row_stamps import build_change_stamp, extension_of, fold_name, new_id, read_instant, search_text
from ..event_delivery.event_emission import emit_item_event
from ..tables.item_tables import File, FileVersion, Folder
from ..views.item_views import item_object
from .cascaded_metadata import apply_cascade_policies
from .item_names import check_free, check_name
from .item_updates import Description, Ref, check_etag, check_lock

api = Operations()
MAX_FILE_BYTES = 100_000_000


class Attributes(Struct):
    """The attributes of a new file."""

    name: str
    parent: Ref
    content_created_at: str | None = None
    content_modified_at: str | None = None
    description: Description | None = None


class VersionAttributes(Struct):
    """The attributes of a new version."""

    name: str | None = None
    content_modified_at: str | None = None


def files_object(call: Call, file: File, fields: str) -> dict[str, Any]:
    """Render the response to an upload: a collection with the file as its only entry."""
    return {"total_count": 1, "entries": [item_object(call, file, wanted_fields(fields))]}


@api.post("/api/2.0/files/content", status=201, body_limit=MAX_FILE_BYTES, in_thread=True)
@api.post("/2.0/files/content", status=201, body_limit=MAX_FILE_BYTES, in_thread=True)
def upload_file(
    call: Call,
    attributes: Attributes,
    file: Upload,
    fields: str = "",
    content_md5: Annotated[str, Header("Content-MD5")] = "",
) -> dict[str, Any]:
    """Upload a file.

    https://developer.box.com/reference/post-files-content
    """
    target = find_folder(call, str(attributes.parent.id), "upload")
    check_digest(file.data, content_md5)
    check_new(call, target, attributes.name, len(file.data))
    held = store_content(call, file.data, attributes.name)
    return files_object(call, add_file(call, target, attributes, held), fields)


def owner_of(call: Call, target: Folder) -> str | None:
    """Return the id of the user who will own files uploaded into a folder."""
    return call.actor if target.id == ROOT else target.owned_by_id


def check_new(call: Call, target: Folder, name: str, size: int) -> None:
    """Raise unless a file of that name and size in bytes can be created in a folder."""
    check_name(name)
    owner = owner_of(call, target)
    check_free(call, target.id, name, owner, is_upload=True)
    check_room(call, owner, size)


def add_file(call: Call, target: Folder, said: Attributes, held: Bytes) -> File:
    """Create a file from stored bytes and return it."""
    now = call.clock.iso()
    created = read_instant(said.content_created_at, "content_created_at") if said.content_created_at else now
    modified = read_instant(said.content_modified_at, "content_modified_at") if said.content_modified_at else now
    file = File(
        id=new_id(call, 13),
        name=said.name,
        description=said.description,
        size=held.size,
        parent_id=target.id,
        created_by_id=call.actor,
        modified_by_id=call.actor,
        owned_by_id=owner_of(call, target),
        etag="0",
        sequence_id="0",
        sha_1=held.sha_1,
        file_version_id=new_id(call, 13),
        version_number="1",
        extension=extension_of(said.name),
        created_at=now,
        modified_at=now,
        content_created_at=created,
        content_modified_at=modified,
        folded_name=fold_name(said.name),
        search_text=search_text(said.name, said.description, None),
    )
    call.db.add(file)
    add_version(call, file, 1, held, said.name)
    apply_cascade_policies(call, file)
    emit_item_event(call, "ITEM_UPLOAD", file, "FILE.UPLOADED")
    return file


@api.post("/api/2.0/files/{file_id}/content", body_limit=MAX_FILE_BYTES, in_thread=True)
@api.post("/2.0/files/{file_id}/content", body_limit=MAX_FILE_BYTES, in_thread=True)
def upload_version(
    call: Call,
    file_id: str,
    file: Upload,
    attributes: VersionAttributes | None = None,
    fields: str = "",
    content_md5: Annotated[str, Header("Content-MD5")] = "",
    if_match: Annotated[str, Header("If-Match")] = "",
) -> dict[str, Any]:
    """Upload a new version of a file.

    https://developer.box.com/reference/post-files-id-content
    """
    known = find_file(call, file_id, "revise")
    check_etag(known, if_match)
    check_digest(file.data, content_md5)
    said = attributes or VersionAttributes()
    check_version(call, known, said.name, len(file.data))
    held = store_content(call, file.data, said.name or known.name or "")
    return files_object(call, new_version(call, known, said, held), fields)


def check_version(call: Call, file: File, name: str | None, size: int) -> None:
    """Raise unless a file can get a new version of that size in bytes, and that name if one is given."""
    check_lock(call, file)
    if name and name != file.name:
        check_name(name)
        check_free(call, file.parent_id or ROOT, name, file.owned_by_id, but=file, is_upload=True)
    check_room(call, file.owned_by_id, size)


def new_version(call: Call, file: File, said: VersionAttributes, held: Bytes) -> File:
    """Make stored bytes the current version of a file and return the file."""
    name = said.name or file.name or ""
    number = next_version_number(call, file)
    now = call.clock.iso()
    modified = read_instant(said.content_modified_at, "content_modified_at") if said.content_modified_at else now
    stamp = {**build_change_stamp(call, file), "content_modified_at": modified, "file_version_id": new_id(call, 13)}
    changes: dict[str, Any] = {"size": held.size, "sha_1": held.sha_1, "version_number": str(number)}
    if name != file.name:
        changes |= {"name": name, "folded_name": fold_name(name), "extension": extension_of(name)}
        changes["search_text"] = search_text(name, file.description, file.tags)
    changed = revise(call.db, file, stamp=stamp, **changes)
    add_version(call, changed, number, held, name)
    emit_item_event(call, "ITEM_MODIFY", changed, "FILE.UPLOADED")
    return changed


def next_version_number(call: Call, file: File) -> int:
    """Return the number of a file's next version."""
    order = -FileVersion.version_number
    versions = call.db.rows(FileVersion, FileVersion.file_id == file.id, order=order, limit=1)
    return versions[0].version_number + 1 if versions else 2


@api.options("/api/2.0/files/content", reads=True)
@api.options("/2.0/files/content", reads=True)
def preflight(
    call: Call, name: str | None = None, parent: Ref | None = None, size: int | None = None
) -> dict[str, Any]:
    """Check whether an upload of a new file would be accepted.

    https://developer.box.com/reference/options-files-content
    """
    if not name:
        raise BadRequest.of("missing_parameter", "name", "'name' is required")
    if parent is None:
        raise BadRequest.of("missing_parameter", "parent", "'parent' is required")
    target = find_folder(call, str(parent.id), "upload")
    check_new(call, target, name, size or 0)
    return {"upload_url": f"{call.base_url}/api/2.0/files/content", "upload_token": ""}


@api.options("/api/2.0/files/{file_id}/content", reads=True)
@api.options("/2.0/files/{file_id}/content", reads=True)
def preflight_version(call: Call, file_id: str, name: str | None = None, size: int | None = None) -> dict[str, Any]:
    """Check whether an upload of a new version would be accepted.

    https://developer.box.com/reference/options-files-content
    """
    file = find_file(call, file_id, "revise")
    check_version(call, file, name, size or 0)
    return {"upload_url": f"{call.base_url}/api/2.0/files/{file.id}/content", "upload_token": ""}
