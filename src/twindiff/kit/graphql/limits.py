"""Bounds on the size and cost of documents and responses, which are checked before or during the execution.

The bounds of a document's text are checked first, in this order; each check is linear in the text.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple, cast

from twindiff.kit.throttling import yield_processor

from .errors import TooComplex


class RequestLimits(NamedTuple):
    """Bounds of one request; `complexity` is in the vendor's points."""

    characters: int = 100_000
    depth: int = 64
    tokens: int = 5_000
    complexity: float = 10_000
    values: int = 10_000
    """Values in all variables together."""
    conditions: int = 500
    """Conditions in all filters together, including those on related rows."""
    introspection: int = 200_000
    """Values in an introspection result; the standard query has 80,000 for a schema of 700 types."""
    answer: int = 10_000_000
    """Approximate bytes of a response: escapes and punctuation are estimated."""


_STRINGS = re.compile(r'"""(?:\\"""|[\s\S])*?(?:"""|\Z)|"(?:\\.|[^"\\\n])*"?|#[^\n]*')
_BRACKETS = re.compile(r"[{\[(]|[}\])]")


def check(text: str, limits: RequestLimits) -> None:
    """Raise TooComplex for a document that is too long or too deep to be parsed."""
    if len(text) > limits.characters:
        raise TooComplex(f"The query is too long: {len(text):,} characters, where {limits.characters:,} are allowed")
    if depth_of(text) > limits.depth:
        raise TooComplex(f"The query is nested more than {limits.depth} levels deep")


def depth_of(text: str) -> int:
    """The nesting depth of brackets of any kind, outside strings and comments."""
    depth = deepest = 0
    for bracket in _BRACKETS.findall(_STRINGS.sub("", text)):
        depth += 1 if bracket in "{[(" else -1
        deepest = max(deepest, depth)
    return deepest


def check_variables(variables: object, limits: RequestLimits) -> None:
    """Raise TooComplex for variables that are nested too deeply or hold too many values."""
    level, seen = [variables], 0
    for _ in range(limits.depth):
        yield_processor()
        level = [inner for each in level for inner in _inside(each)]
        if not level:
            return
        seen += len(level)
        if seen > limits.values:
            raise TooComplex(f"The variables hold more than {limits.values:,} values")
    raise TooComplex(f"The variables are nested more than {limits.depth} levels deep")


def _inside(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(cast(dict[str, object], value).values())
    return list(cast(list[object], value)) if isinstance(value, list) else []


def check_answer(data: object, limits: RequestLimits) -> None:
    """Raise TooComplex for a response that is too large; repeated texts count each time."""
    if _subtract_size(data, limits.answer) < 0:
        raise TooComplex(f"The answer is larger than {limits.answer:,} bytes; ask for fewer rows or fields at once")


def _subtract_size(value: Any, left: int) -> int:
    """The bytes that remain of `left` after a value; negative as soon as it is too large."""
    if isinstance(value, str):
        return left - len(value)
    if not isinstance(value, dict | list):
        return left
    inside: Any = cast(Any, value.values() if isinstance(value, dict) else value)
    left -= 10 * len(inside)
    for each in inside:
        left = left - len(each) if isinstance(each, str) else _subtract_size(each, left)
        if left < 0:
            break
    return left
