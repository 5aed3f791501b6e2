"""Fields that GitHub's command line asks for beside those of issues and pull requests.

https://docs.github.com/en/graphql/reference/objects
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from twindiff.kit import Call
from twindiff.kit.rows import Expression

from ..core.access import may
from ..core.node_ids import node_id
from ..core.stamps import show_instant
from ..git.histories import diverge
from ..git.protection import protection_of
from ..git.refs import HEADS, resolve_commit
from ..issues.closing_keywords import find_closing_pulls
from ..issues.issue_moves import is_pinned
from ..repos.linked_branches import list_linked_branches
from ..tables.issue_tables import Issue, IssueDependency
from ..tables.repository_tables import Repository
from ..tables.work_tables import Gist
from .git_fields import ref_node
from .issue_fields import issue_node
from .nodes import GraphNode, connect, user_node
from .resolvers import compute, enclosing_repo, field, issue_half


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


@field("Issue.closedByPullRequestsReferences")
def _closing_pulls(call: Call, node: GraphNode, **arguments: Any) -> Any:
    """Return the pull requests into the default branch that say they fix an issue; closed ones only if asked for."""
    nodes = [issue_node(call, row, home) for row, home in find_closing_pulls(call, enclosing_repo(node), node.row)]
    is_wanted = bool(arguments.get("includeClosedPrs"))
    return connect([each for each in nodes if is_wanted or each.row.merged or _is_open(call, each)], arguments)


def _is_open(call: Call, node: GraphNode) -> bool:
    return issue_half(call, node).state == "open"


@field("Issue.linkedBranches")
def _linked_branches(call: Call, node: GraphNode, **arguments: Any) -> Any:
    links = list_linked_branches(call, node.row)
    nodes = [GraphNode("LinkedBranch", link, call.db.get(Repository, link.repository_id)) for link in links]
    return connect(nodes, arguments)


compute("LinkedBranch.ref")(lambda call, node: ref_node(call, enclosing_repo(node), node.row.ref))


@field("Repository.pinnedIssues")
def _pinned_issues(call: Call, node: GraphNode, **arguments: Any) -> Any:
    rows = call.db.rows(Issue, Issue.repository_id == node.row.id, is_pinned(), order=Issue.id)
    shown = [{"issue": issue_node(call, row, node.row), "pinnedBy": user_node(call, row.pinned_by)} for row in rows]
    return connect(shown, arguments)


def _find_in_network(call: Call, repo: Repository, owner: str) -> Repository | None:
    """Return the visible repository that an owner has among the forks of one; that one itself for its own owner."""
    if owner.lower() in ("", repo.owner.lower()):
        return repo
    forks = call.db.rows(Repository, Repository.network_id == repo.network_id, Repository.owner.equals(owner))
    return next((fork for fork in forks if may(call, fork, "pull")), None)


@field("Ref.compare")
def _compare(call: Call, node: GraphNode, headRef: str) -> Any:  # noqa: N803 - the name on the wire
    """Return how a branch relates to another one, which may be `owner:branch` of a fork."""
    repo = enclosing_repo(node)
    owner, _, branch = headRef.removeprefix("refs/heads/").rpartition(":")
    source = _find_in_network(call, repo, owner)
    head = resolve_commit(call, source, branch) if source else None
    if head is None:
        return None
    relation = diverge(call, repo.network_id, head.sha, node.row.sha)
    ahead, behind = len(relation.ours), len(relation.theirs)
    status = "DIVERGED" if ahead and behind else "AHEAD" if ahead else "BEHIND" if behind else "IDENTICAL"
    return {"aheadBy": ahead, "behindBy": behind, "status": status}


@field("User.gists")
def _gists(call: Call, node: GraphNode, privacy: str | None = None, **arguments: Any) -> Any:
    """Return the gists of a user, newest first; secret ones only to their owner."""
    where: list[Expression] = [Gist.owner == node.row.login]
    if node.row.login != call.actor or privacy == "PUBLIC":
        where.append(Gist.public.is_true)
    elif privacy == "SECRET":
        where.append(~Gist.public)
    rows = call.db.rows(Gist, *where, order=(-Gist.created_at, Gist.id))
    return connect([GraphNode("Gist", row) for row in rows], arguments)


compute("Gist.id")(lambda call, node: node_id("G", node.row.id))
compute("Gist.name")(lambda call, node: node.row.id)
compute("Gist.isPublic")(lambda call, node: node.row.public)
compute("Gist.isFork")(lambda call, node: node.row.fork_of is not None)
compute("Gist.url")(lambda call, node: f"https://gist.github.com/{node.row.id}")
compute("Gist.owner")(lambda call, node: user_node(call, node.row.owner))
compute("Gist.pushedAt")(lambda call, node: show_instant(node.row.updated_at))


@field("Gist.files")
def _gist_files(call: Call, node: GraphNode, limit: int | None = 10, **arguments: Any) -> Any:
    files: list[tuple[str, str]] = list(node.row.files.items())
    return [
        {
            "name": name,
            "encodedName": quote(name),
            "extension": f".{name.rpartition('.')[2]}" if "." in name else "",
            "size": len(text.encode()),
            "text": text,
            "isImage": False,
            "isTruncated": False,
        }
        for name, text in files[:limit]
    ]
