"""Teams and their members.  https://linear.app/docs/teams"""

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
    through,
)

from .enums import TeamVisibility


class Team(Entity):
    aiDiscussionSummariesEnabled: bool = column(default=False)
    aiThreadSummariesEnabled: bool = column(default=False)
    allMembersCanJoin: bool | None
    autoArchivePeriod: float = column(default=0.0)
    autoCloseChildIssues: bool | None
    autoCloseParentIssues: bool | None
    autoClosePeriod: float | None
    autoCloseStateId: str | None
    color: str | None
    currentProgress: JSONObject = derived_field(default={})
    cycleCalenderUrl: str = column(default="")
    cycleCooldownTime: float = column(default=0.0)
    cycleDuration: float = column(default=0.0)
    cycleIssueAutoAssignCompleted: bool = column(default=False)
    cycleIssueAutoAssignStarted: bool = column(default=False)
    cycleLockToActive: bool = column(default=False)
    cycleStartDay: float = column(default=0.0)
    cyclesEnabled: bool = column(default=False)
    defaultIssueEstimate: float = column(default=0.0)
    description: str | None
    displayName: str = derived_field(default="")
    groupIssueHistory: bool = column(default=False)
    icon: str | None
    inheritIssueEstimation: bool = column(default=False)
    inheritSlackAutoCreateProjectChannel: bool = column(default=False)
    inheritWorkflowStatuses: bool = column(default=False)
    initiativesEnabled: bool = column(default=False)
    inviteHash: str = column(default="")
    issueEstimationAllowZero: bool = column(default=False)
    issueEstimationExtended: bool = column(default=False)
    issueEstimationType: str = column(default="")
    issueOrderingNoPriorityFirst: bool = column(default=False)
    issueSortOrderDefaultToBottom: bool = column(default=False)
    joinByDefault: bool | None
    key: str = column(default="")
    ledInitiativeCount: int = column(default=0)
    name: str
    private: bool = column(default=False)
    progressHistory: JSONObject = derived_field(default={})
    requirePriorityToLeaveTriage: bool = column(default=False)
    retiredAt: datetime | None
    scimGroupName: str | None
    scimManaged: bool = column(default=False)
    securitySettings: JSONObject = column(default={})
    setIssueSortOrderOnStateChange: str = column(default="")
    slackAutoCreateProjectChannel: bool | None
    slackIssueComments: bool = column(default=False)
    slackIssueStatuses: bool = column(default=False)
    slackNewIssue: bool = column(default=False)
    timezone: str = column(default="")
    triageEnabled: bool = column(default=False)
    upcomingCycleCount: float = column(default=0.0)
    visibility: TeamVisibility = column(default="public")
    defaultIssueState: One[WorkflowState] | None
    defaultProjectTemplate: One[Template] | None
    defaultTemplateForMembers: One[Template] | None = one_with_key()
    defaultTemplateForNonMembers: One[Template] | None = one_with_key()
    draftWorkflowState: One[WorkflowState] | None
    markedAsDuplicateWorkflowState: One[WorkflowState] | None
    mergeWorkflowState: One[WorkflowState] | None
    mergeableWorkflowState: One[WorkflowState] | None
    organization: One[Organization]
    parent: One[Team] | None
    protectedBy: One[Team] | None = one_with_key()
    restrictedBy: One[Team] | None = one_with_key()
    reviewWorkflowState: One[WorkflowState] | None
    startWorkflowState: One[WorkflowState] | None
    triageIssueState: One[WorkflowState] | None
    ancestors: list[Team] = computed_field()
    children: list[Team] = inverse("parent")
    cycles: Many[Cycle] = inverse("team")
    facets: list[Facet] = computed_field()
    gitAutomationStates: Many[GitAutomationState] = inverse("team")
    issues: Many[Issue] = inverse("team", includeSubTeams="Boolean = false")
    labels: Many[IssueLabel] = inverse("team")
    members: Many[User] = through("TeamMembership", sort=True, includeDisabled="Boolean")
    memberships: Many[TeamMembership] = inverse("team")
    pinnedResources: list[TeamPinnedResource] = computed_field()
    posts: list[Post] = computed_field()
    projects: Many[Project] = through("team_project_association", sort=True, includeSubTeams="Boolean = false")
    releasePipelines: Many[ReleasePipeline] = through("release_pipeline_team_association")
    resourceSections: list[TeamResourceSection] = computed_field()
    states: Many[WorkflowState] = inverse("team")
    templates: Many[Template] = inverse("team", filter="NullableTemplateFilter")
    webhooks: Many[Webhook] = inverse("team")
    activeCycle: One[Cycle] | None = computed_field()
    integrationsSettings: One[IntegrationsSettings] | None = computed_field()
    issueCount: int = computed_field(includeArchived="Boolean = false")
    membership: One[TeamMembership] | None = computed_field(userId="String!")
    triageResponsibility: One[TriageResponsibility] | None = computed_field()
    inheritProductIntelligenceScope: bool | None = hidden_column()
    issueSharingEnabled: bool | None = hidden_column()
    productIntelligenceScope: str | None = hidden_column()
    storedIssueCount: int = hidden_column(name="issueCount", default=0)
    storedActiveCycleId: str | None = hidden_column(name="activeCycleId")
    loops: Many[WorkflowDefinition]
    viewerCanJoin: bool = computed_field()
    viewerCanLeave: bool = computed_field()
    viewerMembership: One[TeamMembership] | None = computed_field()

    filters = (
        "ancestors description issues key members name owners:UserCollectionFilter parent private releasePipelines "
        "restrictedBy retiredAt users:UserCollectionFilter visibility:TeamVisibilityComparator"
    )
    filter_variants = "nullable collection collection_only=ancestors,createdAt,id,parent,updatedAt"
    create = (
        "autoArchivePeriod autoClosePeriod autoCloseStateId color cycleCooldownTime:Int cycleDuration:Int "
        "cycleIssueAutoAssignCompleted cycleIssueAutoAssignStarted cycleLockToActive cycleStartDay cyclesEnabled "
        "defaultIssueEstimate defaultProjectTemplate defaultTemplateForMembers defaultTemplateForNonMembers "
        "description groupIssueHistory icon id inheritIssueEstimation inheritProductIntelligenceScope:Boolean "
        "inheritSlackAutoCreateProjectChannel inheritWorkflowStatuses initiativesEnabled issueEstimationAllowZero "
        "issueEstimationExtended issueEstimationType issueSharingEnabled:Boolean key name! parent private "
        "productIntelligenceScope:ProductIntelligenceScope requirePriorityToLeaveTriage "
        "setIssueSortOrderOnStateChange slackAutoCreateProjectChannel timezone triageEnabled upcomingCycleCount"
    )
    update = (
        "aiDiscussionSummariesEnabled aiThreadSummariesEnabled allMembersCanJoin autoArchivePeriod "
        "autoCloseChildIssues autoCloseParentIssues autoClosePeriod autoCloseStateId color cycleCooldownTime:Int "
        "cycleDuration:Int cycleEnabledStartDate:DateTime cycleIssueAutoAssignCompleted cycleIssueAutoAssignStarted "
        "cycleLockToActive cycleStartDay cyclesEnabled defaultIssueEstimate defaultIssueState "
        "defaultProjectTemplate defaultTemplateForMembers defaultTemplateForNonMembers description "
        "groupIssueHistory handleSubTeamsOnRetirement:TeamRetirementSubTeamHandling icon inheritIssueEstimation "
        "inheritProductIntelligenceScope:Boolean inheritSlackAutoCreateProjectChannel inheritWorkflowStatuses "
        "initiativesEnabled issueEstimationAllowZero issueEstimationExtended issueEstimationType "
        "issueSharingEnabled:Boolean joinByDefault key name parent private "
        "productIntelligenceScope:ProductIntelligenceScope requirePriorityToLeaveTriage retiredAt scimGroupName "
        "scimManaged securitySettings:TeamSecuritySettingsInput setIssueSortOrderOnStateChange "
        "slackAutoCreateProjectChannel slackIssueComments slackIssueStatuses slackNewIssue timezone triageEnabled "
        "upcomingCycleCount"
    )
    roots = "list get create(copySettingsFromTeamId:String) update(mapping:InheritanceEntityMapping) delete unarchive"
    payload_nullable = True


class TeamMembership(Entity):
    owner: bool = column(default=False)
    sortOrder: float = column(default=0.0)
    team: One[Team]
    user: One[User]

    create = "id owner sortOrder team! user!"
    update = "owner sortOrder"
    roots = "list get create update delete(alsoLeaveParentTeams:Boolean)"
    payload_nullable = True
    deletes = "hard"
