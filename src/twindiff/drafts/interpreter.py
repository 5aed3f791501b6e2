"""Serves the operations of a description by their plans, over the tables of its resources."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast
from urllib.parse import quote, urlencode

from twindiff.kit.call import Call
from twindiff.kit.downloads import file_answer
from twindiff.kit.errors import ApiError, MissingOperation, NotFound
from twindiff.kit.http import Response, ValueResponse
from twindiff.kit.request_context import RequestContext
from twindiff.kit.rows import Expression, Row

from .answers import AnswerBuilder
from .bulk_creation import tells_of_each
from .change_events import ChangeEvents
from .conditions import equals, find_field, read_filters
from .documents import FileDescription
from .listing import (
    POSITION_PARAMETERS,
    ListPage,
    complete_envelope,
    find_declared_fields,
    is_linked,
    link_header,
    put_at,
    select_page,
)
from .names import snake
from .overlay import Overlay
from .placeholders import fill_placeholders, nest_value, value_at
from .plan import OperationPlan, find_relation
from .request_bodies import BodyReader, is_merge_patch
from .resources import ResourceMap
from .schemas import SchemaSet
from .stored_objects import SINGLE, StateConflict, StoredObjects, check_move, refuse_state
from .tables import IdempotentAnswer, StoredResource
from .wire_style import DRAFTED_HEADER

MAX_NAMES_TOLD, MAX_NAME_CHARACTERS = 20, 100
_PLAIN = "".join(map(chr, range(33, 127))).replace(",", "").replace(";", "").replace("%", "") + " "
"""Letters of names that stand in a header as they are."""


class DraftInterpreter:
    """Does what operations' plans say."""

    def __init__(
        self, resource_map: ResourceMap, stored: Mapping[str, StoredResource], overlay: Overlay, schemas: SchemaSet
    ) -> None:
        self._stored, self._schemas = stored, schemas
        self._builder = AnswerBuilder(schemas)
        self._objects = StoredObjects(stored, overlay, schemas, resource_map.list_addresses())
        self._events = ChangeEvents(overlay, self._objects)
        self._bodies = BodyReader(schemas, self._objects, takes_number_texts=overlay.number_texts)
        self._members = resource_map.members
        self._related = {role.resource for role in self._members.values()}

    @property
    def objects(self) -> StoredObjects:
        """The objects on which it works."""
        return self._objects

    def serve(self, plan: OperationPlan, call: Call, given: Mapping[str, Any], body: Any) -> ValueResponse | Response:
        """Do what a plan says. `given` are the parameters by wire name and `body` the whole body.

        Raises the errors of the handler, rendered by the twin's style.
        """
        if plan.behaviour == "refuse":
            refusal = plan.operation.recorded_refusal
            told = "; ".join([plan.confidence, *_describe(plan, given, [])])
            answer = plan.operation.responses[refusal].example
            return ValueResponse(answer, int(refusal), ((DRAFTED_HEADER, told),))
        if plan.behaviour == "missing" or plan.stored is None:
            raise MissingOperation(f"{plan.operation.name} is not served by this drafted twin: {plan.reason}.")
        given = call.memo["given"] = self._find_parents(plan, call, given)
        if plan.operation.file and plan.behaviour == "file":
            return self._serve_file(plan, plan.operation.file, call, given)
        exchange: RequestContext = call.memo["exchange"]
        call.memo["body"] = body
        if plan.operation.body is None and plan.behaviour in ("create", "update"):
            fields, ignored = self._bodies.read_query(plan, given)
        else:
            read = self._bodies.read_list if plan.behaviour == "create_many" else self._bodies.read
            fields, ignored = read(plan, exchange, body)
        ignored = [] if plan.behaviour == "list" else ignored
        key = exchange.request.headers.get("idempotency-key", "") if plan.operation.verb == "POST" else ""
        known = self._known_answer(call, exchange, key) if key else None
        value = known if known is not None else _ACTIONS[plan.behaviour](self, plan, call, given, fields)
        if key and known is None:
            call.db.add(IdempotentAnswer(idempotency_key=key, request=_request_text(exchange), answer=value))
        told = plan.confidence + "".join(f"; {what}" for what in _describe(plan, given, ignored))
        links = call.memo.get("links")
        headers = ((DRAFTED_HEADER, told), *((("Link", links),) if links else ()))
        return ValueResponse(value, call.memo.get("status", plan.status), headers)

    def _serve_file(self, plan: OperationPlan, file: FileDescription, call: Call, given: Mapping[str, Any]) -> Response:
        """Return zeros as a file of the described type and size; raises NotFound if its object is not there."""
        stored, exchange = cast(StoredResource, plan.stored), cast(RequestContext, call.memo["exchange"])
        if plan.role.key and stored.resource.creatable:
            self._objects.find(stored, plan.role, call, given)
        headers = ((DRAFTED_HEADER, "; ".join([plan.confidence, *_describe(plan, given, [])])),)
        asked = exchange.request.headers.get("range", "")
        return file_answer(bytes(file.size), file.media_type, range=asked, headers=headers)

    def _known_answer(self, call: Call, exchange: RequestContext, key: str) -> Any:
        known = call.db.find(IdempotentAnswer, IdempotentAnswer.idempotency_key == key)
        if known and known.request != _request_text(exchange):
            raise StateConflict(f"The idempotency key '{key}' was used for another request.")
        return known.answer if known else None

    def _find_parents(self, plan: OperationPlan, call: Call, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the parameters with the value by which objects below refer to those above, such as their ids.

        Raises NotFound for a path below an object that does not exist.
        """
        path = plan.operation.path
        values = dict(given)
        for prefix, role in self._members.items():
            is_above = path.startswith(prefix + "/") and len(prefix) < len(path)
            if is_above and role.resource in self._stored and plan.role.kind != "action":
                stored = self._stored[role.resource]
                row = self._objects.find(stored, role, call, values)
                values[role.key] = self._objects.name_by(stored, role, row, values[role.key])
                call.memo.setdefault("above", {})[stored.table] = self._objects.plain_fields(stored, row)
        return values

    # -- behaviours ------------------------------------------------------------------------------------------------

    def _list(self, plan: OperationPlan, call: Call, given: Mapping[str, Any], _fields: dict[str, Any]) -> Any:
        stored, answer, body = cast(StoredResource, plan.stored), plan.answer, call.memo.get("body")
        assert answer is not None
        where = [*self._objects.conditions_above(stored, plan.role, given), *self._objects.is_there(stored)]
        where += self._read_conditions(plan.declared.where, stored, call, given)
        where += call.memo.get("handler_conditions", ())
        raw = {**cast(Mapping[str, Any], body), **given} if isinstance(body, Mapping) else given
        page = select_page(plan.query, raw, stored, call.db, [*where, *read_filters(stored, body)])
        rows = self._objects.fields_of(call, stored, page.rows)
        listed = [self._objects.show(call, stored, fields, answer.schema) for fields in rows]
        exchange: RequestContext = call.memo["exchange"]
        host = "" if plan.query.is_relative else call.base_url
        url = _page_url(f"{host}{exchange.request.path}", exchange, plan.query.position_parameter)
        if is_linked(plan.query, is_bare=not answer.field):
            call.memo["links"] = link_header(page, plan.query, url)
        whole = plan.operation.answer
        if not answer.field or whole is None:
            return listed
        if answer.inner:
            listed = [{answer.inner: each} for each in listed]
        envelope = self._schemas.properties(whole)
        told = complete_envelope(envelope, answer.field.partition(".")[0], page, plan.query, url, self._schemas)
        told |= self._declared_answer(plan, call)
        for path, value in find_declared_fields(plan.query, page, url):
            put_at(told, path, value)
        shown = self._builder.repair(call, _put_beside(answer.field, listed, told), whole, "page")
        # An address without a host is no `uri` in the sense of a schema's format, and the vendor gives it all the same.
        relative = {name: each for name, each in told.items() if plan.query.is_relative and str(each).startswith("/")}
        return {**shown, **relative}

    def _read_conditions(
        self, fields: Mapping[str, Any], stored: StoredResource, call: Call, given: Mapping[str, Any]
    ) -> list[Expression]:
        """Return the conditions that the overlay declares; one whose parameter is not given is no condition."""
        filled = fill_placeholders(dict(fields), partial(self._objects.look_up, call, given))
        return [equals(find_field(stored, name), value) for name, value in filled.items() if value is not None]

    def _count(self, plan: OperationPlan, call: Call, given: Mapping[str, Any], _fields: dict[str, Any]) -> Any:
        stored, whole = cast(StoredResource, plan.stored), plan.operation.answer or {}
        where = [*self._objects.conditions_above(stored, plan.role, given), *self._objects.is_there(stored)]
        page = select_page(plan.query, given, stored, call.db, where)
        told = complete_envelope(self._schemas.properties(whole), "", page, plan.query, "", self._schemas)
        return self._builder.repair(call, told, whole, "count")

    def _create(self, plan: OperationPlan, call: Call, given: Mapping[str, Any], body: dict[str, Any]) -> Any:
        row = self._make(plan, call, given, body)
        return self._answer(plan, call, self._tell(plan, call, "create", None, row))

    def _create_many(
        self, plan: OperationPlan, call: Call, given: Mapping[str, Any], objects: list[dict[str, Any]]
    ) -> Any:
        """Create the objects of a list; if one is refused, the error has none of them stored."""
        answer, whole = plan.answer, plan.operation.answer
        assert answer is not None
        assert whole is not None
        listed: list[Any] = []
        for fields in objects:
            call.memo["body"] = fields
            try:
                row = self._make(plan, call, given, fields)
            except ApiError as error:
                if tells_of_each(plan.operation, self._schemas):
                    raise MissingOperation(f"What {plan.operation.name} stores if one is refused: {error}") from None
                raise
            told = self._tell(plan, call, "create", None, row)
            shown = self._objects.show(call, cast(StoredResource, plan.stored), told, answer.schema)
            listed.append({answer.inner: shown} if answer.inner else shown)
        if not answer.field:
            return listed
        page = ListPage([], len(listed), 0, len(listed), "")
        envelope = self._schemas.properties(whole)
        told = complete_envelope(envelope, answer.field.partition(".")[0], page, plan.query, "", self._schemas)
        told |= self._declared_answer(plan, call)
        return self._builder.repair(call, _put_beside(answer.field, listed, told), whole, "created")

    def _make(self, plan: OperationPlan, call: Call, given: Mapping[str, Any], fields: Mapping[str, Any]) -> Row:
        role = plan.role._replace(key="") if plan.declared.does else plan.role
        values = {**fields, **self._declared_values(plan, call, given)}
        return self._objects.make(cast(StoredResource, plan.stored), role, call, given, values)

    def _copy(self, plan: OperationPlan, call: Call, given: Mapping[str, Any], body: dict[str, Any]) -> Any:
        """Create an object like another but for its key and its times, with what the body gives."""
        stored = cast(StoredResource, plan.stored)
        known = self._objects.plain_fields(stored, self._find(plan, call, given))
        own = {name: value for name, value in known.items() if self._objects.is_copied(stored, name)}
        return self._create(plan._replace(role=plan.role._replace(key="")), call, given, {**own, **body})

    def _declared_values(self, plan: OperationPlan, call: Call, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields that the overlay or a handler sets; one of the overlay without a value is left alone."""
        filled = fill_placeholders(dict(plan.declared.set), partial(self._objects.look_up, call, given))
        known = {name: value for name, value in filled.items() if value is not None or plan.declared.set[name] is None}
        return {**known, **call.memo.get("handler_fields", {})}

    def _find(self, plan: OperationPlan, call: Call, given: Mapping[str, Any]) -> Row:
        """Return the row that a request names; raises NotFound."""
        stored = cast(StoredResource, plan.stored)
        if not plan.declared.by:
            return self._objects.find(stored, plan.role, call, given)
        row = next(
            iter(call.db.rows(stored.row, *self._read_conditions(plan.declared.by, stored, call, given), limit=1)), None
        )
        if row is None or not self._read_conditions(plan.declared.by, stored, call, given):
            wanted = fill_placeholders(dict(plan.declared.by), partial(self._objects.look_up, call, given))
            raise NotFound(stored.resource.name.replace("_", " "), *wanted.values())
        return row

    def _read(self, plan: OperationPlan, call: Call, given: Mapping[str, Any], _body: dict[str, Any]) -> Any:
        stored = cast(StoredResource, plan.stored)
        if plan.role.kind == "single" and not plan.declared.by:
            return self._answer(plan, call, self._single_fields(stored, plan, call, given))
        return self._answer(plan, call, self._fields(plan, call, self._find(plan, call, given)))

    def _single_fields(
        self, stored: StoredResource, plan: OperationPlan, call: Call, given: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return what a path without an id holds: its row, else the first of its resource, else nothing yet."""
        above: dict[str, dict[str, Any]] = call.memo.get("above", {})
        table, parent = [*above.items()][-1] if above else ("", {})
        field = find_relation(plan.operation.path, self._objects.by_table[table]) if table else None
        if field and plan.role.resource in self._related:
            row = self._objects.find_referred(call, stored, parent.get(field))
            return self._fields(plan, call, row)
        where = self._objects.conditions_above(stored, plan.role, given)
        key = stored.resource.key
        named = self._objects.rows_with(call, stored, key, plan.role.action, where) if plan.role.action else []
        rows = named or call.db.rows(stored.row, *where, order=getattr(stored.row, stored.order), limit=1)
        return self._fields(plan, call, rows[0]) if rows else {}

    def _fields(self, plan: OperationPlan, call: Call, row: Row) -> dict[str, Any]:
        return self._objects.fields_of(call, cast(StoredResource, plan.stored), [row])[0]

    def _update(self, plan: OperationPlan, call: Call, given: Mapping[str, Any], body: dict[str, Any]) -> Any:
        stored = cast(StoredResource, plan.stored)
        body = {**body, **self._objects.find_event(stored, call), **self._declared_values(plan, call, given)}
        try:
            row = self._find(plan, call, given)
        except NotFound:
            if plan.operation.verb != "PUT" and plan.role.kind != "single":
                raise
            if plan.declared.by or (plan.role.kind == "member" and stored.resource.creatable):
                raise
            key = {} if plan.role.key else {stored.resource.key: SINGLE}
            row = self._objects.make(stored, plan.role, call, given, {**key, **body})
            return self._answer(plan, call, self._tell(plan, call, "create", None, row))
        absent = self._values_without(plan, call, given)
        changing = "patch" if is_merge_patch(plan, call.memo["exchange"]) else "merge" if absent is None else "replace"
        changed = self._objects.change(stored, row, call, body, changing, absent or {})
        return self._answer(plan, call, self._tell(plan, call, "update", row, changed))

    def _values_without(self, plan: OperationPlan, call: Call, given: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return what the fields become that a body lacks which replaces an object; None if it replaces none."""
        if plan.behaviour != "replace" or plan.body is None:
            return None
        exchange: RequestContext = call.memo["exchange"]
        body = call.memo["body"]
        if not isinstance(value_at(body, plan.body.field), dict) or (not body and not exchange.request.body):
            return None
        stored = cast(StoredResource, plan.stored)
        return self._objects.values_without(stored, plan.role, call, given, plan.body.schema)

    def _upsert(self, plan: OperationPlan, call: Call, given: Mapping[str, Any], body: dict[str, Any]) -> Any:
        """Change the object that a body names, by its key or another field that identifies one, or create it."""
        stored = cast(StoredResource, plan.stored)
        above = self._objects.conditions_above(stored, plan.role, given)
        row = self._objects.find_same(stored, call, body, above)
        status = "200" if row else "201"
        call.memo["status"] = int(status) if status in plan.operation.responses else plan.status
        if row is None:
            return self._create(plan, call, given, body)
        changed = self._objects.change(stored, row, call, {**body, **self._declared_values(plan, call, given)})
        return self._answer(plan, call, self._tell(plan, call, "update", row, changed))

    def _delete(self, plan: OperationPlan, call: Call, given: Mapping[str, Any], _body: dict[str, Any]) -> Any:
        stored = cast(StoredResource, plan.stored)
        row = self._find(plan, call, given)
        fields = self._tell(plan, call, "delete", row, row)
        self._objects.remove(stored, row, call)
        return self._answer(plan, call, {**fields, "deleted": True, "success": True, "ok": True})

    def _act(self, plan: OperationPlan, call: Call, given: Mapping[str, Any], body: dict[str, Any]) -> Any:
        stored, change = cast(StoredResource, plan.stored), plan.change
        assert change is not None
        row = self._find(plan, call, given)
        now = getattr(row, stored.columns[change.field]) if change.field else None
        if change.allowed and now not in change.allowed:
            needed = ", ".join(map(repr, change.allowed))
            raise refuse_state(change.refusal, f"{change.field} is {now!r}; this needs one of {needed}.")
        states = self._objects.about(stored).states
        if states and states.field == change.field and not change.allowed:
            check_move(states, now, change.value)
        further = fill_placeholders(dict(change.further), partial(self._objects.look_up, call, given))
        timed = self._objects.time_state(stored, call, now, change.value) if change.field else {}
        values = {**body, **timed, **further, **({change.field: change.value} if change.field else {})}
        for items, is_added in ((change.added, True), (change.removed, False)):
            filled = fill_placeholders(dict(items), partial(self._objects.look_up, call, given))
            values |= {
                n: self._objects.change_list(stored, row, n, each, is_added=is_added) for n, each in filled.items()
            }
        changed = self._objects.change(stored, row, call, values)
        return self._answer(plan, call, {**self._tell(plan, call, "update", row, changed), "success": True, "ok": True})

    def _tell(self, plan: OperationPlan, call: Call, action: str, before: Row | None, row: Row) -> dict[str, Any]:
        """Emit the event of a change, if the overlay has one, and return the fields of the row."""
        stored = cast(StoredResource, plan.stored)
        fields = self._fields(plan, call, row)
        if before is not row or action == "delete":
            self._emit(call, stored, (plan.operation.name, action), before, row)
        return fields

    def _emit(self, call: Call, stored: StoredResource, causes: tuple[str, str], before: Row | None, row: Row) -> None:
        known = self._objects.plain_fields(stored, before) if before else {}
        above = {name: getattr(row, column) for name, column in stored.parents.items()}
        fields = self._objects.fields_of(call, stored, [row])[0]
        self._events.emit(call, stored, causes, known, fields, above)

    def tell_change(self, call: Call, table: str, causes: tuple[str, str], row: Row, before: Row | None = None) -> None:
        """Emit the event of a row that a handler created, changed or removed; see `ChangeEvents.emit`."""
        self._emit(call, self._objects.by_table[table], causes, before, row)

    def _answer(self, plan: OperationPlan, call: Call, fields: Mapping[str, Any]) -> Any:
        """Return the answer that shows an object; None for an operation without a body in its answer."""
        whole, answer = plan.operation.answer, plan.answer
        if whole is None or plan.status == 204:
            return None
        told = self._declared_answer(plan, call)
        if answer is None:
            is_free = self._schemas.fits(whole, {})
            return told if is_free else self._builder.repair(call, {**fields, **told}, whole, "answer")
        stored = cast(StoredResource, plan.stored)
        shown = self._objects.show(call, stored, fields, answer.schema)
        if answer.is_list:
            shown = [shown]
        if not answer.field:
            return {**cast(dict[str, Any], shown), **told} if isinstance(shown, dict) else shown
        return self._builder.repair(call, _put_beside(answer.field, shown, told), whole, "answer")

    def _declared_answer(self, plan: OperationPlan, call: Call) -> dict[str, Any]:
        """Return what the overlay says the answer has beside its list or its object."""
        given = call.memo.get("given", {})
        return fill_placeholders(dict(plan.declared.answer), partial(self._objects.look_up, call, given))

    def show_row(self, plan: OperationPlan, call: Call, row: Row) -> Any:
        """Return the answer of an operation that shows a row of its resource."""
        return self._answer(plan, call, self._fields(plan, call, row))


_ACTIONS: dict[str, Callable[[DraftInterpreter, OperationPlan, Call, Mapping[str, Any], Any], Any]] = {
    "list": DraftInterpreter._list,  # pyright: ignore[reportPrivateUsage] - a table of this module's own methods
    "count": DraftInterpreter._count,  # pyright: ignore[reportPrivateUsage]
    "create": DraftInterpreter._create,  # pyright: ignore[reportPrivateUsage]
    "create_many": DraftInterpreter._create_many,  # pyright: ignore[reportPrivateUsage]
    "copy": DraftInterpreter._copy,  # pyright: ignore[reportPrivateUsage]
    "upsert": DraftInterpreter._upsert,  # pyright: ignore[reportPrivateUsage]
    "read": DraftInterpreter._read,  # pyright: ignore[reportPrivateUsage]
    "update": DraftInterpreter._update,  # pyright: ignore[reportPrivateUsage]
    "replace": DraftInterpreter._update,  # pyright: ignore[reportPrivateUsage]
    "delete": DraftInterpreter._delete,  # pyright: ignore[reportPrivateUsage]
    "act": DraftInterpreter._act,  # pyright: ignore[reportPrivateUsage]
}


def _put_beside(field: str, shown: Any, told: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer with an object or a list at a dotted path, and what is told beside it."""
    whole = {**nest_value(field, shown), **told}
    put_at(whole, field, shown)
    return whole


def _describe(plan: OperationPlan, given: Mapping[str, Any], ignored: list[str]) -> list[str]:
    """Return what the header of an answer says beside its confidence."""
    dropped = [*ignored, *(name for name in plan.query.ignored if given.get(name) is not None)]
    names = [quote(name[:MAX_NAME_CHARACTERS], safe=_PLAIN) for name in dropped[:MAX_NAMES_TOLD]]
    more = [f"+{len(dropped) - len(names)}"] if len(dropped) > len(names) else []
    told = [f"ignored={','.join([*names, *more])}"] if names else []
    return [*told, f"guessed={','.join(plan.guessed[:20])}"] if plan.guessed else told


def _page_url(url: str, exchange: RequestContext, parameter: str) -> str:
    """Return the address of a list with the query of the request, to which the next page's position is added."""
    given = exchange.request.query_parameters()
    kept = {
        name: value for name, value in given.items() if snake(name) not in POSITION_PARAMETERS and name != parameter
    }
    return f"{url}?{urlencode(kept)}&" if kept else f"{url}?"


def _request_text(exchange: RequestContext) -> str:
    return f"{exchange.request.verb} {exchange.request.path}\n{exchange.request.body.decode(errors='replace')}"
