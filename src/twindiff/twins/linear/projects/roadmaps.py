"""Roadmaps, the predecessors of initiatives.  https://linear.app/docs/initiatives"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call
from twindiff.kit.graphql import Section
from twindiff.kit.graphql.errors import InvalidInput

from ..core.actors import organization_id
from ..core.issue_names import slug_with_id
from ..model.roadmaps import Roadmap, RoadmapToProject
from .projects import workspace

api = Section()


@api.before_create(Roadmap)
def create_roadmap(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Set the URL and the owner of a new roadmap."""
    if not values["name"].strip():
        raise InvalidInput("name: a roadmap needs a name.")
    short = values["id"].replace("-", "")[:12]
    values |= {
        "organizationId": organization_id(call),
        "creatorId": call.actor,
        "ownerId": values.get("ownerId") or call.actor,
        "slugId": short,
        "url": f"https://linear.app/{workspace(call)}/roadmap/{slug_with_id(values['name'], short)}",
    }


@api.before_create(RoadmapToProject)
def add_project(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Raise InvalidInput if the project is in the roadmap already. The sort order is stored as text, as Linear does."""
    link = RoadmapToProject.row
    if call.db.find(link, link.roadmapId == values["roadmapId"], link.projectId == values["projectId"]):
        raise InvalidInput("projectId: the project is in the roadmap already.")
    values["sortOrder"] = f"{given.get('sortOrder') or 0:g}"


@api.before_update(RoadmapToProject)
def move_project(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    """Store a changed sort order as text."""
    if given.get("sortOrder") is not None:
        changes["sortOrder"] = f"{given['sortOrder']:g}"
