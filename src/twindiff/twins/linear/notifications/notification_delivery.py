"""Creates notifications for the users that an event concerns.  https://linear.app/docs/notifications"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..core.actors import acting_user, initials_of
from ..model.notifications import Notification
from ..model.users import User
from .subscribers import follow, list_subscribers

_CATEGORIES = {
    "issueAssignedToYou": "assignments",
    "issueStatusChanged": "statusChanges",
    "issueNewComment": "commentsAndReplies",
    "issueEmojiReaction": "reactions",
    "issueCommentReaction": "reactions",
    "issueReminder": "reminders",
    "issueMention": "mentions",
    "issueCommentMention": "mentions",
    "projectUpdateCreated": "postsAndUpdates",
}


def notify_assignee(call: Call, issue: Any) -> None:
    """Notify the assignee of an issue, unless they made the change."""
    if issue.assigneeId:
        _notify_about_issue(call, issue, [issue.assigneeId], "issueAssignedToYou", "was assigned to you")


def notify_state_change(call: Call, issue: Any) -> None:
    """Notify the users concerned by an issue of its new state."""
    _notify_about_issue(call, issue, list_concerned_users(call, issue), "issueStatusChanged", "changed its state")


def notify_mentions(call: Call, issue: Any, people: list[str], comment: Any = None) -> None:
    """Notify the people whom a comment, or without one the description of an issue, mentions; they follow the issue."""
    follow(call, issue.id, *people)
    kind = "issueCommentMention" if comment else "issueMention"
    text = comment.body[:120] if comment else "mentioned you"
    _notify_about_issue(call, issue, people, kind, text, commentId=comment.id if comment else None)


def notify_comment(call: Call, issue: Any, comment: Any, mentioned: list[str]) -> None:
    """Notify the users concerned by an issue of a comment, except those whom it mentions."""
    people = [person for person in list_concerned_users(call, issue) if person not in mentioned]
    _notify_about_issue(call, issue, people, "issueNewComment", comment.body[:120], commentId=comment.id)


def notify_reaction(call: Call, issue: Any, comment: Any, emoji: str) -> None:
    """Notify the author of the comment, or without one the creator of the issue, of a reaction."""
    author = comment.userId if comment else issue.creatorId
    kind = "issueCommentReaction" if comment else "issueEmojiReaction"
    fields = {"reactionEmoji": emoji, "commentId": comment.id if comment else None}
    _notify_about_issue(call, issue, [author] if author else [], kind, f"got the reaction {emoji}", **fields)


def list_concerned_users(call: Call, issue: Any) -> list[str]:
    """Return the ids of the users concerned by an issue: assignee, creator and subscribers."""
    people = [issue.assigneeId, issue.creatorId, *list_subscribers(call, issue.id)]
    return [person for person in dict.fromkeys(people) if person]


def _notify_about_issue(call: Call, issue: Any, people: list[str], kind: str, text: str, **fields: Any) -> None:
    told = [person for person in people if person != call.actor]
    if not told:
        return
    actor, now = acting_user(call), call.clock.iso()
    known = call.db.rows(User.row, User.row.id.in_(told), columns=(User.row.id,))
    for (person,) in known:
        call.db.add(
            Notification.row(
                id=call.ids.uuid(),
                kind="IssueNotification",
                type=kind,
                category=_CATEGORIES[kind],
                title=f"{issue.identifier} {issue.title}",
                subtitle=f"{actor.displayName}: {text}",
                url=issue.url,
                inboxUrl=issue.url,
                groupingKey=issue.id,
                userId=person,
                actorId=actor.id,
                actorInitials=initials_of(actor.name),
                actorAvatarColor=actor.avatarBackgroundColor,
                issueId=issue.id,
                teamId=issue.teamId,
                createdAt=now,
                updatedAt=now,
                **fields,
            )
        )
