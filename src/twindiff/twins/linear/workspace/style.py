"""Linear's wire format of errors, rate limits and payloads.

https://linear.app/developers/graphql#errors · https://linear.app/developers/rate-limiting
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import Any

from graphql import GraphQLError

from twindiff.kit import Call
from twindiff.kit.errors import (
    ApiError,
    InternalError,
    MalformedBody,
    MissingToken,
    RateLimited,
    Unavailable,
    UnknownToken,
)
from twindiff.kit.graphql import GraphqlStyle, RequestLimits
from twindiff.kit.graphql.errors import (
    EntityNotFound,
    Forbidden,
    IdTaken,
    InvalidDocument,
    InvalidInput,
    NotImplementedHere,
    QueryTooComplex,
    QuotaExceeded,
    TooComplex,
    UnfitReference,
)
from twindiff.kit.graphql.execution import ExecutionResult
from twindiff.kit.graphql.messages import as_graphql_js
from twindiff.kit.graphql.run import GraphqlRun
from twindiff.kit.http import Request, Response
from twindiff.kit.request_context import RequestContext

from .workspace_tools import HOUR, POINTS_AN_HOUR, REQUESTS_AN_HOUR


class AuthenticationRequired(MissingToken):
    """Authentication required, not authenticated"""


class InvalidKey(UnknownToken):
    """Authentication required, not authenticated"""


class KeyWithBearer(ApiError):
    """An API key has the prefix of OAuth tokens."""

    status = 400

    def __init__(self) -> None:
        super().__init__(
            "It looks like you're trying to use an API key as a Bearer token. "
            "Remove the Bearer prefix from the Authorization header."
        )


_ERROR_TABLE: tuple[tuple[type[Exception], str, str, int], ...] = (
    (EntityNotFound, "invalid input", "INPUT_ERROR", 400),
    (NotImplementedHere, "feature not accessible", "NOT_IMPLEMENTED", 501),
    (Forbidden, "forbidden", "FORBIDDEN", 403),
    (RateLimited, "ratelimited", "RATELIMITED", 400),
    (Unavailable, "internal error", "INTERNAL_SERVER_ERROR", 503),
    (QueryTooComplex, "invalid input", "INPUT_ERROR", 400),
    (TooComplex, "ratelimited", "RATELIMITED", 400),
    (QuotaExceeded, "invalid input", "QUOTA_EXCEEDED", 400),
    (MissingToken, "authentication error", "AUTHENTICATION_ERROR", 401),
    (UnknownToken, "authentication error", "AUTHENTICATION_ERROR", 401),
    (InternalError, "internal error", "INTERNAL_SERVER_ERROR", 500),
    (MalformedBody, "graphql error", "BAD_REQUEST", 400),
    (InvalidDocument, "graphql error", "GRAPHQL_VALIDATION_FAILED", 400),
    (InvalidInput, "invalid input", "INVALID_INPUT", 400),
    (ApiError, "invalid input", "INPUT_ERROR", 400),
)
"""Class, `type`, `code` and `statusCode`, which is not the HTTP status. First match wins; subclasses come first."""
_FAIL_REQUESTS = (Forbidden, IdTaken)
"""Errors of execution with the HTTP status 400."""
ARGUMENT_ERROR = "Argument Validation Error"
_UNFIT_DOCUMENT: dict[str, Any] = {
    "http": {"status": 400, "headers": {}},
    "code": "GRAPHQL_VALIDATION_FAILED",
    "type": "graphql error",
    "userError": True,
}
"""The extensions of an error in a document, of its syntax too, which has nothing for people."""
_OWNER_FIELDS = frozenset(("commentId", "initiativeId", "issueId", "parentId", "relatedIssueId", "teamId", "teamIds"))
"""Fields of inputs whose missing entity is told by its kind, as that of an argument `id` is."""


class LinearStyle(GraphqlStyle):
    """GraphQL errors with a type, a code and a user-presentable message; responses carry the remaining limits."""

    missing_token = AuthenticationRequired
    unknown_token = InvalidKey
    limits = RequestLimits(complexity=10_000)

    def extensions(self, error: Exception) -> dict[str, Any]:
        for kind, name, code, status in _ERROR_TABLE:
            if isinstance(error, kind):
                told = _extensions(name, code, status, _for_people(error))
                return told | _validation_errors(error) | _more(error)
        return {**_UNFIT_DOCUMENT}

    def error(self, error: ApiError, exchange: RequestContext | None = None) -> Response:
        """Render an error. A rate-limit error has the status 400: https://linear.app/developers/rate-limiting"""
        answer = super().error(error, exchange)
        return answer._replace(status=400) if isinstance(error, (RateLimited, Forbidden)) else answer

    def message(self, error: Exception) -> str:
        """Return the fixed title of an error; what is wrong with the input is in `userPresentableMessage`."""
        if isinstance(error, (InvalidInput, UnfitReference)):
            return error.details.get("title", ARGUMENT_ERROR)
        if isinstance(error, Forbidden):
            return error.details.get("title", str(error))
        if isinstance(error, EntityNotFound) and _input_of(error):
            return f"Entity not found in validateAccess: {_input_of(error)}"
        if isinstance(error, QueryTooComplex):
            return "Query too complex"
        return as_graphql_js(super().message(error)) if isinstance(error, GraphQLError) else super().message(error)

    def outcome(self, call: Call, outcome: ExecutionResult) -> Response:
        """Render an outcome; refused roles and scopes, and ids in use, fail the whole request.

        https://github.com/linear/linear/issues/895
        """
        answer = super().outcome(call, outcome)
        fails = any(isinstance(each.error, _FAIL_REQUESTS) for each in outcome.problems)
        return answer._replace(status=400) if fails else answer

    def headers(self, call: Call, outcome: ExecutionResult) -> tuple[tuple[str, str], ...]:
        """Return the limits less this request; `count_requests` replaces what remains by that of the last minute.

        https://linear.app/developers/rate-limiting
        """
        cost = ceil(outcome.cost)
        reset = str(call.clock.micros // 1000 + HOUR)
        return (
            ("X-Complexity", str(cost)),
            ("X-RateLimit-Requests-Limit", str(REQUESTS_AN_HOUR)),
            ("X-RateLimit-Requests-Remaining", str(REQUESTS_AN_HOUR - 1)),
            ("X-RateLimit-Requests-Reset", reset),
            ("X-RateLimit-Complexity-Limit", str(POINTS_AN_HOUR)),
            ("X-RateLimit-Complexity-Remaining", str(POINTS_AN_HOUR - cost)),
            ("X-RateLimit-Complexity-Reset", reset),
        )

    def extras(self, run: GraphqlRun) -> dict[str, Any]:
        return {"success": True, "lastSyncId": float(run.call.clock.micros // 1000)}

    def token(self, request: Request) -> str | None:
        """Return the key in the Authorization header, which Linear's own clients send without `Bearer`."""
        return request.bearer()


def count_requests(exchange: RequestContext, call: Call, proceed: Callable[[], Any]) -> Any:
    """Middleware that lowers what remains of the limits by the caller's requests of the last minute.

    Linear's buckets refill at a constant rate; here what was taken comes back after a minute. Nothing is refused.
    """
    answer = proceed()
    if not isinstance(answer, Response) or exchange.meter is None:
        return answer
    headers = dict(answer.headers)
    if "X-Complexity" not in headers:
        return answer
    for name, limit, amount in (
        ("Requests", REQUESTS_AN_HOUR, 1),
        ("Complexity", POINTS_AN_HOUR, int(headers["X-Complexity"])),
    ):
        spent = exchange.meter.spend(f"{name} {call.actor}", amount, call.clock.micros)
        headers[f"X-RateLimit-{name}-Remaining"] = str(max(limit - int(spent), 0))
    return answer._replace(headers=tuple(headers.items()))


def refuse_bearer_keys(exchange: RequestContext, call: Call, proceed: Callable[[], Any]) -> Any:
    """Middleware that, in a strict environment, refuses an API key sent with the prefix of OAuth tokens.

    https://github.com/vm0-ai/vm0/issues/9600
    """
    if exchange.strict and exchange.request.headers.get("authorization", "").startswith("Bearer lin_api_"):
        raise KeyWithBearer
    return proceed()


def _validation_errors(error: Exception) -> dict[str, Any]:
    """Return `validationErrors` of an input that breaks a declared rule, in the form of class-validator.

    https://github.com/PipedreamHQ/pipedream/pull/21903
    """
    if not isinstance(error, InvalidInput) or "property" not in error.details:
        return {}
    field, value = error.details["property"], error.details["value"]
    constraints = {error.details["constraint"]: str(error)}
    problem: dict[str, Any] = {"target": {field: value}, "value": value, "property": field}
    return {"validationErrors": [problem | {"children": [], "constraints": constraints}]}


def _more(error: Exception) -> dict[str, Any]:
    """Return `http` of errors that set the HTTP status, and `meta` of refused tokens and quotas."""
    if isinstance(error, (MissingToken, UnknownToken)):
        return {"meta": {}, "http": {"status": 401}}
    if isinstance(error, QuotaExceeded):
        return {"meta": {"quota": error.details["quota"]}}
    return {"http": {"status": 400}} if isinstance(error, (*_FAIL_REQUESTS, QueryTooComplex)) else {}


def _input_of(error: EntityNotFound) -> str:
    """Return the field of an input that refers to a missing entity, unless it names what the new entity belongs to."""
    field: str = error.details.get("field", "")
    return "" if field in _OWNER_FIELDS else field


def _for_people(error: Exception) -> str:
    if isinstance(error, (MissingToken, UnknownToken)):
        return "You need to authenticate to access this operation."
    if isinstance(error, IdTaken):
        return f"Entity {error.details['kind']} with id {error.details['id']} already exists."
    if isinstance(error, EntityNotFound) and _input_of(error):
        return f"{_input_of(error)} contained an entry that could not be found."
    if isinstance(error, EntityNotFound):
        return f"Could not find referenced {error.details.get('kind', 'entity')}."
    return str(error)


def _extensions(kind: str, code: str, status: int, text: str) -> dict[str, Any]:
    return {
        "type": kind,
        "code": code,
        "statusCode": status,
        "userError": status < 500,
        "userPresentableMessage": text,
    }
