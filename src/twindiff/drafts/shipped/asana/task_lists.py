"""Lists of tasks and of what tasks have. https://developers.asana.com/reference/gettasks"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from twindiff.drafts.conditions import equals
from twindiff.drafts.shipped.document_collections import DocumentRequest, declare_operation
from twindiff.kit.errors import InvalidParameter, MissingParameter
from twindiff.kit.rows import Expression, any_of
from twindiff.kit.twin import Operations

from .objects import API, AsanaObjects, list_gids

MAX_PAGE_TASKS = 100
MAX_SUGGESTIONS, DEFAULT_SUGGESTIONS = 100, 20
_SCOPES = ("project", "tag", "section", "user_task_list")
_SUGGESTED = {
    "custom_field": "custom_fields",
    "goal": "goals",
    "portfolio": "portfolios",
    "project": "projects",
    "project_template": "project_templates",
    "tag": "tags",
    "task": "tasks",
    "team": "teams",
    "user": "users",
}
"""Tables by the `resource_type` of suggestions."""


class TaskLists:
    """The handlers, over the tables of a draft."""

    def __init__(self, objects: AsanaObjects) -> None:
        self._objects, self._draft, self._task = objects, objects.draft, objects.task

    def declare(self) -> Operations:
        """Return the operations with their paths."""
        api = Operations()
        respond = {
            "tasks": self.list_tasks,
            "projects/{project_gid}/tasks": self.list_project_tasks,
            "sections/{section_gid}/tasks": self.list_section_tasks,
            "tags/{tag_gid}/tasks": self.list_tag_tasks,
            "tasks/{task_gid}/tags": self.list_tags,
            "tasks/{task_gid}/projects": self.list_projects,
            "tasks/{task_gid}/dependencies": self.list_dependencies,
            "tasks/{task_gid}/dependents": self.list_dependents,
            "workspaces/{workspace_gid}/tasks/search": self.search_tasks,
            "workspaces/{workspace_gid}/typeahead": self.suggest,
        }
        for path, handler in respond.items():
            declare_operation(api, f"GET {API}/{path}", handler)
        return api

    def list_tasks(self, request: DocumentRequest) -> Any:
        """List the tasks of a project, a section or a tag, or those of an assignee in a workspace."""
        query = {name: each for name, each in request.query.items() if each not in (None, "")}
        given = [name for name in _SCOPES if name in query]
        persons = [name for name in ("assignee", "workspace") if name in query]
        if not given and not persons:
            raise InvalidParameter("", f"You should specify one of workspace, {', '.join(_SCOPES)}")
        if len(given) > 1 or (given and "assignee" in query) or (not given and len(persons) < 2):
            raise InvalidParameter(
                "", "Must specify exactly one of project, tag, section, user task list, or assignee + workspace"
            )
        for name, table in (("project", "projects"), ("tag", "tags"), ("section", "sections")):
            if name in query:
                self._objects.refer(request.call, table, name, query[name])
        if "workspace" in query:
            self._objects.refer(request.call, "workspaces", "workspace", query["workspace"])
        return self._list_by(request, query)

    def list_project_tasks(self, request: DocumentRequest) -> Any:
        """List the tasks of a project."""
        project = self._objects.find(request.call, "projects", request.path["project_gid"])
        return self._list_by(request, {**request.query, "project": project.gid})

    def list_section_tasks(self, request: DocumentRequest) -> Any:
        """List the tasks of a section."""
        section = self._objects.find(request.call, "sections", request.path["section_gid"])
        return self._list_by(request, {**request.query, "section": section.gid})

    def list_tag_tasks(self, request: DocumentRequest) -> Any:
        """List the tasks that have a tag."""
        tag = self._objects.find(request.call, "tags", request.path["tag_gid"])
        return self._list_by(request, {**request.query, "tag": tag.gid})

    def list_tags(self, request: DocumentRequest) -> Any:
        """List the tags of a task."""
        return self._list_of_task(request, "tags", "tags")

    def list_projects(self, request: DocumentRequest) -> Any:
        """List the projects of a task."""
        return self._list_of_task(request, "projects", "projects")

    def list_dependencies(self, request: DocumentRequest) -> Any:
        """List the tasks on which a task depends."""
        return self._list_of_task(request, "dependencies", "tasks")

    def list_dependents(self, request: DocumentRequest) -> Any:
        """List the tasks that depend on a task."""
        return self._list_of_task(request, "dependents", "tasks")

    def search_tasks(self, request: DocumentRequest) -> Any:
        """Search the tasks of a workspace."""
        given = {**request.query, **request.path, **_read_page(request.query)}
        if given.get("assignee.any"):
            persons = str(given["assignee.any"]).split(",")[:MAX_PAGE_TASKS]
            given["assignee.any"] = [
                each if each == "null" else self._objects.refer_user(request.call, "assignee.any", each)
                for each in persons
            ]
        return self._draft.serve(request.call, f"GET {API}/workspaces/{{workspace_gid}}/tasks/search", given)

    def suggest(self, request: DocumentRequest) -> Any:
        """List the objects of a workspace whose names contain a text, in the order of their creation."""
        call, query = request.call, request.query
        workspace = self._objects.find(call, "workspaces", request.path["workspace_gid"])
        kind = query.get("resource_type") or query.get("type")
        if not kind:
            raise MissingParameter("resource_type")
        if kind not in _SUGGESTED:
            raise InvalidParameter("resource_type", f"'{str(kind)[:100]}' is none of {', '.join(_SUGGESTED)}")
        count = _read_bounded(query, "count", DEFAULT_SUGGESTIONS, MAX_SUGGESTIONS)
        row = self._draft.row(_SUGGESTED[kind])
        text = str(query.get("query") or "")
        where: list[Expression] = [row.name.contains(text, fold=True)] if text else []
        if hasattr(row, "workspace"):
            where.append(any_of(equals(row.workspace, workspace.gid), row.workspace.is_null()))
        rows = call.db.rows(row, *where, order=row.creation_number, limit=count)
        return {"data": [{"gid": each.gid, "resource_type": kind, "name": each.name or ""} for each in rows]}

    def _list_by(self, request: DocumentRequest, query: Mapping[str, Any]) -> Any:
        given = {name: query[name] for name in ("project", "workspace", "modified_since") if query.get(name)}
        given |= _read_page(query)
        where: list[Expression] = []
        if query.get("assignee"):
            given["assignee"] = self._objects.refer_user(request.call, "assignee", query["assignee"])
        if query.get("modified_since"):
            given["modified_since"] = read_time("modified_since", str(query["modified_since"]))
        if query.get("section"):
            section = query["section"]
            column = self._task.memberships
            where.append(
                any_of(*(column.contains(f'"section":{each}') for each in (f'{{"gid":"{section}"', f'"{section}"')))
            )
        if query.get("tag"):
            where.append(equals(self._task.tags, query["tag"]))
        if query.get("completed_since"):
            where.append(self._is_open_or_completed_since(str(query["completed_since"])))
        return self._draft.serve(request.call, f"GET {API}/tasks", given, where=where)

    def _is_open_or_completed_since(self, given: str) -> Expression:
        task = self._task
        is_open = [task.completed.is_null(), task.completed == False]  # noqa: E712 - an expression
        if given == "now":
            return any_of(*is_open)
        return any_of(*is_open, task.completed_at >= read_time("completed_since", given))

    def _list_of_task(self, request: DocumentRequest, field: str, table: str) -> Any:
        task = self._objects.find(request.call, "tasks", request.path["task_gid"])
        row = self._draft.row(table)
        where = [row.gid.in_(list_gids(getattr(task, field)))]
        return self._draft.serve(request.call, f"GET {API}/{table}", _read_page(request.query), where=where)


def read_time(name: str, given: str) -> str:
    """Return an ISO 8601 time as it is stored, in UTC. Raises InvalidParameter."""
    try:
        instant = datetime.fromisoformat(given)
        instant = instant.astimezone(UTC) if instant.tzinfo else instant
    except (ValueError, OverflowError):
        raise InvalidParameter(name, f"'{given[:100]}' is no date and time in ISO 8601") from None
    return f"{instant.replace(tzinfo=None).isoformat(timespec='seconds')}Z"


def _read_page(query: Mapping[str, Any]) -> dict[str, Any]:
    page = {"offset": query["offset"]} if query.get("offset") else {}
    if query.get("limit") in (None, ""):
        return page
    return {**page, "limit": _read_bounded(query, "limit", MAX_PAGE_TASKS, MAX_PAGE_TASKS)}


def _read_bounded(query: Mapping[str, Any], name: str, default: int, most: int) -> int:
    text = str(query.get(name) or default)
    if not (text.isascii() and text.isdigit() and len(text) <= 9 and 1 <= int(text) <= most):
        raise InvalidParameter(name, f"must be between 1 and {most}")
    return int(text)
