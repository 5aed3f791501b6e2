"""The caller's identity.

https://docs.slack.dev/reference/methods/auth.test
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, Operations

from ..core.access import workspace
from ..core.addresses import workspace_url
from ..core.errors import UserNotFound
from ..core.people import acting_bot
from ..core.tables import User
from ..rendering.user_views import bot_id_of

api = Operations()


@api.method("auth.test", reads=True)
def test(call: Call) -> dict[str, Any]:
    """Return the caller's user and workspace."""
    user = call.db.get(User, call.actor, missing=UserNotFound)
    team = workspace(call.db)
    return {
        "url": workspace_url(team),
        "team": team.team_name,
        "user": user.username,
        "team_id": team.team_id,
        "user_id": user.user_id,
        "is_enterprise_install": False,
        **({"bot_id": bot_id_of(user)} if acting_bot(call) else {}),
    }
