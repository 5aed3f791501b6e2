"""Makes the twin of a description."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, cast

import msgspec

from twindiff.kit.agent_tools import AgentTool, list_operation_tools
from twindiff.kit.binding import Handler
from twindiff.kit.call import Call
from twindiff.kit.errors import InvalidParameter
from twindiff.kit.gateways import EventGateway
from twindiff.kit.http import Request
from twindiff.kit.parameter_sources import Body, Header, Named
from twindiff.kit.request_context import Middleware, RequestContext
from twindiff.kit.rows import Expression, Row, table_of
from twindiff.kit.seeding import Variables
from twindiff.kit.suggestions import did_you_mean
from twindiff.kit.twin import Operations, Rows, Twin

from .agent_tools import describe_tools, name_handler
from .change_events import make_webhooks
from .documents import ApiDescription, ParameterDescription, python_name, read_description
from .interpreter import DraftInterpreter
from .overlay import Overlay, WebhookOverlay, find_overlay, read_overlay
from .overlay_checks import check_overlay, keep_known
from .plan import OperationPlan, is_routable, plan_operations
from .resources import ResourceMap
from .samples import SampleRows, TemplateRows
from .schemas import SchemaSet
from .seeding import make_seeding
from .signatures import show_public_key
from .slashed_names import SlashedNames, restore_slashes
from .tables import IdempotentAnswer, StoredResource, store_resources
from .wire_style import DraftStyle

if TYPE_CHECKING:
    from .graphql_drafts import GraphqlDraft

GRAPHQL_ENDINGS = (".graphql", ".graphqls", ".gql")
_HINTS: dict[str, Any] = {"integer": int, "number": float, "boolean": bool, "array": list[str]}
BODY_LIMIT_BYTES = 10_000_000


class DraftedTwin(Twin):
    """A twin that is served from a description; `plans` says for each operation what it does and how sure that is."""

    plans: Sequence[OperationPlan] = ()
    left_out: Sequence[str] = ()
    beside: Sequence[str] = ()
    """Operations that handlers serve beside those of the description."""
    schemas: SchemaSet
    names = SlashedNames({}, {}, set())
    """How its paths name objects."""

    def exchange(self, request: Request, base_url: str) -> RequestContext | None:
        """The context of a request, with its operation; None if no operation has its verb and path."""
        for path in self.names.read_paths(request.path):
            match = self.dispatch.find(request.verb, path)
            if match is not None:
                given = {name: restore_slashes(value) for name, value in match.path_parameters.items()}
                style = match.operation.declared.style or self.style
                return RequestContext(style, request, match.operation, given, base_url)
        return None

    @cached_property
    def operation_tools(self) -> Sequence[AgentTool]:
        """A tool for each operation that is served, with the schemas of the description."""
        served = [each for each in self.dispatch.operations if each.name not in (self.missing or ())]
        return describe_tools(list_operation_tools(self.name, self.style, served), self.plans, self.schemas)


class Draft:
    """A description of an API that can be served: its tables, its plans, and the twin.

    Handlers can take over operations: `twin(api)` serves those that `api` declares in place of the drafted ones.
    `tables` are the tables of such handlers beside those of the description. A description that `is_partial` may lack
    what the overlay names; for another, DescriptionError is raised.
    """

    def __init__(
        self,
        description: ApiDescription,
        name: str,
        overlay: Overlay | None = None,
        tables: Sequence[type[Row]] = (),
        *,
        is_partial: bool = False,
    ) -> None:
        self.name, self.description, self.overlay = name, description, overlay or Overlay()
        self._written_tables = tuple(tables)
        self._collections = [table_of(each).name for each in tables]
        self._schemas = SchemaSet(description.document)
        resource_map = ResourceMap(description, self._schemas, self.overlay)
        self._stored = store_resources(resource_map, self._collections)
        by_table = {each.table: each for each in self._stored.values()}
        subjects: dict[str, StoredResource | None] = {}
        for operation in description.operations:
            declared = self.overlay.operations.get(operation.name)
            above = self._stored.get(resource_map.roles[operation.path].resource)
            subjects[operation.name] = by_table.get(declared.table) if declared and declared.table else above
        if is_partial:
            self.overlay = keep_known(self.overlay, subjects, by_table, self._collections)
        check_overlay(self.overlay, subjects, by_table, self._collections)
        self.plans = plan_operations(description, resource_map, self._stored, self.overlay)
        self._interpreter = DraftInterpreter(resource_map, self._stored, self.overlay, self._schemas)
        named = {table for table, about in self.overlay.resources.items() if about.aliases}
        self._names = SlashedNames(resource_map.roles, self._stored, named)
        self._samples = SampleRows(resource_map, self._stored, self.overlay, self._schemas)

    @classmethod
    def read(cls, path: Path, name: str) -> Draft:
        """Read the description in a file, with the overlay `<file>.twin.yaml` beside it if there is one.

        Raises DescriptionError with what is wrong with either.
        """
        beside = find_overlay(path)
        overlay = read_overlay(beside) if beside.exists() else Overlay()
        return cls(read_description(path), overlay.name or name, overlay)

    def with_seeds(self, seeds: TemplateRows) -> Draft:
        """Return the draft whose template `NAME_base` has these rows, by table, in place of the overlay's."""
        overlay = msgspec.structs.replace(self.overlay, seeds={**self.overlay.seeds, **seeds})
        return Draft(self.description, self.name, overlay, self._written_tables)

    def row(self, table: str) -> Any:
        """Return the Row class of a table, for handlers that take over operations; raises KeyError."""
        return next((each.row for each in self._stored.values() if each.table == table), None) or _refuse_table(
            table, [each.table for each in self._stored.values()]
        )

    def show(self, call: Call, row: Row, operation: str) -> Any:
        """Return the answer of an operation, named as in `GET /orders/{id}`, that shows a row."""
        plan = next(plan for plan in self.plans if plan.operation.name == operation)
        return self._interpreter.show_row(plan, call, row)

    def serve(
        self,
        call: Call,
        operation: str,
        given: Mapping[str, Any],
        body: Any = None,
        *,
        fields: Mapping[str, Any] | None = None,
        where: Sequence[Expression] = (),
    ) -> Any:
        """Do what the description says of an operation, for a handler that has checked something before.

        `given` are its parameters by wire name and `body` the whole body. `fields` are stored beside those of the body,
        and `where` are further conditions on what is listed.
        Returns the answer, and raises what the operation raises.
        """
        plan = next(plan for plan in self.plans if plan.operation.name == operation)
        call.memo["handler_fields"], call.memo["handler_conditions"] = fields or {}, where
        return self._interpreter.serve(plan, call, given, body)

    @property
    def schemas(self) -> SchemaSet:
        """The schemas of its description."""
        return self._schemas

    def find_user_key(self, call: Call) -> Any:
        """Return the key of the user that a call acts as; None if the API has no users."""
        return self._interpreter.objects.find_user_key(call)

    def make(self, call: Call, table: str, fields: Mapping[str, Any]) -> Row:
        """Store a new object with the overlay's defaults and emit its event, for handlers; returns its row."""
        objects = self._interpreter.objects
        row = objects.store_seed(call, objects.by_table[table], fields)
        self.tell(call, table, "create", row)
        return row

    def change(self, call: Call, table: str, row: Row, fields: Mapping[str, Any], operation: str = "") -> Row:
        """Change fields that the table has and emit the event, for handlers; returns the row as it is now.

        The event is that of `operation`, if the overlay has one for it.
        """
        objects = self._interpreter.objects
        stored = objects.by_table[table]
        known = {name: value for name, value in fields.items() if name in stored.columns}
        changed = objects.change(stored, row, call, known)
        if changed is not row:
            self._interpreter.tell_change(call, table, (operation, "update"), changed, row)
        return changed

    def tell(self, call: Call, table: str, action: str, row: Row, before: Row | None = None) -> None:
        """Emit the event that the overlay has for a change by a handler: `create`, `update` or `delete`."""
        self._interpreter.tell_change(call, table, ("", action), row, before)

    def twin(
        self,
        *pages: Operations,
        rows: Callable[[], Rows] | None = None,
        style: type[DraftStyle] = DraftStyle,
        gateway: EventGateway | None = None,
        layers: Sequence[Middleware] = (),
        is_whole: bool = True,
        **more: Any,
    ) -> DraftedTwin:
        """Return the twin. Operations that `pages` declare are served by their handlers.

        `rows` are those of the handlers' tables in each template, and `more` are further arguments of the Twin.
        `gateway` is told of the events of the overlay's webhooks. `layers` are middleware around all operations.
        Unless the description `is_whole`, the vendor may have paths that it lacks.
        """
        written = {shape_of(f"{each.verb} {each.path}") for page in pages for each in page.listed}
        plans = [
            plan._replace(behaviour="written") if shape_of(plan.operation.name) in written else plan
            for plan in self.plans
        ]
        api = Operations()
        for plan in plans:
            if plan.behaviour != "written" and is_routable(plan.operation.path):
                _declare(api, plan, self._interpreter, self._schemas)
        options: dict[str, Any] = {**self._usual_options(rows, gateway), **more}
        options["hosts"] = {**self._hosts(), **options.get("hosts", {})}
        twin = DraftedTwin(
            self.name,
            self._make_style(style, is_whole=is_whole),
            api,
            *pages,
            tables=[*(each.row for each in self._stored.values()), IdempotentAnswer, *self._written_tables],
            layers=[partial(_remember_request, self.overlay.webhooks), *layers],
            missing=[plan.operation.name for plan in plans if plan.behaviour == "missing"],
            **options,
        )
        twin.plans, twin.left_out, twin.schemas = plans, self.description.left_out, self._schemas
        twin.names = self._names
        return twin

    def _make_style(self, style: type[DraftStyle], *, is_whole: bool) -> DraftStyle:
        made = style(self.description, self._schemas, self.overlay.errors)
        made.is_whole = is_whole
        return made

    def _hosts(self) -> dict[str, str]:
        return {**self.description.hosts, **hosts_of(self.overlay)}

    def _usual_options(self, rows: Callable[[], Rows] | None, gateway: EventGateway | None) -> dict[str, Any]:
        """Return the templates, their descriptions and the seeding that the description gives."""
        name = self.name
        return {
            "templates": {
                f"{name}_base": _join_rows(self._samples.base, rows),
                f"{name}_sample": _join_rows(self._samples.sample, rows),
                **{f"{name}_{each}": partial(self._samples.read_template, each) for each in self.overlay.templates},
            },
            "descriptions": {
                f"{name}_base": "One object of each kind that the API lists and cannot create",
                f"{name}_sample": "Three objects of each kind, with the fields that the description requires",
            },
            "seeding": make_seeding(self._interpreter.objects, self.overlay),
            "webhooks": make_webhooks(self.overlay, self._interpreter.objects, gateway, self._collections),
            "variables": variables_of(self.overlay),
        }


def read_draft(path: Path, name: str) -> Draft | GraphqlDraft:
    """Read a description or a GraphQL schema in a file, with the overlay `<file>.twin.yaml` beside it if there is one.

    Raises DescriptionError with what is wrong with either.
    """
    if path.suffix not in GRAPHQL_ENDINGS:
        return Draft.read(path, name)
    # It imports GraphQL, a quarter of all that is imported, on first use, since other descriptions do not need it.
    return import_module(".graphql_drafts", __package__).GraphqlDraft.read(path, name)


def list_guessed_columns(twin: Twin) -> Mapping[str, Collection[str]]:
    """Return the columns by table whose fields answers guess unless a request gave them; {} for a twin of code."""
    columns: dict[str, set[str]] = {}
    for plan in twin.plans if isinstance(twin, DraftedTwin) else ():
        if plan.stored is not None:
            known = plan.stored.columns
            columns.setdefault(plan.stored.table, set()).update(known[name] for name in plan.guessed if name in known)
    return columns


def shape_of(operation: str) -> str:
    """Return the name of an operation without the names of its placeholders: `GET /items/{}`."""
    return re.sub(r"\{[^}]*\}", "{}", operation)


def _join_rows(drafted: Callable[[], Rows], written: Callable[[], Rows] | None) -> Callable[[], Rows]:
    return drafted if written is None else lambda: {**drafted(), **written()}


def hosts_of(overlay: Overlay) -> dict[str, str]:
    """Return the hosts that an overlay adds, each with the prefix of its paths."""
    return overlay.hosts if isinstance(overlay.hosts, dict) else dict.fromkeys(overlay.hosts, "")


def variables_of(overlay: Overlay) -> Variables | None:
    """Return the environment variables of clients, if an overlay says them."""
    given = overlay.variables
    if given is None:
        return None
    signature = overlay.webhooks.signature if overlay.webhooks else None
    has_key = given.public_key and signature
    key = (given.public_key, partial(show_public_key, signature.scheme)) if has_key and signature else None
    return Variables(given.tokens, given.urls, given.secrets, signing=given.signing, public_key=key)


def _refuse_table(table: str, tables: Sequence[str]) -> NoReturn:
    raise KeyError(f"There is no table '{table}'.{did_you_mean(table, set(tables))} Tables: {', '.join(tables)}.")


def _remember_request(
    webhooks: WebhookOverlay | None, exchange: RequestContext, call: Call, proceed: Callable[[], Any]
) -> Any:
    call.memo["exchange"], call.memo["webhooks"] = exchange, webhooks
    return proceed()


def _declare(api: Operations, plan: OperationPlan, interpreter: DraftInterpreter, schemas: SchemaSet) -> None:
    handler = _handler_of(plan, interpreter, schemas)
    path, verb = plan.operation.path, plan.operation.verb
    if verb == "GET":
        api.get(path)(handler)
    else:
        declare = {"POST": api.post, "PUT": api.put, "PATCH": api.patch, "DELETE": api.delete}[verb]
        declare(path, body_limit=BODY_LIMIT_BYTES)(handler)


def _handler_of(plan: OperationPlan, interpreter: DraftInterpreter, schemas: SchemaSet) -> Handler:
    """Return a handler whose signature is that of the description: `handler(call, id, limit=None, body=None)`."""
    signature = [inspect.Parameter("call", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    annotations: dict[str, Any] = {"call": Call, "return": Any}
    wire: list[ParameterDescription | None] = []
    for parameter in sorted(plan.operation.parameters, key=lambda each: not each.is_required):
        python = f"{parameter.place}_{python_name(parameter.name)}_{len(wire)}"
        signature.append(_parameter(python, parameter))
        annotations[python] = _hint(parameter, schemas)
        wire.append(parameter)
    if plan.operation.body is not None:
        signature.append(inspect.Parameter("body", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None))
        annotations["body"] = Annotated[Any, Body]
        wire.append(None)

    def handler(call: Call, *values: Any) -> Any:
        given: dict[str, Any] = {}
        body: Any = None
        for parameter, value in zip(wire, values, strict=True):
            if parameter is None:
                body = value
            elif value is not None:
                given[parameter.name] = _check(parameter, value, schemas)
        return interpreter.serve(plan, call, given, body)

    handler.__name__ = python_name(name_handler(plan))
    handler.__doc__ = plan.operation.summary
    handler.__annotations__ = annotations
    handler.__signature__ = inspect.Signature(signature)  # pyright: ignore[reportFunctionMemberAccess]
    return handler


def _parameter(name: str, parameter: ParameterDescription) -> inspect.Parameter:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    default: Any = inspect.Parameter.empty if parameter.is_required else None
    return inspect.Parameter(name, kind, default=default)


def _hint(parameter: ParameterDescription, schemas: SchemaSet) -> Any:
    hint = str if parameter.place == "path" else _HINTS.get(schemas.type_of(parameter.schema), str)
    if parameter.place == "header":
        return Annotated[str if parameter.is_required else str | None, Named(parameter.name), Header(parameter.name)]
    return Annotated[hint if parameter.is_required else hint | None, Named(parameter.name)]


def _check(parameter: ParameterDescription, value: Any, schemas: SchemaSet) -> Any:
    """Return a parameter's value, a list split at its commas. Raises InvalidParameter if its schema refuses it."""
    if isinstance(value, list):
        value = [part for each in cast(list[Any], value) for part in str(each).split(",")]
    if parameter.place == "query" and schemas.type_of(parameter.schema) not in ("object", ""):
        errors = schemas.errors(parameter.schema, value, most=1)
        if errors:
            raise InvalidParameter(parameter.name, errors[0].message)
    return value
