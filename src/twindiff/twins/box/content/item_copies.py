"""Copies files and folders.

https://developer.box.com/guides/files/copy
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..core.access import chain
from ..core.barrier_checks import check_together
from ..core.contents import add_version, check_room, current_version, get_content
from ..core.errors import CyclicalFolderStructure, NotFound
from ..core.folder_listing import folders_below, size_of
from ..core.row_stamps import extension_of, fold_name, new_id, search_text
from ..event_delivery.event_emission import emit_item_event
from ..tables.further_tables import MetadataInstance, MetadataTemplate
from ..tables.item_tables import File, FileVersion, Folder, Item, WebLink
from .cascaded_metadata import apply_cascade_policies
from .item_names import check_free, check_name


def _owner(call: Call, target: Folder) -> str | None:
    return call.actor if target.id == "0" else target.owned_by_id


def _as_copied(call: Call, item: Any, target: Folder, name: str) -> dict[str, Any]:
    """Return the columns that every copy has: new timestamps, no shared link, no collections."""
    now = call.clock.iso()
    return {
        "id": new_id(call),
        "name": name,
        "description": item.description,
        "tags": item.tags or [],
        "parent_id": target.id,
        "created_by_id": call.actor,
        "modified_by_id": call.actor,
        "owned_by_id": _owner(call, target),
        "etag": "0",
        "sequence_id": "0",
        "created_at": now,
        "modified_at": now,
        "folded_name": fold_name(name),
        "search_text": search_text(name, item.description, item.tags),
    }


def copy_file(call: Call, file: File, target: Folder, name: str | None, version_id: str | None = None) -> File:
    """Copy a file, or one of its versions, into a folder and return the copy."""
    name = check_name(name) if name else file.name or ""
    check_together(call, [file.owned_by_id], [_owner(call, target)])
    check_free(call, target.id, name, _owner(call, target))
    check_room(call, _owner(call, target), file.size)
    version = _version(call, file, version_id) if version_id else current_version(call, file)
    made = _copied_file(call, file, target, name, version)
    apply_cascade_policies(call, made)
    emit_item_event(call, "ITEM_COPY", made, "FILE.COPIED")
    return made


def _version(call: Call, file: File, version_id: str) -> FileVersion:
    version = call.db.find(FileVersion, FileVersion.id == version_id, FileVersion.file_id == file.id)
    if version is None:
        raise NotFound.of("version", version_id)
    return version


def _copied_file(call: Call, file: File, target: Folder, name: str, version: FileVersion) -> File:
    held = get_content(call, version)
    made = File(
        **_as_copied(call, file, target, name),
        size=version.size,
        sha_1=version.sha_1,
        file_version_id=new_id(call, 13),
        version_number="1",
        extension=extension_of(name),
        content_created_at=file.content_created_at,
        content_modified_at=file.content_modified_at,
    )
    add_version(call, made, 1, held, name)
    call.db.add(made)
    _copy_metadata(call, file, made)
    return made


def _copy_metadata(call: Call, item: Item, made: Item) -> None:
    """Copy the instances whose template has `copy_instance_on_item_copy` or has no row, as `global.properties`."""
    here = (MetadataInstance.item_id == item.id, MetadataInstance.item_type == item.type)
    for each in call.db.rows(MetadataInstance, *here):
        keyed = (MetadataTemplate.scope == each.scope, MetadataTemplate.template_key == each.template_key)
        template = call.db.find(MetadataTemplate, *keyed)
        if template is None or template.copy_instance_on_item_copy:
            call.db.add(
                MetadataInstance(
                    id=call.ids.uuid(),
                    item_id=made.id,
                    item_type=made.type,
                    scope=each.scope,
                    template_key=each.template_key,
                    data=each.data,
                )
            )


def copy_folder(call: Call, folder: Folder, target: Folder, name: str | None) -> Folder:
    """Copy a folder with everything in it and return the copy."""
    name = folder.name or "" if name is None else check_name(name)
    if folder.id in [each.id for each in chain(call, target.id)]:
        raise CyclicalFolderStructure
    check_together(call, [folder.owned_by_id], [_owner(call, target)])
    check_free(call, target.id, name, _owner(call, target))
    check_room(call, _owner(call, target), size_of(call, folder.id))
    levels = folders_below(call, folder.id)
    made = {folder.id: _copied_folder(call, folder, target, name)}
    for each in [each for level in levels for each in level]:
        made[each.id] = _copied_folder(call, each, made[each.parent_id or ""], each.name or "")
    _copy_contents(call, made)
    apply_cascade_policies(call, made[folder.id])
    emit_item_event(call, "ITEM_COPY", made[folder.id], "FOLDER.COPIED")
    return made[folder.id]


def _copied_folder(call: Call, folder: Folder, target: Folder, name: str) -> Folder:
    made = Folder(**_as_copied(call, folder, target, name))
    call.db.add(made)
    _copy_metadata(call, folder, made)
    return made


def _copy_contents(call: Call, made: dict[str, Folder]) -> None:
    inside = tuple(made)
    for file in call.db.rows(File, File.parent_id.in_(inside), File.item_status == "active"):
        version = current_version(call, file)
        _copied_file(call, file, made[file.parent_id or ""], file.name or "", version)
    for link in call.db.rows(WebLink, WebLink.parent_id.in_(inside), WebLink.item_status == "active"):
        target = made[link.parent_id or ""]
        call.db.add(WebLink(**_as_copied(call, link, target, link.name or ""), url=link.url))
