"""A twin: a name, the vendor's wire style, its tables and its operations, compiled to a dispatch table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypedDict, TypeVar, Unpack

from .agent_tools import AgentTool, VendorTools, list_operation_tools
from .binding import Bound, Handler, bind
from .call import Call
from .due import FailedWork, Job
from .due import Run as RunJob
from .errors import ApiError
from .events import Webhooks
from .http import Request
from .inspector_views import Look
from .own_addresses import OwnAddresses
from .request_context import Middleware, RequestContext, Run, compose
from .rows import Column, Expression, Row, Table, fall_due, table_of
from .seeding import Seeding, Variables
from .styles.base import Style
from .vendor_hosts import read_vendor_hosts

H = TypeVar("H", bound=Handler)
W = TypeVar("W", bound=RunJob)

BODY_LIMIT = 1_000_000
LONG_BODY = 50_000
"""Requests with a larger body, in bytes, run in a worker thread: parsing, hashing and storing it takes long."""
METHOD_VERBS = frozenset({"GET", "POST"})
"""The HTTP methods for RPC methods."""
_VERBS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE"})
_VARYING = re.compile(r"(.*?)\{(\w+)(:path)?\}(.*)")
"""A segment with a placeholder: its prefix, the name, whether it is a tail (`:path`), its suffix."""


class Declared(NamedTuple):
    """An operation as declared with `Operations`."""

    verb: str
    path: str
    handler: Handler
    reads: bool
    scope: str
    status: int
    body_limit: int
    """The largest request body, in bytes."""
    open: bool
    """Whether it needs no token, because it is public or its URL is a secret."""
    layers: tuple[Middleware, ...] = ()
    """The middleware around its handler, inside the transaction; the first one is outermost."""
    in_thread: bool = False
    """Whether it always runs in a worker thread, since it may take long."""
    style: Style | None = None
    """Its wire style, if that differs from the twin's."""


class Operation(NamedTuple):
    """A compiled operation; `name` is `GET /items/{id}`, or the name of an RPC method."""

    name: str
    declared: Declared
    bound: Bound
    run: Run
    """The handler wrapped in its middleware."""
    placeholders: tuple[str, ...] = ()
    """The names of the placeholders in its path."""

    @property
    def reads(self) -> bool:
        """Whether it is read-only."""
        return self.declared.reads


class MethodOptions(TypedDict, total=False):
    """Options of an RPC method; see `Declared`."""

    reads: bool
    scope: str
    open: bool
    layers: Sequence[Middleware]


class Options(TypedDict, total=False):
    """Options of an operation with an HTTP method and a path; see `Declared`."""

    scope: str
    status: int
    body_limit: int
    open: bool
    layers: Sequence[Middleware]
    in_thread: bool


class Operations:
    """The operations of one page of the vendor's reference; `prefix` is prepended to their paths.

    A placeholder in a path is one segment (`{id}`), a part of one (`thumbnail.{extension}`), or at the end one segment
    or more (`{path:path}`). `layers` are middleware around all of the operations. `style` is the wire style of a page
    that differs from the rest of the twin, such as OAuth.
    """

    def __init__(self, *, prefix: str = "", layers: Sequence[Middleware] = (), style: Style | None = None) -> None:
        self.prefix = prefix.rstrip("/")
        self._style = style
        self.listed: list[Declared] = []
        self.jobs: list[Job] = []
        self._layers = tuple(layers)

    def method(self, name: str, **options: Unpack[MethodOptions]) -> Callable[[H], H]:
        """Declare an RPC method, such as Slack's `chat.postMessage`; it is found by name, for GET and POST."""
        return self._declare("", name, **options)

    def get(self, path: str, *, reads: bool = True, **options: Unpack[Options]) -> Callable[[H], H]:
        """Declare a GET operation, by default read-only; `options` are described in `Declared`."""
        return self._declare("GET", path, reads=reads, **options)

    def post(self, path: str, *, reads: bool = False, **options: Unpack[Options]) -> Callable[[H], H]:
        """Declare a POST operation; with `reads`, it is read-only, such as a search."""
        return self._declare("POST", path, reads=reads, **options)

    def put(self, path: str, **options: Unpack[Options]) -> Callable[[H], H]:
        """Declare a PUT operation."""
        return self._declare("PUT", path, **options)

    def patch(self, path: str, **options: Unpack[Options]) -> Callable[[H], H]:
        """Declare a PATCH operation."""
        return self._declare("PATCH", path, **options)

    def delete(self, path: str, **options: Unpack[Options]) -> Callable[[H], H]:
        """Declare a DELETE operation."""
        return self._declare("DELETE", path, **options)

    def options(self, path: str, *, reads: bool = False, **options: Unpack[Options]) -> Callable[[H], H]:
        """Declare an OPTIONS operation, such as Box's preflight check of uploads; CORS preflights never arrive here."""
        return self._declare("OPTIONS", path, reads=reads, **options)

    def due(self, column: Column[Any], *where: Expression, actor: Column[Any] | None = None) -> Callable[[W], W]:
        """Declare a job that runs for each row at the time in `column`; see `twindiff.kit.due`.

        The column is a Timestamp or a number of seconds since 1970; otherwise TypeError is raised. Rows that do not
        match `where` are not due. `actor` is the column with the id of the user that the job acts as.
        """

        def declare(job: W) -> W:
            fall_due(column)
            self.jobs.append(Job(job.__name__, column, actor, where, job))
            return job

        return declare

    def _declare(
        self,
        verb: str,
        path: str,
        *,
        reads: bool = False,
        scope: str = "",
        status: int = 200,
        body_limit: int = BODY_LIMIT,
        open: bool = False,
        layers: Sequence[Middleware] = (),
        in_thread: bool = False,
    ) -> Callable[[H], H]:
        path = self.prefix + path if verb else path
        around = (*self._layers, *layers)

        def declare(handler: H) -> H:
            declared = Declared(
                verb, path, handler, reads, scope, status, body_limit, open, around, in_thread, self._style
            )
            self.listed.append(declared)
            return handler

        return declare


class PathVariant(NamedTuple):
    """A segment with a placeholder between a fixed prefix and a fixed suffix."""

    begins: str
    ends: str
    node: Node

    def value(self, segment: str) -> str:
        """The value of the placeholder in a segment; empty if the segment does not match."""
        fits = segment.startswith(self.begins) and segment.endswith(self.ends)
        return segment[len(self.begins) : len(segment) - len(self.ends)] if fits else ""


class Node:
    """One segment of the REST tree, with operations by verb; literal segments take precedence over placeholders."""

    __slots__ = ("children", "operations", "placeholder", "tail", "variants")

    def __init__(self) -> None:
        self.children: dict[str, Node] = {}
        self.variants: list[PathVariant] = []
        self.placeholder: Node | None = None
        self.tail: Node | None = None
        self.operations: dict[str, Operation] = {}

    def grow(self, segments: Sequence[str]) -> Node:
        """The node of a path, created if it does not exist."""
        node = self
        for segment in segments:
            node = node._child(segment)
        return node

    def _child(self, segment: str) -> Node:
        varying = _VARYING.fullmatch(segment)
        if varying is None:
            return self.children.setdefault(segment, Node())
        begins, _, is_tail, ends = varying.groups()
        if begins or ends:
            return self._variant(begins, ends)
        if is_tail:
            self.tail = self.tail or Node()
            return self.tail
        self.placeholder = self.placeholder or Node()
        return self.placeholder

    def _variant(self, begins: str, ends: str) -> Node:
        for variant in self.variants:
            if (variant.begins, variant.ends) == (begins, ends):
                return variant.node
        self.variants.append(PathVariant(begins, ends, Node()))
        return self.variants[-1].node

    def find(self, segments: Sequence[str], verb: str | None, at: int = 0) -> tuple[Node, tuple[str, ...]] | None:
        """The first node of a path that has the verb (None: any), with the values of the placeholders in order."""
        if at == len(segments):
            answers = verb in self.operations if verb else bool(self.operations)
            return (self, ()) if answers else None
        segment = segments[at]
        child = self.children.get(segment)
        match = child.find(segments, verb, at + 1) if child else None
        if match or not segment:
            return match
        if self.variants and (match := self._find_variant(segments, verb, at)):
            return match
        if self.placeholder and (match := self.placeholder.find(segments, verb, at + 1)):
            return match[0], (segment, *match[1])
        if self.tail and (match := self.tail.find((), verb)):
            return match[0], ("/".join(segments[at:]),)
        return None

    def _find_variant(self, segments: Sequence[str], verb: str | None, at: int) -> tuple[Node, tuple[str, ...]] | None:
        for variant in self.variants:
            value = variant.value(segments[at])
            match = variant.node.find(segments, verb, at + 1) if value else None
            if match:
                return match[0], (value, *match[1])
        return None

    def below(self) -> list[Node]:
        """The child nodes, the literal ones first."""
        varying = (*(variant.node for variant in self.variants), self.placeholder, self.tail)
        return [*self.children.values(), *(node for node in varying if node)]


class Found(NamedTuple):
    """The operation of a request, with the values of the placeholders in its path."""

    operation: Operation
    path_parameters: dict[str, str]


class Dispatch:
    """The dispatch table: RPC methods in a dict by name, REST operations in a tree by segment and verb.

    `layers` are middleware around all operations, outside that of a page or of an operation. Raises ValueError for two
    operations with the same name and for an invalid path.
    """

    def __init__(self, style: Style, pages: Sequence[Operations], layers: Sequence[Middleware] = ()) -> None:
        self.style = style
        self._layers = tuple(layers)
        self.methods: dict[str, Operation] = {}
        self.tree = Node()
        for page in pages:
            for declared in page.listed:
                self._add(declared)

    def _add(self, declared: Declared) -> None:
        bound = bind(declared.handler, (declared.style or self.style).naming)
        name = f"{declared.verb} {declared.path}" if declared.verb else declared.path
        segments = _segments(declared.path)
        placeholders = tuple(varying[2] for each in segments if (varying := _VARYING.fullmatch(each)))
        run = compose((*self._layers, *declared.layers), bound.invoke)
        operation = Operation(name, declared, bound, run, placeholders)
        _check_path(declared.path, segments)
        if not declared.verb:
            taken, self.methods[name] = name in self.methods, operation
        else:
            verbs = self.tree.grow(segments).operations
            taken, verbs[declared.verb] = declared.verb in verbs, operation
        if taken:
            raise ValueError(f"Two operations are named {name}")

    def find(self, verb: str, path: str) -> Found | None:
        """The operation for a verb and a path, or None; HEAD finds the operation of GET."""
        method = self.methods.get(self.style.method_name(path)) if self.methods else None
        if method:
            return Found(method, {}) if verb in METHOD_VERBS else None
        verb = "GET" if verb == "HEAD" else verb
        match = self.tree.find(_segments(path), verb)
        if match is None:
            return None
        operation = match[0].operations[verb]
        return Found(operation, dict(zip(operation.placeholders, match[1], strict=True)))

    def verbs(self, path: str) -> list[str]:
        """The sorted verbs of a path; empty for an unknown path."""
        segments = _segments(path)
        match = self.tree.find(segments, None)
        known = {*_VERBS, *match[0].operations} if match else ()
        return sorted(verb for verb in known if self.tree.find(segments, verb))

    @property
    def operations(self) -> list[Operation]:
        """All operations: RPC methods first, then the REST tree."""
        return [*self.methods.values(), *_walk(self.tree)]


def _walk(node: Node) -> list[Operation]:
    return [*node.operations.values(), *(operation for child in node.below() for operation in _walk(child))]


def _check_path(path: str, segments: Sequence[str]) -> None:
    """Raise ValueError for a path with a malformed placeholder."""
    for segment in segments:
        varying = _VARYING.fullmatch(segment)
        if ("{" in segment) != bool(varying) or (varying and "{" in varying[4]):
            raise ValueError(f"{path}: '{segment}' must name one thing that varies, as in {{id}} or thumbnail.{{kind}}")
        if varying and varying[3] and (segment is not segments[-1] or varying[1] or varying[4]):
            raise ValueError(f"{path}: a tail such as {{path:path}} stands at the end, alone between slashes")


def _segments(path: str) -> list[str]:
    return path.strip("/").split("/")


class Users(NamedTuple):
    """The table of a twin's users, with its columns of ids and email addresses."""

    table: type[Row]
    id: Column[Any]
    email: Column[Any]


Rows = Mapping[str, Iterable[Mapping[str, Any]]]
"""The rows of a template by name of their table, each a mapping of column to value."""


ActorOf = Callable[[Call], str | None]
"""Returns the id of the user that a call's token acts as, from the twin's own tables; None for an unknown token."""


class Twin:
    """A twin of one vendor's API.

    `hosts` maps the vendor's hosts to what their operations have before the path: `{"upload.shop.com": "/upload"}`; a
    wildcard (`*.slack.com`) and the paths of a shared host (`www.googleapis.com/calendar/v3`) may be named. `addresses`
    maps beginnings of paths to the host that the vendor's responses name for them, with "" for all others. `seeds` is
    a folder of templates, one `<template>.json` each: `{table: [row, …]}`; `templates` maps the names of further
    templates to functions that return such rows. `layers` are middleware around every operation, inside its
    transaction. `actor_of` resolves tokens that the twin stores itself. `missing` are the names of the operations
    that the vendor has and the twin lacks, if they are known; `refused` are those of its own that answer every call
    with the vendor's refusal. `webhooks` is how the vendor delivers events.
    `variables` are the environment variables of clients, and `seeding` is how to fill the twin from a configuration.
    `completes` takes a template's hand-written rows and returns them with derived rows and values added. `clocks`
    maps a template to the time, in ISO 8601, at which its environments begin by default; `descriptions` maps a
    template to a line about its content. `screen` renders the state for the inspector. `vendor_tools` are the tools
    of the vendor's MCP servers. `secret_columns` hold tokens, client secrets and keys: exports replace the values that
    calls created or sent.
    """

    def __init__(
        self,
        name: str,
        style: Style,
        *pages: Operations,
        tables: Sequence[type[Row]],
        users: Users | None = None,
        seeds: Path | None = None,
        templates: Mapping[str, Callable[[], Rows]] | None = None,
        layers: Sequence[Middleware] = (),
        actor_of: ActorOf | None = None,
        missing: Iterable[str] | None = None,
        refused: Iterable[str] = (),
        aliases: Sequence[str] = (),
        hosts: Mapping[str, str] | None = None,
        addresses: Mapping[str, str] | None = None,
        webhooks: Webhooks | None = None,
        variables: Variables | None = None,
        seeding: Seeding | None = None,
        completes: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
        clocks: Mapping[str, str] | None = None,
        descriptions: Mapping[str, str] | None = None,
        screen: Look | None = None,
        secret_columns: Sequence[Column[Any]] = (),
        vendor_tools: VendorTools | None = None,
    ) -> None:
        self.name, self.style = name, style
        self.aliases, self.hosts = tuple(aliases), read_vendor_hosts(hosts or {})
        self.own_addresses = OwnAddresses(self.hosts, addresses or {})
        self.variables, self.users, self.seeding = variables or _usual_variables(name), users, seeding
        self.completes, self.vendor_tools, self.screen = completes, vendor_tools, screen
        self.seeds, self.templates = seeds, dict(templates or {})
        self.clocks, self.descriptions = dict(clocks or {}), dict(descriptions or {})
        self.actor_of, self.webhooks = actor_of, webhooks
        self.missing, self.refused = None if missing is None else frozenset(missing), frozenset(refused)
        self.jobs = _named_apart(job for page in pages for job in page.jobs)
        kept = (FailedWork,) if self.jobs else ()
        self.tables = _tables_named_apart(table_of(row) for row in (*tables, *kept))
        self.secret_columns = frozenset((table_of(each.table).name, each.name) for each in secret_columns)
        self.dispatch = Dispatch(style, pages, layers)

    @cached_property
    def served_operations(self) -> Sequence[Operation]:
        """The operations that do something; all others answer every call with the vendor's refusal."""
        return [each for each in self.dispatch.operations if each.name not in self.refused]

    @cached_property
    def coverage_percent(self) -> float | None:
        """The share of the vendor's operations that the twin serves, in percent; None if they are not all known.

        Where operations are methods or GraphQL fields, addresses beside them, such as downloads, do not count.
        """
        if self.missing is None:
            return None
        are_paths = [" /" in each.name for each in self.served_operations]
        served = len(are_paths) if all(are_paths) else are_paths.count(False)
        return 100 * served / (served + len(self.missing) + len(self.refused))

    @cached_property
    def operation_tools(self) -> Sequence[AgentTool]:
        """A tool for each operation, with which a model can call it."""
        return list_operation_tools(self.name, self.style, self.dispatch.operations)

    @cached_property
    def tools_by_operation(self) -> Mapping[str, AgentTool]:
        """The tools of operations by the operation's name."""
        return {tool.operation: tool for tool in self.operation_tools}

    def exchange(self, request: Request, base_url: str) -> RequestContext | None:
        """The context of a request, with its operation; None if no operation has its verb and path."""
        match = self.dispatch.find(request.verb, request.path)
        if match is None:
            return None
        style = match.operation.declared.style or self.style
        return RequestContext(style, request, match.operation, match.path_parameters, base_url)

    def lacks(self, request: Request) -> bool:
        """Whether a request is for an operation in `missing`, which the vendor has and the twin lacks."""
        missing = self.missing or frozenset()
        method = self.dispatch.style.method_name(request.path)
        return method in missing or bool(_pattern_of(missing).fullmatch(f"{request.verb} {request.path}"))

    def takes_long(self, exchange: RequestContext) -> bool:
        """Whether a request is expected to take long, so that it starts in a worker thread, not on the event loop."""
        return exchange.operation.declared.in_thread or len(exchange.request.body) > LONG_BODY

    def read(self, exchange: RequestContext) -> None:
        """Parse a request with its body; raises ApiError if it is malformed. Calling it again has no effect."""
        if exchange.unreadable:
            raise exchange.unreadable
        if exchange.is_read:
            return
        try:
            self.parse(exchange)
        except ApiError as error:
            exchange.unreadable = error
            raise
        exchange.is_read = True

    def parse(self, exchange: RequestContext) -> None:
        """Set the parameters of a request; subclasses also choose the operation if the path does not name it."""
        exchange.parameters = exchange.style.parameters(exchange)


@lru_cache
def _pattern_of(operations: frozenset[str]) -> re.Pattern[str]:
    """A pattern of requests for REST operations, with an optional version before the path.

    `GET /files/{id}` becomes `GET\\ (?:/v?[\\d.]+)?/files/[^/]+`.
    """
    parts = (re.split(r"\{[^}]*\}", each) for each in operations if " /" in each)
    paths = ("[^/]+".join(map(re.escape, each)).replace(r"\ /", r"\ (?:/v?[\d.]+)?/", 1) for each in parts)
    return re.compile("|".join(paths) or r"(?!)")


def _usual_variables(name: str) -> Variables:
    prefix = name.upper()
    return Variables({f"{prefix}_TOKEN": f"{name}_{{secret}}"}, {f"{prefix}_BASE_URL": "", f"{prefix}_API_URL": ""})


def _tables_named_apart(tables: Iterable[Table]) -> tuple[Table, ...]:
    """The tables in the order of their declaration; raises ValueError if two have the same name."""
    named: dict[str, Table] = {}
    for table in tables:
        if table.name in named:
            raise ValueError(f"The table {table.name} is there twice")
        named[table.name] = table
    return tuple(named.values())


def _named_apart(jobs: Iterable[Job]) -> tuple[Job, ...]:
    """The jobs in the order of their declaration; raises ValueError if two have the same name."""
    named: dict[str, Job] = {}
    for job in jobs:
        if named.setdefault(job.name, job) is not job:
            raise ValueError(f"Two jobs are named {job.name}")
    return tuple(named.values())
