"""Filters of projects and initiatives that are not columns: relations, texts, milestones, health, teams, ancestors.

https://linear.app/developers/filtering
"""

from __future__ import annotations

from typing import Any, NoReturn

from twindiff.kit import Call, all_of, any_of, exists, not_
from twindiff.kit.computed_values import reachable_rows
from twindiff.kit.graphql import (
    Entity,
    NotImplementedHere,
    Section,
    by_case,
    entity_operations,
    no_rows,
    yes_or_no,
)
from twindiff.kit.rows import Expression, Step

from ..core.counts import COUNTED
from ..core.word_filters import match_all_words
from ..model.associations import ProjectTeam
from ..model.initiatives import Initiative, InitiativeRelation, InitiativeToProject
from ..model.issues import Issue
from ..model.project_parts import ProjectMilestone, ProjectStatus
from ..model.projects import Project, ProjectRelation
from ..model.teams import Team
from ..model.workflows import WorkflowState

api = Section()

HEALTHS = ("onTrack", "atRisk", "offTrack")


def _register_relation_filter(name: str, *, here: str, there: str) -> None:
    @api.filter(Project, name)
    def has_relation(call: Call, comparator: dict[str, Any]) -> Expression:  # pyright: ignore[reportUnusedFunction]
        relation = ProjectRelation.row
        ends = any_of(getattr(relation, here) == Project.row.id, getattr(relation, there) == Project.row.id)
        return yes_or_no(exists(relation, ends, relation.archivedAt.is_null()), comparator)


_register_relation_filter("hasDependsOnRelations", here="relatedProjectId", there="relatedProjectId")
_register_relation_filter("hasDependedOnByRelations", here="projectId", there="projectId")
_register_relation_filter("hasBlockedByRelations", here="relatedProjectId", there="relatedProjectId")
_register_relation_filter("hasBlockingRelations", here="projectId", there="projectId")
_register_relation_filter("hasRelatedRelations", here="projectId", there="relatedProjectId")


@api.filter(Project, "hasViolatedRelations")
def has_violated_relations(call: Call, comparator: dict[str, Any]) -> Expression:
    """Build the condition on violated relations. The twin has none."""
    return yes_or_no(any_of(), comparator)


@api.filter(Project, "roadmaps")
def roadmaps(call: Call, comparator: dict[str, Any]) -> Expression:
    """Build the condition on roadmaps. The filter matches none: initiatives have replaced them."""
    return no_rows(comparator)


@api.filter(Project, "searchableContent")
def searchable_content(call: Call, comparator: dict[str, Any]) -> Expression:
    """Build the condition on name, description and content together, ignoring case."""
    project = Project.row
    return match_all_words((project.name, project.description, project.content), comparator)


@api.filter(Project, "accessibleTeams")
def accessible_teams(call: Call, comparator: dict[str, Any]) -> Expression:
    """Build the condition on the teams of a project that the caller can see."""
    link = ProjectTeam
    shared = exists(link, link.team_id == Team.row.id, link.project_id == Project.row.id)
    return entity_operations.collection(call, Team, comparator, shared)


@api.filter(ProjectStatus, "projects")
def projects_of_status(call: Call, comparator: dict[str, Any]) -> Expression:
    """Build the condition on the projects with a status."""
    return entity_operations.collection(call, Project, comparator, Project.row.statusId == ProjectStatus.row.id)


# Milestones


def _is_done() -> Expression:
    """Build the condition that a milestone is done: marked so, or all of its issues are completed and it has some."""
    issue, state = Issue.row, WorkflowState.row
    counts = exists(state, state.id == issue.stateId, state.type.in_(COUNTED))
    mine = (issue.projectMilestoneId == ProjectMilestone.row.id, issue.archivedAt.is_null(), counts)
    finished = all_of(exists(issue, *mine), not_(exists(issue, *mine, issue.completedAt.is_null())))
    return any_of(ProjectMilestone.row.status == "done", finished)


@api.filter(Project, "completedProjectMilestones")
def completed_milestones(call: Call, comparator: dict[str, Any]) -> Expression:
    """Build the condition on the completed milestones of a project."""
    mine = ProjectMilestone.row.projectId == Project.row.id
    return entity_operations.collection(call, ProjectMilestone, comparator, mine, _is_done())


@api.filter(Project, "nextProjectMilestone")
def next_milestone(call: Call, given: dict[str, Any]) -> Expression:
    """Build the condition on the first incomplete milestone of a project."""
    milestone = ProjectMilestone.row
    to_do = (milestone.archivedAt.is_null(), not_(_is_done()))
    # Inside `exists`, the right side refers to the outer milestone.
    is_before = any_of(
        milestone.sortOrder < milestone.sortOrder,
        all_of(milestone.sortOrder == milestone.sortOrder, milestone.id < milestone.id),
    )
    sooner = exists(milestone, milestone.projectId == milestone.projectId, is_before, *to_do)
    is_next = (milestone.projectId == Project.row.id, *to_do, not_(sooner))
    return exists(milestone, *is_next, *entity_operations.filter_visible(call, ProjectMilestone, given))


# Projects and initiatives


def _health(entity: type[Entity]) -> None:
    """Register the health filter. Health comes from the latest update, which never becomes outdated here."""

    @api.filter(entity, "healthWithAge")
    def health(call: Call, comparator: dict[str, Any]) -> Expression:  # pyright: ignore[reportUnusedFunction]
        column = entity.row.health
        cases: dict[str, Expression] = {each: column == each for each in HEALTHS}
        return by_case({**cases, "noUpdate": column.is_null()}, comparator)


def _activity_type(entity: type[Entity]) -> None:
    @api.filter(entity, "activityType")
    def unknown(call: Call, comparator: dict[str, Any]) -> NoReturn:  # pyright: ignore[reportUnusedFunction]
        what = f"The filter {entity.__name__}.activityType"
        raise NotImplementedHere(what, "Linear does not say how much makes a thing active")


for _entity in (Project, Initiative):
    _health(_entity)
    _activity_type(_entity)


@api.filter(Initiative, "teams")
def teams_of_initiative(call: Call, comparator: dict[str, Any]) -> Expression:
    """Build the condition on the teams of an initiative's projects."""
    link = InitiativeToProject.row
    of_project = exists(ProjectTeam, ProjectTeam.project_id == link.projectId, ProjectTeam.team_id == Team.row.id)
    shared = exists(link, link.initiativeId == Initiative.row.id, link.archivedAt.is_null(), of_project)
    return entity_operations.collection(call, Team, comparator, shared)


@api.filter(Initiative, "ancestors")
def ancestors(call: Call, comparator: dict[str, Any]) -> Expression:
    """Build the condition on the ancestors of an initiative, at any distance."""
    initiative, relation = Initiative.row, InitiativeRelation.row
    above = reachable_rows(
        initiative.id,
        Step(initiative.id, initiative.parentInitiativeId),
        Step(relation.relatedInitiativeId, relation.initiativeId, (relation.archivedAt.is_null(),)),
    )
    return entity_operations.collection(call, Initiative, comparator, initiative.id != initiative.id, source=above)
