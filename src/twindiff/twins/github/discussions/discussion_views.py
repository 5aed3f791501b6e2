"""Discussions, categories and comments as webhooks show them; the REST API has none.

https://docs.github.com/en/webhooks/webhook-events-and-payloads#discussion
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..core.access import association_of
from ..core.node_ids import node_id
from ..core.stamps import show_instant, times_of
from ..tables.discussion_tables import Discussion, DiscussionCategory, DiscussionComment
from ..tables.issue_tables import Label
from ..tables.repository_tables import Repository
from ..views.issue_views import show_label
from ..views.reaction_views import show_reactions
from ..views.repository_views import html_url, repo_url
from ..views.user_views import user_of

Shown = dict[str, Any]


def discussion_url(call: Call, repo: Repository, discussion: Discussion) -> str:
    """Return the address of a discussion's page."""
    return f"{html_url(call, repo)}/discussions/{discussion.number}"


def comment_url(call: Call, repo: Repository, discussion: Discussion, comment_id: int) -> str:
    """Return the address of a comment on the page of its discussion."""
    return f"{discussion_url(call, repo, discussion)}#discussioncomment-{comment_id}"


def show_category(category: DiscussionCategory) -> Shown:
    """Render a category."""
    return {
        "id": category.id,
        "node_id": node_id("DIC", category.repository_id, category.id),
        "repository_id": category.repository_id,
        "emoji": category.emoji,
        "name": category.name,
        "description": category.description or "",
        **times_of(category),
        "slug": category.slug,
        "is_answerable": category.is_answerable,
    }


def _state_of(discussion: Discussion) -> str:
    if discussion.locked:
        return "locked"
    return "closed" if discussion.closed_at else "open"


def show_discussion(call: Call, repo: Repository, discussion: Discussion) -> Shown:
    """Render a discussion."""
    url = repo_url(call, repo)
    answer = discussion.answer_id
    where = (Label.repository_id == repo.id, Label.name.in_(discussion.labels))
    labels = call.db.rows(Label, *where, order=Label.id) if discussion.labels else []
    return {
        "repository_url": url,
        "category": show_category(call.db.get(DiscussionCategory, discussion.category_id)),
        "answer_html_url": comment_url(call, repo, discussion, answer) if answer else None,
        "answer_chosen_at": show_instant(discussion.answer_chosen_at),
        "answer_chosen_by": user_of(call, discussion.answer_chosen_by),
        "html_url": discussion_url(call, repo, discussion),
        "id": discussion.id,
        "node_id": node_id("D", repo.id, discussion.id),
        "number": discussion.number,
        "title": discussion.title,
        "user": user_of(call, discussion.user),
        "labels": [show_label(call, repo, label) for label in labels],
        "state": _state_of(discussion),
        "state_reason": discussion.state_reason,
        "locked": discussion.locked,
        "comments": discussion.comments,
        **times_of(discussion),
        "author_association": association_of(call, repo, discussion.user),
        "active_lock_reason": discussion.active_lock_reason,
        "body": discussion.body,
        "reactions": show_reactions(call, "discussions", discussion.id, f"{url}/discussions/{discussion.number}"),
        "timeline_url": f"{url}/discussions/{discussion.number}/timeline",
    }


def show_discussion_comment(call: Call, repo: Repository, discussion: Discussion, comment: DiscussionComment) -> Shown:
    """Render a comment."""
    url = f"{repo_url(call, repo)}/discussions/comments/{comment.id}"
    replies = call.db.count(DiscussionComment, DiscussionComment.parent_id == comment.id)
    return {
        "id": comment.id,
        "node_id": node_id("DC", repo.id, comment.id),
        "html_url": comment_url(call, repo, discussion, comment.id),
        "parent_id": comment.parent_id,
        "child_comment_count": replies,
        "repository_url": repo.full_name,
        "discussion_id": discussion.id,
        "author_association": association_of(call, repo, comment.user),
        "user": user_of(call, comment.user),
        **times_of(comment),
        "body": comment.body,
        "reactions": show_reactions(call, "discussion_comments", comment.id, url),
    }
