"""The Sandbox API of the live server."""

import pytest

from tests.harness import LiveServer
from tests.server.sandboxes.asking import Sandboxes


@pytest.fixture(scope="session")
def sandboxes(live: LiveServer) -> Sandboxes:
    return Sandboxes(live.client)
