"""Folder locks: folders that cannot be moved or deleted.

https://developer.box.com/guides/folders/single/lock
"""

from __future__ import annotations

from typing import Any, Literal

from twindiff.kit import Call, Operations, Struct
from twindiff.twins.box.wire_style import BadRequest

from ..core.access import chain, find_folder, require, user_of
from ..core.errors import AccessDeniedInsufficientPermissions, NotFound
from ..core.row_stamps import format_instant, new_id
from ..tables.further_tables import FolderLock
from ..tables.item_tables import Folder
from ..views.item_views import folder_mini

api = Operations(prefix="/2.0")


class LockedOperations(Struct):
    """The operations that a lock forbids."""

    move: bool
    delete: bool


class LockedFolder(Struct):
    """The folder of a lock, as a request names it."""

    id: str
    type: Literal["folder"]


def _lock_object(call: Call, lock: FolderLock) -> dict[str, Any]:
    by = user_of(call, lock.created_by_id)
    return {
        "type": "folder_lock",
        "id": lock.id,
        "folder": folder_mini(call.db.get(Folder, lock.folder_id)),
        "created_by": {"type": "user", "id": by.id if by else ""},
        "created_at": format_instant(lock.created_at),
        "locked_operations": {"move": lock.move, "delete": lock.delete},
        "lock_type": lock.lock_type,
    }


def check_unlocked(call: Call, folder: Folder, what: str) -> None:
    """Raise if a lock on the folder, or on a folder around it, forbids `what`: `move` or `delete`."""
    around = [each.id for each in chain(call, folder.id)]
    locks = call.db.rows(FolderLock, FolderLock.folder_id.in_(around)) if around else []
    if any(getattr(lock, what) for lock in locks):
        raise AccessDeniedInsufficientPermissions("Access denied - the folder is locked")


@api.get("/folder_locks")
def list_locks(call: Call, folder_id: str) -> dict[str, Any]:
    """List the locks of a folder.

    https://developer.box.com/reference/get-folder-locks
    """
    folder = find_folder(call, folder_id, "settings")
    locks = call.db.rows(FolderLock, FolderLock.folder_id == folder.id)
    return {"entries": [_lock_object(call, lock) for lock in locks], "limit": "1000", "next_marker": None}


@api.post("/folder_locks")
def create_lock(call: Call, folder: LockedFolder, locked_operations: LockedOperations | None = None) -> dict[str, Any]:
    """Lock a folder so that it cannot be moved or deleted.

    https://developer.box.com/reference/post-folder-locks
    """
    wanted = locked_operations or LockedOperations(True, True)
    if not (wanted.move and wanted.delete):
        raise BadRequest.of("invalid_parameter", "locked_operations", "Both 'move' and 'delete' must be true.")
    locked = find_folder(call, folder.id, "settings")
    if locked.id == "0":
        raise BadRequest.of("invalid_parameter", "folder", "The root folder cannot be locked.")
    known = call.db.find(FolderLock, FolderLock.folder_id == locked.id)
    lock = known or FolderLock(
        id=new_id(call), folder_id=locked.id, created_by_id=call.actor, created_at=call.clock.iso()
    )
    return _lock_object(call, lock if known else call.db.add(lock))


@api.delete("/folder_locks/{folder_lock_id}", status=204)
def delete_lock(call: Call, folder_lock_id: str) -> None:
    """Delete a folder's lock.

    https://developer.box.com/reference/delete-folder-locks-id
    """
    lock = call.db.find(FolderLock, FolderLock.id == folder_lock_id)
    if lock is None:
        raise NotFound.of("folder_lock", folder_lock_id)
    folder = find_folder(call, lock.folder_id)
    require(call, folder, "settings")
    call.db.remove(lock)
