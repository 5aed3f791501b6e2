"""User settings, which the API only reads.

https://developers.google.com/workspace/calendar/api/v3/reference/settings
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call, Operations

from .access import actor_of
from .errors import NotFound
from .lists import ListRequest, MaxResults, render_page
from .tables import CalendarSetting

api = Operations()

DEFAULTS = {
    "autoAddHangouts": "false",
    "dateFieldOrder": "MDY",
    "defaultEventLength": "60",
    "format24HourTime": "false",
    "hideInvitations": "false",
    "hideWeekends": "false",
    "locale": "en",
    "remindOnRespondedEventsOnly": "false",
    "showDeclinedEvents": "true",
    "timezone": "UTC",
    "useKeyboardShortcuts": "true",
    "weekStart": "0",
}


def collection_of(user_id: str) -> str:
    """Return the collection path under which changes of a user's settings are recorded and watched."""
    return f"/users/{user_id}/settings"


def settings_of(call: Call, user_id: str) -> dict[str, CalendarSetting]:
    """Return all settings of a user by id, with defaults for those without a row."""
    kept = {row.setting_id: row for row in call.db.rows(CalendarSetting, CalendarSetting.user_id == user_id)}
    return {
        name: kept.get(name) or CalendarSetting(user_id=user_id, setting_id=name, value=value)
        for name, value in {**DEFAULTS, **dict.fromkeys(kept, "")}.items()
    }


def render_setting(setting: CalendarSetting) -> dict[str, Any]:
    """Return a `setting` resource."""
    etag = setting.etag or '"0"'
    return {"kind": "calendar#setting", "etag": etag, "id": setting.setting_id, "value": setting.value}


@api.get("/users/me/settings")
def list_settings(
    call: Call, max_results: MaxResults = 100, page_token: str = "", sync_token: str = ""
) -> dict[str, Any]:
    """List all settings of the user."""
    user = actor_of(call)
    rows = [*settings_of(call, user.id).values()]
    asked = ListRequest(collection_of(user.id), max_results, page_token, sync_token)
    return render_page(call, "calendar#settings", asked, rows, lambda row: row.setting_id, render_setting)


@api.get("/users/me/settings/{setting}")
def get_setting(call: Call, setting: str) -> dict[str, Any]:
    """Return one setting of the user."""
    row = settings_of(call, actor_of(call).id).get(setting)
    if row is None:
        raise NotFound
    return render_setting(row)
