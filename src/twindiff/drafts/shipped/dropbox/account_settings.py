"""Features of accounts, contacts, sign-in, and calls of older clients.

https://www.dropbox.com/developers/documentation/http/documentation#users-features-get_values
"""

from __future__ import annotations

from typing import Any, cast

from twindiff.kit.call import Call
from twindiff.kit.twin import Operations

from .accounts import find_caller
from .entries import Shown, check_path, find_entry, list_folder, show_entry
from .files import MAX_MATCHES
from .sharing import show_members, show_shared_file
from .wire_style import DropboxError

api = Operations(prefix="/2")
_FEATURES = {
    "paper_as_files": {".tag": "paper_as_files", "paper_as_files": {".tag": "enabled", "enabled": True}},
    "file_locking": {".tag": "file_locking", "file_locking": {".tag": "enabled", "enabled": False}},
}


@api.post("/users/features/get_values", reads=True)
def post_get_features(call: Call, features: list[Any]) -> Shown:
    """Return which features an account has."""
    if not features:
        raise DropboxError("empty_features_list")
    names = [str(cast(Shown, each).get(".tag", "")) if isinstance(each, dict) else str(each) for each in features]
    return {"values": [_FEATURES.get(name, {".tag": "other"}) for name in names]}


@api.post("/contacts/delete_manual_contacts")
def post_delete_contacts(call: Call) -> None:
    """Remove all contacts that were added by hand, of which the account has none."""


@api.post("/contacts/delete_manual_contacts_batch")
def post_delete_contacts_of(call: Call, email_addresses: list[str]) -> None:
    """Remove contacts that were added by hand; refuses addresses that are none."""
    if email_addresses:
        raise DropboxError("contacts_not_found", contacts_not_found=email_addresses)


@api.post("/openid/userinfo", reads=True)
def post_get_user_info(call: Call) -> Shown:
    """Return the claims of the caller."""
    account = find_caller(call)
    first, _, last = account.display_name.partition(" ")
    about = {"family_name": last, "given_name": first, "email": account.email, "email_verified": True}
    return {**about, "iss": "https://www.dropbox.com", "sub": account.account_id}


@api.post("/files/search", reads=True)
def post_search_names(call: Call, path: str, query: str, start: int = 0, max_results: int = 100) -> Shown:
    """Find files and folders by words in their names, as older clients do."""
    if path:
        find_entry(call, check_path(path))
    most, words = max(1, min(max_results, MAX_MATCHES)), query.lower().split()
    rows = [
        each
        for each in list_folder(call, path.lower(), recursive=True)
        if each.path_lower != path.lower() and all(word in each.name.lower() for word in words)
    ]
    few = rows[start : start + most]
    matches = [{"match_type": {".tag": "filename"}, "metadata": show_entry(each)} for each in few]
    return {"matches": matches, "more": start + most < len(rows), "start": start + len(few)}


@api.post("/files/alpha/get_metadata", reads=True)
def post_get_alpha_metadata(call: Call, path: str) -> Shown:
    """Return a file or folder."""
    return show_entry(find_entry(call, path))


@api.post("/files/export", reads=True)
def post_export(call: Call) -> None:
    """Refuse to export, since no file of the twin is one that has to be exported."""
    raise DropboxError("non_exportable")


@api.post("/sharing/get_file_metadata/batch", reads=True)
def post_get_files_metadata(call: Call, files: list[str]) -> list[Shown]:
    """Return how each of several files is shared."""
    return [_try_file(call, each, show_shared_file) for each in files]


@api.post("/sharing/list_file_members/batch", reads=True)
def post_list_members_of_files(call: Call, files: list[str], limit: int = 10) -> list[Shown]:
    """Return the members of each of several files."""

    def show(entry: Any) -> Shown:
        members = show_members(call, entry.id, None)
        return {"members": members, "member_count": len(members["users"])}

    return [_try_file(call, each, show) for each in files]


def _try_file(call: Call, file: str, show: Any) -> Shown:
    try:
        entry = find_entry(call, file, "access_error")
    except DropboxError:
        return {"file": file, "result": {".tag": "access_error", "access_error": {".tag": "invalid_file"}}}
    tag = "metadata" if show is show_shared_file else "result"
    return {"file": file, "result": {".tag": tag, **show(entry)}}


def _declare_continue(path: str, tags: str) -> None:
    """Declare how a list goes on that is complete at once, so that it gives no cursor."""

    @api.post(path, reads=True)
    def post_continue(call: Call, cursor: str) -> None:
        raise DropboxError(tags)


_LISTS = ("list_folders", "list_mountable_folders", "list_folder_members", "list_file_members", "list_received_files")
for path in _LISTS:
    _declare_continue(f"/sharing/{path}/continue", "invalid_cursor")
