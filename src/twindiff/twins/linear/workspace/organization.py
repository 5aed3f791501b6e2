"""The workspace: its settings and invitations.  https://linear.app/docs/workspaces"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from twindiff.kit import Call
from twindiff.kit.clock import Clock, micros_of
from twindiff.kit.graphql import Section, entity_operations
from twindiff.kit.graphql.errors import EntityNotFound, InvalidInput
from twindiff.kit.rows import Expression

from ..core.actors import organization_id
from ..model.associations import InvitedTeam
from ..model.customers import Customer
from ..model.issues import Issue
from ..model.organization import AuditEntry, Organization, OrganizationInvite
from ..model.teams import Team
from ..model.users import User

api = Section()

DAYS_TO_ACCEPT = 14


@api.query("organization: Organization!")
def organization(call: Call) -> Any:
    """Get the workspace of the caller."""
    workspace = call.db.find(Organization.row, Organization.row.id == organization_id(call))
    if workspace is None:
        raise EntityNotFound("Organization")
    return workspace


@api.query("organizationExists(urlKey: String!): OrganizationExistsPayload!")
def organization_exists(call: Call, url_key: str) -> dict[str, Any]:
    """Return whether a workspace has the URL key."""
    workspace = call.db.find(Organization.row, Organization.row.urlKey == url_key)
    return {"exists": workspace is not None, "success": True}


@api.mutation("organizationUpdate")
def organization_update(call: Call, input: dict[str, Any]) -> dict[str, Any]:
    """Update the settings of the workspace."""
    return {"organization": entity_operations.update(call, Organization, organization(call), input)}


@api.mutation("organizationDelete")
def organization_delete(call: Call, input: dict[str, Any]) -> dict[str, Any]:
    """Refuse to delete the workspace: that requires a code that is only sent by mail."""
    raise InvalidInput("deletionCode: the code is not valid.")


@api.field(Organization, "createdIssueCount")
def created_issue_count(call: Call, rows: list[Any]) -> list[int]:
    """Return the number of issues ever created."""
    return [call.db.count(Issue.row)] * len(rows)


@api.field(Organization, "userCount")
def user_count(call: Call, rows: list[Any]) -> list[int]:
    """Return the number of active users."""
    return [call.db.count(User.row, User.row.active)] * len(rows)


@api.field(Organization, "customerCount")
def customer_count(call: Call, rows: list[Any]) -> list[int]:
    """Return the number of customers."""
    return [call.db.count(Customer.row, Customer.row.archivedAt.is_null())] * len(rows)


@api.before_create(OrganizationInvite)
def create_invite(call: Call, values: dict[str, Any], given: dict[str, Any]) -> None:
    """Validate a new invitation, to neither a user nor an invited address, and let it expire after two weeks."""
    invite, email = OrganizationInvite.row, values["email"]
    if "@" not in email:
        raise InvalidInput("email: it must be an email address.")
    if call.db.find(User.row, User.row.email.equals(email)):
        raise InvalidInput("email: this person is in the workspace already.")
    if call.db.find(invite, invite.email.equals(email), invite.acceptedAt.is_null()):
        raise InvalidInput("email: this person is invited already.")
    ends = Clock(micros_of(call.clock.now + timedelta(days=DAYS_TO_ACCEPT))).iso()
    values |= {"inviterId": call.actor, "organizationId": organization_id(call), "expiresAt": ends}


@api.after_create(OrganizationInvite)
def invite_to_teams(call: Call, row: Any, given: dict[str, Any]) -> None:
    """Store the teams that an invited user will join."""
    for team in dict.fromkeys(given.get("teamIds") or []):
        call.db.add(InvitedTeam(organization_invite_id=row.id, team_id=entity_operations.find(call, Team, team).id))


@api.after_update(OrganizationInvite)
def invite_to_other_teams(call: Call, before: Any, after: Any, given: dict[str, Any]) -> None:
    """Replace the teams of an invitation, if the update names teams."""
    if given.get("teamIds") is not None:
        _forget_teams(call, after)
        invite_to_teams(call, after, given)


@api.before_delete(OrganizationInvite)
def withdraw_invite(call: Call, row: Any, changes: dict[str, Any], arguments: dict[str, Any]) -> None:
    """Delete the teams of a deleted invitation."""
    _forget_teams(call, row)


def _forget_teams(call: Call, invite: Any) -> None:
    for link in call.db.rows(InvitedTeam, InvitedTeam.organization_invite_id == invite.id):
        call.db.remove(link)


def _in_metadata(name: str) -> None:
    """Register a filter on a field of an audit entry's metadata."""

    @api.filter(AuditEntry, name)
    def matches(call: Call, comparator: dict[str, Any]) -> Expression:  # pyright: ignore[reportUnusedFunction]
        return entity_operations.compare_column(call, AuditEntry, AuditEntry.row.metadata.json(name), comparator)


for _name in ("entityId", "entityIdentifier", "entityType"):
    _in_metadata(_name)
