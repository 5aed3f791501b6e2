"""A client for whoever needs no other, and a model that answers as it is told, for worlds made by one."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from tests.divided_server import URLS, WORKERS

web = httpx.Client(trust_env=False, verify=False, timeout=60)
"""Sends requests; to make a client for each of them takes longer than the answer."""


@pytest.fixture(scope="session", autouse=True)
def closed():
    """The client is closed at the end."""
    yield
    web.close()


class Endpoint:
    """Answers each request with the next of its texts, as one vendor or the other does; remembers what was asked.

    While `goes_on` is cleared it keeps who asks waiting; `asks` is released by each request.
    """

    def __init__(self, *texts, kind="openai"):
        texts, asked = list(texts), []
        self.asked = asked
        asks, goes_on = self.asks, self.goes_on = threading.Semaphore(0), threading.Event()
        goes_on.set()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                asked.append((self.path, dict(self.headers), json.loads(body)))
                text = texts.pop(0)
                asks.release()
                goes_on.wait()
                said = {"choices": [{"message": {"role": "assistant", "content": text}}]}
                if kind == "anthropic":
                    said = {"content": [{"type": "text", "text": text}]}
                answer = json.dumps(said).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *given):
                """Nobody reads it."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self):
        self.goes_on.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def endpoint(monkeypatch):
    if WORKERS or URLS:
        pytest.skip("names a model in the environment of this process, and the server has processes of its own")
    started = []
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)

    def start(*texts, kind="openai"):
        started.append(Endpoint(*texts, kind=kind))
        base = f"{started[-1].url}/v1" if kind == "openai" else started[-1].url
        monkeypatch.setenv("TWINDIFF_MODEL", "a-model")
        monkeypatch.setenv(f"{kind.upper()}_BASE_URL", base)
        monkeypatch.setenv(f"{kind.upper()}_API_KEY", "the-key")
        return started[-1]

    yield start
    for each in started:
        each.close()
