"""The base style: parses requests and renders results and errors as JSON; other styles derive from it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from twindiff.kit.errors import ApiError, MalformedBody, MissingToken, UnknownOperation, UnknownToken
from twindiff.kit.forms import MULTIPART, URLENCODED, read_form, read_query
from twindiff.kit.http import Request, Response, json_answer
from twindiff.kit.json_values import read_json
from twindiff.kit.wire_requests import build_json_request

if TYPE_CHECKING:
    from collections.abc import Mapping

    from twindiff.kit.binding import Bound, Naming
    from twindiff.kit.request_context import RequestContext
    from twindiff.kit.twin import Operation


class Style:
    """REST with JSON bodies; errors are `{"error": code, "message": text}` with their status."""

    naming: Naming = None
    token_in_body: bool = False
    """Whether the token may be a parameter of the body; it is then known only after the body is parsed."""
    missing_token: type[ApiError] = MissingToken
    unknown_token: type[ApiError] = UnknownToken

    def method_name(self, path: str) -> str:
        """The name of the RPC method in a path."""
        return path.strip("/")

    def token(self, request: Request) -> str | None:
        """The token of a request; None if there is none."""
        return request.bearer()

    def refuse_token(self, token: str) -> ApiError:
        """The vendor's error for an unknown token, or for a missing one if `token` is empty."""
        return self.unknown_token() if token else self.missing_token()

    def parameters(self, exchange: RequestContext) -> dict[str, Any]:
        """Raw parameters by wire name; the path takes precedence over the body, and the body over the query."""
        request, bound = exchange.request, exchange.operation.bound
        given = read_query(request.query, bound.lists, bound.objects) if request.query else {}
        if bound.structured and given:
            parse_json_fields(given, bound)
        if request.body or bound.body:
            given.update(self._given_in_body(request, bound))
        given.update(exchange.path_parameters)
        if bound.headers:
            add_headers(given, request, bound)
        return given

    def body(self, request: Request) -> dict[str, Any]:
        """The parameters by wire name in a body that is not a form; raises MalformedBody."""
        return json_object(request.body)

    def _given_in_body(self, request: Request, bound: Bound) -> dict[str, Any]:
        if bound.is_raw:
            return {bound.body: request.body}
        given: dict[str, Any] = {}
        if request.body:
            is_json = request.headers.get("content-type") == "application/json"
            is_form = not is_json and request.content_type in (URLENCODED, MULTIPART)
            given = (
                parse_json_fields(read_form(request, bound.lists, bound.objects), bound)
                if is_form
                else self.body(request)
            )
        return {bound.body: given} if bound.body else given

    def build_request(self, operation: Operation, arguments: Mapping[str, Any]) -> Request:
        """The request of a call with arguments by wire name, as the vendor's own clients send it.

        The fields of a body that is one parameter are arguments of their own. Raises MissingParameter and
        InvalidParameter.
        """
        return build_json_request(operation, arguments)

    def result(self, value: Any, exchange: RequestContext) -> Response:
        """The response with a handler's return value; None means a response without a body."""
        status = exchange.operation.declared.status
        return Response(b"", status) if value is None else json_answer(value, status)

    def error(self, error: ApiError, exchange: RequestContext | None = None) -> Response:
        """The response for an error in the vendor's format; `exchange` is None if no operation was found."""
        return json_answer({"error": error.code, "message": str(error)}, error.status, error.headers)

    def unknown(self, request: Request, verbs: list[str]) -> Response:
        """The response for an operation that the twin lacks; `verbs` are the HTTP methods that the path has."""
        given = f"{request.verb} {request.path}"
        known = f"; this path answers {', '.join(verbs)}" if verbs else ""
        return self.error(UnknownOperation(f"There is no operation {given}{known}"))


def add_headers(given: dict[str, Any], request: Request, bound: Bound) -> None:
    """Add the parameters that are headers, in place; values sent elsewhere under their names are dropped."""
    for name, header in bound.headers:
        given.pop(name, None)
        if header in request.headers:
            given[name] = request.headers[header]


def parse_json_fields(given: dict[str, Any], bound: Bound) -> dict[str, Any]:
    """Decode, in place, JSON texts in a query or form if the handler takes a list or an object there.

    A text that is not JSON stays for the handler's validation to refuse.
    """
    for name in bound.structured and bound.structured & given.keys():
        if isinstance(given[name], str):
            with suppress(msgspec.DecodeError, UnicodeError, RecursionError):
                given[name] = read_json(given[name])
    return given


def json_value(body: bytes) -> Any:
    """Decode a body that is JSON; raises MalformedBody for anything else."""
    try:
        return read_json(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedBody(f"The body is not valid JSON: {error}") from None


def json_object(body: bytes) -> dict[str, Any]:
    """Decode a body that is a JSON object; raises MalformedBody for anything else."""
    value = json_value(body)
    if not isinstance(value, dict):
        raise MalformedBody("The body must be a JSON object")
    return value  # pyright: ignore[reportUnknownVariableType] - JSON's edge
