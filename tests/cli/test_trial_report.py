"""The HTML report of a trial set: it needs nothing else, shows what came of every test, and runs nothing."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.cli.conftest import Run
from twindiff.cli.trial_report import LETTERS, STORIES, report
from twindiff.cli.trial_sets import StoredTrial, Story
from twindiff.client import LoggedCall, Verdict

NASTY = "<script>alert(1)</script>"


def call(number: int, text: str, answered: str = '{"ok":true}') -> LoggedCall:
    body = {"bytes": len(text), "text": text}
    said = {
        "request": {"method": "POST", "path": "/chat.postMessage", "body": body},
        "answer": {"status": 200, "body": {"bytes": len(answered), "text": answered}},
    }
    what = {"number": number, "at": "2026-01-01T09:00:00", "twin": "slack", "operation": "chat.postMessage"}
    how = {"actor": "U1", "status": 200, "milliseconds": 1.0, "error": None, "seq": number, "transcript": said}
    return msgspec.convert(what | how, LoggedCall)


def trial(test: str, number: int, *, passed: bool, **more: Any) -> StoredTrial:
    reason = "" if passed else f"Expected {NASTY}, got 0."
    explanations = [] if passed else [{"text": reason}]
    verdict = Verdict(passed, {"passed": int(passed), "total": 1, "percent": 100.0 * passed}, [], explanations)
    ids = {"environment_id": "e" * 32, "run_id": "r1", "verdict": verdict, "seconds": 1.5}
    kept = {"suite": "Florists", "agent": "florist:work", "test_id": test, "test": test, "trial": number}
    return StoredTrial(**{**kept, "passed": passed, "reason": reason, **ids, **more})


def story(*calls: LoggedCall) -> Story:
    rows = [{"__table__": "messages", "message_text": "There are nine."}]
    return Story([*calls], {"inserts": rows, "updates": [], "deletes": []})


class Tags(HTMLParser):
    """The tags of a page with their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_report_needs_nothing_from_elsewhere_and_runs_nothing() -> None:
    page = report([trial("one", 1, passed=False, story=story(call(1, NASTY))), trial("two", 1, passed=True)])
    tags = Tags(page).tags
    assert {tag for tag, _ in tags}.isdisjoint({"script", "link", "img", "iframe", "object"})
    assert [name for _, attributes in tags for name in attributes if name in ("src", "href") or name[:2] == "on"] == []
    assert re.findall(r"url\(|https?://|@import", page) == []
    policy = next(attributes["content"] for tag, attributes in tags if attributes.get("http-equiv"))
    assert policy == "default-src 'none'; style-src 'unsafe-inline'"


def test_a_report_tells_why_a_trial_failed_what_it_called_and_what_changed() -> None:
    asked = '{"channel":"C1","text":"There are nine."}'
    said = Tags(report([trial("one", 1, passed=False, story=story(call(1, asked)))])).text
    for each in (f"Expected {NASTY}, got 0.", '"channel": "C1"', '"ok": true', "+ added", 'message_text: "There are'):
        assert each in said


def test_every_plot_has_a_name_and_a_description() -> None:
    page = report([trial("one", number, passed=number == 1) for number in (1, 2, 3)])
    plots = [attributes for tag, attributes in Tags(page).tags if tag == "svg"]
    ids = {attributes.get("id") for tag, attributes in Tags(page).tags if tag in ("title", "desc")}
    assert len(plots) == 4
    assert {id for each in plots for id in (each["aria-labelledby"] or "").split()} <= ids
    assert "k=3: 100 % and 0 %" in page


def test_a_flood_is_cut_and_the_rest_is_counted() -> None:
    flood = Story([call(number, "x" * 100_000) for number in range(300)], None, more_calls=True)
    page = report([trial("one", number, passed=False, story=flood) for number in range(1, STORIES + 8)])
    assert "x… (100,000 letters)" in page
    assert "7 further trials failed" in page
    assert len(page) < STORIES * 101 * (LETTERS + 2_000)


def test_trials_without_a_story_say_so() -> None:
    assert "What it did is not kept any more." in report([trial("one", 1, passed=False, verdict=None, reason="gone")])


def test_a_compared_report_names_the_tests_that_differ(tmp_path: Path, twindiff: Run) -> None:
    for name, passed in (("before", False), ("after", True)):
        lines = [trial("one", 1, passed=passed), trial("two", 1, passed=True)]
        (tmp_path / f"{name}.jsonl").write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in lines))
    files = [str(tmp_path / f"{name}.jsonl") for name in ("before", "after")]
    twindiff("trials", "compare", *files, "--html", str(tmp_path / "compared.html"))
    page = (tmp_path / "compared.html").read_text()
    assert "<desc" in page
    assert "one: 0 % to 100 %" in page
    assert "1</b> tests better" in page


@pytest.mark.parametrize("option", ["--html", "--junit", "--jsonl"])
def test_a_place_that_cannot_be_written_to_is_one_line(option: str, tmp_path: Path, twindiff: Run) -> None:
    file = tmp_path / "set.jsonl"
    file.write_bytes(msgspec.json.encode(trial("one", 1, passed=True)) + b"\n")
    result = twindiff("trials", "show", str(file), option, str(tmp_path / "nowhere" / "x"))
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
