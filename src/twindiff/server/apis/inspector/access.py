"""Who may look, and who may do something: a cookie for those who know the key, and writes from our own pages alone."""

from __future__ import annotations

import hmac
import time
from hashlib import sha256

from starlette.requests import Request
from starlette.responses import Response

from twindiff.kit.errors import ApiError
from twindiff.kit.links import split_url
from twindiff.server.auth import agent_token, same

PREFIX = "/inspect"
COOKIE = "twindiff_session"
SECONDS = 12 * 3600
"""How long somebody stays signed in."""


class SignInRequired(ApiError):
    """Sign in with the server's key to look at this."""

    code = "not_signed_in"
    status = 401


class WrongKey(ApiError):
    """That is not the server's key."""

    status = 401


class ForeignForm(ApiError):
    """This was sent by a page that is not one of the inspector's; nothing was done."""

    status = 403


def check(key: str | None, request: Request) -> None:
    """Let in whoever has the key, or anyone but an agent where there is none; raises NotSignedIn, ForeignForm."""
    if request.method not in ("GET", "HEAD"):
        check_form(request)
    if key is None:
        if agent_token(request.headers):
            raise SignInRequired("An agent's token does not open the inspector")
        return
    if not is_signed_in(key, request.cookies.get(COOKIE, "")):
        raise SignInRequired


def check_form(request: Request) -> None:
    """Refuse a write unless the browser says that a page of this very address sent it."""
    origin = request.headers.get("origin", "")
    if not origin or split_url(origin).netloc.lower() != request.headers.get("host", "").lower():
        raise ForeignForm(f"A page of '{origin or 'nowhere'}' sent this, not one of the inspector; nothing was done")


def is_signed_in(key: str, cookie: str) -> bool:
    """Whether a cookie was made with the key, not too long ago."""
    until, _, signature = cookie.partition(".")
    return same(signature, _signature(key, until)) and until.isdecimal() and time.time() < int(until[:12])


def sign_in(key: str | None, given: str, answer: Response, *, is_secure: bool) -> None:
    """Give a session to whoever knows the key; raises WrongKey."""
    if key is None or not same(given, key):
        raise WrongKey
    until = str(int(time.time()) + SECONDS)
    value = f"{until}.{_signature(key, until)}"
    answer.set_cookie(COOKIE, value, max_age=SECONDS, path=PREFIX, httponly=True, samesite="strict", secure=is_secure)


def sign_out(answer: Response) -> None:
    """End the session in this browser."""
    answer.delete_cookie(COOKIE, path=PREFIX, httponly=True, samesite="strict")


def _signature(key: str, until: str) -> str:
    return hmac.new(sha256(f"inspector {key}".encode()).digest(), until.encode(), sha256).hexdigest()
