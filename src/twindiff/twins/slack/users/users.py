"""Users: listing, lookup, profiles and memberships.

https://docs.slack.dev/reference/methods?family=users
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import Meta

from twindiff.kit import Call, Operations, page

from ..conversations.conversation_lists import list_conversations
from ..conversations.conversations import PageSize
from ..core.access import joined_by, workspace
from ..core.errors import InvalidLimit, UserNotFound, UsersNotFound
from ..core.people import acting_bot
from ..core.tables import User, UserProfile, UserTeam
from ..rendering.message_views import SLACKBOT
from ..rendering.user_views import app_id_of, bot_id_of, profile_object, user_object
from .profiles import at_present, profile_of

api = Operations()

_MAX_PAGE_USERS = 10_000
_SLACKBOT = User(user_id=SLACKBOT, username="slackbot", email="", real_name="Slackbot")
"""Slackbot, which Slack does not mark as a bot and no template has."""


@api.method("users.list", reads=True, scope="users:read")
def list_users(
    call: Call,
    limit: Annotated[int, Meta(ge=0, le=1000), InvalidLimit] = 0,
    cursor: str = "",
    include_locale: bool = False,
) -> dict[str, Any]:
    """List all users, including bots and deactivated users; without a limit on one page.

    https://docs.slack.dev/reference/methods/users.list
    """
    people = page(call.db, User, by=User.user_id, limit=limit or _MAX_PAGE_USERS, cursor=cursor)
    return {
        "members": _render_users(call, people.rows, _with_locale(include_locale)),
        "cache_ts": call.clock.unix(),
        "response_metadata": {"next_cursor": people.next_cursor},
    }


@api.method("users.info", reads=True, scope="users:read")
def info(call: Call, user: str = "", include_locale: bool = False) -> dict[str, Any]:
    """Return one user.

    https://docs.slack.dev/reference/methods/users.info
    """
    person = _SLACKBOT if user == SLACKBOT else call.db.get(User, user, missing=UserNotFound)
    (shown,) = _render_users(call, [person], _with_locale(include_locale))
    return {"user": shown}


@api.method("users.lookupByEmail", reads=True, scope="users:read.email")
def lookup_by_email(call: Call, email: str) -> dict[str, Any]:
    """Find an active user by email address, ignoring case.

    https://docs.slack.dev/reference/methods/users.lookupByEmail
    """
    wanted = email.strip()
    same_start = call.db.rows(User, User.email.starts(wanted, fold=True)) if wanted else []
    person = next((user for user in same_start if user.email.casefold() == wanted.casefold()), None)
    if person is None or person.is_active is False:
        raise UsersNotFound
    (shown,) = _render_users(call, [person], {})
    for key in ("always_active", "bot_id", "api_app_id"):
        shown["profile"].pop(key, None)
    return {"user": shown}


@api.method("users.profile.get", reads=True, scope="users.profile:read")
def get_profile(call: Call, user: str = "", include_labels: bool = False) -> dict[str, Any]:
    """Return the profile of a user, by default the caller.

    https://docs.slack.dev/reference/methods/users.profile.get
    """
    person = call.db.get(User, user or call.actor, missing=UserNotFound)
    said = at_present(profile_of(call.db, person.user_id), call.clock.unix())
    shown = {**profile_object(person, said), "always_active": bool(person.is_bot)}
    return {"profile": {**shown, "fields": said.fields or {}}}


@api.method("users.conversations", reads=True, scope="channels:read")
def list_conversations_of(
    call: Call,
    user: str = "",
    types: str | list[str] = "public_channel",
    exclude_archived: bool = False,
    limit: PageSize = 100,
    cursor: str = "",
) -> dict[str, Any]:
    """List the conversations of a user, by default the caller, that the caller may see.

    https://docs.slack.dev/reference/methods/users.conversations
    """
    person = call.db.get(User, user or call.actor, missing=UserNotFound)
    return list_conversations(
        call,
        "users.conversations",
        types,
        joined_by(person.user_id),
        exclude_archived=exclude_archived,
        limit=limit,
        cursor=cursor,
    )


def _with_locale(include_locale: bool) -> dict[str, Any]:
    return {"is_workflow_bot": False, **({"locale": "en-US"} if include_locale else {})}


def _render_users(call: Call, users: Sequence[User], also: dict[str, Any]) -> list[dict[str, Any]]:
    """Return users in Slack's form, with their roles and profiles."""
    team_id, now = workspace(call.db).team_id, call.clock.now
    ids = [user.user_id for user in users]
    places = call.db.rows(UserTeam, UserTeam.user_id.in_(ids))
    said = call.db.rows(UserProfile, UserProfile.user_id.in_(ids))
    profiles = {each.user_id: at_present(each, call.clock.unix()) for each in said}
    roles = {place.user_id: place for place in places}
    caller = acting_bot(call)
    shown: list[dict[str, Any]] = []
    for user in users:
        place = roles.get(user.user_id)
        said = profiles.get(user.user_id)
        person = user_object(user, place.team_id if place else team_id, place.role if place else None, now, said)
        is_bot = bool(user.is_bot) or user == caller
        person["is_bot"] = person["profile"]["always_active"] = is_bot
        if is_bot:
            person["profile"].update(bot_id=bot_id_of(user), api_app_id=app_id_of(user))
        shown.append({**person, **also})
    return shown
