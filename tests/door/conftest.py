"""A server with a door for all tests of a module, and clients that go through it."""

from __future__ import annotations

import socket
import ssl
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from tests.harness import Environment, LiveServer, Platform
from twindiff.server import Settings

WORLD = {
    "slack:slack_default": "U01AGENBOT9",
    "box:box_default": "22010040001",
    "stripe:stripe_default": "acct_1TwindiffTestShop",
}
OTHERS = {
    "calendar:calendar_default": "user_ada",
    "linear:linear_default": "03b0809e-713e-44ee-95de-b7a198b135ac",
    "github:github_default": "ada",
    "notion:notion_default": "00000000-0000-4000-8000-0000000000b1",
}


def basic(name: str, password: str) -> bytes:
    return b"Proxy-Authorization: Basic " + b64encode(f"{name}:{password}".encode())


class Entry(NamedTuple):
    """How the programs of an environment get in."""

    environment: Environment
    made: dict[str, Any]
    certificate: Path

    def client(self, *, proxy: str = "", **options: Any) -> httpx.Client:
        trust = ssl.create_default_context(cafile=str(self.certificate))
        given = httpx.Proxy(proxy or self.made["proxyUrl"])
        return httpx.Client(proxy=given, verify=trust, trust_env=False, timeout=30, **options)

    @contextmanager
    def dial(self, host: str) -> Iterator[ssl.SSLSocket]:
        """A connection to a host whose name leads to the door, so that only the handshake names it."""
        head = b"CONNECT *:443 HTTP/1.1\r\n" + basic(self.made["user"], self.made["password"]) + b"\r\n\r\n"
        trust = ssl.create_default_context(cafile=str(self.certificate))
        with socket.create_connection((self.made["host"], self.made["port"]), timeout=30) as opened:
            opened.sendall(head)
            assert b" 200 " in opened.recv(1000)
            with trust.wrap_socket(opened, server_hostname=host) as secure:
                yield secure

    def calls(self, after: int = 0) -> list[dict[str, Any]]:
        return self.environment.platform.get(f"env/{self.environment.id}/calls", after=after)["calls"]


@pytest.fixture(scope="module")
def door_server() -> Iterator[LiveServer]:
    server = LiveServer(Settings())
    yield server
    server.close()


@pytest.fixture(scope="module")
def enter(door_server: LiveServer, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Entry]:
    """Make an environment and open the door for it."""
    platform = Platform(door_server.client)

    def make(*templates: str, **options: Any) -> Entry:
        return open_door(make_world(platform, *templates, **options), tmp_path_factory.mktemp("ca"))

    return make


def make_world(platform: Platform, *templates: str, **options: Any) -> Environment:
    """An environment of these templates, or of all in `WORLD`."""
    chosen = templates or tuple(WORLD)
    users = {each.partition(":")[0]: {**WORLD, **OTHERS}[each] for each in chosen}
    return Environment(platform, platform.post("initEnv", {"templates": [*chosen], "users": users, **options}))


def open_door(environment: Environment, folder: Path) -> Entry:
    made = environment.platform.post(f"env/{environment.id}/door")
    (folder / "ca.pem").write_text(made["certificate"])
    return Entry(environment, made, folder / "ca.pem")


@pytest.fixture(scope="module")
def entry(enter: Callable[..., Entry]) -> Entry:
    return enter()
