"""Compiles selections to shapes. It validates what it compiles, so the library's quadratic validation need not run.

It also computes the cost: a tenth of a point per leaf and one per object, multiplied by the sizes of pages.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from functools import lru_cache
from typing import Any, cast

from graphql import (
    GraphQLObjectType,
    GraphQLSchema,
    is_abstract_type,
    is_enum_type,
    is_leaf_type,
    is_list_type,
    is_non_null_type,
)

from . import completion, loaders
from .arguments import Arguments, DocumentRejected, Variables
from .completion import Cells, Complete, ConnectionShape, KindShape, Loaded, RowShape, TableSelection
from .entity import EntitySpec, Field
from .errors import NotImplementedHere
from .field_selection import SelectedField, Selecting, asks_id
from .library import is_leaf, named_type
from .paging import DEFAULT_SIZE, MAX_PAGE_SIZE
from .run import GraphqlRun
from .scalars import WIRES
from .schema_builder import Builder, Meaning

LEAF_COST = 0.1
OBJECT_COST = 1.0
SHORT = 300
"""Generated code with fewer characters is cached, since other selections have the same."""
_ZEROS: dict[str, Any] = {"Int": 0, "Float": 0, "Boolean": False, "JSON": {}, "JSONObject": {}, "Duration": 0}
_EPOCH = "1970-01-01T00:00:00"


class Cost:
    """The cost of a selection, as a function of the variables that page sizes depend on."""

    def __init__(self) -> None:
        self.own = 0.0
        self.parts: list[tuple[Arguments | None, Cost]] = []
        self.choices: list[list[Cost]] = []
        """Alternative selections, of which the most expensive counts: the concrete types of an interface."""

    def of(self, variables: Variables) -> float:
        """The cost in points for these variables."""
        parts = sum(_size(arguments, variables) * part.of(variables) for arguments, part in self.parts)
        return (
            self.own + parts + sum(max((each.of(variables) for each in kinds), default=0.0) for kinds in self.choices)
        )


def _size(arguments: Arguments | None, variables: Variables) -> int:
    if arguments is None:
        return 1
    given = arguments.of(variables)
    size = given.get("first") or given.get("last") or DEFAULT_SIZE
    return min(max(size, 1), MAX_PAGE_SIZE)


class SelectionCompiler:
    """Compiles the selections of one operation."""

    def __init__(self, builder: Builder, schema: GraphQLSchema, selecting: Selecting) -> None:
        self.builder = builder
        self.model = builder.model
        self.schema = schema
        self.selecting = selecting
        self.cost = Cost()
        self._ids: dict[str, TableSelection] = {}

    # Any value

    def complete(self, kind: Any, asked: SelectedField) -> Complete:
        """Compile the conversion of a type's values, as functions return them, to their form in the response."""
        if is_non_null_type(kind):
            return completion.complete_required(self.complete(kind.of_type, asked), asked.name)
        if is_list_type(kind):
            return completion.complete_lists(self.complete(kind.of_type, asked))
        if is_leaf_type(kind):
            return completion.leaf(WIRES.get(kind.name))
        return self._composite(kind, asked)

    def _composite(self, kind: Any, asked: SelectedField) -> Complete:
        spec = self.builder.entity_of.get(kind.name)
        if spec is not None and spec.row is not None:
            return self.table(spec, kind, asked).complete
        if is_connection(kind):
            shape = self.connection(kind, asked)
            if shape is None:
                return self._objects(kind, asked)
            return loaders.given_connection(shape, asked.arguments)
        if is_abstract_type(kind):
            concrete = self.schema.get_possible_types(kind)
            return completion.by_type(_type_name, {each.name: self._objects(each, asked, kind) for each in concrete})
        return self._objects(kind, asked)

    def _objects(self, kind: Any, asked: SelectedField, named: Any = None) -> Complete:
        self.cost.own += OBJECT_COST
        asked_of = self.selecting.of(kind, asked.below, named)
        return completion.objects([(part.key, self._member(kind, part)) for part in asked_of])

    def _member(self, kind: Any, part: SelectedField) -> Complete:
        """Compile a field of a dict; a missing one has its type's zero."""
        if part.field is None:
            return lambda run, values: [kind.name] * len(values)
        self._count_leaf(part)
        name = part.name
        complete = self.complete(part.field.type, part)
        hook = self.model.computed.get((kind.name, name))
        if hook:
            given = loaders.given_to(part.arguments, paged=is_connection(named_type(part.field.type)))
            return lambda run, values: complete(run, hook.function(run.call, values, **given(run)))
        zero = self.zero(part.field.type)
        return lambda run, values: complete(run, [_member_of(value, name, zero) for value in values])

    def zero(self, kind: Any) -> Any:
        """The empty value of a type: None if it is nullable, else an empty list, the first enum value, 0 and so on."""
        if not is_non_null_type(kind):
            return None
        kind = kind.of_type
        if is_list_type(kind) or is_connection(kind):
            return []
        if is_enum_type(kind):
            return next(iter(kind.values))
        if is_leaf_type(kind):
            return (
                _EPOCH
                if kind.name == "DateTime"
                else _EPOCH[:10]
                if kind.name == "TimelessDate"
                else _ZEROS.get(kind.name, "")
            )
        return None if kind.name in self.builder.entity_of else {}

    # Tables

    def table(self, spec: EntitySpec, kind: Any, asked: SelectedField) -> TableSelection:
        """Compile a selection of rows of an entity's table."""
        cells = Cells(spec)
        return TableSelection(cells, self.rows(spec, kind, asked, cells))

    def rows(self, spec: EntitySpec, kind: Any, asked: SelectedField, cells: Cells) -> Any:
        """Compile the shape of loaded tuples; `cells` assigns the columns to positions in the tuples."""
        if not spec.interface:
            return self._row(kind, asked, cells)
        column = spec.kind_column
        by_kind: dict[str, RowShape] = {}
        outer, kinds = self.cost, list[Cost]()
        for concrete in self.model.concrete(spec):
            self.cost = Cost()
            kinds.append(self.cost)
            shape = self._row(self.schema.get_type(concrete.name), asked, cells, kind)
            by_kind |= dict.fromkeys(concrete.stands_for, shape)
        self.cost = outer
        outer.choices.append(kinds)
        return KindShape(cells.at(column), by_kind)

    def _row(self, kind: Any, asked: SelectedField, cells: Cells, named: Any = None) -> RowShape:
        self.cost.own += OBJECT_COST
        shape = RowShape()
        space: dict[str, Any] = {f"wire_{name}": wire for name, wire in WIRES.items()}
        asked_of = self.selecting.of(kind, asked.below, named)
        body = [f"{part.key!r}: {self._expression(kind, part, cells, shape, space)}" for part in asked_of]
        loaded = [f"x{at}" for at in range(len(shape.loads))]
        each = (
            f"r, {', '.join(loaded)} in zip(rows, {', '.join('all_' + x for x in loaded)})" if loaded else "r in rows"
        )
        source = f"lambda {', '.join(['rows', *('all_' + x for x in loaded)])}: [{{{', '.join(body)}}} for {each}]"
        # For `{ id title team { name } }` the source is
        # `lambda rows, all_x0: [{'id': r[0], 'title': r[1], 'team': x0} for r, x0 in zip(rows, all_x0)]`.
        # It is safe to evaluate: only its keys come from the document, and GraphQL names match `[_A-Za-z0-9]+`.
        shape.build_by(lambda: eval(_code(source), space))
        return shape

    def _expression(self, kind: Any, part: SelectedField, cells: Cells, shape: RowShape, space: dict[str, Any]) -> str:
        """Python code for one field of a row `r`, such as `r[1]`; fields loaded for the batch are `x0`, `x1`, …"""
        if part.field is None:
            return repr(kind.name)
        means: Meaning = part.field.extensions["means"]
        field = means.field
        is_cell = field and field.kind == "column" and is_leaf(part.field.type)
        if field and (means.kind == "key" or (is_cell and (field.owner, field.name) not in self.model.computed)):
            self._count_leaf(part)
            return self._cell(part, cells.at(field.column), field, cells, space)
        shape.loads.append(self._load(kind, part, means, cells))
        return f"x{len(shape.loads) - 1}"

    def _cell(self, part: SelectedField, at: int, field: Field, cells: Cells, space: dict[str, Any]) -> str:
        kind: Any = part.field.type
        scalar = named_type(kind).name
        value = f"wire_{scalar}(r[{at}])" if scalar in WIRES else f"r[{at}]"
        nullable = cells.is_nullable(field.column)
        if not (nullable and is_non_null_type(kind)):
            return value
        space[f"z{at}"] = self.zero(kind)
        return f"({value} if r[{at}] is not None else z{at})"

    def _count_leaf(self, part: SelectedField) -> None:
        if part.field and is_leaf(part.field.type):
            self.cost.own += LEAF_COST

    def _load(self, kind: Any, part: SelectedField, means: Meaning, cells: Cells) -> Any:
        """Compile the loader of a field that is not a cell of the row."""
        field, of_type = means.field, part.field.type
        hook = self.model.computed.get((field.owner, field.name)) if field else None
        if field is None:
            self._count_leaf(part)
            return loaders.constant(self.zero(of_type), self.complete(of_type, part))
        if hook:
            self._count_leaf(part)
            given = loaders.given_to(part.arguments, paged=is_connection(named_type(of_type)))
            usual = self._compile_stored(part, field, cells) if field.kind in ("one", "many", "list") else None
            return loaders.load_by_function(
                hook, self._records(hook.needs, cells), given, self.complete(of_type, part), usual
            )
        stored = self._compile_stored(part, field, cells)
        if stored is None:
            self._count_leaf(part)
        return stored or loaders.constant(self.zero(of_type), self.complete(of_type, part))

    def _compile_stored(self, part: SelectedField, field: Field, cells: Cells) -> Any:
        """Compile the loader of a stored relation or JSON column; None for other fields."""
        if field.kind == "one":
            return self._to_one(part, field, cells)
        if field.kind in ("many", "list") and (link := self.model.links[field.owner, field.name]):
            return self._to_many(part, field, link, cells)
        return self._from_json(part, cells.at(field.column)) if field.kind == "column" else None

    def _from_json(self, part: SelectedField, at: int) -> Any:
        kind: Any = part.field.type
        complete, zero = self.complete(kind, part), self.zero(kind)

        def load_json(run: GraphqlRun, rows: list[Loaded]) -> list[Any]:
            return complete(run, [zero if row[at] is None else row[at] for row in rows])

        return load_json

    def _to_one(self, part: SelectedField, field: Field, cells: Cells) -> Any:
        kind = named_type(part.field.type)
        target = self.model.target(field)
        required = repr(field) if is_non_null_type(part.field.type) else ""
        if target.row is None:
            self.selecting_only(kind, part)
            return _missing(required)
        return loaders.to_one(target, self._compile_target(target, kind, part), cells.at(field.column), required)

    def _compile_target(self, target: EntitySpec, kind: Any, part: SelectedField) -> TableSelection:
        """Compile the selection of a relation's target; most are `{ id }`, which is compiled once for each type."""
        if target.interface or not asks_id(part.below):
            return self.table(target, kind, part)
        known = self._ids.get(kind.name)
        if known is None:
            known = self._ids[kind.name] = self.table(target, kind, part)
        else:
            self.cost.own += OBJECT_COST + LEAF_COST
        return known

    def selecting_only(self, kind: Any, part: SelectedField) -> None:
        """Validate a selection of an entity without a table, whose result is always empty."""
        if isinstance(kind, GraphQLObjectType):
            self._objects(kind, part)

    def _to_many(self, part: SelectedField, field: Field, link: Any, cells: Cells) -> Any:
        kind = named_type(part.field.type)
        if field.kind == "list":
            table = self.table(link.target, kind, part)
            table.cells.at("id")
            return loaders.listed_relation(link, table, cells.at("id"))
        shape = self.connection(kind, part)
        assert shape is not None
        return loaders.to_many(link, shape, cells.at("id"), part.arguments)

    def _records(self, needs: tuple[str, ...] | None, cells: Cells) -> Callable[[list[Loaded]], list[Any]]:
        """A conversion from tuples to a function's rows: records with the columns in `needs`, or whole Rows."""
        row = cells.spec.row
        names = list(needs) if needs is not None else list(row.__struct_fields__)
        for name in names:
            if name not in row.__struct_fields__:
                raise LookupError(f"{cells.spec.name} has no column '{name}', which a computed field needs")
        places = [cells.at(name) for name in names]
        if needs is None:
            return lambda rows: [row(**dict(zip(names, [r[at] for at in places], strict=True))) for r in rows]
        record: Any = namedtuple("record", names)  # pyright: ignore[reportUntypedNamedTuple]
        return lambda rows: [record(*[r[at] for at in places]) for r in rows]

    # Connections

    def connection(self, kind: Any, asked: SelectedField) -> ConnectionShape | None:
        """Compile the selection of a connection; None if its entity has no table."""
        node_type = named_type(kind.fields["nodes"].type)
        spec = self.builder.entity_of.get(node_type.name)
        outer, self.cost = self.cost, Cost()
        outer.own += OBJECT_COST
        outer.parts.append((asked.arguments, self.cost))
        try:
            if spec is None or spec.row is None:
                return None
            shape = ConnectionShape(Cells(spec))
            for part in self.selecting.of(kind, asked.below):
                shape.parts.append((part.key, self._connection_part(kind, part, spec, node_type, shape)))
            return shape
        finally:
            self.cost = outer

    def _connection_part(
        self, kind: Any, part: SelectedField, spec: EntitySpec, node_type: Any, shape: ConnectionShape
    ) -> Any:
        if part.name == "__typename":
            return completion.constant_part(kind.name)
        if part.name == "nodes":
            return completion.nodes_part(self.rows(spec, node_type, part, shape.cells))
        if part.name == "edges":
            return self._edges(kind, part, spec, node_type, shape)
        if part.name == "pageInfo":
            info: Any = self.schema.get_type("PageInfo")
            keys = [(each.key, each.name if each.field else "PageInfo") for each in self.selecting.of(info, part.below)]
            return completion.page_info_part(shape.id_at, keys)
        if part.name == "totalCount":
            return completion.total_part
        complete, zero = self.complete(part.field.type, part), self.zero(part.field.type)

        def constant(run: GraphqlRun, batches: list[Any], pages: list[Any]) -> list[Any]:
            return complete(run, [zero] * len(batches))

        return constant

    def _edges(self, kind: Any, part: SelectedField, spec: EntitySpec, node_type: Any, shape: ConnectionShape) -> Any:
        edge = named_type(kind.fields["edges"].type)
        asked = self.selecting.of(edge, part.below)
        keys = [(each.key, each.name if each.field else edge.name) for each in asked]
        below = [each for each in asked if each.name == "node"]
        if len(below) > 1:
            raise DocumentRejected("Select the node of an edge once.", part.node)
        nodes = self.rows(spec, node_type, below[0], shape.cells) if below else None
        return completion.edges_part(shape.id_at, keys, nodes)


def _code(source: str) -> Any:
    """Compile generated code; short code is cached, since most selections have few forms, such as `{ id }`."""
    return _short_code(source) if len(source) < SHORT else compile(source, "<plan>", "eval")


@lru_cache(maxsize=4096)
def _short_code(source: str) -> Any:
    return compile(source, "<plan>", "eval")


def is_connection(kind: Any) -> bool:
    """Whether a type is a connection: an object type with `nodes` and `pageInfo`."""
    return isinstance(kind, GraphQLObjectType) and "pageInfo" in kind.fields and "nodes" in kind.fields


def _member_of(value: Any, name: str, zero: Any) -> Any:
    member = cast(dict[str, Any], value).get(name) if isinstance(value, dict) else getattr(value, name, None)
    return zero if member is None else member


def _type_name(value: Any) -> str:
    return value["__typename"]


def _missing(required: str) -> Any:
    def load_nothing(run: Any, rows: list[Loaded]) -> list[Any]:
        if required and rows:
            raise NotImplementedHere(required)
        return [None] * len(rows)

    return load_nothing
