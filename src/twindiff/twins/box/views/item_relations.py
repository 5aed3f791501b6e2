"""Related rows that items are rendered with, looked up for all items of a page at once."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any

from twindiff.kit import Call
from twindiff.kit.computed_values import count

from ..core.access import look_up_folders, look_up_users
from ..core.folder_listing import sizes_of
from ..tables.further_tables import Collaboration, MetadataInstance
from ..tables.item_tables import Comment, File, FileVersion, Folder, Item

Beside = dict[tuple[str, str], Any]
"""The related value of each item, by item type and id."""
_PEOPLE = frozenset(("created_by", "modified_by", "owned_by", "uploader_display_name"))


def look_up(call: Call, items: Sequence[Item], names: Container[str]) -> None:
    """Preload what the fields of a page's items need, in one statement per field instead of one per item."""
    look_up_folders(call, (item.parent_id for item in items))
    if any(name in names for name in _PEOPLE):
        people = ((item.created_by_id, item.modified_by_id, item.owned_by_id) for item in items)
        look_up_users(call, (id for each in people for id in each))
    for name, find in _FIND.items():
        if name in names:
            call.memo[f"beside {name}"] = find(call, items)


def find_related(call: Call, name: str, item: Item) -> Any:
    """Return what a field needs for one item: from the preloaded page, or looked up now."""
    held: Beside = call.memo.get(f"beside {name}", {})
    key = item.type, item.id
    return held[key] if key in held else _FIND[name](call, [item])[key]


def _ids(items: Iterable[Item]) -> list[str]:
    return sorted(item.id for item in items)


def _comment_counts(call: Call, items: Sequence[Item]) -> Beside:
    """Return the number of comments on each file, including replies."""
    files = [item for item in items if isinstance(item, File)]
    counted = count(Comment, Comment.file_id == File.id)
    rows = call.db.rows(File, File.id.in_(_ids(files)), columns=(File.id, counted)) if files else ()
    return {("file", id): number for id, number in rows}


def _find_collaborated(call: Call, items: Sequence[Item]) -> Beside:
    """Return whether each item has collaborations."""
    places = (Collaboration.item_type, Collaboration.item_id)
    shared = call.db.rows(Collaboration, Collaboration.item_id.in_(_ids(items)), columns=places) if items else []
    known = frozenset(shared)
    return {key: key in known for item in items for key in [(item.type, item.id)]}


def _instances(call: Call, items: Sequence[Item]) -> Beside:
    """Return the metadata of each item."""
    held: Beside = {(item.type, item.id): [] for item in items}
    for row in call.db.rows(MetadataInstance, MetadataInstance.item_id.in_(_ids(items))) if items else ():
        held.get((row.item_type, row.item_id), []).append(row)
    return held


def _versions(call: Call, items: Sequence[Item]) -> Beside:
    """Return the id of each file's current version: the one it names, or its newest one."""
    files = [item for item in items if isinstance(item, File)]
    silent = _ids(file for file in files if file.file_version_id is None)
    newest: dict[str, list[tuple[Any, ...]]] = {}
    if silent:
        order, columns = -FileVersion.version_number, (FileVersion.id,)
        newest = call.db.pages(FileVersion, FileVersion.file_id, silent, order=order, limit=1, columns=columns)
    ids = {file_id: id for file_id, ((id,),) in newest.items()}
    return {("file", file.id): file.file_version_id or ids.get(file.id) for file in files}


def _sizes(call: Call, items: Sequence[Item]) -> Beside:
    """Return the total size in bytes of each folder."""
    folders = [item.id for item in items if isinstance(item, Folder)]
    return {("folder", id): size for id, size in sizes_of(call, folders).items()}


_FIND: dict[str, Callable[[Call, Sequence[Item]], Beside]] = {
    "comment_count": _comment_counts,
    "has_collaborations": _find_collaborated,
    "metadata": _instances,
    "file_version": _versions,
    "size": _sizes,
}
