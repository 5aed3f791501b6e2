"""Reads recorded traffic: HAR files, VCR cassettes (YAML), and JSON Lines of sessions.

A session is `{"host", "steps": [{"method", "path", "query", "headers", "body", "status", "response"}]}`. A body may be
`{"$form": [[name, value], …]}`, `{"$text": …}`, `{"$multipart": …}` or `{"$base64": …}`.
A response that is a file may be `{"$bytes": size}`, with its type in `response_headers`.
"""

from __future__ import annotations

import gzip
import json
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, cast
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

import yaml

from twindiff.kit.clock import iso_instant, micros_of

from .documents import MAX_JSON_BYTES, DescriptionError, Schema
from .masked_addresses import join_addresses

_KEPT = frozenset(["content-type", "accept", "if-match", "if-none-match", "idempotency-key", "prefer", "range"])
_KEPT_BEGINNINGS = ("dropbox-", "notion-", "x-http-", "x-restli-", "depth")
"""Beginnings of the names of headers that say what a request means."""
_KEPT_END = "-version"
FORM = "application/x-www-form-urlencoded"


FILE_TYPES = ("image/", "video/", "audio/", "font/", "application/octet-stream", "application/pdf", "application/zip")
"""Beginnings of the media types of answers that are files."""


class RecordedFile(NamedTuple):
    """An answer that is a file; recordings need not hold its bytes."""

    media_type: str
    size: int
    """In bytes."""


class RecordedCall(NamedTuple):
    """A request of a recording with its answer; bodies are JSON values, or None."""

    verb: str
    host: str
    path: str
    query: tuple[tuple[str, str], ...]
    body: Any
    status: int
    answer: Any
    headers: Mapping[str, str] = {}
    """Those of the request that say what it means, by lower-case names."""
    content: bytes | None = None
    """The body as it was sent if it is no JSON."""
    file: RecordedFile | None = None
    """The answer, if it is a file."""


def show_timestamp(text: str) -> str:
    """Return a time in ISO 8601 as a Timestamp holds it: naive, in UTC. Raises ValueError."""
    return iso_instant(micros_of(datetime.fromisoformat(text))).isoformat()


def read_recording(path: Path) -> Iterator[RecordedCall]:
    """Yield the calls of a recording in order. Raises DescriptionError."""
    for session in read_sessions(path):
        yield from session.calls


def read_sessions(path: Path) -> Iterator[RecordedSession]:
    """Yield the sessions of a recording, which in HAR files and cassettes is one. Raises DescriptionError.

    Addresses that are masked in bodies and not in URLs are joined, see `masked_addresses`.
    """
    for session in _read_plainly(path):
        yield session._replace(calls=join_addresses(session.calls))


def _read_plainly(path: Path) -> Iterator[RecordedSession]:
    try:
        if path.stat().st_size > MAX_JSON_BYTES:
            raise DescriptionError(f"{path.name} is larger than {MAX_JSON_BYTES:,} bytes.")
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        if len(data) > 10 * MAX_JSON_BYTES:
            raise DescriptionError(f"{path.name} is larger than {10 * MAX_JSON_BYTES:,} bytes when unpacked.")
        text = data.decode()
        name = path.name.removesuffix(".gz")
        if name.endswith((".yml", ".yaml")):
            loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
            yield RecordedSession(name, [*_of_cassette(yaml.load(text, loader))])
        elif name.endswith(".jsonl"):
            yield from _of_sessions([json.loads(line) for line in text.splitlines() if line.strip()])
        else:
            yield RecordedSession(name, [*_of_har(json.loads(text))])
    except OSError as error:
        raise DescriptionError(f"{path.name} cannot be read: {error}.") from None
    except (yaml.YAMLError, ValueError, RecursionError, AttributeError, KeyError, TypeError) as error:
        if isinstance(error, DescriptionError):
            raise
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DescriptionError(f"{path.name} is no recording: {said}.") from None


class RecordedSession(NamedTuple):
    """Calls that belong together: what one makes, a later one may use."""

    name: str
    calls: list[RecordedCall]


def _of_har(document: Any) -> Iterator[RecordedCall]:
    """Yield the calls of an HTTP Archive. http://www.softwareishard.com/blog/har-12-spec/"""
    entries: list[Any] = document["log"]["entries"]
    for entry in entries:
        request: Schema = entry["request"]
        response: Schema = entry["response"]
        sent: Schema = request.get("postData") or {}
        content: Schema = response.get("content") or {}
        body, answer = _parse(sent.get("text")), _parse(content.get("text"))
        call = _call(request["method"], request["url"], body, int(response["status"]), answer)
        pairs: list[Any] = request.get("headers") or []
        size = _size_of(content) or int(content.get("size") or 0)
        call = _with_file(call, str(content.get("mimeType") or ""), size)
        yield _with_text(call, sent.get("text"), {str(each["name"]): each["value"] for each in pairs})


def _of_cassette(document: Any) -> Iterator[RecordedCall]:
    """Yield the calls of a VCR cassette, of Ruby's VCR or of vcrpy."""
    interactions: list[Any] = document.get("http_interactions") or document["interactions"]
    for each in interactions:
        request: Schema = each["request"]
        response: Schema = each["response"]
        status: Any = response["status"]
        text = _text_of(request.get("body"))
        call = _call(
            str(request["method"]).upper(),
            request["uri"],
            _parse(text),
            int(cast(Schema, status)["code"] if isinstance(status, dict) else status),
            _parse(_text_of(response.get("body"))),
        )
        headers = cast(Schema, response.get("headers") or {})
        answered: Any = next((each for name, each in headers.items() if name.lower() == "content-type"), "")
        kind = "".join(map(str, cast(list[Any], answered)[:1])) if isinstance(answered, list) else str(answered)
        yield _with_text(_with_file(call, kind, _size_of(response.get("body"))), text, request.get("headers") or {})


def _with_file(call: RecordedCall, content_type: str, size: int) -> RecordedCall:
    """Return a call with the file that is its answer, if its type is that of a file and its size is known."""
    media_type = content_type.partition(";")[0].strip().lower()
    is_file = media_type.startswith(FILE_TYPES) and size > 0 and call.answer is None
    return call._replace(file=RecordedFile(media_type, size)) if is_file else call


def _size_of(body: Any) -> int:
    """Return how many bytes an answer has: a mark of a session, the body of a cassette, or the content of a HAR."""
    known = cast(Schema, body) if isinstance(body, dict) else {}
    if isinstance(known.get("$bytes"), int):
        return cast(int, known["$bytes"])
    encoded = known.get("$base64", known.get("base64_string"))
    encoded = known.get("text") if encoded is None and known.get("encoding") == "base64" else encoded
    if encoded is not None:
        return len("".join(str(encoded).split()).rstrip("=")) * 3 // 4
    held: Any = known.get("string")
    return len(held if isinstance(held, bytes) else str(held or "").encode())


def _with_text(call: RecordedCall, text: Any, headers: Mapping[str, Any]) -> RecordedCall:
    """Return a call with its headers that mean something, and with its body as it was sent if it is no JSON."""
    is_json = text is None or (call.body is not None and str(text).lstrip()[:1] in ("{", "["))
    return call._replace(headers=_keep_headers(headers), content=None if is_json else str(text).encode())


def _keep_headers(headers: Mapping[str, Any]) -> dict[str, str]:
    """Return the headers that say what a request means, by lower-case names; of several values the first."""
    kept: dict[str, str] = {}
    for name, value in headers.items():
        first = cast(list[Any], value)[:1] if isinstance(value, list) else [value]
        known = name.lower()
        if known in _KEPT or known.startswith(_KEPT_BEGINNINGS) or known.endswith(_KEPT_END):
            kept[known] = "".join(map(str, first))
    return kept


def _of_sessions(lines: list[Any]) -> Iterator[RecordedSession]:
    blobs: Schema = lines[0].get("blobs", {}) if lines else {}
    for number, session in enumerate(lines):
        steps: Any = session.get("steps")
        listed: list[Any] = cast(list[Any], steps) if isinstance(steps, list) else []
        calls = [_of_step(cast(Schema, step), blobs, str(session.get("host") or "")) for step in listed]
        if calls:
            yield RecordedSession(str(session.get("session") or f"session {number}"), calls)


def _without_marks(answer: Any) -> Any:
    """Return an answer, or None for one of which the recording holds only a mark, such as `$omitted_json`."""
    is_mark = isinstance(answer, dict) and any(name.startswith("$") for name in cast(Schema, answer))
    return None if is_mark else cast(Any, answer)


def _of_step(step: Schema, blobs: Schema, host: str) -> RecordedCall:
    answer: Any = step.get("response")
    if isinstance(answer, dict) and "$blob" in answer:
        answer = blobs.get(str(cast(Schema, answer)["$blob"]))
    pairs: list[Any] = step.get("query") or []
    query = tuple((str(name), unquote(str(value))) for name, value in pairs)
    verb, path = str(step["method"]).upper(), str(step["path"])
    host = str(step.get("host") or host)
    call = RecordedCall(verb, host, path, query, step.get("body"), int(step["status"]), _without_marks(answer))
    answered: Schema = step.get("response_headers") or {}
    call = _with_file(call, str(answered.get("content-type") or ""), _size_of(answer))
    return _unpack_body(call._replace(headers=_keep_headers(step.get("headers") or {})))


def _unpack_body(call: RecordedCall) -> RecordedCall:
    """Return a call with the body that a mark such as `$form` stands for."""
    body: Any = call.body
    marked = cast(Schema, body) if isinstance(body, dict) else {}
    if "$form" in marked:
        listed: list[Any] = marked["$form"]
        pairs = [(str(name), str(value)) for name, value in listed]
        headers = {"content-type": FORM, **call.headers}
        return call._replace(body=dict(pairs), content=urlencode(pairs).encode(), headers=headers)
    if "$base64" in marked:
        return call._replace(body=None, content=b64decode(str(marked["$base64"])))
    text = marked.get("$text", marked.get("$multipart"))
    return call if text is None else call._replace(body=None, content=str(text).encode())


def _call(verb: str, url: str, body: Any, status: int, answer: Any) -> RecordedCall:
    parts = urlsplit(url)
    query = tuple(parse_qsl(parts.query, keep_blank_values=True))
    return RecordedCall(verb.upper(), f"{parts.scheme}://{parts.netloc}", parts.path, query, body, status, answer)


def _text_of(body: Any) -> str | None:
    if isinstance(body, Mapping):
        inner: Any = cast(Schema, body).get("string")
        return None if inner is None else inner.decode(errors="replace") if isinstance(inner, bytes) else str(inner)
    return None if body is None else str(body)


def _parse(text: Any) -> Any:
    try:
        return json.loads(text) if text else None
    except (ValueError, RecursionError, TypeError):
        pairs = parse_qsl(str(text)) if re.fullmatch(r"[\w.\[\]%+-]+=[^\s{}]*", str(text)) else []
        return dict(pairs) or None
