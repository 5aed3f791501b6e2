"""Renders a trial set as one self-contained HTML file: figures, plots, and details of failed trials."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from statistics import fmean
from typing import Any, NamedTuple, Self, cast

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined

from twindiff import __version__
from twindiff.cli import plots
from twindiff.cli.call_story import body_text
from twindiff.cli.plots import PassRateChange
from twindiff.cli.trial_sets import StoredTrial
from twindiff.cli.trial_words import describe_reason, describe_usage, money_words, percent_words
from twindiff.client import Usage
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
    """The results of a test; `passed`, `share` and `score` are of the trials that count, the latter None without any.

    `run` and `environment` are of the first trial that did not pass, and of the first kept one.
    """

    __test__ = False

    test_id: str
    test: str
    passed: list[bool]
    errors: int
    share: Share | None
    score: float | None
    no_op: float | None
    seconds: float
    reason: str
    run: str
    environment: str
    usage: Usage

    @classmethod
    def of(cls, of_test: Sequence[StoredTrial]) -> Self:
        """Return the results of the trials of a test."""
        counted = [each for each in of_test if each.status != "error"]
        first = next((each for each in [*counted, *of_test] if not each.passed), None)
        scores = [each.verdict.score["percent"] for each in counted if each.verdict]
        return cls(
            test_id=of_test[0].test_id,
            test=of_test[0].test,
            passed=[each.passed for each in counted],
            errors=len(of_test) - len(counted),
            share=trial_statistics.wilson(fmean(each.passed for each in counted), len(counted)) if counted else None,
            score=fmean(scores) if scores else None,
            no_op=of_test[0].no_op,
            seconds=fmean(each.seconds for each in of_test),
            reason=describe_reason(first) if first else "",
            run=first.run_id if first else "",
            environment=next((each.environment_id for each in of_test if each.is_kept), ""),
            usage=sum((each.usage for each in of_test), Usage()),
        )

    def to_json(self) -> dict[str, Any]:
        """Return the results as `--json` prints them."""
        return {
            "testId": self.test_id,
            "test": self.test,
            "trials": len(self.passed) + self.errors,
            "passed": sum(self.passed),
            "errors": self.errors,
            "share": self.share._asdict() if self.share else None,
            "score": self.score,
            "noOpScore": self.no_op,
            "seconds": round(self.seconds, 3),
            "reason": self.reason,
            "runId": self.run,
            "environmentId": self.environment,
            "usage": self.usage._asdict(),
        }


def set_facts(kept: Sequence[StoredTrial]) -> dict[str, Any]:
    """Return what tells a set apart, and its totals, as `--json` prints them."""
    first, used = kept[0], sum((each.usage for each in kept), Usage())
    return {
        "suite": first.suite,
        "agent": first.agent,
        "label": first.label,
        "model": first.model,
        "parameters": first.parameters,
        "revision": first.revision,
        "createdAt": min(each.created_at for each in kept),
        "trials": len(kept),
        "errors": sum(each.status == "error" for each in kept),
        "seconds": round(sum(each.seconds for each in kept), 3),
        "inputTokens": used.input_tokens,
        "outputTokens": used.output_tokens,
        "cost": used.cost,
    }


def describe_set(kept: Sequence[StoredTrial]) -> str:
    """Return label, model, parameters, revision, tokens and cost of a set in words; what is unknown is left out."""
    first, used = kept[0], sum((each.usage for each in kept), Usage())
    parts = [first.label, f"model {first.model}" if first.model else ""]
    parts += [f"{name}={value}" for name, value in first.parameters.items()]
    parts += [f"revision {first.revision}" if first.revision else "", describe_usage(used)]
    return ", ".join(part for part in parts if part)


def report(kept: Sequence[StoredTrial]) -> str:
    """Return the HTML page of a set."""
    by_test = group_by_test(kept)
    passed = passed_of(by_test)
    shares = trial_statistics.of_k(passed)
    share = trial_statistics.share(passed) if passed else None
    taken = {ok: [each.seconds for each in kept if each.passed is ok] for ok in (True, False)}
    failed = [each for each in kept if not each.passed]
    drawn = [("Share of passed tests", plots.interval(share, "Share of passed tests"))] if share else []
    drawn += [("That one of k trials passes, and that all do", plots.curves(shares))] if len(shares) > 1 else []
    drawn.append(("How trials ended", plots.endings(_endings(kept))))
    drawn.append(("How long trials took; those that failed lie on top", plots.seconds(taken[True], taken[False])))
    return _page(
        "trials.html",
        facts=set_facts(kept),
        described=describe_set(kept),
        share=share,
        counted=len(passed),
        of_k=shares[-1] if shares else None,
        plots=drawn,
        tests=[TestRow.of(of_test) for of_test in by_test.values()],
        told=[*failed, *(each for each in kept if each.passed and each.story)][:STORIES],
        more=max(0, len(failed) - STORIES),
    )


def render_comparison(before: Sequence[StoredTrial], after: Sequence[StoredTrial], comparison: Comparison) -> str:
    """Return the HTML page that compares two sets."""
    one, other = passed_of(group_by_test(before)), passed_of(group_by_test(after))
    names = {each.test_id: each.test for each in before}
    tests = [
        PassRateChange(names[test_id], fmean(passed), fmean(other[test_id]))
        for test_id, passed in one.items()
        if test_id in other
    ]
    differing = sorted((each for each in tests if each.before != each.after), key=lambda each: each.after - each.before)
    return _page(
        "compared.html",
        sets=[(name, set_facts(each), describe_set(each)) for name, each in (("Before", before), ("After", after))],
        comparison=comparison,
        plot=plots.changes(differing[:CHANGES]) if differing else "",
        tests=tests,
        only=[len(one) - len(tests), len(other) - len(tests)],
    )


def group_by_test(kept: Sequence[StoredTrial]) -> dict[str, list[StoredTrial]]:
    """Group trials by test id."""
    by_test: dict[str, list[StoredTrial]] = {}
    for each in kept:
        by_test.setdefault(each.test_id, []).append(each)
    return by_test


def passed_of(by_test: dict[str, list[StoredTrial]]) -> dict[str, list[bool]]:
    """Return whether the trials of each test that count passed; a test without any is left out."""
    counted = {test: [each for each in of_test if each.status != "error"] for test, of_test in by_test.items()}
    return {test: [each.passed for each in of_test] for test, of_test in counted.items() if of_test}


def _endings(kept: Sequence[StoredTrial]) -> list[tuple[str, int]]:
    """Count how often trials passed, failed their checks, or ended without a verdict, by reason."""
    return Counter(_ending(each) for each in kept).most_common()


def _ending(kept: StoredTrial) -> str:
    if kept.passed:
        return "passed"
    if kept.status == "failed":
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
    cast(Any, pages).filters.update(
        percent=plots.percent,
        short=short,
        body=body_of,
        rows=rows_of,
        score=percent_words,
        money=money_words,
        reason=describe_reason,
        shown=message_words,
    )
    written = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    shown = {"version": __version__, "written": written, "calls_shown": CALLS, "rows_shown": ROWS}
    return pages.get_template(name).render(**shown, **values)


def message_words(message: Mapping[str, Any]) -> str:
    """Return an entry of an agent's log as a text: its content and its tool calls."""
    content = message.get("content")
    parts = [content] if isinstance(content, str) else [json.dumps(content, ensure_ascii=False)] if content else []
    rest = {name: value for name, value in message.items() if name not in ("role", "content", "is_cut")}
    parts += [json.dumps(rest, ensure_ascii=False, indent=1)] if rest else []
    return short("\n".join(parts))


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
