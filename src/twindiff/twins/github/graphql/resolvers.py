"""How the fields of GraphQL objects are resolved: from columns, and by a table of functions for all other fields."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast

from twindiff.kit import Call
from twindiff.kit.rows import Expression, table_of

from ..core.access import issue_of
from ..core.stamps import show_instant
from ..tables.issue_tables import Issue
from ..tables.repository_tables import Repository
from .nodes import GraphNode, connect_page, id_of

Resolver = Callable[..., Any]
FIELDS: dict[tuple[str, str], Resolver] = {}
_CAMEL = re.compile(r"(?<!^)(?=[A-Z])")


def field(*names: str) -> Callable[[Resolver], Resolver]:
    """Declare the resolver of fields, each as `Type.field`; it takes the call, the node and the field's arguments."""

    def declare(resolver: Resolver) -> Resolver:
        for name in names:
            kind, _, own = name.partition(".")
            FIELDS[kind, own] = resolver
        return resolver

    return declare


def compute(*names: str) -> Callable[[Callable[[Call, GraphNode], Any]], None]:
    """Declare the resolver of fields without arguments."""

    def declare(resolver: Callable[[Call, GraphNode], Any]) -> None:
        field(*names)(resolver)

    return declare


def resolve_field(call: Call, source: Any, name: str, arguments: dict[str, Any]) -> Any:
    """Return the value of a field of a mapping or a node."""
    if isinstance(source, dict):
        return cast(dict[str, Any], source).get(name)
    node: GraphNode = source
    resolver = FIELDS.get((node.type, name))
    if resolver:
        return resolver(call, node, **arguments)
    column = _CAMEL.sub("_", name).lower()
    if name == "id":
        return id_of(node)
    if name == "databaseId":
        return node.row.id
    if column not in table_of(node.row.__class__).columns and node.type == "PullRequest":
        return resolve_field(call, GraphNode("Issue", issue_of(call, node.row), node.repo), name, arguments)
    if name in ("createdAt", "updatedAt", "closedAt", "mergedAt", "pushedAt", "publishedAt", "submittedAt", "dueOn"):
        return show_instant(getattr(node.row, column))
    return getattr(
        node.row, column.removeprefix("is_") if column not in table_of(node.row.__class__).columns else column
    )


def enclosing_repo(node: GraphNode) -> Repository:
    """Return the repository of a node, which may be the node itself."""
    repo: Repository = node.repo or node.row
    return repo


def issue_half(call: Call, node: GraphNode) -> Issue:
    """Return the row of an issue, or the issue half of a pull request."""
    issue: Issue = issue_of(call, node.row) if node.type == "PullRequest" else node.row
    return issue


def connect_rows(
    call: Call,
    table: type[Any],
    where: list[Expression],
    by: Any,
    show: Callable[[Any], Any],
    arguments: dict[str, Any],
    **more: Any,
) -> Any:
    """Return a connection of rows, of which only the page is read."""

    def read(start: int, stop: int) -> list[Any]:
        rows = call.db.rows(table, *where, order=by, limit=stop - start, offset=start) if stop > start else []
        return [show(row) for row in rows]

    return connect_page(call.db.count(table, *where), read, arguments, **more)
