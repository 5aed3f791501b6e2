"""Bolt for Python, unmodified, hears of messages and answers them: over HTTP, with its checks of signatures."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from slack_bolt import App, BoltRequest, Say
from slack_bolt.adapter.socket_mode import SocketModeHandler
from slack_sdk import WebClient

from tests.harness import AGENT, GENERAL, JOHN, LiveServer, Platform
from tests.receiver import PATIENCE_SECONDS, Received, Receiver, Said
from twindiff.server import Settings
from twindiff.twins.slack.tests.conftest import Slack

SECRET = "0123456789abcdef"


@pytest.fixture(scope="module")
def platform() -> Iterator[Platform]:
    """A server that listens, for Bolt to speak to."""
    server = LiveServer(Settings())
    yield Platform(server.client)
    server.close()


def lunch_app(slack: Slack, secret: str) -> App:
    """An app that greets who mentions it and takes orders, as its authors would write it."""
    app = App(
        token="xoxb-1-2-lunch", signing_secret=secret, client=WebClient(token="xoxb-1-2-lunch", base_url=slack.url)
    )

    @app.event("app_mention")
    def greet(event: dict, say: Say) -> None:
        say(f"Hello <@{event['user']}>!", thread_ts=event["ts"])

    @app.message("order lunch")
    def order(message: dict, say: Say) -> None:
        say(f"One lunch for <@{message['user']}>")

    return app


def over_http(app: App) -> Receiver:
    """Bolt behind a web server, as its adapters put it there."""

    def answer(request: Received) -> Said:
        answered = app.dispatch(BoltRequest(body=request.body.decode(), headers={**request.headers}))
        return Said(answered.status, answered.body.encode())

    return Receiver(answer)


def subscribe(slack: Slack, url: str, *events: str) -> dict:
    environment = slack.environment
    body = {"twin": "slack", "url": url, "events": events, "secret": SECRET}
    return environment.platform.post(f"env/{environment.id}/webhooks", body)


def replies(slack: Slack, count: int) -> list[str]:
    """What the app has said, once it has said so much."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        said = [event["payload"] for event in slack.events() if event["name"] == "message"]
        texts = [each["text"] for each in said if each["user"] == AGENT]
        if len(texts) >= count:
            return texts
        assert time.monotonic() < deadline, said


@pytest.fixture
def john(workspace) -> Slack:
    return workspace().as_user(JOHN)


def test_it_answers_a_mention_and_a_message(john: Slack):
    receiver = over_http(lunch_app(john, SECRET))
    subscribe(john, receiver.url, "app_mention", "message.channels")
    ts = john("chat.postMessage", channel=GENERAL, text=f"<@{AGENT}> are you there?")["ts"]
    assert replies(john, 1) == [f"Hello <@{JOHN}>!"]
    john("chat.postMessage", channel=GENERAL, text="Please order lunch")
    assert replies(john, 2)[1:] == [f"One lunch for <@{JOHN}>"]
    thread = john("conversations.replies", channel=GENERAL, ts=ts)["messages"]
    receiver.close()
    assert [message["user"] for message in thread] == [JOHN, AGENT]


def test_a_secret_that_is_not_the_apps_proves_nothing(john: Slack):
    receiver = over_http(lunch_app(john, "another"))
    environment = john.environment
    body = {"twin": "slack", "url": receiver.url, "secret": SECRET}
    refused = environment.platform.ask("POST", f"env/{environment.id}/webhooks", body)
    receiver.close()
    assert (refused.status_code, refused.json()["error"]) == (400, "webhook_unproven")
    assert "invalid request" in refused.json()["detail"]


@pytest.fixture
def in_socket_mode(john: Slack) -> Iterator[Callable[[App], None]]:
    """Run apps as Bolt runs them in Socket Mode, each over its own connection."""
    handlers: list[SocketModeHandler] = []

    def run(app: App) -> None:
        handlers.append(SocketModeHandler(app, "xapp-1-lunch"))
        handlers[-1].connect()

    yield run
    for handler in handlers:
        handler.close()


def test_it_answers_a_mention_and_a_message_in_socket_mode(john: Slack, in_socket_mode):
    in_socket_mode(lunch_app(john, "not needed"))
    john("chat.postMessage", channel=GENERAL, text=f"<@{AGENT}> are you there?")
    assert replies(john, 1) == [f"Hello <@{JOHN}>!"]
    john("chat.postMessage", channel=GENERAL, text="Please order lunch")
    assert replies(john, 2)[1:] == [f"One lunch for <@{JOHN}>"]


def test_what_was_said_before_a_connection_is_told_to_the_next_one(john: Slack, in_socket_mode):
    environment = john.environment
    body = {"twin": "slack", "url": "socket:", "events": ["app_mention"]}
    environment.platform.post(f"env/{environment.id}/webhooks", body)
    john("chat.postMessage", channel=GENERAL, text=f"<@{AGENT}> are you there?")
    in_socket_mode(lunch_app(john, "not needed"))
    assert replies(john, 1) == [f"Hello <@{JOHN}>!"]
    [webhook] = environment.platform.get(f"env/{environment.id}/webhooks")["webhooks"]
    assert (webhook["url"], webhook["events"]) == ("socket:", ["app_mention"])
