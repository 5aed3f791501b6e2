"""Expressions to SQL. An atom may be NULL where it is false; `Not` is the one place where that would matter."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from decimal import Decimal
from typing import Any, NamedTuple, cast

from twindiff.kit.rows import (
    AllOf,
    AnyOf,
    Column,
    ColumnType,
    Counted,
    Exists,
    Expression,
    Not,
    Order,
    Row,
    Where,
    table_of,
)
from twindiff.kit.store import Ordering
from twindiff.storage.values import INT64, without_accents

from .ddl import quote
from .text import written, written_json


class Scope(NamedTuple):
    """A table under its alias; inside `exists`, the innermost is last."""

    alias: str
    table: type[Row]


Scopes = tuple[Scope, ...]
OUTERMOST = "t"

_TEXTS = ("text", "timestamp", "date")
_NUMBERS = ("integer", "float")
_JSON_TYPES: dict[ColumnType, str] = {
    **dict.fromkeys(_TEXTS, "'string'"),
    **dict.fromkeys(_NUMBERS, "'number'"),
    "boolean": "'boolean'",
    "json": "'object', 'array'",
}  # pyright: ignore[reportAssignmentType] - the keys are column types
_JSON_VALUES: dict[ColumnType, str] = {
    **dict.fromkeys(_TEXTS, "({} #>> '{{}}') COLLATE \"C\""),
    **dict.fromkeys(_NUMBERS, "({} #>> '{{}}')::numeric"),
    "boolean": "({} #>> '{{}}')::boolean",
    "json": '({}::text) COLLATE "C"',
}  # pyright: ignore[reportAssignmentType]


class Sql:
    """SQL text in the making, with its parameters in order; `schema` holds the tables."""

    def __init__(self, schema: str) -> None:
        self.schema = schema
        self.parameters: list[Any] = []

    def table(self, row: type[Row]) -> str:
        """A table by its full name."""
        return f"{quote(self.schema)}.{quote(table_of(row).name)}"

    def where(self, parts: Sequence[Expression], scopes: Scopes) -> str:
        return " AND ".join([self.expression(part, scopes) for part in parts])

    def expression(self, part: Expression, scopes: Scopes) -> str:
        if isinstance(part, Where):
            return _atom(self, part, scopes)
        if isinstance(part, AllOf):
            return f"({self.where(part.parts, scopes) or 'true'})"
        if isinstance(part, AnyOf):
            return f"({' OR '.join([self.expression(each, scopes) for each in part.parts]) or 'false'})"
        if isinstance(part, Not):
            return f"NOT COALESCE({self.expression(part.part, scopes)}, false)"
        if isinstance(part, Counted):
            count = f"(SELECT COUNT(*) {self._related(part, scopes)})"
            self.parameters.append(part.value)
            return f"{count} {part.op} %s::numeric"
        return f"EXISTS (SELECT 1 {self._related(part, scopes)})"

    def _related(self, part: Exists | Counted, scopes: Scopes) -> str:
        scope = Scope(f"{OUTERMOST}{len(scopes)}", part.table)
        where = self.where(part.where, (*scopes, scope)) or "true"
        return f"FROM {self.table(part.table)} {scope.alias} WHERE {where}"

    def reference(self, column: Column[Any], alias: str) -> str:
        """A column of the row under an alias, or a column of the row that it points to."""
        name = f"{alias}.{quote(column.name)}"
        other = column.looked_up
        if other is None:
            return name
        key = quote(table_of(other.table).key[0])
        return f"(SELECT l.{quote(other.name)} FROM {self.table(other.table)} l WHERE l.{key} = {name})"

    def at(self, reference: str, column: Column[Any]) -> str:
        """What is at a path of a Json column, as JSON."""
        self.parameters += [written(key) for key in column.path]
        return f"({reference}::json{' -> %s::text' * len(column.path)})"

    def of_kind(self, reference: str, column: Column[Any], kind: ColumnType) -> str:
        """What is at a path if it is of a kind, else NULL: inside JSON every value has a type of its own."""
        found = f"json_typeof({self.at(reference, column)}) IN ({_JSON_TYPES[kind]})"
        return f"(CASE WHEN {found} THEN {_JSON_VALUES[kind].format(self.at(reference, column))} END)"

    def value(self, value: object, column: Column[Any]) -> str:
        """A place for a value that is compared with a column."""
        kind = _kind(value) if column.path else column.kind
        kind, stored = _stored(value, kind)
        self.parameters.append(stored)
        return f"%s::{kind}"


def _stored(value: Any, kind: ColumnType) -> tuple[str, Any]:
    """The type under which a value is compared with a column of a kind, and the value in it."""
    if kind in _NUMBERS:
        return _number(value, kind)
    if kind == "boolean":
        return "boolean", bool(value)
    return "text", written_json(value) if kind == "json" else written(str(value))


def _number(value: Any, kind: ColumnType) -> tuple[str, Any]:
    if kind == "integer" and isinstance(value, int) and value in INT64:
        return "bigint", int(value)
    if kind == "integer":
        return "numeric", Decimal(value)
    return "double precision", float(value)


def _kind(value: object) -> ColumnType:
    """What a value inside JSON is compared as."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "integer"
    return "text" if isinstance(value, str) else "json"


def _left(sql: Sql, column: Column[Any], scopes: Scopes) -> str:
    """The plain column on the left: one of the innermost row."""
    scope = scopes[-1]
    if column.table is not scope.table:
        raise TypeError(f"{column.table.__name__}.{column.name} is not a column of {scope.table.__name__}")
    return sql.reference(column, scope.alias)


def _right(column: Column[Any], scopes: Scopes) -> str:
    """The plain column on the right: one of the nearest row outside, or else of the same row."""
    for scope in (*reversed(scopes[:-1]), scopes[-1]):
        if scope.table is column.table:
            return f"{scope.alias}.{quote(column.name)}"
    raise TypeError(f"{column.table.__name__}.{column.name} is compared where no row of its table is in reach")


def _atom(sql: Sql, part: Where, scopes: Scopes) -> str:
    left = _left(sql, part.column, scopes)
    if isinstance(part.value, Column):
        other = cast(Column[Any], part.value)  # pyright: ignore[reportUnknownMemberType] - a column of anything
        return _between_columns(sql, part, left, other, scopes)
    if part.column.path:
        return _JSON_ATOMS[part.op](sql, part, left)
    return _ATOMS[part.op](sql, part, left)


# A column and a value


def _equal(sql: Sql, part: Where, left: str) -> str:
    return f"{left} IS NULL" if part.value is None else f"{left} = {sql.value(part.value, part.column)}"


def _different(sql: Sql, part: Where, left: str) -> str:
    return f"{left} IS DISTINCT FROM {'NULL' if part.value is None else sql.value(part.value, part.column)}"


def _compared(sql: Sql, part: Where, left: str) -> str:
    return f"{left} {part.op} {sql.value(part.value, part.column)}"


def _among(sql: Sql, part: Where, left: str) -> str:
    values = [_stored(value, part.column.kind) for value in cast(Collection[object], part.value) if value is not None]
    kinds = {kind for kind, _ in values} or {"text"}
    (kind,) = kinds if len(kinds) == 1 else ("numeric",)
    among = "false"
    if values:
        sql.parameters.append([Decimal(value) if kind == "numeric" else value for _, value in values])
        among = f"{left} = ANY(%s::{kind}[])"
    return f"({among} OR {left} IS NULL)" if None in cast(Collection[object], part.value) else among


Form = Callable[[Sql, str, str], str]
Atom = Callable[[Sql, Where, str], str]


def _contains(sql: Sql, left: str, text: str) -> str:
    sql.parameters.append(text)
    return f"strpos({left}, %s::text) > 0"


def _starts(sql: Sql, left: str, text: str) -> str:
    sql.parameters.append(text)
    return f"starts_with({left}, %s::text)"


def _ends(sql: Sql, left: str, text: str) -> str:
    sql.parameters.append(text)
    return f"right({left}, {len(text)}) = %s::text"


def _equals(sql: Sql, left: str, text: str) -> str:
    sql.parameters.append(text)
    return f"{left} = %s::text"


def _text(form: Form, *, fold: bool) -> Atom:
    def atom(sql: Sql, part: Where, left: str) -> str:
        text = str(part.value)
        if not fold:
            return form(sql, left, written(text))
        return form(sql, f"twindiff.casefold({left})", written(text.casefold()))

    return atom


def _resembles(sql: Sql, part: Where, left: str) -> str:
    return _contains(sql, f"twindiff.without_accents({left})", written(without_accents(part.value)))


_TEXT_FORMS: dict[str, Form] = {"contains": _contains, "starts": _starts, "ends": _ends}
_TEXT_ATOMS: dict[str, Atom] = {
    **{name: _text(form, fold=False) for name, form in _TEXT_FORMS.items()},
    **{f"{name}_fold": _text(form, fold=True) for name, form in _TEXT_FORMS.items()},
    "equals_fold": _text(_equals, fold=True),
    "contains_bare": _resembles,
}
_ATOMS: dict[str, Atom] = {
    "=": _equal,
    "!=": _different,
    **dict.fromkeys(("<", "<=", ">", ">="), _compared),
    "in": _among,
    **_TEXT_ATOMS,
}


# A value inside a Json column and a value


def _json_equal(sql: Sql, part: Where, left: str) -> str:
    if part.value is None:
        return f"coalesce({sql.at(left, part.column)}::text, 'null') = 'null'"
    return f"{sql.of_kind(left, part.column, _kind(part.value))} = {sql.value(part.value, part.column)}"


def _json_different(sql: Sql, part: Where, left: str) -> str:
    return f"NOT COALESCE({_json_equal(sql, part, left)}, false)"


def _json_compared(sql: Sql, part: Where, left: str) -> str:
    return f"{sql.of_kind(left, part.column, _kind(part.value))} {part.op} {sql.value(part.value, part.column)}"


def _json_among(sql: Sql, part: Where, left: str) -> str:
    values = cast(Collection[object], part.value)
    return f"({' OR '.join([_json_equal(sql, part._replace(value=value), left) for value in values]) or 'false'})"


def _json_text(atom: Atom) -> Atom:
    return lambda sql, part, left: atom(sql, part, sql.of_kind(left, part.column, "text"))


_JSON_ATOMS: dict[str, Atom] = {
    "=": _json_equal,
    "!=": _json_different,
    **dict.fromkeys(("<", "<=", ">", ">="), _json_compared),
    "in": _json_among,
    **{name: _json_text(atom) for name, atom in _TEXT_ATOMS.items()},
}


# Two columns


def _between_columns(sql: Sql, part: Where, left: str, other: Column[Any], scopes: Scopes) -> str:
    mine, theirs = _paired(sql, part.column, left, other, _right(other, scopes))
    if part.op == "!=":
        return f"{mine} IS DISTINCT FROM {theirs}"
    if part.op == "=" and part.column.nullable and other.nullable:
        return f"{mine} IS NOT DISTINCT FROM {theirs}"
    if part.op not in ("=", "<", "<=", ">", ">="):
        raise TypeError(f"{part.column.name}: two columns cannot be compared by '{part.op}'")
    return f"{mine} {part.op} {theirs}"


def _paired(sql: Sql, column: Column[Any], left: str, other: Column[Any], right: str) -> tuple[str, str]:
    """Two columns as values of one kind."""
    if column.path and other.path:
        return _plain_json(sql, left, column), _plain_json(sql, right, other)
    if column.path:
        return sql.of_kind(left, column, other.kind), right
    return left, sql.of_kind(right, other, column.kind) if other.path else right


def _plain_json(sql: Sql, reference: str, column: Column[Any]) -> str:
    return f"NULLIF({sql.at(reference, column)}::text, 'null')"


def order_by(sql: Sql, order: Ordering, key: Sequence[str], alias: str = OUTERMOST) -> str:
    """ORDER BY text; ties are broken by key, so that every order is total."""
    parts = order if isinstance(order, tuple) and not isinstance(order, Order) else (order,)
    orders = [part if isinstance(part, Order) else Order(part, descending=False) for part in parts]
    references = [sql.reference(part.column, alias) for part in orders]
    terms = [f"{name} {_direction(part)}" for name, part in zip(references, orders, strict=True)]
    # The key follows the direction of the last term, so that one index serves both ways.
    direction = _direction(orders[-1]._replace(nulls=None)) if orders else "ASC"
    ties = [name for name in (f"{alias}.{quote(column)}" for column in key) if name not in references]
    return ", ".join([*terms, *(f"{name} {direction.split()[0]}" for name in ties)])


def _direction(order: Order) -> str:
    way = "DESC" if order.descending else "ASC"
    if not order.column.nullable:
        return way  # as PostgreSQL's indexes are
    return f"{way} NULLS {(order.nulls or ('last' if order.descending else 'first')).upper()}"
