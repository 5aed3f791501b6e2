"""Relations between issues; the inverse is the same row seen from the other side.

https://linear.app/docs/issue-relations
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call
from twindiff.kit.graphql import Section, entity_operations
from twindiff.kit.graphql.errors import InvalidInput

from ..core.actors import acting_user
from ..model.issues import Issue, IssueRelation
from ..model.projects import ProjectRelation
from ..model.teams import Team
from .issue_history import add_history_entry
from .issue_states import duplicate_state

api = Section()


@api.creating(IssueRelation)
def create_relation(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Two different issues, related once in each way."""
    relation = IssueRelation.row
    if values["issueId"] == values["relatedIssueId"]:
        raise InvalidInput("relatedIssueId: an issue cannot be related to itself.")
    same = call.db.find(
        relation,
        relation.issueId == values["issueId"],
        relation.relatedIssueId == values["relatedIssueId"],
        relation.type == values["type"],
        relation.archivedAt.is_null(),
    )
    if same:
        raise InvalidInput("These issues are related in this way already.")
    values |= _titles(call, values)


_INVERSE = {"blocks": "blocked by", "duplicate": "duplicated by"}
"""What a relation is called at its other end, where it is not the same."""


@api.after_create(IssueRelation)
def tell_of_relation(call: Call, row: Any, given: dict[str, Any]) -> None:
    """Both histories say what was related; a duplicate is done with."""
    _note(call, row, "added")
    if row.type == "duplicate":
        _close(call, row.issueId)


def _close(call: Call, issue_id: str) -> None:
    """Put an issue that is a duplicate into its team's state for those.

    https://linear.app/docs/configuring-workflows#duplicate-issue-status
    """
    issue = call.db.get(Issue.row, issue_id)
    state = duplicate_state(call, call.db.get(Team.row, issue.teamId))
    if state:
        entity_operations.update(call, Issue, issue, {"stateId": state.id})


@api.deleting(IssueRelation)
def forget_relation(call: Call, row: Any, changes: dict[str, Any], arguments: dict[str, Any]) -> None:
    """Both histories say what is no longer related."""
    _note(call, row, "removed")


def _note(call: Call, relation: Any, what: str) -> None:
    ends = [call.db.get(Issue.row, key) for key in (relation.issueId, relation.relatedIssueId)]
    kinds = (relation.type, _INVERSE.get(relation.type, relation.type))
    for issue, other, kind in zip(ends, ends[::-1], kinds, strict=True):
        add_history_entry(call, issue.id, relationChanges=[{"identifier": other.identifier, "type": f"{what} {kind}"}])


@api.after_update(IssueRelation)
def tell_of_changed_relation(call: Call, before: Any, after: Any, given: dict[str, Any]) -> None:
    """Another kind or another end is one relation gone and another come."""
    if any(getattr(before, name) != getattr(after, name) for name in ("type", "issueId", "relatedIssueId")):
        _note(call, before, "removed")
        _note(call, after, "added")
        if after.type == "duplicate":
            _close(call, after.issueId)


@api.updating(IssueRelation)
def update_relation(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    """The ends stay different, and their titles go with them."""
    ends = {name: changes.get(name) or getattr(row, name) for name in ("issueId", "relatedIssueId")}
    if ends["issueId"] == ends["relatedIssueId"]:
        raise InvalidInput("relatedIssueId: an issue cannot be related to itself.")
    changes |= _titles(call, ends)


def _titles(call: Call, ends: dict[str, Any]) -> dict[str, str]:
    """The titles of both ends, which suites of checks look at."""
    issue = Issue.row
    first = call.db.get(issue, ends["issueId"])
    second = call.db.get(issue, ends["relatedIssueId"])
    return {"issueTitle": first.title, "relatedIssueTitle": second.title}


@api.creating(ProjectRelation)
def create_project_relation(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Two different projects."""
    if values["projectId"] == values["relatedProjectId"]:
        raise InvalidInput("relatedProjectId: a project cannot be related to itself.")
    values["userId"] = acting_user(call).id
