"""The inbox: reading, snoozing and archiving notifications, and subscribing to things.

https://linear.app/docs/inbox
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call
from twindiff.kit.graphql import Section, by_case, entity_operations
from twindiff.kit.graphql.errors import InvalidInput
from twindiff.kit.rows import Expression

from ..model.issues import Issue
from ..model.notifications import Notification
from ..model.subscriptions import NotificationSubscription

api = Section()

_THINGS = {
    "issueId": "issueId",
    "projectId": "projectId",
    "initiativeId": "initiativeId",
    "oauthClientApprovalId": "oauthClientApprovalId",
    "projectUpdateId": "projectUpdateId",
    "initiativeUpdateId": "initiativeUpdateId",
}
_SUBSCRIBABLE = {
    "customViewId": "CustomViewNotificationSubscription",
    "customerId": "CustomerNotificationSubscription",
    "cycleId": "CycleNotificationSubscription",
    "initiativeId": "InitiativeNotificationSubscription",
    "labelId": "LabelNotificationSubscription",
    "projectId": "ProjectNotificationSubscription",
    "teamId": "TeamNotificationSubscription",
    "userId": "UserNotificationSubscription",
}
_SUBSCRIPTION_TYPES = {
    "customer": ("CustomerNotification", "CustomerNeedNotification"),
    "document": ("DocumentNotification",),
    "initiative": ("InitiativeNotification",),
    "issue": ("IssueNotification",),
    "oauthClientApproval": ("OauthClientApprovalNotification",),
    "project": ("ProjectNotification",),
    "pullRequest": ("PullRequestNotification",),
}
"""The types of notifications that each type of subscription covers."""


def _all(name: str, signature: str) -> None:
    """Register a mutation that changes all notifications about one thing."""

    @api.mutation(signature)
    def change(call: Call, input: dict[str, Any], **given: Any) -> dict[str, Any]:  # pyright: ignore[reportUnusedFunction]
        if sum(value is not None for value in input.values()) != 1:
            raise InvalidInput("Exactly one entity must be defined.")
        notification, now = Notification.row, call.clock.iso()
        notifications = call.db.rows(notification, notification.userId == call.actor, *_of_thing(call, input))
        fields = _fields(name, now, given)
        changed = [call.db.change(row, updatedAt=now, **fields) for row in notifications]
        return {"notifications": changed}


def _fields(name: str, now: str, given: dict[str, Any]) -> dict[str, Any]:
    changes: dict[str, dict[str, Any]] = {
        "read": {"readAt": given.get("read_at")},
        "unread": {"readAt": None},
        "archive": {"archivedAt": now},
        "snooze": {"snoozedUntilAt": given.get("snoozed_until_at"), "unsnoozedAt": None},
        "unsnooze": {"snoozedUntilAt": None, "unsnoozedAt": given.get("unsnoozed_at")},
    }
    return changes[name]


_BATCH = "NotificationBatchActionPayload!"
_all("read", f"notificationMarkReadAll(input: NotificationEntityInput!, readAt: DateTime!): {_BATCH}")
_all("unread", f"notificationMarkUnreadAll(input: NotificationEntityInput!): {_BATCH}")
_all("archive", f"notificationArchiveAll(input: NotificationEntityInput!): {_BATCH}")
_all("snooze", f"notificationSnoozeAll(input: NotificationEntityInput!, snoozedUntilAt: DateTime!): {_BATCH}")
_all("unsnooze", f"notificationUnsnoozeAll(input: NotificationEntityInput!, unsnoozedAt: DateTime!): {_BATCH}")


def _of_thing(call: Call, given: dict[str, Any]) -> list[Expression]:
    """Build the condition that a notification is about the given thing; raise InvalidInput if none is given."""
    notification = Notification.row
    if given.get("id"):
        first = entity_operations.find(call, Notification, given["id"])
        return [notification.groupingKey == first.groupingKey] if first.groupingKey else [notification.id == first.id]
    for name, column in _THINGS.items():
        if given.get(name):
            key = entity_operations.find(call, Issue, given[name]).id if name == "issueId" else given[name]
            return [getattr(notification, column) == key]
    raise InvalidInput("input: say which thing the notifications are about.")


@api.query("notificationsUnreadCount: Int!")
def notifications_unread_count(call: Call) -> int:
    """Return the number of the caller's unread notifications."""
    row = Notification.row
    return call.db.count(row, row.userId == call.actor, row.readAt.is_null(), row.archivedAt.is_null())


@api.filter(Notification, "subscriptionType")
def subscription_type(call: Call, comparator: dict[str, Any]) -> Expression:
    """Build the condition on the type of subscription that covers a notification."""
    kind = Notification.row.kind
    cases: dict[str, Expression] = {name: kind.in_(kinds) for name, kinds in _SUBSCRIPTION_TYPES.items()}
    return by_case(cases, comparator)


@api.before_create(NotificationSubscription)
def subscribe(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Validate a new subscription: to a thing to which the caller is not subscribed yet."""
    row, thing = NotificationSubscription.row, next(name for name in _SUBSCRIBABLE if values.get(name))
    if call.db.find(row, row.subscriberId == call.actor, getattr(row, thing) == values[thing]):
        raise InvalidInput(f"{thing}: you are subscribed to this already.")
    values["kind"] = _SUBSCRIBABLE[thing]
    values["subscriberId"] = call.actor
    values["notificationSubscriptionTypes"] = given.get("notificationSubscriptionTypes") or []


@api.before_update(NotificationSubscription)
def change_subscription(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    """Change the types of notifications that a subscription covers."""
    if given.get("notificationSubscriptionTypes") is not None:
        changes["notificationSubscriptionTypes"] = given["notificationSubscriptionTypes"]
