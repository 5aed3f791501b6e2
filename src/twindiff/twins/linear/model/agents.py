"""Agent sessions, their activities, and agent skills.

https://linear.app/developers/agent-interaction
"""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from datetime import datetime

from twindiff.kit.graphql import Entity, Many, One, column, computed_field, derived_field, hidden_column, inverse

from .enums import AgentActivitySignal, AgentSessionStatus, AgentSessionType
from .values import AgentActivityContent, AgentSessionExternalLink, AgentSessionWorkspaceDiffFile


class AgentSession(Entity):
    codingHarnessModelLabel: str | None
    context: Json = column(default={})
    dismissedAt: datetime | None
    endedAt: datetime | None = derived_field()
    externalLink: str | None
    externalLinks: list[AgentSessionExternalLink] = column(default=[])
    externalUrls: Json = derived_field(default={})
    plan: Json | None
    slugId: str = derived_field(default="")
    sourceMetadata: Json | None
    startedAt: datetime | None = derived_field()
    status: AgentSessionStatus = column(default="pending")
    summary: str | None
    type: AgentSessionType | None
    url: str | None = derived_field()
    workspaceDiff: Json | None
    appUser: One[User]
    comment: One[Comment] | None
    creator: One[User] | None
    dismissedBy: One[User] | None
    issue: One[Issue] | None
    pullRequest: One[PullRequest] | None
    sourceComment: One[Comment] | None
    activities: Many[AgentActivity] = inverse("agentSession")
    pullRequests: Many[AgentSessionToPullRequest]
    workspaceDiffFiles: list[AgentSessionWorkspaceDiffFile] | None = computed_field(contentHash="String!")

    create = "appUser! context:JSONObject id issue"
    roots = "list get create(pullRequestId:String)"


class AgentActivity(Entity):
    content: AgentActivityContent
    contextualMetadata: Json | None
    ephemeral: bool = column(default=False)
    queued: bool = column(default=False)
    sentAt: datetime | None
    signal: AgentActivitySignal | None
    signalMetadata: Json | None
    sourceMetadata: Json | None
    agentSession: One[AgentSession]
    sourceComment: One[Comment] | None
    user: One[User]

    filters = "agentSessionId:StringComparator sourceComment type:StringComparator"
    create = (
        "agentSession! content:JSONObject! contextualMetadata:JSONObject ephemeral id signal signalMetadata:JSONObject"
    )
    roots = "list get create"


class AgentSkill(Entity):
    body: str
    color: str | None
    description: str | None
    icon: str | None
    lastUsedAt: datetime | None
    recentUsageCount: float = column(default=0.0)
    shared: bool = column(default=False)
    slugId: str = derived_field(default="")
    teamId: str | None
    team: One[Team] | None = hidden_column()
    title: str = column(default="")
    creator: One[User]
    inheritedFrom: One[AgentSkill] | None
    lastUpdatedBy: One[User] | None
    owner: One[User]

    filters = "ownerId:IDComparator shared team"
    create = "body! color icon id teamId:String title:String"
    update = "body color icon teamId:String title"
    roots = "list get create update delete"
