"""How a family of APIs reads requests and writes results and errors. JSON in, JSON out: the style the others refine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from twindiff.kit.errors import ApiError, MalformedBody, MissingToken, UnknownOperation, UnknownToken
from twindiff.kit.http import Answer, Request, json_answer

if TYPE_CHECKING:
    from twindiff.kit.binding import Naming
    from twindiff.kit.twin import Found, Operation


class Style:
    """REST with JSON bodies; errors are `{"error": code, "message": text}` with their status."""

    naming: Naming = None
    missing_token: type[ApiError] = MissingToken
    unknown_token: type[ApiError] = UnknownToken

    def method_name(self, path: str) -> str:
        """The RPC method that a path names."""
        return path.strip("/")

    def token(self, request: Request) -> str | None:
        """The token a request carries; None when it carries none at all."""
        return request.bearer()

    def parameters(self, request: Request, found: Found) -> dict[str, Any]:
        """Raw parameters by wire name; the path's win over the body's, the body's over the query's."""
        given = request.query_parameters() if request.query else {}
        if request.body:
            given.update(self.body(request))
        given.update(found.path_parameters)
        return given

    def body(self, request: Request) -> dict[str, Any]:
        return json_object(request.body)

    def result(self, value: Any, operation: Operation) -> Answer:
        return json_answer(value, operation.declared.status)

    def error(self, error: ApiError) -> Answer:
        return json_answer({"error": error.code, "message": str(error)}, error.status)

    def unknown(self, request: Request, verbs: list[str]) -> Answer:
        """The answer to an operation we lack; `verbs` are those that the path does have."""
        given = f"{request.verb} {request.path}"
        known = f"; this path answers {', '.join(verbs)}" if verbs else ""
        return self.error(UnknownOperation(f"There is no operation {given}{known}"))


def json_object(body: bytes) -> dict[str, Any]:
    """The object that a JSON body holds; raises MalformedBody for anything else."""
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise MalformedBody(f"The body is not valid JSON: {error}") from None
    if not isinstance(value, dict):
        raise MalformedBody("The body must be a JSON object")
    return value  # pyright: ignore[reportUnknownVariableType] - JSON's edge
