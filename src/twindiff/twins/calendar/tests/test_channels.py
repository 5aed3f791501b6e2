"""Watch channels: what they are told, by the headers of requests that arrive."""

from __future__ import annotations

import pytest

from tests.harness import LiveServer, Platform
from tests.receiver import Receiver
from twindiff.server import Settings

from .conftest import AGENT, TOKENS, Calendar, at


@pytest.fixture(scope="module")
def server():
    """A server whose event loop delivers."""
    started = LiveServer(Settings())
    yield started
    started.close()


@pytest.fixture
def receiver():
    started = Receiver(lambda request: None)
    yield started
    started.close()


@pytest.fixture
def told(server) -> Calendar:
    """The agent of a world whose channels are delivered."""
    return Calendar(Platform(server.client).environment("calendar:calendar_base", AGENT, tokens=TOKENS))


def channel(receiver: Receiver, **more) -> dict[str, object]:
    return {"id": "watch-1", "type": "web_hook", "address": receiver.url, "token": "secret", **more}


def states(receiver: Receiver, count: int) -> list[tuple[str, str]]:
    received = receiver.wait(count)
    return [(each.headers["x-goog-resource-state"], each.headers["x-goog-resource-uri"]) for each in received]


def test_a_channel_is_told_that_it_begins_and_then_of_changes(told, receiver):
    made = told("POST", "calendars/primary/events/watch", channel(receiver))
    told.insert()
    first, second = receiver.wait(2)
    assert first.headers["x-goog-resource-state"] == "sync"
    assert first.headers["x-goog-message-number"] == "1"
    assert second.headers["x-goog-resource-state"] == "exists"
    assert second.headers["x-goog-resource-id"] == made["resourceId"]
    assert (second.headers["x-goog-channel-id"], second.headers["x-goog-channel-token"]) == ("watch-1", "secret")
    assert second.headers["x-goog-channel-expiration"].endswith("GMT")
    assert second.body == b""


def test_a_channel_is_told_of_its_resource_alone(told, receiver):
    told("POST", "calendars/primary/acl/watch", channel(receiver))
    told.insert()
    told("POST", "calendars/primary/acl", {"role": "reader", "scope": {"type": "default"}})
    assert [state for state, _ in states(receiver, 2)] == ["sync", "exists"]
    assert states(receiver, 2)[1][1].endswith("/calendars/agent@example.com/acl?alt=json")


def test_the_calendar_list_is_watched_as_one_s_own(told, receiver):
    made = told("POST", "users/me/calendarList/watch", channel(receiver))
    assert made["resourceUri"].endswith("/users/me/calendarList?alt=json")
    told("POST", "calendars", {"summary": "Garden"})
    assert [state for state, _ in states(receiver, 2)] == ["sync", "exists"]


def test_a_stopped_channel_is_gone(calendar):
    body = {"id": "watch-1", "type": "web_hook", "address": "https://example.com/hook"}
    made = calendar("POST", "users/me/settings/watch", body)
    assert calendar.refusal("POST", "users/me/settings/watch", body) == (400, "channelIdNotUnique")
    wrong = {"id": "watch-1", "resourceId": "other"}
    assert calendar.refusal("POST", "channels/stop", wrong) == (404, "notFound")
    calendar("POST", "channels/stop", {"id": "watch-1", "resourceId": made["resourceId"]})
    assert calendar.diff()["inserts"] == []


def test_an_expired_channel_is_told_nothing(told, receiver):
    told("POST", "calendars/primary/events/watch", channel(receiver, params={"ttl": "60"}))
    receiver.wait(1)
    told.advance(120)
    told.insert(**at("2018-06-18T09:00", "2018-06-18T10:00"))
    told("POST", "users/me/settings/watch", channel(receiver, id="watch-2"))
    assert [each.headers["x-goog-channel-id"] for each in receiver.wait(2)] == ["watch-1", "watch-2"]


def test_bad_channels_are_refused(calendar):
    good = {"id": "watch-1", "type": "web_hook", "address": "https://example.com/hook"}
    for wrong, reason in (
        ({"id": None}, "required"),
        ({"address": None}, "required"),
        ({"type": "pigeon"}, "invalid"),
        ({"address": "example.com"}, "invalid"),
        ({"id": "x" * 65}, "invalid"),
        ({"id": "あ"}, "invalid"),
        ({"token": "あ"}, "invalid"),
        ({"token": "a\r\nX-Other: b"}, "invalid"),
        ({"expiration": 1}, "invalid"),
        ({"expiration": "soon"}, "invalid"),
    ):
        assert calendar.refusal("POST", "calendars/primary/events/watch", {**good, **wrong}) == (400, reason)


@pytest.mark.parametrize("path", ["calendars/primary/events", "calendars/primary/acl", "users/me/calendarList"])
def test_channels_of_one_resource_share_its_id(calendar, path):
    """https://developers.google.com/workspace/calendar/api/guides/push#making-watch-requests"""
    watch = {"type": "web_hook", "address": "https://example.com/hook"}
    ids = [calendar("POST", f"{path}/watch", {**watch, "id": id})["resourceId"] for id in ("one", "two")]
    other = calendar("POST", "users/me/settings/watch", {**watch, "id": "three"})["resourceId"]
    assert (ids[0] == ids[1], ids[0] == other) == (True, False)
    calendar("POST", "channels/stop", {"id": "one", "resourceId": ids[0]})
    assert calendar.refusal("POST", "channels/stop", {"id": "one", "resourceId": ids[0]}) == (404, "notFound")
    calendar("POST", "channels/stop", {"id": "two", "resourceId": ids[0]})
