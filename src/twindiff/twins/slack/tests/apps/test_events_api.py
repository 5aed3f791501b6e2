"""What apps are told by the Events API, and what they are not.  https://docs.slack.dev/apis/events-api"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

import pytest

from tests.harness import AGENT, GENERAL, JOHN, RANDOM, LiveServer, Platform
from tests.receiver import Receiver
from twindiff.server import Settings
from twindiff.twins.slack.tests.conftest import Slack

SECRET = "0123456789abcdef"
Told = Callable[..., list[dict[str, Any]]]


@pytest.fixture(scope="module")
def platform() -> Iterator[Platform]:
    """A server that tells of events."""
    server = LiveServer(Settings())
    yield Platform(server.client)
    server.close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    yield made
    made.close()


@pytest.fixture
def john(workspace) -> Slack:
    return workspace(clock={"mode": "steps", "start": "2026-01-31T09:30:00"}).as_user(JOHN)


@pytest.fixture
def subscribe(john: Slack, receiver: Receiver) -> Callable[..., None]:
    """Have the app told of some events, or of all."""

    def add(*events: str) -> None:
        body = {"twin": "slack", "url": receiver.url, "events": events, "secret": SECRET}
        john.environment.platform.post(f"env/{john.environment.id}/webhooks", body)

    return add


@pytest.fixture
def told(john: Slack, receiver: Receiver) -> Told:
    """What the app has been told, once everything before is delivered: a last message ends it."""

    def told() -> list[dict[str, Any]]:
        john("chat.postMessage", channel=GENERAL, text="the end")
        count = len(receiver.received)
        while receiver.events == [] or receiver.events[-1].json["event"].get("text") != "the end":
            count += 1
            receiver.wait(count)
        return [each.json["event"] for each in receiver.events[:-1]]

    return told


def test_an_event_comes_signed_and_in_its_envelope(john: Slack, subscribe, receiver: Receiver):
    subscribe("message.channels")
    ts = john("chat.postMessage", channel=GENERAL, text="hi")["ts"]
    [_, request] = receiver.wait(2)
    at = request.headers["x-slack-request-timestamp"]
    signed = hmac.new(SECRET.encode(), f"v0:{at}:".encode() + request.body, sha256).hexdigest()
    assert request.headers["x-slack-signature"] == f"v0={signed}"
    body = request.json
    event_id, token, event = body.pop("event_id"), body.pop("token"), body.pop("event")
    assert (event_id[:2], len(event_id), len(token)) == ("Ev", 13, 24)
    acting = {"enterprise_id": None, "team_id": "T01WORKSPACE", "user_id": AGENT}
    assert body == {
        "team_id": "T01WORKSPACE",
        "context_team_id": "T01WORKSPACE",
        "context_enterprise_id": None,
        "api_app_id": f"A{AGENT[1:]}",
        "type": "event_callback",
        "event_time": 1769851801,
        "authorizations": [{**acting, "is_bot": True, "is_enterprise_install": False}],
        "is_ext_shared_channel": False,
    }
    said = {"channel": GENERAL, "channel_type": "channel", "user": JOHN, "text": "hi", "ts": ts, "event_ts": ts}
    assert [block["type"] for block in event.pop("blocks")] == ["rich_text"]
    assert event == {"type": "message", **said}


def test_a_mention_is_told_of_twice_to_those_who_want_both(john: Slack, subscribe, told: Told):
    subscribe("app_mention", "message.channels")
    john("chat.postMessage", channel=GENERAL, text=f"<@{AGENT}> hi")
    assert [(each["type"], each["text"]) for each in told()] == [
        ("message", f"<@{AGENT}> hi"),
        ("app_mention", f"<@{AGENT}> hi"),
    ]


def test_an_edit_and_a_deletion_tell_of_the_message_inside(john: Slack, subscribe, told: Told):
    ts = john("chat.postMessage", channel=GENERAL, text="one")["ts"]
    subscribe("message.channels")
    john("chat.update", channel=GENERAL, ts=ts, text="two")
    john("chat.delete", channel=GENERAL, ts=ts)
    [edited, deleted] = told()
    assert (edited["subtype"], edited["message"]["text"], edited["message"]["ts"]) == ("message_changed", "two", ts)
    assert (deleted["subtype"], deleted["deleted_ts"], deleted["previous_message"]["text"]) == (
        "message_deleted",
        ts,
        "two",
    )


def test_what_happens_where_the_app_is_no_member_is_not_told(john: Slack, subscribe, told: Told):
    channel = john("conversations.create", name="secret", is_private=True)["channel"]["id"]
    subscribe()
    john("chat.postMessage", channel=channel, text=f"<@{AGENT}> must not know")
    assert told() == []


def test_what_was_not_asked_for_is_not_told(john: Slack, subscribe, told: Told):
    subscribe("message.channels")
    ts = john("chat.postMessage", channel=GENERAL, text="hi")["ts"]
    john("reactions.add", channel=GENERAL, timestamp=ts, name="eyes")
    john("conversations.archive", channel=RANDOM)
    assert [each["type"] for each in told()] == ["message"]


def test_new_channels_are_told_of_to_all(john: Slack, subscribe, told: Told):
    subscribe("channel_created", "message.channels")
    john("conversations.create", name="plans")
    assert [(each["type"], each["channel"]["name"]) for each in told()] == [("channel_created", "plans")]
