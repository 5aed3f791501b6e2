"""Reactions to issues, comments and discussions, and locks of conversations.

https://docs.github.com/en/graphql/reference/interfaces#reactable
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call
from twindiff.kit.rows import Expression

from ..core.access import may
from ..core.node_ids import node_id
from ..core.stamps import show_instant
from ..tables.issue_tables import Reaction
from .nodes import GraphNode, user_node
from .resolvers import compute, connect_rows, enclosing_repo, field, issue_half

CONTENT_NAMES = {
    "+1": "THUMBS_UP", "-1": "THUMBS_DOWN", "laugh": "LAUGH", "hooray": "HOORAY", "confused": "CONFUSED",
    "heart": "HEART", "rocket": "ROCKET", "eyes": "EYES",
}  # fmt: skip
_SUBJECTS = {
    "IssueComment": "issue_comments",
    "Discussion": "discussions",
    "DiscussionComment": "discussion_comments",
}
REACTABLE = ("Issue", "PullRequest", *_SUBJECTS)


def reaction_subject(call: Call, node: GraphNode) -> tuple[str, int]:
    """Return the table and the id that the reactions of an object are stored by."""
    if node.type in _SUBJECTS:
        return _SUBJECTS[node.type], node.row.id
    return "issues", issue_half(call, node).id


@field(*(f"{kind}.reactionGroups" for kind in REACTABLE))
def group_reactions(call: Call, node: GraphNode) -> Any:
    """Return the numbers of reactions of an object by content."""
    subject, number = reaction_subject(call, node)
    rows = list(call.db.rows(Reaction, Reaction.subject == subject, Reaction.subject_id == number))
    contents, own = [row.content for row in rows], {row.content for row in rows if row.user == call.actor}
    return [
        {
            "content": name,
            "viewerHasReacted": content in own,
            **{key: {"totalCount": contents.count(content)} for key in ("users", "reactors")},
        }
        for content, name in CONTENT_NAMES.items()
    ]


@field(*(f"{kind}.reactions" for kind in REACTABLE))
def _reactions(call: Call, node: GraphNode, content: str | None = None, **arguments: Any) -> Any:
    subject, number = reaction_subject(call, node)
    where: list[Expression] = [Reaction.subject == subject, Reaction.subject_id == number]
    mine = call.db.find(Reaction, *where, Reaction.user == call.actor)
    where += [Reaction.content == name for name, each in CONTENT_NAMES.items() if each == content]
    show = GraphNode
    return connect_rows(
        call,
        Reaction,
        where,
        Reaction.id,
        lambda row: show("Reaction", row, node.repo),
        arguments,
        viewerHasReacted=mine is not None,
    )


compute("Reaction.id")(lambda call, node: node_id("REA", node.row.subject_id, node.row.id))
compute("Reaction.content")(lambda call, node: CONTENT_NAMES[node.row.content])
compute("Reaction.user")(lambda call, node: user_node(call, node.row.user))
compute("Reaction.createdAt")(lambda call, node: show_instant(node.row.created_at))


@field(*(f"{kind}.viewerCanReact" for kind in REACTABLE))
def _may_react(call: Call, node: GraphNode) -> bool:
    is_locked = bool(getattr(node.row, "locked", False))
    return not is_locked or may(call, enclosing_repo(node), "push")


compute("IssueComment.bodyText")(lambda call, node: node.row.body)
_REASONS = {"off-topic": "OFF_TOPIC", "too heated": "TOO_HEATED", "resolved": "RESOLVED", "spam": "SPAM"}
LOCK_REASONS: dict[Any, Any] = {name: reason for reason, name in _REASONS.items()}
"""REST's reasons of locks by GraphQL's names."""
compute("Discussion.activeLockReason")(lambda call, node: _REASONS.get(node.row.active_lock_reason))
compute("Issue.activeLockReason", "PullRequest.activeLockReason")(
    lambda call, node: _REASONS.get(issue_half(call, node).active_lock_reason or "")
)
