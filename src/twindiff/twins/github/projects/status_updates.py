"""Status updates of projects; organizations' hooks are told.

https://docs.github.com/en/issues/planning-and-tracking-with-projects/learning-about-projects/sharing-project-updates
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..core.stamps import new_id
from ..event_delivery.announcements import announce_in_org
from ..tables.project_tables import Project, ProjectStatusUpdate
from ..wire_style import Unprocessable
from .project_changes import check_writer
from .project_fields import read_date
from .project_views import show_status_update

MAX_BODY_CHARACTERS = 65_536


def _check_columns(columns: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of a status update with their dates checked."""
    for name in ("start_date", "target_date"):
        if columns.get(name):
            columns[name] = read_date(columns[name]).isoformat()
    if len(columns.get("body") or "") > MAX_BODY_CHARACTERS:
        raise Unprocessable(f"Body is too long (maximum is {MAX_BODY_CHARACTERS} characters)")
    if columns.get("start_date") and columns.get("target_date") and columns["target_date"] < columns["start_date"]:
        raise Unprocessable("Target date can't be before the start date")
    return columns


def add_status_update(call: Call, project: Project, **columns: Any) -> ProjectStatusUpdate:
    """Say how a project stands."""
    check_writer(call, project)
    now = call.clock.iso()
    about: dict[str, Any] = {"project_id": project.id, "creator": call.actor, "created_at": now, "updated_at": now}
    update = call.db.add(ProjectStatusUpdate(id=new_id(call), **about, **_check_columns(columns)))
    _announce_update(call, project, update, "created")
    return update


def edit_status_update(
    call: Call, project: Project, update: ProjectStatusUpdate, **columns: Any
) -> ProjectStatusUpdate:
    """Change a status update."""
    check_writer(call, project)
    former = {name: getattr(update, name) for name in ("status", "start_date", "target_date", "body")}
    checked = {**_check_columns({**former, **columns}), "updated_at": call.clock.iso()}
    update = call.db.change(update, **checked)
    changed = [name for name, value in former.items() if value != getattr(update, name)]
    changes = {name: {"from": former[name], "to": getattr(update, name)} for name in changed}
    _announce_update(call, project, update, "edited", changes=changes)
    return update


def delete_status_update(call: Call, project: Project, update: ProjectStatusUpdate) -> None:
    """Delete a status update."""
    check_writer(call, project)
    _announce_update(call, project, update, "deleted")
    call.db.remove(update)


def _announce_update(call: Call, project: Project, update: ProjectStatusUpdate, action: str, **more: Any) -> None:
    shown = {"action": action, "projects_v2_status_update": show_status_update(call, project, update), **more}
    announce_in_org(call, project.owner, "projects_v2_status_update", shown)
