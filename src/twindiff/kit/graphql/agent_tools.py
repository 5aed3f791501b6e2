"""Tools for the root fields of a GraphQL API, each with a document that selects what models usually need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, cast

import msgspec
from graphql import GraphQLNamedType, GraphQLSchema, Undefined, get_named_type
from graphql.type import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLInterfaceType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLScalarType,
    is_leaf_type,
)

from twindiff.kit.agent_tools import AgentTool, Send
from twindiff.kit.http import Request, Response
from twindiff.kit.wire_requests import JSON_TYPE

Schema = dict[str, Any]
Composite = GraphQLObjectType | GraphQLInterfaceType

RAW_TOOL = "graphql"
ENDPOINT = "/graphql"
LABELS = ("id", "identifier", "name", "title", "displayName", "email", "key")
"""The fields of a related object that are selected."""
MAX_RELATIONS = 12
"""The most relations of an object that are selected, so that a page stays within the vendor's limit of complexity."""
_JSON_TYPES = {"Int": "integer", "Float": "number", "Boolean": "boolean", "ID": "string", "String": "string"}


def list_graphql_tools(twin: str, schema: GraphQLSchema) -> list[AgentTool]:
    """A tool for each query and mutation, then one that sends any document."""
    roots = (("query", schema.query_type), ("mutation", schema.mutation_type))
    fields = [(kind, name, each) for kind, root in roots if root for name, each in root.fields.items()]
    taken = Counter(name for _, name, _ in fields)
    tools = [_build_tool(twin, kind, name, each, is_unique=taken[name] == 1) for kind, name, each in fields]
    return [*tools, _build_raw_tool(twin)]


def build_graphql_request(document: str, variables: Mapping[str, Any]) -> Request:
    """The request of a document with its variables."""
    body = msgspec.json.encode({"query": document, "variables": dict(variables)})
    return Request("POST", ENDPOINT, headers=JSON_TYPE, body=body)


def _build_tool(twin: str, kind: str, name: str, field: Any, *, is_unique: bool) -> AgentTool:
    """The tool of a root field; a query that is named as a mutation is has `_query` at its end."""
    document = write_document(kind, name, field)
    said = field.description or f"The {kind} {name}, which returns {field.type}."

    async def run(send: Send, arguments: dict[str, Any]) -> Response:
        variables = {name: value for name, value in arguments.items() if name in field.args}
        return await send(build_graphql_request(document, variables))

    reads = kind == "query"
    tool_name = name if is_unique or not reads else f"{name}_query"
    return AgentTool(tool_name, said, _describe_arguments(field.args), reads, run, twin, f"{kind} {name}")


def _build_raw_tool(twin: str) -> AgentTool:
    properties: Schema = {"query": {"type": "string", "description": "A document."}, "variables": {"type": "object"}}
    schema: Schema = {"type": "object", "properties": properties, "required": ["query"]}
    said = "Send any GraphQL document with its variables, for what the other tools do not select."
    return AgentTool(RAW_TOOL, said, schema, False, _send_document, twin, RAW_TOOL)


async def _send_document(send: Send, arguments: dict[str, Any]) -> Response:
    body = msgspec.json.encode({name: arguments[name] for name in ("query", "variables") if name in arguments})
    return await send(Request("POST", ENDPOINT, headers=JSON_TYPE, body=body))


def write_document(kind: str, name: str, field: Any) -> str:
    """The document of a root field: its arguments are variables of their names."""
    declared = ", ".join(f"${each}: {argument.type}" for each, argument in field.args.items())
    passed = ", ".join(f"{each}: ${each}" for each in field.args)
    head = f"{kind} {name}({declared})" if declared else f"{kind} {name}"
    call = f"{name}({passed})" if passed else name
    return f"{head} {{ {call} {select(get_named_type(field.type))}}}"


def select(kind: Any) -> str:
    """The selection of a root field's type: of its values, its relations' labels, and the nodes of a page."""
    if is_leaf_type(kind):
        return ""
    if not isinstance(kind, Composite):
        return "{ __typename } "
    if "nodes" in kind.fields:
        nodes: Any = kind.fields["nodes"]
        page = "pageInfo { hasNextPage endCursor } " if "pageInfo" in kind.fields else ""
        return f"{{ nodes {select(get_named_type(nodes.type))}{page}}} "
    is_payload = "success" in kind.fields or "lastSyncId" in kind.fields
    fields: dict[str, Any] = {name: each for name, each in kind.fields.items() if _is_plain(each)}
    leaves = [name for name, each in fields.items() if is_leaf_type(get_named_type(each.type))]
    required_first = sorted(fields.items(), key=lambda each: not isinstance(each[1].type, GraphQLNonNull))
    inner = [_select_inner(name, each, is_whole=is_payload) for name, each in required_first]
    relations = [text for text in inner if text][:MAX_RELATIONS]
    return f"{{ {' '.join((*leaves, *relations)) or '__typename'} }} "


def _select_inner(name: str, field: Any, *, is_whole: bool) -> str:
    """The selection of a field with fields of its own; empty if it is left out."""
    kind = cast("GraphQLNamedType", get_named_type(field.type))
    if not isinstance(kind, Composite) or "nodes" in kind.fields:
        return ""
    if is_whole:
        return f"{name} {select(kind)}".strip()
    labels = [label for label in LABELS if label in kind.fields and _is_plain(kind.fields[label])]
    is_list = isinstance(_without_null(field.type), GraphQLList)
    return f"{name} {{ {' '.join(labels)} }}" if labels and not is_list else ""


def _is_plain(field: Any) -> bool:
    """Whether a field can be selected without arguments and is not deprecated."""
    return field.deprecation_reason is None and not any(map(_is_required, field.args.values()))


def _without_null(kind: Any) -> Any:
    return cast(Any, kind).of_type if isinstance(kind, GraphQLNonNull) else kind


def _describe_arguments(arguments: Mapping[str, Any]) -> Schema:
    properties = {name: describe_type(each.type) for name, each in arguments.items()}
    required = [name for name, each in arguments.items() if _is_required(each)]
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}


def _is_required(argument: Any) -> bool:
    return isinstance(argument.type, GraphQLNonNull) and argument.default_value is Undefined


def describe_type(kind: Any, depth: int = 1) -> Schema:
    """The JSON schema of an input type; inputs inside of an input are objects that are named only."""
    plain = _without_null(kind)
    if isinstance(plain, GraphQLList):
        return {"type": "array", "items": describe_type(cast(Any, plain).of_type, depth)}
    if isinstance(plain, GraphQLEnumType):
        return {"enum": [*plain.values]}
    if isinstance(plain, GraphQLScalarType):
        known = _JSON_TYPES.get(plain.name)
        return {"type": known} if known else {"description": plain.name}
    if not isinstance(plain, GraphQLInputObjectType) or not depth or plain.name.endswith("Filter"):
        return {"type": "object", "description": f"{plain}"}
    fields = plain.fields
    required = [name for name, each in fields.items() if _is_required(each)]
    properties = {name: describe_type(each.type, depth - 1) for name, each in fields.items()}
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}
