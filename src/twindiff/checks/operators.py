"""The operators of predicates: one small function each, comparing two JSON values."""

import json
import operator
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import Any, cast

from twindiff.checks import regexes

SCALARS = frozenset({str, int, float, bool, type(None)})

Operator = Callable[[Any, Any], bool]


def plain(value: Any) -> Any:
    """Convert a value to its JSON form: dates and times become ISO text, at any depth."""
    if type(value) in SCALARS:
        return value
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, dict):
        return {key: plain(item) for key, item in cast("dict[Any, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in cast("Sequence[Any]", value)]
    return value


def text_of(value: Any) -> str | None:
    """Return the text that `contains` searches: a text itself, objects and arrays as compact ASCII JSON, else None."""
    if isinstance(value, str):
        return value
    if not isinstance(value, dict | list):
        return None
    try:
        return json.dumps(value, separators=(",", ":"), default=str)
    except (TypeError, ValueError):  # a key that is not text, or a number with too many digits
        raise regexes.UndecidedError("a value cannot be written as JSON") from None


def eq(value: Any, expected: Any) -> bool:
    """Compare as Python does: `1`, `1.0` and `true` are one number, objects and lists are compared deeply."""
    return value == expected


def ne(value: Any, expected: Any) -> bool:
    """Match every other value, null included."""
    return value != expected


def one_of(value: Any, expected: list[Any]) -> bool:
    """Match a value that is among the given ones."""
    return value in expected


def none_of(value: Any, expected: list[Any]) -> bool:
    """Match a value that is not among the given ones, null included."""
    return value not in expected


def contains(value: Any, expected: str) -> bool:
    """Match if the value's text contains the given text."""
    text = text_of(value)
    return text is not None and expected in text


def not_contains(value: Any, expected: str) -> bool:
    """Match if there is a text and it lacks the given one; never for null."""
    text = text_of(value)
    return text is not None and expected not in text


def i_contains(value: Any, expected: str) -> bool:
    """Match if the value's text contains the given text, in any case."""
    text = text_of(value)
    return text is not None and expected.lower() in text.lower()


def starts_with(value: Any, expected: str) -> bool:
    """Match the beginning of a text."""
    return isinstance(value, str) and value.startswith(expected)


def ends_with(value: Any, expected: str) -> bool:
    """Match the end of a text."""
    return isinstance(value, str) and value.endswith(expected)


def i_starts_with(value: Any, expected: str) -> bool:
    """Match the beginning of a text, in any case."""
    return isinstance(value, str) and value.lower().startswith(expected.lower())


def i_ends_with(value: Any, expected: str) -> bool:
    """Match the end of a text, in any case."""
    return isinstance(value, str) and value.lower().endswith(expected.lower())


def regex(value: Any, pattern: str) -> bool:
    """Search the pattern anywhere in a text."""
    return isinstance(value, str) and regexes.search(pattern, value)


def exists(value: Any, expected: bool) -> bool:
    """`true` matches everything but null, `false` only null."""
    return (value is not None) == expected


def is_null(value: Any, expected: bool) -> bool:
    """`true` matches only null, `false` everything else."""
    return (value is None) == expected


def has_any(value: Any, expected: list[Any]) -> bool:
    """Match a list with at least one of the items; in a text, items are parts of it."""
    return _among(any, value, expected)


def has_all(value: Any, expected: list[Any]) -> bool:
    """Match a list with every item; in a text, items are parts of it."""
    return _among(all, value, expected)


def _among(quantifier: Callable[[Any], bool], value: Any, expected: list[Any]) -> bool:
    if not isinstance(value, list | str):
        return False
    try:
        return quantifier(item in value for item in expected)
    except TypeError:  # a number looked for in a text
        return False


def gt(value: Any, expected: float) -> bool:
    """Match a greater number."""
    return _compare_ordered(operator.gt, value, expected)


def gte(value: Any, expected: float) -> bool:
    """Match a greater number, or the same."""
    return _compare_ordered(operator.ge, value, expected)


def lt(value: Any, expected: float) -> bool:
    """Match a smaller number."""
    return _compare_ordered(operator.lt, value, expected)


def lte(value: Any, expected: float) -> bool:
    """Match a smaller number, or the same."""
    return _compare_ordered(operator.le, value, expected)


def ref(value: Any, expected: Any) -> bool:
    """Match a value that a row which counts for that assertion has at that path; null is none."""
    try:
        return value in (expected.values or ())
    except TypeError:  # an object or a list cannot be in a set
        return False


def _compare_ordered(compare: Operator, value: Any, expected: float) -> bool:
    try:
        return compare(value, expected)
    except TypeError:
        return False


def all_of(parts: Iterable[bool]) -> bool:
    """Match where all of the parts do."""
    return all(parts)


def any_of(parts: Iterable[bool]) -> bool:
    """Match where at least one of the parts does."""
    return any(parts)


def negation(parts: Iterable[bool]) -> bool:
    """Match where the part does not."""
    return not any(parts)


OPERATORS: dict[str, Operator] = {
    "eq": eq,
    "ne": ne,
    "in": one_of,
    "not_in": none_of,
    "contains": contains,
    "not_contains": not_contains,
    "i_contains": i_contains,
    "starts_with": starts_with,
    "ends_with": ends_with,
    "i_starts_with": i_starts_with,
    "i_ends_with": i_ends_with,
    "regex": regex,
    "gt": gt,
    "gte": gte,
    "lt": lt,
    "lte": lte,
    "exists": exists,
    "is_null": is_null,
    "has_any": has_any,
    "has_all": has_all,
    "ref": ref,
}

CONNECTIVES: dict[str, Callable[[Iterable[bool]], bool]] = {"and": all_of, "or": any_of, "not": negation}
"""Operators that join predicates on one value, or conditions on a row."""

EXTENDED_OPERATORS = frozenset({"is_null", "ref", *CONNECTIVES})
"""Operators that the public language lacks."""
