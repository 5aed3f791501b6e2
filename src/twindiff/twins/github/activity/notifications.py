"""Notifications of the caller, by thread.

https://docs.github.com/en/rest/activity/notifications
"""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit import Body, Call, Operations, Struct, ValueResponse
from twindiff.kit.rows import Expression

from ..core.access import find_repo
from ..core.listing import paginate
from ..core.stamps import parse_instant, show_instant
from ..tables.issue_tables import Issue
from ..tables.repository_tables import Repository
from ..tables.work_tables import Notification
from ..views.repository_views import repo_url, show_repo
from ..wire_style import NotVisible

api = Operations()


def show_thread(call: Call, thread: Notification) -> dict[str, Any]:
    """Render a notification."""
    repo = call.db.get(Repository, thread.repository_id)
    where = (Issue.repository_id == repo.id, Issue.number == thread.subject_number)
    issue, base = call.db.find(Issue, *where), repo_url(call, repo)
    kind = "pulls" if thread.subject_type == "PullRequest" else "issues"
    subject = f"{base}/{kind}/{thread.subject_number}"
    comment = f"{base}/issues/comments/{thread.latest_comment_id}" if thread.latest_comment_id else subject
    url = f"{call.base_url}/notifications/threads/{thread.id}"
    return {
        "id": str(thread.id),
        "unread": thread.unread,
        "reason": thread.reason,
        "updated_at": show_instant(thread.updated_at),
        "last_read_at": show_instant(thread.last_read_at),
        "subject": {
            "title": issue.title if issue else "",
            "url": subject,
            "latest_comment_url": comment,
            "type": thread.subject_type,
        },
        "repository": show_repo(call, repo),
        "url": url,
        "subscription_url": f"{url}/subscription",
    }


def _list(call: Call, *where: Expression) -> Any:
    query: dict[str, str] = call.memo["query"]
    conditions: list[Expression] = [Notification.user == call.actor, ~Notification.is_done, *where]
    if query.get("all") != "true":
        conditions.append(Notification.unread.is_true)
    if query.get("participating") == "true":
        conditions.append(Notification.reason != "subscribed")
    conditions.append(Notification.updated_at >= (parse_instant(query.get("since", "")) or ""))
    if query.get("before"):
        conditions.append(Notification.updated_at < (parse_instant(query["before"]) or ""))
    by = (-Notification.updated_at, -Notification.id)
    return paginate(call, Notification, *conditions, by=by, show=lambda each: show_thread(call, each))


@api.get("/notifications")
def list_notifications(call: Call) -> Any:
    """List the caller's unread notifications; with `all`, the read ones too."""
    return _list(call)


@api.get("/repos/{owner}/{repo}/notifications")
def list_repository_notifications(call: Call, owner: str, repo: str) -> Any:
    """List the caller's notifications of a repository."""
    return _list(call, Notification.repository_id == find_repo(call, owner, repo).id)


class ReadBody(Struct):
    """Until when notifications are read."""

    last_read_at: str | None = None
    read: bool = True


def _mark_all(call: Call, body: ReadBody, *where: Expression) -> ValueResponse:
    until = parse_instant(body.last_read_at or "") or call.clock.iso()
    conditions = (Notification.user == call.actor, Notification.unread, Notification.updated_at <= until)
    for thread in call.db.rows(Notification, *conditions, *where):
        call.db.change(thread, unread=not body.read, last_read_at=until)
    return ValueResponse(None, 205)


@api.put("/notifications")
def mark_all_read(call: Call, body: Annotated[ReadBody, Body]) -> Any:
    """Mark all notifications as read."""
    return _mark_all(call, body)


@api.put("/repos/{owner}/{repo}/notifications")
def mark_repository_read(call: Call, owner: str, repo: str, body: Annotated[ReadBody, Body]) -> Any:
    """Mark all notifications of a repository as read."""
    return _mark_all(call, body, Notification.repository_id == find_repo(call, owner, repo).id)


def find_thread(call: Call, thread_id: int) -> Notification:
    """Return a notification of the caller; raise NotVisible."""
    thread = call.db.find(Notification, Notification.id == thread_id, Notification.user == call.actor)
    if thread is None:
        raise NotVisible
    return thread


@api.get("/notifications/threads/{thread_id}")
def get_thread(call: Call, thread_id: int) -> Any:
    """Get a notification."""
    return show_thread(call, find_thread(call, thread_id))


@api.patch("/notifications/threads/{thread_id}", status=205)
def mark_thread_read(call: Call, thread_id: int) -> None:
    """Mark a notification as read."""
    call.db.change(find_thread(call, thread_id), unread=False, last_read_at=call.clock.iso())


@api.delete("/notifications/threads/{thread_id}", status=204)
def mark_thread_done(call: Call, thread_id: int) -> None:
    """Mark a notification as done, so that lists leave it out."""
    call.db.change(find_thread(call, thread_id), unread=False, is_done=True)


def _show_subscription(call: Call, thread: Notification) -> dict[str, Any]:
    url = f"{call.base_url}/notifications/threads/{thread.id}"
    flags = {"subscribed": not thread.ignored, "ignored": thread.ignored, "reason": None}
    return {**flags, "created_at": show_instant(thread.updated_at), "url": f"{url}/subscription", "thread_url": url}


@api.get("/notifications/threads/{thread_id}/subscription")
def get_thread_subscription(call: Call, thread_id: int) -> Any:
    """Get whether the caller is told of a thread."""
    thread = find_thread(call, thread_id)
    if thread.subscribed is None:
        raise NotVisible
    return _show_subscription(call, thread)


@api.put("/notifications/threads/{thread_id}/subscription")
def set_thread_subscription(call: Call, thread_id: int, ignored: bool = False) -> Any:
    """Be told of a thread, or ignore it."""
    thread = call.db.change(find_thread(call, thread_id), ignored=ignored, subscribed=not ignored)
    return _show_subscription(call, thread)


@api.delete("/notifications/threads/{thread_id}/subscription", status=204)
def delete_thread_subscription(call: Call, thread_id: int) -> None:
    """Be told of a thread no more until one is mentioned or comments."""
    call.db.change(find_thread(call, thread_id), subscribed=None, ignored=True)
