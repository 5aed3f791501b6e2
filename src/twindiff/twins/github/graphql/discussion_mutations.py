"""Mutations of discussions, and of upvotes, reactions and locks.

https://docs.github.com/en/graphql/guides/using-the-graphql-api-for-discussions
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..core.access import authorize
from ..core.stamps import new_id
from ..discussions import discussion_changes
from ..issues import issues
from ..issues.issues import LockBody
from ..tables.discussion_tables import Discussion, DiscussionComment
from ..tables.issue_tables import Reaction
from ..tables.repository_tables import Repository
from .mutations import Input, mutation, refresh_node, run_operation
from .nodes import GraphNode, find_node, user_node
from .reaction_fields import CONTENT_NAMES, LOCK_REASONS, REACTABLE, group_reactions, reaction_subject
from .resolvers import enclosing_repo

_REPO = "/repos/{owner}/{repo}"
_DISCUSSIONS = f"{_REPO}/discussions"
_CONTENTS = {name: content for content, name in CONTENT_NAMES.items()}


def _authorize(call: Call, verb: str, path: str, node: GraphNode) -> Repository:
    """Return the repository of an object, once the caller and the token may do there what a path stands for."""
    repo = enclosing_repo(node)
    authorize(call, verb, path, {"owner": repo.owner, "repo": repo.name})
    call.memo.pop("guarded_repo", None)
    return repo


def _find_discussion(call: Call, text: str, verb: str, rest: str = "/{number}") -> tuple[Repository, Discussion]:
    node = find_node(call, text, "Discussion")
    return _authorize(call, verb, _DISCUSSIONS + rest, node), node.row


def _find_comment(call: Call, text: str, verb: str, rest: str) -> tuple[Repository, DiscussionComment]:
    node = find_node(call, text, "DiscussionComment")
    return _authorize(call, verb, _DISCUSSIONS + rest, node), node.row


def _payload(call: Call, repo: Repository, discussion: Discussion) -> Any:
    return {"discussion": GraphNode("Discussion", call.db.get(Discussion, discussion.id), repo)}


@mutation
def create_discussion(call: Call, given: Input) -> Any:
    """Run `createDiscussion`, and return its payload."""
    repo = _authorize(call, "POST", _DISCUSSIONS, find_node(call, given["repositoryId"], "Repository"))
    discussion_changes.check_enabled(repo)
    category = find_node(call, given["categoryId"], "DiscussionCategory").row
    made = discussion_changes.create_discussion(call, repo, category, given["title"], given["body"])
    return _payload(call, repo, made)


@mutation
def update_discussion(call: Call, given: Input) -> Any:
    """Run `updateDiscussion`, and return its payload."""
    repo, discussion = _find_discussion(call, given["discussionId"], "PATCH")
    texts = {name: given[name] for name in ("title", "body") if given.get(name) is not None}
    discussion = discussion_changes.edit_discussion(call, repo, discussion, **texts)
    if given.get("categoryId"):
        category = find_node(call, given["categoryId"], "DiscussionCategory").row
        discussion = discussion_changes.move_discussion(call, repo, discussion, category)
    return _payload(call, repo, discussion)


@mutation
def delete_discussion(call: Call, given: Input) -> Any:
    """Run `deleteDiscussion`, and return its payload."""
    repo, discussion = _find_discussion(call, given["id"], "DELETE")
    discussion_changes.delete_discussion(call, repo, discussion)
    return {"discussion": GraphNode("Discussion", discussion, repo)}


@mutation
def close_discussion(call: Call, given: Input) -> Any:
    """Run `closeDiscussion`, and return its payload."""
    repo, discussion = _find_discussion(call, given["discussionId"], "PATCH")
    reason = (given.get("reason") or "RESOLVED").lower()
    return _payload(call, repo, discussion_changes.close_discussion(call, repo, discussion, reason))


@mutation
def reopen_discussion(call: Call, given: Input) -> Any:
    """Run `reopenDiscussion`, and return its payload."""
    repo, discussion = _find_discussion(call, given["discussionId"], "PATCH")
    return _payload(call, repo, discussion_changes.reopen_discussion(call, repo, discussion))


@mutation
def add_discussion_comment(call: Call, given: Input) -> Any:
    """Run `addDiscussionComment`, and return its payload."""
    repo, discussion = _find_discussion(call, given["discussionId"], "POST", "/{number}/comments")
    parent = find_node(call, given["replyToId"], "DiscussionComment").row if given.get("replyToId") else None
    comment = discussion_changes.add_comment(call, repo, discussion, given["body"], parent)
    return {"comment": GraphNode("DiscussionComment", comment, repo)}


@mutation
def update_discussion_comment(call: Call, given: Input) -> Any:
    """Run `updateDiscussionComment`, and return its payload."""
    repo, comment = _find_comment(call, given["commentId"], "PATCH", "/comments/{comment_id}")
    comment = discussion_changes.edit_comment(call, repo, comment, given["body"])
    return {"comment": GraphNode("DiscussionComment", comment, repo)}


@mutation
def delete_discussion_comment(call: Call, given: Input) -> Any:
    """Run `deleteDiscussionComment`, and return its payload."""
    repo, comment = _find_comment(call, given["id"], "DELETE", "/comments/{comment_id}")
    discussion_changes.delete_comment(call, repo, comment)
    return {"comment": GraphNode("DiscussionComment", comment, repo)}


def _choose(call: Call, given: Input, *, chosen: bool) -> Any:
    repo, comment = _find_comment(call, given["id"], "PATCH", "/{number}")
    discussion = call.db.get(Discussion, comment.discussion_id)
    if not chosen and discussion.answer_id != comment.id:
        return _payload(call, repo, discussion)
    answer = comment if chosen else None
    return _payload(call, repo, discussion_changes.choose_answer(call, repo, discussion, answer))


@mutation
def mark_discussion_comment_as_answer(call: Call, given: Input) -> Any:
    """Run `markDiscussionCommentAsAnswer`, and return its payload."""
    return _choose(call, given, chosen=True)


@mutation
def unmark_discussion_comment_as_answer(call: Call, given: Input) -> Any:
    """Run `unmarkDiscussionCommentAsAnswer`, and return its payload."""
    return _choose(call, given, chosen=False)


def _vote(call: Call, given: Input, *, upvoted: bool) -> Any:
    node = find_node(call, given["subjectId"], "Discussion", "DiscussionComment")
    _authorize(call, "POST", f"{_DISCUSSIONS}/{{number}}/reactions", node)
    return {"subject": node._replace(row=discussion_changes.set_upvote(call, node.row, upvoted=upvoted))}


@mutation
def add_upvote(call: Call, given: Input) -> Any:
    """Run `addUpvote`, and return its payload."""
    return _vote(call, given, upvoted=True)


@mutation
def remove_upvote(call: Call, given: Input) -> Any:
    """Run `removeUpvote`, and return its payload."""
    return _vote(call, given, upvoted=False)


def _react(call: Call, given: Input, verb: str) -> tuple[GraphNode, Reaction | None, dict[str, Any]]:
    """Return the object to react to, the caller's reaction of the content if there is one, and its columns."""
    node = find_node(call, given["subjectId"], *REACTABLE)
    kind = "discussions" if node.type.startswith("Discussion") else "issues"
    rest = "/{reaction_id}" if verb == "DELETE" else ""
    _authorize(call, verb, f"{_REPO}/{kind}/{{number}}/reactions{rest}", node)
    subject, number = reaction_subject(call, node)
    columns = {"subject": subject, "subject_id": number, "content": _CONTENTS[given["content"]], "user": call.actor}
    where = (Reaction.subject == subject, Reaction.subject_id == number, Reaction.user == call.actor)
    return node, call.db.find(Reaction, *where, Reaction.content == columns["content"]), columns


def _reaction_payload(call: Call, node: GraphNode, reaction: Reaction | None) -> Any:
    shown = GraphNode("Reaction", reaction, node.repo) if reaction else None
    return {"reaction": shown, "reactionGroups": group_reactions(call, node), "subject": node}


@mutation
def add_reaction(call: Call, given: Input) -> Any:
    """Run `addReaction`, and return its payload."""
    node, known, columns = _react(call, given, "POST")
    if known is None:
        known = call.db.add(Reaction(id=new_id(call), created_at=call.clock.iso(), **columns))
    return _reaction_payload(call, node, known)


@mutation
def remove_reaction(call: Call, given: Input) -> Any:
    """Run `removeReaction`, and return its payload."""
    node, known, _ = _react(call, given, "DELETE")
    if known:
        call.db.remove(known)
    return _reaction_payload(call, node, known)


def _lock(call: Call, given: Input, *, locked: bool) -> GraphNode:
    node = find_node(call, given["lockableId"], "Issue", "PullRequest", "Discussion")
    reason = LOCK_REASONS.get(given.get("lockReason"))
    if node.type == "Discussion":
        repo = _authorize(call, "PUT", f"{_DISCUSSIONS}/{{number}}/lock", node)
        row = discussion_changes.lock_discussion(call, repo, node.row, reason, locked=locked)
        return node._replace(row=row)
    if locked:
        run_operation(call, issues.lock_issue, node, node.row.number, LockBody(lock_reason=reason))
    else:
        run_operation(call, issues.unlock_issue, node, node.row.number)
    return refresh_node(call, node)


@mutation
def lock_lockable(call: Call, given: Input) -> Any:
    """Run `lockLockable`, and return its payload."""
    return {"lockedRecord": _lock(call, given, locked=True), "actor": user_node(call, call.actor)}


@mutation
def unlock_lockable(call: Call, given: Input) -> Any:
    """Run `unlockLockable`, and return its payload."""
    return {"unlockedRecord": _lock(call, given, locked=False), "actor": user_node(call, call.actor)}
