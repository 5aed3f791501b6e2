"""Projects.  https://linear.app/docs/projects"""

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

from .enums import DateResolutionType, Day, FrequencyResolutionType, ProjectUpdateHealthType
from .values import ExternalEntityInfo


class Project(Entity):
    autoArchivedAt: datetime | None = derived_field()
    canceledAt: datetime | None = derived_field()
    color: str = column(default="")
    completedAt: datetime | None = derived_field()
    completedIssueCountHistory: list[float] = derived_field(default=[])
    completedScopeHistory: list[float] = derived_field(default=[])
    content: str | None
    contentState: str | None
    currentProgress: JSONObject = derived_field(default={})
    description: str = column(default="")
    frequencyResolution: FrequencyResolutionType = column(default="weekly")
    health: ProjectUpdateHealthType | None = derived_field()
    healthUpdatedAt: datetime | None = derived_field()
    icon: str | None
    inProgressScopeHistory: list[float] = derived_field(default=[])
    issueCountHistory: list[float] = derived_field(default=[])
    labelIds: list[str] = derived_field(default=[])
    microsoftTeamsChannelId: str | None
    name: str
    priority: int = column(default=0)
    priorityLabel: str = derived_field(default="")
    prioritySortOrder: float = derived_field(default=0.0)
    progress: float = computed_field()
    storedProgress: float = hidden_column(name="progress", default=0.0, derived=True)
    progressHistory: JSONObject = derived_field(default={})
    projectUpdateRemindersPausedUntilAt: datetime | None
    scope: float = derived_field(default=0.0)
    scopeHistory: list[float] = derived_field(default=[])
    slackChannelId: str | None
    slackIssueComments: bool = column(default=False)
    slackIssueStatuses: bool = column(default=False)
    slackNewIssue: bool = column(default=False)
    slugId: str = derived_field(default="")
    sortOrder: float = column(default=0.0)
    startDate: date | None
    startDateResolution: DateResolutionType | None
    startedAt: datetime | None = derived_field()
    state: str = derived_field(default="")
    targetDate: date | None
    targetDateResolution: DateResolutionType | None
    trashed: bool | None
    updateReminderFrequency: float | None
    updateReminderFrequencyInWeeks: float | None
    updateRemindersDay: Day | None
    updateRemindersHour: float | None
    url: str = derived_field(default="")
    convertedFromIssue: One[Issue] | None
    creator: One[User] | None
    lastAppliedTemplate: One[Template] | None
    lastUpdate: One[ProjectUpdate] | None = derived_field()
    lead: One[User] | None
    status: One[ProjectStatus] = column(null=True)
    attachments: Many[ProjectAttachment]
    comments: Many[Comment] = inverse("project")
    documents: Many[Document] = inverse("project")
    externalLinks: Many[EntityExternalLink] = inverse("project")
    facets: list[Facet] = computed_field()
    history: Many[ProjectHistory]
    initiativeToProjects: Many[InitiativeToProject] = inverse("project")
    initiatives: Many[Initiative] = through("InitiativeToProject", filter=False)
    inverseRelations: Many[ProjectRelation] = inverse("relatedProject")
    issues: Many[Issue] = inverse("project")
    labels: Many[ProjectLabel] = through("project_label_project_association")
    members: Many[User] = through("project_members_association", includeDisabled="Boolean")
    needs: Many[CustomerNeed] = inverse("project")
    projectMilestones: Many[ProjectMilestone] = inverse("project")
    projectUpdates: Many[ProjectUpdate] = inverse("project", filter=False)
    relations: Many[ProjectRelation] = inverse("project")
    teams: Many[Team] = through("team_project_association")
    documentContent: One[DocumentContent] | None = computed_field()
    favorite: One[Favorite] | None = computed_field()
    integrationsSettings: One[IntegrationsSettings] | None = computed_field()
    syncedWith: list[ExternalEntityInfo] | None = computed_field()
    resourceCount: int = computed_field()

    filters = (
        "accessibleTeams:TeamCollectionFilter activityType:StringComparator canceledAt completedAt "
        "completedProjectMilestones:ProjectMilestoneCollectionFilter creator~ customerCount:NumberComparator "
        "customerImportantCount:NumberComparator hasBlockedByRelations:RelationExistsComparator "
        "hasBlockingRelations:RelationExistsComparator hasDependedOnByRelations:RelationExistsComparator "
        "hasDependsOnRelations:RelationExistsComparator hasRelatedRelations:RelationExistsComparator "
        "hasViolatedRelations:RelationExistsComparator health~ healthWithAge:StringComparator initiatives issues "
        "labels lastAppliedTemplate lead members name needs nextProjectMilestone:ProjectMilestoneFilter "
        "priority:NullableNumberComparator projectMilestones projectUpdates:ProjectUpdatesCollectionFilter "
        "roadmaps:RoadmapCollectionFilter searchableContent:ContentComparator slugId "
        "startDate:NullableDateComparator startedAt state status targetDate:NullableDateComparator"
    )
    filter_variants = "nullable collection"
    create = (
        "color content convertedFromIssue description icon id labels lastAppliedTemplate lead members name! "
        "priority prioritySortOrder sortOrder startDate startDateResolution status targetDate targetDateResolution "
        "teams! templateId:String useDefaultTemplate:Boolean"
    )
    update = (
        "canceledAt color completedAt content convertedFromIssue description frequencyResolution icon labels "
        "lastAppliedTemplate lead members name priority prioritySortOrder projectUpdateRemindersPausedUntilAt "
        "slackIssueComments slackIssueStatuses slackNewIssue sortOrder startDate startDateResolution status "
        "targetDate targetDateResolution teams trashed updateReminderFrequency updateReminderFrequencyInWeeks "
        "updateRemindersDay updateRemindersHour:Int"
    )
    sort = (
        "createdAt:ProjectCreatedAtSort health:ProjectHealthSort lead:ProjectLeadSort manual:ProjectManualSort "
        "name:ProjectNameSort priority:ProjectPrioritySort startDate status:ProjectStatusSort targetDate "
        "updatedAt:ProjectUpdatedAtSort"
    )
    roots = (
        "list get create(slackChannelName:String,aiConversationId:String,projectDraftId:String) update "
        "delete->ProjectArchivePayload archive(trash:Boolean) unarchive"
    )
    payload_nullable = True


class ProjectRelation(Entity):
    anchorType: str
    relatedAnchorType: str
    type: str
    project: One[Project]
    projectMilestone: One[ProjectMilestone] | None
    relatedProject: One[Project]
    relatedProjectMilestone: One[ProjectMilestone] | None
    user: One[User] | None

    create = "anchorType! id project! projectMilestone relatedAnchorType! relatedProject! relatedProjectMilestone type!"
    update = "anchorType project projectMilestone relatedAnchorType relatedProject relatedProjectMilestone type"
    roots = "list get create update delete"
