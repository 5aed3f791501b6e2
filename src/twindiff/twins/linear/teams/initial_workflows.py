"""The initial workflow states of a team, and the states that a sub-team inherits from its parent.

https://linear.app/docs/configuring-workflows · https://linear.app/docs/sub-teams
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call
from twindiff.kit.graphql import Section, entity_operations
from twindiff.kit.graphql.errors import InvalidInput

from ..issues.issue_states import duplicate_state
from ..model.issues import Issue
from ..model.teams import Team
from ..model.workflows import WorkflowState

api = Section()

_USUAL = (
    ("Backlog", "backlog", "#bec2c8"),
    ("Todo", "unstarted", "#e2e2e2"),
    ("In Progress", "started", "#f2c94c"),
    ("Done", "completed", "#5e6ad2"),
    ("Canceled", "canceled", "#95a2b3"),
    ("Duplicate", "duplicate", "#95a2b3"),
)
"""The states of a new team: name, type and colour. https://linear.app/docs/configuring-workflows"""
_SHARED = ("name", "type", "color", "description", "position")
"""The columns that an inherited state copies from its origin."""


def states_of(call: Call, team_id: str) -> list[Any]:
    """Return the states of a team, by position."""
    state = WorkflowState.row
    return call.db.rows(state, state.teamId == team_id, state.archivedAt.is_null(), order=state.position)


def furnish_states(call: Call, team: Any, example_id: str | None) -> dict[str, str | None]:
    """Create the states of a new team: its parent's, those of the team `example_id`, or the default ones.

    Returns the team's columns that refer to states.
    """
    parents = states_of(call, team.parentId) if team.inheritWorkflowStatuses and team.parentId else []
    examples = states_of(call, example_id) if example_id else []
    if parents:
        made = [_inherit(call, team, each) for each in parents]
    elif examples:
        made = [_add(call, team, **_copy_shared_columns(each)) for each in examples]
    else:
        made = [
            _add(call, team, name=name, type=kind, color=color, position=float(position))
            for position, (name, kind, color) in enumerate(_USUAL)
        ]
    if team.triageEnabled and not any(each.type == "triage" for each in made):
        made.append(_add_triage(call, team))
    return _standing(call, team, made)


def _add_triage(call: Call, team: Any) -> Any:
    return _add(call, team, name="Triage", type="triage", color="#fc7840", position=-1.0)


def furnish_triage(call: Call, team: Any) -> Any:
    """Create the triage state of a team that uses triage and has none; return the team.

    https://linear.app/docs/triage
    """
    if not team.triageEnabled or any(each.type == "triage" for each in states_of(call, team.id)):
        return team
    return call.db.change(team, triageIssueStateId=_add_triage(call, team).id)


def _standing(call: Call, team: Any, states: list[Any]) -> dict[str, str | None]:
    first = {each.type: each.id for each in reversed(states)}
    duplicates = duplicate_state(call, team)
    return {
        "defaultIssueStateId": first.get("backlog") or first.get("unstarted"),
        "triageIssueStateId": first.get("triage"),
        "markedAsDuplicateWorkflowStateId": duplicates.id if duplicates else None,
    }


def _copy_shared_columns(state: Any) -> dict[str, Any]:
    return {name: getattr(state, name) for name in _SHARED}


def _add(call: Call, team: Any, **values: Any) -> Any:
    now = call.clock.iso()
    return call.db.add(WorkflowState.row(id=call.ids.uuid(), teamId=team.id, createdAt=now, updatedAt=now, **values))


def _inherit(call: Call, team: Any, state: Any) -> Any:
    return _add(call, team, **_copy_shared_columns(state), inheritedFromId=state.id)


def adopt(call: Call, team: Any, mapping: dict[str, str]) -> Any:
    """Let an existing team inherit its parent's states.

    The issues of other states move to the state in `mapping`, else to one with the same name or type.
    """
    left = states_of(call, team.id)
    adopted: dict[str, Any] = {}
    for each in states_of(call, team.parentId):
        same = next((own for own in left if own.name.lower() == each.name.lower() and own.type == each.type), None)
        if same:
            left.remove(same)
            adopted[each.id] = call.db.change(same, inheritedFromId=each.id, **_copy_shared_columns(each))
        else:
            adopted[each.id] = _inherit(call, team, each)
    for state in left:
        _leave(call, state, adopted, mapping.get(state.id))
    return call.db.change(team, **_standing(call, team, [*adopted.values()]))


def _leave(call: Call, state: Any, adopted: dict[str, Any], wanted: str | None) -> None:
    """Move the issues of a state that the parent does not have to another state, and archive it."""
    if wanted and wanted not in adopted:
        raise InvalidInput(f"mapping: '{wanted}' is no workflow state of the parent team.")
    same_type = [each for each in adopted.values() if each.type == state.type]
    target = adopted[wanted] if wanted else next(iter([*same_type, *adopted.values()]))
    for issue in call.db.rows(Issue.row, Issue.row.stateId == state.id):
        entity_operations.update(call, Issue, issue, {"stateId": target.id})
    now = call.clock.iso()
    call.db.change(state, archivedAt=now, updatedAt=now)


def release(call: Call, team: Any) -> None:
    """Detach a team's states from those of its parent."""
    for state in states_of(call, team.id):
        if state.inheritedFromId:
            call.db.change(state, inheritedFromId=None)


@api.after_create(WorkflowState)
def hand_down(call: Call, row: Any, given: dict[str, Any]) -> None:
    """Create a new state in the sub-teams that inherit the states of its team, too."""
    team = Team.row
    for below in call.db.rows(team, team.parentId == row.teamId, team.inheritWorkflowStatuses):
        _inherit(call, below, row)


@api.after_update(WorkflowState)
def hand_down_change(call: Call, before: Any, after: Any, given: dict[str, Any]) -> None:
    """Apply the change of a state to the states inherited from it."""
    for below in heirs(call, after):
        call.db.change(below, updatedAt=call.clock.iso(), **_copy_shared_columns(after))


def heirs(call: Call, state: Any) -> list[Any]:
    """Return the states of sub-teams that are inherited from a state."""
    row = WorkflowState.row
    return call.db.rows(row, row.inheritedFromId == state.id, row.archivedAt.is_null())
