"""JSON Web Tokens of the environment's app, and the bot that its installations act as.

https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from twindiff.kit import Call
from twindiff.kit.oauth import claims_of

from ..core.stamps import new_id
from ..tables.user_tables import User
from ..views.app_views import APP_ID, APP_SLUG, CLIENT_ID
from ..wire_style import BadCredentials
from .app_keys import is_signed_by_app

BOT = f"{APP_SLUG}[bot]"
MAX_JWT_SECONDS = 600
MAX_DRIFT_SECONDS = 60
_JWT = re.compile(r"[\w-]+\.[\w-]+\.[\w-]*")


def is_jwt(token: str) -> bool:
    """Return whether a token has the form of a JSON Web Token."""
    return token.startswith("eyJ") and _JWT.fullmatch(token) is not None


def check_jwt(call: Call, token: str) -> None:
    """Raise BadCredentials for a token that GitHub refuses: by its form, issuer, signature or times.

    Times are compared with each other, as a program's clock need not be the environment's.
    """
    claims = claims_of(token)
    if claims is None:
        raise BadCredentials("A JSON web token could not be decoded")
    if str(claims.get("iss", "")) not in (str(APP_ID), CLIENT_ID):
        raise BadCredentials("Integration not found")
    if not is_signed_by_app(call, token):
        raise BadCredentials("A JSON web token could not be decoded")
    issued, expires = (_read_time(claims, name) for name in ("iat", "exp"))
    if issued is None:
        raise BadCredentials("Missing 'issued at' claim ('iat') in assertion")
    if expires is None or expires <= issued:
        text = "must be a numeric value representing the future time at which the assertion expires"
        raise BadCredentials(f"'Expiration time' claim ('exp') {text}")
    if expires - issued > MAX_JWT_SECONDS + MAX_DRIFT_SECONDS:
        raise BadCredentials("'Expiration time' claim ('exp') is too far in the future")


def _read_time(claims: Mapping[str, Any], name: str) -> float | None:
    value = claims.get(name)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def find_bot(call: Call) -> User:
    """Return the user that installations act as, who is made when first needed."""
    known = call.db.find(User, User.login == BOT)
    if known:
        return known
    now = call.clock.iso()
    return call.db.add(User(login=BOT, id=new_id(call), type="Bot", name=None, created_at=now, updated_at=now))
