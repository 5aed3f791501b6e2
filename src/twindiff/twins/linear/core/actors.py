"""The acting user, and the names of users."""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call
from twindiff.kit.graphql.errors import EntityNotFound

from ..model.users import User


def acting_user(call: Call) -> Any:
    """Return the user who makes the call; raise EntityNotFound if the workspace does not have that user."""
    user = call.db.find(User.row, User.row.id == call.actor)
    if user is None:
        raise EntityNotFound("User", call.actor)
    return user


def initials_of(name: str) -> str:
    """Return the initials of a name: `AL` for `Ada Lovelace`."""
    words = name.split()
    return "".join(word[0] for word in (words[:1] + words[1:][-1:])).upper()


def organization_id(call: Call) -> str:
    """Return the id of the workspace."""
    return acting_user(call).organizationId
