"""Guesses at the key of a server: a few at once, then one after ever longer waits."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest

from tests.harness import LiveServer
from twindiff.server.apis.inspector import guesses
from twindiff.server.apis.inspector.guesses import Guesses, TooManyGuesses


def test_guesses_at_the_key_have_to_wait(make_server: Callable[..., LiveServer]) -> None:
    client = make_server(api_key="k").client
    answers = [guess(client, "wrong") for _ in range(8)]
    assert [each.status_code for each in answers] == [401] * 5 + [429] * 3
    assert guess(client, "k").status_code == 429


def test_wrong_keys_of_an_address_are_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    counted = Guesses(lambda: 0.0)
    for _ in range(8):
        counted.note_wrong("127.0.0.1")
    assert caplog.messages == ["5 wrong keys were given at the sign-in by 127.0.0.1"]


def guess(client: httpx.Client, key: str) -> httpx.Response:
    origin = str(client.base_url).rstrip("/")
    return client.post("/inspect/sign-in", data={"key": key}, headers={"Origin": origin})


def test_a_few_wrong_keys_keep_nobody_out(make_server: Callable[..., LiveServer]) -> None:
    client = make_server(api_key="k").client
    statuses = [guess(client, key).status_code for key in ("a", "b", "c", "d", "k", "a", "b", "c", "d", "k")]
    assert statuses == [401, 401, 401, 401, 303] * 2


def waited(counted: Guesses, address: str) -> bool:
    try:
        counted.check(address)
    except TooManyGuesses:
        return True
    return False


def test_each_wait_is_twice_as_long_and_another_address_does_not_wait() -> None:
    now = 0.0
    counted = Guesses(lambda: now)
    waits: list[float] = []
    for _ in range(12):
        counted.note_wrong("1.1.1.1")
        began = now
        while waited(counted, "1.1.1.1"):
            assert not waited(counted, "2.2.2.2")
            now += 1
        waits.append(now - began)
    assert waits == [0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60]


def test_guesses_from_many_addresses_are_slowed_down_and_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guesses, "MAX_ADDRESSES", 10)
    counted = Guesses(lambda: 0.0)
    for number in range(100):
        counted.note_wrong(f"1.1.1.{number}")
    assert waited(counted, "2.2.2.2")
