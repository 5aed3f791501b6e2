"""Announces events to webhooks and activity feeds.

https://docs.github.com/en/webhooks/webhook-events-and-payloads
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call

from ..core.stamps import new_id
from ..tables.repository_tables import Hook, Repository
from ..tables.user_tables import User
from ..tables.work_tables import ActivityEvent
from ..views.repository_views import show_repo
from ..views.user_views import show_org, user_of

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
    organization = owner if owner is not None and owner.type == "Organization" else None
    if event in FEED_TYPES:
        call.db.add(
            ActivityEvent(
                id=new_id(call),
                type=FEED_TYPES[event],
                actor=call.actor,
                repository_id=repo.id,
                org=repo.owner if organization else None,
                payload=_feed_payload(payload),
                created_at=call.clock.iso(),
            )
        )
    hooks = [*call.db.rows(Hook, Hook.repository_id == repo.id, Hook.active), *_org_hooks(call, repo.owner)]
    if chosen := _hooks_for(hooks, event):
        _emit(call, event, chosen, {**payload, "repository": show_repo(call, repo)}, organization)


def announce_in_org(call: Call, login: str, event: str, payload: dict[str, Any]) -> None:
    """Tell the hooks of an organization about an event outside repositories; users have no such hooks."""
    if chosen := _hooks_for(_org_hooks(call, login), event):
        _emit(call, event, chosen, payload, call.db.find(User, User.login == login))


def _emit(call: Call, event: str, hooks: list[Hook], payload: dict[str, Any], organization: User | None) -> None:
    body = {**payload, "sender": user_of(call, call.actor)}
    if organization:
        body["organization"] = show_org(call, organization)
    call.emit(event, {"hooks": [hook.id for hook in hooks], "body": body})


def _feed_payload(payload: dict[str, Any]) -> dict[str, Any]:
    """Keep the parts of a payload that are small, and the numbers of the objects in it."""
    small = {
        name: value for name, value in payload.items() if not isinstance(value, (dict, list)) and name != "compare"
    }
    return small | {
        f"{name}_id": value["id"] for name, value in payload.items() if isinstance(value, dict) and "id" in value
    }  # pyright: ignore[reportUnknownVariableType]


def _org_hooks(call: Call, login: str) -> list[Hook]:
    return list(call.db.rows(Hook, Hook.org == login, Hook.active))


def _hooks_for(hooks: list[Hook], event: str) -> list[Hook]:
    return [hook for hook in hooks if event in hook.events or "*" in hook.events]
