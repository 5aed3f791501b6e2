"""Responses of hand-written mutations and queries."""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from twindiff.kit.graphql import One, Value

from .enums import AuthenticationSessionType, SLADayCountType


class ArchivePayload(Value, interface=True):
    lastSyncId: float
    success: bool


class ArchiveResponse(Value):
    archive: str
    databaseVersion: float
    includesDependencies: list[str]
    totalCount: float


class ArchivedIntegrationPayload(Value):
    archivedAt: datetime
    codeAccess: bool | None
    enterpriseUrl: str | None
    externalOrgId: str | None
    id: str
    orgAvatarUrl: str | None
    orgLogin: str | None
    service: str


class AuditEntryType(Value):
    description: str
    type: str


class AuthenticationSessionResponse(Value):
    browserType: str | None
    client: str | None
    countryCodes: list[str]
    createdAt: datetime
    detailedName: str
    id: str
    ip: str | None
    isCurrentSession: bool
    lastActiveAt: datetime | None
    location: str | None
    locationCity: str | None
    locationCountry: str | None
    locationCountryCode: str | None
    locationRegionCode: str | None
    name: str
    operatingSystem: str | None
    service: str | None
    type: AuthenticationSessionType
    updatedAt: datetime
    userAgent: str | None


class CustomerNeedUpdatePayload(Value):
    lastSyncId: float
    need: One[CustomerNeed]
    success: bool
    updatedRelatedNeeds: list[CustomerNeed]


class CustomViewHasSubscribersPayload(Value):
    hasSubscribers: bool


class DocumentContentHistoryPayload(Value):
    history: list[DocumentContentHistoryType]
    success: bool


class DocumentContentHistoryType(Value):
    actorIds: list[str] | None
    contentData: Json | None
    contentDataSnapshotAt: datetime
    createdAt: datetime
    documentContentId: str
    id: str
    metadata: Json | None


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


class SlaConfiguration(Value):
    conditions: JSONObject
    id: str
    name: str
    removesSla: bool
    sla: float | None
    slaType: SLADayCountType | None


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
