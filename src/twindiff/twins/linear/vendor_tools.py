"""The tools of Linear's MCP server, which name teams, people, states and labels instead of giving their ids.

https://linear.app/docs/mcp
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal, get_args

from twindiff.kit import Meta
from twindiff.kit.agent_tools import Caller, ToolRefused, VendorTools

Limit = Annotated[int, Meta(ge=1, le=250)]
OrderBy = Literal["createdAt", "updatedAt"]
PRIORITIES = ("No priority", "Urgent", "High", "Medium", "Low")
STATE_TYPES = ("triage", "backlog", "unstarted", "started", "completed", "canceled", "duplicate")
NOBODY = "null"
"""The assignee of issues that have none."""

_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_PAGE = "pageInfo { hasNextPage endCursor }"
_INSTANTS = """createdAt updatedAt archivedAt completedAt startedAt canceledAt dueDate slaStartedAt slaMediumRiskAt
slaHighRiskAt slaBreachesAt"""
_ISSUE = f"""id identifier title description priority url branchName {_INSTANTS} estimate
state {{ name type }} labels(first: 10) {{ nodes {{ name }} }} attachments(first: 5) {{ nodes {{ id title url }} }}
creator {{ id name }} assignee {{ id name }} project {{ id name }} projectMilestone {{ id name }} parent {{ id }}
team {{ id name }} cycle {{ id }}"""
_USER = "id name email displayName admin guest active avatarUrl"
_PROJECT = """id name color description content url startDate targetDate priority priorityLabel lead { id name }
status { id name }"""
_TEAM = "id name key createdAt updatedAt"
_COMMENT = "id body createdAt updatedAt parentId resolvedAt quotedText author: user { id name }"
_DOCUMENT = "id title content url createdAt updatedAt project { id name }"

IssueField = Literal[
    "id",
    "uuid",
    "title",
    "description",
    "projectMilestone",
    "priority",
    "estimate",
    "url",
    "gitBranchName",
    "createdAt",
    "updatedAt",
    "archivedAt",
    "completedAt",
    "startedAt",
    "canceledAt",
    "dueDate",
    "slaStartedAt",
    "slaMediumRiskAt",
    "slaHighRiskAt",
    "slaBreachesAt",
    "status",
    "statusType",
    "labels",
    "createdBy",
    "createdById",
    "assignee",
    "assigneeId",
    "project",
    "projectId",
    "team",
    "teamId",
    "parentId",
    "cycleId",
]
_LISTED = get_args(IssueField)
_MAX_LISTED = 400
_CUT = "… (truncated, use `get_issue` for full description)"

tools = VendorTools(
    host="mcp.linear.app",
    core=(
        *(f"query {name}" for name in ("viewer", "issues", "issue", "searchIssues", "teams", "team", "users")),
        *(f"query {name}" for name in ("projects", "project", "workflowStates", "issueLabels", "cycles", "comments")),
        *(f"query {name}" for name in ("documents", "initiatives", "attachments")),
        *(f"mutation issue{verb}" for verb in ("Create", "Update", "Archive", "Delete")),
        *(f"mutation comment{verb}" for verb in ("Create", "Update", "Delete")),
        *(f"mutation project{verb}" for verb in ("Create", "Update")),
        *(f"mutation {name}Create" for name in ("issueLabel", "issueRelation", "attachment", "document", "cycle")),
        "mutation issueAddLabel",
        "mutation issueRemoveLabel",
        "graphql",
    ),
)


@tools.reads
async def list_issues(
    call: Caller,
    query: str | None = None,
    team: str | None = None,
    assignee: str | None = None,
    state: str | None = None,
    label: str | None = None,
    project: str | None = None,
    priority: int | None = None,
    parentId: str | None = None,  # noqa: N803
    createdAt: str | None = None,  # noqa: N803
    updatedAt: str | None = None,  # noqa: N803
    limit: Limit = 50,
    cursor: str | None = None,
    orderBy: OrderBy = "updatedAt",  # noqa: N803
    includeArchived: bool = True,  # noqa: N803
    fields: list[IssueField] | None = None,
) -> Any:
    """List issues; team, state, label and project are names or ids, assignee a name, an email address or "me".

    `fields` are those to show; all without it.
    """
    given: dict[str, Any] = {
        "team": team and _match_name(team, "name", "key"),
        "assignee": assignee and _match_person(assignee),
        "state": state and _match_state(state),
        "labels": label and _match_name(label, "name"),
        "project": project and _match_name(project, "name", "slugId"),
        "priority": None if priority is None else {"eq": priority},
        "parent": parentId and {"id": {"eq": parentId}},
        "createdAt": createdAt and {"gte": createdAt},
        "updatedAt": updatedAt and {"gte": updatedAt},
        "or": query and [{each: {"containsIgnoreCase": query}} for each in ("title", "description")],
    }
    selection = f"nodes {{ {_ISSUE} }} {_PAGE}"
    options = {"filter": _drop_none(given), "first": limit, "after": cursor, "orderBy": orderBy}
    page = await _list(call, "issues", "IssueFilter", selection, options | {"includeArchived": includeArchived})
    return _to_page(page, fields)


@tools.reads
async def list_my_issues(call: Caller, limit: Limit = 50, orderBy: OrderBy = "updatedAt") -> Any:  # noqa: N803
    """List the issues that are assigned to the caller."""
    options = {"filter": {"assignee": {"isMe": {"eq": True}}}, "first": limit, "orderBy": orderBy}
    page = await _list(call, "issues", "IssueFilter", f"nodes {{ {_ISSUE} }} {_PAGE}", options)
    return _to_page(page)


@tools.reads
async def get_issue(call: Caller, id: str, includeRelations: bool = False) -> Any:  # noqa: N803
    """Return an issue by id or identifier, such as ENG-12."""
    selection = f"""{_ISSUE} relations {{ nodes {{ type relatedIssue {{ identifier title }} }} }}
    inverseRelations {{ nodes {{ type issue {{ identifier title }} }} }}"""
    issue = (await _ask(call, f"query($id: String!) {{ issue(id: $id) {{ {selection} }} }}", id=id))["issue"]
    return _to_issue(issue) | ({"relations": _to_relations(issue)} if includeRelations else {})


@tools.writes
async def create_issue(
    call: Caller,
    title: str,
    team: str,
    description: str | None = None,
    assignee: str | None = None,
    state: str | None = None,
    labels: list[str] | None = None,
    project: str | None = None,
    priority: Annotated[int, Meta(ge=0, le=4)] | None = None,
    dueDate: str | None = None,  # noqa: N803
    estimate: int | None = None,
    parentId: str | None = None,  # noqa: N803
    blocks: list[str] | None = None,
    relatedTo: list[str] | None = None,  # noqa: N803
) -> Any:
    """Create an issue; team, state, labels and project are names or ids, assignee a name, an email address or "me"."""
    team_id = await _find(call, "teams", team, "name", "key")
    given = await _to_input(call, team_id, description, assignee, state, labels, project, priority, dueDate, estimate)
    given |= _drop_none({"title": title, "teamId": team_id, "parentId": parentId})
    document = f"mutation($input: IssueCreateInput!) {{ issueCreate(input: $input) {{ issue {{ {_ISSUE} }} }} }}"
    issue = (await _ask(call, document, input=given))["issueCreate"]["issue"]
    await _relate(call, issue["id"], blocks, relatedTo)
    return _to_issue(issue)


@tools.writes
async def update_issue(
    call: Caller,
    id: str,
    title: str | None = None,
    description: str | None = None,
    assignee: str | None = None,
    state: str | None = None,
    labels: list[str] | None = None,
    project: str | None = None,
    priority: Annotated[int, Meta(ge=0, le=4)] | None = None,
    dueDate: str | None = None,  # noqa: N803
    estimate: int | None = None,
    parentId: str | None = None,  # noqa: N803
    blocks: list[str] | None = None,
    relatedTo: list[str] | None = None,  # noqa: N803
) -> Any:
    """Change the given fields of an issue, by id or identifier."""
    asked = "query($id: String!) { issue(id: $id) { id team { id } } }"
    issue = (await _ask(call, asked, id=id))["issue"]
    team_id = issue["team"]["id"]
    given = await _to_input(call, team_id, description, assignee, state, labels, project, priority, dueDate, estimate)
    given |= _drop_none({"title": title, "parentId": parentId})
    document = f"""mutation($id: String!, $input: IssueUpdateInput!)
    {{ issueUpdate(id: $id, input: $input) {{ issue {{ {_ISSUE} }} }} }}"""
    changed = (await _ask(call, document, id=issue["id"], input=given))["issueUpdate"]["issue"]
    await _relate(call, issue["id"], blocks, relatedTo)
    return _to_issue(changed)


@tools.writes
async def save_issue(
    call: Caller,
    id: str | None = None,
    title: str | None = None,
    team: str | None = None,
    description: str | None = None,
    assignee: str | None = None,
    state: str | None = None,
    labels: list[str] | None = None,
    project: str | None = None,
    priority: Annotated[int, Meta(ge=0, le=4)] | None = None,
    dueDate: str | None = None,  # noqa: N803
    estimate: int | None = None,
    parentId: str | None = None,  # noqa: N803
    blocks: list[str] | None = None,
    relatedTo: list[str] | None = None,  # noqa: N803
) -> Any:
    """Change an issue, or without an id create one, which needs a title and a team."""
    fields = (description, assignee, state, labels, project, priority, dueDate, estimate, parentId, blocks, relatedTo)
    if id:
        return await update_issue(call, id, title, *fields)
    if not title or not team:
        raise ToolRefused("title and team are required to create an issue")
    return await create_issue(call, title, team, *fields)


@tools.reads
async def list_comments(call: Caller, issueId: str) -> Any:  # noqa: N803
    """List the comments on an issue."""
    document = f"query($id: String!) {{ issue(id: $id) {{ comments {{ nodes {{ {_COMMENT} }} }} }} }}"
    return (await _ask(call, document, id=issueId))["issue"]["comments"]["nodes"]


@tools.writes
async def create_comment(call: Caller, issueId: str, body: str, parentId: str | None = None) -> Any:  # noqa: N803
    """Comment on an issue, in Markdown."""
    given = _drop_none({"issueId": issueId, "body": body, "parentId": parentId})
    return await _create(call, "comment", given, _COMMENT)


@tools.writes
async def save_comment(
    call: Caller,
    body: str,
    issueId: str | None = None,  # noqa: N803
    id: str | None = None,
    parentId: str | None = None,  # noqa: N803
) -> Any:
    """Change a comment, or without an id comment on an issue."""
    if id:
        return await _update(call, "comment", id, {"body": body}, _COMMENT)
    if not issueId:
        raise ToolRefused("issueId is required to create a comment")
    return await create_comment(call, issueId, body, parentId)


@tools.reads
async def list_teams(call: Caller, query: str | None = None, limit: Limit = 50) -> Any:
    """List teams."""
    wanted = {"name": {"containsIgnoreCase": query}} if query else None
    page = await _list(call, "teams", "TeamFilter", f"nodes {{ {_TEAM} }}", {"filter": wanted, "first": limit})
    return page["nodes"]


@tools.reads
async def get_team(call: Caller, query: str) -> Any:
    """Return a team by name, key or id."""
    return await _get(call, "teams", "TeamFilter", _match_name(query, "name", "key"), _TEAM, query)


@tools.reads
async def list_users(call: Caller, query: str | None = None, limit: Limit = 50) -> Any:
    """List the people of the workspace."""
    wanted = _drop_none({"or": query and [{each: {"containsIgnoreCase": query}} for each in ("name", "email")]})
    page = await _list(call, "users", "UserFilter", f"nodes {{ {_USER} }}", {"filter": wanted, "first": limit})
    return [_to_user(each) for each in page["nodes"]]


@tools.reads
async def get_user(call: Caller, query: str) -> Any:
    """Return a person by name, email address, id or "me"."""
    return _to_user(await _get(call, "users", "UserFilter", _match_person(query), _USER, query))


@tools.reads
async def list_projects(
    call: Caller, query: str | None = None, team: str | None = None, limit: Limit = 50, cursor: str | None = None
) -> Any:
    """List projects, by words of their names or by team."""
    teams = team and {"some": _match_name(team, "name", "key")}
    wanted = _drop_none({"name": query and {"containsIgnoreCase": query}, "accessibleTeams": teams})
    selection = f"nodes {{ {_PROJECT} }} {_PAGE}"
    options = {"filter": wanted, "first": limit, "after": cursor}
    page = await _list(call, "projects", "ProjectFilter", selection, options)
    return {"content": [_to_project(each) for each in page["nodes"]], "pageInfo": page["pageInfo"]}


@tools.reads
async def get_project(call: Caller, query: str) -> Any:
    """Return a project by name or id."""
    wanted = _match_name(query, "name", "slugId")
    return _to_project(await _get(call, "projects", "ProjectFilter", wanted, _PROJECT, query))


@tools.writes
async def create_project(
    call: Caller,
    name: str,
    team: str,
    summary: str | None = None,
    description: str | None = None,
    lead: str | None = None,
    priority: int | None = None,
    startDate: str | None = None,  # noqa: N803
    targetDate: str | None = None,  # noqa: N803
) -> Any:
    """Create a project of a team."""
    given = {
        "name": name,
        "teamIds": [await _find(call, "teams", team, "name", "key")],
        "description": summary,
        "content": description,
        "leadId": lead and await _find_person(call, lead),
        "priority": priority,
        "startDate": startDate,
        "targetDate": targetDate,
    }
    return _to_project(await _create(call, "project", _drop_none(given), _PROJECT))


@tools.writes
async def update_project(
    call: Caller,
    id: str,
    name: str | None = None,
    summary: str | None = None,
    description: str | None = None,
    lead: str | None = None,
    priority: int | None = None,
    startDate: str | None = None,  # noqa: N803
    targetDate: str | None = None,  # noqa: N803
) -> Any:
    """Change the given fields of a project."""
    given = {
        "name": name,
        "description": summary,
        "content": description,
        "leadId": lead and await _find_person(call, lead),
        "priority": priority,
        "startDate": startDate,
        "targetDate": targetDate,
    }
    return _to_project(await _update(call, "project", id, _drop_none(given), _PROJECT))


@tools.reads
async def list_issue_statuses(call: Caller, team: str) -> Any:
    """List the workflow states of a team."""
    options = {"filter": {"team": _match_name(team, "name", "key")}, "first": 100}
    page = await _list(call, "workflowStates", "WorkflowStateFilter", "nodes { id type name position }", options)
    ordered = sorted(page["nodes"], key=lambda state: state["position"])
    return [{"id": each["id"], "type": each["type"], "name": each["name"]} for each in ordered]


@tools.reads
async def list_issue_labels(call: Caller, team: str | None = None, name: str | None = None, limit: Limit = 50) -> Any:
    """List the labels of issues, of the workspace and of a team."""
    wanted = _drop_none({"team": team and _match_name(team, "name", "key"), "name": name and {"eqIgnoreCase": name}})
    options = {"filter": wanted, "first": limit}
    return (await _list(call, "issueLabels", "IssueLabelFilter", "nodes { id name color description }", options))[
        "nodes"
    ]


@tools.writes
async def create_issue_label(
    call: Caller,
    name: str,
    color: str | None = None,
    description: str | None = None,
    teamId: str | None = None,  # noqa: N803
) -> Any:
    """Create a label of issues."""
    given = _drop_none({"name": name, "color": color, "description": description, "teamId": teamId})
    return await _create(call, "issueLabel", given, "id name color description")


@tools.reads
async def list_cycles(call: Caller, teamId: str) -> Any:  # noqa: N803
    """List the cycles of a team."""
    options = {"filter": {"team": _match_name(teamId, "name", "key")}, "first": 50}
    return (await _list(call, "cycles", "CycleFilter", "nodes { id number name startsAt endsAt }", options))["nodes"]


@tools.reads
async def list_documents(call: Caller, query: str | None = None, limit: Limit = 50) -> Any:
    """List documents, by words of their titles."""
    wanted = {"title": {"containsIgnoreCase": query}} if query else None
    options = {"filter": wanted, "first": limit}
    page = await _list(call, "documents", "DocumentFilter", f"nodes {{ {_DOCUMENT} }} {_PAGE}", options)
    return {"content": page["nodes"], "pageInfo": page["pageInfo"]}


@tools.reads
async def get_document(call: Caller, id: str) -> Any:
    """Return a document by id or slug."""
    return (await _ask(call, f"query($id: String!) {{ document(id: $id) {{ {_DOCUMENT} }} }}", id=id))["document"]


@tools.writes
async def create_document(call: Caller, title: str, project: str, content: str | None = None) -> Any:
    """Create a document of a project."""
    project_id = await _find(call, "projects", project, "name", "slugId")
    return await _create(
        call, "document", _drop_none({"title": title, "projectId": project_id, "content": content}), _DOCUMENT
    )


@tools.writes
async def update_document(call: Caller, id: str, title: str | None = None, content: str | None = None) -> Any:
    """Change the given fields of a document."""
    return await _update(call, "document", id, _drop_none({"title": title, "content": content}), _DOCUMENT)


@tools.reads
async def list_project_labels(call: Caller, name: str | None = None, limit: Limit = 50) -> Any:
    """List the labels of projects."""
    wanted = {"name": {"eqIgnoreCase": name}} if name else None
    selection = "nodes { id name color description }"
    page = await _list(call, "projectLabels", "ProjectLabelFilter", selection, {"filter": wanted, "first": limit})
    return page["nodes"]


async def _ask(call: Caller, document: str, **variables: Any) -> dict[str, Any]:
    return (await call("graphql", query=document, variables=variables))["data"]


async def _list(call: Caller, root: str, kind: str, selection: str, options: dict[str, Any]) -> dict[str, Any]:
    """A page of a list with its filter; options that are None are left out."""
    types = {"filter": kind, "first": "Int", "after": "String", "orderBy": "PaginationOrderBy"}
    given = {name: value for name, value in options.items() if value is not None}
    declared = ", ".join(f"${name}: {types.get(name, 'Boolean')}" for name in given)
    passed = ", ".join(f"{name}: ${name}" for name in given)
    return (await _ask(call, f"query({declared}) {{ {root}({passed}) {{ {selection} }} }}", **given))[root]


async def _get(call: Caller, root: str, kind: str, wanted: Any, selection: str, query: str) -> dict[str, Any]:
    page = await _list(call, root, kind, f"nodes {{ {selection} }}", {"filter": wanted, "first": 1})
    if not page["nodes"]:
        raise ToolRefused(f"Could not find '{query}' among the {root}")
    return page["nodes"][0]


async def _find(call: Caller, root: str, query: str, *names: str) -> str:
    """The id of a team or a project by name or id; raises ToolRefused."""
    kind = {"teams": "TeamFilter", "projects": "ProjectFilter"}[root]
    return (await _get(call, root, kind, _match_name(query, *names), "id", query))["id"]


async def _find_person(call: Caller, query: str) -> str:
    return (await _get(call, "users", "UserFilter", _match_person(query), "id", query))["id"]


async def _create(call: Caller, kind: str, given: dict[str, Any], selection: str) -> dict[str, Any]:
    name = f"{kind}Create"
    document = f"""mutation($input: {kind[0].upper()}{kind[1:]}CreateInput!)
    {{ {name}(input: $input) {{ {kind} {{ {selection} }} }} }}"""
    return (await _ask(call, document, input=given))[name][kind]


async def _update(call: Caller, kind: str, id: str, given: dict[str, Any], selection: str) -> dict[str, Any]:
    name = f"{kind}Update"
    document = f"""mutation($id: String!, $input: {kind[0].upper()}{kind[1:]}UpdateInput!)
    {{ {name}(id: $id, input: $input) {{ {kind} {{ {selection} }} }} }}"""
    return (await _ask(call, document, id=id, input=given))[name][kind]


async def _to_input(
    call: Caller,
    team_id: str,
    description: str | None,
    assignee: str | None,
    state: str | None,
    labels: list[str] | None,
    project: str | None,
    priority: int | None,
    due_date: str | None,
    estimate: int | None,
) -> dict[str, Any]:
    """The fields that creating and changing an issue have in common, with ids for names."""
    given: dict[str, Any] = {"description": description, "priority": priority, "dueDate": due_date}
    given["estimate"] = estimate
    given["projectId"] = project and await _find(call, "projects", project, "name", "slugId")
    given["stateId"] = state and await _find_state(call, team_id, state)
    given["labelIds"] = None if labels is None else [await _find_label(call, team_id, each) for each in labels]
    nobody = {"assigneeId": None} if assignee == NOBODY else {}
    given["assigneeId"] = await _find_person(call, assignee) if assignee and not nobody else None
    return _drop_none(given) | nobody


async def _find_state(call: Caller, team_id: str, state: str) -> str:
    wanted = {"team": {"id": {"eq": team_id}}, **_match_state(state)}
    return (await _get(call, "workflowStates", "WorkflowStateFilter", wanted, "id", state))["id"]


async def _find_label(call: Caller, team_id: str, label: str) -> str:
    return (await _get(call, "issueLabels", "IssueLabelFilter", _match_name(label, "name"), "id", label))["id"]


async def _relate(call: Caller, issue_id: str, blocks: list[str] | None, related: list[str] | None) -> None:
    for kind, others in (("blocks", blocks), ("related", related)):
        for other in others or ():
            given = {"issueId": issue_id, "relatedIssueId": other, "type": kind}
            await _create(call, "issueRelation", given, "id")


def _drop_none(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _match_name(query: str, *names: str) -> dict[str, Any]:
    """The filter of what has an id or one of these names."""
    if _ID.fullmatch(query):
        return {"id": {"eq": query}}
    return {"or": [{name: {"eqIgnoreCase": query}} for name in names]}


def _match_person(query: str) -> dict[str, Any]:
    if query == "me":
        return {"isMe": {"eq": True}}
    if query == NOBODY:
        return {"null": True}
    return _match_name(query, "name", "displayName", "email")


def _match_state(query: str) -> dict[str, Any]:
    return {"type": {"eq": query}} if query in STATE_TYPES else _match_name(query, "name")


def _to_issue(issue: dict[str, Any]) -> dict[str, Any]:
    """An issue as the server shows it: people, states and teams by name, `id` its identifier."""
    told = {
        "id": issue["identifier"],
        "uuid": issue["id"],
        "title": issue["title"],
        "description": issue["description"],
        "priority": {"value": issue["priority"], "name": PRIORITIES[int(issue["priority"])]},
        "url": issue["url"],
        "gitBranchName": issue["branchName"],
        **{name: issue[name] for name in _INSTANTS.split()},
        "status": issue["state"]["name"],
        "statusType": issue["state"]["type"],
        "labels": [each["name"] for each in issue["labels"]["nodes"]],
        "attachments": issue["attachments"]["nodes"],
        "documents": [],
    }
    points = issue["estimate"]
    present = {
        "estimate": points and {"value": points, "name": f"{points:g} Point{'' if points == 1 else 's'}"},
        "projectMilestone": issue["projectMilestone"],
        "parentId": issue["parent"] and issue["parent"]["id"],
        "cycleId": issue["cycle"] and issue["cycle"]["id"],
    }
    for name, shown in (("creator", "createdBy"), ("assignee", "assignee"), ("project", "project"), ("team", "team")):
        if issue[name]:
            told |= {shown: issue[name]["name"], f"{shown}Id": issue[name]["id"]}
    return told | _drop_none(present)


def _to_page(page: dict[str, Any], fields: Sequence[str] | None = None) -> dict[str, Any]:
    """A page of issues with the beginnings of their descriptions, and where the next one starts if there is one."""
    issues = [{name: value for name, value in _to_issue(each).items() if name in _LISTED} for each in page["nodes"]]
    for issue in issues:
        text = issue["description"] or ""
        issue["description"] = text if len(text) <= _MAX_LISTED else f"{text[:_MAX_LISTED]}{_CUT}"
    shown = [{name: each[name] for name in each if name in fields} for each in issues] if fields else issues
    more = page["pageInfo"]["hasNextPage"]
    return {"issues": shown, "hasNextPage": more} | ({"cursor": page["pageInfo"]["endCursor"]} if more else {})


def _to_relations(issue: dict[str, Any]) -> dict[str, Any]:
    def of(kind: str, side: str = "relations", other: str = "relatedIssue") -> list[Any]:
        told = [each[other] for each in issue[side]["nodes"] if each["type"] == kind]
        return [{"id": each["identifier"], "title": each["title"]} for each in told]

    return {
        "blocks": of("blocks"),
        "blockedBy": of("blocks", "inverseRelations", "issue"),
        "relatedTo": of("related") + of("related", "inverseRelations", "issue"),
        "duplicateOf": next(iter(of("duplicate")), None),
    }


def _to_user(user: dict[str, Any]) -> dict[str, Any]:
    kept = {name: user[name] for name in ("id", "name", "email", "displayName", "avatarUrl")}
    return kept | {"isAdmin": user["admin"], "isGuest": user["guest"], "isActive": user["active"]}


def _to_project(project: dict[str, Any]) -> dict[str, Any]:
    names = ("id", "name", "color", "url", "startDate", "targetDate", "lead", "status")
    priority = {"value": project["priority"], "name": project["priorityLabel"]}
    texts = {"summary": project["description"], "description": project["content"]}
    return {name: project[name] for name in names} | texts | {"priority": priority}
