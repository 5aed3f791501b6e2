"""Readers of the JSON values that specs consist of; errors name the place of an invalid value."""

import json
from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar, cast

from twindiff.checks.operators import plain
from twindiff.checks.vocabulary import Words, advice, list_words

DEEPEST = 64
"""Levels of nesting that a spec may have."""

MAX_INTEGER_DIGITS = 4300
"""Digits of the longest integer that Python converts to text."""

TOO_LARGE = 10**MAX_INTEGER_DIGITS

MISSING: Any = object()

T = TypeVar("T")


class SpecError(ValueError):
    """The spec is not in the assertion language; the text says where, what was given and what to do."""

    def __init__(self, place: str, problem: str, given: object = MISSING, advice: str = "") -> None:
        parts = [f"{place or 'spec'}: {problem}."]
        if given is not MISSING:
            parts.append(f"Given: {short(given)}.")
        super().__init__(" ".join([*parts, advice] if advice else parts))
        self.place = place


def an_object(value: object, place: str, names: Collection[str] = ()) -> dict[str, Any]:
    """Read an object with any keys; `names` are the expected keys, for the error message."""
    if not isinstance(value, dict):
        raise SpecError(place, "is not an object", value, f"Give an object{_list_of(names)}.")
    for key in cast("dict[object, object]", value):
        if not isinstance(key, str):
            raise SpecError(place, "has a key that is not a text", key, "Give each key in quotes.")
    return cast("dict[str, Any]", value)


def read_object(
    value: object, place: str, words: Words, required: Collection[str] = (), *, extended: bool = True
) -> dict[str, Any]:
    """Read an object whose keys are words of the language."""
    names = list_words(words, extended=extended)
    given = an_object(value, place, names)
    for key in given:
        if key not in names:
            raise SpecError(place, f"unknown key '{key}'", advice=advice(key, names, words))
    for key in required:
        if key not in given:
            raise SpecError(place, f"{key} is missing", given, f"Give {key}.")
    return given


def list_of(value: object, place: str, item: Callable[[object, str], T]) -> list[T]:
    """Read a list, passing each item and its place to `item`."""
    if not isinstance(value, list):
        raise SpecError(place, "is not a list", value, "Give a list.")
    return [item(given, f"{place}[{position}]") for position, given in enumerate(cast("list[object]", value))]


def text(value: object, place: str) -> str:
    """A text."""
    if not isinstance(value, str):
        raise SpecError(place, "is not a text", value, "Give a text in quotes.")
    return value


def boolean(value: object, place: str) -> bool:
    """`true` or `false`."""
    if not isinstance(value, bool):
        raise SpecError(place, "is not a boolean", value, "Write true or false.")
    return value


def number(value: object, place: str) -> float:
    """A number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise SpecError(place, "is not a number", value, "Give a number; times are compared as texts by starts_with.")
    return value


def whole(value: object, place: str, advice: str) -> int:
    """A whole number from 0 on."""
    is_whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not is_whole or cast("float", value) < 0:
        raise SpecError(place, "is not a count", value, advice)
    if cast("float", value) >= TOO_LARGE:
        raise SpecError(place, f"is too large: it has more than {MAX_INTEGER_DIGITS} digits", advice=advice)
    return int(cast("float", value))


def scalar(value: object, place: str) -> Any:
    """A text, a number, a boolean or null."""
    value = plain(value)
    if value is not None and not isinstance(value, str | int | float | bool):
        raise SpecError(place, "is no JSON value", value, "Give a text, a number, a boolean, null or a predicate.")
    return value


def anything(value: object, place: str) -> Any:
    """Any value."""
    if isinstance(value, dict):
        for key, item in an_object(cast("object", value), place).items():
            anything(item, inside(place, key))
    elif isinstance(value, list | tuple):
        list_of(list(cast("Sequence[object]", value)), place, anything)
    return cast("object", value)


def array(value: object, place: str) -> list[Any]:
    """A list."""
    return list_of(value, place, anything)


def choices(value: object, place: str) -> list[Any]:
    """A list of at least one value."""
    values = array(value, place)
    if not values:
        raise SpecError(place, "is empty", values, "Give at least one value.")
    return values


def one_of(words: Words, value: object, place: str, *, extended: bool = True) -> str:
    """Read one of several words."""
    names = list_words(words, extended=extended)
    if value not in names:
        raise SpecError(place, f"unknown {place.rpartition('.')[2]}", value, advice(value, names, words))
    return cast("str", value)


def columns(value: object, place: str) -> frozenset[str]:
    """Read column names, each at most once."""
    names = list_of(value, place, text)
    if "" in names:
        raise SpecError(place, "has an empty name", names, "Name a column.")
    if len(set(names)) < len(names):
        raise SpecError(place, "has a name twice", names, "Name each column once.")
    return frozenset(names)


def inside(place: str, key: str) -> str:
    """Return the place of a key within an object."""
    return f"{place}.{key}" if key.replace("_", "a").isalnum() else f"{place}[{json.dumps(key, ensure_ascii=False)}]"


def short(value: object) -> str:
    """Write a value as JSON, truncated to 120 characters."""
    try:
        written = json.dumps(value, ensure_ascii=False, default=str)
    except (RecursionError, ValueError, TypeError):
        written = type(value).__name__
    return written if len(written) <= 120 else f"{written[:117]}…"


def refuse_depth(spec: object) -> None:
    """Reject a spec that is nested too deeply to be read recursively."""
    level = [spec]
    for _ in range(DEEPEST):
        level = [inner for value in level for inner in items_of(value)]
    if level:
        raise SpecError("", f"is nested deeper than {DEEPEST} levels", advice="Compare a dotted path instead.")


def items_of(value: object) -> Collection[object]:
    """Return the values in an object or a list; empty for any other value."""
    if isinstance(value, dict):
        return cast("dict[object, object]", value).values()
    return cast("list[object]", value) if isinstance(value, list | tuple) else ()


def _list_of(names: Collection[str]) -> str:
    return f" with {', '.join(names)}" if names else ""
