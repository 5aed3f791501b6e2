"""User accounts across workspaces."""

# Names in annotations stand for types of the API and are never evaluated.
# ruff: noqa: F821, N815
# pyright: reportUndefinedVariable=false, reportIncompatibleVariableOverride=false, reportAssignmentType=false

from __future__ import annotations

from datetime import datetime

from twindiff.kit.graphql import Value

from .enums import IdentityProviderType, ReleaseChannel, UserRoleType


class AuthOrganization(Value):
    allowedAuthServices: list[str]
    approximateUserCount: float
    authSettings: JSONObject
    cell: str
    createdAt: datetime
    deletionRequestedAt: datetime | None
    enabled: bool
    hideNonPrimaryOrganizations: bool
    id: ID
    logoUrl: str | None
    name: str
    previousUrlKeys: list[str]
    region: str
    releaseChannel: ReleaseChannel
    samlEnabled: bool
    samlSettings: JSONObject | None
    scimEnabled: bool
    serviceId: str
    urlKey: str
    userCount: float | None


class AuthIdentityProvider(Value):
    createdAt: datetime
    defaultMigrated: bool
    id: ID
    issuerEntityId: str | None
    priority: float | None
    samlEnabled: bool
    scimEnabled: bool
    spEntityId: str | None
    ssoBinding: str | None
    ssoEndpoint: str | None
    ssoSignAlgo: str | None
    ssoSigningCert: str | None
    type: IdentityProviderType


class AuthUser(Value):
    active: bool
    avatarUrl: str | None
    createdAt: datetime
    displayName: str
    email: str
    id: ID
    identityProvider: AuthIdentityProvider | None
    name: str
    oauthClientId: str | None
    organization: AuthOrganization
    role: UserRoleType
    userAccountId: str


class AuthResolverResponse(Value):
    allowDomainAccess: bool | None
    availableOrganizations: list[AuthOrganization] | None
    email: str
    id: str
    lastUsedOrganizationId: str | None
    lockedOrganizations: list[AuthOrganization] | None
    lockedUsers: list[AuthUser]
    service: str | None
    token: str | None
    users: list[AuthUser]
