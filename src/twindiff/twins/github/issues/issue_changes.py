"""Changes of issues with their events, notifications and webhooks, which issues and pull requests share."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from twindiff.kit import UNSET, Call

from ..core.access import may
from ..core.node_ids import node_id
from ..core.stamps import new_id
from ..core.visibility import assignable_logins
from ..event_delivery.announcements import announce
from ..tables.issue_tables import Issue, IssueEvent, Label, Milestone
from ..tables.repository_tables import Repository
from ..tables.user_tables import User
from ..tables.work_tables import Notification, Subscription
from ..views.issue_views import forget_labels, labels_of, show_issue
from ..views.user_views import user_of
from ..wire_style import Forbidden, Gone, NotVisible, invalid

MAX_TITLE_LENGTH, MAX_BODY_LENGTH, MAX_ASSIGNEES, MAX_LABELS = 256, 65536, 10, 100
_MENTION = re.compile(r"(?<![\w/`])@([A-Za-z0-9](?:[A-Za-z0-9-]{0,38}))(?![\w/])")


def check_text(resource: str, title: Any = UNSET, body: Any = UNSET) -> None:
    """Raise GitHub's 422 for a title or a body that is blank or too long."""
    if title is not UNSET:
        if not str(title or "").strip():
            raise invalid(resource, "title", "missing_field")
        if len(str(title)) > MAX_TITLE_LENGTH:
            raise invalid(resource, "title", "custom", f"title is too long (maximum is {MAX_TITLE_LENGTH} characters)")
    if isinstance(body, str) and len(body) > MAX_BODY_LENGTH:
        raise invalid(resource, "body", "custom", f"body is too long (maximum is {MAX_BODY_LENGTH} characters)")


def take_number(call: Call, repo: Repository) -> tuple[Repository, int]:
    """Return the next number of a repository's issues and pull requests, and the repository's row."""
    number = repo.next_number
    return call.db.change(repo, next_number=number + 1), number


def note_event(call: Call, issue: Issue, event: str, commit_id: str | None = None, **details: Any) -> IssueEvent:
    """Add an event to the timeline of an issue."""
    row = IssueEvent(
        id=new_id(call),
        repository_id=issue.repository_id,
        issue_id=issue.id,
        event=event,
        actor=call.actor,
        commit_id=commit_id,
        details=details,
        created_at=call.clock.iso(),
    )
    return call.db.add(row)


def notify(call: Call, repo: Repository, issue: Issue, reasons: dict[str, str], comment_id: int | None = None) -> None:
    """Notify users of an issue, each for a reason; the caller and those who may not see it are left out."""
    for login, reason in reasons.items():
        if login == call.actor or not call.db.find(User, User.login == login, User.type == "User"):
            continue
        if not may(call, repo, "pull", login):
            continue
        where = (Notification.user == login, Notification.repository_id == repo.id)
        known = call.db.find(Notification, *where, Notification.subject_number == issue.number)
        fields: dict[str, Any] = {"reason": reason, "updated_at": call.clock.iso(), "unread": True, "is_done": False}
        if comment_id:
            fields["latest_comment_id"] = comment_id
        if known is None:
            kind = "PullRequest" if issue.is_pull_request else "Issue"
            about: dict[str, Any] = {"subject_type": kind, "subject_number": issue.number}
            call.db.add(Notification(id=new_id(call), user=login, repository_id=repo.id, **about, **fields))
        elif not known.ignored:
            call.db.change(known, **fields)


def reasons_of(
    call: Call, repo: Repository, issue: Issue, text: str | None, more: Collection[str] = ()
) -> dict[str, str]:
    """Return who is told of something about an issue and why, the weakest reason first."""
    watchers = call.db.rows(Subscription, Subscription.repository_id == repo.id, Subscription.subscribed)
    reasons = {each.user: "subscribed" for each in watchers}
    reasons |= dict.fromkeys(more, "comment")
    reasons[issue.user] = "author"
    reasons |= dict.fromkeys(issue.assignees, "assign")
    reasons |= dict.fromkeys(_MENTION.findall(text or ""), "mention")
    return reasons


def resolve_labels(call: Call, repo: Repository, names: Sequence[str]) -> list[str]:
    """Return label names as the repository writes them, and make the labels that it lacks."""
    rows = {row.name.lower(): row.name for row in call.db.rows(Label, Label.repository_id == repo.id)}
    resolved: list[str] = []
    for name in names:
        if name.lower() not in rows:
            if not name.strip():
                raise invalid("Label", "name", "missing_field")
            label = call.db.add(Label(id=new_id(call), repository_id=repo.id, name=name))
            rows[name.lower()] = label.name
            forget_labels(call)
        resolved.append(rows[name.lower()])
    unique = list(dict.fromkeys(resolved))
    if len(unique) > MAX_LABELS:
        raise invalid("Issue", "labels", "custom", f"cannot have more than {MAX_LABELS} labels")
    return unique


def resolve_assignees(call: Call, repo: Repository, logins: Sequence[str], *, strict: bool) -> list[str]:
    """Return the logins that can be assigned; with `strict`, raise GitHub's 422 for another one."""
    assignable = {login.lower(): login for login in assignable_logins(call, repo)}
    unknown = [login for login in logins if login.lower() not in assignable]
    if unknown and strict:
        raise invalid("Issue", "assignees", value=unknown[0])
    chosen = [assignable[login.lower()] for login in logins if login.lower() in assignable]
    return list(dict.fromkeys(chosen))[:MAX_ASSIGNEES]


def resolve_milestone(call: Call, repo: Repository, number: int | str | None) -> int | None:
    """Return the id of a milestone by its number; raise GitHub's 422 for an unknown one."""
    if number is None:
        return None
    at = int(number) if str(number).isdecimal() else -1
    row = call.db.find(Milestone, Milestone.repository_id == repo.id, Milestone.number == at)
    if row is None:
        raise invalid("Issue", "milestone", value=number)
    return row.id


def check_open_for_comments(call: Call, repo: Repository, issue: Issue) -> None:
    """Raise Forbidden if an issue is locked for the caller, or its repository archived."""
    if repo.archived:
        raise Forbidden("Repository was archived so is read-only.")
    if issue.locked and not may(call, repo, "push"):
        raise Forbidden("Unable to create comment because issue is locked.")


def check_has_issues(repo: Repository) -> None:
    """Raise Gone if issues are disabled in a repository."""
    if repo.settings.get("has_issues") is False:
        raise Gone("Issues has been disabled in this repository.")


def change_labels(call: Call, repo: Repository, issue: Issue, names: list[str]) -> Issue:
    """Set the labels of an issue, with an event and a webhook for each one added or removed."""
    added = [name for name in names if name not in issue.labels]
    removed = [name for name in issue.labels if name not in names]
    if not added and not removed:
        return issue
    issue = call.db.change(issue, labels=names, updated_at=call.clock.iso())
    for action, changed in (("labeled", added), ("unlabeled", removed)):
        for name in changed:
            shown = labels_of(call, repo, [name])
            label = {"name": name, "color": shown[0]["color"] if shown else "ededed"}
            note_event(call, issue, action, label=label)
            announce_issue(call, repo, issue, action, label=shown[0] if shown else label)
    return issue


def change_assignees(call: Call, repo: Repository, issue: Issue, logins: list[str]) -> Issue:
    """Set the assignees of an issue, with events, webhooks and notifications."""
    added = [login for login in logins if login not in issue.assignees]
    removed = [login for login in issue.assignees if login not in logins]
    if not added and not removed:
        return issue
    issue = call.db.change(issue, assignees=logins, updated_at=call.clock.iso())
    for action, changed in (("assigned", added), ("unassigned", removed)):
        for login in changed:
            note_event(call, issue, action, assignee=login, assigner=call.actor)
            announce_issue(call, repo, issue, action, assignee=user_of(call, login))
    notify(call, repo, issue, dict.fromkeys(added, "assign"))
    return issue


def change_milestone(call: Call, repo: Repository, issue: Issue, milestone_id: int | None) -> Issue:
    """Set or remove the milestone of an issue."""
    if issue.milestone_id == milestone_id:
        return issue
    before = call.db.find(Milestone, Milestone.id == issue.milestone_id) if issue.milestone_id else None
    after = call.db.find(Milestone, Milestone.id == milestone_id) if milestone_id else None
    issue = call.db.change(issue, milestone_id=milestone_id, updated_at=call.clock.iso())
    forget_labels(call)
    for action, row in (("demilestoned", before), ("milestoned", after)):
        if row:
            note_event(call, issue, action, milestone={"title": row.title})
            announce_issue(call, repo, issue, action)
    return issue


def change_state(
    call: Call, repo: Repository, issue: Issue, state: str, reason: str | None = None, commit_id: str | None = None
) -> Issue:
    """Close or reopen an issue."""
    if issue.state == state and (reason is None or reason == issue.state_reason):
        return issue
    now, is_closed = call.clock.iso(), state == "closed"
    fields: dict[str, Any] = {"state": state, "updated_at": now, "closed_at": now if is_closed else None}
    if is_closed:  # a reopened issue still tells who closed it last
        fields["closed_by"] = call.actor
    if not issue.is_pull_request:
        fields["state_reason"] = reason or ("completed" if is_closed else "reopened")
    issue = call.db.change(issue, **fields)
    action = "closed" if is_closed else "reopened"
    details = {"state_reason": fields.get("state_reason")} if is_closed and not issue.is_pull_request else {}
    note_event(call, issue, action, commit_id, **details)
    announce_issue(call, repo, issue, action)
    notify(call, repo, issue, reasons_of(call, repo, issue, None) if is_closed else {})
    return issue


def announce_issue(call: Call, repo: Repository, issue: Issue, action: str, **more: Any) -> None:
    """Announce a change of an issue; those of pull requests are announced with the pull request."""
    if not issue.is_pull_request:
        announce(call, repo, "issues", {"action": action, "issue": show_issue(call, repo, issue), **more})


def show_event(
    call: Call, repo: Repository, issue: Issue, event: IssueEvent, *, with_issue: bool = False
) -> dict[str, Any]:
    """Render an event of a timeline."""
    url = f"{call.base_url}/repos/{repo.full_name}"
    details: dict[str, Any] = dict(event.details)
    for name in ("assignee", "assigner", "requested_reviewer", "review_requester"):
        if name in details:
            details[name] = user_of(call, details[name])
    shown: dict[str, Any] = {
        "id": event.id,
        "node_id": node_id("EV", repo.id, event.id),
        "url": f"{url}/issues/events/{event.id}",
        "actor": user_of(call, event.actor),
        "event": event.event,
        "commit_id": event.commit_id,
        "commit_url": f"{url}/commits/{event.commit_id}" if event.commit_id else None,
        "created_at": event.created_at[:19] + "Z",
        **details,
        "performed_via_github_app": None,
    }
    return shown | {"issue": show_issue(call, repo, issue)} if with_issue else shown


def find_event(call: Call, repo: Repository, event_id: int) -> IssueEvent:
    """Return an event of a repository's issues; raise NotVisible."""
    event = call.db.find(IssueEvent, IssueEvent.id == event_id, IssueEvent.repository_id == repo.id)
    if event is None:
        raise NotVisible
    return event


def check_author_or_triage(call: Call, repo: Repository, issue: Issue) -> None:
    """Raise Forbidden unless the caller wrote an issue or may triage."""
    if repo.archived:
        raise Forbidden("Repository was archived so is read-only.")
    if issue.user != call.actor and not may(call, repo, "triage"):
        raise Forbidden("Must have admin rights to Repository.")
