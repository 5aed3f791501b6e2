"""The history of issues.  https://linear.app/docs/issue-history"""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from datetime import date, datetime

from twindiff.kit.graphql import Entity, One, computed_field, one_with_key

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
    actor: One[User] | None = one_with_key()
    attachment: One[Attachment] | None = one_with_key()
    fromAssignee: One[User] | None = one_with_key()
    fromCycle: One[Cycle] | None = one_with_key()
    fromDelegate: One[User] | None
    fromParent: One[Issue] | None = one_with_key()
    fromProject: One[Project] | None = one_with_key()
    fromProjectMilestone: One[ProjectMilestone] | None
    fromState: One[WorkflowState] | None = one_with_key()
    fromTeam: One[Team] | None = one_with_key()
    issue: One[Issue]
    toAssignee: One[User] | None = one_with_key()
    toConvertedProject: One[Project] | None = one_with_key()
    toCycle: One[Cycle] | None = one_with_key()
    toDelegate: One[User] | None
    toParent: One[Issue] | None = one_with_key()
    toProject: One[Project] | None = one_with_key()
    toProjectMilestone: One[ProjectMilestone] | None
    toState: One[WorkflowState] | None = one_with_key()
    toTeam: One[Team] | None = one_with_key()
    triageResponsibilityTeam: One[Team] | None
    actors: list[User] | None = computed_field()
    addedLabels: list[IssueLabel] | None = computed_field()
    addedToReleases: list[Release] | None = computed_field()
    descriptionUpdatedBy: list[User] | None = computed_field()
    removedFromReleases: list[Release] | None = computed_field()
    removedLabels: list[IssueLabel] | None = computed_field()
    triageResponsibilityNotifiedUsers: list[User] | None = computed_field()
    botActor: ActorBot | None = computed_field()
    issueImport: One[IssueImport] | None = computed_field()
    relationChanges: list[IssueRelationHistoryPayload] | None
    triageRuleMetadata: IssueHistoryTriageRuleMetadata | None = computed_field()
    workflowMetadata: IssueHistoryWorkflowMetadata | None = computed_field()
