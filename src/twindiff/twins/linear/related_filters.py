"""Filters over relations and counts that are no fields of their own, and over what the twin has none of.

https://linear.app/developers/filtering
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twindiff.kit import Call, all_of, any_of, exists, not_
from twindiff.kit.clock import Clock
from twindiff.kit.graphql import Entity, Section, verbs
from twindiff.kit.rows import Column, Expression, counted

from .model.associations import ProjectTeam
from .model.comments import Comment
from .model.customers import CustomerNeed
from .model.initiatives import Initiative, InitiativeToProject
from .model.issues import Issue
from .model.projects import Project
from .model.releases import Release, ReleaseNote
from .model.teams import Team
from .model.users import User
from .workflows import yes_or_no

api = Section()

NEVER = any_of()
_COMPARED: dict[str, Callable[[float, float], bool]] = {
    "eq": lambda mine, given: mine == given,
    "neq": lambda mine, given: mine != given,
    "lt": lambda mine, given: mine < given,
    "lte": lambda mine, given: mine <= given,
    "gt": lambda mine, given: mine > given,
    "gte": lambda mine, given: mine >= given,
}
_OPERATORS = {"eq": "=", "neq": "!=", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
_LATER: dict[str, Callable[[Column[Any], str], Expression]] = {
    "gt": lambda column, instant: column < instant,
    "gte": lambda column, instant: column <= instant,
    "lt": lambda column, instant: column > instant,
    "lte": lambda column, instant: column >= instant,
}


def _of_none(entity: type[Entity], name: str) -> None:
    """A collection that is empty for every row: nothing in it matches, and everything in it does."""

    @api.filter(entity, name)
    def empty(call: Call, comparator: dict[str, Any]) -> Expression:  # pyright: ignore[reportUnusedFunction]
        parts = {word: value for word, value in comparator.items() if value is not None and word != "every"}
        length: dict[str, float] = parts.pop("length", {})
        fits = all(_COMPARED[operator](0, given) for operator, given in length.items() if operator in _COMPARED)
        return all_of() if fits and not parts else NEVER


_of_none(Issue, "sharedWith")
_of_none(Issue, "suggestions")
_of_none(Project, "roadmaps")


def _never(entity: type[Entity], name: str) -> None:
    """A fact that holds for no row."""

    @api.filter(entity, name)
    def holds(call: Call, comparator: dict[str, Any]) -> Expression:  # pyright: ignore[reportUnusedFunction]
        return yes_or_no(NEVER, comparator)


_never(User, "invited")
_never(User, "isInvited")
_never(Project, "hasViolatedRelations")


def _needs(entity: type[Entity], name: str, column: Column[Any], *important: Expression) -> None:
    """How many needs of customers a thing has."""

    @api.filter(entity, name)
    def count(call: Call, comparator: dict[str, Any]) -> Expression:  # pyright: ignore[reportUnusedFunction]
        need = CustomerNeed.row
        where = (column == entity.row.id, need.archivedAt.is_null(), *important)
        parts = [
            counted(need, *where, op=_OPERATORS[operator], value=int(given))
            for operator, given in comparator.items()
            if operator in _OPERATORS and given is not None
        ]
        return all_of(*parts)


_needs(Issue, "customerCount", CustomerNeed.row.issueId)
_needs(Issue, "customerImportantCount", CustomerNeed.row.issueId, CustomerNeed.row.priority == 1.0)
_needs(Project, "customerCount", CustomerNeed.row.projectId)
_needs(Project, "customerImportantCount", CustomerNeed.row.projectId, CustomerNeed.row.priority == 1.0)


def some_of(comparator: dict[str, Any]) -> dict[str, Any]:
    """What a collection filter asks of one of its members: `some`, or the fields beside it."""
    beside = {name: value for name, value in comparator.items() if name not in ("some", "every", "length")}
    return {**beside, **(comparator.get("some") or {})}


@api.filter(Comment, "needs")
def needs_of_comment(call: Call, comparator: dict[str, Any]) -> Expression:
    """Comments that a need refers to."""
    need = CustomerNeed.row
    return exists(need, need.commentId == Comment.row.id, *verbs.matching(call, CustomerNeed, some_of(comparator)))


@api.filter(Project, "accessibleTeams")
def teams_of_project(call: Call, comparator: dict[str, Any]) -> Expression:
    """Projects of a team that matches and that the caller sees."""
    team = exists(Team.row, Team.row.id == ProjectTeam.team_id, *verbs.matching(call, Team, some_of(comparator)))
    return exists(ProjectTeam, ProjectTeam.project_id == Project.row.id, team)


@api.filter(Initiative, "teams")
def teams_of_initiative(call: Call, comparator: dict[str, Any]) -> Expression:
    """Initiatives with a project of a team that matches."""
    link = InitiativeToProject.row
    team = exists(Team.row, Team.row.id == ProjectTeam.team_id, *verbs.matching(call, Team, some_of(comparator)))
    shared = exists(ProjectTeam, ProjectTeam.project_id == link.projectId, team)
    return exists(link, link.initiativeId == Initiative.row.id, link.archivedAt.is_null(), shared)


def _health(entity: type[Entity]) -> None:
    @api.filter(entity, "healthWithAge")
    def health(call: Call, comparator: dict[str, Any]) -> Expression:  # pyright: ignore[reportUnusedFunction]
        return all_of(*verbs.matching(call, entity, {"health": comparator}))


_health(Project)
_health(Initiative)


@api.filter(Release, "hasReleaseNotes")
def has_release_notes(call: Call, comparator: dict[str, Any]) -> Expression:
    """Releases that a note is about."""
    return yes_or_no(not_(Release.row.releaseNoteId.is_null()), comparator)


@api.filter(ReleaseNote, "release")
def release_of_note(call: Call, comparator: dict[str, Any]) -> Expression:
    """Notes about a release that matches."""
    release = Release.row
    return exists(release, release.releaseNoteId == ReleaseNote.row.id, *verbs.matching(call, Release, comparator))


@api.filter(Issue, "ageTime")
def age(call: Call, comparator: dict[str, Any]) -> Expression:
    """How long ago an issue was created; lengths come in milliseconds."""
    created = Issue.row.createdAt
    parts = [
        _LATER[operator](created, Clock(call.clock.micros - int(given * 1000)).iso())
        for operator, given in comparator.items()
        if operator in _LATER and given is not None
    ]
    return all_of(*parts)
