"""The order of query results. https://developers.notion.com/reference/sort-data-source-entries"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from twindiff.kit import Call

from ..core.body_rules import Problems, Rule, array, choice, is_object, obj, text
from ..core.user_objects import find_user
from ..properties.computed_values import comparable, computed_value, find_related, instant_of
from ..properties.schemas import find_property
from ..properties.typed_values import Typed, is_empty
from ..tables.content_tables import Page
from ..tables.data_source_tables import Property
from ..wire_style import ValidationError
from .filters import parse_instant, start_of

MAX_SORTS = 100
Key = Callable[[Page], Any]
_direction = choice("ascending", "descending")
_by_property = obj({"property": text(), "direction": _direction})
_by_time = obj({"timestamp": choice("created_time", "last_edited_time"), "direction": _direction})


def _sort(value: Any, path: str) -> Problems:
    yield from (_by_time if is_object(value) and "timestamp" in value else _by_property)(value, path)


sorts_rule: Rule = array(_sort, most=MAX_SORTS)


def sort_pages(call: Call, data_source_id: str, pages: list[Page], sorts: list[dict[str, Any]]) -> list[Page]:
    """Return pages in order; those without a value come last, whatever the direction."""
    for sort in reversed(sorts):
        key = _key_of(call, data_source_id, sort)
        keyed = [(key(page), page) for page in pages]
        full = [each for each in keyed if each[0] is not None]
        full.sort(key=lambda each: each[0], reverse=sort["direction"] == "descending")
        pages = [page for _, page in full] + [page for value, page in keyed if value is None]
    return pages


def _key_of(call: Call, data_source_id: str, sort: dict[str, Any]) -> Key:
    if "timestamp" in sort:
        return lambda page: (page.created_time if sort["timestamp"] == "created_time" else page.last_edited_time) or ""
    row = find_property(call, data_source_id, sort["property"])
    if row is None:
        raise ValidationError(f"Could not find sort property with name or id: {sort['property']}")
    if row.type in ("created_time", "last_edited_time"):
        return lambda page: instant_of(page, row.type)
    options = {each["name"]: number for number, each in enumerate(row.config.get("options", []))}
    return lambda page: _order_value(
        call, row, comparable(call, page, row, computed_value(call, page, row)), options, page
    )


def _order_value(call: Call, row: Property, value: Any, options: dict[str, int], page: Page) -> Any:
    """Return what a value is ordered by, all of one kind in a property; None for an empty one."""
    if row.type == "checkbox":
        return bool(value)
    if is_empty(value):
        return None
    if row.type in ("select", "status"):
        return options.get(value, len(options))
    if row.type == "multi_select":
        return [options.get(each, len(options)) for each in value]
    if row.type in ("people", "created_by", "last_edited_by"):
        return [((user.name if (user := find_user(call, id)) else "") or "").casefold() for id in value]
    if row.type == "relation":
        return [other.title.casefold() for other in find_related(call, value)]
    if row.type in ("formula", "rollup"):
        return _order_result(computed_value(call, page, row))
    return _order_plain(row.type, value)


def _order_result(result: Typed) -> tuple[int, Any]:
    kinds = ("number", "boolean", "date", "string")
    if result.kind not in kinds:
        return (len(kinds), 0)
    return (kinds.index(result.kind), _order_plain(result.kind, result.value))


def _order_plain(kind: str, value: Any) -> Any:
    if kind == "date":
        return parse_instant(start_of(value) or "")
    if kind in ("number", "unique_id", "boolean"):
        return value
    return natural_key(str(value))


def natural_key(text: str) -> list[tuple[int, int | str]]:
    """Return the key of an order without regard to case, in which 4 stands before 10."""
    parts = re.split(r"(\d{1,18})", text.casefold())
    return [(0, int(part)) if part.isdecimal() and part.isascii() else (1, part) for part in parts if part]
