"""Lists: newest first, in pages after or before a cursor object, which may have been deleted.

https://docs.stripe.com/api/pagination
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twindiff.kit import UNSET, Call, Column, UnsetType, page_beside
from twindiff.kit.rows import Expression
from twindiff.twins.stripe.core.wire_style import StripeError

from .objects import Fields, R, Resource, retrieve, show_all
from .params import ListParams, Range

MAX_PAGE_ITEMS = 100


def list_of(
    call: Call, kind: Resource[R], params: ListParams, url: str, *where: Expression, oldest_first: bool = False
) -> Fields:
    """Return a page of the objects that match the conditions."""
    after, before = _cursors(call, kind, params)
    order = kind.table.seq if oldest_first else -kind.table.seq
    page = page_beside(
        call.db, kind.table, *where, by=order, limit=clamp_limit(params.limit), after=after, before=before
    )
    return list_object(show_all(call, kind, page.rows), url, has_more=page.has_more)


def list_object(data: list[Any], url: str, *, has_more: bool = False, **more: Any) -> Fields:
    """Return a list object; `more` are further fields, such as `total_count`."""
    return {"object": "list", "data": data, "has_more": has_more, "url": url, **more}


def render_fixed_list(objects: Sequence[Fields], params: ListParams, url: str, spoken: str) -> Fields:
    """Return a page of objects that are the same for every account."""
    _check_cursors(params)
    limit, places = clamp_limit(params.limit), {each["id"]: place for place, each in enumerate(objects)}
    for name in ("starting_after", "ending_before"):
        if (id := getattr(params, name)) and id not in places:
            raise StripeError(f"No such {spoken}: '{id[:500]}'", code="resource_missing", param=name)
    if params.ending_before:
        end = places[params.ending_before]
        start = max(end - limit, 0)
        return list_object([*objects[start:end]], url, has_more=start > 0)
    start = places[params.starting_after] + 1 if params.starting_after else 0
    return list_object([*objects[start : start + limit]], url, has_more=start + limit < len(objects))


def clamp_limit(limit: int) -> int:
    """Clamp the page size: Stripe treats values out of bounds as the bound."""
    return min(max(limit, 1), MAX_PAGE_ITEMS)


def _cursors(call: Call, kind: Resource[R], params: ListParams) -> tuple[R | None, R | None]:
    _check_cursors(params)
    return _cursor(call, kind, params, "starting_after"), _cursor(call, kind, params, "ending_before")


def _check_cursors(params: ListParams) -> None:
    if params.starting_after and params.ending_before:
        raise StripeError("Received both starting_after and ending_before parameters. Please pass in only one.")


def _cursor(call: Call, kind: Resource[R], params: ListParams, name: str) -> R | None:
    id = getattr(params, name)
    return retrieve(call, kind, id, param=name, status=400) if id else None


def to_range_conditions(column: Column[int] | Column[int | None], wanted: int | Range | UnsetType) -> list[Expression]:
    """Return the conditions of a filter such as `created` or `created[gte]`."""
    if wanted is UNSET:
        return []
    if not isinstance(wanted, Range):
        return [column == wanted]
    bounds = (
        (wanted.gt, column.__gt__),
        (wanted.gte, column.__ge__),
        (wanted.lt, column.__lt__),
        (wanted.lte, column.__le__),
    )
    return [condition(value) for value, condition in bounds if value is not UNSET]


def to_reference_conditions(call: Call, *wanted: tuple[Column[Any], Any, Resource[Any]]) -> list[Expression]:
    """Return a condition for each column that refers to an object; raises StripeError for a missing object."""
    for column, id, kind in wanted:
        if id is not UNSET:
            retrieve(call, kind, id, param=column.name, status=400)
    return equal(*((column, id) for column, id, _ in wanted))


def equal(*wanted: tuple[Column[Any], Any]) -> list[Expression]:
    """Return an equality condition for each column whose value was given."""
    return [column == value for column, value in wanted if value is not UNSET]
