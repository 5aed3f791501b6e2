"""Socket Mode as an app meets it, frame by frame.  https://docs.slack.dev/apis/events-api/using-socket-mode"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from tests.harness import AGENT, GENERAL, JOHN, LiveServer, Platform
from tests.receiver import PATIENCE_SECONDS
from twindiff.server import Settings
from twindiff.twins.slack.tests.conftest import Slack


@pytest.fixture(scope="module")
def platform() -> Iterator[Platform]:
    """A server that listens."""
    server = LiveServer(Settings())
    yield Platform(server.client)
    server.close()


@pytest.fixture
def john(workspace) -> Slack:
    return workspace(clock={"mode": "steps", "start": "2026-01-31T09:30:00"}).as_user(JOHN)


def address(slack: Slack) -> str:
    return slack.http("POST", "apps.connections.open", token="xapp-1").json()["url"]


@pytest.fixture
def socket(john: Slack) -> Iterator[ClientConnection]:
    """A connection after its hello."""
    with connect(address(john), proxy=None, open_timeout=PATIENCE_SECONDS) as opened:
        assert heard(opened)["type"] == "hello"
        yield opened


def heard(socket: ClientConnection) -> Any:
    return json.loads(socket.recv(timeout=PATIENCE_SECONDS))


def acknowledge(socket: ClientConnection, frame: Any) -> None:
    socket.send(json.dumps({"envelope_id": frame["envelope_id"]}))


def settled(slack: Slack, count: int) -> list[dict[str, Any]]:
    """The deliveries, once so many are not pending."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        deliveries = slack.environment.platform.get(f"env/{slack.environment.id}/deliveries")["deliveries"]
        if sum(each["status"] != "pending" for each in deliveries) >= count:
            return deliveries
        assert time.monotonic() < deadline, deliveries


def test_slack_says_hello_and_how_many_connections_there_are(john: Slack):
    with (
        connect(address(john), proxy=None, open_timeout=PATIENCE_SECONDS) as first,
        connect(address(john), proxy=None, open_timeout=PATIENCE_SECONDS) as second,
    ):
        assert [heard(each)["num_connections"] for each in (first, second)] == [1, 2]


def test_an_event_comes_in_an_envelope_and_is_acknowledged(john: Slack, socket: ClientConnection):
    john("chat.postMessage", channel=GENERAL, text="hi")
    frame = heard(socket)
    payload = frame.pop("payload")
    assert (payload["type"], payload["event"]["text"]) == ("event_callback", "hi")
    assert len(frame["envelope_id"]) == 36
    acknowledge(socket, frame)
    rest = {"type": "events_api", "accepts_response_payload": False, "retry_attempt": 0, "retry_reason": ""}
    assert frame == {"envelope_id": frame["envelope_id"], **rest}
    [delivery] = settled(john, 1)
    assert (delivery["status"], len(delivery["attempts"])) == ("delivered", 1)


def test_what_is_not_acknowledged_is_told_again_and_holds_up_nothing(john: Slack, socket: ClientConnection):
    john("chat.postMessage", channel=GENERAL, text="one")
    john("chat.postMessage", channel=GENERAL, text="two")
    one, two = heard(socket), heard(socket)
    assert [each["payload"]["event"]["text"] for each in (one, two)] == ["one", "two"]
    acknowledge(socket, two)
    again = heard(socket)
    assert (again["envelope_id"], again["retry_attempt"], again["retry_reason"]) == (one["envelope_id"], 1, "timeout")
    acknowledge(socket, again)
    first, _ = settled(john, 2)
    assert [each["failure"] for each in first["attempts"]] == ["timeout", None]


def test_what_a_closed_connection_left_behind_is_told_to_the_next_one(john: Slack):
    with connect(address(john), proxy=None, open_timeout=PATIENCE_SECONDS) as first:
        heard(first)
        john("chat.postMessage", channel=GENERAL, text="hi")
        told = heard(first)
    with connect(address(john), proxy=None, open_timeout=PATIENCE_SECONDS) as second:
        assert heard(second)["type"] == "hello"
        again = heard(second)
        assert again["envelope_id"] == told["envelope_id"]
        acknowledge(second, again)
        settled(john, 1)


def test_several_connections_take_turns(john: Slack):
    with (
        connect(address(john), proxy=None, open_timeout=PATIENCE_SECONDS) as first,
        connect(address(john), proxy=None, open_timeout=PATIENCE_SECONDS) as second,
    ):
        assert heard(first)["type"] == heard(second)["type"] == "hello"
        for number in range(4):
            john("chat.postMessage", channel=GENERAL, text=str(number))
        told = [heard(each) for each in (first, second, first, second)]
        for number, frame in enumerate(told):
            acknowledge((first, second)[number % 2], frame)
        assert [len(each["attempts"]) for each in settled(john, 4)] == [1, 1, 1, 1]
        assert sorted(each["payload"]["event"]["text"] for each in told) == ["0", "1", "2", "3"]


def test_what_is_no_json_ends_the_connection(socket: ClientConnection):
    socket.send("{")
    with pytest.raises(ConnectionClosed) as closed:
        heard(socket)
    assert closed.value.rcvd
    assert closed.value.rcvd.code == 1003


def test_an_environment_that_is_deleted_ends_the_connection(john: Slack, socket: ClientConnection):
    john("chat.postMessage", channel=GENERAL, text="hi")
    heard(socket)
    john.environment.platform.delete(f"env/{john.environment.id}")
    assert heard(socket) == {"type": "disconnect", "reason": "link_disabled", "debug_info": {"host": "twindiff"}}


@pytest.mark.parametrize("change", ["/link/", "?ticket=", "/services/slack/", "/api/env/"])
def test_there_is_no_connection_without_a_ticket_or_elsewhere(john: Slack, change: str):
    wrong = {"/link/": "/lnk/", "?ticket=": "?t=", "/services/slack/": "/services/linear/", "/api/env/": "/api/env/0"}
    with (
        pytest.raises(InvalidStatus) as refused,
        connect(address(john).replace(change, wrong[change]), proxy=None, open_timeout=PATIENCE_SECONDS),
    ):
        pass
    assert refused.value.response.status_code == 403


@pytest.mark.parametrize("made_up", ["1795000000", "1795000000-", "-", "1795000000-0123456789abcdef0123456789abcdef"])
def test_a_ticket_that_was_not_issued_opens_nothing(john: Slack, made_up: str):
    url = f"{address(john).partition('?')[0]}?ticket={made_up}"
    with pytest.raises(InvalidStatus) as refused, connect(url, proxy=None, open_timeout=PATIENCE_SECONDS):
        pass
    assert refused.value.response.status_code == 403


def test_a_ticket_opens_its_own_environment_only(john: Slack):
    other = Slack(john.environment.platform.environment(tokens={f"xoxp-{JOHN}": JOHN}), JOHN)
    ticket = address(other).partition("?")[2]
    with (
        pytest.raises(InvalidStatus) as refused,
        connect(f"{address(john).partition('?')[0]}?{ticket}", proxy=None, open_timeout=PATIENCE_SECONDS),
    ):
        pass
    assert refused.value.response.status_code == 403


def test_an_app_is_not_told_of_itself_by_bolt_but_by_slack(john: Slack, socket: ClientConnection):
    john.as_user(AGENT)("chat.postMessage", channel=GENERAL, text="mine")
    assert heard(socket)["payload"]["event"]["user"] == AGENT


def test_an_eleventh_connection_is_told_that_there_are_too_many(john: Slack):
    with ExitStack() as stack:
        sockets = [
            stack.enter_context(connect(address(john), proxy=None, open_timeout=PATIENCE_SECONDS)) for _ in range(11)
        ]
        said = [heard(each) for each in sockets]
        assert [each["type"] for each in said] == ["hello"] * 10 + ["disconnect"]
        assert said[10]["reason"] == "too_many_websockets"
        with pytest.raises(ConnectionClosed):
            heard(sockets[10])
