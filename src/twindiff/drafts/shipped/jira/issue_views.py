"""Shows issues as Jira writes them, field by field."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from twindiff.kit.call import Call

from .documents import show_text
from .site import EPIC_LINK, SPRINT, STORY_POINTS, read_once
from .site_views import (
    Shown,
    address,
    show_component,
    show_link_type,
    show_priority,
    show_project,
    show_resolution,
    show_status,
    show_type,
    show_user,
    show_version,
)
from .tables import (
    Attachment,
    Comment,
    Component,
    History,
    Issue,
    IssueLink,
    IssueLinkType,
    IssueType,
    Priority,
    Project,
    Resolution,
    Sprint,
    Status,
    Version,
    Watcher,
    Worklog,
)
from .wire_style import is_plain_text, show_agile_time, show_time

MAX_INLINE = 100
"""Comments and worklogs that an issue shows inside."""


def show_named(call: Call, table: Any, name: str | None, show: Callable[[Call, Any], Shown]) -> Shown | None:
    """Return the status, type, priority or resolution of a name; rows are read once in an operation."""
    rows: dict[str, Any] = read_once(
        call, f"named {table.__name__}", lambda: {row.name: row for row in call.db.rows(table)}
    )
    return show(call, rows[name]) if name in rows else None


def show_comment(call: Call, comment: Comment, issue: Issue) -> Shown:
    """Return a comment."""
    shown: Shown = {
        "self": address(call, f"issue/{issue.id}/comment/{comment.id}"),
        "id": comment.id,
        "author": show_user(call, comment.author),
        "body": show_text(comment.body, comment.body_document, plain=is_plain_text(call)),
        "updateAuthor": show_user(call, comment.update_author or comment.author),
        "created": show_time(comment.created),
        "updated": show_time(comment.updated),
        "jsdPublic": True,
    }
    return shown | ({"visibility": comment.visibility} if comment.visibility else {})


def show_worklog(call: Call, worklog: Worklog, issue: Issue) -> Shown:
    """Return a record of work."""
    shown: Shown = {
        "self": address(call, f"issue/{issue.id}/worklog/{worklog.id}"),
        "author": show_user(call, worklog.author),
        "updateAuthor": show_user(call, worklog.author),
        "created": show_time(worklog.created),
        "updated": show_time(worklog.updated),
        "started": show_time(worklog.started),
        "timeSpent": show_duration(worklog.time_spent_seconds),
        "timeSpentSeconds": worklog.time_spent_seconds,
        "id": worklog.id,
        "issueId": issue.id,
    }
    said = show_text(worklog.comment, worklog.comment_document, plain=is_plain_text(call))
    return shown | ({"comment": said} if said else {})


def show_attachment(call: Call, attachment: Attachment) -> Shown:
    """Return a file of an issue."""
    return {
        "self": address(call, f"attachment/{attachment.id}"),
        "id": attachment.id,
        "filename": attachment.filename,
        "author": show_user(call, attachment.author),
        "created": show_time(attachment.created),
        "size": attachment.size,
        "mimeType": attachment.mime_type,
        "content": address(call, f"attachment/content/{attachment.id}"),
    }


def show_sprint(call: Call, sprint: Sprint, *, inside: bool = False) -> Shown:
    """Return a sprint; `inside` an issue's field it has its board as `boardId`."""
    dates = {
        "startDate": sprint.start_date,
        "endDate": sprint.end_date,
        "completeDate": sprint.complete_date,
        "createdDate": sprint.created,
    }
    shown: Shown = {"id": sprint.id}
    if not inside:
        shown["self"] = f"{call.base_url}/rest/agile/1.0/sprint/{sprint.id}"
    shown |= {"state": sprint.state, "name": sprint.name}
    shown |= {name: show_agile_time(at) for name, at in dates.items() if at and not (inside and name == "createdDate")}
    return {**shown, ("boardId" if inside else "originBoardId"): sprint.board_id, "goal": sprint.goal}


def show_duration(seconds: int) -> str:
    """Return seconds as Jira writes them, with days of 8 hours and weeks of 5 days: `1w 2d 3h 15m`."""
    parts: list[str] = []
    for unit, size in (("w", 144_000), ("d", 28_800), ("h", 3600), ("m", 60)):
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count}{unit}")
    return " ".join(parts) or "0m"


def _brief(call: Call, key: str) -> Shown | None:
    issue = call.db.find(Issue, Issue.key == key)
    return _show_brief(call, issue) if issue else None


def _show_brief(call: Call, issue: Issue) -> Shown:
    fields = {name: SHOWN[name](call, issue) for name in ("summary", "status", "priority", "issuetype")}
    return {"id": issue.id, "key": issue.key, "self": address(call, f"issue/{issue.id}"), "fields": fields}


def _links(call: Call, issue: Issue) -> list[Shown]:
    shown: list[Shown] = []
    for side, own, other in (("outward", "inward_issue", "outward_issue"), ("inward", "outward_issue", "inward_issue")):
        for link in call.db.rows(IssueLink, getattr(IssueLink, own) == issue.key):
            kind = show_named(call, IssueLinkType, link.type, show_link_type)
            brief = _brief(call, getattr(link, other))
            self_ = address(call, f"issueLink/{link.id}")
            shown.append({"id": link.id, "self": self_, "type": kind, f"{side}Issue": brief})
    return shown


def _subtasks(call: Call, issue: Issue) -> list[Shown]:
    below = call.db.rows(Issue, Issue.parent == issue.key, order=Issue.number)
    levels = {each.name: each.hierarchy_level for each in call.db.rows(IssueType)}
    return [_show_brief(call, each) for each in below if levels.get(each.issue_type, 0) < 0]


def _comments(call: Call, issue: Issue) -> Shown:
    rows = call.db.rows(Comment, Comment.issue_key == issue.key, order=Comment.created)
    shown = [show_comment(call, each, issue) for each in rows[:MAX_INLINE]]
    path = address(call, f"issue/{issue.id}/comment")
    return {"comments": shown, "self": path, "maxResults": len(rows), "total": len(rows), "startAt": 0}


def _worklogs(call: Call, issue: Issue) -> Shown:
    rows = call.db.rows(Worklog, Worklog.issue_key == issue.key, order=Worklog.started)
    shown = [show_worklog(call, each, issue) for each in rows[:20]]
    return {"startAt": 0, "maxResults": 20, "total": len(rows), "worklogs": shown}


def time_spent(call: Call, issue: Issue) -> int:
    """Return the seconds of work on an issue."""
    return sum(each.time_spent_seconds for each in call.db.rows(Worklog, Worklog.issue_key == issue.key))


def _time_tracking(call: Call, issue: Issue) -> Shown:
    given = {
        "originalEstimate": issue.original_estimate_seconds,
        "remainingEstimate": issue.remaining_estimate_seconds,
        "timeSpent": time_spent(call, issue) or None,
    }
    shown: Shown = {name: show_duration(value) for name, value in given.items() if value is not None}
    return shown | {f"{name}Seconds": value for name, value in given.items() if value is not None}


def _watches(call: Call, issue: Issue) -> Shown:
    count = call.db.count(Watcher, Watcher.issue_key == issue.key)
    own = bool(call.db.find(Watcher, Watcher.issue_key == issue.key, Watcher.account_id == call.actor))
    return {"self": address(call, f"issue/{issue.key}/watchers"), "watchCount": count, "isWatching": own}


def _project(call: Call, issue: Issue) -> Shown | None:
    key = issue.project_key
    project = read_once(call, f"project {key}", lambda: call.db.find(Project, Project.key == key))
    return show_project(call, project) if project else None


def _named_in_project(table: Any, field: str, show: Callable[[Call, Any], Shown]) -> Callable[[Call, Issue], Any]:
    def show_all(call: Call, issue: Issue) -> list[Shown]:
        names: list[str] = getattr(issue, field)
        if not names:
            return []
        rows = call.db.rows(table, table.project_key == issue.project_key, table.name.in_(names))
        return [show(call, row) for row in rows]

    return show_all


def _person(field: str) -> Callable[[Call, Issue], Any]:
    def show(call: Call, issue: Issue) -> Any:
        account = getattr(issue, field)
        return read_once(call, f"user {account}", lambda: show_user(call, account))

    return show


def _text(field: str) -> Callable[[Call, Issue], Any]:
    document = f"{field}_document"
    return lambda call, issue: show_text(
        getattr(issue, field), getattr(issue, document, None), plain=is_plain_text(call)
    )


def _sprints(call: Call, issue: Issue) -> list[Shown] | None:
    sprint = call.db.find(Sprint, Sprint.id == issue.sprint_id) if issue.sprint_id else None
    return [show_sprint(call, sprint, inside=True)] if sprint else None


SHOWN: dict[str, Callable[[Call, Issue], Any]] = {
    "summary": lambda call, issue: issue.summary,
    "description": _text("description"),
    "environment": _text("environment"),
    "issuetype": lambda call, issue: show_named(call, IssueType, issue.issue_type, show_type),
    "project": _project,
    "status": lambda call, issue: show_named(call, Status, issue.status, show_status),
    "priority": lambda call, issue: show_named(call, Priority, issue.priority, show_priority),
    "resolution": lambda call, issue: show_named(call, Resolution, issue.resolution, show_resolution),
    "resolutiondate": lambda call, issue: show_time(issue.resolution_date),
    "assignee": _person("assignee"),
    "reporter": _person("reporter"),
    "creator": _person("creator"),
    "labels": lambda call, issue: issue.labels,
    "components": _named_in_project(Component, "components", show_component),
    "fixVersions": _named_in_project(Version, "fix_versions", show_version),
    "versions": _named_in_project(Version, "versions", show_version),
    "parent": lambda call, issue: _brief(call, issue.parent) if issue.parent else None,
    "subtasks": _subtasks,
    "issuelinks": _links,
    "created": lambda call, issue: show_time(issue.created),
    "updated": lambda call, issue: show_time(issue.updated),
    "duedate": lambda call, issue: issue.due_date,
    "comment": _comments,
    "worklog": _worklogs,
    "watches": _watches,
    "votes": lambda call, issue: {"self": address(call, f"issue/{issue.key}/votes"), "votes": 0, "hasVoted": False},
    "attachment": lambda call, issue: [
        show_attachment(call, each) for each in call.db.rows(Attachment, Attachment.issue_key == issue.key)
    ],
    "timetracking": _time_tracking,
    "timeoriginalestimate": lambda call, issue: issue.original_estimate_seconds,
    "timeestimate": lambda call, issue: issue.remaining_estimate_seconds,
    "timespent": lambda call, issue: time_spent(call, issue) or None,
    STORY_POINTS: lambda call, issue: issue.story_points,
    SPRINT: _sprints,
    EPIC_LINK: lambda call, issue: issue.parent if _is_in_epic(call, issue) else None,
}
NOT_NAVIGABLE = frozenset({"comment", "worklog", "attachment", "timetracking"})


def _is_in_epic(call: Call, issue: Issue) -> bool:
    parent = call.db.find(Issue, Issue.key == issue.parent) if issue.parent else None
    kind = call.db.find(IssueType, IssueType.name == parent.issue_type) if parent else None
    return kind is not None and kind.hierarchy_level > 0


def select_fields(asked: Sequence[str], custom: Collection[str], default: str) -> list[str]:
    """Return the fields that `fields=*all,-comment` selects, out of Jira's own and those of the site."""
    names = [*SHOWN, *(each for each in custom if each not in SHOWN)]
    listed = [each.strip() for part in asked or [default] for each in part.split(",") if each.strip()]
    added = [each for each in listed if not each.startswith("-")]
    chosen: list[str] = []
    for each in added or [default]:
        if each == "*all":
            chosen += names
        elif each == "*navigable":
            chosen += [name for name in names if name not in NOT_NAVIGABLE]
        elif each in names:
            chosen.append(each)
    dropped = {each[1:] for each in listed if each.startswith("-")}
    return [each for each in dict.fromkeys(chosen) if each not in dropped]


def show_issue(call: Call, issue: Issue, fields: Sequence[str], expand: Collection[str] = ()) -> Shown:
    """Return an issue with some fields; `expand` may have `changelog`, `names`, `renderedFields` and `transitions`."""
    shown: Shown = {
        "expand": "renderedFields,names,schema,operations,editmeta,changelog,versionedRepresentations",
        "id": issue.id,
        "self": address(call, f"issue/{issue.id}"),
        "key": issue.key,
    }
    if fields:
        shown["fields"] = {
            name: SHOWN[name](call, issue) if name in SHOWN else issue.custom_fields.get(name) for name in fields
        }
        if "parent" in shown["fields"] and shown["fields"]["parent"] is None:
            del shown["fields"]["parent"]
    if "changelog" in expand:
        rows = call.db.rows(History, History.issue_key == issue.key, order=(-History.created, -History.id))
        histories = [show_history(call, each) for each in rows]
        shown["changelog"] = {"startAt": 0, "maxResults": len(rows), "total": len(rows), "histories": histories}
    return shown


def show_history(call: Call, history: History) -> Shown:
    """Return a change of an issue."""
    author = show_user(call, history.author)
    return {"id": history.id, "author": author, "created": show_time(history.created), "items": history.items}
