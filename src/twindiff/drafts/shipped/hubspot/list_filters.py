"""The members of lists: those that they are given, and those that meet the filters of a dynamic list.

https://developers.hubspot.com/docs/guides/api/crm/lists/lists-filters,
https://legacydocs.hubspot.com/docs/methods/lists/create_list
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from twindiff.kit.call import Call
from twindiff.kit.errors import MissingOperation

from .record_lookup import find_records, read_property
from .tables import CrmContactList, CrmListMember
from .wire_style import HubSpotError

MAX_BRANCH_DEPTH = 8
Test = Callable[[str, list[str]], bool]


def _as_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _compare_numbers(compare: Callable[[float, float], bool]) -> Test:
    return lambda value, wanted: bool(wanted) and compare(_as_number(value), _as_number(wanted[0]))


def _is_one(value: str, wanted: list[str]) -> bool:
    return bool(value) and value in wanted


def _is_equal(value: str, wanted: list[str]) -> bool:
    return value in wanted or _as_number(value) in map(_as_number, wanted)


def _has_part(value: str, wanted: list[str]) -> bool:
    return any(each in value for each in wanted)


_TESTS: Mapping[str, Test] = {
    "EQ": _is_equal,
    "NEQ": lambda value, wanted: not _is_equal(value, wanted),
    "GT": _compare_numbers(lambda one, other: one > other),
    "GTE": _compare_numbers(lambda one, other: one >= other),
    "LT": _compare_numbers(lambda one, other: one < other),
    "LTE": _compare_numbers(lambda one, other: one <= other),
    "CONTAINS": _has_part,
    "DOES_NOT_CONTAIN": lambda value, wanted: not _has_part(value, wanted),
    "STR_STARTS_WITH": lambda value, wanted: any(value.startswith(each) for each in wanted),
    "STR_ENDS_WITH": lambda value, wanted: any(value.endswith(each) for each in wanted),
    "SET_ANY": _is_one,
    "SET_NOT_ANY": lambda value, wanted: not _is_one(value, wanted),
    "HAS_PROPERTY": lambda value, _wanted: bool(value),
    "NOT_HAS_PROPERTY": lambda value, _wanted: not value,
}
_SYNONYMS = {
    "IS_EQUAL_TO": "EQ", "IS_NOT_EQUAL_TO": "NEQ", "IS_GREATER_THAN": "GT", "IS_GREATER_THAN_OR_EQUAL_TO": "GTE",
    "IS_LESS_THAN": "LT", "IS_LESS_THAN_OR_EQUAL_TO": "LTE", "IS_ANY_OF": "SET_ANY", "IS_NONE_OF": "SET_NOT_ANY",
    "HAS_ANY_VALUE": "HAS_PROPERTY", "STARTS_WITH": "STR_STARTS_WITH", "ENDS_WITH": "STR_ENDS_WITH",
    "IS_KNOWN": "HAS_PROPERTY", "IS_UNKNOWN": "NOT_HAS_PROPERTY", "DOES_NOT_CONTAIN_ANY": "DOES_NOT_CONTAIN",
}  # fmt: skip


def _find_test(operator: Any) -> Test:
    name = str(operator)
    test = _TESTS.get(_SYNONYMS.get(name, name))
    if test is None:
        raise MissingOperation(f"This drafted twin has no filters of lists by '{name}'.")
    return test


def _read_wanted(given: Mapping[str, Any]) -> list[str]:
    listed: Any = given.get("values", given.get("value", ""))
    listed = cast(list[Any], listed) if isinstance(listed, list) else str(listed).split(";")
    return [str(each).lower() for each in listed]


def check_filters(given: Any) -> list[Any]:
    """Return the filters of version 1, groups of which one is met: `[[{"property", "operator", "value"}]]`.

    Raises HubSpotError for another shape, and MissingOperation for an operator that is not served.
    """
    groups = cast(list[Any], given) if isinstance(given, list) else []
    if not groups or not all(isinstance(each, list) for each in groups):
        raise HubSpotError("A dynamic list must have filters: a list of lists of objects.")
    for each in (one for group in groups for one in cast(list[Any], group)):
        if not isinstance(each, dict) or not cast(Mapping[str, Any], each).get("property"):
            raise HubSpotError("Each filter of a list must have a property and an operator.")
        _find_test(cast(Mapping[str, Any], each).get("operator"))
    return groups


def check_branch(given: Any, depth: int = 0) -> Any:
    """Return the filter branch of version 3. Raises as `check_filters` does."""
    if not isinstance(given, dict) or cast(Mapping[str, Any], given).get("filterBranchType") not in ("OR", "AND"):
        raise HubSpotError("A dynamic list must have a filterBranch of type OR or AND.")
    branch = cast(Mapping[str, Any], given)
    if depth > MAX_BRANCH_DEPTH:
        raise HubSpotError(f"Filter branches have at most {MAX_BRANCH_DEPTH} levels.")
    for each in cast(list[Any], branch.get("filters") or []):
        if not isinstance(each, dict) or not isinstance(cast(Mapping[str, Any], each).get("operation"), dict):
            raise HubSpotError("Each filter must have an operation.")
        known = cast(Mapping[str, Any], each)
        if known.get("filterType", "PROPERTY") != "PROPERTY":
            raise MissingOperation(f"This drafted twin has no filters of lists of type {known.get('filterType')}.")
        _find_test(known["operation"].get("operator"))
    for each in cast(list[Any], branch.get("filterBranches") or []):
        check_branch(each, depth + 1)
    return cast(Any, branch)


def _meets(kind: str, row: Any, name: Any, condition: Mapping[str, Any]) -> bool:
    value = read_property(kind, row, str(name))
    return _find_test(condition.get("operator"))("" if value is None else str(value).lower(), _read_wanted(condition))


def _meets_branch(kind: str, row: Any, branch: Mapping[str, Any]) -> bool:
    filters, branches = (cast("list[Any]", branch.get(name) or []) for name in ("filters", "filterBranches"))
    parts = [_meets(kind, row, each.get("property"), each["operation"]) for each in filters]
    parts += [_meets_branch(kind, row, each) for each in branches]
    return any(parts) if branch.get("filterBranchType") == "OR" else all(parts)


def _meets_filters(kind: str, row: Any, filters: Any) -> bool:
    if isinstance(filters, dict):
        return _meets_branch(kind, row, cast(Mapping[str, Any], filters))
    return any(all(_meets(kind, row, each.get("property"), each) for each in group) for group in filters)


def list_members(call: Call, row: CrmContactList) -> list[CrmListMember]:
    """Return the members of a list in the order of their ids; those of a dynamic one are not stored."""
    if not row.is_dynamic or not row.filters or not _are_served(row.filters):
        rows = call.db.rows(CrmListMember, CrmListMember.list_id == row.id)
        return sorted(rows, key=lambda each: int(each.record_id))
    ids = list_filtered(call, row)
    return [CrmListMember(list_id=row.id, record_id=each, added_at=row.created_at) for each in ids]


def list_filtered(call: Call, row: CrmContactList) -> list[str]:
    """Return the ids of the records that meet the filters of a list."""
    return [each.id for each in find_records(call, row.kind) if _meets_filters(row.kind, each, row.filters)]


def _are_served(filters: Any) -> bool:
    """Return whether filters, which a recording may have brought, are among those that are served."""
    try:
        check_branch(filters) if isinstance(filters, dict) else check_filters(filters)
    except (HubSpotError, MissingOperation):
        return False
    return True
