"""Rendering of users. Each method returns some of the fields, according to Slack's type definitions.

https://docs.slack.dev/reference/objects/user-object
"""

from __future__ import annotations

import unicodedata
from datetime import datetime
from hashlib import blake2b, sha256
from typing import Any

from ..core.arguments import unix_of
from ..core.tables import User, UserProfile
from ..core.timezones import zone_object
from .entities import escape_text

_IMAGE_SIZES = (24, 32, 48, 72, 192, 512)


def user_object(
    user: User, team_id: str, role: str | None, now: datetime, said: UserProfile | None = None
) -> dict[str, Any]:
    """Return the fields of a user that all methods share; `now` determines the offset of the user's time zone."""
    return {
        "id": user.user_id,
        "team_id": team_id,
        "name": user.username,
        "real_name": _real_name(user),
        "deleted": user.is_active is False,
        "color": blake2b(user.user_id.encode(), digest_size=3).hexdigest(),
        **zone_object(user.timezone, now),
        **_standing(user, role),
        "profile": {**profile_object(user, said), "team": team_id},
        "updated": unix_of(user.updated_at or user.created_at),
    }


def _standing(user: User, role: str | None) -> dict[str, Any]:
    """Return the fields for a user's role: owner, admin, member or guest."""
    return {
        "is_admin": role in ("owner", "admin"),
        "is_owner": role == "owner",
        "is_primary_owner": role == "owner",
        "is_restricted": role == "guest",
        "is_ultra_restricted": False,
        "is_bot": bool(user.is_bot),
        "is_app_user": False,
        "is_invited_user": False,
        "is_email_confirmed": True,
        "has_2fa": False,
        "who_can_share_contact_card": "EVERYONE",
    }


def profile_object(user: User, said: UserProfile | None = None) -> dict[str, Any]:
    """Return a user's profile; `said` holds the profile fields and status that are current."""
    real_name, display_name = _real_name(user), user.display_name or ""
    first_name, _, last_name = real_name.partition(" ")
    return {
        "real_name": real_name,
        "real_name_normalized": _strip_accents(real_name),
        "display_name": display_name,
        "display_name_normalized": _strip_accents(display_name),
        "first_name": first_name,
        "last_name": last_name,
        "title": user.title or "",
        "email": user.email,
        **_images(user.email),
        **_render_profile_fields(said),
    }


def _real_name(user: User) -> str:
    return user.real_name or user.display_name or user.username


def _strip_accents(name: str) -> str:
    """Remove the accents from a name."""
    if name.isascii():
        return name
    return "".join(letter for letter in unicodedata.normalize("NFKD", name) if not unicodedata.combining(letter))


def _images(email: str) -> dict[str, Any]:
    """Return the URLs of the default avatar."""
    digest = _digest(email)
    return {"avatar_hash": f"g{digest[:11]}", **_addresses(digest)}


def image_addresses(email: str) -> dict[str, str]:
    """Return the URLs of a user's avatar by size."""
    return _addresses(_digest(email))


def _digest(email: str) -> str:
    return sha256(email.strip().lower().encode()).hexdigest()


def _addresses(digest: str) -> dict[str, str]:
    address = f"https://secure.gravatar.com/avatar/{digest}.jpg"
    return {f"image_{size}": f"{address}?s={size}" for size in _IMAGE_SIZES}


def _render_profile_fields(said: UserProfile | None) -> dict[str, Any]:
    """Return the profile fields that a user can set; the twin has no huddles."""
    return {
        "phone": said.phone if said else "",
        "skype": said.skype if said else "",
        "pronouns": said.pronouns if said else "",
        "start_date": said.start_date if said else "",
        "status_text": escape_text(said.status_text) if said else "",
        "status_text_canonical": "",
        "status_emoji": said.status_emoji if said else "",
        "status_emoji_display_info": [],
        "status_expiration": said.status_expiration if said else 0,
        "huddle_state": "default_unset",
        "huddle_state_expiration_ts": 0,
    }


def bot_id_of(user: User) -> str:
    """Return the bot id of a bot user."""
    return f"B{user.user_id[1:]}"


def user_of_bot(bot: str) -> str:
    """Return the user id of a bot id."""
    return f"U{bot[1:]}"


def app_id_of(user: User) -> str:
    """Return the app id of a bot user."""
    return f"A{user.user_id[1:]}"


def bot_author(user: User, team_id: str) -> dict[str, Any]:
    """Return the fields that a message has about the bot that wrote it."""
    bot = bot_object(user)
    names = ("id", "app_id", "user_id", "name", "icons", "deleted", "updated")
    profile = {**{name: bot[name] for name in names}, "team_id": team_id}
    return {"bot_id": bot["id"], "app_id": bot["app_id"], "bot_profile": profile}


def bot_object(user: User) -> dict[str, Any]:
    """Return the bot of a bot user in Slack's form."""
    images = image_addresses(user.email)
    return {
        "id": bot_id_of(user),
        "app_id": app_id_of(user),
        "user_id": user.user_id,
        "name": _real_name(user),
        "deleted": user.is_active is False,
        "updated": unix_of(user.updated_at or user.created_at),
        "icons": {"image_36": images["image_32"], "image_48": images["image_48"], "image_72": images["image_72"]},
        "is_workflow_bot": False,
        "is_legacy_workflow_bot": False,
        "is_connector_bot": False,
    }
