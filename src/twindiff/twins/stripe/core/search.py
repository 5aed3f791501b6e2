"""Search queries, such as `email:"ada@shop.example" AND metadata["tier"]:"gold" AND created>1735689600`.

https://docs.stripe.com/search#search-query-language
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from twindiff.kit import Call, Column, all_of, any_of, not_, page
from twindiff.kit.rows import Expression
from twindiff.twins.stripe.core.wire_style import StripeError

from .middleware import version_of
from .objects import EXPANDABLE, Fields, R, Resource, show_all
from .pagination import clamp_limit
from .params import SearchParams

MAX_CLAUSES = 10
WITHOUT_TOTALS = "2025-05-28"
"""First API version whose searches have no `total_count`; https://docs.stripe.com/changelog/basil"""
UNREADABLE = (
    'We were unable to parse your search query. Try using the format `metadata["key"]:"value"` to query for metadata '
    'or key:"value" to query for other fields.'
)
MIN_SUBSTRING_CHARACTERS = 3
Searchable = Mapping[str, Column[Any]]
"""Searchable fields of a resource; `metadata` stands for all its keys."""

EXPANDABLE.add("search_result.total_count")

ENUMERATED = frozenset({"currency", "status", "type"})
"""Fields with enumerated lower-case values, which are matched exactly."""

_CLAUSE = re.compile(
    r"""\s*(?P<minus>-)?(?P<field>[a-z_][a-z_0-9.]*)(?:\[(?P<quote>["'])(?P<key>(?:\\.|(?!(?P=quote)).)*)(?P=quote)\])?"""
    r"""\s*(?P<operator>>=|<=|:|~|>|<)\s*(?P<value>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[\w.+-]+)\s*""",
    re.VERBOSE | re.IGNORECASE,
)
_JOINT = re.compile(r"(AND|OR)\b\s*", re.IGNORECASE)
_ORDERED: dict[str, Callable[[Column[Any], Any], Expression]] = {
    ">": lambda column, value: column > value,
    ">=": lambda column, value: column >= value,
    "<": lambda column, value: column < value,
    "<=": lambda column, value: column <= value,
}


class Clause(NamedTuple):
    """One comparison of a query."""

    field: str
    key: str
    operator: str
    value: str
    is_text: bool
    is_negated: bool


class InvalidPage(StripeError):
    """Invalid value for page. Use the next_page of a previous search with the same query."""


def search_of(
    call: Call, kind: Resource[R], params: SearchParams, url: str, fields: Searchable, *where: Expression
) -> Fields:
    """Return a page of the objects that match a query, newest first."""
    condition = _condition(params.query, fields, url.split("/")[2])
    conditions = (*where, condition)
    wants_total = isinstance(params.expand, list) and "total_count" in params.expand
    wants_total = wants_total and version_of(call) < WITHOUT_TOTALS
    cursor = str(params.page or "")
    matches = page(
        call.db,
        kind.table,
        *conditions,
        by=-kind.table.seq,
        limit=clamp_limit(params.limit),
        cursor=cursor,
        invalid=InvalidPage,
    )
    total = {"total_count": call.db.count(kind.table, *conditions)} if wants_total else {}
    return {
        "object": "search_result",
        "data": show_all(call, kind, matches.rows),
        "has_more": bool(matches.next_cursor),
        "next_page": matches.next_cursor or None,
        "url": url,
        **total,
    }


def _condition(query: str, fields: Searchable, resource: str) -> Expression:
    """Compile a query to a condition."""
    clauses, joint = _parse_query(query)
    parts = [_compile_clause(clause, fields, resource) for clause in clauses]
    return any_of(*parts) if joint == "OR" else all_of(*parts)


def _parse_query(query: str) -> tuple[list[Clause], str]:
    """Return the clauses of a query, and `AND` or `OR`."""
    clauses: list[Clause] = []
    joints: set[str] = set()
    at = 0
    while not clauses or at < len(query):
        match = _CLAUSE.match(query, at)
        if match is None:
            raise StripeError(UNREADABLE, param="query")
        clauses.append(_clause(match))
        joint = _JOINT.match(query, match.end())
        joints |= {joint[1].upper()} if joint else {"AND"} if match.end() < len(query) else set()
        at = joint.end() if joint else match.end()
    if len(joints) > 1:
        raise StripeError("A search query cannot combine AND with OR; use one of them.", param="query")
    if len(clauses) > MAX_CLAUSES:
        raise StripeError(f"A search query can have up to {MAX_CLAUSES} clauses.", param="query")
    return clauses, joints.pop() if joints else "AND"


def _clause(match: re.Match[str]) -> Clause:
    value = match["value"]
    is_text = value[0] in "\"'"
    plain = re.sub(r"\\(.)", r"\1", value[1:-1]) if is_text else value
    key = re.sub(r"\\(.)", r"\1", match["key"] or "")
    return Clause(match["field"], key, match["operator"], plain, is_text, bool(match["minus"]))


def _compile_clause(clause: Clause, fields: Searchable, resource: str) -> Expression:
    column = fields.get(clause.field)
    if column is None or (clause.field == "metadata") != bool(clause.key):
        raise StripeError(
            f"Field `{clause.field}` is an unsupported search field for resource `{resource}`. See "
            f"http://stripe.com/docs/search#query-fields-for-{resource.replace('_', '-')} for a list of supported "
            "fields.",
            param="query",
        )
    condition = _compile_comparison(column.json(clause.key) if clause.key else column, clause)
    return not_(condition) if clause.is_negated else condition


def _compile_comparison(column: Column[Any], clause: Clause) -> Expression:
    if not clause.is_text and clause.value.lower() == "null":
        return column.is_null()
    _check_operator(column, clause)
    if clause.operator in _ORDERED:
        return _ORDERED[clause.operator](column, _number(clause))
    if clause.operator == "~":
        if len(clause.value) < MIN_SUBSTRING_CHARACTERS:
            message = (
                f"A search for a part of a text needs {MIN_SUBSTRING_CHARACTERS} characters or more: {clause.value}"
            )
            raise StripeError(message, param="query")
        return column.contains(clause.value, fold=True)
    if column.kind == "boolean":
        return column == (clause.value.lower() == "true")
    if column.kind == "integer":
        return column == _number(clause)
    if column.kind != "text" or column.references:
        return column == clause.value
    return column == clause.value.lower() if column.name in ENUMERATED else column.equals(clause.value)


def _check_operator(column: Column[Any], clause: Clause) -> None:
    """Raise StripeError for a substring match on a non-text field, or an ordering of a non-numeric one."""
    is_whole = column.kind != "text" or bool(clause.key) or column.name in ENUMERATED
    if (clause.operator == "~" and is_whole) or (clause.operator in _ORDERED and column.kind != "integer"):
        message = f"Field `{clause.field}` does not support the operator `{clause.operator}`."
        raise StripeError(message, param="query")


def _number(clause: Clause) -> int:
    if not re.fullmatch(r"[+-]?\d{1,15}", clause.value):
        message = f"Field `{clause.field}` is compared with a number, such as 100, unlike: {clause.value[:50]}"
        raise StripeError(message, param="query")
    return int(clause.value)
