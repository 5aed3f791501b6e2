"""What a document may cost before anybody reads it: bytes, depth, tokens. In this order, each is linear in the text."""

from __future__ import annotations

import re
from typing import NamedTuple

from .errors import TooComplex


class Limits(NamedTuple):
    """Bounds of one document; `complexity` in the vendor's points."""

    characters: int = 100_000
    depth: int = 64
    tokens: int = 5_000
    complexity: float = 10_000


_STRINGS = re.compile(r'"""(?:\\"""|[\s\S])*?(?:"""|\Z)|"(?:\\.|[^"\\\n])*"?|#[^\n]*')
_BRACKETS = re.compile(r"[{\[(]|[}\])]")


def check(text: str, limits: Limits) -> None:
    """Raise TooComplex for a document that is too long or too deep to be parsed."""
    if len(text) > limits.characters:
        raise TooComplex(f"The query is too long: {len(text):,} characters, where {limits.characters:,} are allowed")
    if depth_of(text) > limits.depth:
        raise TooComplex(f"The query is nested more than {limits.depth} levels deep")


def depth_of(text: str) -> int:
    """How deep brackets of any kind go, those in strings and comments left out."""
    depth = deepest = 0
    for bracket in _BRACKETS.findall(_STRINGS.sub("", text)):
        depth += 1 if bracket in "{[(" else -1
        deepest = max(deepest, depth)
    return deepest


def depth_of_values(value: object, most: int = 64) -> None:
    """Raise TooComplex for variables nested too deeply."""
    level = [value]
    for _ in range(most):
        level = [inner for each in level for inner in _inside(each)]
        if not level:
            return
    raise TooComplex(f"The variables are nested more than {most} levels deep")


def _inside(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(value.values())  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return list(value) if isinstance(value, list) else []  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
