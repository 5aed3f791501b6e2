"""`twindiff suites audit`: checks whether a suite's checks tell right solutions from wrong ones."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, cast
from uuid import uuid5

import typer

from twindiff.cli.commands.linting import ENVIRONMENT_TTL_SECONDS, AsMarkdown, markdown_table, world_of
from twindiff.cli.commands.suite_runs import load_agent, load_named
from twindiff.cli.commands.suites import Name, commands, platform_of, suite_of
from twindiff.cli.options import DEFAULT_URL, ApiKey, AsJson, BaseUrl, Files
from twindiff.cli.problem import CommandError

if TYPE_CHECKING:
    from twindiff.client import Suite, Test
    from twindiff.client.sync_client import Platform
    from twindiff.client.trial_runner import Agent
    from twindiff.suites.audit import Audited

WORK_SECONDS = 60
"""Seconds that a reference solution may take."""


def register(app: typer.Typer) -> None:
    """Add the command to `twindiff suites`."""
    commands.command("audit")(audit)


class AuditRow(NamedTuple):
    """The audit of a test; `problem` says why there is no diff of a reference."""

    test: Test
    audited: Audited | None
    problem: str = ""

    @property
    def is_sound(self) -> bool:
        return self.audited is not None and self.audited.is_sound


def audit(
    name: Name,
    solutions: Annotated[
        str,
        typer.Option(
            metavar="MODULE:NAME",
            help="A dict of solutions, functions of a task as `suites run` takes them, by the test's id or name.",
        ),
    ] = "",
    files: Files = None,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_markdown: AsMarkdown = False,
    as_json: AsJson = False,
) -> None:
    """Say whether the checks of a suite tell right from wrong.

    Each test is judged for an agent that does nothing, for a reference solution (that of --solutions, or `solution:
    "module:function"` in the test of a file), and for variants of what that did. With a missing row, a wrong value, a
    wrong author or an extra row it must fail; with another order, other ids, times or ways of writing it should pass.

    Exits with 0 if every test has a solution and is sound, else with 1.
    """
    given = _solutions(solutions, files)
    with platform_of(base_url, api_key, files) as platform:
        suite = suite_of(platform, name)
        rows = [_audit_test(platform, test, _solution(given, suite, test)) for test in suite.tests]
    if as_json:
        typer.echo(json.dumps(_answer(suite, rows), indent=2))
    elif as_markdown:
        typer.echo("\n".join([_summary(suite, rows), "", *markdown_table(HEAD, [_cells(row) for row in rows])]))
    else:
        _show(suite, rows)
    raise typer.Exit(not all(row.is_sound for row in rows))


def _solutions(given: str, files: Path | None) -> dict[str, Agent]:
    """Return the solution functions by ids and names of tests."""
    solutions: dict[str, Agent] = {}
    if given:
        known = load_named(given)
        if not isinstance(known, dict):
            raise CommandError(f"{given} is no dict of solutions by the tests' ids.", exit_code=2)
        solutions |= cast("dict[str, Agent]", known)
    if files:
        from twindiff.cli.commands.import_files import contents

        tests = [test for content in contents(files).values() for test in _tests_of(content)]
        solutions |= {test["id"]: load_agent(test["solution"]) for test in tests if "solution" in test}
    return solutions


def _tests_of(content: object) -> list[dict[str, Any]]:
    tests = cast("dict[str, object]", content).get("tests") if isinstance(content, dict) else None
    listed = cast("list[object]", tests) if isinstance(tests, list) else []
    return [cast("dict[str, Any]", test) for test in listed if isinstance(test, dict)]


def _solution(given: Mapping[str, Agent], suite: Suite, test: Test) -> Agent | None:
    from twindiff.suites.agent_diff import NAMESPACE

    names = {str(uuid5(NAMESPACE, f"test:{suite.name}:{name}")): name for name in given}
    name = next((each for each in (test.id, test.name, names.get(test.id)) if each in given), None)
    return given[name] if name else None


def _audit_test(platform: Platform, test: Test, solution: Agent | None) -> AuditRow:
    from twindiff.checks import parse
    from twindiff.client.request_specs import RequestSpec
    from twindiff.client.trial_runner import let_work, task_of
    from twindiff.suites.audit import audit

    if solution is None:
        return AuditRow(test, None, "no reference solution")
    world, spec = world_of(platform, test), parse(test.expected_output)
    with platform.create(testId=test.id, ttl_seconds=ENVIRONMENT_TTL_SECONDS) as environment:
        run = environment.run(test.id)
        try:
            let_work(solution, task_of(test, environment), WORK_SECONDS)
        except Exception as error:  # noqa: BLE001 - a solution may raise anything
            return AuditRow(test, None, f"the solution raised {type(error).__name__}: {error}")
        diff = run.diff()
        history = RequestSpec("GET", f"runs/{run.id}/history", dict[str, Any], {}, b"", True)
        past = platform.send(history) if spec.needs_calls or spec.needs_records else None
    return AuditRow(test, audit(spec, diff, world, past))


HEAD = ("test", "no-op", "reference", "variants", "wrong ones that pass", "right ones that fail")


def _cells(row: AuditRow) -> Sequence[str]:
    audited = row.audited
    if audited is None:
        return row.test.name, "", row.problem, "", "", ""
    reference = f"fails: {'; '.join(audited.failures)}" if audited.failures else "passes"
    no_op = "passes" if audited.noop_passes else "fails"
    return row.test.name, no_op, reference, str(audited.tried), _counts(audited.let_through), _counts(audited.refused)


def _counts(times: Mapping[str, int]) -> str:
    return "; ".join(f"{what} ({count} times)" if count > 1 else what for what, count in times.items())


def _summary(suite: Suite, rows: Sequence[AuditRow]) -> str:
    sound = sum(row.is_sound for row in rows)
    solved = sum(row.audited is not None and not row.audited.failures for row in rows)
    return f"{suite.name}: of {len(rows)} tests {solved} are passed by a reference solution and {sound} are sound."


def _show(suite: Suite, rows: Sequence[AuditRow]) -> None:
    from twindiff.cli.render import add_row, show, table

    shown = table(*HEAD)
    for row in rows:
        add_row(shown, *_cells(row))
    show(shown)
    show(_summary(suite, rows))


def _answer(suite: Suite, rows: Sequence[AuditRow]) -> dict[str, Any]:
    tests = [
        {
            "testId": row.test.id,
            "name": row.test.name,
            "isSound": row.is_sound,
            "problem": row.problem,
            **(row.audited._asdict() if row.audited else {}),
        }
        for row in rows
    ]
    return {"suite": suite.name, "tests": tests}
