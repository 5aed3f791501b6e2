"""Input types that cannot be derived from the word lists of entities."""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from datetime import datetime

from twindiff.kit.graphql import Input, column

from .enums import (
    AgentActivitySignal,
    AgentActivityType,
    ContextViewType,
    IntegrationService,
    LinearAgentMcpServersMode,
    LinearAgentTrustedSourcesMode,
    PaginationNulls,
    PaginationSortOrder,
    TeamRoleType,
    UserContextViewType,
    UserRoleType,
)


class ActivityCollectionFilter(Input, of="Activity"):
    createdAt: DateComparator | None
    every: ActivityFilter | None
    id: IDComparator | None
    length: NumberComparator | None
    some: ActivityFilter | None
    updatedAt: DateComparator | None
    user: UserFilter | None


class ActivityFilter(Input, of="Activity"):
    createdAt: DateComparator | None
    id: IDComparator | None
    updatedAt: DateComparator | None
    user: UserFilter | None


class CustomersAttributesDataSourceConfigurationInput(Input):
    allowManualEdits: bool | None
    attributesErrors: JSONObject | None
    attributesMapping: JSONObject | None
    integration: CustomersAttributesDataSourceIntegrationInput | None
    sourceType: str


class CustomersAttributesDataSourceIntegrationInput(Input):
    service: IntegrationService


class CustomersConfigurationInput(Input):
    attributesDataSourceConfiguration: CustomersAttributesDataSourceConfigurationInput | None
    defaultTeamId: str | None
    excludeList: list[str] | None
    ignoreList: list[str] | None
    revenueCurrencyCode: str | None
    revenueDisplay: str | None


class CycleShiftAllInput(Input):
    daysToShift: float
    id: str


class CycleSort(Input):
    currentCycleFirst: bool | None = column(default=False)
    nulls: PaginationNulls | None = column(default="last")
    order: PaginationSortOrder | None


class DeleteOrganizationInput(Input):
    deletionCode: str


class InheritanceEntityMapping(Input):
    issueLabels: JSONObject | None
    workflowStates: JSONObject


class InitiativePrioritySort(Input):
    noPriorityFirst: bool | None = column(default=False)
    nulls: PaginationNulls | None = column(default="last")
    order: PaginationSortOrder | None


class InitiativeUpdatesCollectionFilter(Input, of="InitiativeUpdate"):
    createdAt: DateComparator | None
    every: InitiativeUpdatesFilter | None
    id: IDComparator | None
    length: NumberComparator | None
    some: InitiativeUpdatesFilter | None
    updatedAt: DateComparator | None


class InitiativeUpdatesFilter(Input, of="InitiativeUpdate"):
    createdAt: DateComparator | None
    id: IDComparator | None
    updatedAt: DateComparator | None


class IssueBatchCreateInput(Input):
    issues: list[IssueCreateInput]


class LabelGroupSort(Input):
    labelGroupId: str
    nulls: PaginationNulls | None = column(default="last")
    order: PaginationSortOrder | None


class NotificationEntityInput(Input):
    id: str | None
    initiativeId: str | None
    initiativeUpdateId: str | None
    issueId: str | None
    oauthClientApprovalId: str | None
    projectId: str | None
    projectUpdateId: str | None


class NotificationSubscriptionCreateInput(Input):
    active: bool | None
    contextViewType: ContextViewType | None
    customViewId: str | None
    customerId: str | None
    cycleId: str | None
    id: str | None
    initiativeId: str | None
    labelId: str | None
    notificationSubscriptionTypes: list[str] | None
    projectId: str | None
    teamId: str | None
    userContextViewType: UserContextViewType | None
    userId: str | None


class NotificationSubscriptionUpdateInput(Input):
    active: bool | None
    notificationSubscriptionTypes: list[str] | None


class NotificationUpdateInput(Input):
    initiativeUpdateId: str | None
    projectUpdateId: str | None
    readAt: datetime | None
    snoozedUntilAt: datetime | None


class OrganizationAuthSettingsInput(Input):
    allowedAuthServiceBypassRole: str | None
    allowedAuthServices: list[str] | None
    disableAuthServiceBypass: bool | None
    hideNonPrimaryOrganizations: bool | None


class OrganizationCodingAgentSettingsInput(Input):
    commitSigningEnabled: bool | None
    effort: str | None
    model: str | None


class OrganizationIpRestrictionInput(Input):
    description: str | None
    enabled: bool
    range: str
    type: str


class OrganizationLinearAgentMcpServerAllowlistEntryInput(Input):
    knownIntegrationKey: str | None
    url: str


class OrganizationLinearAgentSettingsInput(Input):
    mcpServersAllowlist: list[OrganizationLinearAgentMcpServerAllowlistEntryInput] | None
    mcpServersEnabled: bool | None
    mcpServersMode: LinearAgentMcpServersMode | None
    trustedSourcesAllowlist: list[OrganizationLinearAgentTrustedSourcesAllowlistEntryInput] | None
    trustedSourcesMode: LinearAgentTrustedSourcesMode | None
    webSearchEnabled: bool | None


class OrganizationLinearAgentTrustedSourcesAllowlistEntryInput(Input):
    key: str


class OrganizationSecuritySettingsInput(Input):
    agentGuidanceRole: UserRoleType | None
    apiSettingsRole: UserRoleType | None
    automationManagementRole: UserRoleType | None
    importRole: UserRoleType | None
    integrationCreationRole: UserRoleType | None
    invitationsRole: UserRoleType | None
    labelManagementRole: UserRoleType | None
    personalApiKeysRole: UserRoleType | None
    teamCreationRole: UserRoleType | None
    templateManagementRole: UserRoleType | None


class OrganizationThemeSettingsInput(Input):
    darkTheme: JSONObject | None
    lightTheme: JSONObject | None


class PrioritySort(Input):
    noPriorityFirst: bool | None = column(default=False)
    nulls: PaginationNulls | None = column(default="last")
    order: PaginationSortOrder | None
    usePrioritySortOrderTiebreaker: bool | None = column(default=True)


class ProjectPrioritySort(Input):
    noPriorityFirst: bool | None = column(default=False)
    nulls: PaginationNulls | None = column(default="last")
    order: PaginationSortOrder | None


class ProjectUpdatesCollectionFilter(Input, of="ProjectUpdate"):
    createdAt: DateComparator | None
    every: ProjectUpdatesFilter | None
    health: StringComparator | None
    id: IDComparator | None
    length: NumberComparator | None
    some: ProjectUpdatesFilter | None
    updatedAt: DateComparator | None


class ProjectUpdatesFilter(Input, of="ProjectUpdate"):
    createdAt: DateComparator | None
    health: StringComparator | None
    id: IDComparator | None
    updatedAt: DateComparator | None


class RootIssueSort(Input):
    nulls: PaginationNulls | None = column(default="last")
    order: PaginationSortOrder | None
    sort: IssueSortInput


class SalesforceMetadataIntegrationComparator(Input):
    caseMetadata: JSONObject | None


class SourceMetadataComparator(Input):
    null: bool | None
    salesforceMetadata: SalesforceMetadataIntegrationComparator | None
    subType: SubTypeComparator | None


class SubTypeComparator(Input):
    __annotations__ = {  # `in` is a keyword of Python
        "eq": "str | None",
        "in": "list[str] | None",
        "neq": "str | None",
        "nin": "list[str] | None",
        "null": "bool | None",
    }


class TeamSecuritySettingsInput(Input):
    agentSkillsManagement: TeamRoleType | None
    automationManagement: TeamRoleType | None
    issueSharing: TeamRoleType | None
    labelManagement: TeamRoleType | None
    memberManagement: TeamRoleType | None
    teamManagement: TeamRoleType | None
    templateManagement: TeamRoleType | None


class TimeScheduleEntryInput(Input):
    endsAt: datetime
    startsAt: datetime
    userEmail: str | None
    userId: str | None


class WorkflowStateSort(Input):
    closedIssuesOrderedByRecency: bool | None = column(default=False)
    nulls: PaginationNulls | None = column(default="last")
    order: PaginationSortOrder | None


class AgentSessionExternalUrlInput(Input):
    label: str
    url: str


class AgentSessionUserStateInput(Input):
    lastReadAt: datetime | None
    userId: str


class AgentSessionUpdateInput(Input):
    addedExternalUrls: list[AgentSessionExternalUrlInput] | None
    dismissedAt: datetime | None
    externalLink: str | None
    externalUrls: list[AgentSessionExternalUrlInput] | None
    plan: JSONObject | None
    removedExternalUrls: list[str] | None
    userState: list[AgentSessionUserStateInput] | None


class AgentActivityPromptCreateInputContent(Input):
    body: str | None
    bodyData: Json | None
    type: AgentActivityType = column(default="prompt")


class AgentActivityCreatePromptInput(Input):
    agentSessionId: str
    content: AgentActivityPromptCreateInputContent
    contextualMetadata: JSONObject | None
    id: str | None
    queued: bool | None
    signal: AgentActivitySignal | None
    signalMetadata: JSONObject | None
    sourceCommentId: str | None


class TriageResponsibilityManualSelectionInput(Input):
    assignmentIndex: int | None
    userIds: list[str]


class AgentSessionCreateOnIssue(Input):
    externalLink: str | None
    externalUrls: list[AgentSessionExternalUrlInput] | None
    issueId: str


class AgentSessionCreateOnComment(Input):
    commentId: str
    externalLink: str | None
    externalUrls: list[AgentSessionExternalUrlInput] | None


class AgentSessionUpdateExternalUrlInput(Input):
    addedExternalUrls: list[AgentSessionExternalUrlInput] | None
    externalLink: str | None
    externalUrls: list[AgentSessionExternalUrlInput] | None
    removedExternalUrls: list[str] | None
