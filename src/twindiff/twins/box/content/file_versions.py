"""The operations on versions of files: list, get, promote, delete and restore.
https://developer.box.com/reference/resources/file-version
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import Call, Header, Operations, revise
from twindiff.twins.box.wire_style import BadRequest, offset_page, wanted_fields, window

from ..core.access import find_file
from ..core.contents import add_version, current_version, get_content
from ..core.errors import AccessDeniedInsufficientPermissions, NotFound
from ..core.row_stamps import build_change_stamp, extension_of, fold_name, new_id, search_text
from ..event_delivery.event_emission import emit_item_event
from ..tables.item_tables import File, FileVersion
from ..views.item_views import version_object
from .item_updates import check_etag, check_lock
from .uploads import next_version_number

api = Operations(prefix="/2.0")


def _version(call: Call, file: File, version_id: str) -> FileVersion:
    version = call.db.find(FileVersion, FileVersion.id == version_id, FileVersion.file_id == file.id)
    if version is None or version.purged_at:
        raise NotFound.of("file_version", version_id)
    return version


@api.get("/files/{file_id}/versions")
def list_versions(call: Call, file_id: str, fields: str = "", limit: int = 1000, offset: int = 0) -> dict[str, Any]:
    """List the past versions of a file, newest first, without the current one.

    https://developer.box.com/reference/get-files-id-versions
    """
    file, at = find_file(call, file_id), window(offset, limit)
    current = current_version(call, file).id if file.version_number not in (None, "1") else file.file_version_id
    rows = call.db.rows(FileVersion, FileVersion.file_id == file.id, order=-FileVersion.version_number)
    past = [row for row in rows if row.id != current and row.purged_at is None]
    if current is None:
        past = past[1:]
    shown = [version_object(call, row, wanted_fields(fields)) for row in past[at.offset : at.offset + at.limit]]
    return offset_page(shown, len(past), at)


@api.get("/files/{file_id}/versions/{file_version_id}")
def get_version(call: Call, file_id: str, file_version_id: str, fields: str = "") -> dict[str, Any]:
    """Get a version of a file.

    https://developer.box.com/reference/get-files-id-versions-id
    """
    file = find_file(call, file_id)
    return version_object(call, _version(call, file, file_version_id), wanted_fields(fields))


@api.post("/files/{file_id}/versions/current", status=201)
def promote_version(
    call: Call,
    file_id: str,
    id: str = "",
    type: Literal["file_version"] = "file_version",
    fields: str = "",
) -> dict[str, Any]:
    """Copy a past version and make the copy the current version.

    https://developer.box.com/reference/post-files-id-versions-current
    """
    file = find_file(call, file_id, "revise")
    if not id:
        raise BadRequest.of("missing_parameter", "id", "'id' is required")
    check_lock(call, file)
    version = _version(call, file, id)
    if version.trashed_at:
        raise NotFound.of("file_version", id)
    number, name = next_version_number(call, file), version.name or file.name or ""
    changes: dict[str, Any] = {"size": version.size, "sha_1": version.sha_1, "version_number": str(number)}
    if name != file.name:
        changes |= {"name": name, "folded_name": fold_name(name), "extension": extension_of(name)}
        changes["search_text"] = search_text(name, file.description, file.tags)
    stamp = {
        **build_change_stamp(call, file),
        "file_version_id": new_id(call, 13),
        "content_modified_at": call.clock.iso(),
    }
    changed = revise(call.db, file, stamp=stamp, **changes)
    made = add_version(call, changed, number, get_content(call, version), name)
    emit_item_event(call, "ITEM_MAKE_CURRENT_VERSION", changed, "FILE.UPLOADED")
    return version_object(call, made, wanted_fields(fields))


@api.delete("/files/{file_id}/versions/{file_version_id}", status=204)
def delete_version(
    call: Call, file_id: str, file_version_id: str, if_match: Annotated[str, Header("If-Match")] = ""
) -> None:
    """Move a past version to the trash.

    https://developer.box.com/reference/delete-files-id-versions-id
    """
    file = find_file(call, file_id, "delete")
    check_etag(file, if_match)
    version = _version(call, file, file_version_id)
    if version.id == current_version(call, file).id:
        raise AccessDeniedInsufficientPermissions("The current version of a file cannot be deleted")
    if version.trashed_at is None:
        call.db.change(version, trashed_at=call.clock.iso(), trashed_by_id=call.actor)


@api.put("/files/{file_id}/versions/{file_version_id}")
def restore_version(call: Call, file_id: str, file_version_id: str, trashed_at: str | None = None) -> dict[str, Any]:
    """Restore a past version from the trash, which `trashed_at: null` requests.

    https://developer.box.com/reference/put-files-id-versions-id
    """
    file = find_file(call, file_id, "delete")
    version = _version(call, file, file_version_id)
    if trashed_at is not None:
        raise BadRequest.of("invalid_parameter", "trashed_at", "Only null is taken, which restores the version.")
    if version.trashed_at:
        now = call.clock.iso()
        restored = {"restored_at": now, "restored_by_id": call.actor}
        version = call.db.change(version, trashed_at=None, trashed_by_id=None, **restored)
    return version_object(call, version)
