"""Users of the workspace.  https://linear.app/docs/members-roles"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, any_of
from twindiff.kit.graphql import Section, entity_operations, yes_or_no
from twindiff.kit.graphql.errors import Forbidden, InvalidInput
from twindiff.kit.rows import Expression

from ..core.actors import acting_user
from ..core.counts import tally
from ..model.issues import Issue
from ..model.users import User

api = Section()

ROLES = {
    "owner": (True, False),
    "admin": (True, False),
    "guest": (False, True),
    "user": (False, False),
    "app": (False, False),
}


@api.query("viewer: User!")
def viewer(call: Call) -> Any:
    """Get the calling user."""
    return acting_user(call)


@api.lookup(User)
def user_id(call: Call, given: str) -> str:
    """Resolve `me` to the calling user's id. Other texts are returned unchanged."""
    return call.actor if given == "me" else given


@api.field(User, "isMe", needs="id")
def is_me(call: Call, rows: list[Any]) -> list[bool]:
    """Return, for each user, whether it is the calling user."""
    return [row.id == call.actor for row in rows]


@api.filter(User, "isMe")
def filter_is_me(call: Call, comparator: dict[str, Any]) -> Expression:
    """Build the condition for the calling user, or for all others."""
    return yes_or_no(User.row.id == call.actor, comparator)


@api.filter(User, "invited")
@api.filter(User, "isInvited")
def is_invited(call: Call, comparator: dict[str, Any]) -> Expression:
    """Build the condition for invited users. There are none: an invitation becomes a user when it is accepted."""
    return yes_or_no(any_of(), comparator)


@api.field(User, "createdIssueCount", needs="id")
def created_issue_count(call: Call, rows: list[Any]) -> list[int]:
    """Return the number of issues that each user has created."""
    return tally(call, Issue.row.creatorId, rows)


@api.before_update(User)
def update_user(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    """Validate a profile change: users may change their own profile, admins any profile."""
    if row.id != call.actor and not acting_user(call).admin:
        raise Forbidden("You can only change your own profile.")
    for name in ("name", "displayName"):
        if name in changes and not (changes[name] or "").strip():
            raise InvalidInput(f"{name}: it must not be empty.")


@api.mutation("userSuspend(forceBypassScimRestrictions: Boolean, id: String!): UserAdminPayload!")
def user_suspend(call: Call, id: str, force_bypass_scim_restrictions: bool | None = None) -> dict[str, Any]:
    """Suspend a user."""
    row = entity_operations.find(call, User, id)
    if row.id == call.actor:
        raise InvalidInput("id: nobody can suspend themselves.")
    call.db.change(row, active=False, disableReason="Suspended by an admin", updatedAt=call.clock.iso())
    return {"success": True}


@api.mutation("userUnsuspend(forceBypassScimRestrictions: Boolean, id: String!): UserAdminPayload!")
def user_unsuspend(call: Call, id: str, force_bypass_scim_restrictions: bool | None = None) -> dict[str, Any]:
    """Reactivate a suspended user."""
    row = entity_operations.find(call, User, id)
    call.db.change(row, active=True, disableReason=None, updatedAt=call.clock.iso())
    return {"success": True}


@api.mutation("userChangeRole(id: String!, role: UserRoleType!): UserAdminPayload!")
def user_change_role(call: Call, id: str, role: str) -> dict[str, Any]:
    """Make a user an admin, a member or a guest."""
    row = entity_operations.find(call, User, id)
    admin, guest = ROLES[role]
    call.db.change(row, admin=admin, guest=guest, owner=role == "owner", updatedAt=call.clock.iso())
    return {"success": True}
