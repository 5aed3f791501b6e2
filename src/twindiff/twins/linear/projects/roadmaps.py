"""Roadmaps, which initiatives have replaced.  https://linear.app/docs/initiatives"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call
from twindiff.kit.graphql import Section
from twindiff.kit.graphql.errors import InvalidInput

from ..core.actors import organization_id
from ..core.issue_names import slug
from ..model.roadmaps import Roadmap, RoadmapToProject
from .projects import workspace

api = Section()


@api.creating(Roadmap)
def create_roadmap(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Give a roadmap an address and an owner."""
    if not values["name"].strip():
        raise InvalidInput("name: a roadmap needs a name.")
    short = values["id"].replace("-", "")[:12]
    values |= {
        "organizationId": organization_id(call),
        "creatorId": call.actor,
        "ownerId": values.get("ownerId") or call.actor,
        "slugId": short,
        "url": f"https://linear.app/{workspace(call)}/roadmap/{slug(values['name'])}-{short}",
    }


@api.creating(RoadmapToProject)
def add_project(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """A project is in a roadmap once; its order is kept as text, as the vendor does."""
    link = RoadmapToProject.row
    if call.db.find(link, link.roadmapId == values["roadmapId"], link.projectId == values["projectId"]):
        raise InvalidInput("projectId: the project is in the roadmap already.")
    values["sortOrder"] = f"{given.get('sortOrder') or 0:g}"


@api.updating(RoadmapToProject)
def move_project(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    """Another place in the order."""
    if given.get("sortOrder") is not None:
        changes["sortOrder"] = f"{given['sortOrder']:g}"
