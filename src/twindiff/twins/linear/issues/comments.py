"""Comments, their threads and reactions.  https://linear.app/docs/comment-on-issues"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call
from twindiff.kit.computed_values import greatest
from twindiff.kit.emoji import is_emoji
from twindiff.kit.graphql import Section, entity_operations, fits
from twindiff.kit.graphql.errors import EntityNotFound, InvalidInput, QuotaExceeded
from twindiff.kit.rows import Expression

from ..core.actors import acting_user
from ..core.rich_text import document_of, read_text_input
from ..model.comments import Comment, Emoji, Reaction
from ..model.customers import CustomerNeed
from ..model.issues import Issue
from ..model.project_parts import ProjectUpdate
from ..notifications import notification_delivery
from ..notifications.mentions import find_mentions, mention_nodes
from ..notifications.subscribers import follow

api = Section()

MAX_ISSUE_COMMENTS = 2_000
PLACES = (
    "issueId",
    "projectUpdateId",
    "initiativeUpdateId",
    "documentContentId",
    "projectId",
    "initiativeId",
    "postId",
)


@api.query("comment")
def comment(call: Call, hash: str | None = None, id: str | None = None) -> Any:
    """Get a comment by its id, or by the hash at the end of its URL; raise EntityNotFound."""
    if id is not None:
        return entity_operations.find(call, Comment, id)
    row = call.db.find(Comment.row, Comment.row.id.starts(hash)) if hash else None
    if row is None:
        raise EntityNotFound("Comment", hash or "")
    return entity_operations.find(call, Comment, row.id)


@api.before_create(Comment)
def create_comment(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Set author, text and URL of a new comment. A reply is on the same thing as the first comment of its thread."""
    _join_thread(call, values)
    _check_number(call, values.get("issueId"))
    values["body"] = _body(given)
    values["bodyData"] = _document(call, values["body"])
    values["userId"] = acting_user(call).id
    values["url"] = _address(call, values)


def _join_thread(call: Call, values: dict[str, Any]) -> None:
    """Raise InvalidInput unless the parent is the first comment of a thread on the same thing."""
    if not values.get("parentId"):
        return
    parent = entity_operations.find(call, Comment, values["parentId"])
    if parent.parentId:
        raise InvalidInput("Parent comment must be a top level comment.", title="incorrect parent")
    if any(values.get(place) != getattr(parent, place) for place in PLACES):
        raise InvalidInput("Parent comment must be on the same entity.", title="incorrect parent")


def _check_number(call: Call, issue_id: str | None) -> None:
    """Raise QuotaExceeded if an issue has as many comments as it can have."""
    comment = Comment.row
    if (
        issue_id
        and call.db.count(comment, comment.issueId == issue_id, comment.archivedAt.is_null()) >= MAX_ISSUE_COMMENTS
    ):
        raise QuotaExceeded(
            f"An issue can have a maximum of {MAX_ISSUE_COMMENTS} comments. "
            "This quota is enforced to keep the workspace performant.",
            quota="max-comments-per-issue",
        )


def _document(call: Call, body: str) -> str:
    return document_of(body, mention_nodes(find_mentions(call, body)))


def _body(given: dict[str, Any]) -> str:
    text = read_text_input(given) or ""
    if not text.strip():
        raise InvalidInput("body: a comment needs a text.")
    return text


def _address(call: Call, values: dict[str, Any]) -> str:
    anchor = f"#comment-{values['id'][:8]}"
    if values.get("issueId"):
        return call.db.get(Issue.row, values["issueId"]).url + anchor
    return f"https://linear.app/comment{anchor}"


@api.after_create(Comment)
def tell_of_comment(call: Call, row: Any, given: dict[str, Any]) -> None:
    """Notify the users concerned by the issue, and subscribe the author to it."""
    if row.issueId:
        if not given.get("doNotSubscribeToIssue"):
            follow(call, row.issueId, row.userId)
        issue, mentioned = call.db.get(Issue.row, row.issueId), _list_mentioned(call, row.body)
        notification_delivery.notify_comment(call, issue, row, mentioned)
        notification_delivery.notify_mentions(call, issue, mentioned, row)


def _list_mentioned(call: Call, body: str) -> list[str]:
    return [user.id for user in find_mentions(call, body).values()]


@api.after_update(Comment)
def tell_of_new_mentions(call: Call, before: Any, after: Any, given: dict[str, Any]) -> None:
    """Notify the people whom a changed comment mentions and did not mention before."""
    if after.issueId and after.body != before.body:
        known = _list_mentioned(call, before.body)
        new = [person for person in _list_mentioned(call, after.body) if person not in known]
        notification_delivery.notify_mentions(call, call.db.get(Issue.row, after.issueId), new, after)


@api.before_update(Comment)
def update_comment(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    """Update the text of a comment."""
    if "body" not in changes and given.get("bodyData") is None:
        return
    changes.pop("bodyData", None)
    changes["body"] = _body(given)
    if changes["body"] != row.body:
        changes |= {"bodyData": _document(call, changes["body"]), "editedAt": call.clock.iso()}


@api.mutation("commentResolve(id: String!, resolvingCommentId: String): CommentPayload!")
def comment_resolve(call: Call, id: str, resolving_comment_id: str | None = None) -> dict[str, Any]:
    """Resolve a thread, optionally by one of its comments."""
    row = entity_operations.find(call, Comment, id)
    if row.parentId:
        raise InvalidInput("id: a thread is resolved at its first comment.")
    if resolving_comment_id:
        resolving_comment_id = entity_operations.find(call, Comment, resolving_comment_id).id
    now = call.clock.iso()
    fields = {"resolvedAt": now, "resolvingUserId": call.actor, "resolvingCommentId": resolving_comment_id}
    return {"comment": call.db.change(row, updatedAt=now, **fields)}


@api.mutation("commentUnresolve(id: String!): CommentPayload!")
def comment_unresolve(call: Call, id: str) -> dict[str, Any]:
    """Reopen a resolved thread."""
    row = entity_operations.find(call, Comment, id)
    fields = {"resolvedAt": None, "resolvingUserId": None, "resolvingCommentId": None}
    return {"comment": call.db.change(row, updatedAt=call.clock.iso(), **fields)}


@api.mutation("reactionCreate")
def reaction_create(call: Call, input: dict[str, Any]) -> dict[str, Any]:
    """React with an emoji; the same reaction of the same user on one thing is there once."""
    entity_operations.check_input(call, Reaction, "create", input)
    present = _find_reaction(call, input)
    return {"reaction": present or entity_operations.create(call, Reaction, input)}


def _find_reaction(call: Call, given: dict[str, Any]) -> Any:
    reaction = Reaction.row
    places = [place for place in ("commentId", "projectUpdateId", "initiativeUpdateId") if given.get(place)]
    where = [getattr(reaction, place) == given[place] for place in places]
    if given.get("issueId"):
        where.append(reaction.issueId == entity_operations.find(call, Issue, given["issueId"]).id)
    return call.db.find(reaction, reaction.userId == call.actor, reaction.emoji == given["emoji"], *where)


@api.before_create(Reaction)
def create_reaction(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Set the user of a new reaction; raise InvalidInput for what is neither an emoji nor the name of one."""
    emoji, custom = values["emoji"], Emoji.row
    if not is_emoji(emoji.strip(":")) and not call.db.find(custom, custom.name == emoji.strip(":")):
        raise InvalidInput(f"emoji: '{emoji[:100]}' is no emoji.")
    values["userId"] = call.actor


@api.after_create(Reaction)
def tell_of_reaction(call: Call, row: Any, given: dict[str, Any]) -> None:
    """Notify the author of the comment, or the creator of the issue, of a reaction."""
    _summarise(call, row)
    comment = call.db.find(Comment.row, Comment.row.id == row.commentId) if row.commentId else None
    issue_id = row.issueId or (comment.issueId if comment else None)
    if issue_id:
        notification_delivery.notify_reaction(call, call.db.get(Issue.row, issue_id), comment, row.emoji)


@api.before_delete(Reaction)
def delete_reaction(call: Call, row: Any, changes: dict[str, Any], arguments: dict[str, Any]) -> None:
    """Raise InvalidInput unless the caller is the author of the reaction."""
    if row.userId != call.actor:
        raise InvalidInput("id: a reaction can be taken back by whoever gave it only.")
    _summarise(call, row, gone=row.id)


def _summarise(call: Call, row: Any, gone: str = "") -> None:
    """Update the summary of reactions on the thing that a reaction is on."""
    for place, entity in (("issueId", Issue), ("commentId", Comment), ("projectUpdateId", ProjectUpdate)):
        key = getattr(row, place)
        thing = call.db.find(entity.row, entity.row.id == key) if key else None
        if thing:
            reaction = Reaction.row
            given = call.db.rows(reaction, getattr(reaction, place) == key, reaction.id != gone)
            summary: dict[str, list[str]] = {}
            for each in given:
                summary.setdefault(each.emoji, []).append(each.userId)
            call.db.change(thing, reactionData=summary)


@api.filter(Comment, "needs")
def needs(call: Call, comparator: dict[str, Any]) -> Expression:
    """Build the condition on the customer needs that refer to a comment."""
    return entity_operations.collection(call, CustomerNeed, comparator, CustomerNeed.row.commentId == Comment.row.id)


@api.filter(Reaction, "customEmojiId")
def custom_emoji_id(call: Call, comparator: dict[str, Any]) -> Expression:
    """Build the condition on the workspace's emoji of a reaction. It is null for a standard emoji."""
    emoji, reaction = Emoji.row, Reaction.row
    return fits(greatest(emoji.id, emoji, emoji.name == reaction.emoji, emoji.archivedAt.is_null()), comparator)
