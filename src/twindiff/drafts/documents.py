"""Reads descriptions of APIs: OpenAPI 3.0 and 3.1, Swagger 2 and Google Discovery documents, in JSON or YAML."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast
from urllib.parse import urlsplit

import msgspec
import yaml

from .conversions import convert_discovery, convert_swagger
from .names import split_words
from .schema_combinations import COMBINING, CombinationLimits, TooManyCombinations
from .yaml_documents import read_yaml

Schema = dict[str, Any]

MAX_FILE_BYTES = 10_000_000
"""Bytes of a described file that can be answered."""
MAX_JSON_BYTES = 40_000_000
MAX_YAML_BYTES = 4_000_000
"""YAML takes a hundred times as long to read as JSON."""
MAX_OPERATIONS = 5_000
MAX_PATH_CHARACTERS = 2_000
MAX_PATH_SEGMENTS = 100
MAX_NODES = 4_000_000
"""The most objects and lists of a description."""
BASE = "urn:twindiff:description"
"""The address under which the document is known to its own references, so that each of its schemas stands alone."""

LEARNT = "x-learnt"
"""The mark of a document that was learnt from recordings, which may lack what the API has."""
VERBS = ("get", "post", "put", "patch", "delete")
JSON_TYPES = ("application/json", "application/x-www-form-urlencoded", "multipart/form-data")
_PLACEHOLDER = re.compile(r"\{([^}/]*)\}")
_UNWALKED = frozenset({"example", "examples", "default", "enum", "const", "x-enum", "description"})


class DescriptionError(ValueError):
    """A description cannot be used; the message says why, in one sentence."""


class ParameterDescription(NamedTuple):
    """A parameter of an operation."""

    name: str
    place: str
    """`path`, `query` or `header`."""
    is_required: bool
    schema: Schema
    description: str = ""


class FileDescription(NamedTuple):
    """An answer that is a file whose size is described, by the example of its header `Content-Length`."""

    media_type: str
    size: int
    """In bytes."""


class ResponseDescription(NamedTuple):
    """A response that an operation may have; `schema` is None for one without a JSON body."""

    schema: Schema | None
    example: Any = None
    file: FileDescription | None = None


class OperationDescription(NamedTuple):
    """One operation; `path` has the prefix of its server, and placeholders that are Python names."""

    verb: str
    path: str
    summary: str
    parameters: tuple[ParameterDescription, ...]
    body: Schema | None
    is_body_required: bool
    responses: dict[str, ResponseDescription]
    operation_id: str = ""
    """The vendor's own name for it; empty if it has none."""
    is_ambiguous: bool = False
    """Whether others have its address, so that no request says which of them it means, as in `/items#folders`."""
    body_types: tuple[str, ...] = ()
    """The media types of its body, without their parameters."""
    is_implied: bool = False
    """Whether recordings do not show it, and it follows from others (`x-implied`)."""
    recorded_refusal: str = ""
    """The status with which recordings always refuse it (`x-recorded-refusal`); empty if there is none."""

    @property
    def name(self) -> str:
        """Its name in journals and reports: `GET /items/{id}`."""
        return f"{self.verb} {self.path}"

    @property
    def status(self) -> int:
        """The status of its success."""
        return min((int(code) for code in self.responses if re.fullmatch("2[0-9][0-9]", code)), default=200)

    @property
    def answer(self) -> Schema | None:
        """The schema of its success."""
        known = self._success
        return known.schema if known else None

    @property
    def file(self) -> FileDescription | None:
        """The file that its success is."""
        known = self._success
        return known.file if known else None

    @property
    def _success(self) -> ResponseDescription | None:
        return self.responses.get(str(self.status)) or self.responses.get("default")


class ApiDescription(NamedTuple):
    """An API as its document describes it."""

    title: str
    hosts: dict[str, str]
    """The vendor's hosts, each with the prefix of its operations' paths."""
    operations: tuple[OperationDescription, ...]
    document: Schema
    """The document; every `$ref` in it is absolute (`BASE`), and its schemas are those of JSON Schema 2020-12."""
    security: tuple[Schema, ...]
    left_out: tuple[str, ...]
    """Parts that are not served, a sentence each."""


def read_description(path: Path) -> ApiDescription:
    """Read the description in a file. Raises DescriptionError with what is wrong with it."""
    return describe(load_document(path))


def describe(document: Schema) -> ApiDescription:
    """Return the description in a document of any known kind. Raises DescriptionError."""
    if "swagger" in document:
        document = convert_swagger(document)
    elif "discoveryVersion" in document or ("resources" in document and "schemas" in document):
        document = convert_discovery(document)
    if not isinstance(document.get("paths"), dict):
        raise DescriptionError("It is no OpenAPI, Swagger or Google Discovery document: it has no 'paths'.")
    combined = _normalise(document)
    try:
        CombinationLimits(partial(find_by_reference, document)).apply(combined)
    except TooManyCombinations as error:
        raise DescriptionError(str(error)) from None
    try:
        return _OpenapiReader(document).read()
    except (AttributeError, KeyError, TypeError, IndexError) as error:
        raise DescriptionError(f"It is not a valid description of an API: {type(error).__name__}: {error}.") from None


def load_document(path: Path) -> Schema:
    """Return the document in a file of JSON or YAML. Raises DescriptionError with what is wrong with it."""
    is_yaml = path.suffix in (".yaml", ".yml")
    bound = MAX_YAML_BYTES if is_yaml else MAX_JSON_BYTES
    try:
        if path.stat().st_size > bound:
            hint = " Convert it to JSON, which may be larger." if is_yaml else ""
            raise DescriptionError(f"It is larger than {bound:,} bytes.{hint}")
        text = path.read_bytes()
        document: Any = read_yaml(text) if is_yaml else msgspec.json.decode(text.removeprefix(codecs.BOM_UTF8))
    except OSError as error:
        raise DescriptionError(f"It cannot be read: {error.strerror}.") from None
    except (yaml.YAMLError, msgspec.DecodeError, UnicodeError, RecursionError, ValueError) as error:
        if isinstance(error, DescriptionError):
            raise
        kind = "YAML" if is_yaml else "JSON"
        raise DescriptionError(f"It is not valid {kind}: {str(error).splitlines()[0]}.") from None
    if not isinstance(document, dict):
        raise DescriptionError("It holds no object at its top.")
    return cast(Schema, document)


def _normalise(document: Schema) -> list[Schema]:
    """Make references absolute and OpenAPI 3.0's schemas those of JSON Schema 2020-12, in place.

    Returns the schemas that stand for others. Raises DescriptionError for a reference to another document and for more
    than `MAX_NODES` parts.
    """
    combined: list[Schema] = []
    stack: list[tuple[Any, bool]] = [(document, False)]
    seen: set[int] = set()
    while stack:
        node, is_map = stack.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if len(seen) > MAX_NODES:
            raise DescriptionError(f"It has more than {MAX_NODES:,} objects and lists.")
        if isinstance(node, list):
            stack += [(each, False) for each in cast(list[Any], node) if isinstance(each, (dict, list))]
        elif isinstance(node, dict):
            fields = cast(Schema, node)
            if not is_map:
                if not _NORMALISED.isdisjoint(fields) or fields.get("type") in _FOREIGN_TYPES:
                    _normalise_one(fields)
                if not COMBINING.isdisjoint(fields):
                    combined.append(fields)
            stack += [
                (value, not is_map and name in ("properties", "patternProperties", "schemas", "definitions"))
                for name, value in fields.items()
                if isinstance(value, (dict, list)) and (is_map or (name not in _UNWALKED and name[:2] != "x-"))
            ]
    return combined


_NORMALISED = frozenset({"$ref", "exclusiveMinimum", "exclusiveMaximum", "required", "nullable"})
_FOREIGN_TYPES = ("file", "any")
"""An object that `_normalise_one` changes has one of these names or types."""


def _normalise_one(node: Schema) -> None:
    target = node.get("$ref")
    if isinstance(target, str):
        if target.startswith("#"):
            node["$ref"] = BASE + target
        elif not target.startswith(BASE):
            raise DescriptionError(f"It refers to another document, '{target[:80]}'. Bundle it into one file first.")
    for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if isinstance(node.get(exclusive), bool) and node.pop(exclusive) and bound in node:
            node[exclusive] = node.pop(bound)
    if isinstance(node.get("required"), bool) and "schema" not in node and "in" not in node and "content" not in node:
        del node["required"]
    kind = node.get("type")
    if kind == "file":
        node |= {"type": "string", "format": "binary"}
    if kind == "any":
        del node["type"]
    if node.pop("nullable", False) is True:
        _allow_null(node)


def _allow_null(node: Schema) -> None:
    kind = node.get("type")
    if isinstance(kind, str):
        node["type"] = [kind, "null"]
        if "enum" in node and None not in node["enum"]:
            node["enum"] = [*node["enum"], None]
    elif "$ref" in node or "allOf" in node or "oneOf" in node or "anyOf" in node:
        inner = {name: node.pop(name) for name in ("$ref", "allOf", "oneOf", "anyOf") if name in node}
        node["anyOf"] = [inner, {"type": "null"}]


class _OpenapiReader:
    """Reads the operations of an OpenAPI document."""

    def __init__(self, document: Schema) -> None:
        self.document = document
        self.left_out: list[str] = []
        self.hosts: dict[str, str] = {}
        self.server = _server_of(document)

    def read(self) -> ApiDescription:
        operations: dict[str, OperationDescription] = {}
        for path, item in self.document["paths"].items():
            for verb, operation in self._of_path(item):
                made = self._operation(verb, str(path), item, operation)
                shape = f"{made.verb} {_PLACEHOLDER.sub('{}', made.path).strip('/')}"
                if shape in operations:
                    self.left_out.append(f"{made.name} has the path of {operations[shape].name}")
                    first = operations[shape]
                    is_other = "#" in str(path) and made.answer != first.answer
                    operations[shape] = first._replace(is_ambiguous=first.is_ambiguous or is_other)
                else:
                    operations[shape] = made
        if not operations:
            raise DescriptionError("It describes no operations.")
        if len(operations) > MAX_OPERATIONS:
            raise DescriptionError(f"It describes {len(operations):,} operations; {MAX_OPERATIONS:,} can be served.")
        schemes = self.document.get("components", {}).get("securitySchemes", {})
        title = str(self.document.get("info", {}).get("title", ""))
        security = tuple(self.follow(each) for each in schemes.values())
        return ApiDescription(
            title, self.hosts, tuple(operations.values()), self.document, security, tuple(self.left_out)
        )

    def _of_path(self, item: Schema) -> Iterator[tuple[str, Schema]]:
        return ((verb, item[verb]) for verb in VERBS if isinstance(item.get(verb), dict))

    def follow(self, node: Schema) -> Schema:
        """Return what a node refers to, or the node itself."""
        for _ in range(10):
            if not isinstance(node.get("$ref"), str):
                return node
            node = find_by_reference(self.document, node["$ref"])
        return {}

    def _operation(self, verb: str, path: str, item: Schema, operation: Schema) -> OperationDescription:
        full = self._full_path(path, item, operation)
        given = [self.follow(each) for each in (*item.get("parameters", ()), *operation.get("parameters", ()))]
        body = self.follow(operation.get("requestBody") or {})
        schema = _schema_of(body.get("content", {}))
        responses = {
            str(code): self._response(self.follow(each)) for code, each in operation.get("responses", {}).items()
        }
        summary = str(operation.get("summary") or operation.get("description") or f"{verb.upper()} {full}")
        parameters, own_name = _parameters(given, full), str(operation.get("operationId") or "")
        is_implied = operation.get("x-implied") is True
        needs_body = bool(body.get("required"))
        types = tuple(str(each).partition(";")[0].strip().lower() for each in body.get("content", {}))
        given_refusal = str(operation.get("x-recorded-refusal", ""))
        is_known = bool(re.fullmatch("4[0-9][0-9]", given_refusal)) and given_refusal in responses
        refusal = given_refusal if is_known else ""
        made = OperationDescription(verb.upper(), full, summary, parameters, schema, needs_body, responses, own_name)
        return made._replace(is_implied=is_implied, body_types=types, recorded_refusal=refusal)

    def _full_path(self, path: str, item: Schema, operation: Schema) -> str:
        """Return a path below the prefix of its server; placeholders become Python names."""
        server = urlsplit(_server_of(operation) or _server_of(item) or self.server)
        prefix = "" if server.path == "/" else server.path.rstrip("/")
        if len(path) > MAX_PATH_CHARACTERS or path.count("/") > MAX_PATH_SEGMENTS:
            bounds = f"{MAX_PATH_CHARACTERS:,} characters and {MAX_PATH_SEGMENTS} segments"
            raise DescriptionError(f"The path '{path[:60]}…' is longer than {bounds}.")
        if server.netloc:
            self.hosts.setdefault(server.netloc.lower(), "")
        plain = path.partition("?")[0].partition("#")[0]
        return prefix + _PLACEHOLDER.sub(lambda match: "{" + python_name(match[1]) + "}", plain)

    def _response(self, response: Schema) -> ResponseDescription:
        content = response.get("content", {})
        kind = next((each for each in content if "json" in each), "")
        if not kind:
            return ResponseDescription(None, file=self._file(response))
        examples = [*content[kind].get("examples", {}).values()]
        example = content[kind].get("example", examples[0].get("value") if examples else None)
        return ResponseDescription(content[kind].get("schema", {}), example)

    def _file(self, response: Schema) -> FileDescription | None:
        given: Schema = response.get("headers") or {}
        headers = {str(name).lower(): self.follow(each) for name, each in given.items()}
        size = headers.get("content-length", {}).get("example")
        types = [str(each) for each in response.get("content", {}) if "*" not in str(each)]
        is_known = isinstance(size, int) and 0 < size <= MAX_FILE_BYTES and types
        return FileDescription(types[0], cast(int, size)) if is_known else None


def find_by_reference(document: Schema, reference: str) -> Schema:
    """Return the part of a document to which an absolute reference (`BASE#/…`) points; {} if there is none."""
    node: Any = document
    for part in reference.partition("#/")[2].split("/"):
        name = part.replace("~1", "/").replace("~0", "~").replace("%7B", "{").replace("%7D", "}")
        if isinstance(node, list) and name.isdecimal() and int(name) < len(cast(list[Any], node)):
            node = cast(list[Any], node)[int(name)]
        elif isinstance(node, dict):
            node = cast(Schema, node).get(name)
        else:
            return {}
    return cast(Schema, node) if isinstance(node, dict) else {}


def python_name(name: str) -> str:
    """Return a wire name as a Python identifier, with its letters as they are where they can be."""
    plain = re.sub(r"\W", "_", name, flags=re.ASCII).strip("_") or "value"
    return f"n{plain}" if plain[0].isdigit() else plain


def _server_of(holder: Schema) -> str:
    servers: Any = holder.get("servers") or [{}]
    variables = servers[0].get("variables", {})
    return _PLACEHOLDER.sub(
        lambda match: str(variables.get(match[1], {}).get("default", match[1])), str(servers[0].get("url", ""))
    )


def _schema_of(content: Schema) -> Schema | None:
    kinds = [each for kind in JSON_TYPES for each in content if each.startswith(kind) or "json" in each]
    return content[kinds[0]].get("schema", {}) if kinds else ({"format": "binary"} if content else None)


def _parameters(given: list[Schema], path: str) -> tuple[ParameterDescription, ...]:
    """Return the parameters by name and place, those of the path in its order; the last declaration of one counts."""
    in_path = _PLACEHOLDER.findall(path)
    named: dict[tuple[str, str], ParameterDescription] = {}
    for name in in_path:
        named[name, "path"] = ParameterDescription(name, "path", is_required=True, schema={"type": "string"})
    for each in given:
        place = str(each.get("in", ""))
        name = python_name(str(each.get("name", ""))) if place == "path" else str(each.get("name", ""))
        schema = each.get("schema") or _schema_of(each.get("content", {})) or {}
        if (place in ("query", "header") and not _is_usual_header(place, name)) or (name, place) in named:
            required = place == "path" or bool(each.get("required"))
            said = str(each.get("description", ""))
            named[name, place] = ParameterDescription(name, place, required, schema, said)
    return tuple(named.values())


def _is_usual_header(place: str, name: str) -> bool:
    return place == "header" and "-".join(split_words(name)) in (
        "accept",
        "authorization",
        "content-type",
        "user-agent",
    )
