"""The nodes of taxonomies. Each is on a level and has a parent on the level above.

https://developer.box.com/reference/resources/metadata-taxonomy-node
"""

from __future__ import annotations

from collections.abc import Iterator

from twindiff.kit import Call, Operations
from twindiff.kit.rows import Expression
from twindiff.twins.box.wire_style import marker_page

from ..core.errors import MetadataBadRequest, TaxonomyNotFound
from ..core.folder_listing import rows_from
from ..search.search_filters import split_list
from ..tables.taxonomy_tables import Taxonomy, TaxonomyNode
from ..views.item_views import Shown
from .taxonomies import Name, find_taxonomy, own_taxonomy

api = Operations(prefix="/2.0/metadata_taxonomies/{namespace}/{taxonomy_key}/nodes")


def _node_object(call: Call, row: TaxonomyNode) -> Shown:
    shown: Shown = {"id": row.id, "displayName": row.display_name, "level": row.level}
    above = [*_above(call, row)][::-1]
    if above:
        shown |= {"parentId": row.parent_id, "nodePath": [each.id for each in above]}
        shown["ancestors"] = [{"id": each.id, "displayName": each.display_name, "level": each.level} for each in above]
    return shown


def _above(call: Call, row: TaxonomyNode) -> Iterator[TaxonomyNode]:
    while row.parent_id is not None:
        row = call.db.get(TaxonomyNode, row.parent_id)
        yield row


def _find(call: Call, taxonomy: Taxonomy, id: str) -> TaxonomyNode:
    row = call.db.find(TaxonomyNode, TaxonomyNode.id == id, TaxonomyNode.taxonomy_id == taxonomy.id)
    if row is None:
        raise TaxonomyNotFound
    return row


@api.get("")
def list_nodes(
    call: Call,
    namespace: str,
    taxonomy_key: str,
    level: str = "",
    parent: str = "",
    ancestor: str = "",
    query: str = "",
    marker: str = "",
    limit: int = 100,
) -> Shown:
    """List nodes ordered by name, optionally by level, parent, ancestor or a text in their name.

    https://developer.box.com/reference/get-metadata-taxonomies-id-id-nodes
    """
    taxonomy = find_taxonomy(call, namespace, taxonomy_key)
    levels = split_list(level)
    if not all(each.isascii() and each.isdecimal() and len(each) < 4 for each in levels):
        raise MetadataBadRequest(f"'{level[:40]}' is no list of levels")
    where: list[Expression] = [TaxonomyNode.taxonomy_id == taxonomy.id]
    where += [TaxonomyNode.level.in_([int(each) for each in levels])] if levels else []
    where += [TaxonomyNode.parent_id.in_(split_list(parent))] if parent else []
    where += [TaxonomyNode.parent_id.in_(_below(call, split_list(ancestor)))] if ancestor else []
    where += [TaxonomyNode.display_name.contains(query, fold=True)] if query else []
    order = (TaxonomyNode.display_name, TaxonomyNode.id)
    rows, more = rows_from(call, marker, limit, TaxonomyNode, *where, order=order)
    return marker_page([_node_object(call, row) for row in rows], limit, more)


def _below(call: Call, ids: list[str]) -> list[str]:
    """Return the ids of some nodes and all their descendants."""
    below, latest = [*ids], ids
    while latest:
        rows = call.db.rows(TaxonomyNode, TaxonomyNode.parent_id.in_(latest), columns=(TaxonomyNode.id,))
        latest = [id for (id,) in rows]
        below += latest
    return below


@api.post("", status=201)
def create_node(
    call: Call,
    namespace: str,
    taxonomy_key: str,
    displayName: Name,  # noqa: N803 - Box's name
    level: int,
    parentId: str | None = None,  # noqa: N803 - Box's name
) -> Shown:
    """Create a node on a level. Unless the level is the topmost, it needs a parent on the level above.

    https://developer.box.com/reference/post-metadata-taxonomies-id-id-nodes
    """
    taxonomy = own_taxonomy(call, namespace, taxonomy_key)
    if not 1 <= level <= len(taxonomy.levels):
        raise MetadataBadRequest(f"The taxonomy has no level {level}")
    above = (TaxonomyNode.taxonomy_id == taxonomy.id, TaxonomyNode.level == level - 1)
    if (parentId is None) != (level == 1):
        raise MetadataBadRequest("A node of the topmost level has no parent, any other has one")
    if parentId is not None and not call.db.find(TaxonomyNode, TaxonomyNode.id == parentId, *above):
        raise MetadataBadRequest(f"There is no node '{parentId[:100]}' on the level above")
    made = TaxonomyNode(
        id=call.ids.uuid(), taxonomy_id=taxonomy.id, display_name=displayName, level=level, parent_id=parentId
    )
    return _node_object(call, call.db.add(made))


@api.get("/{node_id}")
def get_node(call: Call, namespace: str, taxonomy_key: str, node_id: str) -> Shown:
    """Get a node.

    https://developer.box.com/reference/get-metadata-taxonomies-id-id-nodes-id
    """
    return _node_object(call, _find(call, find_taxonomy(call, namespace, taxonomy_key), node_id))


@api.patch("/{node_id}")
def update_node(
    call: Call,
    namespace: str,
    taxonomy_key: str,
    node_id: str,
    displayName: Name | None = None,  # noqa: N803 - Box's name
) -> Shown:
    """Rename a node.

    https://developer.box.com/reference/patch-metadata-taxonomies-id-id-nodes-id
    """
    row = _find(call, own_taxonomy(call, namespace, taxonomy_key), node_id)
    return _node_object(call, call.db.change(row, display_name=displayName) if displayName else row)


@api.delete("/{node_id}", status=204)
def delete_node(call: Call, namespace: str, taxonomy_key: str, node_id: str) -> None:
    """Delete a node without descendants.

    https://developer.box.com/reference/delete-metadata-taxonomies-id-id-nodes-id
    """
    row = _find(call, own_taxonomy(call, namespace, taxonomy_key), node_id)
    if call.db.count(TaxonomyNode, TaxonomyNode.parent_id == row.id):
        raise MetadataBadRequest("The node has nodes below it")
    call.db.remove(row)
