"""Mutations that GitHub's command line runs beside those of its REST API: pins, transfers, branches of issues, reverts.

https://docs.github.com/en/graphql/reference/mutations
"""

from __future__ import annotations

import re
from typing import Any

from twindiff.kit import Call

from ..core.access import authorize
from ..issues import comments as issue_comments
from ..issues import issue_moves, issues, sub_issues
from ..pulls import pulls, reverts
from ..pulls.pulls import ReviewersBody, UpdateBranchBody
from ..repos import linked_branches, repositories
from ..repos.repository_bodies import RepositoryBody
from ..tables.issue_tables import Issue
from ..tables.repository_tables import Repository
from .mutations import Input, list_names, mutation, refresh_node, run_operation
from .nodes import GraphNode, GraphRefusal, find_node
from .resolvers import enclosing_repo

_ISSUE_URL = re.compile(r"https?://[^/]+/([^/]+)/([^/]+)/issues/(\d{1,18})")


def _find_guarded(call: Call, text: str, *kinds: str) -> tuple[GraphNode, Repository]:
    """Return an object whose repository the token may write to, and the repository."""
    node = find_node(call, text, *kinds)
    family = "pulls" if node.type == "PullRequest" else "issues"
    _authorize_post(call, enclosing_repo(node), family)
    return node, enclosing_repo(node)


def _authorize_post(call: Call, repo: Repository, family: str) -> None:
    """Raise an error unless the caller and the token may make objects of a family, such as `git/refs`."""
    authorize(call, "POST", f"/repos/{{owner}}/{{repo}}/{family}", {"owner": repo.owner, "repo": repo.name})
    call.memo.pop("guarded_repo", None)


@mutation
def pin_issue(call: Call, given: Input) -> Any:
    """Run `pinIssue`, and return its payload."""
    node, repo = _find_guarded(call, given["issueId"], "Issue")
    return {"issue": node._replace(row=issue_moves.pin_issue(call, repo, node.row))}


@mutation
def unpin_issue(call: Call, given: Input) -> Any:
    """Run `unpinIssue`, and return its payload."""
    node, repo = _find_guarded(call, given["issueId"], "Issue")
    return {"id": given["issueId"], "issue": node._replace(row=issue_moves.unpin_issue(call, repo, node.row))}


@mutation
def delete_issue(call: Call, given: Input) -> Any:
    """Run `deleteIssue`, and return its payload."""
    node, repo = _find_guarded(call, given["issueId"], "Issue")
    issue_moves.delete_issue(call, repo, node.row)
    return {"repository": GraphNode("Repository", call.db.get(Repository, repo.id))}


@mutation
def transfer_issue(call: Call, given: Input) -> Any:
    """Run `transferIssue`, and return its payload."""
    node, repo = _find_guarded(call, given["issueId"], "Issue")
    _, target = _find_guarded(call, given["repositoryId"], "Repository")
    makes_labels = bool(given.get("createLabelsIfMissing"))
    moved = issue_moves.transfer_issue(call, repo, node.row, target, makes_labels=makes_labels)
    return {"issue": GraphNode("Issue", moved, call.db.get(Repository, target.id))}


@mutation
def create_linked_branch(call: Call, given: Input) -> Any:
    """Run `createLinkedBranch`, and return its payload."""
    node, repo = _find_guarded(call, given["issueId"], "Issue")
    if given.get("repositoryId"):
        _, repo = _find_guarded(call, given["repositoryId"], "Repository")
    _authorize_post(call, repo, "git/refs")
    link = linked_branches.create_linked_branch(call, repo, node.row, given["oid"], given.get("name"))
    return {"issue": refresh_node(call, node), "linkedBranch": GraphNode("LinkedBranch", link, repo)}


@mutation
def delete_linked_branch(call: Call, given: Input) -> Any:
    """Run `deleteLinkedBranch`, and return its payload."""
    node, _ = _find_guarded(call, given["linkedBranchId"], "LinkedBranch")
    linked_branches.unlink_branch(call, node.row)
    issue = call.db.get(Issue, node.row.issue_id)
    return {"issue": GraphNode("Issue", issue, call.db.get(Repository, issue.repository_id))}


@mutation
def update_issue_comment(call: Call, given: Input) -> Any:
    """Run `updateIssueComment`, and return its payload."""
    node = find_node(call, given["id"], "IssueComment")
    run_operation(call, issue_comments.update_comment, node, node.row.id, given["body"])
    return {"issueComment": refresh_node(call, node)}


@mutation
def delete_issue_comment(call: Call, given: Input) -> Any:
    """Run `deleteIssueComment`, and return its payload."""
    node = find_node(call, given["id"], "IssueComment")
    run_operation(call, issue_comments.delete_comment, node, node.row.id)
    return {}


@mutation
def replace_actors_for_assignable(call: Call, given: Input) -> Any:
    """Run `replaceActorsForAssignable`, and return its payload."""
    node = find_node(call, given["assignableId"], "Issue", "PullRequest")
    named: list[str] = given.get("actorLogins") or []
    logins = [call.actor if login == "@me" else login for login in named]
    logins += list_names(call, given.get("actorIds"), "User", "login")
    run_operation(call, issues.update_issue, node, node.row.number, issues.IssueBody(assignees=list(logins)))
    return {"assignable": refresh_node(call, node)}


@mutation
def request_reviews_by_login(call: Call, given: Input) -> Any:
    """Run `requestReviewsByLogin`, and return its payload; without `union`, others are no longer asked."""
    node = find_node(call, given["pullRequestId"], "PullRequest")
    users: list[str] = [*(given.get("userLogins") or []), *(given.get("botLogins") or [])]
    slugs: list[str] = given.get("teamSlugs") or []
    teams = [slug.rpartition("/")[2] for slug in slugs]
    if not given.get("union"):
        gone = [login for login in node.row.requested_reviewers if login not in users]
        teams_gone = [slug for slug in node.row.requested_teams if slug not in teams]
        if gone or teams_gone:
            rest = ReviewersBody(reviewers=gone, team_reviewers=teams_gone)
            run_operation(call, pulls.remove_reviewers, node, node.row.number, rest)
    if users or teams:
        asked = ReviewersBody(reviewers=users, team_reviewers=teams)
        run_operation(call, pulls.request_reviewers, node, node.row.number, asked)
    return {"pullRequest": refresh_node(call, node)}


def _find_sub_issue(call: Call, given: Input) -> GraphNode:
    """Return the issue that an input names by its id or its address."""
    if given.get("subIssueId"):
        return find_node(call, given["subIssueId"], "Issue")
    match = _ISSUE_URL.fullmatch(given.get("subIssueUrl") or "")
    repo = call.db.find(Repository, Repository.full_name.equals(f"{match[1]}/{match[2]}")) if match else None
    row = call.db.find(Issue, Issue.repository_id == repo.id, Issue.number == int(match[3])) if match and repo else None
    if row is None:
        raise GraphRefusal("Either subIssueId or subIssueUrl must name an issue")
    return GraphNode("Issue", row, repo)


@mutation
def add_sub_issue(call: Call, given: Input) -> Any:
    """Run `addSubIssue`, and return its payload."""
    node, child = find_node(call, given["issueId"], "Issue"), _find_sub_issue(call, given)
    replaces = bool(given.get("replaceParent"))
    run_operation(call, sub_issues.add_sub_issue, node, node.row.number, child.row.id, replaces)
    return {"issue": refresh_node(call, node), "subIssue": refresh_node(call, child)}


@mutation
def remove_sub_issue(call: Call, given: Input) -> Any:
    """Run `removeSubIssue`, and return its payload."""
    node, child = find_node(call, given["issueId"], "Issue"), find_node(call, given["subIssueId"], "Issue")
    run_operation(call, sub_issues.remove_sub_issue, node, node.row.number, child.row.id)
    return {"issue": refresh_node(call, node), "subIssue": refresh_node(call, child)}


@mutation
def add_blocked_by(call: Call, given: Input) -> Any:
    """Run `addBlockedBy`, and return its payload."""
    node, blocker = find_node(call, given["issueId"], "Issue"), find_node(call, given["blockingIssueId"], "Issue")
    run_operation(call, sub_issues.add_blocker, node, node.row.number, blocker.row.id)
    return {"issue": refresh_node(call, node), "blockingIssue": blocker}


@mutation
def remove_blocked_by(call: Call, given: Input) -> Any:
    """Run `removeBlockedBy`, and return its payload."""
    node, blocker = find_node(call, given["issueId"], "Issue"), find_node(call, given["blockingIssueId"], "Issue")
    run_operation(call, sub_issues.remove_blocker, node, node.row.number, blocker.row.id)
    return {"issue": refresh_node(call, node), "blockingIssue": blocker}


@mutation
def revert_pull_request(call: Call, given: Input) -> Any:
    """Run `revertPullRequest`, and return its payload."""
    node, repo = _find_guarded(call, given["pullRequestId"], "PullRequest")
    _authorize_post(call, repo, "git/refs")
    texts = (given.get("title"), given.get("body"))
    made = reverts.revert_pull(call, repo, node.row, *texts, draft=bool(given.get("draft")))
    return {"pullRequest": refresh_node(call, node), "revertPullRequest": GraphNode("PullRequest", made, repo)}


@mutation
def update_pull_request_branch(call: Call, given: Input) -> Any:
    """Run `updatePullRequestBranch`, and return its payload; rebasing is not implemented."""
    node = find_node(call, given["pullRequestId"], "PullRequest")
    if given.get("updateMethod") == "REBASE":
        raise GraphRefusal("Not implemented: updateMethod REBASE", "NOT_IMPLEMENTED")
    body = UpdateBranchBody(expected_head_sha=given.get("expectedHeadOid"))
    run_operation(call, pulls.update_branch, node, node.row.number, body)
    return {"pullRequest": refresh_node(call, node)}


def _archive(call: Call, given: Input, *, archived: bool) -> Any:
    node = find_node(call, given["repositoryId"], "Repository")
    run_operation(call, repositories.update_repository, node, RepositoryBody(archived=archived))
    return {"repository": refresh_node(call, node)}


@mutation
def archive_repository(call: Call, given: Input) -> Any:
    """Run `archiveRepository`, and return its payload."""
    return _archive(call, given, archived=True)


@mutation
def unarchive_repository(call: Call, given: Input) -> Any:
    """Run `unarchiveRepository`, and return its payload."""
    return _archive(call, given, archived=False)
