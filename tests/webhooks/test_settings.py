"""Webhooks of the settings, which have no row in the twin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.harness import Environment, LiveServer, Platform, succeeded
from tests.receiver import Received, Receiver
from tests.webhooks.conftest import SECRET, Webhooks
from twindiff.twins.box.event_delivery.webhooks import signature

EVENT = {
    "start": {"dateTime": "2030-01-07T10:00:00Z"},
    "end": {"dateTime": "2030-01-07T11:00:00Z"},
    "summary": "Launch",
}
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "box": ("2.0/folders", {"name": "Launch", "parent": {"id": "0"}}),
    "calendar": ("calendar/v3/calendars/primary/events", EVENT),
}
"""A call of each twin that causes an event."""


@pytest.fixture
def subscribe(server: LiveServer, platform: Platform, receiver: Receiver) -> Callable[..., Received]:
    """Subscribe to a twin of a new run, let something happen there, and return what the subscriber received."""

    def subscribe(twin: str, **asked: Any) -> Received:
        made = succeeded(server.client.post("/twin-runs", json={"twins": [twin], "wait_seconds": 60}))
        run = succeeded(server.client.get(f"/twin-runs/{made['run_id']}"))
        url = run["twins"][twin]["path_url"].removeprefix(server.url)
        environment = {"environmentId": made["environment_id"], "agentToken": "", "environmentUrl": url}
        webhooks = Webhooks(Environment(platform, environment))
        webhooks.add(receiver.url, twin=twin, **asked)
        path, body = CALLS[twin]
        succeeded(webhooks.env.ask(path, json=body))
        webhooks.settled()
        return receiver.received[0]

    return subscribe


def test_a_webhook_of_boxs_settings_is_told_of_all_items_and_signed_with_its_secret(subscribe: Callable[..., Received]):
    told = subscribe("box")
    assert (told.json["trigger"], told.json["source"]["name"]) == ("FOLDER.CREATED", "Launch")
    signed = signature(SECRET, told.body, told.headers["box-delivery-timestamp"])
    assert signed == told.headers["box-signature-primary"] == told.headers["box-signature-secondary"]


def test_a_webhook_of_calendars_settings_is_told_of_all_resources_with_its_secret_as_token(
    subscribe: Callable[..., Received],
):
    told = subscribe("calendar").headers
    assert (told["x-goog-resource-state"], told["x-goog-channel-token"]) == ("exists", SECRET)
    assert told["x-goog-resource-uri"].endswith("/events?alt=json")


def test_a_webhook_for_a_twin_whose_events_need_a_row_is_refused_with_the_way_to_make_it(
    server: LiveServer, platform: Platform, receiver: Receiver
):
    made = succeeded(server.client.post("/twin-runs", json={"twins": ["github"], "wait_seconds": 60}))
    asked = {"twin": "github", "url": receiver.url}
    refused = platform.ask("POST", f"env/{made['environment_id']}/webhooks", asked)
    assert (refused.status_code, refused.json()["error"]) == (400, "invalid_webhook")
    assert "POST /repos/{owner}/{repo}/hooks" in refused.json()["detail"]
