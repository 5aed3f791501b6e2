"""OAuth tokens of public integrations. https://developers.notion.com/guides/get-started/authorization"""

from __future__ import annotations

from typing import Annotated, Any

from twindiff.kit import Body, Call, Header, Operations
from twindiff.kit.errors import UnknownToken
from twindiff.kit.http import Request
from twindiff.kit.oauth import (
    CODE_SECONDS,
    Credentials,
    InvalidClient,
    InvalidGrant,
    OauthToken,
    actor_of_token,
    client_of,
    keep,
    new_token,
    redeem,
    redirect,
    revoke,
    valid_token,
)

from ..core.body_rules import anything, check_body, choice, nullable, obj, text
from ..core.object_lookup import find_bot
from ..core.user_objects import find_workspace, user_object
from ..tables.content_tables import User
from ..tables.workspace_tables import Integration
from ..wire_style import NotionError, ValidationError

api = Operations(prefix="/v1")
JsonBody = Annotated[dict[str, Any], Body]
Authorization = Annotated[str, Header("Authorization")]
ACCESS, REFRESH = "ntn_oauth_", "nrt_"
_token_body = obj(
    {"grant_type": choice("authorization_code", "refresh_token")}, code=text(), redirect_uri=nullable(text()),
    refresh_token=text(), external_account=anything,
)  # fmt: skip
_one_token = obj({"token": text()})


class InvalidOauthClient(NotionError):
    """The client is not known, or its secret is wrong."""

    status = 401
    code = "invalid_client"


class InvalidOauthGrant(NotionError):
    """The code or the refresh token is invalid, expired or revoked."""

    code = "invalid_grant"


def actor_of(call: Call) -> str | None:
    """Return the bot of a token that was issued here."""
    return actor_of_token(call, ACCESS, UnknownToken)


def _authenticate(call: Call, authorization: str) -> tuple[str, User]:
    """Return the client id of the basic authentication and the bot that acts for it."""
    name = Credentials("", "", authorization)
    try:
        client_id = client_of(call, name)
    except InvalidClient as error:
        raise InvalidOauthClient(str(error)) from None
    known = call.db.rows(Integration)
    mine = next((row for row in known if row.client_id == client_id), None)
    if known and not call.tokens.clients:
        given = Request("", "", headers={"authorization": authorization}).basic() or ("", "")
        if mine is None or given[1] != mine.client_secret:
            raise InvalidOauthClient
    bot = call.db.find(User, User.id == mine.bot_id) if mine else None
    return client_id, bot or find_bot(call)


@api.get("/oauth/authorize", reads=False, open=True)
def authorize(call: Call, client_id: str, redirect_uri: str, state: str = "", response_type: str = "code") -> Any:
    """Grant the integration access at once, and send the browser back with a code."""
    if response_type != "code":
        raise ValidationError("response_type should be `code`.")
    code = new_token(call, "", 40)
    keep(
        call, code, CODE_SECONDS, kind="code", client_id=client_id, user_id=find_bot(call).id, redirect_uri=redirect_uri
    )
    return redirect(redirect_uri, code=code, state=state)


@api.post("/oauth/token", open=True)
def create_token(call: Call, body: JsonBody, authorization: Authorization = "") -> dict[str, Any]:
    """Exchange a code or a refresh token for an access token."""
    client_id, bot = _authenticate(call, authorization)
    check_body(_token_body, body)
    if body["grant_type"] == "authorization_code":
        known = valid_token(call, body.get("code", ""), "code")
        try:
            known = redeem(call, known, body.get("redirect_uri"), "", client_id)
        except InvalidGrant as error:
            raise InvalidOauthGrant(str(error)) from None
        grant: dict[str, Any] = {}
    else:
        known = valid_token(call, body.get("refresh_token", ""), "refresh")
        if known is None or known.client_id != client_id:
            raise InvalidOauthGrant
        call.db.change(known, is_revoked=True)
        grant = {"grant": known.grant}
    return _issue(call, client_id, bot, grant)


def _issue(call: Call, client_id: str, bot: User, grant: dict[str, Any]) -> dict[str, Any]:
    access, refresh = new_token(call, ACCESS, 40), new_token(call, REFRESH, 40)
    first = keep(call, access, None, kind="access", client_id=client_id, user_id=bot.id, **grant)
    keep(call, refresh, None, kind="refresh", client_id=client_id, user_id=bot.id, grant=first.grant)
    workspace = find_workspace(call)
    owner = {"type": "user", "user": user_object(call, bot.owner_id)} if bot.owner_id else None
    return {
        "access_token": access,
        "token_type": "bearer",
        "refresh_token": refresh,
        "bot_id": bot.id,
        "workspace_icon": None,
        "workspace_name": workspace.name,
        "workspace_id": workspace.id,
        "owner": owner or {"type": "workspace", "workspace": True},
        "duplicated_template_id": None,
    }


@api.post("/oauth/revoke", open=True)
def revoke_token(call: Call, body: JsonBody, authorization: Authorization = "") -> dict[str, Any]:
    """Revoke a token with those of the same grant."""
    _authenticate(call, authorization)
    check_body(_one_token, body)
    revoke(call, body["token"])
    return {}


@api.post("/oauth/introspect", open=True)
def introspect_token(call: Call, body: JsonBody, authorization: Authorization = "") -> dict[str, Any]:
    """Tell whether a token is valid."""
    _authenticate(call, authorization)
    check_body(_one_token, body)
    known: OauthToken | None = valid_token(call, body["token"], "access") or valid_token(call, body["token"], "refresh")
    if known is None:
        return {"active": False}
    return {"active": True, "scope": "read_content insert_content update_content", "iat": call.clock.unix()}
