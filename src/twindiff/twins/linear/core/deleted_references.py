"""References to deleted and archived things: nothing new belongs to them, and nothing is moved into them.

https://linear.app/docs/delete-archive-issues
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import not_
from twindiff.kit.graphql.entity import EntitySpec
from twindiff.kit.graphql.errors import EntityNotFound
from twindiff.kit.graphql.run import GraphqlRun

from ..model.documents import Document
from ..model.initiatives import Initiative
from ..model.issues import Issue
from ..model.projects import Project
from ..model.teams import Team

_OWNERS = {
    "Comment": ((Issue, "issueId"), (Project, "projectId"), (Initiative, "initiativeId")),
    "Cycle": ((Team, "teamId"),),
    "DocumentContent": (
        (Document, "documentId"),
        (Initiative, "initiativeId"),
        (Issue, "issueId"),
        (Project, "projectId"),
    ),
    "InitiativeUpdate": ((Initiative, "initiativeId"),),
    "ProjectMilestone": ((Project, "projectId"),),
    "ProjectUpdate": ((Project, "projectId"),),
}
"""What a thing is part of, and is deleted with; each by the column that names it."""


def check_reference(run: GraphqlRun, spec: EntitySpec, row: Any) -> None:
    """Raise EntityNotFound if what an input refers to, or what that is part of, is archived or deleted."""
    if getattr(row, "archivedAt", None) is not None:
        raise EntityNotFound(spec.name, row.id)
    for owner, column in _OWNERS.get(spec.name, ()):
        key = getattr(row, column, None)
        if key and run.db.find(owner.row, owner.row.id == key, not_(owner.row.archivedAt.is_null())):
            raise EntityNotFound(spec.name, row.id)
