"""Milestones, statuses and updates of projects.  https://linear.app/docs/project-milestones"""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from datetime import date, datetime

from twindiff.kit.graphql import Entity, Many, One, column, computed_field, derived_field, hidden_column, inverse

from .enums import ProjectMilestoneStatus, ProjectStatusType, ProjectUpdateHealthType


class ProjectMilestone(Entity):
    currentProgress: JSONObject = derived_field(default={})
    description: str | None
    descriptionState: str | None
    name: str
    progress: float = computed_field()
    storedProgress: float = hidden_column(name="progress", default=0.0, derived=True)
    progressHistory: JSONObject = derived_field(default={})
    sortOrder: float = column(default=0.0)
    status: ProjectMilestoneStatus = derived_field(default="next")
    targetDate: date | None
    project: One[Project]
    issues: Many[Issue] = inverse("projectMilestone")
    documentContent: One[DocumentContent] | None = computed_field()
    descriptionData: Json | None = hidden_column(derived=True)

    filters = "name:NullableStringComparator project:NullableProjectFilter targetDate:NullableDateComparator"
    filter_variants = "nullable collection"
    create = "description descriptionData:JSONObject id name! project! sortOrder targetDate"
    update = "description descriptionData:JSONObject name project sortOrder targetDate"
    roots = "list get create update delete"


class ProjectStatus(Entity):
    color: str
    description: str | None
    indefinite: bool = column(default=False)
    name: str
    position: float
    type: ProjectStatusType
    organization: One[Organization] | None = hidden_column()

    filters = "description~ name position projects:ProjectCollectionFilter type"
    create = "color! description id indefinite:Boolean=false name! position! type!"
    update = "color description indefinite name position type"
    roots = "list(-filter) get create update archive unarchive"
    payload = "status"


class ProjectUpdate(Entity):
    body: str = column(default="")
    bodyData: str = derived_field(default="")
    commentCount: int = column(default=0)
    diff: JSONObject | None
    diffMarkdown: str | None
    editedAt: datetime | None = derived_field()
    health: ProjectUpdateHealthType = column(default="onTrack")
    infoSnapshot: JSONObject | None
    isDiffHidden: bool = column(default=False)
    isStale: bool = column(default=False)
    reactionData: JSONObject = derived_field(default={})
    slugId: str = derived_field(default="")
    url: str = derived_field(default="")
    project: One[Project]
    user: One[User]
    comments: Many[Comment] = inverse("projectUpdate")
    reactions: list[Reaction] = inverse("projectUpdate")
    shortSummary: str | None = computed_field()

    filters = "project reactions user"
    filter_variants = "nullable"
    create = "body bodyData:JSON health id isDiffHidden project!"
    update = "body bodyData:JSON health"
    roots = "list get(id:String!,projectId:String) create update delete archive unarchive"
