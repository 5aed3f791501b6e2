"""Status updates of projects: their fields, and mutations of them.

https://docs.github.com/en/graphql/reference/objects#projectv2statusupdate
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..core.node_ids import node_id
from ..projects import status_updates
from ..projects.project_views import list_status_updates
from ..tables.project_tables import Project, ProjectStatusUpdate
from ..tables.user_tables import User
from ..views.issue_views import render_html
from .mutations import Input, mutation
from .nodes import GraphNode, connect, find_node, user_node
from .project_fields import check_project_scope, project_node
from .resolvers import compute, field

_COLUMNS = {"status": "status", "body": "body", "startDate": "start_date", "targetDate": "target_date"}


@field("ProjectV2.statusUpdates")
def _status_updates(call: Call, node: GraphNode, **arguments: Any) -> Any:
    rows = list_status_updates(call, node.row)
    wanted: dict[str, Any] = arguments.get("orderBy") or {"direction": "DESC"}
    rows = rows[::-1] if wanted["direction"] == "ASC" else rows
    return connect([GraphNode("ProjectV2StatusUpdate", row) for row in rows], arguments)


compute("ProjectV2StatusUpdate.id")(lambda call, node: node_id("PVTSU", node.row.project_id, node.row.id))
compute("ProjectV2StatusUpdate.fullDatabaseId")(lambda call, node: str(node.row.id))
compute("ProjectV2StatusUpdate.project")(lambda call, node: project_node(call.db.get(Project, node.row.project_id)))
compute("ProjectV2StatusUpdate.creator")(lambda call, node: user_node(call, node.row.creator))
compute("ProjectV2StatusUpdate.bodyHTML")(lambda call, node: render_html(node.row.body))
compute("ProjectV2StatusUpdate.startDate")(lambda call, node: node.row.start_date)
compute("ProjectV2StatusUpdate.targetDate")(lambda call, node: node.row.target_date)


def _columns(given: Input) -> dict[str, Any]:
    return {own: given[name] for name, own in _COLUMNS.items() if name in given}


def _find_update(call: Call, given: Input) -> tuple[Project, ProjectStatusUpdate]:
    update: ProjectStatusUpdate = find_node(call, given["statusUpdateId"], "ProjectV2StatusUpdate").row
    project = call.db.get(Project, update.project_id)
    check_project_scope(call, call.db.get(User, project.owner), "PATCH", "projectV2")
    return project, update


def _payload(update: ProjectStatusUpdate) -> Any:
    return {"statusUpdate": GraphNode("ProjectV2StatusUpdate", update)}


@mutation
def create_project_v2_status_update(call: Call, given: Input) -> Any:
    """Run `createProjectV2StatusUpdate`, and return its payload."""
    project: Project = find_node(call, given["projectId"], "ProjectV2").row
    check_project_scope(call, call.db.get(User, project.owner), "PATCH", "projectV2")
    return _payload(status_updates.add_status_update(call, project, **_columns(given)))


@mutation
def update_project_v2_status_update(call: Call, given: Input) -> Any:
    """Run `updateProjectV2StatusUpdate`, and return its payload."""
    project, update = _find_update(call, given)
    return _payload(status_updates.edit_status_update(call, project, update, **_columns(given)))


@mutation
def delete_project_v2_status_update(call: Call, given: Input) -> Any:
    """Run `deleteProjectV2StatusUpdate`, and return its payload."""
    project, update = _find_update(call, given)
    status_updates.delete_status_update(call, project, update)
    return {"deletedStatusUpdateId": given["statusUpdateId"], "projectV2": project_node(project)}
