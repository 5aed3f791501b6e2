"""The parts of sending that both clients share: options of httpx, retries, decoding and errors."""

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
"""Transient error statuses."""
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
    """The result of one attempt to send: a response, or an error of the connection."""

    answer: httpx.Response | None
    error: httpx.TransportError | None


def pause(spec: RequestSpec[Any], attempt: SendAttempt, number: int, retries: int) -> float | None:
    """Seconds to wait before the retry after attempt `number` (0 is the first), or None if there is no retry."""
    passing = attempt.error is not None or (attempt.answer is not None and attempt.answer.status_code in PASSING)
    if not (passing and spec.repeatable and number < retries):
        return None
    wanted = attempt.answer.headers.get("retry-after", "") if attempt.answer else ""
    seconds = float(wanted) if wanted.isdecimal() else FIRST_PAUSE * 2**number
    return min(seconds, MAX_PAUSE_SECONDS)


def decode_response(spec: RequestSpec[T], attempt: SendAttempt, base_url: str) -> T:
    """Decode the response; raises RequestRefused, or Unreachable if there is none."""
    answer = attempt.answer
    if answer is None:
        raise Unreachable(f"Nothing answers at {base_url}: {attempt.error}") from attempt.error
    return read(spec, answer.status_code, answer.content)


def read(spec: RequestSpec[T], status: int, body: bytes) -> T:
    """Decode a response body; raises RequestRefused for an error status and for a body that is not Twindiff's."""
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
    """The path of a request; a relative one is below the platform API."""
    return urljoin(PREFIX, spec.path)


def options(base_url: str, api_key: str | None, seconds: float) -> Mapping[str, Any]:
    """Options of an httpx client. `trust_env` is off for loopback, which a proxy of the environment cannot reach."""
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
    """Whether any of these URLs needs TLS; loading the certificates takes 25 ms, so it is avoided for plain HTTP."""
    return any(urlsplit(url).scheme != "http" for url in urls)


class ServerSentEvent(NamedTuple):
    """A server-sent event; `data` is decoded JSON, or a text if it is not JSON."""

    event: str
    data: Any
    id: str


class EventReader:
    """Assembles server-sent events from lines."""

    def __init__(self) -> None:
        self._event, self._data, self._id = "message", list[str](), ""

    def read(self, line: str) -> ServerSentEvent | None:
        """Read one line; returns the event that it completes, or None."""
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
    """Arguments of httpx for reading a stream, without a timeout between its events."""
    timeout = httpx.Timeout(seconds, read=None)
    return {"method": "GET", "url": path, "headers": {"Accept": "text/event-stream"}, "timeout": timeout}


def request(spec: RequestSpec[Any]) -> Mapping[str, Any]:
    """Arguments of httpx for sending a request."""
    headers = {"Content-Type": spec.content_type} if spec.body else {}
    return {
        "method": spec.verb,
        "url": path_of(spec),
        "params": spec.query,
        "content": spec.body or None,
        "headers": headers,
    }
