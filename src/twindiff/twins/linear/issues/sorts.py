"""Sorts that are not columns of their own.  https://linear.app/developers/graphql"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, Column, exists
from twindiff.kit.computed_values import case, coalesce, count, greatest, join_texts, only, reachable_rows
from twindiff.kit.graphql import Entity, Section, entity_operations
from twindiff.kit.rows import Expression, Order, Step

from ..model.associations import IssueLabelling
from ..model.attachments import Attachment
from ..model.initiatives import Initiative
from ..model.issues import Issue
from ..model.labels import IssueLabel
from ..model.project_parts import ProjectMilestone
from ..model.projects import Project
from ..model.releases import IssueToRelease, Release
from ..model.workflows import Cycle, WorkflowState
from .issue_time_filters import sla_cases, time_in_state

api = Section()


def _by(entity: type[Entity], name: str, column: Column[Any]) -> None:
    @api.sort(entity, name)
    def order(call: Call, options: dict[str, Any]) -> tuple[Column[Any], ...]:  # pyright: ignore[reportUnusedFunction]
        return (column,)


for _entity in (Issue, Project, Initiative):
    _by(_entity, "manual", _entity.row.sortOrder)
_by(Issue, "milestone", Issue.row.projectMilestoneId.to(ProjectMilestone.row.targetDate))


@api.sort(Issue, "workflowState")
def by_workflow_state(call: Call, options: dict[str, Any]) -> Any:
    """Sort by the state's position; with `closedIssuesOrderedByRecency`, closed issues of a state most recent first."""
    issue, place = Issue.row, Issue.row.stateId.to(WorkflowState.row.position)
    if not options.get("closedIssuesOrderedByRecency"):
        return place
    return (place, -coalesce(issue.completedAt, issue.canceledAt))


def _by_priority(entity: type[Entity]) -> None:
    """Register the sort from urgent to low. Without priority comes last, or first with `noPriorityFirst`."""

    @api.sort(entity, "priority")
    def order(call: Call, options: dict[str, Any]) -> Any:  # pyright: ignore[reportUnusedFunction]
        row = entity.row
        ties = (row.prioritySortOrder,) if options.get("usePrioritySortOrderTiebreaker") else ()
        if options.get("noPriorityFirst"):
            return (row.priority, *ties)
        return (case("boolean", (row.priority == 0, True), otherwise=False), row.priority, *ties)


for _entity in (Issue, Project, Initiative):
    _by_priority(_entity)


@api.sort(Issue, "cycle")
def by_cycle(call: Call, options: dict[str, Any]) -> Any:
    """Sort by the cycle's start; with `currentCycleFirst`, the current cycle, then future ones, then past ones."""
    issue, cycle, now = Issue.row, Cycle.row, call.clock.iso()
    if not options.get("currentCycleFirst"):
        return issue.cycleId.to(cycle.startsAt)
    is_over = case("boolean", (cycle.endsAt <= now, True), otherwise=False)
    to_come = case("timestamp", (cycle.endsAt > now, cycle.startsAt))
    mine = cycle.id == issue.cycleId
    return (only(is_over, cycle, mine), only(to_come, cycle, mine), -issue.cycleId.to(cycle.startsAt))


@api.sort(Issue, "accumulatedStateUpdatedAt")
def by_time_in_state(call: Call, options: dict[str, Any]) -> Column[Any]:
    """Sort by the time that issues have spent in their state."""
    return time_in_state(call)


@api.sort(Issue, "slaStatus")
def by_sla_status(call: Call, options: dict[str, Any]) -> Column[Any]:
    """Sort by SLA status, from the most urgent to those completed in time."""
    cases = sla_cases(call.clock.iso()).values()
    return case("integer", *((condition, place) for place, condition in enumerate(cases)))


@api.sort(Issue, "linkCount")
def by_links(call: Call, options: dict[str, Any]) -> Column[Any]:
    """Sort by the number of attachments."""
    row = Attachment.row
    return count(row, row.issueId == Issue.row.id, row.archivedAt.is_null())


@api.sort(Issue, "rootIssue")
def by_root(call: Call, options: dict[str, Any]) -> tuple[Order, ...]:
    """Sort by the root issue above each issue, in an order of its own."""
    issue = Issue.row
    above = reachable_rows(issue.id, Step(issue.id, issue.parentId))
    return tuple(
        order._replace(column=only(order.column, above, issue.parentId.is_null()))
        for order in entity_operations.order(call, Issue, options["sort"])
    )


@api.sort(Issue, "label")
def by_label(call: Call, options: dict[str, Any]) -> Column[Any]:
    """Sort by the names of an issue's labels, compared name by name."""
    return _label_names()


@api.sort(Issue, "labelGroup")
def by_label_group(call: Call, options: dict[str, Any]) -> Column[Any]:
    """Sort by the name of an issue's label from one group."""
    return _label_names(IssueLabel.row.parentId == options["labelGroupId"])


def _label_names(*which: Expression) -> Column[Any]:
    label, link = IssueLabel.row, IssueLabelling
    is_one = exists(label, label.id == link.issue_label_id, label.archivedAt.is_null(), *which)
    return join_texts(link.issue_label_id.to(label.name), link, link.issue_id == Issue.row.id, is_one)


@api.sort(Issue, "release")
def by_release(call: Call, options: dict[str, Any]) -> Column[Any]:
    """Sort by an issue's latest release: by its completion, else by its target date."""
    link, release = IssueToRelease.row, Release.row
    date = only(coalesce(release.completedAt, release.targetDate), release, release.id == link.releaseId)
    return greatest(date, link, link.issueId == Issue.row.id, link.archivedAt.is_null())
