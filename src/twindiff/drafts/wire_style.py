"""The wire style of a drafted twin: tokens and errors as its description shows them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, cast

import msgspec

from twindiff.kit.binding import Bound
from twindiff.kit.clock import Clock
from twindiff.kit.errors import ApiError, InvalidParameter, MalformedBody
from twindiff.kit.forms import MULTIPART, URLENCODED
from twindiff.kit.http import Request, Response, json_answer
from twindiff.kit.json_values import read_json
from twindiff.kit.request_context import RequestContext
from twindiff.kit.styles.base import Style

from .documents import LEARNT, ApiDescription, OperationDescription, Schema
from .names import snake
from .overlay import ErrorOverlay
from .placeholders import fill_placeholders, value_at
from .schemas import SchemaSet
from .values import ValueMaker

DRAFTED_HEADER = "X-Twindiff-Drafted"
_MESSAGES = frozenset(
    ["message", "error_message", "detail", "description", "title", "reason", "msg", "error_description", "text"]
)
_CODES = frozenset(["code", "error", "error_code", "type", "status_code", "name", "error_type", "key"])


class VerbNotDescribed(ApiError):
    """The path does not have this method."""

    status, code = 405, "method_not_allowed"


class PathNotDescribed(ApiError):
    """The API does not have this path."""

    status, code = 404, "not_found"


class DraftStyle(Style):
    """Parses requests and shows errors in the envelope that most of the description's refusals have."""

    is_whole = False
    """Whether the API has only the paths of the description; otherwise the vendor may have others."""

    def __init__(self, description: ApiDescription, schemas: SchemaSet, errors: ErrorOverlay | None = None) -> None:
        self._schemas, self._declared = schemas, errors or ErrorOverlay()
        self._maker = ValueMaker(schemas)
        self._operations = {operation.name: operation for operation in description.operations}
        self._usual = _usual_refusal(description.operations)
        self._is_learnt = description.document.get(LEARNT) is True
        self._keys = {
            place: str(scheme.get("name", ""))
            for scheme in description.security
            if scheme.get("type") == "apiKey" and (place := str(scheme.get("in", "")))
        }

    def token(self, request: Request) -> str | None:
        """The token of a request by any of the description's schemes: a header, the query, or basic authentication."""
        header = self._keys.get("header", "").lower()
        if header and header != "authorization" and header in request.headers:
            return request.headers[header]
        if "query" in self._keys and (given := request.query_parameters().get(self._keys["query"])):
            return str(given)
        basic = request.basic()
        if basic:
            return basic[1] or basic[0]
        value = request.bearer()
        return value.removeprefix("Bot ").strip() if value else value

    def parameters(self, exchange: RequestContext) -> dict[str, Any]:
        """Raw parameters by wire name, which may have brackets: `filter[status]`."""
        given = super().parameters(exchange)
        for name in exchange.operation.bound.names:
            if "[" in name and name not in given:
                inner = value_at(given, name.replace("]", "").replace("[", "."))
                given |= {} if inner is None else {name: inner}
        return given

    def body(self, request: Request) -> Any:
        """The body as JSON, which may also be a list."""
        try:
            return read_json(request.body)
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise MalformedBody(f"The body is not valid JSON: {error}") from None

    def _given_in_body(self, request: Request, bound: Bound) -> dict[str, Any]:
        """The parameters in a body; raises MalformedBody for JSON that has no names, where they are wanted."""
        if bound.body or not request.body or request.content_type in (URLENCODED, MULTIPART):
            return super()._given_in_body(request, bound)
        value = self.body(request)
        if value is not None and not isinstance(value, dict):
            raise MalformedBody("The body must be a JSON object.")
        return cast(dict[str, Any], value or {})

    def error(self, error: ApiError, exchange: RequestContext | None = None) -> Response:
        """The error in the envelope of the operation's description."""
        operation = self._operations.get(exchange.operation.name) if exchange else None
        status = self._status_of(error, operation)
        declared = _first_of(self._declared.bodies, error, status) or self._declared.body
        error = self._translate(error, status)
        body = None if declared is None else _fill_body(declared, error, status)
        if body is not None and (not self._declared.described or self._fits_refusal(operation, status, body)):
            return json_answer(body, status, (*error.headers, (DRAFTED_HEADER, "refused")))
        return self._error_by_schema(error, operation, status)

    def unknown(self, request: Request, verbs: list[str]) -> Response:
        """The response for a request without an operation; `verbs` are those of its path.

        A described path answers OPTIONS, and other methods with 405. A path that is not described is not found, or may
        be the vendor's all the same if the description is not the whole API. A description that was learnt from
        recordings is never the whole API, neither of paths nor of methods.
        """
        if self._is_learnt or not (self._is_described(request.path) if verbs else self.is_whole):
            return super().unknown(request, verbs)
        if not verbs:
            return self.error(PathNotDescribed(f"There is no path {request.path}"))
        allowed = ", ".join(sorted({*verbs, "OPTIONS", *(["HEAD"] if "GET" in verbs else [])}))
        if request.verb == "OPTIONS":
            return Response(b"", 204, headers=(("Allow", allowed),))
        said = f"{request.verb} is not allowed; {allowed} are"
        return self.error(VerbNotDescribed(said, headers=(("Allow", allowed),)))

    def _is_described(self, path: str) -> bool:
        """Return whether a path of the description has the form of one."""
        described = {operation.path for operation in self._operations.values()}
        shapes = (re.sub(r"\\{\w+\\}", "[^/]+", re.escape(each.strip("/"))) for each in described)
        return any(re.fullmatch(shape, path.strip("/")) for shape in shapes)

    def error_in(self, body: Any, error: ApiError, exchange: RequestContext | None) -> Response:
        """The error with a body, or as the description has it where it describes another for the operation."""
        operation = self._operations.get(exchange.operation.name) if exchange else None
        if self._fits_refusal(operation, error.status, body):
            return json_answer(body, error.status, (*error.headers, (DRAFTED_HEADER, "refused")))
        return self._error_by_schema(error, operation, error.status)

    def _fits_refusal(self, operation: OperationDescription | None, status: int, body: Any) -> bool:
        """Return whether a body is one that the description has for a refusal of an operation."""
        schema = _refusal_of(operation, status)
        return schema is None or self._schemas.fits(schema, body)

    def _error_by_schema(self, error: ApiError, operation: OperationDescription | None, status: int) -> Response:
        schema = _refusal_of(operation, status) or self._usual
        if schema is None:
            return json_answer({"error": error.code, "message": str(error)}, status, error.headers)
        body = self._fill(schema, error, status, 0)
        if not self._schemas.fits(schema, body):
            whole: dict[str, Any] = self._maker.make(schema, "", "error", Clock(0))
            body = {**whole, **(cast(dict[str, Any], body) if isinstance(body, dict) else {})}
        return json_answer(body, status, (*error.headers, (DRAFTED_HEADER, "refused")))

    def _status_of(self, error: ApiError, operation: OperationDescription | None) -> int:
        """Return the status of an error: the overlay's; invalid input else has the described one, 400 or 422."""
        if isinstance(error.details.get("status"), int):
            return error.details["status"]
        declared = _first_of(self._declared.statuses, error, error.status)
        if declared:
            return declared
        if operation and error.status == 400 and "400" not in operation.responses and "422" in operation.responses:
            return 422
        return error.status

    def _translate(self, error: ApiError, status: int) -> ApiError:
        """Return an error with the overlay's code and message."""
        kind = str(error.details.get("kind") or "").replace(" ", "_")
        codes = (
            error.details.get("code") or None,
            self._declared.kinds.get(kind),
            _first_of(self._declared.codes, error, status),
        )
        code = next((each for each in codes if each is not None), None)
        message = _first_of(self._declared.messages, error, status)
        if code is None and not message:
            return error
        values = {"message": str(error), **_values_of(error)}
        text = str(fill_placeholders(message, values.get)) if message else str(error)
        return _Translated(error, error.code if code is None else code, text)

    def _fill(self, schema: Schema, error: ApiError, status: int, depth: int) -> Any:
        """Return a schema of errors filled by the names of its fields."""
        if depth > 4:
            return {}
        kind = self._schemas.type_of(schema)
        if kind == "array":
            return [self._fill(self._schemas.items(schema), error, status, depth + 1)]
        if kind not in ("object", ""):
            return str(error) if kind == "string" else status if kind == "integer" else None
        filled: dict[str, Any] = {}
        required = self._schemas.required_fields(schema)
        for name, inner in self._schemas.properties(schema).items():
            value = self._fill_one(snake(name), inner, error, status, depth)
            if value is None and name in required:
                value = self._maker.make(inner, name, name, Clock(0))
            if value is not None and self._schemas.fits(inner, value):
                filled[name] = value
        return filled

    def _fill_one(self, name: str, schema: Schema, error: ApiError, status: int, depth: int) -> Any:
        kind = self._schemas.type_of(schema)
        if kind in ("object", "array") and name in (
            "error",
            "errors",
            "fault",
            "details",
            "messages",
            "error_messages",
            "source",
        ):
            return self._fill(schema, error, status, depth + 1)
        if name in _MESSAGES and kind in ("string", ""):
            return str(error)
        if name in ("status", "status_code", "http_status"):
            return status if kind in ("integer", "number") else str(status)
        if name in _CODES:
            return status if kind in ("integer", "number") else error.code if kind in ("string", "") else None
        if name in ("field", "parameter", "param", "path") and kind == "string":
            return _field_of(error)
        if name == "pointer" and kind == "string" and (field := _field_of(error)):
            return "/" + field.replace(".", "/")
        return None


class _Translated(ApiError):
    """An error with a code and a message of the overlay's."""

    def __init__(self, error: ApiError, code: Any, message: str) -> None:
        super().__init__(message, **{"name": _field_of(error), **error.details})
        self.code = code  # pyright: ignore[reportAttributeAccessIssue] - the code of this error only
        self.status = error.status  # pyright: ignore[reportAttributeAccessIssue]


def _first_of(declared: Mapping[str, Any], error: ApiError, status: int) -> Any:
    """Return what an overlay says of an error by its code, or else by our status or the vendor's."""
    given = (declared.get(error.code), declared.get(str(error.status)), declared.get(str(status)))
    return next((each for each in given if each is not None), None)


def _field_of(error: ApiError) -> str | None:
    name = error.name if isinstance(error, InvalidParameter) else error.details.get("name")
    return str(name) if name else None


def _values_of(error: ApiError) -> dict[str, Any]:
    key: Any = error.details.get("key", ())
    return {
        "code": error.code,
        "field": _field_of(error),
        "kind": error.details.get("kind"),
        "Kind": str(error.details.get("kind") or "").title(),
        "key": ",".join(map(str, cast(tuple[Any, ...], key))) if isinstance(key, tuple) else key,
        "problem": error.problem if isinstance(error, InvalidParameter) else str(error),
    }


def _fill_body(template: Any, error: ApiError, status: int) -> Any:
    values = {"message": str(error), "status": status, **_values_of(error)}
    return fill_placeholders(template, values.get)


def _refusal_of(operation: OperationDescription | None, status: int) -> Schema | None:
    if operation is None:
        return None
    for code in (str(status), f"{status // 100}XX", f"{status // 100}xx", "default"):
        if code in operation.responses and operation.responses[code].schema:
            return operation.responses[code].schema
    return None


def _usual_refusal(operations: Iterable[OperationDescription]) -> Schema | None:
    """Return the schema that most refusals of a description have; None if there are none."""
    seen: Counter[str] = Counter()
    schemas: dict[str, Schema] = {}
    for operation in operations:
        for code, response in operation.responses.items():
            if response.schema and (code[:1] in "45" or code == "default"):
                name = cast(str, response.schema.get("$ref")) or repr(sorted(response.schema))
                seen[name] += 1
                schemas.setdefault(name, response.schema)
    return schemas[seen.most_common(1)[0][0]] if seen else None
