"""Invitations of users with an account elsewhere into the enterprise.

https://developer.box.com/reference/resources/invite
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, Operations, Struct
from twindiff.twins.box.wire_style import wanted_fields

from ..core.access import acting_user, require_admin
from ..core.errors import NotFound, UserInEnterprise
from ..core.row_stamps import format_instant, new_id
from ..tables.administration_tables import Invite
from ..tables.item_tables import User
from ..views.item_views import Shown, pick_fields, user_mini
from .users import enterprise_of

api = Operations(prefix="/2.0")


class EnterpriseRef(Struct):
    """A reference to an enterprise."""

    id: str


class InvitedUser(Struct):
    """The invited user, by mail address."""

    login: str


def _invite_object(call: Call, invite: Invite) -> Shown:
    enterprise: dict[str, Any] = enterprise_of(acting_user(call))
    return {
        "type": invite.type,
        "id": invite.id,
        "invited_to": {"type": "enterprise", "id": enterprise["id"], "name": enterprise.get("name", "")},
        "actionable_by": user_mini(call, invite.actionable_by_id),
        "invited_by": user_mini(call, invite.invited_by_id),
        "status": invite.status,
        "created_at": format_instant(invite.created_at),
        "modified_at": format_instant(invite.modified_at or invite.created_at),
    }


@api.post("/invites")
def create_invite(call: Call, enterprise: EnterpriseRef, actionable_by: InvitedUser, fields: str = "") -> Shown:
    """Invite a user of another enterprise. The invitation stays pending.

    https://developer.box.com/reference/post-invites
    """
    require_admin(call)
    here = enterprise_of(acting_user(call))["id"]
    if enterprise.id != here:
        raise NotFound.of("enterprise", enterprise.id)
    user = call.db.find(User, User.login.equals(actionable_by.login))
    if user is None:
        raise NotFound.of("user", actionable_by.login)
    if enterprise_of(user)["id"] == here:
        raise UserInEnterprise
    now = call.clock.iso()
    made = Invite(
        id=new_id(call, 7), actionable_by_id=user.id, invited_by_id=call.actor, created_at=now, modified_at=now
    )
    return pick_fields(_invite_object(call, call.db.add(made)), wanted_fields(fields))


@api.get("/invites/{invite_id}")
def get_invite(call: Call, invite_id: str, fields: str = "") -> Shown:
    """Get an invitation.

    https://developer.box.com/reference/get-invites-id
    """
    require_admin(call)
    invite = call.db.find(Invite, Invite.id == invite_id)
    if invite is None:
        raise NotFound.of("invite", invite_id)
    return pick_fields(_invite_object(call, invite), wanted_fields(fields))
