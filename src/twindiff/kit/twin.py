"""A twin: a name, the vendor's wire style, its tables and the operations it answers, compiled to a dispatch table."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypedDict, TypeVar, Unpack

from .binding import Bound, Handler, bind
from .call import Call
from .due import FailedWork, Job
from .due import Run as RunJob
from .errors import ApiError
from .events import Webhooks
from .http import Request
from .inspector_views import Look
from .request_context import Exchange, Layer, Run, compose
from .rows import Column, Expression, Row, Table, fall_due, table_of
from .seeding import Seeding, Variables
from .styles.base import Style

H = TypeVar("H", bound=Handler)
W = TypeVar("W", bound=RunJob)

BODY_LIMIT = 1_000_000
LONG_BODY = 50_000
"""Bytes of a body from which on a request is worked on in a thread: it is checked, hashed and kept."""
METHOD_VERBS = frozenset({"GET", "POST"})
"""How RPC methods are called."""
_VARYING = re.compile(r"(.*?)\{(\w+)(:path)?\}(.*)")
"""A segment that varies: what it begins with, its name, whether it is a tail, what it ends with."""


class Declared(NamedTuple):
    """An operation as a page declares it."""

    verb: str
    path: str
    handler: Handler
    reads: bool
    scope: str
    status: int
    body_limit: int
    """The largest body it takes, in bytes."""
    open: bool
    """Whether it needs no token: it is for everyone, or its address is a secret."""
    layers: tuple[Layer, ...] = ()
    """What runs around its handler, inside the transaction; the first one is outermost."""
    in_thread: bool = False
    """Whether it is worked on in a thread from the beginning, since what it does may take long."""
    style: Style | None = None
    """How it is spoken with, where that is not as with the rest of the twin."""


class Operation(NamedTuple):
    """An operation as a request meets it."""

    name: str
    declared: Declared
    bound: Bound
    run: Run
    """The handler, with its layers around it."""
    placeholders: tuple[str, ...] = ()
    """What its path calls the segments that vary."""

    @property
    def reads(self) -> bool:
        """Whether it cannot write."""
        return self.declared.reads


class MethodOptions(TypedDict, total=False):
    """What may be said of an RPC method; see `Declared`."""

    reads: bool
    scope: str
    open: bool
    layers: Sequence[Layer]


class Options(TypedDict, total=False):
    """What may be said of an operation with a verb and a path; see `Declared`."""

    scope: str
    status: int
    body_limit: int
    open: bool
    layers: Sequence[Layer]
    in_thread: bool


class Operations:
    """The operations of one page of a reference, below the `prefix` of their paths.

    A path names what varies: `{id}` is one segment, `thumbnail.{extension}` a part of one, and `{path:path}` at the end
    one or more. `style` is for a page that is spoken with in another way than the rest of the twin, as OAuth is.
    """

    def __init__(self, *, prefix: str = "", layers: Sequence[Layer] = (), style: Style | None = None) -> None:
        self.prefix = prefix.rstrip("/")
        self._style = style
        self.listed: list[Declared] = []
        self.jobs: list[Job] = []
        self._layers = tuple(layers)

    def method(self, name: str, **options: Unpack[MethodOptions]) -> Callable[[H], H]:
        """Declare an RPC method, as in Slack's `chat.postMessage`; it is found by name, for GET and POST."""
        return self._declare("", name, **options)

    def get(self, path: str, *, reads: bool = True, **options: Unpack[Options]) -> Callable[[H], H]:
        return self._declare("GET", path, reads=reads, **options)

    def post(self, path: str, *, reads: bool = False, **options: Unpack[Options]) -> Callable[[H], H]:
        return self._declare("POST", path, reads=reads, **options)

    def put(self, path: str, **options: Unpack[Options]) -> Callable[[H], H]:
        return self._declare("PUT", path, **options)

    def patch(self, path: str, **options: Unpack[Options]) -> Callable[[H], H]:
        return self._declare("PATCH", path, **options)

    def delete(self, path: str, **options: Unpack[Options]) -> Callable[[H], H]:
        return self._declare("DELETE", path, **options)

    def options(self, path: str, *, reads: bool = False, **options: Unpack[Options]) -> Callable[[H], H]:
        """Declare what OPTIONS does, such as Box's check before an upload; a browser's preflight never comes here."""
        return self._declare("OPTIONS", path, reads=reads, **options)

    def due(self, column: Column[Any], *where: Expression, actor: Column[Any] | None = None) -> Callable[[W], W]:
        """Declare what is done for each row when the time in a column has come; see `twindiff.kit.due`.

        The time is a Timestamp, or a number of seconds since 1970. Rows for which `where` does not hold are not due.
        `actor` is the column that holds who does it.
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
        layers: Sequence[Layer] = (),
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
    """A segment that varies between a fixed beginning and a fixed end."""

    begins: str
    ends: str
    node: Node

    def value(self, segment: str) -> str:
        """What varies in a segment; empty when it is not of this form."""
        fits = segment.startswith(self.begins) and segment.endswith(self.ends)
        return segment[len(self.begins) : len(segment) - len(self.ends)] if fits else ""


class Node:
    """One segment of the REST tree; what is literal comes before what varies, operations are kept by verb."""

    __slots__ = ("children", "operations", "placeholder", "tail", "variants")

    def __init__(self) -> None:
        self.children: dict[str, Node] = {}
        self.variants: list[PathVariant] = []
        self.placeholder: Node | None = None
        self.tail: Node | None = None
        self.operations: dict[str, Operation] = {}

    def grow(self, segments: Sequence[str]) -> Node:
        """The node of a path, made if need be."""
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
        """The first node of a path that answers a verb, or any, with what stands in the places of what varies."""
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
        """The nodes of the next segment, the literal ones first."""
        varying = (*(variant.node for variant in self.variants), self.placeholder, self.tail)
        return [*self.children.values(), *(node for node in varying if node)]


class Found(NamedTuple):
    """The operation that a request names, with what its path carries."""

    operation: Operation
    path_parameters: dict[str, str]


class Dispatch:
    """Operations compiled once: RPC methods a dict by name, REST a tree by segment and verb.

    `layers` run around all of them, outside those of a page or of an operation.
    """

    def __init__(self, style: Style, pages: Sequence[Operations], layers: Sequence[Layer] = ()) -> None:
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
        """The operation for a request, or None when there is none of that verb and path."""
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
        """The verbs that a path answers; empty for an unknown path."""
        match = self.tree.find(_segments(path), None)
        return sorted(match[0].operations) if match else []

    @property
    def operations(self) -> list[Operation]:
        """All operations, RPC methods first, then REST in order of paths."""
        return [*self.methods.values(), *_walk(self.tree)]


def _walk(node: Node) -> list[Operation]:
    return [*node.operations.values(), *(operation for child in node.below() for operation in _walk(child))]


def _check_path(path: str, segments: Sequence[str]) -> None:
    """Refuse a path that could never be meant."""
    for segment in segments:
        varying = _VARYING.fullmatch(segment)
        if ("{" in segment) != bool(varying) or (varying and "{" in varying[4]):
            raise ValueError(f"{path}: '{segment}' must name one thing that varies, as in {{id}} or thumbnail.{{kind}}")
        if varying and varying[3] and (segment is not segments[-1] or varying[1] or varying[4]):
            raise ValueError(f"{path}: a tail such as {{path:path}} stands at the end, alone between slashes")


def _segments(path: str) -> list[str]:
    return path.strip("/").split("/")


class Users(NamedTuple):
    """Where a twin keeps the people an environment can act as."""

    table: type[Row]
    id: Column[Any]
    email: Column[Any]


Rows = Mapping[str, Iterable[Mapping[str, Any]]]
"""The rows of a template by table."""


ActorOf = Callable[[Call], str | None]
"""Whom the token of a call acts as, by the twin's own tables; None for a token that they do not know."""


class Twin:
    """Everything the server knows of one vendor.

    `hosts` are hosts of the vendor that have operations of their own, with the prefix of these operations' paths:
    `{"upload.box.com": "/upload"}`. `seeds` is a folder of templates, one `<template>.json` each: `{table: [row,
    …]}`; `templates` are templates that code writes, by name. `layers` run around every operation, inside its
    transaction. `actor_of` knows the tokens that the twin keeps by itself. `missing` are the operations that the
    vendor has and the twin lacks, if they are known.
    `webhooks` is how the vendor tells of events. `variables` are what programs read to find it, `seeding` is how
    it is filled from a configuration. `completes` adds to a template's rows, as people write them, what follows from
    them. `clocks` are instants by template, in ISO 8601, at which environments of it begin unless they are told
    otherwise; `descriptions` say in a line each what templates hold. `screen` shows its state to people.
    `secret_columns` hold tokens, client secrets and keys: exports carry stand-ins of those that calls made or gave.
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
        layers: Sequence[Layer] = (),
        actor_of: ActorOf | None = None,
        missing: Iterable[str] | None = None,
        aliases: Sequence[str] = (),
        hosts: Mapping[str, str] | None = None,
        webhooks: Webhooks | None = None,
        variables: Variables | None = None,
        seeding: Seeding | None = None,
        completes: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
        clocks: Mapping[str, str] | None = None,
        descriptions: Mapping[str, str] | None = None,
        screen: Look | None = None,
        secret_columns: Sequence[Column[Any]] = (),
    ) -> None:
        self.name, self.style = name, style
        self.aliases = tuple(aliases)
        self.hosts = dict(hosts or {})
        self.users = users
        self.variables = variables or _usual_variables(name)
        self.seeding = seeding
        self.completes = completes
        self.seeds, self.screen = seeds, screen
        self.templates, self.clocks = dict(templates or {}), dict(clocks or {})
        self.descriptions = dict(descriptions or {})
        self.actor_of, self.webhooks = actor_of, webhooks
        self.missing = None if missing is None else frozenset(missing)
        self.jobs = _named_apart(job for page in pages for job in page.jobs)
        kept = (FailedWork,) if self.jobs else ()
        self.tables = _tables_named_apart(table_of(row) for row in (*tables, *kept))
        self.secret_columns = frozenset((table_of(each.table).name, each.name) for each in secret_columns)
        self.dispatch = Dispatch(style, pages, layers)

    def exchange(self, request: Request, base_url: str) -> Exchange | None:
        """A request with the operation that its verb and path name; None when there is none."""
        match = self.dispatch.find(request.verb, request.path)
        if match is None:
            return None
        style = match.operation.declared.style or self.style
        return Exchange(style, request, match.operation, match.path_parameters, base_url)

    def lacks(self, request: Request) -> bool:
        """Whether a request is for an operation that the vendor has and the twin lacks, as far as that is known."""
        missing = self.missing or frozenset()
        method = self.dispatch.style.method_name(request.path)
        return method in missing or bool(_pattern_of(missing).fullmatch(f"{request.verb} {request.path}"))

    def takes_long(self, exchange: Exchange) -> bool:
        """Whether a request is known to take long before it is worked on, so that it is begun where nobody waits."""
        return exchange.operation.declared.in_thread or len(exchange.request.body) > LONG_BODY

    def read(self, exchange: Exchange) -> None:
        """Read a request whose body is there, once however often it is begun; raises ApiError if it cannot be read."""
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

    def parse(self, exchange: Exchange) -> None:
        """Find the parameters of a request, and which operation it means where its path does not say."""
        exchange.parameters = exchange.style.parameters(exchange)


@lru_cache
def _pattern_of(operations: frozenset[str]) -> re.Pattern[str]:
    """What requests for REST operations look like: `GET /files/{id}`, perhaps with a version before the path."""
    parts = (re.split(r"\{[^}]*\}", each) for each in operations if " /" in each)
    paths = ("[^/]+".join(map(re.escape, each)).replace(r"\ /", r"\ (?:/v?[\d.]+)?/", 1) for each in parts)
    return re.compile("|".join(paths) or r"(?!)")


def _usual_variables(name: str) -> Variables:
    prefix = name.upper()
    return Variables({f"{prefix}_TOKEN": f"{name}_{{secret}}"}, {f"{prefix}_BASE_URL": "", f"{prefix}_API_URL": ""})


def _tables_named_apart(tables: Iterable[Table]) -> tuple[Table, ...]:
    """Tables in the order of their declaration; raises ValueError when one is there twice, or two have one name."""
    named: dict[str, Table] = {}
    for table in tables:
        if table.name in named:
            raise ValueError(f"The table {table.name} is there twice")
        named[table.name] = table
    return tuple(named.values())


def _named_apart(jobs: Iterable[Job]) -> tuple[Job, ...]:
    """Jobs in the order of their declaration; raises ValueError when two have one name."""
    named: dict[str, Job] = {}
    for job in jobs:
        if named.setdefault(job.name, job) is not job:
            raise ValueError(f"Two jobs are named {job.name}")
    return tuple(named.values())
