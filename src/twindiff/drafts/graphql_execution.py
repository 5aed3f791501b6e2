"""Executes GraphQL documents over the tables of a drafted twin."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, cast

from graphql import GraphQLError, is_leaf_type, is_list_type, is_non_null_type

from twindiff.kit.call import Call
from twindiff.kit.errors import ApiError, InvalidParameter, MissingOperation, NotFound
from twindiff.kit.paging import decode_cursor, encode_cursor
from twindiff.kit.rows import Column, Expression, Row, all_of, any_of, not_
from twindiff.kit.throttling import yield_processor

from .answers import AnswerBuilder
from .conditions import compare, equals
from .graphql_schemas import GraphqlRelation, GraphqlTypes, is_connection, named_type, nullable_type, resource_name
from .names import snake
from .placeholders import fill_placeholders, look_up
from .plan import OperationPlan
from .resources import PathRole
from .schemas import SchemaSet
from .stored_objects import StoredObjects, check_move, refuse_state
from .tables import StoredResource

MAX_OBJECTS = 50_000
"""Objects that one document may show."""
DEFAULT_PAGE_OBJECTS = 50
MAX_PAGE_OBJECTS = 250
_PAGING = frozenset(["first", "last", "after", "before", "limit", "offset", "skip", "page", "per_page", "take"])
_ORDERS = frozenset(["order_by", "sort", "order", "sort_by"])
_CONDITIONS = frozenset(["filter", "where", "filters", "filter_by", "query"])
_INPUTS = frozenset(["input", "data", "attributes", "patch", "set", "where", "object", "values"])
_COMPARED = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<=", "after": ">", "before": "<"}


class GraphqlObject(NamedTuple):
    """A stored object; its fields are by their names in the schema."""

    kind: str
    fields: Mapping[str, Any]


class GraphqlPage(NamedTuple):
    """A page of objects, as a connection shows it."""

    objects: list[GraphqlObject]
    total: int
    offset: int

    @property
    def has_more(self) -> bool:
        """Whether objects follow."""
        return self.offset + len(self.objects) < self.total

    def cursor(self, number: int) -> str:
        """Return the cursor of the object with a number on the page, counted from 0."""
        return encode_cursor("page", str(self.offset + number + 1))


class UnservedField(MissingOperation):
    """The drafted twin does not know what this does."""


class GraphqlExecution:
    """Resolves the fields of documents. What is guessed or ignored is noted in `call.memo["drafted"]`."""

    def __init__(
        self, types: GraphqlTypes, tables: Mapping[str, StoredResource], objects: StoredObjects, schemas: SchemaSet
    ) -> None:
        self._types, self._tables, self._objects, self._schemas = types, tables, objects, schemas
        self._builder = AnswerBuilder(schemas)
        self.plans: dict[str, OperationPlan] = {}
        """The plans of the roots, by `query name` and `mutation name`."""

    def resolve(self, source: Any, info: Any, **arguments: Any) -> Any:
        """Return the value of a field, as graphql-core asks for it; errors of the twin become errors of GraphQL."""
        yield_processor()
        call: Call = info.context
        try:
            if source is None:
                return self._root(call, info, arguments)
            if isinstance(source, GraphqlObject):
                return self._field(call, source, info, arguments)
            if isinstance(source, GraphqlPage):
                return self._page_field(call, source, info)
            return cast(Mapping[str, Any], source).get(info.field_name) if isinstance(source, Mapping) else None
        except ApiError as error:
            raise GraphQLError(str(error), extensions={"code": error.code.upper()}) from None

    # -- roots -----------------------------------------------------------------------------------------------------

    def _root(self, call: Call, info: Any, arguments: dict[str, Any]) -> Any:
        plan = self.plans[f"{info.operation.operation.value} {info.field_name}"]
        if plan.behaviour == "missing" or plan.stored is None:
            raise UnservedField(f"{plan.operation.name} is not served by this drafted twin: {plan.reason}.")
        _note(call, "guessed", plan.guessed)
        kind = self._kind_of(plan.stored)
        if plan.behaviour == "list":
            return self._page(call, (kind,), [], arguments, info.return_type)
        if plan.behaviour == "read":
            return self._read(call, plan, arguments, info)
        with call.db.savepoint():
            call.memo.pop("related", None)
            return self._write(call, plan, arguments, info)

    def _kind_of(self, stored: StoredResource) -> str:
        return next(kind for kind, each in self._tables.items() if each.table == stored.table)

    def _read(self, call: Call, plan: OperationPlan, arguments: dict[str, Any], info: Any) -> Any:
        """Return the object that arguments name; without any, the first one, such as the viewer."""
        given = {name: value for name, value in arguments.items() if value is not None}
        for kind in self._types.targets_of(info.return_type):
            stored = self._tables[kind]
            columns = {snake(name): name for name in stored.columns}
            known = {columns[snake(name)]: value for name, value in given.items() if snake(name) in columns}
            _note(call, "ignored", [name for name in given if snake(name) not in columns])
            if given and not known:
                raise InvalidParameter(next(iter(given)), "names no field by which this drafted twin could look it up")
            where = [equals(stored.column(name), value) for name, value in known.items()]
            rows = call.db.rows(stored.row, *where, order=getattr(stored.row, stored.order), limit=1)
            if rows:
                return self._show(call, kind, rows)[0]
        if is_non_null_type(info.return_type):
            raise NotFound(cast(StoredResource, plan.stored).resource.name.replace("_", " "), *given.values())
        return None

    def _show(self, call: Call, kind: str, rows: Sequence[Row]) -> list[GraphqlObject]:
        call.memo["shown"] = call.memo.get("shown", 0) + len(rows)
        if call.memo["shown"] > MAX_OBJECTS:
            raise InvalidParameter(
                "", f"The document asks for more than {MAX_OBJECTS:,} objects; ask for fewer at once"
            )
        return [GraphqlObject(kind, fields) for fields in self._objects.fields_of(call, self._tables[kind], rows)]

    # -- fields ----------------------------------------------------------------------------------------------------

    def _field(self, call: Call, source: GraphqlObject, info: Any, arguments: dict[str, Any]) -> Any:
        relation = self._types.relations[source.kind].get(info.field_name)
        if relation is None:
            value = source.fields.get(info.field_name)
            return self._make(call, source, info) if value is None and is_non_null_type(info.return_type) else value
        if relation.kind == "one":
            return self._one(call, source, relation, info)
        ids = source.fields.get(relation.column, ()) if relation.kind == "many" else ()
        key = source.fields.get("id")
        targets = relation.targets
        stored = self._tables[targets[0]]
        match relation.kind:
            case "many":
                where: Expression = stored.key.in_([str(each) for each in ids])
            case "inverse":
                where = stored.column(relation.column) == key
            case _:
                where = equals(stored.column(relation.column), key)
        return self._page(call, targets, [where], arguments, info.return_type)

    def _one(self, call: Call, source: GraphqlObject, relation: GraphqlRelation, info: Any) -> Any:
        key = source.fields.get(relation.column)
        if key is not None:
            for kind in relation.targets:
                rows = self._objects.rows_with(call, self._tables[kind], "id", key)
                if rows:
                    return self._show(call, kind, rows)[0]
        if not is_non_null_type(info.return_type):
            return None
        _note(call, "guessed", [f"{source.kind}.{info.field_name}"])
        stored = self._tables[relation.targets[0]]
        first = call.db.rows(stored.row, order=getattr(stored.row, stored.order), limit=1)
        return self._show(call, relation.targets[0], first)[0] if first else GraphqlObject(relation.targets[0], {})

    def _make(self, call: Call, source: GraphqlObject, info: Any) -> Any:
        """Return a value for a field that must have one and of which nothing is known."""
        schema = self._types.json_schema(info.return_type)
        if not is_leaf_type(named_type(info.return_type)):
            return [] if is_list_type(nullable_type(info.return_type)) else {}
        _note(call, "guessed", [f"{source.kind}.{info.field_name}"])
        return self._builder.make_value(schema, info.field_name, f"{source.kind}{source.fields.get('id')}", call.clock)

    def _page_field(self, call: Call, page: GraphqlPage, info: Any) -> Any:
        match snake(info.field_name):
            case "nodes" | "items":
                return page.objects
            case "edges":
                return [{"node": each, "cursor": page.cursor(n)} for n, each in enumerate(page.objects)]
            case "page_info":
                count = len(page.objects)
                return {
                    "hasNextPage": page.has_more,
                    "hasPreviousPage": page.offset > 0,
                    "startCursor": page.cursor(0) if count else None,
                    "endCursor": page.cursor(count - 1) if count else None,
                }
            case "total_count" | "count" | "total":
                return page.total
            case _:
                return None

    # -- lists -----------------------------------------------------------------------------------------------------

    def _page(
        self, call: Call, kinds: tuple[str, ...], where: list[Expression], arguments: dict[str, Any], wanted: Any
    ) -> Any:
        """Return a page of objects, or a list of them if the type is a list."""
        stored = self._tables[kinds[0]]
        where = [*where, *self._objects.is_there(stored), *self._conditions(call, stored, arguments)]
        given = {snake(name): value for name, value in arguments.items() if value is not None}
        limit = _whole(given, ("first", "last", "limit", "take", "per_page"), DEFAULT_PAGE_OBJECTS)
        if not 0 <= limit <= MAX_PAGE_OBJECTS:
            raise InvalidParameter("first", f"{limit} is not between 0 and {MAX_PAGE_OBJECTS}")
        total = call.db.count(stored.row, *where)
        offset = _whole(given, ("offset", "skip"), 0)
        if given.get("after"):
            offset = _read_cursor(str(given["after"]), "after")
        if "last" in given and "first" not in given:
            end = _read_cursor(str(given["before"]), "before") - 1 if given.get("before") else total
            offset, limit = max(end - limit, 0), min(limit, max(end, 0))
        order = self._order(call, stored, arguments)
        rows = call.db.rows(stored.row, *where, order=order, limit=limit, offset=max(offset, 0)) if limit else []
        page = GraphqlPage(self._show(call, kinds[0], rows), total, max(offset, 0))
        return page if is_connection(named_type(wanted)) else page.objects

    def _conditions(self, call: Call, stored: StoredResource, arguments: Mapping[str, Any]) -> list[Expression]:
        """Return the conditions that arguments of a list say: by fields, or in a filter."""
        conditions: list[Expression] = []
        for name, value in arguments.items():
            flat = snake(name)
            if value is None or flat in _PAGING or flat in _ORDERS:
                continue
            if flat in _CONDITIONS and isinstance(value, Mapping):
                conditions.append(self._filter(call, stored, cast(Mapping[str, Any], value)))
            else:
                conditions += self._meets(call, stored, name, value)
        return conditions

    def _filter(self, call: Call, stored: StoredResource, given: Mapping[str, Any]) -> Expression:
        parts: list[Expression] = []
        for name, value in given.items():
            word = name.strip("_").lower()
            if word in ("and", "or") and isinstance(value, list):
                inner = [self._filter(call, stored, each) for each in cast(list[Mapping[str, Any]], value)]
                parts.append(all_of(*inner) if word == "and" else any_of(*inner))
            elif word == "not" and isinstance(value, Mapping):
                parts.append(not_(self._filter(call, stored, cast(Mapping[str, Any], value))))
            else:
                parts += self._meets(call, stored, name, value)
        return all_of(*parts)

    def _meets(self, call: Call, stored: StoredResource, name: str, value: Any) -> list[Expression]:
        """Return the condition on one field; a relation is compared by the id. An unknown field is noted."""
        columns = {snake(each): each for each in stored.columns}
        field = columns.get(snake(name)) or columns.get(f"{snake(name)}_id")
        if field is None:
            _note(call, "ignored", [name])
            return []
        column = stored.column(field)
        if not isinstance(value, Mapping):
            return [equals(column, value)]
        given = cast(Mapping[str, Any], value)
        if snake(name) not in columns and isinstance(given.get("id"), Mapping):
            given = cast(Mapping[str, Any], given["id"])
        conditions: list[Expression] = []
        for operator, wanted in given.items():
            condition = _compare_with(column, snake(operator), wanted)
            conditions += [condition] if condition is not None else []
            _note(call, "ignored", [f"{name}.{operator}"] if condition is None else [])
        return conditions

    def _order(self, call: Call, stored: StoredResource, arguments: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the order: `{field: NAME, direction: DESC}`, `{name: DESC}`, or `NAME_DESC`; else by creation."""
        created = getattr(stored.row, stored.order)
        given = next((value for name, value in arguments.items() if snake(name) in _ORDERS and value), None)
        if isinstance(given, list):
            given = cast(list[Any], given)[0]
        if isinstance(given, Mapping):
            parts = cast(Mapping[str, Any], given)
            first = next(iter(parts.items()))
            name, direction = (parts.get("field", first[0]), parts.get("direction", first[1]))
            given = f"{name}_{direction}"
        if given is None:
            return (created,)
        text = snake(str(given))
        is_down = text.endswith("_desc")
        stem = text.removesuffix("_desc").removesuffix("_asc")
        field = next((each for each in stored.columns if snake(each) in (stem, f"{stem}_at")), "")
        if not field:
            _note(call, "ignored", ["orderBy"])
            return (created,)
        return (-stored.column(field) if is_down else stored.column(field), created)

    # -- mutations -------------------------------------------------------------------------------------------------

    def _write(self, call: Call, plan: OperationPlan, arguments: dict[str, Any], info: Any) -> Any:
        stored = cast(StoredResource, plan.stored)
        flat = _flatten_input(arguments)
        call.memo["body"] = flat
        fields = self._read_input(call, stored, flat)
        if plan.behaviour == "create":
            row = self._objects.make(stored, PathRole(stored.resource.name, "collection"), call, {}, fields)
            return self._payload(call, stored, row, flat, info.return_type)
        row = self._find_named(call, stored, flat)
        if plan.behaviour == "delete":
            payload = self._payload(call, stored, row, flat, info.return_type)
            self._objects.remove(stored, row, call)
            return payload
        if plan.behaviour == "act":
            fields |= self._change_of(call, plan, row)
        changed = self._objects.change(stored, row, call, fields)
        return self._payload(call, stored, changed, flat, info.return_type)

    def _change_of(self, call: Call, plan: OperationPlan, row: Row) -> dict[str, Any]:
        """Return the fields that an action sets. Raises StateConflict."""
        change, stored = plan.change, cast(StoredResource, plan.stored)
        assert change is not None
        now = getattr(row, stored.columns[change.field]) if change.field else None
        if change.allowed and now not in change.allowed:
            needed = ", ".join(map(repr, change.allowed))
            raise refuse_state(change.refusal, f"{change.field} is {now!r}; this needs one of {needed}.")
        states = self._objects.about(stored).states
        if states and states.field == change.field and not change.allowed:
            check_move(states, now, change.value)
        body = call.memo["body"]
        further = fill_placeholders(dict(change.further), lambda name: look_up(name, body))
        return {**further, **({change.field: change.value} if change.field else {})}

    def _read_input(self, call: Call, stored: StoredResource, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields of a mutation that are stored. Raises NotFound for a reference to nothing."""
        columns = {snake(name): name for name in stored.columns}
        relations = {each.column: each for each in self._types.relations[self._kind_of(stored)].values()}
        fields: dict[str, Any] = {}
        for name, value in given.items():
            flat = snake(name)
            field = columns.get(flat) or columns.get(f"{flat}_id")
            if field in (None, "id"):
                own = ("id", f"{stored.resource.name}_id", "client_mutation_id")
                _note(call, "ignored", [] if flat in own else [name])
                continue
            assert field is not None
            is_object = field in relations and isinstance(value, Mapping)
            fields[field] = cast(Mapping[str, Any], value).get("id") if is_object else value
            if field in relations and fields[field] is not None:
                self._check_reference(call, relations[field], fields[field])
        return fields

    def _check_reference(self, call: Call, relation: GraphqlRelation, value: Any) -> None:
        for key in cast(list[Any], value) if isinstance(value, list) else [value]:
            if not any(self._objects.rows_with(call, self._tables[kind], "id", key) for kind in relation.targets):
                raise NotFound(resource_name(relation.targets[0]).replace("_", " "), key)

    def _find_named(self, call: Call, stored: StoredResource, given: Mapping[str, Any]) -> Row:
        """Return the row that a mutation names by `id` or `issueId`; raises NotFound."""
        by_snake = {snake(name): value for name, value in given.items()}
        key = by_snake.get("id") or by_snake.get(f"{stored.resource.name}_id")
        if key is None:
            keys = [value for name, value in by_snake.items() if name.endswith("_id") and name != "client_mutation_id"]
            key = keys[0] if len(keys) == 1 else None
        rows = self._objects.rows_with(call, stored, "id", key) if key is not None else []
        if not rows:
            raise NotFound(stored.resource.name.replace("_", " "), key)
        return rows[0]

    def _payload(self, call: Call, stored: StoredResource, row: Row, given: Mapping[str, Any], wanted: Any) -> Any:
        """Return what a mutation answers: the object, its id, true, or a payload with them."""
        [shown] = self._show(call, self._kind_of(stored), [row])
        named = named_type(wanted)
        if shown.kind in self._types.targets_of(named):
            return shown
        if is_leaf_type(named):
            return True if named.name == "Boolean" else shown.fields.get("id")
        return {
            name: self._payload_field(shown, name, field.type, given, stored) for name, field in named.fields.items()
        }

    def _payload_field(
        self, shown: GraphqlObject, name: str, kind: Any, given: Mapping[str, Any], stored: StoredResource
    ) -> Any:
        named, flat = named_type(kind), snake(name)
        if is_list_type(nullable_type(kind)):
            return [shown] if shown.kind in self._types.targets_of(kind) else []
        if shown.kind in self._types.targets_of(kind):
            return shown
        if name == "clientMutationId":
            return given.get(name)
        if named.name == "Boolean":
            return True
        if flat in ("id", "entity_id") or (flat.endswith("_id") and stored.resource.name in flat):
            return shown.fields.get("id")
        fields: Mapping[str, Any] = getattr(named, "fields", {})
        if "node" in fields and shown.kind in self._types.targets_of(fields["node"].type):
            return {"node": shown, "cursor": encode_cursor("page", "1")}
        return _PLAIN.get(named.name) if is_non_null_type(kind) else None


_PLAIN: Mapping[str, Any] = {"Int": 0, "Float": 0.0, "String": "", "ID": ""}


def _flatten_input(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a mutation is given, with the fields of its input objects beside its arguments."""
    flat: dict[str, Any] = {}
    for name, value in arguments.items():
        is_input = isinstance(value, Mapping) and (snake(name) in _INPUTS or len(arguments) == 1)
        flat |= cast(dict[str, Any], value) if is_input else {name: value}
    return flat


def _note(call: Call, what: str, names: Sequence[str]) -> None:
    noted: dict[str, dict[str, None]] = call.memo.setdefault("drafted", {"guessed": {}, "ignored": {}})
    noted[what] |= dict.fromkeys(names)


def _compare_with(column: Column[Any], operator: str, wanted: Any) -> Expression | None:
    """Return the condition of an operator of a filter; None for an unknown one."""
    equal = column.is_null() if wanted is None else equals(column, wanted)
    made: dict[str, Callable[[], Expression]] = {
        **dict.fromkeys(("eq", "equals", "is", "id"), lambda: equal),
        **dict.fromkeys(("neq", "ne", "not", "not_equals"), lambda: not_(equal)),
        "in": lambda: equals(column, [*(wanted or ())]),
        **dict.fromkeys(("nin", "not_in"), lambda: not_(equals(column, [*(wanted or ())]))),
        "contains": lambda: column.contains(str(wanted)),
        **dict.fromkeys(
            ("like", "ilike", "contains_ignore_case"), lambda: column.contains(str(wanted).strip("%"), fold=True)
        ),
        "starts_with": lambda: column.starts(str(wanted)),
        "ends_with": lambda: column.ends(str(wanted)),
        **dict.fromkeys(("null", "is_null"), lambda: column.is_null() if wanted else not_(column.is_null())),
        **{name: partial(compare, column, sign, wanted) for name, sign in _COMPARED.items()},
    }
    return made[operator]() if operator in made else None


def _whole(given: Mapping[str, Any], names: Sequence[str], otherwise: int) -> int:
    return next((given[name] for name in names if isinstance(given.get(name), int)), otherwise)


def _read_cursor(text: str, name: str) -> int:
    class InvalidGraphqlCursor(InvalidParameter):
        """The cursor is not one that this list gave."""

        def __init__(self) -> None:
            super().__init__(name, "is not a cursor that this list gave")

    value = decode_cursor("page", text, InvalidGraphqlCursor)
    return int(value) if value.isdecimal() else 0
