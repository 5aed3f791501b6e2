"""The words in a vendor's names."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_OTHER = re.compile(r"[^0-9a-zA-Z]+")
_VARIANTS = frozenset(
    [
        "response",
        "request",
        "compact",
        "full",
        "base",
        "mini",
        "minimal",
        "simple",
        "standard",
        "detail",
        "details",
        "detailed",
        "summary",
        "object",
        "dto",
        "model",
        "representation",
        "resource",
        "bean",
        "private",
        "public",
        "create",
        "created",
        "update",
        "updated",
        "read",
        "write",
        "api",
        "input",
        "output",
        "v1",
        "v2",
        "v3",
    ]
)
"""Words that tell the schemas of one kind of object apart: TaskCompact and TaskResponse are both tasks."""


@lru_cache(10_000)
def split_words(text: str) -> tuple[str, ...]:
    """Split a name of any style into lower-case words: `TaskResponse` has `task` and `response`."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return tuple(word.lower() for part in _OTHER.split(plain) for word in _HUMP.split(part) if word)


def snake(text: str) -> str:
    """Return a name in snake case."""
    return "_".join(split_words(text))


def family_of(schema_name: str) -> str:
    """Return the kind of object that a schema's name says, without the words for its variants: `task`."""
    words = [word for word in split_words(schema_name) if word not in _VARIANTS]
    return "_".join([*words[:-1], singular(words[-1])]) if words else snake(schema_name)


def singular(word: str) -> str:
    """Return an English noun in the singular, by its ending."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def plural(word: str) -> str:
    """Return an English noun in the plural, by its ending."""
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return word if singular(word) != word else word + "es"
    return word + "s"
