"""The pages a person sees in a browser."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any

from twindiff import __version__
from twindiff.kit.http import Answer

if TYPE_CHECKING:
    from twindiff.catalog import TemplateRecord
    from twindiff.server.service import Service


def index(service: Service) -> Answer:
    """The front page: what is installed and where to go."""
    twins = "".join(_twin(name, len(twin.dispatch.operations)) for name, twin in service.registry.twins.items())
    shown = service.templates.list() if service.settings.api_key is None else []
    rows = "".join(map(_template, shown))
    return _page("index.html", twins=twins, templates=rows, version=__version__)


def _twin(name: str, operations: int) -> str:
    return f"<li><b>{escape(name)}</b> <span>{operations} operations</span>"


def _template(t: TemplateRecord) -> str:
    name = f"<code>{escape(t.service)}:{escape(t.name)}</code>"
    return f"<tr><td>{name}<td>{escape(t.origin)}<td>{escape(t.description or '')}"


def reference(description: dict[str, Any]) -> Answer:
    """The platform API, one section per operation."""
    operations = "".join(
        _operation(verb, path, operation)
        for path, verbs in description["paths"].items()
        for verb, operation in verbs.items()
    )
    return _page("reference.html", operations=operations, version=__version__)


def _operation(verb: str, path: str, operation: dict[str, Any]) -> str:
    fields = [*operation["parameters"], *_body_fields(operation)]
    rows = "".join(_field(field) for field in fields)
    table = f"<table>{rows}</table>" if rows else ""
    return (
        f'<section id="{escape(operation["operationId"])}"><h2><span class="{verb}">{verb.upper()}</span> '
        f"<code>{escape(path)}</code></h2><p>{escape(operation['description'])}</p>{table}</section>"
    )


def _body_fields(operation: dict[str, Any]) -> list[dict[str, Any]]:
    body = operation.get("requestBody")
    if not body:
        return []
    schema = body["content"]["application/json"]["schema"]
    return [
        {"name": name, "in": "body", "required": name in schema["required"], "schema": inner}
        for name, inner in schema["properties"].items()
    ]


def _field(field: dict[str, Any]) -> str:
    needed = "required" if field["required"] else "optional"
    kind = escape(_kind(field["schema"]))
    return f"<tr><td><code>{escape(field['name'])}</code><td>{kind}<td>{field['in']}, {needed}"


def _kind(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_kind(each) for each in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(f"“{each}”" for each in schema["enum"])
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    return str(schema.get("type", "anything"))


def _page(name: str, **values: str) -> Answer:
    text = files("twindiff.server").joinpath("html", name).read_text("utf-8")
    return Answer(Template(text).substitute(values).encode(), content_type="text/html; charset=utf-8")
