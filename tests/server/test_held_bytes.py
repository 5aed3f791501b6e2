"""The bytes of bodies and unsent responses that a server holds have a bound, beyond which requests are refused."""

import socket
from contextlib import contextmanager

import pytest

from tests.harness import Platform
from twindiff.server.held_bytes import held_bytes

HEAD = "POST /api/platform/initEnv HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000\r\n\r\n"
UNSENT = 65_536
"""Bytes of responses after which a server writes no further one; how many the machine takes from it is its affair."""
ASKED = "GET /api/platform/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture(scope="module")
def environment(live):
    return Platform(live.client).environment()


@contextmanager
def connected(live, sent):
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", live.port))
        connection.sendall(sent.encode())
        yield connection


def until(condition):
    """Call until the condition holds; the runner's own limit ends a test in which it never does."""
    while not condition():
        pass


# All of the body must be there before the limit falls: otherwise its next piece has it refused, and nothing is held.
@pytest.mark.parametrize(
    ("sent", "held"), [(HEAD + "x" * 800_000, 800_000), (ASKED * 200, UNSENT)], ids=["a body", "unsent responses"]
)
def test_requests_are_refused_as_the_vendor_does_while_too_much_is_held(live, environment, monkeypatch, sent, held):
    with connected(live, sent):
        until(lambda: held_bytes.total >= held)
        monkeypatch.setattr(held_bytes, "limit", UNSENT - 1)
        refused = environment.ask("auth.test")
        assert (refused.status_code, refused.headers["retry-after"], refused.json()["ok"]) == (503, "1", False)
        assert live.client.get("/api/platform/templates").status_code == 503
    until(lambda: held_bytes.total == 0)
    assert environment.ask("auth.test").json()["ok"]
