"""Collections: the favorites of each user.

https://developer.box.com/guides/collections
"""

from __future__ import annotations

from typing import Any
from zlib import crc32

from twindiff.kit import Call, Operations
from twindiff.twins.box.wire_style import offset_page, wanted_fields, window

from ..core.access import NONE, is_trashed, rights
from ..core.errors import NotFound
from ..core.folder_listing import KINDS, Sort, page_of_kinds
from ..tables.item_tables import Collection, Item
from ..views.item_views import collection_object, item_objects, pick_fields

api = Operations(prefix="/2.0")


def favorites_of(call: Call) -> Collection:
    """Return the caller's favorites. The row is inserted when the first item is added."""
    mine = [each for each in call.db.rows(Collection) if each.user_id in (None, call.actor)]
    if mine:
        return mine[0]
    number = 100_000 + crc32(call.actor.encode()) % 900_000
    return Collection(id=str(number), name="Favorites", collection_type="favorites", user_id=call.actor)


def collections_after(call: Call, item: Item, ids: list[str]) -> list[dict[str, str]]:
    """Return an item's collections after the caller's are set to `ids`; raise NotFound for a foreign collection."""
    mine = favorites_of(call)
    for unknown in [each for each in ids if each != mine.id]:
        raise NotFound.of("collection", unknown)
    if ids and call.db.find(Collection, Collection.id == mine.id) is None:
        call.db.add(mine)
    known: list[dict[str, str]] = item.collections or []
    others = [each for each in known if str(each["id"]) != mine.id]
    return [*others, {"id": mine.id}] if ids else others


@api.get("/collections")
def list_collections(call: Call, fields: str = "", offset: int = 0, limit: int = 100) -> dict[str, Any]:
    """List the caller's collections.

    https://developer.box.com/reference/get-collections
    """
    at = window(offset, limit)
    entries = [pick_fields(collection_object(favorites_of(call)), wanted_fields(fields))]
    return offset_page(entries[at.offset : at.offset + at.limit], 1, at)


@api.get("/collections/{collection_id}")
def get_collection(call: Call, collection_id: str) -> dict[str, Any]:
    """Get a collection.

    https://developer.box.com/reference/get-collections-id
    """
    return collection_object(_mine(call, collection_id))


def _mine(call: Call, collection_id: str) -> Collection:
    mine = favorites_of(call)
    if mine.id != collection_id:
        raise NotFound.of("collection", collection_id)
    return mine


@api.get("/collections/{collection_id}/items")
def list_items(call: Call, collection_id: str, fields: str = "", offset: int = 0, limit: int = 100) -> dict[str, Any]:
    """List the items in a collection.

    https://developer.box.com/reference/get-collections-id-items
    """
    mine, at = _mine(call, collection_id), window(offset, limit)
    # An item stores its collections as JSON, so items are found by the quoted id in that text.
    needle = f'"{mine.id}"'
    where = {kind: (kind.collections.contains(needle), kind.item_status == "active") for kind in KINDS}
    rows, _ = page_of_kinds(call, where, window(0, 1000), Sort())
    seen = [row for row in rows if rights(call, row) != NONE and not is_trashed(call, row)]
    page = seen[at.offset : at.offset + at.limit]
    return offset_page(item_objects(call, page, wanted_fields(fields)), len(seen), at)
