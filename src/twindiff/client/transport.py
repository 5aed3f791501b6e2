"""From a request as data to an answer as data, whoever carries it: what is tried again, and what is an error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar, cast
from urllib.parse import urljoin, urlsplit

import httpx
import msgspec

from .fields import convert
from .request_specs import RequestSpec

T = TypeVar("T")

PREFIX = "/api/platform/"
PASSING = {502, 503, 504}
"""Statuses that may be gone a moment later."""
FIRST_PAUSE = 0.1
MAX_PAUSE_SECONDS = 5.0


class RequestRefused(Exception):
    """The server says no; `code` is for programs and `detail` for people."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(f"{detail} ({status} {code})")
        self.status = status
        self.code = code
        self.detail = detail


class Unreachable(Exception):
    """No server answers at the address."""


class SendAttempt(NamedTuple):
    """What came of sending once: an answer, or what went wrong on the way."""

    answer: httpx.Response | None
    error: httpx.TransportError | None


def pause(spec: RequestSpec[Any], attempt: SendAttempt, number: int, retries: int) -> float | None:
    """Seconds to wait before trying again after attempt `number` (0 is the first), or None when that is no use."""
    passing = attempt.error is not None or (attempt.answer is not None and attempt.answer.status_code in PASSING)
    if not (passing and spec.repeatable and number < retries):
        return None
    wanted = attempt.answer.headers.get("retry-after", "") if attempt.answer else ""
    seconds = float(wanted) if wanted.isdecimal() else FIRST_PAUSE * 2**number
    return min(seconds, MAX_PAUSE_SECONDS)


def decode_response(spec: RequestSpec[T], attempt: SendAttempt, base_url: str) -> T:
    """The typed answer; raises Refused, Unreachable."""
    answer = attempt.answer
    if answer is None:
        raise Unreachable(f"Nothing answers at {base_url}: {attempt.error}") from attempt.error
    return read(spec, answer.status_code, answer.content)


def read(spec: RequestSpec[T], status: int, body: bytes) -> T:
    """The typed answer of a status and a body; raises Refused."""
    try:
        if 200 <= status < 300:
            if spec.answer is bytes:
                return cast(T, body)
            return msgspec.json.decode(body, type=spec.answer, dec_hook=convert)
        problem = msgspec.json.decode(body, type=dict[str, Any])
    except msgspec.MsgspecError:
        raise RequestRefused(status, "not_understood", f"What answers is no Twindiff server: {body[:200]!r}") from None
    raise RequestRefused(status, str(problem.get("error", "error")), str(problem.get("detail", problem)))


def path_of(spec: RequestSpec[Any]) -> str:
    """Where a request goes: one whose path is not absolute belongs to the platform API."""
    return urljoin(PREFIX, spec.path)


def options(base_url: str, api_key: str | None, seconds: float) -> Mapping[str, Any]:
    """What an httpx client is made with. A proxy is for the world outside; it does not know this machine's loopback."""
    address = urlsplit(base_url)
    here = address.hostname in ("127.0.0.1", "localhost", "::1")
    headers = {"X-API-Key": api_key} if api_key else {}
    return {
        "base_url": base_url,
        "headers": headers,
        "timeout": seconds,
        "trust_env": not here,
        "verify": is_secured(base_url),
    }


def is_secured(*urls: str) -> bool:
    """Whether certificates are needed for any of these addresses; to read them takes 25 ms."""
    return any(urlsplit(url).scheme != "http" for url in urls)


class ServerSentEvent(NamedTuple):
    """Something that a server told while it happened; `data` is what its JSON holds."""

    event: str
    data: Any
    id: str


class EventReader:
    """Puts server-sent events together of their lines."""

    def __init__(self) -> None:
        self._event, self._data, self._id = "message", list[str](), ""

    def read(self, line: str) -> ServerSentEvent | None:
        """The event that a line completes, if it does."""
        if not line:
            data, self._data = "\n".join(self._data), []
            event, self._event = self._event, "message"
            return ServerSentEvent(event, _load_json(data), self._id) if data else None
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "event":
            self._event = value
        elif name == "data":
            self._data.append(value)
        elif name == "id":
            self._id = value
        return None


def _load_json(data: str) -> Any:
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError:
        return data


def listening(path: str, seconds: float) -> dict[str, Any]:
    """What httpx is told to listen to a stream with, which may be silent for as long as it likes."""
    timeout = httpx.Timeout(seconds, read=None)
    return {"method": "GET", "url": path, "headers": {"Accept": "text/event-stream"}, "timeout": timeout}


def request(spec: RequestSpec[Any]) -> Mapping[str, Any]:
    """What httpx is told to send."""
    headers = {"Content-Type": spec.content_type} if spec.body else {}
    return {
        "method": spec.verb,
        "url": path_of(spec),
        "params": spec.query,
        "content": spec.body or None,
        "headers": headers,
    }
