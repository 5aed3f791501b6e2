"""The tables of a Jira site. Issues hold the names of their status, priority and type, as people read them."""

from __future__ import annotations

from twindiff.kit.rows import Column, Date, Json, Row, Timestamp, column, references


class JiraUser(Row, table="users", key=("account_id",)):
    """A person, by Atlassian account."""

    account_id: Column[str]
    email_address: Column[str | None] = column(default=None)
    display_name: Column[str]
    active: Column[bool] = column(default=True)
    time_zone: Column[str] = column(default="Etc/UTC")


class Project(Row, table="projects", key=("id",), unique=(("key",),)):
    """A project."""

    id: Column[str]
    key: Column[str]
    name: Column[str]
    description: Column[str] = column(default="")
    lead: Column[str | None] = references(JiraUser, default=None)
    project_type_key: Column[str] = column(default="software")


class IssueType(Row, table="issue_types", key=("id",)):
    """A type of issues; `hierarchy_level` is 1 for epics, 0 for usual ones and -1 for subtasks."""

    id: Column[str]
    name: Column[str]
    description: Column[str] = column(default="")
    hierarchy_level: Column[int] = column(default=0)


class Status(Row, table="statuses", key=("id",)):
    """A status of the workflow. Its category is `new`, `indeterminate` or `done`; `transition_id` leads to it."""

    id: Column[str]
    name: Column[str]
    category: Column[str] = column(default="indeterminate")
    transition_id: Column[str]


class Priority(Row, table="priorities", key=("id",)):
    """A priority; the highest has the least `sequence`."""

    id: Column[str]
    name: Column[str]
    sequence: Column[int]


class Resolution(Row, table="resolutions", key=("id",)):
    """A way in which an issue was resolved."""

    id: Column[str]
    name: Column[str]
    description: Column[str] = column(default="")


class IssueLinkType(Row, table="issue_link_types", key=("id",)):
    """A kind of links between issues."""

    id: Column[str]
    name: Column[str]
    inward: Column[str]
    outward: Column[str]


class CustomField(Row, table="custom_fields", key=("id",)):
    """A field that the site's administrators added."""

    id: Column[str]
    name: Column[str]
    type: Column[str] = column(default="string")
    custom: Column[str] = column(default="com.atlassian.jira.plugin.system.customfieldtypes:textfield")
    description: Column[str] = column(default="")


class Component(Row, table="components", key=("id",)):
    """A component of a project."""

    id: Column[str]
    project_key: Column[str]
    name: Column[str]
    description: Column[str] = column(default="")
    lead: Column[str | None] = references(JiraUser, default=None)


class Version(Row, table="versions", key=("id",)):
    """A version of a project."""

    id: Column[str]
    project_key: Column[str]
    name: Column[str]
    description: Column[str] = column(default="")
    released: Column[bool] = column(default=False)
    archived: Column[bool] = column(default=False)
    start_date: Column[Date | None] = column(default=None)
    release_date: Column[Date | None] = column(default=None)


class Board(Row, table="boards", key=("id",)):
    """A board of a project."""

    id: Column[int]
    name: Column[str]
    type: Column[str] = column(default="scrum")
    project_key: Column[str]


class Sprint(Row, table="sprints", key=("id",)):
    """A sprint of a board; its state is `future`, `active` or `closed`."""

    id: Column[int]
    name: Column[str]
    board_id: Column[int] = references(Board)
    state: Column[str] = column(default="future")
    goal: Column[str] = column(default="")
    start_date: Column[Timestamp | None] = column(default=None)
    end_date: Column[Timestamp | None] = column(default=None)
    complete_date: Column[Timestamp | None] = column(default=None)
    created: Column[Timestamp | None] = column(default=None)


class Issue(Row, table="issues", key=("key",), unique=(("id",),), indexes=(("project_key", "number"),)):
    """An issue. Texts are plain; `…_document` holds the Atlassian Document where a text has more than paragraphs."""

    id: Column[str]
    key: Column[str]
    project_key: Column[str]
    number: Column[int]
    summary: Column[str]
    description: Column[str | None] = column(default=None)
    description_document: Column[Json | None] = column(default=None)
    environment: Column[str | None] = column(default=None)
    issue_type: Column[str]
    status: Column[str]
    priority: Column[str | None] = column(default=None)
    resolution: Column[str | None] = column(default=None)
    assignee: Column[str | None] = references(JiraUser, default=None)
    reporter: Column[str | None] = references(JiraUser, default=None)
    creator: Column[str | None] = references(JiraUser, default=None)
    labels: Column[Json] = column(default=[])
    components: Column[Json] = column(default=[])
    fix_versions: Column[Json] = column(default=[])
    versions: Column[Json] = column(default=[])
    parent: Column[str | None] = references("self", default=None)
    due_date: Column[Date | None] = column(default=None)
    sprint_id: Column[int | None] = references(Sprint, default=None)
    story_points: Column[float | None] = column(default=None)
    original_estimate_seconds: Column[int | None] = column(default=None)
    remaining_estimate_seconds: Column[int | None] = column(default=None)
    custom_fields: Column[Json] = column(default={})
    properties: Column[Json] = column(default={})
    created: Column[Timestamp]
    updated: Column[Timestamp] = column(derived=True)
    resolution_date: Column[Timestamp | None] = column(default=None, derived=True)
    rank: Column[int] = column(default=0, derived=True)


class Comment(Row, table="comments", key=("id",), indexes=(("issue_key",),)):
    """A comment on an issue."""

    id: Column[str]
    issue_key: Column[str] = references(Issue, on_delete="cascade")
    author: Column[str | None] = references(JiraUser, default=None)
    update_author: Column[str | None] = column(default=None, derived=True)
    body: Column[str]
    body_document: Column[Json | None] = column(default=None)
    visibility: Column[Json | None] = column(default=None)
    created: Column[Timestamp]
    updated: Column[Timestamp] = column(derived=True)


class Worklog(Row, table="worklogs", key=("id",)):
    """Time that was spent on an issue."""

    id: Column[str]
    issue_key: Column[str] = references(Issue, on_delete="cascade")
    author: Column[str | None] = references(JiraUser, default=None)
    time_spent_seconds: Column[int]
    comment: Column[str | None] = column(default=None)
    comment_document: Column[Json | None] = column(default=None)
    started: Column[Timestamp]
    created: Column[Timestamp]
    updated: Column[Timestamp] = column(derived=True)


class IssueLink(Row, table="issue_links", key=("id",)):
    """A link: `outward_issue` is what `inward_issue` blocks, clones or relates to."""

    id: Column[str]
    type: Column[str]
    inward_issue: Column[str] = references(Issue, on_delete="cascade")
    outward_issue: Column[str] = references(Issue, on_delete="cascade")


class RemoteLink(Row, table="remote_links", key=("id",)):
    """A link to something outside of Jira."""

    id: Column[int]
    issue_key: Column[str] = references(Issue, on_delete="cascade")
    global_id: Column[str] = column(default="")
    relationship: Column[str | None] = column(default=None)
    object: Column[Json]


class Watcher(Row, table="watchers", key=("issue_key", "account_id")):
    """A person who watches an issue."""

    issue_key: Column[str] = references(Issue, on_delete="cascade")
    account_id: Column[str] = references(JiraUser)


class Attachment(Row, table="attachments", key=("id",)):
    """A file of an issue."""

    id: Column[str]
    issue_key: Column[str] = references(Issue, on_delete="cascade")
    filename: Column[str]
    mime_type: Column[str] = column(default="application/octet-stream")
    size: Column[int]
    author: Column[str | None] = references(JiraUser, default=None)
    blob: Column[str]
    created: Column[Timestamp]


class ApplicationProperty(Row, table="application_properties", key=("id",)):
    """A property of the site that has another value than the usual one."""

    id: Column[str]
    value: Column[str]


class History(Row, table="histories", key=("id",), indexes=(("issue_key",),), visibility="derived"):
    """A change of an issue, as its changelog shows it."""

    id: Column[str]
    issue_key: Column[str] = references(Issue, on_delete="cascade")
    author: Column[str | None] = references(JiraUser, default=None)
    items: Column[Json]
    created: Column[Timestamp]


TABLES = (
    JiraUser, Project, IssueType, Status, Priority, Resolution, IssueLinkType, CustomField, Component, Version, Board,
    Sprint, Issue, Comment, Worklog, IssueLink, RemoteLink, Watcher, Attachment, ApplicationProperty, History,
)  # fmt: skip
