"""Documents and templates.

https://linear.app/docs/project-documents · https://linear.app/docs/issue-templates
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, any_of, not_
from twindiff.kit.graphql import Section, entity_operations
from twindiff.kit.graphql.errors import InvalidInput

from ..core.actors import organization_id
from ..core.issue_names import is_uuid, slug_with_id
from ..core.permissions import list_hidden_teams
from ..model.documents import Document, Template
from ..model.users import User
from ..projects.projects import workspace

api = Section()

PLACES = ("initiativeId", "teamId", "issueId", "releaseId", "cycleId", "projectId")
"""The fields for what a document belongs to; one of them is set."""


@api.before_create(Document)
def create_document(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Set creator and URL of a new document; raise InvalidInput without a title."""
    if not values["title"].strip():
        raise InvalidInput("title: a document needs a title.")
    short = values["id"].replace("-", "")[:12]
    values |= {
        "creatorId": call.actor,
        "ownerId": call.actor,
        "updatedById": call.actor,
        "slugId": short,
        "url": f"https://linear.app/{workspace(call)}/document/{slug_with_id(values['title'], short)}",
    }


@api.before_update(Document)
def update_document(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    """Record who changed the document, which leaves its place only for another. Trashing a document archives it.

    A null for a place is ignored: https://github.com/schpet/linear-cli/pull/248
    """
    changes["updatedById"] = call.actor
    is_moved = any(changes.get(name) for name in PLACES)
    for name in PLACES:
        if is_moved:
            changes.setdefault(name, None)
        else:
            changes.pop(name, None)
    if "trashed" in changes:
        changes["archivedAt"] = call.clock.iso() if changes["trashed"] else None


@api.field(Document, "subscribers", needs="subscriberIds")
def subscribers(call: Call, rows: list[Any], include_disabled: bool = False, **arguments: Any) -> list[list[Any]]:
    """Return the named subscribers of each document, latest user first."""
    user = User.row
    wanted = tuple({key for row in rows for key in row.subscriberIds or ()})
    active = () if include_disabled else (user.active,)
    matching = entity_operations.matching(call, User, arguments.get("filter") or {})
    users = call.db.rows(user, user.id.in_(wanted), *active, *matching, order=(-user.createdAt, -user.id))
    return [[each for each in users if each.id in (row.subscriberIds or ())] for row in rows]


@api.before_delete(Document)
def delete_document(call: Call, row: Any, changes: dict[str, Any], arguments: dict[str, Any]) -> None:
    """Mark a deleted document as trashed."""
    changes["trashed"] = True


@api.before_unarchive(Document)
def unarchive_document(call: Call, row: Any, changes: dict[str, Any], arguments: dict[str, Any]) -> None:
    """Clear `trashed` when a document is unarchived."""
    if row.trashed:
        changes["trashed"] = None


@api.lookup(Document)
def document_id(call: Call, given: str) -> str:
    """Resolve the last part of a document's URL to its id."""
    if is_uuid(given):
        return given
    document = call.db.find(Document.row, Document.row.slugId == given.rsplit("-", 1)[-1])
    return document.id if document else given


@api.query("templates: [Template!]!")
def templates(call: Call) -> list[Any]:
    """List the templates that the caller may use."""
    row, teams = Template.row, list_hidden_teams(call)
    seen = (any_of(row.teamId.is_null(), not_(row.teamId.in_(teams))),) if teams else ()
    return call.db.rows(row, row.archivedAt.is_null(), *seen, order=row.sortOrder)


@api.before_create(Template)
def create_template(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Set the workspace and the creator of a new template. One of release notes is the only one of a pipeline."""
    pipeline, row = values.get("pipelineId"), Template.row
    if (values["type"] == "releaseNote") != bool(pipeline):
        raise InvalidInput("pipelineId is required for a template of release notes, and for no other.")
    if pipeline and call.db.find(row, row.pipelineId == pipeline, row.archivedAt.is_null()):
        raise InvalidInput("pipelineId: the pipeline has a template already.")
    values["organizationId"] = organization_id(call)
    values["creatorId"] = call.actor


@api.before_update(Template)
def update_template(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    """Record who changed the template."""
    changes["lastUpdatedById"] = call.actor
