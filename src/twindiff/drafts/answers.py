"""Shows stored rows in the schemas of answers, and completes them so that each answer fits its schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, cast

from twindiff.kit.call import Call
from twindiff.kit.clock import Clock

from .documents import Schema
from .names import singular, snake
from .resources import KEY_NAMES
from .schemas import SchemaSet
from .values import ValueMaker

MAX_REPAIRS = 4
"""Rounds in which what does not fit is replaced, before the whole answer is generated again."""
MAX_VALUES_OF_ANSWER = 20_000
"""Values that are made for one answer; one that needs more, by schemas that grow without bound, does not fit them."""
MAX_EMBEDDED = 3
"""How deep related objects stand inside others."""

Find = Callable[[str, Any], Mapping[str, Any] | None]
"""Returns the stored fields of the object to which a field (by its name) with a value refers, or None."""


class ShownRow(NamedTuple):
    """The fields of a row, with what the answer needs to know of it."""

    fields: Mapping[str, Any]
    seed: str
    """What made values depend on, such as the row's key."""


class AnswerBuilder:
    """Builds answers."""

    def __init__(self, schemas: SchemaSet) -> None:
        self._schemas = schemas
        self._maker = ValueMaker(schemas)

    def make_key(self, schema: Schema, stem: str, number: int) -> Any:
        """Return the key with a number; see `ValueMaker.make_key`."""
        return self._maker.make_key(schema, stem, number)

    def make_value(self, schema: Schema, name: str, seed: str, clock: Clock) -> Any:
        """Return a made value; see `ValueMaker.make`."""
        return self._maker.make(schema, name, seed, clock)

    def _make(self, call: Call, schema: Schema, name: str, seed: str) -> Any:
        """Return a made value, and count its parts; None once the answer has too many of them."""
        made = call.memo.get("values_made", 0)
        if made > MAX_VALUES_OF_ANSWER:
            return None
        value = self._maker.make(schema, name, seed, call.clock)
        call.memo["values_made"] = made + self._maker.count
        return value

    def show(self, call: Call, row: ShownRow, schema: Schema, find: Find) -> Any:
        """Return a row in a schema; it fits the schema."""
        if not self._schemas.properties(schema):
            shown: Any = dict(row.fields) if self._schemas.type_of(schema) in ("object", "") else None
            return self.repair(call, shown, schema, row.seed)
        return self.repair(call, self._object(call, row, schema, find, 0), schema, row.seed)

    def _json_api_object(self, call: Call, row: ShownRow, schema: Schema, find: Find, depth: int) -> dict[str, Any]:
        """Return a row as an object of JSON:API, whose fields stand in its attributes and relationships."""
        properties = self._schemas.properties(schema)
        kind = self._make(call, properties["type"], "type", row.seed)
        key = {"id": str(row.fields["id"])} if row.fields.get("id") is not None else {}
        shown = {"type": kind, **key, "attributes": self._object(call, row, properties["attributes"], find, depth)}
        relations: dict[str, Any] = {}
        for name, inner in self._schemas.properties(properties.get("relationships")).items():
            data, value = self._schemas.properties(inner).get("data", {}), row.fields.get(name)
            related = None if value is None else self._field(call, name, value, data, find, f"{row.seed}.{name}", depth)
            if related is not None or self._schemas.allows_null(data):
                relations[name] = {"data": self._name_kind(data, related)}
        links = {"links": row.fields["links"]} if row.fields.get("links") else {}
        return {**shown, **({"relationships": relations} if relations else {}), **links}

    def _name_kind(self, schema: Schema, related: Any) -> Any:
        """Return an object that is referred to with the `type` that its schema says."""
        kind = self._schemas.flatten(self._schemas.properties(schema).get("type", {})).get("const")
        return {"type": kind, **cast(Schema, related)} if kind and isinstance(related, dict) else related

    def _object(self, call: Call, row: ShownRow, schema: Schema, find: Find, depth: int) -> dict[str, Any]:
        schema = self._schemas.choose(schema, row.fields)
        if self._schemas.is_json_api(schema):
            return self._json_api_object(call, row, schema, find, depth)
        required = self._schemas.shown_fields(schema)
        shown: dict[str, Any] = {}
        for name, inner in self._schemas.properties(schema).items():
            if self._schemas.is_flagged(inner, "writeOnly"):
                continue
            value = row.fields.get(name)
            if value is None:
                value = self._derive(name, row, inner)
            if value is not None:
                shown[name] = self._field(call, name, value, inner, find, f"{row.seed}.{name}", depth)
            elif name not in required and depth <= 1 and (plain := self._plain(inner)) is not None:
                shown[name] = plain
            elif name in required or (depth == 0 and self._schemas.allows_null(inner)):
                is_null = self._schemas.allows_null(inner)
                shown[name] = None if is_null else self._make(call, inner, name, f"{row.seed}.{name}")
        extra = {name: row.fields[name] for name in required - shown.keys() if row.fields.get(name) is not None}
        return shown | extra

    def _plain(self, schema: Schema) -> Any:
        """Return the value of an optional flag or list of which nothing is known: false or empty; None for others."""
        if self._schemas.allows_null(schema):
            return None
        kind = self._schemas.type_of(schema)
        if kind == "boolean":
            return self._schemas.flatten(schema).get("default") is True
        return [] if kind == "array" else None

    def _derive(self, name: str, row: ShownRow, schema: Schema) -> Any:
        """Return a value that other fields say: a relation's object by its id, or its id by its object."""
        flat = snake(name)
        for key in KEY_NAMES[:4]:
            if flat.endswith(f"_{key}"):
                stem = flat.removesuffix(f"_{key}")
                above: Any = next((value for field, value in row.fields.items() if snake(field) == stem), None)
                return cast(Mapping[str, Any], above).get(key) if isinstance(above, Mapping) else None
        if self._schemas.type_of(schema) == "array":
            ids = {f"{singular(flat)}_{key}s" for key in KEY_NAMES[:4]}
            return next((value for field, value in row.fields.items() if snake(field) in ids and value), None)
        if self._schemas.type_of(schema) == "object":
            wanted = {f"{flat}_{key}" for key in KEY_NAMES[:4]}
            return next((value for field, value in row.fields.items() if snake(field) in wanted), None)
        return None

    def _field(self, call: Call, name: str, value: Any, schema: Schema, find: Find, seed: str, depth: int) -> Any:
        kind = self._schemas.type_of(schema)
        if kind == "array" and isinstance(value, list):
            items = self._schemas.items(schema)
            listed = cast(list[Any], value)
            return [self._field(call, name, each, items, find, f"{seed}{n}", depth) for n, each in enumerate(listed)]
        if kind == "string" and isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if kind != "object" or depth >= MAX_EMBEDDED:
            return value
        properties = self._schemas.properties(schema)
        if not properties:
            return value
        if isinstance(value, Mapping):
            own = cast(Mapping[str, Any], value)
            keys = [key for key in KEY_NAMES[:6] if own.get(key) is not None]
            known = self._find(find, name, schema, own[keys[0]]) if keys and len(own) <= 2 else None
            fields = {**known, **own} if known else own
            shown = self._object(call, ShownRow(fields, seed), schema, find, depth + 1)
            return shown | {each: own[each] for each in own if each not in properties}
        known = self._find(find, name, schema, value)
        key = next((each for each in KEY_NAMES if each in properties), "")
        fields = known or ({key: value} if key else {})
        return self._object(call, ShownRow(fields, f"{name}{value}"), schema, find, depth + 1)

    def _find(self, find: Find, name: str, schema: Schema, key: Any) -> Mapping[str, Any] | None:
        """Return the stored fields of the object to which a field refers, by its name or by that of its schema."""
        return find(name, key) or (find(family, key) if (family := self._schemas.family(schema)) else None)

    def repair(self, call: Call, value: Any, schema: Schema, seed: str) -> Any:
        """Return a value that fits a schema: what does not fit is left out, or generated again where it is required."""
        for _ in range(MAX_REPAIRS):
            errors = self._schemas.errors(schema, value)
            if not errors or call.memo.get("values_made", 0) > MAX_VALUES_OF_ANSWER:
                return value
            for error in errors:
                value = self._mend(call, value, schema, list(error.path), seed)
        made = self._make(call, schema, "", seed)
        return made

    def _mend(self, call: Call, value: Any, schema: Schema, path: list[str | int], seed: str) -> Any:
        flat = self._schemas.flatten(schema)
        if not path:
            return self._complete(call, value, schema, flat, seed)
        step, rest = path[0], path[1:]
        inner: Schema = (
            self._schemas.items(schema) if isinstance(step, int) else flat.get("properties", {}).get(step, {})
        )
        if isinstance(value, Mapping) and step in value:
            fields = dict(cast(Mapping[Any, Any], value))
            if not rest and step not in self._schemas.shown_fields(schema):
                del fields[step]
            else:
                fields[step] = self._mend(call, fields[step], inner, rest, f"{seed}.{step}")
            return fields
        if isinstance(value, list) and isinstance(step, int) and step < len(cast(list[Any], value)):
            listed = [*cast(list[Any], value)]
            listed[step] = self._mend(call, listed[step], inner, rest, f"{seed}{step}")
            return listed
        return cast(Any, value)

    def _complete(self, call: Call, value: Any, schema: Schema, flat: Schema, seed: str) -> Any:
        """Return an object with what it must have, or anything else generated again."""
        if not isinstance(value, Mapping) or self._schemas.type_of(schema) not in ("object", ""):
            return self._make(call, schema, "", seed)
        fields = dict(cast(Mapping[str, Any], value))
        properties = self._schemas.properties(schema)
        missing = self._schemas.shown_fields(schema) - fields.keys()
        for name in missing:
            fields[name] = self._make(call, properties.get(name, {}), name, f"{seed}.{name}")
        if not missing and flat.get("additionalProperties") is False:
            fields = {name: each for name, each in fields.items() if name in properties}
        return fields if missing else self._fit_one(call, fields, schema, seed)

    def _fit_one(self, call: Call, fields: dict[str, Any], schema: Schema, seed: str) -> Any:
        """Return an object that fits exactly one alternative of a schema, with as many of the fields as it takes."""
        branches = self._schemas.branches(schema)
        if not branches or self._schemas.fits(schema, fields):
            return fields
        for branch in branches:
            own = self._schemas.properties(branch)
            made: Any = self._make(call, branch, "", seed)
            kept = {name: value for name, value in fields.items() if name in own}
            candidates: list[Any] = [{**cast(Schema, made), **kept}, made] if isinstance(made, dict) else [made]
            for candidate in candidates:
                if self._schemas.fits(schema, candidate):
                    return candidate
        return fields
