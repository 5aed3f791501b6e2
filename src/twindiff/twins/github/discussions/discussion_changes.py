"""What changes discussions and their comments; repositories' hooks are told.

https://docs.github.com/en/graphql/guides/using-the-graphql-api-for-discussions
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..core.access import may
from ..core.stamps import new_id
from ..event_delivery.announcements import announce
from ..issues.issue_changes import take_number
from ..tables.discussion_tables import Discussion, DiscussionCategory, DiscussionComment
from ..tables.issue_tables import Label, Reaction
from ..tables.repository_tables import Repository
from ..views.repository_views import setting
from ..wire_style import Forbidden, Gone, Unprocessable, invalid
from .discussion_views import show_category, show_discussion, show_discussion_comment

MAX_TITLE_CHARACTERS, MAX_BODY_CHARACTERS = 256, 65_536


def check_enabled(repo: Repository) -> None:
    """Raise Gone unless the repository has discussions."""
    if not setting(repo, "has_discussions"):
        raise Gone("Discussions are disabled for this repo")


def _check_texts(resource: str, **texts: str) -> None:
    for name, text in texts.items():
        if not text.strip():
            raise Unprocessable(f"{name.capitalize()} can't be blank")
        most = MAX_TITLE_CHARACTERS if name == "title" else MAX_BODY_CHARACTERS
        if len(text) > most:
            raise invalid(resource, name, "custom", f"{name} is too long (maximum is {most} characters)")


def _announce(call: Call, repo: Repository, discussion: Discussion, action: str, **more: Any) -> None:
    shown = {"action": action, "discussion": show_discussion(call, repo, discussion), **more}
    announce(call, repo, "discussion", shown)


def _announce_comment(call: Call, repo: Repository, comment: DiscussionComment, action: str, **more: Any) -> None:
    discussion = call.db.get(Discussion, comment.discussion_id)
    shown = {"comment": show_discussion_comment(call, repo, discussion, comment)}
    payload = {"action": action, **shown, "discussion": show_discussion(call, repo, discussion), **more}
    announce(call, repo, "discussion_comment", payload)


def check_editor(call: Call, repo: Repository, author: str, need: str = "push") -> None:
    """Raise Forbidden unless the caller wrote something or has a permission for the repository."""
    if author != call.actor and not may(call, repo, need):
        raise Forbidden(f"{call.actor} does not have the correct permissions to execute this operation")


def create_discussion(call: Call, repo: Repository, category: DiscussionCategory, title: str, body: str) -> Discussion:
    """Begin a discussion, as a maintainer for announcements."""
    check_enabled(repo)
    _check_texts("Discussion", title=title, body=body)
    _check_category(call, repo, category)
    repo, number = take_number(call, repo)
    now = call.clock.iso()
    texts: dict[str, Any] = {"title": title, "body": body, "user": call.actor, "category_id": category.id}
    times: dict[str, Any] = {"created_at": now, "updated_at": now}
    discussion = Discussion(id=new_id(call), repository_id=repo.id, number=number, **texts, **times)
    call.db.add(discussion)
    call.memo.pop("repos", None)
    _announce(call, repo, discussion, "created")
    return discussion


def _check_category(call: Call, repo: Repository, category: DiscussionCategory) -> None:
    if category.repository_id != repo.id:
        raise Unprocessable("The discussion category does not belong to the repository")
    if category.slug == "polls":
        raise Unprocessable("Polls can only be made on GitHub's pages")
    if category.slug == "announcements":
        check_editor(call, repo, "", "maintain")


def edit_discussion(call: Call, repo: Repository, discussion: Discussion, **texts: str) -> Discussion:
    """Change the title and the body of a discussion."""
    check_editor(call, repo, discussion.user)
    _check_texts("Discussion", **texts)
    changes = {name: {"from": getattr(discussion, name)} for name in texts if getattr(discussion, name) != texts[name]}
    if changes:
        columns: dict[str, Any] = texts
        discussion = call.db.change(discussion, updated_at=call.clock.iso(), **columns)
        _announce(call, repo, discussion, "edited", changes=changes)
    return discussion


def move_discussion(call: Call, repo: Repository, discussion: Discussion, category: DiscussionCategory) -> Discussion:
    """Put a discussion into another category; it loses its answer where there are none."""
    check_editor(call, repo, discussion.user)
    _check_category(call, repo, category)
    if category.id == discussion.category_id:
        return discussion
    former = call.db.get(DiscussionCategory, discussion.category_id)
    if not category.is_answerable and discussion.answer_id:
        discussion = choose_answer(call, repo, discussion, None)
    discussion = call.db.change(discussion, category_id=category.id, updated_at=call.clock.iso())
    _announce(call, repo, discussion, "category_changed", changes={"category": {"from": show_category(former)}})
    return discussion


def delete_discussion(call: Call, repo: Repository, discussion: Discussion) -> None:
    """Delete a discussion with its comments."""
    check_editor(call, repo, "")
    _announce(call, repo, discussion, "deleted")
    comments = call.db.rows(DiscussionComment, DiscussionComment.discussion_id == discussion.id)
    _forget_reactions(call, "discussion_comments", [row.id for row in comments])
    _forget_reactions(call, "discussions", [discussion.id])
    call.db.remove(discussion)


def _forget_reactions(call: Call, subject: str, ids: list[int]) -> None:
    for row in list(call.db.rows(Reaction, Reaction.subject == subject, Reaction.subject_id.in_(ids))) if ids else []:
        call.db.remove(row)


def close_discussion(call: Call, repo: Repository, discussion: Discussion, reason: str) -> Discussion:
    """Close a discussion as resolved, outdated or duplicate."""
    check_editor(call, repo, discussion.user, "triage")
    if discussion.closed_at:
        raise Unprocessable("Discussion is already closed")
    now = call.clock.iso()
    discussion = call.db.change(discussion, closed_at=now, state_reason=reason, updated_at=now)
    _announce(call, repo, discussion, "closed")
    return discussion


def reopen_discussion(call: Call, repo: Repository, discussion: Discussion) -> Discussion:
    """Open a closed discussion again."""
    check_editor(call, repo, discussion.user, "triage")
    if not discussion.closed_at:
        raise Unprocessable("Discussion is already open")
    discussion = call.db.change(discussion, closed_at=None, state_reason="reopened", updated_at=call.clock.iso())
    _announce(call, repo, discussion, "reopened")
    return discussion


def lock_discussion(
    call: Call, repo: Repository, discussion: Discussion, reason: str | None, *, locked: bool
) -> Discussion:
    """Lock a discussion, so that only those who may push comment, or unlock it."""
    check_editor(call, repo, "", "triage")
    discussion = call.db.change(
        discussion, locked=locked, active_lock_reason=reason if locked else None, updated_at=call.clock.iso()
    )
    _announce(call, repo, discussion, "locked" if locked else "unlocked")
    return discussion


def label_discussion(
    call: Call, repo: Repository, discussion: Discussion, labels: list[Label], *, added: bool
) -> Discussion:
    """Add labels to a discussion, or take them off."""
    check_editor(call, repo, "", "triage")
    for label in labels:
        has = label.name in discussion.labels
        if has == added:
            continue
        rest = [name for name in discussion.labels if name != label.name]
        discussion = call.db.change(discussion, labels=[*rest, label.name] if added else rest)
        about = {"id": label.id, "name": label.name, "color": label.color, "description": label.description}
        _announce(call, repo, discussion, "labeled" if added else "unlabeled", label=about)
    return discussion


def choose_answer(
    call: Call, repo: Repository, discussion: Discussion, comment: DiscussionComment | None
) -> Discussion:
    """Mark a comment as the answer of a discussion, or with None no comment any more."""
    check_editor(call, repo, discussion.user, "triage")
    category = call.db.get(DiscussionCategory, discussion.category_id)
    if comment and not category.is_answerable:
        raise Unprocessable("Answers can only be chosen in categories that accept answers")
    former, now = discussion.answer_id, call.clock.iso()
    chosen: dict[str, Any] = {
        "answer_id": comment.id if comment else None,
        "answer_chosen_by": call.actor if comment else None,
        "answer_chosen_at": now if comment else None,
    }
    discussion = call.db.change(discussion, updated_at=now, **chosen)
    if comment:
        shown = show_discussion_comment(call, repo, discussion, comment)
        _announce(call, repo, discussion, "answered", answer=shown)
    elif former and (old := call.db.find(DiscussionComment, DiscussionComment.id == former)):
        shown = show_discussion_comment(call, repo, discussion, old)
        _announce(call, repo, discussion, "unanswered", old_answer=shown)
    return discussion


def add_comment(
    call: Call, repo: Repository, discussion: Discussion, body: str, parent: DiscussionComment | None
) -> DiscussionComment:
    """Comment on a discussion, or reply to one of its comments; replies have no replies."""
    _check_texts("DiscussionComment", body=body)
    if discussion.locked and not may(call, repo, "push"):
        raise Forbidden("Discussion is locked")
    if parent and (parent.discussion_id != discussion.id or parent.parent_id):
        raise Unprocessable("Parent comment is already in a thread, cannot reply to it")
    now = call.clock.iso()
    place: dict[str, Any] = {"repository_id": repo.id, "discussion_id": discussion.id}
    times: dict[str, Any] = {"created_at": now, "updated_at": now, "user": call.actor}
    comment = DiscussionComment(id=new_id(call), parent_id=parent.id if parent else None, body=body, **place, **times)
    call.db.add(comment)
    call.db.change(discussion, comments=discussion.comments + 1, updated_at=now)
    _announce_comment(call, repo, comment, "created")
    return comment


def edit_comment(call: Call, repo: Repository, comment: DiscussionComment, body: str) -> DiscussionComment:
    """Change a comment."""
    check_editor(call, repo, comment.user)
    _check_texts("DiscussionComment", body=body)
    former = comment.body
    comment = call.db.change(comment, body=body, updated_at=call.clock.iso())
    _announce_comment(call, repo, comment, "edited", changes={"body": {"from": former}})
    return comment


def delete_comment(call: Call, repo: Repository, comment: DiscussionComment) -> None:
    """Delete a comment with its replies; a discussion whose answer it was has none any more."""
    check_editor(call, repo, comment.user)
    discussion = call.db.get(Discussion, comment.discussion_id)
    if discussion.answer_id == comment.id:
        cleared: dict[str, Any] = {"answer_id": None, "answer_chosen_by": None, "answer_chosen_at": None}
        discussion = call.db.change(discussion, **cleared)
    _announce_comment(call, repo, comment, "deleted")
    replies = list(call.db.rows(DiscussionComment, DiscussionComment.parent_id == comment.id))
    _forget_reactions(call, "discussion_comments", [row.id for row in (*replies, comment)])
    for row in (*replies, comment):
        call.db.remove(row)
    call.db.change(discussion, comments=max(0, discussion.comments - 1 - len(replies)))


def set_upvote(call: Call, row: Discussion | DiscussionComment, *, upvoted: bool) -> Discussion | DiscussionComment:
    """Add the caller's upvote, or take it back; repeating changes nothing."""
    if (call.actor in row.upvotes) == upvoted:
        return row
    rest = [login for login in row.upvotes if login != call.actor]
    return call.db.change(row, upvotes=[*rest, call.actor] if upvoted else rest)


def vote_in_poll(call: Call, repo: Repository, discussion: Discussion, place: int) -> Discussion:
    """Vote for the option at a place of a discussion's poll; everybody has one vote, which stands."""
    check_enabled(repo)
    if discussion.locked or discussion.closed_at:
        raise Forbidden("Unable to vote because discussion is locked or closed.")
    poll: dict[str, Any] = discussion.poll
    options: list[dict[str, Any]] = poll["options"]
    if any(call.actor in (each.get("votes") or []) for each in options):
        raise Unprocessable("You have already voted in this poll")
    voters: list[str] = options[place].get("votes") or []
    chosen = {**options[place], "votes": [*voters, call.actor]}
    return call.db.change(discussion, poll={**poll, "options": [*options[:place], chosen, *options[place + 1 :]]})
