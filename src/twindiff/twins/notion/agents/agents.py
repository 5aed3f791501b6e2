"""Agents: finding, enabling, limiting and deleting them. They are made in a template or a configuration, as in Notion
only its app makes them.

https://developers.notion.com/guides/notion-agent-apis/overview
"""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit import ApiError, Body, Call, Operations
from twindiff.kit.clock import LAST_INSTANT, SECOND, Clock

from ..blocks.async_answers import add_task
from ..core.body_rules import (
    Problems,
    Rules,
    array,
    boolean,
    check_body,
    choice,
    invalid_at,
    is_number,
    is_object,
    nullable,
    number,
    obj,
    text,
    uuid,
)
from ..core.list_answers import MAX_PAGE_SIZE, check_page_size, list_answer, slice_list
from ..core.object_lookup import find_bot, parse_id
from ..tables.agent_tables import Agent, AgentEvent, AgentSession
from ..wire_style import CODES, ValidationError
from .agent_filters import FilterField, filter_rule, is_match, sort_rows, sorts_rule
from .agent_objects import PERSONAL, PERSONAL_ID, agent_object, find_agent, instant, is_shared

api = Operations(prefix="/v1")
JsonBody = Annotated[dict[str, Any], Body]
TYPES = ("notion_ai", "custom_agent", "autofill_custom_agent", "external")
STATUSES = ("active", "disabled", "deleted")
MAX_OPERATIONS = 100
MILLISECOND = SECOND // 1000


def _list_one(value: str) -> list[str]:
    return [value]


def _list_servers(connections: list[dict[str, Any]]) -> list[str]:
    """Return the hosts of the MCP servers that an agent is connected with."""
    accounts = (each.get("account") for each in connections)
    return [str(each.get("server_host", "")) for each in accounts if is_object(each)]


_period: Rules = {"after": text(), "before": text()}
FIELDS = {
    "id": FilterField("id", {"equals": text()}, ("id",)),
    "agent_type": FilterField("string", {"equals": choice(*TYPES[:3])}, ("agent_type",)),
    "created_by": FilterField("people", {"contains": text()}, ("created_by",), _list_one),
    "created_time": FilterField("date", _period, ("created_time",), instant),
    "favorited": FilterField("checkbox", {"equals": boolean}, ("is_favorite",)),
    "connections": FilterField("mcp_server", {"contains": text()}, ("connections",), _list_servers),
    "status": FilterField("status", {"in": array(choice(*STATUSES))}, ("status",)),
    "model_mode": FilterField("select", {"equals": choice("auto", "pinned")}, ("model_mode",)),
    "agent_version": FilterField("number", {"equals": number}, ("version",)),
    "last_run_at": FilterField("date", _period, ("last_run_time",), instant),
}
_query_body = obj(
    None, query=text(), filter=filter_rule(FIELDS, 2), sorts=sorts_rule("created_time", "last_run_at"),
    start_cursor=nullable(text()), page_size=number, verbose=boolean, include_deleted=boolean,
)  # fmt: skip


def _limit(value: Any, path: str) -> Problems:
    if value is not None and not (is_number(value) and value >= 0):
        yield invalid_at(path, "a number ≥ `0` or `null`", value)


_status_body = obj({"status": choice("active", "disabled")})
_TIMES = ("created_time", "last_edited_time")
_limit_body = obj({"credit_limit": _limit})


def _agent_id(value: Any, path: str) -> Problems:
    if value != "notion_ai":
        yield from uuid(value, path)


_ACTIONS = {
    "update_status": obj({"action": text(), "agent_id": _agent_id, "fields": _status_body}),
    "update_credit_limit": obj({"action": text(), "agent_id": _agent_id, "fields": _limit_body}),
    "delete": obj({"action": text(), "agent_id": _agent_id}),
}


def _action(value: Any, path: str) -> Problems:
    action = value.get("action") if is_object(value) else None
    if not is_object(value):
        yield invalid_at(path, "an object", value)
    elif str(action) in _ACTIONS:
        yield from _ACTIONS[str(action)](value, path)
    else:
        yield from choice(*_ACTIONS)(action, f"{path}.action")


_batch_body = obj({"operations": array(_action, most=MAX_OPERATIONS, least=1)})


def _list_shared(call: Call) -> list[Agent]:
    rows = call.db.rows(Agent, order=(Agent.created_time, Agent.id))
    return [PERSONAL, *(row for row in rows if is_shared(call, row.id))]


@api.get("/agents", scope="read_content")
def list_agents(
    call: Call,
    name: str | None = None,
    agent_type: list[str] = [],  # noqa: B006 - read by the kit
    agent_ids: list[str] = [],  # noqa: B006 - as above
    created_by: list[str] = [],  # noqa: B006 - as above
    start_cursor: str | None = None,
    page_size: str | int = MAX_PAGE_SIZE,
    verbose: bool = False,
) -> dict[str, Any]:
    """List the agents that are shared with the integration, by name, type, id or creator."""
    check_body(array(choice(*TYPES)), agent_type, "query.agent_type")
    ids = {PERSONAL_ID if each == "notion_ai" else parse_id(each, "agent_ids", "query") for each in agent_ids}
    makers = find_people(call, created_by)
    rows = [
        row
        for row in _list_shared(call)
        if row.status != "deleted"
        and (not name or name.lower() in row.name.lower())
        and (not agent_type or row.agent_type in agent_type)
        and (not ids or row.id in ids)
        and (not makers or row.created_by in makers)
    ]
    rows, cursor = slice_list(rows, start_cursor, check_page_size(page_size))
    return list_answer("agent", [agent_object(call, row, is_verbose=verbose) for row in rows], cursor)


def find_people(call: Call, given: list[str], name: str = "created_by", place: str = "query") -> set[str | None]:
    """Return the ids of users in a request; `me` is the bot and the person whose bot it is.

    Raise ValidationError for a text that is no id, at its place in the request.
    """
    bot = find_bot(call)
    mine: set[str | None] = {bot.id, bot.owner_id or bot.id} if "me" in given else set()
    return mine | {parse_id(each, name, place) for each in given if each != "me"}


@api.post("/agents/query", reads=True, scope="read_content")
def query_agents(call: Call, body: JsonBody = {}) -> dict[str, Any]:  # noqa: B006 - as above
    """List the agents that a filter and a text let through, in order."""
    check_body(_query_body, body)
    size = check_page_size(body.get("page_size", MAX_PAGE_SIZE), "body.page_size")
    wanted = body.get("query", "").lower()
    rows = [
        row
        for row in _list_shared(call)
        if row.agent_type != "external"
        and (row.status != "deleted" or body.get("include_deleted"))
        and wanted in f"{row.name}\n{row.description or ''}".lower()
        and is_match(FIELDS, body.get("filter"), row)
    ]
    rows = sort_rows(rows, body.get("sorts"), lambda row, name: FIELDS[name].value_of(row))
    rows, cursor = slice_list(rows, body.get("start_cursor"), size)
    is_verbose = body.get("verbose", False)
    return list_answer("agent", [agent_object(call, row, is_verbose=is_verbose) for row in rows], cursor)


@api.get("/agents/{agent_id}", scope="read_content")
def get_agent(call: Call, agent_id: str, verbose: bool = False) -> dict[str, Any]:
    """Get an agent."""
    shown = agent_object(call, find_agent(call, agent_id), is_verbose=verbose)
    return {name: value for name, value in shown.items() if value is not None or name not in _TIMES}


@api.get("/agents/{agent_id}/insights", scope="read_content")
def get_agent_insights(
    call: Call, agent_id: str, start_time: float | None = None, end_time: float | None = None
) -> dict[str, Any]:
    """Say how often an agent ran in a period, in milliseconds since 1970; a run costs one credit."""
    row = _find_custom(call, agent_id)
    sessions = call.db.rows(AgentSession, AgentSession.agent_id == row.id)
    events = [
        event
        for session in sessions
        for event in call.db.rows(AgentEvent, AgentEvent.session_id == session.id, AgentEvent.status == "completed")
    ]
    first, last = (_instant_at(start_time, "start_time"), _instant_at(end_time, "end_time"))
    runs = sum((first or "") <= (event.created_time or "") <= (last or "~") for event in events)
    shown = agent_object(call, row)
    kept = {name: shown[name] for name in ("id", "name", "agent_type", "status", "pause_reason", "credit_limit")}
    maker = {"id": row.created_by, "type": "user"} if row.created_by else None
    return {"object": "agent_insights", **kept, "created_by": maker, "total_credits_used": runs, "runs_completed": runs}


def _instant_at(millis: float | None, name: str) -> str | None:
    """Return the instant of a parameter; raise ValidationError for one that no clock reaches."""
    if millis is None:
        return None
    if not 0 <= millis * MILLISECOND <= LAST_INSTANT:
        raise ValidationError(
            "query failed validation: " + invalid_at(f"query.{name}", "a time in milliseconds", millis)
        )
    return Clock(round(millis * MILLISECOND)).iso()


def _find_custom(call: Call, agent_id: str) -> Agent:
    row = find_agent(call, agent_id)
    if row is PERSONAL:
        raise ValidationError("The Notion agent is not a custom agent: it has no insights, status and credit limit.")
    return row


def _change(call: Call, agent_id: str, **columns: Any) -> Agent:
    row = _find_custom(call, agent_id)
    if row.status == "deleted":
        raise ValidationError(f"Agent {row.id} is deleted.")
    return call.db.change(row, **columns, last_edited_time=call.clock.iso())


@api.patch("/agents/{agent_id}/status", scope="update_content")
def update_agent_status(call: Call, agent_id: str, body: JsonBody) -> dict[str, Any]:
    """Enable or disable an agent."""
    check_body(_status_body, body)
    reason = "disabled_from_api" if body["status"] == "disabled" else None
    row = _change(call, agent_id, status=body["status"], pause_reason=reason)
    edited = instant(row.last_edited_time)
    return {"agent_id": row.id, "status": row.status, "pause_reason": row.pause_reason, "last_edited_time": edited}


@api.patch("/agents/{agent_id}/credit_limit", scope="update_content")
def update_agent_credit_limit(call: Call, agent_id: str, body: JsonBody) -> dict[str, Any]:
    """Set or clear the credit limit of an agent."""
    check_body(_limit_body, body)
    row = _change(call, agent_id, credit_limit=body["credit_limit"])
    return {"agent_id": row.id, "credit_limit": row.credit_limit, "last_edited_time": instant(row.last_edited_time)}


@api.delete("/agents/{agent_id}", scope="update_content")
def delete_agent(call: Call, agent_id: str) -> dict[str, Any]:
    """Delete an agent; it stays readable."""
    row = _change(call, agent_id, status="deleted", deleted_time=call.clock.iso())
    return {"agent_id": row.id, "status": "deleted", "deleted_at": instant(row.deleted_time)}


@api.post("/agents/batch", scope="update_content")
def batch_agents(call: Call, body: JsonBody) -> Any:
    """Apply several operations to agents, each by itself; the answer is the task that has their results."""
    check_body(_batch_body, body)
    results = [{"index": index, **_apply(call, each)} for index, each in enumerate(body["operations"])]
    return add_task(call, "POST /v1/agents/batch", {"object": "agent_batch_result", "results": results})


def _apply(call: Call, operation: dict[str, Any]) -> dict[str, Any]:
    about = {"action": operation["action"], "agent_id": operation["agent_id"]}
    try:
        if operation["action"] == "delete":
            done = delete_agent(call, operation["agent_id"])
        elif operation["action"] == "update_status":
            done = update_agent_status(call, operation["agent_id"], operation["fields"])
        else:
            done = update_agent_credit_limit(call, operation["agent_id"], operation["fields"])
    except ApiError as error:
        problem = {"object": "error", "status": error.status, "code": CODES[error.status], "message": str(error)}
        return {**about, "outcome": "error", "error": problem}
    return {**about, **done, "outcome": "success"}
