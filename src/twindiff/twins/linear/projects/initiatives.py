"""Initiatives, their projects and labels.  https://linear.app/docs/initiatives"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call
from twindiff.kit.graphql import Section, entity_operations
from twindiff.kit.graphql.errors import InvalidInput

from ..core.actors import organization_id
from ..core.issue_names import is_uuid, slug_with_id
from ..core.label_combinations import check_combined_labels
from ..model.initiatives import Initiative, InitiativeRelation, InitiativeToProject
from ..model.labels import InitiativeLabel
from .projects import workspace

api = Section()


@api.before_create(Initiative)
def create_initiative(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Set the owner, the URL and the timestamps of a new initiative's status."""
    if not values["name"].strip():
        raise InvalidInput("name: an initiative needs a name.")
    short = values["id"].replace("-", "")[:12]
    values |= {
        "organizationId": organization_id(call),
        "creatorId": call.actor,
        "ownerId": values.get("ownerId") or call.actor,
        "slugId": short,
        "url": f"https://linear.app/{workspace(call)}/initiative/{slug_with_id(values['name'], short)}",
        "labelIds": list(dict.fromkeys(given.get("labelIds") or [])),
    }
    check_combined_labels(call, InitiativeLabel, values["labelIds"])
    values |= _status(call, values.get("status") or "Planned")


@api.before_update(Initiative)
def update_initiative(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    """Validate the changes of an initiative and add the timestamps of its new status."""
    if changes.get("status", row.status) != row.status:
        changes |= _status(call, changes["status"], row)
    if "customIdentifier" in given:
        changes["identifier"] = given["customIdentifier"]
    if given.get("labelIds") is not None:
        changes["labelIds"] = list(dict.fromkeys(given["labelIds"]))
        check_combined_labels(call, InitiativeLabel, changes["labelIds"], row.labelIds)
    if "trashed" in changes:
        changes["archivedAt"] = call.clock.iso() if changes["trashed"] else None


def _status(call: Call, status: str, before: Any = None) -> dict[str, Any]:
    now = call.clock.iso()
    started = before.startedAt if before else None
    return {
        "startedAt": started or (now if status in ("Active", "Completed") else None),
        "completedAt": now if status == "Completed" else None,
        "canceledAt": now if status == "Canceled" else None,
    }


@api.before_delete(Initiative)
def delete_initiative(call: Call, row: Any, changes: dict[str, Any], arguments: dict[str, Any]) -> None:
    """Mark a deleted initiative as trashed."""
    changes["trashed"] = True


@api.before_unarchive(Initiative)
def unarchive_initiative(call: Call, row: Any, changes: dict[str, Any], arguments: dict[str, Any]) -> None:
    """Clear `trashed` when an initiative is unarchived."""
    if row.trashed:
        changes["trashed"] = None


@api.lookup(Initiative)
def initiative_id(call: Call, given: str) -> str:
    """Resolve the last part of an initiative's URL to its id."""
    if is_uuid(given):
        return given
    initiative = call.db.find(Initiative.row, Initiative.row.slugId == given.rsplit("-", 1)[-1])
    return initiative.id if initiative else given


@api.before_create(InitiativeToProject)
def add_project(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Raise InvalidInput if the project is in the initiative already."""
    link = InitiativeToProject.row
    same = call.db.find(
        link,
        link.initiativeId == values["initiativeId"],
        link.projectId == values["projectId"],
        link.archivedAt.is_null(),
    )
    if same:
        raise InvalidInput("projectId: the project is in the initiative already.")
    values["sortOrder"] = str(given.get("sortOrder") or 0.0)


@api.before_update(InitiativeToProject)
def move_project(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    """Store a changed sort order as text, as Linear does."""
    if given.get("sortOrder") is not None:
        changes["sortOrder"] = str(given["sortOrder"])


@api.before_create(InitiativeRelation)
def relate_initiatives(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Validate a relation between a parent and a child initiative, which must differ."""
    if values["initiativeId"] == values["relatedInitiativeId"]:
        text = "relatedInitiativeId cannot have the same value as initiativeId."
        given_id = values["relatedInitiativeId"]
        raise InvalidInput(text, property="relatedInitiativeId", value=given_id, constraint="isNotEqualTo")
    if values["relatedInitiativeId"] in _list_above(call, values["initiativeId"]):
        raise InvalidInput("relatedInitiativeId: an initiative cannot be below itself.")
    values["userId"] = call.actor


def _list_above(call: Call, initiative_id: str) -> set[str]:
    """Return the ids of all initiatives above one."""
    relation = InitiativeRelation.row
    above: set[str] = set()
    level = {initiative_id}
    while level:
        links = call.db.rows(relation, relation.relatedInitiativeId.in_(level), relation.archivedAt.is_null())
        level = {link.initiativeId for link in links} - above
        above |= level
    return above


@api.field(Initiative, "parentInitiative", needs="id parentInitiativeId")
def parent_initiative(call: Call, rows: list[Any]) -> list[Any]:
    """Return the parent of each initiative according to its relations; the first if there are several."""
    relation, above = InitiativeRelation.row, Initiative.row
    ids = tuple(row.id for row in rows)
    links = call.db.rows(
        relation,
        relation.relatedInitiativeId.in_(ids),
        relation.archivedAt.is_null(),
        order=(relation.sortOrder, relation.createdAt, relation.id),
    )
    keys: dict[str, str] = {}
    for link in links:
        keys.setdefault(link.relatedInitiativeId, link.initiativeId)
    wanted = [keys.get(row.id) or row.parentInitiativeId for row in rows]
    parents = {each.id: each for each in call.db.rows(above, above.id.in_(tuple(filter(None, wanted))))}
    return [parents.get(key) for key in wanted]


@api.mutation("initiativeAddLabel(id: String!, labelId: String!): InitiativePayload!")
def initiative_add_label(call: Call, id: str, label_id: str) -> dict[str, Any]:
    """Add a label to an initiative."""
    row = entity_operations.find(call, Initiative, id)
    labels = [*row.labelIds, *(key for key in [label_id] if key not in row.labelIds)]
    return {"initiative": entity_operations.update(call, Initiative, row, {"labelIds": labels})}


@api.mutation("initiativeRemoveLabel(id: String!, labelId: String!): InitiativePayload!")
def initiative_remove_label(call: Call, id: str, label_id: str) -> dict[str, Any]:
    """Remove a label from an initiative."""
    row = entity_operations.find(call, Initiative, id)
    labels = [key for key in row.labelIds if key != label_id]
    return {"initiative": entity_operations.update(call, Initiative, row, {"labelIds": labels})}
