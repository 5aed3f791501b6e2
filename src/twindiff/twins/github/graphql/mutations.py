"""Mutations of GraphQL: each runs the operation of the REST API that does the same, and shows the object after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twindiff.kit import UNSET, Call

from ..activity import starring
from ..core.access import authorize, find_repo, issue_of
from ..discussions.discussion_changes import label_discussion
from ..issues import comments as issue_comments
from ..issues import issues, labels, sub_issues
from ..issues.issues import IssueBody
from ..pulls import merging, pulls, reviews
from ..pulls.merging import MergePullBody, enable_auto_merge
from ..pulls.pulls import PullBody, ReviewersBody, announce_pull
from ..pulls.reviews import DraftComment, NewReviewComment, ReviewBody
from ..repos import git_data, repositories
from ..repos.repository_bodies import RepositoryBody
from ..tables.issue_tables import Issue, IssueComment, Milestone, PullRequest, Review, ReviewComment
from ..tables.repository_tables import Repository
from .git_fields import ref_node
from .nodes import GraphNode, GraphRefusal, cursor_of, find_node

Input = dict[str, Any]
Mutation = Callable[[Call, Input], Any]
MUTATIONS: dict[str, Mutation] = {}
_ROUTES: dict[Callable[..., Any], tuple[str, str]] = {
    declared.handler: (declared.verb, declared.path)
    for page in (issues, issue_comments, labels, sub_issues, pulls, merging, reviews, starring, git_data, repositories)
    for declared in page.api.listed
}
"""The operation of the REST API that each handler serves; its role and scopes hold for mutations too."""


def mutation(resolver: Mutation) -> Mutation:
    """Declare a mutation; its name is the function's in camel case."""
    first, *rest = resolver.__name__.split("_")
    MUTATIONS[first + "".join(part.capitalize() for part in rest)] = resolver
    return resolver


def place_of_node(node: GraphNode) -> tuple[str, str]:
    """Return the owner and the name of the repository of an object."""
    repo: Repository = node.repo or node.row
    return repo.owner, repo.name


def run_operation(call: Call, handler: Callable[..., Any], node: GraphNode, *arguments: Any) -> Any:
    """Run an operation of the REST API on the repository of an object, as who may do it there."""
    owner, repo = place_of_node(node)
    authorize(call, *_ROUTES[handler], {"owner": owner, "repo": repo})
    return handler(call, owner, repo, *arguments)


def refresh_node(call: Call, node: GraphNode) -> GraphNode:
    """Return an object as it is after an operation."""
    return node._replace(row=call.db.get(node.row.__class__, node.row.id))


def list_names(call: Call, ids: list[str] | None, kind: str, attribute: str) -> list[str]:
    """Return an attribute, such as the login, of each object with a global id."""
    return [str(getattr(find_node(call, each, kind).row, attribute)) for each in ids or []]


def _issue_body(call: Call, given: Input) -> IssueBody:
    """Return the body of a REST request for the parts that an input gives."""
    body = IssueBody()
    for name in ("title", "body"):
        if given.get(name) is not None:
            setattr(body, name, given[name])
    if given.get("assigneeIds") is not None:
        body.assignees = list(list_names(call, given["assigneeIds"], "User", "login"))
    if given.get("labelIds") is not None:
        body.labels = list(list_names(call, given["labelIds"], "Label", "name"))
    if "milestoneId" in given:
        milestone: Milestone | None = (
            find_node(call, given["milestoneId"], "Milestone").row if given["milestoneId"] else None
        )
        body.milestone = milestone.number if milestone else None
    return body


@mutation
def create_repository(call: Call, given: Input) -> Any:
    """Run `createRepository`, and return its payload."""
    private = given["visibility"] != "PUBLIC"
    body = RepositoryBody(name=given["name"], description=given.get("description"), private=private)
    owner = find_node(call, given["ownerId"], "User", "Organization").row if given.get("ownerId") else None
    if owner and owner.type == "Organization":
        authorize(call, "POST", "/orgs/{org}/repos", {"org": owner.login})
        shown = repositories.create_org_repository(call, owner.login, body)
    else:
        authorize(call, "POST", "/user/repos", {})
        shown = repositories.create_own_repository(call, body)
    return {"repository": GraphNode("Repository", call.db.get(Repository, shown["id"]))}


@mutation
def create_issue(call: Call, given: Input) -> Any:
    """Run `createIssue`, and return its payload."""
    node = find_node(call, given["repositoryId"], "Repository")
    shown = run_operation(call, issues.create_issue, node, _issue_body(call, given))
    return {"issue": GraphNode("Issue", call.db.get(Issue, shown["id"]), node.row)}


@mutation
def update_issue(call: Call, given: Input) -> Any:
    """Run `updateIssue`, and return its payload."""
    node = find_node(call, given["id"], "Issue")
    body = _issue_body(call, given)
    body.state = given["state"].lower() if given.get("state") else UNSET
    run_operation(call, issues.update_issue, node, node.row.number, body)
    return {"issue": refresh_node(call, node)}


@mutation
def close_issue(call: Call, given: Input) -> Any:
    """Run `closeIssue`, and return its payload."""
    node = find_node(call, given["issueId"], "Issue")
    reason: Any = (given.get("stateReason") or "COMPLETED").lower()
    run_operation(call, issues.update_issue, node, node.row.number, IssueBody(state="closed", state_reason=reason))
    return {"issue": refresh_node(call, node)}


@mutation
def reopen_issue(call: Call, given: Input) -> Any:
    """Run `reopenIssue`, and return its payload."""
    node = find_node(call, given["issueId"], "Issue")
    run_operation(call, issues.update_issue, node, node.row.number, IssueBody(state="open"))
    return {"issue": refresh_node(call, node)}


@mutation
def add_comment(call: Call, given: Input) -> Any:
    """Run `addComment`, and return its payload."""
    node = find_node(call, given["subjectId"], "Issue", "PullRequest")
    shown = run_operation(call, issue_comments.create_comment, node, node.row.number, given["body"])
    comment = GraphNode("IssueComment", call.db.get(IssueComment, shown["id"]), node.repo)
    return {"commentEdge": {"node": comment, "cursor": cursor_of(1)}, "subject": refresh_node(call, node)}


def _label_discussion(call: Call, node: GraphNode, ids: list[str], *, added: bool) -> Any:
    repo = find_repo(call, *place_of_node(node))
    authorize(call, "PATCH", "/repos/{owner}/{repo}/discussions/{number}", {"owner": repo.owner, "repo": repo.name})
    chosen = [find_node(call, each, "Label").row for each in ids]
    return {"labelable": node._replace(row=label_discussion(call, repo, node.row, chosen, added=added))}


@mutation
def add_labels_to_labelable(call: Call, given: Input) -> Any:
    """Run `addLabelsToLabelable`, and return its payload."""
    node, ids = find_node(call, given["labelableId"], "Issue", "PullRequest", "Discussion"), given["labelIds"]
    if node.type == "Discussion":
        return _label_discussion(call, node, ids, added=True)
    run_operation(call, labels.add_labels, node, node.row.number, list_names(call, ids, "Label", "name"))
    return {"labelable": refresh_node(call, node)}


@mutation
def remove_labels_from_labelable(call: Call, given: Input) -> Any:
    """Run `removeLabelsFromLabelable`, and return its payload."""
    node, ids = find_node(call, given["labelableId"], "Issue", "PullRequest", "Discussion"), given["labelIds"]
    if node.type == "Discussion":
        return _label_discussion(call, node, ids, added=False)
    for name in list_names(call, ids, "Label", "name"):
        run_operation(call, labels.remove_label, node, node.row.number, name)
    return {"labelable": refresh_node(call, node)}


@mutation
def add_assignees_to_assignable(call: Call, given: Input) -> Any:
    """Run `addAssigneesToAssignable`, and return its payload."""
    node = find_node(call, given["assignableId"], "Issue", "PullRequest")
    run_operation(
        call, issues.add_assignees, node, node.row.number, list_names(call, given["assigneeIds"], "User", "login")
    )
    return {"assignable": refresh_node(call, node)}


@mutation
def remove_assignees_from_assignable(call: Call, given: Input) -> Any:
    """Run `removeAssigneesFromAssignable`, and return its payload."""
    node = find_node(call, given["assignableId"], "Issue", "PullRequest")
    run_operation(
        call, issues.remove_assignees, node, node.row.number, list_names(call, given["assigneeIds"], "User", "login")
    )
    return {"assignable": refresh_node(call, node)}


@mutation
def create_pull_request(call: Call, given: Input) -> Any:
    """Run `createPullRequest`, and return its payload."""
    node = find_node(call, given["repositoryId"], "Repository")
    head: str = given["headRefName"]
    if given.get("headRepositoryId"):
        source: Repository = find_node(call, given["headRepositoryId"], "Repository").row
        head = f"{source.owner}:{head.rpartition(':')[2]}"
    body = PullBody(title=given["title"], body=given.get("body"), head=head, base=given["baseRefName"])
    body.draft = bool(given.get("draft"))
    shown = run_operation(call, pulls.create_pull, node, body)
    return {"pullRequest": GraphNode("PullRequest", call.db.get(PullRequest, shown["id"]), node.row)}


def _pull(call: Call, given: Input) -> GraphNode:
    return find_node(call, given["pullRequestId"], "PullRequest")


def _edit_pull(call: Call, given: Input, **fields: Any) -> Any:
    node = _pull(call, given)
    run_operation(call, pulls.update_pull, node, node.row.number, PullBody(**fields))
    return {"pullRequest": refresh_node(call, node)}


@mutation
def update_pull_request(call: Call, given: Input) -> Any:
    """Run `updatePullRequest`, and return its payload."""
    names = {"title": "title", "body": "body", "baseRefName": "base"}
    fields: Input = {own: given[name] for name, own in names.items() if given.get(name) is not None}
    fields |= {"state": given["state"].lower()} if given.get("state") else {}
    node = _pull(call, given)
    triage = {name: given[name] for name in ("labelIds", "assigneeIds", "milestoneId") if name in given}
    if triage:
        run_operation(call, issues.update_issue, node, node.row.number, _issue_body(call, triage))
    return _edit_pull(call, given, **fields)


@mutation
def close_pull_request(call: Call, given: Input) -> Any:
    """Run `closePullRequest`, and return its payload."""
    return _edit_pull(call, given, state="closed")


@mutation
def reopen_pull_request(call: Call, given: Input) -> Any:
    """Run `reopenPullRequest`, and return its payload."""
    return _edit_pull(call, given, state="open")


@mutation
def merge_pull_request(call: Call, given: Input) -> Any:
    """Run `mergePullRequest`, and return its payload."""
    node = _pull(call, given)
    method: Any = (given.get("mergeMethod") or "MERGE").lower()
    texts = {"commit_title": given.get("commitHeadline"), "commit_message": given.get("commitBody")}
    body = MergePullBody(merge_method=method, sha=given.get("expectedHeadOid"), **texts)
    run_operation(call, merging.merge_pull, node, node.row.number, body)
    return {"pullRequest": refresh_node(call, node)}


def _set_draft(call: Call, given: Input, *, draft: bool) -> Any:
    node = _pull(call, given)
    repo = find_repo(call, *place_of_node(node))
    issues.check_author_or_triage(call, repo, issue_of(call, node.row))
    pull = call.db.change(node.row, draft=draft)
    announce_pull(call, repo, pull, "converted_to_draft" if draft else "ready_for_review")
    return {"pullRequest": refresh_node(call, node)}


@mutation
def mark_pull_request_ready_for_review(call: Call, given: Input) -> Any:
    """Run `markPullRequestReadyForReview`, and return its payload."""
    return _set_draft(call, given, draft=False)


@mutation
def convert_pull_request_to_draft(call: Call, given: Input) -> Any:
    """Run `convertPullRequestToDraft`, and return its payload."""
    return _set_draft(call, given, draft=True)


@mutation
def enable_pull_request_auto_merge(call: Call, given: Input) -> Any:
    """Run `enablePullRequestAutoMerge`, and return its payload."""
    node = _pull(call, given)
    repo = find_repo(call, *place_of_node(node), "push")
    method: Any = (given.get("mergeMethod") or "MERGE").lower()
    texts = (given.get("commitHeadline") or "", given.get("commitBody") or "")
    enable_auto_merge(call, repo, node.row, method, *texts)
    return {"pullRequest": refresh_node(call, node)}


@mutation
def disable_pull_request_auto_merge(call: Call, given: Input) -> Any:
    """Run `disablePullRequestAutoMerge`, and return its payload."""
    node = _pull(call, given)
    find_repo(call, *place_of_node(node), "push")
    call.db.change(node.row, auto_merge=None)
    return {"pullRequest": refresh_node(call, node)}


@mutation
def request_reviews(call: Call, given: Input) -> Any:
    """Run `requestReviews`, and return its payload."""
    node = _pull(call, given)
    body = ReviewersBody(
        reviewers=list_names(call, given.get("userIds"), "User", "login"),
        team_reviewers=list_names(call, given.get("teamIds"), "Team", "slug"),
    )
    run_operation(call, pulls.request_reviewers, node, node.row.number, body)
    return {"pullRequest": refresh_node(call, node)}


def _review_node(call: Call, number: int, node: GraphNode) -> Any:
    return {"pullRequestReview": GraphNode("PullRequestReview", call.db.get(Review, number), node.repo)}


@mutation
def add_pull_request_review(call: Call, given: Input) -> Any:
    """Run `addPullRequestReview`, and return its payload."""
    node = _pull(call, given)
    threads: list[Input] = given.get("threads") or []
    drafts = [
        DraftComment(path=each["path"], body=each["body"], line=each["line"], side=each.get("side") or "RIGHT")
        for each in threads
    ]
    event: Any = given.get("event") or "PENDING"
    body = ReviewBody(event=event, body=given.get("body"), commit_id=given.get("commitOID"), comments=drafts)
    shown = run_operation(call, reviews.create_review, node, node.row.number, body)
    return _review_node(call, shown["id"], node)


def _pending(call: Call, given: Input) -> tuple[GraphNode, Review]:
    """Return the pull request and the review of an input: the one named, or the caller's pending one."""
    if given.get("pullRequestReviewId"):
        node = find_node(call, given["pullRequestReviewId"], "PullRequestReview")
        return GraphNode("PullRequest", call.db.get(PullRequest, node.row.pull_request_id), node.repo), node.row
    pull = _pull(call, given)
    where = (Review.pull_request_id == pull.row.id, Review.user == call.actor, Review.state == "PENDING")
    review = call.db.find(Review, *where)
    if review is None:
        raise GraphRefusal("Could not find a pending review", "NOT_FOUND")
    return pull, review


@mutation
def submit_pull_request_review(call: Call, given: Input) -> Any:
    """Run `submitPullRequestReview`, and return its payload."""
    node, review = _pending(call, given)
    run_operation(call, reviews.submit_review, node, node.row.number, review.id, given["event"], given.get("body"))
    return _review_node(call, review.id, node)


@mutation
def delete_pull_request_review(call: Call, given: Input) -> Any:
    """Run `deletePullRequestReview`, and return its payload."""
    node, review = _pending(call, given)
    run_operation(call, reviews.delete_review, node, node.row.number, review.id)
    return {"pullRequestReview": GraphNode("PullRequestReview", review, node.repo)}


@mutation
def add_pull_request_review_thread(call: Call, given: Input) -> Any:
    """Run `addPullRequestReviewThread`, and return its payload."""
    if given.get("pullRequestReviewId"):
        node, review = _pending(call, given)
    else:
        node, review = _pull(call, given), None
    line: Input = {
        "line": given.get("line"),
        "side": given.get("side") or "RIGHT",
        "start_line": given.get("startLine"),
    }
    subject: Any = (given.get("subjectType") or "LINE").lower()
    pull: PullRequest = node.row
    body = NewReviewComment(
        body=given["body"], path=given["path"], commit_id=pull.head_sha, subject_type=subject, **line
    )
    shown = run_operation(call, reviews.create_review_comment, node, pull.number, body)
    comment = call.db.get(ReviewComment, shown["id"])
    if review and comment.review_id:
        single = call.db.get(Review, comment.review_id)
        comment = call.db.change(comment, review_id=review.id)
        call.db.remove(single)
        comment = call.db.get(ReviewComment, comment.id)
    return {"thread": GraphNode("PullRequestReviewThread", comment, node.repo)}


def _resolve(call: Call, given: Input, *, resolved: bool) -> Any:
    node = find_node(call, given["threadId"], "PullRequestReviewThread")
    find_repo(call, *place_of_node(node), "triage")
    call.db.change(node.row, is_resolved=resolved, resolved_by=call.actor if resolved else None)
    return {"thread": refresh_node(call, node)}


@mutation
def resolve_review_thread(call: Call, given: Input) -> Any:
    """Run `resolveReviewThread`, and return its payload."""
    return _resolve(call, given, resolved=True)


@mutation
def unresolve_review_thread(call: Call, given: Input) -> Any:
    """Run `unresolveReviewThread`, and return its payload."""
    return _resolve(call, given, resolved=False)


@mutation
def add_star(call: Call, given: Input) -> Any:
    """Run `addStar`, and return its payload."""
    node = find_node(call, given["starrableId"], "Repository")
    run_operation(call, starring.star, node)
    return {"starrable": node}


@mutation
def remove_star(call: Call, given: Input) -> Any:
    """Run `removeStar`, and return its payload."""
    node = find_node(call, given["starrableId"], "Repository")
    run_operation(call, starring.unstar, node)
    return {"starrable": node}


@mutation
def create_ref(call: Call, given: Input) -> Any:
    """Run `createRef`, and return its payload."""
    node = find_node(call, given["repositoryId"], "Repository")
    run_operation(call, git_data.create_ref, node, given["name"], given["oid"])
    return {"ref": ref_node(call, node.row, given["name"])}
