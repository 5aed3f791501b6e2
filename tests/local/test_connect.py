"""Unchanged SDKs and HTTP libraries reach twins under their vendors' own hosts, without a port."""

from __future__ import annotations

import asyncio
import io
import json
import urllib.request
from collections.abc import Callable, Iterator

import box_sdk_gen
import httplib2
import httpx
import pytest
import requests
import slack_sdk
import stripe
import urllib3
from google.oauth2.credentials import Credentials
from googleapiclient.discovery import build

import twindiff
from twindiff import Twindiff
from twindiff.client import Environment

URL = "https://slack.com/api/auth.test"
AGENT = "U01AGENBOT9"


@pytest.fixture(scope="module")
def twins() -> Iterator[Twindiff]:
    with Twindiff() as made:
        yield made


@pytest.fixture(scope="module")
def slack(twins: Twindiff) -> Environment:
    return twins.create("slack:slack_default")


def bearer(environment: Environment) -> dict[str, str]:
    return {"Authorization": f"Bearer {environment.token}"}


def by_httpx(env: Environment) -> str:
    return httpx.post(URL, headers=bearer(env)).text


def by_async_httpx(env: Environment) -> str:
    async def post() -> str:
        async with httpx.AsyncClient(headers=bearer(env)) as client:
            return (await client.post(URL)).text

    return asyncio.run(post())


def by_requests(env: Environment) -> str:
    return requests.post(URL, headers=bearer(env), data=io.BytesIO(b""), timeout=60).text


def by_urllib3(env: Environment) -> str:
    return urllib3.request("POST", URL, headers=bearer(env)).data.decode()


def by_urllib(env: Environment) -> str:
    with urllib.request.urlopen(urllib.request.Request(URL, b"", bearer(env))) as response:
        return response.read().decode()


def by_httplib2(env: Environment) -> str:
    return httplib2.Http().request(URL, "POST", headers=bearer(env))[1].decode()


def by_slack_sdk(env: Environment) -> str:
    return json.dumps(slack_sdk.WebClient(token=env.token).auth_test().data)


LIBRARIES = (by_httpx, by_async_httpx, by_requests, by_urllib3, by_urllib, by_httplib2, by_slack_sdk)


@pytest.mark.parametrize("way", LIBRARIES, ids=lambda way: way.__name__)
def test_each_library_reaches_the_twin_by_its_vendors_host(slack: Environment, way: Callable[[Environment], str]):
    with twindiff.connect(slack):
        assert json.loads(way(slack))["user_id"] == AGENT


def with_stripe(env: Environment) -> str:
    return str(stripe.StripeClient(env.token).v1.customers.create({"name": "Ada"}).name)


def with_box(env: Environment) -> str:
    client = box_sdk_gen.BoxClient(box_sdk_gen.BoxDeveloperTokenAuth(env.token))
    attributes = box_sdk_gen.UploadFileAttributes("a.txt", box_sdk_gen.UploadFileAttributesParentField("0"))
    files = client.uploads.upload_file(attributes, io.BytesIO(b"Ada")).entries
    content = client.downloads.download_file(files[0].id) if files else None
    return content.read().decode() if content else ""


def with_google(env: Environment) -> str:
    calendar = build("calendar", "v3", credentials=Credentials(env.token))
    return calendar.events().insert(calendarId="primary", body=ALL_DAY).execute()["summary"]


def with_linear(env: Environment) -> str:
    asked = {"query": 'mutation { teamCreate(input: {name: "Ada"}) { team { name } } }'}
    answer = httpx.post("https://api.linear.app/graphql", headers=bearer(env), json=asked)
    return answer.json()["data"]["teamCreate"]["team"]["name"]


ANSWER = httpx.Response(204)
ALL_DAY = {"summary": "Ada", "start": {"date": "2026-12-01"}, "end": {"date": "2026-12-02"}}
SDKS = {"stripe": with_stripe, "box": with_box, "calendar": with_google, "linear": with_linear}


@pytest.mark.parametrize("twin", SDKS)
def test_a_vendors_sdk_needs_no_base_url(twins: Twindiff, twin: str):
    environment = twins.create(f"{twin}:{twin}_default")
    with twindiff.connect(environment):
        assert SDKS[twin](environment) == "Ada"
    assert environment.diff()["inserts"]


def test_links_in_responses_name_the_vendors_host(twins: Twindiff):
    environment = twins.create("box:box_default")
    with twindiff.connect(environment):
        asked = {"name": "a.txt", "size": 1, "parent": {"id": "0"}}
        answer = httpx.request(
            "OPTIONS", "https://api.box.com/2.0/files/content", json=asked, headers=bearer(environment)
        )
    assert answer.json()["upload_url"].startswith("https://upload.box.com/")


MCP_SERVERS = {
    "slack": ("https://mcp.slack.com/mcp", "slack_send_message"),
    "linear": ("https://mcp.linear.app/mcp", "list_issues"),
    "stripe": ("https://mcp.stripe.com/", "create_customer"),
    "box": ("https://mcp.box.com/", "who_am_i"),
    "calendar": ("https://calendarmcp.googleapis.com/mcp/v1", "create_event"),
}


@pytest.mark.parametrize("twin", MCP_SERVERS)
def test_a_vendors_mcp_server_is_answered_by_its_twin(twins: Twindiff, twin: str):
    environment = twins.create(f"{twin}:{twin}_default")
    url, tool = MCP_SERVERS[twin]
    with twindiff.connect(environment):
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        answer = httpx.post(url, json=message, headers=bearer(environment))
    assert tool in {each["name"] for each in answer.json()["result"]["tools"]}


def test_requests_for_other_hosts_are_sent_and_nothing_is_left_after_the_block(slack: Environment):
    methods = httpx.HTTPTransport.handle_request, urllib3.HTTPConnectionPool.urlopen
    with twindiff.connect(slack), pytest.raises(httpx.ConnectError):
        httpx.get("http://127.0.0.1:9/")
    assert (httpx.HTTPTransport.handle_request, urllib3.HTTPConnectionPool.urlopen) == methods


def test_of_two_environments_the_one_with_the_token_responds_else_the_newest(twins: Twindiff, slack: Environment):
    other = twins.create("slack:slack_default", user="U02JOHNDOE1")
    with twindiff.connect(slack), twindiff.connect(other):
        asked = [httpx.post(URL, headers=headers).json() for headers in (bearer(slack), bearer(other), {})]
    assert [each.get("user_id") for each in asked] == [AGENT, "U02JOHNDOE1", "U02JOHNDOE1"]


def test_an_ended_environment_refuses_and_nothing_leaves_the_process(twins: Twindiff):
    environment = twins.create("slack:slack_default")
    with twindiff.connect(environment):
        environment.delete()
        assert httpx.post(URL, headers=bearer(environment)).status_code in (404, 410)


def test_an_environment_of_a_server_is_refused_in_one_sentence(slack: Environment):
    with (
        pytest.raises(TypeError, match="connect takes an environment that Twindiff"),
        twindiff.connect(
            Environment(object(), "x", "slack")  # type: ignore[arg-type]
        ),
    ):
        pass


def test_other_paths_of_a_shared_host_are_sent_as_ever(twins: Twindiff, monkeypatch: pytest.MonkeyPatch):
    sent: list[str] = []
    monkeypatch.setattr(
        httpx.HTTPTransport, "handle_request", lambda _, request: sent.append(request.url.path) or ANSWER
    )
    with twindiff.connect(twins.create("calendar:calendar_default")):
        for path in ("/drive/v3/files", "/calendar/v3/colors"):
            httpx.get(f"https://www.googleapis.com{path}")
    assert sent == ["/drive/v3/files"]
