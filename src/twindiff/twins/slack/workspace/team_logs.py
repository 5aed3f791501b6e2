"""Administration of a workspace: preferences, billing, and logs of access and integrations.

https://docs.slack.dev/reference/methods?family=team
"""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit import Call, Meta, Operations, not_

from ..core.access import holds, workspace
from ..core.errors import UserNotFound
from ..core.tables import TeamSetting, User

api = Operations()

Count = Annotated[int, Meta(ge=1, le=1000)]
Page = Annotated[int, Meta(ge=1, le=100)]


@api.method("team.preferences.list", reads=True, scope="team.preferences:read")
def list_preferences(call: Call) -> dict[str, Any]:
    """Return the workspace's preferences: unlimited message editing, and a general channel open to all.

    Slack no longer returns `allow_message_deletion`: https://docs.slack.dev/changelog/2025/08/26/field-deprecation
    https://docs.slack.dev/reference/methods/team.preferences.list
    """
    setting = call.db.find(TeamSetting, TeamSetting.team_id == workspace(call.db).team_id)
    takes_files = setting is None or setting.allow_file_uploads is not False
    return {
        "display_real_names": False,
        "disable_file_uploads": "allow_all" if takes_files else "disallow_all",
        "msg_edit_window_mins": -1,
        "who_can_post_general": "everyone",
    }


@api.method("team.billableInfo", reads=True, scope="admin")
def billable_info(call: Call, user: str = "") -> dict[str, Any]:
    """Return whether each user is billed: active users are, bots are not listed.

    https://docs.slack.dev/reference/methods/team.billableInfo
    """
    mine = (User.user_id == user,) if user else ()
    people = call.db.rows(User, not_(holds(User.is_bot)), *mine, order=(User.user_id,))
    if user and not people:
        raise UserNotFound
    return {"billable_info": {each.user_id: {"billing_active": each.is_active is not False} for each in people}}


@api.method("team.accessLogs", reads=True, scope="admin")
def access_logs(call: Call, count: Count = 100, page: Page = 1) -> dict[str, Any]:
    """List logins; the list is empty, as users do not sign in to a twin.

    https://docs.slack.dev/reference/methods/team.accessLogs
    """
    return {"logins": [], "paging": {"count": count, "total": 0, "page": page, "pages": 0}}


@api.method("team.integrationLogs", reads=True, scope="admin")
def integration_logs(call: Call, count: Count = 100, page: Page = 1) -> dict[str, Any]:
    """List installed integrations; the list is empty, as a twin has none.

    https://docs.slack.dev/reference/methods/team.integrationLogs
    """
    return {"logs": [], "paging": {"count": count, "total": 0, "page": page, "pages": 0}}
