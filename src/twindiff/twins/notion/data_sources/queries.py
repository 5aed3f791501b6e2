"""Queries of data sources. https://developers.notion.com/reference/query-a-data-source"""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit import Body, Call, Operations
from twindiff.kit.rows import Expression

from ..core.api_version import has_data_sources, is_to_trash
from ..core.body_rules import anything, boolean, check_body, choice, mapping, nullable, number, obj, text
from ..core.list_answers import MAX_PAGE_SIZE, check_page_size, invalid_cursor, list_answer, slice_list
from ..core.object_lookup import find_data_source, find_database, is_trashed, only_data_source, parse_id
from ..pages.page_objects import page_object, parse_filter
from ..tables.content_tables import Page
from ..tables.data_source_tables import DataSource
from ..wire_style import ERRORS, ValidationError
from .page_selection import select_pages
from .sorts import sorts_rule

api = Operations(prefix="/v1")
JsonBody = Annotated[dict[str, Any], Body]
query_rule = obj(
    None, filter=nullable(mapping(anything)), sorts=sorts_rule, start_cursor=nullable(text()), page_size=number,
    in_trash=boolean, archived=boolean, result_type=choice("page", "data_source"),
)  # fmt: skip


@api.post("/data_sources/{data_source_id}/query", reads=True, scope="read_content")
def query_data_source(
    call: Call,
    data_source_id: str,
    body: JsonBody,
    filter_properties: list[str] = [],  # noqa: B006 - read by the kit
) -> dict[str, Any]:
    """List the pages of a data source that a filter lets through, in order."""
    row = find_data_source(call, parse_id(data_source_id, "data_source_id"))
    return run_query(call, row, body, filter_properties)


@api.post("/databases/{database_id}/query", reads=True, scope="read_content")
def query_database(
    call: Call,
    database_id: str,
    body: JsonBody,
    filter_properties: list[str] = [],  # noqa: B006 - read by the kit
) -> dict[str, Any]:
    """List the pages of a database that has one data source, as before version 2025-09-03."""
    if has_data_sources(call):
        raise ERRORS["invalid_request_url"]
    row = only_data_source(call, find_database(call, parse_id(database_id, "database_id")))
    return run_query(call, row, body, filter_properties)


def run_query(call: Call, row: DataSource, body: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """Answer a query."""
    check_body(query_rule, body)
    size = check_page_size(body.get("page_size", MAX_PAGE_SIZE), "body.page_size")
    if is_trashed(call, row):
        raise ValidationError(f"Data source {row.id} is in the trash.")
    only = parse_filter(call, row.id, names)
    in_trash = bool(is_to_trash(call, body))
    if body.get("result_type") == "data_source":
        pages: list[Page] = []
    elif _is_plain(body, in_trash):
        pages = _first_pages(call, row, body.get("start_cursor"), size + 1)
    else:
        pages = select_pages(call, row.id, body.get("filter"), body.get("sorts") or [], in_trash=in_trash)
    shown, cursor = slice_list(pages, body.get("start_cursor"), size)
    kind = "page_or_data_source" if has_data_sources(call) else "page_or_database"
    return list_answer(kind, [page_object(call, page, only, in_trash=page.in_trash) for page in shown], cursor)


def _is_plain(body: dict[str, Any], in_trash: bool) -> bool:
    return not body.get("filter") and not body.get("sorts") and not in_trash


def _first_pages(call: Call, row: DataSource, cursor: str | None, limit: int) -> list[Page]:
    """Return the next pages of a query without filters and sorts, which the index has in order."""
    where: list[Expression] = [Page.parent_id == row.id, ~Page.is_template, ~Page.in_trash]
    if cursor:
        first = call.db.find(Page, Page.id == cursor)
        if first is None or first.data_source_id != row.id:
            raise invalid_cursor(cursor)
        where.append(Page.position >= first.position)
    return call.db.rows(Page, *where, order=(Page.position, Page.id), limit=limit)
