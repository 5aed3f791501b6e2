"""Attachments and links.  https://linear.app/developers/attachments"""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from twindiff.kit.graphql import Entity, One, column, derived_field, hidden_column


class Attachment(Entity):
    bodyData: str | None
    groupBySource: bool = column(default=False)
    metadata: JSONObject = column(default={})
    source: JSONObject | None
    sourceType: str | None = derived_field()
    subtitle: str | None
    title: str
    url: str
    creator: One[User] | None
    externalUserCreator: One[ExternalUser] | None
    issue: One[Issue]
    originalIssue: One[Issue] | None
    iconUrl: str | None = hidden_column()

    filters = "creator sourceType:SourceTypeComparator subtitle title url"
    filter_variants = "collection"
    create = (
        "commentBody:String commentBodyData:JSONObject createAsUser:String displayIconUrl:String groupBySource "
        "iconUrl:String id issue! metadata subtitle title! url!"
    )
    update = "iconUrl:String metadata subtitle title!"
    roots = "list get create update delete"


class ProjectAttachment(Entity):
    metadata: JSONObject = column(default={})
    source: JSONObject | None
    sourceType: str | None
    subtitle: str | None
    title: str = column(default="")
    url: str = column(default="")
    creator: One[User] | None


class EntityExternalLink(Entity):
    label: str
    sortOrder: float = column(default=0.0)
    url: str
    creator: One[User] | None
    initiative: One[Initiative] | None
    project: One[Project] | None
    cycle: One[Cycle] | None = hidden_column()
    release: One[Release] | None = hidden_column()
    team: One[Team] | None = hidden_column()

    create = "cycle id initiative label! project release resourceFolderId:String sortOrder team url!"
    update = "label resourceFolderId:String sortOrder url"
    roots = "get create update delete"
    deletes = "hard"
