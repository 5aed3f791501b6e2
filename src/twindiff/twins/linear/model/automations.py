"""Automations: Git-driven workflow states, triage responsibility, and integrations.

https://linear.app/docs/github · https://linear.app/docs/triage · https://linear.app/docs/integrations
"""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from twindiff.kit.graphql import Entity, Many, One, column, computed_field, hidden_column, inverse

from .enums import ContextViewType, GitAutomationStates, TriageResponsibilityAction
from .values import TriageResponsibilityManualSelection


class GitAutomationState(Entity):
    branchPattern: str | None = column(deprecated="Use targetBranch instead.")
    event: GitAutomationStates
    state: One[WorkflowState] | None
    targetBranch: One[GitAutomationTargetBranch] | None
    team: One[Team]

    create = "event! id state targetBranch team!"
    update = "event state targetBranch"
    roots = "create update delete"
    deletes = "hard"


class GitAutomationTargetBranch(Entity):
    branchPattern: str
    isRegex: bool = column(default=False)
    team: One[Team]
    automationStates: Many[GitAutomationState] = inverse("targetBranch")

    create = "branchPattern! id isRegex:Boolean=false team!"
    update = "branchPattern isRegex"
    roots = "create update delete"
    payload = "targetBranch"
    deletes = "hard"


class TriageResponsibility(Entity):
    action: TriageResponsibilityAction
    manualSelection: TriageResponsibilityManualSelection | None
    team: One[Team]
    timeSchedule: One[TimeSchedule] | None
    currentUser: One[User] | None = computed_field()

    create = "action:String! id manualSelection:TriageResponsibilityManualSelectionInput team! timeSchedule"
    update = "action:String manualSelection:TriageResponsibilityManualSelectionInput timeSchedule"
    roots = "list get create update delete"
    deletes = "hard"


class Integration(Entity):
    service: str
    creator: One[User]
    organization: One[Organization]
    team: One[Team] | None

    roots = "list get delete(skipInstallationDeletion:Boolean)"
    deletes = "hard"


class IntegrationTemplate(Entity):
    foreignEntityId: str | None
    integration: One[Integration]
    template: One[Template]

    create = "foreignEntityId id integration! template!"
    roots = "list get create delete"
    deletes = "hard"


class IntegrationsSettings(Entity, table="integrations_settings"):
    contextViewType: ContextViewType | None
    microsoftTeamsProjectUpdateCreated: bool | None
    slackInitiativeUpdateCreated: bool | None
    slackIssueAddedToTriage: bool | None
    slackIssueAddedToView: bool | None
    slackIssueCreated: bool | None
    slackIssueNewComment: bool | None
    slackIssueSlaBreached: bool | None
    slackIssueSlaHighRisk: bool | None
    slackIssueStatusChangedAll: bool | None
    slackIssueStatusChangedDone: bool | None
    slackProjectUpdateCreated: bool | None
    slackProjectUpdateCreatedToTeam: bool | None
    slackProjectUpdateCreatedToWorkspace: bool | None
    initiative: One[Initiative] | None
    project: One[Project] | None
    team: One[Team] | None
    customView: One[CustomView] | None = hidden_column()

    create = (
        "contextViewType customView id initiative microsoftTeamsProjectUpdateCreated project "
        "slackInitiativeUpdateCreated slackIssueAddedToTriage slackIssueAddedToView slackIssueCreated "
        "slackIssueNewComment slackIssueSlaBreached slackIssueSlaHighRisk slackIssueStatusChangedAll "
        "slackIssueStatusChangedDone slackProjectUpdateCreated slackProjectUpdateCreatedToTeam "
        "slackProjectUpdateCreatedToWorkspace team"
    )
    update = (
        "microsoftTeamsProjectUpdateCreated slackInitiativeUpdateCreated slackIssueAddedToTriage "
        "slackIssueAddedToView slackIssueCreated slackIssueNewComment slackIssueSlaBreached slackIssueSlaHighRisk "
        "slackIssueStatusChangedAll slackIssueStatusChangedDone slackProjectUpdateCreated "
        "slackProjectUpdateCreatedToTeam slackProjectUpdateCreatedToWorkspace"
    )
    roots = "get create update"
