"""Issue filters by time: durations, cycle periods, SLA status and time in a state.

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
    """Register a filter on the time between two instants of an issue. It is null while one of them is unset."""

    @api.filter(Issue, name)
    def matches_duration(call: Call, comparator: dict[str, Any]) -> Expression:  # pyright: ignore[reportUnusedFunction]
        return fits(elapsed_micros(earlier, later), comparator, _microseconds)


def _microseconds(operand: Any) -> Any:
    """Convert an operand in milliseconds to microseconds."""
    if isinstance(operand, list):
        return [_microseconds(each) for each in operand]  # pyright: ignore[reportUnknownVariableType]
    return operand if isinstance(operand, bool) or operand is None else operand * MILLISECOND


_length("cycleTime", Issue.row.startedAt, Issue.row.completedAt)
_length("leadTime", Issue.row.createdAt, Issue.row.completedAt)
_length("triageTime", Issue.row.startedTriageAt, Issue.row.triagedAt)


@api.filter(Issue, "ageTime")
def age(call: Call, comparator: dict[str, Any]) -> Expression:
    """Build the condition on the age of an open issue; null for a closed one."""
    issue = Issue.row
    is_open = all_of(issue.completedAt.is_null(), issue.canceledAt.is_null())
    since = elapsed_micros(issue.createdAt, call.clock.iso())
    return fits(case("integer", (is_open, since)), comparator, _microseconds)


@api.filter(Issue, "addedToCyclePeriod")
def added_to_cycle(call: Call, comparator: dict[str, Any]) -> Expression:
    """Build the condition on whether an issue was added to its cycle before, during or after the cycle."""
    issue, cycle = Issue.row, Cycle.row
    mine = cycle.id == issue.cycleId
    cases = {
        "before": exists(cycle, mine, cycle.startsAt > issue.addedToCycleAt),
        "during": exists(cycle, mine, cycle.startsAt <= issue.addedToCycleAt, cycle.endsAt >= issue.addedToCycleAt),
        "after": exists(cycle, mine, cycle.endsAt < issue.addedToCycleAt),
    }
    return by_case(cases, comparator)


def sla_cases(now: str) -> dict[str, Expression]:
    """Return the condition of each SLA status, most urgent first. The conditions exclude each other."""
    issue = Issue.row
    promised = not_(issue.slaBreachesAt.is_null())
    is_open = all_of(promised, issue.completedAt.is_null(), issue.canceledAt.is_null())
    # Both columns belong to the same issue: inside `exists`, the right side refers to the outer row.
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
    """Build the condition on an issue's SLA status; null without an SLA."""
    return by_case(sla_cases(call.clock.iso()), comparator)


# Time in a state


_TURNED = {"lt": "gt", "lte": "gte", "gt": "lt", "gte": "lte"}


@api.filter(Issue, "accumulatedStateUpdatedAt")
def accumulated_state_updated_at(call: Call, comparator: dict[str, Any]) -> Expression:
    """Build the condition on the instant since which an issue would be in its state without interruptions.

    An earlier instant means a longer time in the state, so the comparison operators are swapped.
    """
    turned = {_TURNED.get(name, name): operand for name, operand in comparator.items()}
    return fits(time_in_state(call), turned, lambda operand: _until_now(call, operand))


def _until_now(call: Call, operand: Any) -> Any:
    """Convert an instant to the microseconds from it until now."""
    if isinstance(operand, list):
        return [_until_now(call, each) for each in operand]  # pyright: ignore[reportUnknownVariableType]
    if not isinstance(operand, str):
        return operand
    then = datetime.fromisoformat(instant_of(call, operand)).replace(tzinfo=UTC)
    return (call.clock.now - then) // MICROSECOND


def time_in_state(call: Call) -> Column[Any]:
    """Build the total time in microseconds that an issue has spent in its current state, over all stays."""
    issue, move, now = Issue.row, IssueHistory.row, call.clock.iso()
    mine = (move.issueId == issue.id, not_(move.toStateId.is_null()))
    # In the subqueries, the right side refers to the outer move.
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
    """Build the instant at which an issue that was never moved entered its state, estimated from its columns."""
    issue, state = Issue.row, WorkflowState.row
    kind = issue.stateId.to(state.type)
    return case(
        "timestamp",
        (kind.in_(FINISHED), coalesce(issue.completedAt, issue.canceledAt, issue.createdAt)),
        (kind == "started", coalesce(issue.startedAt, issue.createdAt)),
        otherwise=issue.createdAt,
    )
