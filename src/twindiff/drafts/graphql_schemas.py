"""Reads a GraphQL schema (SDL) into resources: the types with an id, their fields, and how one refers to others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

import graphql as graphql_core
from graphql import (
    GraphQLEnumType,
    GraphQLError,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLObjectType,
    GraphQLScalarType,
    GraphQLSchema,
    GraphQLUnionType,
    build_ast_schema,
    is_list_type,
    is_non_null_type,
    parse,
)

from .documents import BASE, DescriptionError, Schema
from .names import plural, singular, snake, split_words

MAX_SDL_BYTES = 4_000_000
MAX_SDL_TOKENS = 1_000_000
_SCALARS: dict[str, Schema] = {
    "Int": {"type": "integer"},
    "Float": {"type": "number"},
    "Boolean": {"type": "boolean"},
    "String": {"type": "string"},
    "ID": {"type": "string"},
}
_UNSTORED = ("Connection", "Edge", "Payload", "Result", "Response")


def named_type(kind: Any) -> Any:
    """Return a type without its lists and exclamation marks."""
    return cast(Any, graphql_core).get_named_type(kind)


def nullable_type(kind: Any) -> Any:
    """Return a type without its exclamation mark."""
    return cast(Any, graphql_core).get_nullable_type(kind)


class GraphqlRelation(NamedTuple):
    """How a field refers to other objects.

    `one`: `column` of this type holds the id. `many`: `column` of this type holds the ids. `inverse`: `column` of the
    other type holds the id of this one. `among`: `column` of the other type holds ids with that of this one.
    """

    kind: str
    targets: tuple[str, ...]
    """The types of the objects."""
    column: str


def read_sdl(path: Path) -> GraphQLSchema:
    """Read the schema in a file. Raises DescriptionError with what is wrong with it."""
    try:
        if path.stat().st_size > MAX_SDL_BYTES:
            raise DescriptionError(f"It is larger than {MAX_SDL_BYTES:,} bytes.")
        return read_sdl_text(path.read_text())
    except OSError as error:
        raise DescriptionError(f"It cannot be read: {error.strerror}.") from None
    except UnicodeError:
        raise DescriptionError("It is no text in UTF-8.") from None


def read_sdl_text(text: str) -> GraphQLSchema:
    """Return the schema of a text. Raises DescriptionError."""
    try:
        schema = build_ast_schema(parse(text, max_tokens=MAX_SDL_TOKENS, no_location=True))
    except (GraphQLError, TypeError, RecursionError) as error:
        raise DescriptionError(f"It is no valid GraphQL schema: {str(error).splitlines()[0]}") from None
    if schema.query_type is None:
        raise DescriptionError("It has no type Query.")
    return schema


class GraphqlTypes:
    """The types of a schema that are stored."""

    def __init__(self, schema: GraphQLSchema) -> None:
        self.schema = schema
        roots = {each.name for each in (schema.query_type, schema.mutation_type, schema.subscription_type) if each}
        self.stored: dict[str, GraphQLObjectType] = {
            name: kind
            for name, kind in schema.type_map.items()
            if isinstance(kind, GraphQLObjectType) and self._is_stored(kind) and name not in roots
        }
        self.by_resource = {resource_name(name): name for name in self.stored}
        """The type of each resource, by the resource's name."""
        self._given = {
            field
            for kind in schema.type_map.values()
            if isinstance(kind, GraphQLInputObjectType)
            for field in kind.fields
        }
        self.relations: dict[str, dict[str, GraphqlRelation]] = {name: {} for name in self.stored}
        for name in self.stored:
            self._relate_ones(name)
        for name in self.stored:
            self._relate_ids(name)
        for name in self.stored:
            self._relate_others(name)

    def _is_stored(self, kind: GraphQLObjectType) -> bool:
        return "id" in kind.fields and not kind.name.startswith("__") and not kind.name.endswith(_UNSTORED)

    def targets_of(self, kind: Any) -> tuple[str, ...]:
        """Return the stored types that a type means: itself, those of an interface or union, a connection's nodes."""
        named = named_type(kind)
        if isinstance(named, (GraphQLInterfaceType, GraphQLUnionType)):
            possible = [each.name for each in self.schema.get_possible_types(named)]
            return tuple(each for each in possible if each in self.stored)
        if isinstance(named, GraphQLObjectType) and named.name not in self.stored and is_connection(named):
            fields = named.fields
            if "nodes" in fields:
                return self.targets_of(fields["nodes"].type)
            edge: Any = named_type(fields["edges"].type)
            return self.targets_of(edge.fields["node"].type) if "node" in edge.fields else ()
        return (named.name,) if named.name in self.stored else ()

    def is_many(self, kind: Any) -> bool:
        """Return whether a type is a list or a connection."""
        return is_list_type(nullable_type(kind)) or is_connection(named_type(kind))

    def _fields(self, name: str, *, is_many: bool) -> Iterator[tuple[str, tuple[str, ...]]]:
        for field, declared in self.stored[name].fields.items():
            targets = self.targets_of(declared.type)
            if targets and self.is_many(declared.type) == is_many:
                yield field, targets

    def _relate_ones(self, name: str) -> None:
        for field, targets in self._fields(name, is_many=False):
            self.relations[name][field] = GraphqlRelation("one", targets, f"{field}Id")

    def _relate_ids(self, name: str) -> None:
        for field, targets in self._fields(name, is_many=True):
            column = f"{_singular(field)}Ids"
            if column in self._given:
                self.relations[name][field] = GraphqlRelation("many", targets, column)

    def _relate_others(self, name: str) -> None:
        for field, targets in self._fields(name, is_many=True):
            if field not in self.relations[name]:
                self.relations[name][field] = self._inverse(name, targets) or GraphqlRelation(
                    "many", targets, f"{_singular(field)}Ids"
                )

    def _inverse(self, name: str, targets: tuple[str, ...]) -> GraphqlRelation | None:
        """Return how objects of other types refer to one of this type."""
        others = self.relations[targets[0]]
        for kind, means in (("one", "inverse"), ("many", "among")):
            columns = [each.column for each in others.values() if each.kind == kind and name in each.targets]
            wanted = f"{name[:1].lower()}{name[1:]}"
            columns.sort(key=lambda column: not column.startswith(wanted))
            if columns:
                return GraphqlRelation(means, targets, columns[0])
        return None

    def document(self) -> Schema:
        """Return a document with the JSON schema of each stored type, and of each input by the name of its type."""
        schemas: dict[str, Schema] = {name: self._object(name) for name in self.stored}
        return {"components": {"schemas": schemas}}

    def _object(self, name: str) -> Schema:
        properties: dict[str, Schema] = {}
        required: list[str] = []
        for field, declared in self.stored[name].fields.items():
            relation = self.relations[name].get(field)
            if relation is None:
                properties[field] = self.json_schema(declared.type)
                required += [field] if is_non_null_type(declared.type) else []
            elif relation.kind in ("one", "many"):
                ids: Schema = {"type": "string"}
                properties[relation.column] = ids if relation.kind == "one" else {"type": "array", "items": ids}
        return {"type": "object", "properties": properties, "required": required}

    def json_schema(self, kind: Any) -> Schema:
        """Return the JSON schema of a field's type; that of an object is any object."""
        kind = nullable_type(kind)
        if is_list_type(kind):
            return {"type": "array", "items": self.json_schema(kind.of_type)}
        if isinstance(kind, GraphQLEnumType):
            return {"type": "string", "enum": [*kind.values]}
        if isinstance(kind, GraphQLScalarType):
            return _SCALARS.get(kind.name) or _custom_scalar(kind.name)
        return {"type": "object"}

    def input_fields(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the types of all that a mutation takes, with the fields of its input objects, by name."""
        fields: dict[str, Any] = {}
        for name, argument in arguments.items():
            named = named_type(argument.type)
            if isinstance(named, GraphQLInputObjectType) and not is_list_type(nullable_type(argument.type)):
                fields |= {field: each.type for field, each in named.fields.items()}
            else:
                fields[name] = argument.type
        return fields


def is_connection(kind: Any) -> bool:
    """Return whether a type is a page of objects: one with `nodes` or `edges`."""
    if not isinstance(kind, GraphQLObjectType) or "id" in kind.fields:
        return False
    edges = kind.fields.get("edges")
    return ("pageInfo" in kind.fields or edges is not None) and (
        "nodes" in kind.fields or (edges is not None and isinstance(named_type(edges.type), GraphQLObjectType))
    )


def resource_name(kind: str) -> str:
    """Return the name of a type's resource, such as `pull_request`."""
    return snake(kind)


def table_name(kind: str) -> str:
    """Return the name of a type's table, such as `pull_requests`."""
    *first, last = split_words(kind)
    return "_".join([*first, plural(last)])


def schema_reference(kind: str) -> Schema:
    """Return a reference to the JSON schema of a type in `GraphqlTypes.document`."""
    return {"$ref": f"{BASE}#/components/schemas/{kind}"}


def _singular(field: str) -> str:
    word = split_words(field)[-1] if split_words(field) else field
    return field[: len(field) - len(word)] + singular(field[len(field) - len(word) :])


def _custom_scalar(name: str) -> Schema:
    flat = name.lower()
    if "json" in flat or flat in ("object", "map", "any"):
        return cast(Schema, {})
    if flat in ("datetime", "timestamp", "isodatetime", "iso8601datetime", "timestamptz"):
        return {"type": "string", "format": "date-time"}
    if flat in ("date", "iso8601date", "timelessdate"):
        return {"type": "string", "format": "date"}
    if flat in ("bigint", "long"):
        return {"type": "integer"}
    form = {"uri": "uri", "url": "uri", "uuid": "uuid", "email": "email"}.get(flat)
    return {"type": "string", "format": form} if form else {"type": "string"}
