"""What happened to an issue.  https://linear.app/docs/issue-history"""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from datetime import date, datetime

from twindiff.kit.graphql import Entity, One, computed, exposed

from .payloads import IssueRelationHistoryPayload
from .values import ActorBot, IssueHistoryTriageRuleMetadata, IssueHistoryWorkflowMetadata


class IssueHistory(Entity, visibility="derived"):
    addedLabelIds: list[str] | None
    addedToReleaseIds: list[str] | None
    archived: bool | None
    autoArchived: bool | None
    autoClosed: bool | None
    changes: JSONObject | None
    customerNeedId: str | None
    fromDueDate: date | None
    fromEstimate: float | None
    fromPriority: float | None
    fromSlaBreached: bool | None
    fromSlaBreachesAt: datetime | None
    fromSlaStartedAt: datetime | None
    fromSlaType: str | None
    fromTitle: str | None
    removedFromReleaseIds: list[str] | None
    removedLabelIds: list[str] | None
    toDueDate: date | None
    toEstimate: float | None
    toPriority: float | None
    toSlaBreached: bool | None
    toSlaBreachesAt: datetime | None
    toSlaStartedAt: datetime | None
    toSlaType: str | None
    toTitle: str | None
    trashed: bool | None
    triageResponsibilityAutoAssigned: bool | None
    updatedDescription: bool | None
    actor: One[User] | None = exposed()
    attachment: One[Attachment] | None = exposed()
    fromAssignee: One[User] | None = exposed()
    fromCycle: One[Cycle] | None = exposed()
    fromDelegate: One[User] | None
    fromParent: One[Issue] | None = exposed()
    fromProject: One[Project] | None = exposed()
    fromProjectMilestone: One[ProjectMilestone] | None
    fromState: One[WorkflowState] | None = exposed()
    fromTeam: One[Team] | None = exposed()
    issue: One[Issue]
    toAssignee: One[User] | None = exposed()
    toConvertedProject: One[Project] | None = exposed()
    toCycle: One[Cycle] | None = exposed()
    toDelegate: One[User] | None
    toParent: One[Issue] | None = exposed()
    toProject: One[Project] | None = exposed()
    toProjectMilestone: One[ProjectMilestone] | None
    toState: One[WorkflowState] | None = exposed()
    toTeam: One[Team] | None = exposed()
    triageResponsibilityTeam: One[Team] | None
    actors: list[User] | None = computed()
    addedLabels: list[IssueLabel] | None = computed()
    addedToReleases: list[Release] | None = computed()
    descriptionUpdatedBy: list[User] | None = computed()
    removedFromReleases: list[Release] | None = computed()
    removedLabels: list[IssueLabel] | None = computed()
    triageResponsibilityNotifiedUsers: list[User] | None = computed()
    botActor: ActorBot | None = computed()
    issueImport: One[IssueImport] | None = computed()
    relationChanges: list[IssueRelationHistoryPayload] | None
    triageRuleMetadata: IssueHistoryTriageRuleMetadata | None = computed()
    workflowMetadata: IssueHistoryWorkflowMetadata | None = computed()
