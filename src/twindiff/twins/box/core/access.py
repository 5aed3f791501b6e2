"""Access to items: owners may do everything, collaborators what their role allows, other users nothing.

https://support.box.com/hc/en-us/articles/360044196413-Understanding-Collaborator-Permission-Levels
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from twindiff.kit import Call, any_of
from twindiff.twins.box.wire_style import Unauthorized

from ..tables.further_tables import Collaboration, GroupMembership
from ..tables.item_tables import File, Folder, Item, User, WebLink
from .errors import AccessDeniedInsufficientPermissions, InsufficientScope, NotFound, Trashed

ROOT = "0"
MAX_PRELOADED_FOLDERS = 2_000
"""Number of folders up to which `visible_folders` lists them."""
Right = Literal[
    "list",
    "preview",
    "download",
    "comment",
    "task",
    "share",
    "upload",
    "revise",
    "edit",
    "edit_metadata",
    "lock",
    "delete",
    "invite",
    "set_link_password",
    "watch",
    "moderate",
    "settings",
    "set_share_access",
    "own",
]
Rights = frozenset[str]

NONE: Rights = frozenset()
_ROLE_NAMES = (
    *("owner", "co-owner", "editor", "viewer uploader", "previewer uploader", "viewer", "previewer", "uploader"),
)
_ROLES_BY_RIGHT: dict[Right, str] = {
    "list": "xxxxxxxx",
    "preview": "xxxxxxx.",
    "download": "xxxx.x..",
    "comment": "xxxxxxx.",
    "task": "xxxxxxx.",
    "share": "xxxx.x..",
    "upload": "xxxxx..x",
    "revise": "xxxx....",
    "edit": "xxx.....",
    "edit_metadata": "xxxxx..x",
    "lock": "xxxx....",
    "delete": "xxx.....",
    "invite": "xxx.....",
    "set_link_password": "xxx.....",
    "watch": "xxx.....",
    "moderate": "xx......",
    "settings": "xx......",
    "set_share_access": "xx......",
    "own": "x.......",
}
"""The roles that have a right, by position in `_ROLE_NAMES`. The operations name the rights that they need.

`comment` and `task` are reading and writing, `revise` uploads a version, `settings` are a folder's, `watch` makes
webhooks, which Box's table does not list, and `moderate` deletes comments of others.
"""
ROLES: dict[str, Rights] = {
    role: frozenset(right for right, marks in _ROLES_BY_RIGHT.items() if marks[place] == "x")
    for place, role in enumerate(_ROLE_NAMES)
}
ALL: Rights = ROLES["owner"]


class Limit(NamedTuple):
    """What a token is limited to: rights by its scopes, and optionally one item with its contents."""

    rights: Rights
    item: tuple[str, str] | None
    scopes: frozenset[str]


_LETTERS: dict[type, str] = {File: "f", Folder: "d", WebLink: "w"}


def acting_user(call: Call) -> User:
    """Return the user who makes the call; raise Unauthorized if there is none."""
    if "user" not in call.memo:
        call.memo["user"] = call.db.get(User, call.actor, missing=Unauthorized)
    return call.memo["user"]


def is_admin(call: Call) -> bool:
    """Return whether the caller administers the enterprise."""
    return acting_user(call).role in ("admin", "coadmin")


def require_admin(call: Call) -> None:
    """Raise unless the caller administers the enterprise."""
    if not is_admin(call):
        raise AccessDeniedInsufficientPermissions


def user_of(call: Call, user_id: str | None) -> User | None:
    """Return a user, or None. Each user is looked up once per operation."""
    if user_id is None:
        return None
    key = f"user {user_id}"
    if key not in call.memo:
        call.memo[key] = call.db.find(User, User.id == user_id)
    return call.memo[key]


def look_up_users(call: Call, ids: Iterable[str | None]) -> None:
    """Preload users in one statement, so that `user_of` needs none."""
    wanted = sorted({id for id in ids if id and f"user {id}" not in call.memo})
    if wanted:
        users = {user.id: user for user in call.db.rows(User, User.id.in_(wanted))}
        call.memo.update({f"user {id}": users.get(id) for id in wanted})


def key_of(item: Item) -> str:
    """Return the key of an item in Box's errors, such as f_1, d_1 or w_1."""
    return f"{_LETTERS[type(item)]}_{item.id}"


def root_folder(call: Call) -> Folder:
    """Return the caller's root folder. Every user has one, under the same id."""
    return Folder(id=ROOT, name="All Files", description="", owned_by_id=call.actor, path=None)


def folder_row(call: Call, folder_id: str) -> Folder | None:
    """Return a folder regardless of access, or None. Each folder is looked up once per operation."""
    if folder_id == ROOT:
        return root_folder(call)
    key = f"folder {folder_id}"
    if key not in call.memo:
        call.memo[key] = call.db.find(Folder, Folder.id == folder_id)
    return call.memo[key]


def look_up_folders(call: Call, ids: Iterable[str | None]) -> None:
    """Preload folders and their ancestors with one statement per level instead of one per folder."""
    wanted = {id for id in ids if id and id != ROOT and f"folder {id}" not in call.memo}
    while wanted:
        folders = {folder.id: folder for folder in call.db.rows(Folder, Folder.id.in_(sorted(wanted)))}
        call.memo.update({f"folder {id}": folders.get(id) for id in wanted})
        above = {folder.parent_id for folder in folders.values()}
        wanted = {id for id in above if id and id != ROOT and f"folder {id}" not in call.memo}


_FOUND_OUT = ("chain ", "gone ", "parent ", "path ", "rights ", "visible ")
"""Prefixes of the memo's keys for values derived from folders."""


def forget(call: Call, *folders: str) -> None:
    """Drop changed folders and everything derived from them from the operation's cache."""
    for name in [name for name in call.memo if name.startswith(_FOUND_OUT)]:
        del call.memo[name]
    for folder in folders:
        call.memo.pop(f"folder {folder}", None)


def chain(call: Call, folder_id: str | None) -> tuple[Folder, ...]:
    """Return a folder with its ancestors, outermost first, without the root."""
    if not folder_id or folder_id == ROOT:
        return ()
    key = f"chain {folder_id}"
    if key not in call.memo:
        folder = folder_row(call, folder_id)
        call.memo[key] = (*chain(call, folder.parent_id), folder) if folder else ()
    return call.memo[key]


def _grants(call: Call) -> dict[str, Rights]:
    """Return the rights that collaborations give to the caller, by item id."""
    if "grants" not in call.memo:
        call.memo["grants"] = _grants_of(call, call.actor)
    return call.memo["grants"]


def _grants_of(call: Call, user_id: str) -> dict[str, Rights]:
    """Return the rights that collaborations give to a user, by item id."""
    groups = call.db.rows(GroupMembership, GroupMembership.user_id == user_id, columns=(GroupMembership.group_id,))
    whom = (user_id, *(group for (group,) in groups))
    collaborations = call.db.rows(
        Collaboration,
        Collaboration.accessible_by_id.in_(whom),
        Collaboration.status == "accepted",
        any_of(Collaboration.expires_at.is_null(), Collaboration.expires_at > call.clock.iso()),
    )
    granted: dict[str, Rights] = {}
    for each in collaborations:
        key = f"{each.item_type} {each.item_id}"
        granted[key] = granted.get(key, NONE) | ROLES.get(each.role, NONE)
    return granted


def can_be_seen_by(call: Call, item: Item, user_id: str) -> bool:
    """Return whether a user owns an item or collaborates on it, there or in a folder around it."""
    places = (item, *chain(call, item.parent_id))
    if any(each.owned_by_id in (None, user_id) for each in places):
        return True
    granted = _grants_of(call, user_id)
    return any("preview" in granted.get(f"{each.type} {each.id}", NONE) for each in places)


def granted_items(call: Call) -> list[tuple[str, str]]:
    """Return kind and id of every item that collaborations share with the caller."""
    return [(kind, item) for key in _grants(call) for kind, _, item in (key.partition(" "),)]


def is_limited(call: Call) -> bool:
    """Return whether the token or a shared link affects access besides ownership and collaborations."""
    return call.memo.get("limit") is not None or "linked" in call.memo


def list_collaborated_ids(call: Call, kind: str) -> list[str]:
    """Return the ids of the items of a kind that the caller can see as a collaborator."""
    return [item for each, item in granted_items(call) if each == kind and _grants(call)[f"{each} {item}"]]


def visible_folders(call: Call) -> list[str] | None:
    """Return the folders that give the caller access to their contents, or None if there are too many to list."""
    if "visible folders" in call.memo:
        return call.memo["visible folders"]
    if call.db.count(Folder) > MAX_PRELOADED_FOLDERS:
        return None
    columns = (Folder.id, Folder.parent_id, Folder.owned_by_id)
    folders = {id: (parent, owner) for id, parent, owner in call.db.rows(Folder, columns=columns) if id != ROOT}
    granted = {*list_collaborated_ids(call, "folder")}
    seen: dict[str | None, bool] = {}

    def is_seen(id: str | None) -> bool:
        if id not in seen:
            parent, owner = folders.get(id or "", (None, ""))
            seen[id] = id in folders and (owner in (None, call.actor) or id in granted or is_seen(parent))
        return seen[id]

    call.memo["visible folders"] = [id for id in folders if is_seen(id)]
    return call.memo["visible folders"]


def rights_in(call: Call, folder_id: str | None) -> Rights:
    """Return the rights that a folder gives the caller to the items in it."""
    if folder_id == ROOT:
        return NONE
    key = f"rights {folder_id}"
    if key not in call.memo:
        held = NONE
        for folder in chain(call, folder_id):
            held |= _rights_by(call, folder)
        call.memo[key] = held
    return call.memo[key]


def _rights_by(call: Call, item: Item) -> Rights:
    """Return the caller's rights to the item itself, as its owner, as a collaborator or through a shared link."""
    if item.owned_by_id is None or item.owned_by_id == call.actor:
        return ALL
    key = f"{item.type} {item.id}"
    return _grants(call).get(key, NONE) | call.memo.get("linked", {}).get(key, NONE)


def rights(call: Call, item: Item) -> Rights:
    """Return the caller's rights to an item, as limited by their token."""
    limit: Limit | None = call.memo.get("limit")
    return _own_rights(call, item) if limit is None else _own_rights(call, item) & _within(call, item, limit)


def _own_rights(call: Call, item: Item) -> Rights:
    if item.id == ROOT and isinstance(item, Folder):
        return ALL
    mine = _rights_by(call, item)
    return mine if mine == ALL else mine | rights_in(call, item.parent_id)


def _within(call: Call, item: Item, limit: Limit) -> Rights:
    """Return the rights to an item that a limited token leaves."""
    if limit.item in (None, (item.type, item.id)):
        return limit.rights
    return limit.rights if limit.item in [("folder", each.id) for each in chain(call, item.parent_id)] else NONE


def require(call: Call, item: Item, *needed: Right) -> None:
    """Raise unless the caller can see an item and has all `needed` rights to it."""
    if rights(call, item).issuperset(needed):
        return
    raise InsufficientScope if _own_rights(call, item).issuperset(needed) else AccessDeniedInsufficientPermissions


def is_trashed(call: Call, item: Item) -> bool:
    """Return whether an item, or a folder around it, is in the trash."""
    return item.item_status != "active" or _is_gone(call, item.parent_id)


def _is_gone(call: Call, folder_id: str | None) -> bool:
    """Return whether a folder is in the trash, determined once per operation."""
    key = f"gone {folder_id}"
    if key not in call.memo:
        call.memo[key] = any(each.item_status != "active" for each in chain(call, folder_id))
    return call.memo[key]


def visible(call: Call, item: Item | None, named: str) -> Any:
    """Return an item that the caller can see and that is not in the trash; raise NotFound or Trashed otherwise."""
    if item is None or item.item_status == "deleted" or not rights(call, item):
        raise NotFound.of("item", named)
    if is_trashed(call, item):
        raise Trashed.of(named)
    return item


def look_at(call: Call, table: type[Any], item_id: str) -> Any:
    """Return a file or web link that the caller can see, even if it is itself in the trash; raise NotFound otherwise.

    An item inside a trashed folder raises Trashed.
    """
    row = call.db.find(table, table.id == item_id)
    try:
        return visible(call, row, f"{_LETTERS[table]}_{item_id}")
    except Trashed:
        if row is None or row.item_status != "trashed":
            raise
        return row


def find_file(call: Call, file_id: str, *needed: Right) -> File:
    """Return a file that the caller can see and has the `needed` rights to; raise otherwise."""
    file: File = visible(call, call.db.find(File, File.id == file_id), f"f_{file_id}")
    require(call, file, *needed)
    return file


def find_folder(call: Call, folder_id: str, *needed: Right) -> Folder:
    """Return a folder that the caller can see and has the `needed` rights to; raise otherwise."""
    folder: Folder = visible(call, folder_row(call, folder_id), f"d_{folder_id}")
    require(call, folder, *needed)
    return folder


def find_web_link(call: Call, web_link_id: str, *needed: Right) -> WebLink:
    """Return a web link that the caller can see and has the `needed` rights to; raise otherwise."""
    link: WebLink = visible(call, call.db.find(WebLink, WebLink.id == web_link_id), f"w_{web_link_id}")
    require(call, link, *needed)
    return link


def find_item(call: Call, kind: str, item_id: str, *needed: Right) -> Item:
    """Return an item of a kind that the caller can see and has the `needed` rights to; raise otherwise."""
    if kind == "file":
        return find_file(call, item_id, *needed)
    return find_folder(call, item_id, *needed) if kind == "folder" else find_web_link(call, item_id, *needed)


TABLE_OF: dict[str, type[Any]] = {"file": File, "folder": Folder, "web_link": WebLink}
