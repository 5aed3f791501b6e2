"""The search of records by filters and words. https://developers.hubspot.com/docs/api-reference/search/guide"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import msgspec

from twindiff.kit.call import Call
from twindiff.kit.twin import Operations

from .account import SEARCHED
from .associations import list_associated
from .object_schemas import get_kind
from .record_lookup import COMPUTED, find_records, read_property, show_record
from .tables import CrmProperty
from .wire_style import HubSpotError, page_results

api = Operations(prefix="/crm/v3/objects")
MAX_SEARCH_RECORDS = 200
MAX_FOUND_RECORDS = 10_000
MAX_FILTER_GROUPS = 5
MAX_GROUP_FILTERS = 6
MAX_FILTERS = 18
MAX_QUERY_LETTERS = 3000
_ASSOCIATIONS = "associations."
_COMPUTED = frozenset(["hs_object_id", "createdate", "hs_createdate", "lastmodifieddate", "hs_lastmodifieddate"])
Filter = dict[str, Any]
Meets = Callable[[Any], bool]


class FilterGroup(msgspec.Struct):
    """Filters of which all are true."""

    filters: list[Filter] = msgspec.field(default_factory=list[Filter])


@api.post("/{objectType}/search", reads=True)
def search_records(
    call: Call,
    object_type: str,
    filter_groups: list[FilterGroup] | None = None,
    query: str = "",
    properties: list[str] | None = None,
    sorts: list[str | dict[str, Any]] | None = None,
    limit: int = 10,
    after: str = "",
) -> dict[str, Any]:
    """Find records by filters: those of a group are all true, and one group is enough."""
    kind = get_kind(call, object_type)
    groups = filter_groups or []
    _check_numbers(groups, query, limit, after)
    known = find_records(call, kind)
    compiled = [[_compile(call, kind, known, each) for each in group.filters] for group in groups]
    rows = [
        row
        for row in known
        if (not compiled or any(all(meets(row) for meets in group) for group in compiled))
        and (not query or _has_words(kind, row, query))
    ]
    for each in reversed(sorts or []):
        name, descends = (
            (each.removeprefix("-"), each.startswith("-"))
            if isinstance(each, str)
            else (str(each.get("propertyName")), each.get("direction") == "DESCENDING")
        )
        rows.sort(key=lambda row: _comparable(read_property(kind, row, name)), reverse=descends)
    shown = [show_record(kind, row, properties or ()) for row in rows]
    return {"total": len(rows), **page_results(shown, after, limit)}


def _check_numbers(groups: Sequence[FilterGroup], query: str, limit: int, after: str) -> None:
    """Raise HubSpotError for more filters, words or records than a search has."""
    if len(groups) > MAX_FILTER_GROUPS:
        raise HubSpotError(f"The number of filter groups exceeds the maximum of {MAX_FILTER_GROUPS}.")
    if any(len(group.filters) > MAX_GROUP_FILTERS for group in groups):
        raise HubSpotError(f"The number of filters in a filter group exceeds the maximum of {MAX_GROUP_FILTERS}.")
    if sum(len(group.filters) for group in groups) > MAX_FILTERS:
        raise HubSpotError(f"The total number of filters exceeds the maximum of {MAX_FILTERS}.")
    if len(query) > MAX_QUERY_LETTERS:
        raise HubSpotError(f"The query exceeds the maximum of {MAX_QUERY_LETTERS} characters.")
    if not 0 <= limit <= MAX_SEARCH_RECORDS:
        raise HubSpotError(f"limit must be between 0 and {MAX_SEARCH_RECORDS}.")
    if after and not re.fullmatch("[0-9]{1,9}", after):
        raise HubSpotError("Invalid input JSON: 'after' must be a whole number.")
    if int(after or 0) + limit > MAX_FOUND_RECORDS:
        raise HubSpotError(f"A search pages through at most {MAX_FOUND_RECORDS:,} records.")


def _compile(call: Call, kind: str, known: Sequence[Any], given: Filter) -> Meets:
    """Return what says whether a record meets a filter. Raises HubSpotError for a filter that is none."""
    name, operator = given.get("propertyName"), str(given.get("operator"))
    compare = _OPERATORS.get(operator)
    if compare is None:
        raise HubSpotError(f"Invalid operator '{operator}'. Operators: {', '.join(_OPERATORS)}.")
    if not isinstance(name, str) or not name:
        raise HubSpotError("Invalid input JSON: a filter needs 'propertyName'.")
    _check_values(operator, name, given)
    if name.startswith(_ASSOCIATIONS):
        to_kind = get_kind(call, name.removeprefix(_ASSOCIATIONS))
        return lambda row: _meets_ids(list_associated(call, kind, row.id, to_kind), operator, given)
    if not _is_property(call, kind, known, name):
        raise HubSpotError(f'Property "{name}" does not exist')
    return lambda row: compare(read_property(kind, row, name), given)


def _is_property(call: Call, kind: str, known: Sequence[Any], name: str) -> bool:
    if name in _COMPUTED or (kind == "contacts" and name in COMPUTED):
        return True
    is_declared = call.db.find(CrmProperty, CrmProperty.kind == kind, CrmProperty.name == name) is not None
    return is_declared or any(read_property(kind, row, name) is not None for row in known)


def _is_value(value: Any) -> bool:
    return isinstance(value, (str, int, float)) and value != ""


def _check_values(operator: str, name: str, given: Filter) -> None:
    """Raise HubSpotError for a filter without the values that its operator needs."""
    values = given.get("values")
    if operator in ("IN", "NOT_IN"):
        if not isinstance(values, list) or not values or not all(map(_is_value, cast(list[Any], values))):
            raise HubSpotError(f"Operator {operator} of the filter on '{name}' needs a list of 'values'.")
    elif operator not in ("HAS_PROPERTY", "NOT_HAS_PROPERTY"):
        needed = ("value", "highValue") if operator == "BETWEEN" else ("value",)
        absent = [each for each in needed if not _is_value(given.get(each))]
        if absent:
            raise HubSpotError(f"Operator {operator} of the filter on '{name}' needs a '{absent[0]}'.")


def _meets_ids(ids: Sequence[str], operator: str, given: Filter) -> bool:
    """Return whether the ids of associated records meet a filter. Raises HubSpotError for an operator of an order."""
    if operator in ("HAS_PROPERTY", "NOT_HAS_PROPERTY"):
        return bool(ids) == (operator == "HAS_PROPERTY")
    if operator not in ("EQ", "NEQ", "IN", "NOT_IN"):
        raise HubSpotError(f"Operator {operator} is not supported for associations.")
    wanted = {str(each) for each in (given["values"] if operator.endswith("IN") else [given["value"]])}
    return bool(wanted & set(ids)) == (operator in ("EQ", "IN"))


def _has_words(kind: str, row: Any, query: str) -> bool:
    texts = [str(read_property(kind, row, name) or "").lower() for name in SEARCHED.get(kind, ())]
    return all(any(word in text for text in texts) for word in query.lower().split())


def _comparable(value: Any) -> tuple[int, float, str]:
    text = "" if value is None else str(value)
    try:
        return (1, float(text), "")
    except ValueError:
        return (2 if text else 0, 0.0, text.lower())


def _contains_token(value: Any, wanted: str) -> bool:
    pattern = "".join(".*" if part == "*" else re.escape(part) for part in re.split(r"(\*)", wanted.lower()))
    words = [str(value or "").lower(), *re.split(r"[\s@.,]+", str(value or "").lower())]
    return any(re.fullmatch(pattern, word) for word in words)


_OPERATORS: dict[str, Callable[[Any, Mapping[str, Any]], bool]] = {
    "EQ": lambda value, given: _comparable(value) == _comparable(given.get("value")),
    "NEQ": lambda value, given: value is not None and _comparable(value) != _comparable(given.get("value")),
    "LT": lambda value, given: value is not None and _comparable(value) < _comparable(given.get("value")),
    "LTE": lambda value, given: value is not None and _comparable(value) <= _comparable(given.get("value")),
    "GT": lambda value, given: value is not None and _comparable(value) > _comparable(given.get("value")),
    "GTE": lambda value, given: value is not None and _comparable(value) >= _comparable(given.get("value")),
    "BETWEEN": lambda value, given: value is not None
    and _comparable(given.get("value")) <= _comparable(value) <= _comparable(given.get("highValue")),
    "IN": lambda value, given: _comparable(value) in [_comparable(each) for each in given.get("values") or ()],
    "NOT_IN": lambda value, given: value is not None
    and _comparable(value) not in [_comparable(each) for each in given.get("values") or ()],
    "HAS_PROPERTY": lambda value, given: value not in (None, ""),
    "NOT_HAS_PROPERTY": lambda value, given: value in (None, ""),
    "CONTAINS_TOKEN": lambda value, given: _contains_token(value, str(given.get("value", ""))),
    "NOT_CONTAINS_TOKEN": lambda value, given: not _contains_token(value, str(given.get("value", ""))),
}  # fmt: skip
