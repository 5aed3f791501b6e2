"""The schemas of a description: what they say once references are followed, and whether values fit them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast

import jsonschema_rs

from .documents import BASE, DescriptionError, Schema, find_by_reference
from .names import family_of

Direction = Literal["readOnly", "writeOnly"]
"""The flag of properties that only answers have, or only requests."""
_JSON_API = frozenset(["type", "id", "lid", "attributes", "relationships", "links", "meta"])
MAX_DEPTH = 50
"""How deep references and combinations are followed."""
_PATTERNS = jsonschema_rs.RegexOptions()
"""Patterns of a description are matched in linear time, so that none can hang the server."""


class SchemaError(NamedTuple):
    """Where a value does not fit its schema, and why."""

    path: tuple[str | int, ...]
    """The keys and numbers that lead to the value."""
    message: str


class SchemaSet:
    """The schemas of one document."""

    def __init__(self, document: Schema) -> None:
        """Raises DescriptionError for schemas that nest too deep."""
        self._document = document
        try:
            self._registry = jsonschema_rs.Registry([(BASE, document)], draft=jsonschema_rs.Draft202012)
        except (ValueError, jsonschema_rs.ReferencingError) as error:
            raise DescriptionError(f"Its schemas cannot be read: {error}.") from None
        self._flat: dict[int, Schema] = {}
        self._validators: dict[int, jsonschema_rs.Draft202012Validator | None] = {}
        self._counts: dict[tuple[int, int], Counter[str]] = {}
        self._alive: list[Schema | Sequence[Schema]] = []
        """The schemas whose identity is a key of the caches."""

    def names(self) -> Iterable[str]:
        """Return the names of the document's schemas."""
        return self._document.get("components", {}).get("schemas", {})

    def flatten(self, schema: Schema) -> Schema:
        """Return a schema with references followed and combinations merged.

        Of several alternatives, the first that is not null says the type, and the properties are those of all. A schema
        that contains itself without a property in between is {}.
        """
        return self._flatten(schema, 0)

    def _flatten(self, schema: Any, depth: int) -> Schema:
        if depth > MAX_DEPTH or not isinstance(schema, dict):
            return {}
        fields = cast(Schema, schema)
        known = self._flat.get(id(fields))
        if known is None:
            known = self._flat[id(fields)] = self._merge_parts(fields, depth)
            self._alive.append(fields)
        return known

    def _merge_parts(self, fields: Schema, depth: int) -> Schema:
        if isinstance(fields.get("$ref"), str):
            target = self._flatten(find_by_reference(self._document, fields["$ref"]), depth + 1)
            beside = {name: value for name, value in fields.items() if name != "$ref"}
            return {**target, **beside}
        merged = {name: value for name, value in fields.items() if name not in ("allOf", "anyOf", "oneOf")}
        for part in fields.get("allOf", ()):
            merged = _merge(self._flatten(part, depth + 1), merged, is_one_of=False)
        for kind in ("anyOf", "oneOf"):
            branches = [self._flatten(each, depth + 1) for each in fields.get(kind, ())]
            if any(each.get("type") == "null" for each in branches):
                merged["x-null"] = True
            for branch in branches:
                if branch.get("type") != "null":
                    merged = _merge(branch, merged, is_one_of=True)
        return merged

    def properties(self, schema: Schema | None) -> dict[str, Schema]:
        """Return the properties of an object by name; {} for anything else."""
        given: Any = self.flatten(schema).get("properties") if schema else None
        if not isinstance(given, dict):
            return {}
        return {name: each for name, each in cast(Schema, given).items() if isinstance(each, dict)}

    def is_json_api(self, schema: Schema | None) -> bool:
        """Return whether a schema is of a JSON:API object, whose fields stand in `attributes` and `relationships`.

        https://jsonapi.org/format/#document-resource-objects
        """
        names = self.properties(schema).keys()
        return {"type", "attributes"} <= names <= _JSON_API

    def list_fields(self, schema: Schema | None) -> dict[str, Schema]:
        """Return the fields of an object by name: its properties, for JSON:API with those of its parts."""
        properties = self.properties(schema)
        if not self.is_json_api(schema):
            return properties
        related = self.properties(properties.get("relationships"))
        relations = {name: self.properties(each).get("data", {}) for name, each in related.items()}
        key = {"id": properties["id"]} if "id" in properties else {}
        return {**key, **relations, **self.properties(properties["attributes"])}

    def count_fields(self, schemas: Sequence[Schema]) -> Counter[str]:
        """Return how many of some schemas have a field, by its name; computed again only if the sequence has grown."""
        key = (id(schemas), len(schemas))
        known = self._counts.get(key)
        if known is None:
            known = self._counts[key] = Counter(name for each in schemas for name in self.list_fields(each))
            self._alive.append(schemas)
        return known

    def required_fields(self, schema: Schema) -> frozenset[str]:
        """Return the names of the properties that an object must have."""
        given: Any = self.flatten(schema).get("required")
        return frozenset(map(str, cast(list[Any], given))) if isinstance(given, list) else frozenset()

    def needed_fields(self, schema: Schema) -> frozenset[str]:
        """Return the names of the properties that a request must give: those that have no default."""
        properties = self.properties(schema)
        given = (
            name for name in self.required_fields(schema) if not self.is_flagged(properties.get(name, {}), "readOnly")
        )
        return frozenset(name for name in given if "default" not in self.flatten(properties.get(name, {})))

    def shown_fields(self, schema: Schema) -> frozenset[str]:
        """Return the names of the properties that an object must have in answers."""
        properties = self.properties(schema)
        required = self.required_fields(schema)
        return frozenset(name for name in required if not self.is_flagged(properties.get(name, {}), "writeOnly"))

    def type_of(self, schema: Schema) -> str:
        """Return the type of a schema's values besides null; empty if it has several or none."""
        flat = self.flatten(schema)
        given: Any = flat.get("type")
        if isinstance(given, list):
            kinds = [str(each) for each in cast(list[Any], given) if each != "null"]
            return kinds[0] if len(kinds) == 1 else ""
        if isinstance(given, str):
            return given
        return "object" if "properties" in flat else "array" if "items" in flat else ""

    def allows_null(self, schema: Schema) -> bool:
        """Return whether null is a value of a schema."""
        flat = self.flatten(schema)
        given: Any = flat.get("type")
        return bool(flat.get("x-null")) or given == "null" or (isinstance(given, list) and "null" in given)

    def items(self, schema: Schema) -> Schema:
        """Return the schema of a list's items."""
        given: Any = self.flatten(schema).get("items")
        return cast(Schema, given) if isinstance(given, dict) else {}

    def family(self, schema: Schema | None) -> str:
        """Return the kind of object that the name of a schema says, such as `task`; empty for one without a name."""
        for _ in range(MAX_DEPTH):
            if not schema:
                return ""
            if isinstance(schema.get("$ref"), str):
                return family_of(schema["$ref"].rpartition("/")[2])
            parts: list[Any] = [
                each
                for kind in ("allOf", "anyOf", "oneOf")
                for each in schema.get(kind, ())
                if isinstance(each, dict) and ("$ref" in each or "allOf" in each)
            ]
            schema = cast(Schema, parts[0]) if parts else None
        return ""

    def branches(self, schema: Schema) -> list[Schema]:
        """Return the alternatives of a schema of which a value must fit exactly one."""
        for _ in range(MAX_DEPTH):
            if not isinstance(schema.get("$ref"), str):
                break
            schema = find_by_reference(self._document, schema["$ref"])
        return [each for each in schema.get("oneOf", ()) if isinstance(each, dict)]

    def parts(self, schema: Schema, value: Any, depth: int = 0) -> Iterator[Schema]:
        """Yield the schemas of which one consists, references followed: all of `allOf`, and the alternatives that fit.

        If a value fits no alternative, all are yielded.
        """
        if depth > MAX_DEPTH:
            return
        yield schema
        if isinstance(schema.get("$ref"), str):
            yield from self.parts(find_by_reference(self._document, schema["$ref"]), value, depth + 1)
        for part in [cast(Schema, each) for each in schema.get("allOf", ()) if isinstance(each, dict)]:
            yield from self.parts(part, value, depth + 1)
        for kind in ("anyOf", "oneOf"):
            branches = [cast(Schema, each) for each in schema.get(kind, ()) if isinstance(each, dict)]
            for branch in [each for each in branches if self.fits(each, value)] or branches:
                yield from self.parts(branch, value, depth + 1)

    def choose(self, schema: Schema, fields: Mapping[str, Any]) -> Schema:
        """Return the alternative of a schema that an object's fields do not contradict, such as by their `type`."""
        for _ in range(MAX_DEPTH):
            if not isinstance(schema.get("$ref"), str):
                break
            schema = find_by_reference(self._document, schema["$ref"])
        branches: list[Schema] = [
            each for kind in ("oneOf", "anyOf") for each in schema.get(kind, ()) if isinstance(each, dict)
        ]
        fitting = (each for each in branches if self.properties(each) and not self._contradicts(each, fields))
        return next(fitting, schema)

    def _contradicts(self, schema: Schema, fields: Mapping[str, Any]) -> bool:
        for name, inner in self.properties(schema).items():
            flat = self.flatten(inner)
            only = flat.get("enum") or ([flat["const"]] if "const" in flat else [])
            if len(only) == 1 and fields.get(name) is not None and fields[name] not in only:
                return True
        return False

    def is_flagged(self, schema: Schema, flag: Direction) -> bool:
        """Return whether a property has a flag: only answers have `readOnly` ones, only requests `writeOnly` ones."""
        return self.flatten(schema).get(flag) is True

    def _lacks_flagged(self, schema: Schema, error: Any, absent: Direction) -> bool:
        """Return whether an error says that a property is missing that need not be there."""
        name = getattr(error.kind, "property", None)
        if getattr(error.kind, "name", "") != "required" or name is None:
            return False
        for step in error.instance_path:
            schema = self.items(schema) if isinstance(step, int) else self.properties(schema).get(step, {})
        return self.is_flagged(self.properties(schema).get(str(name), {}), absent)

    def errors(
        self, schema: Schema, value: Any, most: int = 20, *, absent: Direction = "writeOnly"
    ) -> list[SchemaError]:
        """Return at most `most` of the places in which a value does not fit a schema.

        Properties with the flag `absent` may be missing: `writeOnly` ones in answers, `readOnly` ones in requests.
        """
        validator = self._validator(schema)
        if validator is None:
            return []
        problems: list[SchemaError] = []
        for error in validator.iter_errors(value):
            if self._lacks_flagged(schema, error, absent):
                continue
            problems.append(SchemaError(tuple(error.instance_path), error.message))
            if len(problems) == most:
                break
        return problems

    def fits(self, schema: Schema, value: Any) -> bool:
        """Return whether a value fits a schema."""
        validator = self._validator(schema)
        return validator is None or validator.is_valid(value)

    def _validator(self, schema: Schema) -> jsonschema_rs.Draft202012Validator | None:
        """Return the validator of a schema; None for a schema that is itself invalid."""
        if id(schema) not in self._validators:
            self._alive.append(schema)
            try:
                made = jsonschema_rs.Draft202012Validator(
                    schema, registry=self._registry, validate_formats=True, pattern_options=_PATTERNS
                )
            except (ValueError, jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError):
                made = None
            self._validators[id(schema)] = made
        return self._validators[id(schema)]


def _merge(part: Schema, into: Schema, *, is_one_of: bool) -> Schema:
    """Merge a part of a combination into a schema; what the schema says itself counts."""
    merged = {**part, **into}
    properties = {**part.get("properties", {}), **into.get("properties", {})}
    if properties:
        merged["properties"] = properties
    required = [] if is_one_of else [*part.get("required", ()), *into.get("required", ())]
    if required:
        merged["required"] = required
    elif is_one_of and "required" in part and "required" not in into:
        merged["required"] = part["required"] if not into.get("properties") else []
    return merged
