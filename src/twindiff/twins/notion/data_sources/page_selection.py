"""The pages of a data source that a filter lets through, in order."""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call
from twindiff.kit.rows import Expression

from ..tables.content_tables import Page
from .filters import compile_filter, sql_condition
from .sorts import sort_pages


def select_pages(
    call: Call,
    data_source_id: str,
    given: dict[str, Any] | None,
    sorts: list[dict[str, Any]],
    *,
    in_trash: bool = False,
) -> list[Page]:
    """Return the pages of a data source that a filter lets through, in order."""
    where: list[Expression] = [Page.data_source_id == data_source_id, ~Page.is_template]
    where.append(Page.in_trash.is_true if in_trash else ~Page.in_trash)
    order = (Page.position, Page.id)
    if not given:
        return sort_pages(call, data_source_id, call.db.rows(Page, *where, order=order), sorts)
    test = compile_filter(call, data_source_id, given)
    condition = sql_condition(call, data_source_id, given)
    pages = call.db.rows(Page, *where, *([condition] if condition is not None else []), order=order)
    return sort_pages(call, data_source_id, [page for page in pages if test(page)], sorts)
