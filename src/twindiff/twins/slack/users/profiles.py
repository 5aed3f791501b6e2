"""Profiles, status, presence and do not disturb.

https://docs.slack.dev/reference/methods?family=users
"""

from __future__ import annotations

import re
from typing import Annotated, Any, cast

from msgspec import structs

from twindiff.kit import Call, Operations, Store

from ..core.access import role_of
from ..core.arguments import names_in
from ..core.emoji import is_emoji
from ..core.errors import (
    EmailTaken,
    InvalidPresence,
    InvalidProfile,
    MissingDuration,
    MustClearBothStatusTextAndStatusEmoji,
    NotAdmin,
    ProfileStatusSetFailedNotEmojiSyntax,
    ProfileStatusSetFailedNotValidEmoji,
    SnoozeNotActive,
    TooLong,
    UserNotFound,
)
from ..core.quiet_hours import quiet_hours
from ..core.tables import ProfileField, User, UserProfile
from ..core.timezones import zone_of
from ..rendering.user_views import profile_object

api = Operations()

_MAX_STATUS_CHARACTERS = 100
_MAX_FIELDS = 50
_MAX_FIELD_NAME_CHARACTERS = 255
_MAX_SNOOZE_MINUTES = 24 * 60 * 365
_OF_USER = ("display_name", "real_name", "title", "email")
_SAID = ("status_text", "status_emoji", "phone", "pronouns", "skype", "start_date")
_OF_PROFILE = (*_SAID, "status_expiration", "fields")
_MAX_CHARACTERS = {"display_name": 80, "real_name": 100, "title": 120, "email": 100}
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")
_EMOJI_SYNTAX = re.compile(r":[^:\s]+(::[^:\s]+)?:")
_LAST_SECOND = 2**53
"""The latest time at which a status may end, in seconds since 1970."""

Profile = Annotated[dict[str, Any], InvalidProfile]


def profile_of(db: Store, user: str) -> UserProfile:
    """Return a user's profile, an empty one if the user has set nothing."""
    return db.find(UserProfile, UserProfile.user_id == user) or UserProfile(user_id=user)


def at_present(said: UserProfile, now: int) -> UserProfile:
    """Return a profile as of `now`, in seconds since 1970, without an expired status."""
    if not 0 < said.status_expiration <= now:
        return said
    return structs.replace(said, status_text="", status_emoji="", status_expiration=0)


def _save(db: Store, user: str, **fields: Any) -> UserProfile:
    profile = db.find(UserProfile, UserProfile.user_id == user)
    if profile:
        return db.change(profile, **fields)
    fresh = UserProfile(user_id=user, **fields)
    return fresh if fresh == UserProfile(user_id=user) else db.add(fresh)


@api.method("users.profile.set", scope="users.profile:write")
def set_profile(
    call: Call, profile: Profile | None = None, name: str = "", value: str = "", user: str = ""
) -> dict[str, Any]:
    """Change the caller's profile; administrators may change those of others.

    https://docs.slack.dev/reference/methods/users.profile.set
    """
    person = call.db.get(User, user or call.actor, missing=UserNotFound)
    if person.user_id != call.actor and role_of(call.db, call.actor) not in ("owner", "admin"):
        raise NotAdmin
    given = profile if profile is not None else {name: value} if name else None
    if not given or len(given) > _MAX_FIELDS or any(len(each) > _MAX_FIELD_NAME_CHARACTERS for each in given):
        raise InvalidProfile
    wanted = _check_profile(call.db, person, given)
    of_user = {key: wanted[key] for key in _OF_USER if key in wanted}
    of_profile = {key: wanted[key] for key in _OF_PROFILE if key in wanted}
    person = call.db.change(person, **of_user, updated_at=call.clock.iso())
    said = _save(call.db, person.user_id, **of_profile) if of_profile else profile_of(call.db, person.user_id)
    call.emit("user_profile_changed", {"user": person.user_id})
    return {"username": person.username, "profile": {**profile_object(person, said), "fields": said.fields or {}}}


def _check_profile(db: Store, person: User, given: dict[str, Any]) -> dict[str, Any]:
    """Return the columns to change; raises the API's error for values that a profile cannot have."""
    wanted = {key: given[key] for key in (*_OF_USER, *_OF_PROFILE) if key in given}
    texts = [given[key] for key in (*_OF_USER, *_SAID, "first_name", "last_name") if key in given]
    if not all(isinstance(text, str) for text in texts):
        raise InvalidProfile
    if "first_name" in given or "last_name" in given:
        first, _, last = (person.real_name or "").partition(" ")
        names = (given.get("first_name", first), given.get("last_name", last))
        wanted["real_name"] = " ".join(part for part in names if part)
    if not wanted or not _EMAIL.fullmatch(wanted.get("email", "a@b")):
        raise InvalidProfile
    if any(len(wanted.get(key, "")) > most for key, most in _MAX_CHARACTERS.items()):
        raise TooLong
    if "fields" in wanted:
        wanted["fields"] = _fields(db, person, wanted["fields"])
    if "email" in wanted and db.find(User, User.email == wanted["email"], User.user_id != person.user_id):
        raise EmailTaken
    return _check_status(wanted, profile_of(db, person.user_id).status_emoji)


def _check_status(wanted: dict[str, Any], shown_emoji: str) -> dict[str, Any]:
    """Return the columns with the emoji of a status that has none.

    An empty text or emoji clears the status only together with the other; what is given with them does not matter.
    """
    alone = [wanted[key] for key in ("status_text", "status_emoji") if key in wanted]
    if alone == [""]:
        raise MustClearBothStatusTextAndStatusEmoji
    if len(wanted.get("status_text", "")) > _MAX_STATUS_CHARACTERS:
        raise TooLong
    emoji = wanted.get("status_emoji", "")
    if emoji and not _EMOJI_SYNTAX.fullmatch(emoji):
        raise ProfileStatusSetFailedNotEmojiSyntax
    if emoji and not is_emoji(emoji.strip(":")):
        raise ProfileStatusSetFailedNotValidEmoji
    expiration = wanted.get("status_expiration", 0)
    if isinstance(expiration, str) and expiration.isdecimal():
        wanted["status_expiration"] = expiration = int(expiration)
    if type(expiration) is not int or not 0 <= expiration <= _LAST_SECOND:
        raise InvalidProfile
    if wanted.get("status_text") and not wanted.get("status_emoji", shown_emoji):
        wanted["status_emoji"] = ":speech_balloon:"
    return wanted


def _fields(db: Store, person: User, given: Any) -> dict[str, Any]:
    """Return the custom fields of a profile, updated by the given ones; raises InvalidProfile for an unknown field."""
    known = {field.field_id for field in db.rows(ProfileField)}
    if not isinstance(given, dict) or not given.keys() <= known:
        raise InvalidProfile
    lines = cast(dict[str, Any], given)
    anew: dict[str, Any] = {key: each if isinstance(each, dict) else _line(each) for key, each in lines.items()}
    return {**(profile_of(db, person.user_id).fields or {}), **anew}


def _line(value: Any) -> dict[str, Any]:
    return {"value": value, "alt": ""}


@api.method("users.getPresence", reads=True, scope="users:read")
def get_presence(call: Call, user: str = "") -> dict[str, Any]:
    """Return the presence of a user, by default the caller: active unless deactivated or set to away.

    https://docs.slack.dev/reference/methods/users.getPresence
    """
    person = call.db.get(User, user or call.actor, missing=UserNotFound)
    away = profile_of(call.db, person.user_id).is_away
    online = not away and person.is_active is not False
    answer: dict[str, Any] = {"presence": "active" if online else "away"}
    if person.user_id != call.actor:
        return answer
    answer |= {"online": online, "auto_away": False, "manual_away": away, "connection_count": int(online)}
    return {**answer, "last_activity": call.clock.unix()} if online else answer


@api.method("users.setPresence", scope="users:write")
def set_presence(call: Call, presence: str) -> dict[str, Any]:
    """Set the caller's presence to away, or back to automatic.

    https://docs.slack.dev/reference/methods/users.setPresence
    """
    if presence not in ("auto", "away"):
        raise InvalidPresence
    _save(call.db, call.actor, is_away=presence == "away")
    return {}


@api.method("dnd.info", reads=True, scope="dnd:read")
def dnd_info(call: Call, user: str = "") -> dict[str, Any]:
    """Return the do-not-disturb hours of a user, by default the caller.

    https://docs.slack.dev/reference/methods/dnd.info
    """
    person = call.db.get(User, user or call.actor, missing=UserNotFound)
    quiet = _quiet(call, person)
    snoozing = _snooze(call, person.user_id) if person.user_id == call.actor else {}
    return {**quiet, **snoozing}


def _quiet(call: Call, person: User) -> dict[str, Any]:
    start, end = quiet_hours(call.clock.now, zone_of(person.timezone))
    return {"dnd_enabled": True, "next_dnd_start_ts": start, "next_dnd_end_ts": end}


def _snooze(call: Call, user: str) -> dict[str, Any]:
    until = profile_of(call.db, user).snoozed_until
    left = until - call.clock.unix()
    if left <= 0:
        return {}
    return {
        "snooze_enabled": True,
        "snooze_endtime": until,
        "snooze_remaining": left,
        "snooze_is_indefinite": False,
    }


@api.method("dnd.teamInfo", reads=True, scope="dnd:read")
def dnd_team_info(call: Call, users: str | list[str] = "") -> dict[str, Any]:
    """Return the do-not-disturb hours of up to 50 users.

    https://docs.slack.dev/reference/methods/dnd.teamInfo
    """
    people = call.db.rows(User, User.user_id.in_(names_in(users)[:50]))
    return {"users": {person.user_id: _quiet(call, person) for person in people}}


@api.method("dnd.setSnooze", scope="dnd:write")
def set_snooze(call: Call, num_minutes: int = 0) -> dict[str, Any]:
    """Snooze the caller's notifications for some minutes.

    https://docs.slack.dev/reference/methods/dnd.setSnooze
    """
    if num_minutes < 1:
        raise MissingDuration
    if num_minutes > _MAX_SNOOZE_MINUTES:
        raise TooLong
    _save(call.db, call.actor, snoozed_until=call.clock.unix() + num_minutes * 60)
    return _snooze(call, call.actor)


@api.method("dnd.endSnooze", scope="dnd:write")
def end_snooze(call: Call) -> dict[str, Any]:
    """End the caller's snooze.

    https://docs.slack.dev/reference/methods/dnd.endSnooze
    """
    if not _snooze(call, call.actor):
        raise SnoozeNotActive
    _save(call.db, call.actor, snoozed_until=0)
    person = call.db.get(User, call.actor, missing=UserNotFound)
    return {**_quiet(call, person), "snooze_enabled": False}


@api.due(UserProfile.status_expiration, actor=UserProfile.user_id)
def clear_status(call: Call, row: UserProfile) -> None:
    """Clear a status that has expired.

    https://docs.slack.dev/reference/methods/users.profile.set#custom-status
    """
    call.db.change(row, status_text="", status_emoji="", status_expiration=0)
    call.emit("user_profile_changed", {"user": row.user_id})


@api.due(UserProfile.snoozed_until, actor=UserProfile.user_id)
def end_snoozing(call: Call, row: UserProfile) -> None:
    """End a snooze that has expired.

    https://docs.slack.dev/reference/methods/dnd.setSnooze
    """
    call.db.change(row, snoozed_until=0)
