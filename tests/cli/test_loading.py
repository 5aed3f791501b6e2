"""What a server loads while it serves holds up whoever needs it, and nobody else."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.cli.conftest import Serving
from tests.harness import Platform

AGENT = "2790a7ee-fde0-4537-9588-e233aa5a68d1"
HOLD = """
def hold():
    with open({begun!r}, "w") as begun:
        begun.write("x")
    with open({go_on!r}) as go_on:
        go_on.read(1)
"""
AT_HTTPX = """
import importlib.util
import sys

class Hook:
    def find_spec(self, name, path=None, target=None):
        if name == "httpx":
            sys.meta_path.remove(self)
            spec = importlib.util.find_spec(name)
            run = spec.loader.exec_module
            spec.loader.exec_module = lambda module: (hold(), run(module))
            return spec

sys.meta_path.insert(0, Hook())
"""

FAILS_ONCE = """
import errno
def hold():
    raise OSError(errno.EIO, "the disk could not be read")
"""


class Held:
    """Somewhere in a program where it waits until it is told to go on."""

    def __init__(self, folder: Path) -> None:
        self._pipes: list[int] = []
        for name in ("begun", "go_on"):
            os.mkfifo(folder / name)
            self._pipes.append(os.open(folder / name, os.O_RDWR))
        self.code = HOLD.format(begun=str(folder / "begun"), go_on=str(folder / "go_on"))

    def wait(self) -> None:
        """Until the program is there."""
        assert select.select(self._pipes[:1], [], [], 60)[0], "it was never loaded"

    def go_on(self) -> None:
        os.write(self._pipes[1], b"x")

    def close(self) -> None:
        for pipe in self._pipes:
            os.close(pipe)


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Held]:
    made = Held(tmp_path)
    yield made
    made.close()


@pytest.fixture
def platform_of() -> Iterator[Callable[[Serving], Platform]]:
    clients: list[httpx.Client] = []

    def make(server: Serving) -> Platform:
        clients.append(httpx.Client(base_url=server.url, trust_env=False, timeout=60))
        return Platform(clients[-1])

    yield make
    for client in clients:
        client.close()


def test_a_twin_that_is_being_loaded_holds_up_no_environment_that_has_its_own(
    serve: Callable[..., Serving],
    plugin: Callable[[str], str],
    held: Held,
    platform_of: Callable[[Serving], Platform],
    tmp_path: Path,
) -> None:
    first = serve("--data-dir", str(tmp_path / "data"))
    linear = platform_of(first).environment("linear:linear_default", AGENT)
    first.end(signal.SIGTERM)
    second = serve("--data-dir", str(tmp_path / "data"), PYTHONPATH=plugin(held.code + "hold()"))
    linear.platform = platform_of(second)
    held.wait()
    with ThreadPoolExecutor(1) as pool:
        twins = pool.submit(linear.platform.get, "templates")
        answer = linear.ask("graphql", json={"query": "{ viewer { id } }"})
        assert {linear.platform.get(path)["status"] for path in ("health", "ready")} == {"healthy", "ready"}
        assert (answer.status_code, twins.done()) == (200, False)
        held.go_on()
        assert {"linear", "slack"} <= {each["service"] for each in twins.result()["templates"]}


def test_a_twin_run_has_ports_while_other_twins_are_loaded(
    serve: Callable[..., Serving], plugin: Callable[[str], str], held: Held, platform_of: Callable[[Serving], Platform]
) -> None:
    client = platform_of(serve("--data-dir", ":memory:", PYTHONPATH=plugin(held.code + "hold()"))).client
    held.wait()
    made = client.post("/twin-runs", json={"twins": ["linear"]}).json()
    held.go_on()
    assert ("warnings" in made, made["status"]) == (False, "ready"), made


def test_the_first_webhook_holds_up_nobody_else(
    serve: Callable[..., Serving],
    plugin: Callable[[str], str],
    held: Held,
    platform_of: Callable[[Serving], Platform],
) -> None:
    server = serve("--data-dir", ":memory:", PYTHONPATH=plugin(held.code + AT_HTTPX))
    env = platform_of(server).environment("linear:linear_default", AGENT)
    assert env.platform.get("templates")  # for which the hook must be there, and all other twins
    body = {"twin": "linear", "url": "http://127.0.0.1:9/", "events": []}
    with ThreadPoolExecutor(1) as pool:
        webhook = pool.submit(env.platform.ask, "POST", f"env/{env.id}/webhooks", body)
        held.wait()
        answer = env.ask("graphql", json={"query": "{ viewer { id } }"})
        assert (answer.status_code, webhook.done()) == (200, False)
        held.go_on()
        assert webhook.result().status_code == 201, webhook.result().text


def test_a_webhook_that_could_not_be_loaded_for_is_made_the_next_time(
    serve: Callable[..., Serving], plugin: Callable[[str], str], platform_of: Callable[[Serving], Platform]
) -> None:
    server = serve("--data-dir", ":memory:", PYTHONPATH=plugin(FAILS_ONCE + AT_HTTPX))
    env = platform_of(server).environment("linear:linear_default", AGENT)
    assert env.platform.get("templates")  # for which the hook must be there
    body = {"twin": "linear", "url": "http://127.0.0.1:9/", "events": []}
    statuses = [env.platform.ask("POST", f"env/{env.id}/webhooks", body).status_code for _ in range(2)]
    assert (statuses[0] >= 500, statuses[1]) == (True, 201)
