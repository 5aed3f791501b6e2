"""Document contents: the long texts of issues, projects, milestones and initiatives.

https://linear.app/docs/editor
"""

from __future__ import annotations

from typing import Any
from uuid import NAMESPACE_URL, uuid5

from twindiff.kit import Call
from twindiff.kit.graphql import Entity, Section

from ..model.documents import DocumentContent
from ..model.initiatives import Initiative
from ..model.issues import Issue
from ..model.project_parts import ProjectMilestone
from ..model.projects import Project

api = Section()


def content_id(thing: str) -> str:
    """Return the id of a thing's content, derived from the thing's id."""
    return str(uuid5(NAMESPACE_URL, f"linear:documentContent:{thing}"))


def _content(entity: type[Entity], place: str, text: str) -> None:
    @api.field(entity, "documentContent", needs=f"id createdAt updatedAt {text}")
    def content(call: Call, rows: list[Any]) -> list[Any]:  # pyright: ignore[reportUnusedFunction] - registered
        stored = DocumentContent.row
        ids = tuple(row.id for row in rows)
        by_place = {getattr(each, place): each for each in call.db.rows(stored, getattr(stored, place).in_(ids))}
        return [by_place.get(row.id) or _build_content(row, place, getattr(row, text)) for row in rows]


def _build_content(row: Any, place: str, text: str | None) -> Any:
    """Build the content of a thing whose text is a column of its own; None if the text is empty."""
    if not text:
        return None
    at = {"createdAt": row.createdAt, "updatedAt": row.updatedAt}
    return DocumentContent.row(id=content_id(row.id), content=text, **at, **{place: row.id})


_content(Issue, "issueId", "description")
_content(Project, "projectId", "content")
_content(ProjectMilestone, "projectMilestoneId", "description")
_content(Initiative, "initiativeId", "content")
