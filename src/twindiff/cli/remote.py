"""A server's platform API, for commands that speak to one."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote, urlsplit

import httpx

from twindiff.cli.problem import Problem

Json = dict[str, Any]
TIMEOUT = 120


def host_and_port(url: str) -> tuple[str, int]:
    """Where a server listens, by its address; a Problem when it is none."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or {"http": 80, "https": 443}[parts.scheme]
        httpx.URL(url)
    except (KeyError, ValueError, httpx.InvalidURL):
        host, port = None, 0
    if not host:
        raise Problem(f"'{url}' is no server's address; one is http://127.0.0.1:8000.", exit_code=2)
    return host, port


class Remote:
    """Calls that must succeed: whatever else happens is a Problem."""

    def __init__(self, base_url: str, api_key: str = "") -> None:
        self.url = base_url.rstrip("/")
        self._headers = {"X-API-Key": api_key} if api_key else {}
        # A proxy is for the world outside; it does not know this machine's loopback.
        self._through_proxies = host_and_port(self.url)[0] not in ("127.0.0.1", "localhost", "::1")

    def get(self, *path: str, **query: Any) -> Json:
        return self._ask("GET", path, params=query)

    def post(self, *path: str, body: Any = None) -> Json:
        return self._ask("POST", path, content=b"" if body is None else json.dumps(body).encode())

    def delete(self, *path: str) -> Json:
        return self._ask("DELETE", path)

    def _ask(self, verb: str, path: tuple[str, ...], **options: Any) -> Json:
        url = f"{self.url}/api/platform/{'/'.join(quote(part, safe='') for part in path)}"
        try:
            with httpx.Client(trust_env=self._through_proxies, timeout=TIMEOUT, headers=self._headers) as client:
                answer = client.request(verb, url, **options)
        except httpx.TimeoutException:
            raise Problem(f"{self.url} did not answer within {TIMEOUT} s.") from None
        except httpx.TransportError:
            raise Problem(
                f"Nothing answers at {self.url}; start one with `twindiff serve`, or say with --base-url where one is."
            ) from None
        return self._understood(answer)

    def _understood(self, answer: httpx.Response) -> Json:
        try:
            body = answer.json()
        except ValueError:
            body = None
        if not isinstance(body, dict):
            raise Problem(f"What answers at {self.url} is no Twindiff server (status {answer.status_code}).")
        if answer.is_success:
            return body  # pyright: ignore[reportUnknownVariableType] - JSON's edge
        detail = str(body.get("detail", answer.reason_phrase))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
        if answer.status_code in (401, 403):
            detail += ". Give the server's key with --api-key or TWINDIFF_API_KEY"
        raise Problem(detail if detail.endswith((".", "?")) else f"{detail}.")
