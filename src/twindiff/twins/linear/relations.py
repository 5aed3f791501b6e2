"""Relations between issues; the inverse is the same row seen from the other side.

https://linear.app/docs/issue-relations
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call
from twindiff.kit.graphql import Section
from twindiff.kit.graphql.errors import InvalidInput

from .model.issues import Issue, IssueRelation
from .model.projects import ProjectRelation
from .people import acting_user

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
