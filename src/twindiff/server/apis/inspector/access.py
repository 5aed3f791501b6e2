"""Access control of the inspector: a session cookie for clients with the key, and writes only from its own pages."""

from __future__ import annotations

import hmac
import time
from hashlib import sha256

from starlette.requests import Request
from starlette.responses import Response

from twindiff.kit.errors import ApiError
from twindiff.kit.links import split_url
from twindiff.server.apis.errors import NotSignedIn
from twindiff.server.auth import agent_token, same

PREFIX = "/inspect"
COOKIE = "twindiff_session"
SESSION_SECONDS = 12 * 3600
"""Lifetime of a session in seconds."""


class WrongKey(ApiError):
    """That is not the server's key."""

    status = 401


class ForeignForm(ApiError):
    """This was sent by a page that is not one of the inspector's; nothing was done."""

    status = 403


def check(key: str | None, request: Request) -> None:
    """Authorize a request: by session if the server has a key, else anyone but an agent.
    Raises ForeignForm, NotSignedIn.
    """
    if request.method not in ("GET", "HEAD"):
        check_form(request)
    if key is None:
        if agent_token(request.headers):
            raise NotSignedIn("An agent's token does not open the inspector")
        return
    if not is_signed_in(key, request.cookies.get(COOKIE, "")):
        raise NotSignedIn("Sign in with the server's key to look at this.")


def check_form(request: Request) -> None:
    """Raise ForeignForm unless the `Origin` of a write is this server."""
    origin = request.headers.get("origin", "")
    if not origin or split_url(origin).netloc.lower() != request.headers.get("host", "").lower():
        raise ForeignForm(f"A page of '{origin or 'nowhere'}' sent this, not one of the inspector; nothing was done")


def is_signed_in(key: str, cookie: str) -> bool:
    """Whether a cookie is signed with the key and not expired."""
    until, _, signature = cookie.partition(".")
    return same(signature, _signature(key, until)) and until.isdecimal() and time.time() < int(until[:12])


def sign_in(key: str | None, given: str, answer: Response, *, is_secure: bool) -> None:
    """Set a session cookie if the given key is right; raises WrongKey otherwise."""
    if key is None or not same(given, key):
        raise WrongKey
    until = str(int(time.time()) + SESSION_SECONDS)
    value = f"{until}.{_signature(key, until)}"
    answer.set_cookie(
        COOKIE, value, max_age=SESSION_SECONDS, path=PREFIX, httponly=True, samesite="strict", secure=is_secure
    )


def sign_out(answer: Response) -> None:
    """Delete the session cookie."""
    answer.delete_cookie(COOKIE, path=PREFIX, httponly=True, samesite="strict")


def _signature(key: str, until: str) -> str:
    return hmac.new(sha256(f"inspector {key}".encode()).digest(), until.encode(), sha256).hexdigest()
