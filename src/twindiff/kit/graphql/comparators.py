"""Comparators of filters: their families, the one that each field has, and their conversion to expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from twindiff.kit.computed_values import case
from twindiff.kit.rows import Column, Expression, all_of, any_of, not_

from .errors import NullOperand

Given = Mapping[str, Any]

STRING = (
    "eq neq in nin eqIgnoreCase neqIgnoreCase startsWith startsWithIgnoreCase notStartsWith endsWith notEndsWith "
    "contains containsIgnoreCase notContains notContainsIgnoreCase containsIgnoreCaseAndAccent"
)
ORDERED = "eq neq in nin lt lte gt gte"
SET = "eq neq in nin"
COMPARISONS = frozenset(("eq", "neq", "lt", "lte", "gt", "gte"))

_FAMILIES = {
    "String": (STRING, "String"),
    "StringItem": (STRING, "String"),
    "SourceType": (STRING, "String"),
    "Number": (ORDERED, "Float"),
    "Date": (ORDERED, "DateTimeOrDuration"),
    "TimelessDate": (ORDERED, "TimelessDateOrDuration"),
    "Duration": (ORDERED, "Duration"),
    "Estimate": (f"{ORDERED} null", "Float"),
    "ID": (SET, "ID"),
    "IssueID": (SET, "ID"),
    "Boolean": ("eq neq", "Boolean"),
    "RelationExists": ("eq neq", "Boolean"),
    "Content": ("contains notContains", "String"),
}
_BY_SCALAR = {
    "String": "String", "Int": "Number", "Float": "Number", "DateTime": "Date", "TimelessDate": "TimelessDate",
    "ID": "ID", "UUID": "ID", "Boolean": "Boolean", "Duration": "Duration",
}  # fmt: skip


def comparator_fields(name: str) -> dict[str, str] | None:
    """The operators of a comparator with the GraphQL types of their operands; None for an unknown comparator."""
    base = name.removesuffix("Comparator")
    if base == "StringArray":
        return {"every": "StringItemComparator", "length": "NumberComparator", "some": "StringItemComparator"}
    operators, kind = _FAMILIES.get(base) or _FAMILIES.get(base.removeprefix("Nullable"), ("", ""))
    if not operators:
        return None
    fields = fields_of(operators, kind)
    if base not in _FAMILIES:
        fields["null"] = "Boolean"
    if base == "Estimate":
        fields |= {"and": "[NullableNumberComparator!]", "or": "[NullableNumberComparator!]"}
    return fields


def fields_of(operators: str, kind: str) -> dict[str, str]:
    """The GraphQL type of each operator's operand."""
    return {name: _operand(name, kind) for name in operators.split()}


def _operand(operator: str, kind: str) -> str:
    if operator == "null":
        return "Boolean"
    return f"[{kind}!]" if operator in ("in", "nin") else kind


def comparator_of(scalar: str, *, null: bool, is_list: bool) -> str:
    """The name of the comparator for a plain field."""
    if is_list:
        return "StringArrayComparator"
    family = _BY_SCALAR.get(scalar, "String")
    nullable = null or family == "TimelessDate"
    return f"{'Nullable' if nullable and family not in ('ID', 'Boolean') else ''}{family}Comparator"


def _unless_null(column: Column[Any], unequal: Expression) -> Expression:
    """Negative operators but `nin` drop null values: measured on Linear, https://github.com/brekkylab/backlot/pull/116"""
    return all_of(not_(column.is_null()), unequal) if column.nullable else unequal


_OPERATORS: dict[str, Callable[[Column[Any], Any], Expression]] = {
    "eq": lambda column, value: column == value,
    "neq": lambda column, value: _unless_null(column, column != value),
    "in": lambda column, value: column.in_(value),
    "nin": lambda column, value: not_(column.in_(value)),
    "lt": lambda column, value: column < value,
    "lte": lambda column, value: column <= value,
    "gt": lambda column, value: column > value,
    "gte": lambda column, value: column >= value,
    "null": lambda column, value: column.is_null() if value else not_(column.is_null()),
    "eqIgnoreCase": lambda column, value: column.equals(value),
    "neqIgnoreCase": lambda column, value: _unless_null(column, not_(column.equals(value))),
    "startsWith": lambda column, value: column.starts(value),
    "startsWithIgnoreCase": lambda column, value: column.starts(value, fold=True),
    "notStartsWith": lambda column, value: _unless_null(column, not_(column.starts(value))),
    "endsWith": lambda column, value: column.ends(value),
    "notEndsWith": lambda column, value: _unless_null(column, not_(column.ends(value))),
    "contains": lambda column, value: column.contains(value),
    "containsIgnoreCase": lambda column, value: column.contains(value, fold=True),
    "notContains": lambda column, value: _unless_null(column, not_(column.contains(value))),
    "notContainsIgnoreCase": lambda column, value: _unless_null(column, not_(column.contains(value, fold=True))),
    "containsIgnoreCaseAndAccent": lambda column, value: column.resembles(value),
}


def fits(column: Column[Any], comparator: Given, read: Callable[[Any], Any] = lambda operand: operand) -> Expression:
    """Convert all operators of a comparator on a column to a condition; `read` converts an operand first.

    Raises NullOperand for a null operand of an id.
    """
    parts: list[Expression] = []
    for operator, operand in comparator.items():
        if operator in ("and", "or"):
            if operand is None:
                continue
            both = [fits(column, each, read) for each in operand]
            parts.append(all_of(*both) if operator == "and" else any_of(*both))
        elif operand is not None:
            parts.append(_OPERATORS[operator](column, read(operand)))
        else:
            parts.append(_without_operand(column, operator))
    return parts[0] if len(parts) == 1 else all_of(*parts)


def _without_operand(column: Column[Any], operator: str) -> Expression:
    """Convert an operator with a null operand: comparisons match nothing, other operators everything.

    `null: null` means `null: true`. Measured on Linear: https://github.com/brekkylab/backlot/pull/116
    """
    if operator == "null":
        return column.is_null()
    if column.name == "id":
        raise NullOperand(operator)
    return any_of() if operator in COMPARISONS else all_of()


def by_case(cases: Mapping[str, Expression], comparator: Given) -> Expression:
    """Compare the key of the first true condition, or null if none is true, with a comparator."""
    return fits(case("text", *((condition, word) for word, condition in cases.items())), comparator)


def yes_or_no(condition: Expression, comparator: Given) -> Expression:
    """Compare the truth value of a condition with a Boolean comparator."""
    return fits(case("boolean", (condition, True), otherwise=False), comparator)
