"""A GraphQL twin: one endpoint at every path below it, one operation of the journal per document."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from twindiff.kit.binding import Bound
from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError, MalformedBody, MissingOperation
from twindiff.kit.http import Response, json_answer
from twindiff.kit.request_context import Exchange, Layer, compose
from twindiff.kit.rows import Row
from twindiff.kit.styles.base import Style, json_object
from twindiff.kit.twin import LONG_BODY, Declared, Dispatch, Found, Operation, Operations, Twin

from . import entity_operations as verbs
from .errors import InvalidDocument, NotImplementedHere
from .execution import Api, CompiledOperation, ExecutionError, ExecutionResult, plan_key
from .limits import RequestLimits, check_variables
from .model import EntityModel, Tells
from .run import GraphqlRun

BODY_LIMIT = 8_000_000
"""Bodies are read up to this size, so that one that is too long is refused in the vendor's shape."""
MAX_BODY_BYTES = 1_000_000
SHORT_BODY = 1_500
"""Bytes of a body that hold nothing large."""
SHORT_TEXT = 1_500
"""Characters of a document that compiles within few milliseconds."""
MANY_VALUES = 100
"""Names with values in a body, from which on to look at them takes as long as to answer."""
_ASKS_SCHEMA = re.compile(rb"__(?:schema|type)\b")
_READING = ("GET", "HEAD")
_ENDPOINT = "/graphql"
_ASKED = "asked"
_PAGE = Path(__file__).with_name("page.html")
_OUR_PAGE = (
    ("Content-Disposition", "inline"),
    (
        "Content-Security-Policy",
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'",
    ),
)
"""Headers of a page that is ours and holds nothing of a vendor's, which a browser may show and run."""


class _Nothing(msgspec.Struct):
    """The contract of an operation whose parameters are its document's business."""


class GraphqlRequest(msgspec.Struct):
    """The body of a request, as every GraphQL client sends it."""

    query: str | None = None
    variables: dict[str, Any] | None = None
    operationName: str | None = None  # noqa: N815 - the wire's name
    extensions: Any = None


class GraphqlStyle(Style):
    """GraphQL over HTTP. A vendor's style says more of errors: `extensions`, `message` and `headers`."""

    limits = RequestLimits()
    invalid_status = 400
    """The status of a document that cannot be parsed or does not fit the schema."""

    def extensions(self, error: Exception) -> dict[str, Any]:
        """What stands beside an error's message."""
        return {"code": _code(error).upper()}

    def message(self, error: Exception) -> str:
        return getattr(error, "message", None) or str(error)

    def headers(self, outcome: ExecutionResult) -> tuple[tuple[str, str], ...]:
        """Headers of an answer, such as rate limits and complexity."""
        return ()

    def extras(self, run: GraphqlRun) -> dict[str, Any]:
        """What every payload carries besides its entity."""
        return {"success": True}

    def problem(self, problem: ExecutionError) -> dict[str, Any]:
        """One entry of `errors`."""
        entry: dict[str, Any] = {"message": self.message(problem.error)}
        if problem.locations:
            entry["locations"] = [{"line": each.line, "column": each.column} for each in problem.locations]
        if problem.path:
            entry["path"] = list(problem.path)
        return {**entry, "extensions": self.extensions(problem.error)}

    def outcome(self, outcome: ExecutionResult) -> Response:
        value: dict[str, Any] = {"data": outcome.data}
        if outcome.problems:
            value["errors"] = [self.problem(each) for each in outcome.problems]
        answer = json_answer(value, headers=self.headers(outcome))
        return answer._replace(error=_code(outcome.problems[0].error)) if outcome.problems else answer

    def error(self, error: ApiError, exchange: Exchange | None = None) -> Response:
        if isinstance(error, InvalidDocument):
            problems = [ExecutionError(each, (), tuple(each.locations or ())) for each in error.errors]
            return json_answer({"errors": [self.problem(each) for each in problems]}, self.invalid_status)
        return json_answer({"errors": [self.problem(ExecutionError(error))]}, error.status)

    def parameters(self, exchange: Exchange) -> dict[str, Any]:
        return {}


def _code(error: Exception) -> str:
    return error.code if isinstance(error, ApiError) else "graphql_validation_failed"


class GraphqlEndpoint(Dispatch):
    """Answers GET and POST at every path; what an operation is called and whether it writes, its document says.

    `pages` are what the vendor answers beside its GraphQL, at paths of their own.
    """

    def __init__(
        self, style: GraphqlStyle, api: Api, layers: Sequence[Layer] = (), pages: Sequence[Operations] = ()
    ) -> None:
        super().__init__(style, pages, layers)
        self.graphql = style
        self.api = api

    def find(self, verb: str, path: str) -> Found | None:
        """A GET is for people, whose browsers bring no token; it gives them a page to ask from."""
        if path != _ENDPOINT and (beside := super().find(verb, path)):
            return beside
        if verb in _READING:
            return Found(self._operation("GET page", _page, reads=True, open=True), {})
        return Found(self._operation("graphql", _page, reads=True), {}) if verb == "POST" else None

    def verbs(self, path: str) -> list[str]:
        return ["GET", "POST"]

    @property
    def operations(self) -> list[Operation]:
        """One for each root field, then those of the pages."""
        schema = self.api.schema
        roots = [("query", schema.query_type), ("mutation", schema.mutation_type)]
        fields = [
            self._operation(f"{kind} {name}", _page, reads=kind == "query")
            for kind, root in roots
            for name in (root.fields if root else ())
        ]
        return [*fields, *super().operations]

    def _operation(self, name: str, invoke: Callable[[Any, Any], Any], *, reads: bool, open: bool = False) -> Operation:
        declared = Declared("GET" if open else "POST", _ENDPOINT, invoke, reads, "", 200, BODY_LIMIT, open)
        return Operation(name, declared, Bound(invoke, _Nothing, frozenset(), Response), compose(self._layers, invoke))

    def select_operation(self, exchange: Exchange) -> Operation:
        """The operation that the document in a request means, with the document compiled."""
        asked = _read_once(exchange)
        variables = asked.variables or {}
        check_variables(variables, self.api.limits)
        plan = self.api.plan(asked.query or "", asked.operationName, variables)
        kind = "mutation" if plan.writes else "query"
        name = f"{kind} {', '.join(dict.fromkeys(plan.names))}"[:200]
        invoke = self._missing(plan) if plan.missing else self._run(plan, variables, asked.operationName)
        return self._operation(name, invoke, reads=not plan.writes or bool(plan.missing))

    def takes_long(self, exchange: Exchange) -> bool:
        """Whether a document takes long to compile, or to answer; what cannot be read is refused quickly."""
        try:
            asked = _read_once(exchange)
        except ApiError:
            return False
        body, text, variables = exchange.request.body, asked.query or "", asked.variables or {}
        if "__" in text and _ASKS_SCHEMA.search(body):
            return not self.api.introspections.knows(text, asked.operationName, variables)
        is_new = plan_key(text, asked.operationName, variables) not in self.api.plans
        return body.count(b":") > MANY_VALUES or (is_new and len(text) > SHORT_TEXT)

    def _run(
        self, plan: CompiledOperation, variables: dict[str, Any], operation_name: str | None
    ) -> Callable[[Call, Any], Response]:
        def run(call: Call, raw: Any) -> Response:
            return self.graphql.outcome(self.api.execute(plan, call, variables, operation_name))

        return run

    def _missing(self, plan: CompiledOperation) -> Callable[[Call, Any], Response]:
        problems = [ExecutionError(NotImplementedHere(f"'{name}'"), (name,)) for name in plan.missing]

        def refuse(call: Call, raw: Any) -> Response:
            return self.graphql.outcome(ExecutionResult(None, problems, 0))._replace(error=MissingOperation.code)

        return refuse


def _page(call: Call, raw: Any) -> Response:
    return Response(_PAGE.read_bytes(), content_type="text/html; charset=utf-8", headers=_OUR_PAGE)


def _read_once(exchange: Exchange) -> GraphqlRequest:
    """What the body of a request asks for, which is read once."""
    asked = exchange.parameters.get(_ASKED)
    if asked is None:
        asked = exchange.parameters[_ASKED] = _read(exchange.request.body)
    return asked


def _read(body: bytes) -> GraphqlRequest:
    if len(body) > MAX_BODY_BYTES:
        raise MalformedBody(f"The body is larger than {MAX_BODY_BYTES:,} bytes")
    try:
        asked = msgspec.convert(json_object(body), GraphqlRequest)
    except msgspec.ValidationError as error:
        raise MalformedBody(f"The request is not a GraphQL request: {error}") from None
    if not asked.query:
        raise MalformedBody("The request has no query")
    return asked


def modules_of(package: str) -> list[ModuleType]:
    """The modules of a package by name, those of its own packages left out: a twin's declarations and behaviour."""
    modules = pkgutil.iter_modules(import_module(package).__path__)
    return [import_module(f"{package}.{each.name}") for each in sorted(modules) if not each.ispkg]


class GraphqlTwin(Twin):
    """A twin whose API is generated from the declarations in `modules`.

    `payload` are the fields of every mutation's payload besides its entity. `missing` are root fields that the vendor
    has and the twin lacks: they are answered as not implemented, unknown ones as errors of validation.
    `tells` notes events of rows that the plain verbs made, changed or deleted. `pages` are what it answers beside.
    Further options are those of any twin.
    """

    def __init__(
        self,
        name: str,
        style: GraphqlStyle,
        *modules: ModuleType,
        tables: Sequence[type[Row]] = (),
        pages: Sequence[Operations] = (),
        payload: str = "success:Boolean!",
        missing: Iterable[str] = (),
        layers: Sequence[Layer] = (),
        tells: Tells | None = None,
        **options: Any,
    ) -> None:
        self.model = EntityModel(modules, payload)
        self.model.tells = tells
        verbs.belongs(self.model)
        self.api = Api(self.model, style.limits, missing, style.extras)
        super().__init__(
            name,
            style,
            tables=(*self.model.tables, *tables),
            missing=self.api.missing,
            **options,
        )
        self.dispatch = self.endpoint = GraphqlEndpoint(style, self.api, layers, pages)

    def takes_long(self, exchange: Exchange) -> bool:
        """Whether a document is long and new, holds many values, or asks about the schema what was not asked before."""
        body = exchange.request.body
        if exchange.request.verb != "POST" or (len(body) < SHORT_BODY and not _ASKS_SCHEMA.search(body)):
            return False
        return len(body) > LONG_BODY or self.endpoint.takes_long(exchange)

    def parse(self, exchange: Exchange) -> None:
        """Find out which operation the document of a POST means; other pages have parameters."""
        if exchange.style is not self.style:
            super().parse(exchange)
        elif exchange.request.verb not in _READING:
            exchange.operation = self.endpoint.select_operation(exchange)
