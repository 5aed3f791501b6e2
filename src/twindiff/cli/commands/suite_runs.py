"""`twindiff suites run`: runs your agent on the tests of a suite, each in an environment of its own."""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, redirect_stdout
from fnmatch import fnmatchcase
from importlib import import_module
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from twindiff.cli.commands.suites import Name, commands, platform_of, suite_of
from twindiff.cli.interrupts import interrupts_held
from twindiff.cli.options import DEFAULT_URL, ApiKey, AsJson, BaseUrl, Files
from twindiff.cli.problem import STOPPED, CommandError

if TYPE_CHECKING:
    from twindiff.cli.suite_results import SuiteTestResult
    from twindiff.cli.trial_sets import TrialLabels
    from twindiff.cli.trial_store import TrialDestination, TrialStore
    from twindiff.client import Suite, Test, Trial
    from twindiff.client.sync_client import Platform
    from twindiff.client.trial_log import Prices
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
    label: Annotated[str, typer.Option(help="A name for this set of trials.", show_default=False)] = "",
    model: Annotated[
        str,
        typer.Option(envvar="AGENT_MODEL", help="The agent's model, which gets it as AGENT_MODEL.", show_default=False),
    ] = "",
    parameters: Annotated[
        list[str] | None, typer.Option("--param", metavar="NAME=VALUE", help="A parameter of the agent, to note.")
    ] = None,
    prices: Annotated[
        str,
        typer.Option(metavar="IN/OUT", help="US dollars for a million tokens, such as 3/15.", show_default=False),
    ] = "",
    files: Files = None,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Let an agent try the tests of a suite, and judge it.

    Each test has an environment of its own.

    The function gets a twindiff.client.Task: prompt, url, urls by twin, token, test_id, environment_id, log. What it
    prints goes to standard error. Exits with 0 if every test passed, else with 1; with 130 after Ctrl-C, which leaves
    no environment behind. A server keeps the trials in a trial set, which `twindiff trials` shows and compares.

    A trial whose agent raises or runs out of time, or that cannot start or be judged, ends as "error": it counts
    neither as passed nor as failed. --save and --resume try it again.
    """
    if model:
        os.environ["AGENT_MODEL"] = model
    plan = TrialPlan(load_agent(agent), repeat, parallel, seconds, keep)
    from twindiff.cli.trial_store import TrialDestination

    labels = _labels(agent, label, model, parameters or [], prices)
    _refuse_without_server(files, keep, resume)
    begun = monotonic()
    with platform_of(base_url, api_key, files) as platform:
        suite = suite_of(platform, name)
        chosen = _choose_tests(suite, tests)
        store = _store(platform, suite, agent, repeat * len(chosen), TrialDestination(save, resume, labels))
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


def _labels(agent: str, label: str, model: str, parameters: list[str], prices: str) -> TrialLabels:
    """Return what tells this set of trials apart; raises CommandError for options that cannot be read."""
    from twindiff.cli.agent_revision import revision_of
    from twindiff.cli.trial_sets import TrialLabels

    pairs = [each.partition("=") for each in parameters]
    if wrong := [name for name, equals, _ in pairs if not (name and equals)]:
        raise CommandError(f"--param is NAME=VALUE, not '{wrong[0]}'.", exit_code=2)
    named = {name: value for name, _, value in pairs}
    return TrialLabels(label, model, named, revision_of(agent), _read_prices(prices))


def _read_prices(given: str) -> Prices | None:
    from twindiff.client.trial_log import Prices

    try:
        values = [float(part) for part in given.split("/")] if given else []
    except ValueError:
        values = [-1.0]
    if given and (len(values) != 2 or not all(0 <= value < 1e6 for value in values)):
        raise CommandError(
            f"--prices is IN/OUT in US dollars for a million tokens, as 3/15, not '{given}'.", exit_code=2
        )
    return Prices(*values) if values else None


def _store(platform: Platform, suite: Suite, agent: str, planned: int, wanted: TrialDestination) -> TrialStore:
    from twindiff.cli.trial_store import TrialStore

    if wanted.resume:
        from twindiff.cli.trial_sources import full_id

        wanted = wanted._replace(resume=full_id(platform, wanted.resume))
    return TrialStore(platform, suite, agent, planned, wanted)


def _warn(results: Sequence[SuiteTestResult]) -> None:
    from twindiff.cli.commands.import_files import warn

    warn([f"{result.test.name}: {warning}" for result in results for warning in result.warnings])


def _say(suite: Suite, results: Sequence[SuiteTestResult], seconds: float, trial_set: str, *, as_json: bool) -> None:
    from twindiff.cli.suite_results import show_results, to_json

    if as_json:
        typer.echo(json.dumps({**to_json(suite, results), "trialSetId": trial_set or None}, indent=2))
    else:
        show_results(results, seconds, trial_set)


class TrialPlan(NamedTuple):
    """How to run the trials."""

    agent: Agent
    repeat: int
    parallel: int
    seconds: float
    keep: Keep


def _try_tests(platform: Platform, tests: list[Test], plan: TrialPlan, store: TrialStore) -> list[SuiteTestResult]:
    """Run the remaining trials of tests; stored trials count."""
    from twindiff.cli.suite_results import SuiteTestResult
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
        places = f" Modules are found in {Path.cwd()}, and where packages are installed."
        looked = places if isinstance(error, ModuleNotFoundError) else ""
        raise CommandError(
            f"The agent's module '{module_name}' cannot be imported: {type(error).__name__}: {error}.{looked}",
            exit_code=2,
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
    ends, step = Counter[str](), max(LINE_AFTER, total // 20)
    with (
        redirect_stdout(sys.stderr),
        Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress,
    ):
        bar = progress.add_task("trying", total=total)
        for number, trial in enumerate(trials, 1):
            ends[trial.status] += 1
            said = [f"{ends['passed']} passed", f"{ends['failed']} failed", f"{ends['error']} errors"]
            progress.update(bar, advance=1, description=", ".join(said if ends["error"] else said[:2]))
            if progress.disable and number % step == 0:
                typer.echo(f"{number} of {total} trials judged, {ends['passed']} passed", err=True)
            yield trial
