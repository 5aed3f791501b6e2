"""Suggestions for unknown names: "Did you mean …?"."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache
from itertools import islice

MAX_NAME_CHARACTERS = 100
"""The longest name to find a suggestion for; a longer one is hardly a typing mistake."""
MAX_CANDIDATES = 2_000
"""The most known names to compare with."""


def nearest(given: str, known: Iterable[str]) -> str | None:
    """The known name most similar to the given one, or None; bounded by the two constants above."""
    if len(given) > MAX_NAME_CHARACTERS:
        return None
    return _nearest(given, tuple(islice(known, MAX_CANDIDATES)))


@lru_cache(maxsize=100)  # a spec that is checked repeatedly has the same unknown names each time
def _nearest(given: str, known: tuple[str, ...]) -> str | None:
    near = get_close_matches(given, known, n=1)
    return near[0] if near else None


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """` Did you mean 'x'?`, with the leading space, if a known name is similar, else an empty text."""
    near = nearest(given, known)
    return f" Did you mean '{near}'?" if near else ""
