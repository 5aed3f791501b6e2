"""Shared links: created, changed and removed by updates of their item, and used to access it.

https://developer.box.com/guides/shared-links
"""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Annotated, Any, Literal
from urllib.parse import parse_qs

from twindiff.kit import UNSET, Call, Header, Meta, Operations, Response, Struct, UnsetType, any_of, not_modified
from twindiff.twins.box.wire_style import BadRequest, wanted_fields

from ..core.access import NONE, ROLES, Rights, acting_user, is_trashed, require, rights, user_of
from ..core.errors import IncorrectSharedItemPassword, NotFound
from ..core.row_stamps import read_instant
from ..tables.item_tables import File, Folder, Item, WebLink
from ..views.item_views import item_object
from ..views.shared_link_views import HOST, is_live

api = Operations(prefix="/2.0")
MIN_PASSWORD_CHARACTERS = 8
_LEVELS = ("open", "company", "collaborators")


class LinkPermissions(Struct):
    """What a shared link allows besides listing."""

    can_download: bool | UnsetType = UNSET
    can_preview: bool | UnsetType = UNSET
    can_edit: bool | UnsetType = UNSET


class SharedLink(Struct):
    """A shared link in a request. Absent fields stay as they are."""

    access: Literal["open", "company", "collaborators"] | UnsetType | None = UNSET
    password: str | UnsetType | None = UNSET
    vanity_name: Annotated[str, Meta(min_length=12)] | UnsetType | None = UNSET
    unshared_at: str | UnsetType | None = UNSET
    permissions: LinkPermissions | UnsetType | None = UNSET


def link_after(call: Call, item: Item, wanted: SharedLink | None) -> dict[str, Any] | None:
    """Return the new shared link of an item, or None if it is removed; raise BadRequest for conflicting fields."""
    if wanted is None:
        return None
    link: dict[str, Any] = {**(item.shared_link or _new_link(call))}
    if wanted.access not in (UNSET, None):
        link = _with_access(link, str(wanted.access))
    if wanted.password is not UNSET:
        require(call, item, "set_link_password")
        _check_password(wanted.password)
        link["password_digest"] = hash_password(wanted.password) if wanted.password else None
    if wanted.unshared_at is not UNSET:
        link["unshared_at"] = _future(call, wanted.unshared_at) if wanted.unshared_at else None
    if wanted.vanity_name is not UNSET:
        link |= {
            "vanity_name": wanted.vanity_name,
            "vanity_url": wanted.vanity_name and f"{HOST}/v/{wanted.vanity_name}",
        }
    if isinstance(wanted.permissions, LinkPermissions):
        given = {name: getattr(wanted.permissions, name) for name in ("can_download", "can_preview", "can_edit")}
        link["permissions"] = {**(link.get("permissions") or {}), **{n: v for n, v in given.items() if v is not UNSET}}
    _check(item, link)
    return link


def _with_access(link: dict[str, Any], access: str) -> dict[str, Any]:
    """Return a link with another access level, without the fields that this level does not allow."""
    kept = {**link, "access": access}
    if access != "open":
        kept["password_digest"] = None
    if access == "collaborators":
        kept.pop("permissions", None)
    return kept


def _new_link(call: Call) -> dict[str, Any]:
    name = call.ids.new("", 32, "abcdefghijklmnopqrstuvwxyz0123456789")
    return {"url": f"{HOST}/s/{name}", "access": "open", "download_count": 0, "preview_count": 0}


def _future(call: Call, text: str) -> str:
    instant = read_instant(text, "unshared_at")
    if instant <= call.clock.iso():
        raise BadRequest.of("invalid_parameter", "unshared_at", f"Invalid value '{text}'. It must be in the future.")
    return instant


def _check(item: Item, link: dict[str, Any]) -> None:
    access: str = link["access"]
    may: dict[str, Any] = link.get("permissions") or {}
    if link.get("password_digest") and access != "open":
        raise BadRequest.of("invalid_parameter", "password", "A password is only for links whose access is 'open'.")
    if may.get("can_edit") and not isinstance(item, File):
        raise BadRequest.of("invalid_parameter", "can_edit", "Only links to files can allow editing.")
    if may and access == "collaborators":
        raise BadRequest.of(
            "invalid_parameter",
            "shared_link_permissions",
            "Links for collaborators have no permissions of their own.",
        )


def _check_password(password: str | None) -> None:
    """Raise BadRequest for a password of less than eight characters or of lower case letters alone.

    https://developer.box.com/reference/put-files-id--add-shared-link
    """
    if password and (len(password) < MIN_PASSWORD_CHARACTERS or re.fullmatch(r"[a-z]*", password)):
        said = f"A password has {MIN_PASSWORD_CHARACTERS} characters or more, not all of them lower case letters."
        raise BadRequest.of("invalid_parameter", "password", said)


def hash_password(password: str) -> str:
    """Return the stored form of a password, a digest that does not reveal it."""
    return blake2b(password.encode(), digest_size=16).hexdigest()


def use_link(call: Call, header: str) -> None:
    """Grant the caller the rights of the shared link in the header BoxApi; raise NotFound if the link is not live."""
    given = {name: values[0] for name, values in parse_qs(header).items()}
    url = given.get("shared_link", "")
    if url:
        item = linked_item(call, url, given.get("shared_link_password", ""))
        call.memo.setdefault("linked", {})[f"{item.type} {item.id}"] = _compute_rights(call, item)


def linked_item(call: Call, url: str, password: str) -> Item:
    """Return the item of a shared link; raise NotFound if the caller may not use it.

    Raises IncorrectSharedItemPassword for a wrong password.
    """
    for kind in (File, Folder, WebLink):
        link = kind.shared_link
        row: Any = call.db.find(kind, any_of(link.json("url") == url, link.json("vanity_url") == url))
        if row is not None and is_live(call, row.shared_link) and not is_trashed(call, row) and _is_for(call, row):
            digest = row.shared_link.get("password_digest")
            if digest and digest != hash_password(password) and row.owned_by_id != call.actor:
                raise IncorrectSharedItemPassword
            return row
    raise NotFound.of("shared_link", url)


def _is_for(call: Call, item: Any) -> bool:
    """Return whether the caller may use a link: any user, users of the owner's enterprise, or collaborators only."""
    access = item.shared_link.get("access") or "open"
    if access == "open":
        return True
    owner = user_of(call, item.owned_by_id)
    mine, theirs = acting_user(call).enterprise, owner.enterprise if owner else None
    return mine == theirs if access == "company" else rights(call, item) != NONE


def _compute_rights(call: Call, item: Item) -> Rights:
    link: dict[str, Any] = item.shared_link or {}
    if link.get("access") == "collaborators":
        return NONE
    may: dict[str, Any] = link.get("permissions") or {}
    allowed = {"list"}
    if may.get("can_preview", True) or may.get("can_download", True):
        allowed.add("preview")
    if may.get("can_download", True):
        allowed |= {"download", "comment", "task"}
    return ROLES["editor"] - {"invite", "delete", "watch"} if may.get("can_edit") else frozenset(allowed)


@api.get("/shared_items")
def get_shared_item(
    call: Call,
    boxapi: Annotated[str, Header("BoxApi")] = "",
    fields: str = "",
    if_none_match: Annotated[str, Header("If-None-Match")] = "",
) -> Any:
    """Get the item of the shared link in the header BoxApi.

    https://developer.box.com/reference/get-shared-items
    """
    given = {name: values[0] for name, values in parse_qs(boxapi).items()}
    if "shared_link" not in given:
        raise BadRequest.of("missing_parameter", "boxapi", "The header 'boxapi' is required, with a shared_link")
    item = linked_item(call, given["shared_link"], given.get("shared_link_password", ""))
    call.memo.setdefault("linked", {})[f"{item.type} {item.id}"] = _compute_rights(call, item)
    fresh: Response | None = not_modified(if_none_match, item.etag or "0")
    return fresh or item_object(call, item, wanted_fields(fields))
