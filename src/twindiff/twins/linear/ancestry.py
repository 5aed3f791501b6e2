"""Filters over all that stands above a thing, however far; an engine's conditions go up one step only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from twindiff.kit import Call, not_
from twindiff.kit.graphql import Entity, by_value, in_words, verbs
from twindiff.kit.rows import Expression

Above = Mapping[str, Iterable[str]]
"""What stands directly above each thing, by id."""


def ancestors_of(above: Above) -> dict[str, set[str]]:
    """Everything above each thing that anything is above; a circle is gone round once."""
    return {key: _climbed(above, key) for key in above}


def _climbed(above: Above, key: str) -> set[str]:
    found: set[str] = set()
    ahead = list(above[key])
    while ahead:
        each = ahead.pop()
        if each not in found:
            found.add(each)
            ahead.extend(above.get(each, ()))
    return found - {key}


def over_ancestors(call: Call, entity: type[Entity], above: Above, given: dict[str, Any]) -> Expression:
    """A collection filter over the ancestors of an entity that can be seen and are not archived."""
    key, seen = entity.row.id, _matching(call, entity, {})
    ancestors = {each: found & seen for each, found in ancestors_of(above).items()}

    def some(given: dict[str, Any]) -> Expression:
        fits = _matching(call, entity, given)
        return key.in_([each for each, found in ancestors.items() if found & fits])

    def every(given: dict[str, Any]) -> Expression:
        fits = _matching(call, entity, given)
        return not_(key.in_([each for each, found in ancestors.items() if found - fits]))

    def length(given: dict[str, Any]) -> Expression:
        return by_value(key, {each: len(found) for each, found in ancestors.items()}, given, absent=0)

    return in_words(given, {"some": some, "every": every, "length": length})


def _matching(call: Call, entity: type[Entity], given: dict[str, Any]) -> set[str]:
    return {key for (key,) in call.db.rows(entity.row, *verbs.seen(call, entity, given), columns=(entity.row.id,))}
