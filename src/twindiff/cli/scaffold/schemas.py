"""Converts JSON Schemas of OpenAPI and discovery documents to types of parameters and columns."""

from __future__ import annotations

from typing import Any, cast

from .model import Property

Schema = dict[str, Any]
DEEPEST = 12

_SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}
MAX_CHOICE_CHARACTERS = 60
"""Characters of a parameter's choices that are still readable in its signature."""


class Schemas:
    """The schemas of a document; `named` are those that a `$ref` after `prefix` refers to."""

    def __init__(self, named: dict[str, Schema], prefix: str) -> None:
        self._named = named
        self._prefix = prefix

    def name_of(self, schema: Schema) -> str:
        """Return the name of a schema in the document; empty for an inline one."""
        parts = schema.get("allOf", [])
        schema = parts[0] if len(parts) == 1 else schema
        for choice in (*schema.get("anyOf", []), *schema.get("oneOf", [])):
            if "$ref" in choice:
                return self.name_of(choice)
        return str(schema.get("$ref", "")).removeprefix(self._prefix)

    def resolve(self, schema: Schema, depth: int = 0) -> Schema:
        """Return a schema with references followed, parts merged, and the first of several choices taken."""
        if depth > DEEPEST:
            return {}
        if "$ref" in schema:
            target = self._named.get(str(schema["$ref"]).removeprefix(self._prefix), {})
            return self.resolve(target, depth + 1)
        if "allOf" in schema:
            return self._join([self.resolve(each, depth + 1) for each in schema["allOf"]], schema)
        for choices in ("anyOf", "oneOf"):
            if schema.get(choices) and "properties" not in schema:
                return self.resolve(schema[choices][0], depth + 1)
        return schema

    def _join(self, parts: list[Schema], schema: Schema) -> Schema:
        joined: Schema = {"type": "object"}
        properties: Schema = {}
        required: list[str] = []
        for part in (*parts, schema):
            joined |= {name: value for name, value in part.items() if name not in ("allOf", "properties", "required")}
            properties |= part.get("properties", {})
            required += _list_names(part.get("required"))
        return {**joined, "properties": properties, "required": required} if properties else joined

    def kind(self, schema: Schema) -> str:
        """Return the Python type of a parameter."""
        is_open = bool(schema.get("anyOf") or schema.get("oneOf"))
        resolved = self.resolve(schema)
        name, null = _type_of(resolved)
        kind = "Any" if is_open and name not in _SCALARS else self._kind(name, resolved)
        return f"{kind} | None" if (null or schema.get("nullable")) and kind != "Any" else kind

    def _kind(self, name: str, schema: Schema) -> str:
        choices = schema.get("enum")
        if choices and name == "string" and all(isinstance(each, str) and each.isascii() for each in choices):
            listed = ", ".join(_quote(each) for each in dict.fromkeys(choices))
            return f"Literal[{listed}]" if len(listed) <= MAX_CHOICE_CHARACTERS else "str"
        if name == "string" and schema.get("format") == "binary":
            return "Upload"
        if name == "array":
            item = self.kind(schema.get("items") or {})
            return f"list[{item}]"
        if name == "object":
            return "dict[str, Any]"
        return _SCALARS.get(name, "Any")

    def columns(self, schema: Schema) -> tuple[Property, ...]:
        """Return the fields of an object as columns."""
        properties = self.resolve(schema).get("properties", {})
        return tuple(Property(name, self._column(inner)) for name, inner in properties.items())

    def _column(self, schema: Schema) -> str:
        name, _ = _type_of(self.resolve(schema))
        return _SCALARS.get(name, "Json")

    def required_fields(self, schema: Schema) -> set[str]:
        """Return the fields that an object must have."""
        return set(_list_names(self.resolve(schema).get("required")))

    def default(self, schema: Schema) -> str:
        """Return the default of a parameter as a Python literal; empty without one."""
        resolved = self.resolve(schema)
        name, _ = _type_of(resolved)
        value = resolved.get("default")
        if value is None or name not in _SCALARS:
            return ""
        try:
            return _literal(name, value)
        except ValueError:
            return ""


def _literal(kind: str, value: Any) -> str:
    """Convert a default, which a document may give as text whatever its type."""
    if kind == "boolean":
        return str(str(value).lower() == "true")
    if kind == "string":
        return _quote(str(value)) if str(value).isascii() and str(value).isprintable() else ""
    return repr(int(value) if kind == "integer" else float(value))


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"' if '"' not in text else repr(text)


def _type_of(schema: Schema) -> tuple[str, bool]:
    """Return the type of a schema, and whether it is nullable."""
    given: Any = schema.get("type", "object" if "properties" in schema else "")
    if isinstance(given, list):
        names = [str(each) for each in cast(list[Any], given) if each != "null"]
        return (names[0] if len(names) == 1 else ""), "null" in given
    return str(given), bool(schema.get("nullable"))


def _list_names(value: Any) -> list[str]:
    """Return a list of names; [] for anything else, as older documents have there."""
    return [str(each) for each in cast(list[Any], value)] if isinstance(value, list) else []
