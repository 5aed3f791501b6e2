"""An answer goes out in one piece, in order, and whole before the connection ends."""

import contextlib
import http.client
import select
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


OFFERS_HTTP2 = b"""POST /twin-runs HTTP/1.1\r
Host: localhost\r
Connection: Upgrade, HTTP2-Settings\r
Upgrade: h2c\r
HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r
Content-Type: application/json\r
"""
"""The head of a request as Java's HttpClient sends it."""


ASKED = b'{"twins":["slak"]}'


@pytest.mark.parametrize(
    "body",
    [
        b"Content-Length: %d\r\n\r\n%s" % (len(ASKED), ASKED),
        b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(ASKED), ASKED),
    ],
)
@pytest.mark.parametrize("count", [1, 2])
def test_the_body_of_a_request_that_offers_http_2_is_read(server, body, count):
    last = b"GET /nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    answers = received(server, (OFFERS_HTTP2 + body) * count + last).split(b"HTTP/1.1 ")[1:]
    assert [b"Did you mean 'slack'?" in answer for answer in answers] == [*[True] * count, False], answers


def test_a_thousand_offers_of_http_2_at_once_are_ignored_one_by_one(server):
    offer = b"GET /nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
    last = b"GET /nowhere HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    assert received(server, offer * 1000 + last).count(b"HTTP/1.1 404") == 1001


def test_a_connection_that_is_closed_after_an_answer_has_given_all_of_it(server):
    answer = received(server, b"GET /api/platform/openapi.json HTTP/1.0\r\nHost: localhost\r\n\r\n")
    head, _, body = answer.partition(b"\r\n\r\n")
    length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
    assert int(length.partition(b":")[2]) == len(body) > 10_000


@pytest.mark.parametrize("path", ["/api/platform/health", "/inspect/environments", "/api/platform/openapi.json"])
@pytest.mark.parametrize("count", [1, 2])
def test_a_client_that_closes_its_side_after_its_requests_gets_the_answers(server, path, count):
    host, _, port = server.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=120) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() * count)
        connection.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: connection.recv(1_000_000), b""))
    assert answer.count(b"HTTP/1.1 200") == count


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


def test_a_client_that_does_not_read_its_responses_is_disconnected(server, monkeypatch):
    monkeypatch.setattr(HttpProtocol, "stall_seconds", 0.05)
    host, _, port = server.removeprefix("http://").partition(":")
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect((host, int(port)))
        connection.sendall(b"GET /api/platform/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n" * 200)
        ended = select.poll()
        ended.register(connection, 0)
        assert ended.poll(60_000) == [(connection.fileno(), select.POLLERR | select.POLLHUP)]


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


LINE = "GET /api/platform/health HTTP/1.1\r\nHost: localhost\r\n"
CHUNKED = "POST /api/platform/initEnv HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    "head",
    [
        LINE + "a: b\r\n" * 201 + "\r\n",
        LINE + f"a: {'b' * 1000}\r\n" * 70 + "\r\n",
        LINE + "a: b\r\n" * 1_000_000,
        LINE + f"a: {'b' * 8_000_000}",
        LINE + "b" * 8_000_000,
        f"GET /{'x' * 70_000} HTTP/1.1\r\nHost: localhost\r\n\r\n",
        f"GET /{'x' * 8_000_000}",
        CHUNKED + f"1\r\n{{\r\n0\r\na: {'b' * 8_000_000}",
        CHUNKED + f"1;{'b' * 8_000_000}",
    ],
    ids=["count", "size", "endless", "value", "name", "address", "endless address", "trailer", "extension"],
)
def test_a_head_beyond_its_bounds_is_refused_before_it_has_come(server, head):
    answers = received(server, head.encode())
    assert answers.endswith(b"The head of a request has at most 65536 bytes and 200 header fields.")
    assert b"HTTP/1.1 431 Request Header Fields Too Large\r\n" in answers


def test_a_head_within_its_bounds_is_read(server):
    head = LINE + "a: b\r\n" * 190 + f"a: {'b' * 60_000}\r\nConnection: close\r\n\r\n"
    assert received(server, head.encode()).startswith(b"HTTP/1.1 200 ")


def test_requests_one_after_the_other_each_have_a_head_of_their_own(server):
    head = LINE + f"a: {'b' * 40_000}\r\n"
    answers = received(server, (f"{head}\r\n" * 3 + f"{head}Connection: close\r\n\r\n").encode())
    assert answers.count(b"HTTP/1.1 200 ") == 4
