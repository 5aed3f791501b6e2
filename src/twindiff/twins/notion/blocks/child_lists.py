"""The children of pages and blocks: listing, adding and moving them. Pages and databases stand among the blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from twindiff.kit import Call

from ..core.edit_stamps import stamp, stamp_new
from ..core.fractional_index import index_between, indexes_after
from ..core.list_answers import invalid_cursor
from ..core.object_lookup import Node, check_editable, find_node, parse_id
from ..tables.content_tables import Block, Page
from ..tables.data_source_tables import Database
from ..wire_style import ValidationError
from .block_objects import block_columns
from .block_types import HEADINGS, PARENTS, READ_ONLY, WRAPPERS, WRONG_WIDTH

End = Literal["start", "end"]
KINDS = (Block, Page, Database)


def list_children(call: Call, parent_id: str, *, start: str = "", limit: int) -> list[Node]:
    """Return the children of a page or a block that are not in the trash, in order, from a position on."""
    rows: list[Node] = []
    for table in KINDS:
        mine = (table.parent_id == parent_id, ~table.in_trash, table.position >= start)
        shown = (*mine, Page.parent_type != "data_source_id") if table is Page else mine
        rows += call.db.rows(table, *shown, order=(table.position, table.id), limit=limit)
    return sorted(rows, key=lambda row: (row.position, row.id))[:limit]


def page_children(call: Call, parent_id: str, cursor: str | None, size: int) -> tuple[list[Node], str | None]:
    """Return a page of the children, and the cursor of the next: the id of its first block."""
    start = ""
    if cursor:
        first = find_node(call, parse_id(cursor, "start_cursor", "query"))
        if first.parent_id != parent_id:
            raise invalid_cursor(cursor)
        start = first.position
    rows = list_children(call, parent_id, start=start, limit=size + 1)
    return rows[:size], rows[size].id if len(rows) > size else None


def end_position(call: Call, parent_id: str, end: End, beyond: str = "") -> str | None:
    """Return the first or the last position among the children beyond a position; None if there are none."""
    positions: list[str] = []
    for table in KINDS:
        mine = (table.parent_id == parent_id, table.position > beyond)
        order = table.position if end == "start" else -table.position
        positions += [each for (each,) in call.db.rows(table, *mine, order=order, limit=1, columns=(table.position,))]
    return (min if end == "start" else max)(positions, default=None)


def position_after(call: Call, parent_id: str, sibling_id: str, path: str) -> tuple[str, str | None]:
    """Return the positions between which a block goes that is to follow a sibling."""
    sibling = find_node(call, sibling_id)
    if sibling.parent_id != parent_id:
        raise ValidationError(f"{path} should be the id of a child of the parent block, instead was `{sibling_id}`.")
    return sibling.position, end_position(call, parent_id, "start", beyond=sibling.position)


def place_between(
    call: Call, parent_id: str, position: dict[str, Any] | None, path: str
) -> tuple[str | None, str | None]:
    """Return the positions between which new children go, by the position that a request asks for."""
    kind = (position or {}).get("type", "end")
    if kind == "after_block":
        after = parse_id((position or {})["after_block"]["id"], "position.after_block.id", "body")
        return position_after(call, parent_id, after, path)
    if kind in ("start", "page_start"):
        return None, end_position(call, parent_id, "start")
    return end_position(call, parent_id, "end"), None


def next_position(call: Call, parent_id: str | None) -> str:
    """Return the position at the end of the children."""
    return index_between(end_position(call, parent_id, "end"), None) if parent_id else index_between(None, None)


def check_parent(call: Call, parent: Node, kinds: Sequence[str]) -> None:
    """Raise ValidationError if a row cannot have children of these types."""
    if isinstance(parent, Database) or (isinstance(parent, Block) and parent.type not in PARENTS):
        raise ValidationError("Block does not support children.")
    if isinstance(parent, Block) and parent.type in HEADINGS and not parent.content.get("is_toggleable"):
        raise ValidationError("Block does not support children.")
    wanted = WRAPPERS.get(parent.type) if isinstance(parent, Block) else None
    for kind in kinds:
        if (wanted and kind != wanted) or (kind in ("column", "table_row") and wanted != kind):
            raise ValidationError(f"Block of type {kind} cannot be a child of {getattr(parent, 'type', 'a page')}.")
    check_editable(call, parent)


def check_cells(table: Node | None, cells: list[Any]) -> None:
    """Raise ValidationError for a row that has other columns than its table."""
    if isinstance(table, Block) and table.type == "table" and len(cells) != table.content.get("table_width", 1):
        raise ValidationError(WRONG_WIDTH)


def add_blocks(
    call: Call, parent: Node, children: list[dict[str, Any]], between: tuple[str | None, str | None] = (None, None)
) -> list[Block]:
    """Add blocks of a request with all that is in them, and return those at the top."""
    made = stamp_new(call)
    rows: list[Block] = []

    def build(parent_id: str, parent_type: str, given: list[dict[str, Any]], positions: list[str]) -> None:
        for each, position in zip(given, positions, strict=True):
            kind = each.get("type") or next(name for name in each if name != "object")
            content: dict[str, Any] = each.get(kind) or {}
            row = Block(
                id=call.ids.uuid(),
                type=kind,
                parent_type=parent_type,
                parent_id=parent_id,
                position=position,
                **made,
                **block_columns(call, kind, content),
            )
            rows.append(row)
            inner: list[dict[str, Any]] = content.get("children") or []
            build(row.id, "block_id", inner, indexes_after(None, None, len(inner)))

    build(parent.id, _parent_type(parent), children, indexes_after(*between, len(children)))
    call.db.add_all(rows)
    if rows:
        call.db.change(parent, **stamp(call))
    return [row for row in rows if row.parent_id == parent.id]


def check_types(children: list[dict[str, Any]]) -> list[str]:
    """Return the types of the blocks in a request; raise ValidationError for those that cannot be made."""
    kinds = [each.get("type") or next(name for name in each if name != "object") for each in children]
    for kind in kinds:
        if kind in READ_ONLY:
            raise ValidationError(f"Block type {kind} is not supported via the API.")
    return kinds


def _parent_type(parent: Node) -> str:
    return "block_id" if isinstance(parent, Block) else "page_id"
