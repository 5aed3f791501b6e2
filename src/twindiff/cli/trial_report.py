"""Renders a trial set as one self-contained HTML file: figures, plots, and details of failed trials."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from statistics import fmean
from typing import Any, NamedTuple, cast

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined

from twindiff import __version__
from twindiff.cli import plots
from twindiff.cli.call_story import body_text
from twindiff.cli.plots import PassRateChange
from twindiff.cli.trial_sets import StoredTrial
from twindiff.client.responses import CallRequest, CallResponse
from twindiff.suites import trial_statistics
from twindiff.suites.trial_statistics import Comparison, Share

STORIES = 100
"""Failed trials whose stories a report includes."""
CALLS = 100
"""Calls shown in a story."""
LETTERS = 2_000
"""Characters of a body, or of a row."""
CHANGES = 40
"""Tests in the plot of differences."""
ROWS = 200
"""Rows of a diff shown in a story."""
SIGNS = {"inserts": "+", "updates": "~", "deletes": "-"}


class TestRow(NamedTuple):
    """The results of a test."""

    __test__ = False

    test: str
    passed: list[bool]
    share: Share
    score: float
    seconds: float
    reason: str


def report(kept: Sequence[StoredTrial]) -> str:
    """Return the HTML page of a set."""
    by_test = group_by_test(kept)
    passed = passed_of(by_test)
    shares = trial_statistics.of_k(passed)
    share = trial_statistics.share(passed)
    taken = {ok: [each.seconds for each in kept if each.passed is ok] for ok in (True, False)}
    failed = [each for each in kept if not each.passed]
    drawn = [("Share of passed tests", plots.interval(share, "Share of passed tests"))]
    drawn += [("That one of k trials passes, and that all do", plots.curves(shares))] if len(shares) > 1 else []
    drawn.append(("How trials ended", plots.endings(_endings(kept))))
    drawn.append(("How long trials took; those that failed lie on top", plots.seconds(taken[True], taken[False])))
    return _page(
        "trials.html",
        suite=kept[0].suite,
        agent=kept[0].agent,
        trials=len(kept),
        share=share,
        of_k=shares[-1],
        plots=drawn,
        tests=[_row(of_test) for of_test in by_test.values()],
        failed=failed[:STORIES],
        more=max(0, len(failed) - STORIES),
    )


def render_comparison(before: Sequence[StoredTrial], after: Sequence[StoredTrial], comparison: Comparison) -> str:
    """Return the HTML page that compares two sets."""
    of_before, of_after = group_by_test(before), group_by_test(after)
    tests = [
        PassRateChange(trials[0].test, _rate(trials), _rate(of_after[test_id]))
        for test_id, trials in of_before.items()
        if test_id in of_after
    ]
    differing = sorted((each for each in tests if each.before != each.after), key=lambda each: each.after - each.before)
    return _page(
        "compared.html",
        before=before[0],
        after=after[0],
        comparison=comparison,
        plot=plots.changes(differing[:CHANGES]) if differing else "",
        tests=tests,
        only=[len(of_before) - len(tests), len(of_after) - len(tests)],
    )


def group_by_test(kept: Sequence[StoredTrial]) -> dict[str, list[StoredTrial]]:
    """Group trials by test id."""
    by_test: dict[str, list[StoredTrial]] = {}
    for each in kept:
        by_test.setdefault(each.test_id, []).append(each)
    return by_test


def passed_of(by_test: dict[str, list[StoredTrial]]) -> dict[str, list[bool]]:
    """Return whether the trials of each test passed."""
    return {test: [each.passed for each in of_test] for test, of_test in by_test.items()}


def score_of(of_test: Sequence[StoredTrial]) -> float:
    """Return the mean score of a test in percent; a trial without a verdict counts 0."""
    return fmean(each.verdict.score["percent"] if each.verdict else 0.0 for each in of_test)


def _rate(of_test: Sequence[StoredTrial]) -> float:
    return fmean(each.passed for each in of_test)


def _row(of_test: Sequence[StoredTrial]) -> TestRow:
    share = trial_statistics.wilson(_rate(of_test), len(of_test))
    reason = next((each.reason for each in of_test if not each.passed), "")
    seconds = fmean(each.seconds for each in of_test)
    return TestRow(of_test[0].test, [each.passed for each in of_test], share, score_of(of_test), seconds, reason)


def _endings(kept: Sequence[StoredTrial]) -> list[tuple[str, int]]:
    """Count how often trials passed, failed their checks, or ended without a verdict, by reason."""
    return Counter(_ending(each) for each in kept).most_common()


def _ending(kept: StoredTrial) -> str:
    if kept.passed:
        return "passed"
    if kept.verdict:
        return "checks do not hold"
    if kept.reason.startswith("The agent raised "):
        return f"raised {kept.reason.removeprefix('The agent raised ').partition(':')[0]}"[:30]
    return "out of time" if kept.reason.startswith("The agent was not done") else "not judged"


def _page(name: str, **values: Any) -> str:
    pages = Environment(
        loader=PackageLoader("twindiff.cli", "html"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    # Jinja has no type for its filters.
    cast(Any, pages).filters.update(percent=plots.percent, short=short, body=body_of, rows=rows_of)
    return pages.get_template(name).render(version=__version__, calls_shown=CALLS, rows_shown=ROWS, **values)


def short(text: str) -> str:
    """Truncate a text to what a page shows."""
    return text if len(text) <= LETTERS else f"{text[:LETTERS]}… ({len(text):,} letters)"


def body_of(message: CallRequest | CallResponse) -> str:
    """Return the body of a request or response, with JSON indented."""
    text = body_text(msgspec.to_builtins(message))
    with suppress(ValueError, RecursionError):
        text = json.dumps(json.loads(text), indent=1, ensure_ascii=False)
    return short(text)


def rows_of(diff: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Return the rows of a diff: sign, table, and the row's values or changes."""
    rows: list[tuple[str, str, str]] = []
    for kind, sign in SIGNS.items():
        for row in diff.get(kind, []):
            table = f"{row['__twin__']}.{row['__table__']}" if "__twin__" in row else row["__table__"]
            rows.append((sign, table, short(_columns(kind, row))))
    return rows


def _columns(kind: str, row: dict[str, Any]) -> str:
    if kind == "updates":
        changed = {name: [row["before"].get(name), row["after"].get(name)] for name in row.get("changed", [])}
        return "\n".join(f"{name}: {_json(old)} → {_json(new)}" for name, (old, new) in changed.items())
    values = {name: value for name, value in row.items() if not name.startswith("__") and value is not None}
    return "\n".join(f"{name}: {_json(value)}" for name, value in values.items())


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
