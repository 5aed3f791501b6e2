"""JSON with camelCase names; an error is `{"detail": text, "error": code}`."""

from __future__ import annotations

import json
import re
from collections import Counter
from math import isfinite
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from twindiff.kit.errors import ApiError, InvalidParameter, MalformedBody
from twindiff.kit.http import Request, Response, json_answer
from twindiff.kit.request_context import RequestContext
from twindiff.kit.styles.base import Style
from twindiff.kit.twin import Operation
from twindiff.server.unknown_fields import refuse_unknown_fields

MAX_INTEGER_CHARACTERS = len(str(-(2**63)))
_HALF_A_LETTER = re.compile(r"\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]")
"""Matches a possible escape of an unpaired surrogate."""


class InvalidJson(ApiError):
    """invalid json"""


class PathNotFound(ApiError):
    """Not Found"""

    code = "not_found"
    status = 404


class MethodNotAllowed(ApiError):
    """Method Not Allowed"""

    status = 405


class PlatformStyle(Style):
    """Rejects duplicate and unknown names, so that mistakes do not pass unnoticed."""

    naming = "camel"

    def parameters(self, exchange: RequestContext) -> dict[str, Any]:
        request = exchange.request
        given = _query(request.query) if request.query else {}
        if _takes_file(exchange.operation):
            given["file"] = request.body
        elif request.body:
            given.update(_json_object(request.body))
        refuse_unknown_fields(given, fields_of(exchange.operation))
        given.update(exchange.path_parameters)
        return given

    def result(self, value: Any, exchange: RequestContext) -> Response:
        return json_answer(value, exchange.operation.declared.status)

    def error(self, error: ApiError, exchange: RequestContext | None = None) -> Response:
        code, detail = error.code, str(error)
        if isinstance(error, InvalidParameter):
            code, detail = "validation_error", f"validation error: {error}"
        headers = tuple(error.details.get("headers", ()))
        return json_answer({"detail": detail, "error": code}, error.status, headers)

    def unknown(self, request: Request, verbs: list[str]) -> Response:
        given = f"{request.verb} {request.path}"
        if not verbs:
            return self.error(PathNotFound(f"Not Found: {given}"))
        allowed = ", ".join(verbs)
        return self.error(
            MethodNotAllowed(f"Method Not Allowed: {given}; use {allowed}", headers=(("Allow", allowed),))
        )


def fields_of(operation: Operation) -> list[str]:
    """The names allowed in the query or the body: all parameters but those in the path and in headers."""
    apart = {*operation.placeholders, *(name for name, _ in operation.bound.headers)}
    return [name for name in operation.bound.names if name not in apart]


def _takes_file(operation: Operation) -> bool:
    """Whether the body is passed to the operation as a file."""
    return operation.bound.contract.__annotations__.get("file") is bytes


def _query(query: str) -> dict[str, Any]:
    try:
        return _unique(parse_qsl(query, keep_blank_values=True))
    except ValueError as error:
        raise InvalidParameter("", f"the query cannot be read: {error}") from None


def _json_object(body: bytes) -> dict[str, Any]:
    try:
        text = body.decode()
        if _HALF_A_LETTER.search(text):
            msgspec.json.decode(body)  # which raises if it is one
        # The hooks are Python functions, so in a thread the decoder releases the interpreter lock now and then.
        value = json.loads(
            text, object_pairs_hook=_unique, parse_int=_integer, parse_float=_finite, parse_constant=_finite
        )
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise InvalidJson(f"invalid json: {error}") from None
    if not isinstance(value, dict):
        raise MalformedBody("validation error: the body must be a JSON object")
    return value  # pyright: ignore[reportUnknownVariableType] - JSON's edge


def _integer(text: str) -> int:
    """Parse an integer of 64 bits, which every part of the system can hold; raises ValueError beyond."""
    value = int(text) if len(text) <= MAX_INTEGER_CHARACTERS else 2**64
    if not -(2**63) <= value < 2**63:
        raise ValueError(f"the integer {text[:MAX_INTEGER_CHARACTERS]} is out of range")
    return value


def _finite(text: str) -> float:
    """Parse a finite number, which JSON can represent; raises ValueError otherwise."""
    value = float(text)
    if not isfinite(value):
        raise ValueError(f"the number {text[:MAX_INTEGER_CHARACTERS]} is out of range")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        times = Counter(name for name, _ in pairs)
        twice = next(name for name in times if times[name] > 1)
        raise ValueError(f"the key '{twice}' is given twice")
    return members
