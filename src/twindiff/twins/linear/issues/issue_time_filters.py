"""Filters of issues by when something happened and how long it took.

https://linear.app/developers/filtering · https://linear.app/docs/sla
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from twindiff.kit import Call, Column, all_of, any_of, exists, not_
from twindiff.kit.computed_values import case, coalesce, elapsed_micros, least, total
from twindiff.kit.graphql import Section, by_case, fits, instant_of
from twindiff.kit.rows import Expression

from ..model.history import IssueHistory
from ..model.issues import Issue
from ..model.workflows import Cycle, WorkflowState
from .issue_states import FINISHED

api = Section()

MICROSECOND = timedelta(microseconds=1)
MILLISECOND = 1000


def _length(name: str, earlier: Column[Any], later: Column[Any]) -> None:
    """The time from one instant of an issue to another; null while one of them has not come."""

    @api.filter(Issue, name)
    def matches_duration(call: Call, comparator: dict[str, Any]) -> Expression:  # pyright: ignore[reportUnusedFunction]
        return fits(elapsed_micros(earlier, later), comparator, _microseconds)


def _microseconds(operand: Any) -> Any:
    """An operand of a length of time, which is given in milliseconds."""
    if isinstance(operand, list):
        return [_microseconds(each) for each in operand]  # pyright: ignore[reportUnknownVariableType]
    return operand if isinstance(operand, bool) or operand is None else operand * MILLISECOND


_length("cycleTime", Issue.row.startedAt, Issue.row.completedAt)
_length("leadTime", Issue.row.createdAt, Issue.row.completedAt)
_length("triageTime", Issue.row.startedTriageAt, Issue.row.triagedAt)


@api.filter(Issue, "ageTime")
def age(call: Call, comparator: dict[str, Any]) -> Expression:
    """How long ago an issue that is still open was created."""
    issue = Issue.row
    is_open = all_of(issue.completedAt.is_null(), issue.canceledAt.is_null())
    since = elapsed_micros(issue.createdAt, call.clock.iso())
    return fits(case("integer", (is_open, since)), comparator, _microseconds)


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


_TURNED = {"lt": "gt", "lte": "gte", "gt": "lt", "gte": "lte"}


@api.filter(Issue, "accumulatedStateUpdatedAt")
def accumulated_state_updated_at(call: Call, comparator: dict[str, Any]) -> Expression:
    """Since when an issue would be in its state, had it been there without a break."""
    turned = {_TURNED.get(name, name): operand for name, operand in comparator.items()}
    return fits(time_in_state(call), turned, lambda operand: _until_now(call, operand))


def _until_now(call: Call, operand: Any) -> Any:
    """How long ago an instant was: the longer ago, the longer the time since."""
    if isinstance(operand, list):
        return [_until_now(call, each) for each in operand]  # pyright: ignore[reportUnknownVariableType]
    if not isinstance(operand, str):
        return operand
    then = datetime.fromisoformat(instant_of(call, operand)).replace(tzinfo=UTC)
    return (call.clock.now - then) // MICROSECOND


def time_in_state(call: Call) -> Column[Any]:
    """How long an issue has been in its state, all its stays there together, in microseconds."""
    issue, move, now = Issue.row, IssueHistory.row, call.clock.iso()
    mine = (move.issueId == issue.id, not_(move.toStateId.is_null()))
    # Inside, the columns on the right are those of the move outside.
    is_later = any_of(move.createdAt > move.createdAt, all_of(move.createdAt == move.createdAt, move.id > move.id))
    is_earlier = any_of(move.createdAt < move.createdAt, all_of(move.createdAt == move.createdAt, move.id < move.id))
    others = (move.issueId == move.issueId, not_(move.toStateId.is_null()))
    until = coalesce(least(move.createdAt, move, *others, is_later), now)
    first = not_(exists(move, *others, is_earlier))
    stays = total(elapsed_micros(move.createdAt, until), move, *mine, move.toStateId == issue.stateId)
    beginning = total(
        elapsed_micros(issue.createdAt, move.createdAt), move, *mine, move.fromStateId == issue.stateId, first
    )
    never_moved = case("integer", (not_(exists(move, *mine)), elapsed_micros(_estimate_entry_time(), now)), otherwise=0)
    return coalesce(stays, 0) + coalesce(beginning, 0) + never_moved


def _estimate_entry_time() -> Column[Any]:
    """When an issue that was never moved came into its state, as far as its columns tell."""
    issue, state = Issue.row, WorkflowState.row
    kind = issue.stateId.to(state.type)
    return case(
        "timestamp",
        (kind.in_(FINISHED), coalesce(issue.completedAt, issue.canceledAt, issue.createdAt)),
        (kind == "started", coalesce(issue.startedAt, issue.createdAt)),
        otherwise=issue.createdAt,
    )
