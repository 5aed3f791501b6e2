"""Status updates of projects and initiatives. The latest update determines their health.

https://linear.app/docs/initiative-and-project-updates
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call
from twindiff.kit.graphql import Section, entity_operations
from twindiff.kit.graphql.errors import InvalidInput

from ..core.rich_text import document_of, read_text_input
from ..model.initiatives import Initiative, InitiativeUpdate
from ..model.project_parts import ProjectUpdate
from ..model.projects import Project

api = Section()


@api.query("projectUpdate")
def project_update(call: Call, id: str, project_id: str | None = None) -> Any:
    """Get an update by its id."""
    return entity_operations.find(call, ProjectUpdate, id)


@api.before_create(ProjectUpdate)
def create_project_update(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Set the author, the URL and the health of a new update."""
    project = call.db.get(Project.row, values["projectId"])
    values |= _columns(call, values, given, project)


@api.before_create(InitiativeUpdate)
def create_initiative_update(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Set the author, the URL and the health of a new update."""
    initiative = call.db.get(Initiative.row, values["initiativeId"])
    values |= _columns(call, values, given, initiative)


def _columns(call: Call, values: dict[str, Any], given: dict[str, Any], of: Any) -> dict[str, Any]:
    body = read_text_input(given) or ""
    if not (body or values.get("health")):
        raise InvalidInput("body: an update needs a text or a health.")
    short = values["id"].replace("-", "")[:12]
    return {
        "userId": call.actor,
        "body": body,
        "bodyData": document_of(body),
        "health": values.get("health") or of.health or "onTrack",
        "slugId": short,
        "url": f"{of.url}/updates#{short}",
    }


@api.after_create(ProjectUpdate)
def set_project_health(call: Call, row: Any, given: dict[str, Any]) -> None:
    """Set the project's health to that of its latest update."""
    _set_health(call, Project, row.projectId, row)


@api.after_create(InitiativeUpdate)
def set_initiative_health(call: Call, row: Any, given: dict[str, Any]) -> None:
    """Set the initiative's health to that of its latest update."""
    _set_health(call, Initiative, row.initiativeId, row)


def _set_health(call: Call, entity: Any, id: str, update: Any) -> None:
    thing = call.db.get(entity.row, id)
    call.db.change(thing, health=update.health, healthUpdatedAt=call.clock.iso(), lastUpdateId=update.id)


def _edit(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    changes.pop("bodyData", None)
    body = read_text_input(given)
    if body is not None and body != row.body:
        changes |= {"body": body, "bodyData": document_of(body), "editedAt": call.clock.iso()}


@api.before_update(ProjectUpdate)
def update_project_update(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    """Apply a changed text and record when it was edited."""
    _edit(call, row, changes, given)


@api.before_update(InitiativeUpdate)
def update_initiative_update(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    """Apply a changed text and record when it was edited."""
    _edit(call, row, changes, given)


@api.after_update(ProjectUpdate)
def keep_project_health(call: Call, before: Any, after: Any, given: dict[str, Any]) -> None:
    """Update the project's health after its latest update was edited."""
    project = call.db.get(Project.row, after.projectId)
    if project.lastUpdateId == after.id and project.health != after.health:
        _set_health(call, Project, after.projectId, after)
