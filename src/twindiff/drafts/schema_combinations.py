"""Bounds what schemas stand for: combinations that grow at each level, and schemas that combine themselves.

A value is held against each part of a combination, so `allOf: [B, B]`, where B combines two others in turn, doubles the
work at each level. A base that lists its kinds (`oneOf: [Cat, Dog]`), each of which extends the base
(`allOf: [Pet, …]`), has no end; within its kinds it stands for its own fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

Schema = dict[str, Any]

MAX_COMBINED_SCHEMAS = 50_000
"""The most schemas against which one value may have to be held."""
_LISTS = ("allOf", "anyOf", "oneOf")
_SINGLE = ("not", "if", "then", "else")
COMBINING = frozenset([*_LISTS, *_SINGLE, "$ref"])
"""The keywords by which a schema stands for others."""


class TooManyCombinations(ValueError):
    """A schema stands for more than MAX_COMBINED_SCHEMAS others, or they are nested too deeply to tell."""


class CombinationLimits:
    """Weighs the schemas of a document. `find` returns what an absolute reference points to, or {}."""

    def __init__(self, find: Callable[[str], Schema]) -> None:
        self._find = find
        self._weights: dict[int, int] = {}
        """The number of schemas that each stands for, by its identity; 0 while it is counted."""
        self._targets: dict[str, Schema] = {}

    def apply(self, schemas: Iterable[Schema]) -> None:
        """Cut the ends of circles in the schemas, in place. Raises TooManyCombinations.

        A base that lists its kinds comes first, so that it is the kinds' references to it that are cut.
        """
        try:
            for schema in sorted(schemas, key=lambda each: "oneOf" not in each and "anyOf" not in each):
                if self._weigh(schema) > MAX_COMBINED_SCHEMAS:
                    raise TooManyCombinations(f"One of its schemas combines more than {MAX_COMBINED_SCHEMAS:,} others.")
        except RecursionError:
            raise TooManyCombinations("Its schemas are nested too deeply.") from None

    def _weigh(self, schema: Schema) -> int:
        known = self._weights.get(id(schema))
        if known is not None:
            return known
        self._weights[id(schema)] = 0
        self._cut(schema)
        weight = 1 + sum(map(self._weigh, self._parts(schema)))
        self._weights[id(schema)] = weight
        return weight

    def _cut(self, schema: Schema) -> None:
        """Put the own fields of what a schema refers to in the place of a reference that closes a circle."""
        target = self._target(schema)
        if target is not None and self._weights.get(id(target)) == 0:
            del schema["$ref"]
            own = {name: value for name, value in target.items() if name not in COMBINING}
            schema.update({name: value for name, value in own.items() if name not in schema})

    def _target(self, schema: Schema) -> Schema | None:
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return None
        if reference not in self._targets:
            self._targets[reference] = self._find(reference)
        return self._targets[reference]

    def _parts(self, schema: Schema) -> Iterator[Schema]:
        target = self._target(schema)
        if target is not None:
            yield target
        for name in _LISTS:
            listed = schema.get(name)
            if isinstance(listed, list):
                yield from (each for each in cast(list[Any], listed) if isinstance(each, dict))
        yield from (cast(Schema, schema[name]) for name in _SINGLE if isinstance(schema.get(name), dict))
