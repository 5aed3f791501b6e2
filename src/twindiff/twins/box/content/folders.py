"""The operations on folders: get, list, create, update, delete and copy.
https://developer.box.com/reference/resources/folder
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Call, Header, Operations, Response, Struct, UnsetType, not_modified
from twindiff.twins.box.wire_style import (
    BadRequest,
    marker_of,
    marker_page,
    offset_in,
    offset_page,
    wanted_fields,
    window,
)

from ..core.access import ROOT, find_folder, require
from ..core.errors import AccessDeniedInsufficientPermissions
from ..core.folder_listing import Sort, items_in
from ..core.row_stamps import fold_name, new_id, search_text
from ..event_delivery.event_emission import emit_item_event
from ..sharing.shared_links import SharedLink
from ..tables.item_tables import Folder
from ..views.item_views import item_object, item_objects
from .cascaded_metadata import apply_cascade_policies
from .item_copies import copy_folder
from .item_names import check_free, check_name
from .item_updates import Changes, Description, ParentReference, Ref, check_etag, update
from .trash_lifecycle import trash_folder

api = Operations(prefix="/2.0")
SortBy = Literal["id", "name", "date", "size"]
Direction = Literal["ASC", "DESC", "asc", "desc"]


class UploadEmail(Struct):
    """The `folder_upload_email` of a request: who may upload by mail."""

    access: Literal["open", "collaborators"] | UnsetType = UNSET


@api.get("/folders/{folder_id}")
def get_folder(
    call: Call,
    folder_id: str,
    fields: str = "",
    sort: SortBy = "name",
    direction: Direction = "ASC",
    offset: int = 0,
    limit: int = 100,
    if_none_match: Annotated[str, Header("If-None-Match")] = "",
) -> Any:
    """Get a folder with the first of its items.

    https://developer.box.com/reference/get-folders-id
    """
    folder = find_folder(call, folder_id)
    call.memo["item_collection"] = (window(offset, limit), Sort(sort, direction.upper()))
    fresh: Response | None = not_modified(if_none_match, folder.etag or "0") if folder.id != ROOT else None
    return fresh or item_object(call, folder, wanted_fields(fields))


@api.get("/folders/{folder_id}/items")
def list_items(
    call: Call,
    folder_id: str,
    fields: str = "",
    usemarker: bool = False,
    marker: str = "",
    offset: int = 0,
    limit: int = 100,
    sort: SortBy = "name",
    direction: Direction = "ASC",
) -> dict[str, Any]:
    """List the items of a folder: folders, then files, then web links.

    https://developer.box.com/reference/get-folders-id-items
    """
    folder = find_folder(call, folder_id, "list")
    ordered = Sort(sort, direction.upper())
    if usemarker:
        at = window(offset_in(marker), limit)
        rows, total = items_in(call, folder, at, ordered)
        end = at.offset + len(rows)
        return marker_page(
            item_objects(call, rows, wanted_fields(fields)), limit, marker_of(end) if end < total else None
        )
    at = window(offset, limit)
    rows, total = items_in(call, folder, at, ordered)
    entries = item_objects(call, rows, wanted_fields(fields))
    return offset_page(entries, total, at, ("type", "ASC"), (ordered.by, ordered.direction))


@api.post("/folders", status=201)
def create_folder(
    call: Call,
    name: str,
    parent: Ref,
    fields: str = "",
    folder_upload_email: UploadEmail | None = None,
    sync_state: Literal["synced", "not_synced", "partially_synced"] | None = None,
    description: Description | None = None,
) -> dict[str, Any]:
    """Create a folder.

    https://developer.box.com/reference/post-folders
    """
    check_name(name)
    target = find_folder(call, str(parent.id), "upload")
    owner = call.actor if target.id == ROOT else target.owned_by_id
    check_free(call, target.id, name, owner)
    now = call.clock.iso()
    made = Folder(
        id=new_id(call),
        name=name,
        description=description or "",
        parent_id=target.id,
        created_by_id=call.actor,
        modified_by_id=call.actor,
        owned_by_id=owner,
        etag="0",
        sequence_id="0",
        folder_upload_email=_upload_email(call, folder_upload_email),
        sync_state=sync_state,
        created_at=now,
        modified_at=now,
        content_created_at=now,
        content_modified_at=now,
        folded_name=fold_name(name),
        search_text=search_text(name, description, None),
    )
    apply_cascade_policies(call, call.db.add(made))
    emit_item_event(call, "ITEM_CREATE", made, "FOLDER.CREATED")
    return item_object(call, made, wanted_fields(fields))


def _upload_email(call: Call, wanted: UploadEmail | None) -> dict[str, str] | None:
    if wanted is None or wanted.access is UNSET:
        return None
    return {"access": wanted.access, "email": f"upload.{call.ids.new('', 12).lower()}@u.box.com"}


@api.put("/folders/{folder_id}")
def update_folder(
    call: Call,
    folder_id: str,
    fields: str = "",
    name: str | UnsetType = UNSET,
    description: str | UnsetType | None = UNSET,
    parent: ParentReference | UnsetType | None = UNSET,
    tags: list[str] | UnsetType | None = UNSET,
    collections: list[Ref] | UnsetType | None = UNSET,
    shared_link: SharedLink | UnsetType | None = UNSET,
    sync_state: Literal["synced", "not_synced", "partially_synced"] | UnsetType = UNSET,
    folder_upload_email: UploadEmail | UnsetType | None = UNSET,
    can_non_owners_invite: bool | UnsetType = UNSET,
    can_non_owners_view_collaborators: bool | UnsetType = UNSET,
    is_collaboration_restricted_to_enterprise: bool | UnsetType = UNSET,
    if_match: Annotated[str, Header("If-Match")] = "",
) -> dict[str, Any]:
    """Update the given fields of a folder, including its parent folder.

    https://developer.box.com/reference/put-folders-id
    """
    folder = find_folder(call, folder_id)
    check_etag(folder, if_match)
    more: dict[str, Any] = {
        "can_non_owners_invite": can_non_owners_invite,
        "can_non_owners_view_collaborators": can_non_owners_view_collaborators,
        "is_collaboration_restricted_to_enterprise": is_collaboration_restricted_to_enterprise,
    }
    if folder_upload_email is not UNSET:
        more["folder_upload_email"] = _upload_email(call, folder_upload_email)
    if any(value is not UNSET for value in more.values()):
        require(call, folder, "settings")
    if sync_state is not UNSET:
        require(call, folder, "edit")
        more["sync_state"] = sync_state
    changes = Changes(
        name=name, description=description, parent=parent, tags=tags, collections=collections, shared_link=shared_link
    )
    changes.more = more
    return item_object(call, update(call, folder, changes), wanted_fields(fields))


@api.delete("/folders/{folder_id}", status=204)
def delete_folder(
    call: Call, folder_id: str, recursive: bool = False, if_match: Annotated[str, Header("If-Match")] = ""
) -> None:
    """Move a folder to the trash with everything in it.

    https://developer.box.com/reference/delete-folders-id
    """
    folder = find_folder(call, folder_id, "delete")
    if folder.id == ROOT:
        raise AccessDeniedInsufficientPermissions
    check_etag(folder, if_match)
    trash_folder(call, folder, recursive=recursive)


@api.post("/folders/{folder_id}/copy", status=201)
def copy(
    call: Call,
    folder_id: str,
    parent: Ref,
    fields: str = "",
    name: str | None = None,
) -> dict[str, Any]:
    """Copy a folder with everything in it.

    https://developer.box.com/reference/post-folders-id-copy
    """
    folder = find_folder(call, folder_id, "download")
    if folder.id == ROOT:
        raise BadRequest.of("invalid_parameter", "folder_id", "The root folder cannot be copied.")
    target = find_folder(call, str(parent.id), "upload")
    return item_object(call, copy_folder(call, folder, target, name), wanted_fields(fields))
