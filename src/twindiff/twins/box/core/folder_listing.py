"""Lists the contents of folders: items in order, all descendants, and total sizes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeVar

from twindiff.kit import Call, Row, all_of, any_of
from twindiff.kit.computed_values import total
from twindiff.kit.rows import Column, Expression, Order
from twindiff.twins.box.wire_style import Window, check_limit, marker_of, offset_in

from ..tables.item_tables import File, Folder, Item, WebLink
from .access import NONE, ROOT, TABLE_OF, granted_items, rights_in

R = TypeVar("R", bound=Row)
KINDS: tuple[type[Any], ...] = (Folder, File, WebLink)
"""The kinds of items, in the order of lists."""


def rows_from(
    call: Call, marker: str, limit: int, table: type[R], *where: Expression, order: Any
) -> tuple[list[R], str | None]:
    """Return up to `limit` rows from a marker on, and the next marker or None; raise BadRequest for a bad marker."""
    start = offset_in(marker)
    rows = call.db.rows(table, *where, order=order, limit=check_limit(limit) + 1, offset=start)
    return rows[:limit], marker_of(start + limit) if len(rows) > limit else None


class Sort(NamedTuple):
    """The order of items of one kind. Folders always come before files, and files before web links."""

    by: str = "name"
    direction: str = "ASC"

    def order(self, kind: type[Any]) -> Any:
        """Return the `ORDER BY` of one kind's rows."""
        column: Column[Any] = {
            "id": kind.id,
            "name": kind.folded_name,
            "date": kind.modified_at,
            "size": File.size if kind is File else kind.folded_name,
        }[self.by]
        return Order(column, self.direction == "DESC")


def items_in(call: Call, folder: Folder, at: Window, sort: Sort | None = None) -> tuple[list[Item], int]:
    """Return a page of a folder's items that are not in the trash, and their total number."""
    in_root = folder.id == ROOT
    where = {kind: (_in_root(call, kind) if in_root else _inside(kind, folder.id)) for kind in KINDS}
    return page_of_kinds(call, where, at, sort or Sort())


Conditions = dict[type[Any], tuple[Expression, ...]]


def page_of_kinds(call: Call, where: Conditions, at: Window, sort: Sort) -> tuple[list[Item], int]:
    """Return a page of the items that match the conditions, kind by kind, and their total number."""
    rows: list[Item] = []
    offset, known = at.offset, 0
    for kind, conditions in where.items():
        count = call.db.count(kind, *conditions)
        known += count
        room = at.limit - len(rows)
        if count > offset and room > 0:
            rows += call.db.rows(kind, *conditions, order=sort.order(kind), limit=room, offset=offset)
        offset = max(0, offset - count)
    return rows, known


def _inside(kind: type[Any], folder_id: str) -> tuple[Expression, ...]:
    return kind.parent_id == folder_id, kind.item_status == "active"


def _in_root(call: Call, kind: type[Any]) -> tuple[Expression, ...]:
    """Return the conditions for items in the caller's root: their own items, and those shared with them."""
    mine = all_of(kind.parent_id == ROOT, any_of(kind.owned_by_id == call.actor, kind.owned_by_id.is_null()))
    shared = [item for kind_of_item, item in granted_items(call) if TABLE_OF[kind_of_item] is kind]
    tops = [item for item in shared if _is_top(call, kind, item)] if shared else []
    return any_of(mine, kind.id.in_(tops)) if tops else mine, kind.item_status == "active"


def _is_top(call: Call, kind: type[Any], item_id: str) -> bool:
    """Return whether a shared item cannot be reached through a folder that the caller also sees."""
    row = call.db.find(kind, kind.id == item_id)
    return row is not None and row.owned_by_id != call.actor and rights_in(call, row.parent_id) == NONE


def folders_below(call: Call, folder_id: str, *, status: str | None = "active") -> list[list[Folder]]:
    """Return the folders inside a folder, one list per level, starting with its direct children."""
    levels: list[list[Folder]] = []
    parents = [folder_id]
    while parents:
        where: tuple[Expression, ...] = (Folder.parent_id.in_(parents),)
        level = call.db.rows(Folder, *where, *((Folder.item_status == status,) if status else ()))
        parents = [folder.id for folder in level]
        levels += [level] if level else []
    return levels


def size_of(call: Call, folder_id: str) -> int:
    """Return the total size in bytes of all files in a folder, at any depth."""
    return sizes_of(call, [folder_id])[folder_id]


def sizes_of(call: Call, folder_ids: Iterable[str]) -> dict[str, int]:
    """Return the total size in bytes of all files in each folder, at any depth, with two statements per level."""
    size_inside = total(File.size, File, File.parent_id == Folder.id, File.item_status == "active")
    holders: dict[str, str] = {folder: folder for folder in folder_ids}
    """Each folder of the current level, and the requested folder that contains it."""
    sizes = dict.fromkeys(holders, 0)
    while holders:
        level = sorted(holders)
        for folder, size in call.db.rows(Folder, Folder.id.in_(level), columns=(Folder.id, size_inside)):
            sizes[holders[folder]] += size or 0
        links = (Folder.id, Folder.parent_id)
        below = call.db.rows(Folder, Folder.parent_id.in_(level), Folder.item_status == "active", columns=links)
        holders = {folder: holders[parent] for folder, parent in below}
    return sizes
