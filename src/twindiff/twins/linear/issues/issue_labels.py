"""Labels of issues: which may be combined, and adding and removing one.  https://linear.app/docs/labels"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twindiff.kit import Call, any_of
from twindiff.kit.graphql import Section, entity_operations
from twindiff.kit.graphql.errors import EntityNotFound, InvalidInput

from ..core.actors import organization_id
from ..core.label_combinations import check_combined_labels
from ..model.issues import Issue
from ..model.labels import InitiativeLabel, IssueLabel, ProjectLabel
from ..model.teams import Team

api = Section()


def check_labels(call: Call, given: list[str], team: Any, present: Sequence[str] = ()) -> list[str]:
    """Return distinct label ids; raise EntityNotFound for an unknown one and InvalidInput for another team's label.

    Raises the errors of `check_combined_labels` too.
    """
    check_combined_labels(call, IssueLabel, given, present)
    wanted = list(dict.fromkeys(given))
    if not wanted:
        return []
    label = IssueLabel.row
    labels = {row.id: row for row in call.db.rows(label, label.id.in_(wanted))}
    for key in wanted:
        row = labels.get(key)
        if row is None or row.archivedAt:
            raise EntityNotFound("IssueLabel", key, "labelIds")
        if row.teamId not in (None, team.id, team.parentId):
            raise InvalidInput(
                f"The label '{row.name}' belongs to another team than {team.name}.", title="LabelIds for incorrect team"
            )
    return wanted


@api.mutation("issueAddLabel(id: String!, labelId: String!): IssuePayload!")
def issue_add_label(call: Call, id: str, label_id: str) -> dict[str, Any]:
    """Add a label to an issue."""
    issue = entity_operations.find(call, Issue, id)
    return {"issue": entity_operations.update(call, Issue, issue, {"addedLabelIds": [label_id]})}


@api.mutation("issueRemoveLabel(id: String!, labelId: String!): IssuePayload!")
def issue_remove_label(call: Call, id: str, label_id: str) -> dict[str, Any]:
    """Remove a label from an issue."""
    issue = entity_operations.find(call, Issue, id)
    return {"issue": entity_operations.update(call, Issue, issue, {"removedLabelIds": [label_id]})}


@api.before_create(IssueLabel)
def create_label(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Validate a new label: no other label of its team or of the workspace has its name."""
    _check_name(call, IssueLabel, values["name"], values.get("teamId"))
    values["creatorId"] = values.get("creatorId") or call.actor
    values["organizationId"] = organization_id(call)
    values["color"] = values.get("color") or "#bec2c8"
    _check_group(call, IssueLabel, values.get("parentId"))


@api.before_update(IssueLabel)
def update_label(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    """Validate a changed label: its name must stay unique, and it must not be its own parent."""
    if changes.get("name", row.name) != row.name:
        _check_name(call, IssueLabel, changes["name"], row.teamId)
    if changes.get("parentId") == row.id:
        raise InvalidInput("parentId: a label cannot be in itself.")
    _check_group(call, IssueLabel, changes.get("parentId"))


def _labels_of(entity: Any) -> None:
    """Register the hooks for labels of the workspace, whose names must be unique."""

    @api.before_create(entity)
    def create(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:  # pyright: ignore[reportUnusedFunction]
        _check_name(call, entity, values["name"], None)
        values["creatorId"] = call.actor
        values["organizationId"] = organization_id(call)
        values["color"] = values.get("color") or "#bec2c8"
        _check_group(call, entity, values.get("parentId"))

    @api.before_update(entity)
    def update(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:  # pyright: ignore[reportUnusedFunction]
        if changes.get("name", row.name) != row.name:
            _check_name(call, entity, changes["name"], None)
        _check_group(call, entity, changes.get("parentId"))


_labels_of(ProjectLabel)
_labels_of(InitiativeLabel)


def _check_name(call: Call, entity: Any, name: str, team_id: str | None) -> None:
    if not name.strip():
        raise InvalidInput("name: a label needs a name.")
    row = entity.row
    of_team = team_id and "teamId" in row.__struct_fields__
    scope = [any_of(row.teamId == team_id, row.teamId.is_null())] if of_team else []
    namesake = call.db.find(row, row.name.equals(name), row.archivedAt.is_null(), *scope)
    if namesake:
        place = (
            f"in team {call.db.get(Team.row, namesake.teamId).name}"
            if of_team and namesake.teamId
            else "in the workspace"
        )
        raise InvalidInput(f'Label "{name}" already exists {place}.', title="duplicate label name")


def _check_group(call: Call, entity: Any, parent_id: str | None) -> None:
    if parent_id is None:
        return
    parent = call.db.find(entity.row, entity.row.id == parent_id)
    if parent is None or not parent.isGroup:
        raise InvalidInput("parentId: the label that others are put into must be a group.")


def _register_retirement(entity: Any, name: str, signature: str, *, retires: bool) -> None:
    @api.mutation(signature)
    def change(call: Call, id: str) -> dict[str, Any]:  # pyright: ignore[reportUnusedFunction] - registered
        row = entity_operations.find(call, entity, id)
        now = call.clock.iso()
        fields = {"retiredAt": now, "retiredById": call.actor} if retires else {"retiredAt": None, "retiredById": None}
        return {name: call.db.change(row, updatedAt=now, **fields)}


for _entity, _name in (
    (IssueLabel, "issueLabel"),
    (ProjectLabel, "projectLabel"),
    (InitiativeLabel, "initiativeLabel"),
):
    _payload = f"{_name[:1].upper()}{_name[1:]}Payload"
    _register_retirement(_entity, _name, f"{_name}Retire(id: String!): {_payload}!", retires=True)
    _register_retirement(_entity, _name, f"{_name}Restore(id: String!): {_payload}!", retires=False)
