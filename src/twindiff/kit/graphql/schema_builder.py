"""Builds a GraphQL schema from declarations. A type is built on the first use of its name; unused ones do not exist."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple, cast

from graphql import (
    GraphQLArgument,
    GraphQLBoolean,
    GraphQLEnumType,
    GraphQLField,
    GraphQLFloat,
    GraphQLID,
    GraphQLInputField,
    GraphQLInputObjectType,
    GraphQLInt,
    GraphQLInterfaceType,
    GraphQLNamedType,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLString,
    GraphQLUnionType,
    Undefined,
    parse,
    parse_type,
    parse_value,
)
from graphql.language import FieldDefinitionNode, ListTypeNode, NonNullTypeNode, ObjectTypeDefinitionNode, TypeNode
from graphql.type import GraphQLList, GraphQLNonNull
from msgspec import NODEFAULT

from twindiff.kit.suggestions import did_you_mean
from twindiff.kit.throttling import yield_processor

from .comparators import comparator_fields, fields_of
from .entity import EntitySpec, Field
from .library import value_from_ast
from .model import EntityModel
from .scalars import SCALARS, scalar
from .surfaces import filter_fields, generated_roots, input_fields, payload_fields, sort_leaf

PAGING = {"after": "String", "before": "String", "first": "Int", "last": "Int"}
_SCALARS: tuple[Any, ...] = (GraphQLString, GraphQLInt, GraphQLFloat, GraphQLBoolean, GraphQLID)
_BUILT_IN: dict[str, Any] = {each.name: each for each in _SCALARS}
_ENUMS = {
    "PaginationOrderBy": ("createdAt", "updatedAt"),
    "PaginationNulls": ("first", "last"),
    "PaginationSortOrder": ("Ascending", "Descending"),
}


class Meaning(NamedTuple):
    """The declaration behind a field of the schema, stored in the field's extensions as `means`."""

    kind: str
    """`field` of an entity or value, `key` of a relation, `part` of a generated object, `root`."""
    field: Field | None = None
    root: Any = None


class Builder:
    """Builds the types of a model by name."""

    def __init__(self, model: EntityModel) -> None:
        self.model = model
        self.types: dict[str, GraphQLNamedType] = dict(_BUILT_IN)
        self.entity_of: dict[str, EntitySpec] = {}
        """The entity whose rows each object type shows; a search result type shows the rows of its entity."""
        self._entities = sorted(model.entities, key=len, reverse=True)
        self._read_types: dict[str, TypeNode] = {}

    def schema(self) -> GraphQLSchema:
        roots = {"Query": self._root_fields(writes=False), "Mutation": self._root_fields(writes=True)}
        query, mutation = (cast(Any, GraphQLObjectType(name, fields)) for name, fields in roots.items())
        concrete = [spec.name for spec in self.model.entities.values() if spec.parent]
        concrete += [spec.name for spec in self.model.values.values() if spec.implements and not spec.interface]
        more = [self.resolve_type(name) for name in concrete]
        return GraphQLSchema(query, mutation if mutation.fields else None, types=more, assume_valid=True)

    # Types by text

    def type(self, text: str) -> Any:
        """The type for a text such as `[Issue!]!`; raises LookupError for an unknown name."""
        node = self._read_types.get(text)
        if node is None:
            node = self._read_types[text] = parse_type(text)
        return self._wrap_type(node)

    def _wrap_type(self, node: TypeNode) -> Any:
        if isinstance(node, NonNullTypeNode):
            return GraphQLNonNull(self._wrap_type(node.type))
        if isinstance(node, ListTypeNode):
            return GraphQLList(self._wrap_type(node.type))
        return self.resolve_type(cast(Any, node).name.value)

    def resolve_type(self, name: str) -> GraphQLNamedType:
        named_type = self.types.get(name)
        if named_type is None:
            named_type = self.types[name] = self._make(name)
        return named_type

    def _make(self, name: str) -> GraphQLNamedType:
        model = self.model
        if name in model.enums or name in _ENUMS:
            return GraphQLEnumType(name, _values(model.enums.get(name) or _ENUMS[name]))
        if name in model.scalars or name in SCALARS:
            return scalar(name)
        if name in model.unions:
            return self._union(name, model.unions[name])
        if name in model.values:
            return self._object(name, model.values[name])
        if name in model.inputs:
            return self._hand_input(model.inputs[name])
        if name in model.entities:
            return self._object(name, model.entities[name])
        return self._by_rule(name)

    def _union(self, name: str, members: tuple[str, ...]) -> GraphQLNamedType:
        def types() -> Any:
            return [self.resolve_type(member) for member in members]

        return GraphQLUnionType(name, types)

    def _by_rule(self, name: str) -> GraphQLNamedType:
        made = self._part(name) or self._comparator(name) or self._of_entity(name) or self._sort_leaf(name)
        if made is None:
            raise LookupError(f"Nothing declares the type '{name}'.{did_you_mean(name, self.known_names())}")
        return made

    def known_names(self) -> set[str]:
        model = self.model
        return {*self.types, *model.entities, *model.values, *model.inputs, *model.enums, *model.unions, *model.scalars}

    # Objects

    def _object(self, name: str, spec: EntitySpec, extra: dict[str, str] | None = None) -> GraphQLNamedType:
        def fields() -> dict[str, GraphQLField]:
            made: dict[str, GraphQLField] = {}
            for field in spec.fields.values():
                self._add_field(made, field)
            return made | {n: self._plain(text, Meaning("part")) for n, text in (extra or {}).items()}

        if spec.kind == "entity":
            self.entity_of[name] = spec
        if spec.interface:
            return GraphQLInterfaceType(
                name, fields, interfaces=lambda: self._interfaces(spec), extensions={"spec": spec}
            )
        return GraphQLObjectType(name, fields, interfaces=lambda: self._interfaces(spec), extensions={"spec": spec})

    def _interfaces(self, spec: EntitySpec) -> list[GraphQLInterfaceType]:
        names = [*spec.implements]
        if spec.parent:
            names += [spec.parent.name, *spec.parent.implements]
        if spec.kind == "entity" and "Node" in self.model.values:
            names.append("Node")
        return [self.resolve_type(name) for name in dict.fromkeys(names)]  # pyright: ignore[reportReturnType]

    def _add_field(self, made: dict[str, GraphQLField], field: Field) -> None:
        facts = field.facts
        if facts.hidden:
            return
        made[field.name] = GraphQLField(
            self.type(self._type_of(field)),
            self._arguments(field),
            deprecation_reason=facts.deprecated or None,
            extensions={"means": Meaning("field", field)},
        )
        if facts.exposed:
            text = "String" if field.shape.null else "String!"
            made[f"{field.name}Id"] = self._plain(text, Meaning("key", field))

    def _type_of(self, field: Field) -> str:
        return f"{field.target}Connection!" if field.shape.kind == "many" else field.shape.text

    def _arguments(self, field: Field) -> dict[str, GraphQLArgument]:
        given = dict(field.facts.arguments)
        flags = {name: given.pop(name, None) for name in ("filter", "sort", "order_by", "archived", "paging")}
        texts: dict[str, str] = given
        if field.shape.kind == "many" and flags["paging"] is not False:
            texts = self.paging(field.target, flags) | given
        return self.arguments(texts)

    def paging(self, target: str, flags: dict[str, Any] | None = None) -> dict[str, str]:
        """The arguments of a connection by name, as type texts."""
        said = flags or {}
        texts = dict(PAGING)
        wanted = said.get("filter")
        if isinstance(wanted, str):
            texts["filter"] = wanted
        elif wanted is not False and self.model.surfaces[target].has_filter:
            texts["filter"] = f"{target}Filter"
        if said.get("archived") is not False:
            texts["includeArchived"] = "Boolean"
        if said.get("order_by") is not False:
            texts["orderBy"] = "PaginationOrderBy"
        if said.get("sort"):
            texts["sort"] = f"[{target}SortInput!]"
        return texts

    def arguments(self, texts: dict[str, str]) -> dict[str, GraphQLArgument]:
        return {name: GraphQLArgument(*self._with_default(text)) for name, text in texts.items()}

    def _with_default(self, text: str) -> tuple[Any, Any]:
        """The type and the default in a text such as `Boolean = false`."""
        kind, equals, default = text.partition("=")
        made = self.type(kind.strip())
        return made, value_from_ast(parse_value(default.strip()), made) if equals else Undefined

    def _plain(self, text: str, means: Meaning) -> GraphQLField:
        return GraphQLField(self.type(text), extensions={"means": means})

    # Objects by rule

    def _part(self, name: str) -> GraphQLNamedType | None:
        if name == "PageInfo":
            fields = {
                "endCursor": "String",
                "hasNextPage": "Boolean!",
                "hasPreviousPage": "Boolean!",
                "startCursor": "String",
            }
            return self._parts(name, fields)
        if name == "DeletePayload":
            interfaces = [self.resolve_type("ArchivePayload")] if "ArchivePayload" in self.model.values else []
            return self._parts(name, {"entityId": "String!", **payload_fields(self.model)}, interfaces)
        return None

    def _parts(self, name: str, texts: dict[str, str], interfaces: Any = ()) -> Any:
        def fields() -> dict[str, GraphQLField]:
            return {part: self._plain(text, Meaning("part")) for part, text in texts.items()}

        return GraphQLObjectType(name, fields, interfaces=tuple(interfaces))

    def _of_entity(self, name: str) -> GraphQLNamedType | None:
        """The type derived from an entity, such as `IssueConnection`; the longest matching entity name wins."""
        bare = name.removeprefix("Nullable")
        for entity in self._entities:
            for start, whole in ((entity, name), (entity, bare)):
                rule = _RULES.get(whole[len(start) :]) if whole.startswith(start) else None
                if rule and (whole is name or whole.endswith("Filter")):
                    return rule(self, name, self.model.entities[entity])
        return None

    def _connection(self, name: str, spec: EntitySpec) -> GraphQLNamedType:
        texts = {"edges": f"[{spec.name}Edge!]!", "nodes": f"[{spec.name}!]!", "pageInfo": "PageInfo!"}
        return self._parts(name, texts)

    def _edge(self, name: str, spec: EntitySpec) -> GraphQLNamedType:
        return self._parts(name, {"cursor": "String!", "node": f"{name.removesuffix('Edge')}!"})

    def _search_result(self, name: str, spec: EntitySpec) -> GraphQLNamedType:
        return self._object(name, spec, {"metadata": "JSONObject!"})

    def _search_payload(self, name: str, spec: EntitySpec) -> GraphQLNamedType:
        result = f"{spec.name}SearchResult"
        texts = {
            "edges": f"[{result}Edge!]!",
            "nodes": f"[{result}!]!",
            "pageInfo": "PageInfo!",
            "totalCount": "Float!",
        }
        if "ArchiveResponse" in self.model.values:
            texts["archivePayload"] = "ArchiveResponse!"
        return self._parts(name, texts)

    def _payload(self, name: str, spec: EntitySpec) -> GraphQLNamedType:
        field = spec.word("payload") or spec.name[:1].lower() + spec.name[1:]
        null = "" if spec.words.get("payload_nullable") else "!"
        return self._parts(name, {field: f"{spec.name}{null}", **payload_fields(self.model)})

    def _archive_payload(self, name: str, spec: EntitySpec) -> GraphQLNamedType:
        interfaces = [self.resolve_type("ArchivePayload")] if "ArchivePayload" in self.model.values else []
        return self._parts(name, {"entity": spec.name, **payload_fields(self.model)}, interfaces)

    # Inputs

    def _hand_input(self, spec: EntitySpec) -> GraphQLNamedType:
        texts = {field.name: field.shape.text + _default(field) for field in spec.fields.values()}
        if spec.words["of"]:
            texts |= {"and": f"[{spec.name}!]", "or": f"[{spec.name}!]"}
        return self.input(spec.name, lambda: texts)

    def input(self, name: str, texts: Callable[[], dict[str, str]]) -> Any:
        def fields() -> dict[str, GraphQLInputField]:
            return {each: GraphQLInputField(*self._with_default(text)) for each, text in texts().items()}

        return GraphQLInputObjectType(name, fields, out_type=_build_input)

    def _comparator(self, name: str) -> GraphQLNamedType | None:
        if not name.endswith("Comparator"):
            return None
        fields = comparator_fields(name)
        enum = name.removesuffix("Comparator")
        if fields is None and enum in self.model.enums:
            fields = fields_of("eq neq in nin" + (" null" if enum in self.model.nullable_enums else ""), enum)
        return None if fields is None else self.input(name, lambda: fields)

    def _filter(self, name: str, spec: EntitySpec) -> GraphQLNamedType:
        return self.input(name, lambda: filter_fields(self.model, spec, name))

    def _create(self, name: str, spec: EntitySpec) -> GraphQLNamedType:
        return self.input(name, lambda: input_fields(self.model, spec, "create"))

    def _update(self, name: str, spec: EntitySpec) -> GraphQLNamedType:
        return self.input(name, lambda: input_fields(self.model, spec, "update"))

    def _sort_input(self, name: str, spec: EntitySpec) -> GraphQLNamedType:
        words = self.model.surfaces[spec.name].sort
        return self.input(name, lambda: {word.name: word.type or sort_leaf(word.name) for word in words})

    def _sort_leaf(self, name: str) -> GraphQLNamedType | None:
        if not name.endswith("Sort"):
            return None
        return self.input(name, lambda: {"nulls": "PaginationNulls = last", "order": "PaginationSortOrder"})

    # Roots

    def _root_fields(self, *, writes: bool) -> dict[str, GraphQLField]:
        made: dict[str, GraphQLField] = {}
        for root in generated_roots(self.model):
            if root.writes is writes:
                paging = self.paging(root.spec.name, root.flags) if root.verb == "list" else {}
                texts = {name: text for name, text in paging.items() if name not in root.without} | root.arguments
                extensions = {"means": Meaning("root", root=root)}
                made[root.name] = GraphQLField(self.type(root.result), self.arguments(texts), extensions=extensions)
        for root in self.model.roots:
            if root.writes is writes:
                self._hand_root(made, root)
        return made

    def _hand_root(self, made: dict[str, GraphQLField], root: Any) -> None:
        means = Meaning("root", root=root)
        if "(" not in root.signature and ":" not in root.signature:
            if root.signature not in made:
                raise LookupError(f"There is no generated root '{root.signature}'.{did_you_mean(root.signature, made)}")
            made[root.signature].extensions = {"means": means}
            return
        (definition,) = parse(f"type Q {{ {root.signature} }}").definitions
        assert isinstance(definition, ObjectTypeDefinitionNode)
        (node,) = definition.fields
        made[node.name.value] = GraphQLField(
            self._wrap_type(node.type), self._hand_arguments(node), extensions={"means": means}
        )

    def _hand_arguments(self, node: FieldDefinitionNode) -> dict[str, GraphQLArgument]:
        arguments: dict[str, GraphQLArgument] = {}
        for each in node.arguments:
            kind = self._wrap_type(each.type)
            default = value_from_ast(each.default_value, kind) if each.default_value else Undefined
            arguments[each.name.value] = GraphQLArgument(kind, default)
        return arguments


def _build_input(values: dict[str, Any]) -> dict[str, Any]:
    """Return an input object unchanged; a request may have thousands, so this yields to other work."""
    yield_processor()
    return values


def _values(names: tuple[str, ...]) -> dict[str, Any]:
    return {name: name for name in names}


def _default(field: Field) -> str:
    """` = last` for an input field with a default; a str default is quoted only if the field is a String."""
    default = field.facts.default
    if default is NODEFAULT:
        return ""
    is_text = isinstance(default, str) and field.shape.name == "String"
    return f" = {json.dumps(default) if is_text or not isinstance(default, str) else default}"


_RULES: dict[str, Callable[[Builder, str, EntitySpec], GraphQLNamedType]] = {
    "Connection": Builder._connection,  # pyright: ignore[reportPrivateUsage]
    "Edge": Builder._edge,  # pyright: ignore[reportPrivateUsage]
    "SearchResultEdge": Builder._edge,  # pyright: ignore[reportPrivateUsage]
    "SearchResult": Builder._search_result,  # pyright: ignore[reportPrivateUsage]
    "SearchPayload": Builder._search_payload,  # pyright: ignore[reportPrivateUsage]
    "Payload": Builder._payload,  # pyright: ignore[reportPrivateUsage]
    "ArchivePayload": Builder._archive_payload,  # pyright: ignore[reportPrivateUsage]
    "Filter": Builder._filter,  # pyright: ignore[reportPrivateUsage]
    "CollectionFilter": Builder._filter,  # pyright: ignore[reportPrivateUsage]
    "CreateInput": Builder._create,  # pyright: ignore[reportPrivateUsage]
    "UpdateInput": Builder._update,  # pyright: ignore[reportPrivateUsage]
    "SortInput": Builder._sort_input,  # pyright: ignore[reportPrivateUsage]
}
