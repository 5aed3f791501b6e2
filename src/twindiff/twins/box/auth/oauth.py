"""OAuth 2.0: the operations that issue and revoke tokens.

https://developer.box.com/guides/authentication
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twindiff.kit import Call, Operations, Response
from twindiff.kit.http import json_answer
from twindiff.kit.oauth import (
    JWT_BEARER,
    InvalidGrant,
    InvalidRequest,
    OauthStyle,
    claims_of,
    keep,
    new_token,
    redeem,
    redirect,
    valid_token,
)

from ..core.access import find_item
from ..sharing.shared_links import linked_item
from ..tables.further_tables import AccessToken, Application
from ..tables.item_tables import Item, User
from ..views.item_views import item_object
from .assertions import refusal
from .scopes import SCOPES, resource_of

api = Operations()
browser = Operations(style=OauthStyle())
SECONDS_OF_A_CODE = 30
EXPIRES_SECONDS = 3600
EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def _build_error(error: str, description: str) -> Response:
    return json_answer({"error": error, "error_description": description}, 400)


@browser.get("/api/oauth2/authorize", reads=False, open=True)
@browser.get("/oauth2/authorize", reads=False, open=True)
def authorize(
    call: Call, client_id: str = "", redirect_uri: str = "", response_type: str = "", state: str = ""
) -> Response:
    """Redirect the browser to the application with a code. The environment's user consents without a prompt.

    https://developer.box.com/reference/get-authorize
    """
    if not client_id or not redirect_uri:
        raise InvalidRequest("client_id and redirect_uri are required")
    if response_type != "code":
        return redirect(redirect_uri, error="unsupported_response_type", state=state)
    code = new_token(call, "", 32)
    answer = redirect(redirect_uri, code=code, state=state)
    keep(call, code, SECONDS_OF_A_CODE, kind="code", client_id=client_id, user_id=call.actor, redirect_uri=redirect_uri)
    return answer


@api.post("/oauth2/token", open=True)
def token(
    call: Call,
    grant_type: str = "",
    client_id: str = "",
    client_secret: str = "",
    box_subject_type: str = "",
    box_subject_id: str = "",
    assertion: str = "",
    refresh_token: str = "",
    code: str = "",
    subject_token: str = "",
    scope: str = "",
    resource: str = "",
    box_shared_link: str = "",
) -> Response:
    """Issue a token for a code, client credentials, a signed assertion, a refresh token or another token.

    If the template or the run lists applications, only those are accepted; otherwise any client id is. If an
    application has registered keys, its assertions must be signed with one of them.

    https://developer.box.com/reference/post-oauth2-token
    """
    if not grant_type:
        return _build_error("invalid_request", "The grant_type parameter is missing")
    app = call.db.find(Application, Application.client_id == client_id)
    needs_client = bool(client_id) or grant_type != EXCHANGE
    if needs_client and not _is_known(call, app, client_id, client_secret):
        return _build_error("invalid_client", "The client credentials are invalid")
    if grant_type == "client_credentials":
        return _for_subject(call, app, box_subject_type, box_subject_id)
    if grant_type == JWT_BEARER:
        return _grant_for_assertion(call, app, client_id, assertion)
    if grant_type == EXCHANGE:
        return _exchange_token(call, subject_token, scope, resource, box_shared_link)
    if grant_type == "refresh_token":
        return _refresh_token(call, refresh_token)
    if grant_type == "authorization_code":
        return _redeem_code(call, code, client_id)
    return _build_error("unsupported_grant_type", "Invalid grant_type parameter or parameter missing")


def _grant_for_assertion(call: Call, app: Application | None, client_id: str, assertion: str) -> Response:
    claims = claims_of(assertion)
    if claims is None or claims.get("iss") != client_id:
        return _build_error("invalid_grant", "Please check the 'iss' claim.")
    why = refusal(call, app, assertion, claims) if app and app.public_keys else None
    if why:
        return _build_error("invalid_grant", why)
    return _for_subject(call, app, str(claims.get("box_sub_type", "")), str(claims.get("sub", "")))


def _is_known(call: Call, app: Application | None, client_id: str, client_secret: str) -> bool:
    if app is not None:
        return app.client_secret == client_secret
    if call.tokens.clients or call.db.find(Application):
        return call.tokens.clients.get(client_id) == client_secret
    return bool(client_id)


def _for_subject(call: Call, app: Application | None, kind: str, subject: str) -> Response:
    """Issue a token for a user, or for the application's service account."""
    if kind not in ("user", "enterprise"):
        return _build_error(
            "invalid_grant", "Grant credentials are invalid: box_subject_type must be user or enterprise"
        )
    user_id = subject
    if kind == "enterprise":
        user_id = app.user_id if app else _administrator(call)
    if call.db.find(User, User.id == user_id) is None:
        return _build_error("invalid_grant", "Grant credentials are invalid")
    return _issue_token(call, user_id)


def _administrator(call: Call) -> str:
    admin = call.db.find(User, User.role == "admin")
    return admin.id if admin else ""


def _issue_token(
    call: Call, user_id: str, *, refreshable: bool = False, scopes: Sequence[str] = (), item: Item | None = None
) -> Response:
    access = call.ids.new("", 32, _LETTERS)
    resource = f"{item.type} {item.id}" if item else None
    call.db.add(AccessToken(token=access, user_id=user_id, scopes=[*scopes], resource=resource))
    about = {"object": item_object(call, item, mini=True)} if item else {}
    said: dict[str, Any] = {
        "access_token": access,
        "expires_in": EXPIRES_SECONDS,
        "restricted_to": [{"scope": scope, **about} for scope in scopes],
        "token_type": "bearer",
    }
    if scopes:
        said["issued_token_type"] = "urn:ietf:params:oauth:token-type:access_token"  # noqa: S105 - the name of a type
    if refreshable:
        said["refresh_token"] = call.ids.new("", 48, _LETTERS)
        call.db.add(AccessToken(token=said["refresh_token"], kind="refresh", user_id=user_id))
    return json_answer(said, 200)


def _redeem_code(call: Call, code: str, client_id: str) -> Response:
    try:
        given = redeem(call, valid_token(call, code, "code"), None, "", client_id)
    except InvalidGrant as error:
        return _build_error("invalid_grant", str(error))
    return _issue_token(call, given.user_id, refreshable=True)


def _refresh_token(call: Call, given: str) -> Response:
    row = call.db.find(AccessToken, AccessToken.token == given)
    if row is None or row.is_revoked or row.kind != "refresh":
        return _build_error("invalid_grant", "Refresh token has expired")
    call.db.change(row, is_revoked=True)
    return _issue_token(call, row.user_id, refreshable=True)


def _exchange_token(call: Call, given: str, scope: str, resource: str, shared_link: str) -> Response:
    """Issue a token that is limited to some scopes or to one item. It never allows more than the given token.

    https://developer.box.com/guides/authentication/tokens/downscope
    """
    row = call.db.find(AccessToken, AccessToken.token == given)
    if row is not None and (row.is_revoked or row.kind != "access"):
        return _build_error("invalid_grant", "Invalid token")
    holder = row.user_id if row else _find_listed_user(call, given)
    if holder is None:
        return _build_error("invalid_grant", "Invalid token")
    held: list[str] = row.scopes if row else []
    scopes = scope.split() or held
    if unknown := [each for each in scopes if each not in SCOPES]:
        return _build_error("invalid_scope", f"There is no scope {unknown[0]}")
    if held and not {*scopes} <= {*held}:
        return json_answer({"error": "unauthorized", "error_description": "The token lacks a scope"}, 401)
    call.actor = holder
    item = resource_of(call, resource) if resource else linked_item(call, shared_link, "") if shared_link else None
    if item is None and row and row.resource:
        item = _item_named(call, row.resource)
    return _issue_token(call, holder, scopes=scopes, item=item)


def _item_named(call: Call, resource: str) -> Item:
    kind, _, item_id = resource.partition(" ")
    return find_item(call, kind, item_id)


def _find_listed_user(call: Call, token: str) -> str | None:
    """Return the id of the user that the environment's list of tokens assigns to a token."""
    everyone = call.tokens.users.get("box", call.tokens.actor) if token and not call.strict else None
    return call.tokens.actors.get(token) or everyone


@api.post("/oauth2/revoke", open=True)
def revoke(call: Call, token: str = "", client_id: str = "", client_secret: str = "") -> Response:
    """Revoke a token.

    https://developer.box.com/reference/post-oauth2-revoke
    """
    if not token:
        return _build_error("invalid_request", "The token parameter is missing")
    row = call.db.find(AccessToken, AccessToken.token == token)
    if row is not None and not row.is_revoked:
        call.db.change(row, is_revoked=True)
    return Response(b"", 200)
