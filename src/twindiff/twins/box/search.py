"""Search: words in names, descriptions, tags, comments and contents, narrowed by filters.

https://developer.box.com/guides/search
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from twindiff.kit import Call, Operations, any_of
from twindiff.kit.rows import Expression
from twindiff.kit.styles.box import BadRequest, offset_page, wanted_fields, window
from twindiff.kit.values import coalesce

from .access import NONE, find_folder, is_admin, is_trashed, look_up_folders, rights
from .errors import Forbidden
from .further_tables import MetadataInstance
from .listing import KINDS, folders_below
from .metadata_filters import fits, read_filters
from .search_query import Query, is_simple, read_query
from .search_texts import MOST, PARTS, Key, Texts
from .shared_link_views import shared_link_object
from .stamps import naive
from .tables import File, FileVersion, Item
from .views import item_object

api = Operations(prefix="/2.0")
WINDOWS = ((0, 250), (250, 2_500), (2_500, MOST))
"""Which texts of each kind for each word are ranked together."""
Trash = Literal["non_trashed_only", "trashed_only", "all_items"]


class Range(NamedTuple):
    """From and to, both inclusive; None is open."""

    low: Any
    high: Any

    def conditions(self, column: Any) -> list[Expression]:
        """What a column must be to lie in it; nothing lies in none."""
        return [
            *([column >= self.low] if self.low is not None else ()),
            *([column <= self.high] if self.high is not None else ()),
        ]


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
    within: frozenset[str] | None
    """The folders in which items must be; None for any."""
    extensions: frozenset[str]
    owners: frozenset[str]
    updaters: frozenset[str]
    created: Range | None
    updated: Range | None
    deleted: Range | None
    size: Range | None

    def conditions(self, kind: Any) -> list[Expression]:
        """What the rows of a kind must be by themselves."""
        instants = (
            (kind.created_at, self.created),
            (coalesce(kind.modified_at, kind.created_at), self.updated),
            (kind.trashed_at, self.deleted),
        )
        found = [part for column, span in instants if span for part in span.conditions(column)]
        if self.within is not None:
            found.append(kind.parent_id.in_(sorted(self.within)))
        if self.owners:
            found.append(kind.owned_by_id.in_(sorted(self.owners)))
        if self.size:
            found += self.size.conditions(File.size) if kind is File else [any_of()]
        if self.extensions:
            wanted = [File.extension.equals(each) for each in sorted(self.extensions)]
            found.append(any_of(*wanted) if kind is File else any_of())
        return found

    def admit(self, call: Call, item: Any) -> bool:
        """Whether an item stands where it is looked for, and the caller may see it."""
        return self._is_in_place(call, item) and rights(call, item) != NONE and self._was_updated_by(call, item)

    def _is_in_place(self, call: Call, item: Any) -> bool:
        if item.id == "0" and item.type == "folder":
            return False
        return self.trash == "all_items" or is_trashed(call, item) is (self.trash == "trashed_only")

    def _was_updated_by(self, call: Call, item: Any) -> bool:
        if not self.updaters:
            return True
        recent = call.db.rows(FileVersion, FileVersion.file_id == item.id, order=-FileVersion.version_number, limit=10)
        return bool({item.modified_by_id, *(version.modified_by_id for version in recent)} & self.updaters)


def _within(call: Call, ancestors: list[str]) -> frozenset[str] | None:
    """These folders and all below them; None where everything is."""
    if not ancestors or "0" in ancestors:
        return None
    below = (folder.id for each in ancestors for level in folders_below(call, each, status=None) for folder in level)
    return frozenset((*ancestors, *below))


def _filters(call: Call, given: dict[str, Any]) -> Filters:
    for folder in _listed(given["ancestor_folder_ids"]):
        find_folder(call, folder)
    return Filters(
        kinds=(given["type_"],) if given["type_"] else ("file", "folder", "web_link"),
        trash=given["trash_content"],
        within=_within(call, _listed(given["ancestor_folder_ids"])),
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
    search = Search(
        call, read_query(query) if query.strip() else None, _parts(given["content_types"]), _filters(call, given)
    )
    if given["sort"] == "modified_at":
        found = search.latest(wanted, is_falling=given["direction"] == "DESC")
    else:
        found = search.best(wanted, at.offset + at.limit, is_falling=given["direction"] == "DESC")
    page = search.items([each.key for each in found[at.offset : at.offset + at.limit]])
    return _results(call, page, len(found), given["fields"], at, linked=given["include_recent_shared_links"])


def _parts(content_types: str) -> list[str]:
    parts = _listed(content_types) or list(PARTS)
    for part in parts:
        if part not in PARTS:
            said = f"Invalid value '{part[:100]}'. There are {', '.join(PARTS)}."
            raise BadRequest.of("invalid_parameter", "content_types", said)
    return parts


class Found(NamedTuple):
    """As much of an item as decides whether it is shown, and where."""

    type: str
    id: str
    name: str | None
    parent_id: str | None
    owned_by_id: str | None
    item_status: str
    modified_at: str | None
    modified_by_id: str | None

    @property
    def key(self) -> Key:
        return self.type, self.id


class Search(NamedTuple):
    """A search of the caller's."""

    call: Call
    query: Query | None
    parts: list[str]
    filters: Filters

    def latest(self, wanted: Any, *, is_falling: bool) -> list[Found]:
        """All that is found, by the time of its latest change."""
        found = self._ranked(
            Texts(self.call, self.parts, self.filters.conditions, MOST), wanted, set(), is_falling=True
        )
        return sorted(found, key=lambda each: each.modified_at or "", reverse=is_falling)

    def best(self, wanted: Any, most: int, *, is_falling: bool) -> list[Found]:
        """What fits best, and whatever else was found on the way to one more than so many.

        Where one of several words is enough, texts are looked at in parts: what many have need not all be ranked.
        """
        in_parts = self.query is not None and is_simple(self.query)
        found: list[Found] = []
        seen: set[Key] = set()
        for first, last in WINDOWS if in_parts else ((0, MOST),):
            texts = Texts(self.call, self.parts, self.filters.conditions, last - first, first)
            found += self._ranked(texts, wanted, seen, is_falling=is_falling)
            if texts.is_end or len(found) > most:
                break
        return found

    def _ranked(self, texts: Texts, wanted: Any, seen: set[Key], *, is_falling: bool) -> list[Found]:
        """What is found in texts, but for what has been seen; by how well it fits, then by name."""
        keys = texts.having(self.query) if self.query is not None else None
        if wanted:
            keys = self._with_metadata(wanted, keys)
        fresh = (keys or set[Key]()) - seen
        seen |= fresh
        found = [each for each in self._candidates(fresh) if self.filters.admit(self.call, each)]
        found.sort(key=lambda each: (each.type, (each.name or "").casefold(), each.id))
        return sorted(found, key=lambda each: texts.score(each.key), reverse=is_falling)

    def _candidates(self, keys: set[Key]) -> list[Found]:
        found: list[Found] = []
        for kind in KINDS:
            named = kind.type.default
            ids = [id for each, id in keys if each == named] if named in self.filters.kinds else []
            if ids:
                columns = tuple(getattr(kind, name) for name in Found._fields)
                rows = self.call.db.rows(kind, kind.id.in_(ids), *self.filters.conditions(kind), columns=columns)
                found += [Found(*row) for row in rows]
        look_up_folders(self.call, (each.parent_id for each in found))
        return found

    def _with_metadata(self, wanted: Any, keys: set[Key] | None) -> set[Key]:
        """The items that were found, or all, whose metadata is as it is asked for."""
        rows = self.call.db.rows(MetadataInstance, MetadataInstance.template_key == wanted["templateKey"])
        having = {(row.item_type, row.item_id) for row in rows if fits(row, wanted)}
        return having if keys is None else having & keys

    def items(self, keys: list[Key]) -> list[Item]:
        """Items as they are stored, in the order of keys."""
        rows: dict[Key, Item] = {}
        for kind in KINDS:
            ids = [id for each, id in keys if each == kind.type.default]
            rows |= {(row.type, row.id): row for row in self.call.db.rows(kind, kind.id.in_(ids))} if ids else {}
        return [rows[key] for key in keys]


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
