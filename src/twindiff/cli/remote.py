"""A client of a server's platform API, for commands that print its responses as they are."""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote, urlsplit

import httpx

from twindiff.cli.control_key import AUTO, find_key
from twindiff.cli.problem import CommandError
from twindiff.client import Client, RequestRefused, Unreachable
from twindiff.client.request_specs import RequestSpec

Json = dict[str, Any]
TIMEOUT = 120
NO_NAMES = {"", ".", ".."}
"""Path segments that have a special meaning in URLs."""


def host_and_port(url: str) -> tuple[str, int]:
    """Return host and port of a server's address; raises CommandError if it is invalid."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or {"http": 80, "https": 443}[parts.scheme]
        httpx.URL(url)
    except (KeyError, ValueError, httpx.InvalidURL):
        host, port = None, 0
    if not host:
        raise CommandError(f"'{url}' is no server's address; one is http://127.0.0.1:8000.", exit_code=2)
    return host, port


def client_of(base_url: str, api_key: str) -> Client:
    """Create the client of a server; use it inside `explain_failures`."""
    host_and_port(base_url)
    return Client(base_url, _key_of(base_url, api_key) or None, seconds=TIMEOUT, retries=0)


def _key_of(base_url: str, given: str) -> str:
    """Return the given key, or the one that a server of this machine has generated and stored."""
    return find_key(base_url) if given in ("", AUTO) else given


@contextmanager
def explain_failures(url: str) -> Generator[None]:
    """Convert connection and request failures into a CommandError."""
    try:
        yield
    except Unreachable as error:
        if isinstance(error.__cause__, httpx.TimeoutException):
            raise CommandError(f"{url} did not answer within {TIMEOUT} s.") from None
        raise CommandError(
            f"Nothing answers at {url}; start one with `twindiff serve`, or say with --base-url where one is."
        ) from None
    except RequestRefused as refused:
        raise CommandError(_why(refused, url)) from None


def _why(refused: RequestRefused, url: str) -> str:
    if refused.code == "not_understood":
        return f"What answers at {url} is no Twindiff server (status {refused.status})."
    said = refused.detail
    if refused.status in (401, 403):
        said += ". Give the server's key with --api-key or TWINDIFF_API_KEY"
    return said if said.endswith((".", "?")) else f"{said}."


class Remote:
    """Calls that must succeed: every failure is a CommandError."""

    def __init__(self, base_url: str, api_key: str = "") -> None:
        self.url = base_url.rstrip("/")
        self._key = api_key
        host_and_port(self.url)

    @property
    def key(self) -> str:
        """The platform key that the server gets; empty without one."""
        return _key_of(self.url, self._key)

    def get(self, *path: str, **query: Any) -> Json:
        return self._spec("GET", path, query={name: str(value) for name, value in query.items()})

    def post(self, *path: str, body: Any = None) -> Json:
        return self._spec("POST", path, body=b"" if body is None else json.dumps(body).encode())

    def put(self, *path: str, body: Any) -> Json:
        return self._spec("PUT", path, body=json.dumps(body).encode())

    def delete(self, *path: str) -> Json:
        return self._spec("DELETE", path)

    def _spec(self, verb: str, parts: tuple[str, ...], query: dict[str, str] | None = None, body: bytes = b"") -> Json:
        for part in parts:
            if part in NO_NAMES:
                raise CommandError(f"'{part}' is no id and no name; give the whole of one.", exit_code=2)
        path = "/".join(quote(part, safe="") for part in parts)
        with explain_failures(self.url), client_of(self.url, self._key) as client:
            return client.send(RequestSpec(verb, path, Json, query or {}, body, repeatable=False))
