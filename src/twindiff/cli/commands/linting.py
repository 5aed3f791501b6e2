"""`twindiff suites lint`: finds mistakes in a suite's checks by themselves."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twindiff.cli.commands.suites import Name, commands, platform_of, suite_of
from twindiff.cli.options import DEFAULT_URL, ApiKey, AsJson, BaseUrl, Files

if TYPE_CHECKING:
    from twindiff.client import Suite, Test
    from twindiff.client.sync_client import Platform
    from twindiff.suites.lint import LintFinding
    from twindiff.suites.lint_context import LintContext

ENVIRONMENT_TTL_SECONDS = 600
"""Time to live of the environment that a template is read from, in case it is not deleted."""

AsMarkdown = Annotated[bool, typer.Option("--markdown", help="Answer with a report in Markdown.")]


def register(app: typer.Typer) -> None:
    """Add the command to `twindiff suites`."""
    commands.command("lint")(lint)


def lint(
    name: Name,
    files: Files = None,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    strict: Annotated[bool, typer.Option("--strict", help="Fail for ignored keys and guessed fields too.")] = False,
    as_markdown: AsMarkdown = False,
    as_json: AsJson = False,
) -> None:
    """Find mistakes in the checks of a suite before any agent has tried it.

    Finds tables, columns, rows and operations that do not exist, ignored keys, tests that an agent passes by doing
    nothing, checks that can never hold or never fail, checks that contradict each other, tests whose template is
    already in the expected state, and checks that want a value changed to what it already is.

    Exits with 1 if it finds any, else with 0. Ignored keys, and fields that a drafted twin guesses, count only with
    --strict.
    """
    with platform_of(base_url, api_key, files) as platform:
        suite = suite_of(platform, name)
        by_test = findings(platform, suite)
    if as_json:
        typer.echo(json.dumps(_answer(suite, by_test), indent=2))
    elif as_markdown:
        typer.echo("\n".join(_markdown(suite, by_test)))
    else:
        _show(suite, by_test)
    counted = [each for _, of_test in by_test for each in of_test if strict or each.kind not in ("ignored", "guessed")]
    raise typer.Exit(1 if counted else 0)


def findings(platform: Platform, suite: Suite) -> list[tuple[Test, list[LintFinding]]]:
    """Return the mistakes of each test of a suite."""
    from twindiff.checks import parse
    from twindiff.suites.lint import lint_test

    worlds: dict[tuple[str, ...], LintContext] = {}
    by_test: list[tuple[Test, list[LintFinding]]] = []
    for test in suite.tests:
        if test.starts_from not in worlds:
            worlds[test.starts_from] = world_of(platform, test)
        by_test.append((test, lint_test(parse(test.expected_output), worlds[test.starts_from], test.warnings)))
    return by_test


def world_of(platform: Platform, test: Test) -> LintContext:
    """Read the initial state of a test from an environment of it."""
    from twindiff.drafts.drafting import list_guessed_columns
    from twindiff.environments.registry import Registry
    from twindiff.suites.lint_context import build_context

    with platform.create(testId=test.id, ttl_seconds=ENVIRONMENT_TTL_SECONDS) as environment:
        lines = [json.loads(line) for line in gzip.decompress(environment.export()).splitlines()]
    registry, head = Registry.load_installed(), lines[0]
    rows: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for line in lines:
        if line["kind"] == "row":
            rows.setdefault((line["twin"], line["table"]), []).append(line["values"])
    twins = [*head["twins"]]
    operations = {operation.name for twin in twins for operation in registry.get(twin).dispatch.operations}
    actors = {head["actor"], *head.get("users", {}).values()} - {""}
    guessed = {
        (twin, table): columns for twin in twins for table, columns in list_guessed_columns(registry.get(twin)).items()
    }
    return build_context([registry.schemas[twin] for twin in twins], rows, actors, operations, guessed)


Findings = Sequence[tuple["Test", list["LintFinding"]]]


def _rows(by_test: Findings) -> list[tuple[str, str, str]]:
    """Return findings as test, what and why; a finding about every test is listed once."""
    said = [{*of_test} for _, of_test in by_test]
    common = set[Any].intersection(*said) if len(said) > 1 else set[Any]()
    rows = [("every test", each.kind, each.text) for each in (by_test[0][1] if by_test else []) if each in common]
    return rows + [
        (test.name, each.kind, each.text) for test, of_test in by_test for each in of_test if each not in common
    ]


def _summary(suite: Suite, by_test: Findings) -> str:
    wrong = sum(bool(of_test) for _, of_test in by_test)
    return f"{suite.name}: {wrong} of {len(by_test)} tests have something wrong with them."


def _show(suite: Suite, by_test: Findings) -> None:
    from twindiff.cli.render import add_row, show, table

    shown = table("test", "what", "why")
    for row in _rows(by_test):
        add_row(shown, *row)
    if shown.row_count:
        show(shown)
    show(_summary(suite, by_test))


def _answer(suite: Suite, by_test: Findings) -> dict[str, Any]:
    tests = [
        {"testId": test.id, "name": test.name, "findings": [each._asdict() for each in of_test]}
        for test, of_test in by_test
    ]
    return {"suite": suite.name, "tests": tests}


def _markdown(suite: Suite, by_test: Findings) -> list[str]:
    rows = _rows(by_test)
    return [_summary(suite, by_test), "", *(markdown_table(("test", "what", "why"), rows) if rows else [])]


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a Markdown table, with special characters of cells escaped."""
    from twindiff.cli.render import printable

    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return lines + [f"| {' | '.join(printable(cell).replace('|', '/') for cell in row)} |" for row in rows]
