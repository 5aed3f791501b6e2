"""Reads Google's discovery documents. https://developers.google.com/discovery/v1/reference/apis"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .model import ApiOperation, Description, OperationParameter, Resource
from .naming import snake, unique_name
from .resources import resource_of
from .schemas import Schema, Schemas


def read_discovery(document: Schema) -> Description:
    """Return the description in a discovery document."""
    schemas = Schemas(document.get("schemas", {}), "")
    prefix = "/" + str(document.get("servicePath", "")).strip("/")
    endpoints: dict[str, ApiOperation] = {}
    resources: dict[str, Resource] = {}
    left_out: list[str] = []
    for page, method in _methods(document):
        used = {each.name for each in endpoints.values() if each.page == page}
        endpoint = _endpoint(schemas, prefix, page, method, used)
        answer = method.get("response", {})
        resource = resource_of(endpoint, str(answer.get("$ref", "")), schemas.columns(answer)) if answer else None
        if resource and endpoint.verb == "GET" and resources.setdefault(resource.name, resource) == resource:
            endpoint = endpoint._replace(shows=resource.name)
        endpoints[endpoint.operation] = endpoint
        if "mediaUpload" in method:
            left_out.append(f"{endpoint.operation} also takes uploads, at a path of their own")
    title = str(document.get("title", ""))
    return Description(title, prefix, {}, tuple(endpoints.values()), tuple(resources.values()), tuple(left_out))


def _methods(holder: Schema, page: str = "root") -> Iterator[tuple[str, Schema]]:
    for method in holder.get("methods", {}).values():
        yield page, method
    for name, inner in holder.get("resources", {}).items():
        yield from _methods(inner, snake(name))


def _endpoint(schemas: Schemas, prefix: str, page: str, method: Schema, used: set[str]) -> ApiOperation:
    path = re.sub(r"\{\+?(\w+)[^}]*\}", r"{\1}", str(method.get("flatPath") or method.get("path", "")))
    path = f"{prefix.rstrip('/')}/{path}"
    given = [_parameter(schemas, name, each) for name, each in method.get("parameters", {}).items()]
    body = method.get("request")
    if body:
        given += _of_body(schemas, body, {snake(each.name) for each in given})
    verb, name = str(method["httpMethod"]), str(method["id"]).rpartition(".")[2]
    in_path = re.findall(r"\{(\w+)\}", path)
    given = [each for each in given if each.place != "path" or each.name in in_path]
    listed = {each.name for each in given}
    given = [
        *(OperationParameter(each, "path", "str", is_required=True) for each in in_path if each not in listed),
        *given,
    ]
    summary = str(method.get("description") or name)
    function = unique_name(snake(f"{name}_{page}"), used)
    status = 200 if "response" in method else 204
    return ApiOperation(verb, path, function, page, summary, status, tuple(given))


def _parameter(schemas: Schemas, name: str, given: Schema) -> OperationParameter:
    kind = schemas.kind(given)
    kind = f"list[{kind}]" if given.get("repeated") else kind
    place = str(given.get("location", "query"))
    required = bool(given.get("required")) or place == "path"
    return OperationParameter(name, place, kind, required, "" if given.get("repeated") else schemas.default(given))


def _of_body(schemas: Schemas, body: Any, taken: set[str]) -> list[OperationParameter]:
    properties = schemas.resolve(body).get("properties", {})
    return [
        OperationParameter(name, "body", schemas.kind(inner), is_required=False)
        for name, inner in properties.items()
        if snake(name) not in taken
    ]
