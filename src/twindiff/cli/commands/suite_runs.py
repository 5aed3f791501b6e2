"""`twindiff suites run`: runs your agent on the tests of a suite, each in an environment of its own."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, redirect_stdout
from fnmatch import fnmatchcase
from importlib import import_module
from pathlib import Path
from statistics import fmean
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from twindiff.cli.commands.suites import Name, commands, platform_of, suite_of
from twindiff.cli.interrupts import interrupts_held
from twindiff.cli.options import DEFAULT_URL, ApiKey, AsJson, BaseUrl, Files
from twindiff.cli.problem import STOPPED, CommandError

if TYPE_CHECKING:
    from rich.table import Table

    from twindiff.cli.trial_store import TrialStore
    from twindiff.client import Suite, Test, Trial
    from twindiff.client.sync_client import Platform
    from twindiff.client.trial_runner import Agent

Keep = Literal["none", "failed", "all"]

Save = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Write each trial to this file, and go on with what is not in it yet.", show_default=False
    ),
]

Resume = Annotated[
    str,
    typer.Option(metavar="SET", help="Go on with a trial set of the server that was interrupted.", show_default=False),
]

LINE_AFTER = 100
"""The least number of trials between two progress lines."""

AN_AGENT = "An agent is given as module:function, such as my_agent:work"


def register(app: typer.Typer) -> None:
    """Add the command to `twindiff suites`."""
    commands.command("run")(run)


def run(
    name: Name,
    agent: Annotated[
        str, typer.Option(metavar="MODULE:FUNCTION", help="What does the work, async or not: work(task).")
    ],
    tests: Annotated[
        str, typer.Option(metavar="PATTERN", help="Only tests with this in their name; * is anything.")
    ] = "",
    parallel: Annotated[int, typer.Option(min=1, max=256, help="How many tests at once.")] = 1,
    repeat: Annotated[int, typer.Option(min=1, max=1000, help="How often each test is tried.")] = 1,
    seconds: Annotated[float, typer.Option(min=0.1, max=86400, help="How long the agent may take for a test.")] = 600,
    keep: Annotated[Keep, typer.Option(help="Whose environments stay for a day, to look into.")] = "none",
    save: Save = None,
    resume: Resume = "",
    files: Files = None,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Let an agent try the tests of a suite, each in an environment of its own, and judge what it did.

    The function gets a twindiff.client.Task: prompt, url, urls by twin, token, test_id, environment_id. What it prints
    goes to standard error. Exits with 0 if every test passed, else with 1; with 130 after Ctrl-C, which leaves no
    environment behind. A server keeps the trials in a trial set, which `twindiff trials` shows and compares.
    """
    plan = TrialPlan(load_agent(agent), repeat, parallel, seconds, keep)
    _refuse_without_server(files, keep, resume)
    begun = monotonic()
    with platform_of(base_url, api_key, files) as platform:
        suite = suite_of(platform, name)
        chosen = _choose_tests(suite, tests)
        store = _store(platform, suite, agent, repeat * len(chosen), save=save, resume=resume)
        results = _try_tests(platform, chosen, plan, store)
    if files is None:  # otherwise the import has printed them
        _warn(results)
    _say(suite, results, monotonic() - begun, store.trial_set, as_json=as_json)
    raise typer.Exit(not all(result.passed for result in results))


def _refuse_without_server(files: Path | None, keep: Keep, resume: str) -> None:
    if files and keep != "none":
        raise CommandError("--keep needs a server, for --files forgets everything at the end.", exit_code=2)
    if files and resume:
        raise CommandError("--resume needs a server; with --files, --save goes on with what its file has.", exit_code=2)


def _store(platform: Platform, suite: Suite, agent: str, planned: int, *, save: Path | None, resume: str) -> TrialStore:
    from twindiff.cli.trial_store import TrialDestination, TrialStore

    if resume:
        from twindiff.cli.trial_sources import full_id

        resume = full_id(platform, resume)
    return TrialStore(platform, suite, agent, planned, TrialDestination(save, resume))


def _warn(results: Sequence[SuiteTestResult]) -> None:
    from twindiff.cli.commands.import_files import warn

    warn([f"{result.test.name}: {warning}" for result in results for warning in result.warnings])


def _say(suite: Suite, results: Sequence[SuiteTestResult], seconds: float, trial_set: str, *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({**_answer(suite, results), "trialSetId": trial_set or None}, indent=2))
    else:
        _show(results, seconds, trial_set)


class SuiteTestResult(NamedTuple):
    """A test and its trials."""

    test: Test
    trials: list[Trial]

    @property
    def passed(self) -> bool:
        return all(trial.passed for trial in self.trials)

    @property
    def percent(self) -> float:
        """The mean score; a trial without a verdict counts 0."""
        return fmean(trial.verdict.score["percent"] if trial.verdict else 0.0 for trial in self.trials)

    @property
    def reason(self) -> str:
        return next((trial.reason for trial in self.trials if not trial.passed), "")

    @property
    def warnings(self) -> list[str]:
        of_trials = [trial.verdict.warnings for trial in self.trials if trial.verdict]
        return of_trials[0] if of_trials else []


class TrialPlan(NamedTuple):
    """How to run the trials."""

    agent: Agent
    repeat: int
    parallel: int
    seconds: float
    keep: Keep


def _try_tests(platform: Platform, tests: list[Test], plan: TrialPlan, store: TrialStore) -> list[SuiteTestResult]:
    """Run the remaining trials of tests; stored trials count."""
    from twindiff.cli.trial_store import group_by_test
    from twindiff.client import trials

    tried = [trial for test in tests for trial in store.done(test)]
    done = Counter(trial.test.id for trial in tried)
    tries = [test for test in tests for _ in range(plan.repeat - done[test.id])]
    going = trials(platform, tries, plan.agent, parallel=plan.parallel, seconds=plan.seconds, keep=plan.keep)
    try:
        with closing(going):
            for trial in _show_progress(going, len(tries)):
                with interrupts_held():
                    tried.append(trial)
                    store.add(trial)
    except KeyboardInterrupt:
        judged = f"Stopped when {len(tried) - done.total()} of {len(tries)} trials were judged"
        said = f"{judged}; the environments of the rest are deleted.{store.goes_on}"
        raise CommandError(said, exit_code=STOPPED) from None
    store.finish()
    by_test = group_by_test(tried)
    return [SuiteTestResult(test, by_test.get(test.id, [])) for test in tests]


def load_agent(given: str) -> Agent:
    """Import the function `module:function`, from this folder or installed; raises CommandError with the reason."""
    function = load_named(given)
    if callable(function):
        return function
    raise CommandError(f"{given} is no function, it is of the type {type(function).__name__}. {AN_AGENT}.", exit_code=2)


def load_named(given: str) -> Any:
    """Import `module:name`, from this folder or installed; raises CommandError with the reason."""
    module_name, colon, function_name = given.partition(":")
    if not (module_name and colon and function_name):
        raise CommandError(f"{AN_AGENT}, not '{given}'.", exit_code=2)
    sys.path.insert(0, str(Path.cwd()))
    try:
        with redirect_stdout(sys.stderr):
            module = import_module(module_name)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a module may raise anything while it is imported
        raise CommandError(
            f"The agent's module '{module_name}' cannot be imported: {type(error).__name__}: {error}.", exit_code=2
        ) from None
    if function_name in vars(module):
        return vars(module)[function_name]
    raise CommandError(_no_function(module_name, function_name, vars(module)), exit_code=2)


def _no_function(module: str, name: str, known: dict[str, Any]) -> str:
    from twindiff.kit.suggestions import did_you_mean

    functions = [each for each, value in known.items() if callable(value)]
    return f"The module '{module}' has no function '{name}'.{did_you_mean(name, functions)}"


def _choose_tests(suite: Suite, pattern: str) -> list[Test]:
    """Return the tests whose names contain the pattern, ignoring case."""
    wanted = pattern.lower()
    chosen = [
        test
        for test in suite.tests
        if wanted in test.name.lower() or fnmatchcase(test.name.lower(), f"*{wanted}*") or pattern == test.id
    ]
    if not chosen:
        of_which = f"; none of its {len(suite.tests)} tests is like '{pattern}'" if suite.tests else " and has no tests"
        raise CommandError(f"The suite is {suite.name}{of_which}. `twindiff suites show` lists what there is.")
    return chosen


def _show_progress(trials: Iterator[Trial], total: int) -> Iterator[Trial]:
    """Yield the trials while showing a progress bar on standard error, where an agent prints too.

    Without a terminal, as in a pipeline, a line reports every twentieth part of many trials.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from twindiff.cli.render import screen

    console = screen(errors=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    passed, step = 0, max(LINE_AFTER, total // 20)
    with (
        redirect_stdout(sys.stderr),
        Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress,
    ):
        bar = progress.add_task("trying", total=total)
        for number, trial in enumerate(trials, 1):
            passed += trial.passed
            progress.update(bar, advance=1, description=f"{passed} passed, {number - passed} failed")
            if progress.disable and number % step == 0:
                typer.echo(f"{number} of {total} trials judged, {passed} passed", err=True)
            yield trial


def _show(results: Sequence[SuiteTestResult], seconds: float, trial_set: str) -> None:
    from twindiff.cli.render import show

    show(_table(results))
    passed = sum(result.passed for result in results)
    mean = fmean(result.percent for result in results)
    stored = f"; trial set {trial_set}" if trial_set else ""
    show(f"\n{passed} of {len(results)} tests passed; mean score {mean:.0f} %; {seconds:.1f} s{stored}")


def _table(results: Sequence[SuiteTestResult]) -> Table:
    from rich.text import Text

    from twindiff.cli.render import ADDED, REMOVED, add_row, table

    is_kept = any(trial.is_kept for result in results for trial in result.trials)
    shown = table("test", "verdict", "score", "reason", *(["environment"] if is_kept else []))
    for result in results:
        word = "passed" if result.passed else "failed"
        if len(result.trials) > 1:
            word = f"{word} {sum(trial.passed for trial in result.trials)}/{len(result.trials)}"
        verdict = Text(word, ADDED if result.passed else REMOVED)
        kept = next((trial.environment_id for trial in result.trials if trial.is_kept), "")
        cells = (result.test.name, verdict, f"{result.percent:.0f} %", result.reason)
        add_row(shown, *cells, *([kept] if is_kept else []))
    return shown


def _answer(suite: Suite, results: Sequence[SuiteTestResult]) -> dict[str, Any]:
    tests = [
        {
            "testId": result.test.id,
            "name": result.test.name,
            "passed": result.passed,
            "percent": result.percent,
            "trials": [_trial(trial) for trial in result.trials],
        }
        for result in results
    ]
    return {"suite": suite.name, "passed": all(result.passed for result in results), "tests": tests}


def _trial(trial: Trial) -> dict[str, Any]:
    verdict = trial.verdict
    return {
        "passed": trial.passed,
        "score": verdict.score if verdict else None,
        "reason": trial.reason,
        "explanations": verdict.explanations if verdict else [],
        "warnings": verdict.warnings if verdict else [],
        "seconds": round(trial.seconds, 3),
        "environmentId": trial.environment_id,
        "isKept": trial.is_kept,
        "runId": trial.run_id,
    }
