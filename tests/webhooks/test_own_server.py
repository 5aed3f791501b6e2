"""Nothing that a server sends reaches that server: no twin's webhook judges, changes or resets an environment."""

from __future__ import annotations

import http.client
import socket

import pytest

from tests.harness import Json, LiveServer, Platform
from tests.receiver import Received, Receiver, Said
from tests.webhooks.conftest import Webhooks
from twindiff.server import Settings

LINEAR_AGENT = "2790a7ee-fde0-4537-9588-e233aa5a68d1"
HOSTS = [
    "127.0.0.1",
    "127.0.0.2",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "0.0.0.0",
    "0",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[0:0:0:0:0:0:0:1]",
    "localhost",
    "LocalHost",
    "localhost.",
    "127.0.0.1.",
    "slack.localhost",
    "１２７.0.0.1",  # noqa: RUF001
    "127。0。0。1",
]


@pytest.mark.parametrize("host", HOSTS)
def test_a_webhook_to_the_server_itself_is_refused_however_it_is_spelt(webhooks: Webhooks, host: str):
    url = f"http://{host}:{webhooks.platform.client.base_url.port}/api/platform/env/x/reset"
    answer = webhooks.platform.ask("POST", f"env/{webhooks.env.id}/webhooks", {"twin": "slack", "url": url})
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_webhook")


def test_the_refusal_of_a_webhook_to_the_server_itself_says_so(webhooks: Webhooks):
    url = str(webhooks.platform.client.base_url)
    answer = webhooks.platform.ask("POST", f"env/{webhooks.env.id}/webhooks", {"twin": "slack", "url": url})
    assert "is this server itself, which no webhook may reach" in answer.json()["detail"]


def linear_webhook(server: LiveServer, url: str) -> Webhooks:
    """An environment whose agent has subscribed an address to its issues, and then made one."""
    webhooks = Webhooks(Platform(server.client).environment("linear:linear_default", user=LINEAR_AGENT))
    mutate(webhooks, f'webhookCreate(input: {{url: "{url}", resourceTypes: ["Issue"], allPublicTeams: true}})')
    team = graphql(webhooks, "{ teams { nodes { id } } }")["teams"]["nodes"][0]["id"]
    mutate(webhooks, f'issueCreate(input: {{teamId: "{team}", title: "one"}})')
    return webhooks


def graphql(webhooks: Webhooks, query: str) -> Json:
    return webhooks.env.ask("graphql", json={"query": query}).json()["data"]


def mutate(webhooks: Webhooks, field: str) -> None:
    graphql(webhooks, f"mutation {{ {field} {{ success }} }}")


def test_an_agents_webhook_does_not_reach_the_control_plane(server: LiveServer):
    webhooks = linear_webhook(server, f"{server.url}/api/platform/initEnv")
    attempt = webhooks.settled()[0]["attempts"][0]
    assert (attempt["status"], attempt["failure"]) == (None, "refused")
    assert "this server itself" in attempt["message"]


def test_an_agents_webhook_does_not_reach_the_port_of_a_twin(server: LiveServer):
    other = Platform(server.client).environment()
    port = Platform(server.client).post(f"env/{other.id}/ports", {"twin": "slack"})["url"]
    attempt = linear_webhook(server, f"{port}/api/chat.postMessage").settled()[0]["attempts"][0]
    assert (attempt["status"], attempt["failure"]) == (None, "refused")


def test_an_agents_webhook_does_not_reach_the_server_through_a_proxy_in_front_of_it(server: LiveServer):
    proxy = Receiver(lambda request: forward(server, request))
    attempt = linear_webhook(server, proxy.url).tried()["attempts"][0]
    proxy.close()
    assert (attempt["status"], attempt["failure"]) == (403, "status")
    assert "own_request" in attempt["message"]


def forward(server: LiveServer, request: Received) -> Said:
    """Pass a request on to a server as it came, and what that answers back."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request("POST", "/api/platform/initEnv", request.body, dict(request.headers))
    answer = connection.getresponse()
    said = Said(answer.status, answer.read())
    connection.close()
    return said


def test_a_host_that_was_named_and_is_this_machine_does_not_reach_the_server():
    name = socket.gethostname()
    server = LiveServer(Settings(webhook_hosts=(name,)))
    try:
        attempt = linear_webhook(server, f"http://{name}:{server.port}/api/platform/initEnv").settled()[0]["attempts"][
            0
        ]
    finally:
        server.close()
    assert (attempt["status"], attempt["failure"]) == (None, "refused")
    assert "this server itself" in attempt["message"]


@pytest.fixture
def keyed(request: pytest.FixtureRequest):
    server = LiveServer(Settings(api_key="k", webhook_hosts=getattr(request, "param", ())))
    yield Webhooks(Platform(server.client, key="k").environment())
    server.close()


def test_with_a_key_a_webhook_to_this_machine_is_refused_until_its_host_is_named(keyed: Webhooks, receiver: Receiver):
    answer = keyed.platform.ask("POST", f"env/{keyed.env.id}/webhooks", {"twin": "slack", "url": receiver.url})
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_webhook")
    assert "start the server with --allow-webhooks-to 127.0.0.1" in answer.json()["detail"]


@pytest.mark.parametrize("keyed", [("127.0.0.1",), ("localhost",)], indirect=True)
def test_with_a_key_a_webhook_reaches_this_machine_once_it_is_named(keyed: Webhooks, receiver: Receiver):
    keyed.add(receiver.url)
    keyed.env.post("hi")
    assert keyed.settled()[0]["status"] == "delivered"


@pytest.mark.parametrize("keyed", [("127.0.0.1:1",)], indirect=True)
def test_a_host_that_was_named_with_a_port_is_reached_on_that_port_alone(keyed: Webhooks, receiver: Receiver):
    answer = keyed.platform.ask("POST", f"env/{keyed.env.id}/webhooks", {"twin": "slack", "url": receiver.url})
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_webhook")
