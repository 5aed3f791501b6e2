"""Tables of taxonomies: trees of terms that metadata values are chosen from."""

from __future__ import annotations

from twindiff.kit import Column, Json, Row, column, references


class Taxonomy(Row, table="box_metadata_taxonomies", key=("id",), unique=(("namespace", "taxonomy_key"),)):
    id: Column[str]
    type: Column[str] = column(default="metadata_taxonomy")
    namespace: Column[str]
    taxonomy_key: Column[str]
    display_name: Column[str]
    levels: Column[Json] = column(default=[])
    """`displayName` and `description` of each level, topmost first."""


class TaxonomyNode(
    Row,
    table="box_metadata_taxonomy_nodes",
    key=("id",),
    indexes=(("taxonomy_id", "display_name", "id"), ("parent_id", "id")),
):
    id: Column[str]
    type: Column[str] = column(default="metadata_taxonomy_node")
    taxonomy_id: Column[str] = references(Taxonomy, on_delete="cascade")
    display_name: Column[str]
    level: Column[int]
    parent_id: Column[str | None] = references("self", default=None)


TABLES = (Taxonomy, TaxonomyNode)
