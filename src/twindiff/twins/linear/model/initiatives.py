"""Initiatives, their projects and updates.  https://linear.app/docs/initiatives"""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from datetime import date, datetime

from twindiff.kit.graphql import Entity, Many, One, column, computed_field, derived_field, inverse, through

from .enums import (
    DateResolutionType,
    Day,
    FrequencyResolutionType,
    InitiativeStatus,
    InitiativeUpdateHealthType,
    InitiativeVisibility,
)


class Initiative(Entity):
    canceledAt: datetime | None = derived_field()
    color: str | None
    completedAt: datetime | None = derived_field()
    content: str | None
    description: str | None
    frequencyResolution: FrequencyResolutionType = column(default="weekly")
    health: InitiativeUpdateHealthType | None = derived_field()
    healthUpdatedAt: datetime | None = derived_field()
    icon: str | None
    identifier: str | None = derived_field()
    labelIds: list[str] = derived_field(default=[])
    name: str
    previousIdentifiers: list[str] = derived_field(default=[])
    priority: int = column(default=0)
    prioritySortOrder: float = derived_field(default=0.0)
    slugId: str = derived_field(default="")
    sortOrder: float = column(default=0.0)
    startedAt: datetime | None = derived_field()
    status: InitiativeStatus = column(default="Planned")
    targetDate: date | None
    targetDateResolution: DateResolutionType | None
    trashed: bool | None
    updateReminderFrequency: float | None
    updateReminderFrequencyInWeeks: float | None
    updateRemindersDay: Day | None
    updateRemindersHour: float | None
    url: str = derived_field(default="")
    visibility: InitiativeVisibility = column(default="public")
    creator: One[User] | None
    lastUpdate: One[InitiativeUpdate] | None = derived_field()
    leadTeam: One[Team] | None
    organization: One[Organization] = column(null=True)
    owner: One[User] | None
    parentInitiative: One[Initiative] | None
    documents: Many[Document] = inverse("initiative")
    facets: list[Facet] = computed_field()
    history: Many[InitiativeHistory]
    initiativeUpdates: Many[InitiativeUpdate] = inverse("initiative", filter=False)
    labels: Many[InitiativeLabel] = through("initiative_label_initiative_association")
    links: Many[EntityExternalLink] = inverse("initiative")
    parentInitiatives: Many[Initiative] = through("InitiativeRelation", "relatedInitiative", "initiative", sort=True)
    projects: Many[Project] = through("InitiativeToProject", sort=True, includeSubInitiatives="Boolean")
    subInitiatives: Many[Initiative] = through("InitiativeRelation", "initiative", "relatedInitiative", sort=True)
    documentContent: One[DocumentContent] | None = computed_field()
    integrationsSettings: One[IntegrationsSettings] | None = computed_field()

    filters = (
        "activityType:StringComparator ancestors:InitiativeCollectionFilter canceledAt completedAt creator health~ "
        "healthWithAge:StringComparator initiativeUpdates:InitiativeUpdatesCollectionFilter labels leadTeam name "
        "owner priority:NullableNumberComparator slugId startedAt status targetDate:NullableDateComparator "
        "teams:TeamCollectionFilter"
    )
    filter_variants = "nullable collection"
    create = (
        "color content description icon id labels leadTeam name! owner priority prioritySortOrder sortOrder status "
        "targetDate targetDateResolution"
    )
    update = (
        "color content customIdentifier:String description frequencyResolution icon labels leadTeam name owner "
        "priority prioritySortOrder sortOrder status targetDate targetDateResolution trashed "
        "updateReminderFrequency updateReminderFrequencyInWeeks updateRemindersDay updateRemindersHour:Int"
    )
    sort = (
        "createdAt:InitiativeCreatedAtSort health:InitiativeHealthSort "
        "healthUpdatedAt:InitiativeHealthUpdatedAtSort manual:InitiativeManualSort name:InitiativeNameSort "
        "owner:InitiativeOwnerSort priority:InitiativePrioritySort targetDate:InitiativeTargetDateSort "
        "updatedAt:InitiativeUpdatedAtSort"
    )
    roots = "list get create update delete archive unarchive"


class InitiativeToProject(Entity):
    sortOrder: str = column(default="")
    initiative: One[Initiative]
    project: One[Project]

    create = "id initiative! project! sortOrder:Float"
    update = "sortOrder:Float"
    roots = "list get create update delete"
    deletes = "hard"


class InitiativeRelation(Entity):
    sortOrder: float = column(default=0.0)
    initiative: One[Initiative]
    relatedInitiative: One[Initiative]
    user: One[User] | None

    create = "id initiative! relatedInitiative! sortOrder"
    update = "sortOrder"
    roots = "list get create update delete"


class InitiativeUpdate(Entity):
    body: str = column(default="")
    bodyData: str = derived_field(default="")
    commentCount: int = column(default=0)
    diff: JSONObject | None
    diffMarkdown: str | None
    editedAt: datetime | None = derived_field()
    health: InitiativeUpdateHealthType = column(default="onTrack")
    infoSnapshot: JSONObject | None
    isDiffHidden: bool = column(default=False)
    isStale: bool = column(default=False)
    reactionData: JSONObject = derived_field(default={})
    slugId: str = derived_field(default="")
    url: str = derived_field(default="")
    initiative: One[Initiative]
    user: One[User]
    comments: Many[Comment] = inverse("initiativeUpdate")
    reactions: list[Reaction] = inverse("initiativeUpdate")

    filters = "initiative reactions user"
    filter_variants = "nullable"
    create = "body bodyData:JSON health id initiative! isDiffHidden"
    update = "body bodyData:JSON health"
    roots = "list get create update archive unarchive"
