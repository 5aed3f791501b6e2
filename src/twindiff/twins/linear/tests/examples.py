"""A valid value of every input type."""

from __future__ import annotations

from typing import Any

from graphql import get_nullable_type, is_input_object_type, is_list_type

_SCALARS: dict[str, Any] = {
    "Boolean": True, "Float": 1, "Int": 1, "DateTime": "2025-04-01", "DateTimeOrDuration": "-P1D", "Duration": "PT1H",
    "TimelessDateOrDuration": "2025-04-01", "JSONObject": {}, "ID": "00000000-0000-4000-8000-000000000000",
}  # fmt: skip


def example(kind: Any) -> Any:
    """A valid value of an input type; of an object, one of its fields."""
    kind = get_nullable_type(kind)
    if is_list_type(kind):
        return [example(kind.of_type)]
    if not is_input_object_type(kind):
        return next(iter(kind.values)) if hasattr(kind, "values") else _SCALARS.get(kind.name, "x")
    name = next((name for name in ("some", "id", "eq") if name in kind.fields), next(iter(within(kind))))
    return {name: example(kind.fields[name].type)}


def within(kind: Any) -> dict[str, Any]:
    """The fields of a filter that are not `and` and `or`."""
    return {name: each for name, each in kind.fields.items() if name not in ("and", "or")}
