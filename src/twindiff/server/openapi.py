"""OpenAPI 3.1 descriptions of our own APIs, derived from the signatures that bind their requests."""

from __future__ import annotations

import inspect
from functools import cache
from types import NoneType, UnionType
from typing import Any, NamedTuple, cast, get_args

import msgspec

from twindiff import __version__
from twindiff.kit.http import Response, ValueResponse
from twindiff.kit.twin import Dispatch, Operation

Schema = dict[str, Any]
TEST_RUNS = ("/test-runs", "/runner/runs", "/demo-runner/runs")
WITH_BODY = ("POST", "PUT", "PATCH")
_OBJECT: Any = dict[str, Any]
_REFERENCES = "#/components/schemas/{name}"


class Problem(msgspec.Struct):
    """An error: `detail` is a message, `error` a stable code."""

    detail: str
    error: str


class SandboxProblem(msgspec.Struct):
    """An error: `error` is a stable code, `message` a text."""

    error: str
    message: str


@cache
def describe() -> Schema:
    """The OpenAPI document of the platform API, twin runs and scenarios."""
    from twindiff.server.apis.platform import PREFIX, platform

    return _description("Twindiff", [*list_served(PREFIX, platform), *described_runs()], Problem)


@cache
def described_runs() -> tuple[ServedOperation, ...]:
    """The operations for runs of all kinds and for scenarios, with their full paths."""
    from twindiff.server.apis.twin_runs import operations

    return tuple(list_served("", operations))


@cache
def describe_sandboxes() -> Schema:
    """The OpenAPI document of the Sandbox API."""
    from twindiff.server.apis.sandboxes import PREFIX, operations

    return _description("Twindiff Sandbox API", list_served(PREFIX, operations), SandboxProblem)


class ServedOperation(NamedTuple):
    """An operation and its full path, including the prefix of its API."""

    path: str
    operation: Operation


def list_served(prefix: str, dispatch: Dispatch) -> list[ServedOperation]:
    """The operations of an API with their full paths."""
    return [ServedOperation(prefix + operation.declared.path, operation) for operation in dispatch.operations]


def _description(title: str, operations: list[ServedOperation], problem: type[msgspec.Struct]) -> Schema:
    types = [problem, *(answer for each in operations for answer in _answers(each.operation))]
    schemas, components = msgspec.json.schema_components(cast(Any, types), ref_template=_REFERENCES)
    by_type = dict(zip(map(id, types), schemas, strict=True))
    paths: Schema = {}
    for path, operation in operations:
        described = _operation(operation, by_type, components, schemas[0])
        paths.setdefault(path, {})[operation.declared.verb.lower()] = described
    _name_apart(paths)
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": __version__},
        "paths": paths,
        "components": {"schemas": components, "securitySchemes": _SECURITY},
        "security": [{}, {"apiKey": []}, {"bearer": []}],
    }


def _name_apart(paths: Schema) -> None:
    """Make operation ids unique; a handler served at two paths gets the second path's first segment appended."""
    taken: set[str] = set()
    for path, verbs in paths.items():
        for described in verbs.values():
            if described["operationId"] in taken:
                described["operationId"] += "_at_" + path.strip("/").partition("/")[0].replace("-", "_")
            taken.add(described["operationId"])


_NO_JSON = {
    "GET /env/{envId}/export": "application/gzip",
    "GET /metrics": "text/plain",
    "GET /twin-runs/{run_id}/dashboard/variables.env": "text/plain",
    "GET /validate/{run_id}/results": "text/event-stream",
    "GET /test-runs/{run_id}/page/news": "text/event-stream",
    "GET /validate/{run_id}/artifacts/{name}": "application/octet-stream",
    **{f"GET {runs}/{{run_id}}/events": "text/event-stream" for runs in TEST_RUNS},
    **{f"GET {runs}/{{run_id}}/artifacts/{{name}}": "application/octet-stream" for runs in TEST_RUNS},
}
"""Media types of the responses that are neither JSON nor a page, by operation."""

_FILE: Schema = {
    "required": True,
    "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
}

_SECURITY: Schema = {
    "apiKey": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    "bearer": {"type": "http", "scheme": "bearer"},
}


def _answers(operation: Operation) -> tuple[Any, ...]:
    """The alternative types of an operation's JSON response; empty if it responds with text or with nothing.
    A ValueResponse carries an object, with headers of its own.
    """
    returns = operation.bound.returns
    types = get_args(returns) if isinstance(returns, UnionType) else (returns,)
    return tuple(_OBJECT if each is ValueResponse else each for each in types if each not in (Response, NoneType))


def _operation(operation: Operation, by_type: dict[int, Schema], components: Schema, problem: Schema) -> Schema:
    """Describe one operation; a name in its signature is a parameter, or a body property for POST, PUT and PATCH."""
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
        "responses": _responses(operation, by_type, problem),
    }
    if others.get("file", {}).get("contentEncoding"):
        del others["file"]
        described["requestBody"] = _FILE
    elif operation.declared.verb in WITH_BODY and others:
        described["requestBody"] = _body(others, [name for name in required if name in others])
        others = {}
    if others:
        described["parameters"] += [_parameter(n, "query", s, required=n in required) for n, s in others.items()]
    return described


def _parameter(name: str, place: str, schema: Schema, *, required: bool) -> Schema:
    return {"name": name, "in": place, "required": required, "schema": schema}


def _body(properties: Schema, required: list[str]) -> Schema:
    schema = {"type": "object", "properties": properties, "required": required}
    return {"required": bool(required), "content": {"application/json": {"schema": schema}}}


def _responses(operation: Operation, by_type: dict[int, Schema], problem: Schema) -> Schema:
    done: Schema = {"description": "Done."}
    if operation.bound.returns is not NoneType:
        done["content"] = _content(operation, by_type)
    wrong = {"application/json": {"schema": problem}}
    return {
        str(operation.declared.status): done,
        "4XX": {"description": "What is wrong, what was given, what to do.", "content": wrong},
    }


def _content(operation: Operation, by_type: dict[int, Schema]) -> Schema:
    schemas = [by_type[id(answer)] for answer in _answers(operation)]
    if not schemas:
        return {_NO_JSON.get(operation.name, "text/html"): {}}
    return {"application/json": {"schema": schemas[0] if len(schemas) == 1 else {"anyOf": schemas}}}
