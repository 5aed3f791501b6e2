"""GraphQL over HTTP as Apollo Server takes it: JSON by POST, queries by GET, and nothing that a browser form sends.

https://www.apollographql.com/docs/apollo-server/security/cors#preventing-cross-site-request-forgery-csrf
"""

from __future__ import annotations

from typing import Any

import msgspec

from twindiff.kit.errors import ApiError, MalformedBody
from twindiff.kit.http import Request
from twindiff.kit.json_values import read_json
from twindiff.kit.styles.base import json_value

MAX_BODY_BYTES = 1_000_000
_FORM_TYPES = frozenset(("", "application/x-www-form-urlencoded", "multipart/form-data", "text/plain"))
_FIELDS = (("variables", dict, "an object"), ("extensions", dict, "an object"), ("operationName", str, "a string"))
_PREFLIGHT_HEADERS = ("x-apollo-operation-name", "apollo-require-preflight")


class GraphqlRequest(msgspec.Struct):
    """The JSON body of a GraphQL request."""

    query: str | None = None
    variables: dict[str, Any] | None = None
    operationName: str | None = None  # noqa: N815 - the wire's name
    extensions: Any = None


class CrossSiteRequest(MalformedBody):
    """A request that a foreign page could make a browser send."""

    status = 400

    def __init__(self) -> None:
        super().__init__(
            "This operation has been blocked as a potential Cross-Site Request Forgery (CSRF). Please either specify a "
            "'content-type' header (with a type that is not one of application/x-www-form-urlencoded, "
            "multipart/form-data, text/plain) or provide a non-empty value for one of the following headers: "
            "x-apollo-operation-name, apollo-require-preflight\n"
        )


class WrongVerb(MalformedBody):
    """A request by another method than GET and POST, or a mutation by GET."""

    status = 405

    def __init__(self, message: str, allow: str) -> None:
        super().__init__(message, headers=(("Allow", allow),))


def wants_page(request: Request) -> bool:
    """Whether a browser asks for a page."""
    return "text/html" in request.headers.get("accept", "")


def is_preflighted(request: Request) -> bool:
    """Whether browsers ask before they send such a request to another site."""
    return request.content_type not in _FORM_TYPES or any(request.headers.get(name) for name in _PREFLIGHT_HEADERS)


def refuse_verb(request: Request) -> ApiError:
    """Return the error for a request that is neither GET nor POST."""
    if not is_preflighted(request):
        return CrossSiteRequest()
    return WrongVerb("Apollo Server supports only GET/POST requests.", "GET, POST")


def read_graphql_request(request: Request) -> GraphqlRequest:
    """Return the request in a body or, by GET, in a URL; raises MalformedBody."""
    if len(request.body) > MAX_BODY_BYTES:
        raise MalformedBody(f"The body is larger than {MAX_BODY_BYTES:,} bytes")
    fields = _fields_of_url(request) if request.verb == "GET" else _fields_of_body(request)
    if not isinstance(fields.get("query") or "", str):
        raise MalformedBody("GraphQL queries must be strings.")
    if not fields.get("query"):
        raise MalformedBody("GraphQL operations must contain a non-empty `query` or a `persistedQuery` extension.")
    return msgspec.convert(fields, GraphqlRequest)


def _fields_of_body(request: Request) -> dict[str, Any]:
    given = _value_of_body(request)
    if isinstance(given, list):
        raise MalformedBody("Operation batching disabled.")
    fields: dict[str, Any] = given if isinstance(given, dict) else {}  # pyright: ignore[reportUnknownVariableType]
    if not fields:
        raise MalformedBody("POST body missing, invalid Content-Type, or JSON object has no keys.")
    for name, kind, article in _FIELDS:
        value = fields.get(name)
        if value is None or isinstance(value, kind):
            continue
        if isinstance(value, str):
            raise MalformedBody(
                f"`{name}` in a POST body should be provided as an object, not a recursively JSON-encoded string."
            )
        raise MalformedBody(f"`{name}` in a POST body must be {article} if provided.")
    return fields


def _value_of_body(request: Request) -> Any:
    """Return a body's JSON; None if there is no body, or if it is what its type says, a form."""
    try:
        return json_value(request.body) if request.body else None
    except MalformedBody:
        if request.content_type in _FORM_TYPES:
            return None
        raise


def _fields_of_url(request: Request) -> dict[str, Any]:
    given: dict[str, Any] = request.query_parameters()
    for name in ("variables", "extensions"):
        if name in given:
            given[name] = _json_text(name, given[name])
    return given


def _json_text(name: str, text: str) -> Any:
    try:
        value = read_json(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise MalformedBody(f"The {name} search parameter contains invalid JSON.") from None
    if not isinstance(value, dict):
        raise MalformedBody(f"The {name} search parameter should contain a JSON-encoded object.")
    return value  # pyright: ignore[reportUnknownVariableType] - JSON's edge
