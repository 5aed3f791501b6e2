"""Projects of users and organizations: fields, views and items.

https://docs.github.com/en/rest/projects
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Operations, Struct, UnsetType

from ..core.access import find_org, find_user, issue_of, may
from ..core.listing import slice_page
from ..core.stamps import new_id
from ..tables.issue_tables import Issue, PullRequest
from ..tables.project_tables import Project, ProjectItem
from ..tables.repository_tables import Repository
from ..tables.user_tables import User
from ..wire_style import NotVisible, Unprocessable, invalid
from .item_filters import filter_items
from .project_changes import (
    add_draft,
    add_field,
    add_issue,
    check_writer,
    delete_item,
    find_project,
    list_items_of,
    list_projects_of,
    set_value,
)
from .project_fields import find_field, initial_views
from .project_views import show_field, show_item, show_project, show_view

api = Operations()
Color = Literal["BLUE", "GRAY", "GREEN", "ORANGE", "PINK", "PURPLE", "RED", "YELLOW"]


class FieldValue(Struct):
    """The new value of a field; null clears it."""

    id: int
    value: str | float | None = None


class NewItemBody(Struct):
    """The issue or pull request to add to a project."""

    type: Literal["Issue", "PullRequest"]
    id: int | UnsetType = UNSET
    owner: str | UnsetType = UNSET
    repo: str | UnsetType = UNSET
    number: int | UnsetType = UNSET


class DraftBody(Struct):
    """A draft to add to a project."""

    title: str
    body: str | None = None


class OptionBody(Struct):
    """An option of a single select field."""

    name: str
    color: Color = "GRAY"
    description: str = ""


class IterationBody(Struct):
    """An iteration: `duration` is in days."""

    title: str
    start_date: str
    duration: int


class ConfigurationBody(Struct):
    """The iterations of a field: `duration` is in days."""

    start_date: str
    duration: int
    iterations: list[IterationBody] | None = None


class FieldBody(Struct):
    """A new field of a project."""

    name: str
    data_type: Literal["text", "number", "date", "single_select", "iteration"]
    single_select_options: list[OptionBody] | None = None
    iteration_configuration: ConfigurationBody | None = None


class ViewBody(Struct):
    """A new view of a project."""

    name: str
    layout: Literal["table", "board", "roadmap"]
    filter: str | None = None
    visible_fields: list[int] | UnsetType = UNSET
    sort_by: list[list[int | str]] | UnsetType = UNSET
    group_by: list[int] | UnsetType = UNSET
    vertical_group_by: list[int] | UnsetType = UNSET


def _issue_to_add(call: Call, body: NewItemBody) -> Issue:
    """Return the issue of a request, given by id or by repository and number; raise NotVisible."""
    issue: Issue | None = None
    if body.id is not UNSET and body.type == "PullRequest":
        pull = call.db.find(PullRequest, PullRequest.id == body.id)
        issue = issue_of(call, pull) if pull else None
    elif body.id is not UNSET:
        issue = call.db.find(Issue, Issue.id == body.id)
    else:
        repo = call.db.find(Repository, Repository.full_name.equals(f"{body.owner}/{body.repo}"))
        where = (Issue.repository_id == (repo.id if repo else -1), Issue.number == body.number)
        issue = call.db.find(Issue, *where)
    if issue is None or not may(call, call.db.get(Repository, issue.repository_id), "pull"):
        raise NotVisible
    return issue


def _owner_of(call: Call) -> User:
    """Return the owner that the path names: an organization, or a user by login or by id."""
    names: dict[str, str] = call.memo["parameters"]
    if "org" in names:
        return find_org(call, names["org"])
    number = names.get("user_id", "")
    if number.isdecimal() and len(number) < 19 and (user := call.db.find(User, User.id == int(number))):
        return user
    return find_user(call, names.get("username") or number)


def _find_project(call: Call, project_number: int) -> Project:
    return find_project(call, _owner_of(call).login, project_number)


def _writable_project(call: Call, project_number: int) -> Project:
    project = _find_project(call, project_number)
    check_writer(call, project)
    return project


def _find_item(call: Call, project: Project, item_id: int) -> ProjectItem:
    item = call.db.find(ProjectItem, ProjectItem.id == item_id, ProjectItem.project_id == project.id)
    if item is None:
        raise NotVisible
    return item


def list_projects(call: Call, q: str = "") -> Any:
    """List the projects that the caller sees."""
    return slice_page(call, list_projects_of(call, _owner_of(call).login, q), lambda row: show_project(call, row))


def get_project(call: Call, project_number: int) -> Any:
    """Get a project."""
    return show_project(call, _find_project(call, project_number))


def list_fields(call: Call, project_number: int) -> Any:
    """List the fields of a project."""
    project = _find_project(call, project_number)
    return slice_page(call, project.fields, lambda field: show_field(call, project, field))


def get_field(call: Call, project_number: int, field_id: int) -> Any:
    """Get a field of a project."""
    project = _find_project(call, project_number)
    return show_field(call, project, find_field(project, field_id))


def create_field(call: Call, project_number: int, body: Annotated[FieldBody, Body]) -> Any:
    """Add a field to a project."""
    project = _writable_project(call, project_number)
    options = [{"name": each.name, "color": each.color, "description": each.description}
               for each in body.single_select_options or []]  # fmt: skip
    given = body.iteration_configuration
    configuration: dict[str, Any] | None = None
    if given:
        iterations = [
            {"title": each.title, "start_date": each.start_date, "duration": each.duration}
            for each in given.iterations or []
        ]
        configuration = {"start_date": given.start_date, "duration": given.duration, "iterations": iterations}
    field = add_field(call, project, body.name, body.data_type, options=options, configuration=configuration)
    return show_field(call, project, field)


def create_view(call: Call, project_number: int, body: Annotated[ViewBody, Body]) -> Any:
    """Add a view to a project."""
    project = _writable_project(call, project_number)
    if not body.name.strip():
        raise invalid("ProjectV2View", "name", "missing_field")
    views: list[dict[str, Any]] = project.views or initial_views(call)
    chosen = {
        name: value
        for name in ("visible_fields", "sort_by", "group_by", "vertical_group_by")
        if (value := getattr(body, name)) is not UNSET
    }
    for field_id in [*chosen.get("visible_fields", []), *chosen.get("group_by", [])]:
        if not any(field["id"] == field_id for field in project.fields):
            raise Unprocessable(f"Field {field_id} does not belong to the project")
    number = max(each["number"] for each in views) + 1
    view = {"id": new_id(call), "number": number, "name": body.name, "layout": body.layout, "filter": body.filter}
    call.db.change(project, views=[*views, {**view, **chosen}], updated_at=call.clock.iso())
    return show_view(call, project, {**view, **chosen})


def list_items(call: Call, project_number: int, q: str = "") -> Any:
    """List the items of a project that a filter lets through."""
    project = _find_project(call, project_number)
    items = filter_items(call, project, list_items_of(call, project), q)
    return slice_page(call, items, lambda item: show_item(call, project, item))


def list_view_items(call: Call, project_number: int, view_number: int) -> Any:
    """List the items of a view that its filter lets through."""
    project = _find_project(call, project_number)
    views: list[dict[str, Any]] = project.views or []
    view = next((each for each in views if each["number"] == view_number), None)
    if view is None and (views or view_number != 1):
        raise NotVisible
    return list_items(call, project_number, (view or {}).get("filter") or "")


def add_issue_item(call: Call, project_number: int, body: Annotated[NewItemBody, Body]) -> Any:
    """Add an issue or a pull request to a project."""
    project = _writable_project(call, project_number)
    return show_item(call, project, add_issue(call, project, _issue_to_add(call, body)))


def add_draft_item(call: Call, project_number: int, body: Annotated[DraftBody, Body]) -> Any:
    """Add a draft to a project."""
    project = _writable_project(call, project_number)
    return show_item(call, project, add_draft(call, project, body.title, body.body, []))


def get_item(call: Call, project_number: int, item_id: int) -> Any:
    """Get an item of a project."""
    project = _find_project(call, project_number)
    return show_item(call, project, _find_item(call, project, item_id))


def update_item(call: Call, project_number: int, item_id: int, fields: list[FieldValue]) -> Any:
    """Set the values of fields of an item."""
    project = _writable_project(call, project_number)
    item = _find_item(call, project, item_id)
    for each in fields:
        item = set_value(call, project, item, find_field(project, each.id), each.value)
    return show_item(call, project, item)


def remove_item(call: Call, project_number: int, item_id: int) -> None:
    """Remove an item from a project."""
    project = _writable_project(call, project_number)
    delete_item(call, project, _find_item(call, project, item_id))


def _declare(path: str) -> None:
    """Declare the operations on projects below a path."""
    one = f"{path}/{{project_number}}"
    api.get(path)(list_projects)
    api.get(one)(get_project)
    api.get(f"{one}/fields")(list_fields)
    api.post(f"{one}/fields", status=201)(create_field)
    api.get(f"{one}/fields/{{field_id}}")(get_field)
    api.get(f"{one}/items")(list_items)
    api.post(f"{one}/items", status=201)(add_issue_item)
    api.get(f"{one}/items/{{item_id}}")(get_item)
    api.patch(f"{one}/items/{{item_id}}")(update_item)
    api.delete(f"{one}/items/{{item_id}}", status=204)(remove_item)
    api.get(f"{one}/views/{{view_number}}/items")(list_view_items)


_declare("/orgs/{org}/projectsV2")
_declare("/users/{username}/projectsV2")
for _path in (
    "/orgs/{org}/projectsV2/{project_number}/drafts",
    "/users/{username}/projectsV2/{project_number}/drafts",
    "/user/{user_id}/projectsV2/{project_number}/drafts",
):
    api.post(_path, status=201)(add_draft_item)
for _path in (
    "/orgs/{org}/projectsV2/{project_number}/views",
    "/users/{user_id}/projectsV2/{project_number}/views",
):
    api.post(_path, status=201)(create_view)
