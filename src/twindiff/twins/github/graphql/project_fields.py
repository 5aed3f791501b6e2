"""Fields of projects, their fields, items and values.

https://docs.github.com/en/graphql/reference/objects#projectv2
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from twindiff.kit import Call

from ..core.access import authorize, find_repo, may, membership_of
from ..core.node_ids import node_id
from ..core.stamps import show_instant
from ..core.token_grants import token_of
from ..issues.closing_keywords import find_closing_pulls
from ..projects.item_filters import filter_items
from ..projects.project_changes import can_see, is_admin, is_writer, list_items_of, list_projects_of
from ..projects.project_fields import Field, find_iteration, find_option, is_completed
from ..projects.project_views import (
    draft_node_id,
    field_node_id,
    find_content,
    item_node_id,
    page_url,
    project_node_id,
)
from ..tables.issue_tables import Issue, Label, Milestone, PullRequest
from ..tables.project_tables import Project, ProjectItem, ProjectLink
from ..tables.repository_tables import Repository
from ..tables.user_tables import Team, User
from ..views.user_views import PAGES
from ..wire_style import NotVisible
from .issue_fields import issue_node
from .nodes import GraphNode, GraphRefusal, ProjectField, connect, user_node, user_nodes
from .resolvers import compute, field, issue_half

FIELD_TYPES = {"single_select": "ProjectV2SingleSelectField", "iteration": "ProjectV2IterationField"}
_VALUE_TYPES = {
    "title": "Text",
    "text": "Text",
    "number": "Number",
    "date": "Date",
    "single_select": "SingleSelect",
    "iteration": "Iteration",
    "labels": "Label",
    "milestone": "Milestone",
    "repository": "Repository",
    "assignees": "User",
    "reviewers": "Reviewer",
    "linked_pull_requests": "PullRequest",
}


class ProjectView(NamedTuple):
    """A view with its project, as the row of a node."""

    project: Project
    view: dict[str, Any]


class ItemValue(NamedTuple):
    """The value that an item has of a field, as the row of a node; `value` is never None."""

    project: Project
    item: ProjectItem
    field: Field
    value: Any


def project_node(project: Project) -> GraphNode:
    """Return a project as a node."""
    return GraphNode("ProjectV2", project)


def field_node(project: Project, own: Field) -> GraphNode:
    """Return a field of a project as a node of its type."""
    return GraphNode(FIELD_TYPES.get(own["data_type"], "ProjectV2Field"), ProjectField(project, own))


def project_of(call: Call, item: ProjectItem) -> Project:
    """Return the project of an item."""
    return call.db.get(Project, item.project_id)


def check_project_scope(call: Call, owner: User, verb: str, name: str) -> None:
    """Raise GitHub's refusal if the token that is sent has no scope or permission for an owner's projects."""
    is_org = owner.type == "Organization"
    path, placeholder = ("/orgs/{org}", "org") if is_org else ("/users/{username}", "username")
    try:
        authorize(call, verb, f"{path}/projectsV2/{{project_number}}", {placeholder: owner.login})
    except NotVisible:
        token = token_of(call)
        granted, accepted = list(token.scopes or ()) if token else [], list(call.memo["required"].scopes)
        text = (
            "Your token has not been granted the required scopes to execute this query. "
            f"The '{name}' field requires one of the following scopes: {accepted}, "
            f"but your token has only been granted the: {granted} scopes. "
            "Please modify your token's scopes at: https://github.com/settings/tokens."
        )
        raise GraphRefusal(text, "INSUFFICIENT_SCOPES") from None


# Where projects are listed


def _connect_projects(call: Call, rows: list[Project], arguments: dict[str, Any]) -> Any:
    """Return a connection of projects in the order that `orderBy` selects; by default the newest number first."""
    for project in rows[:1]:
        check_project_scope(call, call.db.get(User, project.owner), "GET", "projectsV2")
    wanted: dict[str, Any] = arguments.get("orderBy") or {"field": "NUMBER", "direction": "DESC"}
    name = str(wanted["field"]).lower()
    rows = sorted(rows, key=lambda row: getattr(row, name), reverse=wanted["direction"] == "DESC")
    return connect([project_node(row) for row in rows], arguments)


@field("User.projectsV2", "Organization.projectsV2")
def _owned_projects(call: Call, node: GraphNode, query: str | None = None, **arguments: Any) -> Any:
    return _connect_projects(call, list_projects_of(call, node.row.login, query or ""), arguments)


def linked_projects(call: Call, subject: str, subject_id: int, owner: str, query: str = "") -> list[Project]:
    """Return the projects that are linked to a repository or a team and that the caller sees."""
    links = call.db.rows(ProjectLink, ProjectLink.subject == subject, ProjectLink.subject_id == subject_id)
    ids = {link.project_id for link in links}
    return [row for row in list_projects_of(call, owner, query) if row.id in ids]


@field("Repository.projectsV2")
def _repository_projects(call: Call, node: GraphNode, query: str | None = None, **arguments: Any) -> Any:
    rows = linked_projects(call, "repositories", node.row.id, node.row.owner, query or "")
    return _connect_projects(call, rows, arguments)


@field("Team.projectsV2")
def _team_projects(call: Call, node: GraphNode, query: str | None = None, **arguments: Any) -> Any:
    return _connect_projects(call, linked_projects(call, "teams", node.row.id, node.row.org, query or ""), arguments)


def _items_of_issue(call: Call, node: GraphNode, *, archived: bool = True) -> list[ProjectItem]:
    rows = call.db.rows(ProjectItem, ProjectItem.issue_id == issue_half(call, node).id, order=ProjectItem.id)
    return [row for row in rows if can_see(call, project_of(call, row)) and (archived or not row.archived_at)]


@field("Issue.projectItems", "PullRequest.projectItems")
def _project_items(call: Call, node: GraphNode, includeArchived: bool = True, **arguments: Any) -> Any:  # noqa: N803
    rows = _items_of_issue(call, node, archived=includeArchived)
    for item in rows[:1]:
        check_project_scope(call, call.db.get(User, project_of(call, item).owner), "GET", "projectItems")
    return connect([GraphNode("ProjectV2Item", row) for row in rows], arguments)


@field("Issue.projectsV2", "PullRequest.projectsV2")
def _projects_of_issue(call: Call, node: GraphNode, **arguments: Any) -> Any:
    rows = {item.project_id: project_of(call, item) for item in _items_of_issue(call, node)}
    return _connect_projects(call, list(rows.values()), arguments)


@field("User.projectV2", "Organization.projectV2", "Repository.projectV2", "Issue.projectV2", "PullRequest.projectV2")
def _project_by_number(call: Call, node: GraphNode, number: int) -> Any:
    if node.type in ("User", "Organization"):
        rows = list_projects_of(call, node.row.login)
    elif node.type == "Repository":
        rows = linked_projects(call, "repositories", node.row.id, node.row.owner)
    else:
        rows = [project_of(call, item) for item in _items_of_issue(call, node)]
    project = next((row for row in rows if row.number == number), None)
    if project is None:
        raise GraphRefusal(f"Could not resolve to a ProjectV2 with the number {number}.")
    check_project_scope(call, call.db.get(User, project.owner), "GET", "projectV2")
    return project_node(project)


compute("Organization.viewerCanCreateProjects")(
    lambda call, node: membership_of(call, node.row.login, call.actor) is not None
)

# Projects

compute("ProjectV2.id")(lambda call, node: project_node_id(call, node.row))
compute("ProjectV2.fullDatabaseId", "ProjectV2Item.fullDatabaseId")(lambda call, node: str(node.row.id))
compute("ProjectV2.readme")(lambda call, node: node.row.description)
compute("ProjectV2.closed")(lambda call, node: node.row.closed_at is not None)
compute("ProjectV2.template")(lambda call, node: bool(node.row.is_template))
compute("ProjectV2.url")(lambda call, node: page_url(call, node.row))
compute("ProjectV2.resourcePath")(lambda call, node: page_url(call, node.row).removeprefix(PAGES))
compute("ProjectV2.creator", "ProjectV2Item.creator", "DraftIssue.creator")(
    lambda call, node: user_node(call, node.row.creator)
)
compute("ProjectV2.owner")(lambda call, node: user_node(call, node.row.owner))
compute("ProjectV2.viewerCanUpdate")(lambda call, node: is_writer(call, node.row))
compute("ProjectV2.viewerCanClose")(lambda call, node: is_admin(call, node.row) and not node.row.closed_at)
compute("ProjectV2.viewerCanReopen")(lambda call, node: is_admin(call, node.row) and bool(node.row.closed_at))


@field("ProjectV2.field")
def _field_by_name(call: Call, node: GraphNode, name: str) -> Any:
    own = next((each for each in node.row.fields if each["name"].lower() == name.lower()), None)
    return field_node(node.row, own) if own else None


@field("ProjectV2.fields")
def _fields(call: Call, node: GraphNode, **arguments: Any) -> Any:
    return _connect_fields(node.row, node.row.fields, arguments)


def _connect_fields(project: Project, fields: list[Field], arguments: dict[str, Any]) -> Any:
    wanted: dict[str, Any] = arguments.get("orderBy") or {"field": "POSITION", "direction": "ASC"}
    keys: dict[str, Callable[[Field], Any]] = {"NAME": lambda each: each["name"].lower(), "CREATED_AT": _id_of}
    if wanted["field"] in keys:
        fields = sorted(fields, key=keys[wanted["field"]])
    ordered = fields[::-1] if wanted["direction"] == "DESC" else fields
    return connect([field_node(project, each) for each in ordered], arguments)


def _id_of(own: Field) -> int:
    return own["id"]


@field("ProjectV2.items")
def _items(call: Call, node: GraphNode, query: str | None = None, **arguments: Any) -> Any:
    rows = filter_items(call, node.row, list_items_of(call, node.row), query or "")
    wanted: dict[str, Any] = arguments.get("orderBy") or {"direction": "ASC"}
    rows = rows[::-1] if wanted["direction"] == "DESC" else rows
    return connect([GraphNode("ProjectV2Item", row) for row in rows], arguments)


def _views_of(call: Call, project: Project) -> list[GraphNode]:
    """Return the views of a project; a project without any shows the table that projects begin with."""
    plain = {"id": project.id, "number": 1, "name": "View 1", "layout": "table", "filter": None}
    return [GraphNode("ProjectV2View", ProjectView(project, view)) for view in project.views or [plain]]


@field("ProjectV2.views")
def _views(call: Call, node: GraphNode, **arguments: Any) -> Any:
    return connect(_views_of(call, node.row), arguments)


@field("ProjectV2.view")
def _view(call: Call, node: GraphNode, number: int) -> Any:
    return next((each for each in _views_of(call, node.row) if each.row.view["number"] == number), None)


def _linked_ids(call: Call, project: Project, subject: str) -> list[int]:
    rows = call.db.rows(ProjectLink, ProjectLink.project_id == project.id, ProjectLink.subject == subject)
    return [row.subject_id for row in rows]


@field("ProjectV2.repositories")
def _repositories(call: Call, node: GraphNode, **arguments: Any) -> Any:
    ids = _linked_ids(call, node.row, "repositories")
    rows = call.db.rows(Repository, Repository.id.in_(ids), order=-Repository.created_at) if ids else []
    return connect([GraphNode("Repository", row) for row in rows if may(call, row, "pull")], arguments)


@field("ProjectV2.teams")
def _teams(call: Call, node: GraphNode, **arguments: Any) -> Any:
    ids = _linked_ids(call, node.row, "teams")
    rows = call.db.rows(Team, Team.id.in_(ids), order=Team.name) if ids else []
    return connect([GraphNode("Team", row) for row in rows], arguments)


# Fields and views

for _kind in ("ProjectV2Field", "ProjectV2IterationField", "ProjectV2SingleSelectField"):
    compute(f"{_kind}.id")(lambda call, node: field_node_id(*node.row))
    compute(f"{_kind}.databaseId")(lambda call, node: node.row.field["id"])
    compute(f"{_kind}.name")(lambda call, node: node.row.field["name"])
    compute(f"{_kind}.dataType")(lambda call, node: node.row.field["data_type"].upper())
    compute(f"{_kind}.createdAt")(lambda call, node: show_instant(node.row.project.created_at))
    compute(f"{_kind}.updatedAt")(lambda call, node: show_instant(node.row.project.updated_at))
    compute(f"{_kind}.project")(lambda call, node: project_node(node.row.project))


@field("ProjectV2SingleSelectField.options")
def _options(call: Call, node: GraphNode, names: list[str] | None = None) -> Any:
    return [_show_option(each) for each in node.row.field.get("options", []) if names is None or each["name"] in names]


def _show_option(option: dict[str, Any]) -> dict[str, Any]:
    description = option.get("description", "")
    texts = {"nameHTML": option["name"], "description": description, "descriptionHTML": description}
    return {**option, **texts}


def _show_iteration(iteration: dict[str, Any]) -> dict[str, Any]:
    return {**iteration, "titleHTML": iteration["title"], "startDate": iteration["start_date"]}


@field("ProjectV2IterationField.configuration")
def _configuration(call: Call, node: GraphNode) -> Any:
    own: dict[str, Any] = node.row.field["configuration"]
    iterations: list[dict[str, Any]] = own["iterations"]
    return {
        "startDay": own["start_day"],
        "duration": own["duration"],
        "iterations": [_show_iteration(each) for each in iterations if not is_completed(call, each)],
        "completedIterations": [_show_iteration(each) for each in iterations if is_completed(call, each)],
    }


compute("ProjectV2View.id")(lambda call, node: node_id("PVTV", node.row.project.id, node.row.view["id"]))
compute("ProjectV2View.databaseId")(lambda call, node: node.row.view["id"])
compute("ProjectV2View.fullDatabaseId")(lambda call, node: str(node.row.view["id"]))
compute("ProjectV2View.number")(lambda call, node: node.row.view["number"])
compute("ProjectV2View.name")(lambda call, node: node.row.view["name"])
compute("ProjectV2View.filter")(lambda call, node: node.row.view.get("filter"))
compute("ProjectV2View.layout")(lambda call, node: f"{node.row.view['layout'].upper()}_LAYOUT")
compute("ProjectV2View.createdAt")(lambda call, node: show_instant(node.row.project.created_at))
compute("ProjectV2View.updatedAt")(lambda call, node: show_instant(node.row.project.updated_at))
compute("ProjectV2View.project")(lambda call, node: project_node(node.row.project))


def _connect_chosen(project: Project, ids: list[int], arguments: dict[str, Any]) -> Any:
    return _connect_fields(project, [each for each in project.fields if each["id"] in ids], arguments)


@field("ProjectV2View.fields")
def _view_fields(call: Call, node: GraphNode, **arguments: Any) -> Any:
    project, view = node.row
    ids = view.get("visible_fields") or [each["id"] for each in project.fields[:3]]
    return _connect_chosen(project, ids, arguments)


@field("ProjectV2View.groupByFields")
def _group_by(call: Call, node: GraphNode, **arguments: Any) -> Any:
    return _connect_chosen(node.row.project, node.row.view.get("group_by", []), arguments)


@field("ProjectV2View.verticalGroupByFields")
def _vertical_group_by(call: Call, node: GraphNode, **arguments: Any) -> Any:
    return _connect_chosen(node.row.project, node.row.view.get("vertical_group_by", []), arguments)


# Items

compute("ProjectV2Item.id")(lambda call, node: item_node_id(node.row))
compute("ProjectV2Item.isArchived")(lambda call, node: node.row.archived_at is not None)
compute("ProjectV2Item.project")(lambda call, node: project_node(project_of(call, node.row)))
compute("DraftIssue.id")(lambda call, node: draft_node_id(node.row))
compute("DraftIssue.body", "DraftIssue.bodyText")(lambda call, node: node.row.body or "")


@field("ProjectV2Item.type")
def _item_type(call: Call, node: GraphNode) -> str:
    types = {"DraftIssue": "DRAFT_ISSUE", "Issue": "ISSUE", "PullRequest": "PULL_REQUEST"}
    is_hidden = node.row.issue_id is not None and find_content(call, node.row) is None
    return "REDACTED" if is_hidden else types[node.row.content_type]


@field("ProjectV2Item.content")
def _content(call: Call, node: GraphNode) -> Any:
    if node.row.content_type == "DraftIssue":
        return GraphNode("DraftIssue", node.row)
    content = find_content(call, node.row)
    return issue_node(call, *content) if content else None


@field("DraftIssue.assignees")
def _draft_assignees(call: Call, node: GraphNode, **arguments: Any) -> Any:
    return connect(user_nodes(call, node.row.assignees or []), arguments)


@field("DraftIssue.projectV2Items")
def _draft_items(call: Call, node: GraphNode, **arguments: Any) -> Any:
    return connect([GraphNode("ProjectV2Item", node.row)], arguments)


@field("DraftIssue.projectsV2")
def _draft_projects(call: Call, node: GraphNode, **arguments: Any) -> Any:
    return connect([project_node(project_of(call, node.row))], arguments)


def _value_of(call: Call, item: ProjectItem, own: Field) -> Any:
    """Return the value of a field of an item, of its content for fields that are built in; None or empty without."""
    kind = own["data_type"]
    if kind in ("text", "number", "date", "single_select", "iteration"):
        value = item.values.get(str(own["id"]))
        if kind == "single_select":
            return find_option(own, value)
        return find_iteration(own, value) if kind == "iteration" else value
    if item.content_type == "DraftIssue":
        return {"title": item.title, "assignees": item.assignees}.get(kind)
    content = find_content(call, item)
    if content is None:
        return None
    issue, repo = content
    plain = {"title": issue.title, "assignees": issue.assignees, "labels": issue.labels, "repository": repo}
    if kind == "milestone" and issue.milestone_id:
        return call.db.get(Milestone, issue.milestone_id)
    if kind == "linked_pull_requests" and not issue.is_pull_request:
        return [pull for pull, _ in find_closing_pulls(call, repo, issue)]
    if kind == "reviewers" and issue.is_pull_request:
        pull = call.db.find(PullRequest, PullRequest.issue_id == issue.id)
        return pull.requested_reviewers if pull else None
    return plain.get(kind)


def _values_of(call: Call, item: ProjectItem) -> list[GraphNode]:
    project = project_of(call, item)
    return [
        GraphNode(f"ProjectV2ItemField{_VALUE_TYPES[own['data_type']]}Value", ItemValue(project, item, own, value))
        for own in project.fields
        if own["data_type"] in _VALUE_TYPES and (value := _value_of(call, item, own)) not in (None, [])
    ]


@field("ProjectV2Item.fieldValues")
def _field_values(call: Call, node: GraphNode, **arguments: Any) -> Any:
    return connect(_values_of(call, node.row), arguments)


@field("ProjectV2Item.fieldValueByName")
def _field_value(call: Call, node: GraphNode, name: str) -> Any:
    values = _values_of(call, node.row)
    return next((each for each in values if each.row.field["name"].lower() == name.lower()), None)


for _kind in set(_VALUE_TYPES.values()):
    compute(f"ProjectV2ItemField{_kind}Value.field")(lambda call, node: field_node(node.row.project, node.row.field))
for _kind in ("Text", "Number", "Date", "SingleSelect", "Iteration"):
    _type = f"ProjectV2ItemField{_kind}Value"
    compute(f"{_type}.id")(
        lambda call, node: node_id("PVTFV", node.row.project.id, node.row.item.id, node.row.field["id"])
    )
    compute(f"{_type}.databaseId")(lambda call, node: node.row.item.id)
    compute(f"{_type}.createdAt")(lambda call, node: show_instant(node.row.item.created_at))
    compute(f"{_type}.updatedAt")(lambda call, node: show_instant(node.row.item.updated_at))
    compute(f"{_type}.creator")(lambda call, node: user_node(call, node.row.item.creator))
    compute(f"{_type}.item")(lambda call, node: GraphNode("ProjectV2Item", node.row.item))
for _kind, _name in (("Text", "text"), ("Number", "number"), ("Date", "date")):
    compute(f"ProjectV2ItemField{_kind}Value.{_name}")(lambda call, node: node.row.value)
for _name in ("name", "nameHTML", "description", "descriptionHTML", "color"):
    compute(f"ProjectV2ItemFieldSingleSelectValue.{_name}")(
        lambda call, node, name=_name: _show_option(node.row.value)[name]
    )
compute("ProjectV2ItemFieldSingleSelectValue.optionId")(lambda call, node: node.row.value["id"])
for _name in ("title", "titleHTML", "startDate", "duration"):
    compute(f"ProjectV2ItemFieldIterationValue.{_name}")(
        lambda call, node, name=_name: _show_iteration(node.row.value)[name]
    )
compute("ProjectV2ItemFieldIterationValue.iterationId")(lambda call, node: node.row.value["id"])
compute("ProjectV2ItemFieldRepositoryValue.repository")(lambda call, node: GraphNode("Repository", node.row.value))


def _repository_of(call: Call, value: ItemValue) -> Repository | None:
    content = find_content(call, value.item)
    return content[1] if content else None


@field("ProjectV2ItemFieldMilestoneValue.milestone")
def _milestone(call: Call, node: GraphNode) -> Any:
    return GraphNode("Milestone", node.row.value, _repository_of(call, node.row))


@field("ProjectV2ItemFieldLabelValue.labels")
def _labels(call: Call, node: GraphNode, **arguments: Any) -> Any:
    repo = _repository_of(call, node.row)
    where = (Label.repository_id == (repo.id if repo else -1), Label.name.in_(node.row.value))
    return connect([GraphNode("Label", row, repo) for row in call.db.rows(Label, *where, order=Label.id)], arguments)


@field("ProjectV2ItemFieldUserValue.users")
def _users(call: Call, node: GraphNode, **arguments: Any) -> Any:
    return connect(user_nodes(call, node.row.value), arguments)


@field("ProjectV2ItemFieldReviewerValue.reviewers")
def _reviewers(call: Call, node: GraphNode, **arguments: Any) -> Any:
    return connect(user_nodes(call, node.row.value), arguments)


@field("ProjectV2ItemFieldPullRequestValue.pullRequests")
def _pull_requests(call: Call, node: GraphNode, **arguments: Any) -> Any:
    rows: list[Issue] = node.row.value
    nodes = [issue_node(call, row, call.db.get(Repository, row.repository_id)) for row in rows]
    return connect(nodes, arguments)


def find_resource(call: Call, url: str) -> Any:
    """Return the repository, issue or pull request whose page has an address; raise NOT_FOUND."""
    try:
        owner, name, kind, number = (*urlsplit(url).path.strip("/").split("/"), "", "", "")[:4]
        repo = find_repo(call, owner, name)
    except (NotVisible, ValueError):
        raise GraphRefusal(f"Could not resolve to a node with the URL '{url}'.") from None
    if not kind:
        return GraphNode("Repository", repo)
    is_numbered = kind in ("issues", "pull") and number.isdecimal() and len(number) < 10
    where = (Issue.repository_id == repo.id, Issue.number == (int(number) if is_numbered else -1))
    issue = call.db.find(Issue, *where)
    if issue is None:
        raise GraphRefusal(f"Could not resolve to a node with the URL '{url}'.")
    return issue_node(call, issue, repo)
