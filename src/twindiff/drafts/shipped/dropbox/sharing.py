"""Shared links and folders, and accounts.

https://www.dropbox.com/developers/documentation/http/documentation#sharing
"""

from __future__ import annotations

from typing import Any, cast

from twindiff.kit.call import Call
from twindiff.kit.twin import Operations, Rows

from .entries import Shown, find_entry, look_for, show_entry, show_time
from .tables import (
    DropboxAccount,
    DropboxEntry,
    DropboxMember,
    DropboxSharedFolder,
    DropboxSharedLink,
)
from .wire_style import DropboxError

api = Operations(prefix="/2/sharing")
users = Operations(prefix="/2/users")
AGENT = "dbid:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
SPACE_BYTES = 2 * 1024**3
_REQUESTED = ("public", "team_only", "password")
"""What a client may ask for by `requested_visibility`; its `audience` may also be nobody."""


def account_rows() -> Rows:
    """Return the caller's account."""
    return {"accounts": [{"account_id": AGENT, "email": "agent@example.com", "display_name": "Agent Smith"}]}


@users.post("/get_current_account", reads=True)
def post_get_current_account(call: Call) -> Shown:
    """Return the caller's account."""
    account = find_caller(call)
    return _show_account(account) | {
        "country": "US",
        "locale": "en",
        "referral_link": "https://www.dropbox.com/referrals/agent",
        "is_paired": False,
        "account_type": {".tag": "basic"},
        "root_info": {".tag": "user", "root_namespace_id": "1", "home_namespace_id": "1"},
    }


def find_caller(call: Call) -> DropboxAccount:
    """Return the account that calls."""
    own = call.db.find(DropboxAccount, DropboxAccount.account_id == call.actor) or call.db.find(DropboxAccount)
    if own is None:
        raise DropboxError("no_account")
    return own


def _show_account(account: DropboxAccount) -> Shown:
    given, _, last = account.display_name.rpartition(" ")
    name = {
        "given_name": given or last,
        "surname": last if given else "",
        "familiar_name": given or last,
        "display_name": account.display_name,
        "abbreviated_name": "".join(word[:1] for word in account.display_name.split()),
    }
    told = {"email": account.email, "email_verified": True, "disabled": False}
    return {"account_id": account.account_id, "name": name, **told}


@users.post("/get_account", reads=True)
def post_get_account(call: Call, account_id: str) -> Shown:
    """Return an account."""
    account = call.db.find(DropboxAccount, DropboxAccount.account_id == account_id)
    if account is None:
        raise DropboxError("no_account")
    return _show_account(account) | {"is_teammate": False}


@users.post("/get_space_usage", reads=True)
def post_get_space_usage(call: Call) -> Shown:
    """Return how much is stored."""
    used = sum(each.size or 0 for each in call.db.rows(DropboxEntry, DropboxEntry.tag == "file"))
    return {"used": used, "allocation": {".tag": "individual", "allocated": SPACE_BYTES}}


# -- links -------------------------------------------------------------------------------------------------------------


@api.post("/create_shared_link_with_settings")
def post_create_shared_link(call: Call, path: str, settings: dict[str, Any] | None = None) -> Shown:
    """Create a link to a file or folder."""
    entry = find_entry(call, path)
    known = call.db.find(DropboxSharedLink, DropboxSharedLink.entry_id == entry.id)
    if known is not None:
        shown = {"shared_link_already_exists": {".tag": "metadata", "metadata": _show_link(call, known)}}
        raise DropboxError("shared_link_already_exists", **shown)
    kind = "fi" if entry.tag == "file" else "fo"
    url = f"https://www.dropbox.com/scl/{kind}/{call.ids.new('', 21)}/{entry.name}?rlkey={call.ids.new('', 25)}&dl=0"
    asked = settings or {}
    link = DropboxSharedLink(url=url, entry_id=entry.id, visibility=_visibility(asked), expires=asked.get("expires"))
    return _show_link(call, call.db.add(link))


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
    shown |= {"url": link.url, "link_permissions": _show_permissions(link.visibility)}
    return shown | ({"expires": link.expires} if link.expires else {})


def _show_permissions(visibility: str) -> Shown:
    requested = {"requested_visibility": {".tag": visibility}} if visibility in _REQUESTED else {}
    return {
        **requested,
        "resolved_visibility": {".tag": visibility},
        "can_revoke": True,
        "visibility_policies": [],
        "can_set_expiry": False,
        "can_remove_expiry": False,
        "allow_download": True,
        "can_allow_download": True,
        "can_disallow_download": False,
        "allow_comments": True,
        "team_restricts_comments": False,
    }


def _find_link(call: Call, url: str) -> DropboxSharedLink:
    link = call.db.find(DropboxSharedLink, DropboxSharedLink.url == url)
    if link is None:
        raise DropboxError("shared_link_not_found")
    return link


@api.post("/list_shared_links", reads=True)
def post_list_shared_links(call: Call, path: str | None = None) -> Shown:
    """List the links of a file or folder, or all."""
    where = [DropboxSharedLink.entry_id == find_entry(call, path).id] if path else []
    rows = call.db.rows(DropboxSharedLink, *where)
    return {"links": [_show_link(call, each) for each in rows], "has_more": False}


@api.post("/get_shared_link_metadata", reads=True)
def post_get_shared_link_metadata(call: Call, url: str) -> Shown:
    """Return what a link shows."""
    return _show_link(call, _find_link(call, url))


@api.post("/modify_shared_link_settings")
def post_modify_shared_link(call: Call, url: str, settings: dict[str, Any], remove_expiration: bool = False) -> Shown:
    """Change a link."""
    link = _find_link(call, url)
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
) -> Shown:
    """Share a folder."""
    entry = look_for(call, path)
    if entry is None:
        raise DropboxError("bad_path/invalid_path")
    if entry.tag != "folder":
        raise DropboxError("bad_path/is_file")
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
    return {".tag": "complete", **_show_folder(call, call.db.add(folder))}


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
    return {".tag": "complete"}


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
def post_list_folder_members(call: Call, shared_folder_id: str) -> Shown:
    """List who has access to a folder."""
    _find_folder(call, shared_folder_id, "invalid_id")
    return _show_members(call, shared_folder_id)


def _show_members(call: Call, shared: str) -> Shown:
    owner = find_caller(call)
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
            "permissions": [],
        }
        for each in rows
    ]
    users: list[Shown] = [{"access_type": {".tag": "owner"}, "is_inherited": False, "permissions": [], "user": own}]
    return {"users": users, "groups": [], "invitees": invitees}


@api.post("/remove_folder_member")
def post_remove_folder_member(
    call: Call, shared_folder_id: str, member: dict[str, Any], leave_a_copy: bool = False
) -> Shown:
    """End somebody's access to a folder."""
    _find_folder(call, shared_folder_id)
    email = str(member.get("email") or member.get("dropbox_id") or "")
    row = call.db.find(DropboxMember, DropboxMember.shared == shared_folder_id, DropboxMember.email == email)
    if row is None:
        raise DropboxError("member_error/not_a_member")
    call.db.remove(row)
    return {".tag": "complete"}


@api.post("/add_file_member")
def post_add_file_member(
    call: Call, file: str, members: list[dict[str, Any]], access_level: Any = "viewer"
) -> list[Shown]:
    """Share a file with people."""
    entry, level = _find_file(call, file), _level(access_level)
    _add_members(call, entry.id, [(each, level) for each in members if _can_be_member(_read_member(each))])
    success = {".tag": "success", "success": {".tag": level}}
    return [
        {"member": each, "result": success if _can_be_member(_read_member(each)) else _INVALID_MEMBER}
        for each in members
    ]


@api.post("/list_file_members", reads=True)
def post_list_file_members(call: Call, file: str) -> Shown:
    """List who has access to a file."""
    return _show_members(call, _find_file(call, file).id)


def _find_file(call: Call, file: str) -> DropboxEntry:
    entry = look_for(call, file)
    if entry is None:
        raise DropboxError("access_error/invalid_file")
    if entry.tag != "file":
        raise DropboxError("access_error/is_folder")
    return entry
