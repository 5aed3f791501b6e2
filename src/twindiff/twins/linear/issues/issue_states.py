"""Workflow states of issues, and the timestamps derived from them.

https://linear.app/docs/configuring-workflows
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call
from twindiff.kit.graphql.errors import InvalidInput

from ..model.issues import IssueRelation
from ..model.teams import Team
from ..model.workflows import WorkflowState

FINISHED = ("completed", "canceled", "duplicate")
DISCREPANCY = "Discrepancy between issue team and state, cycle or project."
"""The title of Linear's error for parts of an issue that belong to another team."""


def default_state(call: Call, team: Any) -> Any:
    """Return the initial state of a team's new issues; raise InvalidInput if the team has no states."""
    state = WorkflowState.row
    if team.defaultIssueStateId:
        chosen = call.db.find(state, state.id == team.defaultIssueStateId)
        if chosen:
            return chosen
    states = call.db.rows(state, state.teamId == team.id, state.archivedAt.is_null(), order=state.position)
    if not states:
        raise InvalidInput(f"Team {team.name} has no workflow state that an issue could begin in.")
    return next((each for each in states if each.type in ("backlog", "unstarted")), states[0])


def state_of_team(call: Call, state_id: str, team: Any) -> Any:
    """Return a state that issues of the team can have; raise InvalidInput otherwise."""
    state = call.db.find(WorkflowState.row, WorkflowState.row.id == state_id)
    if state is None or state.archivedAt:
        raise InvalidInput("stateId: there is no such workflow state.")
    if state.teamId not in (team.id, team.parentId if team.inheritWorkflowStatuses else team.id):
        raise InvalidInput(f"The state '{state.name}' belongs to another team than {team.name}.", title=DISCREPANCY)
    return state


def check_duplicate_state(call: Call, state: Any, before: Any = None) -> None:
    """Raise InvalidInput if an issue, new without `before`, would enter a state of duplicates and is none."""
    if state.type != "duplicate":
        return
    if before is None:
        raise InvalidInput("Cannot create an issue in a duplicate state.")
    relation = IssueRelation.row
    is_duplicate = (relation.issueId == before.id, relation.type == "duplicate", relation.archivedAt.is_null())
    was = call.db.find(WorkflowState.row, WorkflowState.row.id == before.stateId)
    if not call.db.find(relation, *is_duplicate) and not (was and was.type == "duplicate"):
        raise InvalidInput("Issues can only be moved to a duplicate state when a duplicate issue relation exists.")


def duplicate_state(call: Call, team: Any) -> Any:
    """Return the state for duplicates: the team's own one, else its first canceled one; None without either."""
    state = WorkflowState.row
    states = call.db.rows(state, state.teamId == team.id, state.archivedAt.is_null(), order=state.position)
    chosen = [each for each in states if each.id == team.markedAsDuplicateWorkflowStateId]
    named = [each for each in states if each.name == "Duplicate" and each.type in ("duplicate", "canceled")]
    kinds = [each for kind in ("duplicate", "canceled") for each in states if each.type == kind]
    return next(iter([*chosen, *named, *kinds]), None)


def state_after_move(call: Call, state_id: str, team: Any) -> Any:
    """Return the state of an issue moved to a team: the one with its name, else with its type, else the default."""
    state = WorkflowState.row
    old = call.db.get(state, state_id)
    states = call.db.rows(state, state.teamId == team.id, state.archivedAt.is_null(), order=state.position)
    same_name = [each for each in states if each.name.lower() == old.name.lower() and each.type == old.type]
    same_type = [each for each in states if each.type == old.type]
    return next(iter([*same_name, *same_type])) if same_name or same_type else default_state(call, team)


def instants(state: Any, now: str, before: Any = None) -> dict[str, Any]:
    """Return the columns that an issue gets in a state: startedAt, completedAt, canceledAt and triage times."""
    started = before.startedAt if before else None
    changed: dict[str, Any] = {"completedAt": None, "canceledAt": None}
    if state.type == "started":
        changed["startedAt"] = started or now
    elif state.type == "completed":
        changed |= {"startedAt": started or now, "completedAt": now}
    elif state.type in ("canceled", "duplicate"):
        changed["canceledAt"] = now
    elif state.type == "triage":
        changed |= {"startedAt": None, "startedTriageAt": now}
    else:
        changed["startedAt"] = None
    if before and before.startedTriageAt and not before.triagedAt and state.type != "triage":
        changed["triagedAt"] = now
    return changed


def team_of(call: Call, team_id: str) -> Any:
    """Return a team that can have work; raise InvalidInput if it is retired or unknown."""
    team = call.db.find(Team.row, Team.row.id == team_id)
    if team is None or team.archivedAt:
        raise InvalidInput("teamId: there is no such team.")
    return team
