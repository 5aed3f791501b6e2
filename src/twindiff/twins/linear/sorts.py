"""Sorts that are no columns of their own.  https://linear.app/developers/graphql"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, Column
from twindiff.kit.graphql import Entity, Section

from .model.initiatives import Initiative
from .model.issues import Issue
from .model.project_parts import ProjectMilestone
from .model.projects import Project
from .model.workflows import WorkflowState

api = Section()


def _by(entity: type[Entity], name: str, column: Column[Any]) -> None:
    @api.sort(entity, name)
    def order(call: Call, options: dict[str, Any]) -> tuple[Column[Any], ...]:  # pyright: ignore[reportUnusedFunction]
        return (column,)


for _entity in (Issue, Project, Initiative):
    _by(_entity, "manual", _entity.row.sortOrder)
_by(Issue, "workflowState", Issue.row.stateId.to(WorkflowState.row.position))
_by(Issue, "milestone", Issue.row.projectMilestoneId.to(ProjectMilestone.row.sortOrder))
