"""Relations between issues. The inverse relation is the same row, read from the other end.

https://linear.app/docs/issue-relations
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, any_of
from twindiff.kit.graphql import Section, entity_operations
from twindiff.kit.graphql.errors import InvalidInput

from ..core.actors import acting_user
from ..model.issues import Issue, IssueRelation
from ..model.projects import ProjectRelation
from ..model.teams import Team
from .issue_history import add_history_entry
from .issue_states import duplicate_state

api = Section()


@api.before_create(IssueRelation)
def create_relation(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Validate a new relation of two different issues. It replaces another one between them.

    Measured: a second relation of two issues, in either direction, removes the first, and one that is there already is
    refused.
    """
    _check_ends(values, "issueId", "relatedIssueId")
    _replace_others(call, values)
    values |= _titles(call, values)


def _replace_others(call: Call, values: dict[str, Any], changed_id: str = "") -> None:
    """Delete other relations of the same two issues; raise InvalidInput if one of them says the same."""
    for row in _relations_of(call, values["issueId"]):
        if row.id == changed_id or values["relatedIssueId"] not in (row.issueId, row.relatedIssueId):
            continue
        if (row.issueId, row.type) == (values["issueId"], values["type"]):
            raise InvalidInput("These issues are related in this way already.")
        entity_operations.delete(call, IssueRelation, row)


def _check_ends(ends: dict[str, Any], first: str, second: str) -> None:
    if ends[first] == ends[second]:
        text = f"{second} cannot have the same value as {first}."
        raise InvalidInput(text, property=second, value=ends[second], constraint="isNotEqualTo")


def _relations_of(call: Call, issue_id: str) -> list[Any]:
    """Return the relations of an issue, from either end."""
    row = IssueRelation.row
    either = any_of(row.issueId == issue_id, row.relatedIssueId == issue_id)
    return call.db.rows(row, either, row.archivedAt.is_null())


_INVERSE = {"blocks": "blocked by", "duplicate": "duplicated by"}
"""The name of a relation type at its other end, where it differs."""


@api.after_create(IssueRelation)
def tell_of_relation(call: Call, row: Any, given: dict[str, Any]) -> None:
    """Record a relation in the histories of both issues. A duplicate is closed."""
    _note(call, row, "added")
    if row.type == "duplicate":
        _close(call, row)


def _close(call: Call, relation: Any) -> None:
    """Move a duplicate issue to its team's state for duplicates. It loses its other relations.

    https://linear.app/docs/configuring-workflows#duplicate-issue-status
    """
    for other in _relations_of(call, relation.issueId):
        if other.id != relation.id:
            entity_operations.delete(call, IssueRelation, other)
    issue = call.db.get(Issue.row, relation.issueId)
    state = duplicate_state(call, call.db.get(Team.row, issue.teamId))
    if state:
        entity_operations.update(call, Issue, issue, {"stateId": state.id})


@api.before_delete(IssueRelation)
def forget_relation(call: Call, row: Any, changes: dict[str, Any], arguments: dict[str, Any]) -> None:
    """Record the removal of a relation in the histories of both issues."""
    _note(call, row, "removed")


def _note(call: Call, relation: Any, what: str) -> None:
    ends = [call.db.get(Issue.row, key) for key in (relation.issueId, relation.relatedIssueId)]
    kinds = (relation.type, _INVERSE.get(relation.type, relation.type))
    for issue, other, kind in zip(ends, ends[::-1], kinds, strict=True):
        add_history_entry(call, issue.id, relationChanges=[{"identifier": other.identifier, "type": f"{what} {kind}"}])


@api.after_update(IssueRelation)
def tell_of_changed_relation(call: Call, before: Any, after: Any, given: dict[str, Any]) -> None:
    """Record a change of type or end as one relation removed and another added."""
    if any(getattr(before, name) != getattr(after, name) for name in ("type", "issueId", "relatedIssueId")):
        _note(call, before, "removed")
        _note(call, after, "added")
        if after.type == "duplicate":
            _close(call, after)


@api.before_update(IssueRelation)
def update_relation(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    """Validate a changed relation as a new one, which replaces others too, and update the titles of its ends."""
    ends = {name: changes.get(name) or getattr(row, name) for name in ("issueId", "relatedIssueId")}
    _check_ends(ends, "issueId", "relatedIssueId")
    _replace_others(call, {**ends, "type": changes.get("type") or row.type}, row.id)
    changes |= _titles(call, ends)


def _titles(call: Call, ends: dict[str, Any]) -> dict[str, str]:
    """Return the titles of both ends, which public suites check."""
    issue = Issue.row
    first = call.db.get(issue, ends["issueId"])
    second = call.db.get(issue, ends["relatedIssueId"])
    return {"issueTitle": first.title, "relatedIssueTitle": second.title}


@api.before_create(ProjectRelation)
def create_project_relation(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Raise InvalidInput unless a new relation is between two different projects."""
    _check_ends(values, "projectId", "relatedProjectId")
    values["userId"] = acting_user(call).id
