"""The head of a run's page: what was tested, how and when it ended, and how long it took."""

from __future__ import annotations

from datetime import datetime
from html import escape
from pathlib import PurePath
from typing import Any

from twindiff.catalog import TestRunRecord
from twindiff.kit.clock import SECOND

MAX_CHARACTERS = 80
"""Maximum characters of a prompt in the title of a page."""
MAX_FILES = 20
MINUTE, HOUR, DAY = 60, 3600, 86_400


def render_title(run: TestRunRecord, facts: dict[str, Any]) -> str:
    """The title of a page as plain text: repository, branch and commit, or the test; and the result."""
    return f"{_what(run, facts)}: {_how(run, facts)}"


def render_head(run: TestRunRecord, facts: dict[str, Any]) -> str:
    """Render the heading of a page and the facts of the run as HTML."""
    colour = {"completed": "ok", "failed": "bad"}.get(run.status, "")
    heading = f"<h1>{escape(_what(run, facts))} <span class='{colour}'>{escape(_how(run, facts))}</span></h1>"
    rows = "".join(f"<dt>{escape(name)}<dd>{text}" for name, text in _facts(run, facts).items() if text)
    return f"{heading}<dl>{rows}</dl>"


def _what(run: TestRunRecord, facts: dict[str, Any]) -> str:
    branch, commit = facts["branch"], (facts["commit_sha"] or "")[:12]
    if run.kind == "sandbox":
        return f"Sandbox of {shorten_repository(run.repo)} {branch}"
    if run.kind == "pr":
        return f"{shorten_repository(run.repo)} {branch} at {commit}"
    name = facts["name"] or facts["prompt"] or facts["start_url"] or f"Test run {run.run_id[:8]}"
    short = name if len(name) <= MAX_CHARACTERS else f"{name[:MAX_CHARACTERS]}…"
    return f"{short} ({shorten_repository(run.repo)} {branch})" if branch and run.repo else short


def shorten_repository(repo: str | None) -> str:
    """The short name of a repository: its name, or the folder of its path."""
    return PurePath(repo).name if repo and repo.startswith(("/", "file:")) else repo or ""


def _how(run: TestRunRecord, facts: dict[str, Any]) -> str:
    total, failed = facts["total"], facts["failed"]
    if run.kind == "pr" and total:
        return f"{failed} of {total} failed" if failed else f"{facts['passed']} of {total} passed"
    return run.status


def _facts(run: TestRunRecord, facts: dict[str, Any]) -> dict[str, str]:
    """The facts of a run as HTML, by label."""
    files = facts["changed_files"]
    listed = ", ".join(files[:MAX_FILES]) + (f" and {len(files) - MAX_FILES} more" if len(files) > MAX_FILES else "")
    return {
        "Run": escape(f"{run.kind} {run.run_id[:8]}, {run.status}"),
        "Repository": escape(run.repo or ""),
        "Branch": escape(" at ".join(filter(None, (facts["branch"], (facts["commit_sha"] or "")[:12])))),
        "Compared with": escape(facts["base"] or ""),
        "Changed files": escape(f"{len(files)}: {listed}" if files else ""),
        "Starts at": f"<code>{escape(facts['start_url'])}</code>" if facts["start_url"] else "",
        "Application": _link(run.outcome.get("app_url") if run.status == "ready" else None),
        "Begun": escape(_moment(run.created_at)),
        "Took": escape(_duration(run)),
    }


def _link(url: str | None) -> str:
    return f'<a href="{escape(url)}" rel="noreferrer">{escape(url)}</a>' if url else ""


def _moment(at: str) -> str:
    return f"{datetime.fromisoformat(at):%d %B %Y %H:%M} UTC"


def _duration(run: TestRunRecord) -> str:
    if run.finished_at is None:
        return ""
    seconds = (datetime.fromisoformat(run.finished_at) - datetime.fromisoformat(run.created_at)).total_seconds()
    return f"{seconds:.1f} s" if seconds < 100 else f"{seconds / 60:.1f} min"


def describe_span(micros: int) -> str:
    """A span of time in its largest unit: `34 s`, `5 min`, `3 h`, `2 days`."""
    seconds = max(0, micros // SECOND)
    if seconds < MINUTE:
        return f"{seconds} s"
    if seconds < HOUR:
        return f"{seconds // MINUTE} min"
    if seconds < 2 * DAY:
        return f"{seconds // HOUR} h"
    return f"{seconds // DAY} days"
