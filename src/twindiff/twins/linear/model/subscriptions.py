"""Notification subscriptions.  https://linear.app/docs/notifications"""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from twindiff.kit.graphql import Entity, One, column, hidden_column

from .enums import ContextViewType, UserContextViewType


class NotificationSubscription(Entity, interface=True, kind="kind", implements="Entity"):
    active: bool = column(default=True)
    contextViewType: ContextViewType | None
    userContextViewType: UserContextViewType | None
    customView: One[CustomView] | None
    customer: One[Customer] | None
    cycle: One[Cycle] | None
    initiative: One[Initiative] | None
    label: One[IssueLabel] | None
    project: One[Project] | None
    subscriber: One[User]
    team: One[Team] | None
    user: One[User] | None
    notificationSubscriptionTypes: list[str] = hidden_column(default=[])
    kind: str = hidden_column(default="CustomViewNotificationSubscription")
    includeSubInitiativeUpdates: bool = column(default=False)

    create = (
        "active contextViewType customView customer cycle id initiative label "
        "notificationSubscriptionTypes:[String!] project team userContextViewType user"
    )
    update = "active notificationSubscriptionTypes:[String!]"
    roots = "list get create update delete"
    deletes = "hard"


class CustomViewNotificationSubscription(NotificationSubscription):
    customView: One[CustomView]
    notificationSubscriptionTypes: list[str]


class CustomerNotificationSubscription(NotificationSubscription):
    customer: One[Customer]
    notificationSubscriptionTypes: list[str]


class CycleNotificationSubscription(NotificationSubscription):
    cycle: One[Cycle]
    notificationSubscriptionTypes: list[str]


class InitiativeNotificationSubscription(NotificationSubscription):
    initiative: One[Initiative]
    notificationSubscriptionTypes: list[str]


class LabelNotificationSubscription(NotificationSubscription):
    label: One[IssueLabel]
    notificationSubscriptionTypes: list[str]


class ProjectNotificationSubscription(NotificationSubscription):
    notificationSubscriptionTypes: list[str]
    project: One[Project]


class TeamNotificationSubscription(NotificationSubscription):
    notificationSubscriptionTypes: list[str]
    team: One[Team]


class UserNotificationSubscription(NotificationSubscription):
    notificationSubscriptionTypes: list[str]
    user: One[User]
