"""`twindiff trials`: shows and compares trial sets of a server or of files that `suites run --save` wrote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any
from xml.etree import ElementTree as ET

import typer

from twindiff.cli.command_group import CommandGroup
from twindiff.cli.options import DEFAULT_URL, ApiKey, AsJson, BaseUrl
from twindiff.cli.problem import CommandError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from twindiff.cli.trial_sets import StoredTrial
    from twindiff.cli.trial_sources import Server
    from twindiff.client.responses import TrialSet
    from twindiff.suites.trial_statistics import Comparison

commands = typer.Typer(cls=CommandGroup, help="Look at trial sets, and compare them.", no_args_is_help=True)

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
    """List trial sets, newest first.

    They are those of the server, or of a folder if one is named.
    """
    if folder is not None:
        _list_files(folder, as_json=as_json)
        return
    from twindiff.cli.commands.env import say, say_where
    from twindiff.cli.remote import client_of, explain_failures
    from twindiff.cli.render import add_row, table
    from twindiff.cli.trial_sources import MAX_LISTED
    from twindiff.cli.trial_words import money_words

    with explain_failures(base_url), client_of(base_url, api_key) as client:
        sets = client.trial_sets.find(limit=MAX_LISTED).trial_sets
    is_labelled = any(each.label or each.model for each in sets)
    costs = any(each.cost is not None for each in sets)
    more = [*(["label", "model"] if is_labelled else []), *(["cost"] if costs else [])]
    shown = table("id", "suite", "agent", "tests", "trials", "passed", *more, "begun (UTC)")
    for each in sets:
        trials = f"{each.trials}/{each.planned}" if each.planned > each.trials else str(each.trials)
        counted = each.trials - each.errors
        share = _percent(each.passed / counted) if counted else "-"
        share += f", {_count_errors(each.errors)}" if each.errors else ""
        begun = each.created_at[:16].replace("T", " ")
        cells = [*([each.label, each.model] if is_labelled else []), *([money_words(each.cost)] if costs else [])]
        add_row(shown, each.trial_set_id, each.suite, each.agent, str(each.tests), trials, share, *cells, begun)
    answer = [_set_facts(each) | {"trialSetId": each.trial_set_id, "createdAt": each.created_at} for each in sets]
    say(as_json, answer, shown if sets else "There are no trial sets; `twindiff suites run` makes one.")
    say_where(as_json, base_url)


SET_FACTS = (
    *("suite", "agent", "tests", "trials", "planned", "passed", "errors", "label", "model", "parameters", "revision"),
    *("input_tokens", "output_tokens", "cost", "seconds"),
)


def _set_facts(of_set: TrialSet) -> dict[str, Any]:
    return {_camel(name): getattr(of_set, name) for name in SET_FACTS}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return "".join([first, *map(str.capitalize, rest)])


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
        passed = share(by_test).value if by_test else None
        answer.append({"file": str(path), "suite": kept[0].suite, "agent": kept[0].agent, "passed": passed})
        counts = (str(len(group_by_test(kept))), str(len(kept)))
        add_row(shown, str(path), kept[0].suite, kept[0].agent, *counts, "-" if passed is None else _percent(passed))
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
    """Show what came of each test, with pass@k and pass^k.

    The share of passed tests has its confidence interval.

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
    from twindiff.cli.trial_report import TestRow, group_by_test
    from twindiff.cli.trial_words import money_words, percent_words

    rows = [TestRow.of(of_test) for of_test in group_by_test(kept).values()]
    optional = {
        "errors": any(row.errors for row in rows),
        "no-op": any(row.no_op for row in rows),
        "cost": any(row.usage.cost is not None for row in rows),
        "environment": any(row.environment for row in rows),
    }
    more = [name for name in ("errors", "no-op", "cost") if optional[name]]
    shown = table("test", "passed", "score", *more, "seconds", "reason", "run", *_if(optional, "environment"))
    for row in rows:
        cells = {
            "errors": str(row.errors or ""),
            "no-op": percent_words(row.no_op),
            "cost": money_words(row.usage.cost),
        }
        passed = f"{sum(row.passed)}/{len(row.passed)}" if row.passed else "error"
        head = (row.test, passed, percent_words(row.score), *(cells[name] for name in more), f"{row.seconds:.1f}")
        add_row(shown, *head, row.reason, row.run, *([row.environment] if optional["environment"] else []))
    return shown


def _if(optional: dict[str, bool], name: str) -> list[str]:
    return [name] if optional[name] else []


@commands.command("compare")
def compare(
    before: Set,
    after: Set,
    html: Html = None,
    base_url: BaseUrl = DEFAULT_URL,
    api_key: ApiKey = "",
    as_json: AsJson = False,
) -> None:
    """Show in which tests two trial sets differ, as of two agents. It says whether that may be chance.

    The interval of the difference is Bonett and Price's, of 95 %; p is that of a sign test over tests.
    """
    from twindiff.cli.commands.env import say
    from twindiff.cli.render import add_row, table
    from twindiff.cli.trial_report import describe_set, group_by_test, passed_of, render_comparison, set_facts
    from twindiff.cli.trial_sources import Server, source_of
    from twindiff.suites import trial_statistics

    kept = [source_of(each, Server(base_url, api_key)).kept for each in (before, after)]
    sets = [passed_of(group_by_test(each)) for each in kept]
    names = {each.test_id: each.test for of_set in kept for each in of_set}
    facts = [set_facts(each) for each in kept]
    comparison = trial_statistics.compare(*sets)
    if html:
        _write_file(html, render_comparison(kept[0], kept[1], comparison).encode())
    shown = table("test", "before", "after")
    for test in (*comparison.better, *comparison.worse):
        add_row(shown, names[test], *(_percent(fmean(each[test])) for each in sets))
    better, worse = ([names[test] for test in tests] for tests in (comparison.better, comparison.worse))
    left_out = sorted(name for test, name in names.items() if not all(test in each for each in sets))
    answer = {**comparison._asdict(), "better": better, "worse": worse, "before": facts[0], "after": facts[1]}
    answer["leftOut"] = left_out
    say(as_json, answer, shown if shown.row_count else "No test went differently.")
    if not as_json:
        say(False, None, f"\n{_describe_comparison(comparison)}")
        if left_out:
            say(False, None, f"Not compared, since one of both has no trial that counts: {', '.join(left_out)}")
        for name, of_set in (("before", kept[0]), ("after", kept[1])):
            if words := describe_set(of_set):
                say(False, None, f"{name}: {words}")


def _describe_comparison(comparison: Comparison) -> str:
    counts = f"{len(comparison.better)} tests better, {len(comparison.worse)} worse"
    difference = f"{100 * comparison.difference:+.1f} points on the whole; p = {comparison.p:.3f}"
    return f"{counts}; {difference} (95 %: {100 * comparison.low:+.0f} to {100 * comparison.high:+.0f})"


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
    from twindiff.cli.trial_report import TestRow, group_by_test, passed_of, set_facts
    from twindiff.suites import trial_statistics

    by_test = group_by_test(kept)
    passed = passed_of(by_test)
    of_k = trial_statistics.of_k(passed)
    return {
        **set_facts(kept),
        "tests": len(by_test),
        "uncountedTests": len(by_test) - len(passed),
        "passed": trial_statistics.share(passed)._asdict() if passed else None,
        "k": of_k[-1].k if of_k else 0,
        "passAtK": of_k[-1].at_least_one.value if of_k else None,
        "passAllOfK": of_k[-1].all.value if of_k else None,
        "ofK": [
            {"k": each.k, "passAtK": each.at_least_one._asdict(), "passAllOfK": each.all._asdict()} for each in of_k
        ],
        "results": [TestRow.of(of_test).to_json() for of_test in by_test.values()],
    }


def _in_words(figures: dict[str, Any]) -> str:
    counted, passed = figures["tests"] - figures["uncountedTests"], figures["passed"]
    words = [f"{_percent(passed['value'])} of {counted} tests passed (95 %: {_range(passed)})"] if passed else []
    if figures["k"] > 1:
        some, every = figures["passAtK"], figures["passAllOfK"]
        words.append(f"pass@{figures['k']} {_percent(some)}, pass^{figures['k']} {_percent(every)}")
    if errors := figures["errors"]:
        verb = "does" if errors == 1 else "do"
        words.append(f"{errors} of {figures['trials']} trials ended with an error and {verb} not count")
    return "; ".join(words)


def _count_errors(errors: int) -> str:
    return f"{errors} error{'' if errors == 1 else 's'}"


def _range(share: dict[str, float]) -> str:
    return f"{_percent(share['low'])} to {_percent(share['high'])}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _junit(kept: Sequence[StoredTrial]) -> bytes:
    ends = Counter(each.status for each in kept)
    attributes = {"name": _xml(kept[0].suite), "tests": str(len(kept)), "failures": str(ends["failed"])}
    suite = ET.Element("testsuite", attributes | {"errors": str(ends["error"])})
    is_repeated = len(kept) > len({each.test_id for each in kept})
    for each in kept:
        name = f"{each.test} ({each.trial})" if is_repeated else each.test
        case = ET.SubElement(suite, "testcase", name=_xml(name), classname=_xml(each.suite), time=str(each.seconds))
        if each.status != "passed":
            kind = "error" if each.status == "error" else "failure"
            problem = ET.SubElement(case, kind, message=_xml(each.reason))
            problem.text = _xml("\n".join(each.verdict.failures) if each.verdict else each.reason)
    return ET.tostring(suite, encoding="utf-8", xml_declaration=True)


def _xml(text: str) -> str:
    """Remove characters that XML cannot contain."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "?" for letter in text)
