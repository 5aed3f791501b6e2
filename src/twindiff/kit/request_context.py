"""One request to a twin, read once: what was asked, of which operation, and by whom."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .call import Call
from .errors import ApiError
from .http import Request, Response, ValueResponse

if TYPE_CHECKING:
    from .limits import Meter
    from .styles.base import Style
    from .twin import Operation


class Exchange:
    """A request on its way through layers, handler and style; each part is filled in when it becomes known.

    `parameters` are raw, by wire name; `unreadable` is the refusal of a request that has none because it cannot be
    read. `strict` says whether tokens are taken seriously; `meter` counts what was asked for of late.
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
        """What a handler or a layer returned, in the vendor's form; an ApiError that was returned is its error."""
        if isinstance(value, Response):
            return value
        if isinstance(value, ApiError):
            return self.style.error(value, self)
        if isinstance(value, ValueResponse):
            answer = self.answer(value.value)
            return answer._replace(status=value.status or answer.status, headers=(*answer.headers, *value.headers))
        return self.style.result(value, self)


Layer = Callable[[Exchange, Call, Callable[[], Any]], Any]
"""Runs around a handler, inside its transaction: `layer(exchange, call, proceed)` returns what `proceed()` gave, or
something else in its place. What it returns is committed, an ApiError that it raises undoes all that was written."""

Run = Callable[[Exchange, Call], Any]


def compose(layers: tuple[Layer, ...], invoke: Callable[[Any, Any], Any]) -> Run:
    """A handler with its layers around it, the first one outermost; without any it costs nothing."""

    run: Run = _innermost(invoke)
    for layer in reversed(layers):
        run = _around(layer, run)
    return run


def _innermost(invoke: Callable[[Any, Any], Any]) -> Run:
    def run(exchange: Exchange, call: Call) -> Any:
        return invoke(call, exchange.parameters)

    return run


def _around(layer: Layer, inner: Run) -> Run:
    def run(exchange: Exchange, call: Call) -> Any:
        return layer(exchange, call, lambda: inner(exchange, call))

    return run
