"""Responses of hand-written mutations and queries."""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from twindiff.kit.graphql import One, Value


class ArchivePayload(Value, interface=True):
    lastSyncId: float
    success: bool


class ArchiveResponse(Value):
    archive: str
    databaseVersion: float
    includesDependencies: list[str]
    totalCount: float


class CustomerNeedUpdatePayload(Value):
    lastSyncId: float
    need: One[CustomerNeed]
    success: bool
    updatedRelatedNeeds: list[CustomerNeed]


class CustomViewHasSubscribersPayload(Value):
    hasSubscribers: bool


class FrontAttachmentPayload(Value):
    attachment: One[Attachment]
    lastSyncId: float
    success: bool


class IssueBatchPayload(Value):
    issues: list[Issue]
    lastSyncId: float
    success: bool


class IssuePriorityValue(Value):
    label: str
    priority: int


class IssueRelationHistoryPayload(Value):
    identifier: str
    type: str


class NotificationArchivePayload(Value, implements="ArchivePayload"):
    entity: One[Notification] | None
    lastSyncId: float
    success: bool


class NotificationBatchActionPayload(Value):
    lastSyncId: float
    notifications: list[Notification]
    success: bool


class NotificationPayload(Value):
    lastSyncId: float
    notification: One[Notification]
    success: bool


class NotificationSubscriptionPayload(Value):
    lastSyncId: float
    notificationSubscription: One[NotificationSubscription]
    success: bool


class OrganizationDeletePayload(Value):
    success: bool


class OrganizationExistsPayload(Value):
    exists: bool
    success: bool


class ProjectStatusCountPayload(Value):
    archivedTeamCount: float
    count: float
    privateCount: float


class RateLimitPayload(Value):
    identifier: str | None
    kind: str
    limits: list[RateLimitResultPayload]


class RateLimitResultPayload(Value):
    allowedAmount: float
    period: float
    remainingAmount: float
    requestedAmount: float
    reset: float
    type: str


class UploadFile(Value):
    assetUrl: str
    contentType: str
    filename: str
    headers: list[UploadFileHeader]
    metaData: JSONObject | None
    size: int
    uploadUrl: str


class UploadFileHeader(Value):
    key: str
    value: str


class UploadPayload(Value):
    lastSyncId: float
    success: bool
    uploadFile: UploadFile | None


class UserAdminPayload(Value):
    success: bool
