"""Converts Swagger 2 and Google Discovery documents to OpenAPI 3."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, cast

Schema = dict[str, Any]


def convert_swagger(document: Schema) -> Schema:
    """Return a Swagger 2 document as OpenAPI 3. https://swagger.io/specification/v2/"""
    host, base = str(document.get("host", "")), str(document.get("basePath", ""))
    schemes = [str(each) for each in document.get("schemes", ["https"])]
    paths = {path: _convert_item(item, document) for path, item in document.get("paths", {}).items()}
    components = {
        "schemas": _repoint(document.get("definitions", {})),
        "securitySchemes": {
            name: {"type": "http", "scheme": "basic"} if each.get("type") == "basic" else each
            for name, each in document.get("securityDefinitions", {}).items()
        },
    }
    url = f"{schemes[0] if schemes else 'https'}://{host}{base}" if host else base
    return {"openapi": "3.0.0", "info": document.get("info", {}), "servers": [{"url": url}], "paths": paths} | {
        "components": components
    }


def _convert_item(item: Schema, document: Schema) -> Schema:
    shared = item.get("parameters", [])
    return {
        verb: _convert_operation(cast(Schema, operation), shared, document)
        for verb, operation in item.items()
        if verb != "parameters" and isinstance(operation, dict)
    }


def _convert_operation(operation: Schema, shared: list[Schema], document: Schema) -> Schema:
    given = [_parameter_of(each, document) for each in (*shared, *operation.get("parameters", []))]
    converted = {
        name: operation[name] for name in ("summary", "description", "operationId", "tags") if name in operation
    }
    converted["parameters"] = [
        _convert_parameter(each) for each in given if each.get("in") in ("path", "query", "header")
    ]
    body = next((each for each in given if each.get("in") == "body"), None)
    form = [each for each in given if each.get("in") == "formData"]
    if body:
        content = {"application/json": {"schema": _repoint(body.get("schema", {}))}}
        converted["requestBody"] = {"content": content, "required": body.get("required", False)}
    elif form:
        properties = {each["name"]: _schema_in(each) for each in form}
        schema = {
            "type": "object",
            "properties": properties,
            "required": [e["name"] for e in form if e.get("required")],
        }
        kind = (
            "multipart/form-data" if any(e.get("type") == "file" for e in form) else "application/x-www-form-urlencoded"
        )
        converted["requestBody"] = {"content": {kind: {"schema": schema}}}
    converted["responses"] = {
        str(code): _convert_response(each, document) for code, each in operation.get("responses", {}).items()
    }
    return converted


def _parameter_of(given: Schema, document: Schema) -> Schema:
    name = str(given.get("$ref", "")).removeprefix("#/parameters/")
    return document.get("parameters", {}).get(name, {}) if name else given


def _convert_response(response: Schema, document: Schema) -> Schema:
    name = str(response.get("$ref", "")).removeprefix("#/responses/")
    response = document.get("responses", {}).get(name, {}) if name else response
    if "schema" not in response:
        return {}
    example: Any = next(iter(response.get("examples", {}).values()), None)
    content: Schema = {"schema": _repoint(response["schema"])}
    return {"content": {"application/json": content | ({} if example is None else {"example": example})}}


def _convert_parameter(given: Schema) -> Schema:
    return {"name": given["name"], "in": given["in"], "required": given.get("required", False)} | {
        "schema": _schema_in(given)
    }


def _schema_in(given: Schema) -> Schema:
    """Return the schema that stands among the fields of a Swagger 2 parameter."""
    return _repoint(
        {name: value for name, value in given.items() if name not in ("name", "in", "required", "allowEmptyValue")}
    )


def _repoint(node: Any) -> Any:
    """Return a node whose references point into `components`."""
    if isinstance(node, list):
        return [_repoint(each) for each in cast(list[Any], node)]
    if not isinstance(node, dict):
        return node
    fields = cast(Schema, node)
    target = fields.get("$ref")
    if isinstance(target, str):
        return {"$ref": target.replace("#/definitions/", "#/components/schemas/", 1)}
    return {name: _repoint(value) for name, value in fields.items()}


def convert_discovery(document: Schema) -> Schema:
    """Return a discovery document as OpenAPI 3. https://developers.google.com/discovery/v1/reference/apis"""
    prefix = "/" + str(document.get("servicePath", "")).strip("/")
    root = str(document.get("rootUrl", "")).rstrip("/")
    shared = {name: each for name, each in document.get("parameters", {}).items() if name not in _GOOGLES_OWN}
    paths: Schema = {}
    for method in _methods(document):
        path = re.sub(r"\{\+?(\w+)[^}]*\}", r"{\1}", str(method.get("flatPath") or method.get("path", "")))
        path = f"{prefix.rstrip('/')}/{path.lstrip('/')}"
        parameters = {**shared, **method.get("parameters", {})}
        converted: Schema = {
            "operationId": method.get("id", ""),
            "summary": method.get("description", ""),
            "parameters": [_of_discovery(name, each) for name, each in parameters.items()],
            "responses": {"200": _content(method["response"])} if "response" in method else {"204": {}},
        }
        if "request" in method:
            converted["requestBody"] = _content(method["request"])
        paths.setdefault(path, {})[str(method.get("httpMethod", "get")).lower()] = converted
    components = {"schemas": {name: _convert_references(each) for name, each in document.get("schemas", {}).items()}}
    info = {"title": document.get("title", "")}
    return {"openapi": "3.0.0", "info": info, "servers": [{"url": root}], "paths": paths, "components": components}


_GOOGLES_OWN = frozenset(
    {"$.xgafv", "access_token", "alt", "callback", "key", "oauth_token", "upload_protocol", "uploadType"}
)


def _methods(holder: Schema) -> Iterator[Schema]:
    yield from holder.get("methods", {}).values()
    for inner in holder.get("resources", {}).values():
        yield from _methods(inner)


def _of_discovery(name: str, given: Schema) -> Schema:
    schema = {key: value for key, value in given.items() if key not in ("location", "required", "repeated")}
    schema = {"type": "array", "items": schema} if given.get("repeated") else schema
    return {
        "name": name,
        "in": given.get("location", "query"),
        "required": given.get("required", False),
        "schema": schema,
    }


def _content(given: Schema) -> Schema:
    return {"content": {"application/json": {"schema": _convert_references(given)}}}


def _convert_references(node: Any) -> Any:
    """Return a node of a discovery document whose references are OpenAPI's."""
    if isinstance(node, list):
        return [_convert_references(each) for each in cast(list[Any], node)]
    if not isinstance(node, dict):
        return node
    fields = {name: _convert_references(value) for name, value in cast(Schema, node).items()}
    if isinstance(fields.get("$ref"), str):
        return {"$ref": "#/components/schemas/" + fields["$ref"]}
    if isinstance(fields.get("id"), str) and "properties" in fields:
        del fields["id"]
    if isinstance(fields.get("required"), bool):
        del fields["required"]
    return fields
