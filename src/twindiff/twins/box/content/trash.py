"""The operations on items in the trash: list, get, restore, purge.

https://developer.box.com/reference/get-folders-trash-items
"""

from __future__ import annotations

from typing import Any, Literal

from twindiff.kit import Call, Operations, any_of
from twindiff.twins.box.wire_style import (
    BadRequest,
    marker_of,
    marker_page,
    offset_in,
    offset_page,
    wanted_fields,
    window,
)

from ..core.access import require
from ..core.errors import Forbidden
from ..core.folder_listing import KINDS, Sort, page_of_kinds
from ..tables.item_tables import File, Folder, WebLink
from ..views.item_views import item_object, item_objects
from .item_updates import Ref
from .trash_lifecycle import purge, require_trashed_item, restore

api = Operations(prefix="/2.0")


@api.get("/folders/trash/items")
def list_trash(
    call: Call,
    fields: str = "",
    limit: int = 100,
    offset: int | None = None,
    usemarker: bool = False,
    marker: str = "",
    sort: Literal["name", "date", "size"] | None = None,
    direction: Literal["ASC", "DESC", "asc", "desc"] | None = None,
) -> dict[str, Any]:
    """List the items that the caller has moved to the trash.

    https://developer.box.com/reference/get-folders-trash-items
    """
    if usemarker and (offset is not None or sort or direction):
        raise BadRequest.of("invalid_parameter", "usemarker", "A marker goes with no offset, sort or direction.")
    if marker and not usemarker:
        raise BadRequest.of("invalid_parameter", "marker", "A marker needs usemarker=true.")
    at = window(offset_in(marker) if usemarker else offset or 0, limit)
    mine = {
        kind: (kind.item_status == "trashed", any_of(kind.owned_by_id == call.actor, kind.owned_by_id.is_null()))
        for kind in KINDS
    }
    ordered = Sort(sort or "name", (direction or "ASC").upper())
    rows, total = page_of_kinds(call, mine, at, ordered)
    entries = item_objects(call, rows, wanted_fields(fields))
    if usemarker:
        end = at.offset + len(rows)
        return marker_page(entries, limit, marker_of(end) if end < total else None)
    return offset_page(entries, total, at, ("type", "ASC"), (ordered.by, ordered.direction))


@api.get("/folders/{folder_id}/trash/items")
def list_trashed_folder(call: Call, folder_id: str) -> None:
    """Refuse to list a folder in the trash: what is in it cannot be seen.

    https://github.com/box/box-java-sdk/issues/1030
    """
    require_trashed_item(call, Folder, folder_id)
    raise Forbidden


def _look(call: Call, table: type[Any], item_id: str, fields: str) -> dict[str, Any]:
    return item_object(call, require_trashed_item(call, table, item_id), wanted_fields(fields))


def _restore(
    call: Call, table: type[Any], item_id: str, name: str | None, parent: Ref | None, fields: str
) -> dict[str, Any]:
    item = require_trashed_item(call, table, item_id)
    require(call, item, "delete")
    now = restore(call, item, name, str(parent.id) if parent else None)
    return item_object(call, now, wanted_fields(fields))


def _purge(call: Call, table: type[Any], item_id: str) -> None:
    item = require_trashed_item(call, table, item_id)
    require(call, item, "delete")
    purge(call, item)


@api.get("/files/{file_id}/trash")
def get_file(call: Call, file_id: str, fields: str = "") -> dict[str, Any]:
    """Get a file in the trash.

    https://developer.box.com/reference/get-files-id-trash
    """
    return _look(call, File, file_id, fields)


@api.post("/files/{file_id}", status=201)
def restore_file(
    call: Call, file_id: str, name: str | None = None, parent: Ref | None = None, fields: str = ""
) -> dict[str, Any]:
    """Restore a file from the trash.

    https://developer.box.com/reference/post-files-id
    """
    return _restore(call, File, file_id, name, parent, fields)


@api.delete("/files/{file_id}/trash", status=204)
def purge_file(call: Call, file_id: str) -> None:
    """Delete a file permanently.

    https://developer.box.com/reference/delete-files-id-trash
    """
    _purge(call, File, file_id)


@api.get("/folders/{folder_id}/trash")
def get_folder(call: Call, folder_id: str, fields: str = "") -> dict[str, Any]:
    """Get a folder in the trash.

    https://developer.box.com/reference/get-folders-id-trash
    """
    shown = _look(call, Folder, folder_id, fields)
    shown.pop("item_collection", None)
    return shown


@api.post("/folders/{folder_id}", status=201)
def restore_folder(
    call: Call, folder_id: str, name: str | None = None, parent: Ref | None = None, fields: str = ""
) -> dict[str, Any]:
    """Restore a folder from the trash with everything in it.

    https://developer.box.com/reference/post-folders-id
    """
    shown = _restore(call, Folder, folder_id, name, parent, fields)
    shown.pop("item_collection", None)
    return shown


@api.delete("/folders/{folder_id}/trash", status=204)
def purge_folder(call: Call, folder_id: str) -> None:
    """Delete a folder permanently with everything in it.

    https://developer.box.com/reference/delete-folders-id-trash
    """
    _purge(call, Folder, folder_id)


@api.get("/web_links/{web_link_id}/trash")
def get_web_link(call: Call, web_link_id: str, fields: str = "") -> dict[str, Any]:
    """Get a web link in the trash.

    https://developer.box.com/reference/get-web-links-id-trash
    """
    return _look(call, WebLink, web_link_id, fields)


@api.post("/web_links/{web_link_id}", status=201)
def restore_web_link(
    call: Call, web_link_id: str, name: str | None = None, parent: Ref | None = None, fields: str = ""
) -> dict[str, Any]:
    """Restore a web link from the trash.

    https://developer.box.com/reference/post-web-links-id
    """
    return _restore(call, WebLink, web_link_id, name, parent, fields)


@api.delete("/web_links/{web_link_id}/trash", status=204)
def purge_web_link(call: Call, web_link_id: str) -> None:
    """Delete a web link permanently.

    https://developer.box.com/reference/delete-web-links-id-trash
    """
    _purge(call, WebLink, web_link_id)
