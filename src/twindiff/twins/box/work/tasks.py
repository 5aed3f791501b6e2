"""Tasks on files and their assignments.

https://developer.box.com/guides/tasks
"""

from __future__ import annotations

from typing import Any, Literal

from twindiff.kit import UNSET, Call, Operations, Struct, UnsetType, revise
from twindiff.twins.box.wire_style import BadRequest

from ..core.access import can_be_seen_by, find_file, rights, user_of
from ..core.errors import Forbidden, NotFound, TaskAssigneeNotAllowed
from ..core.row_stamps import format_instant, new_id, read_instant
from ..event_delivery.event_emission import emit_item_event
from ..tables.item_tables import File, Task, TaskAssignment, User
from ..views.item_views import item_object, user_mini

api = Operations(prefix="/2.0")
Action = Literal["review", "complete"]
Rule = Literal["all_assignees", "any_assignee"]
_DONE = ("completed", "approved", "rejected")
_ANSWERS = {"review": ("incomplete", "approved", "rejected"), "complete": ("incomplete", "completed")}


class TaskItem(Struct):
    """The file of a task."""

    id: str | int
    type: Literal["file"] = "file"


class TaskRef(Struct):
    """A reference to the task of an assignment."""

    id: str | int
    type: Literal["task"] = "task"


class Assignee(Struct):
    """The assignee, by id or by login."""

    id: str | int | None = None
    login: str | None = None


def _file(call: Call, file_id: str) -> File:
    return find_file(call, file_id, "preview")


def task_object(call: Call, task: Task) -> dict[str, Any]:
    """Render a task with its assignments."""
    assignments = call.db.rows(TaskAssignment, TaskAssignment.task_id == task.id)
    file = call.db.find(File, File.id == task.item_id)
    shown: dict[str, Any] = {
        "type": "task",
        "id": task.id,
        "item": item_object(call, file, mini=True) if file else None,
        "due_at": format_instant(task.due_at),
        "action": task.action,
        "message": task.message or "",
        "task_assignment_collection": _collection(call, assignments),
        "is_completed": is_completed(task, assignments),
        "created_by": user_mini(call, task.created_by_id),
        "created_at": format_instant(task.created_at),
        "completion_rule": task.completion_rule,
    }
    return {name: value for name, value in shown.items() if value is not None}


def is_completed(task: Task, assignments: list[TaskAssignment]) -> bool:
    """Return whether the required assignees have completed the task: all or any, as `completion_rule` says."""
    if not assignments:
        return task.is_completed
    done = [each.resolution_state in _DONE for each in assignments]
    return any(done) if task.completion_rule == "any_assignee" else all(done)


def assignment_object(call: Call, assignment: TaskAssignment) -> dict[str, Any]:
    """Render an assignment of a task."""
    file = call.db.find(File, File.id == assignment.item_id)
    shown: dict[str, Any] = {
        "type": "task_assignment",
        "id": assignment.id,
        "item": item_object(call, file, mini=True) if file else None,
        "assigned_to": user_mini(call, assignment.assigned_to_id),
        "message": assignment.message or "",
        "completed_at": format_instant(assignment.completed_at),
        "assigned_at": format_instant(assignment.assigned_at),
        "reminded_at": format_instant(assignment.reminded_at),
        "resolution_state": assignment.resolution_state,
        "assigned_by": user_mini(call, assignment.assigned_by_id),
    }
    return {name: value for name, value in shown.items() if value is not None}


def _collection(call: Call, assignments: list[TaskAssignment]) -> dict[str, Any]:
    entries = [assignment_object(call, each) for each in assignments]
    return {"total_count": len(entries), "entries": entries}


def _find(call: Call, task_id: str) -> Task:
    task = call.db.find(Task, Task.id == task_id)
    if task is None:
        raise NotFound.of("task", task_id)
    _file(call, task.item_id)
    return task


@api.get("/files/{file_id}/tasks")
def list_tasks(call: Call, file_id: str) -> dict[str, Any]:
    """List the tasks on a file.

    https://developer.box.com/reference/get-files-id-tasks
    """
    file = _file(call, file_id)
    entries = [task_object(call, task) for task in call.db.rows(Task, Task.item_id == file.id)]
    return {"total_count": len(entries), "entries": entries}


@api.post("/tasks", status=201)
def create_task(
    call: Call,
    item: TaskItem,
    action: Action = "review",
    message: str = "",
    due_at: str | None = None,
    completion_rule: Rule = "all_assignees",
) -> dict[str, Any]:
    """Create a task on a file.

    https://developer.box.com/reference/post-tasks
    """
    file = find_file(call, str(item.id), "task")
    task = Task(
        id=new_id(call, 11),
        message=message,
        action=action,
        completion_rule=completion_rule,
        item_id=file.id,
        due_at=read_instant(due_at, "due_at") if due_at else None,
        created_by_id=call.actor,
        created_at=call.clock.iso(),
    )
    call.db.add(task)
    shown = task_object(call, task)
    emit_item_event(call, "TASK_CREATE", file, source=shown)
    return shown


@api.get("/tasks/{task_id}")
def get_task(call: Call, task_id: str) -> dict[str, Any]:
    """Get a task.

    https://developer.box.com/reference/get-tasks-id
    """
    return task_object(call, _find(call, task_id))


@api.put("/tasks/{task_id}")
def update_task(
    call: Call,
    task_id: str,
    action: Action | UnsetType = UNSET,
    message: str | UnsetType = UNSET,
    due_at: str | UnsetType | None = UNSET,
    completion_rule: Rule | UnsetType = UNSET,
) -> dict[str, Any]:
    """Update the given fields of a task.

    https://developer.box.com/reference/put-tasks-id
    """
    task = _find(call, task_id)
    _check_owner(call, task)
    due = read_instant(due_at, "due_at") if isinstance(due_at, str) and due_at else None if due_at != UNSET else UNSET
    now = revise(call.db, task, action=action, message=message, due_at=due, completion_rule=completion_rule)
    if now is not task:
        emit_item_event(call, "TASK_UPDATE", _file(call, task.item_id), source=task_object(call, now))
    return task_object(call, _update_completion(call, now))


def _check_owner(call: Call, task: Task) -> None:
    """Raise unless the caller created the task or may change its file."""
    if task.created_by_id != call.actor and "edit" not in rights(call, _file(call, task.item_id)):
        raise Forbidden


def _update_completion(call: Call, task: Task) -> Task:
    """Update `is_completed` of a task and return it."""
    assignments = call.db.rows(TaskAssignment, TaskAssignment.task_id == task.id)
    return revise(call.db, task, is_completed=is_completed(task, assignments))


@api.delete("/tasks/{task_id}", status=204)
def delete_task(call: Call, task_id: str) -> None:
    """Delete a task with its assignments.

    https://developer.box.com/reference/delete-tasks-id
    """
    task = _find(call, task_id)
    _check_owner(call, task)
    for assignment in call.db.rows(TaskAssignment, TaskAssignment.task_id == task.id):
        call.db.remove(assignment)
    call.db.remove(task)


@api.get("/tasks/{task_id}/assignments")
def list_assignments(call: Call, task_id: str) -> dict[str, Any]:
    """List the assignments of a task.

    https://developer.box.com/reference/get-tasks-id-assignments
    """
    task = _find(call, task_id)
    return _collection(call, call.db.rows(TaskAssignment, TaskAssignment.task_id == task.id))


@api.post("/task_assignments", status=201)
def assign(call: Call, task: TaskRef, assign_to: Assignee) -> dict[str, Any]:
    """Assign a task to a user who owns its file or collaborates on it.

    https://developer.box.com/guides/tasks/assignments/assign
    """
    given = _find(call, str(task.id))
    file = _file(call, given.item_id)
    if "task" not in rights(call, file):
        raise TaskAssigneeNotAllowed
    if given.is_completed:
        raise Forbidden("The task is completed")
    user = _assignee(call, assign_to)
    if not can_be_seen_by(call, file, user.id):
        raise TaskAssigneeNotAllowed
    twice = (TaskAssignment.task_id == given.id, TaskAssignment.assigned_to_id == user.id)
    if call.db.find(TaskAssignment, *twice):
        raise BadRequest.of("invalid_parameter", "assign_to", "The task is assigned to this user already.")
    assignment = TaskAssignment(
        id=new_id(call, 11),
        task_id=given.id,
        item_id=given.item_id,
        assigned_to_id=user.id,
        assigned_by_id=call.actor,
        message=given.message,
        assigned_at=call.clock.iso(),
    )
    call.db.add(assignment)
    shown = assignment_object(call, assignment)
    emit_item_event(call, "TASK_ASSIGNMENT_CREATE", file, "TASK_ASSIGNMENT.CREATED", source=shown)
    return shown


def _assignee(call: Call, named: Assignee) -> User:
    user = user_of(call, str(named.id)) if named.id is not None else None
    if user is None and named.login:
        user = call.db.find(User, User.login.equals(named.login))
    if user is None:
        raise NotFound.of("assign_to", str(named.id or named.login or ""))
    return user


def _find_assignment(call: Call, assignment_id: str) -> TaskAssignment:
    assignment = call.db.find(TaskAssignment, TaskAssignment.id == assignment_id)
    if assignment is None:
        raise NotFound.of("task_assignment", assignment_id)
    if assignment.assigned_to_id != call.actor:
        _find(call, assignment.task_id)
    return assignment


@api.get("/task_assignments/{task_assignment_id}")
def get_assignment(call: Call, task_assignment_id: str) -> dict[str, Any]:
    """Get an assignment.

    https://developer.box.com/reference/get-task-assignments-id
    """
    return assignment_object(call, _find_assignment(call, task_assignment_id))


@api.put("/task_assignments/{task_assignment_id}")
def update_assignment(
    call: Call,
    task_assignment_id: str,
    message: str | UnsetType = UNSET,
    resolution_state: Literal["completed", "incomplete", "approved", "rejected"] | UnsetType = UNSET,
) -> dict[str, Any]:
    """Complete an assignment, or approve or reject it if the task is a review.

    https://developer.box.com/reference/put-task-assignments-id
    """
    assignment = _find_assignment(call, task_assignment_id)
    task = call.db.get(Task, assignment.task_id)
    changes: dict[str, Any] = {"message": message, "resolution_state": resolution_state}
    if resolution_state is not UNSET:
        if resolution_state not in _ANSWERS[task.action]:
            said = (
                f"Invalid value '{resolution_state}'. A task to {task.action} takes {', '.join(_ANSWERS[task.action])}."
            )
            raise BadRequest.of("invalid_parameter", "resolution_state", said)
        changes["completed_at"] = call.clock.iso() if resolution_state in _DONE else None
    now = revise(call.db, assignment, **changes)
    _update_completion(call, task)
    shown = assignment_object(call, now)
    file = call.db.get(File, task.item_id)
    emit_item_event(call, "TASK_ASSIGNMENT_UPDATE", file, "TASK_ASSIGNMENT.UPDATED", source=shown)
    return shown


@api.delete("/task_assignments/{task_assignment_id}", status=204)
def delete_assignment(call: Call, task_assignment_id: str) -> None:
    """Delete an assignment.

    https://developer.box.com/reference/delete-task-assignments-id
    """
    assignment = _find_assignment(call, task_assignment_id)
    task = call.db.get(Task, assignment.task_id)
    _check_owner(call, task)
    if task.is_completed:
        raise Forbidden("The task is completed")
    call.db.remove(assignment)
    file = _file(call, assignment.item_id or "")
    emit_item_event(call, "TASK_ASSIGNMENT_DELETE", file, source={"type": "task_assignment", "id": assignment.id})
