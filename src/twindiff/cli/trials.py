"""`twindiff trials`: look at trial sets, which `twindiff suites run --save` writes, and compare them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any
from xml.etree import ElementTree as ET

import typer

from twindiff.cli.options import AsJson
from twindiff.cli.problem import Problem

if TYPE_CHECKING:
    from twindiff.cli.trial_sets import Kept
    from twindiff.suites.trial_statistics import Share

commands = typer.Typer(help="Look at trial sets, and compare them.", no_args_is_help=True)

File = Annotated[Path, typer.Argument(metavar="FILE", help="What `suites run --save` wrote.", show_default=False)]


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.add_typer(commands, name="trials")


@commands.command("ls")
def list_sets(
    folder: Annotated[Path, typer.Argument(help="Where the files are.")] = Path(),
    as_json: AsJson = False,
) -> None:
    """List the trial sets of a folder, its files whose names end in .jsonl."""
    from twindiff.cli.env import say
    from twindiff.cli.render import add_row, table
    from twindiff.suites.trial_statistics import share

    shown = table("file", "suite", "agent", "tests", "trials", "passed")
    answer: list[dict[str, Any]] = []
    for path in sorted(folder.glob("*.jsonl")):
        kept = _set(path)
        passed = share(_passed(kept)).value
        answer.append({"file": str(path), "suite": kept[0].suite, "agent": kept[0].agent, "passed": passed})
        tests = str(len(_passed(kept)))
        add_row(shown, str(path), kept[0].suite, kept[0].agent, tests, str(len(kept)), _percent(passed))
    say(as_json, answer, shown if answer else f"There are no trial sets in {folder}.")


@commands.command("show")
def show(
    file: File,
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write it as JUnit's XML too.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what came of each test, with pass@k and pass^k, and how sure the share of passed tests is.

    pass@k is how likely at least one of k trials passes, pass^k how likely all of them do; k is how often every test
    was tried. The interval is Wilson's, of 95 %, over tests.
    """
    from twindiff.cli.env import say
    from twindiff.cli.render import add_row, table

    kept = _set(file)
    if junit:
        junit.write_bytes(_junit(kept))
    shown = table("test", "passed", "score", "seconds", "reason", "run")
    for of_test in _by_test(kept).values():
        failed = [each for each in of_test if not each.passed]
        passed = f"{len(of_test) - len(failed)}/{len(of_test)}"
        seconds = f"{fmean(each.seconds for each in of_test):.1f}"
        why = (failed[0].reason, failed[0].run_id) if failed else ("", "")
        add_row(shown, of_test[0].test, passed, f"{_score(of_test):.0f} %", seconds, *why)
    answer = _figures(kept)
    say(as_json, answer, shown)
    if not as_json:
        say(False, None, f"\n{_in_words(answer)}")


@commands.command("compare")
def compare(before: File, after: File, as_json: AsJson = False) -> None:
    """Say in which tests two agents, or two versions of one, differ, and whether that may be chance."""
    from twindiff.cli.env import say
    from twindiff.cli.render import add_row, table
    from twindiff.suites.trial_statistics import compare as compared

    sets = [_passed(_set(file)) for file in (before, after)]
    names = {each.test_id: each.test for file in (before, after) for each in _set(file)}
    found = compared(*sets)
    shown = table("test", "before", "after")
    for test in (*found.better, *found.worse):
        add_row(shown, names[test], *(_percent(fmean(each[test])) for each in sets))
    answer = {
        "difference": found.difference,
        "better": [names[test] for test in found.better],
        "worse": [names[test] for test in found.worse],
        "p": found.p,
    }
    say(as_json, answer, shown if shown.row_count else "No test went differently.")
    if not as_json:
        counts = f"{len(found.better)} tests better, {len(found.worse)} worse"
        say(False, None, f"\n{counts}; {100 * found.difference:+.1f} points on the whole; p = {found.p:.3f}")


def _set(file: Path) -> list[Kept]:
    from twindiff.cli.trial_sets import read

    found = read(file)
    if not found:
        raise Problem(f"{file} has no trials yet.", exit_code=2)
    return found


def _by_test(kept: Sequence[Kept]) -> dict[str, list[Kept]]:
    found: dict[str, list[Kept]] = {}
    for each in kept:
        found.setdefault(each.test_id, []).append(each)
    return found


def _passed(kept: Sequence[Kept]) -> dict[str, list[bool]]:
    return {test: [each.passed for each in of_test] for test, of_test in _by_test(kept).items()}


def _score(of_test: Sequence[Kept]) -> float:
    return fmean(each.verdict.score["percent"] if each.verdict else 0.0 for each in of_test)


def _figures(kept: Sequence[Kept]) -> dict[str, Any]:
    from twindiff.suites import trial_statistics

    passed = _passed(kept)
    share: Share = trial_statistics.share(passed)
    k = min(len(of_test) for of_test in passed.values())
    return {
        "suite": kept[0].suite,
        "agent": kept[0].agent,
        "tests": len(passed),
        "trials": len(kept),
        "passed": share._asdict(),
        "k": k,
        "passAtK": trial_statistics.mean_pass_at(k, passed),
        "passAllOfK": trial_statistics.mean_pass_all(k, passed),
    }


def _in_words(figures: dict[str, Any]) -> str:
    passed, k = figures["passed"], figures["k"]
    interval = f"{_percent(passed['low'])} to {_percent(passed['high'])}"
    words = f"{_percent(passed['value'])} of {figures['tests']} tests passed (95 %: {interval})"
    if k == 1:
        return words
    return f"{words}; pass@{k} {_percent(figures['passAtK'])}, pass^{k} {_percent(figures['passAllOfK'])}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _junit(kept: Sequence[Kept]) -> bytes:
    failures = sum(not each.passed for each in kept)
    attributes = {"name": kept[0].suite, "tests": str(len(kept)), "failures": str(failures)}
    suite = ET.Element("testsuite", attributes)
    for each in kept:
        name = f"{each.test} ({each.trial})" if len(kept) > len(_by_test(kept)) else each.test
        case = ET.SubElement(suite, "testcase", name=_xml(name), classname=_xml(each.suite), time=str(each.seconds))
        if not each.passed:
            failure = ET.SubElement(case, "failure", message=_xml(each.reason))
            failure.text = _xml("\n".join(each.verdict.failures) if each.verdict else each.reason)
    return ET.tostring(suite, encoding="utf-8", xml_declaration=True)


def _xml(text: str) -> str:
    """A text without what XML cannot hold."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "?" for letter in text)
