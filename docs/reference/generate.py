"""Writes cli.md and platform-api.md from the program itself; `--check` only says which of them is out of date."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from typer.main import get_command
from typer.testing import CliRunner

from twindiff.cli import app
from twindiff.kit.twin import Operation
from twindiff.server.openapi import describe
from twindiff.server.platform import PREFIX, platform

HERE = Path(__file__).parent
Json = dict[str, Any]

CLI = """# Command line

Written by `docs/reference/generate.py`; `twindiff COMMAND --help` says the same.

- `--json` makes standard output readable by a program. Errors are one line on standard error.
- Without a terminal, and with `NO_COLOR`, everything is plain text.
- Exit codes: 0 done; 1 not done, or a diff failed its checks; 2 wrong usage, or a file is no good; 70 a mistake of
  Twindiff itself, whose traceback `TWINDIFF_DEBUG=1` shows; 130 stopped by Ctrl-C.
- `twindiff env` and `twindiff import` speak to the server at `--base-url`, `$AGENT_DIFF_BASE_URL` or `$TWINDIFF_URL`.
"""

API = """# Platform API

Written by `docs/reference/generate.py` from the same signatures that check requests. A running server has it as
OpenAPI 3.1 at `/api/platform/openapi.json` and as a page at `/api/platform/docs`.

- Bodies and answers are JSON objects with camelCase names. What an operation does not know it ignores; a name given
  twice is refused.
- An error is `{"detail": "what is wrong, what was given, what to do", "error": "a_code_to_decide_by"}`.
- With an API key set, every operation except `health` and `ready` needs it, as `X-API-Key` or as a bearer token. The
  agent token of an environment opens none of them: an agent cannot read or alter its own judging.
- Instants are UTC.

The other plane is the vendors': `/api/env/{envId}/services/{twin}/…` is the vendor's API for one environment.
"""


def main(check: bool) -> None:
    """Write the pages, or say which would change."""
    pages = {"cli.md": "\n".join([CLI, *commands()]), "platform-api.md": "\n".join([API, *sections()])}
    stale = [name for name, text in pages.items() if not _is(HERE / name, text)]
    if check and stale:
        sys.exit(f"Out of date: {', '.join(stale)}. Run python docs/reference/generate.py.")
    for name in stale:
        (HERE / name).write_text(pages[name])


def _is(path: Path, text: str) -> bool:
    return path.exists() and path.read_text() == text


def commands() -> Iterator[str]:
    """A section for every command that does something."""
    yield from _command([], get_command(app))


def _command(names: list[str], command: Any) -> Iterator[str]:
    below = getattr(command, "commands", {})
    for name, each in below.items():
        yield from _command([*names, name], each)
    if not below:
        said = CliRunner().invoke(app, [*names, "--help"], env={"COLUMNS": "100", "TERMINAL_WIDTH": "100"}).stdout
        said = "\n".join(line.rstrip() for line in said.strip().splitlines())
        yield f"## twindiff {' '.join(names)}\n\n```text\n{said}\n```\n"


def sections() -> Iterator[str]:
    """A section for every module of operations, in the order they are served."""
    schemas = describe()["components"]["schemas"]
    ordered = sorted(platform.operations, key=lambda operation: operation.declared.handler.__module__)
    for module, operations in groupby(ordered, key=lambda operation: operation.declared.handler.__module__):
        yield f"## {module.rpartition('.')[2].capitalize()}\n\n{inspect.getdoc(sys.modules[module])}\n"
        yield from (_operation(operation, schemas) for operation in operations)


def _operation(operation: Operation, schemas: Json) -> str:
    declared = operation.declared
    described = describe()["paths"][PREFIX + declared.path][declared.verb.lower()]
    fields = "\n".join(_fields(described))
    given = f"| given | type | where |\n|---|---|---|\n{fields}\n\n" if fields else ""
    return (
        f"### {declared.verb} {PREFIX}{declared.path}\n\n{described['description']}\n\n{given}"
        f"Answers {declared.status}: {_answer(described['responses'][str(declared.status)], schemas)}.\n"
    )


def _fields(described: Json) -> Iterator[str]:
    for field in described["parameters"]:
        yield _field(field["name"], field["schema"], field["in"], field["required"])
    content = described.get("requestBody", {"content": {"application/json": {"schema": {}}}})["content"]
    schema = content["application/json"]["schema"]
    for name, inner in schema.get("properties", {}).items():
        yield _field(name, inner, "body", name in schema["required"])


def _field(name: str, schema: Json, place: str, required: bool) -> str:
    """One row; what may be left out and has no default of its own is just optional."""
    default = schema.get("default")
    said = "" if required else ", optional" if default is None else f", default `{json.dumps(default)}`"
    return f"| `{name}` | {_kind(schema)} | {place}{said} |"


def _answer(response: Json, schemas: Json) -> str:
    schema = response["content"].get("application/json", {}).get("schema")
    if schema is None:
        return "text"
    shown = [_shape(each, schemas) for each in schema.get("anyOf", [schema])]
    return " or ".join(shown)


def _shape(schema: Json, schemas: Json) -> str:
    """A named type by its fields, anything else by its kind."""
    name = schema.get("$ref", "").rpartition("/")[2]
    properties = schemas.get(name, {}).get("properties")
    return "`{" + ", ".join(properties) + "}`" if properties else _kind(schema)


def _kind(schema: Json) -> str:
    if "anyOf" in schema:
        return " or ".join(_kind(each) for each in schema["anyOf"] if each.get("type") != "null")
    if "enum" in schema:
        return " or ".join(f"`{each}`" for each in schema["enum"] if each is not None)
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    return str(schema.get("type", "any JSON"))


if __name__ == "__main__":
    main("--check" in sys.argv[1:])
