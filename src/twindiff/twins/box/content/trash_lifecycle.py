"""The trash: moves items to it, restores them and deletes them permanently.

Only the trashed item itself has the status `trashed`. The contents of a trashed folder keep their own status, so
restoring the folder restores them unchanged. https://developer.box.com/guides/trash
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from twindiff.kit import Call, Row
from twindiff.kit.rows import Column
from twindiff.twins.box.wire_style import Window

from ..core.access import ROOT, find_folder, forget, is_trashed, require, visible
from ..core.contents import charge
from ..core.errors import FolderNotEmpty, NotFound, NotTrashed, Trashed
from ..core.folder_listing import KINDS, folders_below, items_in
from ..core.preserved_versions import check_deletable
from ..core.row_stamps import build_change_stamp, build_move_stamp, fold_name, search_text
from ..event_delivery.event_emission import emit_item_event, trigger_of
from ..tables.further_tables import Collaboration, FileRequest, FolderLock, MetadataInstance, Webhook
from ..tables.item_tables import (
    Comment,
    File,
    FileContent,
    FileVersion,
    Folder,
    HubItem,
    Item,
    Task,
    TaskAssignment,
    WebLink,
)
from .folder_locks import check_unlocked
from .item_names import check_free, check_name
from .item_updates import check_lock

KEPT_DAYS = 30


def trash(call: Call, item: Item) -> None:
    """Move an item to the trash."""
    check_lock(call, item)
    now = call.clock.iso()
    purged = (datetime.fromisoformat(now) + timedelta(days=KEPT_DAYS)).isoformat()
    stamp = {**build_change_stamp(call, item), "trashed_at": now, "purged_at": purged}
    told = call.db.change(item, item_status="trashed", **stamp)
    emit_item_event(call, "ITEM_TRASH", told, trigger_of(item, "TRASHED"))


def trash_folder(call: Call, folder: Folder, *, recursive: bool) -> None:
    """Move a folder to the trash; raise FolderNotEmpty if it has items and `recursive` is false."""
    check_unlocked(call, folder, "delete")
    if not recursive and items_in(call, folder, Window(0, 1))[1]:
        raise FolderNotEmpty
    trash(call, folder)


def require_trashed_item(call: Call, table: type[Any], item_id: str) -> Any:
    """Return an item that is itself in the trash and that the caller may restore; raise NotFound or NotTrashed.

    https://developer.box.com/guides/api-calls/permissions-and-errors/common-errors/
    """
    row = call.db.find(table, table.id == item_id)
    if row is None or row.item_status == "deleted":
        raise NotFound.of("item", item_id)
    require_visible(call, row)
    if row.item_status != "trashed":
        raise NotFound.of("item", item_id) if is_trashed(call, row) else NotTrashed
    return row


def require_visible(call: Call, item: Item) -> None:
    """Raise NotFound if the caller may not see an item."""
    try:
        visible(call, item, item.id)
    except Trashed:
        require(call, item, "delete")


def restore(call: Call, item: Any, name: str | None, parent_id: str | None) -> Any:
    """Restore an item to its old parent or to `parent_id`, under its old name or `name`, and return it."""
    target = find_folder(call, parent_id or item.parent_id or ROOT, "upload")
    name = check_name(name) if name else str(item.name)
    owner = call.actor if target.id == ROOT else target.owned_by_id
    check_free(call, target.id, name, owner, but=item)
    changes: dict[str, Any] = {"item_status": "active", "trashed_at": None, "purged_at": None}
    if name != item.name:
        changes |= {"name": name, "folded_name": fold_name(name)}
        changes["search_text"] = search_text(name, item.description, item.tags)
    if target.id != (item.parent_id or ROOT):
        changes |= {"parent_id": target.id, **build_move_stamp(call, item, target)}
    now = call.db.change(item, **{**build_change_stamp(call, item), **changes})
    forget(call, item.id)
    emit_item_event(call, "ITEM_UNDELETE_VIA_TRASH", now, trigger_of(item, "RESTORED"))
    return now


def purge(call: Call, item: Item) -> None:
    """Delete an item permanently, with its contents and dependent rows; raise Forbidden for preserved content.

    Items that were trashed before their folder was stay in the trash.
    """
    if isinstance(item, File):
        check_deletable(call, File.id == item.id)
    emit_item_event(call, "DELETE", item, trigger_of(item, "DELETED"))
    if isinstance(item, Folder):
        folders = [item, *(each for level in folders_below(call, item.id) for each in level)]
        inside = tuple(folder.id for folder in folders)
        _leave_trashed(call, inside)
        check_deletable(call, File.parent_id.in_(inside))
        _purge_files(call, call.db.rows(File, File.parent_id.in_(inside)))
        _purge_all(call, WebLink.parent_id, inside)
        _purge_beside(call, "folder", inside)
        _purge_all(call, FolderLock.folder_id, inside)
        _purge_all(call, FileRequest.folder_id, inside)
        for folder in reversed(folders):
            call.db.remove(folder)
    elif isinstance(item, File):
        _purge_files(call, [item])
    else:
        _purge_beside(call, "web_link", (item.id,))
        call.db.remove(item)


def _leave_trashed(call: Call, folders: Sequence[str]) -> None:
    for kind in KINDS:
        for row in call.db.rows(kind, kind.parent_id.in_(folders), kind.item_status != "active"):
            call.db.change(row, parent_id=None)


def _purge_files(call: Call, files: Sequence[File]) -> None:
    ids = tuple(file.id for file in files)
    versions = call.db.rows(FileVersion, FileVersion.file_id.in_(ids))
    purge_versions(call, {file.id: file for file in files}, versions)
    tasks = call.db.rows(Task, Task.item_id.in_(ids))
    _purge_all(call, TaskAssignment.task_id, tuple(task.id for task in tasks))
    for task in tasks:
        call.db.remove(task)
    _purge_all(call, Comment.file_id, ids)
    _purge_beside(call, "file", ids)
    for file in files:
        call.db.remove(file)


def purge_versions(call: Call, files: Mapping[str, File], versions: Sequence[FileVersion]) -> None:
    """Delete versions of some files permanently."""
    _purge_all(call, FileContent.version_id, tuple(version.id for version in versions))
    for version in versions:
        charge(call, files[version.file_id].owned_by_id, -version.size)
        call.db.remove(version)


def _purge_all(call: Call, column: Column[Any], keys: Sequence[str]) -> None:
    for row in call.db.rows(column.table, column.in_(keys)) if keys else ():
        call.db.remove(row)


def _purge_beside(call: Call, kind: str, ids: Sequence[str]) -> None:
    """Delete the rows of other tables that refer to items by kind and id."""
    named: tuple[tuple[type[Row], Column[Any], Column[Any]], ...] = (
        (Collaboration, Collaboration.item_id, Collaboration.item_type),
        (MetadataInstance, MetadataInstance.item_id, MetadataInstance.item_type),
        (HubItem, HubItem.item_id, HubItem.item_type),
        (Webhook, Webhook.target_id, Webhook.target_type),
    )
    for table, item_id, item_type in named:
        for row in call.db.rows(table, item_id.in_(ids), item_type == kind) if ids else ():
            call.db.remove(row)
