"""Blocks. https://developers.notion.com/reference/retrieve-a-block"""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit import Body, Call, Operations

from ..core.api_version import LATEST, is_to_trash, version_of
from ..core.body_rules import (
    Rule,
    anything,
    boolean,
    check_body,
    choice,
    empty,
    is_object,
    obj,
    typed_object,
    uuid,
)
from ..core.edit_stamps import stamp
from ..core.list_answers import MAX_PAGE_SIZE, check_page_size, list_answer
from ..core.object_lookup import Node, check_editable, find_node, parse_id
from ..event_delivery.event_emission import emit_content
from ..tables.content_tables import Block, Page
from ..wire_style import ValidationError
from .block_objects import block_columns, render_node, render_nodes
from .block_types import children_rule, content_rules
from .child_lists import add_blocks, check_cells, check_parent, check_types, list_children, page_children, place_between
from .trash import check_change, move_to_trash

api = Operations(prefix="/v1")
JsonBody = Annotated[dict[str, Any], Body]
MAX_BLOCKS = 1000
"""Blocks of one request, with all that is in them."""
TRASH: dict[str, Rule] = {"archived": boolean, "in_trash": boolean}
_position = typed_object({"after_block": obj({"id": uuid}), "start": empty, "end": empty})


def _check_position(value: Any, path: str) -> Any:
    if is_object(value) and value.get("type") in ("start", "end"):
        return choice("start", "end")(value["type"], f"{path}.type")
    return _position(value, path)


_append_body = obj({"children": children_rule}, after=uuid, position=_check_position)


@api.get("/blocks/{block_id}", scope="read_content")
def get_block(call: Call, block_id: str) -> dict[str, Any]:
    """Get a block, a page or a database as a block."""
    return render_node(call, find_node(call, parse_id(block_id, "block_id")))


@api.get("/blocks/{block_id}/children", scope="read_content")
def list_block_children(
    call: Call, block_id: str, start_cursor: str | None = None, page_size: str | int = MAX_PAGE_SIZE
) -> dict[str, Any]:
    """List the children of a block or a page."""
    parent = find_node(call, parse_id(block_id, "block_id"))
    source = parent.content.get("synced_from") if isinstance(parent, Block) and parent.type == "synced_block" else None
    parent_id = source["block_id"] if source else parent.id
    rows, cursor = page_children(call, parent_id, start_cursor, check_page_size(page_size))
    return list_answer("block", render_nodes(call, rows), cursor)


@api.patch("/blocks/{block_id}/children", scope="insert_content")
def append_block_children(call: Call, block_id: str, body: JsonBody) -> dict[str, Any]:
    """Add children to a block or a page; they and the siblings that follow them are the answer."""
    parent = find_node(call, parse_id(block_id, "block_id"))
    check_body(_append_body, body)
    if "after" in body and version_of(call) >= LATEST:
        raise ValidationError("body failed validation: body.after should be not present, use body.position instead.")
    check_size(body["children"])
    check_parent(call, parent, check_types(body["children"]))
    for each in body["children"]:
        check_cells(parent, each.get("table_row", {}).get("cells", []))
    position = body.get("position")
    if "after" in body:
        position = {"type": "after_block", "after_block": {"id": body["after"]}}
    between = place_between(call, parent.id, position, "body.after" if "after" in body else "body.position")
    rows: list[Node] = [*add_blocks(call, parent, body["children"], between)]
    emit_content(call, parent, rows)
    if rows and between[1] is not None:
        rows = list_children(call, parent.id, start=rows[0].position, limit=MAX_PAGE_SIZE)
    return list_answer("block", render_nodes(call, rows), None)


def check_size(children: list[dict[str, Any]]) -> None:
    """Raise ValidationError for more blocks than a request may have."""

    def count(given: list[dict[str, Any]]) -> int:
        return sum(
            1 + count(inner.get("children") or []) for each in given for inner in each.values() if is_object(inner)
        )

    if count(children) > MAX_BLOCKS:
        raise ValidationError(f"body.children: the request should have ≤ `{MAX_BLOCKS}` blocks.")


@api.patch("/blocks/{block_id}", scope="update_content")
def update_block(call: Call, block_id: str, body: JsonBody) -> dict[str, Any]:
    """Change the content of a block, or move it to the trash or back."""
    node = find_node(call, parse_id(block_id, "block_id"))
    kinds = [name for name in body if name not in ("type", "archived", "in_trash", "object")]
    if isinstance(node, Block) and (kinds or "type" in body):
        _check_update(node, body, kinds)
    else:
        check_body(obj(None, type=anything, object=anything, **TRASH, **dict.fromkeys(kinds, anything)), body)
    if kinds and not isinstance(node, Block):
        raise ValidationError(f"body.{kinds[0]} should be not present: a {_kind(node)} is updated by its own endpoint.")
    moved = move_to_trash(call, node, is_to_trash(call, body))
    node = check_change(call, node, moved) if kinds else moved
    if isinstance(node, Block) and kinds:
        if node.type == "table_row":
            check_cells(find_node(call, node.parent_id or ""), body[node.type]["cells"])
        columns = block_columns(call, node.type, body[node.type], node.content)
        node = call.db.change(node, **columns, **stamp(call))
        emit_content(call, node, [node])
    return render_node(call, node)


def _check_update(block: Block, body: dict[str, Any], kinds: list[str]) -> None:
    rules = content_rules(0, is_update=True)
    if block.type not in rules:
        raise ValidationError(f"Block type {block.type} is not supported via the API.")
    if kinds and kinds != [block.type]:
        raise ValidationError(
            f"Updating the type of a block is not supported: the block is {block.type}, not {kinds[0]}."
        )
    check_body(
        obj(None, **{block.type: rules[block.type]}, type=choice(block.type), object=choice("block"), **TRASH), body
    )


def _kind(node: Node) -> str:
    return "page" if isinstance(node, Page) else "database"


@api.delete("/blocks/{block_id}", scope="update_content")
def delete_block(call: Call, block_id: str) -> dict[str, Any]:
    """Move a block, a page or a database to the trash."""
    node = find_node(call, parse_id(block_id, "block_id"))
    check_editable(call, node)
    return render_node(call, move_to_trash(call, node, in_trash=True))
