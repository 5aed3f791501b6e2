"""Custom views, favorites and on-call schedules.  https://linear.app/docs/custom-views"""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from twindiff.kit.graphql import Entity, Many, One, column, computed_field, derived_field, hidden_column, inverse

from .enums import InitiativeTab, PipelineTab, ProjectTab
from .values import TimeScheduleEntry
from .view_values import ViewPreferencesValues


class CustomView(Entity):
    color: str | None
    description: str | None
    feedItemFilterData: JSONObject | None
    filterData: JSONObject = column(default={})
    filters: JSONObject  # assigned below
    icon: str | None
    initiativeFilterData: JSONObject | None
    modelName: str = column(default="")
    name: str
    projectFilterData: JSONObject | None
    shared: bool = column(default=False)
    slugId: str = derived_field(default="")
    creator: One[User]
    organization: One[Organization]
    owner: One[User]
    team: One[Team] | None
    updatedBy: One[User] | None
    initiatives: Many[Initiative]
    issues: Many[Issue] = computed_field(sort=True, includeSubTeams="Boolean = false")
    projects: Many[Project] = computed_field(sort=True, includeSubTeams="Boolean = true")
    updates: Many[FeedItem] = computed_field(includeSubTeams="Boolean = false")
    facet: One[Facet] | None = computed_field()
    organizationViewPreferences: One[ViewPreferences] | None = computed_field()
    userViewPreferences: One[ViewPreferences] | None = computed_field()
    viewPreferencesValues: ViewPreferencesValues | None = computed_field()
    initiative: One[Initiative] | None = hidden_column()
    project: One[Project] | None = hidden_column()
    facts = {"filters": column(default={})}  # noqa: RUF012

    filters = "creator hasFacet:Boolean modelName name shared team"  # noqa: PIE794
    create = (
        "color description feedItemFilterData:FeedItemFilter filterData:IssueFilter icon id "
        "initiativeFilterData:InitiativeFilter initiative name! owner projectFilterData:ProjectFilter "
        "project shared team"
    )
    update = (
        "color description feedItemFilterData:FeedItemFilter filterData:IssueFilter icon "
        "initiativeFilterData:InitiativeFilter initiative name owner projectFilterData:ProjectFilter "
        "project shared team"
    )
    sort = (
        "createdAt:CustomViewCreatedAtSort name:CustomViewNameSort shared:CustomViewSharedSort "
        "updatedAt:CustomViewUpdatedAtSort"
    )
    roots = "list get create update delete"


class Favorite(Entity):
    folderName: str | None
    initiativeTab: InitiativeTab | None
    pipelineTab: PipelineTab | None
    predefinedViewType: str | None
    projectTab: ProjectTab | None
    sortOrder: float = column(default=0.0)
    title: str = derived_field(default="")
    type: str = column(default="")
    customView: One[CustomView] | None
    customer: One[Customer] | None
    cycle: One[Cycle] | None
    document: One[Document] | None
    initiative: One[Initiative] | None
    initiativeLabel: One[InitiativeLabel] | None
    issue: One[Issue] | None
    label: One[IssueLabel] | None
    owner: One[User]
    parent: One[Favorite] | None
    predefinedViewTeam: One[Team] | None
    project: One[Project] | None
    projectLabel: One[ProjectLabel] | None
    projectTeam: One[Team] | None
    release: One[Release] | None
    releaseNote: One[ReleaseNote] | None
    releasePipeline: One[ReleasePipeline] | None
    team: One[Team] | None
    user: One[User] | None
    children: Many[Favorite] = inverse("parent")
    aiConversation: One[AiConversation] | None = computed_field()
    color: str | None = computed_field()
    dashboard: One[Dashboard] | None = computed_field()
    detail: str | None = computed_field()
    facet: One[Facet] | None = computed_field()
    icon: str | None = computed_field()
    pullRequest: One[PullRequest] | None = computed_field()
    url: str | None = computed_field()
    liveFolderDefinition: JSONObject | None = computed_field()
    liveFolderPreset: str | None = computed_field()
    workflowDefinition: One[WorkflowDefinition] | None = computed_field()

    create = (
        "aiConversation customView customer cycle dashboard document facet folderName id initiative initiativeLabel "
        "initiativeTab issue label parent pipelineTab predefinedViewTeam predefinedViewType project projectLabel "
        "projectTab pullRequest release releaseNote releasePipeline sortOrder team user"
    )
    update = "folderName parent sortOrder"
    roots = "list get create update delete"
    deletes = "hard"


class TimeSchedule(Entity):
    externalId: str | None
    externalUrl: str | None
    name: str
    organization: One[Organization]
    entries: list[TimeScheduleEntry] | None
    integration: One[Integration] | None = computed_field()

    create = "entries:[TimeScheduleEntryInput!]! externalId externalUrl id name!"
    update = "entries:[TimeScheduleEntryInput!] externalId externalUrl name"
    roots = "list get create update delete"
