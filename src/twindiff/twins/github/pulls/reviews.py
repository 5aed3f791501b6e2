"""Reviews of pull requests and comments on their diffs.

https://docs.github.com/en/rest/pulls/reviews
https://docs.github.com/en/rest/pulls/comments
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from twindiff.kit import Body, Call, Operations, Struct, any_of, field

from ..core.access import check_permission, find_pull, find_repo, issue_of, may
from ..core.listing import paginate
from ..core.stamps import new_id, parse_instant
from ..event_delivery.announcements import announce
from ..git.histories import get_commit
from ..git.pull_commits import changes_of_pull
from ..issues.issue_changes import (
    check_open_for_comments,
    check_text,
    notify,
    reasons_of,
)
from ..tables.issue_tables import Issue, PullRequest, Review, ReviewComment
from ..tables.repository_tables import Repository
from ..views.pull_views import show_pull
from ..views.review_views import show_review, show_review_comment
from ..wire_style import Forbidden, NotVisible, Unprocessable, invalid
from .diff_positions import DiffPlace, find_place

api = Operations()
Side = Literal["LEFT", "RIGHT"]
Event = Literal["APPROVE", "REQUEST_CHANGES", "COMMENT", "PENDING"]
STATES = {"APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED", "COMMENT": "COMMENTED", "PENDING": "PENDING"}


class DraftComment(Struct):
    """A comment of a review."""

    path: str
    body: str
    position: int | None = None
    line: int | None = None
    side: Side = "RIGHT"
    start_line: int | None = None
    start_side: Side | None = None


class ReviewBody(Struct):
    """A review; without an event it stays pending."""

    event: Event = "PENDING"
    body: str | None = None
    commit_id: str | None = None
    comments: list[DraftComment] = field(default_factory=list[DraftComment])


def _find(call: Call, owner: str, repo: str, number: int) -> tuple[Repository, PullRequest, Issue]:
    row = find_repo(call, owner, repo)
    pull = find_pull(call, row, number)
    return row, pull, issue_of(call, pull)


def _find_review(call: Call, pull: PullRequest, review_id: int) -> Review:
    """Return a review of a pull request; raise NotVisible, also for a pending one of somebody else."""
    review = call.db.find(Review, Review.id == review_id, Review.pull_request_id == pull.id)
    if review is None or (review.state == "PENDING" and review.user != call.actor):
        raise NotVisible
    return review


@api.get("/repos/{owner}/{repo}/pulls/{pull_number}/reviews")
def list_reviews(call: Call, owner: str, repo: str, pull_number: int) -> Any:
    """List the reviews of a pull request, oldest first; of pending ones only the caller's."""
    row, pull, _ = _find(call, owner, repo, pull_number)
    where = (Review.pull_request_id == pull.id, any_of(Review.state != "PENDING", Review.user == call.actor))
    return paginate(call, Review, *where, by=Review.id, show=lambda each: show_review(call, row, pull, each))


@api.get("/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}")
def get_review(call: Call, owner: str, repo: str, pull_number: int, review_id: int) -> Any:
    """Get a review."""
    row, pull, _ = _find(call, owner, repo, pull_number)
    return show_review(call, row, pull, _find_review(call, pull, review_id))


@api.post("/repos/{owner}/{repo}/pulls/{pull_number}/reviews")
def create_review(call: Call, owner: str, repo: str, pull_number: int, body: Annotated[ReviewBody, Body]) -> Any:
    """Review a pull request, with comments on its diff."""
    row, pull, issue = _find(call, owner, repo, pull_number)
    check_open_for_comments(call, row, issue)
    _check_event(call, issue, body.event, body.body, has_comments=bool(body.comments))
    pending = call.db.find(
        Review, Review.pull_request_id == pull.id, Review.user == call.actor, Review.state == "PENDING"
    )
    if pending:
        raise Unprocessable("Unprocessable Entity", errors=["User can only have one pending review per pull request"])
    commit = body.commit_id or pull.head_sha
    if get_commit(call, row.network_id, commit) is None:
        raise Unprocessable("Unprocessable Entity", errors=["commit_id is not part of the pull request"])
    review = Review(id=new_id(call), pull_request_id=pull.id, user=call.actor, body=body.body or "", commit_id=commit)
    call.db.add(review)
    for draft in body.comments:
        _add_comment(call, row, pull, draft, commit, review.id)
    if body.event != "PENDING":
        review = _submit(call, row, pull, issue, review, body.event)
    return show_review(call, row, pull, review)


def _check_event(call: Call, issue: Issue, event: str, text: str | None, *, has_comments: bool) -> None:
    """Raise GitHub's 422 for a review that its author may not give, or that says nothing."""
    if issue.user == call.actor and event in ("APPROVE", "REQUEST_CHANGES"):
        verb = "approve" if event == "APPROVE" else "request changes on"
        raise Unprocessable("Unprocessable Entity", errors=[f"Review Can not {verb} your own pull request"])
    if event == "REQUEST_CHANGES" and not (text or "").strip() and not has_comments:
        raise Unprocessable("Unprocessable Entity", errors=["Body can't be blank"])
    if event == "COMMENT" and not (text or "").strip() and not has_comments:
        raise Unprocessable("Unprocessable Entity", errors=["Body can't be blank"])
    check_text("PullRequestReview", body=text)


def _submit(call: Call, repo: Repository, pull: PullRequest, issue: Issue, review: Review, event: str) -> Review:
    """Submit a review: set its state, take its author from the requested reviewers, and tell of it."""
    review = call.db.change(review, state=STATES[event], submitted_at=call.clock.iso())
    if call.actor in pull.requested_reviewers:
        rest = [login for login in pull.requested_reviewers if login != call.actor]
        pull = call.db.change(pull, requested_reviewers=rest)
    call.db.change(issue, updated_at=call.clock.iso())
    notify(call, repo, issue, reasons_of(call, repo, issue, review.body))
    shown = show_review(call, repo, pull, review)
    payload = {"action": "submitted", "review": shown | {"state": shown["state"].lower()}}
    announce(call, repo, "pull_request_review", {**payload, "pull_request": show_pull(call, repo, pull)})
    return review


@api.put("/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}")
def update_review(call: Call, owner: str, repo: str, pull_number: int, review_id: int, body: str) -> Any:
    """Change the text of a review."""
    row, pull, _ = _find(call, owner, repo, pull_number)
    review = _find_review(call, pull, review_id)
    if review.user != call.actor:
        raise Forbidden("Resource not accessible by personal access token")
    return show_review(call, row, pull, call.db.change(review, body=body))


@api.delete("/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}")
def delete_review(call: Call, owner: str, repo: str, pull_number: int, review_id: int) -> Any:
    """Delete a pending review."""
    row, pull, _ = _find(call, owner, repo, pull_number)
    review = _find_review(call, pull, review_id)
    if review.state != "PENDING":
        raise Unprocessable("Can not delete a non-pending pull request review")
    shown = show_review(call, row, pull, review)
    call.db.remove(review)
    return shown


@api.post("/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/events")
def submit_review(
    call: Call, owner: str, repo: str, pull_number: int, review_id: int, event: Event, body: str | None = None
) -> Any:
    """Submit a pending review."""
    row, pull, issue = _find(call, owner, repo, pull_number)
    review = _find_review(call, pull, review_id)
    if review.state != "PENDING":
        raise Unprocessable("Could not submit a review that is not pending")
    has_comments = bool(call.db.count(ReviewComment, ReviewComment.review_id == review.id))
    _check_event(call, issue, event, body or review.body, has_comments=has_comments)
    review = call.db.change(review, body=body) if body is not None else review
    return show_review(call, row, pull, _submit(call, row, pull, issue, review, event))


@api.put("/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/dismissals")
def dismiss_review(call: Call, owner: str, repo: str, pull_number: int, review_id: int, message: str) -> Any:
    """Dismiss a review that approves or requests changes."""
    row, pull, _ = _find(call, owner, repo, pull_number)
    check_permission(call, row, "push")
    review = _find_review(call, pull, review_id)
    if review.state not in ("APPROVED", "CHANGES_REQUESTED"):
        raise Unprocessable(f"Can not dismiss a {review.state.lower()} pull request review")
    if not message.strip():
        raise invalid("PullRequestReview", "message", "missing_field")
    return show_review(call, row, pull, call.db.change(review, state="DISMISSED"))


@api.get("/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/comments")
def list_comments_of_review(call: Call, owner: str, repo: str, pull_number: int, review_id: int) -> Any:
    """List the comments of a review."""
    row, pull, _ = _find(call, owner, repo, pull_number)
    where = ReviewComment.review_id == _find_review(call, pull, review_id).id
    return paginate(
        call, ReviewComment, where, by=ReviewComment.id, show=lambda each: show_review_comment(call, row, pull, each)
    )


def _find_place(
    call: Call, repo: Repository, pull: PullRequest, draft: DraftComment, subject: str
) -> tuple[DiffPlace | None, str]:
    """Return the place of a comment, and the patch of its file; raise GitHub's 422 if the diff lacks it."""
    change = next((each for each in changes_of_pull(call, repo, pull) if each.path == draft.path), None)
    if change is None:
        raise invalid("PullRequestReviewComment", "path", "invalid")
    patch = change.patch.text or ""
    place = find_place(patch, line=draft.line, side=draft.side, position=draft.position)
    if place is None and subject == "line":
        text = "pull_request_review_thread.line must be part of the diff"
        raise invalid("PullRequestReviewComment", "pull_request_review_thread.line", "custom", text)
    return place, patch


def _add_comment(
    call: Call,
    repo: Repository,
    pull: PullRequest,
    draft: DraftComment,
    commit: str,
    review_id: int | None,
    *,
    subject: str = "line",
) -> ReviewComment:
    """Add a comment on a line of the diff; raise GitHub's 422 for a place that the diff does not have."""
    place, patch = _find_place(call, repo, pull, draft, subject)
    now, comment_id = call.clock.iso(), new_id(call)
    comment = ReviewComment(
        id=comment_id,
        repository_id=repo.id,
        pull_request_id=pull.id,
        review_id=review_id,
        thread_id=comment_id,
        user=call.actor,
        body=draft.body,
        path=draft.path,
        commit_id=commit,
        original_commit_id=commit,
        diff_hunk=place.hunk if place else patch,
        position=place.position if place else None,
        line=place.line if place else None,
        side=place.side if place else draft.side,
        start_line=draft.start_line,
        start_side=(draft.start_side or draft.side) if draft.start_line else None,
        subject_type=subject,
        created_at=now,
        updated_at=now,
    )
    return call.db.add(comment)


@api.get("/repos/{owner}/{repo}/pulls/{pull_number}/comments")
def list_review_comments(
    call: Call, owner: str, repo: str, pull_number: int, sort: str = "created", direction: str = "asc", since: str = ""
) -> Any:
    """List the comments on the diff of a pull request."""
    row, pull, _ = _find(call, owner, repo, pull_number)
    column = ReviewComment.updated_at if sort == "updated" else ReviewComment.id
    by = (-column, -ReviewComment.id) if direction == "desc" else (column, ReviewComment.id)
    where = (ReviewComment.pull_request_id == pull.id, ReviewComment.updated_at >= (parse_instant(since) or ""))
    return paginate(call, ReviewComment, *where, by=by, show=lambda each: show_review_comment(call, row, pull, each))


@api.get("/repos/{owner}/{repo}/pulls/comments")
def list_all_review_comments(call: Call, owner: str, repo: str, direction: str = "asc", since: str = "") -> Any:
    """List the comments on the diffs of all pull requests of a repository."""
    row = find_repo(call, owner, repo)
    by = -ReviewComment.id if direction == "desc" else ReviewComment.id
    where = (ReviewComment.repository_id == row.id, ReviewComment.updated_at >= (parse_instant(since) or ""))

    def show(comment: ReviewComment) -> dict[str, Any]:
        return show_review_comment(call, row, call.db.get(PullRequest, comment.pull_request_id), comment)

    return paginate(call, ReviewComment, *where, by=by, show=show)


class NewReviewComment(Struct):
    """A comment on the diff, or with `in_reply_to` an answer to one."""

    body: str
    commit_id: str | None = None
    path: str | None = None
    position: int | None = None
    line: int | None = None
    side: Side = "RIGHT"
    start_line: int | None = None
    start_side: Literal["LEFT", "RIGHT", "side"] | None = None
    in_reply_to: int | None = None
    subject_type: Literal["line", "file"] = "line"


@api.post("/repos/{owner}/{repo}/pulls/{pull_number}/comments", status=201)
def create_review_comment(
    call: Call, owner: str, repo: str, pull_number: int, body: Annotated[NewReviewComment, Body]
) -> Any:
    """Comment on the diff of a pull request."""
    row, pull, issue = _find(call, owner, repo, pull_number)
    check_open_for_comments(call, row, issue)
    check_text("PullRequestReviewComment", body=body.body)
    if body.in_reply_to:
        return _reply(call, row, pull, issue, body.in_reply_to, body.body)
    for name in ("path", "commit_id"):
        if not getattr(body, name):
            raise Unprocessable(f'Invalid request.\n\n"{name}" wasn\'t supplied.')
    if get_commit(call, row.network_id, body.commit_id or "") is None:
        raise invalid("PullRequestReviewComment", "commit_id", "custom", "commit_id is not part of the pull request")
    side: Side = "LEFT" if body.start_side == "LEFT" else "RIGHT"
    place: dict[str, Any] = {"position": body.position, "line": body.line, "side": body.side}
    draft = DraftComment(path=body.path or "", body=body.body, start_line=body.start_line, start_side=side, **place)
    review = _review_of_comment(call, pull, body.commit_id or "")
    comment = _add_comment(call, row, pull, draft, body.commit_id or "", review.id, subject=body.subject_type)
    return _tell_comment(call, row, pull, issue, comment)


def _review_of_comment(call: Call, pull: PullRequest, commit: str) -> Review:
    """Add the review that a single comment is part of."""
    now = call.clock.iso()
    fields: dict[str, Any] = {"user": call.actor, "state": "COMMENTED", "commit_id": commit, "submitted_at": now}
    return call.db.add(Review(id=new_id(call), pull_request_id=pull.id, **fields))


def _tell_comment(
    call: Call, repo: Repository, pull: PullRequest, issue: Issue, comment: ReviewComment
) -> dict[str, Any]:
    shown = show_review_comment(call, repo, pull, comment)
    notify(call, repo, issue, reasons_of(call, repo, issue, comment.body))
    payload = {"action": "created", "comment": shown, "pull_request": show_pull(call, repo, pull)}
    announce(call, repo, "pull_request_review_comment", payload)
    return shown


def _reply(call: Call, repo: Repository, pull: PullRequest, issue: Issue, target: int, body: str) -> dict[str, Any]:
    """Answer a comment in its thread."""
    where = (ReviewComment.id == target, ReviewComment.pull_request_id == pull.id)
    first = call.db.find(ReviewComment, *where)
    if first is None:
        raise NotVisible("Parent comment not found")
    review = _review_of_comment(call, pull, first.commit_id)
    now = call.clock.iso()
    fields: dict[str, Any] = {name: getattr(first, name) for name in first.__struct_fields__}
    fields |= {"id": new_id(call), "user": call.actor, "body": body, "review_id": review.id}
    fields |= {"in_reply_to_id": first.thread_id, "created_at": now, "updated_at": now}
    return _tell_comment(call, repo, pull, issue, call.db.add(ReviewComment(**fields)))


@api.post("/repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies", status=201)
def reply_to_comment(call: Call, owner: str, repo: str, pull_number: int, comment_id: int, body: str) -> Any:
    """Answer a comment on the diff."""
    row, pull, issue = _find(call, owner, repo, pull_number)
    check_open_for_comments(call, row, issue)
    return _reply(call, row, pull, issue, comment_id, body)


def find_review_comment(call: Call, repo: Repository, comment_id: int) -> tuple[ReviewComment, PullRequest]:
    """Return a comment on a diff with its pull request; raise NotVisible."""
    where = (ReviewComment.id == comment_id, ReviewComment.repository_id == repo.id)
    comment = call.db.find(ReviewComment, *where)
    if comment is None:
        raise NotVisible
    return comment, call.db.get(PullRequest, comment.pull_request_id)


@api.get("/repos/{owner}/{repo}/pulls/comments/{comment_id}")
def get_review_comment(call: Call, owner: str, repo: str, comment_id: int) -> Any:
    """Get a comment on a diff."""
    row = find_repo(call, owner, repo)
    comment, pull = find_review_comment(call, row, comment_id)
    return show_review_comment(call, row, pull, comment)


@api.patch("/repos/{owner}/{repo}/pulls/comments/{comment_id}")
def update_review_comment(call: Call, owner: str, repo: str, comment_id: int, body: str) -> Any:
    """Change a comment on a diff."""
    row = find_repo(call, owner, repo)
    comment, pull = find_review_comment(call, row, comment_id)
    if comment.user != call.actor and not may(call, row, "push"):
        raise Forbidden("Must have push access to Repository.")
    comment = call.db.change(comment, body=body, updated_at=call.clock.iso())
    return show_review_comment(call, row, pull, comment)


@api.delete("/repos/{owner}/{repo}/pulls/comments/{comment_id}", status=204)
def delete_review_comment(call: Call, owner: str, repo: str, comment_id: int) -> None:
    """Delete a comment on a diff."""
    row = find_repo(call, owner, repo)
    comment, _ = find_review_comment(call, row, comment_id)
    if comment.user != call.actor and not may(call, row, "push"):
        raise Forbidden("Must have push access to Repository.")
    call.db.remove(comment)
