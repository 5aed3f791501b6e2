"""Former contents of files. https://www.dropbox.com/developers/documentation/http/documentation#files-list_revisions"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError
from twindiff.kit.twin import Operations

from .accounts import find_caller
from .entries import Shown, check_path, find_deletion, look_for, place_of, restore_revision, show_entry, show_time
from .files import delete_path
from .tables import DropboxEntry, DropboxRevision
from .wire_style import DropboxError

api = Operations(prefix="/2/files")
MAX_REVISIONS = 100


@api.post("/list_revisions", reads=True)
def post_list_revisions(
    call: Call, path: str, mode: Any = "path", limit: Annotated[int, msgspec.Meta(ge=1, le=MAX_REVISIONS)] = 10
) -> Shown:
    """List what a file is and was, the last first; also of one that was deleted."""
    entry = look_for(call, path if path.startswith(("id:", "rev:")) else check_path(path))
    if entry is not None and entry.tag != "file":
        raise DropboxError("path/not_file")
    former = _list_former(call, entry.path_lower if entry else path.lower())
    if entry is None and not former:
        raise DropboxError("path/not_found")
    shown = [show_entry(entry, tagged=False)] if entry else []
    shown += [show_entry(each, tagged=False) for each in former]
    deletion = find_deletion(call, path)
    deleted = {"server_deleted": show_time(call.clock.iso())} if deletion else {}
    return {"is_deleted": entry is None, **deleted, "entries": shown[:limit], "has_more": len(shown) > limit}


def _list_former(call: Call, path_lower: str) -> list[DropboxEntry]:
    rows = call.db.rows(DropboxRevision, DropboxRevision.path_lower == path_lower, order=-DropboxRevision.change_number)
    return [_to_entry(each) for each in rows]


def _to_entry(revision: DropboxRevision) -> DropboxEntry:
    names = ("id", "rev", "size", "content_hash", "client_modified", "server_modified")
    content = {name: getattr(revision, name) for name in names}
    return DropboxEntry(tag="file", **place_of(revision.path_display), **content)


@api.post("/restore")
def post_restore(call: Call, path: str, rev: str) -> Shown:
    """Make a former content of a file its content again."""
    given = check_path(path, "path_lookup")
    revision = call.db.find(DropboxRevision, DropboxRevision.rev == rev, DropboxRevision.path_lower == given.lower())
    current = look_for(call, given)
    if current is not None and current.tag == "file" and current.rev == rev:
        return show_entry(current, tagged=False)
    if revision is None:
        raise DropboxError("invalid_revision")
    return show_entry(restore_revision(call, revision), tagged=False)


@api.post("/permanently_delete")
def post_permanently_delete(call: Call, path: str, parent_rev: str | None = None) -> None:
    """Delete a file or folder for good, which only an account of a business may do."""
    if find_caller(call).account_type != "business":
        raise ApiError("This endpoint is only available for Dropbox Business apps.")
    delete_path(call, path, parent_rev)
    deletion = find_deletion(call, path)
    if deletion is not None:
        call.db.remove(deletion)
    for each in call.db.rows(DropboxRevision, DropboxRevision.path_lower == path.lower()):
        call.db.remove(each)
