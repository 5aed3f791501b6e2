"""The tools with which models call a drafted twin, with the names and schemas of the description."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import cast

from twindiff.kit.agent_tools import AgentTool

from .documents import OperationDescription, Schema
from .names import plural, snake
from .plan import OperationPlan
from .schemas import SchemaSet

MAX_DESCRIPTION_CHARACTERS = 300
MAX_SHOWN_DEPTH = 4
"""How deep the objects in a body are described; a model rarely needs more, and a schema may contain itself."""
_SIZES = ("minLength", "maxLength", "minItems", "maxItems", "pattern")
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", *_SIZES)
_SHOWN = frozenset(("type", "enum", "const", "format", "default", "required", *_BOUNDS))
_VERBS = {
    "list": "list",
    "count": "count",
    "copy": "copy",
    "create": "create",
    "create_many": "create",
    "upsert": "create_or_update",
    "read": "get",
    "update": "update",
    "replace": "replace",
    "delete": "delete",
    "file": "download",
}


def name_handler(plan: OperationPlan) -> str:
    """The name of an operation's tool: its `operationId`, else what it does to what: `create_customer`."""
    operation = plan.operation
    if named := snake(operation.operation_id):
        return named
    resource = snake(plan.role.resource)
    if plan.behaviour == "act":
        return f"{snake(plan.role.action)}_{resource}"
    if verb := _VERBS.get(plan.behaviour):
        return f"{verb}_{plural(resource) if plan.behaviour in ('list', 'count', 'create_many') else resource}"
    return snake(operation.name)


def describe_tools(
    tools: Iterable[AgentTool], plans: Sequence[OperationPlan], schemas: SchemaSet
) -> Sequence[AgentTool]:
    """Give tools the schemas that the description has for their arguments."""
    described = {plan.operation.name: plan.operation for plan in plans if plan.behaviour != "written"}
    return [_describe(tool, described.get(tool.operation), schemas) for tool in tools]


def _describe(tool: AgentTool, operation: OperationDescription | None, schemas: SchemaSet) -> AgentTool:
    if operation is None:
        return tool
    arguments: Schema = {**tool.schema["properties"]}
    for parameter in operation.parameters:
        shown = _show(parameter.schema, schemas, 1)
        if parameter.name in arguments and "type" in shown:
            arguments[parameter.name] = _with_description(shown, parameter.description)
    required = [*tool.schema.get("required", ())]
    if operation.body is not None and "body" in arguments:
        arguments["body"] = _show(operation.body, schemas, MAX_SHOWN_DEPTH)
        required += ["body"] if operation.is_body_required else []
    schema = {"type": "object", "properties": arguments, **({"required": required} if required else {})}
    return tool._replace(schema=schema)


def _show(schema: Schema, schemas: SchemaSet, depth: int) -> Schema:
    """A schema without references, in which objects below `depth` have no fields."""
    flat = schemas.flatten(schema)
    shown = {name: value for name, value in flat.items() if name in _SHOWN}
    if depth and (fields := schemas.properties(schema)):
        written = {name: each for name, each in fields.items() if not schemas.flatten(each).get("readOnly")}
        shown["properties"] = {name: _show(each, schemas, depth - 1) for name, each in written.items()}
        shown["required"] = [name for name in cast("list[str]", flat.get("required", [])) if name in written]
    if not shown.get("required") or "properties" not in shown:
        shown.pop("required", None)
    if depth and isinstance(flat.get("items"), dict):
        shown["items"] = _show(schemas.items(schema), schemas, depth - 1)
    if schemas.allows_null(schema) and isinstance(shown.get("type"), str) and shown["type"] != "null":
        shown["type"] = [shown["type"], "null"]
    return _with_description(shown, str(flat.get("description", "")))


def _with_description(shown: Schema, description: str) -> Schema:
    words = " ".join(description.split())[:MAX_DESCRIPTION_CHARACTERS]
    return {**shown, "description": words} if words else shown
