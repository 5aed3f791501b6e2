"""Projects of users and organizations: fields and items.

https://docs.github.com/en/rest/projects
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import UNSET, Body, Call, Operations, Struct, UnsetType

from ..core.access import find_org, find_user, issue_of, may, membership_of
from ..core.listing import paginate, slice_page
from ..core.node_ids import node_id
from ..core.stamps import new_id, show_instant, times_of
from ..issues.issue_views import show_issue
from ..pulls.pull_views import show_pull
from ..tables.issue_tables import Issue, PullRequest
from ..tables.repository_tables import Repository
from ..tables.user_tables import User
from ..tables.work_tables import Project, ProjectItem
from ..views.user_views import show_user, user_of
from ..wire_style import Forbidden, NotVisible, Unprocessable, invalid

api = Operations()
STATUSES = (("Todo", "GREEN"), ("In Progress", "YELLOW"), ("Done", "PURPLE"))


def _can_see(call: Call, project: Project) -> bool:
    return project.public or project.owner == call.actor or membership_of(call, project.owner, call.actor) is not None


def _check_writes(call: Call, project: Project) -> None:
    if project.owner != call.actor and membership_of(call, project.owner, call.actor) is None:
        raise Forbidden("Must have write access to the project.")


def show_project(call: Call, project: Project) -> dict[str, Any]:
    """Render a project."""
    owner = call.db.get(User, project.owner)
    return {
        "id": project.id,
        "node_id": node_id("PVT", owner.id, project.id),
        "owner": show_user(call, owner),
        "creator": user_of(call, project.creator),
        "title": project.title,
        "description": project.description,
        "public": project.public,
        "closed_at": show_instant(project.closed_at),
        **times_of(project),
        "number": project.number,
        "short_description": project.short_description,
        "deleted_at": None,
        "deleted_by": None,
        "state": "closed" if project.closed_at else "open",
        "latest_status_update": None,
        "is_template": False,
    }


def _text(raw: str) -> dict[str, str]:
    return {"raw": raw, "html": raw}


def show_field(call: Call, project: Project, field: dict[str, Any]) -> dict[str, Any]:
    """Render a field of a project."""
    url = f"{call.base_url}/{_owner_path(call, project)}/projectsV2/{project.number}"
    prefix = "PVTSSF" if field["data_type"] == "single_select" else "PVTF"
    shown: dict[str, Any] = {
        "id": field["id"],
        "node_id": node_id(prefix, project.id, field["id"]),
        "name": field["name"],
        "data_type": field["data_type"],
        "project_url": url,
        **times_of(project),
    }
    if "options" in field:
        shown["options"] = [
            {"id": each["id"], "name": _text(each["name"]), "color": each["color"], "description": _text("")}
            for each in field["options"]
        ]
    return shown


def _owner_path(call: Call, project: Project) -> str:
    owner = call.db.get(User, project.owner)
    return f"{'orgs' if owner.type == 'Organization' else 'users'}/{owner.login}"


def _content_of(call: Call, item: ProjectItem) -> dict[str, Any] | None:
    if item.content_type == "DraftIssue":
        draft = {
            "id": item.id,
            "node_id": node_id("DI", item.project_id, item.id),
            "title": item.title,
            "body": item.body,
        }
        return {**draft, "user": user_of(call, item.creator), **times_of(item)}
    issue = call.db.find(Issue, Issue.id == item.issue_id)
    if issue is None:
        return None
    repo = call.db.get(Repository, issue.repository_id)
    if not may(call, repo, "pull"):
        return None
    pull = call.db.find(PullRequest, PullRequest.issue_id == issue.id) if issue.is_pull_request else None
    return show_pull(call, repo, pull) if pull else show_issue(call, repo, issue)


def _value_of(call: Call, item: ProjectItem, field: dict[str, Any], content: dict[str, Any] | None) -> Any:
    """Return the value of a field: of the project, or of the issue that the item is."""
    if field["data_type"] == "title":
        return _text((content or {}).get("title") or item.title or "")
    if field["data_type"] in ("assignees", "labels", "milestone", "repository"):
        return (content or {}).get(field["data_type"])
    value = item.values.get(str(field["id"]))
    if field["data_type"] == "single_select" and value is not None:
        option = next((each for each in field.get("options", []) if each["id"] == value), None)
        return (
            {"id": value, "name": _text(option["name"]), "color": option["color"], "description": _text("")}
            if option
            else None
        )
    return value


def show_item(call: Call, project: Project, item: ProjectItem) -> dict[str, Any]:
    """Render an item with its content and the values of its fields."""
    url = f"{call.base_url}/{_owner_path(call, project)}/projectsV2/{project.number}"
    content = _content_of(call, item)
    chosen = [name for name in str(call.memo["query"].get("fields", "")).split(",") if name]
    fields = [
        {
            "id": field["id"],
            "name": field["name"],
            "data_type": field["data_type"],
            "value": _value_of(call, item, field, content),
        }
        for field in project.fields
        if not chosen or str(field["id"]) in chosen
    ]
    return {
        "id": item.id,
        "node_id": node_id("PVTI", project.id, item.id),
        "project_url": url,
        "item_url": f"{url}/items/{item.id}",
        "content_type": item.content_type,
        "content": content,
        "creator": user_of(call, item.creator),
        **times_of(item),
        "archived_at": show_instant(item.archived_at),
        "fields": fields,
    }


def add_item(call: Call, project: Project, kind: str, **fields: Any) -> ProjectItem:
    """Add an item to a project."""
    now = call.clock.iso()
    times = {"created_at": now, "updated_at": now, "creator": call.actor}
    return call.db.add(ProjectItem(id=new_id(call), project_id=project.id, content_type=kind, **times, **fields))


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


def checked_value(field: dict[str, Any], value: Any) -> Any:
    """Return a value that a field can have; raise GitHub's 422 for another one."""
    kind = field["data_type"]
    if value is None:
        return None
    if kind == "single_select" and value not in [each["id"] for each in field.get("options", [])]:
        raise Unprocessable(f"The single select option Id does not belong to the field: {value}")
    if kind == "number" and isinstance(value, str):
        raise Unprocessable(f"The value of {field['name']} must be a number")
    if kind not in ("single_select", "number", "text", "date", "iteration"):
        raise Unprocessable(f"The field {field['name']} cannot be set on a project item")
    return value


def _owner_of(call: Call) -> User:
    names: dict[str, str] = call.memo["parameters"]
    return find_org(call, names["org"]) if "org" in names else find_user(call, names["username"])


def _find_project(call: Call, project_number: int) -> Project:
    where = (Project.owner == _owner_of(call).login, Project.number == project_number)
    project = call.db.find(Project, *where)
    if project is None or not _can_see(call, project):
        raise NotVisible
    return project


def _find_item(call: Call, project: Project, item_id: int) -> ProjectItem:
    item = call.db.find(ProjectItem, ProjectItem.id == item_id, ProjectItem.project_id == project.id)
    if item is None:
        raise NotVisible
    return item


def _find_field(project: Project, field_id: int) -> dict[str, Any]:
    field = next((each for each in project.fields if each["id"] == field_id), None)
    if field is None:
        raise NotVisible
    return field


def list_projects(call: Call, q: str = "") -> Any:
    """List the projects that the caller sees."""
    rows = call.db.rows(Project, Project.owner == _owner_of(call).login, order=Project.number)
    kept = [row for row in rows if _can_see(call, row) and q.lower() in row.title.lower()]
    return slice_page(call, kept, lambda row: show_project(call, row))


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
    return show_field(call, project, _find_field(project, field_id))


def list_items(call: Call, project_number: int) -> Any:
    """List the items of a project."""
    project = _find_project(call, project_number)
    where = (ProjectItem.project_id == project.id, ProjectItem.archived_at.is_null())
    return paginate(call, ProjectItem, *where, by=ProjectItem.id, show=lambda item: show_item(call, project, item))


def add_issue_item(call: Call, project_number: int, body: Annotated[NewItemBody, Body]) -> Any:
    """Add an issue or a pull request to a project."""
    project = _find_project(call, project_number)
    _check_writes(call, project)
    issue = _issue_to_add(call, body)
    known = call.db.find(ProjectItem, ProjectItem.project_id == project.id, ProjectItem.issue_id == issue.id)
    kind = "PullRequest" if issue.is_pull_request else "Issue"
    return show_item(call, project, known or add_item(call, project, kind, issue_id=issue.id))


def add_draft(call: Call, project_number: int, body: Annotated[DraftBody, Body]) -> Any:
    """Add a draft to a project."""
    project = _find_project(call, project_number)
    _check_writes(call, project)
    if not body.title.strip():
        raise invalid("ProjectV2Item", "title", "missing_field")
    return show_item(call, project, add_item(call, project, "DraftIssue", title=body.title, body=body.body))


def get_item(call: Call, project_number: int, item_id: int) -> Any:
    """Get an item of a project."""
    project = _find_project(call, project_number)
    return show_item(call, project, _find_item(call, project, item_id))


def update_item(call: Call, project_number: int, item_id: int, fields: list[FieldValue]) -> Any:
    """Set the values of fields of an item."""
    project = _find_project(call, project_number)
    _check_writes(call, project)
    item = _find_item(call, project, item_id)
    values = {
        **item.values,
        **{str(each.id): checked_value(_find_field(project, each.id), each.value) for each in fields},
    }
    item = call.db.change(item, values=values, updated_at=call.clock.iso())
    return show_item(call, project, item)


def delete_item(call: Call, project_number: int, item_id: int) -> None:
    """Remove an item from a project."""
    project = _find_project(call, project_number)
    _check_writes(call, project)
    call.db.remove(_find_item(call, project, item_id))


def _declare(path: str) -> None:
    """Declare the operations on projects below a path."""
    one = f"{path}/{{project_number}}"
    api.get(path)(list_projects)
    api.get(one)(get_project)
    api.get(f"{one}/fields")(list_fields)
    api.get(f"{one}/fields/{{field_id}}")(get_field)
    api.get(f"{one}/items")(list_items)
    api.post(f"{one}/items", status=201)(add_issue_item)
    api.post(f"{one}/drafts", status=201)(add_draft)
    api.get(f"{one}/items/{{item_id}}")(get_item)
    api.patch(f"{one}/items/{{item_id}}")(update_item)
    api.delete(f"{one}/items/{{item_id}}", status=204)(delete_item)


_declare("/orgs/{org}/projectsV2")
_declare("/users/{username}/projectsV2")
