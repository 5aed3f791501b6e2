"""Sorts that are no columns of their own.  https://linear.app/developers/graphql"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from twindiff.kit import Call, Column, any_of, not_
from twindiff.kit.graphql import Entity, Ranks, Section, verbs

from .issue_filters import IMPORTANT
from .issue_times import sla_cases, time_in_state
from .model.associations import IssueLabelling
from .model.attachments import Attachment
from .model.customers import Customer, CustomerNeed
from .model.initiatives import Initiative
from .model.issues import Issue
from .model.labels import IssueLabel
from .model.project_parts import ProjectMilestone
from .model.projects import Project
from .model.releases import IssueToRelease, Release
from .model.workflows import Cycle, WorkflowState

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
    """By the place of the state; within one, those that were closed last come first when that is asked for."""
    issue, place = Issue.row, Issue.row.stateId.to(WorkflowState.row.position)
    if not options.get("closedIssuesOrderedByRecency"):
        return place
    closed = any_of(not_(issue.completedAt.is_null()), not_(issue.canceledAt.is_null()))
    found = call.db.rows(issue, closed, columns=(issue.id, issue.completedAt, issue.canceledAt))
    latest = sorted(found, key=lambda row: row[1] or row[2], reverse=True)
    return (place, Ranks({key: number for number, (key, _, _) in enumerate(latest)}))


def _by_priority(entity: type[Entity]) -> None:
    """From urgent to low; what has no priority comes after low, or before urgent when that is asked for."""

    @api.sort(entity, "priority")
    def order(call: Call, options: dict[str, Any]) -> Any:  # pyright: ignore[reportUnusedFunction]
        row = entity.row
        ties = (row.prioritySortOrder,) if options.get("usePrioritySortOrderTiebreaker") else ()
        if options.get("noPriorityFirst"):
            return (row.priority, *ties)
        without = call.db.rows(row, row.priority == 0, columns=(row.id,))
        return (Ranks({key: 1 for (key,) in without}, 0), row.priority, *ties)


for _entity in (Issue, Project, Initiative):
    _by_priority(_entity)


@api.sort(Issue, "cycle")
def by_cycle(call: Call, options: dict[str, Any]) -> Any:
    """By when the cycle starts; or the running one first, then those to come, then those that are over."""
    issue, cycle, now = Issue.row, Cycle.row, call.clock.iso()
    if not options.get("currentCycleFirst"):
        return issue.cycleId.to(cycle.startsAt)
    cycles = call.db.rows(cycle, order=cycle.startsAt, columns=(cycle.id, cycle.endsAt))
    over = [key for key, ends in cycles if ends <= now]
    place = {key: number for number, key in enumerate([*(key for key, ends in cycles if ends > now), *reversed(over)])}
    planned = call.db.rows(issue, issue.cycleId.in_(list(place)), columns=(issue.id, issue.cycleId))
    return Ranks({key: place[cycle_id] for key, cycle_id in planned})


@api.sort(Issue, "accumulatedStateUpdatedAt")
def by_time_in_state(call: Call, options: dict[str, Any]) -> Ranks:
    """By how long an issue has been in its state."""
    return Ranks(time_in_state(call))


@api.sort(Issue, "slaStatus")
def by_sla_status(call: Call, options: dict[str, Any]) -> Ranks:
    """The most urgent first, and last those that were finished in time."""
    issue = Issue.row
    cases = enumerate(sla_cases(call.clock.iso()).values())
    return Ranks({key: place for place, case in cases for (key,) in call.db.rows(issue, case, columns=(issue.id,))})


@api.sort(Issue, "linkCount")
def by_links(call: Call, options: dict[str, Any]) -> Ranks:
    """By how many attachments an issue has."""
    row = Attachment.row
    return Ranks(Counter(key for (key,) in call.db.rows(row, row.archivedAt.is_null(), columns=(row.issueId,))), 0)


@api.sort(Issue, "rootIssue")
def by_root(call: Call, options: dict[str, Any]) -> Ranks:
    """By the place that the topmost issue above an issue has in an order of its own."""
    issue = Issue.row
    place = {key: number for number, key in enumerate(verbs.arranged(call, Issue, options["sort"]))}
    parents = dict(call.db.rows(issue, not_(issue.parentId.is_null()), columns=(issue.id, issue.parentId)))
    return Ranks({key: place.get(_root(parents, key)) for key in place})


def _root(parents: dict[str, str], key: str) -> str:
    seen = {key}
    while key in parents and parents[key] not in seen:
        key = parents[key]
        seen.add(key)
    return key


# Labels


def _by_labels(call: Call, labels: Iterable[tuple[str, str]]) -> Ranks:
    """By the names of labels; of an issue with several, the first counts first."""
    names, link = dict(labels), IssueLabelling
    found: defaultdict[str, list[str]] = defaultdict(list)
    for label, issue in call.db.rows(
        link, link.issue_label_id.in_(list(names)), columns=(link.issue_label_id, link.issue_id)
    ):
        found[issue].append(names[label])
    return Ranks({issue: sorted(each) for issue, each in found.items()})


@api.sort(Issue, "label")
def by_label(call: Call, options: dict[str, Any]) -> Ranks:
    """By the names of an issue's labels."""
    label = IssueLabel.row
    return _by_labels(call, call.db.rows(label, label.archivedAt.is_null(), columns=(label.id, label.name)))


@api.sort(Issue, "labelGroup")
def by_label_group(call: Call, options: dict[str, Any]) -> Ranks:
    """By the name of the label that an issue has of a group."""
    label = IssueLabel.row
    of_group = (label.parentId == options["labelGroupId"], label.archivedAt.is_null())
    return _by_labels(call, call.db.rows(label, *of_group, columns=(label.id, label.name)))


# Customers and releases


def _customers(call: Call, *which: Any) -> dict[str, dict[str, tuple[str, int]]]:
    """The customers that need each issue, with name and revenue."""
    need, customer = CustomerNeed.row, Customer.row
    known = call.db.rows(
        customer, customer.archivedAt.is_null(), columns=(customer.id, customer.name, customer.revenue)
    )
    facts = {key: (name, revenue or 0) for key, name, revenue in known}
    found: defaultdict[str, dict[str, tuple[str, int]]] = defaultdict(dict)
    needs = (not_(need.issueId.is_null()), need.archivedAt.is_null(), *which)
    for issue, key in call.db.rows(need, *needs, columns=(need.issueId, need.customerId)):
        if key in facts:
            found[issue][key] = facts[key]
    return found


@api.sort(Issue, "customer")
def by_customer(call: Call, options: dict[str, Any]) -> Ranks:
    """By the name of the customer who needs an issue; of several, by the first name."""
    return Ranks({issue: sorted(found.values()) for issue, found in _customers(call).items()})


@api.sort(Issue, "customerCount")
def by_customer_count(call: Call, options: dict[str, Any]) -> Ranks:
    """By how many customers need an issue."""
    return Ranks({issue: len(found) for issue, found in _customers(call).items()}, 0)


@api.sort(Issue, "customerImportantCount")
def by_important_customers(call: Call, options: dict[str, Any]) -> Ranks:
    """By how many customers need an issue badly."""
    found = _customers(call, CustomerNeed.row.priority == IMPORTANT)
    return Ranks({issue: len(each) for issue, each in found.items()}, 0)


@api.sort(Issue, "customerRevenue")
def by_revenue(call: Call, options: dict[str, Any]) -> Ranks:
    """By the revenue of all customers who need an issue."""
    found = _customers(call)
    return Ranks({issue: sum(revenue for _, revenue in each.values()) for issue, each in found.items()})


@api.sort(Customer, "approximateNeedCount")
def by_needs(call: Call, options: dict[str, Any]) -> Ranks:
    """By how much a customer needs."""
    need = CustomerNeed.row
    found = call.db.rows(need, need.archivedAt.is_null(), columns=(need.customerId,))
    return Ranks(Counter(key for (key,) in found), 0)


@api.sort(Issue, "release")
def by_release(call: Call, options: dict[str, Any]) -> Ranks:
    """By the latest release that an issue is in: when it was completed, else when it is planned for."""
    link, release = IssueToRelease.row, Release.row
    columns = (link.issueId, link.releaseId.to(release.completedAt), link.releaseId.to(release.targetDate))
    found: dict[str, str] = {}
    for issue, completed, planned in call.db.rows(link, link.archivedAt.is_null(), columns=columns):
        found[issue] = max(found.get(issue, ""), completed or planned or "")
    return Ranks({issue: date for issue, date in found.items() if date})
