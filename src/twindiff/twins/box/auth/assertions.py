"""Validates the signed JWT assertions with which applications that have a key pair request tokens.

https://developer.box.com/guides/authentication/jwt/without-sdk
"""

from __future__ import annotations

from typing import Any

from twindiff.kit import Call
from twindiff.kit.clock import SECOND

from ..tables.further_tables import Application, Assertion

AUDIENCE = "https://api.box.com/oauth2/token"
ALGORITHMS = ("RS256", "RS384", "RS512")
MAX_LIFETIME_SECONDS = 60
_UNSIGNED = "OAuth JWT signature verification failed"
_EXPIRED = "Current date/time MUST be before the expiration date/time listed in the 'exp' claim"
_UNTIMED = "Please check the 'exp' claim."
_TOO_LONG = f"{_UNTIMED} The 'exp' value exceeds the maximum value of 60 seconds beyond the issue time."
_USED = "Please check the 'jti' claim. A unique 'jti' value is required."


def refusal(call: Call, app: Application, assertion: str, claims: dict[str, Any]) -> str | None:
    """Return why an application's assertion is refused, or None if it is valid. An assertion is accepted once."""
    if not _is_signed(app, assertion):
        return _UNSIGNED
    if claims.get("aud") not in (AUDIENCE, [AUDIENCE]):
        return "Please check the 'aud' claim."
    return _is_late(call, claims) or _is_used(call, app, claims)


def _is_signed(app: Application, assertion: str) -> bool:
    """Return whether one of the application's keys signed the assertion: the key the header names, if it names one."""
    import jwt  # deferred: it loads cryptography, which takes as long to import as the rest of the twin

    try:
        key_id = jwt.get_unverified_header(assertion).get("kid")
    except jwt.InvalidTokenError:
        return False
    keys: dict[str, str] = app.public_keys or {}
    for key in [keys.get(key_id, "")] if key_id is not None else keys.values():
        try:
            jwt.api_jws.decode(assertion, key, algorithms=[*ALGORITHMS])
        except jwt.PyJWTError:
            continue
        return True
    return False


def _is_late(call: Call, claims: dict[str, Any]) -> str | None:
    expires, issued = claims.get("exp"), claims.get("iat")
    if not isinstance(expires, int | float):
        return _UNTIMED
    if expires * SECOND <= call.clock.micros:
        return _EXPIRED
    is_long = isinstance(issued, int | float) and expires - issued > MAX_LIFETIME_SECONDS
    return _TOO_LONG if is_long else None


def _is_used(call: Call, app: Application, claims: dict[str, Any]) -> str | None:
    id = claims.get("jti")
    if not isinstance(id, str) or not 16 <= len(id) <= 128:
        return "Please check the 'jti' claim."
    if call.db.find(Assertion, Assertion.client_id == app.client_id, Assertion.jti == id):
        return _USED
    call.db.add(Assertion(client_id=app.client_id, jti=id))
    return None
