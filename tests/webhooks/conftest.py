"""A server, environments of it, and programs that are told of their events."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.harness import Environment, Json, LiveServer, Platform
from tests.receiver import PATIENCE_SECONDS, Receiver
from twindiff.server import Settings
from twindiff.twins import slack

SECRET = "8f742231b10e8888abcd99"
assert slack.twin.webhooks
SLACKS_OWN = slack.twin.webhooks


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Slack gives programs three seconds to answer, of which a busy machine may need more."""
    monkeypatch.setattr(slack.twin, "webhooks", SLACKS_OWN._replace(timeout_seconds=PATIENCE_SECONDS))


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    started = LiveServer(Settings())
    yield started
    started.close()


@pytest.fixture
def platform(server: LiveServer) -> Platform:
    return Platform(server.client)


class Webhooks:
    """The webhooks of one environment."""

    def __init__(self, env: Environment) -> None:
        self.env = env
        self.platform = env.platform

    def add(self, url: str, *events: str, **options: Any) -> Json:
        body = {"twin": "slack", "url": url, "events": events, "secret": SECRET, **options}
        return self.platform.post(f"env/{self.env.id}/webhooks", body)

    def deliveries(self) -> list[Json]:
        return self.platform.get(f"env/{self.env.id}/deliveries", limit=1000)["deliveries"]

    def until(self, holds: Callable[[list[Json]], bool]) -> list[Json]:
        """The deliveries, as soon as something holds for them."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not holds(deliveries := self.deliveries()):
            assert time.monotonic() < deadline, deliveries
        return deliveries

    def settled(self, count: int = 1) -> list[Json]:
        """The deliveries, as soon as there are so many and none is pending."""
        return self.until(
            lambda deliveries: len(deliveries) >= count and all(each["status"] != "pending" for each in deliveries)
        )

    def tried(self, attempts: int = 1) -> Json:
        """The first delivery, as soon as it was tried so often."""
        return self.until(lambda deliveries: bool(deliveries) and len(deliveries[0]["attempts"]) >= attempts)[0]


@pytest.fixture
def webhooks(platform: Platform) -> Webhooks:
    """Webhooks of a new environment, whose clock moves a second with every operation that writes."""
    return Webhooks(platform.environment(clock={"mode": "steps", "start": "2026-01-31T09:30:00"}))


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    """A program that answers every request with 200."""
    made = Receiver()
    yield made
    made.close()
