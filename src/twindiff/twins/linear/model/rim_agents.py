"""Agents, their sessions and prompts: declared, not modelled."""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from datetime import datetime

from twindiff.kit.graphql import Entity, Many, One, computed

from .enums import (
    AgentActivitySignal,
    AgentSessionStatus,
    AgentSessionType,
    AiConversationClientPlatform,
    AiConversationInitialSource,
    AiConversationStatus,
    AiPromptProgressStatus,
    AiPromptType,
)
from .values import (
    AgentActivityContent,
    AgentSessionExternalLink,
    AgentSessionWorkspaceDiffFile,
    AiConversationUserState,
)


class AgentActivity(Entity, rim=True):
    content: AgentActivityContent
    contextualMetadata: Json | None
    ephemeral: bool
    queued: bool
    sentAt: datetime | None
    signal: AgentActivitySignal | None
    signalMetadata: Json | None
    sourceMetadata: Json | None
    agentSession: One[AgentSession]
    sourceComment: One[Comment] | None
    user: One[User]

    filters = "agentSessionId:StringComparator sourceComment type:StringComparator"


class AgentSession(Entity, rim=True):
    codingHarnessModelLabel: str | None
    context: Json
    dismissedAt: datetime | None
    endedAt: datetime | None
    externalLink: str | None
    externalLinks: list[AgentSessionExternalLink]
    externalUrls: Json
    plan: Json | None
    slugId: str
    sourceMetadata: Json | None
    startedAt: datetime | None
    status: AgentSessionStatus
    summary: str | None
    type: AgentSessionType | None
    url: str | None
    workspaceDiff: Json | None
    appUser: One[User]
    comment: One[Comment] | None
    creator: One[User] | None
    dismissedBy: One[User] | None
    issue: One[Issue] | None
    pullRequest: One[PullRequest] | None
    sourceComment: One[Comment] | None
    activities: Many[AgentActivity]
    pullRequests: Many[AgentSessionToPullRequest]
    workspaceDiffFiles: list[AgentSessionWorkspaceDiffFile] | None = computed(contentHash="String!")


class AgentSessionToPullRequest(Entity, rim=True):
    agentSession: One[AgentSession]
    pullRequest: One[PullRequest]


class AiConversation(Entity, rim=True):
    clientPlatform: AiConversationClientPlatform | None
    context: JSONObject
    evalLogId: str | None
    initialSource: AiConversationInitialSource
    iterationId: str | None
    readAt: datetime | None
    slugId: str
    status: AiConversationStatus
    summary: str | None
    userState: list[AiConversationUserState]
    document: One[Document] | None
    initiative: One[Initiative] | None
    project: One[Project] | None
    pullRequest: One[PullRequest] | None
    user: One[User] | None
    workflowDefinition: One[WorkflowDefinition] | None


class AiPromptProgress(Entity, rim=True):
    logId: str | None
    metadata: JSONObject
    status: AiPromptProgressStatus
    type: AiPromptType

    filters = "status:AiPromptProgressStatusComparator type:AiPromptTypeComparator"


class AiPromptRules(Entity, rim=True):
    updatedBy: One[User] | None
