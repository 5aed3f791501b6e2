"""The front page and the API reference page."""

from __future__ import annotations

import json
import re
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from twindiff import __version__
from twindiff.kit.http import Response

if TYPE_CHECKING:
    from twindiff.catalog import EnvironmentRecord, TemplateRecord
    from twindiff.kit.twin import Twin
    from twindiff.server.service import Service


class FrontPageFacts(NamedTuple):
    """The records that the front page lists."""

    templates: list[TemplateRecord]
    environments: list[EnvironmentRecord]


def index(service: Service, shown: FrontPageFacts | None) -> Response:
    """Render the front page: installed twins and, if `shown` is given, environments and templates."""
    twins = "".join(map(_twin, service.registry.twins.values()))
    going_on = _environments(shown.environments) if shown else ""
    return _page(
        "index.html", twins=twins, environments=going_on, templates=_templates(shown.templates if shown else [])
    )


def _environments(shown: list[EnvironmentRecord]) -> str:
    rows = "".join(map(_environment, shown))
    heads = "<th>environment<th>twins<th>made (UTC)"
    table = f'<div class="wide"><table><tr>{heads}</tr>{rows}</table></div>' if rows else "<p>There are none yet."
    return (
        f'<h2>Environments</h2><div id="environments" data-refresh="/inspect/events">{table}</div>'
        '<p><a href="/inspect/environments">All environments</a> · <a href="/inspect/runs">Runs</a></p>'
    )


def _environment(record: EnvironmentRecord) -> str:
    name = escape(record.name or record.environment_id[:8])
    twins = escape(", ".join(cast(dict[str, str], record.templates)))
    made = record.created_at[:19].replace("T", " ")
    return f'<tr><td><a href="/inspect/environments/{record.environment_id}">{name}</a><td>{twins}<td>{made}'


def _twin(twin: Twin) -> str:
    operations = twin.served_operations
    reading = sum(operation.reads for operation in operations)
    return (
        f'<li><a href="/inspect/twins/{escape(twin.name)}"><b>{escape(twin.name)}</b></a> '
        f"<span>{reading} reading, {len(operations) - reading} writing operations</span>"
    )


def _templates(shown: list[TemplateRecord]) -> str:
    if not shown:
        return ""
    described = any(each.description for each in shown)
    heading = "<th>name<th>origin" + "<th>description" * described
    rows = "".join(_template(each, described) for each in sorted(shown, key=lambda each: (each.service, each.name)))
    return f'<h2>Templates</h2><div class="wide"><table><tr>{heading}</tr>{rows}</table></div>'


def _template(t: TemplateRecord, described: bool) -> str:
    description = f"<td>{escape(t.description or '')}" if described else ""
    return f"<tr><td><code>{escape(t.service)}:{escape(t.name)}</code><td class=whole>{escape(t.origin)}{description}"


def reference(description: dict[str, Any]) -> Response:
    """Render the reference of the platform API from its OpenAPI `description`, one section per operation."""
    operations = [
        (verb, path, operation) for path, verbs in description["paths"].items() for verb, operation in verbs.items()
    ]
    contents = "".join(
        f'<a href="#{escape(operation["operationId"])}">{_title(v, _short(p))}</a>' for v, p, operation in operations
    )
    return _page("reference.html", contents=contents, operations="".join(_operation(*each) for each in operations))


def _title(verb: str, path: str) -> str:
    return f'<span class="verb {verb}">{verb.upper()}</span> <code>{escape(path)}</code>'


def _short(path: str) -> str:
    return path.removeprefix("/api/platform")


def _operation(verb: str, path: str, operation: dict[str, Any]) -> str:
    rows = "".join(_field(field) for field in [*operation["parameters"], *_body_fields(operation)])
    table = f'<table class="fields">{rows}</table>' if rows else ""
    said = re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(operation["description"], quote=False))
    return (
        f'<section id="{escape(operation["operationId"])}"><h2>{_title(verb, path)}</h2><p>{said}</p>{table}</section>'
    )


def _body_fields(operation: dict[str, Any]) -> list[dict[str, Any]]:
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if not content:
        return []
    schema = content["schema"]
    return [
        {"name": name, "in": "body", "required": name in schema["required"], "schema": inner}
        for name, inner in schema["properties"].items()
    ]


def _field(field: dict[str, Any]) -> str:
    default = field["schema"].get("default")
    said = "" if field["required"] else ", optional" if default is None else f", else {json.dumps(default)}"
    kind = escape(_kind(field["schema"]), quote=False)
    return f"<tr><td><code>{escape(field['name'])}</code><td>{kind}<td>{field['in']}{escape(said, quote=False)}"


def _kind(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_kind(each) for each in schema["anyOf"] if each.get("type") != "null")
    if "enum" in schema:
        return " or ".join(f"“{each}”" for each in schema["enum"] if each is not None)
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    return str(schema.get("type", "anything"))


def _page(name: str, **values: str) -> Response:
    page = Template(_file(name)).substitute(values, style=_file("page.css"), version=__version__)
    return Response(page.encode(), content_type="text/html; charset=utf-8")


def _file(name: str) -> str:
    return files("twindiff.server").joinpath("html", name).read_text("utf-8")
