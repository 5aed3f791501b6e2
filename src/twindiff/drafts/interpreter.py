"""Serves the operations of a description by their plans, over the tables of its resources."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, cast
from urllib.parse import urlencode

from twindiff.kit.call import Call
from twindiff.kit.errors import AlreadyExists, ApiError, InvalidParameter, MissingOperation, NotFound
from twindiff.kit.http import ValueResponse
from twindiff.kit.parameter_sources import Upload
from twindiff.kit.request_context import RequestContext
from twindiff.kit.rows import Expression, Row

from .answers import AnswerBuilder, ShownRow
from .documents import Schema
from .listing import PLACES, complete_envelope, holds, meets_filters, select_page
from .names import family_of, snake
from .overlay import Overlay, ResourceOverlay
from .plan import STATES, OperationPlan
from .resources import KEY_NAMES, PathRole, ResourceMap, fields_for
from .schemas import SchemaSet
from .tables import IdempotentAnswer, StoredResource, fields_above
from .values import make_time
from .wire_style import DRAFTED_HEADER

INITIAL_STATES = (
    "open",
    "opened",
    "active",
    "pending",
    "new",
    "todo",
    "draft",
    "queued",
    "created",
    "enabled",
    "scheduled",
)
_SINGLE = "self"
"""The key of what a path without an id holds at most once."""
FIRST_NUMBER = 1001
"""The number of the first object that calls create; templates number theirs below it."""
MYSELF = ("me", "@me", "self", "~")
"""Keys by which paths name the caller, who is the first of the users."""
MAX_SCANNED_ROWS = 100_000


class StateConflict(ApiError):
    """The object is in a state in which this cannot be done."""

    status = 409


class DraftInterpreter:
    """Does what operations' plans say."""

    def __init__(
        self, resource_map: ResourceMap, stored: Mapping[str, StoredResource], overlay: Overlay, schemas: SchemaSet
    ) -> None:
        self._resource_map, self._stored, self._overlay, self._schemas = resource_map, stored, overlay, schemas
        self._builder = AnswerBuilder(schemas)
        self._members = {path: role for path, role in resource_map.roles.items() if role.kind == "member"}

    def serve(self, plan: OperationPlan, call: Call, given: Mapping[str, Any], body: Any) -> ValueResponse:
        """Do what a plan says. `given` are the parameters by wire name and `body` the whole body.

        Raises the errors of the handler, rendered by the twin's style.
        """
        if plan.behaviour == "missing" or plan.stored is None:
            raise MissingOperation(f"{plan.operation.name} is not served by this drafted twin: {plan.reason}.")
        self._check_parents(plan, call, given)
        exchange: RequestContext = call.memo["exchange"]
        call.memo["body"] = body
        fields, ignored = self._read_body(plan, exchange, body)
        ignored = [] if plan.behaviour == "list" else ignored
        key = exchange.request.headers.get("idempotency-key", "") if plan.operation.verb == "POST" else ""
        known = self._known_answer(call, exchange, key) if key else None
        value = known if known is not None else _ACTIONS[plan.behaviour](self, plan, call, given, fields)
        if key and known is None:
            call.db.add(IdempotentAnswer(idempotency_key=key, request=_request_text(exchange), answer=value))
        told = plan.confidence + "".join(f"; {what}" for what in _tell(plan, given, ignored))
        return ValueResponse(value, plan.operation.status, ((DRAFTED_HEADER, told),))

    def _known_answer(self, call: Call, exchange: RequestContext, key: str) -> Any:
        known = call.db.find(IdempotentAnswer, IdempotentAnswer.idempotency_key == key)
        if known and known.request != _request_text(exchange):
            raise StateConflict(f"The idempotency key '{key}' was used for another request.")
        return known.answer if known else None

    def _check_parents(self, plan: OperationPlan, call: Call, given: Mapping[str, Any]) -> None:
        """Raise NotFound for a path below an object that does not exist."""
        path = plan.operation.path
        for prefix, role in self._members.items():
            is_above = path.startswith(prefix + "/") and len(prefix) < len(path)
            if is_above and role.resource in self._stored and plan.role.kind != "action":
                self._find(self._stored[role.resource], role, call, given)

    # -- rows ------------------------------------------------------------------------------------------------------

    def _find(self, stored: StoredResource, role: PathRole, call: Call, given: Mapping[str, Any]) -> Row:
        """Return the row that a path names; raises NotFound."""
        wanted = given[role.key] if role.key else _SINGLE
        by_snake = {snake(name): name for name in stored.columns}
        named = fields_for(role.key, stored.resource.name, by_snake) if role.key else [stored.resource.key]
        others = [by_snake[name] for name in KEY_NAMES if name in by_snake]
        candidates = dict.fromkeys([*named, stored.resource.key, *others])
        for field in candidates:
            for row in self._rows_with(call, stored, field, wanted):
                if self._is_below(stored, role, given, row):
                    return row
        if wanted in MYSELF:
            mine = call.db.rows(stored.row, order=getattr(stored.row, stored.order), limit=1)
            if mine:
                return mine[0]
        raise NotFound(stored.resource.name.replace("_", " "), wanted)

    def _rows_with(self, call: Call, stored: StoredResource, field: str, wanted: Any) -> list[Row]:
        column = getattr(stored.row, stored.columns[field])
        value: Any = wanted
        if column.kind == "json":
            return []
        if column.kind in ("integer", "float"):
            value = parse_whole(str(wanted), None)
            if value is None:
                return []
        return call.db.rows(stored.row, column == value, limit=MAX_SCANNED_ROWS)

    def _is_below(self, stored: StoredResource, role: PathRole, given: Mapping[str, Any], row: Row) -> bool:
        fields = self._fields_of(stored, row)
        for placeholder in role.parents:
            if placeholder in stored.parents:
                if getattr(row, stored.parents[placeholder]) != str(given[placeholder]):
                    return False
                continue
            above = fields_above(placeholder, stored.columns)
            if above and not any(holds(fields.get(field), given[placeholder]) for field in above):
                return False
        return True

    def _fields_of(self, stored: StoredResource, row: Row) -> dict[str, Any]:
        return {field: value for field, column in stored.columns.items() if (value := getattr(row, column)) is not None}

    def _find_related(self, call: Call) -> Callable[[str, Any], Mapping[str, Any] | None]:
        """Return the function that finds the object to which a field refers."""

        def find(name: str, value: Any) -> Mapping[str, Any] | None:
            stored = self._stored.get(family_of(name)) or (self._stored.get("user") if _names_person(name) else None)
            if stored is None or isinstance(value, (Mapping, list, bool)) or value is None:
                return None
            memo = call.memo.setdefault("related", {})
            at = (stored.resource.name, str(value))
            if at not in memo:
                rows = self._rows_with(call, stored, stored.resource.key, value)
                memo[at] = self._fields_of(stored, rows[0]) if rows else None
            return memo[at]

        return find

    # -- bodies ----------------------------------------------------------------------------------------------------

    def _read_body(self, plan: OperationPlan, exchange: RequestContext, body: Any) -> tuple[dict[str, Any], list[str]]:
        """Return the fields of a body that are stored, and the names of the others. Raises InvalidParameter."""
        schema = plan.operation.body
        if schema is None or plan.body is None or plan.stored is None:
            return {}, []
        if body is None or (body == {} and not exchange.request.body):
            if plan.operation.is_body_required or self._schemas.required_fields(schema):
                self._refuse(schema, {})
            return {}, []
        if "form" in exchange.request.content_type:
            body = self._coerce(schema, body)
        self._refuse(schema, body)
        inner: Any = cast(dict[str, Any], body).get(plan.body.field, {}) if plan.body.field else body
        if not isinstance(inner, dict):
            return {}, []
        fields = cast(dict[str, Any], inner)
        by_snake = {snake(name): name for name in plan.stored.columns}
        known = {by_snake[snake(name)]: _storable(value) for name, value in fields.items() if snake(name) in by_snake}
        return known, sorted(name for name in fields if snake(name) not in by_snake)

    def _refuse(self, schema: Schema, body: Any) -> None:
        errors = self._schemas.errors(schema, body, most=1)
        if errors:
            raise InvalidParameter(".".join(map(str, errors[0].path)), errors[0].message)

    def _coerce(self, schema: Schema, value: Any) -> Any:
        """Return the texts of a form as the types of its schema."""
        kind = self._schemas.type_of(schema)
        if isinstance(value, dict):
            properties = self._schemas.properties(schema)
            fields = cast(dict[str, Any], value)
            return {name: self._coerce(properties.get(name, {}), each) for name, each in fields.items()}
        if kind == "array":
            listed = cast(list[Any], value) if isinstance(value, list) else [value]
            return [self._coerce(self._schemas.items(schema), each) for each in listed]
        if not isinstance(value, str):
            return _storable(value)
        if kind == "boolean" and value.lower() in ("true", "false", "1", "0"):
            return value.lower() in ("true", "1")
        try:
            return parse_whole(value) if kind == "integer" else float(value) if kind == "number" else value
        except ValueError:
            return value

    # -- behaviours ------------------------------------------------------------------------------------------------

    def _list(self, plan: OperationPlan, call: Call, given: Mapping[str, Any], _fields: dict[str, Any]) -> Any:
        body = call.memo.get("body")
        stored, answer = cast(StoredResource, plan.stored), plan.answer
        assert answer is not None
        where: list[Expression] = [
            getattr(stored.row, column) == str(given[placeholder])
            for placeholder, column in stored.parents.items()
            if placeholder in plan.role.parents
        ]
        flag = self._about(stored).soft_delete
        rows = [
            self._fields_of(stored, row)
            for row in call.db.rows(stored.row, *where, order=getattr(stored.row, stored.order), limit=MAX_SCANNED_ROWS)
            if self._is_below(stored, plan.role, given, row) and not (flag and getattr(row, stored.columns[flag]))
        ]
        if isinstance(body, Mapping):
            rows = [row for row in rows if meets_filters(row, cast(Mapping[str, Any], body))]
        page = select_page(plan.query, given, rows)
        listed = [self._show(call, stored, fields, answer.schema) for fields in page.rows]
        whole = plan.operation.answer
        if not answer.field or whole is None:
            return listed
        exchange: RequestContext = call.memo["exchange"]
        url = f"{call.base_url}{exchange.request.path}"
        envelope = self._schemas.properties(whole)
        told = complete_envelope(envelope, answer.field, page, plan.query, _page_url(url, exchange), self._schemas)
        return self._builder.repair(call, {answer.field: listed, **told}, whole, "page")

    def _create(self, plan: OperationPlan, call: Call, given: Mapping[str, Any], body: dict[str, Any]) -> Any:
        stored = cast(StoredResource, plan.stored)
        row = self._make_row(stored, plan.role, call, given, body)
        return self._answer(plan, call, self._fields_of(stored, row))

    def _make_row(
        self, stored: StoredResource, role: PathRole, call: Call, given: Mapping[str, Any], body: dict[str, Any]
    ) -> Row:
        """Store a new object: what the body gives, then what stands above it, defaults, its state and times."""
        fields = {**self._about(stored).defaults, **body}
        above: dict[str, Any] = {}
        for placeholder in role.parents:
            if placeholder in stored.parents:
                above[stored.parents[placeholder]] = str(given[placeholder])
                continue
            for field in fields_above(placeholder, stored.columns)[:1]:
                fields.setdefault(field, self._as_relation(stored, field, given[placeholder]))
        for field, schema in stored.schemas.items():
            if field not in fields:
                value = self._initial(call, stored, field, schema)
                if value is not None:
                    fields[field] = value
        key = stored.resource.key
        if fields.get(key) is None:
            fields[key] = given[role.key] if role.key else self._new_key(stored, call)
        if getattr(stored.row, stored.columns[key]).kind == "integer" and not isinstance(fields[key], int):
            fields[key] = call.db.next(f"{stored.resource.name}_id", at_least=FIRST_NUMBER)
        columns = {stored.columns[name]: self._fit(stored, name, value) for name, value in fields.items()}
        columns[stored.order] = call.db.next("creation")
        return call.db.add(stored.row(**{**columns, **above}), taken=AlreadyExists)

    def store_seed(self, call: Call, stored: StoredResource, given: Mapping[str, Any]) -> Row:
        """Store an object of a seed: `given` are its fields and the placeholders above it by name."""
        above = {name: given[name] for name in stored.parents if name in given}
        role = PathRole(stored.resource.name, "collection", tuple(above))
        return self._make_row(stored, role, call, above, {n: v for n, v in given.items() if n in stored.columns})

    def _as_relation(self, stored: StoredResource, field: str, value: Any) -> Any:
        """Return the key of an object above as the field of a row holds it: an id, an object, or a list of objects."""
        schema = stored.schemas.get(field, {})
        kind = self._schemas.type_of(schema)
        if kind == "array":
            return [self._as_object(self._schemas.items(schema), value)]
        if kind == "object":
            return self._as_object(schema, value)
        return parse_whole(str(value), value) if kind == "integer" else value

    def _as_object(self, schema: Schema, value: Any) -> Any:
        properties = self._schemas.properties(schema)
        key = next((each for each in KEY_NAMES if each in properties), "")
        return {key: value} if key else value

    def _initial(self, call: Call, stored: StoredResource, field: str, schema: Schema) -> Any:
        """Return the value of a new object's field that is known by convention; None if none is."""
        flat, name = self._schemas.flatten(schema), snake(field)
        if flat.get("default") is not None:
            return flat["default"]
        choices = flat.get("enum") or ()
        if name in STATES and choices:
            usual = [each for each in INITIAL_STATES if each in choices]
            return usual[0] if usual else choices[0]
        if name.startswith(("created", "updated", "modified", "date_created", "date_updated", "last_modified")):
            return _as_number(make_time(flat, field, call.clock), self._schemas.type_of(schema), call)
        if name in ("number", "iid") and self._schemas.type_of(schema) == "integer":
            return call.db.next(f"{stored.resource.name}_number")
        if name in ("object", "resource_type") and len(choices) == 1:
            return choices[0]
        return None

    def _new_key(self, stored: StoredResource, call: Call) -> Any:
        """Return a key that no row has, in the form that the overlay or the field's schema says."""
        while True:
            key = self._make_key(stored, call)
            if not self._rows_with(call, stored, stored.resource.key, key):
                return key

    def _make_key(self, stored: StoredResource, call: Call) -> Any:
        form = self._about(stored).id
        counter = f"{stored.resource.name}_id"
        if form and form.kind == "uuid":
            return call.ids.uuid()
        if form and form.kind == "number":
            return str(call.db.next(counter, at_least=form.first))
        if form:
            return call.ids.new(form.prefix, min(form.length, 64), form.alphabet)
        schema = stored.schemas.get(stored.resource.key, {})
        return self._builder.make_key(schema, stored.resource.name, call.db.next(counter, at_least=FIRST_NUMBER))

    def _fit(self, stored: StoredResource, field: str, value: Any) -> Any:
        """Return a value as the column of a field holds it."""
        kind = getattr(stored.row, stored.columns[field]).kind
        if kind == "text" and not isinstance(value, str):
            return None if value is None else str(value)
        if kind == "integer" and (isinstance(value, bool) or not isinstance(value, int)):
            return parse_whole(str(value), None)
        if kind == "float":
            return float(value) if isinstance(value, (int, float)) else None
        return value if kind != "boolean" or isinstance(value, bool) else None

    def _read(self, plan: OperationPlan, call: Call, given: Mapping[str, Any], _body: dict[str, Any]) -> Any:
        stored = cast(StoredResource, plan.stored)
        if plan.role.kind == "single":
            return self._answer(plan, call, self._single_fields(stored, plan, call, given))
        row = self._find(stored, plan.role, call, given)
        return self._answer(plan, call, self._fields_of(stored, row))

    def _single_fields(
        self, stored: StoredResource, plan: OperationPlan, call: Call, given: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return what a path without an id holds: its row, else the first of its resource, else nothing yet."""
        named = self._rows_with(call, stored, stored.resource.key, plan.role.action) if plan.role.action else []
        rows = named or call.db.rows(stored.row, order=getattr(stored.row, stored.order), limit=1)
        own = [row for row in rows if self._is_below(stored, plan.role, given, row)]
        return self._fields_of(stored, own[0]) if own else {}

    def _update(self, plan: OperationPlan, call: Call, given: Mapping[str, Any], body: dict[str, Any]) -> Any:
        stored = cast(StoredResource, plan.stored)
        try:
            row = self._find(stored, plan.role, call, given)
        except NotFound:
            if plan.operation.verb != "PUT" and plan.role.kind != "single":
                raise
            if plan.role.kind == "member" and stored.resource.creatable:
                raise
            key = {} if plan.role.key else {stored.resource.key: _SINGLE}
            row = self._make_row(stored, plan.role, call, given, {**key, **body})
            return self._answer(plan, call, self._fields_of(stored, row))
        changed = self._change(stored, row, call, body)
        return self._answer(plan, call, self._fields_of(stored, changed))

    def _change(self, stored: StoredResource, row: Row, call: Call, body: dict[str, Any]) -> Row:
        """Store the fields of a body in a row, and the time of the change if there is something to change."""
        values = {
            stored.columns[name]: self._fit(stored, name, value)
            for name, value in body.items()
            if name != stored.resource.key
        }
        values = {column: value for column, value in values.items() if getattr(row, column) != value}
        if not values:
            return row
        for field, schema in stored.schemas.items():
            if snake(field).startswith(("updated", "modified", "last_modified", "last_edited", "date_updated")):
                flat = self._schemas.flatten(schema)
                stamp = _as_number(make_time(flat, field, call.clock), self._schemas.type_of(schema), call)
                values.setdefault(stored.columns[field], self._fit(stored, field, stamp))
        return call.db.change(row, **values)

    def _delete(self, plan: OperationPlan, call: Call, given: Mapping[str, Any], _body: dict[str, Any]) -> Any:
        stored = cast(StoredResource, plan.stored)
        row = self._find(stored, plan.role, call, given)
        fields = self._fields_of(stored, row)
        flag = self._about(stored).soft_delete
        if flag:
            self._change(stored, row, call, {flag: True})
        else:
            call.db.remove(row)
        return self._answer(plan, call, {**fields, "deleted": True, "success": True, "ok": True})

    def _act(self, plan: OperationPlan, call: Call, given: Mapping[str, Any], body: dict[str, Any]) -> Any:
        stored, change = cast(StoredResource, plan.stored), plan.change
        assert change is not None
        row = self._find(stored, plan.role, call, given)
        now = getattr(row, stored.columns[change.field])
        if change.allowed and now not in change.allowed:
            raise StateConflict(f"{change.field} is {now!r}; this needs one of {', '.join(map(repr, change.allowed))}.")
        changed = self._change(stored, row, call, {**body, change.field: change.value})
        return self._answer(plan, call, {**self._fields_of(stored, changed), "success": True, "ok": True})

    def _answer(self, plan: OperationPlan, call: Call, fields: Mapping[str, Any]) -> Any:
        """Return the answer that shows an object; None for an operation without a body in its answer."""
        whole, answer = plan.operation.answer, plan.answer
        if whole is None or answer is None:
            return None
        stored = cast(StoredResource, plan.stored)
        shown = self._show(call, stored, fields, answer.schema)
        if answer.is_list:
            shown = [shown]
        if not answer.field:
            return shown
        return self._builder.repair(call, {answer.field: shown}, whole, "answer")

    def show_row(self, plan: OperationPlan, call: Call, row: Row) -> Any:
        """Return the answer of an operation that shows a row of its resource."""
        return self._answer(plan, call, self._fields_of(cast(StoredResource, plan.stored), row))

    def _show(self, call: Call, stored: StoredResource, fields: Mapping[str, Any], schema: Schema) -> Any:
        seed = f"{stored.resource.name}/{fields.get(stored.resource.key, '')}"
        return self._builder.show(call, ShownRow(fields, seed), schema, self._find_related(call))

    def _about(self, stored: StoredResource) -> ResourceOverlay:
        return self._overlay.resources.get(stored.table) or _PLAIN


_PLAIN = ResourceOverlay()
_ACTIONS: dict[str, Callable[[DraftInterpreter, OperationPlan, Call, Mapping[str, Any], dict[str, Any]], Any]] = {
    "list": DraftInterpreter._list,  # pyright: ignore[reportPrivateUsage] - a table of this module's own methods
    "create": DraftInterpreter._create,  # pyright: ignore[reportPrivateUsage]
    "read": DraftInterpreter._read,  # pyright: ignore[reportPrivateUsage]
    "update": DraftInterpreter._update,  # pyright: ignore[reportPrivateUsage]
    "delete": DraftInterpreter._delete,  # pyright: ignore[reportPrivateUsage]
    "act": DraftInterpreter._act,  # pyright: ignore[reportPrivateUsage]
}


def _tell(plan: OperationPlan, given: Mapping[str, Any], ignored: list[str]) -> list[str]:
    """Return what the header of an answer says beside its confidence."""
    dropped = [*ignored, *(name for name in plan.query.ignored if given.get(name) is not None)]
    ascii_names = [name for name in dropped if name.isascii() and name.isprintable()][:20]
    told = [f"ignored={','.join(ascii_names)}"] if ascii_names else []
    return [*told, f"guessed={','.join(plan.guessed[:20])}"] if plan.guessed else told


def parse_whole(text: str, otherwise: Any = "") -> Any:
    """Return a text as an integer of at most 18 digits; otherwise `otherwise`, or the text itself."""
    is_whole = re.fullmatch(r"-?[0-9]{1,18}", text)
    return int(text) if is_whole else text if otherwise == "" else otherwise


def _page_url(url: str, exchange: RequestContext) -> str:
    """Return the address of a list with the query of the request, to which the next page's place is added."""
    given = exchange.request.query_parameters()
    kept = {name: value for name, value in given.items() if snake(name) not in PLACES}
    return f"{url}?{urlencode(kept)}&" if kept else f"{url}?"


def _request_text(exchange: RequestContext) -> str:
    return f"{exchange.request.verb} {exchange.request.path}\n{exchange.request.body.decode(errors='replace')}"


def _names_person(name: str) -> bool:
    return snake(name) in (
        "assignee",
        "owner",
        "author",
        "creator",
        "created_by",
        "updated_by",
        "reporter",
        "requester",
        "completed_by",
    )


def _storable(value: Any) -> Any:
    """Return a value of a body with the names of files in place of the files."""
    if isinstance(value, Upload):
        return value.filename
    if isinstance(value, list):
        return [_storable(each) for each in cast(list[Any], value)]
    return value


def _as_number(made: Any, kind: str, call: Call) -> Any:
    """Return a time as seconds since 1970 where its field is a number."""
    return call.clock.unix() if kind in ("integer", "number") else made
