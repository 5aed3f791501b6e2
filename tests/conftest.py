"""Live servers for every test below."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, cast

import pytest
import typer.testing
from typer.main import get_command

from tests.divided_server import URLS, WORKERS, DividedServer, RunningServer
from tests.harness import Environment, LiveServer, Platform
from tests.server_mode import drop_kept
from twindiff.server import Settings

# A runner makes the eighty commands of the program anew whenever one is run, where a process of its own does so once.
typer.testing._get_command = cache(get_command)  # type: ignore[attr-defined]


def start_server(settings: Settings, registry: Any = None) -> LiveServer:
    """Start a server in this process or one of several workers, or take one that runs."""
    if not WORKERS and not URLS:
        return LiveServer(settings, registry)
    if registry:
        pytest.skip("twins of a test are in its own process only")
    return cast(LiveServer, RunningServer(settings) if URLS else DividedServer(settings))


@pytest.fixture(scope="session")
def live() -> Iterator[LiveServer]:
    """One server for all tests of a process; nothing it holds may matter to another test."""
    server = start_server(Settings())
    yield server
    server.close()


@pytest.fixture(scope="session")
def server(live: LiveServer) -> str:
    """The base URL of the server."""
    return live.url


@pytest.fixture(scope="session")
def platform(live: LiveServer) -> Platform:
    """The control plane of the server."""
    return Platform(live.client)


@pytest.fixture(scope="session")
def environment(platform: Platform) -> Callable[..., Environment]:
    """Make an environment: `environment("slack:slack_default", user="U01AGENBOT9", ttlSeconds=60)`."""
    return platform.environment


@pytest.fixture
def make_server() -> Iterator[Callable[..., LiveServer]]:
    """Start a server of one's own: `make_server(api_key="k", data_dir=str(tmp_path), runs_once=True)`."""
    started: list[LiveServer] = []

    def make(registry: Any = None, **settings: Any) -> LiveServer:
        if URLS:
            pytest.skip("needs a server of its own")
        started.append(start_server(Settings(**settings), registry))
        return started[-1]

    yield make
    for server in started:
        server.close()
    drop_kept()
