"""Fields that GitHub's command line asks for beside those of issues and pull requests.

https://docs.github.com/en/graphql/reference/objects
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..core.access import may
from ..core.node_ids import node_id
from ..git.protection import protection_of
from ..git.refs import HEADS
from ..tables.issue_tables import Issue, IssueDependency
from ..tables.repository_tables import Repository
from .issue_fields import issue_node
from .nodes import GraphNode, connect, user_node
from .resolvers import compute, field


@field("Issue.projectCards", "PullRequest.projectCards")
def _project_cards(call: Call, node: GraphNode, **arguments: Any) -> Any:
    """Return no cards: GitHub has closed the classic projects that had them."""
    return connect([], arguments)


@field("Ref.branchProtectionRule")
def _protection_rule(call: Call, node: GraphNode) -> Any:
    rule = protection_of(call, node.repo, node.row.ref.removeprefix(HEADS)) if node.repo else None
    if rule is None:
        return None
    checks: dict[str, Any] = rule.settings.get("required_status_checks") or {}
    reviews: dict[str, Any] = rule.settings.get("required_pull_request_reviews") or {}
    return {
        "requiresStrictStatusChecks": bool(checks.get("strict")),
        "requiredApprovingReviewCount": reviews.get("required_approving_review_count"),
    }


compute("Team.organization")(lambda call, node: user_node(call, node.row.org))
compute("CheckRun.checkSuite")(lambda call, node: {"workflowRun": None})
compute("PullRequestReview.reactionGroups")(lambda call, node: [])


@field("Issue.issueType")
def _issue_type(call: Call, node: GraphNode) -> Any:
    name = node.row.type
    return {"id": node_id("IT", 0, name), "name": name, "description": None, "color": "GRAY"} if name else None


@field("Issue.subIssuesSummary")
def _sub_issues_summary(call: Call, node: GraphNode) -> dict[str, int]:
    total = call.db.count(Issue, Issue.parent_id == node.row.id)
    completed = call.db.count(Issue, Issue.parent_id == node.row.id, Issue.state == "closed")
    return {"total": total, "completed": completed, "percentCompleted": completed * 100 // total if total else 0}


@field("Issue.blockedBy")
def _blocked_by(call: Call, node: GraphNode, **arguments: Any) -> Any:
    rows = call.db.rows(IssueDependency, IssueDependency.issue_id == node.row.id)
    return _connect_issues(call, [row.blocked_by_id for row in rows], arguments)


@field("Issue.blocking")
def _blocking(call: Call, node: GraphNode, **arguments: Any) -> Any:
    rows = call.db.rows(IssueDependency, IssueDependency.blocked_by_id == node.row.id)
    return _connect_issues(call, [row.issue_id for row in rows], arguments)


def _connect_issues(call: Call, ids: list[int], arguments: dict[str, Any]) -> Any:
    rows = call.db.rows(Issue, Issue.id.in_(ids), order=Issue.id) if ids else []
    pairs = [(row, call.db.get(Repository, row.repository_id)) for row in rows]
    return connect([issue_node(call, row, repo) for row, repo in pairs if may(call, repo, "pull")], arguments)
