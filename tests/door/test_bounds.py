"""Nobody holds the door: clients that flood it, that say nothing, or that do not read, are let go."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import ConnectionTerminated, Event, ResponseReceived, StreamEnded, StreamReset
from h2.exceptions import H2Error
from h2.settings import SettingCodes, Settings

from tests.door.conftest import Entry
from tests.door.test_door import basic
from twindiff.server.door import connection, http2

HEADERS = [(":method", "GET"), (":scheme", "https"), (":authority", "slack.com"), (":path", "/api/auth.test")]


@contextmanager
def tunnel(entry: Entry, *protocols: str) -> Iterator[ssl.SSLSocket]:
    trust = ssl.create_default_context(cafile=str(entry.certificate))
    trust.set_alpn_protocols(protocols or ("h2",))
    with socket.create_connection((entry.made["host"], entry.made["port"]), timeout=30) as opened:
        opened.sendall(
            b"CONNECT slack.com:443 HTTP/1.1\r\n" + basic(entry.made["user"], entry.made["password"]) + b"\r\n\r\n"
        )
        assert b" 200 " in opened.recv(1000)
        with trust.wrap_socket(opened, server_hostname="slack.com", suppress_ragged_eofs=True) as secure:
            yield secure


def read_events(secure: ssl.SSLSocket, client: H2Connection, until: Callable[[Event], bool]) -> list[Event]:
    """Events up to one that is waited for, or the end of the connection."""
    events: list[Event] = []
    while not any(map(until, events)):
        try:
            data = secure.recv(65536)
        except OSError:
            data = b""
        if not data:
            break
        events += client.receive_data(data)
    return events


def flood_pings(client: H2Connection) -> None:
    for _ in range(3000):
        client.ping(b"12345678")


def flood_resets(client: H2Connection) -> None:
    for _ in range(3000):
        number = client.get_next_available_stream_id()
        client.send_headers(number, HEADERS)
        client.reset_stream(number)


def flood_empty_data(client: H2Connection) -> None:
    client.send_headers(1, [(":method", "POST"), *HEADERS[1:]])
    for _ in range(3000):
        client.send_data(1, b"")


def test_a_head_with_too_many_fields_is_reset(entry: Entry):
    with tunnel(entry) as secure:
        client = H2Connection()
        client.initiate_connection()
        client.send_headers(1, HEADERS + [("x", str(number)) for number in range(300)], end_stream=True)
        secure.sendall(client.data_to_send())
        events = read_events(secure, client, lambda event: isinstance(event, StreamReset))
    assert [each.error_code for each in events if isinstance(each, StreamReset)] == [ErrorCodes.ENHANCE_YOUR_CALM]


@pytest.mark.parametrize("flood", [flood_pings, flood_resets, flood_empty_data])
def test_a_flood_of_frames_ends_the_connection(entry: Entry, flood):
    with tunnel(entry) as secure:
        client = H2Connection()
        client.initiate_connection()
        flood(client)
        with suppress(OSError):  # the door may hang up while the rest is sent
            secure.sendall(client.data_to_send())
        events = read_events(secure, client, lambda event: isinstance(event, ConnectionTerminated))
    assert [each.error_code for each in events if isinstance(each, ConnectionTerminated)] in (
        [ErrorCodes.ENHANCE_YOUR_CALM],
        [],
    )
    assert not any(isinstance(each, ResponseReceived) and flood is flood_pings for each in events)
    still_serves(entry)


def still_serves(entry: Entry) -> None:
    with entry.client(http2=True) as client:
        assert client.get("https://slack.com/api/auth.test").json()["ok"]


def test_more_streams_than_allowed_end_the_connection(entry: Entry):
    with tunnel(entry) as secure:
        client = H2Connection()
        client.initiate_connection()
        for _ in range(150):
            number = client.get_next_available_stream_id()
            client.send_headers(number, [(":method", "POST"), *HEADERS[1:]])
        secure.sendall(client.data_to_send())
        events = read_events(secure, client, lambda event: isinstance(event, ConnectionTerminated))
    assert any(isinstance(each, ConnectionTerminated) for each in events)
    still_serves(entry)


def test_a_response_waits_for_a_client_that_does_not_read_and_then_gives_up(entry: Entry, monkeypatch):
    monkeypatch.setattr(http2, "STALL_SECONDS", 0.1)
    with tunnel(entry) as secure:
        client = H2Connection()
        client.local_settings = Settings(client=True, initial_values={SettingCodes.INITIAL_WINDOW_SIZE: 10})
        client.initiate_connection()
        client.send_headers(1, HEADERS, end_stream=True)
        secure.sendall(client.data_to_send())
        events = read_events(secure, client, lambda event: isinstance(event, StreamReset | StreamEnded))
    assert [each.error_code for each in events if isinstance(each, StreamReset)] == [ErrorCodes.CANCEL]


@pytest.mark.parametrize("sent", [b"", b"CONNECT slack.com:443 HTTP/1.1\r\n"])
def test_a_client_that_says_nothing_is_told_so_and_let_go(entry: Entry, monkeypatch, sent):
    monkeypatch.setattr(connection, "HEAD_SECONDS", 0.1)
    with socket.create_connection((entry.made["host"], entry.made["port"]), timeout=30) as opened:
        opened.sendall(sent)
        assert opened.recv(1000).startswith(b"HTTP/1.1 408 The head of a request has to arrive within")


def test_a_handshake_that_does_not_begin_ends_the_tunnel(entry: Entry, monkeypatch, door_server):
    others = {*door_server.service.door.connections}
    head = b"CONNECT slack.com:443 HTTP/1.1\r\n" + basic(entry.made["user"], entry.made["password"]) + b"\r\n\r\n"
    with socket.create_connection((entry.made["host"], entry.made["port"]), timeout=30) as opened:
        while not door_server.service.door.connections - others:
            continue
        monkeypatch.setattr(connection, "HEAD_SECONDS", 0.1)  # once the connection waits for its head as long as usual
        opened.sendall(head)
        assert b" 200 " in opened.recv(1000)
        assert opened.recv(1000) == b""


def test_connections_beyond_the_most_are_refused_and_forgotten(entry: Entry, monkeypatch, door_server):
    from twindiff.server.door import connection

    monkeypatch.setattr(connection, "MAX_CONNECTIONS", 0)
    with socket.create_connection((entry.made["host"], entry.made["port"]), timeout=30) as opened:
        assert opened.recv(1000).startswith(b"HTTP/1.1 503 The door has 0 connections open")
    monkeypatch.undo()
    still_serves(entry)


def test_a_certificate_is_made_for_the_host_by_the_authority_only(entry: Entry):
    with tunnel(entry) as secure:
        held = secure.getpeercert()
    assert held
    assert held["subjectAltName"] == (("DNS", "slack.com"),)
    assert held["issuer"] == ((("commonName", "Twindiff local CA"),),)


def test_a_body_that_is_not_as_long_as_its_head_says_is_malformed(entry: Entry):
    post = [(":method", "POST"), *HEADERS[1:], ("content-type", "application/x-www-form-urlencoded")]
    with tunnel(entry) as secure:
        client = H2Connection(H2Configuration(normalize_outbound_headers=False, validate_outbound_headers=False))
        client.initiate_connection()
        client.send_headers(1, [*post, ("content-length", "5")], end_stream=True)
        client.send_headers(3, [*post, ("content-length", "5")])
        client.send_data(3, b"a=b")
        client.send_headers(3, [("x-trailer", "1")], end_stream=True)
        client.send_headers(5, [*post, ("content-length", "3")])
        client.send_data(5, b"a=b", end_stream=True)
        secure.sendall(client.data_to_send())
        events = read_events(secure, client, lambda event: isinstance(event, StreamEnded))
    resets = {each.stream_id: each.error_code for each in events if isinstance(each, StreamReset)}
    assert resets == {1: ErrorCodes.PROTOCOL_ERROR, 3: ErrorCodes.PROTOCOL_ERROR}
    assert [each.stream_id for each in events if isinstance(each, ResponseReceived)] == [5]


def test_junk_instead_of_frames_ends_the_connection(entry: Entry):
    with tunnel(entry) as secure:
        secure.sendall(b"GET / HTTP/1.1\r\n\r\n" * 10)
        client = H2Connection()
        client.initiate_connection()
        try:
            events = read_events(secure, client, lambda event: isinstance(event, ConnectionTerminated))
        except H2Error:
            events = []
    assert all(isinstance(each, ConnectionTerminated) or not isinstance(each, ResponseReceived) for each in events)
    still_serves(entry)
