"""Search: matches words in names, descriptions, tags, comments and contents, narrowed by filters.

https://developer.box.com/guides/search
"""

from __future__ import annotations

from typing import Any, Literal

from twindiff.kit import Call, Operations
from twindiff.twins.box.wire_style import BadRequest, offset_page, wanted_fields, window

from ..core.access import is_admin
from ..core.errors import Forbidden
from ..tables.item_tables import Item
from ..views.item_views import item_objects
from ..views.shared_link_views import shared_link_object
from .metadata_filters import read_filters
from .search_filters import Trash, read_narrowing, split_list
from .search_query import read_query
from .search_ranking import Search
from .search_texts import PARTS

api = Operations(prefix="/2.0")
MAX_OFFSET = 10_000


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
    return _run_search(call, locals())


def _run_search(call: Call, given: dict[str, Any]) -> dict[str, Any]:
    """Return a page of search results."""
    query: str = given["query"]
    at = window(given["offset"], given["limit"], most=200, farthest=MAX_OFFSET)
    if given["scope"] == "enterprise_content" and not is_admin(call):
        raise Forbidden
    wanted = read_filters(given["mdfilters"])
    if not query.strip() and not wanted:
        raise BadRequest.of("missing_parameter", "query", "'query' or 'mdfilters' is required")
    asked = read_query(query) if query.strip() else None
    search = Search(call, asked, _parts(given["content_types"]), read_narrowing(call, given), wanted)
    if given["sort"] == "modified_at":
        page, total = search.latest(at, is_falling=given["direction"] == "DESC")
    else:
        page, total = search.best(at)
    items = search.items([each.key for each in page])
    return _results(call, items, total, given["fields"], at, linked=given["include_recent_shared_links"])


def _parts(content_types: str) -> list[str]:
    parts = split_list(content_types) or list(PARTS)
    for part in parts:
        if part not in PARTS:
            said = f"Invalid value '{part[:100]}'. There are {', '.join(PARTS)}."
            raise BadRequest.of("invalid_parameter", "content_types", said)
    return parts


def _results(call: Call, page: list[Item], total: int, fields: str, at: Any, *, linked: bool) -> dict[str, Any]:
    names = wanted_fields(fields)
    shown = item_objects(call, page, names, mini=False)
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
