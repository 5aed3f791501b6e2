"""Environments of shipped drafts, in this process; all of a module share a server."""

from collections.abc import Callable, Iterator

import httpx
import pytest

from twindiff.client import Environment
from twindiff.drafts.shipped import NAMES, find_shipped
from twindiff.local import Twindiff

Connect = Callable[..., httpx.Client]


@pytest.fixture(scope="session")
def shipped() -> Iterator[Twindiff]:
    """A server of all drafts that need no description."""
    alone = [each for each in map(find_shipped, NAMES) if each.stands_alone]
    with Twindiff(twins=[each.twin() for each in alone]) as here:
        yield here


@pytest.fixture
def connect(shipped: Twindiff) -> Iterator[Connect]:
    """Makes an environment of a draft and a client that calls it by the vendor's address."""
    opened: list[Environment | httpx.Client] = []

    def make(name: str, base_url: str) -> httpx.Client:
        environment = shipped.create(f"{name}:{name}_base", clock={"mode": "steps", "start": "2026-03-02T12:00:00"})
        headers = {"Authorization": f"Bearer {environment.token}"}
        client = httpx.Client(transport=shipped.transport(environment, name), base_url=base_url, headers=headers)
        opened.extend([environment, client])
        return client

    yield make
    for each in reversed(opened):
        each.close() if isinstance(each, httpx.Client) else each.__exit__(None, None, None)
