"""The history of an issue: one row per change, with the values before and after it.

https://linear.app/docs/issue-history
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call
from twindiff.kit.graphql import Section

from ..model.history import IssueHistory
from ..model.labels import IssueLabel
from ..model.users import User

api = Section()

_RELATIONS = ("assignee", "cycle", "delegate", "parent", "project", "projectMilestone", "state", "team")
_VALUES = ("dueDate", "estimate", "priority", "title", "slaBreachesAt", "slaStartedAt", "slaType")


def record(call: Call, before: Any, after: Any) -> None:
    """Add a history entry for the differences between two states of an issue, if there are visible ones."""
    fields = _differences(before, after)
    if fields:
        add_history_entry(call, after.id, **fields)


def add_history_entry(call: Call, issue_id: str, **fields: Any) -> None:
    """Add a history entry."""
    now = call.clock.iso()
    row = {"id": call.ids.uuid(), "issueId": issue_id, "actorId": call.actor, "createdAt": now, "updatedAt": now}
    call.db.add(IssueHistory.row(**row, **fields))


def _differences(before: Any, after: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name in (*(f"{relation}Id" for relation in _RELATIONS), *_VALUES):
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            title = name[:1].upper() + name[1:]
            fields |= {f"from{title}": old, f"to{title}": new}
    if before.description != after.description:
        fields["updatedDescription"] = True
    added = [label for label in after.labelIds if label not in before.labelIds]
    removed = [label for label in before.labelIds if label not in after.labelIds]
    fields |= {name: ids for name, ids in (("addedLabelIds", added), ("removedLabelIds", removed)) if ids}
    if bool(before.trashed) != bool(after.trashed):
        fields["trashed"] = bool(after.trashed)
    return fields


def _labels(field: str, column: str) -> None:
    @api.field(IssueHistory, field, needs=column)
    def labels(call: Call, rows: list[Any]) -> list[Any]:  # pyright: ignore[reportUnusedFunction] - registered
        wanted = {label for row in rows for label in getattr(row, column) or ()}
        label = IssueLabel.row
        by_id = {row.id: row for row in call.db.rows(label, label.id.in_(tuple(wanted)))} if wanted else {}
        return [[by_id[key] for key in getattr(row, column) or () if key in by_id] for row in rows]


_labels("addedLabels", "addedLabelIds")
_labels("removedLabels", "removedLabelIds")


@api.field(IssueHistory, "actors", needs="actorId")
def actors(call: Call, rows: list[Any]) -> list[Any]:
    """Return the users who made each change."""
    wanted = {row.actorId for row in rows if row.actorId}
    users = {user.id: user for user in call.db.rows(User.row, User.row.id.in_(tuple(wanted)))} if wanted else {}
    return [[users[row.actorId]] if row.actorId in users else [] for row in rows]
