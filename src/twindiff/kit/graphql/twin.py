"""GraphQL twins: one endpoint at every path, and one operation in the journal per document."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from twindiff.kit.agent_tools import AgentTool
from twindiff.kit.binding import Bound
from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError, MissingOperation
from twindiff.kit.http import Request, Response, json_answer
from twindiff.kit.request_context import Middleware, RequestContext, compose
from twindiff.kit.rows import Row
from twindiff.kit.styles.base import Style
from twindiff.kit.twin import LONG_BODY, Declared, Dispatch, Found, Operation, Operations, Twin

from . import entity_operations as verbs
from .agent_tools import list_graphql_tools
from .errors import InvalidDocument, NotImplementedHere
from .execution import Api, CompiledOperation, ExecutionError, ExecutionResult, plan_key
from .http_requests import (
    CrossSiteRequest,
    GraphqlRequest,
    WrongVerb,
    is_preflighted,
    read_graphql_request,
    refuse_verb,
    wants_page,
)
from .limits import RequestLimits, check_variables
from .model import ChecksFilterId, ChecksInput, ChecksReference, EntityModel, Tells
from .run import GraphqlRun

BODY_LIMIT = 8_000_000
"""The server's limit in bytes, above MAX_BODY_BYTES, so that the twin refuses a large body in the vendor's format."""
SHORT_BODY = 1_500
"""A body with fewer bytes is quick to process."""
SHORT_TEXT = 1_500
"""A document with at most this many characters compiles within a few milliseconds."""
MANY_VALUES = 100
"""A body with more colons (names with values) is processed in a worker thread."""
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
"""Headers of twindiff's own query page, which has no user data, so a browser may render it and run its script."""


class _NoParameters(msgspec.Struct):
    """The empty contract of an operation whose parameters are in its document."""


class GraphqlStyle(Style):
    """GraphQL over HTTP; a vendor's style overrides `extensions`, `message`, `headers` and `extras`."""

    limits = RequestLimits()
    invalid_status = 400
    """The HTTP status for a document that is malformed or does not match the schema."""

    def extensions(self, error: Exception) -> dict[str, Any]:
        """The `extensions` of an entry of `errors`."""
        return {"code": _code(error).upper()}

    def message(self, error: Exception) -> str:
        """The `message` of an entry of `errors`."""
        return getattr(error, "message", None) or str(error)

    def headers(self, call: Call, outcome: ExecutionResult) -> tuple[tuple[str, str], ...]:
        """Headers of a response, such as rate limits and complexity."""
        return ()

    def extras(self, run: GraphqlRun) -> dict[str, Any]:
        """The values of the fields that every mutation's payload has besides its entity."""
        return {"success": True}

    def problem(self, problem: ExecutionError) -> dict[str, Any]:
        """The entry of `errors`: `message`, `extensions`, and if known `locations` and `path`."""
        entry: dict[str, Any] = {"message": self.message(problem.error)}
        if problem.locations:
            entry["locations"] = [{"line": each.line, "column": each.column} for each in problem.locations]
        if problem.path:
            entry["path"] = list(problem.path)
        return {**entry, "extensions": self.extensions(problem.error)}

    def outcome(self, call: Call, outcome: ExecutionResult) -> Response:
        """The response with `data` and, if there are any, `errors`; the first error is in the call log."""
        value: dict[str, Any] = {"data": outcome.data}
        if outcome.problems:
            value["errors"] = [self.problem(each) for each in outcome.problems]
        answer = json_answer(value, headers=self.headers(call, outcome))
        return answer._replace(error=_code(outcome.problems[0].error)) if outcome.problems else answer

    def error(self, error: ApiError, exchange: RequestContext | None = None) -> Response:
        if isinstance(error, InvalidDocument):
            problems = [ExecutionError(each, (), tuple(each.locations or ())) for each in error.errors]
            return json_answer({"errors": [self.problem(each) for each in problems]}, self.invalid_status)
        return json_answer({"errors": [self.problem(ExecutionError(error))]}, error.status, headers=error.headers)

    def unknown(self, request: Request, verbs: list[str]) -> Response:
        return self.error(refuse_verb(request))

    def parameters(self, exchange: RequestContext) -> dict[str, Any]:
        return {}


def _code(error: Exception) -> str:
    return error.code if isinstance(error, ApiError) else "graphql_validation_failed"


class GraphqlEndpoint(Dispatch):
    """Dispatches GET and POST at every path; the document determines the operation's name and whether it writes.

    `pages` are the vendor's operations besides GraphQL, at paths of their own.
    """

    def __init__(
        self, style: GraphqlStyle, api: Api, layers: Sequence[Middleware] = (), pages: Sequence[Operations] = ()
    ) -> None:
        super().__init__(style, pages, layers)
        self.graphql = style
        self.api = api

    def find(self, verb: str, path: str) -> Found | None:
        """The operation for a request; `take_read` decides what a GET asks for."""
        if path != _ENDPOINT and (beside := super().find(verb, path)):
            return beside
        return Found(self._operation("graphql", _page, reads=True), {}) if verb in ("GET", "HEAD", "POST") else None

    def take_read(self, request: Request) -> Operation | None:
        """The operation for a GET, None for a query in its URL; a browser without a token gets a page for queries."""
        if wants_page(request):
            return self._operation("GET page", _page, reads=True, open=True)
        return None if is_preflighted(request) else self._operation("GET graphql", _refuse_read, reads=True, open=True)

    def verbs(self, path: str) -> list[str]:
        return ["GET", "POST"]

    @property
    def operations(self) -> list[Operation]:
        """An operation for each root field, then those of the pages."""
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
        return Operation(
            name, declared, Bound(invoke, _NoParameters, frozenset(), Response), compose(self._layers, invoke)
        )

    def select_operation(self, exchange: RequestContext) -> Operation:
        """Compile the document of a request to an operation; raises ApiError for an invalid one.

        Introspection needs no token.
        """
        asked = _read_once(exchange)
        variables = asked.variables or {}
        check_variables(variables, self.api.limits)
        plan = self.api.plan(asked.query or "", asked.operationName, variables)
        if plan.writes and exchange.request.verb == "GET":
            raise WrongVerb("GET requests only support query operations, not mutation operations", "POST")
        kind = "mutation" if plan.writes else "query"
        name = f"{kind} {', '.join(dict.fromkeys(plan.names))}"[:200]
        invoke = self._missing(plan) if plan.missing else self._run(plan, variables, asked.operationName)
        is_introspection = plan.asks_schema and not plan.roots and not plan.missing
        return self._operation(name, invoke, reads=not plan.writes or bool(plan.missing), open=is_introspection)

    def takes_long(self, exchange: RequestContext) -> bool:
        """Whether a document takes long to compile or to execute; a malformed request is refused quickly."""
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
            return self.graphql.outcome(call, self.api.execute(plan, call, variables, operation_name))

        return run

    def _missing(self, plan: CompiledOperation) -> Callable[[Call, Any], Response]:
        problems = [ExecutionError(NotImplementedHere(f"'{name}'"), (name,)) for name in plan.missing]

        def refuse(call: Call, raw: Any) -> Response:
            return self.graphql.outcome(call, ExecutionResult(None, problems, 0))._replace(error=MissingOperation.code)

        return refuse


def _page(call: Call, raw: Any) -> Response:
    return Response(_PAGE.read_bytes(), content_type="text/html; charset=utf-8", headers=_OUR_PAGE)


def _refuse_read(call: Call, raw: Any) -> Response:
    raise CrossSiteRequest


def _read_once(exchange: RequestContext) -> GraphqlRequest:
    """The parsed body of a request, cached in its parameters."""
    asked = exchange.parameters.get(_ASKED)
    if asked is None:
        asked = exchange.parameters[_ASKED] = read_graphql_request(exchange.request)
    return asked


def modules_of(package: str) -> list[ModuleType]:
    """Import the modules of a package, sorted by name and without subpackages: a twin's declarations and behaviour."""
    modules = pkgutil.iter_modules(import_module(package).__path__)
    return [import_module(f"{package}.{each.name}") for each in sorted(modules) if not each.ispkg]


class GraphqlTwin(Twin):
    """A twin whose API is generated from the declarations in `modules`.

    `payload` declares the fields of every mutation's payload besides its entity, separated by spaces. `missing` are
    root fields that the vendor has and the twin lacks: they are refused as not implemented, whereas unknown ones are
    validation errors. `tells` emits events for rows that the generated operations create, change or delete.
    `checks_input` raises InvalidInput for inputs of creates and updates, before their hooks, and `checks_filter_id` for
    ids of another form in filters; `checks_reference` raises EntityNotFound for rows that inputs must not refer to.
    `pages` are operations besides GraphQL. `options` are those of `Twin`.
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
        layers: Sequence[Middleware] = (),
        tells: Tells | None = None,
        checks_input: ChecksInput | None = None,
        checks_filter_id: ChecksFilterId | None = None,
        checks_reference: ChecksReference | None = None,
        **options: Any,
    ) -> None:
        self.model = EntityModel(modules, payload)
        self.model.tells = tells
        self.model.checks_input = checks_input
        self.model.checks_filter_id = checks_filter_id
        self.model.checks_reference = checks_reference
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

    @cached_property
    def operation_tools(self) -> Sequence[AgentTool]:
        """A tool for each root field, and one for any document."""
        return list_graphql_tools(self.name, self.api.schema)

    def exchange(self, request: Request, base_url: str) -> RequestContext | None:
        """The context of a request; HEAD, for anything but the page, is refused like other methods."""
        exchange = super().exchange(request, base_url)
        if exchange is None or exchange.style is not self.style or request.verb not in _READING:
            return exchange
        operation = self.endpoint.take_read(request)
        if operation:
            exchange.operation = operation
        return exchange if operation or request.verb == "GET" else None

    def takes_long(self, exchange: RequestContext) -> bool:
        """Whether a document is long and not compiled yet, has many values, or has introspection that is not cached."""
        body = exchange.request.body
        if exchange.request.verb != "POST" or (len(body) < SHORT_BODY and not _ASKS_SCHEMA.search(body)):
            return False
        return len(body) > LONG_BODY or self.endpoint.takes_long(exchange)

    def parse(self, exchange: RequestContext) -> None:
        """Set the operation of a POST from its document, or the parameters of another page's operation."""
        if exchange.style is not self.style:
            super().parse(exchange)
        elif not exchange.operation.declared.open:
            if exchange.strict and not is_preflighted(exchange.request):
                raise CrossSiteRequest
            exchange.operation = self.endpoint.select_operation(exchange)
