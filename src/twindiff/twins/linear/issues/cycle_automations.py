"""Cycles that issues enter and leave when their state changes, as their team's settings say.

https://linear.app/docs/cycle-automations
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..model.workflows import Cycle

_SETTINGS = {
    "unstarted": ("cycleLockToActive",),
    "started": ("cycleLockToActive", "cycleIssueAutoAssignStarted"),
    "completed": ("cycleIssueAutoAssignCompleted",),
}
"""The settings of a team that put an issue into the current cycle, by the type of the issue's new state."""


def follow_state(call: Call, team: Any, state: Any, values: dict[str, Any], cycle_id: str | None) -> None:
    """Set `cycleId` in the values of an issue that enters a state of a team with cycle automations.

    `cycle_id` is the cycle that the issue has otherwise. It loses the cycle in the backlog of a team that requires
    cycles. An issue without one gets the current cycle, if there is any.
    """
    if not team.cyclesEnabled:
        return
    if state.type == "backlog":
        if team.cycleLockToActive and cycle_id:
            values["cycleId"] = None
    elif not cycle_id and any(getattr(team, name) for name in _SETTINGS.get(state.type, ())):
        current = _find_current_cycle(call, team)
        if current:
            values["cycleId"] = current.id


def _find_current_cycle(call: Call, team: Any) -> Any:
    cycle, now = Cycle.row, call.clock.iso()
    is_current = (cycle.startsAt <= now, cycle.endsAt > now, cycle.archivedAt.is_null())
    return next(iter(call.db.rows(cycle, cycle.teamId == team.id, *is_current, order=cycle.startsAt, limit=1)), None)
