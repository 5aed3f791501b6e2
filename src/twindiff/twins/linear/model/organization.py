"""The workspace, its invitations and its audit log.  https://linear.app/docs/workspaces"""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from datetime import datetime

from twindiff.kit.graphql import (
    Entity,
    Many,
    One,
    column,
    computed_field,
    derived_field,
    hidden_column,
    inverse,
    one_with_key,
)

from .enums import (
    Day,
    FeedSummarySchedule,
    ProjectUpdateReminderFrequency,
    ReleaseChannel,
    SLADayCountType,
    UserRoleType,
)
from .values import OrganizationIpRestriction


class Organization(Entity):
    agentAutomationEnabled: bool = column(default=False)
    aiAddonEnabled: bool = column(default=False)
    aiDiscussionSummariesEnabled: bool = column(default=False)
    aiProviderConfiguration: JSONObject | None
    aiTelemetryEnabled: bool = column(null=True)
    aiThreadSummariesEnabled: bool = column(default=False)
    allowMembersToInvite: bool | None
    allowedAiProviders: list[str] = column(default=[])
    allowedAuthServices: list[str] = column(default=[])
    allowedFileUploadContentTypes: list[str] | None
    authSettings: JSONObject = column(default={})
    codeIntelligenceEnabled: bool = column(default=False)
    codeIntelligenceRepository: str | None
    codingAgentEnabled: bool = column(default=False)
    codingAgentSettings: JSONObject = column(default={})
    customersConfiguration: JSONObject = column(default={})
    customersEnabled: bool = column(default=False)
    defaultFeedSummarySchedule: FeedSummarySchedule | None
    defaultHomeView: str | None
    deletionRequestedAt: datetime | None
    feedEnabled: bool = column(default=False)
    fiscalYearStartMonth: float = column(default=0.0)
    generatedUpdatesEnabled: bool = column(default=False)
    gitBranchFormat: str | None
    gitLinkbackDescriptionsEnabled: bool = column(default=False)
    gitLinkbackMessagesEnabled: bool = column(default=False)
    gitPublicLinkbackMessagesEnabled: bool = column(default=False)
    hideNonPrimaryOrganizations: bool = column(default=False)
    hipaaComplianceEnabled: bool = column(default=False)
    initiativeUpdateReminderFrequencyInWeeks: float | None
    initiativeUpdateRemindersDay: Day = column(default="Friday")
    initiativeUpdateRemindersHour: float = column(default=0.0)
    linearAgentEnabled: bool = column(default=False)
    linearAgentSettings: JSONObject = column(default={})
    logoUrl: str | None
    name: str = column(default="")
    periodUploadVolume: float = column(default=0.0)
    previousUrlKeys: list[str] = derived_field(default=[])
    projectUpdateReminderFrequencyInWeeks: float | None
    projectUpdateRemindersDay: Day = column(default="Friday")
    projectUpdateRemindersHour: float = column(default=0.0)
    projectUpdatesReminderFrequency: ProjectUpdateReminderFrequency = column(default="never")
    pullRequestIssueMode: str = column(default="")
    pullRequestTourEnabled: bool = column(default=False)
    releaseChannel: ReleaseChannel = column(default="public")
    releasesEnabled: bool = column(default=False)
    restrictAgentInvocationToMembers: bool | None
    restrictLabelManagementToAdmins: bool | None
    restrictTeamCreationToAdmins: bool | None
    roadmapEnabled: bool = column(default=False)
    samlEnabled: bool = column(default=False)
    samlSettings: JSONObject | None
    scimEnabled: bool = column(default=False)
    scimSettings: JSONObject | None
    securitySettings: JSONObject = column(default={})
    slaDayCount: SLADayCountType = column(default="all")
    slackAutoCreateProjectChannel: bool = column(default=False)
    slackProjectChannelPrefix: str = column(default="")
    slackProjectChannelsEnabled: bool = column(default=False)
    themeSettings: JSONObject | None
    trialEndsAt: datetime | None
    trialStartsAt: datetime | None
    urlKey: str = column(default="")
    workingDays: list[float] = column(default=[])
    facets: list[Facet] = computed_field()
    integrations: Many[Integration] = inverse("organization")
    labels: Many[IssueLabel] = inverse("organization")
    projectLabels: Many[ProjectLabel] = inverse("organization")
    projectStatuses: list[ProjectStatus] = inverse("organization")
    teams: Many[Team] = inverse("organization")
    templates: Many[Template] = inverse("organization", filter="NullableTemplateFilter")
    users: Many[User] = inverse("organization", filter=False, includeDisabled="Boolean")
    createdIssueCount: int = computed_field()
    customerCount: int = computed_field()
    ipRestrictions: list[OrganizationIpRestriction] | None
    slackProjectChannelIntegration: One[Integration] | None
    subscription: One[PaidSubscription] | None = computed_field()
    userCount: int = computed_field()
    oauthAppReview: bool | None = hidden_column()
    personalApiKeysEnabled: bool | None = hidden_column()
    reducedPersonalInformation: bool | None = hidden_column()
    slaEnabled: bool | None = hidden_column()
    storedCreatedIssueCount: int = hidden_column(name="createdIssueCount", default=0)
    storedCustomerCount: int = hidden_column(name="customerCount", default=0)
    storedUserCount: int = hidden_column(name="userCount", default=0)
    defaultHomeViewTargetId: str | None
    loops: Many[WorkflowDefinition]
    suggestedBranchNameEnabled: bool = column(default=True)

    update = (
        "agentAutomationEnabled aiAddonEnabled aiDiscussionSummariesEnabled aiTelemetryEnabled "
        "aiThreadSummariesEnabled allowedFileUploadContentTypes authSettings:OrganizationAuthSettingsInput "
        "codeIntelligenceEnabled codeIntelligenceRepository codingAgentEnabled "
        "codingAgentSettings:OrganizationCodingAgentSettingsInput "
        "customersConfiguration:CustomersConfigurationInput customersEnabled defaultFeedSummarySchedule "
        "defaultHomeView feedEnabled fiscalYearStartMonth generatedUpdatesEnabled gitBranchFormat "
        "gitLinkbackDescriptionsEnabled gitLinkbackMessagesEnabled gitPublicLinkbackMessagesEnabled "
        "hipaaComplianceEnabled initiativeUpdateReminderFrequencyInWeeks initiativeUpdateRemindersDay "
        "initiativeUpdateRemindersHour ipRestrictions:[OrganizationIpRestrictionInput!] linearAgentEnabled "
        "linearAgentSettings:OrganizationLinearAgentSettingsInput logoUrl name oauthAppReview:Boolean "
        "projectUpdateReminderFrequencyInWeeks projectUpdateRemindersDay projectUpdateRemindersHour "
        "pullRequestIssueMode pullRequestTourEnabled reducedPersonalInformation:Boolean "
        "restrictAgentInvocationToMembers roadmapEnabled securitySettings:OrganizationSecuritySettingsInput "
        "slaEnabled:Boolean slackAutoCreateProjectChannel slackProjectChannelIntegration slackProjectChannelPrefix "
        "slackProjectChannelsEnabled themeSettings:OrganizationThemeSettingsInput urlKey workingDays"
    )
    roots = "get() update(-id) delete(=input:DeleteOrganizationInput!)->OrganizationDeletePayload"
    payload_nullable = True


class OrganizationInvite(Entity):
    acceptedAt: datetime | None
    email: str
    expiresAt: datetime | None
    external: bool = column(default=False)
    metadata: JSONObject | None
    role: UserRoleType = column(default="user")
    invitee: One[User] | None
    inviter: One[User]
    organization: One[Organization] = column(null=True)

    create = "email! id metadata role:UserRoleType=user teamIds:[String!]"
    update = "teamIds:[String!]!"
    roots = "list get create update delete"
    deletes = "hard"


class AuditEntry(Entity, visibility="derived"):
    countryCode: str | None
    ip: str | None
    metadata: JSONObject | None
    requestInformation: JSONObject | None
    type: str = column(default="")
    actor: One[User] | None = one_with_key()
    organization: One[Organization] | None

    filters = (
        "actor countryCode~ entityId:StringComparator entityIdentifier:StringComparator entityType:StringComparator "
        "ip~ type"
    )
    roots = "list"
