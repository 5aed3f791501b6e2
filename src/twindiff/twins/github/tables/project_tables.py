"""Projects of users and organizations, with their items."""

from __future__ import annotations

from twindiff.kit import Column, Date, Json, Row, Timestamp, column, references

from .issue_tables import Issue
from .user_tables import User


class Project(Row, table="projects", key=("id",), indexes=(("owner", "number"),)):
    """A project of a user or an organization; `fields` are its fields in order, and `views` its views."""

    id: Column[int]
    owner: Column[str] = references(User)
    number: Column[int]
    title: Column[str]
    short_description: Column[str | None] = column(default=None)
    description: Column[str | None] = column(default=None)
    public: Column[bool] = column(default=False)
    closed_at: Column[Timestamp | None] = column(default=None)
    fields: Column[Json] = column(default=[])
    creator: Column[str] = references(User)
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)
    views: Column[Json] = column(default=None)
    is_template: Column[bool | None] = column(default=None)


class ProjectItem(Row, table="project_items", key=("id",)):
    """An item of a project: an issue, a pull request or a draft; `values` are by field id.

    Items stand in the order of `position`, those without one first by their ids; `assignees` are those of a draft.
    """

    id: Column[int]
    project_id: Column[int] = references(Project, on_delete="cascade")
    content_type: Column[str]
    issue_id: Column[int | None] = references(Issue, default=None, on_delete="cascade")
    title: Column[str | None] = column(default=None)
    body: Column[str | None] = column(default=None)
    values: Column[Json] = column(default={})
    creator: Column[str] = references(User)
    archived_at: Column[Timestamp | None] = column(default=None)
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)
    position: Column[int | None] = column(default=None)
    assignees: Column[Json] = column(default=None)


class ProjectLink(
    Row, table="project_links", key=("project_id", "subject", "subject_id"), indexes=(("subject", "subject_id"),)
):
    """A project is listed in a repository or a team; `subject` is the table of the object."""

    project_id: Column[int] = references(Project, on_delete="cascade")
    subject: Column[str]
    subject_id: Column[int]


class ProjectStatusUpdate(Row, table="project_status_updates", key=("id",), indexes=(("project_id",),)):
    """How a project stands; `status` is ON_TRACK, AT_RISK, OFF_TRACK, COMPLETE, INACTIVE or null."""

    id: Column[int]
    project_id: Column[int] = references(Project, on_delete="cascade")
    status: Column[str | None] = column(default=None)
    body: Column[str | None] = column(default=None)
    start_date: Column[Date | None] = column(default=None)
    target_date: Column[Date | None] = column(default=None)
    creator: Column[str] = references(User)
    created_at: Column[Timestamp]
    updated_at: Column[Timestamp] = column(derived=True)


TABLES = (Project, ProjectItem, ProjectLink, ProjectStatusUpdate)
