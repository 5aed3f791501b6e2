"""OAuth: the web flow and the device flow, by which programs get tokens of a user.

https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps
"""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlencode

from twindiff.kit import Call, Header, Operations, Response
from twindiff.kit.oauth import (
    CODE_SECONDS,
    Credentials,
    InvalidClient,
    InvalidGrant,
    OauthStyle,
    OauthToken,
    challenge_of,
    client_of,
    keep,
    new_token,
    redeem_code,
    redirect,
    valid_token,
)

from ..tables.user_tables import AccessToken
from ..wire_style import NotVisible

api = Operations(style=OauthStyle())
DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
DEVICE_SECONDS, POLL_SECONDS = 900, 5
_DOCS = "https://docs.github.com/apps/managing-oauth-apps/troubleshooting-oauth-app-access-token-request-errors"
_ERRORS = {
    "incorrect_client_credentials": "The client_id and/or client_secret passed are incorrect.",
    "bad_verification_code": "The code passed is incorrect or expired.",
    "authorization_pending": "The authorization request is still pending.",
    "incorrect_device_code": "The device_code provided is not valid.",
    "unsupported_grant_type": f"The OAuth 2.0 grant type must be {DEVICE_GRANT}.",
}


def _answer(accept: str, fields: dict[str, Any]) -> Any:
    """Render fields as JSON if the client asks for it, else as a form."""
    if "json" in accept:
        return fields
    return Response(urlencode(fields).encode(), 200, "application/x-www-form-urlencoded; charset=utf-8")


def _refuse(accept: str, code: str) -> Any:
    """Render an error, which GitHub answers with status 200."""
    uri = f"{_DOCS}#{code.replace('_', '-')}"
    return _answer(accept, {"error": code, "error_description": _ERRORS[code], "error_uri": uri})


@api.get("/login/oauth/authorize", reads=False, open=True)
def authorize(
    call: Call,
    client_id: str = "",
    redirect_uri: str = "",
    scope: str = "",
    state: str = "",
    code_challenge: str = "",
    code_challenge_method: str = "",
) -> Response:
    """Redirect the browser to the application with a code. The environment's user consents without a prompt."""
    if not client_id:
        raise NotVisible
    code = new_token(call, "", 20)
    answer = redirect(redirect_uri, code=code, state=state)
    about = {"client_id": client_id, "user_id": call.actor, "scope": scope}
    challenge = challenge_of(code_challenge, code_challenge_method)
    keep(call, code, CODE_SECONDS, kind="code", redirect_uri=redirect_uri, challenge=challenge, **about)
    return answer


@api.post("/login/device/code", open=True)
def create_device_code(
    call: Call, client_id: str = "", scope: str = "", accept: Annotated[str, Header("Accept")] = ""
) -> Any:
    """Begin the device flow: a code for the program, and one that its user enters at `/login/device`."""
    known = call.tokens.clients
    if not client_id or (known and client_id not in known):
        raise NotVisible
    device_code = new_token(call, "", 40)
    letters = call.ids.new("", 8, "BCDFGHJKLMNPQRSTVWXZ")
    user_code = f"{letters[:4]}-{letters[4:]}"
    device = keep(call, device_code, DEVICE_SECONDS, kind="device", client_id=client_id, user_id="", scope=scope)
    about = {"client_id": client_id, "user_id": "", "grant": device.grant}
    keep(call, user_code, DEVICE_SECONDS, kind="user_code", **about)
    times = {"expires_in": DEVICE_SECONDS, "interval": POLL_SECONDS}
    uri = f"{call.base_url}/login/device"
    return _answer(accept, {"device_code": device_code, "user_code": user_code, "verification_uri": uri, **times})


@api.post("/login/device", open=True)
def approve_device(call: Call, user_code: str = "") -> dict[str, str]:
    """Approve a device as the caller, by the code that it shows."""
    known = valid_token(call, user_code.strip().upper(), "user_code")
    if known is None:
        raise InvalidGrant("There is no device that waits with this code.")
    call.db.change(known, is_revoked=True)
    for device in call.db.rows(OauthToken, OauthToken.grant == known.grant, OauthToken.kind == "device"):
        call.db.change(device, user_id=call.actor)
    return {"message": "Congratulations, you're all set! Your device is now connected."}


@api.get("/login/device", reads=False, open=True)
def open_device_page(call: Call, user_code: str = "") -> dict[str, str]:
    """Approve a device by an address with its code, as a browser opens it; without one, say what is missing."""
    if not user_code:
        return {"message": "Add ?user_code=… with the code that your device shows, or POST it."}
    return approve_device(call, user_code)


@api.post("/login/oauth/access_token", open=True)
def create_access_token(
    call: Call,
    client_id: str = "",
    client_secret: str = "",
    code: str = "",
    redirect_uri: str = "",
    code_verifier: str = "",
    grant_type: str = "",
    device_code: str = "",
    accept: Annotated[str, Header("Accept")] = "",
    authorization: Annotated[str, Header("Authorization")] = "",
) -> Any:
    """Issue a token for a code of the web flow, or for a device that its user has approved."""
    if grant_type == DEVICE_GRANT:
        return _answer_device(call, client_id, device_code, accept)
    if grant_type not in ("", "authorization_code"):
        return _refuse(accept, "unsupported_grant_type")
    credentials = Credentials(client_id, client_secret, authorization)
    try:
        known = valid_token(call, code, "code")
        sent_to = redirect_uri or (known.redirect_uri if known else "")
        redeemed = redeem_code(call, code, sent_to, code_verifier, credentials)
        client_of(call, credentials, public=bool(redeemed.challenge))
    except InvalidClient:
        return _refuse(accept, "incorrect_client_credentials")
    except InvalidGrant:
        return _refuse(accept, "bad_verification_code")
    return _issue(call, redeemed, accept)


def _answer_device(call: Call, client_id: str, device_code: str, accept: str) -> Any:
    known = valid_token(call, device_code, "device")
    if known is None or known.client_id != client_id:
        return _refuse(accept, "incorrect_device_code")
    if not known.user_id:
        return _refuse(accept, "authorization_pending")
    return _issue(call, call.db.change(known, is_revoked=True), accept)


def _issue(call: Call, granted: OauthToken, accept: str) -> Any:
    """Make a token with the scopes that were asked for."""
    scopes = granted.scope.replace(",", " ").split()
    token = new_token(call, "gho_", 36)
    call.db.add(AccessToken(token=token, user=granted.user_id, scopes=scopes))
    return _answer(accept, {"access_token": token, "token_type": "bearer", "scope": ",".join(scopes)})
