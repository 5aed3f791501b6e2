"""Projects: status, teams, labels, milestones and progress.  https://linear.app/docs/projects"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call
from twindiff.kit.graphql import Section, entity_operations
from twindiff.kit.graphql.errors import InvalidInput

from ..core.actors import organization_id
from ..core.counts import compute_done_shares
from ..core.issue_names import PRIORITIES, is_uuid, slug_with_id
from ..core.issue_templates import fill_in
from ..core.label_combinations import check_combined_labels
from ..core.rich_text import read_text_input
from ..model.issues import Issue
from ..model.labels import ProjectLabel
from ..model.organization import Organization
from ..model.project_parts import ProjectMilestone, ProjectStatus
from ..model.projects import Project
from ..model.teams import Team
from ..model.views import Favorite

api = Section()

STATUSES = (
    ("Backlog", "backlog", "#bec2c8"),
    ("Planned", "planned", "#e2e2e2"),
    ("In Progress", "started", "#f2c94c"),
    ("Paused", "paused", "#95a2b3"),
    ("Completed", "completed", "#5e6ad2"),
    ("Canceled", "canceled", "#95a2b3"),
)


@api.before_create(Project)
def create_project(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Set the status, the URL and the creator of a new project."""
    if not values["name"].strip():
        raise InvalidInput("name: a project needs a name.")
    if not given.get("teamIds"):
        raise InvalidInput("teamIds: a project needs at least one team.")
    fill_in(call, values, given, "project", _default_template(call, given["teamIds"][0]))
    status = _status(call, values.get("statusId"))
    values["statusId"] = status.id
    values["creatorId"] = call.actor
    values["color"] = values.get("color") or "#bec2c8"
    values["labelIds"] = list(dict.fromkeys(given.get("labelIds") or []))
    check_combined_labels(call, ProjectLabel, values["labelIds"])
    values |= _address(call, values["id"], values["name"]) | priority(
        values.get("priority"), values.get("prioritySortOrder")
    )
    values |= status_columns(status, call.clock.iso())
    _check_dates(values)


def _default_template(call: Call, team_id: str) -> str | None:
    return entity_operations.find(call, Team, team_id).defaultProjectTemplateId


def _address(call: Call, id: str, name: str) -> dict[str, str]:
    short = id.replace("-", "")[:12]
    return {"slugId": short, "url": f"https://linear.app/{workspace(call)}/project/{slug_with_id(name, short)}"}


def workspace(call: Call) -> str:
    """Return the workspace's part of URLs."""
    organization = call.db.find(Organization.row, Organization.row.id == organization_id(call))
    return organization.urlKey if organization else "workspace"


def _status(call: Call, status_id: str | None) -> Any:
    if status_id:
        return call.db.get(ProjectStatus.row, status_id)
    status = ProjectStatus.row
    statuses = call.db.rows(status, status.archivedAt.is_null(), order=status.position)
    if not statuses:
        return furnish_statuses(call)
    return next((each for each in statuses if each.type == "backlog"), statuses[0])


def furnish_statuses(call: Call) -> Any:
    """Create the default project statuses of a workspace that has none, and return the first status."""
    now, organization = call.clock.iso(), organization_id(call)
    made = [
        call.db.add(
            ProjectStatus.row(
                id=call.ids.uuid(),
                name=name,
                type=kind,
                color=color,
                position=float(position),
                organizationId=organization,
                createdAt=now,
                updatedAt=now,
            )
        )
        for position, (name, kind, color) in enumerate(STATUSES)
    ]
    return made[0]


def status_columns(status: Any, now: str, before: Any = None) -> dict[str, Any]:
    """Return the columns derived from a project's status."""
    started = before.startedAt if before else None
    return {
        "state": status.type,
        "startedAt": (started or now) if status.type in ("started", "completed") else started,
        "completedAt": now if status.type == "completed" else None,
        "canceledAt": now if status.type == "canceled" else None,
    }


def priority(given: int | None, order: float | None = None) -> dict[str, Any]:
    """Return the columns of a priority from 0 to 4 and its sort order; raise InvalidInput for another value."""
    value = given or 0
    if value not in range(len(PRIORITIES)):
        raise InvalidInput("priority: it goes from 0 (none) over 1 (urgent) to 4 (low).")
    order = float(value or len(PRIORITIES)) if order is None else order
    return {"priority": int(value), "priorityLabel": PRIORITIES[int(value)], "prioritySortOrder": order}


def _check_dates(values: dict[str, Any]) -> None:
    starts, ends = values.get("startDate"), values.get("targetDate")
    if starts and ends and starts > ends:
        raise InvalidInput("targetDate: a project's target lies after its start.")


@api.before_update(Project)
def update_project(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    """Validate the changes of a project and add the columns derived from them."""
    if "name" in changes and not (changes["name"] or "").strip():
        raise InvalidInput("name: a project needs a name.")
    if changes.get("statusId") and changes["statusId"] != row.statusId:
        changes |= status_columns(call.db.get(ProjectStatus.row, changes["statusId"]), call.clock.iso(), row)
    if "priority" in changes:
        changes |= priority(changes["priority"], changes.get("prioritySortOrder"))
    if given.get("labelIds") is not None:
        changes["labelIds"] = list(dict.fromkeys(given["labelIds"]))
        check_combined_labels(call, ProjectLabel, changes["labelIds"], row.labelIds)
    if given.get("teamIds") == []:
        raise InvalidInput("teamIds: a project needs at least one team.")
    if "trashed" in changes:
        changes["archivedAt"] = call.clock.iso() if changes["trashed"] else None
    _check_dates({name: changes.get(name, getattr(row, name)) for name in ("startDate", "targetDate")})


@api.before_archive(Project)
def archive_project(call: Call, row: Any, changes: dict[str, Any], arguments: dict[str, Any]) -> None:
    """Archive a project, and trash it if requested."""
    if arguments.get("trash"):
        changes["trashed"] = True


@api.before_delete(Project)
def delete_project(call: Call, row: Any, changes: dict[str, Any], arguments: dict[str, Any]) -> None:
    """Mark a deleted project as trashed."""
    changes["trashed"] = True


@api.before_unarchive(Project)
def unarchive_project(call: Call, row: Any, changes: dict[str, Any], arguments: dict[str, Any]) -> None:
    """Clear `trashed` when a project is unarchived."""
    if row.trashed:
        changes["trashed"] = None


@api.lookup(Project)
def project_id(call: Call, given: str) -> str:
    """Resolve the last part of a project's URL to its id."""
    if is_uuid(given):
        return given
    project = call.db.find(Project.row, Project.row.slugId == given.rsplit("-", 1)[-1])
    return project.id if project else given


@api.mutation("projectAddLabel(id: String!, labelId: String!): ProjectPayload!")
def project_add_label(call: Call, id: str, label_id: str) -> dict[str, Any]:
    """Add a label to a project."""
    project = entity_operations.find(call, Project, id)
    labels = [*project.labelIds, *(key for key in [label_id] if key not in project.labelIds)]
    return {"project": entity_operations.update(call, Project, project, {"labelIds": labels})}


@api.mutation("projectRemoveLabel(id: String!, labelId: String!): ProjectPayload!")
def project_remove_label(call: Call, id: str, label_id: str) -> dict[str, Any]:
    """Remove a label from a project."""
    project = entity_operations.find(call, Project, id)
    labels = [key for key in project.labelIds if key != label_id]
    return {"project": entity_operations.update(call, Project, project, {"labelIds": labels})}


@api.field(Project, "favorite", needs="id")
def favorite(call: Call, rows: list[Any]) -> list[Any]:
    """Return the caller's favorite of each project, or None."""
    return favorites_of(call, "projectId", rows)


@api.field(Issue, "favorite", needs="id")
def favorite_issue(call: Call, rows: list[Any]) -> list[Any]:
    """Return the caller's favorite of each issue, or None."""
    return favorites_of(call, "issueId", rows)


def favorites_of(call: Call, column: str, rows: list[Any]) -> list[Any]:
    """Return the caller's favorites of a batch of rows. `column` is the favorite's column that refers to them."""
    row = Favorite.row
    place = getattr(row, column)
    favorites = call.db.rows(row, row.ownerId == call.actor, place.in_(tuple(each.id for each in rows)))
    by_thing = {getattr(each, column): each for each in favorites}
    return [by_thing.get(each.id) for each in rows]


@api.field(Project, "progress", needs="id")
def progress(call: Call, rows: list[Any]) -> list[float]:
    """Return the share of each project's issues that are completed, from 0 to 1. Canceled issues are not counted."""
    return compute_done_shares(call, Issue.row.projectId, rows)


@api.field(ProjectMilestone, "progress", needs="id")
def milestone_progress(call: Call, rows: list[Any]) -> list[float]:
    """Return the percentage of each milestone's issues that are completed, from 0 to 100, unlike projects' share."""
    return [100 * share for share in compute_done_shares(call, Issue.row.projectMilestoneId, rows)]


@api.before_create(ProjectMilestone)
def create_milestone(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Place a new milestone after the others of its project."""
    if not values["name"].strip():
        raise InvalidInput("name: a milestone needs a name.")
    _describe(values, given)
    if given.get("sortOrder") is None:
        milestone = ProjectMilestone.row
        last = call.db.rows(milestone, milestone.projectId == values["projectId"], order=-milestone.sortOrder, limit=1)
        values["sortOrder"] = last[0].sortOrder + 1000.0 if last else 0.0


@api.before_update(ProjectMilestone)
def update_milestone(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    """Apply a description that is given as a document."""
    _describe(changes, given)


def _describe(columns: dict[str, Any], given: dict[str, Any]) -> None:
    text = read_text_input(given, "description")
    if text is not None:
        columns["description"] = text


@api.before_create(ProjectStatus)
def create_status(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Set the workspace of a new status."""
    values["organizationId"] = organization_id(call)


@api.before_archive(ProjectStatus)
def archive_status(call: Call, row: Any, changes: dict[str, Any], arguments: dict[str, Any]) -> None:
    """Raise InvalidInput if active projects have the status, or if it is the last of its type."""
    project, status = Project.row, ProjectStatus.row
    if call.db.find(project, project.statusId == row.id, project.archivedAt.is_null()):
        raise InvalidInput(f"id: projects have the status '{row.name}'.")
    if not call.db.find(status, status.type == row.type, status.id != row.id, status.archivedAt.is_null()):
        raise InvalidInput(f"id: '{row.name}' is the last status of the type '{row.type}'.")


@api.query("projectStatusProjectCount(id: String!): ProjectStatusCountPayload!")
def project_status_project_count(call: Call, id: str) -> dict[str, Any]:
    """Count the projects with a status."""
    status, project = entity_operations.find(call, ProjectStatus, id), Project.row
    count = call.db.count(project, project.statusId == status.id, project.archivedAt.is_null())
    return {"count": float(count), "privateCount": 0.0, "archivedTeamCount": 0.0}
