"""Fields of issues and comments.

https://docs.github.com/en/graphql/reference/objects
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call
from twindiff.kit.rows import Expression

from ..core.access import association_of
from ..issues.issues import has_item
from ..tables.issue_tables import Issue, IssueComment, Label, Milestone, PullRequest
from ..tables.repository_tables import Repository
from ..views.repository_views import html_url
from .nodes import GraphNode, GraphRefusal, connect, user_node, user_nodes
from .resolvers import compute, connect_rows, enclosing_repo, field, issue_half


def _find_numbered(call: Call, node: GraphNode, number: int, kind: str) -> GraphNode:
    """Return the issue or pull request with a number; raise GitHub's NOT_FOUND if it is none of that kind."""
    issue = call.db.find(Issue, Issue.repository_id == node.row.id, Issue.number == number)
    match = issue_node(call, issue, node.row) if issue else None
    if match is None or not kind.endswith((match.type, "request")):
        raise GraphRefusal(f"Could not resolve to {kind} with the number of {number}.")
    return match


@field("Repository.issue")
def _issue_by_number(call: Call, node: GraphNode, number: int) -> GraphNode:
    return _find_numbered(call, node, number, "an Issue")


@field("Repository.pullRequest")
def _pull_by_number(call: Call, node: GraphNode, number: int) -> GraphNode:
    return _find_numbered(call, node, number, "a PullRequest")


@field("Repository.issueOrPullRequest")
def _either_by_number(call: Call, node: GraphNode, number: int) -> GraphNode:
    return _find_numbered(call, node, number, "an issue or pull request")


def issue_node(call: Call, issue: Issue, repo: Repository) -> GraphNode:
    """Return an issue, or the pull request that it is half of, as a node."""
    if not issue.is_pull_request:
        return GraphNode("Issue", issue, repo)
    pull = call.db.find(PullRequest, PullRequest.issue_id == issue.id)
    return GraphNode("PullRequest", pull, repo)


def issue_order(arguments: dict[str, Any]) -> Any:
    """Return the order of issues that `orderBy` selects; by default the oldest first."""
    wanted: dict[str, Any] = arguments.get("orderBy") or {"field": "CREATED_AT", "direction": "ASC"}
    columns = {"CREATED_AT": Issue.created_at, "UPDATED_AT": Issue.updated_at, "COMMENTS": Issue.comments}
    column = columns[wanted["field"]]
    return (-column, -Issue.id) if wanted["direction"] == "DESC" else (column, Issue.id)


@field("Repository.issues")
def _issues(call: Call, node: GraphNode, **arguments: Any) -> Any:
    filters: dict[str, Any] = arguments.get("filterBy") or {}
    where: list[Expression] = [Issue.repository_id == node.row.id, ~Issue.is_pull_request]
    states: list[str] = arguments.get("states") or filters.get("states") or []
    labels: list[str] = arguments.get("labels") or filters.get("labels") or []
    where += [Issue.state.in_([state.lower() for state in states])] if states else []
    where += [has_item(Issue.labels, label) for label in labels]
    where += [has_item(Issue.assignees, filters["assignee"])] if filters.get("assignee") else []
    where += [Issue.user.equals(filters["createdBy"])] if filters.get("createdBy") else []
    where += [Issue.updated_at >= filters["since"].removesuffix("Z")] if filters.get("since") else []
    return connect_rows(
        call, Issue, where, issue_order(arguments), lambda row: GraphNode("Issue", row, node.row), arguments
    )


for _kind in ("Issue", "PullRequest"):
    compute(f"{_kind}.author")(lambda call, node: user_node(call, issue_half(call, node).user))
    compute(f"{_kind}.authorAssociation")(
        lambda call, node: association_of(call, enclosing_repo(node), issue_half(call, node).user)
    )
    compute(f"{_kind}.body", f"{_kind}.bodyText")(lambda call, node: issue_half(call, node).body or "")
    compute(f"{_kind}.closed")(lambda call, node: issue_half(call, node).state == "closed")
    compute(f"{_kind}.fullDatabaseId")(lambda call, node: str(node.row.id))
    compute(f"{_kind}.repository")(lambda call, node: GraphNode("Repository", node.repo))
    compute("Issue.url")(lambda call, node: f"{html_url(call, enclosing_repo(node))}/issues/{node.row.number}")
compute("Issue.state")(lambda call, node: node.row.state.upper())
compute("Issue.isPinned")(lambda call, node: bool(node.row.pinned_by))


@field("Issue.stateReason")
def _state_reason(call: Call, node: GraphNode, **arguments: Any) -> Any:
    return node.row.state_reason.upper() if node.row.state_reason else None


@field("Issue.assignees", "PullRequest.assignees", "Issue.assignedActors", "PullRequest.assignedActors")
def _assignees(call: Call, node: GraphNode, **arguments: Any) -> Any:
    return connect(user_nodes(call, issue_half(call, node).assignees), arguments)


@field("Issue.labels", "PullRequest.labels")
def _labels_of(call: Call, node: GraphNode, **arguments: Any) -> Any:
    names: list[str] = issue_half(call, node).labels
    where = (Label.repository_id == enclosing_repo(node).id, Label.name.in_(names))
    rows = call.db.rows(Label, *where, order=Label.id) if names else []
    return connect([GraphNode("Label", row, node.repo) for row in rows], arguments)


@field("Issue.milestone", "PullRequest.milestone")
def _milestone_of(call: Call, node: GraphNode) -> Any:
    number = issue_half(call, node).milestone_id
    return GraphNode("Milestone", call.db.get(Milestone, number), node.repo) if number else None


@field("Issue.comments", "PullRequest.comments")
def _comments(call: Call, node: GraphNode, **arguments: Any) -> Any:
    where: list[Expression] = [IssueComment.issue_id == issue_half(call, node).id]
    show = GraphNode
    return connect_rows(
        call, IssueComment, where, IssueComment.id, lambda row: show("IssueComment", row, node.repo), arguments
    )


@field("Issue.participants")
def _participants(call: Call, node: GraphNode, **arguments: Any) -> Any:
    rows = call.db.rows(IssueComment, IssueComment.issue_id == node.row.id, order=IssueComment.id)
    logins = dict.fromkeys([node.row.user, *node.row.assignees, *(row.user for row in rows)])
    return connect(user_nodes(call, list(logins)), arguments)


@field("Issue.parent")
def _parent_issue(call: Call, node: GraphNode) -> Any:
    row = call.db.find(Issue, Issue.id == node.row.parent_id) if node.row.parent_id else None
    return GraphNode("Issue", row, call.db.get(Repository, row.repository_id)) if row else None


@field("Issue.subIssues")
def _sub_issues(call: Call, node: GraphNode, **arguments: Any) -> Any:
    rows = call.db.rows(Issue, Issue.parent_id == node.row.id, order=(Issue.position, Issue.id))
    return connect([GraphNode("Issue", row, call.db.get(Repository, row.repository_id)) for row in rows], arguments)


for _kind in ("IssueComment", "PullRequestReviewComment", "PullRequestReview"):
    compute(f"{_kind}.author")(lambda call, node: user_node(call, node.row.user))
    if _kind != "PullRequestReviewComment":
        compute(f"{_kind}.authorAssociation")(
            lambda call, node: association_of(call, enclosing_repo(node), node.row.user)
        )
compute("IssueComment.isMinimized", "IssueComment.includesCreatedEdit")(lambda call, node: False)
compute("IssueComment.minimizedReason")(lambda call, node: None)
compute("IssueComment.viewerDidAuthor")(lambda call, node: node.row.user == call.actor)


@field("IssueComment.url")
def _comment_url(call: Call, node: GraphNode) -> str:
    number = call.db.get(Issue, node.row.issue_id).number
    return f"{html_url(call, enclosing_repo(node))}/issues/{number}#issuecomment-{node.row.id}"
