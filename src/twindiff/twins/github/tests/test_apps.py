"""GitHub Apps and OAuth: JSON Web Tokens, tokens of installations, the web flow and the device flow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from github import Auth, GithubIntegration

from .conftest import Hub

DEVICE = {"client_id": "Iv1.cli", "grant_type": "urn:ietf:params:oauth:grant-type:device_code"}
JSON = {"Accept": "application/json"}
BOT = "github-actions[bot]"


@pytest.fixture(scope="module")
def company(platform: Any) -> Hub:
    """The organization of the template, for one of its owners."""
    return Hub(platform.environment("github:github_default", "agent", tokens={"token-agent": "agent"}), "agent")


@pytest.fixture(scope="module")
def pem(company: Hub) -> str:
    """The private key of the app of the organization's environment."""
    return company("POST", "/app-manifests/any/conversions")["pem"]


def sign(pem: str, **claims: Any) -> str:
    """A JSON Web Token of the environment's app."""
    given = {"iat": 1000, "exp": 1600, "iss": "15368", **claims}
    return jwt.encode({name: value for name, value in given.items() if value is not None}, pem, "RS256")


def test_pygithub_acts_as_the_bot_of_an_installation(platform: Any):
    live = type(platform)(platform.server.client)
    hub = Hub(live.environment("github:github_default", "agent", auth="strict", tokens={"t": "agent"}), "agent")
    key = hub("POST", "/app-manifests/any/conversions", token="t")["pem"]
    with GithubIntegration(auth=Auth.AppAuth(15368, key), base_url=hub.url) as app:
        installation = app.get_repo_installation("tidewater", "buoy-firmware")
        with app.get_github_for_installation(installation.id) as client:
            comment = client.get_repo("tidewater/buoy-firmware").get_issue(4).create_comment("Beep")
            assert (comment.user.login, comment.user.type) == (BOT, "Bot")


def test_a_token_signed_by_another_key_or_by_none_is_refused(company: Hub, pem: str):
    other = generate_private_key(65537, 2048).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    head, claims, signature = sign(pem).split(".")
    forged = ".".join((head, sign(pem, exp=1500).split(".")[1], signature))
    unsigned = jwt.encode({"iat": 1000, "exp": 1600, "iss": "15368"}, "", "none")
    shared = jwt.encode({"iat": 1000, "exp": 1600, "iss": "15368"}, "x" * 64, "HS256")
    assert company("GET", "/app", token=f"{head}.{claims}.{signature}")["id"] == 15368
    for token in (sign(other), forged, unsigned, shared, f"{head}.{claims}."):
        assert company.refused("GET", "/app", token=token) == (401, "A JSON web token could not be decoded")


def test_the_key_belongs_to_the_environment_and_stays(company: Hub, pem: str, github: Callable[..., Hub]):
    made = company("POST", "/app-manifests/other/conversions")
    assert (made["pem"], made["id"]) == (pem, 15368)
    assert github()("POST", "/app-manifests/any/conversions")["pem"] != pem


def test_a_seed_brings_keys_of_its_own(platform: Any):
    key = generate_private_key(65537, 2048).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    body: Any = {"twins": ["github"], "seed_config": {"github": {"users": ["ada"], "app_keys": [key]}}}
    run = platform.client.post("/twin-runs", json=body)
    assert run.is_success, run.text
    bad = {"twins": ["github"], "seed_config": {"github": {"app_keys": ["-----"]}}}
    assert "app_keys[0]: not the PEM of an RSA key" in platform.client.post("/twin-runs", json=bad).text


def test_an_installation_sees_the_private_repositories_of_its_account_only(company: Hub, pem: str):
    company("POST", "/user/repos", {"name": "secret", "private": True})
    made = company("POST", "/app/installations/501/access_tokens", {}, token=sign(pem))
    seen = company("GET", "/installation/repositories", token=made["token"])["repositories"]
    assert {each["owner"]["login"] for each in seen} == {"tidewater"}
    assert any(each["private"] for each in seen)
    assert company.refused("GET", "/repos/agent/secret", token=made["token"])[0] == 404


def test_a_token_of_an_installation_does_no_more_than_its_permissions(company: Hub, pem: str):
    body = {"permissions": {"issues": "read"}}
    token = company("POST", "/app/installations/501/access_tokens", body, token=sign(pem))["token"]
    refused = company.refused("POST", "/repos/tidewater/harbour-api/issues", {"title": "t"}, token=token)
    assert refused == (403, "Resource not accessible by integration")


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        ({"iss": "1"}, "Integration not found"),
        ({"exp": 900}, "'Expiration time' claim ('exp') must be a numeric value"),
        ({"exp": "soon"}, "'Expiration time' claim ('exp') must be a numeric value"),
        ({"exp": 5000}, "'Expiration time' claim ('exp') is too far in the future"),
        ({"iat": None}, "Missing 'issued at' claim ('iat') in assertion"),
    ],
)
def test_a_json_web_token_that_github_refuses_is_refused(company: Hub, pem: str, claims: dict[str, Any], message: str):
    status, said = company.refused("GET", "/app", token=sign(pem, **claims))
    assert (status, said.startswith(message)) == (401, True), said
    assert company.refused("GET", "/app", token="eyJh.e.x") == (401, "A JSON web token could not be decoded")


def test_the_device_flow_waits_for_its_user_and_gives_a_token_with_scopes(github: Callable[..., Hub]):
    hub = github(auth="strict")
    begun = hub("POST", "/login/device/code", {"client_id": "Iv1.cli", "scope": "repo,gist"}, headers=JSON)
    poll = {**DEVICE, "device_code": begun["device_code"]}
    path = "/login/oauth/access_token"
    assert hub("POST", path, poll, headers=JSON)["error"] == "authorization_pending"
    assert begun["verification_uri"].endswith("/login/device")
    hub("POST", "/login/device", {"user_code": begun["user_code"].lower()})
    token = hub("POST", path, poll, headers=JSON)
    assert (token["token_type"], token["scope"]) == ("bearer", "repo,gist")
    assert hub("GET", "/user", token=token["access_token"])["login"] == hub.user
    assert hub("POST", path, poll, headers=JSON)["error"] == "incorrect_device_code"


def test_the_web_flow_redirects_with_a_code_that_is_good_for_one_token(github: Callable[..., Hub]):
    hub = github(auth="strict")
    query = {"client_id": "Iv1.web", "redirect_uri": "http://127.0.0.1:1/cb", "scope": "gist", "state": "s"}
    place = hub.http("GET", "/login/oauth/authorize", params=query, token="").headers["location"]
    code = parse_qs(urlsplit(place).query)["code"][0]
    body = {"client_id": "Iv1.web", "client_secret": "x", "code": code}
    form = hub.http("POST", "/login/oauth/access_token", data=body, token="").text
    assert parse_qs(form)["scope"] == ["gist"]
    assert "error=bad_verification_code" in hub.http("POST", "/login/oauth/access_token", data=body, token="").text
    token = parse_qs(form)["access_token"][0]
    assert hub.refused("POST", "/user/repos", {"name": "a"}, token=token)[0] in (403, 404)
