"""Search by title. https://developers.notion.com/reference/post-search"""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit import Body, Call, Operations, SearchTerm, any_of
from twindiff.kit.rows import Expression

from ..content.page_objects import page_object
from ..core.api_version import has_data_sources
from ..core.body_rules import boolean, check_body, choice, nullable, number, obj, text
from ..core.list_answers import MAX_PAGE_SIZE, check_page_size, invalid_cursor, list_answer
from ..core.object_lookup import check_capability, is_trashed
from ..data_sources.database_objects import data_source_object
from ..tables.content_tables import Page
from ..tables.data_source_tables import DataSource

api = Operations(prefix="/v1")
JsonBody = Annotated[dict[str, Any], Body]
MAX_RESULTS = 10_000
MAX_WORDS = 20
MIN_STEM_LENGTH = 3
_KINDS = ("page", "data_source", "database")
_search_body = obj(
    None,
    query=nullable(text(10_000)),
    sort=obj(
        None,
        timestamp=choice("last_edited_time"),
        direction=choice("ascending", "descending"),
        property=choice("relevance"),
    ),
    filter=obj(None, property=choice("object"), value=choice(*_KINDS), in_trash=boolean),
    start_cursor=nullable(text()),
    page_size=number,
)


@api.post("/search", reads=True)
def search(call: Call, body: JsonBody = {}) -> dict[str, Any]:  # noqa: B006 - read by the kit
    """List the pages and data sources whose title has a word of a query, those edited last first."""
    check_capability(call, "read_content")
    check_body(_search_body, body)
    size = check_page_size(body.get("page_size", MAX_PAGE_SIZE), "body.page_size")
    only: dict[str, Any] = body.get("filter") or {}
    wanted, in_trash = only.get("value"), only.get("in_trash")
    words = str(body.get("query") or "").split()
    rows: list[Page | DataSource] = []
    for table, kinds in ((Page, ("page",)), (DataSource, ("data_source", "database"))):
        if wanted is None or wanted in kinds:
            rows += _find_titles(call, table, words)
    shown = [row for row in rows if _is_shown(call, row, in_trash)]
    sort: dict[str, Any] = body.get("sort") or {}
    direction = sort.get("direction", "descending")
    shown.sort(
        key=lambda row: (row.last_edited_time or row.created_time or "", row.id), reverse=direction == "descending"
    )
    page, cursor = _slice(shown, body.get("start_cursor"), size)
    kind = "page_or_data_source" if has_data_sources(call) else "page_or_database"
    return list_answer(kind, [_render(call, row) for row in page], cursor)


def _is_shown(call: Call, row: Page | DataSource, in_trash: bool | None) -> bool:
    """Return whether a row is found. Notion finds data sources in the trash too unless the filter says otherwise."""
    if in_trash is None and isinstance(row, DataSource):
        return True
    return is_trashed(call, row) == bool(in_trash)


def _find_titles(call: Call, table: type[Any], words: list[str]) -> list[Any]:
    """Return the rows whose title has one of the words, or its beginning, in the singular or the plural."""
    if not words:
        return call.db.rows(table, limit=MAX_RESULTS)
    conditions: list[Expression] = []
    for word in words[:MAX_WORDS]:
        stem = word[:-1] if word.lower().endswith("s") and len(word) > MIN_STEM_LENGTH else word
        is_indexed = table is Page and stem.isalnum()
        term = SearchTerm((stem,), is_start=True)
        conditions.append(Page.title.has_word(term) if is_indexed else table.title.resembles(stem))
    return call.db.rows(table, any_of(*conditions), limit=MAX_RESULTS)


def _slice(rows: list[Any], cursor: str | None, size: int) -> tuple[list[Any], str | None]:
    start = 0
    if cursor:
        start = next((number for number, row in enumerate(rows) if row.id == cursor), -1)
        if start < 0:
            raise invalid_cursor(cursor)
    return rows[start : start + size], rows[start + size].id if len(rows) > start + size else None


def _render(call: Call, row: Page | DataSource) -> dict[str, Any]:
    return page_object(call, row) if isinstance(row, Page) else data_source_object(call, row)
