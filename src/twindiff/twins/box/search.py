"""Search: words in names, descriptions, tags, comments and contents, narrowed by filters.

https://developer.box.com/guides/search
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from twindiff.kit import Call, Operations
from twindiff.kit.styles.box import BadRequest, offset_page, wanted_fields, window

from .access import NONE, chain, find_folder, is_admin, is_trashed, look_up_folders, rights
from .errors import Forbidden
from .further_tables import MetadataInstance
from .listing import KINDS
from .metadata_filters import fits, read_filters
from .search_query import Clause, clauses_of
from .search_texts import MOST, PARTS, Key, Texts
from .shared_link_views import shared_link_object
from .stamps import naive
from .tables import FileVersion, Item
from .views import item_object

api = Operations(prefix="/2.0")
Trash = Literal["non_trashed_only", "trashed_only", "all_items"]


class Range(NamedTuple):
    """From and to, both inclusive; None is open."""

    low: Any
    high: Any

    def has(self, value: Any) -> bool:
        """Whether a value lies in it; nothing lies in none."""
        if value is None:
            return False
        return (self.low is None or self.low <= value) and (self.high is None or value <= self.high)


def _listed(text: str) -> list[str]:
    return [each.strip() for each in text.split(",") if each.strip()]


def _range(text: str, name: str, read: Any) -> Range | None:
    if not text:
        return None
    low, comma, high = text.partition(",")
    try:
        found = Range(read(low.strip()) if low.strip() else None, read(high.strip()) if high.strip() else None)
    except (ValueError, OverflowError):
        found = Range(None, None)
    if not comma or found == (None, None) or (None not in found and found.low > found.high):
        raise BadRequest.of("invalid_parameter", name, f"Invalid value '{text[:100]}'. It must be from,to.")
    return found


class Filters(NamedTuple):
    """What results must be besides having words."""

    kinds: tuple[str, ...]
    trash: Trash
    ancestors: frozenset[str]
    extensions: frozenset[str]
    owners: frozenset[str]
    updaters: frozenset[str]
    created: Range | None
    updated: Range | None
    deleted: Range | None
    size: Range | None

    def admit(self, call: Call, item: Any) -> bool:
        """Whether an item is one that is looked for, and the caller may see it."""
        return (
            item.type in self.kinds
            and self._is_of_them(item)
            and self._is_in_ranges(item)
            and self._is_in_place(call, item)
            and rights(call, item) != NONE
            and self._was_updated_by(call, item)
        )

    def _is_of_them(self, item: Any) -> bool:
        if self.extensions and (item.type != "file" or (item.extension or "").lower() not in self.extensions):
            return False
        return not self.owners or item.owned_by_id in self.owners

    def _is_in_ranges(self, item: Any) -> bool:
        return (
            (self.created is None or self.created.has(item.created_at))
            and (self.updated is None or self.updated.has(item.modified_at or item.created_at))
            and (self.deleted is None or self.deleted.has(item.trashed_at))
            and (self.size is None or (item.type == "file" and self.size.has(item.size)))
        )

    def _is_in_place(self, call: Call, item: Any) -> bool:
        if item.id == "0" and item.type == "folder":
            return False
        if self.trash != "all_items" and is_trashed(call, item) is (self.trash == "non_trashed_only"):
            return False
        if not self.ancestors or "0" in self.ancestors:
            return True
        return any(each.id in self.ancestors for each in chain(call, item.parent_id))

    def _was_updated_by(self, call: Call, item: Any) -> bool:
        if not self.updaters:
            return True
        recent = call.db.rows(FileVersion, FileVersion.file_id == item.id, order=-FileVersion.version_number, limit=10)
        return bool({item.modified_by_id, *(version.modified_by_id for version in recent)} & self.updaters)


def _filters(call: Call, given: dict[str, Any]) -> Filters:
    for folder in _listed(given["ancestor_folder_ids"]):
        find_folder(call, folder)
    return Filters(
        kinds=(given["type_"],) if given["type_"] else ("file", "folder", "web_link"),
        trash=given["trash_content"],
        ancestors=frozenset(_listed(given["ancestor_folder_ids"])),
        extensions=frozenset(each.lower().removeprefix(".") for each in _listed(given["file_extensions"])),
        owners=frozenset(_listed(given["owner_user_ids"])),
        updaters=frozenset(_listed(given["recent_updater_user_ids"])),
        created=_range(given["created_at_range"], "created_at_range", naive),
        updated=_range(given["updated_at_range"], "updated_at_range", naive),
        deleted=_range(given["deleted_at_range"], "deleted_at_range", naive),
        size=_range(given["size_range"], "size_range", int),
    )


@api.get("/search")
def search(
    call: Call,
    query: str = "",
    scope: Literal["user_content", "enterprise_content"] = "user_content",
    file_extensions: str = "",
    created_at_range: str = "",
    updated_at_range: str = "",
    size_range: str = "",
    owner_user_ids: str = "",
    recent_updater_user_ids: str = "",
    ancestor_folder_ids: str = "",
    content_types: str = "",
    type_: Literal["file", "folder", "web_link"] | None = None,
    trash_content: Trash = "non_trashed_only",
    mdfilters: str = "",
    sort: Literal["modified_at", "relevance"] = "relevance",
    direction: Literal["DESC", "ASC"] = "DESC",
    limit: int = 30,
    offset: int = 0,
    include_recent_shared_links: bool = False,
    fields: str = "",
    deleted_at_range: str = "",
) -> dict[str, Any]:
    """Find files, folders and web links.

    https://developer.box.com/reference/get-search
    """
    return _found(call, locals())


def _found(call: Call, given: dict[str, Any]) -> dict[str, Any]:
    """What a search finds."""
    query: str = given["query"]
    at = window(given["offset"], given["limit"], most=200, farthest=MOST - 1)
    if given["scope"] == "enterprise_content" and not is_admin(call):
        raise Forbidden
    wanted = read_filters(given["mdfilters"])
    if not query.strip() and not wanted:
        raise BadRequest.of("missing_parameter", "query", "'query' or 'mdfilters' is required")
    texts = Texts(call, _parts(given["content_types"]))
    filters = _filters(call, given)
    keys = _having_words(texts, clauses_of(query)) if query.strip() else None
    named = _with_metadata(call, wanted, keys, texts)
    look_up_folders(call, (item.parent_id for item in named))
    found = [item for item in named if filters.admit(call, item)]
    found.sort(key=lambda item: (item.type, (item.name or "").casefold(), item.id))
    falling = given["direction"] == "DESC"
    if given["sort"] == "modified_at":
        found.sort(key=lambda item: item.modified_at or "", reverse=falling)
    else:
        found.sort(key=lambda item: texts.score((item.type, item.id)), reverse=falling)
    page = found[at.offset : at.offset + at.limit]
    return _results(call, page, len(found), given["fields"], at, linked=given["include_recent_shared_links"])


def _parts(content_types: str) -> list[str]:
    parts = _listed(content_types) or list(PARTS)
    for part in parts:
        if part not in PARTS:
            said = f"Invalid value '{part[:100]}'. There are {', '.join(PARTS)}."
            raise BadRequest.of("invalid_parameter", "content_types", said)
    return parts


def _having_words(texts: Texts, clauses: Iterable[Clause]) -> set[Key]:
    found: set[Key] = set()
    for clause in clauses:
        sets: list[set[Key]] = [texts.having(term) for term in clause.wanted]
        if sets:
            found |= sets[0].intersection(*sets) - set[Key]().union(*(texts.having(term) for term in clause.unwanted))
    return found


def _with_metadata(call: Call, wanted: Any, keys: set[Key] | None, texts: Texts) -> list[Item]:
    """The items that were found, or all, whose metadata is as it is asked for."""
    if not wanted:
        return [texts.item(key) for key in keys or ()]
    found: list[Item] = []
    tables = {kind.__name__.lower(): kind for kind in KINDS}
    for row in call.db.rows(MetadataInstance, MetadataInstance.template_key == wanted["templateKey"]):
        if fits(row, wanted) and (keys is None or (row.item_type, row.item_id) in keys):
            item = call.db.find(tables[row.item_type], tables[row.item_type].id == row.item_id)
            found += [item] if item is not None else []
    return found


def _results(call: Call, page: list[Item], total: int, fields: str, at: Any, *, linked: bool) -> dict[str, Any]:
    names = wanted_fields(fields)
    shown = [item_object(call, item, names) for item in page]
    for each in shown:
        each.pop("item_collection", None)
    if not linked:
        return {"type": "search_results_items", **offset_page(shown, total, at)}
    entries = [
        {
            "type": "search_result",
            "item": each,
            "accessible_via_shared_link": (shared_link_object(call, item) or {}).get("url"),
        }
        for each, item in zip(shown, page, strict=True)
    ]
    present = [{name: value for name, value in entry.items() if value is not None} for entry in entries]
    return {"type": "search_results_with_shared_links", **offset_page(present, total, at)}
