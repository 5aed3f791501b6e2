"""Filters of issues by when something happened and how long it took.

https://linear.app/developers/filtering · https://linear.app/docs/sla
"""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

from twindiff.kit import Call, Column, all_of, any_of, exists, not_
from twindiff.kit.graphql import Section, by_case, by_value, instant_of
from twindiff.kit.rows import Expression

from .issue_states import FINISHED
from .model.history import IssueHistory
from .model.issues import Issue
from .model.workflows import Cycle, WorkflowState

api = Section()

MILLISECOND = timedelta(milliseconds=1)


def _length(earlier: str, later: str) -> float:
    return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)) / MILLISECOND


def _between(name: str, earlier: Column[Any], later: Column[Any]) -> None:
    """The time from one instant of an issue to another, in milliseconds; null while one of them has not come."""

    @api.filter(Issue, name)
    def lasted(call: Call, comparator: dict[str, Any]) -> Expression:  # pyright: ignore[reportUnusedFunction]
        issue = Issue.row
        both = (not_(earlier.is_null()), not_(later.is_null()))
        found = call.db.rows(issue, *both, columns=(issue.id, earlier, later))
        return by_value(issue.id, {key: _length(start, end) for key, start, end in found}, comparator)


_between("cycleTime", Issue.row.startedAt, Issue.row.completedAt)
_between("leadTime", Issue.row.createdAt, Issue.row.completedAt)
_between("triageTime", Issue.row.startedTriageAt, Issue.row.triagedAt)


@api.filter(Issue, "ageTime")
def age(call: Call, comparator: dict[str, Any]) -> Expression:
    """How long ago an issue that is still open was created, in milliseconds."""
    issue, now = Issue.row, call.clock.iso()
    is_open = (issue.completedAt.is_null(), issue.canceledAt.is_null())
    found = call.db.rows(issue, *is_open, columns=(issue.id, issue.createdAt))
    return by_value(issue.id, {key: _length(created, now) for key, created in found}, comparator)


@api.filter(Issue, "addedToCyclePeriod")
def added_to_cycle(call: Call, comparator: dict[str, Any]) -> Expression:
    """Whether an issue came into its cycle before it began, while it ran or after it had ended."""
    issue, cycle = Issue.row, Cycle.row
    mine = cycle.id == issue.cycleId
    cases = {
        "before": exists(cycle, mine, cycle.startsAt > issue.addedToCycleAt),
        "during": exists(cycle, mine, cycle.startsAt <= issue.addedToCycleAt, cycle.endsAt >= issue.addedToCycleAt),
        "after": exists(cycle, mine, cycle.endsAt < issue.addedToCycleAt),
    }
    return by_case(cases, comparator)


def sla_cases(now: str) -> dict[str, Expression]:
    """Where issues stand with what was promised, the most urgent first; they exclude each other."""
    issue = Issue.row
    promised = not_(issue.slaBreachesAt.is_null())
    is_open = all_of(promised, issue.completedAt.is_null(), issue.canceledAt.is_null())
    # Both columns are the same issue's: inside `exists` the one on the right is that of the row outside.
    in_time = any_of(issue.completedAt <= issue.slaBreachesAt, issue.canceledAt <= issue.slaBreachesAt)
    kept = all_of(promised, exists(issue, issue.id == issue.id, in_time))
    breached, high, medium = issue.slaBreachesAt <= now, issue.slaHighRiskAt <= now, issue.slaMediumRiskAt <= now
    return {
        "Breached": all_of(is_open, breached),
        "HighRisk": all_of(is_open, not_(breached), high),
        "MediumRisk": all_of(is_open, not_(any_of(breached, high)), medium),
        "LowRisk": all_of(is_open, not_(any_of(breached, high, medium))),
        "Failed": all_of(promised, not_(is_open), not_(kept)),
        "Completed": kept,
    }


@api.filter(Issue, "slaStatus")
def sla_status(call: Call, comparator: dict[str, Any]) -> Expression:
    """Where an issue stands with what was promised; null when nothing was."""
    return by_case(sla_cases(call.clock.iso()), comparator)


# Time in a state


@api.filter(Issue, "accumulatedStateUpdatedAt")
def accumulated_state_updated_at(call: Call, comparator: dict[str, Any]) -> Expression:
    """Since when an issue would be in its state, had it been there without a break."""
    now = call.clock.now.replace(tzinfo=None)
    since = {key: (now - spent * MILLISECOND).isoformat() for key, spent in time_in_state(call).items()}
    given = {name: _instants(call, operand) for name, operand in comparator.items()}
    return by_value(Issue.row.id, since, given)


def _instants(call: Call, operand: Any) -> Any:
    if isinstance(operand, str):
        return instant_of(call, operand)
    return [instant_of(call, each) for each in operand] if isinstance(operand, list) else operand  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def time_in_state(call: Call) -> dict[str, float]:
    """How long each issue has been in its state, all its stays there together, in milliseconds."""
    issue, state, now = Issue.row, WorkflowState.row, call.clock.iso()
    types = dict(call.db.rows(state, columns=(state.id, state.type)))
    moves = _moves(call)
    spent: dict[str, float] = {}
    for row in call.db.rows(issue):
        stays = moves.get(row.id) or [(row.stateId, _entered(row, types.get(row.stateId, "")))]
        spent[row.id] = sum(
            _length(since, until) for (key, since), (_, until) in pairwise([*stays, ("", now)]) if key == row.stateId
        )
    return spent


def _moves(call: Call) -> dict[str, list[tuple[str, str]]]:
    """The states that issues have been in and since when, for those that were moved."""
    history, issue = IssueHistory.row, Issue.row
    stay = (history.fromStateId, history.toStateId, history.createdAt)
    columns = (history.issueId, *stay, history.issueId.to(issue.createdAt))
    moves: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    moved = call.db.rows(history, not_(history.toStateId.is_null()), order=history.createdAt, columns=columns)
    for key, before, after, at, created in moved:
        if not moves[key]:
            moves[key].append((before, created))
        moves[key].append((after, at))
    return moves


def _entered(row: Any, kind: str) -> str:
    """When an issue that was never moved came into its state, as far as its columns tell."""
    if kind in FINISHED:
        return row.completedAt or row.canceledAt or row.createdAt
    return (row.startedAt if kind == "started" else None) or row.createdAt
