"""Generates the modules of a twin: for each page of its vendor's reference the operations and their tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from .model import ApiOperation, OperationParameter, Property, Resource
from .naming import camel, class_name, sentence, snake, unique_name, words
from .writing import WIDTH, fitting, imports, module, quote, several

MAX_PARAMETERS = 20
"""Properties of a body, beyond which they become an object of their own."""

_DRAFT = '"""Not built yet, and not served: an operation moves to `api` when it does what the vendor\'s does."""'


class ModuleShape(NamedTuple):
    """What all modules of a twin have in common."""

    prefix: str
    is_camel: bool


def page_module(name: str, endpoints: Sequence[ApiOperation], resources: Sequence[Resource], shape: ModuleShape) -> str:
    """Return the module of a page: lookups, and drafts of the other operations."""
    prefix = shape.prefix if all(each.path.startswith(f"{shape.prefix}/") for each in endpoints) else ""
    made = f"Operations(prefix={quote(prefix)})" if prefix else "Operations()"
    bodies: dict[tuple[OperationParameter, ...], str] = {}
    handlers = [_handler(each, resources, prefix, shape, bodies) for each in endpoints]
    structs = [_body_class(title, properties, shape) for properties, title in bodies.items()]
    text = "\n\n\n".join([f"api = {made}\ndraft = {made}\n{_DRAFT}", *structs, *handlers])
    shown = {each.shows for each in endpoints if each.shows}
    used = [
        imports(f".tables.{page}", [part for each in resources if each.page == page and each.name in shown
                                    for part in (each.name, not_found(each), view_name(each))])
        for page in sorted({each.page for each in resources})
    ]  # fmt: skip
    return module(f"{' '.join(words(name)).capitalize()}.", used, text)


def _handler(
    endpoint: ApiOperation,
    resources: Sequence[Resource],
    prefix: str,
    shape: ModuleShape,
    bodies: dict[tuple[OperationParameter, ...], str],
) -> str:
    resource = next((each for each in resources if each.name == endpoint.shows), None)
    pages, path = "api" if resource else "draft", endpoint.path.removeprefix(prefix)
    options = [quote(path or "/"), *([f"status={endpoint.status}"] if endpoint.status != 200 else [])]
    lines = [
        several(f"@{pages}.{endpoint.verb.lower()}(", options, ")"),
        _signature(endpoint, shape, bodies),
        f'    """{sentence(endpoint.summary, WIDTH - 14) or "Say what this does."}"""',
        _lookup(endpoint, resource) if resource else "    raise NotImplementedError",
    ]
    return "\n".join(lines)


def _lookup(endpoint: ApiOperation, resource: Resource) -> str:
    in_path = {each.name: snake(each.name) for each in endpoint.parameters if each.place == "path"}
    order = [segment[1:-1] for segment in endpoint.path.split("/") if segment.startswith("{")]
    given = [resource.name, *(in_path[name] for name in order), f"missing={not_found(resource)}"]
    getting = several("row = call.db.get(", given, ")", indent="    ")
    return f"{getting}\n    return {view_name(resource)}(row)"


def _signature(endpoint: ApiOperation, shape: ModuleShape, bodies: dict[tuple[OperationParameter, ...], str]) -> str:
    parameters = list(endpoint.parameters)
    in_body = tuple(each for each in parameters if each.place == "body")
    if len(in_body) > MAX_PARAMETERS:
        title = bodies.setdefault(in_body, unique_name(f"{class_name(endpoint.name)}Body", set(bodies.values())))
        parameters = [each for each in parameters if each.place != "body"]
        parameters.append(OperationParameter("body", "whole", title, is_required=True))
    ordered = sorted(parameters, key=lambda each: not (each.is_required or _is_always_there(each)))
    used: set[str] = set()
    written = ["call: Call", *(_parameter(each, shape, used) for each in ordered)]
    returns = "None" if endpoint.status == 204 else "dict[str, Any]"
    return several(f"def {endpoint.name}(", written, f") -> {returns}:")


def _is_always_there(parameter: OperationParameter) -> bool:
    return parameter.place == "whole" and parameter.kind != "bytes"


def _parameter(parameter: OperationParameter, shape: ModuleShape, used: set[str]) -> str:
    name = unique_name(snake(parameter.name), used)
    used.add(name)
    kind, default = _kind_and_default(parameter)
    note = {"header": f"Header({quote(parameter.name)})", "whole": "Body"}.get(parameter.place, "")
    if not note and wire_name(name, shape) != parameter.name:
        note = f"Named({quote(parameter.name)})"
    kind = f"Annotated[{kind}, {note}]" if note else kind
    return f"{name}: {kind}{default}"


def _kind_and_default(parameter: OperationParameter) -> tuple[str, str]:
    kind = parameter.kind
    if parameter.is_required or _is_always_there(parameter):
        return kind, ""
    if kind == "bytes":
        return kind, ' = b""'
    default = parameter.default
    if default and (not kind.startswith("Literal") or default in kind):
        return kind, f" = {default}"
    return (kind if kind == "Any" or kind.endswith("None") else f"{kind} | None"), " = None"


def wire_name(name: str, shape: ModuleShape) -> str:
    """Return the wire name that the style gives a parameter of this name."""
    return camel(name) if shape.is_camel else name.rstrip("_")


def _body_class(title: str, properties: Sequence[OperationParameter], shape: ModuleShape) -> str:
    used: set[str] = set()
    fields = [_field(each, shape, used) for each in properties]
    rename = ', rename="camel"' if shape.is_camel else ""
    head = f"class {title}(Struct, kw_only=True{rename}):"
    return "\n".join([head, '    """What is absent is UNSET, and what is null is None."""', "", *fields])


def _field(parameter: OperationParameter, shape: ModuleShape, used: set[str]) -> str:
    name = unique_name(snake(parameter.name), used)
    used.add(name)
    is_renamed = wire_name(name, shape) != parameter.name or name.endswith("_")
    given = [f"name={quote(parameter.name)}"] if is_renamed else []
    kind = parameter.kind.removesuffix(" | None")
    if parameter.is_required:
        line = f"    {name}: {parameter.kind}" + (f" = field({given[0]})" if given else "")
    else:
        kind = kind if kind == "Any" else f"{kind} | UnsetType | None"
        line = f"    {name}: {kind} = " + (f"field({', '.join(['default=UNSET', *given])})" if given else "UNSET")
    if len(line) <= WIDTH:
        return line
    # The handler must check choices that are too long for the signature.
    return fitting(re.sub(r"Literal\[.*?\]", "str", line))


def view_name(resource: Resource) -> str:
    """Return the name of the function that renders a resource."""
    return f"{snake(resource.name).rstrip('_')}_object"


def not_found(resource: Resource) -> str:
    """Return the name of the error for a missing resource."""
    return f"{resource.name}NotFound"


def tables_module(resources: Sequence[Resource], names: dict[str, str]) -> str:
    """Return the tables of a page's resources, with their views and errors."""
    parts = [part for each in resources for part in _resource(each, names[each.name])]
    return module(f"What is kept of {' '.join(words(resources[0].page))}.", (), "\n\n\n".join(parts))


def _resource(resource: Resource, table: str) -> list[str]:
    keys = [snake(each.name) for each in resource.key]
    key = ", ".join(map(quote, keys)) + ("," if len(keys) == 1 else "")
    columns = [f"    {snake(each.name)}: Column[{each.kind}]" for each in resource.key]
    columns += [
        f"    {snake(each.name)}: Column[{each.kind} | None] = column(default=None)" for each in resource.properties
    ]
    fields = (
        f"        {quote(each.name)}: {resource.name}.{snake(each.name)}," for each in _shown_properties(resource)
    )
    shown, what = "\n".join(["    {", *map(fitting, fields), "    },"]), " ".join(words(resource.name))
    head = several(f"class {resource.name}(", ["Row", f"table={quote(table)}", f"key=({key})"], "):")
    return [
        "\n".join([head, *columns]),
        f"{view_name(resource)} = View(\n    {resource.name},\n{shown}\n)",
        f'class {not_found(resource)}(ApiError):\n    """There is no such {what}."""\n\n    status = 404',
    ]


def _shown_properties(resource: Resource) -> tuple[Property, ...]:
    return resource.key[-1], *resource.properties


def example(column: Property) -> str | int:
    """Return an example key value for the new twin's template."""
    return 1 if column.kind == "int" else f"{snake(column.name).rstrip('_')}_1"
