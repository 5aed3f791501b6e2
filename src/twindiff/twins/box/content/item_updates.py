"""Updates that files, folders and web links share: name, parent, tags, collections, shared link."""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit import UNSET, Call, Meta, Struct, UnsetType, check_if_match, field, revise
from twindiff.twins.box.wire_style import BadRequest

from ..core.access import ROOT, chain, find_folder, forget, require
from ..core.barrier_checks import check_together
from ..core.errors import (
    AccessDeniedInsufficientPermissions,
    AccessDeniedItemLocked,
    CyclicalFolderStructure,
    PreconditionFailed,
)
from ..core.folder_listing import folders_below
from ..core.row_stamps import build_change_stamp, build_move_stamp, fold_name, search_text
from ..event_delivery.event_emission import emit_item_event, trigger_of
from ..sharing.collections import collections_after
from ..sharing.shared_links import SharedLink, link_after
from ..tables.item_tables import File, Folder, Item
from .cascaded_metadata import apply_cascade_policies
from .folder_locks import check_unlocked
from .item_names import check_free, check_name

MAX_DESCRIPTION_CHARACTERS = 256
Description = Annotated[str, Meta(max_length=MAX_DESCRIPTION_CHARACTERS)]
"""The description of an item that is created."""

MAX_TAGS = 100


class Ref(Struct):
    """A reference to an object by its id."""

    id: str | int


class ParentReference(Struct):
    """The `parent` of an update: the folder that the item is moved to."""

    id: str | int | UnsetType = UNSET


class Changes(Struct, kw_only=True):
    """The fields of an update request; an absent field stays as it is."""

    name: str | UnsetType = UNSET
    description: str | UnsetType | None = UNSET
    parent: ParentReference | UnsetType | None = UNSET
    tags: list[str] | UnsetType | None = UNSET
    collections: list[Ref] | UnsetType | None = UNSET
    shared_link: SharedLink | UnsetType | None = UNSET
    more: dict[str, Any] = field(default_factory=dict[str, Any])
    """Further columns to set, by name."""


def check_etag(item: Item, if_match: str) -> None:
    """Raise PreconditionFailed if `if_match` is given and is not the item's current etag."""
    check_if_match(if_match, item.etag or "0", PreconditionFailed)


def check_lock(call: Call, item: Item) -> None:
    """Raise if another user has locked the file."""
    lock = item.lock if isinstance(item, File) else None
    if not lock or lock.get("created_by_id") == call.actor:
        return
    if not lock.get("expires_at") or lock["expires_at"] > call.clock.iso():
        raise AccessDeniedItemLocked


def update(call: Call, item: Any, changes: Changes) -> Any:
    """Apply changes to an item, emit their events, and return the updated item."""
    if item.id == ROOT:
        raise AccessDeniedInsufficientPermissions
    wanted = {**changes.more, **_content(call, item, changes), **_sharing(call, item, changes)}
    target = _target(call, item, changes)
    if target is not None or "name" in wanted:
        place = target.id if target is not None else item.parent_id or ROOT
        name = wanted.get("name", item.name)
        check_free(call, place, name, target.owned_by_id if target else item.owned_by_id, but=item)
    if target is not None:
        wanted |= {"parent_id": target.id, "owned_by_id": call.actor if target.id == ROOT else target.owned_by_id}
    now = revise(
        call.db, item, stamp={**build_change_stamp(call, item), **build_move_stamp(call, item, target)}, **wanted
    )
    forget(call, item.id)
    if isinstance(now, Folder) and now.owned_by_id != item.owned_by_id:
        _assign_contents_owner(call, now)
    _emit_update_events(call, item, now)
    return now


def _content(call: Call, item: Item, changes: Changes) -> dict[str, Any]:
    """Return the changed columns of the item's own content; raise if the caller may not change them."""
    wanted: dict[str, Any] = {}
    if changes.name is not UNSET:
        name = check_name(changes.name)
        wanted |= {"name": name, "folded_name": fold_name(name)}
    if changes.description is not UNSET:
        wanted["description"] = _short(changes.description or "", "description", MAX_DESCRIPTION_CHARACTERS)
    if changes.tags is not UNSET:
        wanted["tags"] = _tags(changes.tags or [])
    if wanted:
        require(call, item, "edit")
        check_lock(call, item)
        said: dict[str, Any] = {"name": item.name, "description": item.description, "tags": item.tags, **wanted}
        wanted["search_text"] = search_text(said["name"], said["description"], said["tags"])
        if wanted.get("description") == "" and item.description is None:
            del wanted["description"]
    return wanted


def _short(text: str, name: str, longest: int) -> str:
    if len(text) > longest:
        raise BadRequest.of("invalid_parameter", name, f"'{name}' has {len(text)} letters; there may be {longest}.")
    return text


def _tags(tags: list[str]) -> list[str]:
    if len(tags) > MAX_TAGS:
        raise BadRequest.of("invalid_parameter", "tags", f"{len(tags)} tags were given; there may be {MAX_TAGS}.")
    return list(dict.fromkeys(tag.strip() for tag in tags if tag.strip()))


def _sharing(call: Call, item: Item, changes: Changes) -> dict[str, Any]:
    wanted: dict[str, Any] = {}
    if changes.shared_link is not UNSET:
        require(call, item, "share")
        wanted["shared_link"] = link_after(call, item, changes.shared_link)
    if changes.collections is not UNSET:
        wanted["collections"] = collections_after(call, item, [str(each.id) for each in changes.collections or []])
    return wanted


def _target(call: Call, item: Item, changes: Changes) -> Folder | None:
    """Return the folder that an item is moved to, or None if it stays where it is."""
    if (
        not isinstance(changes.parent, ParentReference)
        or changes.parent.id is UNSET
        or str(changes.parent.id) == item.parent_id
    ):
        return None
    require(call, item, "edit", "delete")
    check_lock(call, item)
    target = find_folder(call, str(changes.parent.id), "upload")
    check_together(call, [item.owned_by_id], [target.owned_by_id])
    if isinstance(item, Folder):
        check_unlocked(call, item, "move")
        check_no_cycle(call, item, target)
    return target


def check_no_cycle(call: Call, folder: Folder, target: Folder) -> None:
    """Raise CyclicalFolderStructure if `target` is the folder itself or lies inside it."""
    if folder.id in [each.id for each in chain(call, target.id)]:
        raise CyclicalFolderStructure


def _assign_contents_owner(call: Call, folder: Folder) -> None:
    """Make the folder's owner the owner of everything in it."""
    levels = folders_below(call, folder.id, status=None)
    inside = [folder.id, *(each.id for level in levels for each in level)]
    for each in [each for level in levels for each in level]:
        call.db.change(each, owned_by_id=folder.owned_by_id)
    for file in call.db.rows(File, File.parent_id.in_(inside)):
        call.db.change(file, owned_by_id=folder.owned_by_id)


def _emit_update_events(call: Call, before: Any, now: Any) -> None:
    """Emit the events of an update. A moved item is reported in its new folder."""
    if before.parent_id != now.parent_id:
        apply_cascade_policies(call, now)
        emit_item_event(call, "ITEM_MOVE", now, trigger_of(now, "MOVED"))
    if before.name != now.name:
        emit_item_event(call, "ITEM_RENAME", now, trigger_of(now, "RENAMED"), additional_info={"old_name": before.name})
    if before.tags != now.tags:
        emit_item_event(call, "TAG_ITEM_CREATE", now)
    if before.shared_link != now.shared_link:
        was, has = before.shared_link is not None, now.shared_link is not None
        what = (
            ("SHARED_UPDATE", "UPDATED")
            if was and has
            else ("SHARED_CREATE", "CREATED")
            if has
            else ("SHARED_UNSHARE", "DELETED")
        )
        emit_item_event(call, f"ITEM_{what[0]}", now, f"SHARED_LINK.{what[1]}")
    if isinstance(now, File) and before.lock != now.lock:
        emit_item_event(
            call, "LOCK_CREATE" if now.lock else "LOCK_DESTROY", now, "FILE.LOCKED" if now.lock else "FILE.UNLOCKED"
        )
