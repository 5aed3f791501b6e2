"""Users of a workspace.  https://linear.app/docs/members-roles"""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from datetime import datetime

from twindiff.kit.graphql import (
    Entity,
    Many,
    One,
    column,
    computed_field,
    derived_field,
    hidden_column,
    inverse,
    through,
)


class User(Entity):
    active: bool = column(default=False)
    admin: bool = column(default=False)
    app: bool = column(default=False)
    avatarBackgroundColor: str = column(default="")
    avatarUrl: str | None
    calendarHash: str | None
    canAccessAnyPublicTeam: bool = column(default=False)
    description: str | None
    disableReason: str | None
    displayName: str = column(default="")
    email: str = column(default="")
    gitHubUserId: str | None
    guest: bool = column(default=False)
    hasGitHubCodeAccess: bool = column(default=False)
    initials: str = column(default="")
    inviteHash: str = column(default="")
    isAssignable: bool = column(default=False)
    isMentionable: bool = column(default=False)
    lastSeen: datetime | None = derived_field()
    name: str = column(default="")
    owner: bool = column(default=False)
    statusEmoji: str | None
    statusLabel: str | None
    statusUntilAt: datetime | None
    supportsAgentSessions: bool = column(default=False)
    timezone: str | None
    title: str | None
    url: str = column(default="")
    organization: One[Organization]
    assignedIssues: Many[Issue] = inverse("assignee")
    createdIssues: Many[Issue] = inverse("creator")
    delegatedIssues: Many[Issue] = inverse("delegate")
    drafts: Many[Draft]
    feedFacets: Many[Facet]
    issueDrafts: Many[IssueDraft]
    teamMemberships: Many[TeamMembership] = inverse("user")
    teams: Many[Team] = through("TeamMembership")
    createdIssueCount: int = computed_field()
    identityProvider: One[IdentityProvider] | None = computed_field()
    isMe: bool = computed_field()
    discordUserId: str | None = hidden_column()
    storedIsMe: bool = hidden_column(name="isMe", default=False)
    storedCreatedIssueCount: int = hidden_column(name="createdIssueCount", default=0)

    filters = (
        "active admin app assignedIssues displayName email invited:BooleanComparator isInvited:BooleanComparator "
        "isMe name owner"
    )
    filter_variants = "nullable collection"
    update = "avatarUrl description displayName name statusEmoji statusLabel statusUntilAt timezone title"
    sort = "displayName:UserDisplayNameSort name:UserNameSort"
    roots = "list(includeDisabled:Boolean) get update"
    enabled = "active"
    payload_nullable = True


class ExternalUser(Entity):
    avatarUrl: str | None
    displayName: str = column(default="")
    email: str | None
    lastSeen: datetime | None
    name: str = column(default="")
    organization: One[Organization] = column(null=True)

    roots = "list get"
