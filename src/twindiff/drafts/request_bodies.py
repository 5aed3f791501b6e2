"""Reads bodies: what of them is stored. A body sets only what the schema of its request has."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, cast

from twindiff.kit.errors import InvalidParameter, MissingOperation, MissingParameter
from twindiff.kit.parameter_sources import Upload
from twindiff.kit.request_context import RequestContext

from .bulk_creation import MAX_CREATED_OBJECTS
from .documents import Schema
from .names import snake
from .object_merging import MERGE_PATCH
from .placeholders import value_at
from .plan import OperationPlan, list_query_fields
from .resources import KEY_NAMES
from .schemas import SchemaSet
from .stored_objects import StoredObjects, is_time_of_record, parse_whole
from .tables import StoredResource

MAX_WHOLE_NUMBER = 2**63
_REFERENCES = frozenset(KEY_NAMES[:6])
"""Fields by which an object inside a body refers to another, though answers alone may change them."""


_MISSING = re.compile(r'"(.+)" is a required property')
_FURTHER = "additionalProperties"
MAX_ERRORS = 100
"""Errors of a merge patch that are looked at, of which those of absent fields do not count."""


def is_merge_patch(plan: OperationPlan, exchange: RequestContext) -> bool:
    """Return whether a body is a merge patch, as the description says of all bodies or of those with its type."""
    types = plan.operation.body_types
    return types == (MERGE_PATCH,) or (MERGE_PATCH in types and exchange.request.content_type == MERGE_PATCH)


class BodyReader:
    """Reads the fields of bodies."""

    def __init__(self, schemas: SchemaSet, objects: StoredObjects, *, takes_number_texts: bool) -> None:
        self._schemas, self._objects, self._takes_number_texts = schemas, objects, takes_number_texts

    def read(self, plan: OperationPlan, exchange: RequestContext, body: Any) -> tuple[dict[str, Any], list[str]]:
        """Return the fields of a body that are stored, and the names of the others.

        Raises InvalidParameter and MissingParameter for a body that the schema of the request refuses.
        """
        schema = plan.operation.body
        if schema is None or plan.body is None or plan.stored is None:
            return {}, []
        if body is None or (body == {} and not exchange.request.body):
            if plan.operation.is_body_required or self._schemas.required_fields(schema):
                self._refuse(schema, {})
            return {}, []
        inner: Any = value_at(self._check(plan, exchange, schema, body), plan.body.field, {})
        if not isinstance(inner, dict):
            return {}, []
        fields, ignored = self._read_object(plan.stored, plan.body.schema, cast(dict[str, Any], inner))
        return fields, sorted({*_list_beside(body, plan.body.field), *ignored})

    def read_list(
        self, plan: OperationPlan, exchange: RequestContext, body: Any
    ) -> tuple[list[dict[str, Any]], list[str]]:
        """Return the fields that are stored of each object of a list, and the names of the others.

        Raises InvalidParameter and MissingParameter for a body that the schema of the request refuses, and
        MissingOperation for more than MAX_CREATED_OBJECTS.
        """
        schema, stored, at = cast(Schema, plan.operation.body), cast(StoredResource, plan.stored), plan.body
        assert at is not None
        checked = self._check(plan, exchange, schema, body)
        listed: Any = value_at(checked, at.field) if at.field else checked
        if not isinstance(listed, list) or not all(isinstance(each, dict) for each in cast(list[Any], listed)):
            raise InvalidParameter(at.field or "body", "a list of objects is wanted")
        objects = cast(list[dict[str, Any]], listed)
        if len(objects) > MAX_CREATED_OBJECTS:
            raise MissingOperation(f"A request creates at most {MAX_CREATED_OBJECTS:,} objects of a drafted twin.")
        read = [self._read_object(stored, at.schema, each) for each in objects]
        beside = _list_beside(checked, at.field)
        return [fields for fields, _ in read], sorted({*beside, *(name for _, names in read for name in names)})

    def read_query(self, plan: OperationPlan, given: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
        """Return the fields that the query gives, and the names of its other parameters.

        Raises InvalidParameter for an integer of more than 64 bits.
        """
        stored = cast(StoredResource, plan.stored)
        fields = list_query_fields(plan.operation, stored)
        known = {fields[name]: self._storable(stored, fields[name], given[name]) for name in fields if name in given}
        others = [each.name for each in plan.operation.parameters if each.place == "query" and each.name not in fields]
        return known, sorted(name for name in others if name in given)

    def _check(self, plan: OperationPlan, exchange: RequestContext, schema: Schema, body: Any) -> Any:
        """Return a body whose texts have the types of its schema, where it may have texts for them."""
        if "form" in exchange.request.content_type or self._takes_number_texts:
            body = self._coerce(schema, body)
        self._refuse(schema, body, is_patch=is_merge_patch(plan, exchange))
        return body

    def _read_object(
        self, stored: StoredResource, schema: Schema, inner: dict[str, Any]
    ) -> tuple[dict[str, Any], set[str]]:
        """Return the fields of an object that are stored, and the names of the others."""
        given = _DescribedBody(self._schemas)
        fields = given.keep(schema, inner, self._list_undeclared(stored))
        if self._schemas.is_json_api(schema):
            fields = _open_json_api(fields)
        by_snake = {snake(name): name for name in stored.columns}
        kept = {name: by_snake[snake(name)] for name in fields if snake(name) in by_snake}
        known = {field: self._storable(stored, field, fields[name]) for name, field in kept.items()}
        return known, {*given.ignored, *(fields.keys() - kept.keys())}

    def _list_undeclared(self, stored: StoredResource) -> Collection[str]:
        """Return the fields that a body sets although its schema does not have them, where it says nothing of fields.

        They are those of the resource but for its key, what only answers have, what is derived, and its times.
        """
        computed = self._objects.computed.get(stored.table)
        derived = {*stored.computed, *(computed.texts if computed else ())}
        return {
            snake(name)
            for name in stored.columns
            if name not in (stored.resource.key, "id", *derived)
            and not is_time_of_record(name)
            and not self._schemas.is_flagged(stored.schemas.get(name, {}), "readOnly")
        }

    def _storable(self, stored: StoredResource, field: str, value: Any) -> Any:
        """Return a value of a body as its field holds it: a text for a list of texts is split at its commas."""
        shown = stored.schemas.get(field, {})
        is_list = isinstance(value, str) and self._schemas.type_of(shown) == "array"
        if is_list and self._schemas.type_of(self._schemas.items(shown)) == "string":
            return [part.strip() for part in value.split(",") if part.strip()]
        return _storable(value, field)

    def _refuse(self, schema: Schema, body: Any, *, is_patch: bool = False) -> None:
        """Raise InvalidParameter or MissingParameter for a body that its schema refuses.

        A merge patch may lack what an object must have, unless it removes it.
        """
        if is_patch and (needed := self._schemas.required_fields(schema) & _list_nulls(body)):
            raise MissingParameter(min(needed))
        given = _without_nulls(body) if is_patch else body
        for error in self._schemas.errors(schema, given, most=MAX_ERRORS if is_patch else 1, absent="readOnly"):
            missing = _MISSING.fullmatch(error.message)
            place = ".".join(map(str, [*error.path, *(missing.groups() if missing else ())]))
            if not missing:
                raise InvalidParameter(place, error.message)
            if not is_patch:
                raise MissingParameter(place)

    def _coerce(self, schema: Schema, value: Any) -> Any:
        """Return the texts of a form as the types of its schema, and 0 and 1 as flags."""
        kind = self._schemas.type_of(schema)
        if value is None:
            return None
        if isinstance(value, dict):
            properties = self._schemas.properties(schema)
            fields = cast(dict[str, Any], value)
            return {name: self._coerce(properties.get(name, {}), each) for name, each in fields.items()}
        if kind == "array":
            inner = self._schemas.items(schema)
            if isinstance(value, str) and self._schemas.type_of(inner) in ("integer", "number", "boolean"):
                value = value.split(",")
            listed = cast(list[Any], value) if isinstance(value, list) else [value]
            return [self._coerce(inner, each) for each in listed]
        if kind == "boolean" and type(value) is int and value in (0, 1):
            return value == 1
        if not isinstance(value, str):
            return _name_files(value)
        if kind == "boolean" and value.lower() in ("true", "false", "1", "0"):
            return value.lower() in ("true", "1")
        try:
            return parse_whole(value) if kind == "integer" else float(value) if kind == "number" else value
        except ValueError:
            return value


class _DescribedBody:
    """Keeps of one body what its schema describes; `ignored` are the paths of the rest."""

    def __init__(self, schemas: SchemaSet) -> None:
        self._schemas = schemas
        self.ignored: list[str] = []

    def keep(self, schema: Schema, fields: dict[str, Any], undeclared: Collection[str]) -> dict[str, Any]:
        """Return the fields that a schema has; for one that is open, those `undeclared` as well (by `snake`)."""
        parts = [*self._schemas.parts(schema, fields)]
        is_open = _is_open(parts)
        kept: dict[str, Any] = {}
        for name, value in fields.items():
            declared = [each for part in parts if (each := _property(part, name)) is not None]
            if declared and not self._is_shown_only(declared):
                kept[name] = self._keep_inside(declared, value, name)
            elif not declared and is_open and snake(name) in undeclared:
                kept[name] = value
            else:
                self.ignored.append(name)
        return kept

    def _keep_inside(self, schemas: Sequence[Schema], value: Any, path: str) -> Any:
        """Return a value without the fields of its objects that none of its schemas has."""
        if not isinstance(value, (dict, list)):
            return value
        parts = [part for schema in schemas for part in self._schemas.parts(schema, cast(Any, value))]
        if isinstance(value, list):
            items = [part["items"] for part in parts if isinstance(part.get("items"), dict)]
            listed = cast(list[Any], value)
            return [self._keep_inside(items, each, path) for each in listed] if items else listed
        kept: dict[str, Any] = {}
        for name, each in cast(dict[str, Any], value).items():
            named = [inner for part in parts if (inner := _property(part, name)) is not None]
            declared = named or [part[_FURTHER] for part in parts if isinstance(part.get(_FURTHER), dict)]
            is_set = not self._is_shown_only(declared) or name in _REFERENCES
            if (declared and is_set) or (not declared and _is_open(parts)):
                kept[name] = self._keep_inside(declared, each, f"{path}.{name}") if declared else each
            else:
                self.ignored.append(f"{path}.{name}")
        return kept

    def _is_shown_only(self, declared: Iterable[Schema]) -> bool:
        return any(self._schemas.is_flagged(each, "readOnly") for each in declared)


def _property(part: Schema, name: str) -> Schema | None:
    properties: Any = part.get("properties")
    known: Any = cast(Schema, properties).get(name) if isinstance(properties, dict) else None
    return cast(Schema, known) if isinstance(known, dict) else None


def _says_open(parts: Sequence[Schema]) -> bool:
    """Return whether parts of a schema say that objects have further fields."""
    words = (_FURTHER, "unevaluatedProperties", "patternProperties")
    return any(part.get(word) not in (None, False) for part in parts for word in words)


def _is_open(parts: Sequence[Schema]) -> bool:
    """Return whether parts of a schema say that objects have further fields, or nothing of fields at all."""
    return _says_open(parts) or not any(part.get("properties") for part in parts)


def _list_beside(body: Any, field: str) -> Iterator[str]:
    """Yield the paths in a body beside the property that holds its object, which stands at a path, on each level."""
    above = ""
    for name in field.split(".") if field else ():
        fields: dict[str, Any] = dict(cast(Mapping[str, Any], body)) if isinstance(body, Mapping) else {}
        yield from (f"{above}{other}" for other in fields.keys() - {name})
        body, above = fields.get(name), f"{above}{name}."


def _open_json_api(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a JSON:API object beside each other: its id, attributes, and what it is related to.

    Raises InvalidParameter for attributes or a relationship that are no objects.
    """
    given_relations = _read_object(given.get("relationships"), "relationships").items()
    related = {name: _read_object(each, f"relationships.{name}") for name, each in given_relations}
    relations = {name: each["data"] for name, each in related.items() if "data" in each}
    key = {"id": given["id"]} if "id" in given else {}
    return {**key, **relations, **_read_object(given.get("attributes"), "attributes")}


def _list_nulls(value: Any) -> set[str]:
    return {name for name, each in cast(Schema, value).items() if each is None} if isinstance(value, dict) else set()


def _without_nulls(value: Any) -> Any:
    """Return a merge patch without what it removes."""
    if not isinstance(value, dict):
        return value
    return {name: _without_nulls(each) for name, each in cast(Schema, value).items() if each is not None}


def _read_object(value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, (dict, type(None))):
        raise InvalidParameter(place, "an object is wanted")
    return cast(dict[str, Any], value or {})


def _name_files(value: Any) -> Any:
    """Return a value of a body with the names of files in place of the files."""
    if isinstance(value, Upload):
        return value.filename
    if isinstance(value, dict):
        return {name: _name_files(each) for name, each in cast(dict[str, Any], value).items()}
    return [_name_files(each) for each in cast(list[Any], value)] if isinstance(value, list) else value


def _storable(value: Any, place: str = "") -> Any:
    """Return a value of a body with the names of files in place of the files.

    Raises InvalidParameter for an integer of more than 64 bits, of which JSON's reader made a float.
    """
    if isinstance(value, Upload):
        return value.filename
    if isinstance(value, (int, float)) and abs(value) >= MAX_WHOLE_NUMBER and value == value // 1:
        raise InvalidParameter(place, "it is a number of more than 64 bits")
    if isinstance(value, dict):
        return {name: _storable(each, f"{place}.{name}") for name, each in cast(dict[str, Any], value).items()}
    if isinstance(value, list):
        return [_storable(each, place) for each in cast(list[Any], value)]
    return value
