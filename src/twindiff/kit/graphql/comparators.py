"""The families of comparators, and which one a field has."""

from __future__ import annotations

STRING = (
    "eq neq in nin eqIgnoreCase neqIgnoreCase startsWith startsWithIgnoreCase notStartsWith endsWith notEndsWith "
    "contains containsIgnoreCase notContains notContainsIgnoreCase containsIgnoreCaseAndAccent"
)
ORDERED = "eq neq in nin lt lte gt gte"
SET = "eq neq in nin"

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
    """Operators of a comparator and the types they take; None when there is no such comparator."""
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
    """The type of each operator's operand."""
    return {name: _operand(name, kind) for name in operators.split()}


def _operand(operator: str, kind: str) -> str:
    if operator == "null":
        return "Boolean"
    return f"[{kind}!]" if operator in ("in", "nin") else kind


def comparator_of(scalar: str, *, null: bool, is_list: bool) -> str:
    """The comparator of a plain field."""
    if is_list:
        return "StringArrayComparator"
    family = _BY_SCALAR.get(scalar, "String")
    nullable = null or family == "TimelessDate"
    return f"{'Nullable' if nullable and family not in ('ID', 'Boolean') else ''}{family}Comparator"
