"""OAuth: codes, tokens, their renewal and their end."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Callable
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from .conftest import AGENT, Linear

CLIENT = {"client_id": "app", "client_secret": "s"}
BACK = "http://localhost:3000/callback?from=linear"
VERIFIER = "a-verifier-that-only-the-application-knows-of"
CHALLENGE = urlsafe_b64encode(sha256(VERIFIER.encode()).digest()).decode().rstrip("=")


def post(linear: Linear, path: str, headers: dict[str, str] | None = None, /, **form: str) -> Any:
    given = {"Authorization": "", **(headers or {})}
    return linear.http(path=f"oauth/{path}", data=form, headers=given)


def code_of(linear: Linear, **more: str) -> str:
    """A code, as the browser brings it to the application."""
    asked = {"client_id": "app", "redirect_uri": BACK, "response_type": "code", "scope": "read,write", **more}
    answer = linear.http("GET", "oauth/authorize", params={**asked, "state": "xyz"})
    there = urlsplit(answer.headers["Location"])
    given = dict(parse_qsl(there.query))
    assert (answer.status_code, there.netloc, given["from"], given["state"]) == (302, "localhost:3000", "linear", "xyz")
    return given["code"]


def tokens_of(linear: Linear, **more: str) -> dict[str, Any]:
    form = {"grant_type": "authorization_code", "code": code_of(linear), "redirect_uri": BACK, **CLIENT, **more}
    return post(linear, "token", **form).json()


def renew(linear: Linear, token: str, **more: str) -> Any:
    return post(linear, "token", grant_type="refresh_token", refresh_token=token, **{**CLIENT, **more})


def viewer(linear: Linear, token: str) -> Any:
    return linear.http(json={"query": "{ viewer { id } }"}, headers={"Authorization": f"Bearer {token}"}).json()


def refusal(answer: Any) -> tuple[int, str]:
    assert answer.json().keys() == {"error", "error_description"}
    return answer.status_code, answer.json()["error"]


def test_a_code_gives_tokens_for_the_user_who_consented(linear: Linear):
    tokens = tokens_of(linear)
    assert (tokens["token_type"], tokens["expires_in"], tokens["scope"]) == ("Bearer", 86_399, "read write")
    assert viewer(linear, tokens["access_token"])["data"]["viewer"]["id"] == AGENT


def test_tokens_are_no_change_that_a_task_is_judged_by(linear: Linear):
    tokens_of(linear)
    assert linear.added() == []


def test_a_code_is_good_once_for_its_client_and_address(linear: Linear):
    form = {"grant_type": "authorization_code", "code": code_of(linear), **CLIENT}
    assert refusal(post(linear, "token", **form, redirect_uri="http://elsewhere")) == (400, "invalid_grant")
    assert refusal(post(linear, "token", **{**form, "client_id": "x"}, redirect_uri=BACK)) == (400, "invalid_grant")
    assert post(linear, "token", **form, redirect_uri=BACK).status_code == 200
    assert refusal(post(linear, "token", **form, redirect_uri=BACK)) == (400, "invalid_grant")


def test_an_application_without_a_secret_proves_itself_by_its_verifier(linear: Linear):
    code = code_of(linear, code_challenge=CHALLENGE, code_challenge_method="S256")
    form = {"grant_type": "authorization_code", "client_id": "app", "code": code, "redirect_uri": BACK}
    assert refusal(post(linear, "token", **form, code_verifier="wrong")) == (400, "invalid_grant")
    tokens = post(linear, "token", **form, code_verifier=VERIFIER).json()
    again = post(linear, "token", grant_type="refresh_token", client_id="app", refresh_token=tokens["refresh_token"])
    assert viewer(linear, again.json()["access_token"])["data"]["viewer"]["id"] == AGENT


def test_a_refresh_token_is_replaced_when_it_is_used(linear: Linear):
    first = tokens_of(linear)
    second = renew(linear, first["refresh_token"]).json()
    assert viewer(linear, second["access_token"])["data"]["viewer"]["id"] == AGENT
    assert refusal(renew(linear, first["refresh_token"])) == (400, "invalid_grant")
    assert refusal(renew(linear, second["refresh_token"], client_id="x")) == (400, "invalid_grant")


def test_an_application_acts_as_the_workspace_s_app_user(workspace_with: Callable[..., Linear]):
    linear = workspace_with(users=[{"id": AGENT, "app": True}]).as_user("nobody")
    basic = {"Authorization": "Basic YXBwOnM="}
    tokens = post(linear, "token", basic, grant_type="client_credentials", scope="write").json()
    assert (tokens["expires_in"], "refresh_token" in tokens) == (2_591_999, False)
    assert viewer(linear, tokens["access_token"])["data"]["viewer"]["id"] == AGENT


def test_an_access_token_is_worth_nothing_after_a_day(workspace: Callable[..., Linear]):
    linear = workspace(clock={"mode": "frozen", "start": "2026-01-05T09:00:00Z"})
    tokens = tokens_of(linear)
    linear.environment.platform.post(f"env/{linear.environment.id}/clock", {"advance": 86_400})
    refused = viewer(linear, tokens["access_token"])["errors"][0]["extensions"]
    assert (refused["code"], refused["statusCode"]) == ("AUTHENTICATION_ERROR", 401)
    assert renew(linear, tokens["refresh_token"]).status_code == 200


def test_what_is_revoked_is_worth_nothing_with_all_that_came_with_it(linear: Linear):
    tokens = tokens_of(linear)
    assert post(linear, "revoke", token=tokens["access_token"]).status_code == 200
    assert viewer(linear, tokens["access_token"])["errors"][0]["extensions"]["code"] == "AUTHENTICATION_ERROR"
    assert refusal(renew(linear, tokens["refresh_token"])) == (400, "invalid_grant")
    assert refusal(post(linear, "revoke", token=tokens["access_token"])) == (400, "invalid_request")


@pytest.mark.parametrize(
    ("form", "status", "error"),
    [
        ({}, 400, "invalid_request"),
        ({"grant_type": "password", **CLIENT}, 400, "unsupported_grant_type"),
        ({"grant_type": "authorization_code", "code": "x", **CLIENT}, 400, "invalid_grant"),
        ({"grant_type": "refresh_token", "refresh_token": "x", **CLIENT}, 400, "invalid_grant"),
        ({"grant_type": "client_credentials"}, 400, "invalid_client"),
        ({"grant_type": "client_credentials", "client_id": "app"}, 400, "invalid_client"),
    ],
)
def test_what_gives_no_token_says_why(linear: Linear, form: dict[str, str], status: int, error: str):
    assert refusal(post(linear, "token", **form)) == (status, error)


def test_bodies_that_cannot_be_read_are_invalid_requests(linear: Linear):
    for body in (b"{", b"\xff\xfe", b'{"grant_type": 7}'):
        answer = linear.http(path="oauth/token", content=body, headers={"Content-Type": "application/json"})
        assert refusal(answer) == (400, "invalid_request")


def test_a_browser_is_sent_nowhere_but_to_an_absolute_address(linear: Linear):
    asked = {"client_id": "app", "response_type": "code", "redirect_uri": "callback"}
    assert refusal(linear.http("GET", "oauth/authorize", params=asked)) == (400, "invalid_request")
    asked = {**asked, "response_type": "token", "redirect_uri": BACK}
    assert "error=unsupported_response_type" in linear.http("GET", "oauth/authorize", params=asked).headers["Location"]
