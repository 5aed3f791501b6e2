"""GitHub's words for parameters that are missing, of the wrong type, or not one of the listed values.

https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from msgspec import inspect as msgspec_types

from twindiff.kit.errors import InvalidParameter, MissingParameter
from twindiff.kit.request_context import RequestContext

_EXPECTED = re.compile(r"Expected `([^`]+)`")
_STEPS = re.compile(r"[^.\[\]]+")
_KINDS = {
    "str": "a string",
    "float": "a number",
    "int": "an integer",
    "bool": "a boolean",
    "array": "an array",
    "object": "an object",
}
MAX_SHOWN_LETTERS = 100


def describe_invalid(error: InvalidParameter, exchange: RequestContext | None) -> str:
    """Return GitHub's message about a parameter; it shows the value, and the values that it may have."""
    body = exchange.operation.bound.body if exchange else ""
    given = exchange.parameters if exchange else {}
    contract = exchange.operation.bound.contract if exchange else None
    steps = [*([body] if body else []), *_STEPS.findall(error.name)]
    if isinstance(error, MissingParameter):
        missing = list(_missing_names(contract, given, steps[:-1])) if contract else []
        return _describe_missing(missing or [error.name])
    value, allowed = _value_at(given, steps), _allowed_values(contract, tuple(steps)) if contract else ()
    field = "/".join(_STEPS.findall(error.name))
    subject = f"For 'properties/{field}'" if field else "For 'links/0/schema'"
    if allowed and isinstance(value, str):
        wanted = f"is not a member of {json.dumps(allowed)}"
    else:
        expected = _EXPECTED.search(error.problem)
        kind = expected[1].partition(" | ")[0] if expected else ""
        wanted = f"is not {_KINDS.get(kind, 'a valid value')}"
    return f"Invalid request.\n\n{subject}, {_show(value)} {wanted}."


def _describe_missing(names: list[str]) -> str:
    quoted = ", ".join(f'"{name}"' for name in sorted(names))
    return f"Invalid request.\n\n{quoted} {'was' if len(names) == 1 else 'were'}n't supplied."


def _show(value: Any) -> str:
    """Return a value as GitHub prints it: `nil`, and else as JSON, cut to a readable length."""
    if value is None:
        return "nil"
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= MAX_SHOWN_LETTERS else f"{text[:MAX_SHOWN_LETTERS]}…"


def _value_at(given: Any, steps: list[str]) -> Any:
    for step in steps:
        if isinstance(given, Mapping):
            given = given.get(step)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        elif isinstance(given, list) and step.isdecimal() and int(step) < len(given):  # pyright: ignore[reportUnknownArgumentType]
            given = given[int(step)]  # pyright: ignore[reportUnknownVariableType]
        else:
            return None
    return given  # pyright: ignore[reportUnknownVariableType]


def _missing_names(contract: type, given: Any, steps: list[str]) -> Iterator[str]:
    """Yield the required fields that the object at a place lacks."""
    value = _value_at(given, steps)
    for kind in _types_at(contract, tuple(steps)):
        if isinstance(kind, msgspec_types.StructType):
            yield from (
                field.encode_name for field in kind.fields if field.required and field.encode_name not in (value or {})
            )


@lru_cache(maxsize=256)
def _allowed_values(contract: type, steps: tuple[str, ...]) -> tuple[str, ...]:
    """Return the values that a parameter may have if these are listed."""
    kinds = _types_at(contract, steps)
    return tuple(str(value) for kind in kinds if isinstance(kind, msgspec_types.LiteralType) for value in kind.values)


def _types_at(contract: type, steps: tuple[str, ...]) -> list[msgspec_types.Type]:
    """Return the types that a place in the parameters may have."""
    kinds = _members(msgspec_types.type_info(contract))
    for step in steps:
        inner: list[msgspec_types.Type] = []
        for kind in kinds:
            if isinstance(kind, msgspec_types.StructType):
                inner += [each.type for each in kind.fields if each.encode_name == step]
            elif isinstance(kind, msgspec_types.ListType):
                inner.append(kind.item_type)
        kinds = [member for kind in inner for member in _members(kind)]
    return kinds


def _members(kind: msgspec_types.Type) -> list[msgspec_types.Type]:
    """Return the types of a union without the constraints around them."""
    if isinstance(kind, msgspec_types.Metadata):
        return _members(kind.type)
    if isinstance(kind, msgspec_types.UnionType):
        return [member for each in kind.types for member in _members(each)]
    return [kind]
