"""Slack's Web API: methods by name, form or JSON requests, and responses with `ok` that are nearly always 200.

https://docs.slack.dev/apis/web-api
"""

from __future__ import annotations

from hashlib import blake2b
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, cast

import msgspec

from twindiff.kit.errors import (
    ApiError,
    InvalidParameter,
    MalformedBody,
    MissingParameter,
    RateLimited,
    TooLarge,
    TooSlow,
)
from twindiff.kit.forms import MULTIPART, read_multipart, read_pairs, read_parts
from twindiff.kit.http import Request, Response, json_answer
from twindiff.kit.json_values import read_json
from twindiff.kit.parameter_sources import Upload
from twindiff.kit.wire_requests import FORM_TYPE, encode_query, to_text

from ...kit.styles.base import Style

if TYPE_CHECKING:
    from collections.abc import Mapping

    from twindiff.kit.request_context import RequestContext
    from twindiff.kit.twin import Operation


class NotAuthed(ApiError):
    """No authentication token provided."""


class InvalidAuth(ApiError):
    """The token is not one that this workspace knows."""


class InvalidJson(ApiError):
    """The request says it carries JSON, but the body could not be read as JSON."""


class JsonNotObject(ApiError):
    """The request carries JSON, but not an object."""


class InvalidFormData(ApiError):
    """The request says it carries a form, but the body could not be read as one."""


class InvalidPostType(ApiError):
    """The Content-Type of the request is none of those that the method takes."""


class MissingPostType(ApiError):
    """The request has a body and does not say in a Content-Type what it is."""


class InvalidArguments(ApiError):
    """The method was called with arguments it cannot take."""


class UnknownMethod(ApiError):
    """There is no method of that name, or this twin does not have it."""


class ServiceUnavailable(ApiError):
    """The method took longer than a method may take."""


class Ratelimited(ApiError):
    """The method was called too often; call it again after the seconds that the Retry-After header tells."""

    status = 429

    def __init__(self, retry_after: int) -> None:
        super().__init__()
        self.retry_after = retry_after


class MethodDeprecated(ApiError):
    """Slack has retired the method; its changelog says what does the same now."""


JSON, FORM = "application/json", "application/x-www-form-urlencoded"
_POST_TYPES = frozenset((JSON, FORM, MULTIPART, "text/plain"))
_FORM_ONLY = """
auth.revoke bots.info chat.getPermalink conversations.info conversations.list conversations.members
conversations.replies dnd.info dnd.setSnooze dnd.teamInfo emoji.list files.getUploadURLExternal files.info
files.list files.remote.add files.remote.info files.remote.list files.remote.remove files.remote.share
files.remote.update oauth.v2.access pins.list reactions.get reactions.list reminders.info reminders.list
search.all search.files search.messages stars.list team.accessLogs team.billableInfo team.info
team.integrationLogs team.preferences.list team.profile.get usergroups.list usergroups.users.list
users.conversations users.getPresence users.identity users.info users.list users.lookupByEmail users.profile.get
"""
FORM_ONLY_METHODS = frozenset(_FORM_ONLY.split())
"""Methods whose pages name forms only under content types; reports say that conversations.history takes JSON."""
_MAX_FORM_BYTES = 1_000_000
_RETIRED = ("channels.", "groups.", "im.", "mpim.", "rtm.start")
"""Prefixes of retired methods: those that conversations.* replaced, and the start of the RTM API."""


class SlackRpc(Style):
    """The conventions of Slack's Web API.

    An error becomes `{"ok": false, "error": code}`, with the error's details as further fields.
    """

    token_in_body = True

    missing_token = NotAuthed
    unknown_token = InvalidAuth

    def method_name(self, path: str) -> str:
        return path.strip("/").removeprefix("api/")

    def token(self, request: Request) -> str | None:
        """Return the token of the header or the parameters; of the schemes of a header only `Bearer` carries one."""
        header = None if _has_other_scheme(request) else request.bearer()
        if header is not None:
            return header
        # Old clients send the token as a parameter. Bodies of uploads are too large to be searched for it.
        token: object = None if len(request.body) > _MAX_FORM_BYTES else self._all_parameters(request).get("token")
        return token if isinstance(token, str) else None

    def parameters(self, exchange: RequestContext) -> dict[str, Any]:
        request, operation = exchange.request, exchange.operation
        if operation.declared.verb:
            return {"sent": request, **request.query_parameters(), **exchange.path_parameters}
        given = self._all_parameters(request)
        if operation.declared.open:
            given = {**_client(request), **given}
        for name in operation.bound.structured:
            if isinstance(given.get(name), str):
                given[name] = _embedded_json(name, given[name])
        if isinstance(given.get("attachments"), str):
            del given[
                "attachments"
            ]  # Slack drops what does not parse. https://github.com/jolicode/slack-php-api/issues/81
        return given

    def build_request(self, operation: Operation, arguments: Mapping[str, Any]) -> Request:
        """Return the request; methods that take forms only get one, and JSON names its charset as Slack asks."""
        request = super().build_request(operation, arguments)
        if operation.declared.verb:
            return request
        path = f"/api/{operation.name}"
        if operation.name in FORM_ONLY_METHODS:
            texts = {name: to_text(value) for name, value in arguments.items() if value is not None}
            return request._replace(path=path, headers=FORM_TYPE, body=encode_query(texts).encode())
        is_json = request.content_type == JSON
        headers = {**request.headers, "content-type": f"{JSON}; charset=utf-8"} if is_json else request.headers
        return request._replace(path=path, headers=headers)

    def _all_parameters(self, request: Request) -> dict[str, Any]:
        given = self._form(request.query) if request.query else {}
        if request.body:
            given.update(self.body(request))
        return given

    def _form(self, text: str) -> dict[str, Any]:
        try:
            return dict(read_pairs(text))
        except MalformedBody:
            raise InvalidFormData from None

    def body(self, request: Request) -> dict[str, Any]:
        """Return the parameters in a body; raises MissingPostType and InvalidPostType, as all methods' pages say.

        https://docs.slack.dev/reference/methods/chat.postMessage#errors
        """
        if request.content_type not in _POST_TYPES:
            raise InvalidPostType if request.content_type else MissingPostType
        if request.content_type == JSON:
            return _json_object(request.body)
        try:
            if request.content_type == MULTIPART:
                return {name: value for name, value in read_multipart(request) if isinstance(value, str)}
            return self._form(request.body.decode())
        except (MalformedBody, UnicodeDecodeError):
            raise InvalidFormData from None

    def result(self, value: Any, exchange: RequestContext) -> Response:
        answer = {"ok": True, **value}
        warning = charset_warning(exchange.request)
        return json_answer(_with_warning(answer, warning) if warning else answer, headers=_headers(exchange))

    def error(self, error: ApiError, exchange: RequestContext | None = None) -> Response:
        answer = _render_error(error)._replace(error=error.code)
        failure = (("X-Slack-Failure", read_json(answer.body)["error"]),)
        answer = answer._replace(headers=(*answer.headers, *failure))
        warning = charset_warning(exchange.request) if exchange else ""
        if exchange is None or answer.status != HTTPStatus.OK:
            return answer
        if warning:
            answer = answer._replace(body=msgspec.json.encode(_with_warning(read_json(answer.body), warning)))
        return answer._replace(headers=(*answer.headers, *_headers(exchange)))

    def unknown(self, request: Request, verbs: list[str]) -> Response:
        method = self.method_name(request.path)
        if method.startswith(_RETIRED):
            return self.error(MethodDeprecated())
        return self.error(UnknownMethod(req_method=method))


def ignore_json(exchange: RequestContext) -> None:
    """Drop the parameters of a JSON body if the method takes forms only, as Slack does."""
    request = exchange.request
    if request.body and request.content_type == JSON and exchange.operation.name in FORM_ONLY_METHODS:
        exchange.parameters = request.query_parameters()
        if exchange.operation.name.startswith("search.") and "query" not in exchange.parameters:
            raise MissingParameter("query")


def charset_warning(request: Request) -> str:
    """Return Slack's warning about the charset of a body: JSON needs one, a form must not name one; empty if right.

    https://docs.slack.dev/apis/web-api#basics
    """
    kind = request.content_type
    if not request.body or kind not in (JSON, FORM):
        return ""
    names_charset = "charset" in request.headers.get("content-type", "").lower()
    if kind == JSON:
        return "" if names_charset else "missing_charset"
    return "superfluous_charset" if names_charset else ""


def _with_warning(answer: dict[str, Any], warning: str) -> dict[str, Any]:
    metadata = {**answer.get("response_metadata", {}), "warnings": [warning]}
    return {**answer, "warning": warning, "response_metadata": metadata}


def _headers(exchange: RequestContext) -> tuple[tuple[str, str], ...]:
    """Return the headers of an answer: an id that is the same for the same request, and the scopes of the method."""
    request, scope = exchange.request, exchange.operation.declared.scope
    asked = blake2b(request.body, digest_size=16, person=request.path[-16:].encode()[-16:]).hexdigest()
    named = (("X-Slack-Req-Id", asked),)
    return (*named, ("X-Accepted-OAuth-Scopes", scope)) if scope else named


def _has_other_scheme(request: Request) -> bool:
    """Whether a header names another scheme than `Bearer`, in which Slack minds capitals and the space after it.

    A strict environment takes no token without a scheme either.
    """
    header = request.headers.get("authorization", "").strip()
    scheme, space, _ = header.partition(" ")
    return bool(header) and (scheme != "Bearer" if space else header.lower().startswith("bearer"))


def _render_error(error: ApiError) -> Response:
    if isinstance(error, MissingParameter):
        return _invalid_arguments(f"[ERROR] missing required field: {error.name}")
    if isinstance(error, InvalidParameter):
        return _invalid_arguments(f"[ERROR] {error}")
    if isinstance(error, TooLarge):
        return _invalid_arguments(f"[ERROR] {error}")
    if isinstance(error, TooSlow):
        return json_answer({"ok": False, "error": ServiceUnavailable.code})
    if isinstance(error, RateLimited):
        return json_answer({"ok": False, "error": Ratelimited.code}, error.status, error.headers)
    if isinstance(error, Ratelimited):
        headers = (("Retry-After", str(error.retry_after)),)
        return json_answer({"ok": False, "error": error.code}, error.status, headers)
    return json_answer({"ok": False, "error": error.code, **error.details})


def _invalid_arguments(message: str) -> Response:
    return json_answer({"ok": False, "error": "invalid_arguments", "response_metadata": {"messages": [message]}})


def _json_object(body: bytes) -> dict[str, Any]:
    try:
        value = read_json(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise InvalidJson from None
    if not isinstance(value, dict):
        raise JsonNotObject
    fields = cast(dict[str, Any], value)
    return {name: each for name, each in fields.items() if each is not None}


def _client(request: Request) -> dict[str, str]:
    """Return id and secret of an app from the header `Authorization: Basic`, if it is there."""
    given = request.basic()
    return {"client_id": given[0], "client_secret": given[1]} if given else {}


def _embedded_json(name: str, text: str) -> Any:
    """Parse a list or object sent as JSON text in a form; return invalid JSON as is, for the type check to refuse."""
    try:
        return read_json(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return text


def sent_bytes(request: Request) -> bytes:
    """Return the uploaded bytes: the whole body, or the first part of a multipart form."""
    if request.content_type != MULTIPART:
        return request.body
    try:
        parts = read_parts(request)
    except MalformedBody:
        raise InvalidFormData from None
    first = parts[0][1] if parts else b""
    return first.data if isinstance(first, Upload) else first
