"""Reads OpenAPI 3 documents."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from .model import ApiOperation, Description, OperationParameter, Resource
from .naming import class_name, snake, unique_name
from .resources import resource_of
from .schemas import Schema, Schemas

VERBS = ("get", "post", "put", "patch", "delete", "options")
_VERSION = re.compile(r"v?\d+(\.\d+)*")
_BODIES = ("application/json", "application/x-www-form-urlencoded", "multipart/form-data")
_FORM = re.compile(r"\{([^}/]*)\}")


def read_openapi(document: Schema) -> Description:
    """Return the description in an OpenAPI document."""
    return _DescriptionReader(document).description()


class _DescriptionReader:
    def __init__(self, document: Schema) -> None:
        self.document = document
        self.schemas = Schemas(document.get("components", {}).get("schemas", {}), "#/components/schemas/")
        self.home = urlsplit(_server(document))
        self.prefix = "" if self.home.path == "/" else self.home.path.rstrip("/")
        self.hosts: dict[str, str] = {}
        self.endpoints: dict[str, ApiOperation] = {}
        self.resources: dict[str, Resource] = {}
        self.left_out: list[str] = []

    def description(self) -> Description:
        for path, item in self.document.get("paths", {}).items():
            for verb in VERBS:
                if verb in item:
                    self._add(verb.upper(), path, item, item[verb])
        title = str(self.document.get("info", {}).get("title", ""))
        endpoints, resources = tuple(self.endpoints.values()), tuple(self.resources.values())
        return Description(title, self.prefix, self.hosts, endpoints, resources, tuple(self.left_out))

    def _add(self, verb: str, path: str, item: Schema, operation: Schema) -> None:
        plain = self._full_path(path.partition("#")[0], item, operation)
        parameters = self._parameters(item, operation, plain)
        known = self.endpoints.get(f"{verb} {plain}")
        if known:
            self.endpoints[known.operation] = known._replace(parameters=_both(known.parameters, parameters))
            self.left_out.append(f"{verb} {path} is {known.operation} by another name; its parameters were added there")
            return
        page, status = self._page(path, operation), _status(operation)
        used = {each.name for each in self.endpoints.values() if each.page == page}
        name = unique_name(snake(operation.get("operationId") or f"{verb} {path}"), used)
        summary = operation.get("summary") or operation.get("description") or f"{verb} {plain}"
        endpoint = ApiOperation(verb, plain, name, page, summary, status, parameters)
        shown = self._response_resource(endpoint, operation, status) if verb == "GET" else ""
        self.endpoints[endpoint.operation] = endpoint._replace(shows=shown)

    def _full_path(self, path: str, item: Schema, operation: Schema) -> str:
        """Return a path with its server's path before it, and its host's prefix if that is not the API's main host."""
        server = urlsplit(_server(operation) or _server(item) or self.document.get("servers", [{}])[0].get("url", ""))
        path = _FORM.sub(lambda placeholder: "{" + re.sub(r"\W", "_", placeholder[1]) + "}", path)
        before = "" if server.path == "/" else server.path.rstrip("/")
        if server.netloc == self.home.netloc or not server.netloc:
            return before + path
        prefix = self.hosts.setdefault(server.netloc, "/" + snake(server.netloc.split(".")[0]).replace("_", "-"))
        return prefix + before + path

    def _page(self, path: str, operation: Schema) -> str:
        tags = operation.get("tags") or [""]
        segments = (each for each in path.split("/") if each and "{" not in each and not _VERSION.fullmatch(each))
        return snake(operation.get("x-box-tag") or tags[0] or next(segments, "root"))

    def _parameters(self, item: Schema, operation: Schema, path: str) -> tuple[OperationParameter, ...]:
        given = [self._parameter(each) for each in (*item.get("parameters", []), *operation.get("parameters", []))]
        in_path = re.findall(r"\{(\w+)\}", path)
        listed = {each.name for each in given if each.place == "path"}
        missing = [OperationParameter(name, "path", "str", is_required=True) for name in in_path if name not in listed]
        given = [each for each in given if each.place != "path" or each.name in in_path]
        return _both((*missing, *given), self._of_body(operation))

    def _parameter(self, given: Schema) -> OperationParameter:
        if "$ref" in given:
            parameters = self.document.get("components", {}).get("parameters", {})
            given = parameters.get(str(given["$ref"]).rpartition("/")[2], {})
        schema, place = given.get("schema", {}), given.get("in", "query")
        name = re.sub(r"\W", "_", given["name"]) if place == "path" else str(given.get("name", ""))
        kind = self.schemas.kind(schema)
        kind = "str" if place == "path" and kind not in ("str", "int") else kind
        required = bool(given.get("required")) or place == "path"
        return OperationParameter(name, place, kind, required, self.schemas.default(schema))

    def _of_body(self, operation: Schema) -> tuple[OperationParameter, ...]:
        body = operation.get("requestBody", {})
        if "$ref" in body:
            bodies = self.document.get("components", {}).get("requestBodies", {})
            body = bodies.get(str(body["$ref"]).rpartition("/")[2], {})
        content = body.get("content", {})
        kind = next((each for each in _BODIES if each in content), "")
        if not kind:
            return (OperationParameter("content", "whole", "bytes", is_required=False),) if content else ()
        schema = content[kind].get("schema", {})
        properties = self.schemas.resolve(schema).get("properties")
        if not properties:
            return (OperationParameter("body", "whole", "dict[str, Any]", is_required=False),) if schema else ()
        required = self.schemas.required_fields(schema)
        return tuple(
            OperationParameter(name, "body", self.schemas.kind(inner), name in required, self.schemas.default(inner))
            for name, inner in properties.items()
        )

    def _response_resource(self, endpoint: ApiOperation, operation: Schema, status: int) -> str:
        answer = operation.get("responses", {}).get(str(status), {})
        schema = answer.get("content", {}).get("application/json", {}).get("schema", {})
        named = class_name(re.sub(r"--.*| \(.*", "", self.schemas.name_of(schema))) if schema else ""
        resource = resource_of(endpoint, named, self.schemas.columns(schema))
        if resource is None or self.resources.setdefault(resource.name, resource) != resource:
            return ""
        return resource.name


def _server(holder: Schema) -> str:
    servers: Any = holder.get("servers") or [{}]
    return re.sub(r"[{}]", "", str(servers[0].get("url", "")))


def _status(operation: Schema) -> int:
    """Return the status code of success."""
    known = [int(code) for code in operation.get("responses", {}) if re.fullmatch("2[0-9][0-9]", str(code))]
    return min(known, default=200)


def _both(
    first: tuple[OperationParameter, ...], second: tuple[OperationParameter, ...]
) -> tuple[OperationParameter, ...]:
    """Merge parameters; of equal names the first counts, so that an optional part does not become required."""
    known = {snake(each.name) for each in first}
    return *first, *(each for each in second if snake(each.name) not in known)
