"""Reviews and comments on diffs as the API shows them."""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..core.access import association_of
from ..core.node_ids import node_id
from ..core.stamps import show_instant, times_of
from ..tables.issue_tables import PullRequest, Review, ReviewComment
from ..tables.repository_tables import Repository
from .issue_views import text_forms
from .reaction_views import show_reactions
from .repository_views import html_url, repo_url
from .user_views import user_of


def show_review(call: Call, repo: Repository, pull: PullRequest, review: Review) -> dict[str, Any]:
    """Render a review."""
    page = f"{html_url(call, repo)}/pull/{pull.number}#pullrequestreview-{review.id}"
    url = f"{repo_url(call, repo)}/pulls/{pull.number}"
    shown: dict[str, Any] = {
        "id": review.id,
        "node_id": node_id("PRR", repo.id, review.id),
        "user": user_of(call, review.user),
        "body": review.body,
        **text_forms(call, review.body),
        "state": review.state,
        "html_url": page,
        "pull_request_url": url,
        "author_association": association_of(call, repo, review.user),
        "_links": {"html": {"href": page}, "pull_request": {"href": url}},
        "commit_id": review.commit_id,
    }
    return shown | {"submitted_at": show_instant(review.submitted_at)} if review.submitted_at else shown


def show_review_comment(call: Call, repo: Repository, pull: PullRequest, comment: ReviewComment) -> dict[str, Any]:
    """Render a comment on a diff."""
    base = repo_url(call, repo)
    url, pull_url = f"{base}/pulls/comments/{comment.id}", f"{base}/pulls/{pull.number}"
    page = f"{html_url(call, repo)}/pull/{pull.number}#discussion_r{comment.id}"
    shown: dict[str, Any] = {
        "url": url,
        "pull_request_review_id": comment.review_id,
        "id": comment.id,
        "node_id": node_id("PRRC", repo.id, comment.id),
        "diff_hunk": comment.diff_hunk,
        "path": comment.path,
        "commit_id": comment.commit_id,
        "original_commit_id": comment.original_commit_id,
        "user": user_of(call, comment.user),
        "body": comment.body,
        **text_forms(call, comment.body),
        **times_of(comment),
        "html_url": page,
        "pull_request_url": pull_url,
        "author_association": association_of(call, repo, comment.user),
        "_links": {"self": {"href": url}, "html": {"href": page}, "pull_request": {"href": pull_url}},
        "reactions": show_reactions(call, "review_comments", comment.id, url),
        "start_line": comment.start_line,
        "original_start_line": comment.start_line,
        "start_side": comment.start_side,
        "side": comment.side,
        "subject_type": comment.subject_type,
    }
    places = {"line": comment.line, "original_line": comment.line}
    places |= {"position": comment.position, "original_position": comment.position}
    shown |= {name: value for name, value in places.items() if value is not None}
    return shown | {"in_reply_to_id": comment.in_reply_to_id} if comment.in_reply_to_id else shown
