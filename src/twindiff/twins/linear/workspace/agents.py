"""Agent sessions, their activities, and agent skills.

https://linear.app/developers/agent-interaction
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call
from twindiff.kit.graphql import Section, entity_operations
from twindiff.kit.graphql.errors import InvalidInput
from twindiff.kit.rows import Expression

from ..core.actors import acting_user
from ..core.rich_text import document_data, read_text_input
from ..model.agents import AgentActivity, AgentSession, AgentSkill
from ..model.comments import Comment
from ..model.issues import Issue
from ..projects.projects import workspace

api = Section()

_STATUS = {
    "thought": "active",
    "action": "active",
    "elicitation": "awaitingInput",
    "response": "complete",
    "error": "error",
    "prompt": "pending",
}
"""The status of a session, by the type of its last activity."""
_WRITTEN = {"action": ("action", "parameter")}
"""The required text fields of an activity's content, by type; `body` for all other types."""
_SHORT = 12


# Sessions


@api.before_create(AgentSession)
def create_session(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Set status, creator and URL of a new session, whose status is `pending`."""
    values["creatorId"] = values.get("creatorId") or acting_user(call).id
    values["context"] = values.get("context") or {}
    values["slugId"] = values["id"].replace("-", "")[:_SHORT]
    values["url"] = f"https://linear.app/{workspace(call)}/agent-session/{values['slugId']}"
    values["status"] = "pending"


@api.mutation("agentSessionCreateOnIssue(input: AgentSessionCreateOnIssue!): AgentSessionPayload!")
def create_on_issue(call: Call, input: dict[str, Any]) -> dict[str, Any]:
    """Start a session of the calling agent on an issue."""
    issue = entity_operations.find(call, Issue, input["issueId"])
    return _start_session(call, input, {"issueId": issue.id})


@api.mutation("agentSessionCreateOnComment(input: AgentSessionCreateOnComment!): AgentSessionPayload!")
def create_on_comment(call: Call, input: dict[str, Any]) -> dict[str, Any]:
    """Start a session of the calling agent on the first comment of a thread."""
    comment = entity_operations.find(call, Comment, input["commentId"])
    if comment.parentId:
        raise InvalidInput("commentId: a session begins on the first comment of a thread.")
    return _start_session(call, input, {"issueId": comment.issueId, "commentId": comment.id})


def _start_session(call: Call, given: dict[str, Any], place: dict[str, Any]) -> dict[str, Any]:
    session = entity_operations.create(call, AgentSession, {"appUserId": call.actor})
    return {"agentSession": call.db.change(session, **place, **_links(session, given))}


@api.mutation("agentSessionUpdate(id: String!, input: AgentSessionUpdateInput!): AgentSessionPayload!")
def session_update(call: Call, id: str, input: dict[str, Any]) -> dict[str, Any]:
    """Update a session: its plan, its external URLs, and whether it was dismissed."""
    session, changes = entity_operations.find(call, AgentSession, id), {"updatedAt": call.clock.iso()}
    if input.get("userState") is not None:
        raise InvalidInput("userState: what people have read of a session is not kept.")
    if "plan" in input:
        changes["plan"] = input["plan"]
    if "dismissedAt" in input:
        at = input["dismissedAt"]
        changes |= {"dismissedAt": at, "dismissedById": call.actor if at else None}
    return {"agentSession": call.db.change(session, **changes, **_links(session, input))}


@api.mutation(
    "agentSessionUpdateExternalUrl(id: String!, input: AgentSessionUpdateExternalUrlInput!): AgentSessionPayload!"
)
def session_update_external_url(call: Call, id: str, input: dict[str, Any]) -> dict[str, Any]:
    """Update the external URLs at which the agent shows a session."""
    session = entity_operations.find(call, AgentSession, id)
    return {"agentSession": call.db.change(session, updatedAt=call.clock.iso(), **_links(session, input))}


def _links(session: Any, given: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of a session's external URLs."""
    links: list[dict[str, str]] = list(
        session.externalLinks if given.get("externalUrls") is None else given["externalUrls"]
    )
    added: list[dict[str, str]] = given.get("addedExternalUrls") or []
    gone: list[str] = given.get("removedExternalUrls") or []
    links = [each for each in [*links, *added] if each["url"] not in gone]
    by_url = {each["url"]: {"label": each["label"], "url": each["url"]} for each in links}
    changed: dict[str, Any] = {"externalLinks": [*by_url.values()]}
    changed["externalUrls"] = changed["externalLinks"]
    if "externalLink" in given:
        changed["externalLink"] = given["externalLink"]
    return changed


# Activities


@api.before_create(AgentActivity)
def create_activity(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Validate a new activity of a session. Sending it removes the session's ephemeral activities."""
    values["content"] = _content(given["content"])
    values["userId"] = acting_user(call).id
    if values.get("ephemeral") and values["content"]["type"] not in ("thought", "action"):
        raise InvalidInput("ephemeral: only thoughts and actions are.")
    if not values.get("queued"):
        values["sentAt"] = call.clock.iso()
        _forget_ephemeral(call, values["agentSessionId"])


def _content(given: dict[str, Any]) -> dict[str, Any]:
    kind = given.get("type")
    if kind not in _STATUS:
        raise InvalidInput(f"content: its type is one of {', '.join(_STATUS)}.")
    for name in _WRITTEN.get(kind, ("body",)):
        if not isinstance(given.get(name), str) or not given[name].strip():
            raise InvalidInput(f"content: a {kind} needs a text '{name}'.")
    content = {**given, "__typename": f"AgentActivity{kind.capitalize()}Content"}
    return content if kind == "action" else {**content, "bodyData": document_data(given["body"])}


def _forget_ephemeral(call: Call, session_id: str) -> None:
    row = AgentActivity.row
    for each in call.db.rows(row, row.agentSessionId == session_id, row.ephemeral):
        call.db.remove(each)


@api.after_create(AgentActivity)
def tell_session(call: Call, row: Any, given: dict[str, Any]) -> None:
    """Set the status of the session to that of its last activity."""
    if not row.queued:
        _update_session_status(call, row)


def _update_session_status(call: Call, activity: Any) -> None:
    session, now = call.db.get(AgentSession.row, activity.agentSessionId), call.clock.iso()
    status = _STATUS[activity.content["type"]]
    ended = now if status in ("complete", "error") else None
    call.db.change(session, status=status, startedAt=session.startedAt or now, endedAt=ended, updatedAt=now)


@api.mutation("agentActivityCreatePrompt(input: AgentActivityCreatePromptInput!): AgentActivityPayload!")
def create_prompt(call: Call, input: dict[str, Any]) -> dict[str, Any]:
    """Send a prompt to the agent of a session, or queue it."""
    if input["content"].get("type") != "prompt":
        raise InvalidInput("content: what people say to an agent is of the type prompt.")
    later = {name: input[name] for name in ("queued", "sourceCommentId") if input.get(name) is not None}
    plain = {name: value for name, value in input.items() if name not in later}
    content = {**input["content"], "body": read_text_input(input["content"]) or ""}
    activity = entity_operations.create(call, AgentActivity, {**plain, "content": content})
    return {"agentActivity": call.db.change(activity, **later) if later else activity}


@api.mutation("agentActivitySendQueued(id: String!): AgentActivityPayload!")
def send_queued(call: Call, id: str) -> dict[str, Any]:
    """Send a queued prompt."""
    activity = _require_queued_activity(call, id)
    _update_session_status(call, activity)
    return {"agentActivity": call.db.change(activity, queued=False, sentAt=call.clock.iso())}


@api.mutation("agentActivityDeleteQueued(id: String!): AgentActivityPayload!")
def delete_queued(call: Call, id: str) -> dict[str, Any]:
    """Delete a queued prompt."""
    activity = _require_queued_activity(call, id)
    call.db.remove(activity)
    return {"agentActivity": activity}


def _require_queued_activity(call: Call, id: str) -> Any:
    activity = entity_operations.find(call, AgentActivity, id)
    if not activity.queued:
        raise InvalidInput("id: it has been sent already.")
    return activity


@api.filter(AgentActivity, "agentSessionId")
def of_session(call: Call, comparator: dict[str, Any]) -> Expression:
    """Build the condition on an activity's session."""
    return entity_operations.compare_column(call, AgentActivity, AgentActivity.row.agentSessionId, comparator)


@api.filter(AgentActivity, "type")
def of_type(call: Call, comparator: dict[str, Any]) -> Expression:
    """Build the condition on an activity's type."""
    return entity_operations.compare_column(call, AgentActivity, AgentActivity.row.content.json("type"), comparator)


# Skills


@api.filter(AgentSkill, "ownerId")
def owned_by(call: Call, comparator: dict[str, Any]) -> Expression:
    """Build the condition on a skill's owner."""
    return entity_operations.compare_column(call, AgentSkill, AgentSkill.row.ownerId, comparator)


@api.before_create(AgentSkill)
def create_skill(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Set title, owner and visibility of a new skill. The title defaults to the first line of the body."""
    first = values["body"].strip().splitlines()
    if not first:
        raise InvalidInput("body: a skill needs a text.")
    values["title"] = given.get("title") or first[0].lstrip("# ")[:100]
    values["slugId"] = values["id"].replace("-", "")[:_SHORT]
    values |= {"creatorId": call.actor, "ownerId": call.actor, "shared": bool(values.get("teamId"))}


@api.before_update(AgentSkill)
def update_skill(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    """Record who changed the skill. A skill of a team is shared."""
    if "teamId" in changes:
        changes["shared"] = bool(changes["teamId"])
    changes["lastUpdatedById"] = call.actor
