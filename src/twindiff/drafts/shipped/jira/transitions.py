"""The workflow: each status can be reached from each other one.

https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issues/#api-rest-api-3-issue-issueidorkey-transitions-get
"""

from __future__ import annotations

from typing import Any

from twindiff.kit.call import Call
from twindiff.kit.twin import Operations

from .issue_fields import change_issue
from .issues import edit_issue, get_issue_or_refuse
from .site_views import list_transitions
from .tables import Issue, Status
from .wire_style import JiraError

api = Operations()
DEFAULT_RESOLUTION = "Done"


def move_issue(call: Call, issue: Issue, status: Status) -> Issue:
    """Give an issue a status. Entering one that is done resolves it, and leaving reopens it."""
    values: dict[str, Any] = {"status": status.name}
    if status.category == "done" and issue.resolution is None:
        values |= {"resolution": DEFAULT_RESOLUTION, "resolution_date": call.clock.iso()}
    elif status.category != "done":
        values |= {"resolution": None, "resolution_date": None}
    return change_issue(call, issue, values)


@api.get("/issue/{issueIdOrKey}/transitions")
def get_transitions(call: Call, issue_id_or_key: str, transition_id: str | None = None) -> dict[str, Any]:
    """List the transitions of an issue."""
    get_issue_or_refuse(call, issue_id_or_key)
    shown = [each for each in list_transitions(call) if transition_id in (None, each["id"])]
    return {"expand": "transitions", "transitions": shown}


@api.post("/issue/{issueIdOrKey}/transitions", status=204)
def post_transition(
    call: Call,
    issue_id_or_key: str,
    transition: dict[str, Any] | None = None,
    fields: dict[str, Any] | None = None,
    update: dict[str, Any] | None = None,
) -> None:
    """Move an issue to another status, with changes of its fields."""
    issue = get_issue_or_refuse(call, issue_id_or_key)
    given = str((transition or {}).get("id", ""))
    if not given:
        raise JiraError("Missing 'transition' identifier")
    status = call.db.find(Status, Status.transition_id == given)
    if status is None:
        raise JiraError(f"Transition id '{given}' is not valid for this issue.")
    issue = edit_issue(call, issue, fields or {}, update or {})
    move_issue(call, issue, status)
