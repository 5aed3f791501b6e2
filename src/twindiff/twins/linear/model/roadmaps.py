"""Roadmaps, the predecessors of initiatives.  https://linear.app/docs/initiatives"""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from twindiff.kit.graphql import Entity, Many, One, column, derived_field, through


class Roadmap(Entity):
    color: str | None
    description: str | None
    name: str
    slugId: str = derived_field(default="")
    sortOrder: float = column(default=0.0)
    url: str = derived_field(default="")
    creator: One[User]
    organization: One[Organization]
    owner: One[User] | None
    projects: Many[Project] = through("RoadmapToProject")

    filters = "creator name slugId"
    filter_variants = "collection"
    create = "color description id name! owner sortOrder"
    update = "color description name owner sortOrder"
    roots = "list(-filter) get create update delete archive unarchive"


class RoadmapToProject(Entity):
    sortOrder: str = column(default="")
    project: One[Project]
    roadmap: One[Roadmap]

    create = "id project! roadmap! sortOrder:Float"
    update = "sortOrder:Float"
    roots = "list get create update delete"
    deletes = "hard"
