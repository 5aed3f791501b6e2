"""Middleware of all operations: API version, key, idempotency, expansion and request id.

https://docs.stripe.com/api/idempotent_requests, https://docs.stripe.com/api/expanding_objects
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from hashlib import blake2b
from http import HTTPStatus
from typing import Any

from twindiff.kit import ApiError, Call, Column, RequestContext, Response, Row, column, written_once
from twindiff.kit.errors import InvalidParameter
from twindiff.twins.stripe.core.wire_style import InvalidApiKey, StripeError, body_type, mask_key

from .objects import LETTERS, RESOURCES, expand_objects, find
from .params import check_texts

VERSION = "2026-08-26.dahlia"
"""The account's API version, used for requests that name none."""

_VERSION = re.compile(r"(\d{4}-\d\d-\d\d)(\.[a-z]+)?(; ?[a-z_]+=v\d+)*")
_LIKE_STRIPES = re.compile(r"(sk|rk|pk|ek)_(?!test_)")
"""Prefixes of live-mode keys."""
LOGS = "https://dashboard.stripe.com/acct_1TwindiffTestShop/test/workbench/logs"
MAX_KEY_CHARACTERS = 255
KEPT_SECONDS = 24 * 3600
"""Seconds after which an idempotency key can be used again."""
_LETTERS = bytes(ord(LETTERS[byte % len(LETTERS)]) for byte in range(256))


class IdempotencyKey(Row, table="idempotency_keys", key=("key",), visibility="bookkeeping"):
    """The response to an idempotency key, and a digest of its request."""

    key: Column[str]
    request: Column[str]
    status: Column[int]
    body: Column[str]
    created: Column[int | None] = column(default=None)
    request_id: Column[str] = column(default="")
    """The id of the original request."""
    path: Column[str] = column(default="")
    """The path of the original request."""


class KeyIsPublishable(StripeError):
    """This API call cannot be made with a publishable API key. Please use a secret API key. You can find a list of your
    API keys at https://dashboard.stripe.com/account/apikeys."""

    status = 403


def wrap_operation(exchange: RequestContext, call: Call, proceed: Callable[[], Any]) -> Any:
    """Middleware around all operations."""
    request_id = _request_id(exchange, call)
    call.memo["request"] = {"id": request_id, "idempotency_key": _idempotency_key(exchange) or None}
    try:
        call.memo["version"] = version = _check(exchange, call)
        _check_parameters(exchange)
        answer = _once(exchange, call, proceed) if not exchange.operation.reads else _answer(exchange, call, proceed)
    except ApiError as error:
        _log(error, request_id)
        raise
    headers = [("Request-Id", request_id), ("Stripe-Version", version)]
    if account := exchange.request.headers.get("stripe-account"):
        headers.append(("Stripe-Account", account))
    return answer._replace(headers=(*(each for each in answer.headers if each[0] != "Request-Id"), *headers))


def version_of(call: Call) -> str:
    """Return the API version of the current request, or the account's outside of a request."""
    return call.memo.get("version", VERSION)


def _log(error: ApiError, request_id: str) -> None:
    """Add the request id and the URL of its log to an error; unauthorized requests have no log."""
    error.details["request_id"] = request_id
    if error.status != HTTPStatus.UNAUTHORIZED:
        error.details["request_log_url"] = f"{LOGS}?object={request_id}"


def _request_id(exchange: RequestContext, call: Call) -> str:
    request = exchange.request
    asked = f"{call.clock.micros} {request.verb} {request.path}?{request.query}".encode() + request.body
    return "req_" + blake2b(asked, digest_size=14).digest().translate(_LETTERS).decode()


def _check(exchange: RequestContext, call: Call) -> str:
    """Return the version of a request; raises StripeError for a bad version, another account or a publishable key."""
    headers = exchange.request.headers
    version = headers.get("stripe-version") or VERSION
    match = _VERSION.fullmatch(version)
    if not match or not _is_date(match[1]):
        raise StripeError(f"Invalid Stripe API version: {version[:200]}")
    for name in ("stripe-account", "stripe-context"):
        if account := headers.get(name):
            _check_account(call, account)
    if exchange.token.startswith("pk_") and exchange.operation.declared.scope != "publishable":
        raise KeyIsPublishable(code="secret_key_required")
    if _LIKE_STRIPES.match(exchange.token):
        raise InvalidApiKey(f"Invalid API Key provided: {mask_key(exchange.token)}")
    return version


def _check_account(call: Call, account: str) -> None:
    """Raise StripeError for requests on behalf of any account but the platform itself, which may name itself.

    https://docs.stripe.com/connect/authentication
    """
    row = find(call, RESOURCES["acct_"], account)
    if row is None or not row.is_platform:
        message = (
            f"The provided key does not have access to account '{account[:100]}' (or that account does not exist). "
            "Application access may have been revoked. This twin acts for its own account alone."
        )
        raise StripeError(message, status=403, code="account_invalid")


def _check_parameters(exchange: RequestContext) -> None:
    """Raise StripeError for texts that are too long, which all operations refuse in the same way."""
    bound = exchange.operation.bound
    if given := exchange.parameters.get(bound.body):
        check_texts(given, body_type(bound.contract, bound.body).longest)


def _is_date(text: str) -> bool:
    try:
        return bool(date.fromisoformat(text))
    except ValueError:
        return False


def _idempotency_key(exchange: RequestContext) -> str:
    return exchange.request.headers.get("idempotency-key", "")


def _once(exchange: RequestContext, call: Call, proceed: Callable[[], Any]) -> Response:
    """Replay the stored response of an Idempotency-Key, errors included; invalid parameters are not stored."""
    key = _idempotency_key(exchange)
    if not key or exchange.request.verb != "POST":
        return _answer(exchange, call, proceed)
    if len(key) > MAX_KEY_CHARACTERS:
        message = f"Idempotency keys can be at most {MAX_KEY_CHARACTERS} characters long; this one has {len(key)}."
        raise StripeError(message, kind="idempotency_error")
    asked, at = _digest(exchange), call.clock.unix()
    known = call.db.find(IdempotencyKey, IdempotencyKey.key == key)
    if known and known.created is not None and known.created + KEPT_SECONDS <= at:
        call.db.remove(known)
        known = None
    if known is None:
        answer = _attempt(exchange, call, proceed)
        id: str = call.memo["request"]["id"]
        row = IdempotencyKey(
            key=key,
            request=asked,
            status=answer.status,
            body=answer.body.decode(),
            created=at,
            request_id=id,
            path=exchange.request.path,
        )
        call.db.add(row)
        return answer._replace(headers=(*answer.headers, *_build_idempotency_headers(row)))
    if known.request != asked:
        raise _build_key_reuse_error(known, exchange.request.path)
    return Response(
        known.body.encode(), known.status, headers=(*_build_idempotency_headers(known), ("Idempotent-Replayed", "true"))
    )


def _build_key_reuse_error(known: IdempotencyKey, path: str) -> StripeError:
    """Build the error of a key that belongs to a different request."""
    alike = "with the same parameters they were first used with"
    if known.path and known.path != path:
        alike = f"for the same endpoint they were first used for ('{path}' vs '{known.path}')"
    message = (
        f"Keys for idempotent requests can only be used {alike}. Try using a key other than '{known.key}' if you meant "
        "to execute a different request."
    )
    return StripeError(message, kind="idempotency_error")


def _build_idempotency_headers(row: IdempotencyKey) -> tuple[tuple[str, str], ...]:
    """Return the headers of stored responses: the key and the original request's id."""
    return (("Idempotency-Key", row.key), ("Original-Request", row.request_id))


def _digest(exchange: RequestContext) -> str:
    request = exchange.request
    asked = f"{request.path}\n{request.content_type}\n".encode() + request.body
    return blake2b(asked, digest_size=16).hexdigest()


def _attempt(exchange: RequestContext, call: Call, proceed: Callable[[], Any]) -> Response:
    """Return the response, errors included, so that it can be stored; an error rolls back its changes."""
    try:
        with call.db.savepoint():
            return _answer(exchange, call, proceed)
    except InvalidParameter:
        raise
    except ApiError as error:
        _log(error, call.memo["request"]["id"])
        return exchange.answer(error)


def _answer(exchange: RequestContext, call: Call, proceed: Callable[[], Any]) -> Response:
    value = proceed() if exchange.operation.reads else _run_unit_of_work(call, proceed)
    paths = _paths(exchange)
    if isinstance(value, ApiError):
        _log(value, call.memo["request"]["id"])
    elif paths and isinstance(value, dict):
        value = expand_objects(call, value, paths)
    return exchange.answer(value)


def _run_unit_of_work(call: Call, proceed: Callable[[], Any]) -> Any:
    with written_once(call):
        return proceed()


def _paths(exchange: RequestContext) -> list[str]:
    given: dict[str, Any] = exchange.parameters.get(exchange.operation.bound.body) or {}
    return given.get("expand") or []
