"""Stripe's wire conventions: bracketed form parameters, JSON responses, and errors that name the parameter.

An operation takes its parameters, from query and body alike, as one struct, which rejects unknown names.
https://docs.stripe.com/api/errors
"""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import msgspec

from twindiff.kit.errors import (
    ApiError,
    InternalError,
    InvalidParameter,
    MalformedBody,
    MissingParameter,
    RateLimited,
    Unavailable,
)
from twindiff.kit.forms import MULTIPART, Sparse, read_form, read_query
from twindiff.kit.http import Request, Response, json_answer
from twindiff.kit.styles.base import Style
from twindiff.kit.wire_requests import FORM_TYPE, build_json_request, encode_brackets, fill_path, has_upload

if TYPE_CHECKING:
    from collections.abc import Mapping

    from twindiff.kit.request_context import RequestContext
    from twindiff.kit.twin import Operation

_TOO_MANY = (
    "Request rate limit exceeded. You can learn more about rate limits here https://stripe.com/docs/rate-limits."
)
FREE_FORM = frozenset({"metadata", "currency_options", "payload"})
"""Parameters that are objects with arbitrary keys, including numeric ones."""

NEAR = 0.8
"""Minimum similarity of an unknown parameter to a known one for the error to suggest it."""

_UNKNOWN_FIELD = re.compile(r"Object contains unknown field `(.*)`")
_MISSING_FIELD = re.compile(r"Object missing required field `(.+)`")
_NOT_BELOW = re.compile(r"Expected `int` >= (-?\d+)")
_STEP = re.compile(r"[^.\[\]]+|\[(\d+|\.\.\.)\]")


class StripeError(ApiError):
    """An error of Stripe's API: what is given by name becomes a field of its error object."""

    def __init__(
        self, message: str = "", *, kind: str = "invalid_request_error", status: int = 0, **fields: Any
    ) -> None:
        super().__init__(message)
        self.args = (" ".join(str(self).split("\n")),)
        self.kind = kind
        self.fields = fields
        self.status = status or type(self).status  # pyright: ignore[reportAttributeAccessIssue] - of this one error


class NoApiKey(StripeError):
    """You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth
    (e.g. 'Authorization: Bearer YOUR_SECRET_KEY'). See https://stripe.com/docs/api#authentication for details, or we
    can help at https://support.stripe.com/."""

    status = 401


class InvalidApiKey(StripeError):
    """Invalid API Key provided."""

    status = 401


class StripeRest(Style):
    """REST with form encoding; see the module's docstring."""

    missing_token = NoApiKey
    unknown_token = InvalidApiKey

    def token(self, request: Request) -> str | None:
        """Return the API key from bearer authentication, or the username of basic authentication."""
        basic = request.basic()
        return basic[0] if basic else request.bearer()

    def refuse_token(self, token: str) -> ApiError:
        return InvalidApiKey(f"Invalid API Key provided: {mask_key(token)}") if token else NoApiKey()

    def parameters(self, exchange: RequestContext) -> dict[str, Any]:
        """Return the path parameters, and all others as the fields of one struct."""
        request, bound = exchange.request, exchange.operation.bound
        given = read_query(request.query, (), FREE_FORM) if request.query else {}
        if request.body:
            given.update(self._form(request))
        parameters: dict[str, Any] = dict(exchange.path_parameters)
        if bound.body:
            parameters[bound.body] = given
            for path in _empty(given, []):
                _check_empty(_body_type(exchange), path)
        return parameters

    def build_request(self, operation: Operation, arguments: Mapping[str, Any]) -> Request:
        """Return the request with its parameters in a query or a form, nested ones with brackets."""
        if has_upload(operation):
            return build_json_request(operation, arguments)
        given, verb = dict(arguments), operation.declared.verb
        path = fill_path(operation, given)
        body = given.pop(operation.bound.body, {})
        if not isinstance(body, dict):
            raise InvalidParameter(operation.bound.body, "Expected `object`")
        given |= cast("dict[str, Any]", body)
        if verb != "POST":
            return Request(verb, path, encode_brackets(given))
        return Request(verb, path, headers=FORM_TYPE, body=encode_brackets(given).encode())

    def _form(self, request: Request) -> dict[str, Any]:
        if request.content_type in ("application/json", "text/plain"):
            raise MalformedBody(
                "Invalid request (check that your POST content type is application/x-www-form-urlencoded). If you "
                "have questions, we can help at https://support.stripe.com/."
            )
        if request.content_type == MULTIPART:
            return read_form(request, (), FREE_FORM)
        try:
            return read_query(request.body.decode(), (), FREE_FORM)
        except UnicodeDecodeError:
            raise StripeError("Invalid UTF-8 in the request body") from None

    def error(self, error: ApiError, exchange: RequestContext | None = None) -> Response:
        """Render an error; its details `request_id` and `request_log_url` go to the header and the body."""
        said = {"error": _render_error(error, exchange)}
        request_id = error.details.get("request_id", "")
        headers = [*error.headers]
        if log := error.details.get("request_log_url"):
            said["error"]["request_log_url"] = log
        if request_id:
            headers.append(("Request-Id", request_id))
        return json_answer(said, error.status, tuple(headers))

    def unknown(self, request: Request, verbs: list[str]) -> Response:
        """Render the error of an unrecognized request URL."""
        asked = f"{request.verb}: {request.path}"
        message = (
            f"Unrecognized request URL ({asked}). Please see https://stripe.com/docs or we can help at "
            "https://support.stripe.com/."
        )
        return json_answer({"error": {"message": message, "type": "invalid_request_error"}}, 404)


def mask_key(key: str) -> str:
    """Mask a key as in errors: only its first eight and last four characters are shown."""
    shown = key[:8] if len(key) > 12 else ""
    return f"{shown}{'*' * (len(key) - len(shown) - 4)}{key[-4:]}"


def _render_error(error: ApiError, exchange: RequestContext | None) -> dict[str, Any]:
    if isinstance(error, StripeError):
        fields = {name: value for name, value in error.fields.items() if value is not None}
        if (code := fields.get("code")) and error.fields.get("doc_url", "") is not None:
            fields["doc_url"] = f"https://stripe.com/docs/error-codes/{str(code).replace('_', '-')}"
        return {**fields, "message": str(error), "type": error.kind}
    if isinstance(error, InvalidParameter):
        return _render_error(_to_stripe_error(error, exchange), exchange)
    if isinstance(error, RateLimited):
        return _render_error(StripeError(_TOO_MANY, code="rate_limit"), exchange)
    kind = "api_error" if isinstance(error, InternalError | Unavailable) else "invalid_request_error"
    return {"message": str(error), "type": kind}


def _to_stripe_error(error: InvalidParameter, exchange: RequestContext | None) -> StripeError:
    """Convert a validation error to Stripe's wording."""
    path, body = _path(error.name), exchange.operation.bound.body if exchange else ""
    given, kind = (exchange.parameters.get(body), _body_type(exchange)) if exchange and body else (None, None)
    path = _resolve_wildcards(path, given, kind)
    if isinstance(error, MissingParameter):
        return _missing(path)
    if unknown := _UNKNOWN_FIELD.fullmatch(error.problem):
        return _unknown(unknown[1], path, given, kind)
    if missing := _MISSING_FIELD.fullmatch(error.problem):
        return _missing([*path, missing[1]])
    if kind is None:
        return StripeError(error.problem, param=join_path(path))
    return _misfit(error.problem, path, _value_at(given, path), _type_at(kind, path))


def _body_type(exchange: RequestContext) -> Any:
    return body_type(exchange.operation.bound.contract, exchange.operation.bound.body)


@cache
def body_type(contract: type[msgspec.Struct], body: str) -> Any:
    """Return the struct of an operation's parameters."""
    return next(field.type for field in msgspec.structs.fields(contract) if field.encode_name == body)


def _unknown(name: str, path: list[str], given: Any, kind: Any) -> StripeError:
    """Build the error of all unknown parameters of an object; a single one gets a suggestion."""
    if kind is None:
        return refuse_unknown([join_path([*path, name])])
    fields = _fields_of(_type_at(kind, path))
    unknown = [each for each in cast(dict[str, Any], _value_at(given, path)) if each not in fields]
    near = get_close_matches(unknown[0], fields, 1, NEAR) if len(unknown) == 1 else []
    return refuse_unknown([join_path([*path, each]) for each in unknown], near[0] if near else "")


def refuse_unknown(names: list[str], near: str = "") -> StripeError:
    """Build the error of unknown parameters; `near` is a known one with a similar name."""
    several = "s" if len(names) > 1 else ""
    meant = f". Did you mean {near}?" if near else ""
    message = f"Received unknown parameter{several}: {', '.join(names)}{meant}"
    return StripeError(message, code="parameter_unknown", param=names[0])


def _empty(given: dict[str, Any] | list[Any], path: list[str]) -> Iterator[list[str]]:
    """Yield the paths of empty strings, which unset fields; raises StripeError for lists with gaps."""
    if isinstance(given, Sparse):
        raise _with_gaps(given.keys, path)
    named = given.items() if isinstance(given, dict) else ((str(n), each) for n, each in enumerate(given))
    for name, value in named:
        if value == "":
            yield [*path, name]
        elif isinstance(value, dict | list) and name not in FREE_FORM:
            yield from _empty(cast("dict[str, Any] | list[Any]", value), [*path, name])


def _with_gaps(keys: list[str], path: list[str]) -> StripeError:
    expected = next(str(at) for at, key in enumerate([*keys, ""]) if key != str(at))
    passed = ", ".join(f"`{key}`" for key in keys)
    message = (
        "If passing an array with explicit keys (e.g. foo[0]=a&foo[1]=b) instead of as an array (e.g. "
        f"foo[]=a&foo[]=b), the keys must be numeric and sequential starting from 0. You passed the keys {passed}, we "
        f"expected to have a key with the value `{expected}`."
    )
    return StripeError(message, param=join_path(path))


def _check_empty(kind: Any, path: list[str]) -> None:
    """Raise StripeError for an empty string where the field cannot be unset."""
    hint = _fields_of(_type_at(kind, path[:-1])).get(path[-1])
    members = _members(hint)
    can_be_unset = (str in members and msgspec.UnsetType in members) or any(
        "" in typing.get_args(each) for each in members
    )
    if hint is None or path[-1] in FREE_FORM or can_be_unset:
        return
    raise _cannot_be_unset(path)


def _cannot_be_unset(path: list[str]) -> StripeError:
    name = join_path(path)
    message = (
        f"You passed an empty string for '{name}'. We assume empty values are an attempt to unset a parameter; however "
        f"'{name}' cannot be unset. You should remove '{name}' from your request or supply a non-empty value."
    )
    return StripeError(message, code="parameter_invalid_empty", param=name)


def _missing(path: list[str]) -> StripeError:
    name = join_path(path)
    return StripeError(f"Missing required param: {name}.", code="parameter_missing", param=name)


def _misfit(problem: str, path: list[str], value: Any, hint: Any) -> StripeError:
    """Build the error of a value of the wrong type."""
    name = join_path(path)
    if least := _NOT_BELOW.fullmatch(problem):
        message = f"This value must be greater than or equal to {least[1]}."
        return StripeError(message, code="parameter_invalid_integer", param=name)
    if isinstance(value, str):
        return _unreadable(problem, path, value, hint)
    if isinstance(value, dict | list) and "Expected `str" in problem:
        return StripeError("Invalid string: " + _inspect(value), param=name)
    if isinstance(value, dict) and "Expected `array" in problem:
        return StripeError("Invalid array", param=name)
    return StripeError("Invalid object" if "object" in problem else f"Invalid value: {problem}", param=name)


def _unreadable(problem: str, path: list[str], value: str, hint: Any) -> StripeError:
    """Build the error of a string that cannot be parsed."""
    name = join_path(path)
    if value == "" and "length" in problem:
        return _cannot_be_unset(path)
    if choices := _choices(hint):
        return StripeError(f"Invalid {name}: must be one of {join_choices(choices)}", param=name)
    if any(typing.get_origin(each) is list for each in _members(hint)):
        return StripeError("Invalid array", param=name)
    if "`object" in problem or "enum" in problem:
        return StripeError("Invalid object", param=name)
    if "`int" in problem:
        return StripeError(f"Invalid integer: {value}", code="parameter_invalid_integer", param=name)
    if "`bool" in problem:
        return StripeError(f"Invalid boolean: {value}", param=name)
    if "`float" in problem:
        return StripeError(f"Invalid decimal: {value}", param=name)
    return StripeError(f"Invalid value: {problem}", param=name)


def join_choices(choices: Sequence[str]) -> str:
    """Join choices in Stripe's wording: `a or b`, `a, b, or c`."""
    *most, last = choices
    return " or ".join(choices) if len(choices) < 3 else f"{', '.join(most)}, or {last}"


def _inspect(value: Any) -> str:
    return msgspec.json.encode(value).decode()[:500]


def join_path(path: list[str]) -> str:
    """Format a path: `["items", "0", "price"]` becomes `items[0][price]`."""
    return path[0] + "".join(f"[{name}]" for name in path[1:]) if path else ""


def _path(name: str) -> list[str]:
    """Parse msgspec's path format `items[0].price`."""
    return [step[1] or step[0] for step in _STEP.finditer(name)]


def _resolve_wildcards(path: list[str], given: Any, hint: Any) -> list[str]:
    """Replace `...`, msgspec's wildcard for arbitrary keys, by the key whose value is invalid."""
    for at, name in enumerate(path):
        if name == "...":
            values = cast(dict[str, Any], _value_at(given, path[:at]) or {})
            kind = _type_at(hint, path[: at + 1])
            path = [*path[:at], next((key for key in values if not _fits(values[key], kind)), name), *path[at + 1 :]]
    return path


def _fits(value: Any, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind, strict=False)
    except msgspec.ValidationError:
        return False
    return True


def _value_at(value: Any, path: list[str]) -> Any:
    part = value
    for name in path:
        if isinstance(part, dict):
            part = cast(dict[str, Any], part).get(name)
        elif isinstance(part, list) and name.isdecimal():
            part = dict(enumerate(cast(list[Any], part))).get(int(name))
        else:
            return None
    return cast(Any, part)


def _members(hint: Any) -> list[Any]:
    """Return the member types of a union, or the type itself."""
    if metadata := getattr(hint, "__metadata__", None):
        return _members(hint.__origin__) if metadata else []
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return [member for part in typing.get_args(hint) for member in _members(part)]
    return [hint]


def _type_at(hint: Any, path: list[str]) -> Any:
    """Return the type at a path within a type."""
    for name in path:
        inner = [typing.get_args(each)[-1] for each in _members(hint) if typing.get_origin(each) in (list, dict)]
        hint = _fields_of(hint).get(name) or (inner[0] if inner else None)
    return hint


def _fields_of(hint: Any) -> dict[str, Any]:
    """Return the field types of a struct by name; empty for other types."""
    structs = [each for each in _members(hint) if isinstance(each, type) and issubclass(each, msgspec.Struct)]
    return {field.encode_name: field.type for each in structs for field in msgspec.structs.fields(each)}


def _choices(hint: Any) -> list[str]:
    """Return the literal strings that a type consists of, or an empty list if it admits anything else."""
    members = [each for each in _members(hint) if each not in (msgspec.UnsetType, type(None))]
    if not all(typing.get_origin(each) is typing.Literal for each in members):
        return []
    return [str(choice) for each in members for choice in typing.get_args(each) if choice != ""]
