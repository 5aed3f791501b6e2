"""Computed fields of an overlay, in the expression language of computed columns (`kit/computed_values.py`).

A definition is an object with one function; `$name` in it is a field of the object itself:

    {count: lines, where: {invoice_id: $id}}        also total, least, greatest, only and join, of `table.field`
    {add: [$amount, $tax]}    {coalesce: [$nickname, $name]}    {elapsed: [$started_at, $ended_at]}
    {length: $items}          {case: [{when: {status: paid}, then: Paid}], otherwise: Open}
    {text: "https://shop.example/${id}"}            {value: [{rel: self, href: "/orders/${id}"}]}
    {one: users, key: $owner.id}                    the object of a table with a key; null if there is none

Nothing is evaluated but these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, cast

from twindiff.kit.computed_values import (
    case,
    coalesce,
    count,
    elapsed_micros,
    greatest,
    join_texts,
    least,
    only,
    total,
)
from twindiff.kit.rows import Column, ColumnType, Expression, Items, all_of, index, not_
from twindiff.kit.suggestions import did_you_mean

from .documents import DescriptionError
from .overlay import ResourceOverlay
from .placeholders import names_in
from .tables import StoredResource, TableIndex

_AGGREGATES: dict[str, Callable[..., Column[Any]]] = {
    "total": total,
    "least": least,
    "greatest": greatest,
    "only": only,
    "join": join_texts,
}
FUNCTIONS = ("count", *_AGGREGATES, "add", "coalesce", "elapsed", "length", "case", "text", "value", "one")
_COMPARISONS = ("gt", "gte", "lt", "lte", "not")


class ComputedFields(NamedTuple):
    """The computed fields of one resource."""

    columns: Mapping[str, Column[Any]]
    """Those that SQL computes, by field."""
    texts: Mapping[str, Any]
    """Those that are texts, lists or objects with placeholders, by field or by the path of one inside an object."""
    objects: Mapping[str, tuple[str, str]] = {}
    """Those that are objects of a table: the table, and the placeholder of the key."""


def compile_computed(resource: ResourceOverlay, stored: StoredResource, tables: TableIndex) -> ComputedFields:
    """Return the computed fields of a resource. Raises DescriptionError for a definition that means nothing."""
    columns: dict[str, Column[Any]] = {}
    texts: dict[str, Any] = {}
    objects: dict[str, tuple[str, str]] = {}
    for field, definition in resource.computed.items():
        place = f"resources.{stored.table}.computed.{field}"
        function = _function_of(definition, place)
        if function in ("text", "value"):
            for name in names_in(definition[function]):
                _refuse_unknown(name.partition(".")[0], {*stored.columns, *stored.parents, *resource.computed}, place)
            texts[field] = str(definition["text"]) if function == "text" else definition["value"]
        elif function == "one":
            objects[field] = _ComputedReader(stored, tables, place).read_object(definition)
        else:
            compiled = _ComputedReader(stored, tables, place).compile(function, definition)
            columns[field] = _join_seeded(function, compiled, stored, field)
    return ComputedFields(columns, texts, objects)


def _join_seeded(function: str, computed: Column[Any], stored: StoredResource, field: str) -> Column[Any]:
    """Return a computed column with what a seed says of it, which may show more than it has rows of.

    A count adds how many more there are. What is looked up in a row that is not there is what the row itself holds.
    """
    own = getattr(stored.row, stored.columns[field]) if field in stored.columns else None
    if own is not None and function == "count" and own.kind == "integer":
        return computed + coalesce(own, 0)
    return coalesce(computed, own) if own is not None and function == "only" else computed


def _function_of(definition: Any, place: str) -> str:
    given = [*cast(dict[str, Any], definition)] if isinstance(definition, dict) else []
    functions = [each for each in given if each in FUNCTIONS]
    unknown = [each for each in given if each not in (*FUNCTIONS, "where", "otherwise", "key")]
    if unknown:
        raise DescriptionError(
            f"The overlay's {place} has no function '{unknown[0]}'.{did_you_mean(unknown[0], FUNCTIONS)}"
        )
    if len(functions) != 1:
        raise DescriptionError(f"The overlay's {place} needs one function: {', '.join(FUNCTIONS)}.")
    return functions[0]


def _refuse_unknown(name: str, known: set[str], place: str) -> None:
    if name not in known:
        raise DescriptionError(
            f"The overlay's {place} names the field '{name}', which there is not.{did_you_mean(name, known)}"
        )


class _ComputedReader:
    """Compiles one definition; columns of `outer` are those of the object itself."""

    def __init__(self, outer: StoredResource, tables: TableIndex, place: str) -> None:
        self._outer, self._tables, self._place = outer, tables, place

    def compile(self, function: str, definition: dict[str, Any]) -> Column[Any]:
        given = definition[function]
        match function:
            case "count" | "total" | "least" | "greatest" | "only" | "join":
                return self._aggregate(function, str(given), self._conditions(definition.get("where") or {}))
            case "length":
                return count(Items(self._own(given)))
            case "elapsed":
                return elapsed_micros(*self._parts(given, 2))
            case "add":
                first, *others = self._parts(given, 1)
                for each in others:
                    first = first + each
                return first
            case "coalesce":
                first, *others = self._parts(given, 1)
                return coalesce(first, *others)
            case _:
                return self._cases(given, definition.get("otherwise"))

    def _aggregate(self, function: str, of: str, where: dict[str, Any]) -> Column[Any]:
        table, _, field = of.partition(".")
        inner = self._find_table(table)
        conditions = [self.condition(inner, name, wanted) for name, wanted in where.items()]
        self._index(inner, where)
        if function == "count":
            return count(inner.row, *conditions)
        return _AGGREGATES[function](self._column(inner, field), inner.row, *conditions)

    def _find_table(self, table: str) -> StoredResource:
        if table not in self._tables:
            near = did_you_mean(table, self._tables)
            raise DescriptionError(f"The overlay's {self._place} names the table '{table}', which there is not.{near}")
        return self._tables[table]

    def read_object(self, definition: dict[str, Any]) -> tuple[str, str]:
        """Return the table of an object and the placeholder of its key."""
        key, table = definition.get("key"), str(definition["one"])
        if not _is_reference(key):
            raise DescriptionError(f"The overlay's {self._place} needs a key that is a field, such as $owner_id.")
        self._find_table(table)
        self._column(self._outer, str(key).removeprefix("$"))
        return table, str(key)

    def _conditions(self, given: Any) -> dict[str, Any]:
        if not isinstance(given, dict):
            raise DescriptionError(f"The overlay's {self._place} needs an object of conditions, not {given!r}.")
        return cast(dict[str, Any], given)

    def _index(self, inner: StoredResource, where: dict[str, Any]) -> None:
        """Index the columns by which related rows are found: each row of a list looks them up."""
        for name, wanted in where.items():
            if _is_reference(wanted) and "." not in name and inner.column(name).kind != "json":
                index(inner.row, (inner.columns.get(name) or inner.parents[name],))

    def condition(self, stored: StoredResource, field: str, wanted: Any) -> Expression:
        column = self._column(stored, field)
        if isinstance(wanted, list):
            return column.in_(cast(list[object], wanted))
        if isinstance(wanted, dict):
            return self._comparison(column, cast(dict[str, Any], wanted))
        return column == (self._own(wanted) if _is_reference(wanted) else wanted)

    def _comparison(self, column: Column[Any], wanted: dict[str, Any]) -> Expression:
        if len(wanted) != 1 or next(iter(wanted)) not in _COMPARISONS:
            raise DescriptionError(f"The overlay's {self._place} compares by one of {', '.join(_COMPARISONS)}.")
        [(how, value)] = wanted.items()
        other = self._own(value) if _is_reference(value) else value
        match how:
            case "gt":
                return column > other
            case "gte":
                return column >= other
            case "lt":
                return column < other
            case "lte":
                return column <= other
            case _:
                return not_(column == other)

    def _parts(self, given: Any, least_count: int) -> list[Any]:
        parts: list[Any] = cast(list[Any], given) if isinstance(given, list) else []
        if len(parts) < least_count or not _is_reference(parts[0]):
            raise DescriptionError(f"The overlay's {self._place} needs a list that begins with a field such as $name.")
        return [self._own(each) if _is_reference(each) else each for each in parts]

    def _cases(self, given: Any, otherwise: Any) -> Column[Any]:
        cases: list[Any] = cast(list[Any], given) if isinstance(given, list) else []
        if not cases or any(not isinstance(each, dict) or {*each} != {"when", "then"} for each in cases):
            raise DescriptionError(f"The overlay's {self._place} needs cases such as {{when: {{status: x}}, then: y}}.")
        kind = _kind_of([*(each["then"] for each in cases), otherwise])
        compiled: list[tuple[Expression, object]] = []
        for each in cases:
            conditions = [
                self.condition(self._outer, name, wanted) for name, wanted in self._conditions(each["when"]).items()
            ]
            compiled.append((all_of(*conditions), self._value(each["then"])))
        return case(kind, *compiled, otherwise=self._value(otherwise))

    def _value(self, given: Any) -> Any:
        return self._own(given) if _is_reference(given) else given

    def _own(self, reference: Any) -> Column[Any]:
        return self._column(self._outer, str(reference).removeprefix("$"))

    def _column(self, stored: StoredResource, field: str) -> Column[Any]:
        name, *path = field.split(".")
        _refuse_unknown(name, {*stored.columns, *stored.parents}, self._place)
        return stored.column(name).json(*path) if path else stored.column(name)


def _is_reference(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("$")


def _kind_of(values: list[Any]) -> ColumnType:
    known = [each for each in values if each is not None]
    if known and all(isinstance(each, bool) for each in known):
        return "boolean"
    if known and all(isinstance(each, int) and not isinstance(each, bool) for each in known):
        return "integer"
    return "text"
