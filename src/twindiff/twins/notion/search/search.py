"""Search by title. https://developers.notion.com/reference/post-search"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from itertools import islice
from typing import Annotated, Any

from twindiff.kit import Body, Call, Operations, SearchTerm, all_of, any_of
from twindiff.kit.rows import Expression

from ..core.api_version import has_data_sources
from ..core.body_rules import Rule, boolean, check_body, choice, nullable, number, obj, text
from ..core.list_answers import MAX_PAGE_SIZE, check_page_size, invalid_cursor, list_answer
from ..core.object_lookup import is_trashed, is_visible
from ..data_sources.database_objects import data_source_object
from ..pages.page_objects import page_object
from ..tables.content_tables import Page
from ..tables.data_source_tables import DataSource

api = Operations(prefix="/v1")
JsonBody = Annotated[dict[str, Any], Body]
MAX_RESULTS = 10_000
MAX_WORDS = 20
CHUNK = 200
"""Rows that are read at once."""
KINDS: dict[type[Any], tuple[str, ...]] = {Page: ("page",), DataSource: ("data_source", "database")}
MIN_STEM_LENGTH = 3
_sort = obj(
    None,
    timestamp=choice("last_edited_time"),
    direction=choice("ascending", "descending"),
    property=choice("relevance"),
)


def _search_rule(kind: str) -> Rule:
    """Return the rule of a search in a version that calls data sources by a kind."""
    only = obj(None, property=choice("object"), value=choice("page", kind), in_trash=boolean)
    return obj(
        None, query=nullable(text(10_000)), sort=_sort, filter=only, start_cursor=nullable(text()), page_size=number
    )


_search_bodies = {False: _search_rule("database"), True: _search_rule("data_source")}


@api.post("/search", reads=True, scope="read_content")
def search(call: Call, body: JsonBody = {}) -> dict[str, Any]:  # noqa: B006 - read by the kit
    """List the pages and data sources whose title has a word of a query, those edited last first."""
    check_body(_search_bodies[has_data_sources(call)], body)
    size = check_page_size(body.get("page_size", MAX_PAGE_SIZE), "body.page_size")
    only: dict[str, Any] = body.get("filter") or {}
    wanted, in_trash = only.get("value"), only.get("in_trash")
    sort: dict[str, Any] = body.get("sort") or {}
    words = str(body.get("query") or "").split()
    is_descending = sort.get("direction", "descending") == "descending"
    tables = [table for table, kinds in KINDS.items() if wanted is None or wanted in kinds]
    found_rows = merge(
        *(_find_titles(call, table, words, body.get("start_cursor"), is_descending=is_descending) for table in tables),
        key=_place,
        reverse=is_descending,
    )
    rows = list(islice((row for row in found_rows if _is_shown(call, row, in_trash)), size + 1))
    page, cursor = rows[:size], rows[size].id if len(rows) > size else None
    kind = "page_or_data_source" if has_data_sources(call) else "page_or_database"
    return list_answer(kind, [_render(call, row) for row in page], cursor)


def _is_shown(call: Call, row: Page | DataSource, in_trash: bool | None) -> bool:
    """Return whether a row is found. Notion finds data sources of databases in the trash, unless a filter says no."""
    if not is_visible(call, row):
        return False
    if in_trash is None and isinstance(row, DataSource):
        return not row.in_trash
    return is_trashed(call, row) == bool(in_trash)


def _place(row: Page | DataSource) -> tuple[str, str]:
    return row.last_edited_time or "", row.id


def _find_titles(
    call: Call, table: type[Any], words: list[str], cursor: str | None, *, is_descending: bool
) -> Iterator[Any]:
    """Yield the rows whose title has one of the words, or its beginning, in the singular or the plural, in order."""
    where: list[Expression] = [_match_words(table, words)] if words else []
    if cursor:
        first = call.db.find(Page, Page.id == cursor) or call.db.find(DataSource, DataSource.id == cursor)
        if first is None:
            raise invalid_cursor(cursor)
        where.append(_beyond(table, first, is_descending=is_descending))
    time, id = (-table.last_edited_time, -table.id) if is_descending else (table.last_edited_time, table.id)
    for offset in range(0, MAX_RESULTS, CHUNK):
        rows = call.db.rows(table, *where, order=(time, id), limit=CHUNK, offset=offset)
        yield from rows
        if len(rows) < CHUNK:
            break


def _beyond(table: type[Any], first: Page | DataSource, *, is_descending: bool) -> Expression:
    """Return the condition that a row is `first` or comes after it."""
    at = first.last_edited_time
    if is_descending:
        return any_of(table.last_edited_time < at, all_of(table.last_edited_time == at, table.id <= first.id))
    return any_of(table.last_edited_time > at, all_of(table.last_edited_time == at, table.id >= first.id))


def _match_words(table: type[Any], words: list[str]) -> Expression:
    conditions: list[Expression] = []
    for word in words[:MAX_WORDS]:
        stem = word[:-1] if word.lower().endswith("s") and len(word) > MIN_STEM_LENGTH else word
        is_indexed = table is Page and stem.isalnum()
        term = SearchTerm((stem,), is_start=True)
        conditions.append(Page.title.has_word(term) if is_indexed else table.title.resembles(stem))
    return any_of(*conditions)


def _render(call: Call, row: Page | DataSource) -> dict[str, Any]:
    return page_object(call, row) if isinstance(row, Page) else data_source_object(call, row)
