"""Refuses request fields that an operation of our own does not have, so that typos are not ignored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from twindiff.kit.errors import InvalidParameter
from twindiff.kit.suggestions import did_you_mean

MAX_NAME_LENGTH = 100
"""Characters of an unknown name that its error repeats."""


def refuse_unknown_fields(given: Iterable[str], known: Sequence[str]) -> None:
    """Raise InvalidParameter for the first unknown name; the error suggests the nearest name, or lists all."""
    for name in given:
        if name not in known:
            listed = f"it takes {', '.join(known)}" if known else "it takes none"
            near = did_you_mean(name, known) or f" The request cannot have it: {listed}."
            raise InvalidParameter(name[:MAX_NAME_LENGTH], f"there is no such field.{near}")
