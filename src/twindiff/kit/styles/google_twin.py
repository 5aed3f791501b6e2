"""Twins of Google's APIs: the service path, the batch endpoint, and the parameters that all methods take.

https://developers.google.com/workspace/calendar/api/guides/batch
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from email import message_from_bytes
from email.message import Message
from http import HTTPStatus
from typing import Annotated, Any, NamedTuple, cast
from urllib.parse import unquote, urlsplit

from msgspec import DecodeError
from msgspec.json import decode as decode_json

from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError, MalformedBody, NotServed, TooLarge
from twindiff.kit.http import Request, Response
from twindiff.kit.links import split_url
from twindiff.kit.parameter_sources import Body, Upload
from twindiff.kit.request_context import RequestContext
from twindiff.kit.throttling import yield_processor
from twindiff.kit.twin import BODY_LIMIT, Operations, Twin

from .field_masks import partial
from .google import GoogleStyle, etag_middleware, json_only

MAX_CALLS = 1_000
BATCH_LIMIT = 10_000_000
BOUNDARY = "batch_twindiff"
MAX_HEAD_BYTES = 16_384


class InnerCall(NamedTuple):
    """One call of a batch."""

    content_id: str
    request: Request


class GoogleTwin(Twin):
    """A twin of a Google API, with batches and with its methods also below Google's service path.

    `service` is that path: `calendar/v3`. Operations declare their paths without it. An upload to
    `/upload/drive/v3/files` is declared as `/upload/files`, and `read_upload` parses its body.
    """

    def __init__(self, name: str, service: str, *pages: Operations, **options: Any) -> None:
        self._service = f"/{service}/"
        self._batch = f"/batch/{service}"
        page = Operations()
        page.post(self._batch, body_limit=BATCH_LIMIT, layers=[self._answer_batch], in_thread=True)(batch)
        layers = (json_only, partial, etag_middleware, *options.pop("layers", ()))
        super().__init__(name, GoogleStyle(), page, *pages, layers=layers, **options)

    def exchange(self, request: Request, base_url: str) -> RequestContext | None:
        for head, kept in ((self._service, ""), (f"/upload{self._service}", "/upload")):
            if request.path.startswith(head):
                request = request._replace(path=kept + request.path[len(head) - 1 :])
                break
        override = request.headers.get("x-http-method-override", "").upper()
        if override and request.verb == "POST":
            request = request._replace(verb=override)
        return super().exchange(request, base_url)

    def _answer_batch(self, exchange: RequestContext, call: Call, proceed: Callable[[], Any]) -> Response:
        """A middleware that replaces the handler: runs the calls in order, each in a savepoint of its own."""
        calls = [*_calls_of(exchange.request, urlsplit(exchange.base_url).path)]
        if not calls:
            raise MalformedBody("The batch has no calls. Each is a part of type application/http")
        parts = [_write_part(inner.content_id, self._answer_inner(exchange, call, inner.request)) for inner in calls]
        body = b"".join((*parts, f"--{BOUNDARY}--\r\n".encode()))
        return Response(body, content_type=f"multipart/mixed; boundary={BOUNDARY}")

    def _answer_inner(self, outer: RequestContext, call: Call, request: Request) -> Response:
        yield_processor()
        exchange = self.exchange(request, outer.base_url)
        if exchange is None or exchange.operation is outer.operation:
            return self.style.unknown(request, self.dispatch.verbs(request.path))
        exchange.token, exchange.actor, exchange.strict = outer.token, outer.actor, outer.strict
        call.memo.clear()
        try:
            self.read(exchange)
            with call.db.savepoint():
                value = exchange.operation.run(exchange, call)
        except NotServed:
            raise
        except ApiError as error:
            return self.style.error(error, exchange)
        return exchange.answer(value)


def read_upload(content_type: str, body: bytes) -> tuple[dict[str, Any], Upload]:
    """Parse an upload and return the metadata of the file and the file itself.

    With `uploadType=multipart` they are the two parts of the body; with `media` the body is the file and there is no
    metadata. Raises MalformedBody. https://developers.google.com/workspace/drive/api/guides/manage-uploads
    """
    if not content_type.startswith("multipart/"):
        return {}, Upload("", content_type, body)
    message = message_from_bytes(b"Content-Type: " + content_type.encode("latin-1", "replace") + b"\r\n\r\n" + body)
    parts = cast("list[Message]", message.get_payload()) if message.is_multipart() else []
    if len(parts) != 2:
        raise MalformedBody("An upload of several parts has two: JSON that says what the file is, and the file")
    said, data = (cast(bytes, part.get_payload(decode=True) or b"") for part in parts)
    try:
        about: Any = decode_json(said)
    except DecodeError:
        raise MalformedBody("The first part of an upload is a JSON object") from None
    if not isinstance(about, dict):
        raise MalformedBody("The first part of an upload is a JSON object")
    return cast(dict[str, Any], about), Upload("", parts[1].get_content_type(), data)


def batch(call: Call, body: Annotated[bytes, Body] = b"") -> None:
    """Make several calls in one request, in order; one that is refused leaves the others as they are."""


def _calls_of(request: Request, base_path: str) -> Iterator[InnerCall]:
    given = request.headers.get("content-type", "").encode("latin-1", "replace")
    kind = message_from_bytes(b"Content-Type: " + given + b"\r\n\r\n")
    boundary = kind.get_boundary() if kind.get_content_maintype() == "multipart" else None
    if not boundary:
        raise MalformedBody("A batch is of type multipart/mixed with a boundary")
    for part in _parts(request.body, boundary.encode("latin-1", "replace")):
        yield_processor()
        head, content = _split_head(part)
        about = message_from_bytes(head)
        if about.get_content_type() != "application/http":
            raise MalformedBody(f"A part of a batch is of type application/http, not {about.get_content_type()}")
        about.set_payload(content.decode("ascii", "surrogateescape"))
        raw = cast(bytes, about.get_payload(decode=True) or b"")
        yield InnerCall(str(about.get("Content-ID", "")), _request_of(raw, base_path))


def _parts(body: bytes, boundary: bytes) -> list[bytes]:
    """The parts of a multipart body (RFC 2046); raises TooLarge for too many or too large parts."""
    delimiter = b"\n--" + boundary
    body = b"\n" + body
    if (count := body.count(delimiter)) > MAX_CALLS + 1:
        raise TooLarge(f"The batch size is limited to {MAX_CALLS} calls; this one has {count - 1}")
    parts: list[bytes] = []
    for piece in body.split(delimiter)[1:]:
        line, _, content = piece.partition(b"\n")
        rest = line.strip(b" \t\r")
        if rest == b"--":
            break
        if rest and parts:  # only a prefix of the line looks like the delimiter
            parts[-1] += delimiter + piece
        elif not rest:
            parts.append(content)
        if parts and len(parts[-1]) > BODY_LIMIT:
            raise TooLarge(f"A call of a batch is limited to {BODY_LIMIT:,} bytes")
    return [part.removesuffix(b"\r") for part in parts]


def _request_of(raw: bytes, base_path: str) -> Request:
    line, _, rest = raw.lstrip().partition(b"\n")
    words = line.decode("latin-1").split()
    if len(words) not in (2, 3):
        raise MalformedBody(f"A part of a batch begins with a verb and a path, not with '{line[:80]!r}'")
    head, body = _split_head(rest)
    headers = {name.lower(): str(value) for name, value in message_from_bytes(head).items()}
    address = split_url(words[1])
    path = unquote(address.path).removeprefix(base_path.rstrip("/"))
    return Request(words[0].upper(), path if path.startswith("/") else f"/{path}", address.query, headers, body)


def _split_head(rest: bytes) -> tuple[bytes, bytes]:
    """Split at the first empty line into headers and body; lines may end in LF or CRLF."""
    if rest.startswith((b"\n", b"\r\n")):
        return b"", rest.partition(b"\n")[2]
    ends = ((at, at + len(sign)) for sign in (b"\n\n", b"\n\r\n") if (at := rest.find(sign)) >= 0)
    end, start = min(ends, default=(len(rest), len(rest)))
    if end > MAX_HEAD_BYTES:
        raise MalformedBody(f"The headers of a part have more than {MAX_HEAD_BYTES:,} bytes")
    return rest[:end], rest[start:]


def _write_part(content_id: str, answer: Response) -> bytes:
    phrase = HTTPStatus(answer.status).phrase
    inner = [f"HTTP/1.1 {answer.status} {phrase}", *(f"{name}: {value}" for name, value in answer.headers)]
    if answer.body:
        inner += [f"Content-Type: {answer.content_type}; charset=UTF-8", f"Content-Length: {len(answer.body)}"]
    outer = [f"--{BOUNDARY}", "Content-Type: application/http"]
    if content_id:
        outer.append(f"Content-ID: <response-{content_id.lstrip('<')}")
    head = "\r\n".join((*outer, "", *inner, "", "")).encode()
    return head + answer.body + b"\r\n"
