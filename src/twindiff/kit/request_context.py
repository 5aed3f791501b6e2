"""The context of a request to a twin, which middleware, handlers and styles share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .call import Call
from .errors import ApiError, NotServed
from .http import Request, Response, ValueResponse

if TYPE_CHECKING:
    from .limits import Meter
    from .styles.base import Style
    from .twin import Operation


class RequestContext:
    """A request with its operation; attributes are set as they become known.

    `parameters` are raw, by wire name; `is_read` is whether they have been parsed, and `unreadable` is the error if
    parsing failed. `actor` is the id of the user that `token` acts as. `strict` is whether unknown tokens are refused.
    `meter` counts recent requests for rate limits.
    """

    __slots__ = (
        "actor",
        "base_url",
        "is_read",
        "meter",
        "operation",
        "parameters",
        "path_parameters",
        "request",
        "strict",
        "style",
        "token",
        "unreadable",
    )

    def __init__(
        self,
        style: Style,
        request: Request,
        operation: Operation,
        path_parameters: dict[str, str] | None = None,
        base_url: str = "",
    ) -> None:
        self.style = style
        self.request = request
        self.operation = operation
        self.path_parameters = path_parameters or {}
        self.base_url = base_url
        self.parameters: dict[str, Any] = {}
        self.is_read = False
        self.unreadable: ApiError | None = None
        self.token = ""
        self.actor = ""
        self.strict = False
        self.meter: Meter | None = None

    def answer(self, value: Any) -> Response:
        """Render the return value of a handler or a middleware in the vendor's format.

        A Response stays as it is, a ValueResponse adds its status and headers, and an ApiError becomes its response.
        """
        if isinstance(value, Response):
            return value
        if isinstance(value, ApiError):
            return self.style.error(value, self)
        if isinstance(value, ValueResponse):
            answer = self.answer(value.value)
            return answer._replace(status=value.status or answer.status, headers=(*answer.headers, *value.headers))
        return self.style.result(value, self)

    def answer_inner(
        self, call: Call, request: Request, operation: Operation, path_parameters: dict[str, str]
    ) -> Response:
        """Answer a request that the body of this one contains, for the same user; if it is refused, it alone is undone.

        Raises NotServed.
        """
        inner = RequestContext(self.style, request, operation, path_parameters, self.base_url)
        inner.token, inner.actor, inner.strict = self.token, self.actor, self.strict
        try:
            inner.parameters = self.style.parameters(inner)
            with call.db.savepoint():
                return inner.answer(operation.run(inner, call))
        except NotServed:
            raise
        except ApiError as error:
            return self.style.error(error, inner)


Middleware = Callable[[RequestContext, Call, Callable[[], Any]], Any]
"""A middleware around a handler, inside its transaction: `layer(exchange, call, proceed)` returns the result of
`proceed()`, or another value instead of it. Returning commits; an ApiError that it raises rolls back all writes."""

Run = Callable[[RequestContext, Call], Any]


def compose(layers: tuple[Middleware, ...], invoke: Callable[[Any, Any], Any]) -> Run:
    """Wrap a handler in middleware, the first one outermost; returns a function of the exchange and the call."""

    run: Run = _innermost(invoke)
    for layer in reversed(layers):
        run = _around(layer, run)
    return run


def _innermost(invoke: Callable[[Any, Any], Any]) -> Run:
    def run(exchange: RequestContext, call: Call) -> Any:
        return invoke(call, exchange.parameters)

    return run


def _around(layer: Middleware, inner: Run) -> Run:
    def run(exchange: RequestContext, call: Call) -> Any:
        return layer(exchange, call, lambda: inner(exchange, call))

    return run
