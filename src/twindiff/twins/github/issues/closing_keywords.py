"""Closing keywords: the issues and pull requests that a text such as `Fixes #1, closes octo-org/octo-repo#100` names.

https://docs.github.com/en/issues/tracking-your-work-with-issues/using-issues/linking-a-pull-request-to-an-issue
"""

from __future__ import annotations

import re

from twindiff.kit import Call

from ..core.access import may
from ..tables.issue_tables import Issue, PullRequest
from ..tables.repository_tables import Repository

_CLOSES = re.compile(
    r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+([\w-]+/[\w.-]+)?#(\d{1,9})\b", re.IGNORECASE | re.ASCII
)

Closing = dict[tuple[str, int], list[tuple[Issue, Repository]]]
"""Pull requests, with their repositories, by the full name in small letters and the number that they name."""


def find_issues_to_close(call: Call, repo: Repository, text: str) -> list[tuple[Issue, Repository]]:
    """Return the issues and pull requests that a text in a repository names for closing, each with its repository.

    Numbers without a repository are those of `repo`. What the caller may not see is left out.
    """
    named: list[tuple[Issue, Repository]] = []
    for name, number in _read_references(repo, text):
        target = repo if name == repo.full_name.lower() else _find_visible_repo(call, name)
        where = (Issue.repository_id == target.id, Issue.number == number) if target else ()
        if target and (issue := call.db.find(Issue, *where)):
            named.append((issue, target))
    return named


def find_closing_pulls(call: Call, repo: Repository, issue: Issue) -> list[tuple[Issue, Repository]]:
    """Return the issue halves of the visible pull requests into default branches whose bodies name an issue.

    Each comes with its repository; closed pull requests are among them.
    """
    known: Closing | None = call.memo.get("closing_pulls")
    if known is None:
        known = call.memo["closing_pulls"] = _read_closing_pulls(call)
    return [
        (row, home)
        for row, home in known.get((repo.full_name.lower(), issue.number), [])
        if may(call, home, "pull") and _is_into_default_branch(call, home, row)
    ]


def forget_closing_pulls(call: Call) -> None:
    """Find out anew from now on which pull requests close what, because rows may change."""
    call.memo.pop("closing_pulls", None)


def _read_closing_pulls(call: Call) -> Closing:
    """Return the pull requests of the environment by what their bodies name, in one query for all issues."""
    homes: dict[int, Repository] = {}
    closing: Closing = {}
    for row in call.db.rows(Issue, Issue.is_pull_request.is_true, Issue.body.contains("#"), order=Issue.id):
        if not _CLOSES.search(row.body or ""):
            continue
        home = homes.get(row.repository_id) or call.db.get(Repository, row.repository_id)
        homes[home.id] = home
        for reference in _read_references(home, row.body or ""):
            closing.setdefault(reference, []).append((row, home))
    return closing


def _read_references(repo: Repository, text: str) -> list[tuple[str, int]]:
    """Return full names of repositories, in small letters, and numbers, in the order of the text."""
    pairs = [((name or repo.full_name).lower(), int(number)) for name, number in _CLOSES.findall(text)]
    return list(dict.fromkeys(pairs))


def _find_visible_repo(call: Call, name: str) -> Repository | None:
    row = call.db.find(Repository, Repository.full_name.equals(name))
    return row if row and may(call, row, "pull") else None


def _is_into_default_branch(call: Call, repo: Repository, issue: Issue) -> bool:
    pull = call.db.find(PullRequest, PullRequest.issue_id == issue.id)
    return pull is not None and pull.base_ref == repo.default_branch
