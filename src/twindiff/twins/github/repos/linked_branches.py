"""Branches that are made for an issue and shown with it.

https://docs.github.com/en/issues/tracking-your-work-with-issues/creating-a-branch-for-an-issue
"""

from __future__ import annotations

import re

from twindiff.kit import Call

from ..core.access import check_permission
from ..core.stamps import new_id
from ..git.refs import HEADS, find_ref, is_valid_ref, resolve_commit
from ..issues.issue_changes import note_event
from ..pushes.ref_updates import move_ref
from ..tables.issue_tables import Issue, LinkedBranch
from ..tables.repository_tables import Repository
from ..wire_style import Unprocessable


def create_linked_branch(call: Call, repo: Repository, issue: Issue, sha: str, name: str | None) -> LinkedBranch:
    """Make a branch for an issue, by default named by its number and title."""
    check_permission(call, repo, "push")
    words = "-".join(re.findall(r"[a-z0-9]+", issue.title.lower()))
    branch = (name or f"{issue.number}-{words}").removeprefix(HEADS)
    if not is_valid_ref(HEADS + branch):
        raise Unprocessable(f"{branch!r} is not a valid name of a branch")
    if resolve_commit(call, repo, sha) is None:
        raise Unprocessable(f"No commit found for SHA: {sha}")
    if find_ref(call, repo, HEADS + branch):
        raise Unprocessable(f"A ref named {HEADS}{branch} already exists in the repository.")
    move_ref(call, repo, HEADS + branch, sha)
    note_event(call, issue, "connected")
    return call.db.add(LinkedBranch(id=new_id(call), issue_id=issue.id, repository_id=repo.id, ref=HEADS + branch))


def list_linked_branches(call: Call, issue: Issue) -> list[LinkedBranch]:
    """Return the linked branches of an issue that still exist."""
    rows = call.db.rows(LinkedBranch, LinkedBranch.issue_id == issue.id, order=LinkedBranch.id)
    return [row for row in rows if find_ref(call, call.db.get(Repository, row.repository_id), row.ref)]


def unlink_branch(call: Call, link: LinkedBranch) -> None:
    """Take a branch from an issue; the branch stays."""
    check_permission(call, call.db.get(Repository, link.repository_id), "push")
    call.db.remove(link)
