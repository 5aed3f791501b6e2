"""`twindiff trials`: shows and compares trial sets of a server or of files that `suites run --save` wrote."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any
from xml.etree import ElementTree as ET

import typer

from twindiff.cli.options import DEFAULT_URL, ApiKey, AsJson, BaseUrl
from twindiff.cli.problem import CommandError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from twindiff.cli.trial_sets import StoredTrial
    from twindiff.cli.trial_sources import Server
    from twindiff.suites.trial_statistics import Share

commands = typer.Typer(help="Look at trial sets, and compare them.", no_args_is_help=True)

A_SET = "The id of a server's trial set, or how it begins; or a file that `suites run --save` wrote."
Set = Annotated[str, typer.Argument(metavar="SET", help=A_SET, show_default=False)]
Html = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write it as one HTML file with plots too.", show_default=False)
]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.add_typer(commands, name="trials")


@commands.command("ls")
def list_sets(
    folder: Annotated[
        Path | None, typer.Argument(help="The files of a folder whose names end in .jsonl.", show_default=False)
    ] = None,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """List the trial sets of the server, newest first; or those of a folder, if one is named."""
    if folder is not None:
        _list_files(folder, as_json=as_json)
        return
    from twindiff.cli.commands.env import say, say_where
    from twindiff.cli.remote import client_of, explain_failures
    from twindiff.cli.render import add_row, table
    from twindiff.cli.trial_sources import MAX_LISTED

    with explain_failures(base_url), client_of(base_url, api_key) as client:
        sets = client.trial_sets.find(limit=MAX_LISTED).trial_sets
    shown = table("id", "suite", "agent", "tests", "trials", "passed", "begun (UTC)")
    for each in sets:
        trials = f"{each.trials}/{each.planned}" if each.planned > each.trials else str(each.trials)
        share = _percent(each.passed / each.trials) if each.trials else "-"
        begun = each.created_at[:16].replace("T", " ")
        add_row(shown, each.trial_set_id, each.suite, each.agent, str(each.tests), trials, share, begun)
    answer = [
        {name: getattr(each, name) for name in ("suite", "agent", "tests", "trials", "planned", "passed")}
        | {"trialSetId": each.trial_set_id, "createdAt": each.created_at}
        for each in sets
    ]
    say(as_json, answer, shown if sets else "There are no trial sets; `twindiff suites run` makes one.")
    say_where(as_json, base_url)


def _list_files(folder: Path, *, as_json: bool) -> None:
    from twindiff.cli.commands.env import say
    from twindiff.cli.render import add_row, table
    from twindiff.cli.trial_report import group_by_test, passed_of
    from twindiff.cli.trial_sources import Server, source_of
    from twindiff.suites.trial_statistics import share

    shown = table("file", "suite", "agent", "tests", "trials", "passed")
    answer: list[dict[str, Any]] = []
    for path in sorted(folder.glob("*.jsonl")):
        kept = source_of(str(path), Server("", "")).kept
        by_test = passed_of(group_by_test(kept))
        passed = share(by_test).value
        answer.append({"file": str(path), "suite": kept[0].suite, "agent": kept[0].agent, "passed": passed})
        counts = (str(len(by_test)), str(len(kept)))
        add_row(shown, str(path), kept[0].suite, kept[0].agent, *counts, _percent(passed))
    say(as_json, answer, shown if answer else f"There are no trial sets in {folder}.")


Test = Annotated[
    str, typer.Argument(metavar="TEST", help="The story of a test's trial: its name or a part.", show_default=False)
]
Number = Annotated[
    int, typer.Option(min=0, help="Which of its trials; the first that failed unless told.", show_default=False)
]
Junit = Annotated[Path | None, typer.Option(metavar="FILE", help="Write it as JUnit's XML too.", show_default=False)]
Jsonl = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write its trials as JSON lines too, as --save does.", show_default=False),
]


@commands.command("show")
def show(
    given: Set,
    test: Test = "",
    trial: Number = 0,
    junit: Junit = None,
    jsonl: Jsonl = None,
    html: Html = None,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Show what came of each test, with pass@k and pass^k, and how sure the share of passed tests is.

    pass@k is how likely at least one of k trials passes, pass^k how likely all of them do; k is how often every test
    was tried. The interval is Wilson's, of 95 %, over tests. With TEST it is one trial's story: what it called and was
    answered, what changed, and why it failed.
    """
    from twindiff.cli.trial_sources import Server, source_of

    server = Server(base_url, api_key)
    kept = source_of(given, server).kept
    if test:
        from twindiff.cli.trial_story import show_story

        show_story(kept, test, trial, server, as_json=as_json)
        return
    if junit:
        _write_file(junit, _junit(kept))
    _write_stories(kept, server, jsonl, html)
    _say(kept, as_json=as_json)


def _write_stories(kept: Sequence[StoredTrial], server: Server, jsonl: Path | None, html: Path | None) -> None:
    """Write trials with their stories, as lines and as a page."""
    from twindiff.cli.trial_sources import with_stories

    if jsonl:
        from twindiff.cli.trial_sets import write

        write(jsonl, with_stories(kept, server, len(kept)))
    if html:
        from twindiff.cli.trial_report import STORIES, report

        _write_file(html, report(with_stories(kept, server, STORIES)).encode())


def _write_file(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror or error}.", exit_code=2) from None


def _say(kept: Sequence[StoredTrial], *, as_json: bool) -> None:
    from twindiff.cli.commands.env import say

    answer = _figures(kept)
    say(as_json, answer, _table(kept))
    if not as_json:
        say(False, None, f"\n{_in_words(answer)}")


def _table(kept: Sequence[StoredTrial]) -> RenderableType:
    from twindiff.cli.render import add_row, table
    from twindiff.cli.trial_report import group_by_test, score_of

    is_kept = any(each.is_kept for each in kept)
    shown = table("test", "passed", "score", "seconds", "reason", "run", *(["environment"] if is_kept else []))
    for of_test in group_by_test(kept).values():
        failed = [each for each in of_test if not each.passed]
        passed = f"{len(of_test) - len(failed)}/{len(of_test)}"
        seconds = f"{fmean(each.seconds for each in of_test):.1f}"
        why = (failed[0].reason, failed[0].run_id) if failed else ("", "")
        stays = next((each.environment_id for each in of_test if each.is_kept), "")
        cells = (of_test[0].test, passed, f"{score_of(of_test):.0f} %", seconds, *why)
        add_row(shown, *cells, *([stays] if is_kept else []))
    return shown


@commands.command("compare")
def compare(
    before: Set,
    after: Set,
    html: Html = None,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Say in which tests two agents, or two versions of one, differ, and whether that may be chance.

    The interval of the difference is Bonett and Price's, of 95 %; p is that of a sign test over tests.
    """
    from twindiff.cli.commands.env import say
    from twindiff.cli.render import add_row, table
    from twindiff.cli.trial_report import group_by_test, passed_of, render_comparison
    from twindiff.cli.trial_sources import Server, source_of
    from twindiff.suites import trial_statistics

    kept = [source_of(each, Server(base_url, api_key)).kept for each in (before, after)]
    sets = [passed_of(group_by_test(each)) for each in kept]
    names = {each.test_id: each.test for of_set in kept for each in of_set}
    comparison = trial_statistics.compare(*sets)
    if html:
        _write_file(html, render_comparison(kept[0], kept[1], comparison).encode())
    shown = table("test", "before", "after")
    for test in (*comparison.better, *comparison.worse):
        add_row(shown, names[test], *(_percent(fmean(each[test])) for each in sets))
    better, worse = ([names[test] for test in tests] for tests in (comparison.better, comparison.worse))
    answer = {**comparison._asdict(), "better": better, "worse": worse}
    say(as_json, answer, shown if shown.row_count else "No test went differently.")
    if not as_json:
        counts = f"{len(better)} tests better, {len(worse)} worse"
        difference = f"{100 * comparison.difference:+.1f} points on the whole; p = {comparison.p:.3f}"
        interval = f"95 %: {100 * comparison.low:+.0f} to {100 * comparison.high:+.0f}"
        say(False, None, f"\n{counts}; {difference} ({interval})")


@commands.command("rm")
def remove(
    given: Annotated[list[str], typer.Argument(metavar="SET…", help="Ids of trial sets, or how they begin.")],
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Delete trial sets of the server; their runs stay."""
    from twindiff.cli.commands.env import say
    from twindiff.cli.remote import client_of, explain_failures
    from twindiff.cli.trial_sources import full_id

    with explain_failures(base_url), client_of(base_url, api_key) as client:
        gone = [client.trial_sets.delete(id).trial_set_id for id in [full_id(client, each) for each in given]]
    say(as_json, [{"trialSetId": each} for each in gone], "\n".join(f"Deleted {each} at {base_url}." for each in gone))


def _figures(kept: Sequence[StoredTrial]) -> dict[str, Any]:
    from twindiff.cli.trial_report import group_by_test, passed_of
    from twindiff.suites import trial_statistics

    passed = passed_of(group_by_test(kept))
    share: Share = trial_statistics.share(passed)
    of_k = trial_statistics.of_k(passed)
    most = of_k[-1]
    return {
        "suite": kept[0].suite,
        "agent": kept[0].agent,
        "tests": len(passed),
        "trials": len(kept),
        "passed": share._asdict(),
        "k": most.k,
        "passAtK": most.at_least_one.value,
        "passAllOfK": most.all.value,
        "ofK": [
            {"k": each.k, "passAtK": each.at_least_one._asdict(), "passAllOfK": each.all._asdict()} for each in of_k
        ],
    }


def _in_words(figures: dict[str, Any]) -> str:
    passed, most = figures["passed"], figures["ofK"][-1]
    words = f"{_percent(passed['value'])} of {figures['tests']} tests passed (95 %: {_range(passed)})"
    if (k := most["k"]) == 1:
        return words
    some, every = most["passAtK"], most["passAllOfK"]
    return f"{words}; pass@{k} {_percent(some['value'])}, pass^{k} {_percent(every['value'])}"


def _range(share: dict[str, float]) -> str:
    return f"{_percent(share['low'])} to {_percent(share['high'])}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _junit(kept: Sequence[StoredTrial]) -> bytes:
    failures = sum(not each.passed for each in kept)
    attributes = {"name": _xml(kept[0].suite), "tests": str(len(kept)), "failures": str(failures)}
    suite = ET.Element("testsuite", attributes)
    is_repeated = len(kept) > len({each.test_id for each in kept})
    for each in kept:
        name = f"{each.test} ({each.trial})" if is_repeated else each.test
        case = ET.SubElement(suite, "testcase", name=_xml(name), classname=_xml(each.suite), time=str(each.seconds))
        if not each.passed:
            failure = ET.SubElement(case, "failure", message=_xml(each.reason))
            failure.text = _xml("\n".join(each.verdict.failures) if each.verdict else each.reason)
    return ET.tostring(suite, encoding="utf-8", xml_declaration=True)


def _xml(text: str) -> str:
    """Remove characters that XML cannot contain."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "?" for letter in text)
