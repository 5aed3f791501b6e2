"""Webhook events and the signatures of their deliveries.  https://linear.app/developers/webhooks"""

from __future__ import annotations

import hmac
import json
from collections.abc import Iterator
from datetime import datetime
from hashlib import blake2b, sha256
from typing import Any
from uuid import UUID

import msgspec

from twindiff.kit import Call, Clock, Store
from twindiff.kit.clock import micros_of
from twindiff.kit.events import DeliveryAttempt, Emitted, Notification, Subscription, WebhookRequest, Webhooks
from twindiff.kit.graphql.entity import EntitySpec
from twindiff.kit.graphql.scalars import wire_instant
from twindiff.kit.rows import Row, table_of

from ..model.comments import Comment
from ..model.issues import Issue
from ..model.organization import Organization
from ..model.projects import Project
from ..model.teams import Team
from ..model.users import User
from ..model.webhooks import Webhook
from ..model.workflows import WorkflowState

RESOURCES = (
    "Attachment", "AuditEntry", "Comment", "Customer", "CustomerNeed", "Cycle", "Document",
    "Initiative", "InitiativeUpdate", "Issue", "IssueLabel", "IssueSLA", "OAuthAuthorization", "Project",
    "ProjectLabel", "ProjectUpdate", "Reaction", "Release", "ReleaseNote", "User", "AgentSessionEvent",
    "AppUserNotification", "PermissionChange",
)  # fmt: skip
"""The resource types that a webhook can subscribe to."""

TELLS_OF = frozenset(RESOURCES)
_MILLISECOND = 1000
_BRIEFLY: dict[str, tuple[Any, tuple[str, ...]]] = {
    "assigneeId": (User.row, ("id", "name", "email")),
    "creatorId": (User.row, ("id", "name", "email")),
    "userId": (User.row, ("id", "name", "email")),
    "stateId": (WorkflowState.row, ("id", "color", "name", "type")),
    "teamId": (Team.row, ("id", "key", "name")),
    "issueId": (Issue.row, ("id", "identifier", "title", "teamId", "url")),
    "projectId": (Project.row, ("id", "name", "url")),
}
"""The columns of related rows that a payload includes besides their ids."""


def record_webhook_event(call: Call, spec: EntitySpec, before: Any, after: Any) -> None:
    """Emit an event for a created, changed or deleted row, if webhooks can subscribe to its type."""
    if spec.name not in TELLS_OF:
        return
    shown = _render_row(before if after is None else after)
    payload: dict[str, Any] = {"action": _action(before, after), "data": shown}
    if before is not None and after is not None:
        was = _render_row(before, nulls=True)
        now = _render_row(after, nulls=True)
        payload["updatedFrom"] = {name: value for name, value in was.items() if value != now[name]}
    call.emit(spec.name, payload)


def _action(before: Any, after: Any) -> str:
    if before is None:
        return "create"
    return "remove" if after is None else "update"


def _render_row(row: Row, *, nulls: bool = False) -> dict[str, Any]:
    """Render a row with the API's names, without null values unless `nulls`."""

    columns = table_of(type(row)).columns
    return {
        name: wire_instant(value) if columns[name].kind == "timestamp" else value
        for name, value in msgspec.structs.asdict(row).items()
        if nulls or value is not None
    }


def subscription(row: Any, db: Store) -> Subscription | None:
    """Return a webhook as a subscription, or None if it is disabled."""
    if not row.enabled:
        return None
    created = micros_of(datetime.fromisoformat(row.createdAt))
    return Subscription(row.id, row.url or "", row.secret or "", tuple(row.resourceTypes), created=created)


def notifications(event: Emitted, subscription: Subscription, db: Store) -> Iterator[Notification]:
    """Yield the notification of an event for a subscription, if it covers the type and the team.

    A webhook covers its own team, or all public teams.
    """
    if subscription.events and event.name not in subscription.events:
        return
    if not _is_in_scope(event, subscription, db):
        return
    data = event.payload["data"]
    named = f"{event.environment} {event.seq} {event.number} {subscription.id}"
    body = {
        "action": event.payload["action"],
        "actor": _actor(event, db),
        "createdAt": wire_instant(Clock(event.at).iso()),
        "data": {**data, **_brief(data, db)},
        **({"url": data["url"]} if "url" in data else {}),
        "type": event.name,
        "organizationId": _organization_id(db),
        **({"updatedFrom": event.payload["updatedFrom"]} if "updatedFrom" in event.payload else {}),
    }
    yield Notification(str(UUID(bytes=blake2b(named.encode(), digest_size=16).digest(), version=4)), event.name, body)


def _is_in_scope(event: Emitted, subscription: Subscription, db: Store) -> bool:
    webhook = db.find(Webhook.row, Webhook.row.id == subscription.id)
    if webhook is None:  # a webhook of the environment's settings receives all events
        return True
    team_id = _team_id(event.payload["data"], db)
    if webhook.teamId is not None:
        return team_id == webhook.teamId
    team = db.find(Team.row, Team.row.id == team_id) if team_id else None
    return team is None or not team.private


def _team_id(data: dict[str, Any], db: Store) -> str | None:
    """Return the team of a row, by itself or through its issue or comment."""
    if "teamId" in data:
        return data["teamId"]
    if "issueId" in data:
        issue = db.find(Issue.row, Issue.row.id == data["issueId"])
        return issue.teamId if issue else None
    comment = db.find(Comment.row, Comment.row.id == data["commentId"]) if "commentId" in data else None
    return _team_id(_render_row(comment), db) if comment else None


def _brief(data: dict[str, Any], db: Store) -> dict[str, Any]:
    brief: dict[str, Any] = {}
    for name, (table, columns) in _BRIEFLY.items():
        row: Any = db.find(table, table.id == data[name]) if data.get(name) else None
        if row is not None:
            brief[name.removesuffix("Id")] = {each: getattr(row, each) for each in columns}
    return brief


def _actor(event: Emitted, db: Store) -> dict[str, Any] | None:
    user = db.find(User.row, User.row.id == event.actor)
    return user and {"id": user.id, "type": "user", "name": user.name, "email": user.email, "url": user.url}


def _organization_id(db: Store) -> str:
    organization = db.find(Organization.row)
    return organization.id if organization else ""


def request(notification: Notification, subscription: Subscription, attempt: DeliveryAttempt) -> WebhookRequest:
    """Build the HTTP request of one delivery attempt. Receivers compare `webhookTimestamp` with their own clock."""
    at = attempt.at // _MILLISECOND
    body = {**notification.body, "webhookTimestamp": at, "webhookId": subscription.id}
    data = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    headers = (
        ("Content-Type", "application/json; charset=utf-8"),
        ("User-Agent", "Linear-Webhook"),
        ("Linear-Delivery", notification.id),
        ("Linear-Event", notification.type),
        ("Linear-Timestamp", str(at)),
        ("Linear-Signature", hmac.new(subscription.secret.encode(), data, sha256).hexdigest()),
    )
    return WebhookRequest(subscription.url, headers, data)


webhooks = Webhooks(
    notifications,
    request,
    retries=(60, 3600, 6 * 3600),
    timeout_seconds=5,
    names=TELLS_OF,
    table=Webhook.row,
    subscription=subscription,
)
