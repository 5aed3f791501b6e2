"""Taxonomies of an enterprise and their levels.

https://developer.box.com/guides/metadata/taxonomies
"""

from __future__ import annotations

import re
from typing import Annotated

import msgspec

from twindiff.kit import Body, Call, Meta, Operations, Struct
from twindiff.twins.box.wire_style import marker_page

from ..core.access import require_admin
from ..core.errors import Forbidden, MetadataBadRequest, TaxonomyNotFound
from ..core.folder_listing import rows_from
from ..tables.taxonomy_tables import Taxonomy, TaxonomyNode
from ..views.item_views import Shown
from .metadata_templates import enterprise_scope, full_scope

api = Operations(prefix="/2.0/metadata_taxonomies")
Name = Annotated[str, Meta(min_length=1, max_length=4096)]
Key = Annotated[str, Meta(max_length=256, pattern=r"^[a-zA-Z_][-a-zA-Z0-9_]*$")]
MAX_LEVELS = 20


class Level(Struct, rename="camel"):
    """A level of a taxonomy, such as continents."""

    display_name: Name
    description: str = ""


_LEVELS = msgspec.json.Decoder(list[Level])


def _taxonomy_object(row: Taxonomy) -> Shown:
    named = {"id": row.id, "key": row.taxonomy_key, "displayName": row.display_name, "namespace": row.namespace}
    return {**named, "levels": _levels(row)["entries"]}


def _levels(row: Taxonomy) -> Shown:
    return {"entries": [{**level, "level": number} for number, level in enumerate(row.levels, 1)]}


def find_taxonomy(call: Call, namespace: str, key: str) -> Taxonomy:
    """Return a taxonomy; raise TaxonomyNotFound if there is none."""
    named = (Taxonomy.namespace == full_scope(call, namespace), Taxonomy.taxonomy_key == key)
    row = call.db.find(Taxonomy, *named)
    if row is None:
        raise TaxonomyNotFound
    return row


def own_taxonomy(call: Call, namespace: str, key: str) -> Taxonomy:
    """Return a taxonomy that the caller administers; raise otherwise."""
    require_own(call, namespace)
    return find_taxonomy(call, namespace, key)


def require_own(call: Call, namespace: str) -> None:
    """Raise unless the caller administers a namespace."""
    require_admin(call)
    if full_scope(call, namespace) != enterprise_scope(call):
        raise Forbidden("The namespace is another's")


@api.post("", status=201)
def create_taxonomy(
    call: Call,
    displayName: Name,  # noqa: N803 - Box's name
    namespace: str,
    key: Key | None = None,
) -> Shown:
    """Create a taxonomy without levels. Its key is derived from its name if none is given.

    https://developer.box.com/reference/post-metadata-taxonomies
    """
    require_own(call, namespace)
    within, named = full_scope(call, namespace), key or _key_of(displayName)
    if call.db.find(Taxonomy, Taxonomy.namespace == within, Taxonomy.taxonomy_key == named):
        raise MetadataBadRequest(f"There is a taxonomy '{named}' in the namespace already")
    made = Taxonomy(id=call.ids.uuid(), namespace=within, taxonomy_key=named, display_name=displayName)
    return _taxonomy_object(call.db.add(made))


def _key_of(name: str) -> str:
    key = re.sub(r"[^a-z0-9]", "_", name.lower())[:255]
    return f"_{key}" if key[0].isdigit() else key


@api.get("/{namespace}")
def list_taxonomies(call: Call, namespace: str, marker: str = "", limit: int = 100) -> Shown:
    """List the taxonomies of a namespace.

    https://developer.box.com/reference/get-metadata-taxonomies-id
    """
    here = Taxonomy.namespace == full_scope(call, namespace)
    rows, more = rows_from(call, marker, limit, Taxonomy, here, order=Taxonomy.taxonomy_key)
    return marker_page([_taxonomy_object(row) for row in rows], limit, more)


@api.get("/{namespace}/{taxonomy_key}")
def get_taxonomy(call: Call, namespace: str, taxonomy_key: str) -> Shown:
    """Get a taxonomy.

    https://developer.box.com/reference/get-metadata-taxonomies-id-id
    """
    return _taxonomy_object(find_taxonomy(call, namespace, taxonomy_key))


@api.patch("/{namespace}/{taxonomy_key}")
def update_taxonomy(
    call: Call,
    namespace: str,
    taxonomy_key: str,
    displayName: Name,  # noqa: N803 - Box's name
) -> Shown:
    """Rename a taxonomy.

    https://developer.box.com/reference/patch-metadata-taxonomies-id-id
    """
    row = own_taxonomy(call, namespace, taxonomy_key)
    return _taxonomy_object(call.db.change(row, display_name=displayName))


@api.delete("/{namespace}/{taxonomy_key}", status=204)
def delete_taxonomy(call: Call, namespace: str, taxonomy_key: str) -> None:
    """Delete a taxonomy with its levels and nodes.

    https://developer.box.com/reference/delete-metadata-taxonomies-id-id
    """
    row = own_taxonomy(call, namespace, taxonomy_key)
    for node in call.db.rows(TaxonomyNode, TaxonomyNode.taxonomy_id == row.id, order=-TaxonomyNode.level):
        call.db.remove(node)
    call.db.remove(row)


@api.post("/{namespace}/{taxonomy_key}/levels", status=201)
def create_levels(call: Call, namespace: str, taxonomy_key: str, levels: Annotated[bytes, Body]) -> Shown:
    """Create the levels of a taxonomy that has none, topmost first.

    https://developer.box.com/reference/post-metadata-taxonomies-id-id-levels
    """
    row = own_taxonomy(call, namespace, taxonomy_key)
    if row.levels:
        raise MetadataBadRequest("The taxonomy has levels already; append to them")
    try:
        given = _LEVELS.decode(levels)
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError) as error:
        raise MetadataBadRequest(f"The body is no list of levels: {error}") from None
    return _levels(_with_levels(call, row, [msgspec.to_builtins(each) for each in given]))


@api.post("/{namespace}/{taxonomy_key}/levels:append", status=201)
def append_level(
    call: Call,
    namespace: str,
    taxonomy_key: str,
    displayName: Name,  # noqa: N803 - Box's name
    description: str = "",
) -> Shown:
    """Append a level below all others.

    https://developer.box.com/reference/post-metadata-taxonomies-id-id-levels:append
    """
    row = own_taxonomy(call, namespace, taxonomy_key)
    return _levels(_with_levels(call, row, [*row.levels, {"displayName": displayName, "description": description}]))


@api.post("/{namespace}/{taxonomy_key}/levels:trim")
def trim_levels(call: Call, namespace: str, taxonomy_key: str) -> Shown:
    """Delete the last level, which must have no nodes.

    https://developer.box.com/reference/post-metadata-taxonomies-id-id-levels:trim
    """
    row = own_taxonomy(call, namespace, taxonomy_key)
    last = len(row.levels)
    if not last or call.db.count(TaxonomyNode, TaxonomyNode.taxonomy_id == row.id, TaxonomyNode.level == last):
        raise MetadataBadRequest("The last level has nodes" if last else "The taxonomy has no levels")
    return _levels(_with_levels(call, row, row.levels[:-1]))


@api.patch("/{namespace}/{taxonomy_key}/levels/{level_index}")
def update_level(
    call: Call,
    namespace: str,
    taxonomy_key: str,
    level_index: int,
    displayName: Name,  # noqa: N803 - Box's name
    description: str | None = None,
) -> Shown:
    """Change the name and the description of a level. The topmost level is 1.

    https://developer.box.com/reference/patch-metadata-taxonomies-id-id-levels-id
    """
    row = own_taxonomy(call, namespace, taxonomy_key)
    if not 1 <= level_index <= len(row.levels):
        raise TaxonomyNotFound(f"The taxonomy has no level {level_index}")
    former: Shown = row.levels[level_index - 1]
    said = former["description"] if description is None else description
    levels = [*row.levels]
    levels[level_index - 1] = {"displayName": displayName, "description": said}
    return _levels(call.db.change(row, levels=levels))["entries"][level_index - 1]


def _with_levels(call: Call, row: Taxonomy, levels: list[Shown]) -> Taxonomy:
    if len(levels) > MAX_LEVELS:
        raise MetadataBadRequest(f"A taxonomy has at most {MAX_LEVELS} levels")
    return call.db.change(row, levels=levels)
