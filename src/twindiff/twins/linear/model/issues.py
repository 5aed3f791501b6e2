"""Issues and dependent types: relations, history, labels.  https://linear.app/docs/creating-issues"""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from datetime import date, datetime

from twindiff.kit.graphql import (
    Entity,
    Many,
    One,
    column,
    computed_field,
    derived_field,
    hidden_column,
    inverse,
    through,
)

from .enums import IntegrationService
from .values import ActorBot, ExternalEntityInfo, IssueSharedAccess, IssueStateSpanConnection


class Issue(Entity, unique=(("identifier",),)):
    activitySummary: JSONObject | None
    addedToCycleAt: datetime | None = derived_field()
    addedToProjectAt: datetime | None = derived_field()
    addedToTeamAt: datetime | None = derived_field()
    autoArchivedAt: datetime | None = derived_field()
    autoClosedAt: datetime | None = derived_field()
    boardOrder: float = column(default=0.0)
    branchName: str = derived_field(default="")
    canceledAt: datetime | None = derived_field()
    completedAt: datetime | None = derived_field()
    description: str | None
    descriptionState: str | None
    dueDate: date | None
    estimate: float | None
    identifier: str = derived_field(default="")
    inheritsSharedAccess: bool = column(default=False)
    integrationSourceType: IntegrationService | None
    labelIds: list[str] = derived_field(default=[])
    number: float = derived_field(default=0.0)
    previousIdentifiers: list[str] = derived_field(default=[])
    priority: float = column(default=0.0)
    priorityLabel: str = derived_field(default="")
    prioritySortOrder: float = derived_field(default=0.0)
    reactionData: JSONObject = derived_field(default={})
    slaBreachesAt: datetime | None
    slaHighRiskAt: datetime | None
    slaMediumRiskAt: datetime | None
    slaStartedAt: datetime | None
    slaType: str | None
    snoozedUntilAt: datetime | None
    sortOrder: float = column(default=0.0)
    startedAt: datetime | None = derived_field()
    startedTriageAt: datetime | None = derived_field()
    subIssueSortOrder: float | None
    suggestionsGeneratedAt: datetime | None
    title: str = column(default="")
    trashed: bool | None
    triagedAt: datetime | None = derived_field()
    trusted: bool | None
    url: str = derived_field(default="")
    asksExternalUserRequester: One[ExternalUser] | None
    asksRequester: One[User] | None
    assignee: One[User] | None
    creator: One[User] | None
    cycle: One[Cycle] | None
    delegate: One[User] | None
    externalUserCreator: One[ExternalUser] | None
    lastAppliedTemplate: One[Template] | None
    parent: One[Issue] | None
    project: One[Project] | None
    projectMilestone: One[ProjectMilestone] | None
    recurringIssueTemplate: One[Template] | None
    snoozedBy: One[User] | None
    sourceComment: One[Comment] | None
    state: One[WorkflowState]
    team: One[Team]
    agentSessions: Many[AgentSession] = inverse("issue")
    aiPromptProgresses: Many[AiPromptProgress]
    attachments: Many[Attachment] = inverse("issue")
    children: Many[Issue] = inverse("parent")
    comments: Many[Comment] = inverse("issue")
    documents: Many[Document] = inverse("issue")
    formerAttachments: Many[Attachment] = inverse("originalIssue")
    formerNeeds: Many[CustomerNeed] = inverse("originalIssue")
    history: Many[IssueHistory] = inverse("issue")
    incomingSuggestions: Many[IssueSuggestion] = computed_field(filter=False)
    inverseRelations: Many[IssueRelation] = inverse("relatedIssue")
    labels: Many[IssueLabel] = through("issue_label_issue_association")
    needs: Many[CustomerNeed] = inverse("issue")
    reactions: list[Reaction] = inverse("issue")
    relations: Many[IssueRelation] = inverse("issue")
    releases: Many[Release] = through("IssueToRelease")
    subscribers: Many[User] = through("issue_subscriber_user_association", includeDisabled="Boolean")
    suggestions: Many[IssueSuggestion]
    botActor: ActorBot | None = computed_field()
    customerTicketCount: int = computed_field()
    documentContent: One[DocumentContent] | None = computed_field()
    favorite: One[Favorite] | None = computed_field()
    sharedAccess: IssueSharedAccess = computed_field()
    stateHistory: IssueStateSpanConnection = computed_field(after="String", before="String", first="Int", last="Int")
    summary: One[Summary] | None = computed_field()
    syncedWith: list[ExternalEntityInfo] | None = computed_field()
    autoClosedByParentClosing: bool | None = hidden_column()
    descriptionData: Json | None = hidden_column(derived=True)
    uncompletedInCycleUponClose: One[Cycle] | None = hidden_column()
    reminderAt: datetime | None = hidden_column()
    storedTicketCount: int = hidden_column(name="customerTicketCount", default=0)

    filters = (
        "accumulatedStateUpdatedAt:NullableDateComparator activity:ActivityCollectionFilter addedToCycleAt "
        "addedToCyclePeriod:CyclePeriodComparator ageTime:NullableDurationComparator archivedAt assignee "
        "attachments autoArchivedAt autoClosedAt canceledAt children comments completedAt creator "
        "customerCount:NumberComparator customerImportantCount:NumberComparator cycle "
        "cycleTime:NullableDurationComparator delegate description dueDate estimate:EstimateComparator "
        "hasActiveAgentSessions:RelationExistsComparator hasBlockedByRelations:RelationExistsComparator "
        "hasBlockingRelations:RelationExistsComparator hasDismissedAgentSessions:RelationExistsComparator "
        "hasDuplicateRelations:RelationExistsComparator hasErroredAgentSessions:RelationExistsComparator "
        "hasMergedAgentPullRequests:RelationExistsComparator hasRelatedRelations:RelationExistsComparator "
        "hasSharedUsers:RelationExistsComparator hasSuggestedAssignees:RelationExistsComparator "
        "hasSuggestedLabels:RelationExistsComparator hasSuggestedProjects:RelationExistsComparator "
        "hasSuggestedRelatedIssues:RelationExistsComparator hasSuggestedSimilarIssues:RelationExistsComparator "
        "hasSuggestedTeams:RelationExistsComparator id:IssueIDComparator labels lastAppliedTemplate "
        "leadTime:NullableDurationComparator needs number parent priority:NullableNumberComparator project "
        "projectMilestone reactions recurringIssueTemplate releases searchableContent:ContentComparator "
        "sharedWith:UserCollectionFilter slaBreachesAt slaStatus:SlaStatusComparator snoozedBy snoozedUntilAt "
        "sourceMetadata:SourceMetadataComparator startedAt state subscribers suggestions team title "
        "triageTime:NullableDurationComparator triagedAt"
    )
    filter_variants = "nullable collection"
    create = (
        "assignee completedAt createAsUser:String createdAt cycle delegate description descriptionData:JSON "
        "displayIconUrl:String dueDate estimate:Int id inheritsSharedAccess labels lastAppliedTemplate parent "
        "preserveSortOrderOnCreate:Boolean priority:Int prioritySortOrder project projectMilestone "
        "referenceCommentId:String releases slaBreachesAt slaStartedAt slaType:SLADayCountType sortOrder "
        "sourceComment sourcePullRequestCommentId:String state subIssueSortOrder subscribers team! "
        "templateId:String title useDefaultTemplate:Boolean"
    )
    update = (
        "+labels +releases assignee autoClosedByParentClosing:Boolean cycle delegate description "
        "descriptionData:JSON dueDate estimate:Int inheritsSharedAccess labels lastAppliedTemplate parent "
        "priority:Int prioritySortOrder project projectMilestone releases -labels -releases slaBreachesAt "
        "slaStartedAt slaType:SLADayCountType snoozedBy snoozedUntilAt sortOrder state subIssueSortOrder "
        "subscribers team title trashed trusted"
    )
    sort = (
        "accumulatedStateUpdatedAt:TimeInStatusSort assignee completedAt createdAt customer customerCount "
        "customerImportantCount customerRevenue cycle delegate dueDate estimate label labelGroup linkCount manual "
        "milestone priority project release rootIssue slaStatus team title updatedAt workflowState"
    )
    roots = (
        "list get create update delete(permanentlyDelete:Boolean)->IssueArchivePayload archive(trash:Boolean) unarchive"
    )
    payload_nullable = True


class IssueRelation(Entity):
    type: str
    issue: One[Issue]
    relatedIssue: One[Issue]
    issueTitle: str | None = hidden_column()
    relatedIssueTitle: str | None = hidden_column()

    create = "id issue! relatedIssue! type:IssueRelationType!"
    update = "issue relatedIssue type"
    roots = "list get create(overrideCreatedAt:DateTime) update delete"
