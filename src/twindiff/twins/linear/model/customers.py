"""Customers and their needs.  https://linear.app/docs/customer-requests"""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from twindiff.kit.graphql import Entity, One, column, computed_field, derived_field, inverse

from .enums import CustomerStatusType


class Customer(Entity):
    domains: list[str] = column(default=[])
    externalIds: list[str] = column(default=[])
    logoUrl: str | None
    mainSourceId: str | None
    name: str
    revenue: int | None
    size: float | None
    slackChannelId: str | None
    slugId: str = derived_field(default="")
    url: str = derived_field(default="")
    owner: One[User] | None
    status: One[CustomerStatus]
    tier: One[CustomerTier] | None
    needs: list[CustomerNeed] = inverse("customer")
    approximateNeedCount: float = computed_field()
    integration: One[Integration] | None = computed_field()

    filters = "domains externalIds name needs owner revenue~ size~ slackChannelId~ status tier~"
    filter_variants = "nullable"
    create = (
        "domains:[String!]=[] externalIds:[String!]=[] id logoUrl mainSourceId name! owner revenue size:Int "
        "slackChannelId status tier"
    )
    update = "domains externalIds logoUrl mainSourceId name owner revenue size:Int slackChannelId status tier"
    sort = "approximateNeedCount createdAt:CustomerCreatedAtSort name owner revenue size status:CustomerStatusSort tier"
    roots = (
        "list(=after:String,before:String,filter:CustomerFilter,first:Int,includeArchived:Boolean,last:Int,"
        "orderBy:PaginationOrderBy,sorts:[CustomerSortInput!]) "
        "get create update delete"
    )


class CustomerNeed(Entity):
    body: str | None
    bodyData: str | None
    content: str | None
    priority: float = column(default=0.0)
    url: str | None
    attachment: One[Attachment] | None
    comment: One[Comment] | None
    creator: One[User] | None
    customer: One[Customer] | None
    issue: One[Issue] | None
    originalIssue: One[Issue] | None
    project: One[Project] | None
    projectAttachment: One[ProjectAttachment] | None

    filters = "comment customer issue priority project"
    filter_variants = "collection"
    create = (
        "attachment attachmentUrl:String body bodyData:JSON comment createAsUser:String createdAt "
        "customerExternalId:String customer displayIconUrl:String id issue priority project"
    )
    update = (
        "applyPriorityToRelatedNeeds:Boolean attachmentUrl:String body bodyData:JSON customerExternalId:String "
        "customer id issue priority project"
    )
    roots = (
        "list get(hash:String,id:String) create update(clearAttachment:Boolean)->CustomerNeedUpdatePayload "
        "delete(keepAttachment:Boolean) archive unarchive"
    )
    payload = "need"


class CustomerStatus(Entity):
    color: str
    description: str | None
    displayName: str = column(default="")
    name: str = column(default="")
    position: float = column(default=0.0)
    type: CustomerStatusType | None

    filters = "color description~ name position type~"
    create = "color! description displayName id name position"
    update = "color description displayName name position"
    roots = "list(-filter) get create update delete"
    payload = "status"


class CustomerTier(Entity):
    color: str
    description: str | None
    displayName: str = column(default="")
    name: str = column(default="")
    position: float = column(default=0.0)

    filters = "color description~ displayName position"
    create = "color! description displayName id name position"
    update = "color description displayName name position"
    roots = "list(-filter) get create update delete"
    payload = "tier"
