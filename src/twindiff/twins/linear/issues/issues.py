"""Issues: hooks that run when they are created, changed, moved, archived and deleted.

https://linear.app/developers/graphql#creating-and-editing-issues
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call
from twindiff.kit.graphql import Section
from twindiff.kit.graphql.errors import InvalidInput

from ..core.issue_names import PRIORITIES, address, naming, next_number
from ..core.issue_templates import fill_in
from ..core.rich_text import read_text_input
from ..customers.customers import move_needs
from ..model.associations import ProjectTeam
from ..model.issues import Issue
from ..model.project_parts import ProjectMilestone
from ..model.users import User
from ..model.workflows import Cycle
from ..notifications import notification_delivery
from ..notifications.mentions import find_mentions
from ..notifications.subscribers import follow, keep_only
from . import cycle_automations, issue_history
from .issue_labels import check_labels
from .issue_moves import leave_team
from .issue_states import (
    DISCREPANCY,
    check_duplicate_state,
    default_state,
    instants,
    state_after_move,
    state_of_team,
    team_of,
)

api = Section()

DEEPEST = 100


@api.before_create(Issue)
def create_issue(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Assign number and state to a new issue and validate its relations."""
    team = team_of(call, values["teamId"])
    fill_in(call, values, given, default=team.defaultTemplateForMembersId)
    if not (values.get("title") or "").strip():
        raise InvalidInput("title: an issue needs a title.")
    state = state_of_team(call, values["stateId"], team) if values.get("stateId") else default_state(call, team)
    check_duplicate_state(call, state)
    values["stateId"] = state.id
    _describe(values, given)
    check_relations(call, values, team)
    cycle_automations.follow_state(call, team, state, values, values.get("cycleId"))
    labels = check_labels(call, given.get("labelIds") or [], team)
    now = call.clock.iso()
    values |= priority(values.get("priority"), values.get("prioritySortOrder"))
    values |= instants(state, now) | _parse_completion(state, values)
    values |= {
        "creatorId": values.get("creatorId") or call.actor,
        "labelIds": labels,
        "addedToTeamAt": now,
        "addedToProjectAt": now if values.get("projectId") else None,
        "addedToCycleAt": now if values.get("cycleId") else None,
    }
    values |= naming(call, team, values["title"], next_number(call, team))
    values.setdefault("sortOrder", -10.0 * values["number"])


@api.after_create(Issue)
def tell_of_issue(call: Call, row: Any, given: dict[str, Any]) -> None:
    """Notify the assignee of a new issue, and subscribe the assignee and the creator to it."""
    follow(call, row.id, row.creatorId, row.assigneeId)
    notification_delivery.notify_assignee(call, row)
    notification_delivery.notify_mentions(call, row, _list_mentioned(call, row.description))


def _list_mentioned(call: Call, description: str | None) -> list[str]:
    return [user.id for user in find_mentions(call, description).values()]


@api.before_update(Issue)
def update_issue(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    """Validate the changes of an issue and add the columns derived from them."""
    if "title" in changes and not (changes["title"] or "").strip():
        raise InvalidInput("title: an issue needs a title.")
    _describe(changes, given)
    team = team_of(call, changes.get("teamId") or row.teamId)
    if team.id != row.teamId:
        leave_team(call, row, changes, given, team)
    check_relations(call, changes, team, row)
    if call.strict and team.id != row.teamId and not changes.get("stateId"):
        # Public suites change an issue's team and nothing else, so lenient environments keep the state.
        changes["stateId"] = state_after_move(call, row.stateId, team).id
    if changes.get("stateId") and changes["stateId"] != row.stateId:
        state = state_of_team(call, changes["stateId"], team)
        check_duplicate_state(call, state, row)
        changes |= instants(state, call.clock.iso(), row)
        cycle_automations.follow_state(call, team, state, changes, changes.get("cycleId", row.cycleId))
    if "priority" in changes:
        changes |= priority(changes["priority"], changes.get("prioritySortOrder"))
    if "trashed" in changes:
        changes["archivedAt"] = call.clock.iso() if changes["trashed"] else None
    if changes.get("title", row.title) != row.title:
        changes["url"] = address(call, team, row.identifier, changes["title"])
    _move(call, row, changes, team)
    _labels(call, row, changes, given, team)


def _describe(columns: dict[str, Any], given: dict[str, Any]) -> None:
    """Apply a description that is given as a document."""
    text = read_text_input(given, "description")
    if text is not None:
        columns["description"] = text


def _move(call: Call, row: Any, changes: dict[str, Any], team: Any) -> None:
    """Add the columns of a move: a new number and the previous identifier in another team, no stale milestone."""
    now = call.clock.iso()
    if changes.get("teamId") and changes["teamId"] != row.teamId:
        changes |= naming(call, team, changes.get("title") or row.title, next_number(call, team))
        changes |= {"previousIdentifiers": [*row.previousIdentifiers, row.identifier], "addedToTeamAt": now}
    if changes.get("projectId", row.projectId) != row.projectId:
        changes["addedToProjectAt"] = now if changes["projectId"] else None
        if row.projectMilestoneId and not changes.get("projectMilestoneId"):
            changes["projectMilestoneId"] = None
    if changes.get("cycleId", row.cycleId) != row.cycleId:
        changes["addedToCycleAt"] = now if changes["cycleId"] else None


def _labels(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any], team: Any) -> None:
    if not any(given.get(word) is not None for word in ("labelIds", "addedLabelIds", "removedLabelIds")):
        return
    wanted: list[str] = list(row.labelIds if given.get("labelIds") is None else given["labelIds"])
    added: list[str] = given.get("addedLabelIds") or []
    removed: list[str] = given.get("removedLabelIds") or []
    wanted += [label for label in added if label not in wanted]
    changes["labelIds"] = check_labels(call, [label for label in wanted if label not in removed], team, row.labelIds)


@api.after_update(Issue)
def tell_of_change(call: Call, before: Any, after: Any, given: dict[str, Any]) -> None:
    """Record the change in the issue's history and notify the users it concerns."""
    issue_history.record(call, before, after)
    if given.get("subscriberIds") is not None:
        keep_only(call, after.id, given["subscriberIds"])
    if after.projectId != before.projectId:
        move_needs(call, after)
    if after.assigneeId != before.assigneeId:
        follow(call, after.id, after.assigneeId)
        notification_delivery.notify_assignee(call, after)
    if after.stateId != before.stateId:
        notification_delivery.notify_state_change(call, after)
    if after.description != before.description:
        known = _list_mentioned(call, before.description)
        new = [person for person in _list_mentioned(call, after.description) if person not in known]
        notification_delivery.notify_mentions(call, after, new)


@api.before_archive(Issue)
def archive_issue(call: Call, row: Any, changes: dict[str, Any], arguments: dict[str, Any]) -> None:
    """Archive an issue, and trash it if requested."""
    if arguments.get("trash"):
        changes["trashed"] = True
    if row.archivedAt is None:
        issue_history.add_history_entry(call, row.id, archived=True)


@api.before_unarchive(Issue)
def unarchive_issue(call: Call, row: Any, changes: dict[str, Any], arguments: dict[str, Any]) -> None:
    """Clear `trashed` when an issue is unarchived."""
    if row.trashed:
        changes["trashed"] = None
    if row.archivedAt is not None:
        issue_history.add_history_entry(call, row.id, archived=False, trashed=False if row.trashed else None)


@api.before_delete(Issue)
def delete_issue(call: Call, row: Any, changes: dict[str, Any], arguments: dict[str, Any]) -> None:
    """Trash an issue, or delete it with `permanentlyDelete`."""
    if arguments.get("permanentlyDelete"):
        changes.clear()
        return
    changes["trashed"] = True
    issue_history.add_history_entry(call, row.id, trashed=True)


def _parse_completion(state: Any, values: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of an imported issue's completion time; raise InvalidInput where it is not allowed."""
    at = values.get("completedAt")
    if at is None:
        return {}
    if state.type != "completed":
        raise InvalidInput(f"completedAt: an issue in the state '{state.name}' is not completed.")
    if at < values["createdAt"]:
        raise InvalidInput("completedAt must be after createdAt.")
    return {"completedAt": at}


def priority(given: float | None, order: float | None = None) -> dict[str, Any]:
    """Return the columns of a priority from 0 to 4 and its sort order."""
    value = given or 0
    if value not in range(len(PRIORITIES)):  # as a template may have it
        raise InvalidInput("priority must not be greater than 4.")
    order = float(value or len(PRIORITIES)) if order is None else order
    return {"priority": float(value), "priorityLabel": PRIORITIES[int(value)], "prioritySortOrder": order}


def check_relations(call: Call, values: dict[str, Any], team: Any, row: Any = None) -> None:
    """Raise InvalidInput unless parent, cycle, milestone and project fit the issue."""
    if values.get("parentId"):
        _check_parent(call, values["parentId"], row)
    if values.get("cycleId"):
        cycle = call.db.find(Cycle.row, Cycle.row.id == values["cycleId"])
        if cycle is None or cycle.teamId != team.id:
            raise InvalidInput(f"The cycle belongs to another team than {team.name}.", title=DISCREPANCY)
    if values.get("projectMilestoneId"):
        milestone = call.db.find(ProjectMilestone.row, ProjectMilestone.row.id == values["projectMilestoneId"])
        project = values.get("projectId") or (row.projectId if row else None)
        if milestone and project is None:
            values["projectId"] = milestone.projectId
        elif milestone is None or milestone.projectId != project:
            raise InvalidInput("projectMilestoneId: the milestone belongs to another project.")
    if values.get("projectId"):  # which the milestone may have brought
        _check_project(call, values["projectId"], team)
    if values.get("assigneeId"):
        _check_person(call, values["assigneeId"])


def _check_project(call: Call, project_id: str, team: Any) -> None:
    """Raise InvalidInput if a project has teams, and the issue's team and its parent are none of them.

    https://github.com/linear/linear/issues/159
    """
    link = ProjectTeam
    teams = {each.team_id for each in call.db.rows(link, link.project_id == project_id)}
    if teams and teams.isdisjoint((team.id, team.parentId)):
        raise InvalidInput(f"The project belongs to other teams than {team.name}.", title=DISCREPANCY)


def _check_parent(call: Call, parent_id: str, row: Any) -> None:
    """Raise InvalidInput if an issue would be its own ancestor."""
    seen = 0
    above: str | None = parent_id
    while above and row and seen < DEEPEST:
        if above == row.id:
            raise InvalidInput("parentId: an issue cannot be its own parent or that of an issue above it.")
        parent = call.db.find(Issue.row, Issue.row.id == above)
        above, seen = parent.parentId if parent else None, seen + 1


def _check_person(call: Call, user_id: str) -> None:
    user = call.db.find(User.row, User.row.id == user_id)
    if user is None or not user.active:
        raise InvalidInput("assigneeId: there is no such active user.")


@api.field(Issue, "sharedAccess")
def shared_access(call: Call, rows: list[Any]) -> list[Any]:
    """Return the shared access of each issue. Sharing single issues is not modelled, so no users have it."""
    nobody: dict[str, Any] = {
        "disallowedIssueFields": [],
        "isShared": False,
        "sharedWithCount": 0,
        "sharedWithUsers": [],
        "viewerHasOnlySharedAccess": False,
    }
    return [nobody for _ in rows]
