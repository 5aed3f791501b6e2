"""Blocks between rows and objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

from twindiff.kit import Call

from ..core.api_version import LATEST, trash_fields, version_of
from ..core.edit_stamps import show_stamps
from ..core.file_values import pack_file, render_file
from ..core.object_lookup import Node, find_database, find_page, find_parent, find_row, is_trashed, parse_id
from ..rich_text.rich_text_values import pack_columns, pack_text, plain_text, unpack_columns, unpack_text
from ..tables.content_tables import Block, Page
from ..tables.data_source_tables import Database, DataSource
from .block_types import DEFAULTS, FILES

Content = dict[str, Any]
UNTITLED = "New database"
_SOURCES = ("external", "file_upload", "file")


def parent_object(call: Call, node: Node) -> dict[str, Any]:
    """Render where a block, a page or a database stands."""
    if node.parent_type == "workspace":
        return {"type": "workspace", "workspace": True}
    return {"type": node.parent_type, node.parent_type: node.parent_id}


def node_object(call: Call, node: Node, *, has_children: bool, in_trash: bool) -> dict[str, Any]:
    """Render a block, or a page or a database as the block that stands for it."""
    if isinstance(node, Block):
        kind, content = node.type, _render_content(call, node)
    else:
        kind = "child_page" if isinstance(node, Page) else "child_database"
        content = {"title": node.title if isinstance(node, Page) else _database_title(call, node)}
    parent = parent_object(call, node)
    if isinstance(node, Page) and node.parent_type == "data_source_id":
        parent = {"type": "data_source_id", "data_source_id": node.parent_id}
    return {
        "object": "block",
        "id": node.id,
        "parent": parent,
        **show_stamps(node),
        "has_children": has_children,
        **trash_fields(call, in_trash),
        "type": kind,
        kind: content,
    }


def _database_title(call: Call, database: Database) -> str:
    """Return the title of a database among blocks: that of its first data source."""
    mine = DataSource.database_id == database.id
    first = call.db.rows(DataSource, mine, order=(DataSource.position, DataSource.id), limit=1)
    return (first[0].title if first else database.title) or UNTITLED


def render_nodes(call: Call, nodes: Sequence[Node]) -> list[dict[str, Any]]:
    """Render siblings."""
    sources = {node.id: _content_id(node) for node in nodes}
    parents = _with_children(call, [*sources.values()])
    above = find_parent(call, nodes[0]) if nodes else None
    trashed = above is not None and is_trashed(call, above)
    return [
        node_object(call, node, has_children=sources[node.id] in parents, in_trash=node.in_trash or trashed)
        for node in nodes
    ]


def _content_id(node: Node) -> str:
    """Return the id of the block whose children a block shows: the original of a synced one."""
    source = node.content.get("synced_from") if isinstance(node, Block) and node.type == "synced_block" else None
    return source["block_id"] if source else node.id


def render_node(call: Call, node: Node) -> dict[str, Any]:
    """Render one block."""
    return render_nodes(call, [node])[0]


def _with_children(call: Call, ids: list[str]) -> set[str]:
    """Return which of some blocks and pages have children."""
    below: set[str] = set()
    for table in (Block, Page, Database):
        below |= call.db.pages(table, table.parent_id, ids, ~table.in_trash, limit=1, columns=(table.id,)).keys()
    return below


def _render_content(call: Call, block: Block) -> Content:
    content: Content = {**DEFAULTS.get(block.type, {}), **block.content}
    if "rich_text" in content:
        content["rich_text"] = unpack_columns(call, block.text, block.rich_text)
    if "icon" in content:
        content["icon"] = render_file(call, content["icon"])
    if "caption" in content:
        content["caption"] = unpack_text(call, content["caption"])
    if "cells" in content:
        content["cells"] = [unpack_text(call, cell) for cell in content["cells"]]
    if block.type in FILES and "source" in content:
        content |= render_file(call, content.pop("source")) or {}
    if block.type == "table_of_contents" and version_of(call) < LATEST:
        content.setdefault("color", "default")
    return content


def block_columns(call: Call, kind: str, given: Content, stored: Content | None = None) -> dict[str, Any]:
    """Return the columns of a row for the content in a request, over what it has already."""
    content = dict(stored or {})
    columns: dict[str, Any] = {}
    for name, value in given.items():
        if name == "rich_text":
            columns["text"], columns["rich_text"] = pack_columns(call, value)
        elif name in _SOURCES and kind in FILES:
            content["source"] = pack_file(call, {name: value})
        elif name not in ("children", "type") or kind == "link_to_page":
            content[name] = _PACKERS[name](call, value) if name in _PACKERS else value
    if "cells" in given:
        columns["text"] = " | ".join(plain_text(call, cell) for cell in content["cells"])
    if kind == "link_to_page":
        content.setdefault("type", next(iter(content), "page_id"))
    if kind == "file":
        _name_file(content, stored)
    return {**columns, "content": _drop_defaults(kind, content)}


def _check_original(call: Call, given: Content | None) -> Content | None:
    """Return what a synced block shows; raise ObjectNotFound unless there is such a block."""
    if given:
        find_row(call, Block, parse_id(given["block_id"], "block_id", "body"), "block")
    return given


_PACKERS: dict[str, Callable[[Call, Any], Any]] = {
    "synced_from": _check_original,
    "page_id": lambda call, id: find_page(call, parse_id(id, "page_id", "body")).id,
    "database_id": lambda call, id: find_database(call, parse_id(id, "database_id", "body")).id,
    "icon": pack_file,
    "caption": pack_text,
    "cells": lambda call, cells: [pack_text(call, cell) for cell in cells],
}


def _name_file(content: Content, stored: Content | None) -> None:
    """Give a file the name in its address; a new name without an extension keeps that of the old one."""
    source: Content = content.get("source") or {}
    if "name" not in content and "external" in source:
        address: str = source["external"]
        content["name"] = unquote(urlsplit(address).path.rpartition("/")[2]) or "file"
    if stored and "." not in content.get("name", "."):
        content["name"] += "." + str(stored.get("name", "")).rpartition(".")[2]


def _drop_defaults(kind: str, content: Content) -> Content:
    defaults = DEFAULTS.get(kind, {})
    return {
        name: value
        for name, value in content.items()
        if not (name in defaults and (value == defaults[name] or (name == "caption" and not value)))
    }
