"""Wrong keys are refused as each vendor refuses them, whichever door of a twin they knock at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import httplib2
import httpx
import pytest
import stripe
from box_sdk_gen import BaseUrls, BoxClient, BoxDeveloperTokenAuth, BoxSDKError, NetworkSession
from googleapiclient.discovery import build_from_document
from googleapiclient.discovery_cache import get_static_doc
from googleapiclient.errors import HttpError
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError

from tests.harness import LiveServer, succeeded
from twindiff.server import Settings

KEY = "the-platform-key"
TWINS = ["slack", "stripe", "box", "calendar", "linear"]
CALLS = {
    "slack": ("POST", "/api/auth.test"),
    "stripe": ("GET", "/v1/balance"),
    "box": ("GET", "/2.0/users/me"),
    "calendar": ("GET", "/calendar/v3/calendars/primary"),
    "linear": ("POST", "/graphql"),
}


def slack_said(answer: httpx.Response) -> Any:
    return answer.status_code, answer.json()["error"]


def stripe_said(answer: httpx.Response) -> Any:
    error = answer.json()["error"]
    return answer.status_code, error["type"], error["message"][:23]


def box_said(answer: httpx.Response) -> Any:
    return answer.status_code, answer.content, answer.headers["WWW-Authenticate"][:22]


def google_said(answer: httpx.Response) -> Any:
    error = answer.json()["error"]
    return answer.status_code, error["status"], error["errors"][0]["reason"], answer.headers["WWW-Authenticate"][:6]


def linear_said(answer: httpx.Response) -> Any:
    (error,) = answer.json()["errors"]
    return answer.status_code, error["extensions"]["code"]


BOX = (401, b"", 'Bearer realm="Service"')
LINEAR = (401, "AUTHENTICATION_ERROR")
SAID: dict[str, tuple[Callable[[httpx.Response], Any], Any, Any]] = {
    "slack": (slack_said, (200, "invalid_auth"), (200, "not_authed")),
    "stripe": (
        stripe_said,
        (401, "invalid_request_error", "Invalid API Key provided"[:23]),
        (401, "invalid_request_error", "You did not provide an API key"[:23]),
    ),
    "box": (box_said, BOX, BOX),
    "calendar": (
        google_said,
        (401, "UNAUTHENTICATED", "authError", "Bearer"),
        (401, "UNAUTHENTICATED", "required", "Bearer"),
    ),
    "linear": (linear_said, LINEAR, LINEAR),
}
"""How to read a vendor's refusal, and what it says of a wrong token and of none."""


class Doors:
    """A server whose twins take no unknown token: the ways to a twin, as an address and headers."""

    def __init__(self, server: LiveServer, key: str = "", **asked: Any) -> None:
        self.server = server
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._runs = {ports: self._run(ports=ports, **asked) for ports in (False, True)}

    def post(self, path: str, **asked: Any) -> Any:
        return succeeded(self.server.client.post(path, json=asked, headers=self._headers))

    def _run(self, **asked: Any) -> Any:
        made = self.post("/twin-runs", twins=TWINS, wait_seconds=60, **asked)
        path = f"/twin-runs/{made['run_id']}"
        return succeeded(self.server.client.get(path, headers=self._headers))

    def path(self, twin: str) -> tuple[str, dict[str, str]]:
        return self._runs[False]["twins"][twin]["base_url"], {}

    def ports(self, twin: str) -> tuple[str, dict[str, str]]:
        return self._runs[True]["twins"][twin]["base_url"], {}

    def host(self, twin: str) -> tuple[str, dict[str, str]]:
        return self.server.url, {"Host": f"{twin}--{self._runs[False]['environment_id']}.localhost"}

    def sandbox(self, twin: str) -> tuple[str, dict[str, str]]:
        return self.post("/v1/sandboxes", api=twin)["base_url"], {}

    def ask(self, door: str, twin: str, token: str) -> httpx.Response:
        address, headers = getattr(self, door)(twin)
        given = {**headers, "Authorization": f"Bearer {token}"} if token else headers
        verb, path = CALLS[twin]
        body = {"query": "{ viewer { id } }"} if twin == "linear" else None
        return self.server.client.request(verb, address + path, headers=given, json=body)

    def token(self, twin: str, name: str) -> str:
        return self._runs[False]["twins"][twin]["env_vars"][name]


@pytest.fixture(scope="module")
def keyed() -> Iterator[Doors]:
    server = LiveServer(Settings(api_key=KEY))
    yield Doors(server, KEY)
    server.close()


@pytest.fixture(scope="module")
def strict(live: LiveServer) -> Doors:
    return Doors(live, auth="strict")


@pytest.mark.parametrize("twin", TWINS)
@pytest.mark.parametrize("door", ["path", "ports", "host", "sandbox"])
def test_a_server_with_a_key_refuses_wrong_and_missing_tokens_as_the_vendor_does(keyed, door, twin):
    read, wrong, missing = SAID[twin]
    assert read(keyed.ask(door, twin, "sk_test_bad")) == wrong
    assert read(keyed.ask(door, twin, "")) == missing


@pytest.mark.parametrize("twin", TWINS)
@pytest.mark.parametrize("door", ["path", "ports", "host"])
def test_a_strict_twin_run_refuses_wrong_and_missing_tokens_as_the_vendor_does(strict, door, twin):
    read, wrong, missing = SAID[twin]
    assert read(strict.ask(door, twin, "sk_test_bad")) == wrong
    assert read(strict.ask(door, twin, "")) == missing


@pytest.mark.parametrize("served", ["keyed", "strict"])
def test_the_tokens_of_a_run_s_variables_still_open_its_twins(request, served):
    doors = request.getfixturevalue(served)
    assert doors.ask("path", "stripe", doors.token("stripe", "STRIPE_API_KEY")).status_code == 200
    assert doors.ask("path", "slack", doors.token("slack", "SLACK_BOT_TOKEN")).json()["ok"]


def test_without_a_key_and_without_strict_any_token_opens_a_twin_run(live):
    lenient = Doors(live)
    assert lenient.ask("path", "slack", "xoxb-any").json()["ok"]
    assert lenient.ask("path", "stripe", "").status_code == 200


def test_an_unknown_path_of_a_twin_is_refused_alike(keyed):
    address, _ = keyed.path("stripe")
    answer = keyed.server.client.get(f"{address}/v1/nothing", headers={"Authorization": "Bearer sk_test_bad"})
    assert stripe_said(answer) == SAID["stripe"][1]


def test_a_token_of_another_environment_is_forbidden_in_the_vendor_s_form(keyed):
    other = keyed.post("/api/platform/initEnv", templates=["slack:slack_default"], impersonateUserId="U01AGENBOT9")
    answer = keyed.ask("path", "stripe", other["agentToken"])
    assert stripe_said(answer)[:2] == (403, "invalid_request_error")


@pytest.fixture(params=["keyed", "strict"])
def doors(request: pytest.FixtureRequest) -> Doors:
    """Each server that takes no unknown token."""
    return request.getfixturevalue(request.param)


def test_stripe_s_client_raises_its_authentication_error(doors):
    client = stripe.StripeClient("sk_test_bad", base_addresses={"api": doors.path("stripe")[0]})
    with pytest.raises(stripe.AuthenticationError, match="Invalid API Key provided: "):
        client.v1.balance.retrieve()


def test_slack_s_client_reads_invalid_auth(doors):
    client = WebClient(token="xoxb-bad", base_url=f"{doors.path('slack')[0]}/api/")
    with pytest.raises(SlackApiError) as refused:
        client.auth_test()
    assert refused.value.response["error"] == "invalid_auth"


def test_box_s_client_finds_its_token_expired(doors):
    address, _ = doors.path("box")
    urls = BaseUrls(base_url=address, upload_url=f"{address}/api", oauth_2_url=f"{address}/oauth2")
    session = NetworkSession(base_urls=urls)
    with pytest.raises(BoxSDKError, match="Developer token has expired"):
        BoxClient(auth=BoxDeveloperTokenAuth(token="bad"), network_session=session).users.get_user_me()


def test_google_s_client_reads_its_401(doors):
    address, _ = doors.path("calendar")
    document = str(get_static_doc("calendar", "v3")).replace("https://www.googleapis.com", address)
    http = httplib2.Http()
    with build_from_document(document, http=http) as client, pytest.raises(HttpError) as refused:
        client.calendars().get(calendarId="primary").execute()
    assert (refused.value.resp.status, "UNAUTHENTICATED" in refused.value.content.decode()) == (401, True)
