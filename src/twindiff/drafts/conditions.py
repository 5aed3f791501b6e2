"""Conditions on stored objects as SQL: equality with what a parameter says, ranges, words, and filters of searches."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

import msgspec

from twindiff.kit.computed_values import Item
from twindiff.kit.errors import InvalidParameter
from twindiff.kit.rows import Column, Expression, Items, all_of, any_of, exists, not_

from .names import plural, snake
from .resources import KEY_NAMES
from .tables import StoredResource

MAX_CHOICES = 250
"""Values of one parameter, any of which a field may have."""
MAX_FILTERS = 100
_LISTED_KEYS = (*KEY_NAMES[:6], "name", "email", "value")
"""Fields by which the objects in a list are told apart."""
NOTHING = any_of()
"""The condition that no row meets."""
RANGES = {
    "gt": ">",
    "after": ">",
    "since": ">",
    "min": ">",
    "gte": ">=",
    "from": ">=",
    "lt": "<",
    "before": "<",
    "until": "<",
    "lte": "<=",
    "max": "<=",
    "to": "<=",
}
"""The comparison that the last word of a parameter's name says."""
RECORD_FIELDS = (
    "properties",
    "fields",
    "attributes",
    "values",
    "custom_attributes",
    "custom_fields",
    "user_fields",
    "merge_fields",
    "metadata",
)
"""Fields with an object that holds the fields that people define."""
_COMPARED = {
    **dict.fromkeys(("=", "eq", "is", "equals", "equal"), "="),
    **dict.fromkeys(("!=", "neq", "ne", "not_equals"), "!="),
    **dict.fromkeys((">", "gt"), ">"),
    **dict.fromkeys((">=", "gte"), ">="),
    **dict.fromkeys(("<", "lt"), "<"),
    **dict.fromkeys(("<=", "lte"), "<="),
    **dict.fromkeys(("~", "contains", "contains_token", "like"), "~"),
    **dict.fromkeys(("in", "any"), "="),
}


def find_columns(stored: StoredResource, name: str) -> list[Column[Any]]:
    """Return the columns that a name may mean: a field's, that of a key in `properties` and the like, or of a list.

    `email` is also what the objects in the list `emails` hold.
    """
    wanted = snake(name)
    own = [stored.column(field) for field in stored.columns if snake(field) == wanted]
    inside = [stored.column(field).json(name) for field in RECORD_FIELDS if field in stored.columns]
    if own or inside:
        return own or inside
    listed = [stored.column(field) for field in stored.columns if snake(field) == plural(wanted)]
    return [column for column in listed if column.kind == "json"]


def find_field(stored: StoredResource, name: str) -> Column[Any]:
    """Return the column of a field, or of what lies in it: `owner.name`. Raises KeyError for an unknown field."""
    field, *path = name.split(".")
    column = stored.column(field)
    return column.json(*path) if path else column


def equals(column: Column[Any], wanted: Any) -> Expression:
    """Return the condition that a value is, names or contains what a parameter asks for, which may be a list.

    Raises InvalidParameter for more than `MAX_CHOICES` values.
    """
    listed: list[Any] = cast(list[Any], wanted) if isinstance(wanted, list) else [wanted]
    texts = [str(each).lower() if isinstance(each, bool) else str(each) for each in listed]
    choices = [*dict.fromkeys(part for text in texts for part in (text, *(text.split(",") if "," in text else ())))]
    if len(choices) > MAX_CHOICES:
        raise InvalidParameter(column.name, f"{len(choices):,} values were given; at most {MAX_CHOICES} are looked for")
    if column.path:
        return any_of(*(column == each for text in choices for each in _readings(text)))
    match column.kind:
        case "json":
            return any_of(*(_holds(column, each) for each in choices))
        case "integer":
            return column.in_([int(each) for each in choices if is_whole(each)])
        case "float":
            return column.in_([value for each in choices if (value := _number(each)) is not None])
        case "boolean":
            return any_of(
                *(column == (each.lower() == "true") for each in choices if each.lower() in ("true", "false"))
            )
        case _:
            return column.in_(choices)


def _holds(column: Column[Any], text: str) -> Expression:
    """Return the condition that JSON is a text, an object that it identifies, or a list with either."""
    readings = _readings(text)
    inside = [column.json(key) == each for key in KEY_NAMES for each in readings]
    pairs = [f'"{key}":{msgspec.json.encode(each).decode()}' for key in _LISTED_KEYS for each in readings]
    in_list = [column.contains(pair + end) for pair in pairs for end in ",}"]
    listed = all_of(column.starts("["), any_of(exists(Items(column), Item.value == text), *in_list))
    # Most rows lack the text, and to look for it is the fastest of all comparisons.
    is_somewhere = column.contains(msgspec.json.encode(text).decode()[1:-1])
    return all_of(is_somewhere, any_of(*(column == each for each in readings), *inside, listed))


def _readings(text: str) -> list[object]:
    """Return what a text may mean in JSON: itself, or a number or a truth value."""
    others: list[object] = [int(text)] if is_whole(text) else []
    return [text, *others, *([text == "true"] if text in ("true", "false") else [])]


def compare(column: Column[Any], comparison: str, bound: Any) -> Expression:
    """Return the condition that a value is greater or less than a bound; no value is so of none."""
    value: Any = str(bound)
    if column.kind in ("integer", "float"):
        value = _number(value)
        if value is None:
            return NOTHING
    elif column.kind == "json":
        value = bound if isinstance(bound, (int, float)) else value
    match comparison:
        case ">":
            return column > value
        case ">=":
            return column >= value
        case "<":
            return column < value
        case _:
            return column <= value


_UNSEARCHED = ("date-time", "date", "uuid", "uri")
"""Formats of texts in which nobody searches for words."""


def has_text(stored: StoredResource, text: str) -> Expression:
    """Return the condition that one of an object's texts contains a text, or that of the field in `name:text`."""
    named = re.fullmatch(r"(\w+):\s*\"?(.+?)\"?\s*", text)
    own = find_columns(stored, named[1]) if named else []
    if named and own:
        is_text = own[0].kind == "text"
        return own[0].contains(named[2], fold=True) if is_text else equals(own[0], named[2])
    searched = [field for field in stored.columns if stored.schemas.get(field, {}).get("format") not in _UNSEARCHED]
    texts = [column for field in searched if (column := stored.column(field)).kind == "text"]
    inside = [stored.column(field) for field in RECORD_FIELDS if field in stored.columns]
    return any_of(*(column.contains(text, fold=True) for column in (*texts, *inside)))


def read_filters(stored: StoredResource, query: Any) -> Iterator[Expression]:
    """Yield the conditions in the body of a search, wherever they stand in it.

    A condition is an object that names a field (`field`, `propertyName`, `property`), an `operator` and a `value`.
    Raises InvalidParameter for more than `MAX_FILTERS` of them.
    """
    for number, each in enumerate(_read_filters(stored, query)):
        if number == MAX_FILTERS:
            raise InvalidParameter("", f"A search may have at most {MAX_FILTERS} conditions")
        yield each


def _read_filters(stored: StoredResource, query: Any) -> Iterator[Expression]:
    if isinstance(query, list):
        for each in cast(list[Any], query):
            yield from _read_filters(stored, each)
    if not isinstance(query, Mapping):
        return
    fields = _flatten_condition(cast(Mapping[str, Any], query))
    held, choices = _find_choices(fields)
    if choices:
        yield any_of(*(all_of(*_read_filters(stored, each)) for each in choices))
        yield from _read_filters(stored, {each: value for each, value in fields.items() if each != held})
        return
    name = next((fields[each] for each in ("field", "propertyName", "property", "attribute") if each in fields), None)
    if not isinstance(name, str) or not ("value" in fields or "values" in fields):
        for each in fields.values():
            yield from _read_filters(stored, each)
        return
    comparison = _COMPARED.get(str(fields.get("operator", "=")).lower())
    if comparison:
        wanted = fields.get("value", fields.get("values"))
        yield any_of(*(_meets(column, comparison, wanted) for column in find_columns(stored, name)))


def _find_choices(fields: Mapping[str, Any]) -> tuple[str, list[Any]]:
    """Return the conditions of which one is enough, after their name: `{operator: OR, value: […]}`, `{or: […]}`."""
    kind = str(fields.get("operator", fields.get("type", ""))).lower()
    names = ("value", "conditions", "queries", "rules", "filters") if kind in ("or", "any") else ()
    for name in (*names, "or", "any", "filterGroups", "filter_groups"):
        listed = fields.get(name)
        if isinstance(listed, list) and listed and all(isinstance(each, dict) for each in cast(list[Any], listed)):
            return name, cast(list[Any], listed)
    return "", []


def _flatten_condition(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return `{field: {field_name: a}, condition: {value: b}}` as `{field: a, value: b}`; anything else as it is."""
    field, condition = fields.get("field"), fields.get("condition")
    if not isinstance(field, Mapping) or not isinstance(condition, Mapping):
        return fields
    about = cast(Mapping[str, Any], field)
    name = next((about[each] for each in ("field_name", "name", "id") if each in about), None)
    return {"field": name, **cast(Mapping[str, Any], condition)}


def _meets(column: Column[Any], comparison: str, wanted: Any) -> Expression:
    match comparison:
        case "=":
            return equals(column, wanted)
        case "!=":
            return not_(equals(column, wanted))
        case "~":
            return column.contains(str(wanted), fold=True)
        case _:
            return compare(column, comparison, wanted)


def is_whole(text: str) -> bool:
    """Return whether a text is an integer of at most 18 digits."""
    return bool(re.fullmatch(r"-?[0-9]{1,18}", text))


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
