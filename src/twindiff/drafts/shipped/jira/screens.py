"""Inspector views of a Jira site: projects as boards, issues as pages."""

from __future__ import annotations

from twindiff.kit.call import Call
from twindiff.kit.inspector_views import Card, Lane, Screen, ScreenLink, ScreenPost, ScreenTable

from .tables import Comment, Issue, JiraUser, Project, Status

MAX_CARDS = 200
_CATEGORY_ORDER = ("undefined", "new", "indeterminate", "done")
"""Categories of statuses in the order of a board's columns."""


def screen(call: Call, path: str) -> Screen | None:
    """Render `projects/KEY` (a board), `issues/KEY`, and "" for all projects; None for what there is not."""
    kind, _, key = path.partition("/")
    shown: Screen | None = None
    if not path:
        shown = _top(call)
    elif kind == "projects":
        project = call.db.find(Project, Project.key == key)
        shown = _board(call, project) if project else None
    elif kind == "issues":
        issue = call.db.find(Issue, Issue.key == key)
        shown = _issue(call, issue) if issue else None
    projects = call.db.rows(Project, order=Project.key, limit=MAX_CARDS)
    links = [ScreenLink(each.name, f"projects/{each.key}", each.key) for each in projects]
    return shown._replace(places=[("Projects", links)]) if shown else None


def _top(call: Call) -> Screen:
    rows = [
        [
            ScreenLink(each.key, f"projects/{each.key}"),
            each.name,
            str(call.db.count(Issue, Issue.project_key == each.key)),
        ]
        for each in call.db.rows(Project, order=Project.key, limit=MAX_CARDS)
    ]
    return Screen("Projects", tables=[ScreenTable("", ("Key", "Name", "Issues"), rows)])


def _name(call: Call, account: str | None) -> str:
    user = call.db.find(JiraUser, JiraUser.account_id == account) if account else None
    return user.display_name if user else "Unassigned"


def _board(call: Call, project: Project) -> Screen:
    lanes: list[Lane] = []
    for status in sorted(call.db.rows(Status), key=lambda each: _CATEGORY_ORDER.index(each.category)):
        rows = call.db.rows(
            Issue, Issue.project_key == project.key, Issue.status == status.name, order=Issue.rank, limit=MAX_CARDS
        )
        cards = [
            Card(
                f"{each.key} {each.summary}",
                f"issues/{each.key}",
                [each.issue_type, each.priority or "", _name(call, each.assignee)],
            )
            for each in rows
        ]
        lanes.append(Lane(status.name, cards))
    return Screen(project.name, subtitle=project.key, text=project.description, lanes=lanes)


def _issue(call: Call, issue: Issue) -> Screen:
    facts: list[tuple[str, str | ScreenLink]] = [
        ("Status", issue.status),
        ("Type", issue.issue_type),
        ("Priority", issue.priority or "None"),
        ("Assignee", _name(call, issue.assignee)),
        ("Labels", ", ".join(issue.labels) or "None"),
    ]
    if issue.parent:
        facts.append(("Parent", ScreenLink(issue.parent, f"issues/{issue.parent}")))
    comments = call.db.rows(Comment, Comment.issue_key == issue.key, order=Comment.created, limit=MAX_CARDS)
    return Screen(
        f"{issue.key} {issue.summary}",
        trail=[ScreenLink(issue.project_key, f"projects/{issue.project_key}")],
        text=issue.description or "",
        facts=facts,
        entries=[ScreenPost(_name(call, each.author), each.created, each.body) for each in comments],
    )
