"""The operations on files: get, update, delete and copy.
https://developer.box.com/reference/resources/file
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Call, Header, Operations, Response, Struct, UnsetType, not_modified
from twindiff.twins.box.wire_style import BadRequest, wanted_fields

from ..core.access import find_file, find_folder, look_at
from ..core.preserved_versions import reschedule_disposition
from ..core.row_stamps import extension_of, new_id, read_instant
from ..sharing.shared_links import SharedLink
from ..tables.item_tables import File
from ..views.item_views import item_object
from .item_copies import copy_file
from .item_updates import Changes, ParentReference, Ref, check_etag, check_lock, update
from .trash_lifecycle import trash

api = Operations(prefix="/2.0")


class Lock(Struct):
    """The `lock` of an update request."""

    access: Literal["lock"] | UnsetType = UNSET
    type: Literal["lock"] | UnsetType = UNSET
    expires_at: str | UnsetType | None = UNSET
    is_download_prevented: bool = False


class DownloadPermissions(Struct):
    """The `permissions` of an update request: who may download the file."""

    can_download: Literal["open", "company"] | UnsetType = UNSET


@api.get("/files/{file_id}")
def get_file(
    call: Call,
    file_id: str,
    fields: str = "",
    if_none_match: Annotated[str, Header("If-None-Match")] = "",
    rep_hints: Annotated[str, Header("X-Rep-Hints")] = "",
) -> Any:
    """Get a file. For a file in the trash, `item_status` is `trashed`.

    https://developer.box.com/reference/get-files-id
    """
    file = look_at(call, File, file_id)
    fresh: Response | None = not_modified(if_none_match, file.etag or "0")
    call.memo["rep_hints"] = rep_hints
    return fresh or item_object(call, file, wanted_fields(fields))


@api.put("/files/{file_id}")
def update_file(
    call: Call,
    file_id: str,
    fields: str = "",
    name: str | UnsetType = UNSET,
    description: str | UnsetType | None = UNSET,
    parent: ParentReference | UnsetType | None = UNSET,
    tags: list[str] | UnsetType | None = UNSET,
    collections: list[Ref] | UnsetType | None = UNSET,
    shared_link: SharedLink | UnsetType | None = UNSET,
    lock: Lock | UnsetType | None = UNSET,
    permissions: DownloadPermissions | UnsetType | None = UNSET,
    disposition_at: str | UnsetType | None = UNSET,
    content_modified_at: str | UnsetType = UNSET,
    if_match: Annotated[str, Header("If-Match")] = "",
) -> dict[str, Any]:
    """Update the given fields of a file, including its parent folder.

    Box does not document `content_modified_at` here; clients such as rclone set it.

    https://developer.box.com/reference/put-files-id
    """
    file = find_file(call, file_id)
    check_etag(file, if_match)
    more: dict[str, Any] = {"content_modified_at": _content_time(call, file, content_modified_at)}
    if name is not UNSET:
        more["extension"] = extension_of(name) if name != file.name else UNSET
    if lock is not UNSET:
        more["lock"] = _lock_after(call, file, lock)
    if isinstance(permissions, DownloadPermissions) and permissions.can_download is not UNSET:
        find_file(call, file_id, "own")
        more["permissions"] = {"can_download": permissions.can_download}
    if disposition_at is not UNSET:
        more["disposition_at"] = _disposition_after(call, file, disposition_at)
    changes = Changes(
        name=name, description=description, parent=parent, tags=tags, collections=collections, shared_link=shared_link
    )
    changes.more = more
    return item_object(call, update(call, file, changes), wanted_fields(fields))


def _content_time(call: Call, file: File, given: str | UnsetType) -> str | UnsetType:
    """Return the new time of a file's content, or UNSET; raise unless the caller may edit the file."""
    if not isinstance(given, str):
        return UNSET
    find_file(call, file.id, "edit")
    return read_instant(given, "content_modified_at")


def _disposition_after(call: Call, file: File, given: str | None) -> str | None:
    """Return when a file is to be disposed of; raise unless the caller owns the file."""
    find_file(call, file.id, "own")
    reschedule_disposition(call)
    return read_instant(given, "disposition_at") if given else None


def _lock_after(call: Call, file: File, wanted: Lock | None) -> dict[str, Any] | None:
    """Return the new lock of a file. Only the user who locked it, or its owner, may change or remove the lock."""
    find_file(call, file.id, "lock")
    if file.owned_by_id != call.actor:
        check_lock(call, file)
    if wanted is None:
        return None
    expires = read_instant(wanted.expires_at, "expires_at") if wanted.expires_at else None
    if expires and expires <= call.clock.iso():
        raise BadRequest.of("invalid_parameter", "expires_at", "A lock must expire in the future.")
    return {
        "id": file.lock["id"] if file.lock else new_id(call, 9),
        "created_by_id": call.actor,
        "created_at": call.clock.iso(),
        "expires_at": expires,
        "is_download_prevented": wanted.is_download_prevented,
    }


@api.delete("/files/{file_id}", status=204)
def delete_file(call: Call, file_id: str, if_match: Annotated[str, Header("If-Match")] = "") -> None:
    """Move a file to the trash.

    https://developer.box.com/reference/delete-files-id
    """
    file = find_file(call, file_id, "delete")
    check_etag(file, if_match)
    trash(call, file)


@api.post("/files/{file_id}/copy", status=201)
def copy(
    call: Call,
    file_id: str,
    parent: Ref,
    fields: str = "",
    name: str | None = None,
    version: str | None = None,
) -> dict[str, Any]:
    """Copy a file, or one of its versions, into a folder.

    https://developer.box.com/reference/post-files-id-copy
    """
    file = find_file(call, file_id, "download")
    target = find_folder(call, str(parent.id), "upload")
    return item_object(call, copy_file(call, file, target, name, version), wanted_fields(fields))
