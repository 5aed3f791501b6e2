"""Git automations, triage responsibility, integrations and their settings.

https://linear.app/docs/github · https://linear.app/docs/triage · https://linear.app/docs/integrations
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call
from twindiff.kit.graphql import Entity, Section
from twindiff.kit.graphql.errors import InvalidInput

from ..model.automations import (
    GitAutomationState,
    GitAutomationTargetBranch,
    IntegrationsSettings,
    TriageResponsibility,
)
from ..model.initiatives import Initiative
from ..model.projects import Project
from ..model.teams import Team
from ..model.users import User
from ..model.views import TimeSchedule
from ..model.workflows import WorkflowState

api = Section()


# Git automations


@api.before_create(GitAutomationState)
def create_automation(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Validate a new automation: a team has at most one per event and target branch."""
    _check_automation(call, values, "")


@api.before_update(GitAutomationState)
def update_automation(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    """Validate a changed automation, which must stay unique for its event and target branch."""
    names = ("event", "teamId", "stateId", "targetBranchId")
    _check_automation(call, {name: changes.get(name, getattr(row, name)) for name in names}, row.id)


def _check_automation(call: Call, values: dict[str, Any], besides: str) -> None:
    row, branch = GitAutomationState.row, values.get("targetBranchId")
    for name, entity in (("stateId", WorkflowState), ("targetBranchId", GitAutomationTargetBranch)):
        if values.get(name) and call.db.get(entity.row, values[name]).teamId != values["teamId"]:
            raise InvalidInput(f"{name}: it belongs to another team.")
    same_branch = row.targetBranchId == branch if branch else row.targetBranchId.is_null()
    if call.db.find(row, row.teamId == values["teamId"], row.event == values["event"], same_branch, row.id != besides):
        raise InvalidInput(f"event: the team has an automation for '{values['event']}' already.")


@api.before_create(GitAutomationTargetBranch)
def create_branch(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Raise InvalidInput if the team has the branch pattern already."""
    _check_branch(call, values["teamId"], values["branchPattern"])


@api.before_update(GitAutomationTargetBranch)
def update_branch(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    """Raise InvalidInput if the team has the changed branch pattern already."""
    if changes.get("branchPattern", row.branchPattern) != row.branchPattern:
        _check_branch(call, row.teamId, changes["branchPattern"])


def _check_branch(call: Call, team_id: str, pattern: str) -> None:
    row = GitAutomationTargetBranch.row
    if call.db.find(row, row.teamId == team_id, row.branchPattern == pattern):
        raise InvalidInput(f"branchPattern: the team has the pattern '{pattern}' already.")


# Triage


@api.before_create(TriageResponsibility)
def create_responsibility(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Validate a new responsibility: at most one per team, by manual selection or by a time schedule."""
    row = TriageResponsibility.row
    if call.db.find(row, row.teamId == values["teamId"]):
        raise InvalidInput("teamId: the team says who is responsible for its triage already.")
    _check_responsibility(call, values)


@api.before_update(TriageResponsibility)
def update_responsibility(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    """Apply a manual selection or a time schedule. Setting one clears the other."""
    if changes.get("manualSelection"):
        changes.setdefault("timeScheduleId", None)
    elif changes.get("timeScheduleId"):
        changes.setdefault("manualSelection", None)
    names = ("action", "manualSelection", "timeScheduleId")
    _check_responsibility(call, {name: changes.get(name, getattr(row, name)) for name in names})


def _check_responsibility(call: Call, values: dict[str, Any]) -> None:
    if values["action"] not in ("assign", "notify"):
        raise InvalidInput("action: it is one of assign and notify.")
    selected = values.get("manualSelection")
    if bool(selected) == bool(values.get("timeScheduleId")):
        raise InvalidInput("manualSelection: name people, or else a time schedule.")
    people = tuple(selected["userIds"]) if selected else ()
    if call.db.count(User.row, User.row.id.in_(people)) != len(set(people)):
        raise InvalidInput("manualSelection: one of its people is not in the workspace.")


@api.field(TriageResponsibility, "currentUser", needs="manualSelection timeScheduleId")
def current_user(call: Call, rows: list[Any]) -> list[Any]:
    """Return the user who is responsible now, for each responsibility."""
    wanted = [_in_turn(call, row) for row in rows]
    users = {each.id: each for each in call.db.rows(User.row, User.row.id.in_(tuple(filter(None, wanted))))}
    return [users.get(key) for key in wanted]


def _in_turn(call: Call, row: Any) -> str | None:
    if row.manualSelection:
        people = row.manualSelection["userIds"]
        return people[(row.manualSelection.get("assignmentIndex") or 0) % len(people)] if people else None
    schedule = call.db.find(TimeSchedule.row, TimeSchedule.row.id == row.timeScheduleId)
    now = call.clock.iso()
    entries: list[dict[str, Any]] = (schedule.entries if schedule else None) or []
    return next((each.get("userId") for each in entries if each["startsAt"] <= now < each["endsAt"]), None)


@api.field(Team, "triageResponsibility", needs="id")
def triage_responsibility(call: Call, rows: list[Any]) -> list[Any]:
    """Return the triage responsibility of each team, or None."""
    row = TriageResponsibility.row
    by_team = {each.teamId: each for each in call.db.rows(row, row.teamId.in_(tuple(each.id for each in rows)))}
    return [by_team.get(each.id) for each in rows]


# Integrations


_PLACES = ("teamId", "projectId", "initiativeId", "customViewId")


@api.before_create(IntegrationsSettings)
def create_settings(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Validate new settings: they belong to a thing that has none yet."""
    row = IntegrationsSettings.row
    place = next(name for name in _PLACES if values.get(name))
    if call.db.find(row, getattr(row, place) == values[place]):
        raise InvalidInput(f"{place}: it has settings already; change those.")


def _settings(entity: type[Entity], place: str) -> None:
    @api.field(entity, "integrationsSettings", needs="id")
    def settings(call: Call, rows: list[Any]) -> list[Any]:  # pyright: ignore[reportUnusedFunction] - registered
        row = IntegrationsSettings.row
        where = getattr(row, place).in_(tuple(each.id for each in rows))
        by_place = {getattr(each, place): each for each in call.db.rows(row, where)}
        return [by_place.get(each.id) for each in rows]


_settings(Team, "teamId")
_settings(Project, "projectId")
_settings(Initiative, "initiativeId")
