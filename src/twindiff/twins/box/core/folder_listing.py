"""What is in a folder: its items in order, everything below it, and how much that is."""

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
"""In the order in which lists have them."""


def rows_from(
    call: Call, marker: str, limit: int, table: type[R], *where: Expression, order: Any
) -> tuple[list[R], str | None]:
    """Rows from a marker on and the marker of those after them, None for the last; raises BadRequest."""
    start = offset_in(marker)
    rows = call.db.rows(table, *where, order=order, limit=check_limit(limit) + 1, offset=start)
    return rows[:limit], marker_of(start + limit) if len(rows) > limit else None


class Sort(NamedTuple):
    """How items of one kind are ordered; folders always come before files, and files before web links."""

    by: str = "name"
    direction: str = "ASC"

    def order(self, kind: type[Any]) -> Any:
        """The order of one kind's rows."""
        column: Column[Any] = {
            "id": kind.id,
            "name": kind.folded_name,
            "date": kind.modified_at,
            "size": File.size if kind is File else kind.folded_name,
        }[self.by]
        return Order(column, self.direction == "DESC")


def items_in(call: Call, folder: Folder, at: Window, sort: Sort | None = None) -> tuple[list[Item], int]:
    """A page of a folder's items that are not in the trash, and how many there are."""
    in_root = folder.id == ROOT
    where = {kind: (_in_root(call, kind) if in_root else _inside(kind, folder.id)) for kind in KINDS}
    return page_of_kinds(call, where, at, sort or Sort())


Conditions = dict[type[Any], tuple[Expression, ...]]


def page_of_kinds(call: Call, where: Conditions, at: Window, sort: Sort) -> tuple[list[Item], int]:
    """A page of the items for which conditions hold, kind after kind, and how many there are in all."""
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
    """What stands in the caller's root: what is theirs there, and what others share with them."""
    mine = all_of(kind.parent_id == ROOT, any_of(kind.owned_by_id == call.actor, kind.owned_by_id.is_null()))
    shared = [item for kind_of_item, item in granted_items(call) if TABLE_OF[kind_of_item] is kind]
    tops = [item for item in shared if _is_top(call, kind, item)] if shared else []
    return any_of(mine, kind.id.in_(tops)) if tops else mine, kind.item_status == "active"


def _is_top(call: Call, kind: type[Any], item_id: str) -> bool:
    """Whether a shared item cannot be reached through a folder that is the caller's too."""
    row = call.db.find(kind, kind.id == item_id)
    return row is not None and row.owned_by_id != call.actor and rights_in(call, row.parent_id) == NONE


def folders_below(call: Call, folder_id: str, *, status: str | None = "active") -> list[list[Folder]]:
    """The folders inside a folder, level by level, beginning with those right in it."""
    levels: list[list[Folder]] = []
    parents = [folder_id]
    while parents:
        where: tuple[Expression, ...] = (Folder.parent_id.in_(parents),)
        level = call.db.rows(Folder, *where, *((Folder.item_status == status,) if status else ()))
        parents = [folder.id for folder in level]
        levels += [level] if level else []
    return levels


def size_of(call: Call, folder_id: str) -> int:
    """How many bytes the files of a folder have together, at any depth."""
    return sizes_of(call, [folder_id])[folder_id]


def sizes_of(call: Call, folder_ids: Iterable[str]) -> dict[str, int]:
    """How many bytes the files of each folder have together, at any depth; two statements for each level."""
    size_inside = total(File.size, File, File.parent_id == Folder.id, File.item_status == "active")
    holders: dict[str, str] = {folder: folder for folder in folder_ids}
    """Folders of one level, and which of those that were asked for they are in."""
    sizes = dict.fromkeys(holders, 0)
    while holders:
        level = sorted(holders)
        for folder, size in call.db.rows(Folder, Folder.id.in_(level), columns=(Folder.id, size_inside)):
            sizes[holders[folder]] += size or 0
        links = (Folder.id, Folder.parent_id)
        below = call.db.rows(Folder, Folder.parent_id.in_(level), Folder.item_status == "active", columns=links)
        holders = {folder: holders[parent] for folder, parent in below}
    return sizes
