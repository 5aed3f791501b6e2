"""Writes cli.md, pages of our APIs, of shipped drafts and of evidence, and tables of checks.md and of Linear's page.

`--check` only says which of them is out of date.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import Any

from draft_reports import draft_pages
from evidence import SOURCES, evidence_pages
from graphql_coverage import tables
from slack_errors import error_pages
from typer.main import get_command
from typer.testing import CliRunner

from twindiff.checks import conditions, operators, vocabulary
from twindiff.cli import app
from twindiff.server.apis import sandboxes
from twindiff.server.apis.platform import PREFIX, platform
from twindiff.server.openapi import ServedOperation, describe, describe_sandboxes, described_runs, list_served
from twindiff.twins.box import twin as box
from twindiff.twins.calendar import twin as calendar
from twindiff.twins.github import twin as github
from twindiff.twins.linear import twin as linear
from twindiff.twins.linear.tests.unread_inputs import UNREAD
from twindiff.twins.slack import twin as slack
from twindiff.twins.stripe import twin as stripe

HERE = Path(__file__).parent
LINEAR = "../../src/twindiff/twins/linear/README.md"
Json = dict[str, Any]

CLI = """# Command line

Written by `docs/reference/generate.py`; `twindiff COMMAND --help` says the same.

- `--json` makes standard output readable by a program. Errors are one line on standard error.
- Without a terminal, and with `NO_COLOR`, everything is plain text.
- Exit codes: 0 done; 1 not done, or a diff failed its checks, or an agent a test; 2 wrong usage, or a file is no good;
  70 a mistake of Twindiff itself, whose traceback `TWINDIFF_DEBUG=1` shows; 130 stopped by Ctrl-C.
- Commands with `--base-url` speak to the server there, or at `$AGENT_DIFF_BASE_URL` or `$TWINDIFF_URL`.
"""

API = """# Platform API

Written by `docs/reference/generate.py` from the same signatures that check requests. A running server has it as
OpenAPI 3.1 at `/api/platform/openapi.json` and as a page at `/api/platform/docs`.

- Bodies and answers are JSON objects with camelCase names. A field that an operation does not have is refused, and so
  is a name given twice.
- An error is `{"detail": "what is wrong, what was given, what to do", "error": "a_code_to_decide_by"}`.
- With an API key set, every operation except `health` and `ready` needs it, as `X-API-Key` or as a bearer token. The
  agent token of an environment opens none of them: an agent cannot read or alter its own judging.
- Instants are UTC.

The other plane is the vendors': `/api/env/{envId}/services/{twin}/…` is the vendor's API for one environment.
"""

SANDBOXES = """# Sandbox API

Written by `docs/reference/generate.py` from the same signatures that check requests. A running server has it as
OpenAPI 3.1 at `/v1/openapi.json`. [Use sandboxes](../how-to/sandboxes.md) shows it at work.

- A sandbox is an environment of one twin, whoever made it: what `initEnv` makes of one template is listed here, and
  what is made here has its runs, checkpoints and forks in the [platform API](platform-api.md) under the same id.
- Bodies and answers are JSON objects with snake_case names. A field that an operation does not have is refused, and so
  is a name given twice.
- An error is `{"error": "a_code_to_decide_by", "message": "what is wrong, what was given, what to do"}`, with 400, 401
  or 404; 405 for a method that a path does not have, and 413 for a body of over 4 MB. A deleted sandbox is not found;
  an expired one is shown for a day.
- With an API key set, every operation needs it as a bearer token, or as `X-API-Key`. The agent token of an environment
  opens none of them.
- Instants are ISO 8601 in UTC: `2026-03-01T12:00:00Z`.

## Sandbox

| field | what it is |
|---|---|
| `id` | the environment's id |
| `api` | the twin |
| `scenario` | the template it began with, by name; rows of `seed_data` lie over it |
| `status` | `ready`; `active` once a call has reached it, a refused one too; `expired` |
| `base_url` | the address of the vendor's API. Without an API key any token does, and acts as the first user there is |
| `created_at`, `expires_at` | by the server's clock |

## DiffEntry

An entry is one operation that changed something visible, oldest first. What was undone by a rewind or a reset is not
told, and a fork tells what it began with too.

| field | what it is |
|---|---|
| `id` | the sandbox's id and the operation's number in its journal |
| `sandbox_id` | the sandbox |
| `operation` | the vendor's name of it: `chat.postMessage`, `mutation issueCreate`, `POST /2.0/folders` |
| `timestamp` | when, by the environment's clock |
| `changes[].type` | `add` for a row that came, `remove` for one that went, `replace` for each column that changed |
| `changes[].path` | a JSON Pointer: `/messages/1732645891.000200`, `/channels/C01ABCD1234/topic_text` |
| `changes[].value` | the new row, or the column's new value; absent on `remove` |

A key of several columns is written with `,` between them. `include` works as it does in
[diffs](../design/diffs-and-runs.md): `plain` tells of rows that came with all their columns, and of others the columns
that are not derived. With `all`, the entries applied in order to the state before give the state after.
"""


RUNS = """# Twin runs and scenarios

Written by `docs/reference/generate.py` from the same signatures that check requests. A running server has it in
`/api/platform/openapi.json`, beside the platform API. The routes and fields are those of Arga's API, so that its SDK
and command line work with this server. [Test an application against twins](../how-to/twin-runs.md) shows it at work.

- Bodies and answers are JSON with snake_case names. A field that an operation does not have is refused, and so is a
  name given twice.
- An error is `{"detail": "what is wrong, what was given, what to do", "error": "a_code_to_decide_by"}`; `detail` is a
  text always.
- With an API key set, every operation but logins, presets and `health` needs it, as a bearer token or as `X-API-Key`.
- Instants are ISO 8601 in UTC.
- The twins of a run are at the `base_url` of each. When a run has ended they answer 410 `environment_destroyed`.
"""


def main(check: bool) -> None:
    """Write the pages, or say which would change."""
    pages = {
        "checks.md": with_tables("checks.md", words()),
        LINEAR: with_tables(LINEAR, tables(linear, UNREAD)),
        "cli.md": "\n".join([CLI, *commands()]),
        "platform-api.md": "\n".join([API, *sections(list_served(PREFIX, platform), describe())]),
        "sandbox-api.md": "\n".join(
            [SANDBOXES, *sections(list_served(sandboxes.PREFIX, sandboxes.operations), describe_sandboxes())]
        ),
        "twin-runs-api.md": "\n".join([RUNS, *sections(described_runs(), describe(), by_docstring)]),
        **error_pages(slack, SOURCES["slack"]["errors"]),
        **draft_pages(),
        **evidence_pages((box, calendar, github, linear, slack, stripe)),
    }
    stale = [name for name, text in pages.items() if not _is(HERE / name, text)]
    if check and stale:
        sys.exit(f"Out of date: {', '.join(stale)}. Run python docs/reference/generate.py.")
    for folder in ("drafts", "evidence"):
        (HERE / folder).mkdir(exist_ok=True)
    for name in stale:
        (HERE / name).write_text(pages[name])


def _is(path: Path, text: str) -> bool:
    return path.exists() and path.read_text() == text


def with_tables(name: str, tables: dict[str, Iterator[str]]) -> str:
    """A page with its tables written anew, each between its marks."""
    page = (HERE / name).read_text()
    for title, lines in tables.items():
        marked = re.compile(rf"(<!-- {title}: written by generate.py -->\n).*?(<!-- end -->)", re.DOTALL)
        table = "\n".join(lines)
        page, count = marked.subn(lambda found, table=table: f"{found[1]}\n{table}\n\n{found[2]}", page)
        if count != 1:
            sys.exit(f"{name} needs the marks of the table '{title}' once, not {count} times.")
    return page


def words() -> dict[str, Iterator[str]]:
    """The tables of the assertion language."""
    return {
        "keys of a spec": _words(vocabulary.SPEC),
        "keys of an assertion": _words(vocabulary.ASSERTION),
        "operators": _operators(),
        "fields of a call": _meanings(vocabulary.CALL),
    }


def _words(words: vocabulary.Words) -> Iterator[str]:
    yield "| key | from version | what |\n|---|---|---|"
    for name, word in words.items():
        yield f"| `{name}` | {_version(is_extended=word.extended)} | {word.meaning} |"


def _meanings(words: vocabulary.Words) -> Iterator[str]:
    yield "| key | what |\n|---|---|"
    yield from (f"| `{name}` | {word.meaning} |" for name, word in words.items())


def _operators() -> Iterator[str]:
    yield "| operator | from version | compares to | what it does |\n|---|---|---|---|"
    operands = {name: inspect.getdoc(read) for name, read in conditions.OPERANDS.items()}
    operands |= {"and": "A list of predicates.", "or": "A list of predicates.", "not": "A predicate."}
    for name, function in {**operators.OPERATORS, **operators.CONNECTIVES}.items():
        version = _version(is_extended=name in operators.EXTENDED_OPERATORS)
        operand = (operands[name] or "").rstrip(".")
        yield f"| `{name}` | {version} | {operand[:1].lower()}{operand[1:]} | {inspect.getdoc(function)} |"


def _version(*, is_extended: bool) -> str:
    return vocabulary.EXTENDED if is_extended else vocabulary.PUBLIC


def commands() -> Iterator[str]:
    """A section for every command that does something."""
    whole = get_command(app)
    for names in _names([], whole):
        with CliRunner().isolation(env={"COLUMNS": "100", "TERMINAL_WIDTH": "100"}) as (output, *_):
            with suppress(SystemExit):
                whole.main([*names, "--help"], prog_name="twindiff")
            said = output.getvalue().decode()
        said = "\n".join(line.rstrip() for line in said.strip().splitlines())
        yield f"## twindiff {' '.join(names)}\n\n```text\n{said}\n```\n"


def _names(names: list[str], command: Any) -> Iterator[list[str]]:
    """The words of every command below one, or those of itself."""
    below = getattr(command, "commands", {})
    for name, each in below.items():
        yield from _names([*names, name], each)
    if not below:
        yield names


def by_name(module: str) -> str:
    """The title of a section: the name of its module."""
    return module.rpartition(".")[2].capitalize()


def by_docstring(module: str) -> str:
    """The title of a section: what its module says first."""
    return re.split("[.,:]", inspect.getdoc(sys.modules[module]) or "")[0]


def sections(
    served: Sequence[ServedOperation], description: Json, title: Callable[[str], str] = by_name
) -> Iterator[str]:
    """A section for every module of operations, in the order they are served."""
    ordered = sorted(served, key=_module)
    for module, operations in groupby(ordered, key=_module):
        yield f"## {title(module)}\n\n{inspect.getdoc(sys.modules[module])}\n"
        yield from (_operation(each, description) for each in operations)


def _module(served: ServedOperation) -> str:
    return served.operation.declared.handler.__module__


def _operation(served: ServedOperation, description: Json) -> str:
    declared = served.operation.declared
    described = description["paths"][served.path][declared.verb.lower()]
    fields = "\n".join(_fields(described))
    given = f"| given | type | where |\n|---|---|---|\n{fields}\n\n" if fields else ""
    answer = _answer(described["responses"][str(declared.status)], description["components"]["schemas"])
    return (
        f"### {declared.verb} {served.path}\n\n{described['description']}\n\n{given}"
        f"Answers {declared.status}: {answer}.\n"
    )


def _fields(described: Json) -> Iterator[str]:
    for field in described["parameters"]:
        yield _field(field["name"], field["schema"], field["in"], field["required"])
    content = described.get("requestBody", {"content": {}})["content"]
    schema = content.get("application/json", {"schema": {}})["schema"]
    for name, inner in schema.get("properties", {}).items():
        yield _field(name, inner, "body", name in schema["required"])
    if "application/octet-stream" in content:
        yield "| the file | bytes | the whole body |"


def _field(name: str, schema: Json, place: str, required: bool) -> str:
    """One row; what may be left out and has no default of its own is just optional."""
    default = schema.get("default")
    said = "" if required else ", optional" if default is None else f", default `{json.dumps(default)}`"
    return f"| `{name}` | {_kind(schema)} | {place}{said} |"


def _answer(response: Json, schemas: Json) -> str:
    if "content" not in response:
        return "nothing"
    schema = response["content"].get("application/json", {}).get("schema")
    if schema is None:
        return "text" if any(kind.startswith("text/") for kind in response["content"]) else "a file"
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
