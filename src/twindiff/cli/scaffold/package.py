"""Generates the files of a new twin's package, by path."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from string import Template

from .model import ApiOperation, Description, Resource
from .naming import class_name, snake, unique_name
from .pages import ModuleShape, example, page_module, tables_module
from .writing import imports, module, quote, several, tuple_of

Files = dict[str, str]

MAX_LINES = 400
"""Lines of a module, beyond which another begins."""

_TEXTS = Path(__file__).with_name("texts")
_RESERVED = {"tables", "errors", "seeds"}


def empty_package(name: str) -> Files:
    """Return the files of a twin that stores items, as a starting point."""
    files = {path: _text(source, name) for path, source in _common(name).items()}
    inside = f"src/{name}_twin"
    for part in ("__init__", "tables", "errors", "items"):
        files[f"{inside}/{part}.py"] = _text(f"{part}.py", name)
    files[f"{inside}/seeds/{name}_default.json"] = _text("seed.json", name)
    files["tests/test_items.py"] = _text("test_items.py", name)
    return files


def described_package(name: str, description: Description) -> Files:
    """Return the files of a twin with the described operations: working lookups, and drafts of the others.

    Drafts are not served.
    """
    description = _with_short_pages(_with_page_names(description))
    shape = ModuleShape(description.prefix, _is_camel(description.endpoints))
    files = {path: _text(source, name) for path, source in _common(name).items()}
    inside = f"src/{name}_twin"
    endpoints = sorted(description.endpoints, key=lambda each: each.page)
    pages = {page: [*several_] for page, several_ in groupby(endpoints, key=lambda each: each.page)}
    for page, of_page in pages.items():
        files[f"{inside}/{page}.py"] = page_module(page, of_page, description.resources, shape)
        files[f"tests/test_{page}.py"] = _test_module(page, of_page, description.resources)
    files |= _tables(inside, description.resources)
    files[f"{inside}/__init__.py"] = _twin_module(name, description, [*pages], shape)
    files[f"{inside}/seeds/{name}_default.json"] = _seed(description.resources)
    files["MISSING.md"] = _missing(description)
    return files


def _common(name: str) -> dict[str, str]:
    return {
        "pyproject.toml": "pyproject.toml",
        "README.md": "README.md",
        "tests/conftest.py": "conftest.py",
        f"src/{name}_twin/py.typed": "py.typed",
    }


def _text(source: str, name: str) -> str:
    text = (_TEXTS / f"{source}.txt").read_text()
    return Template(text).substitute(name=name, Name=class_name(name), title=name.replace("_", " ").title())


def _with_page_names(description: Description) -> Description:
    """Rename pages whose modules would hide others of the package."""
    names = {each.page: f"{each.page}_api" if each.page in _RESERVED else each.page for each in description.endpoints}
    return description._replace(
        endpoints=tuple(each._replace(page=names[each.page]) for each in description.endpoints),
        resources=tuple(each._replace(page=names[each.page]) for each in description.resources),
    )


def _with_short_pages(description: Description) -> Description:
    """Split pages that are too long for one module; the second part's name ends with 2."""
    lines: dict[str, int] = {}
    endpoints = tuple(
        each._replace(page=_part(each.page, 8 + len(each.parameters), lines)) for each in description.endpoints
    )
    lines = {}
    resources = tuple(
        each._replace(page=_part(each.page, 16 + 2 * len(each.properties), lines)) for each in description.resources
    )
    return description._replace(endpoints=endpoints, resources=resources)


def _part(page: str, more: int, lines: dict[str, int]) -> str:
    lines[page] = lines.get(page, 0) + more
    number = lines[page] // MAX_LINES
    return f"{page}_{number + 1}" if number else page


def _is_camel(endpoints: Sequence[ApiOperation]) -> bool:
    """Return whether most names of several words are in camel case."""
    names = {each.name for endpoint in endpoints for each in endpoint.parameters if each.place != "header"}
    camels = sum(bool(re.search("[a-z][A-Z]", each)) for each in names)
    return camels > sum("_" in each for each in names)


def _twin_module(name: str, description: Description, pages: Sequence[str], shape: ModuleShape) -> str:
    title, style = description.title.replace('"', "'").replace("\\", "") or name, f"{class_name(name)}Style"
    naming = '\n\n    naming = "camel"' if shape.is_camel else ""
    hosts = [
        "    hosts={",
        *(f"        {quote(host)}: {quote(prefix)}," for host, prefix in description.hosts.items()),
        "    },",
    ]
    body = [
        f'class {style}(Style):\n    """How it reads requests and writes answers and errors."""{naming}',
        tuple_of("PAGES = ", [f"{page}.api" for page in pages])
        + "\n"
        + tuple_of("DRAFTS = ", [f"{page}.draft" for page in pages])
        + "\n\n"
        + "\n".join(
            [
                "twin = Twin(",
                f"    {quote(name)},",
                f"    {style}(),",
                "    *PAGES,",
                "    tables=TABLES,",
                '    seeds=Path(__file__).with_name("seeds"),',
                *(hosts if description.hosts else []),
                '    missing=[f"{each.verb} {each.path}" for page in DRAFTS for each in page.listed],',
                ")",
            ]
        ),
    ]
    local = [imports(".", pages), imports(".tables", ["TABLES"])]
    text = module(f"A twin of {title}.", local, "\n\n\n".join(body))
    text = text.replace("from twindiff.kit import Twin\n", _HEAD)
    return text


_HEAD = """from pathlib import Path

from twindiff.kit import Twin
from twindiff.kit.styles.base import Style
"""


def _tables(inside: str, resources: Sequence[Resource]) -> Files:
    names: dict[str, str] = {}
    for each in resources:
        names[each.name] = unique_name(_plural(snake(each.name).rstrip("_")), set(names.values()))
    ordered = sorted(resources, key=lambda each: each.page)
    pages = {page: [*of_page] for page, of_page in groupby(ordered, key=lambda each: each.page)}
    files = {f"{inside}/tables/{page}.py": tables_module(of_page, names) for page, of_page in pages.items()}
    local = [imports(f".{page}", [each.name for each in of_page]) for page, of_page in pages.items()]
    listed = tuple_of("TABLES: tuple[type[Row], ...] = ", [each.name for each in ordered])
    files[f"{inside}/tables/__init__.py"] = module("What is kept, by the pages of the reference.", local, listed)
    return files


def _plural(name: str) -> str:
    if name.endswith("y") and name[-2:-1] not in "aeiou":
        return f"{name[:-1]}ies"
    return f"{name}es" if name.endswith(("s", "x", "ch", "sh")) else f"{name}s"


def _seed(resources: Sequence[Resource]) -> str:
    """Return a template with one row of each table."""
    names: dict[str, str] = {}
    for each in resources:
        names[each.name] = unique_name(_plural(snake(each.name).rstrip("_")), set(names.values()))
    rows = {names[each.name]: [{snake(key.name): example(key) for key in each.key}] for each in resources}
    return json.dumps(rows, indent=2) + "\n"


def _test_module(page: str, endpoints: Sequence[ApiOperation], resources: Sequence[Resource]) -> str:
    by_name = {each.name: each for each in resources}
    tests: list[str] = []
    for each in endpoints:
        if each.shows:
            tests += _lookup_tests(each, by_name[each.shows])
    missing = [each for each in endpoints if not each.shows and each.verb != "GET"]
    if missing:
        given = [[quote(each.verb), quote(re.sub(r"{.*?}", "some", each.path))] for each in missing]
        items = "\n".join(several("(", pair, "),", indent="        ") for pair in given)
        tests.append(
            f'@pytest.mark.parametrize(\n    ("verb", "path"),\n    [\n{items}\n    ],\n)\n'
            "def test_what_is_not_built_is_refused(client: httpx.Client, verb: str, path: str):\n"
            "    assert client.request(verb, path).status_code == 501"
        )
    body = "\n\n\n".join(tests) or f"from {{}} import {page}"
    return _tests_head(page, body) if tests else ""


def _tests_head(page: str, body: str) -> str:
    used = "import httpx\nimport pytest\n" if "pytest." in body else "import httpx\n"
    return f'"""{page.replace("_", " ").capitalize()}, over HTTP."""\n\n{used}\n\n{body}\n'


def _lookup_tests(endpoint: ApiOperation, resource: Resource) -> list[str]:
    keys, asking = [example(each) for each in resource.key], _asking(endpoint)
    there, elsewhere = iter(keys), iter([*keys[:-1], 404 if isinstance(keys[-1], int) else "nowhere"])
    known = re.sub(r"\{.*?\}", lambda _: str(next(there)), endpoint.path)
    unknown = re.sub(r"\{.*?\}", lambda _: str(next(elsewhere)), endpoint.path)
    key = resource.key[-1]
    shown = f"answer.json()[{quote(key.name)}] == {json.dumps(example(key))}"
    head = "(client: httpx.Client):"
    kept, missing = _get(known, asking), f"{_get(unknown, asking)}\n    assert answer.status_code == 404"
    return [
        f"def test_{endpoint.name}_gives_what_is_kept{head}\n{kept}\n    assert {shown}",
        f"def test_{endpoint.name}_of_nothing_is_not_found{head}\n{missing}",
    ]


def _get(path: str, asking: Sequence[str]) -> str:
    return several("answer = client.get(", [quote(path), *asking], ")", indent="    ")


def _asking(endpoint: ApiOperation) -> list[str]:
    """Return what a request needs besides its path."""
    required = [each for each in endpoint.parameters if each.is_required]
    places = {"params": "query", "headers": "header"}
    given = {
        name: ", ".join(f"{quote(each.name)}: {quote(_some(each.kind))}" for each in required if each.place == place)
        for name, place in places.items()
    }
    return [f"{name}={{{values}}}" for name, values in given.items() if values]


def _some(kind: str) -> str:
    """Return a text that is valid for a parameter type."""
    choice = re.match(r'Literal\["([^"]*)"', kind)
    return choice[1] if choice else {"int": "1", "float": "1", "bool": "true"}.get(kind, "some")


def _missing(description: Description) -> str:
    drafts = [each for each in description.endpoints if not each.shows]
    has = len(description.endpoints) - len(drafts)
    lines = [
        "# What is missing",
        "",
        f"{has} of {len(description.endpoints)} operations look something up and work. The others are drafts: their",
        "signatures are there, they are not served, and whoever calls them is told that they do not exist.",
        "",
        *(f"- [ ] `{each.operation}` ({each.page}.{each.name})" for each in sorted(drafts, key=lambda each: each.page)),
        *(["", "Not taken over from the description:", ""] if description.left_out else []),
        *(f"- {each}" for each in description.left_out),
    ]
    return "\n".join([*lines, ""])
