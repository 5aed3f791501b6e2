"""Projects with their components, versions and statuses.

https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-projects/
"""

from __future__ import annotations

import re
from typing import Any

from twindiff.kit.call import Call
from twindiff.kit.rows import any_of
from twindiff.kit.twin import Operations

from .issue_fields import find_project
from .site import find_user, me
from .site_views import (
    address,
    show_component,
    show_project,
    show_status,
    show_type,
    show_version,
    show_whole_project,
)
from .tables import Board, Component, Issue, IssueType, Project, Status, Version
from .wire_style import InvalidFields, NoSuchObject, page_values

api = Operations()
_KEY = re.compile(r"[A-Z][A-Z0-9_]{1,9}")
Shown = dict[str, Any]


def get_project_or_refuse(call: Call, said: str) -> Project:
    """Return a project by key or id; raises NoSuchObject in Jira's words."""
    project = find_project(call, said)
    if project is None:
        raise NoSuchObject(f"No project could be found with key '{said}'.")
    return project


def add_project(
    call: Call, key: str, name: str, lead: str | None, description: str = "", kind: str = "software"
) -> Project:
    """Add a project, and a Scrum board if it is one of software."""
    number = str(10_000 + call.db.next("project") - 1)
    project = call.db.add(
        Project(id=number, key=key, name=name, description=description, lead=lead, project_type_key=kind)
    )
    if kind == "software":
        call.db.add(Board(id=call.db.next("board"), name=f"{key} board", type="scrum", project_key=key))
    return project


@api.get("/project")
def list_projects(call: Call) -> list[Shown]:
    """List all projects."""
    return [show_project(call, each) for each in call.db.rows(Project, order=Project.key)]


@api.get("/project/search")
def search_projects(
    call: Call,
    query: str = "",
    keys: list[str] | None = None,
    id: list[str] | None = None,
    type_key: str = "",
    start_at: int = 0,
    max_results: int = 50,
) -> Shown:
    """Find projects by name and key."""
    rows = call.db.rows(
        Project,
        *([any_of(Project.name.contains(query, fold=True), Project.key.contains(query, fold=True))] if query else []),
        *([Project.key.in_([key.upper() for key in keys])] if keys else []),
        *([Project.id.in_(id)] if id else []),
        *([Project.project_type_key.in_(type_key.split(","))] if type_key else []),
        order=Project.key,
    )
    page = page_values([show_project(call, each) for each in rows], start_at, min(max_results, 100))
    return {"self": address(call, f"project/search?maxResults={max_results}&startAt={start_at}"), **page}


@api.get("/project/{projectIdOrKey}")
def get_project(call: Call, project_id_or_key: str) -> Shown:
    """Return a project."""
    return show_whole_project(call, get_project_or_refuse(call, project_id_or_key))


@api.post("/project", status=201)
def post_project(
    call: Call,
    key: str = "",
    name: str = "",
    lead_account_id: str = "",
    project_type_key: str = "software",
    description: str = "",
) -> Shown:
    """Create a project."""
    problems: dict[str, str] = {}
    if not _KEY.fullmatch(key):
        problems["projectKey"] = (
            "Project keys must start with an uppercase letter, followed by one or more uppercase alphanumeric"
            " characters."
        )
    elif call.db.find(Project, Project.key == key):
        problems["projectKey"] = f"Project '{key}' uses this project key."
    if not name.strip():
        problems["projectName"] = "You must specify a valid project name."
    elif call.db.find(Project, Project.name.equals(name)):
        problems["projectName"] = "A project with that name already exists."
    lead = find_user(call, lead_account_id) if lead_account_id else me(call)
    if lead is None:
        problems["projectLead"] = "You must specify a valid project lead."
    if problems:
        raise InvalidFields(problems)
    project = add_project(call, key, name, lead.account_id if lead else None, description, project_type_key)
    return {"self": address(call, f"project/{project.id}"), "id": int(project.id), "key": project.key}


@api.put("/project/{projectIdOrKey}")
def put_project(
    call: Call,
    project_id_or_key: str,
    name: str | None = None,
    description: str | None = None,
    lead_account_id: str | None = None,
) -> Shown:
    """Change a project."""
    project = get_project_or_refuse(call, project_id_or_key)
    given = {"name": name, "description": description, "lead": lead_account_id}
    project = call.db.change(project, **{field: value for field, value in given.items() if value is not None})
    return show_whole_project(call, project)


@api.delete("/project/{projectIdOrKey}", status=204)
def delete_project(call: Call, project_id_or_key: str) -> None:
    """Delete a project with its issues."""
    project = get_project_or_refuse(call, project_id_or_key)
    for table in (Issue, Component, Version, Board):
        for row in call.db.rows(table, table.project_key == project.key):
            call.db.remove(row)
    call.db.remove(project)


@api.get("/project/{projectIdOrKey}/statuses")
def list_project_statuses(call: Call, project_id_or_key: str) -> list[Shown]:
    """List the statuses of each type of issues."""
    get_project_or_refuse(call, project_id_or_key)
    statuses = [show_status(call, each) for each in call.db.rows(Status)]
    kept = ("self", "id", "name", "subtask")
    return [
        {**{name: value for name, value in show_type(call, each).items() if name in kept}, "statuses": statuses}
        for each in call.db.rows(IssueType)
    ]


@api.get("/project/{projectIdOrKey}/components")
def list_components(call: Call, project_id_or_key: str) -> list[Shown]:
    """List the components of a project."""
    project = get_project_or_refuse(call, project_id_or_key)
    return [show_component(call, each) for each in call.db.rows(Component, Component.project_key == project.key)]


@api.get("/project/{projectIdOrKey}/component")
def page_components(call: Call, project_id_or_key: str, start_at: int = 0, max_results: int = 50) -> Shown:
    """List the components of a project, page by page."""
    return page_values(list_components(call, project_id_or_key), start_at, max_results)


@api.get("/project/{projectIdOrKey}/versions")
def list_versions(call: Call, project_id_or_key: str) -> list[Shown]:
    """List the versions of a project."""
    project = get_project_or_refuse(call, project_id_or_key)
    return [show_version(call, each) for each in call.db.rows(Version, Version.project_key == project.key)]


@api.get("/project/{projectIdOrKey}/version")
def page_versions(call: Call, project_id_or_key: str, start_at: int = 0, max_results: int = 50) -> Shown:
    """List the versions of a project, page by page."""
    return page_values(list_versions(call, project_id_or_key), start_at, max_results)


@api.post("/component", status=201)
def post_component(
    call: Call, project: str = "", name: str = "", description: str = "", lead_account_id: str | None = None
) -> Shown:
    """Create a component of a project."""
    key = get_project_or_refuse(call, project).key
    _check_name(call, Component, key, name, "component")
    row = Component(
        id=str(10_000 + call.db.next("component") - 1),
        project_key=key,
        name=name,
        description=description,
        lead=lead_account_id,
    )
    return show_component(call, call.db.add(row))


def _check_name(call: Call, table: Any, project: str, name: str, kind: str) -> None:
    if not name.strip():
        raise InvalidFields({"name": f"You must specify a valid {kind} name."})
    if call.db.find(table, table.project_key == project, table.name.equals(name)):
        raise InvalidFields({"name": f"A {kind} with this name already exists in this project."})


def _get_part(call: Call, table: Any, kind: str, id: str) -> Any:
    row = call.db.find(table, table.id == id)
    if row is None:
        raise NoSuchObject(f"The {kind} with id {id} does not exist.")
    return row


@api.get("/component/{id}")
def get_component(call: Call, id: str) -> Shown:
    """Return a component."""
    return show_component(call, _get_part(call, Component, "component", id))


@api.put("/component/{id}")
def put_component(call: Call, id: str, name: str | None = None, description: str | None = None) -> Shown:
    """Change a component."""
    return show_component(
        call, _change_part(call, _get_part(call, Component, "component", id), "components", name, description)
    )


@api.delete("/component/{id}", status=204)
def delete_component(call: Call, id: str) -> None:
    """Delete a component, also from issues."""
    row = _get_part(call, Component, "component", id)
    _rename_in_issues(call, row, "components", None)
    call.db.remove(row)


def _change_part(call: Call, row: Any, column: str, name: str | None, description: str | None, **more: Any) -> Any:
    if name is not None and name != row.name:
        _check_name(call, type(row), row.project_key, name, column.removesuffix("s"))
        _rename_in_issues(call, row, column, name)
    given = {"name": name, "description": description, **more}
    return call.db.change(row, **{field: value for field, value in given.items() if value is not None})


def _rename_in_issues(call: Call, row: Any, column: str, name: str | None) -> None:
    for issue in call.db.rows(Issue, Issue.project_key == row.project_key):
        names: list[str] = getattr(issue, column)
        if row.name in names:
            kept = [name if each == row.name else each for each in names]
            call.db.change(issue, **{column: [each for each in kept if each]})


@api.post("/version", status=201)
def post_version(
    call: Call,
    name: str = "",
    project: str = "",
    project_id: int | None = None,
    description: str = "",
    released: bool = False,
    archived: bool = False,
    start_date: str | None = None,
    release_date: str | None = None,
) -> Shown:
    """Create a version of a project."""
    key = get_project_or_refuse(call, str(project_id) if project_id else project).key
    _check_name(call, Version, key, name, "version")
    row = Version(
        id=str(10_000 + call.db.next("version") - 1),
        project_key=key,
        name=name,
        description=description,
        released=released,
        archived=archived,
        start_date=start_date,
        release_date=release_date,
    )
    return show_version(call, call.db.add(row))


@api.get("/version/{id}")
def get_version(call: Call, id: str) -> Shown:
    """Return a version."""
    return show_version(call, _get_part(call, Version, "version", id))


@api.put("/version/{id}")
def put_version(
    call: Call,
    id: str,
    name: str | None = None,
    description: str | None = None,
    released: bool | None = None,
    archived: bool | None = None,
    start_date: str | None = None,
    release_date: str | None = None,
) -> Shown:
    """Change or release a version."""
    row = _get_part(call, Version, "version", id)
    dates = {"start_date": start_date, "release_date": release_date}
    row = _change_part(call, row, "fix_versions", name, description, released=released, archived=archived, **dates)
    return show_version(call, row)


@api.delete("/version/{id}", status=204)
def delete_version(call: Call, id: str) -> None:
    """Delete a version, also from issues."""
    row = _get_part(call, Version, "version", id)
    _rename_in_issues(call, row, "fix_versions", None)
    _rename_in_issues(call, row, "versions", None)
    call.db.remove(row)
