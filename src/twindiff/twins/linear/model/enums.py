"""Enumerations of Linear's schema."""

from __future__ import annotations

from twindiff.kit.graphql import Enum


class AgentActivitySignal(Enum):
    values = "auth continue select stop"


class AgentActivityType(Enum):
    values = "action elicitation error prompt response thought"


class AgentSessionStatus(Enum):
    values = "active awaitingInput complete error pending stale"


class AgentSessionType(Enum):
    values = "commentThread"


class AiConversationClientPlatform(Enum):
    values = "desktop mobile web"


class AiConversationInitialSource(Enum):
    values = "comment directChat entityChat mcp microsoftTeams onboarding pullRequestComment slack workflow"


class AiConversationStatus(Enum):
    values = "active awaitingInput complete error pending waiting"


class AiPromptProgressStatus(Enum):
    values = "canceled created failed finished inProgress"
    nullable = True


class AiPromptType(Enum):
    values = (
        "agentGuidance aiConversation codeIntelligence gongIssueIntake initiativeUpdates intercomIssueIntake "
        "internalResearch microsoftTeamsIssueIntake productIntelligence projectUpdates slackIssueIntake "
        "zendeskIssueIntake"
    )
    nullable = True


class AuthenticationSessionType(Enum):
    values = "android desktop ios web"


class ContextViewType(Enum):
    values = "activeCycle activeIssues backlog triage upcomingCycle"


class CustomerStatusType(Enum):
    values = "active inactive"


class CyclePeriod(Enum):
    values = "after before during"
    nullable = True


class DateResolutionType(Enum):
    values = "halfYear month quarter year"


class Day(Enum):
    values = "Friday Monday Saturday Sunday Thursday Tuesday Wednesday"


class ExternalSyncService(Enum):
    values = "github jira slack"


class FacetPageSource(Enum):
    values = "feed initiatives projects teamIssues"


class FeedSummarySchedule(Enum):
    values = "daily never weekly"


class FrequencyResolutionType(Enum):
    values = "daily weekly"


class GitAutomationStates(Enum):
    values = "draft merge mergeable review start"


class GitLinkKind(Enum):
    values = "closes contributes links"


class IdentityProviderType(Enum):
    values = "general webForms"


class InitiativeStatus(Enum):
    values = "Active Canceled Completed Planned Proposed"


class InitiativeTab(Enum):
    values = "overview projects updates"


class InitiativeUpdateHealthType(Enum):
    values = "atRisk offTrack onTrack"


class InitiativeVisibility(Enum):
    values = "private public restricted"


class IntegrationService(Enum):
    values = (
        "airbyte asksWeb discord email figma figmaPlugin front github githubCodeAccessPersonal githubCommit "
        "githubEnterpriseServer githubImport githubPersonal gitlab gong googleCalendarPersonal googleSheets "
        "intercom jira jiraPersonal launchDarkly launchDarklyPersonal loom mcpServer mcpServerPersonal "
        "microsoftPersonal microsoftTeams microsoftTeamsProjectPost notion opsgenie pagerDuty salesforce "
        "sentry slack slackAsks slackCustomViewNotifications slackInitiativePost "
        "slackOrgInitiativeUpdatesPost slackOrgProjectUpdatesPost slackPersonal slackPost slackProjectPost "
        "slackProjectUpdatesPost zendesk"
    )


class IssueRelationType(Enum):
    values = "blocks duplicate related similar"


class IssueSharedAccessDisallowedField(Enum):
    values = "cycleId projectId projectMilestoneId teamId"


class IssueSuggestionState(Enum):
    values = "accepted active dismissed stale"


class IssueSuggestionType(Enum):
    values = "assignee label project relatedIssue similarIssue team"


class LinearAgentMcpServersMode(Enum):
    values = "all allowlist"


class LinearAgentTrustedSourcesMode(Enum):
    values = "allowlist none"


class NotificationCategory(Enum):
    values = (
        "appsAndIntegrations assignments billing commentsAndReplies customers documentChanges feed mentions "
        "postsAndUpdates reactions reminders reviews statusChanges subscriptions system triage"
    )


class NotificationSubscriptionType(Enum):
    values = (
        "customView customer cycle document initiative issue label oauthClientApproval project pullRequest team user"
    )


class OAuthClientApprovalStatus(Enum):
    values = "approved denied requested"


class PaginationNulls(Enum):
    values = "first last"


class PaginationOrderBy(Enum):
    values = "createdAt updatedAt"


class PaginationSortOrder(Enum):
    values = "Ascending Descending"


class PipelineTab(Enum):
    values = "releaseNotes releases"


class PostType(Enum):
    values = "summary update"


class ProductIntelligenceScope(Enum):
    values = "none team teamHierarchy workspace"


class ProjectMilestoneStatus(Enum):
    values = "done next overdue unstarted"


class ProjectStatusType(Enum):
    values = "backlog canceled completed paused planned started"


class ProjectTab(Enum):
    values = "customers documents issues updates"


class ProjectUpdateHealthType(Enum):
    values = "atRisk offTrack onTrack"


class ProjectUpdateReminderFrequency(Enum):
    values = "month never twoWeeks week"


class PullRequestCheckPresentation(Enum):
    values = "externalOnly jobLogs markdown runLogs"


class PullRequestMergeMethod(Enum):
    values = "MERGE REBASE SQUASH"


class PullRequestStatus(Enum):
    values = "approved closed draft inReview merged open"


class ReleaseChannel(Enum):
    values = "beta development internal preRelease privateBeta public"


class ReleaseNoteGenerationStatus(Enum):
    values = "completed pending"


class ReleasePipelineType(Enum):
    values = "continuous scheduled"
    nullable = True


class ReleaseStageType(Enum):
    values = "canceled completed planned started"
    nullable = True


class SLADayCountType(Enum):
    values = "all onlyBusinessDays"


class SlaStatus(Enum):
    values = "Breached Completed Failed HighRisk LowRisk MediumRisk"
    nullable = True


class SummaryGenerationStatus(Enum):
    values = "completed failed pending"


class TeamRetirementSubTeamHandling(Enum):
    values = "retire unnest"


class TeamRoleType(Enum):
    values = "member owner"


class TeamVisibility(Enum):
    values = "private public restricted"


class TriageResponsibilityAction(Enum):
    values = "assign notify"


class TriageRuleErrorType(Enum):
    values = "codingAgentQuotaExceeded cycle default labelGroupConflict"


class UserContextViewType(Enum):
    values = "assigned"


class UserRoleType(Enum):
    values = "admin app guest owner user"


class WorkflowTrigger(Enum):
    values = "entityCreated entityCreatedOrUpdated entityRemoved entityUnarchived entityUpdated"


class WorkflowTriggerType(Enum):
    values = "document initiative issue project release schedule team"


class WorkflowType(Enum):
    values = "automation release sla triage triageAutomation viewSubscription"


class DraftUpdateHealthType(Enum):
    values = "onTrack atRisk offTrack"


class LabelGroupType(Enum):
    values = "multiSelect singleSelect"


class WorkflowActivationMode(Enum):
    values = "anyUpdate collectionChanged conditionsStartedMatching watchedPropertyChanged"


class WorkflowDefinitionEditAccess(Enum):
    values = "everyone owner teamOwners workspaceAdmins"


class WorkflowIntelligence(Enum):
    values = "auto low medium high"
