"""The workspace, its custom emoji and its bots.

https://docs.slack.dev/reference/methods?family=team
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import ApiError, Call, Operations

from ..core.access import workspace
from ..core.addresses import workspace_domain, workspace_url
from ..core.arguments import unix_of
from ..core.emoji import WORKSPACE_EMOJI
from ..core.errors import BotNotFound, TeamNotFound
from ..core.people import acting_bot
from ..core.tables import Message, ProfileField, User
from ..rendering.user_views import bot_object, user_of_bot

api = Operations()


@api.method("api.test", reads=True, open=True)
def echo(call: Call, error: str = "", foo: str = "") -> dict[str, Any]:
    """Return the given arguments; with `error`, as an error with that code.

    https://docs.slack.dev/reference/methods/api.test
    """
    given = {name: value for name, value in (("error", error), ("foo", foo)) if value}
    if error:
        raise _build_error(error)(args=given)
    return {"args": given} if given else {}


def _build_error(code: str) -> type[ApiError]:
    """Return an error class with the code that the caller asks for."""
    return type("Told", (ApiError,), {"code": code})


@api.method("team.info", reads=True, scope="team:read")
def info(call: Call, team: str = "", domain: str = "") -> dict[str, Any]:
    """Return the workspace.

    https://docs.slack.dev/reference/methods/team.info
    """
    row = workspace(call.db)
    if team not in ("", row.team_id) or domain not in ("", workspace_domain(row)):
        raise TeamNotFound
    return {
        "team": {
            "id": row.team_id,
            "name": row.team_name,
            "url": workspace_url(row),
            "domain": workspace_domain(row),
            "email_domain": "",
            "icon": {"image_default": True},
            "avatar_base_url": "https://ca.slack-edge.com/",
            "is_verified": False,
            "is_sfdc_auto_slack": False,
            "lob_sales_home_enabled": False,
            "discoverable": "unlisted",
            "locale": "en-US",
        }
    }


@api.method("team.billing.info", reads=True, scope="team.billing:read")
def billing_info(call: Call) -> dict[str, Any]:
    """Return the plan of the workspace.

    https://docs.slack.dev/reference/methods/team.billing.info
    """
    return {"plan": "plus"}


@api.method("team.profile.get", reads=True, scope="users.profile:read")
def get_profile(call: Call, visibility: str = "all") -> dict[str, Any]:
    """List the custom fields that the workspace adds to all profiles.

    https://docs.slack.dev/reference/methods/team.profile.get
    """
    fields = call.db.rows(ProfileField, order=(ProfileField.ordering, ProfileField.field_id))
    return {"profile": {"fields": [_field(each) for each in fields], "sections": []}}


def _field(field: ProfileField) -> dict[str, Any]:
    return {
        "id": field.field_id,
        "ordering": field.ordering,
        "field_name": field.label.lower().replace(" ", "_"),
        "label": field.label,
        "hint": field.hint,
        "type": field.type,
        "possible_values": [],
        "options": {},
        "is_hidden": False,
    }


@api.method("emoji.list", reads=True, scope="emoji:read")
def list_emoji(call: Call, include_categories: bool = False) -> dict[str, Any]:
    """List the custom emoji of the workspace.

    https://docs.slack.dev/reference/methods/emoji.list
    """
    home = f"https://emoji.slack-edge.com/{workspace(call.db).team_id}"
    emoji = {name: f"{home}/{name}.png" for name in sorted(WORKSPACE_EMOJI)}
    answer: dict[str, Any] = {"emoji": emoji, "cache_ts": f"{unix_of(workspace(call.db).created_at)}.000000"}
    return {**answer, "categories": [], "categories_version": "1"} if include_categories else answer


@api.method("bots.info", reads=True, scope="users:read")
def bot_info(call: Call, bot: str = "") -> dict[str, Any]:
    """Return a bot by its id, which is its user's id with another first letter.

    https://docs.slack.dev/reference/methods/bots.info
    """
    if not bot:
        return {}
    user = call.db.find(User, User.user_id == user_of_bot(bot))
    is_known = user and (user.is_bot or acting_bot(call) == user or call.db.find(Message, Message.bot_id == bot))
    if user is None or not is_known:
        raise BotNotFound
    return {"bot": bot_object(user)}
