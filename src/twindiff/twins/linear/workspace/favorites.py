"""Favorites and custom views of the caller.

https://linear.app/docs/favorites · https://linear.app/docs/custom-views
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call
from twindiff.kit.graphql import Entity, Section, entity_operations

from ..core.actors import organization_id
from ..core.issue_names import slug_with_id
from ..model.customers import Customer
from ..model.documents import Document
from ..model.initiatives import Initiative
from ..model.issues import Issue
from ..model.labels import InitiativeLabel, IssueLabel, ProjectLabel
from ..model.projects import Project
from ..model.releases import Release, ReleaseNote, ReleasePipeline
from ..model.teams import Team
from ..model.users import User
from ..model.views import CustomView, Favorite
from ..model.workflows import Cycle

api = Section()

_THINGS = (
    "issueId",
    "projectId",
    "cycleId",
    "customViewId",
    "documentId",
    "initiativeId",
    "labelId",
    "projectLabelId",
    "userId",
    "customerId",
    "releaseId",
    "releaseNoteId",
    "releasePipelineId",
    "dashboardId",
    "pullRequestId",
    "facetId",
    "initiativeLabelId",
    "teamId",
)
_TITLED: dict[str, tuple[type[Entity], str]] = {
    "issueId": (Issue, "title"),
    "documentId": (Document, "title"),
    "releaseNoteId": (ReleaseNote, "title"),
    "projectId": (Project, "name"),
    "customViewId": (CustomView, "name"),
    "cycleId": (Cycle, "name"),
    "customerId": (Customer, "name"),
    "initiativeId": (Initiative, "name"),
    "labelId": (IssueLabel, "name"),
    "projectLabelId": (ProjectLabel, "name"),
    "initiativeLabelId": (InitiativeLabel, "name"),
    "releaseId": (Release, "name"),
    "releasePipelineId": (ReleasePipeline, "name"),
    "teamId": (Team, "name"),
    "userId": (User, "displayName"),
}


@api.before_create(Favorite)
def create_favorite(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Set owner, type and title of a new favorite: a folder, or one thing."""
    thing = next((name for name in _THINGS if values.get(name) or given.get(name)), None)
    kind = "folder" if thing is None else thing.removesuffix("Id")
    values |= {
        "ownerId": call.actor,
        "type": given.get("predefinedViewType") or kind,
        "title": _title(call, thing, values),
    }
    if given.get("sortOrder") is None:
        row = Favorite.row
        last = call.db.rows(row, row.ownerId == call.actor, order=-row.sortOrder, limit=1)
        values["sortOrder"] = last[0].sortOrder + 1.0 if last else 0.0


@api.mutation("favoriteCreate")
def favorite_create(call: Call, input: dict[str, Any]) -> dict[str, Any]:
    """Create a favorite, or return the caller's favorite of the same thing."""
    entity_operations.check_input(call, Favorite, "create", input)
    thing = next((name for name in _THINGS if input.get(name) and name in Favorite.row.__struct_fields__), None)
    return {"favorite": _find_favorite(call, thing, input) or entity_operations.create(call, Favorite, input)}


def _find_favorite(call: Call, thing: str | None, given: dict[str, Any]) -> Any:
    if thing is None:
        return None
    row = Favorite.row
    entity = _TITLED[thing][0] if thing in _TITLED else None
    key = entity_operations.find(call, entity, given[thing]).id if entity else given[thing]
    return call.db.find(row, row.ownerId == call.actor, getattr(row, thing) == key)


def _title(call: Call, thing: str | None, values: dict[str, Any]) -> str:
    entity, name = _TITLED.get(thing or "", (None, ""))
    target = call.db.find(entity.row, entity.row.id == values[thing]) if entity and thing else None
    return (getattr(target, name) if target else values.get("folderName")) or ""


@api.field(Favorite, "url")
def favorite_url(call: Call, rows: list[Any]) -> list[str | None]:
    """Return the URL of each favorite's thing, or None if it has none, as folders do."""
    return [_url(call, row) for row in rows]


def _url(call: Call, favorite: Any) -> str | None:
    for thing, (entity, _) in _TITLED.items():
        if getattr(favorite, thing) and "url" in entity.spec.fields:
            target = call.db.find(entity.row, entity.row.id == getattr(favorite, thing))
            return target.url if target else None
    return None


@api.before_create(CustomView)
def create_view(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Derive the model of a new view from the filter it is given."""
    values |= {
        "creatorId": call.actor,
        "organizationId": organization_id(call),
        "ownerId": values.get("ownerId") or call.actor,
        "slugId": slug_with_id(values["name"], values["id"].replace("-", "")[:12]),
    }
    values |= _filters(given) or {"modelName": "Issue", "filterData": {}, "filters": {}}


@api.before_update(CustomView)
def update_view(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    """Update the model of a view when its filter changes."""
    changes |= _filters(given)
    changes["updatedById"] = call.actor


def _filters(given: dict[str, Any]) -> dict[str, Any]:
    for name, model in (
        ("projectFilterData", "Project"),
        ("initiativeFilterData", "Initiative"),
        ("feedItemFilterData", "FeedItem"),
    ):
        if given.get(name) is not None:
            return {"modelName": model, name: given[name]}
    if given.get("filterData") is not None:
        return {"modelName": "Issue", "filterData": given["filterData"], "filters": given["filterData"]}
    return {}
