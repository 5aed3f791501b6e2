"""A program that is told of events: a web server that keeps what it got, and answers as it is told."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

PATIENCE_SECONDS = 60
"""How long a test waits for what will come, however busy the machine is."""


class Received(NamedTuple):
    """One request; header names are lower-case."""

    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Said(NamedTuple):
    """What is answered."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = {}
    times: int = 1
    """How often the body is said."""


def prove(request: Received) -> Said | None:
    """Answer Slack's challenge, and nothing else."""
    said = request.json if request.body else {}
    return Said(body=said["challenge"].encode()) if said.get("type") == "url_verification" else None


class Receiver:
    """Requests as they came; `answers` gives what is said to each, 200 if it gives nothing."""

    def __init__(self, answers: Callable[[Received], Said | None] = prove, host: str = "127.0.0.1") -> None:
        self.answers = answers
        self.received: list[Received] = []
        self.news = threading.Condition()
        self._server = ThreadingHTTPServer((host, 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://{host}:{self._server.server_port}/events"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                said = receiver.take(Received(self.path, headers, body))
                self.send_response(said.status)
                for name, value in said.headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(said.body) * said.times))
                self.end_headers()
                with suppress(OSError):  # who asked has heard enough
                    for _ in range(said.times):
                        self.wfile.write(said.body)

            def log_message(self, format: str, *args: Any) -> None:
                """Tests say what matters."""

        return Handler

    def take(self, request: Received) -> Said:
        said = self.answers(request)
        with self.news:
            self.received.append(request)
            self.news.notify_all()
        return said or Said()

    def wait(self, count: int) -> list[Received]:
        """The requests so far, once there are so many."""
        with self.news:
            assert self.news.wait_for(lambda: len(self.received) >= count, PATIENCE_SECONDS), self.received
            return [*self.received]

    @property
    def events(self) -> list[Received]:
        """Without handshakes."""
        return [each for each in self.received if each.json.get("type") != "url_verification"]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
