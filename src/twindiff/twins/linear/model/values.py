"""Value objects: parts of other objects without ids of their own."""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from datetime import datetime

from twindiff.kit.graphql import One, Union, Value

from .enums import (
    AgentActivityType,
    ExternalSyncService,
    IssueSharedAccessDisallowedField,
    PullRequestCheckPresentation,
    PullRequestMergeMethod,
    TriageRuleErrorType,
)


class ActorBot(Value):
    avatarUrl: str | None
    id: ID | None
    name: str | None
    subType: str | None
    type: str
    userDisplayName: str | None


class AgentActivityActionContent(Value):
    action: str
    parameter: str
    result: str | None
    resultData: JSONObject | None
    type: AgentActivityType


class AgentActivityElicitationContent(Value):
    body: str
    bodyData: JSONObject
    type: AgentActivityType


class AgentActivityErrorContent(Value):
    body: str
    bodyData: JSONObject
    reasonCode: str | None
    type: AgentActivityType


class AgentActivityPromptContent(Value):
    body: str
    bodyData: JSONObject
    title: str | None
    type: AgentActivityType


class AgentActivityResponseContent(Value):
    body: str
    bodyData: JSONObject
    type: AgentActivityType


class AgentActivityThoughtContent(Value):
    body: str
    bodyData: JSONObject
    type: AgentActivityType


class AgentSessionExternalLink(Value):
    label: str
    url: str


class AgentSessionWorkspaceDiffFile(Value):
    additions: int
    deletions: int
    oldPath: str | None
    path: str
    state: str


class AiConversationUserState(Value):
    lastReadAt: datetime | None
    userId: str


class DraftGenerationMetadata(Value):
    generatedAt: datetime
    generatedContent: JSONObject
    generationCount: int


class ExternalEntityInfo(Value):
    id: str
    metadata: ExternalEntityInfoMetadata | None
    service: ExternalSyncService


class ExternalEntityInfoGithubMetadata(Value):
    number: float | None
    owner: str | None
    repo: str | None


class ExternalEntityInfoJiraMetadata(Value):
    issueKey: str | None
    issueTypeId: str | None
    projectId: str | None


class ExternalEntitySlackMetadata(Value):
    channelId: str | None
    channelName: str | None
    isFromSlack: bool
    messageUrl: str | None


class IssueHistoryTriageRuleError(Value):
    conflictForSameChildLabel: bool | None
    conflictingLabels: list[IssueLabel] | None
    fromTeam: One[Team] | None
    property: str | None
    toTeam: One[Team] | None
    type: TriageRuleErrorType


class IssueHistoryTriageRuleMetadata(Value):
    triageRuleError: IssueHistoryTriageRuleError | None
    updatedByTriageRule: One[WorkflowDefinition] | None


class IssueHistoryWorkflowMetadata(Value):
    aiConversation: One[AiConversation] | None
    workflowDefinition: One[WorkflowDefinition] | None


class IssueSharedAccess(Value):
    disallowedIssueFields: list[IssueSharedAccessDisallowedField]
    isShared: bool
    sharedWithCount: int
    sharedWithUsers: list[User]
    viewerHasOnlySharedAccess: bool


class IssueStateSpan(Value):
    endedAt: datetime | None
    id: ID
    startedAt: datetime
    state: One[WorkflowState] | None
    stateId: ID


class IssueStateSpanConnection(Value):
    edges: list[IssueStateSpanEdge]
    nodes: list[IssueStateSpan]
    pageInfo: PageInfo


class IssueStateSpanEdge(Value):
    cursor: str
    node: IssueStateSpan


class IssueSuggestionMetadata(Value):
    appliedAutomationRuleId: str | None
    classification: str | None
    evalLogId: str | None
    failedAutomationRuleId: str | None
    failedAutomationRuleReason: str | None
    rank: float | None
    reasons: list[str] | None
    score: float | None
    variant: str | None


class NotificationConnection(Value):
    edges: list[NotificationEdge]
    nodes: list[Notification]
    pageInfo: PageInfo


class NotificationEdge(Value):
    cursor: str
    node: One[Notification]


class NotificationSubscriptionConnection(Value):
    edges: list[NotificationSubscriptionEdge]
    nodes: list[NotificationSubscription]
    pageInfo: PageInfo


class NotificationSubscriptionEdge(Value):
    cursor: str
    node: One[NotificationSubscription]


class OrganizationIpRestriction(Value):
    description: str | None
    enabled: bool
    range: str
    type: str


class PullRequestCheck(Value):
    completedAt: datetime | None
    isRequired: bool | None
    name: str
    presentation: PullRequestCheckPresentation | None
    startedAt: datetime | None
    status: str
    url: str | None
    workflowName: str | None


class PullRequestCommit(Value):
    additions: float
    authorExternalUserIds: list[str]
    authorUserIds: list[str]
    changedFiles: float | None
    committedAt: str
    deletions: float
    isMergeCommit: bool | None
    message: str
    parentShas: list[str] | None
    sha: str
    signature: PullRequestCommitSignature | None


class PullRequestCommitSignature(Value):
    isVerified: bool
    keyFingerprint: str | None
    keyId: str | None
    state: str
    type: str
    wasSignedByProvider: bool | None


class PullRequestMergeSettings(Value):
    autoMergeAllowed: bool
    deleteBranchOnMerge: bool
    isMergeQueueEnabled: bool
    mergeCommitAllowed: bool
    mergeQueueMergeMethod: PullRequestMergeMethod | None
    rebaseMergeAllowed: bool
    squashMergeAllowed: bool


class SyncedExternalThread(Value):
    displayName: str | None
    id: ID | None
    isConnected: bool
    isPersonalIntegrationConnected: bool
    isPersonalIntegrationRequired: bool
    name: str | None
    subType: str | None
    type: str
    url: str | None


class TimeScheduleEntry(Value):
    endsAt: datetime
    startsAt: datetime
    userEmail: str | None
    userId: str | None


class TriageResponsibilityManualSelection(Value):
    assignmentIndex: int | None
    userIds: list[str]


class WebhookFailureEvent(Value):
    createdAt: datetime
    executionId: str
    httpStatus: float | None
    id: ID
    responseOrError: str | None
    url: str
    webhook: One[Webhook]


class AgentActivityContent(Union):
    members = (
        "AgentActivityActionContent AgentActivityElicitationContent AgentActivityErrorContent "
        "AgentActivityPromptContent AgentActivityResponseContent AgentActivityThoughtContent"
    )


class ExternalEntityInfoMetadata(Union):
    members = "ExternalEntityInfoGithubMetadata ExternalEntityInfoJiraMetadata ExternalEntitySlackMetadata"
