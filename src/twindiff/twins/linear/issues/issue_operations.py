"""Queries and mutations of issues besides create, update, archive and delete.

https://linear.app/developers/graphql
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call
from twindiff.kit.graphql import Section, entity_operations
from twindiff.kit.graphql.errors import InvalidInput
from twindiff.kit.links import split_url

from ..core.issue_names import PRIORITIES
from ..model.issues import Issue

api = Section()

MAX_BATCH_ISSUES = 50


@api.query("issuePriorityValues: [IssuePriorityValue!]!")
def issue_priority_values(call: Call) -> list[dict[str, Any]]:
    """List the priorities that an issue can have, with their labels."""
    return [{"priority": value, "label": label} for value, label in enumerate(PRIORITIES)]


@api.query("issueVcsBranchSearch(branchName: String!): Issue")
def issue_vcs_branch_search(call: Call, branch_name: str) -> Any:
    """Find the issue of a branch, by the branch's full name or by an identifier in it."""
    issue = Issue.row
    exact = call.db.find(issue, issue.branchName == branch_name)
    if exact:
        return exact
    parts = split_url(branch_name).path.rsplit("/", 1)[-1].split("-")
    named = "-".join(parts[:2]).upper()
    return call.db.find(issue, issue.identifier == named)


@api.mutation("issueBatchCreate(input: IssueBatchCreateInput!): IssueBatchPayload!")
def issue_batch_create(call: Call, input: dict[str, Any]) -> dict[str, Any]:
    """Create several issues, all or none."""
    _check_size("issues", input["issues"])
    issues = [entity_operations.create(call, Issue, {**each}) for each in input["issues"]]
    return {"issues": issues}


@api.mutation("issueBatchUpdate(ids: [UUID!]!, input: IssueUpdateInput!): IssueBatchPayload!")
def issue_batch_update(call: Call, ids: list[str], input: dict[str, Any]) -> dict[str, Any]:
    """Apply the same update to several issues, all or none."""
    _check_size("ids", ids)
    issues = [entity_operations.find(call, Issue, each) for each in ids]
    return {"issues": [entity_operations.update(call, Issue, issue, {**input}) for issue in issues]}


def _check_size(name: str, given: list[Any]) -> None:
    if len(given) > MAX_BATCH_ISSUES:
        text = f"{name} must contain no more than {MAX_BATCH_ISSUES} elements."
        raise InvalidInput(text, property=name, value=given, constraint="arrayMaxSize")


@api.mutation("issueReminder(id: String!, reminderAt: DateTime!): IssuePayload!")
def issue_reminder(call: Call, id: str, reminder_at: str) -> dict[str, Any]:
    """Set a reminder for an issue at a future instant."""
    issue = entity_operations.find(call, Issue, id)
    if reminder_at <= call.clock.iso():
        raise InvalidInput("reminderAt: a reminder lies in the future.")
    return {"issue": call.db.change(issue, reminderAt=reminder_at, updatedAt=call.clock.iso())}
