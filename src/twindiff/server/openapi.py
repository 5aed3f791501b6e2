"""The platform API as OpenAPI 3.1, from the same signatures that bind its requests."""

from __future__ import annotations

import inspect
from functools import cache
from types import UnionType
from typing import Any, cast, get_args

import msgspec

from twindiff import __version__
from twindiff.kit.http import Answer
from twindiff.kit.twin import Operation

Schema = dict[str, Any]
_REFERENCES = "#/components/schemas/{name}"


class Problem(msgspec.Struct):
    """What went wrong: a sentence, and a code to decide by."""

    detail: str
    error: str


@cache
def describe() -> Schema:
    """The description of every control-plane operation."""
    from twindiff.server.platform import PREFIX, platform

    operations = platform.operations
    types = [Problem, *(answer for operation in operations for answer in _answers(operation))]
    schemas, components = msgspec.json.schema_components(cast(Any, types), ref_template=_REFERENCES)
    by_type = dict(zip(map(id, types), schemas, strict=True))
    paths: Schema = {}
    for operation in operations:
        verbs = paths.setdefault(PREFIX + operation.declared.path, {})
        verbs[operation.declared.verb.lower()] = _operation(operation, by_type, components)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Twindiff platform API", "version": __version__},
        "paths": paths,
        "components": {"schemas": components, "securitySchemes": _SECURITY},
        "security": [{}, {"apiKey": []}, {"bearer": []}],
    }


_TEXT = {"GET /docs": "text/html", "GET /metrics": "text/plain"}
"""What operations answer with that answer no JSON."""

_SECURITY: Schema = {
    "apiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    "bearer": {"type": "http", "scheme": "bearer"},
}


def _answers(operation: Operation) -> tuple[Any, ...]:
    """The types an operation answers with, one or the other; none for one that answers with text of its own."""
    returns = operation.bound.returns
    if isinstance(returns, UnionType):
        return get_args(returns)
    return () if returns is Answer else (returns,)


def _operation(operation: Operation, by_type: dict[int, Schema], components: Schema) -> Schema:
    """One operation; what its signature names is a parameter, or a property of the body of a POST."""
    (contract,), more = msgspec.json.schema_components([operation.bound.contract], ref_template=_REFERENCES)
    inner = more.pop(contract["$ref"].rpartition("/")[2])
    components.update(more)
    properties: Schema = inner.get("properties", {})
    required: list[str] = inner.get("required", [])
    in_path = [segment[1:-1] for segment in operation.declared.path.split("/") if segment.startswith("{")]
    others = {name: schema for name, schema in properties.items() if name not in in_path}
    described: Schema = {
        "operationId": operation.declared.handler.__name__,
        "summary": (inspect.getdoc(operation.declared.handler) or "").partition("\n")[0],
        "description": inspect.getdoc(operation.declared.handler) or "",
        "parameters": [_parameter(name, "path", properties[name], required=True) for name in in_path],
        "responses": _responses(operation, by_type),
    }
    if operation.declared.verb == "POST" and others:
        described["requestBody"] = _body(others, [name for name in required if name in others])
    elif others:
        described["parameters"] += [_parameter(n, "query", s, required=n in required) for n, s in others.items()]
    return described


def _parameter(name: str, place: str, schema: Schema, *, required: bool) -> Schema:
    return {"name": name, "in": place, "required": required, "schema": schema}


def _body(properties: Schema, required: list[str]) -> Schema:
    schema = {"type": "object", "properties": properties, "required": required}
    return {"required": bool(required), "content": {"application/json": {"schema": schema}}}


def _responses(operation: Operation, by_type: dict[int, Schema]) -> Schema:
    problem = {"application/json": {"schema": {"$ref": _REFERENCES.format(name="Problem")}}}
    return {
        str(operation.declared.status): {"description": "Done.", "content": _content(operation, by_type)},
        "4XX": {"description": "What is wrong, what was given, what to do.", "content": problem},
    }


def _content(operation: Operation, by_type: dict[int, Schema]) -> Schema:
    schemas = [by_type[id(answer)] for answer in _answers(operation)]
    if not schemas:
        return {_TEXT[operation.name]: {}}
    return {"application/json": {"schema": schemas[0] if len(schemas) == 1 else {"anyOf": schemas}}}
