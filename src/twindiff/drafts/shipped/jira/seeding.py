"""Fills a Jira site from a configuration: projects with their issues and comments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from twindiff.kit.call import Call
from twindiff.kit.seeding import InvalidSeedConfig, Person, Seeding, SeedSection

from .comments import add_comment
from .documents import is_document, to_document
from .issues import create_issue
from .projects import add_project
from .site import SCHEME_TABLES, add_user, ensure_named, find_named, find_user, site_rows
from .tables import Board, Component, Issue, JiraUser, Project, Sprint, Status, Version
from .transitions import move_issue
from .wire_style import JiraError

_DEFAULT_TYPE = "Task"


class JiraSeedUser(SeedSection):
    """A person of the site."""

    name: str
    email: str | None = None
    timezone: str | None = None


class JiraSeedComment(SeedSection):
    """A comment: its text, and the name of who wrote it."""

    body: str | dict[str, Any]
    author: str | None = None
    user: str | None = None


class JiraSeedIssue(SeedSection):
    """An issue. `assignee` and `reporter` are names or addresses; `parent` is the summary of an issue above."""

    summary: str
    description: str | dict[str, Any] | None = None
    issuetype: str = _DEFAULT_TYPE
    priority: str | None = None
    status: str | None = None
    labels: list[str] = msgspec.field(default_factory=list[str])
    components: list[str] = msgspec.field(default_factory=list[str])
    assignee: str | None = None
    reporter: str | None = None
    parent: str | None = None
    sprint: str | None = None
    story_points: float | None = None
    duedate: str | None = None
    comments: list[JiraSeedComment] = msgspec.field(default_factory=list[JiraSeedComment])


class JiraSeedProject(SeedSection):
    """A project with its issues."""

    key: str
    name: str
    description: str = ""
    lead: str | None = None
    components: list[str] = msgspec.field(default_factory=list[str])
    versions: list[str] = msgspec.field(default_factory=list[str])
    sprints: list[str] = msgspec.field(default_factory=list[str])
    issues: list[JiraSeedIssue] = msgspec.field(default_factory=list[JiraSeedIssue])


class JiraConfig(msgspec.Struct):
    """The configuration of a site."""

    users: list[JiraSeedUser | str] = []
    projects: list[JiraSeedProject] = msgspec.field(default_factory=list[JiraSeedProject])


def write(call: Call, config: JiraConfig, people: Sequence[Person]) -> dict[str, int]:
    """Fill a site; raises InvalidSeedConfig for references to what there is not."""
    _add_scheme(call)
    for person in people:
        add_user(call, person)
    for each in config.users:
        name = each if isinstance(each, str) else each.name
        if find_user(call, name) is None:
            email = None if isinstance(each, str) else each.email
            add_user(call, Person(name, email or f"{name.lower().replace(' ', '.')}@example.com"))
    first = find_user(call, people[0].email) if people else call.db.find(JiraUser)
    call.actor = first.account_id if first else ""
    problems: list[str] = []
    for number, project in enumerate(config.projects):
        _add_project(call, project, f"projects[{number}]", problems)
    if problems:
        raise InvalidSeedConfig(problems)
    issues = [issue for project in config.projects for issue in project.issues]
    comments = sum(len(each.comments) for each in issues)
    return {
        "users": call.db.count(JiraUser),
        "projects": len(config.projects),
        "issues": len(issues),
        "comments": comments,
    }


def _add_scheme(call: Call) -> None:
    """Add what every site has, unless the environment begins with it."""
    if call.db.find(Status) is None:
        for table, rows in site_rows().items():
            if table != "users":
                for row in rows:
                    call.db.add(SCHEME_TABLES[table](**row))


def _add_project(call: Call, given: JiraSeedProject, place: str, problems: list[str]) -> None:
    lead = find_user(call, given.lead) if given.lead else None
    if given.lead and lead is None:
        problems.append(f"{place}.lead: there is no user '{given.lead}'")
    if call.db.find(Project, Project.key == given.key):
        problems.append(f"{place}.key: there is a project '{given.key}' already")
        return
    add_project(call, given.key, given.name, lead.account_id if lead else call.actor or None, given.description)
    for number, name in enumerate(given.components):
        call.db.add(Component(id=f"{given.key}-c{number}", project_key=given.key, name=name))
    for number, name in enumerate(given.versions):
        call.db.add(Version(id=f"{given.key}-v{number}", project_key=given.key, name=name))
    for name in given.sprints:
        _ensure_sprint(call, given.key, name)
    for number, issue in enumerate(given.issues):
        try:
            _add_issue(call, given.key, issue)
        except JiraError as error:
            said = [*error.messages, *(f"{field}: {text}" for field, text in error.fields.items())]
            problems.append(f"{place}.issues[{number}]: {' '.join(said)}")


def _ensure_sprint(call: Call, project: str, name: str) -> int:
    board = call.db.find(Board, Board.project_key == project)
    assert board is not None
    known = call.db.find(Sprint, Sprint.name == name, Sprint.board_id == board.id)
    if known:
        return known.id
    number = call.db.next("sprint")
    call.db.add(Sprint(id=number, name=name, board_id=board.id, created=call.clock.iso()))
    return number


def _document(text: str | dict[str, Any]) -> dict[str, Any]:
    return text if isinstance(text, dict) and is_document(text) else to_document(str(text))


def _add_issue(call: Call, project: str, given: JiraSeedIssue) -> None:
    issue = create_issue(call, _fields_of(call, project, given))
    if given.sprint or given.story_points is not None:
        sprint = _ensure_sprint(call, project, given.sprint) if given.sprint else None
        issue = call.db.change(issue, sprint_id=sprint, story_points=given.story_points)
    if given.status:
        status = find_named(call, Status, ensure_named(call, "statuses", given.status))
        issue = move_issue(call, issue, status)
    for comment in given.comments:
        _add_comment(call, issue, comment)


def _fields_of(call: Call, project: str, given: JiraSeedIssue) -> dict[str, Any]:
    """Return an issue as a client sends it."""
    fields: dict[str, Any] = {
        "project": {"key": project},
        "summary": given.summary,
        "issuetype": {"name": ensure_named(call, "issue_types", given.issuetype)},
        "labels": given.labels,
        "components": [{"name": each} for each in given.components],
        "description": _document(given.description) if given.description else None,
        "priority": {"name": ensure_named(call, "priorities", given.priority)} if given.priority else None,
        "duedate": given.duedate,
        "assignee": {"name": given.assignee} if given.assignee else None,
        "reporter": {"name": given.reporter} if given.reporter else None,
    }
    if given.parent:
        above = call.db.find(Issue, Issue.summary == given.parent) or call.db.find(Issue, Issue.key == given.parent)
        if above is None:
            raise JiraError(f"There is no issue '{given.parent}'.")
        fields["parent"] = {"key": above.key}
    return {name: value for name, value in fields.items() if value is not None}


def _add_comment(call: Call, issue: Issue, given: JiraSeedComment) -> None:
    author = given.author or given.user
    comment = add_comment(call, issue, _document(given.body))
    if author:
        user = find_user(call, author)
        if user is None:
            raise JiraError(f"There is no user '{author}'.")
        call.db.change(comment, author=user.account_id)


seeding = Seeding(JiraConfig, write)
