"""Settings of the caller, and the users with the caller's email address.

https://linear.app/docs/account-preferences · https://linear.app/docs/notifications
"""

from __future__ import annotations

import re
from typing import Any, cast
from uuid import NAMESPACE_URL, uuid5

from twindiff.kit import Call
from twindiff.kit.graphql import Section, entity_operations
from twindiff.kit.graphql.errors import EntityNotFound, InvalidInput

from ..core.actors import acting_user
from ..model.organization import Organization
from ..model.settings import UserSettings
from ..model.users import User

api = Section()

CATEGORIES = (
    "appsAndIntegrations", "assignments", "billing", "commentsAndReplies", "customers", "documentChanges", "feed",
    "mentions", "postsAndUpdates", "reactions", "reminders", "reviews", "statusChanges", "subscriptions", "system",
    "triage",
)  # fmt: skip
_HOUR = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d")
_CHANNELS = {"desktop": True, "email": True, "mobile": True, "slack": False}
_MERGED = ("notificationCategoryPreferences", "notificationChannelPreferences", "notificationDeliveryPreferences")


def _id_of(kind: str, thing: str) -> str:
    return str(uuid5(NAMESPACE_URL, f"linear:{kind}:{thing}"))


def _settings(call: Call) -> Any:
    """Return the caller's stored settings, or default ones if they never changed any."""
    row, user = UserSettings.row, acting_user(call)
    return call.db.find(row, row.userId == user.id) or row(
        id=_id_of("userSettings", user.id),
        createdAt=user.createdAt,
        updatedAt=user.createdAt,
        userId=user.id,
        notificationCategoryPreferences=dict.fromkeys(CATEGORIES, _CHANNELS),
        notificationChannelPreferences=_CHANNELS,
    )


@api.query("userSettings: UserSettings!")
def user_settings(call: Call) -> Any:
    """Get the caller's settings."""
    return _settings(call)


@api.mutation("userSettingsUpdate")
def user_settings_update(call: Call, id: str, input: dict[str, Any]) -> dict[str, Any]:
    """Update the caller's settings; raise EntityNotFound for those of another user."""
    settings = _settings(call)
    if settings.id != id:
        raise EntityNotFound("UserSettings", id)
    row = UserSettings.row
    stored = call.db.find(row, row.id == id) or call.db.add(settings)
    return {"userSettings": entity_operations.update(call, UserSettings, stored, input)}


@api.before_update(UserSettings)
def merge_settings(call: Call, row: Any, changes: dict[str, Any], given: dict[str, Any]) -> None:
    """Merge partial preferences into the stored ones."""
    preferences: dict[str, Any] = given.get("notificationDeliveryPreferences") or {}
    for mode in preferences.values():
        _check_hours(cast(dict[str, Any], mode or {}).get("schedule") or {})
    for name in _MERGED:
        if changes.get(name) is not None:
            changes[name] = _merge_settings(getattr(row, name), changes[name])


def _check_hours(schedule: dict[str, Any]) -> None:
    """Raise InvalidInput unless the window of each day is in HH:MM and ends after it begins."""
    for hours in schedule.values():
        start, end = (cast(dict[str, Any], hours or {}).get(name) for name in ("start", "end"))
        if any(each is not None and not _HOUR.fullmatch(each) for each in (start, end)):
            raise InvalidInput("start and end must be in the format HH:MM.")
        if start and end and start >= end:
            raise InvalidInput("end must be later than start.")


def _merge_settings(before: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    nested = {name: cast(dict[str, Any], value) for name, value in given.items() if isinstance(value, dict)}
    return {
        **before,
        **given,
        **{name: _merge_settings(before.get(name) or {}, value) for name, value in nested.items()},
    }


@api.query("availableUsers: AuthResolverResponse!")
def available_users(call: Call) -> dict[str, Any]:
    """List the users with the caller's email address, which belong to one account."""
    me, user = acting_user(call), User.row
    account = _id_of("userAccount", me.email)
    people = call.db.rows(user, user.email.equals(me.email), order=user.createdAt)
    users = [_auth_user(call, each, account) for each in people]
    return {
        "id": account,
        "email": me.email,
        "lastUsedOrganizationId": me.organizationId,
        "users": [each for each in users if each["active"]],
        "lockedUsers": [each for each in users if not each["active"]],
    }


def _auth_user(call: Call, user: Any, account: str) -> dict[str, Any]:
    plain = ("id", "name", "displayName", "email", "avatarUrl", "active", "createdAt")
    role = next((name for name in ("owner", "admin", "guest", "app") if getattr(user, name)), "user")
    return {
        **{name: getattr(user, name) for name in plain},
        "role": role,
        "userAccountId": account,
        "organization": _auth_organization(call, user.organizationId),
    }


def _auth_organization(call: Call, id: str) -> dict[str, Any]:
    row, user = call.db.get(Organization.row, id), User.row
    same = (
        "id", "name", "urlKey", "logoUrl", "createdAt", "allowedAuthServices", "authSettings", "previousUrlKeys",
        "releaseChannel", "samlEnabled", "samlSettings", "scimEnabled", "deletionRequestedAt",
        "hideNonPrimaryOrganizations",
    )  # fmt: skip
    count = float(call.db.count(user, user.organizationId == id, user.active))
    return {
        **{name: getattr(row, name) for name in same},
        "approximateUserCount": count,
        "userCount": count,
        "cell": "us",
        "region": "us",
        "enabled": row.archivedAt is None,
        "serviceId": row.id,
    }
