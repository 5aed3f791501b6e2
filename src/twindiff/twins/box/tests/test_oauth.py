"""Tokens."""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from .conftest import ADA, BEN, Box


def ask(box: Box, **form: Any) -> Any:
    return box.http("POST", "/oauth2/token", token="", data={"client_id": "app", "client_secret": "s", **form})


def credentials(box: Box, kind: str, subject: str) -> Any:
    given = {"grant_type": "client_credentials", "box_subject_type": kind, "box_subject_id": subject}
    return ask(box, **given)


def me(box: Box, token: str) -> Any:
    return box.http("GET", "users/me", token=token).json().get("id")


def test_client_credentials_give_a_token_for_a_user(box: Box):
    token = credentials(box, "user", BEN).json()
    assert (token["token_type"], me(box, token["access_token"])) == ("bearer", BEN)


def test_the_enterprise_s_token_is_an_administrator_s(box: Box):
    assert me(box, credentials(box, "enterprise", "1").json()["access_token"]) == ADA


def test_a_signed_assertion_gives_a_token(box: Box):
    claims = {"iss": "app", "sub": BEN, "box_sub_type": "user", "aud": "https://api.box.com/oauth2/token"}
    body = urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    grant = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    assert me(box, ask(box, grant_type=grant, assertion=f"e30.{body}.c2ln").json()["access_token"]) == BEN
    assert ask(box, grant_type=grant, assertion="nonsense").json()["error"] == "invalid_grant"


def test_a_code_gives_tokens_once_for_its_client(box: Box):
    asked = {
        "client_id": "app",
        "redirect_uri": "http://localhost:3000/back?a=1",
        "response_type": "code",
        "state": "x",
    }
    sent = box.http("GET", "/api/oauth2/authorize", token="", params=asked)
    given = dict(parse_qsl(urlsplit(sent.headers["Location"]).query))
    assert (sent.status_code, given["a"], given["state"]) == (302, "1", "x")
    form = {"grant_type": "authorization_code", "code": given["code"]}
    assert ask(box, **form, client_id="other").json()["error"] == "invalid_grant"
    tokens = ask(box, **form).json()
    assert me(box, tokens["access_token"]) == ADA
    again = ask(box, grant_type="refresh_token", refresh_token=tokens["refresh_token"]).json()
    assert me(box, again["access_token"]) == ADA
    assert ask(box, **form).json()["error"] == "invalid_grant"


def test_a_browser_is_sent_back_to_an_address_of_any_letters(box: Box):
    asked = {"client_id": "app", "response_type": "code", "redirect_uri": "http://localhost:3000/あ"}
    sent = box.http("GET", "/api/oauth2/authorize", token="", params=asked)
    assert (sent.status_code, sent.headers["Location"][:32]) == (302, "http://localhost:3000/%E3%81%82?")


def test_a_revoked_token_opens_nothing(box: Box):
    token = credentials(box, "user", BEN).json()["access_token"]
    assert box.http("POST", "/oauth2/revoke", token="", data={"token": token}).status_code == 200
    answer = box.http("GET", "users/me", token=token)
    assert (answer.status_code, answer.headers["WWW-Authenticate"][:6]) == (401, "Bearer")


@pytest.mark.parametrize(
    ("form", "error"),
    [
        ({}, "invalid_request"),
        ({"grant_type": "guess"}, "unsupported_grant_type"),
        ({"grant_type": "authorization_code", "code": "x"}, "invalid_grant"),
        ({"grant_type": "refresh_token", "refresh_token": "x"}, "invalid_grant"),
        ({"grant_type": "client_credentials", "box_subject_type": "user", "box_subject_id": "1"}, "invalid_grant"),
        ({"grant_type": "client_credentials", "client_id": ""}, "invalid_client"),
    ],
)
def test_what_gives_no_token_says_why(box: Box, form: dict[str, str], error: str):
    answer = ask(box, **form)
    assert (answer.status_code, answer.json()["error"]) == (400, error)


@pytest.mark.parametrize("token", ["", "made-up"])
def test_without_a_token_a_strict_environment_lets_nobody_in(enterprise: Any, token: str):
    answer = enterprise(auth="strict").http("GET", "users/me", token=token)
    assert (answer.status_code, answer.content, answer.headers["Content-Length"]) == (401, b"", "0")
    assert 'error="invalid_token"' in answer.headers["WWW-Authenticate"]
