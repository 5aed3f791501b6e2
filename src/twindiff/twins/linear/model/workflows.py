"""Workflow states and cycles of a team.  https://linear.app/docs/configuring-workflows"""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from datetime import datetime

from twindiff.kit.graphql import Entity, Many, One, column, computed_field, derived_field, hidden_column, inverse


class WorkflowState(Entity):
    color: str
    description: str | None
    name: str
    position: float = column(default=0.0)
    type: str
    inheritedFrom: One[WorkflowState] | None
    team: One[Team]
    issues: Many[Issue] = inverse("state")

    filters = "description~ issues name position team type"
    create = "color! description id name! position team! type!"
    update = "color description name position"
    roots = "list get create update archive"


class Cycle(Entity):
    autoArchivedAt: datetime | None = derived_field()
    completedAt: datetime | None
    completedIssueCountHistory: list[float] = derived_field(default=[])
    completedScopeHistory: list[float] = derived_field(default=[])
    currentProgress: JSONObject = derived_field(default={})
    description: str | None
    endsAt: datetime
    inProgressScopeHistory: list[float] = derived_field(default=[])
    issueCountHistory: list[float] = derived_field(default=[])
    name: str | None
    number: float = column(default=0.0)
    progress: float = computed_field()
    storedProgress: float = hidden_column(name="progress", default=0.0, derived=True)
    progressHistory: JSONObject = derived_field(default={})
    scopeHistory: list[float] = derived_field(default=[])
    startsAt: datetime
    inheritedFrom: One[Cycle] | None
    team: One[Team]
    documents: Many[Document] = inverse("cycle")
    issues: Many[Issue] = inverse("cycle")
    links: Many[EntityExternalLink] = inverse("cycle")
    uncompletedIssuesUponClose: Many[Issue] = inverse("uncompletedInCycleUponClose")
    isActive: bool = computed_field()
    isFuture: bool = computed_field()
    isNext: bool = computed_field()
    isPast: bool = computed_field()
    isPrevious: bool = computed_field()
    storedIsActive: bool = hidden_column(name="isActive", default=False)
    storedIsFuture: bool = hidden_column(name="isFuture", default=False)
    storedIsNext: bool = hidden_column(name="isNext", default=False)
    storedIsPast: bool = hidden_column(name="isPast", default=False)
    storedIsPrevious: bool = hidden_column(name="isPrevious", default=False)

    filters = (
        "completedAt~ endsAt inheritedFromId:IDComparator isActive isFuture isInCooldown:BooleanComparator isNext "
        "isPast isPrevious issues name~ number startsAt team"
    )
    filter_variants = "nullable"
    create = "completedAt description endsAt! id name startsAt! team!"
    update = "completedAt description endsAt name startsAt"
    roots = "list get create update archive"
    payload_nullable = True
