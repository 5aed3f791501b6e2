"""Coding agents, their sessions and prompts: declared but not modelled."""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from datetime import datetime

from twindiff.kit.graphql import Entity, One

from .enums import (
    AiConversationClientPlatform,
    AiConversationInitialSource,
    AiConversationStatus,
    AiPromptProgressStatus,
    AiPromptType,
)
from .values import (
    AiConversationUserState,
)


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
