"""Removes users of other enterprises from collaborations (API version 2025.0).

https://developer.box.com/reference/v2025.0/post-external-users-submit-delete-job
"""

from __future__ import annotations

from typing import Annotated, Literal

from twindiff.kit import Call, Meta, Operations, Struct
from twindiff.twins.box.wire_style import require_version

from ..core.access import TABLE_OF, acting_user, require_admin, user_of
from ..tables.further_tables import Collaboration
from ..views.item_views import Shown
from .users import enterprise_of

api = Operations(prefix="/2.0", layers=(require_version,))


class UserRef(Struct):
    """A reference to a user."""

    id: str
    type: Literal["user"] = "user"


@api.post("/external_users/submit_delete_job", status=207)
def submit_delete_job(call: Call, external_users: Annotated[list[UserRef], Meta(min_length=1)]) -> Shown:
    """Remove users of other enterprises from all collaborations on the enterprise's content. The job ends at once.

    https://developer.box.com/reference/v2025.0/post-external-users-submit-delete-job
    """
    require_admin(call)
    return {"entries": [_let_go(call, each.id) for each in external_users]}


def _let_go(call: Call, user_id: str) -> Shown:
    """Remove one user and return the outcome as an HTTP status."""
    user, here = user_of(call, user_id), enterprise_of(acting_user(call))["id"]
    if user is None or enterprise_of(user)["id"] == here:
        return {"user_id": user_id, "status": 404, "detail": "There is no such external user"}
    for row in call.db.rows(Collaboration, Collaboration.accessible_by_id == user.id):
        table = TABLE_OF[row.item_type]
        item = call.db.find(table, table.id == row.item_id)
        owner = user_of(call, item.owned_by_id) if item else None
        if owner is None or enterprise_of(owner)["id"] == here:
            call.db.remove(row)
    return {"user_id": user_id, "status": 202}
