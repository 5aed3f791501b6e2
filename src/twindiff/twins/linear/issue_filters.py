"""Filters of issues and projects that are no columns: relations of a kind, counts, durations, texts.

https://linear.app/developers/filtering
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, all_of, any_of, exists, not_
from twindiff.kit.graphql import Section, verbs
from twindiff.kit.rows import Expression

from .model.issues import Issue, IssueRelation
from .model.projects import Project, ProjectRelation
from .model.teams import Team, TeamMembership
from .model.users import User
from .related_filters import some_of
from .workflows import yes_or_no

api = Section()


def _related(name: str, kind: str, *, mine: str, theirs: str) -> None:
    """Issues that have a relation of a kind at one of its ends."""

    @api.filter(Issue, name)
    def has_relation(call: Call, comparator: dict[str, Any]) -> Expression:  # pyright: ignore[reportUnusedFunction]
        relation = IssueRelation.row
        here = getattr(relation, mine) == Issue.row.id
        there = getattr(relation, theirs) == Issue.row.id
        found = exists(relation, any_of(here, there), relation.type == kind, relation.archivedAt.is_null())
        return yes_or_no(found, comparator)


_related("hasBlockingRelations", "blocks", mine="issueId", theirs="issueId")
_related("hasBlockedByRelations", "blocks", mine="relatedIssueId", theirs="relatedIssueId")
_related("hasDuplicateRelations", "duplicate", mine="issueId", theirs="relatedIssueId")
_related("hasRelatedRelations", "related", mine="issueId", theirs="relatedIssueId")


def _never(name: str) -> None:
    """What the twin has none of: agents' sessions, suggestions, shared issues."""

    @api.filter(Issue, name)
    def has_none(call: Call, comparator: dict[str, Any]) -> Expression:  # pyright: ignore[reportUnusedFunction]
        return yes_or_no(any_of(), comparator)


for _name in (
    "hasActiveAgentSessions",
    "hasDismissedAgentSessions",
    "hasErroredAgentSessions",
    "hasMergedAgentPullRequests",
    "hasSharedUsers",
    "hasSuggestedAssignees",
    "hasSuggestedLabels",
    "hasSuggestedProjects",
    "hasSuggestedRelatedIssues",
    "hasSuggestedSimilarIssues",
    "hasSuggestedTeams",
):
    _never(_name)


@api.filter(Issue, "searchableContent")
def searchable_content(call: Call, comparator: dict[str, Any]) -> Expression:
    """Title and description in one, whatever the case."""
    issue = Issue.row

    def holds(text: str) -> Expression:
        return all_of(*(_anywhere((issue.title, issue.description), word) for word in text.split()))

    return _contains(holds, comparator)


@api.filter(Project, "searchableContent")
def searchable_project(call: Call, comparator: dict[str, Any]) -> Expression:
    """Name, description and content in one, whatever the case."""
    project = Project.row

    def holds(text: str) -> Expression:
        return all_of(*(_anywhere((project.name, project.description, project.content), word) for word in text.split()))

    return _contains(holds, comparator)


def _anywhere(columns: tuple[Any, ...], word: str) -> Expression:
    return any_of(*(column.contains(word, fold=True) for column in columns))


def _contains(holds: Any, comparator: dict[str, Any]) -> Expression:
    parts: list[Expression] = []
    if comparator.get("contains") is not None:
        parts.append(holds(comparator["contains"]))
    if comparator.get("notContains") is not None:
        parts.append(not_(holds(comparator["notContains"])))
    return all_of(*parts)


def _project_related(name: str, *, here: str, there: str) -> None:
    @api.filter(Project, name)
    def has_relation(call: Call, comparator: dict[str, Any]) -> Expression:  # pyright: ignore[reportUnusedFunction]
        relation = ProjectRelation.row
        ends = any_of(getattr(relation, here) == Project.row.id, getattr(relation, there) == Project.row.id)
        return yes_or_no(exists(relation, ends, relation.archivedAt.is_null()), comparator)


_project_related("hasDependsOnRelations", here="relatedProjectId", there="relatedProjectId")
_project_related("hasDependedOnByRelations", here="projectId", there="projectId")
_project_related("hasBlockedByRelations", here="relatedProjectId", there="relatedProjectId")
_project_related("hasBlockingRelations", here="projectId", there="projectId")
_project_related("hasRelatedRelations", here="projectId", there="relatedProjectId")


@api.filter(Team, "owners")
def owners(call: Call, comparator: dict[str, Any]) -> Expression:
    """Teams of which somebody who matches is an owner."""
    return _of_members(call, comparator, TeamMembership.row.owner == True)  # noqa: E712 - a condition


@api.filter(Team, "users")
def members(call: Call, comparator: dict[str, Any]) -> Expression:
    """Teams of which somebody who matches is a member."""
    return _of_members(call, comparator)


def _of_members(call: Call, comparator: dict[str, Any], *kind: Expression) -> Expression:
    member, user = TeamMembership.row, User.row
    who = exists(user, user.id == member.userId, *verbs.matching(call, User, some_of(comparator)))
    return exists(member, member.teamId == Team.row.id, *kind, who)
