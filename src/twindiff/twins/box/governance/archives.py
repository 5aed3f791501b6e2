"""Archives: named storage for content (API version 2025.0).

https://developer.box.com/reference/v2025.0/resources/archive
"""

from __future__ import annotations

from typing import Annotated

from twindiff.kit import UNSET, Call, Meta, Operations, UnsetType, revise
from twindiff.twins.box.wire_style import BadRequest, marker_page, require_version

from ..core.access import require_admin
from ..core.errors import Conflict, NotFound
from ..core.folder_listing import rows_from
from ..core.row_stamps import fold_name, new_id
from ..tables.administration_tables import Archive, StoragePolicy
from ..views.item_views import Shown

api = Operations(prefix="/2.0", layers=(require_version,))
Name = Annotated[str, Meta(min_length=1, max_length=100)]
Text = Annotated[str, Meta(max_length=255)]


def _archive_object(row: Archive) -> Shown:
    owner: Shown = {"owned_by": {"type": "user", "id": row.owned_by_id}} if row.owned_by_id else {}
    said = {"name": row.name, "size": row.size, "description": row.description}
    return {"type": row.type, "id": row.id, **said, **owner}


def _find(call: Call, id: str) -> Archive:
    require_admin(call)
    row = call.db.find(Archive, Archive.id == id)
    if row is None:
        raise NotFound.of("archive", id)
    return row


@api.get("/archives")
def list_archives(call: Call, limit: int = 100, marker: str = "") -> Shown:
    """List the archives.

    https://developer.box.com/reference/v2025.0/get-archives
    """
    require_admin(call)
    rows, more = rows_from(call, marker, limit, Archive, order=Archive.id)
    return marker_page([_archive_object(row) for row in rows], limit, more)


@api.post("/archives", status=201)
def create_archive(
    call: Call, name: Name, description: Text | None = None, storage_policy_id: str | None = None
) -> Shown:
    """Create an archive with a unique name.

    https://developer.box.com/reference/v2025.0/post-archives
    """
    require_admin(call)
    if storage_policy_id and not call.db.find(StoragePolicy, StoragePolicy.id == storage_policy_id):
        said = f"Invalid value '{storage_policy_id[:100]}'. There is no such storage policy."
        raise BadRequest.of("invalid_parameter", "storage_policy_id", said)
    made = Archive(
        id=new_id(call, 12),
        name=name,
        folded_name=fold_name(name),
        description=description,
        storage_policy_id=storage_policy_id or None,
        owned_by_id=call.actor,
    )
    return _archive_object(call.db.add(made, taken=Conflict))


@api.put("/archives/{archive_id}")
def update_archive(
    call: Call, archive_id: str, name: Name | UnsetType = UNSET, description: Text | UnsetType | None = UNSET
) -> Shown:
    """Change the name and the description of an archive.

    https://developer.box.com/reference/v2025.0/put-archives-id
    """
    row = _find(call, archive_id)
    changes: Shown = {"description": description}
    if isinstance(name, str):
        if call.db.find(Archive, Archive.folded_name == fold_name(name), Archive.id != row.id):
            raise Conflict
        changes |= {"name": name, "folded_name": fold_name(name)}
    return _archive_object(revise(call.db, row, stamp={}, **changes))


@api.delete("/archives/{archive_id}", status=204)
def delete_archive(call: Call, archive_id: str) -> None:
    """Delete an empty archive permanently.

    https://developer.box.com/reference/v2025.0/delete-archives-id
    """
    row = _find(call, archive_id)
    if row.size:
        raise BadRequest.of("invalid_parameter", "archive_id", "The archive is not empty.")
    call.db.remove(row)
