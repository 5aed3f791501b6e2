"""Comments of issues. https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-comments/"""

from __future__ import annotations

from typing import Any

from twindiff.kit.call import Call
from twindiff.kit.twin import Operations

from .issue_fields import InvalidField, find_issue, read_text
from .issue_views import show_comment
from .site import me
from .tables import Comment, Issue
from .wire_style import InvalidFields, NoSuchObject

api = Operations()
MAX_COMMENT_LETTERS = 32_767


def _find_issue(call: Call, said: str) -> Issue:
    issue = find_issue(call, said)
    if issue is None:
        raise NoSuchObject("Issue does not exist or you do not have permission to see it.")
    return issue


def _find_comment(call: Call, said: str, id: str) -> tuple[Issue, Comment]:
    issue = _find_issue(call, said)
    comment = call.db.find(Comment, Comment.id == id, Comment.issue_key == issue.key)
    if comment is None:
        raise NoSuchObject(f"Can not find a comment for the id: {id}.")
    return issue, comment


def _read_body(call: Call, body: Any) -> tuple[str, Any]:
    """Return the text and the document of a comment's body; raises InvalidFields."""
    try:
        text, document = read_text(call, body)
    except InvalidField:
        raise InvalidFields({"comment": "Comment body is not valid!"}) from None
    if not text:
        raise InvalidFields({"comment": "Comment body can not be empty!"})
    if len(text) > MAX_COMMENT_LETTERS:
        raise InvalidFields(
            {"comment": f"The entered text is too long. The allowed limit is {MAX_COMMENT_LETTERS:,} characters."}
        )
    return text, document


def add_comment(call: Call, issue: Issue, body: Any, visibility: Any = None) -> Comment:
    """Add a comment by the caller; raises InvalidFields for a body that is empty or no document."""
    text, document = _read_body(call, body)
    now = call.clock.iso()
    comment = Comment(
        id=str(10_000 + call.db.next("comment")),
        issue_key=issue.key,
        author=me(call).account_id,
        body=text,
        body_document=document,
        visibility=visibility,
        created=now,
        updated=now,
    )
    call.db.change(issue, updated=now)
    return call.db.add(comment)


@api.get("/issue/{issueIdOrKey}/comment")
def list_comments(
    call: Call, issue_id_or_key: str, start_at: int = 0, max_results: int = 5000, order_by: str = "created"
) -> dict[str, Any]:
    """List the comments of an issue."""
    issue = _find_issue(call, issue_id_or_key)
    order: Any = -Comment.created if order_by == "-created" else Comment.created
    rows = call.db.rows(Comment, Comment.issue_key == issue.key, order=order)
    shown = [show_comment(call, each, issue) for each in rows[start_at : start_at + max_results]]
    return {"startAt": start_at, "maxResults": max_results, "total": len(rows), "comments": shown}


@api.post("/issue/{issueIdOrKey}/comment", status=201)
def post_comment(
    call: Call, issue_id_or_key: str, body: Any = None, visibility: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Add a comment."""
    issue = _find_issue(call, issue_id_or_key)
    return show_comment(call, add_comment(call, issue, body, visibility), issue)


@api.get("/issue/{issueIdOrKey}/comment/{id}")
def get_comment(call: Call, issue_id_or_key: str, id: str) -> dict[str, Any]:
    """Return a comment."""
    issue, comment = _find_comment(call, issue_id_or_key, id)
    return show_comment(call, comment, issue)


@api.put("/issue/{issueIdOrKey}/comment/{id}")
def put_comment(call: Call, issue_id_or_key: str, id: str, body: Any = None) -> dict[str, Any]:
    """Change the text of a comment."""
    issue, comment = _find_comment(call, issue_id_or_key, id)
    text, document = _read_body(call, body)
    author = me(call).account_id
    now = call.clock.iso()
    comment = call.db.change(comment, body=text, body_document=document, update_author=author, updated=now)
    call.db.change(issue, updated=now)
    return show_comment(call, comment, issue)


@api.delete("/issue/{issueIdOrKey}/comment/{id}", status=204)
def delete_comment(call: Call, issue_id_or_key: str, id: str) -> None:
    """Delete a comment."""
    issue, comment = _find_comment(call, issue_id_or_key, id)
    call.db.remove(comment)
    call.db.change(issue, updated=call.clock.iso())
