"""A server that is killed again and again while it tells somebody of events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import httpx

from tests.harness import Environment, Platform
from tests.receiver import PATIENCE_SECONDS, Receiver
from tests.webhooks.conftest import Webhooks

ROUNDS = 3
EACH = 25


class Killable(Protocol):
    """A server in processes of its own."""

    @property
    def url(self) -> str:
        """Where it listens."""
        ...

    def kill(self) -> None:
        """End it without a warning."""
        ...


def texts_told(
    start: Callable[[], Killable], receiver: Receiver, key: str | None = None, *, rounds: int = ROUNDS
) -> list[str]:
    """Say something many times, kill the server each time some of it is under way; gives what was told of."""
    made: Environment | None = None
    for number in range(rounds):
        server = start()
        with httpx.Client(base_url=server.url, trust_env=False, timeout=60) as client:
            platform = Platform(client, key)
            if made is None:
                made = platform.environment()
                Webhooks(made).add(receiver.url, "message.channels")
            env = Environment(platform, made.made)
            for each in range(EACH):
                env.post(str(number * EACH + each))
        server.kill()
    server = start()
    with receiver.news:
        receiver.news.wait_for(lambda: len(set(texts(receiver))) == rounds * EACH, PATIENCE_SECONDS)
    server.kill()
    return texts(receiver)


def texts(receiver: Receiver) -> list[str]:
    """What was told of, in the order it arrived."""
    return [each.json["event"]["text"] for each in receiver.events]


def assert_all_in_order(told: list[str], *, rounds: int = ROUNDS) -> None:
    """Everything arrived at least once, and for the first time in order."""
    assert list(dict.fromkeys(told)) == [str(number) for number in range(rounds * EACH)]
