"""Fields of pull requests, reviews and threads.

https://docs.github.com/en/graphql/reference/objects
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, any_of
from twindiff.kit.rows import Expression, exists

from ..core.access import may
from ..core.stamps import show_instant
from ..git.protection import protection_of
from ..git.pull_commits import changes_of_pull, commits_of
from ..git.pull_mergeability import latest_reviews, merge_state
from ..git.refs import HEADS, find_ref
from ..issues.closing_keywords import find_issues_to_close
from ..issues.issues import has_item
from ..tables.issue_tables import Issue, PullRequest, Review, ReviewComment
from ..tables.user_tables import Team, User
from ..views.pull_views import head_repository
from ..views.repository_views import html_url
from .git_fields import git_node
from .issue_fields import issue_node, issue_order
from .nodes import GraphNode, connect, user_node, user_nodes
from .resolvers import compute, connect_rows, enclosing_repo, field, issue_half


@field("Repository.pullRequests")
def _pulls(call: Call, node: GraphNode, **arguments: Any) -> Any:
    where: list[Expression] = [Issue.repository_id == node.row.id, Issue.is_pull_request.is_true]
    states: list[str] = arguments.get("states") or []
    pull: list[Expression] = [PullRequest.issue_id == Issue.id]
    pull += [PullRequest.head_ref == arguments["headRefName"]] if arguments.get("headRefName") else []
    pull += [PullRequest.base_ref == arguments["baseRefName"]] if arguments.get("baseRefName") else []
    if states and len(states) < 3:
        kinds = {"OPEN": Issue.state == "open", "MERGED": exists(PullRequest, *pull[:1], PullRequest.merged)}
        kinds["CLOSED"] = exists(PullRequest, *pull[:1], ~PullRequest.merged, Issue.state == "closed")
        where.append(any_of(*(kinds[state] for state in states)))
    where.append(exists(PullRequest, *pull))
    labels: list[str] = arguments.get("labels") or []
    where += [has_item(Issue.labels, label) for label in labels]
    return connect_rows(
        call, Issue, where, issue_order(arguments), lambda row: issue_node(call, row, node.row), arguments
    )


def _pull_url(call: Call, node: GraphNode) -> str:
    return f"{html_url(call, enclosing_repo(node))}/pull/{node.row.number}"


def _merge_state(call: Call, node: GraphNode) -> Any:
    return merge_state(call, enclosing_repo(node), node.row, is_open=issue_half(call, node).state == "open")


field("PullRequest.url")(_pull_url)
compute("PullRequest.state")(lambda call, node: "MERGED" if node.row.merged else issue_half(call, node).state.upper())
compute("PullRequest.isDraft")(lambda call, node: node.row.draft)
compute("PullRequest.mergedBy")(lambda call, node: user_node(call, node.row.merged_by))
compute("PullRequest.headRefName")(lambda call, node: node.row.head_ref)
compute("PullRequest.headRefOid")(lambda call, node: node.row.head_sha)
compute("PullRequest.baseRefName")(lambda call, node: node.row.base_ref)
compute("PullRequest.baseRefOid")(lambda call, node: node.row.base_sha)
compute("PullRequest.isCrossRepository")(lambda call, node: node.row.head_repository_id != node.row.repository_id)
compute("PullRequest.headRepositoryOwner")(lambda call, node: user_node(call, node.row.head_owner))
compute("PullRequest.viewerCanEditFiles")(lambda call, node: may(call, enclosing_repo(node), "push"))
compute("PullRequest.mergeable")(
    lambda call, node: {True: "MERGEABLE", False: "CONFLICTING", None: "UNKNOWN"}[_merge_state(call, node).mergeable]
)
compute("PullRequest.mergeStateStatus")(lambda call, node: _merge_state(call, node).state.upper())
compute("PullRequest.potentialMergeCommit")(lambda call, node: None)
compute("PullRequest.additions")(
    lambda call, node: sum(each.patch.additions for each in changes_of_pull(call, enclosing_repo(node), node.row))
)
compute("PullRequest.deletions")(
    lambda call, node: sum(each.patch.deletions for each in changes_of_pull(call, enclosing_repo(node), node.row))
)
compute("PullRequest.changedFiles")(lambda call, node: len(changes_of_pull(call, enclosing_repo(node), node.row)))


@field("PullRequest.headRepository")
def _head_repository(call: Call, node: GraphNode) -> Any:
    row = head_repository(call, node.row)
    return GraphNode("Repository", row) if row else None


@field("PullRequest.headRef", "PullRequest.baseRef")
def _pull_ref(call: Call, node: GraphNode) -> Any:
    source = head_repository(call, node.row)
    ref = find_ref(call, source, HEADS + node.row.head_ref) if source else None
    return GraphNode("Ref", ref, source) if ref else None


@field("PullRequest.mergeCommit")
def _merge_commit(call: Call, node: GraphNode) -> Any:
    sha = node.row.merge_commit_sha
    return git_node(call, enclosing_repo(node), sha) if sha else None


@field("PullRequest.reviewDecision")
def _decision(call: Call, node: GraphNode) -> Any:
    states = [review.state for review in latest_reviews(call, node.row).values()]
    if "CHANGES_REQUESTED" in states:
        return "CHANGES_REQUESTED"
    protection = protection_of(call, enclosing_repo(node), node.row.base_ref)
    reviews: dict[str, Any] = (protection.settings.get("required_pull_request_reviews") or {}) if protection else {}
    if states.count("APPROVED") < (reviews.get("required_approving_review_count") or 0):
        return "REVIEW_REQUIRED"
    return "APPROVED" if "APPROVED" in states else ("REVIEW_REQUIRED" if node.row.requested_reviewers else None)


@field("PullRequest.commits")
def _pull_commits(call: Call, node: GraphNode, **arguments: Any) -> Any:
    rows = commits_of(call, enclosing_repo(node), node.row)
    return connect([{"commit": GraphNode("Commit", row, node.repo)} for row in rows], arguments)


@field("PullRequest.files")
def _files(call: Call, node: GraphNode, **arguments: Any) -> Any:
    kinds = {"added": "ADDED", "removed": "DELETED", "renamed": "RENAMED"}
    files = [
        {
            "path": each.path,
            "additions": each.patch.additions,
            "deletions": each.patch.deletions,
            "changeType": kinds.get(each.status, "MODIFIED"),
        }
        for each in changes_of_pull(call, enclosing_repo(node), node.row)
    ]
    return connect(files, arguments)


@field("PullRequest.reviews", "PullRequest.latestReviews")
def _reviews(
    call: Call, node: GraphNode, states: list[str] | None = None, author: str | None = None, **arguments: Any
) -> Any:
    rows = call.db.rows(Review, Review.pull_request_id == node.row.id, order=Review.id)
    kept = [
        row
        for row in rows
        if (row.state != "PENDING" or row.user == call.actor)
        and (not states or row.state in states)
        and (not author or row.user == author)
    ]
    return connect([GraphNode("PullRequestReview", row, node.repo) for row in kept], arguments)


@field("PullRequest.reviewRequests")
def _review_requests(call: Call, node: GraphNode, **arguments: Any) -> Any:
    teams = call.db.rows(Team, Team.org == enclosing_repo(node).owner, Team.slug.in_(node.row.requested_teams))
    asked = [*user_nodes(call, node.row.requested_reviewers), *(GraphNode("Team", team) for team in teams)]
    return connect([{"requestedReviewer": each} for each in asked], arguments)


@field("PullRequest.reviewThreads")
def _threads(call: Call, node: GraphNode, **arguments: Any) -> Any:
    where = (ReviewComment.pull_request_id == node.row.id, ReviewComment.in_reply_to_id.is_null())
    rows = call.db.rows(ReviewComment, *where, order=ReviewComment.id)
    return connect([GraphNode("PullRequestReviewThread", row, node.repo) for row in rows], arguments)


@field("PullRequest.closingIssuesReferences")
def _closing(call: Call, node: GraphNode, **arguments: Any) -> Any:
    repo = enclosing_repo(node)
    text = issue_half(call, node).body if node.row.base_ref == repo.default_branch else None
    pairs = find_issues_to_close(call, repo, text or "")
    return connect([GraphNode("Issue", row, home) for row, home in pairs if not row.is_pull_request], arguments)


@field("PullRequest.autoMergeRequest")
def _auto_merge(call: Call, node: GraphNode) -> Any:
    wanted = node.row.auto_merge
    if not wanted:
        return None
    texts = {"commitHeadline": wanted["commit_title"], "commitBody": wanted["commit_message"]}
    known = call.db.find(User, User.login == wanted["enabled_by"])
    texts |= {"authorEmail": known.email if known else None, "enabledAt": show_instant(wanted.get("enabled_at"))}
    return {"enabledBy": user_node(call, wanted["enabled_by"]), "mergeMethod": wanted["merge_method"].upper(), **texts}


compute("PullRequestReview.createdAt")(lambda call, node: show_instant(node.row.submitted_at))
compute("PullRequestReview.commit")(lambda call, node: git_node(call, enclosing_repo(node), node.row.commit_id))


@field("PullRequestReview.url", "PullRequestReviewComment.url")
def _review_url(call: Call, node: GraphNode) -> str:
    number = call.db.get(PullRequest, node.row.pull_request_id).number
    anchor = "pullrequestreview-" if node.type == "PullRequestReview" else "discussion_r"
    return f"{html_url(call, enclosing_repo(node))}/pull/{number}#{anchor}{node.row.id}"


@field("PullRequestReview.comments", "PullRequestReviewThread.comments")
def _review_comments(call: Call, node: GraphNode, **arguments: Any) -> Any:
    is_thread = node.type == "PullRequestReviewThread"
    where: list[Expression] = [
        ReviewComment.thread_id == node.row.id if is_thread else ReviewComment.review_id == node.row.id
    ]
    where.append(ReviewComment.pull_request_id == node.row.pull_request_id)
    show = GraphNode
    return connect_rows(
        call,
        ReviewComment,
        where,
        ReviewComment.id,
        lambda row: show("PullRequestReviewComment", row, node.repo),
        arguments,
    )


@field("PullRequestReviewComment.pullRequestReview")
def _review_of(call: Call, node: GraphNode) -> Any:
    row = call.db.find(Review, Review.id == node.row.review_id)
    return GraphNode("PullRequestReview", row, node.repo) if row else None


compute("PullRequestReviewThread.diffSide")(lambda call, node: node.row.side)
compute("PullRequestReviewThread.subjectType")(lambda call, node: node.row.subject_type.upper())
compute("PullRequestReviewThread.resolvedBy")(lambda call, node: user_node(call, node.row.resolved_by))
compute("PullRequestReviewThread.isCollapsed")(lambda call, node: node.row.is_resolved)
compute("PullRequestReviewThread.viewerCanResolve")(lambda call, node: may(call, enclosing_repo(node), "push"))


@field("PullRequestReviewThread.isOutdated")
def _is_outdated(call: Call, node: GraphNode) -> bool:
    return call.db.get(PullRequest, node.row.pull_request_id).head_sha != node.row.commit_id and node.row.line is None
