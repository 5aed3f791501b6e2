"""Locks of files in shared folders.

https://www.dropbox.com/developers/documentation/http/documentation#files-lock_file_batch
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from twindiff.kit.call import Call
from twindiff.kit.twin import Operations

from .accounts import find_caller
from .entries import Shown, find_entry, show_entry, show_time
from .files import try_each
from .tables import DropboxAccount, DropboxEntry, DropboxFileLock, DropboxMember, DropboxSharedFolder
from .wire_style import DropboxError

api = Operations(prefix="/2/files")


class LockedPath(msgspec.Struct):
    """The path of a file."""

    path: str


def _show_lock(lock: DropboxFileLock | None) -> Shown:
    if lock is None:
        return {"content": {".tag": "unlocked"}}
    held = {"created": show_time(lock.created_at), "lock_holder_account_id": lock.account_id}
    return {"content": {".tag": "single_user", **held}}


def _show_locked(call: Call, entry: DropboxEntry) -> Shown:
    lock = _find_lock(call, entry)
    metadata = show_entry(entry)
    if lock is not None:
        holder = call.db.find(DropboxAccount, DropboxAccount.account_id == lock.account_id)
        about: Shown = {"is_lockholder": lock.account_id == find_caller(call).account_id}
        about |= {"lockholder_name": holder.display_name} if holder else {}
        metadata["file_lock_info"] = {**about, "created": show_time(lock.created_at)}
    return {".tag": "success", "metadata": metadata, "lock": _show_lock(lock)}


def _find_lock(call: Call, entry: DropboxEntry) -> DropboxFileLock | None:
    return call.db.find(DropboxFileLock, DropboxFileLock.entry_id == entry.id)


def _find_lockable(call: Call, path: str) -> DropboxEntry:
    """Return a file that others may enter. Raises DropboxError for a folder, and for a file that is not shared."""
    entry = find_entry(call, path, "path_lookup")
    if entry.tag != "file":
        raise DropboxError("cannot_be_locked")
    shared = [call.db.find(DropboxEntry, DropboxEntry.id == row.entry_id) for row in call.db.rows(DropboxSharedFolder)]
    is_inside = any(each is not None and entry.path_lower.startswith(f"{each.path_lower}/") for each in shared)
    if not is_inside and not call.db.rows(DropboxMember, DropboxMember.shared == entry.id, limit=1):
        raise DropboxError("file_not_shared")
    return entry


def _answer(call: Call, entries: Sequence[LockedPath], act: Callable[[DropboxEntry], None]) -> Shown:
    """Do something with each file, a path that is given twice once, and show what is locked after it."""

    def lock(path: Any) -> Shown:
        entry = _find_lockable(call, path)
        act(entry)
        return _show_locked(call, entry)

    return {"entries": try_each([*dict.fromkeys(each.path for each in entries)], lock)}


def _refuse_others(call: Call, lock: DropboxFileLock | None) -> None:
    if lock is not None and lock.account_id != find_caller(call).account_id:
        raise DropboxError("lock_conflict", lock=_show_lock(lock))


@api.post("/lock_file_batch")
def lock_files(call: Call, entries: list[LockedPath]) -> Shown:
    """Lock files for the caller."""

    def lock(entry: DropboxEntry) -> None:
        known = _find_lock(call, entry)
        _refuse_others(call, known)
        if known is None:
            account = find_caller(call).account_id
            call.db.add(DropboxFileLock(entry_id=entry.id, account_id=account, created_at=call.clock.iso()))

    return _answer(call, entries, lock)


@api.post("/unlock_file_batch")
def unlock_files(call: Call, entries: list[LockedPath]) -> Shown:
    """Unlock files that the caller has locked."""

    def unlock(entry: DropboxEntry) -> None:
        known = _find_lock(call, entry)
        _refuse_others(call, known)
        if known is not None:
            call.db.remove(known)

    return _answer(call, entries, unlock)


@api.post("/get_file_lock_batch", reads=True)
def list_locks(call: Call, entries: list[LockedPath]) -> Shown:
    """Say which files are locked, and by whom."""
    return _answer(call, entries, lambda _entry: None)
