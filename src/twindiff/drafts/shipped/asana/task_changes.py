"""Changes of tasks: completion, tags, dependencies, projects, sections, copies. https://developers.asana.com/reference/tasks"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, cast

from twindiff.drafts.shipped.document_collections import DocumentRequest, declare_operation
from twindiff.kit.call import Call
from twindiff.kit.errors import InvalidParameter, MissingParameter
from twindiff.kit.http import ValueResponse
from twindiff.kit.twin import Operations

from .objects import API, AsanaObjects, gid_of, list_gids, read_data, refer_by, refuse_positions

MAX_DEPENDENCIES = 30
"""Tasks on which one may depend, and that may depend on one."""
_MIRRORS = {"dependencies": "dependents", "dependents": "dependencies"}
_COPIED = {
    "notes": ("notes", "html_notes"),
    "assignee": ("assignee",),
    "tags": ("tags",),
    "followers": ("followers",),
    "projects": ("projects", "memberships"),
    "dates": ("due_on", "due_at", "start_on", "start_at"),
    "dependencies": ("dependencies",),
    "parent": ("parent",),
    "subtasks": (),
    "attachments": (),
}
"""The fields that a copy gets, by the words of `include`."""
_NOTHING: dict[str, Any] = {"data": {}}


class TaskChanges:
    """The handlers, over the tables of a draft."""

    def __init__(self, objects: AsanaObjects) -> None:
        self._objects, self._draft, self._task = objects, objects.draft, objects.task

    def declare(self) -> Operations:
        """Return the operations with their paths."""
        api, task = Operations(), f"{API}/tasks/{{task_gid}}"
        for path in (f"{API}/tasks", f"{task}/subtasks"):
            name = f"POST {path}"
            declare_operation(api, name, partial(self._create, name), "Create a task.")
        declare_operation(api, f"PUT {task}", self.update_task)
        declare_operation(api, f"POST {task}/duplicate", self.duplicate_task)
        declare_operation(api, f"POST {task}/addTag", partial(self._change_tag, True), "Add a tag to a task.")
        declare_operation(api, f"POST {task}/removeTag", partial(self._change_tag, False), "Remove a tag of a task.")
        for field in _MIRRORS:
            for verb, is_added in (("add", True), ("remove", False)):
                respond = partial(self._change_related, field, is_added)
                declare_operation(api, f"POST {task}/{verb}{field.title()}", respond, f"{verb.title()} {field}.")
        declare_operation(api, f"POST {task}/addProject", self.add_project)
        declare_operation(api, f"POST {task}/removeProject", self.remove_project)
        declare_operation(api, f"POST {API}/sections/{{section_gid}}/addTask", self.add_to_section)
        return api

    def update_task(self, request: DocumentRequest) -> Any:
        """Change a task."""
        task = self._find_task(request)
        data, fields = self._read_fields(request, task)
        body = _with_data(request, data)
        return self._draft.serve(request.call, f"PUT {API}/tasks/{{task_gid}}", request.path, body, fields=fields)

    def duplicate_task(self, request: DocumentRequest) -> Any:
        """Copy a task with what `include` names; the job that is answered is done."""
        call, source, data = request.call, self._find_task(request), read_data(request)
        name, include = data.get("name"), data.get("include") or ""
        if name in (None, ""):
            raise MissingParameter("name")
        if not isinstance(name, str):
            raise InvalidParameter("name", "Value is not a string")
        words = [each.strip() for each in str(include).split(",") if each.strip()]
        unknown = [each for each in words if each not in _COPIED]
        if unknown:
            raise InvalidParameter("include", f"'{unknown[0][:100]}' is none of {', '.join(_COPIED)}")
        kept = ["resource_subtype", "workspace", *(field for word in words for field in _COPIED[word])]
        fields = {each: getattr(source, each) for each in kept if getattr(source, each, None) is not None}
        copy: Any = self._draft.make(call, "tasks", {**fields, "name": name})
        for gid in list_gids(fields.get("dependencies")):
            self._link(call, gid, "dependents", copy.gid, is_added=True)
        if "subtasks" in words:
            for each in self._list_subtasks(call, source.gid):
                own = {name: getattr(each, name) for name in ("name", "resource_subtype", "workspace")}
                self._draft.make(call, "tasks", {**own, "parent": copy.gid})
        shown = {"gid": copy.gid, "resource_type": "task", "name": name}
        about = {"resource_type": "job", "resource_subtype": "duplicate_task", "status": "succeeded"}
        job: Any = self._draft.make(call, "jobs", {**about, "new_task": shown})
        return ValueResponse({"data": {"gid": job.gid, **about, "new_task": shown}}, 201)

    def add_project(self, request: DocumentRequest) -> Any:
        """Add a task to a project, in one of its sections if one is named."""
        call, task, data = request.call, self._find_task(request), read_data(request)
        project = self._objects.refer(call, "projects", "project", data.get("project"))
        refuse_positions(data)
        section = None
        if data.get("section") is not None:
            section = self._objects.refer(call, "sections", "section", data["section"])
            if gid_of(section.project) != project.gid:
                raise InvalidParameter("section", f"Not a recognized ID: {section.gid}")
        self._place(call, task, project.gid, section.gid if section else "")
        return _NOTHING

    def remove_project(self, request: DocumentRequest) -> Any:
        """Remove a task from a project and its sections."""
        call, task, data = request.call, self._find_task(request), read_data(request)
        project = self._objects.refer(call, "projects", "project", data.get("project"))
        kept = [each for each in list_gids(task.projects) if each != project.gid]
        others = _list_memberships(task, project.gid)
        self._draft.change(call, "tasks", task, {"projects": refer_by(kept), "memberships": others})
        return _NOTHING

    def add_to_section(self, request: DocumentRequest) -> Any:
        """Move a task to a section, out of the other sections of its project."""
        call, data = request.call, read_data(request)
        section = self._objects.find(call, "sections", request.path["section_gid"])
        task = self._objects.refer(call, "tasks", "task", data.get("task"))
        refuse_positions(data)
        self._place(call, task, gid_of(section.project), section.gid)
        return _NOTHING

    def _create(self, operation: str, request: DocumentRequest) -> Any:
        data, fields = self._read_fields(request, None)
        body = _with_data(request, data)
        return self._draft.serve(request.call, operation, request.path, body, fields=fields)

    def _read_fields(self, request: DocumentRequest, task: Any) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        """Return the data of a body with ids of users, and what is stored beside it; None without an object."""
        call, data, fields = request.call, request.find_object("data"), cast(dict[str, Any], {})
        if data is None:
            return None, fields
        if data.get("assignee") is not None:
            data["assignee"] = self._objects.refer_user(call, "assignee", data["assignee"])
        for name, table in (("workspace", "workspaces"), ("parent", "tasks")):
            if data.get(name) is not None:
                self._objects.refer(call, table, name, data[name])
        listed: Any = data.get("projects")
        if task is None and isinstance(listed, list):
            rows = [self._objects.refer(call, "projects", "projects", each) for each in cast(list[Any], listed)]
            fields["memberships"] = [{"project": {"gid": each.gid}} for each in rows]
        completed = data.get("completed")
        if isinstance(completed, bool) and completed != bool(task and task.completed):
            me = self._draft.find_user_key(call)
            fields["completed_at"] = f"{call.clock.iso()[:19]}Z" if completed else None
            fields["completed_by"] = {"gid": me} if completed and me else None
        return data, {name: each for name, each in fields.items() if hasattr(self._task, name)}

    def _change_tag(self, is_added: bool, request: DocumentRequest) -> Any:
        task, data = self._find_task(request), read_data(request)
        tag = self._objects.refer(request.call, "tags", "tag", data.get("tag"))
        self._link(request.call, task.gid, "tags", tag.gid, is_added=is_added)
        return _NOTHING

    def _change_related(self, field: str, is_added: bool, request: DocumentRequest) -> Any:
        call, task, listed = request.call, self._find_task(request), read_data(request).get(field)
        if listed is None:
            raise MissingParameter(field)
        if not isinstance(listed, list):
            raise InvalidParameter(field, "Value is not an array")
        gids = [self._objects.refer(call, "tasks", field, each).gid for each in cast(list[Any], listed)]
        if is_added and task.gid in gids:
            raise InvalidParameter(field, "A task cannot depend on itself")
        if is_added and len({*list_gids(getattr(task, field)), *gids}) > MAX_DEPENDENCIES:
            raise InvalidParameter(field, f"A task can have at most {MAX_DEPENDENCIES} {field}")
        for gid in gids:
            self._link(call, task.gid, field, gid, is_added=is_added)
            self._link(call, gid, _MIRRORS[field], task.gid, is_added=is_added)
        return _NOTHING

    def _link(self, call: Call, gid: str, field: str, other: str, *, is_added: bool) -> None:
        """Add an id to a list of a task, or remove it."""
        task = self._objects.find_known(call, "tasks", gid)
        if task is not None:
            kept = [each for each in list_gids(getattr(task, field)) if each != other]
            self._draft.change(call, "tasks", task, {field: refer_by([*kept, *([other] if is_added else [])])})

    def _place(self, call: Call, task: Any, project: str, section: str) -> None:
        """Put a task into a project, and into a section of it if there is one."""
        placed = {"project": {"gid": project}, **({"section": {"gid": section}} if section else {})}
        projects = refer_by([*list_gids(task.projects), project])
        memberships = [*_list_memberships(task, project), placed]
        self._draft.change(call, "tasks", task, {"projects": projects, "memberships": memberships})

    def _list_subtasks(self, call: Call, gid: str) -> list[Any]:
        rows = call.db.rows(self._task, order=self._task.creation_number)
        return [each for each in rows if gid_of(each.parent) == gid]

    def _find_task(self, request: DocumentRequest) -> Any:
        return self._objects.find(request.call, "tasks", request.path["task_gid"])


def _with_data(request: DocumentRequest, data: Mapping[str, Any] | None) -> Any:
    return request.body if data is None else {**request.body, "data": data}


def _list_memberships(task: Any, project: str) -> list[Any]:
    """Return the memberships of a task in other projects."""
    listed = cast(list[Any], task.memberships or [])
    return [each for each in listed if isinstance(each, dict) and gid_of(cast(Any, each).get("project")) != project]
