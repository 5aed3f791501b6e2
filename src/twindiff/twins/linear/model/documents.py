"""Documents and templates.  https://linear.app/docs/project-documents"""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from datetime import datetime

from twindiff.kit.graphql import Entity, Many, One, column, computed_field, derived_field, hidden_column, inverse


class Document(Entity):
    color: str | None
    content: str | None
    contentState: str | None
    documentContentId: str | None
    hiddenAt: datetime | None
    icon: str | None
    slugId: str = derived_field(default="")
    sortOrder: float = column(default=0.0)
    summary: str | None
    title: str
    trashed: bool | None
    url: str = derived_field(default="")
    creator: One[User] | None
    cycle: One[Cycle] | None
    initiative: One[Initiative] | None
    issue: One[Issue] | None
    lastAppliedTemplate: One[Template] | None
    project: One[Project] | None
    release: One[Release] | None
    team: One[Team] | None
    updatedBy: One[User] | None = derived_field()
    comments: Many[Comment] = inverse("document")
    resourceFolderId: str | None = hidden_column()
    owner: One[User] | None
    subscribers: Many[User] = computed_field(includeDisabled="Boolean")
    subscriberIds: list[str] | None = hidden_column()

    filters = "creator~ cycle~ initiative~ issue~ project~ release~ slugId team title"
    create = (
        "color content cycle icon id initiative issue lastAppliedTemplate project release resourceFolderId:String "
        "sortOrder subscriberIds:[String!] team title!"
    )
    update = (
        "color content cycle hiddenAt icon initiative issue lastAppliedTemplate project release "
        "resourceFolderId:String sortOrder subscriberIds:[String!] team title trashed"
    )
    sort = (
        "createdAt:DocumentCreatedAtSort creator:DocumentCreatorSort project:DocumentProjectSort "
        "title:DocumentTitleSort updatedAt:DocumentUpdatedAtSort"
    )
    roots = "list get create update delete(ifParentDocumentId:String)->DocumentArchivePayload unarchive"


class DocumentContent(Entity):
    content: str | None
    contentState: str | None
    restoredAt: datetime | None
    document: One[Document] | None
    initiative: One[Initiative] | None
    issue: One[Issue] | None
    project: One[Project] | None
    projectMilestone: One[ProjectMilestone] | None
    aiPromptRules: One[AiPromptRules] | None = computed_field()
    pullRequest: One[PullRequest] | None = computed_field()
    welcomeMessage: One[WelcomeMessage] | None = computed_field()

    filters = "content document~ initiative~ issue~ project~ projectMilestone~"
    filter_variants = "no_base nullable"


class Template(Entity):
    color: str | None
    description: str | None
    hasFormFields: bool = column(default=False)
    icon: str | None
    lastAppliedAt: datetime | None
    name: str
    sortOrder: float = column(default=0.0)
    templateData: Json
    type: str
    creator: One[User] | None
    inheritedFrom: One[Template] | None
    lastUpdatedBy: One[User] | None
    organization: One[Organization] = column(null=True)
    pipeline: One[ReleasePipeline] | None
    team: One[Team] | None
    content: str | None = computed_field()

    filters = "inheritedFromId:IDComparator name type"
    filter_variants = "no_base nullable"
    create = "color description icon id name! pipeline sortOrder team templateData! type!"
    update = "color description icon name sortOrder team templateData"
    roots = "get create update delete"
