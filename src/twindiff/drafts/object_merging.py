"""Changes of the objects inside fields: by a merge patch, by a part of them, or by other ones in their place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, cast

from .documents import Schema
from .resources import KEY_NAMES
from .schemas import SchemaSet

MERGE_PATCH = "application/merge-patch+json"
Changing = Literal["merge", "patch", "replace"]
"""How an object inside a field changes: by a part of it, by a merge patch, or as a whole."""


def apply_merge_patch(known: Any, given: Any) -> Any:
    """Return a value after a merge patch, in which null removes; see RFC 7396."""
    if not isinstance(given, Mapping):
        return given
    merged: dict[str, Any] = dict(cast(Mapping[str, Any], known)) if isinstance(known, Mapping) else {}
    for name, value in cast(Mapping[str, Any], given).items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = apply_merge_patch(merged.get(name), value)
    return merged


def merge_objects(known: Any, given: Any) -> Any:
    """Return an object with the fields that a request gives, at any depth; anything else as it is given.

    An object with another key is another one, which takes the place of the first.
    """
    if not isinstance(known, Mapping) or not isinstance(given, Mapping):
        return given
    before, after = cast(Mapping[str, Any], known), cast(Mapping[str, Any], given)
    if is_another(before, after):
        return after
    return {**before, **{name: merge_objects(before.get(name), value) for name, value in after.items()}}


def is_another(known: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
    """Return whether two values of a field refer to different objects."""
    return any(key in given and given[key] != known.get(key) for key in KEY_NAMES[:6])


class ObjectMerger:
    """Changes objects as their schemas allow."""

    def __init__(self, schemas: SchemaSet) -> None:
        self._schemas = schemas

    def change(self, changing: Changing, schema: Schema, known: Any, given: Any) -> Any:
        """Return a value that a request gives with what stays of the one before."""
        if changing == "patch":
            return apply_merge_patch(known, given)
        return self._merge(schema, known, given) if changing == "merge" else self._replace(schema, known, given)

    def _merge(self, schema: Schema, known: Any, given: Any) -> Any:
        """Return an object with the fields that a request gives, or what it gives where both do not go together.

        A null stays where the schema takes it, and removes elsewhere.
        """
        merged = self._drop_nulls(schema, merge_objects(known, given))
        fits = self._schemas.fits
        return given if merged != given and not fits(schema, merged) and fits(schema, given) else merged

    def _drop_nulls(self, schema: Schema, value: Any) -> Any:
        """Return an object without the nulls of fields that are never null."""
        if not isinstance(value, Mapping):
            return value
        properties, further = (
            self._schemas.properties(schema),
            self._schemas.flatten(schema).get("additionalProperties"),
        )
        kept: dict[str, Any] = {}
        for name, each in cast(Mapping[str, Any], value).items():
            inner: Schema = properties.get(name, cast(Schema, further) if isinstance(further, dict) else {})
            if each is not None or self._schemas.fits(inner, None):
                kept[name] = self._drop_nulls(inner, each)
        return kept

    def _replace(self, schema: Schema, known: Any, given: Any) -> Any:
        """Return an object that takes the place of another, with what only answers have of the other."""
        if not isinstance(known, Mapping) or not isinstance(given, Mapping):
            return given
        before, after = cast(Mapping[str, Any], known), cast(Mapping[str, Any], given)
        if is_another(before, after):
            return after
        properties = self._schemas.properties(schema)
        kept = [name for name, each in properties.items() if self._schemas.is_flagged(each, "readOnly")]
        changed = {
            name: self._replace(properties.get(name, {}), before.get(name), each) for name, each in after.items()
        }
        return {**{name: before[name] for name in kept if name in before}, **changed}
