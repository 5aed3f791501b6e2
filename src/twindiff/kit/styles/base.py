"""How a family of APIs reads requests and writes results and errors. JSON in, JSON out: the style the others refine."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from twindiff.kit.errors import ApiError, MalformedBody, MissingToken, UnknownOperation, UnknownToken
from twindiff.kit.forms import MULTIPART, URLENCODED, read_form, read_query
from twindiff.kit.http import Request, Response, json_answer
from twindiff.kit.json_values import read_json

if TYPE_CHECKING:
    from twindiff.kit.binding import Bound, Naming
    from twindiff.kit.request_context import Exchange


class Style:
    """REST with JSON bodies; errors are `{"error": code, "message": text}` with their status."""

    naming: Naming = None
    token_in_body: bool = False
    """Whether a token may be a parameter of the body, so that it is known only when that has been read."""
    missing_token: type[ApiError] = MissingToken
    unknown_token: type[ApiError] = UnknownToken

    def method_name(self, path: str) -> str:
        """The RPC method that a path names."""
        return path.strip("/")

    def token(self, request: Request) -> str | None:
        """The token a request carries; None when it carries none at all."""
        return request.bearer()

    def refuse_token(self, token: str) -> ApiError:
        """The vendor's refusal of a token that is not known, or of a request without one."""
        return self.unknown_token() if token else self.missing_token()

    def parameters(self, exchange: Exchange) -> dict[str, Any]:
        """Raw parameters by wire name; the path's win over the body's, the body's over the query's."""
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
        """The parameters in a body that is no form."""
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

    def result(self, value: Any, exchange: Exchange) -> Response:
        """The answer that carries a handler's value; None is an answer without a body."""
        status = exchange.operation.declared.status
        return Response(b"", status) if value is None else json_answer(value, status)

    def error(self, error: ApiError, exchange: Exchange | None = None) -> Response:
        """An error in the vendor's form, with headers of its own; without an exchange no operation was found."""
        return json_answer({"error": error.code, "message": str(error)}, error.status, error.headers)

    def unknown(self, request: Request, verbs: list[str]) -> Response:
        """The answer to an operation we lack; `verbs` are those that the path does have."""
        given = f"{request.verb} {request.path}"
        known = f"; this path answers {', '.join(verbs)}" if verbs else ""
        return self.error(UnknownOperation(f"There is no operation {given}{known}"))


def add_headers(given: dict[str, Any], request: Request, bound: Bound) -> None:
    """Put headers among the parameters; what else was sent under those names is not theirs."""
    for name, header in bound.headers:
        given.pop(name, None)
        if header in request.headers:
            given[name] = request.headers[header]


def parse_json_fields(given: dict[str, Any], bound: Bound) -> dict[str, Any]:
    """The values of a query or form, with JSON texts read where the handler takes a list or an object.

    Text that is no JSON is left for the handler's contract.
    """
    for name in bound.structured and bound.structured & given.keys():
        if isinstance(given[name], str):
            with suppress(msgspec.DecodeError, UnicodeError, RecursionError):
                given[name] = read_json(given[name])
    return given


def json_object(body: bytes) -> dict[str, Any]:
    """The object that a JSON body holds; raises MalformedBody for anything else."""
    try:
        value = read_json(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedBody(f"The body is not valid JSON: {error}") from None
    if not isinstance(value, dict):
        raise MalformedBody("The body must be a JSON object")
    return value  # pyright: ignore[reportUnknownVariableType] - JSON's edge
