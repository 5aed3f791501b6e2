"""Notifications and what people are told of.  https://linear.app/docs/notifications"""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from datetime import datetime

from twindiff.kit.graphql import Entity, One, column, computed, exposed, hidden

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
    botActor: ActorBot | None = computed()
    commentId: str | None = hidden()
    customerId: str | None = hidden()
    customerNeedId: str | None = hidden()
    documentId: str | None = hidden()
    initiativeId: str | None = hidden()
    initiativeUpdateId: str | None = hidden()
    issueId: str | None = hidden()
    oauthClientApprovalId: str | None = hidden()
    parentCommentId: str | None = hidden()
    postId: str | None = hidden()
    productAnnouncementId: str | None = hidden()
    projectId: str | None = hidden()
    projectMilestoneId: str | None = hidden()
    projectUpdateId: str | None = hidden()
    pullRequestCommentId: str | None = hidden()
    pullRequestId: str | None = hidden()
    reactionEmoji: str | None = hidden()
    relatedIssueId: str | None = hidden()
    relatedProjectId: str | None = hidden()
    teamId: str | None = hidden()
    usageAlertId: str | None = hidden()
    welcomeMessageId: str | None = hidden()
    workflowDefinitionId: str | None = hidden()
    workspaceAnnouncementId: str | None = hidden()
    kind: str = hidden(default="CustomerNeedNotification")

    filters = "archivedAt~ subscriptionType:NotificationSubscriptionTypeComparator type"
    update = "initiativeUpdateId:String projectUpdateId:String readAt snoozedUntilAt"
    roots = "list get update archive unarchive"


class CustomerNeedNotification(Notification):
    customerNeed: One[CustomerNeed] = exposed()
    relatedIssue: One[Issue] | None
    relatedProject: One[Project] | None


class CustomerNotification(Notification):
    customer: One[Customer] = exposed()


class DocumentNotification(Notification):
    commentId: str | None
    documentId: str
    parentCommentId: str | None
    reactionEmoji: str | None


class InitiativeNotification(Notification):
    comment: One[Comment] | None = exposed()
    document: One[Document] | None
    initiative: One[Initiative] | None
    initiativeId: str
    initiativeUpdate: One[InitiativeUpdate] | None = exposed()
    parentComment: One[Comment] | None = exposed()
    reactionEmoji: str | None


class IssueNotification(Notification):
    comment: One[Comment] | None = exposed()
    issue: One[Issue] = exposed()
    parentComment: One[Comment] | None = exposed()
    reactionEmoji: str | None
    subscriptions: list[NotificationSubscription] | None = computed()
    team: One[Team]


class OauthClientApprovalNotification(Notification):
    oauthClientApproval: One[OauthClientApproval] = exposed()


class PostNotification(Notification):
    commentId: str | None
    parentCommentId: str | None
    postId: str
    reactionEmoji: str | None


class ProductAnnouncementNotification(Notification):
    productAnnouncement: One[ProductAnnouncement] = exposed()


class ProjectNotification(Notification):
    comment: One[Comment] | None = exposed()
    document: One[Document] | None
    parentComment: One[Comment] | None = exposed()
    project: One[Project] = exposed()
    projectMilestoneId: str | None
    projectUpdate: One[ProjectUpdate] | None = exposed()
    reactionEmoji: str | None


class PullRequestNotification(Notification):
    pullRequest: One[PullRequest] = exposed()
    pullRequestCommentId: str | None


class UsageAlertNotification(Notification):
    usageAlert: One[UsageAlert] = exposed()


class WelcomeMessageNotification(Notification):
    welcomeMessageId: str


class WorkflowDefinitionNotification(Notification):
    workflowDefinition: One[WorkflowDefinition] = exposed()


class WorkspaceAnnouncementNotification(Notification):
    workspaceAnnouncementId: str
