"""Notifications.  https://linear.app/docs/notifications"""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from datetime import datetime

from twindiff.kit.graphql import Entity, One, column, computed_field, hidden_column, one_with_key

from .enums import NotificationCategory
from .values import ActorBot


class Notification(Entity, interface=True, kind="kind", implements="Entity", visibility="derived"):
    actorAvatarColor: str = column(default="")
    actorAvatarUrl: str | None
    actorInactive: bool = column(default=False)
    actorInitials: str | None
    category: NotificationCategory = column(default="appsAndIntegrations")
    emailedAt: datetime | None
    groupingKey: str = column(default="")
    groupingPriority: float = column(default=0.0)
    inboxUrl: str = column(default="")
    initiativeUpdateHealth: str | None
    isLinearActor: bool = column(default=False)
    issueStatusType: str | None
    projectUpdateHealth: str | None
    readAt: datetime | None
    snoozedUntilAt: datetime | None
    subtitle: str = column(default="")
    title: str = column(default="")
    type: str = column(default="")
    unsnoozedAt: datetime | None
    url: str = column(default="")
    actor: One[User] | None
    externalUserActor: One[ExternalUser] | None
    user: One[User]
    botActor: ActorBot | None = computed_field()
    commentId: str | None = hidden_column()
    customerId: str | None = hidden_column()
    customerNeedId: str | None = hidden_column()
    documentId: str | None = hidden_column()
    initiativeId: str | None = hidden_column()
    initiativeUpdateId: str | None = hidden_column()
    issueId: str | None = hidden_column()
    oauthClientApprovalId: str | None = hidden_column()
    parentCommentId: str | None = hidden_column()
    postId: str | None = hidden_column()
    productAnnouncementId: str | None = hidden_column()
    projectId: str | None = hidden_column()
    projectMilestoneId: str | None = hidden_column()
    projectUpdateId: str | None = hidden_column()
    pullRequestCommentId: str | None = hidden_column()
    pullRequestId: str | None = hidden_column()
    reactionEmoji: str | None = hidden_column()
    relatedIssueId: str | None = hidden_column()
    relatedProjectId: str | None = hidden_column()
    teamId: str | None = hidden_column()
    usageAlertId: str | None = hidden_column()
    welcomeMessageId: str | None = hidden_column()
    workflowDefinitionId: str | None = hidden_column()
    workspaceAnnouncementId: str | None = hidden_column()
    kind: str = hidden_column(default="CustomerNeedNotification")

    filters = "archivedAt~ subscriptionType:NotificationSubscriptionTypeComparator type"
    update = "initiativeUpdateId:String projectUpdateId:String readAt snoozedUntilAt"
    roots = "list get update archive unarchive"


class CustomerNeedNotification(Notification):
    customerNeed: One[CustomerNeed] = one_with_key()
    relatedIssue: One[Issue] | None
    relatedProject: One[Project] | None


class CustomerNotification(Notification):
    customer: One[Customer] = one_with_key()


class DocumentNotification(Notification):
    commentId: str | None
    documentId: str
    parentCommentId: str | None
    reactionEmoji: str | None


class InitiativeNotification(Notification):
    comment: One[Comment] | None = one_with_key()
    document: One[Document] | None
    initiative: One[Initiative] | None
    initiativeId: str
    initiativeUpdate: One[InitiativeUpdate] | None = one_with_key()
    parentComment: One[Comment] | None = one_with_key()
    reactionEmoji: str | None


class IssueNotification(Notification):
    comment: One[Comment] | None = one_with_key()
    issue: One[Issue] = one_with_key()
    parentComment: One[Comment] | None = one_with_key()
    reactionEmoji: str | None
    subscriptions: list[NotificationSubscription] | None = computed_field()
    team: One[Team]


class OauthClientApprovalNotification(Notification):
    oauthClientApproval: One[OauthClientApproval] = one_with_key()


class PostNotification(Notification):
    commentId: str | None
    parentCommentId: str | None
    postId: str
    reactionEmoji: str | None


class ProductAnnouncementNotification(Notification):
    productAnnouncement: One[ProductAnnouncement] = one_with_key()


class ProjectNotification(Notification):
    comment: One[Comment] | None = one_with_key()
    document: One[Document] | None
    parentComment: One[Comment] | None = one_with_key()
    project: One[Project] = one_with_key()
    projectMilestoneId: str | None
    projectUpdate: One[ProjectUpdate] | None = one_with_key()
    reactionEmoji: str | None


class PullRequestNotification(Notification):
    pullRequest: One[PullRequest] = one_with_key()
    pullRequestCommentId: str | None


class UsageAlertNotification(Notification):
    usageAlert: One[UsageAlert] = one_with_key()


class WelcomeMessageNotification(Notification):
    welcomeMessageId: str


class WorkflowDefinitionNotification(Notification):
    workflowDefinition: One[WorkflowDefinition] = one_with_key()


class WorkspaceAnnouncementNotification(Notification):
    workspaceAnnouncementId: str
