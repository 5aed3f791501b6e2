"""Issues that are pinned, transferred to another repository or deleted.

https://docs.github.com/en/issues/tracking-your-work-with-issues/administering-issues
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..core.access import check_permission, may
from ..core.visibility import assignable_logins
from ..tables.issue_tables import FormerIssue, Issue, IssueComment, IssueEvent, Label, Milestone, Reaction
from ..tables.repository_tables import Repository
from ..tables.work_tables import Notification
from ..wire_style import Unprocessable
from .issue_changes import announce_issue, check_has_issues, note_event, resolve_labels, take_number

MAX_PINNED_ISSUES = 3


def pin_issue(call: Call, repo: Repository, issue: Issue) -> Issue:
    """Pin an issue to the top of the repository's list."""
    check_permission(call, repo, "push")
    if issue.pinned_by:
        return issue
    if call.db.count(Issue, Issue.repository_id == repo.id, is_pinned()) >= MAX_PINNED_ISSUES:
        raise Unprocessable(f"Maximum {MAX_PINNED_ISSUES} pinned issues per repository")
    issue = call.db.change(issue, pinned_by=call.actor)
    note_event(call, issue, "pinned")
    announce_issue(call, repo, issue, "pinned")
    return issue


def is_pinned() -> Any:
    """Return the condition of issues that are pinned."""
    return Issue.pinned_by > ""


def unpin_issue(call: Call, repo: Repository, issue: Issue) -> Issue:
    """Take an issue from the top of the repository's list."""
    check_permission(call, repo, "push")
    if not issue.pinned_by:
        return issue
    issue = call.db.change(issue, pinned_by=None)
    note_event(call, issue, "unpinned")
    announce_issue(call, repo, issue, "unpinned")
    return issue


def delete_issue(call: Call, repo: Repository, issue: Issue) -> None:
    """Delete an issue with its comments; its number is not used again and answers 410."""
    check_permission(call, repo, "admin")
    announce_issue(call, repo, issue, "deleted")
    comments = call.db.rows(IssueComment, IssueComment.issue_id == issue.id, columns=(IssueComment.id,))
    for subject, ids in (("issues", [issue.id]), ("issue_comments", [row[0] for row in comments])):
        for row in list(call.db.rows(Reaction, Reaction.subject == subject, Reaction.subject_id.in_(ids))):
            call.db.remove(row)
    for child in call.db.rows(Issue, Issue.parent_id == issue.id):
        call.db.change(child, parent_id=None, position=0)
    for thread in _threads_of(call, repo, issue):
        call.db.remove(thread)
    call.db.add(FormerIssue(repository_id=repo.id, number=issue.number))
    call.db.remove(issue)
    call.memo.pop("repos", None)


def transfer_issue(call: Call, repo: Repository, issue: Issue, target: Repository, *, makes_labels: bool) -> Issue:
    """Move an issue with its comments to another repository, where it gets a number; the old one leads there.

    Labels and the milestone stay where the other repository has one of that name, assignees where they work there.
    """
    for each in (repo, target):
        check_permission(call, each, "push")
    check_has_issues(target)
    if issue.is_pull_request:
        raise Unprocessable("Pull requests can't be transferred")
    if target.id == repo.id or target.owner != repo.owner:
        raise Unprocessable("Issues can only be transferred to another repository of the same owner")
    if repo.private and not target.private:
        raise Unprocessable("Issues of a private repository can't be transferred to a public one")
    announce_issue(call, repo, issue, "transferred")
    labels = _labels_there(call, target, issue, makes_labels=makes_labels)
    assignable = assignable_logins(call, target)
    target, number = take_number(call, target)
    call.db.add(FormerIssue(repository_id=repo.id, number=issue.number, issue_id=issue.id))
    _move_threads(call, _threads_of(call, repo, issue), target, number)
    issue = call.db.change(
        issue,
        repository_id=target.id,
        number=number,
        labels=labels,
        assignees=[login for login in issue.assignees if login in assignable],
        milestone_id=_milestone_there(call, target, issue),
        pinned_by=None,
        updated_at=call.clock.iso(),
    )
    for table in (IssueComment, IssueEvent):
        for row in list(call.db.rows(table, table.issue_id == issue.id)):
            call.db.change(row, repository_id=target.id)
    note_event(call, issue, "transferred")
    call.memo.pop("repos", None)
    announce_issue(call, target, issue, "opened")
    return issue


def _threads_of(call: Call, repo: Repository, issue: Issue) -> list[Notification]:
    """Return the notifications of all users about an issue."""
    where = (Notification.repository_id == repo.id, Notification.subject_number == issue.number)
    return list(call.db.rows(Notification, *where))


def _move_threads(call: Call, threads: list[Notification], target: Repository, number: int) -> None:
    """Make notifications those of an issue of another repository; remove those of users who may not see it."""
    for thread in threads:
        if may(call, target, "pull", thread.user):
            call.db.change(thread, repository_id=target.id, subject_number=number)
        else:
            call.db.remove(thread)


def _labels_there(call: Call, target: Repository, issue: Issue, *, makes_labels: bool) -> list[str]:
    known = {row.name.lower(): row.name for row in call.db.rows(Label, Label.repository_id == target.id)}
    if makes_labels:
        return resolve_labels(call, target, issue.labels)
    return [known[name.lower()] for name in issue.labels if name.lower() in known]


def _milestone_there(call: Call, target: Repository, issue: Issue) -> int | None:
    own = call.db.find(Milestone, Milestone.id == issue.milestone_id) if issue.milestone_id else None
    same = call.db.find(Milestone, Milestone.repository_id == target.id, Milestone.title == own.title) if own else None
    return same.id if same else None
