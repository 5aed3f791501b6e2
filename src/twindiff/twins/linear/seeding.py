"""Fills a workspace from a configuration through the workspace's own API, so that all side effects occur too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any

import msgspec

from twindiff.kit import Call, any_of
from twindiff.kit.seeding import InvalidSeedConfig, Person, Seeding, SeedSection

from .model.organization import Organization
from .model.project_parts import ProjectStatus
from .model.users import User
from .model.workflows import WorkflowState

ORGANIZATION = "4f0f7a52-0f4e-4a34-9d0c-3c1b4f6d8a10"
GREY = "#bec2c8"
STATUSES = (
    ("Backlog", "backlog"),
    ("Planned", "planned"),
    ("In Progress", "started"),
    ("Paused", "paused"),
    ("Completed", "completed"),
    ("Canceled", "canceled"),
)
"""The statuses of projects with their types."""


class SeedUser(SeedSection):
    """A user of the workspace."""

    name: str
    email: str | None = None
    timezone: str | None = None
    real_name: str | None = None


class SeedTeam(SeedSection):
    """A team of the agent and its `members`, by default of all users."""

    key: str
    name: str
    members: list[str] | None = None


class SeedProject(SeedSection):
    """A project of a team. `state` is one of its statuses, by name or type: `In Progress` or `started`."""

    team_key: str
    name: str
    state: str | None = None
    description: str | None = None


class SeedComment(SeedSection):
    """A comment on an issue. `issue` is the issue's title, unless the comment is nested in an issue."""

    body: str
    user: str | None = None
    issue: str | None = None


class SeedIssue(SeedSection):
    """An issue. `state` is a workflow state of the team, by name or type; `assignee` is the name of a user.

    `labels` are names of labels of the workspace, which are made if there are none; `due_date` is an ISO 8601 date.
    """

    team_key: str
    title: str
    description: str | None = None
    project: str | None = None
    priority: int | None = None
    state: str | None = None
    assignee: str | None = None
    labels: list[str] = msgspec.field(default_factory=list[str])
    due_date: str | None = None
    comments: list[SeedComment] = msgspec.field(default_factory=list[SeedComment])


class LinearConfig(msgspec.Struct):
    """The configuration of a workspace."""

    users: list[SeedUser | str] = []
    teams: list[SeedTeam] = []
    projects: list[SeedProject] = []
    issues: list[SeedIssue] = []
    comments: list[SeedComment] = msgspec.field(default_factory=list[SeedComment])


Ask = Callable[..., dict[str, Any]]


def write(call: Call, config: LinearConfig, people: Sequence[Person]) -> dict[str, int]:
    """Fill an empty workspace; raise InvalidSeedConfig for references to things that do not exist.

    Returns the number of rows created, by kind.
    """
    users = _create_organization(call, people)
    known = {**{person.name: users[person.email] for person in people}, **_nicknames(config, users, people)}
    call.actor = users[people[0].email]
    _check(config, known)
    writer = _Writer(call, known)
    for team in config.teams:
        writer.team(team)
    for project in config.projects:
        writer.project(project)
    for issue in config.issues:
        writer.issue(issue)
    for comment in config.comments:
        writer.comment(writer.issues[comment.issue or ""], comment)
    kinds = ("teams", "projects", "issues")
    comments = len(config.comments) + sum(len(issue.comments) for issue in config.issues)
    return {"users": len(users), **{kind: len(getattr(config, kind)) for kind in kinds}, "comments": comments}


def _create_organization(call: Call, people: Sequence[Person]) -> dict[str, str]:
    """Create the organization with its users and return their ids by email address."""
    now = call.clock.iso()
    stamps = {"createdAt": now, "updatedAt": now}
    call.db.add(Organization.row(id=ORGANIZATION, name="Workspace", urlKey="workspace", **stamps))
    for position, (name, kind) in enumerate(STATUSES):
        status = ProjectStatus.row(
            id=call.ids.uuid(),
            name=name,
            type=kind,
            color=GREY,
            position=float(position),
            organizationId=ORGANIZATION,
            **stamps,
        )
        call.db.add(status)
    return {person.email: _user(call, person, stamps, admin=number == 0) for number, person in enumerate(people)}


def _user(call: Call, person: Person, stamps: dict[str, str], *, admin: bool) -> str:
    user = call.ids.uuid()
    nickname = person.email.partition("@")[0]
    row = User.row(
        id=user,
        name=person.name,
        displayName=nickname,
        email=person.email,
        organizationId=ORGANIZATION,
        active=True,
        admin=admin,
        initials="".join(word[0] for word in person.name.split()[:2]).upper(),
        isAssignable=True,
        isMentionable=True,
        timezone=person.timezone,
        url=f"https://linear.app/workspace/profiles/{nickname}",
        **stamps,
    )
    call.db.add(row)
    return user


def _nicknames(config: LinearConfig, users: dict[str, str], people: Sequence[Person]) -> dict[str, str]:
    """Return the ids of users by the names that the configuration uses for them."""
    by_name = {person.name: users[person.email] for person in people}
    given = [SeedUser(each) if isinstance(each, str) else each for each in config.users]
    return {user.name: by_name[user.real_name or user.name] for user in given}


def _check(config: LinearConfig, known: dict[str, str]) -> None:
    keys, projects = [team.key for team in config.teams], [project.name for project in config.projects]
    titles = [issue.title for issue in config.issues]
    problems: list[str] = []

    def refer(where: str, name: str | None, among: Sequence[str], kind: str) -> None:
        if name is not None and name not in among:
            problems.append(f"{where}: there is no {kind} '{name}'; there are {', '.join(among) or 'none'}")

    for number, team in enumerate(config.teams):
        for name in team.members or ():
            refer(f"teams[{number}].members", name, [*known], "user")
    for number, project in enumerate(config.projects):
        refer(f"projects[{number}].team_key", project.team_key, keys, "team")
        refer(f"projects[{number}].state", project.state, [each for status in STATUSES for each in status], "status")
    for number, issue in enumerate(config.issues):
        refer(f"issues[{number}].team_key", issue.team_key, keys, "team")
        refer(f"issues[{number}].project", issue.project, projects, "project")
        refer(f"issues[{number}].assignee", issue.assignee, [*known], "user")
        for at, comment in enumerate(issue.comments):
            refer(f"issues[{number}].comments[{at}].user", comment.user, [*known], "user")
    for number, comment in enumerate(config.comments):
        refer(f"comments[{number}].issue", comment.issue or "", titles, "issue")
        refer(f"comments[{number}].user", comment.user, [*known], "user")
    if problems:
        raise InvalidSeedConfig(problems)


class _Writer:
    """Creates rows through the workspace's API and keeps their ids by name."""

    def __init__(self, call: Call, users: dict[str, str]) -> None:
        self._call = call
        self._users = users
        self._agent = call.actor
        self._teams: dict[str, str] = {}
        self._projects: dict[str, str] = {}
        self._labels: dict[str, str] = {}
        self.issues: dict[str, str] = {}

    def _create(self, root: str, kind: str, given: dict[str, Any]) -> str:
        """Run one create mutation and return the new id; raise InvalidSeedConfig with the API's message."""
        from . import twin

        document = f"mutation($i:{root[0].upper()}{root[1:]}Input!){{{root}(input:$i){{{kind}{{id}}}}}}"
        variables = {"i": {name: value for name, value in given.items() if value is not None}}
        outcome = twin.api.execute(twin.api.plan(document, None, variables), self._call, variables)
        if outcome.problems:
            raise InvalidSeedConfig([f"{kind} {given}: {each.error}" for each in outcome.problems])
        return outcome.data[root][kind]["id"]

    def team(self, team: SeedTeam) -> None:
        """Create a team with its members."""
        made = self._teams[team.key] = self._create("teamCreate", "team", {"key": team.key, "name": team.name})
        members = self._users.values() if team.members is None else [self._users[name] for name in team.members]
        for user in dict.fromkeys(members):
            if user != self._agent:
                self._create("teamMembershipCreate", "teamMembership", {"teamId": made, "userId": user})

    def project(self, project: SeedProject) -> None:
        """Create a project of a team."""
        wanted, status = project.state or "Backlog", ProjectStatus.row
        status = self._call.db.find(status, any_of(status.name == wanted, status.type == wanted))
        given = {"name": project.name, "teamIds": [self._teams[project.team_key]], "description": project.description}
        made = self._create("projectCreate", "project", {**given, "statusId": status and getattr(status, "id", None)})
        self._projects[project.name] = made

    def issue(self, issue: SeedIssue) -> None:
        """Create an issue with its comments."""
        given = {
            "teamId": self._teams[issue.team_key],
            "title": issue.title,
            "description": issue.description,
            "priority": issue.priority,
            "projectId": self._projects[issue.project] if issue.project else None,
            "assigneeId": self._users[issue.assignee] if issue.assignee else None,
            "stateId": self._state(issue),
            "labelIds": [self._label(name) for name in issue.labels] or None,
            "dueDate": issue.due_date,
        }
        made = self.issues[issue.title] = self._create("issueCreate", "issue", given)
        for comment in issue.comments:
            self.comment(made, comment)

    def _label(self, name: str) -> str:
        """Find a label of the workspace, or create it."""
        key = name.casefold()
        if key not in self._labels:
            self._labels[key] = self._create("issueLabelCreate", "issueLabel", {"name": name})
        return self._labels[key]

    def _state(self, issue: SeedIssue) -> str | None:
        if issue.state is None:
            return None
        states = self._call.db.rows(WorkflowState.row, WorkflowState.row.teamId == self._teams[issue.team_key])
        in_order: list[Any] = sorted(states, key=attrgetter("position"), reverse=True)
        typed = {each.type: each.id for each in in_order}
        named = typed | {each.name.lower(): each.id for each in in_order}
        if issue.state.lower() not in named:
            raise InvalidSeedConfig([f"issue '{issue.title}': no state '{issue.state}'; there are {', '.join(named)}"])
        return named[issue.state.lower()]

    def comment(self, issue: str, comment: SeedComment) -> None:
        """Create a comment on an issue, as its author."""
        self._call.actor = self._users[comment.user] if comment.user else self._agent
        self._create("commentCreate", "comment", {"issueId": issue, "body": comment.body})
        self._call.actor = self._agent


seeding = Seeding(LinearConfig, write)
