"""Fields that GitHub's command line asks for beside those of issues and pull requests.

https://docs.github.com/en/graphql/reference/objects
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..git.protection import protection_of
from ..git.refs import HEADS
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
