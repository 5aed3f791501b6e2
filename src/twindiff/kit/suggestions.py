"""What somebody may have meant who gave a name that is not known."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache
from itertools import islice

MAX_NAME_CHARACTERS = 100
"""Letters of a name that is compared with others; a longer one is no slip of the hand."""
MAX_CANDIDATES = 2_000
"""Names that it is compared with."""


def nearest(given: str, known: Iterable[str]) -> str | None:
    """The name most like the given one, or None where none is like it; bounded however much is given."""
    if len(given) > MAX_NAME_CHARACTERS:
        return None
    return _nearest(given, tuple(islice(known, MAX_CANDIDATES)))


@lru_cache(maxsize=100)  # a spec that is judged again and again says the same unknown names each time
def _nearest(given: str, known: tuple[str, ...]) -> str | None:
    near = get_close_matches(given, known, n=1)
    return near[0] if near else None


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """` Did you mean 'x'?` for a near miss, else nothing."""
    near = nearest(given, known)
    return f" Did you mean '{near}'?" if near else ""
