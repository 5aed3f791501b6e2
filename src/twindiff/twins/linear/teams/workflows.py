"""Workflow states and cycles of teams.

https://linear.app/docs/configuring-workflows · https://linear.app/docs/use-cycles
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from twindiff.kit import Call, all_of, any_of, exists, not_
from twindiff.kit.graphql import Section, yes_or_no
from twindiff.kit.graphql.errors import InvalidInput
from twindiff.kit.rows import Expression

from ..core.counts import compute_done_shares
from ..model.issues import Issue
from ..model.workflows import Cycle, WorkflowState
from .initial_workflows import heirs

api = Section()

TYPES = ("triage", "backlog", "unstarted", "started", "completed", "canceled", "duplicate")


@api.before_create(WorkflowState)
def create_state(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Validate a new state, which must have a known type. By default its position is last."""
    if values["type"] not in TYPES:
        raise InvalidInput(f"type: a workflow state is one of {', '.join(TYPES)}.")
    if not values["name"].strip():
        raise InvalidInput("name: a workflow state needs a name.")
    _check_name(call, values["teamId"], values["name"])
    if given.get("position") is None:
        state = WorkflowState.row
        last = call.db.rows(state, state.teamId == values["teamId"], order=-state.position, limit=1)
        values["position"] = last[0].position + 1.0 if last else 0.0


@api.before_update(WorkflowState)
def update_state(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    """Validate a changed state: its name is unique in its team. An inherited state changes only with its origin."""
    _check_own(row)
    if changes.get("name", row.name) != row.name:
        _check_name(call, row.teamId, changes["name"])


def _check_own(row: Any) -> None:
    if row.inheritedFromId:
        raise InvalidInput(f"The state '{row.name}' is the parent team's; change it there.")


def _check_name(call: Call, team_id: str, name: str) -> None:
    state = WorkflowState.row
    if call.db.find(state, state.teamId == team_id, state.name.equals(name), state.archivedAt.is_null()):
        raise InvalidInput(f"name: the team has a workflow state '{name}' already.")


@api.before_archive(WorkflowState)
def archive_state(call: Call, row: Any, changes: dict[str, Any], arguments: dict[str, Any]) -> None:
    """Archive a state and those inherited from it; raise InvalidInput if it has issues or is the team's last one."""
    issue, state = Issue.row, WorkflowState.row
    _check_own(row)
    below = heirs(call, row)
    if call.db.find(issue, issue.stateId.in_((row.id, *(each.id for each in below))), issue.archivedAt.is_null()):
        raise InvalidInput(f"The state '{row.name}' has issues; move them to another state first.")
    others = call.db.count(
        state, state.teamId == row.teamId, state.id != row.id, state.archivedAt.is_null(), state.type != "triage"
    )
    if not others:
        raise InvalidInput("A team needs at least one workflow state.")
    for each in below:
        call.db.change(each, archivedAt=call.clock.iso(), updatedAt=call.clock.iso())


@api.before_create(Cycle)
def create_cycle(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Number a new cycle; raise InvalidInput if it overlaps another cycle of the team."""
    cycle = Cycle.row
    _check_span(call, values["teamId"], values["startsAt"], values["endsAt"], "")
    last = call.db.rows(cycle, cycle.teamId == values["teamId"], order=-cycle.number, limit=1, columns=(cycle.number,))
    values["number"] = last[0][0] + 1.0 if last else 1.0


@api.before_update(Cycle)
def update_cycle(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    """Raise InvalidInput if a changed cycle overlaps another cycle of the team."""
    starts, ends = changes.get("startsAt") or row.startsAt, changes.get("endsAt") or row.endsAt
    if (starts, ends) != (row.startsAt, row.endsAt):
        _check_span(call, row.teamId, starts, ends, row.id)


def _check_span(call: Call, team_id: str, starts: str, ends: str, besides: str) -> None:
    if starts >= ends:
        raise InvalidInput("endsAt: a cycle ends after it starts.")
    cycle = Cycle.row
    same_team = all_of(cycle.teamId == team_id, cycle.id != besides, cycle.archivedAt.is_null())
    if call.db.find(cycle, same_team, cycle.startsAt < ends, cycle.endsAt > starts):
        raise InvalidInput("startsAt: the cycle overlaps with another one of the team.")


def _running(now: str) -> Expression:
    return all_of(Cycle.row.startsAt <= now, Cycle.row.endsAt > now)


def _is_next(now: str) -> Expression:
    """Build the condition for the next cycle: no other cycle of the team starts between now and its start."""
    cycle = Cycle.row
    sooner = exists(cycle, cycle.teamId == cycle.teamId, cycle.startsAt > now, cycle.startsAt < cycle.startsAt)
    return all_of(cycle.startsAt > now, not_(sooner))


def _is_previous(now: str) -> Expression:
    cycle = Cycle.row
    later = exists(cycle, cycle.teamId == cycle.teamId, cycle.endsAt <= now, cycle.endsAt > cycle.endsAt)
    return all_of(cycle.endsAt <= now, not_(later))


PHASES: dict[str, Callable[[str], Expression]] = {
    "isActive": _running,
    "isFuture": lambda now: Cycle.row.startsAt > now,
    "isPast": lambda now: Cycle.row.endsAt <= now,
    "isNext": _is_next,
    "isPrevious": _is_previous,
}


def _phase(name: str) -> None:
    condition = PHASES[name]

    @api.filter(Cycle, name)
    def holds(call: Call, comparator: dict[str, Any]) -> Expression:  # pyright: ignore[reportUnusedFunction]
        return yes_or_no(condition(call.clock.iso()), comparator)

    @api.field(Cycle, name, needs="id")
    def values(call: Call, rows: list[Any]) -> list[bool]:  # pyright: ignore[reportUnusedFunction]
        cycle = Cycle.row
        keys = tuple(row.id for row in rows)
        cycles = call.db.rows(cycle, cycle.id.in_(keys), condition(call.clock.iso()), columns=(cycle.id,))
        held = {key for (key,) in cycles}
        return [row.id in held for row in rows]


for _name in PHASES:
    _phase(_name)


@api.mutation("cycleShiftAll(input: CycleShiftAllInput!): CyclePayload!")
def cycle_shift_all(call: Call, input: dict[str, Any]) -> dict[str, Any]:
    """Move a cycle and all later ones of its team by a number of days."""
    cycle = Cycle.row
    first = call.db.get(cycle, input["id"])
    moved = first
    for row in call.db.rows(cycle, cycle.teamId == first.teamId, cycle.startsAt >= first.startsAt):
        span = {name: _shift_instant(getattr(row, name), input["daysToShift"]) for name in ("startsAt", "endsAt")}
        changed = call.db.change(row, updatedAt=call.clock.iso(), **span)
        moved = changed if row.id == first.id else moved
    return {"cycle": moved}


def _shift_instant(instant: str, days: float) -> str:
    try:
        return (datetime.fromisoformat(instant) + timedelta(days=days)).isoformat()
    except OverflowError:
        raise InvalidInput(f"daysToShift: {days:g} days lead beyond the calendar.") from None


@api.field(Cycle, "progress", needs="id")
def cycle_progress(call: Call, rows: list[Any]) -> list[float]:
    """Return the share of each cycle's issues that are completed, from 0 to 1."""
    return compute_done_shares(call, Issue.row.cycleId, rows)


@api.filter(Cycle, "isInCooldown")
def is_in_cooldown(call: Call, comparator: dict[str, Any]) -> Expression:
    """Build the condition on the cooldown between cycles. No team of the twin has one."""
    return yes_or_no(any_of(), comparator)
