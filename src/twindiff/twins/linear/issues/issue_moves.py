"""Moves of issues between teams: what belongs to the former team stays there.

Cycles and labels belong to a team (https://linear.app/docs/use-cycles, https://linear.app/docs/labels), and a project
to one or several. What Linear does with each in a move rests on a public report (a move strips the project and
re-scopes labels), the match of labels by name on knowledge.
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..model.associations import ProjectTeam
from ..model.labels import IssueLabel
from ..model.workflows import Cycle


def leave_team(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any], team: Any) -> None:
    """Add to the changes of an issue that moves to `team` the loss of its cycle and project.

    Labels of the former team are replaced in `given` by those of the same name, or removed.
    """
    if row.cycleId and not changes.get("cycleId"):
        cycle = call.db.find(Cycle.row, Cycle.row.id == row.cycleId)
        if cycle is None or cycle.teamId != team.id:
            changes["cycleId"] = None
    if row.projectId and "projectId" not in changes:
        link = ProjectTeam
        wanted = call.db.find(link, link.project_id == row.projectId, link.team_id.in_([team.id, team.parentId or ""]))
        if wanted is None:
            changes["projectId"] = None
    _relabel(call, row, given, team)


def _relabel(call: Call, row: Any, given: dict[str, Any], team: Any) -> None:
    """Set `labelIds` of a moved issue, unless the client sets them: none of the former team's labels is left."""
    if given.get("labelIds") is not None or not row.labelIds:
        return
    label, teams = IssueLabel.row, (None, team.id, team.parentId)
    present = {each.id: each for each in call.db.rows(label, label.id.in_(row.labelIds))}
    if all(each.teamId in teams for each in present.values()):
        return
    own = call.db.rows(label, label.teamId.in_([team.id, team.parentId or ""]), label.archivedAt.is_null())
    by_name = {each.name.lower(): each.id for each in own if not each.isGroup}
    added: list[str] = given.pop("addedLabelIds", None) or []
    removed: list[str] = given.pop("removedLabelIds", None) or []
    known = [present[key] for key in row.labelIds if key in present]
    kept = [each.id if each.teamId in teams else by_name.get(each.name.lower()) for each in known]
    given["labelIds"] = [each for each in dict.fromkeys([*kept, *added]) if each and each not in removed]
