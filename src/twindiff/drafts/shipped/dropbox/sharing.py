"""Shared links, folders and files.

https://www.dropbox.com/developers/documentation/http/documentation#sharing
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from twindiff.kit.call import Call
from twindiff.kit.twin import Operations

from .accounts import find_caller
from .entries import WRITE_PATTERN, Shown, check_pattern, find_entry, look_for, show_entry, show_time
from .jobs import start_job
from .tables import (
    DropboxEntry,
    DropboxMember,
    DropboxSharedFolder,
    DropboxSharedLink,
)
from .wire_style import DropboxError, UnsupportedAccessLevel

api = Operations(prefix="/2/sharing")
_REQUESTED = ("public", "team_only", "password")
"""What a client may ask for by `requested_visibility`; its `audience` may also be nobody."""


# -- links -------------------------------------------------------------------------------------------------------------


@api.post("/create_shared_link_with_settings")
def post_create_shared_link(call: Call, path: str, settings: dict[str, Any] | None = None) -> Shown:
    """Create a link to a file or folder."""
    entry = find_entry(call, path)
    _check_settings(call, settings or {})
    known = call.db.find(DropboxSharedLink, DropboxSharedLink.entry_id == entry.id)
    if known is not None:
        shown = {"shared_link_already_exists": {".tag": "metadata", "metadata": _show_link(call, known)}}
        raise DropboxError("shared_link_already_exists", **shown)
    kind = "fi" if entry.tag == "file" else "fo"
    url = f"https://www.dropbox.com/scl/{kind}/{call.ids.new('', 21)}/{entry.name}?rlkey={call.ids.new('', 25)}&dl=0"
    asked = settings or {}
    link = DropboxSharedLink(url=url, entry_id=entry.id, visibility=_visibility(asked), expires=asked.get("expires"))
    return _show_link(call, call.db.add(link))


def _check_settings(call: Call, settings: dict[str, Any]) -> None:
    """Refuse settings that a basic account may not choose: a time, a password, or people who are not the public.

    https://www.dropbox.com/developers/documentation/http/documentation#sharing-create_shared_link_with_settings
    """
    is_chosen = any(settings.get(each) for each in ("expires", "link_password", "require_password"))
    is_closed = _visibility(settings) in ("team_only", "password")
    if (is_chosen or is_closed) and find_caller(call).account_type == "basic":
        raise DropboxError("settings_error/not_authorized")


def _visibility(settings: dict[str, Any]) -> str:
    given = _read_tag(settings.get("requested_visibility") or settings.get("audience"))
    given = {"team": "team_only", "members": "only_you"}.get(given, given)
    return given if given in (*_REQUESTED, "no_one", "only_you") else "public"


def _read_tag(given: Any) -> str:
    """Return the tag of a union, which may be given without its object."""
    return str(cast(Shown, given).get(".tag", "")) if isinstance(given, dict) else str(given or "")


def _show_link(call: Call, link: DropboxSharedLink) -> Shown:
    entry = call.db.get(DropboxEntry, link.entry_id)
    shown = show_entry(entry)
    shown.pop("path_display")
    shown |= {"url": link.url, "link_permissions": _show_permissions(link.visibility, find_caller(call).account_type)}
    return shown | ({"expires": link.expires} if link.expires else {})


def _show_permissions(visibility: str, account_type: str) -> Shown:
    """Return what a link permits; an account that is not basic may set passwords and times, and forbid downloads."""
    requested = {"requested_visibility": {".tag": visibility}} if visibility in _REQUESTED else {}
    is_basic = account_type == "basic"
    choices = () if is_basic else _REQUESTED
    policies = [{"policy": {".tag": each}, "resolved_policy": {".tag": each}, "allowed": True} for each in choices]
    return {
        **requested,
        "resolved_visibility": {".tag": visibility},
        "can_revoke": True,
        "visibility_policies": policies,
        "can_set_expiry": not is_basic,
        "can_remove_expiry": not is_basic,
        "allow_download": True,
        "can_allow_download": True,
        "can_disallow_download": not is_basic,
        "allow_comments": True,
        "team_restricts_comments": False,
    }


def _find_link(call: Call, url: str) -> DropboxSharedLink:
    link = call.db.find(DropboxSharedLink, DropboxSharedLink.url == url)
    if link is None:
        raise DropboxError("shared_link_not_found")
    return link


@api.post("/list_shared_links", reads=True)
def post_list_shared_links(call: Call, path: str | None = None, direct_only: bool = False) -> Shown:
    """List the links of a file or folder and, unless `direct_only`, of the folders above it; or all."""
    if not path:
        return {"links": [_show_link(call, each) for each in call.db.rows(DropboxSharedLink)], "has_more": False}
    entries = [find_entry(call, path)]
    while not direct_only and (above := look_for(call, entries[-1].parent_lower)) is not None:
        entries.append(above)
    rows = [
        each for entry in entries for each in call.db.rows(DropboxSharedLink, DropboxSharedLink.entry_id == entry.id)
    ]
    return {"links": [_show_link(call, each) for each in rows], "has_more": False}


@api.post("/get_shared_link_metadata", reads=True)
def post_get_shared_link_metadata(call: Call, url: str) -> Shown:
    """Return what a link shows."""
    return _show_link(call, _find_link(call, url))


@api.post("/modify_shared_link_settings")
def post_modify_shared_link(call: Call, url: str, settings: dict[str, Any], remove_expiration: bool = False) -> Shown:
    """Change a link."""
    link = _find_link(call, url)
    _check_settings(call, settings)
    visibility = _visibility(settings) if {"requested_visibility", "audience"} & {*settings} else link.visibility
    expires = None if remove_expiration else settings.get("expires", link.expires)
    return _show_link(call, call.db.change(link, visibility=visibility, expires=expires))


@api.post("/revoke_shared_link")
def post_revoke_shared_link(call: Call, url: str) -> None:
    """Remove a link."""
    call.db.remove(_find_link(call, url))


# -- folders -----------------------------------------------------------------------------------------------------------


@api.post("/share_folder")
def post_share_folder(
    call: Call,
    path: str,
    acl_update_policy: str = "owner",
    member_policy: str = "anyone",
    shared_link_policy: str = "anyone",
    force_async: bool = False,
) -> Shown:
    """Share a folder: at once, or by a job if the call asks for one."""
    check_pattern(path, "path", WRITE_PATTERN)
    entry = look_for(call, path)
    if entry is None:
        raise DropboxError("bad_path/invalid_path")
    if entry.tag != "folder":
        raise DropboxError("bad_path/is_file")
    below = f"{entry.path_lower}/"
    for each in call.db.rows(DropboxSharedFolder):
        other = call.db.get(DropboxEntry, each.entry_id).path_lower
        if other.startswith(below):
            raise DropboxError("bad_path/contains_shared_folder")
        if entry.path_lower.startswith(f"{other}/"):
            raise DropboxError("bad_path/inside_shared_folder")
    known = call.db.find(DropboxSharedFolder, DropboxSharedFolder.entry_id == entry.id)
    if known is not None:
        raise DropboxError("bad_path/already_shared", **_show_folder(call, known))
    folder = DropboxSharedFolder(
        shared_folder_id=str(call.db.next("shared_folder", at_least=84528192421)),
        entry_id=entry.id,
        acl_update_policy=acl_update_policy,
        member_policy=member_policy,
        shared_link_policy=shared_link_policy,
        time_invited=call.clock.iso(),
    )
    complete = {".tag": "complete", **_show_folder(call, call.db.add(folder))}
    return start_job(call, "share_folder", complete) if force_async else complete


def _show_folder(call: Call, folder: DropboxSharedFolder) -> Shown:
    entry = call.db.get(DropboxEntry, folder.entry_id)
    return {
        "access_type": {".tag": "owner"},
        "is_inside_team_folder": False,
        "is_team_folder": False,
        "name": entry.name,
        "path_lower": entry.path_lower,
        "policy": {
            "acl_update_policy": {".tag": folder.acl_update_policy},
            "member_policy": {".tag": folder.member_policy},
            "shared_link_policy": {".tag": folder.shared_link_policy},
        },
        "preview_url": f"https://www.dropbox.com/scl/fo/{folder.shared_folder_id}",
        "shared_folder_id": folder.shared_folder_id,
        "time_invited": show_time(folder.time_invited),
    }


def _find_folder(call: Call, shared_folder_id: str, tags: str = "access_error/invalid_id") -> DropboxSharedFolder:
    folder = call.db.find(DropboxSharedFolder, DropboxSharedFolder.shared_folder_id == shared_folder_id)
    if folder is None:
        raise DropboxError(tags)
    return folder


@api.post("/list_folders", reads=True)
def post_list_folders(call: Call) -> Shown:
    """List the shared folders."""
    return {"entries": [_show_folder(call, each) for each in call.db.rows(DropboxSharedFolder)]}


@api.post("/get_folder_metadata", reads=True)
def post_get_folder_metadata(call: Call, shared_folder_id: str) -> Shown:
    """Return a shared folder."""
    return _show_folder(call, _find_folder(call, shared_folder_id, "invalid_id"))


@api.post("/unshare_folder")
def post_unshare_folder(call: Call, shared_folder_id: str) -> Shown:
    """End the sharing of a folder."""
    folder = _find_folder(call, shared_folder_id)
    for member in call.db.rows(DropboxMember, DropboxMember.shared == shared_folder_id):
        call.db.remove(member)
    call.db.remove(folder)
    return start_job(call, "unshare_folder", {".tag": "complete"})


@api.post("/update_folder_policy")
def post_update_folder_policy(
    call: Call,
    shared_folder_id: str,
    acl_update_policy: Any = None,
    member_policy: Any = None,
    shared_link_policy: Any = None,
) -> Shown:
    """Change who may change, enter or link a shared folder."""
    folder = _find_folder(call, shared_folder_id)
    given = {
        "acl_update_policy": _read_tag(acl_update_policy),
        "member_policy": _read_tag(member_policy),
        "shared_link_policy": _read_tag(shared_link_policy),
    }
    if given["member_policy"] == "team":
        raise DropboxError("not_on_team")
    return _show_folder(call, call.db.change(folder, **{name: each for name, each in given.items() if each}))


@api.post("/mount_folder")
def post_mount_folder(call: Call, shared_folder_id: str) -> Shown:
    """Refuse to mount a folder; the caller's own shared folders are mounted."""
    _find_folder(call, shared_folder_id)
    raise DropboxError("already_mounted")


@api.post("/list_mountable_folders", reads=True)
def post_list_mountable_folders(call: Call) -> Shown:
    """List the shared folders that the caller could mount, all of which are mounted."""
    return post_list_folders(call)


@api.post("/relinquish_folder_membership")
def post_relinquish_folder_membership(call: Call, shared_folder_id: str, leave_a_copy: bool = False) -> Shown:
    """Refuse to leave a shared folder; the caller owns it."""
    _find_folder(call, shared_folder_id)
    raise DropboxError("folder_owner")


@api.post("/transfer_folder")
def post_transfer_folder(call: Call, shared_folder_id: str, to_dropbox_id: str) -> None:
    """Refuse to give a folder to somebody who has not joined it; those who are invited have not."""
    _find_folder(call, shared_folder_id)
    if not to_dropbox_id.startswith("dbid:"):
        raise DropboxError("invalid_dropbox_id")
    raise DropboxError("new_owner_not_a_member")


_INVALID_MEMBER = {".tag": "member_error", "member_error": {".tag": "invalid_member"}}


def _read_member(selector: dict[str, Any]) -> str:
    """Return the address or the id by which a person is named."""
    return str(selector.get("email") or selector.get("dropbox_id") or "")


def _can_be_member(email: str) -> bool:
    return "@" in email or email.startswith("dbid:")


def _add_members(call: Call, shared: str, given: list[tuple[dict[str, Any], str]]) -> None:
    for selector, level in given:
        email = _read_member(selector)
        if not _can_be_member(email):
            raise DropboxError("bad_member/invalid_email", invalid_email=email)
        known = call.db.find(DropboxMember, DropboxMember.shared == shared, DropboxMember.email == email)
        if known is None:
            call.db.add(DropboxMember(shared=shared, email=email, access_level=level))
        else:
            call.db.change(known, access_level=level)


def _level(given: Any) -> str:
    level = _read_tag(given) or "viewer"
    if level == "viewer_no_comment":
        raise UnsupportedAccessLevel(level)
    if level not in ("editor", "viewer"):
        raise DropboxError("access_error/no_permission")
    return level


@api.post("/add_folder_member")
def post_add_folder_member(call: Call, shared_folder_id: str, members: list[dict[str, Any]]) -> None:
    """Share a folder with people."""
    _find_folder(call, shared_folder_id)
    given: list[tuple[Shown, str]] = [(each.get("member") or {}, _level(each.get("access_level"))) for each in members]
    _add_members(call, shared_folder_id, given)


@api.post("/list_folder_members", reads=True)
def post_list_folder_members(call: Call, shared_folder_id: str, actions: list[Any] | None = None) -> Shown:
    """List who has access to a folder."""
    _find_folder(call, shared_folder_id, "invalid_id")
    return show_members(call, shared_folder_id, actions)


def show_members(call: Call, shared: str, actions: Sequence[Any] | None) -> Shown:
    """Return members with what the caller may do to each of them, of the `actions` that a call asks about."""
    owner, asked = find_caller(call), [{".tag": _read_tag(each)} for each in actions or ()]
    rows = call.db.rows(DropboxMember, DropboxMember.shared == shared, order=DropboxMember.email)
    own = {
        "account_id": owner.account_id,
        "display_name": owner.display_name,
        "email": owner.email,
        "same_team": False,
    }
    invitees: list[Shown] = [
        {
            "access_type": {".tag": each.access_level},
            "invitee": {".tag": "email", "email": each.email},
            "is_inherited": False,
            "permissions": [{"action": action, "allow": True} for action in asked],
        }
        for each in rows
    ]
    refused: list[Shown] = [{"action": each, "allow": False, "reason": {".tag": "target_is_self"}} for each in asked]
    users: list[Shown] = [
        {"access_type": {".tag": "owner"}, "is_inherited": False, "permissions": refused, "user": own}
    ]
    return {"users": users, "groups": [], "invitees": invitees}


@api.post("/remove_folder_member")
def post_remove_folder_member(
    call: Call, shared_folder_id: str, member: dict[str, Any], leave_a_copy: bool = False
) -> Shown:
    """End somebody's access to a folder."""
    _find_folder(call, shared_folder_id)
    call.db.remove(_find_member(call, shared_folder_id, member, "member_error/not_a_member"))
    return start_job(call, "remove_member", {".tag": "complete"})


@api.post("/update_folder_member")
def post_update_folder_member(call: Call, shared_folder_id: str, member: dict[str, Any], access_level: Any) -> Shown:
    """Change somebody's access to a folder."""
    _find_folder(call, shared_folder_id)
    level = _level(access_level)
    call.db.change(_find_member(call, shared_folder_id, member, "member_error/not_a_member"), access_level=level)
    return {"access_level": {".tag": level}}


def _find_member(call: Call, shared: str, member: dict[str, Any], tags: str) -> DropboxMember:
    email = str(member.get("email") or member.get("dropbox_id") or "")
    row = call.db.find(DropboxMember, DropboxMember.shared == shared, DropboxMember.email == email)
    if row is None:
        raise DropboxError(tags)
    return row


@api.post("/add_file_member")
def post_add_file_member(
    call: Call, file: str, members: list[dict[str, Any]], access_level: Any = "viewer"
) -> list[Shown]:
    """Share a file with people."""
    level = _level(access_level)
    entry = _find_file(call, file)
    _add_members(call, entry.id, [(each, level) for each in members if _can_be_member(_read_member(each))])
    success = {".tag": "success", "success": {".tag": level}}
    return [
        {"member": each, "result": success if _can_be_member(_read_member(each)) else _INVALID_MEMBER}
        for each in members
    ]


@api.post("/list_file_members", reads=True)
def post_list_file_members(call: Call, file: str, actions: list[Any] | None = None) -> Shown:
    """List who has access to a file."""
    return show_members(call, _find_file(call, file).id, actions)


@api.post("/get_file_metadata", reads=True)
def post_get_file_metadata(call: Call, file: str) -> Shown:
    """Return a file with what its sharing permits."""
    return show_shared_file(_find_file(call, file))


@api.post("/list_received_files", reads=True)
def post_list_received_files(call: Call) -> Shown:
    """List the files that others share with the caller, of which there are none."""
    return {"entries": []}


@api.post("/update_file_member")
def post_update_file_member(call: Call, file: str, member: dict[str, Any], access_level: Any) -> Shown:
    """Change somebody's access to a file."""
    row, level = _find_member(call, _find_file(call, file).id, member, "no_explicit_access"), _level(access_level)
    call.db.change(row, access_level=level)
    return {"access_level": {".tag": level}}


@api.post("/remove_file_member_2")
def post_remove_file_member(call: Call, file: str, member: dict[str, Any]) -> Shown:
    """End somebody's access to a file."""
    row = _find_member(call, _find_file(call, file).id, member, "no_explicit_access")
    call.db.remove(row)
    return {".tag": "success", "success": {"access_level": {".tag": row.access_level}}}


@api.post("/unshare_file")
def post_unshare_file(call: Call, file: str) -> None:
    """End the sharing of a file."""
    entry = _find_file(call, file)
    for member in call.db.rows(DropboxMember, DropboxMember.shared == entry.id):
        call.db.remove(member)


def show_shared_file(entry: DropboxEntry) -> Shown:
    """Return how a file is shared."""
    return {
        "access_type": {".tag": "owner"},
        "id": entry.id,
        "name": entry.name,
        "path_display": entry.path_display,
        "path_lower": entry.path_lower,
        "permissions": [],
        "policy": {"acl_update_policy": {".tag": "owner"}, "shared_link_policy": {".tag": "anyone"}},
        "preview_url": f"https://www.dropbox.com/scl/fi/{entry.id[3:]}/{entry.name}",
    }


def _find_file(call: Call, file: str) -> DropboxEntry:
    entry = look_for(call, file)
    if entry is None:
        raise DropboxError("access_error/invalid_file")
    if entry.tag != "file":
        raise DropboxError("access_error/is_folder")
    return entry
