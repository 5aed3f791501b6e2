"""Who may do what: one table of the operations that need a role, and a guard for each.

The statements are those of the published schema's descriptions, of the pages on roles, and of public reports.
https://linear.app/docs/members-roles · https://linear.app/docs/workspace-owner
"""

from __future__ import annotations

from typing import Any, NamedTuple

from twindiff.kit import Call
from twindiff.kit.graphql import Entity, Section, entity_operations
from twindiff.kit.graphql.errors import Forbidden

from ..model.comments import Comment
from ..model.initiatives import InitiativeUpdate
from ..model.project_parts import ProjectUpdate
from ..model.teams import Team, TeamMembership
from ..model.webhooks import Webhook
from .actors import acting_user
from .token_scopes import has_scope

api = Section()


class InvalidRole(Forbidden):
    """The operation needs an admin. https://github.com/PipedreamHQ/pipedream/issues/14876"""

    def __init__(self) -> None:
        super().__init__("You need to be an admin of the workspace to do this.", title="Invalid role: admin required")


class ForAdmins(NamedTuple):
    """Operations for admins and owners of the workspace."""

    roots: str
    fields: str = ""
    """Arguments or fields of the input that need the role; empty if the operation itself does."""
    lenient: bool = False
    """Whether lenient environments check it too."""

    def check(self, call: Call, arguments: dict[str, Any]) -> None:
        if _asks_for(self.fields, arguments) and not (_is_admin(call) and has_scope(call, "admin")):
            raise InvalidRole


class ForTeamOwners(NamedTuple):
    """Operations on a team, or on somebody's membership of one, for owners of the team and admins of the workspace."""

    roots: str
    entity: type[Entity] = Team
    own: bool = False
    """Whether members may do it to their own membership."""
    lenient: bool = False

    def check(self, call: Call, arguments: dict[str, Any]) -> None:
        row = entity_operations.find(call, self.entity, arguments["id"])
        team_id = row.id if self.entity is Team else row.teamId
        if _is_admin(call) or _owns_team(call, team_id) or (self.own and row.userId == call.actor):
            return
        raise Forbidden(
            "You need to be an owner of the team or an admin of the workspace to do this.",
            title="Invalid role: team owner or admin required",
        )


class ForAuthors(NamedTuple):
    """Operations on what somebody wrote, for its author and, if `admins`, for admins."""

    roots: str
    entity: type[Entity]
    fields: str = ""
    admins: bool = False
    lenient: bool = False

    def check(self, call: Call, arguments: dict[str, Any]) -> None:
        if not _asks_for(self.fields, arguments):
            return
        row = entity_operations.find(call, self.entity, arguments["id"])
        if row.userId == call.actor or (self.admins and _is_admin(call)):
            return
        who = "its author and admins" if self.admins else "its author"
        raise Forbidden(f"Only {who} can do this.", title=f"Forbidden: only {who} can do this")


Permission = ForAdmins | ForTeamOwners | ForAuthors

_WEBHOOKS = ForAdmins("webhook webhooks webhookCreate webhookUpdate webhookDelete")

PERMISSIONS: tuple[Permission, ...] = (
    ForAdmins("organizationUpdate organizationDelete userSuspend userUnsuspend userChangeRole", lenient=True),
    ForAdmins("userSessions auditEntries"),
    _WEBHOOKS,
    ForAdmins("integrationDelete integrationsSettingsCreate integrationsSettingsUpdate"),
    ForAdmins("integrationTemplateCreate integrationTemplateDelete"),
    ForAdmins("projectStatusCreate projectStatusUpdate projectStatusArchive projectStatusUnarchive"),
    ForAdmins("customerStatusCreate customerStatusUpdate customerStatusDelete"),
    ForAdmins("customerTierCreate customerTierUpdate customerTierDelete"),
    ForAdmins("issueDelete", fields="permanentlyDelete", lenient=True),
    ForAdmins("teamCreate teamUpdate", fields="joinByDefault scimManaged"),
    ForTeamOwners("teamDelete teamUnarchive", lenient=True),
    ForTeamOwners("teamUpdate teamCyclesDelete"),
    ForTeamOwners("teamMembershipUpdate", TeamMembership),
    ForTeamOwners("teamMembershipDelete", TeamMembership, own=True),
    ForAuthors("commentUpdate", Comment, fields="body bodyData"),
    ForAuthors("commentDelete", Comment, admins=True),
    ForAuthors("projectUpdateUpdate", ProjectUpdate),
    ForAuthors("projectUpdateArchive projectUpdateDelete projectUpdateUnarchive", ProjectUpdate, admins=True),
    ForAuthors("initiativeUpdateUpdate", InitiativeUpdate),
    ForAuthors("initiativeUpdateArchive initiativeUpdateUnarchive", InitiativeUpdate, admins=True),
)
"""The operations that need a role. Lenient environments check those that say so, and all for guests."""


@api.visible(Webhook)
def check_webhooks(call: Call) -> None:
    """Raise InvalidRole for webhooks that are read through a team by somebody who may not list them."""
    if _holds(call, _WEBHOOKS):
        _WEBHOOKS.check(call, {})


def _register(root: str) -> None:
    permissions = [each for each in PERMISSIONS if root in each.roots.split()]

    @api.guard(root)
    def guard(call: Call, arguments: dict[str, Any]) -> None:  # pyright: ignore[reportUnusedFunction] - registered
        for permission in permissions:
            if _holds(call, permission):
                permission.check(call, arguments)


for _root in {root for permission in PERMISSIONS for root in permission.roots.split()}:
    _register(_root)


def _holds(call: Call, permission: Permission) -> bool:
    """Whether an environment checks a permission."""
    return permission.lenient or call.strict or bool(acting_user(call).guest)


def _asks_for(fields: str, arguments: dict[str, Any]) -> bool:
    """Whether an operation needs a role: if any of the fields that do is given, or if none is named."""
    given: dict[str, Any] = {**arguments, **(arguments.get("input") or {})}
    return not fields or any(given.get(name) for name in fields.split())


def _is_admin(call: Call) -> bool:
    user = acting_user(call)
    return bool(user.admin or user.owner)


def _owns_team(call: Call, team_id: str) -> bool:
    member = TeamMembership.row
    owned = (member.teamId == team_id, member.userId == call.actor, member.owner, member.archivedAt.is_null())
    return call.db.find(member, *owned) is not None
