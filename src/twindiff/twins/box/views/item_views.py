"""Renders items, users and related objects. `fields` selects among the fields of an object.

https://developer.box.com/guides/api-calls/request-extra-fields
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from twindiff.kit import Call
from twindiff.kit.throttling import yield_processor
from twindiff.twins.box.wire_style import Window, offset_page

from ..core.access import chain, folder_row, is_trashed, rights, root_folder, user_of
from ..core.folder_listing import Sort, items_in
from ..core.preserved_versions import disposition_of
from ..core.row_stamps import format_instant, ticket
from ..tables.further_tables import MetadataInstance
from ..tables.item_tables import Collection, File, FileVersion, Folder, Item, WebLink
from .item_relations import find_related, look_up
from .representations import representations
from .shared_link_views import HOST, shared_link_object

Fields = tuple[str, ...] | None
Shown = dict[str, Any]
Field = Callable[[Call, Any], Any]


def user_mini(call: Call, user_id: str | None) -> Shown | None:
    """Render a user as other objects refer to them, once per operation."""
    key = f"user mini {user_id}"
    if key not in call.memo:
        user = user_of(call, user_id)
        named = {"type": "user", "id": user.id, "name": user.name or "", "login": user.login or ""} if user else None
        call.memo[key] = named
    return call.memo[key]


def folder_mini(folder: Folder) -> Shown:
    """Render a folder as it appears in paths and lists."""
    etag, sequence = (None, None) if folder.id == "0" else (folder.etag or "0", folder.sequence_id or "0")
    return {"type": "folder", "id": folder.id, "sequence_id": sequence, "etag": etag, "name": folder.name}


_TRASH: Shown = {"type": "folder", "id": "1", "sequence_id": None, "etag": None, "name": "Trash"}


def path_collection(call: Call, item: Item) -> Shown:
    """Render the folders around an item, from the root to its parent."""
    if isinstance(item, Folder) and item.id == "0":
        return {"total_count": 0, "entries": []}
    if item.item_status == "trashed":
        return {"total_count": 1, "entries": [_TRASH]}
    key = f"path {item.parent_id}"
    if key not in call.memo:
        around = [folder_mini(each) for each in (root_folder(call), *chain(call, item.parent_id))]
        call.memo[key] = {"total_count": len(around), "entries": around}
    return call.memo[key]


def _parent(call: Call, item: Item) -> Shown | None:
    key = f"parent {item.parent_id}"
    if key not in call.memo:
        folder = folder_row(call, item.parent_id) if item.parent_id else None
        call.memo[key] = folder_mini(folder) if folder else None
    return call.memo[key]


def _file_version(call: Call, file: File) -> Shown | None:
    version_id = file.file_version_id or find_related(call, "file_version", file)
    return {"type": "file_version", "id": version_id, "sha1": file.sha_1} if version_id else None


def _status(call: Call, item: Item) -> str:
    return "trashed" if item.item_status == "active" and is_trashed(call, item) else item.item_status


def _permissions(call: Call, item: Item) -> dict[str, bool]:
    mine = rights(call, item)
    shown = {
        "can_download": "download" in mine,
        "can_upload": "upload" in mine,
        "can_rename": "edit" in mine,
        "can_delete": "delete" in mine,
        "can_share": "share" in mine,
        "can_invite_collaborator": "invite" in mine,
        "can_set_share_access": "set_share_access" in mine,
        "can_apply_watermark": False,
    }
    if isinstance(item, Folder):
        return shown
    may_comment = "comment" in mine
    return {
        **shown,
        "can_upload": "revise" in mine,
        "can_preview": "preview" in mine,
        "can_comment": may_comment,
        "can_annotate": may_comment,
        "can_view_annotations_all": may_comment,
        "can_view_annotations_self": may_comment,
    }


def _watermark(call: Call, item: Item) -> Shown:
    inherited = any(folder.watermark_info for folder in chain(call, item.parent_id))
    own = not isinstance(item, WebLink) and bool(item.watermark_info)
    return {
        "is_watermarked": own or inherited,
        "is_watermark_inherited": inherited and not own,
        "is_watermarked_by_access_policy": False,
    }


def collections_of(call: Call, item: Item) -> list[Shown]:
    """Render the caller's collections that an item is in."""
    named: list[dict[str, Any]] = item.collections or []
    if named and "collections" not in call.memo:
        mine = Collection.user_id.in_((None, call.actor))
        call.memo["collections"] = {row.id: collection_object(row) for row in call.db.rows(Collection, mine)}
    held: dict[str, Shown] = call.memo.get("collections", {})
    return [held[id] for id in sorted(str(each["id"]) for each in named) if id in held]


def collection_object(collection: Collection) -> Shown:
    """Render a collection."""
    kind = collection.collection_type
    return {"type": "collection", "id": collection.id, "name": collection.name, "collection_type": kind}


def _metadata(call: Call, item: Item) -> Shown:
    """Render the instances of an item by scope and template, as the field `metadata` requests them."""
    instances: list[MetadataInstance] = find_related(call, "metadata", item)
    shown: Shown = {}
    for each in instances:
        shown.setdefault(each.scope, {})[each.template_key] = instance_object(each)
    return shown


def instance_object(instance: MetadataInstance) -> Shown:
    """Render a metadata instance: its values, and the template it is an instance of."""
    return {
        "$id": instance.id,
        "$type": f"{instance.template_key}-{instance.id}",
        "$parent": f"{instance.item_type}_{instance.item_id}",
        "$template": instance.template_key,
        "$scope": instance.scope,
        "$version": instance.version,
        "$typeVersion": instance.type_version,
        "$canEdit": True,
        **instance.data,
    }


def _lock(call: Call, file: File) -> Shown | None:
    lock = file.lock
    if not lock or (lock.get("expires_at") and lock["expires_at"] <= call.clock.iso()):
        return None
    return {
        "type": "lock",
        "id": lock["id"],
        "created_by": user_mini(call, lock.get("created_by_id")),
        "created_at": format_instant(lock.get("created_at")),
        "expired_at": format_instant(lock.get("expires_at")),
        "is_download_prevented": bool(lock.get("is_download_prevented")),
        "app_type": None,
    }


_ROLES = ["editor", "viewer", "previewer", "uploader", "previewer uploader", "viewer uploader", "co-owner"]
_SHARED: dict[str, Field] = {
    "sequence_id": lambda call, item: item.sequence_id or "0",
    "etag": lambda call, item: item.etag or "0",
    "name": lambda call, item: item.name,
    "description": lambda call, item: item.description or "",
    "path_collection": path_collection,
    "created_at": lambda call, item: format_instant(item.created_at),
    "modified_at": lambda call, item: format_instant(item.modified_at),
    "trashed_at": lambda call, item: format_instant(item.trashed_at),
    "purged_at": lambda call, item: format_instant(item.purged_at),
    "created_by": lambda call, item: user_mini(call, item.created_by_id) or _NOBODY,
    "modified_by": lambda call, item: user_mini(call, item.modified_by_id) or _NOBODY,
    "owned_by": lambda call, item: user_mini(call, item.owned_by_id) or _NOBODY,
    "shared_link": shared_link_object,
    "parent": _parent,
    "item_status": _status,
    "tags": lambda call, item: item.tags or [],
    "collections": collections_of,
    "permissions": _permissions,
    "has_collaborations": lambda call, item: find_related(call, "has_collaborations", item),
    "is_externally_owned": lambda call, item: False,
    "metadata": _metadata,
    "watermark_info": _watermark,
    "is_accessible_via_shared_link": lambda call, item: item.shared_link is not None,
    "allowed_invitee_roles": lambda call, item: _ROLES,
    "classification": lambda call, item: getattr(item, "classification", None),
    "is_associated_with_app_item": lambda call, item: False,
}
_NOBODY: Shown = {"type": "user", "id": "", "name": "", "login": ""}
_CONTENT: dict[str, Field] = {
    "content_created_at": lambda call, item: format_instant(item.content_created_at or item.created_at),
    "content_modified_at": lambda call, item: format_instant(item.content_modified_at or item.modified_at),
}


def _embed_link(call: Call, file: File) -> Shown:
    return {"url": f"{HOST}/preview/expiring_embed/{ticket(call, f'embed {file.id}')}"}


FILE_FIELDS: dict[str, Field] = {
    **_SHARED,
    **_CONTENT,
    "file_version": _file_version,
    "sha1": lambda call, file: file.sha_1 or "",
    "size": lambda call, file: file.size,
    "version_number": lambda call, file: file.version_number or "1",
    "comment_count": lambda call, file: find_related(call, "comment_count", file),
    "lock": _lock,
    "extension": lambda call, file: file.extension or "",
    "is_package": lambda call, file: bool(file.is_package),
    "expires_at": lambda call, file: format_instant(file.expires_at),
    "disposition_at": lambda call, file: format_instant(disposition_of(call, file)),
    "uploader_display_name": lambda call, file: file.uploader_display_name or _name(call, file.created_by_id),
    "shared_link_permission_options": lambda call, file: ["can_preview", "can_download", "can_edit"],
    "representations": representations,
    "expiring_embed_link": _embed_link,
}


def _name(call: Call, user_id: str | None) -> str:
    user = user_of(call, user_id)
    return user.name or "" if user else ""


def _size(call: Call, folder: Folder) -> int:
    return 0 if folder.id == "0" else find_related(call, "size", folder)


def _item_collection(call: Call, folder: Folder) -> Shown:
    """Render the items in a folder: the first hundred, or the requested page."""
    at, sort = call.memo.get("item_collection", (Window(0, 100), Sort()))
    rows, total = items_in(call, folder, at, sort)
    return offset_page(item_objects(call, rows), total, at, ("type", "ASC"), (sort.by, sort.direction))


FOLDER_FIELDS: dict[str, Field] = {
    **_SHARED,
    **_CONTENT,
    "size": _size,
    "item_collection": _item_collection,
    "folder_upload_email": lambda call, folder: folder.folder_upload_email,
    "sync_state": lambda call, folder: folder.sync_state or "not_synced",
    "can_non_owners_invite": lambda call, folder: folder.can_non_owners_invite is not False,
    "can_non_owners_view_collaborators": lambda call, folder: folder.can_non_owners_view_collaborators is not False,
    "is_collaboration_restricted_to_enterprise": lambda call, folder: bool(
        folder.is_collaboration_restricted_to_enterprise
    ),
    "allowed_shared_link_access_levels": lambda call, folder: ["collaborators", "open", "company"],
}
WEB_LINK_FIELDS: dict[str, Field] = {**_SHARED, "url": lambda call, link: link.url or ""}

_FILE_MINI = ("file_version", "sequence_id", "etag", "sha1", "name")
_FILE_USUAL = (
    *("file_version", "sequence_id", "etag", "sha1", "name", "description", "size", "path_collection"),
    *("created_at", "modified_at", "trashed_at", "purged_at", "content_created_at", "content_modified_at"),
    *("created_by", "modified_by", "owned_by", "shared_link", "parent", "item_status"),
)
_FOLDER_MINI = ("sequence_id", "etag", "name")
_FOLDER_USUAL = (
    *("sequence_id", "etag", "name", "created_at", "modified_at", "description", "size", "path_collection"),
    *("created_by", "modified_by", "trashed_at", "purged_at", "content_created_at", "content_modified_at"),
    *("owned_by", "shared_link", "folder_upload_email", "parent", "item_status", "item_collection"),
)
_LINK_MINI = ("sequence_id", "etag", "name", "url")
_LINK_USUAL = (
    *("sequence_id", "etag", "name", "url", "created_by", "created_at", "modified_at", "parent", "description"),
    *("item_status", "trashed_at", "purged_at", "shared_link", "path_collection", "modified_by", "owned_by"),
)


class View(NamedTuple):
    """The view of one kind of items: all fields it may have, those in lists, and those of a single object."""

    known: Mapping[str, Field]
    mini: Mapping[str, Field]
    usual: Mapping[str, Field]

    def select_fields(self, fields: Fields, *, mini: bool) -> Mapping[str, Field]:
        """Return the requested fields."""
        return _of(self.known, fields) if fields else self.mini if mini else self.usual


def _of(known: Mapping[str, Field], names: Iterable[str]) -> dict[str, Field]:
    """Return the named fields. Names that every object has anyway are skipped."""
    tops = (name.partition(".")[0].partition("/")[0] for name in names)
    return {top: known[top] for top in tops if top in known and top != "etag"}


def _view(known: Mapping[str, Field], mini: Iterable[str], usual: Iterable[str]) -> View:
    return View(known, _of(known, mini), _of(known, usual))


_VIEWS: dict[type, View] = {
    File: _view(FILE_FIELDS, _FILE_MINI, _FILE_USUAL),
    Folder: _view(FOLDER_FIELDS, _FOLDER_MINI, _FOLDER_USUAL),
    WebLink: _view(WEB_LINK_FIELDS, _LINK_MINI, _LINK_USUAL),
}


def item_object(call: Call, item: Item, fields: Fields = None, *, mini: bool = False) -> Shown:
    """Render an item with the requested fields, or the default ones: of a list if `mini`, else of a single object."""
    return _render_item(call, item, _VIEWS[type(item)].select_fields(fields, mini=mini))


def _render_item(call: Call, item: Item, view: Mapping[str, Field]) -> Shown:
    yield_processor()
    shown: Shown = {"type": item.type, "id": item.id, "etag": item.etag or "0"}
    for name, show in view.items():
        shown[name] = show(call, item)
    if item.id == "0":
        shown |= {"etag": None, **dict.fromkeys(_NOT_OF_THE_ROOT & shown.keys())}
    return shown


_NOT_OF_THE_ROOT = frozenset(("sequence_id", "created_at", "modified_at", "content_created_at", "content_modified_at"))


def item_objects(call: Call, items: Sequence[Item], fields: Fields = None, *, mini: bool = True) -> list[Shown]:
    """Render items as in lists, or each as a single object without the items of folders."""
    views = {kind: {**_VIEWS[kind].select_fields(fields, mini=mini)} for kind in {type(item) for item in items}}
    if not mini and Folder in views:
        views[Folder].pop("item_collection", None)
    look_up(call, items, {name for view in views.values() for name in view})
    return [_render_item(call, item, views[type(item)]) for item in items]


def pick_fields(shown: Mapping[str, Any], fields: Fields, *always: str) -> Shown:
    """Return the requested fields of an object, besides `type`, `id` and those named in `always`."""
    if fields is None:
        return {**shown}
    tops = {name.partition(".")[0] for name in fields} | {"type", "id", *always}
    return {name: value for name, value in shown.items() if name in tops}


def version_object(call: Call, version: FileVersion, fields: Fields = None) -> Shown:
    """Render a version of a file."""
    shown = {
        "type": "file_version",
        "id": version.id,
        "sha1": version.sha_1 or "",
        "name": version.name or "",
        "size": version.size,
        "uploader_display_name": version.uploader_display_name or _name(call, version.modified_by_id),
        "created_at": format_instant(version.created_at),
        "modified_at": format_instant(version.modified_at or version.created_at),
        "modified_by": user_mini(call, version.modified_by_id) or _NOBODY,
        "trashed_at": format_instant(version.trashed_at),
        "trashed_by": user_mini(call, version.trashed_by_id),
        "restored_at": format_instant(version.restored_at),
        "restored_by": user_mini(call, version.restored_by_id),
        "purged_at": format_instant(version.purged_at),
        "version_number": str(version.version_number),
    }
    dense = {name: value for name, value in shown.items() if value is not None or name.endswith("_at")}
    return pick_fields(dense, fields)
