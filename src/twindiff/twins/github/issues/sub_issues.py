"""Sub-issues, dependencies between issues, and issue types.

https://docs.github.com/en/rest/issues/sub-issues
https://docs.github.com/en/rest/issues/issue-dependencies
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, Operations
from twindiff.kit.rows import exists

from ..core.access import find_issue, find_org, find_repo, may
from ..core.listing import paginate
from ..tables.issue_tables import Issue, IssueDependency
from ..tables.repository_tables import Repository
from ..views.issue_views import ISSUE_TYPES, show_issue, show_issue_type
from ..wire_style import NotVisible, Unprocessable
from .issue_changes import note_event

api = Operations()
MAX_SUB_ISSUES, MAX_DEPTH, MAX_BLOCKERS = 100, 8, 50
NOT_ADDED = "An error occurred while adding the sub-issue to the parent issue."


def find_issue_by_id(call: Call, issue_id: int) -> Issue:
    """Return an issue that the caller may see by its id; raise NotVisible."""
    issue = call.db.find(Issue, Issue.id == issue_id)
    repo = call.db.find(Repository, Repository.id == issue.repository_id) if issue else None
    if issue is None or repo is None or not may(call, repo, "pull"):
        raise NotVisible("The provided sub-issue does not exist")
    return issue


def _show(call: Call, issue: Issue) -> dict[str, Any]:
    return show_issue(call, call.db.get(Repository, issue.repository_id), issue)


@api.get("/repos/{owner}/{repo}/issues/{issue_number}/sub_issues")
def list_sub_issues(call: Call, owner: str, repo: str, issue_number: int) -> Any:
    """List the sub-issues of an issue in their order."""
    issue = find_issue(call, find_repo(call, owner, repo), issue_number)
    by = (Issue.position, Issue.id)
    return paginate(call, Issue, Issue.parent_id == issue.id, by=by, show=lambda each: _show(call, each))


@api.get("/repos/{owner}/{repo}/issues/{issue_number}/parent")
def get_parent(call: Call, owner: str, repo: str, issue_number: int) -> Any:
    """Get the parent of a sub-issue."""
    issue = find_issue(call, find_repo(call, owner, repo), issue_number)
    if issue.parent_id is None:
        raise NotVisible
    return _show(call, find_issue_by_id(call, issue.parent_id))


def _children(call: Call, parent: Issue) -> list[Issue]:
    return call.db.rows(Issue, Issue.parent_id == parent.id, order=(Issue.position, Issue.id))


@api.post("/repos/{owner}/{repo}/issues/{issue_number}/sub_issues", status=201)
def add_sub_issue(
    call: Call, owner: str, repo: str, issue_number: int, sub_issue_id: int, replace_parent: bool = False
) -> Any:
    """Make an issue a sub-issue of another one."""
    issue = find_issue(call, find_repo(call, owner, repo), issue_number)
    child = find_issue_by_id(call, sub_issue_id)
    if child.parent_id == issue.id:
        raise Unprocessable(f"{NOT_ADDED} Issue may not contain duplicate sub-issues")
    if child.parent_id and not replace_parent:
        raise Unprocessable(f"{NOT_ADDED} Sub issue may only have one parent")
    _check_acyclic(call, issue, child)
    children = _children(call, issue)
    if len(children) >= MAX_SUB_ISSUES:
        raise Unprocessable(f"Parent cannot have more than {MAX_SUB_ISSUES} sub-issues")
    place = max((each.position for each in children), default=0) + 1
    call.db.change(child, parent_id=issue.id, position=place, updated_at=call.clock.iso())
    note_event(call, issue, "sub_issue_added")
    note_event(call, child, "parent_issue_added")
    return _show(call, issue)


def _check_acyclic(call: Call, parent: Issue, child: Issue) -> None:
    """Raise Unprocessable if an issue would be its own ancestor, or too deep."""
    above: Issue | None = parent
    for _ in range(MAX_DEPTH):
        if above is None:
            return
        if above.id == child.id:
            raise Unprocessable(f"{NOT_ADDED} Issue cannot be a sub-issue of itself or of its sub-issues")
        above = call.db.find(Issue, Issue.id == above.parent_id) if above.parent_id else None
    if above is not None:
        raise Unprocessable(f"{NOT_ADDED} Sub-issues may only be {MAX_DEPTH} levels deep")


@api.delete("/repos/{owner}/{repo}/issues/{issue_number}/sub_issue")
def remove_sub_issue(call: Call, owner: str, repo: str, issue_number: int, sub_issue_id: int) -> Any:
    """Make a sub-issue an issue of its own."""
    issue = find_issue(call, find_repo(call, owner, repo), issue_number)
    child = find_issue_by_id(call, sub_issue_id)
    if child.parent_id != issue.id:
        raise NotVisible
    call.db.change(child, parent_id=None, position=0, updated_at=call.clock.iso())
    note_event(call, issue, "sub_issue_removed")
    note_event(call, child, "parent_issue_removed")
    return _show(call, issue)


@api.patch("/repos/{owner}/{repo}/issues/{issue_number}/sub_issues/priority")
def reprioritize_sub_issue(
    call: Call,
    owner: str,
    repo: str,
    issue_number: int,
    sub_issue_id: int,
    after_id: int | None = None,
    before_id: int | None = None,
) -> Any:
    """Move a sub-issue behind or before another one."""
    issue = find_issue(call, find_repo(call, owner, repo), issue_number)
    children = _children(call, issue)
    moved = next((each for each in children if each.id == sub_issue_id), None)
    rest = [each for each in children if each.id != sub_issue_id]
    other = next((number for number, each in enumerate(rest) if each.id in (after_id, before_id)), None)
    if moved is None:
        raise NotVisible
    if (after_id is None) == (before_id is None):
        raise Unprocessable("Exactly one of after_id and before_id must be given")
    if other is None:
        raise Unprocessable("after_id and before_id must be sub-issues of the same issue")
    rest.insert(other + (after_id is not None), moved)
    for place, each in enumerate(rest, 1):
        if each.position != place:
            call.db.change(each, position=place)
    return _show(call, issue)


def _list_dependencies(call: Call, owner: str, repo: str, number: int, *, blocking: bool) -> Any:
    issue = find_issue(call, find_repo(call, owner, repo), number)
    mine, other = IssueDependency.issue_id, IssueDependency.blocked_by_id
    if blocking:
        mine, other = other, mine
    where = exists(IssueDependency, other == Issue.id, mine == issue.id)
    return paginate(call, Issue, where, by=Issue.id, show=lambda each: _show(call, each))


@api.get("/repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by")
def list_blockers(call: Call, owner: str, repo: str, issue_number: int) -> Any:
    """List the issues that block an issue."""
    return _list_dependencies(call, owner, repo, issue_number, blocking=False)


@api.get("/repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocking")
def list_blocked(call: Call, owner: str, repo: str, issue_number: int) -> Any:
    """List the issues that an issue blocks."""
    return _list_dependencies(call, owner, repo, issue_number, blocking=True)


@api.post("/repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by", status=201)
def add_blocker(call: Call, owner: str, repo: str, issue_number: int, issue_id: int) -> Any:
    """Say that another issue blocks an issue."""
    issue = find_issue(call, find_repo(call, owner, repo), issue_number)
    blocker = find_issue_by_id(call, issue_id)
    if blocker.id == issue.id:
        raise Unprocessable("An issue cannot be blocked by itself")
    if call.db.find(IssueDependency, IssueDependency.issue_id == blocker.id, IssueDependency.blocked_by_id == issue.id):
        raise Unprocessable("The dependency would make a cycle")
    if call.db.count(IssueDependency, IssueDependency.issue_id == issue.id) >= MAX_BLOCKERS:
        raise Unprocessable(f"An issue cannot be blocked by more than {MAX_BLOCKERS} issues")
    known = (IssueDependency.issue_id == issue.id, IssueDependency.blocked_by_id == blocker.id)
    if call.db.find(IssueDependency, *known):
        raise Unprocessable("Target issue has already been taken")
    call.db.add(IssueDependency(issue_id=issue.id, blocked_by_id=blocker.id))
    note_event(call, issue, "blocked_by_added")
    return _show(call, issue)


@api.delete("/repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by/{issue_id}")
def remove_blocker(call: Call, owner: str, repo: str, issue_number: int, issue_id: int) -> Any:
    """Say that another issue does not block an issue any more."""
    issue = find_issue(call, find_repo(call, owner, repo), issue_number)
    where = (IssueDependency.issue_id == issue.id, IssueDependency.blocked_by_id == issue_id)
    known = call.db.find(IssueDependency, *where)
    if known is None:
        raise NotVisible
    call.db.remove(known)
    note_event(call, issue, "blocked_by_removed")
    return _show(call, issue)


@api.get("/orgs/{org}/issue-types")
def list_issue_types(call: Call, org: str) -> Any:
    """List the issue types of an organization."""
    owner = find_org(call, org)
    return [show_issue_type(owner.id, name) for name, _, _ in ISSUE_TYPES]
