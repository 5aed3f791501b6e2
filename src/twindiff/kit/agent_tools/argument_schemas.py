"""The JSON schemas of tools' arguments, derived from the signatures that bind requests, and those of types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import msgspec

if TYPE_CHECKING:
    from twindiff.kit.binding import Bound

    from .tools import Schema

REFERENCE = "#/$defs/"
_WIDEST_BOUNDS = {-(2**63), 2**63 - 1, -(2**53), 2**53}
"""Bounds that say only that a database or JSON can hold the number."""
_WIDEST_FLOAT = 1e308
_BYTES = {"description": "The body: a JSON value, a text, or bytes in base64."}


def describe_arguments(bound: Bound) -> Schema:
    """The JSON schema of an operation's arguments by wire name.

    The fields of a parameter that is the whole body stand beside the other parameters, unless a name is taken twice.
    """
    schema, definitions = _describe(bound.contract)
    properties = schema["properties"]
    if bound.is_raw:
        properties[bound.body] = _BYTES
    elif lifted := find_lifted_fields(bound):
        body = _resolve(properties.pop(bound.body), definitions)
        required = [name for name in schema.get("required", []) if name != bound.body]
        schema["properties"] = properties | body["properties"]
        schema["required"] = required + [name for name in body.get("required", []) if name in lifted]
    used = _list_used(schema, definitions)
    described: Schema = {"type": "object", "properties": schema["properties"]}
    if schema.get("required"):
        described["required"] = schema["required"]
    if used:
        described["$defs"] = used
    return described


def describe_type(kind: Any) -> Schema:
    """The JSON schema of a Struct or TypedDict, with the definitions that it refers to."""
    schema, definitions = _describe(kind)
    used = _list_used(schema, definitions)
    return {**schema, "$defs": used} if used else schema


def find_lifted_fields(bound: Bound) -> frozenset[str]:
    """The wire names of the body's fields that are arguments of their own; empty if the body is one argument."""
    if not bound.body or bound.is_raw:
        return frozenset()
    kind: Any = next(each.type for each in msgspec.structs.fields(bound.contract) if each.encode_name == bound.body)
    kind = getattr(kind, "__origin__", kind)
    if not isinstance(kind, type) or not issubclass(kind, msgspec.Struct):
        return frozenset()
    names = frozenset(kind.__struct_encode_fields__)
    return frozenset() if names & (set(bound.names) - {bound.body}) else names


def _describe(contract: Any) -> tuple[Schema, Schema]:
    (root,), definitions = msgspec.json.schema_components([contract], ref_template=REFERENCE + "{name}")
    plain = cast("Schema", _simplify(definitions))
    schema = plain.pop(root["$ref"].removeprefix(REFERENCE))
    return schema, plain


def _simplify(schema: Any) -> Any:
    """A schema without titles and without bounds that say nothing."""
    if isinstance(schema, list):
        return [_simplify(each) for each in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    given = cast("Schema", schema)
    is_object = isinstance(given.get("properties"), dict)
    plain = {
        name: {key: _simplify(value) for key, value in each.items()} if name == "properties" else _simplify(each)
        for name, each in given.items()
        if not (name == "title" and isinstance(each, str))
        and not (name == "description" and is_object)
        and not (name in ("minimum", "maximum") and _says_nothing(each))
        and not (name == "required" and each == [])
    }
    return plain


def _says_nothing(bound: Any) -> bool:
    return bound in _WIDEST_BOUNDS or (isinstance(bound, float) and abs(bound) > _WIDEST_FLOAT)


def _resolve(schema: Schema, definitions: Schema) -> Schema:
    name = schema.get("$ref", "").removeprefix(REFERENCE)
    return definitions[name] if name else schema


def _list_used(schema: Any, definitions: Schema) -> Schema:
    """The definitions that a schema refers to, directly or not."""
    used: Schema = {}
    waiting = [schema]
    while waiting:
        for name in _find_references(waiting.pop()):
            if name not in used:
                used[name] = definitions[name]
                waiting.append(definitions[name])
    return used


def _find_references(schema: Any) -> list[str]:
    if isinstance(schema, list):
        return [name for each in cast("list[Any]", schema) for name in _find_references(each)]
    if not isinstance(schema, dict):
        return []
    given = cast("Schema", schema)
    named = given.get("$ref")
    own = [named.removeprefix(REFERENCE)] if isinstance(named, str) else []
    return own + [name for each in given.values() for name in _find_references(each)]
