"""OAuth: Google's own library renews tokens at the twin, for people and for service accounts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from google.auth.exceptions import RefreshError
from google.auth.transport.requests import AuthorizedSession, Request
from google.oauth2.credentials import Credentials
from google.oauth2.service_account import Credentials as ServiceAccount
from googleapiclient.discovery_cache import get_static_doc

from tests.harness import LiveServer
from twindiff.server import Settings
from twindiff.twins.calendar import twin
from twindiff.twins.calendar.scopes import PREFIX, SCOPES

from .conftest import AGENT, BEA, ME, Calendar

BACK = "http://localhost:3000/callback"
SCOPE = "https://www.googleapis.com/auth/calendar"
CLIENT = {"client_id": "app", "client_secret": "s"}


@pytest.fixture(scope="module")
def run() -> Iterator[dict[str, str]]:
    """The variables of a twin run."""
    server = LiveServer(Settings())
    made = server.client.post("/twin-runs", json={"twins": ["google_calendar"]}).json()
    yield server.client.get(f"/twin-runs/{made['run_id']}").json()["twins"]["google_calendar"]["env_vars"]
    server.close()


@pytest.fixture(scope="module")
def key() -> str:
    made = rsa.generate_private_key(public_exponent=65537, key_size=1024)  # the twin does not check what it signs
    form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    return made.private_bytes(*form).decode()


def user(run: dict[str, str], **more: str) -> Credentials:
    """The credentials of an application that reads its variables."""
    given: dict[str, Any] = {
        "refresh_token": run["GOOGLE_REFRESH_TOKEN"],
        "client_id": run["GOOGLE_CLIENT_ID"],
        "client_secret": run["GOOGLE_CLIENT_SECRET"],
        "token_uri": run["GOOGLE_TOKEN_URI"],
    }
    return Credentials(None, **{**given, **more})


def service_account(run: dict[str, str], key: str, email: str, **more: str) -> ServiceAccount:
    info = {"client_email": email, "private_key": key, "token_uri": run["GOOGLE_TOKEN_URI"]}
    return ServiceAccount.from_service_account_info(info, scopes=[SCOPE], **more)


def primary(run: dict[str, str], credentials: Any) -> str:
    """The id of the primary calendar, which is the address of whom the credentials are."""
    with AuthorizedSession(credentials) as session:
        answer = session.get(f"{run['GOOGLE_CALENDAR_API_URL']}/calendar/v3/calendars/primary")
    assert answer.ok, answer.text
    return answer.json()["id"]


def test_the_scopes_of_methods_are_those_of_the_discovery_document():
    def methods(resources: dict[str, Any]) -> Iterator[dict[str, Any]]:
        for resource in resources.values():
            yield from resource["methods"].values()

    document = json.loads(get_static_doc("calendar", "v3") or "")
    named = {f"{each['httpMethod']} /{each['path']}": each["scopes"] for each in methods(document["resources"])}
    assert {name: {*each} for name, each in named.items()} == {
        name: {f"{PREFIX}calendar", *(PREFIX + scope for scope in scopes)} for name, scopes in SCOPES.items()
    }
    assert SCOPES.keys() <= {operation.name for operation in twin.dispatch.operations}


def test_a_token_is_good_for_what_its_scopes_grant(run: dict[str, str], key: str):
    info = {"client_email": ME, "private_key": key, "token_uri": run["GOOGLE_TOKEN_URI"]}
    readonly = ServiceAccount.from_service_account_info(info, scopes=[f"{SCOPE}.readonly"])
    url = f"{run['GOOGLE_CALENDAR_API_URL']}/calendar/v3/calendars"
    with AuthorizedSession(readonly) as session:
        assert session.get(f"{url}/primary").ok
        refused = session.post(url, json={"summary": "Garden"})
        assert refused.status_code == 403
        assert refused.json()["error"]["errors"][0]["reason"] == "insufficientPermissions"


def test_google_s_library_renews_access_with_the_variables_of_a_run(run: dict[str, str]):
    credentials = user(run)
    mine = primary(run, credentials)
    with AuthorizedSession(credentials) as session:
        told = session.get(run["GOOGLE_CALENDAR_API_URL"] + "/oauth2/v3/userinfo").json()
    assert (credentials.token[:7], told["email"], credentials.expired) == ("ya29.a0", mine, False)


def test_a_service_account_acts_as_the_user_it_stands_for(run: dict[str, str], key: str):
    mine = primary(run, user(run))
    assert primary(run, service_account(run, key, "robot@project.iam.gserviceaccount.com", subject=mine)) == mine
    assert primary(run, service_account(run, key, "robot@project.iam.gserviceaccount.com")) == mine


def test_google_s_library_reads_why_nothing_is_renewed(run: dict[str, str], key: str):
    for wrong, error in (
        (user(run, client_secret="wrong"), "invalid_client"),
        (user(run, client_id="somebody"), "invalid_client"),
        (user(run, refresh_token="1//made-up"), "invalid_grant"),
        (service_account(run, key, "robot@project.iam.gserviceaccount.com", subject="nobody@x.org"), "invalid_grant"),
    ):
        with pytest.raises(RefreshError, match=error):
            wrong.refresh(Request())


def post(calendar: Calendar, path: str, **form: str) -> Any:
    return calendar.environment.ask(path, token="", data=form)


def tokens_of(calendar: Calendar, **more: str) -> dict[str, Any]:
    """What an application gets for the code that a browser brings it."""
    asked = {"client_id": "app", "redirect_uri": BACK, "response_type": "code", "scope": SCOPE, **more}
    answer = calendar.environment.ask("o/oauth2/v2/auth", verb="GET", token="", params=asked)
    code = dict(parse_qsl(urlsplit(answer.headers["Location"]).query))["code"]
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": BACK, **CLIENT}
    return post(calendar, "token", **form).json()


def test_a_code_is_for_whom_the_login_hint_names(colleagues: tuple[Calendar, ...]):
    calendar = colleagues[0]
    bea = calendar.as_user(tokens_of(calendar, login_hint=BEA)["access_token"])
    me = calendar.as_user(tokens_of(calendar)["access_token"])
    assert [each("GET", "calendars/primary")["id"] for each in (bea, me)] == [BEA, ME]


def test_only_offline_access_is_renewed(calendar: Calendar):
    assert "refresh_token" not in tokens_of(calendar)
    refresh = tokens_of(calendar, access_type="offline")["refresh_token"]
    for _ in range(2):
        form = {"grant_type": "refresh_token", "refresh_token": refresh, **CLIENT}
        assert post(calendar, "token", **form).json()["scope"] == SCOPE


def test_an_access_token_lasts_an_hour_and_says_so(world: Callable[..., Calendar]):
    calendar = world(clock={"mode": "frozen", "start": "2026-01-05T09:00:00Z"})
    token = tokens_of(calendar)["access_token"]
    told = calendar("GET", "tokeninfo", access_token=token)
    assert (told["email"], told["aud"], told["expires_in"]) == (ME, "app", "3600")
    calendar.environment.platform.post(f"env/{calendar.environment.id}/clock", {"advance": 3600})
    assert calendar.as_user(token).refusal("GET", "calendars/primary") == (401, "authError")
    assert calendar.http("GET", "tokeninfo", access_token=token).json()["error"] == "invalid_token"


def test_what_is_revoked_is_worth_nothing_with_all_that_came_with_it(calendar: Calendar):
    tokens = tokens_of(calendar, access_type="offline")
    assert post(calendar, "revoke", token=tokens["refresh_token"]).status_code == 200
    assert calendar.as_user(tokens["access_token"]).refusal("GET", "calendars/primary") == (401, "authError")
    assert post(calendar, "revoke", token=tokens["access_token"]).json()["error"] == "invalid_token"


@pytest.mark.parametrize(
    ("form", "status", "error"),
    [
        ({}, 400, "invalid_request"),
        ({"grant_type": "password"}, 400, "unsupported_grant_type"),
        ({"grant_type": "refresh_token", **CLIENT}, 400, "invalid_request"),
        ({"grant_type": "authorization_code", "code": "4/0x", **CLIENT}, 400, "invalid_grant"),
        ({"grant_type": "refresh_token", "refresh_token": "x", "client_id": "app"}, 401, "invalid_client"),
        ({"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": "no"}, 400, "invalid_grant"),
    ],
)
def test_what_gives_no_token_says_why(calendar: Calendar, form: dict[str, str], status: int, error: str):
    answer = post(calendar, "token", **form)
    assert (answer.status_code, answer.json()["error"]) == (status, error)


def test_in_a_strict_environment_only_tokens_that_were_given_out_open_it(world: Callable[..., Calendar]):
    calendar = world(auth="strict")
    assert calendar.as_user("ya29.a0made-up").refusal("GET", "calendars/primary") == (401, "authError")
    assert calendar.as_user("ya29.a0made-up").http("GET", "v1/userinfo").json()["error"] == "invalid_token"
    token = tokens_of(calendar)["access_token"]
    assert calendar.as_user(token)("GET", "v1/userinfo")["sub"] == AGENT
    assert json.loads(calendar.as_user(token).http("GET", "calendars/primary").text)["id"] == ME
