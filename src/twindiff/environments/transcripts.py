"""Transcripts: the request and response of each call, stored beside the call log.

While a call runs, its request and response are only kept in memory. Transcripts are made when the log is written: calls
written together share one compressed row, since they resemble each other.
"""

from __future__ import annotations

import codecs
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Annotated, Literal

import msgspec

from twindiff.kit.http import Request, Response

from .spoken_secrets import LEFT_OUT, leave_out_secrets

Policy = Literal["off", "errors", "all"]
"""Which calls get a transcript."""

MAX_BODY_BYTES = 60_000
"""Bytes of both bodies of a call that are stored, so that a transcript stays below 64 KB."""
MAX_PATH_CHARACTERS = 2_000
"""Characters of a path, and of a query."""
MAX_HEADER_CHARACTERS = 100
MAX_HEADERS = 15

_MIN_SECRET_CHARACTERS = 8
_LEVEL = 1
_SECRET = ("authorization", "cookie", "token", "secret", "key", "password", "signature")
"""Parts of the names of headers whose values are secret; `Idempotency-Key` is not one of them."""
_HARMLESS = {"idempotency-key"}
_OF_THE_WAY = {"accept-encoding", "connection", "content-length", "date", "host", "keep-alive", "transfer-encoding"}
"""Headers that describe the connection."""


class RecordedBody(msgspec.Struct, omit_defaults=True):
    """A body of `bytes` bytes: its text, truncated if `is_cut`, or the SHA-256 of a body that is not text."""

    bytes: Annotated[int, msgspec.Meta(ge=0, le=2**53)]
    text: Annotated[str, msgspec.Meta(max_length=2 * MAX_BODY_BYTES)] | None = None
    is_cut: bool = False
    sha256: Annotated[str, msgspec.Meta(max_length=64)] | None = None


Headers = Annotated[
    dict[str, Annotated[str, msgspec.Meta(max_length=2 * MAX_HEADER_CHARACTERS)]], msgspec.Meta(max_length=64)
]


class RecordedRequest(msgspec.Struct, omit_defaults=True):
    """The request of a call; the path is relative to the twin's base URL."""

    method: Annotated[str, msgspec.Meta(max_length=100)]
    path: Annotated[str, msgspec.Meta(max_length=MAX_PATH_CHARACTERS + 1)]
    body: RecordedBody
    query: Annotated[str, msgspec.Meta(max_length=MAX_PATH_CHARACTERS + 1)] = ""
    headers: Headers = {}


class RecordedResponse(msgspec.Struct, omit_defaults=True):
    """The response of a call."""

    status: int
    body: RecordedBody
    headers: Headers = {}


class Transcript(msgspec.Struct):
    """The request and response of a call."""

    request: RecordedRequest
    answer: RecordedResponse


class RecordedExchange:
    """A request and its response until they are written; text bodies are truncated to what will be stored."""

    __slots__ = ("_answer", "_answered_bytes", "_asked_bytes", "_request", "_token", "held")

    def __init__(self, request: Request, answer: Response, token: str) -> None:
        self._asked_bytes, self._answered_bytes = len(request.body), len(answer.body)
        if self._asked_bytes + self._answered_bytes > MAX_BODY_BYTES:
            request = request._replace(body=_shorten(request.body))
            answer = answer._replace(body=_shorten(answer.body))
        self._request, self._answer, self._token = request, answer, token
        self.held = len(request.body) + len(answer.body)

    @property
    def is_large(self) -> bool:
        """Whether it holds more than will be stored, because a body is still to be digested."""
        return self.held > 2 * MAX_BODY_BYTES

    def digest(self) -> None:
        """Replace large binary bodies by their digests, which may take a while."""
        if self.is_large:
            self._request = self._request._replace(body=_digest_body(self._request.body))
            self._answer = self._answer._replace(body=_digest_body(self._answer.body))

    def transcript(self) -> Transcript:
        """Return the transcript to store, without secrets."""
        self.digest()
        request, answer = self._request, self._answer
        most = max(MAX_BODY_BYTES // 2, MAX_BODY_BYTES - self._answered_bytes)
        body = _body(request.body, self._asked_bytes, most, self._token)
        left = MAX_BODY_BYTES - len((body.text or "").encode())
        return Transcript(
            RecordedRequest(
                request.verb,
                _cut(request.path, MAX_PATH_CHARACTERS),
                body,
                _cut(leave_out_secrets(_without(self._token, request.query)), MAX_PATH_CHARACTERS),
                _headers(request.headers.items()),
            ),
            RecordedResponse(
                answer.status,
                _body(answer.body, self._answered_bytes, left),
                _headers((("content-type", answer.content_type), *answer.headers)),
            ),
        )


class _Digest(bytes):
    """The SHA-256 of a body in hexadecimal digits, in place of the body."""


def _shorten(body: bytes) -> bytes:
    """Truncate a text to what may be stored; keep all of a binary body, for its digest."""
    return body if _text(body[:MAX_BODY_BYTES]) is None else body[:MAX_BODY_BYTES]


def _digest_body(body: bytes) -> bytes:
    return body if len(body) <= MAX_BODY_BYTES else _Digest(sha256(body).hexdigest().encode())


def _text(body: bytes) -> str | None:
    """Decode a body as UTF-8, without an incomplete last character; None if it is not text."""
    try:
        text = codecs.utf_8_decode(body)[0]
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def _body(body: bytes, size: int, most: int, token: str = "") -> RecordedBody:
    if isinstance(body, _Digest):
        return RecordedBody(size, sha256=body.decode())
    text = _text(body[:most])
    if text is None:
        return RecordedBody(size, sha256=sha256(body).hexdigest())
    return RecordedBody(size, leave_out_secrets(_without(token, text)), is_cut=size > most)


def _without(token: str, text: str) -> str:
    """Remove the call's own token from a text."""
    return text.replace(token, LEFT_OUT) if len(token) >= _MIN_SECRET_CHARACTERS else text


def without_secrets(said: Transcript) -> Transcript:
    """Remove secrets from a stored transcript: earlier releases removed fewer."""
    asked, answer = said.request, said.answer
    query = leave_out_secrets(asked.query)
    return Transcript(
        msgspec.structs.replace(asked, query=query, body=_body_without(asked.body), headers=_plain(asked.headers)),
        msgspec.structs.replace(answer, body=_body_without(answer.body), headers=_plain(answer.headers)),
    )


def _body_without(body: RecordedBody) -> RecordedBody:
    return msgspec.structs.replace(body, text=leave_out_secrets(body.text)) if body.text else body


def _plain(headers: dict[str, str]) -> dict[str, str]:
    return {name: leave_out_secrets(value) for name, value in headers.items()}


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def _headers(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the headers worth storing, with secret values removed."""
    kept: dict[str, str] = {}
    for name, value in headers:
        name = name.lower()
        if name not in _OF_THE_WAY and len(kept) < MAX_HEADERS:
            kept[name[:MAX_HEADER_CHARACTERS]] = (
                LEFT_OUT if _is_secret(name) else _cut(leave_out_secrets(value), MAX_HEADER_CHARACTERS)
            )
    return kept


@lru_cache(maxsize=1000)
def _is_secret(name: str) -> bool:
    return name not in _HARMLESS and any(word in name for word in _SECRET)


def wants(policy: Policy, status: int, error: str | None) -> bool:
    """Return whether a call gets a transcript."""
    return policy == "all" or (policy == "errors" and (status >= 400 or error is not None))


_encode = msgspec.json.Encoder().encode
_decode: msgspec.json.Decoder[list[Transcript | None]] = msgspec.json.Decoder(list[Transcript | None])


def pack(transcripts: Sequence[Transcript | None]) -> str:
    """Encode the transcripts of consecutive calls as one compressed text."""
    return b64encode(zlib.compress(_encode(transcripts), _LEVEL)).decode()


def unpack(packed: Mapping[int, str]) -> dict[int, Transcript]:
    """Decode packed texts, given by the number of their first call, to transcripts by call number."""
    return {
        number: transcript
        for first, text in packed.items()
        for number, transcript in enumerate(_decode.decode(zlib.decompress(b64decode(text))), first)
        if transcript is not None
    }
