"""What happens is announced: to webhooks, and in the activity feeds.

https://docs.github.com/en/webhooks/webhook-events-and-payloads
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..tables.repository_tables import Hook, Repository
from ..tables.user_tables import User
from ..tables.work_tables import ActivityEvent
from ..views.repository_views import show_repo
from ..views.user_views import show_org, user_of
from .stamps import new_id

FEED_TYPES = {
    "push": "PushEvent",
    "issues": "IssuesEvent",
    "issue_comment": "IssueCommentEvent",
    "pull_request": "PullRequestEvent",
    "create": "CreateEvent",
    "delete": "DeleteEvent",
    "fork": "ForkEvent",
    "release": "ReleaseEvent",
    "star": "WatchEvent",
}


def announce(call: Call, repo: Repository, event: str, payload: dict[str, Any]) -> None:
    """Tell the hooks of a repository and of its organization about an event, and note it in the feeds."""
    owner = call.db.find(User, User.login == repo.owner)
    is_org = owner is not None and owner.type == "Organization"
    if event in FEED_TYPES:
        call.db.add(
            ActivityEvent(
                id=new_id(call),
                type=FEED_TYPES[event],
                actor=call.actor,
                repository_id=repo.id,
                org=repo.owner if is_org else None,
                payload=_feed_payload(payload),
                created_at=call.clock.iso(),
            )
        )
    hooks = _hooks_for(call, repo, event)
    if not hooks:
        return
    body = {**payload, "repository": show_repo(call, repo), "sender": user_of(call, call.actor)}
    if owner and is_org:
        body["organization"] = show_org(call, owner)
    call.emit(event, {"hooks": [hook.id for hook in hooks], "body": body})


def _feed_payload(payload: dict[str, Any]) -> dict[str, Any]:
    """Keep the parts of a payload that are small, and the numbers of the objects in it."""
    small = {
        name: value for name, value in payload.items() if not isinstance(value, (dict, list)) and name != "compare"
    }
    return small | {
        f"{name}_id": value["id"] for name, value in payload.items() if isinstance(value, dict) and "id" in value
    }  # pyright: ignore[reportUnknownVariableType]


def _hooks_for(call: Call, repo: Repository, event: str) -> list[Hook]:
    hooks = [
        *call.db.rows(Hook, Hook.repository_id == repo.id, Hook.active),
        *call.db.rows(Hook, Hook.org == repo.owner, Hook.active),
    ]
    return [hook for hook in hooks if event in hook.events or "*" in hook.events]
