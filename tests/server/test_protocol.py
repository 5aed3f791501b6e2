"""An answer goes out in one piece, in order, and whole before the connection ends."""

import contextlib
import http.client
import socket

import pytest

from twindiff.server.protocol import HttpProtocol


def received(server: str, request: bytes) -> bytes:
    """All that comes until the server hangs up."""
    host, _, port = server.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=120) as connection:
        connection.sendall(request)
        pieces = []
        while piece := connection.recv(1_000_000):
            pieces.append(piece)
    return b"".join(pieces)


def test_answers_to_requests_sent_at_once_come_in_order(server):
    paths = ["/api/platform/health", "/nowhere", "/api/platform/templates"]
    requests = [f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() for path in paths]
    requests[-1] = requests[-1].replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    answers = received(server, b"".join(requests)).split(b"HTTP/1.1 ")[1:]
    assert [answer[:3] for answer in answers] == [b"200", b"404", b"200"]
    assert b"slack_default" in answers[2]


def test_a_connection_that_is_closed_after_an_answer_has_given_all_of_it(server):
    answer = received(server, b"GET /api/platform/openapi.json HTTP/1.0\r\nHost: localhost\r\n\r\n")
    head, _, body = answer.partition(b"\r\n\r\n")
    length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
    assert int(length.partition(b":")[2]) == len(body) > 10_000


def test_a_client_that_leaves_early_harms_nobody(server):
    host, _, port = server.removeprefix("http://").partition(":")
    for _ in range(20):
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(b"GET /api/platform/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
    client = http.client.HTTPConnection(host, int(port), timeout=120)
    client.request("GET", "/api/platform/health")
    assert client.getresponse().read()
    client.close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers give a request a twentieth of a second to come."""
    monkeypatch.setattr(HttpProtocol, "request_seconds", 0.05)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    "part",
    [
        "POST /api/platform/initEnv HTTP/1.1\r\nHost: local",
        "POST /api/platform/initEnv HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{",
        "GET /api/platform/health HTTP/1.1\r\nHost: localhost\r\n\r\nPOST /x HTTP/1.1\r\nHost: localhost\r\n",
    ],
    ids=["head", "body", "second request"],
)
def test_a_request_that_does_not_come_in_time_is_given_up(server, part):
    assert b"HTTP/1.1 408 Request Timeout\r\n" in received(server, part.encode())


def test_a_request_that_is_refused_before_it_has_come_is_answered_once(server, monkeypatch):
    head = "POST /api/platform/initEnv HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n{"
    for seconds in (0.05, 0.5, 5, 50):  # a busy machine may need longer to refuse it than it is given to come
        monkeypatch.setattr(HttpProtocol, "request_seconds", seconds)
        answer = b""
        with contextlib.suppress(ConnectionError):  # it was given up before its first byte was read
            answer = received(server, head.encode())
        assert answer.count(b"HTTP/1.1") <= 1
        if answer and not answer.startswith(b"HTTP/1.1 408 "):
            break
    assert answer.startswith(b"HTTP/1.1 413 ")


def test_a_request_that_comes_in_pieces_but_in_time_is_answered(server, monkeypatch):
    monkeypatch.setattr(HttpProtocol, "request_seconds", 60)
    host, _, port = server.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=120) as connection:
        for piece in ("GET /api/platform/health HTTP/1.1\r\n", "Host: localhost\r\nConnection: close\r\n\r\n"):
            connection.sendall(piece.encode())
        assert connection.recv(1_000_000).startswith(b"HTTP/1.1 200 ")


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("sent", [b"", b"\r\n"], ids=["nothing", "an empty line"])
def test_a_connection_that_never_begins_a_request_is_closed(server, sent):
    assert received(server, sent) == b""


@pytest.mark.usefixtures("impatient")
def test_a_connection_that_falls_silent_amid_empty_lines_is_closed(live, server, monkeypatch):
    monkeypatch.setattr(live.config, "timeout_keep_alive", 0.05)
    assert received(server, b"GET /api/platform/health HTTP/1.1\r\nHost: localhost\r\n\r\n\r\n").count(b"HTTP/1.1") == 1
