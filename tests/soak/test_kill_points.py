"""A server that is killed while environments fork and go back in time keeps every point that it acknowledged."""

from __future__ import annotations

import http.client
import json
import random
import threading
from typing import Any

import httpx
import pytest

from tests.harness import GENERAL, Environment, Platform, texts
from tests.soak.test_kill import KilledServer, journal_of

THREADS = 4
PAGE = 1000


@pytest.fixture
def server(tmp_path):
    server = KilledServer(tmp_path)
    yield server
    server.close()


class Past:
    """What an environment said at each of its points, and what it will have said if the last request arrived."""

    def __init__(self, made: dict[str, Any], points: list[tuple[str, ...]]) -> None:
        self.made = made
        self.points = points
        self.pending: tuple[str, ...] | None = None


class Wanderer(threading.Thread):
    """Writes, forks and goes back in environments of its own until the server is gone, noting what was acknowledged."""

    def __init__(self, port: int, name: str, pasts: list[Past], acknowledged: threading.Semaphore) -> None:
        super().__init__(name=name)
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self.pasts = pasts
        self.acknowledged = acknowledged
        self.random = random.Random(name)
        self.wrong: list[Any] = []

    def run(self) -> None:
        try:
            for number in range(100_000):
                past = self.random.choice(self.pasts[-6:])
                deed = self.random.choice([self.write, self.write, self.write, self.fork, self.rewind, self.checkpoint])
                deed(past, number)
                self.acknowledged.release()
        except (OSError, http.client.HTTPException):
            self.connection.close()

    def ask(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        headers = {"Authorization": "Bearer x", "Content-Type": "application/json"}
        headers = headers if "/services/" in path else {"Content-Type": "application/json"}
        self.connection.request("POST", path, json.dumps(body), headers)
        answer = self.connection.getresponse()
        content = json.loads(answer.read())
        if answer.status >= 300 or content.get("ok") is False:
            self.wrong.append((path, body, content))
        return content

    def point(self, past: Past) -> int:
        return self.random.randrange(len(past.points))

    def write(self, past: Past, number: int) -> None:
        text = f"{self.name} {number}"
        past.pending = (*past.points[-1], text)
        self.ask(f"{past.made['environmentUrl']}/chat.postMessage", {"channel": GENERAL, "text": text})
        self.arrived(past)

    def rewind(self, past: Past, number: int) -> None:
        to = self.point(past)
        past.pending = past.points[to]
        assert self.ask(self.route(past, "rewind"), {"to": to})["seq"] == len(past.points)
        self.arrived(past)

    def fork(self, past: Past, number: int) -> None:
        at = self.point(past)
        for made in self.ask(self.route(past, "fork"), {"at": at, "count": 2})["environments"]:
            self.pasts.append(Past(made, past.points[: at + 1]))

    def checkpoint(self, past: Past, number: int) -> None:
        name = f"{self.name} {number}".replace(" ", "-")
        self.ask(self.route(past, "checkpoints"), {"name": name, "at": self.point(past)})

    def route(self, past: Past, name: str) -> str:
        return f"/api/platform/env/{past.made['environmentId']}/{name}"

    def arrived(self, past: Past) -> None:
        assert past.pending is not None
        past.points.append(past.pending)
        past.pending = None


def check(platform: Platform, past: Past) -> None:
    """Every acknowledged point is there and says what it said; what was under way happened whole or not at all."""
    made = {**past.made, "environmentUrls": {"slack": past.made["environmentUrl"]}}
    environment = Environment(platform, {"agentToken": "x", **made})
    seq = platform.get(f"env/{environment.id}")["seq"]
    if seq == len(past.points) and past.pending is not None:
        past.points.append(past.pending)
    past.pending = None
    assert seq == len(past.points) - 1
    assert [record["seq"] for record in journal_of(environment)] == list(range(1, seq + 1))
    assert said(platform, environment) == sorted(past.points[-1])
    chosen = random.Random(seq)
    for _ in range(3):
        one, other = chosen.randrange(seq + 1), chosen.randrange(seq + 1)
        diff = platform.get(f"env/{environment.id}/diff", **{"from": one, "to": other})["diff"]
        before, after = set(past.points[one]), set(past.points[other])
        assert (set(texts(diff)), set(texts(diff, "deletes"))) == (after - before, before - after)


def said(platform: Platform, environment: Environment) -> list[str]:
    """What the diff says was said, which is what the API says."""
    in_diff = sorted(texts(platform.get(f"env/{environment.id}/diff")["diff"]))
    page = environment.slack("conversations.history", channel=GENERAL, limit=999)
    assert sorted(message["text"] for message in page["messages"] if message["text"].startswith("round")) == in_diff
    return in_diff


def wander_and_die(server: KilledServer, pasts: list[list[Past]], number: int) -> None:
    acknowledged = threading.Semaphore(0)
    names = [f"round {number} thread {n}" for n in range(THREADS)]
    threads = [Wanderer(server.port, name, mine, acknowledged) for name, mine in zip(names, pasts, strict=True)]
    for thread in threads:
        thread.start()
    for _ in range(60 + number * 53 % 140):
        assert acknowledged.acquire(timeout=120)
    server.kill()
    for thread in threads:
        thread.join()
        assert thread.wrong == []


def kill_again_and_again(server: KilledServer, rounds: int) -> None:
    with httpx.Client(base_url=f"http://127.0.0.1:{server.port}", trust_env=False, timeout=120) as client:
        platform = Platform(client)
        pasts = [[Past(platform.environment(ttlSeconds=86400).made, [()])] for _ in range(THREADS)]
        for number in range(rounds):
            wander_and_die(server, pasts, number)
            server.start()
            for mine in pasts:
                for past in mine[-12:]:
                    check(platform, past)
        for past in (past for mine in pasts for past in mine):
            check(platform, past)


def test_no_acknowledged_point_is_lost_and_none_is_half_there(server):
    kill_again_and_again(server, 3)


@pytest.mark.soak
def test_nor_is_it_in_fifty_rounds(server):
    kill_again_and_again(server, 50)
