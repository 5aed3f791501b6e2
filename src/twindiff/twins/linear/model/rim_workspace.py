"""Parts of teams and workspaces that are declared but not modelled."""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from datetime import datetime

from twindiff.kit.graphql import Entity, One

from .enums import (
    ContextViewType,
    FacetPageSource,
    FeedSummarySchedule,
    IdentityProviderType,
    OAuthClientApprovalStatus,
    PostType,
    PullRequestStatus,
    UserContextViewType,
    WorkflowActivationMode,
    WorkflowDefinitionEditAccess,
    WorkflowIntelligence,
    WorkflowTrigger,
    WorkflowTriggerType,
    WorkflowType,
)
from .values import PullRequestCheck, PullRequestCommit, PullRequestMergeSettings
from .view_values import ViewPreferencesValues


class Facet(Entity, rim=True):
    sortOrder: float
    sourcePage: FacetPageSource | None
    sourceFeedUser: One[User] | None
    sourceInitiative: One[Initiative] | None
    sourceOrganization: One[Organization] | None
    sourceProject: One[Project] | None
    sourceTeam: One[Team] | None
    targetCustomView: One[CustomView] | None


class Dashboard(Entity, rim=True):
    color: str | None
    description: str | None
    icon: str | None
    issueFilter: JSONObject | None
    name: str
    projectFilter: JSONObject | None
    shared: bool
    slugId: str
    sortOrder: float
    widgets: JSONObject
    creator: One[User] | None
    organization: One[Organization]
    owner: One[User] | None
    updatedBy: One[User] | None


class IdentityProvider(Entity, rim=True):
    adminsGroupPush: JSONObject | None
    allowNameChange: bool
    defaultMigrated: bool
    guestsGroupPush: JSONObject | None
    issuerEntityId: str | None
    ownersGroupPush: JSONObject | None
    priority: float | None
    samlEnabled: bool
    scimEnabled: bool
    spEntityId: str | None
    ssoBinding: str | None
    ssoEndpoint: str | None
    ssoSignAlgo: str | None
    ssoSigningCert: str | None
    ssoVerifiedAt: datetime | None
    type: IdentityProviderType


class OauthClientApproval(Entity, rim=True):
    denyReason: str | None
    newlyRequestedScopes: list[str] | None
    oauthClientId: str
    requestReason: str | None
    requesterId: str
    responderId: str | None
    scopes: list[str]
    status: OAuthClientApprovalStatus


class PaidSubscription(Entity, rim=True):
    cancelAt: datetime | None
    canceledAt: datetime | None
    collectionMethod: str
    nextBillingAt: datetime | None
    pendingChangeType: str | None
    seats: float
    seatsMaximum: float | None
    seatsMinimum: float | None
    type: str
    creator: One[User] | None
    organization: One[Organization]


class Post(Entity, rim=True):
    audioSummary: str | None
    body: str
    bodyData: str
    editedAt: datetime | None
    evalLogId: str | None
    feedSummaryScheduleAtCreate: FeedSummarySchedule | None
    reactionData: JSONObject
    slugId: str
    title: str | None
    ttlUrl: str | None
    type: PostType | None
    writtenSummaryData: JSONObject | None
    creator: One[User] | None
    team: One[Team] | None
    user: One[User] | None


class ProductAnnouncement(Entity, rim=True):
    campaignId: str
    description: str
    headline: str
    kind: str
    title: str


class PullRequest(Entity, rim=True):
    autoMergeEnabled: bool
    baseSha: str | None
    checks: list[PullRequestCheck]
    commits: list[PullRequestCommit]
    headSha: str | None
    mergeCommit: PullRequestCommit | None
    mergeSettings: PullRequestMergeSettings | None
    mergeStatus: str
    number: float
    openedAt: datetime
    reactionData: JSONObject
    slugId: str
    sourceBranch: str
    status: PullRequestStatus
    targetBranch: str
    title: str
    url: str
    creator: One[User] | None


class TeamPinnedResource(Entity, rim=True):
    sortOrder: float
    creator: One[User] | None
    document: One[Document] | None
    entityExternalLink: One[EntityExternalLink] | None
    section: One[TeamResourceSection] | None
    team: One[Team]
    updatedBy: One[User] | None


class TeamResourceSection(Entity, rim=True):
    sortOrder: float
    title: str
    creator: One[User] | None
    team: One[Team]
    updatedBy: One[User] | None


class UsageAlert(Entity, rim=True):
    metadata: JSONObject
    type: str


class ViewPreferences(Entity, rim=True):
    preferences: ViewPreferencesValues
    type: str
    viewType: str


class WelcomeMessage(Entity, rim=True):
    enabled: bool
    title: str | None
    updatedBy: One[User] | None


class WorkflowDefinition(Entity, rim=True):
    activities: JSONObject
    applyToSubTeams: bool
    color: str | None
    conditions: JSONObject | None
    contextViewType: ContextViewType | None
    description: str | None
    enabled: bool
    groupName: str | None
    icon: str | None
    lastExecutedAt: datetime | None
    name: str
    runOnce: bool
    schedule: JSONObject | None
    slugId: str
    sortOrder: str
    stats: JSONObject | None
    trigger: WorkflowTrigger
    triggerType: WorkflowTriggerType
    type: WorkflowType
    userContextViewType: UserContextViewType | None
    creator: One[User]
    customView: One[CustomView] | None
    cycle: One[Cycle] | None
    initiative: One[Initiative] | None
    label: One[IssueLabel] | None
    lastUpdatedBy: One[User] | None
    owner: One[User] | None
    project: One[Project] | None
    team: One[Team] | None
    user: One[User] | None
    activationMode: WorkflowActivationMode | None
    editAccess: WorkflowDefinitionEditAccess | None
    intelligence: WorkflowIntelligence | None
    restrictEditing: bool
