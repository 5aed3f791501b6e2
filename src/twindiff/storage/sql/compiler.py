"""Expressions to SQL. An atom may be NULL where it is false; `Not` is the one place where that would matter.

An operator is written once, here; a dialect says how its database compares, and how it looks into text and JSON.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
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
from twindiff.storage.values import without_accents

from .names import quote

MANY = 500
"""Parts beyond which a chain becomes a tree."""


class Scope(NamedTuple):
    """A table under its alias; inside `exists`, the innermost is last."""

    alias: str
    table: type[Row]


Scopes = tuple[Scope, ...]
OUTERMOST = "t"


class Compiler(ABC):
    """SQL text in the making, with its parameters in order; a subclass is the dialect of a database."""

    def __init__(self) -> None:
        self.parameters: list[Any] = []

    # What a dialect says

    @abstractmethod
    def table(self, row: type[Row]) -> str:
        """A table by its name."""

    @abstractmethod
    def number(self, value: float) -> str:
        """A place for a number that rows are counted against."""

    @abstractmethod
    def value(self, value: object, column: Column[Any]) -> str:
        """A place for a value that is compared with a column, or with what is at its path."""

    @abstractmethod
    def among(self, left: str, values: Sequence[object], column: Column[Any]) -> str:
        """Whether a column is one of some values; none of them is None, and there is at least one."""

    @abstractmethod
    def json_text(self, reference: str, column: Column[Any]) -> str:
        """What is at a path of a Json column, as JSON text; NULL where there is nothing."""

    @abstractmethod
    def of_kind(self, reference: str, column: Column[Any], kind: ColumnType) -> str:
        """What is at a path if it is of a kind, else NULL: inside JSON every value has a type of its own."""

    @abstractmethod
    def contains(self, left: str, text: str) -> str: ...

    @abstractmethod
    def starts(self, left: str, text: str) -> str: ...

    @abstractmethod
    def ends(self, left: str, text: str) -> str: ...

    @abstractmethod
    def equals(self, left: str, text: str) -> str: ...

    @abstractmethod
    def folded(self, left: str) -> str:
        """A text without regard to case."""

    @abstractmethod
    def bare(self, left: str) -> str:
        """A text without regard to case and accents."""

    def contains_fold(self, left: str, text: str) -> str:
        """Whether a text contains another, whatever their case."""
        return self.contains(self.folded(left), text.casefold())

    # What all of them say

    def where(self, parts: Sequence[Expression], scopes: Scopes) -> str:
        return _joined([self.expression(part, scopes) for part in parts], " AND ") if parts else ""

    def expression(self, part: Expression, scopes: Scopes) -> str:
        if isinstance(part, Where):
            return _atom(self, part, scopes)
        if isinstance(part, AllOf):
            return f"({self.where(part.parts, scopes) or 'true'})"
        if isinstance(part, AnyOf):
            return f"({_joined([self.expression(each, scopes) for each in part.parts], ' OR ') or 'false'})"
        if isinstance(part, Not):
            return f"NOT COALESCE({self.expression(part.part, scopes)}, false)"
        if isinstance(part, Counted):
            return f"(SELECT COUNT(*) {self._related(part, scopes)}) {part.op} {self.number(part.value)}"
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

    def selected(self, columns: Sequence[Column[Any]], alias: str = OUTERMOST) -> str:
        """The values of columns; JSON as text."""
        names = [(self.reference(column, alias), column) for column in columns]
        return ", ".join([self.json_text(name, column) if column.path else name for name, column in names])

    def order_by(self, order: Ordering, key: Sequence[str], alias: str = OUTERMOST) -> str:
        """ORDER BY text; ties are broken by key, so that every order is total."""
        parts = order if isinstance(order, tuple) and not isinstance(order, Order) else (order,)
        orders = [part if isinstance(part, Order) else Order(part, descending=False) for part in parts]
        references = [self.reference(part.column, alias) for part in orders]
        terms = [f"{name} {_direction(part)}" for name, part in zip(references, orders, strict=True)]
        # The key follows the direction of the last term, so that one index serves both ways.
        way = _way(orders[-1]) if orders else "ASC"
        ties = [name for name in (f"{alias}.{quote(column)}" for column in key) if name not in references]
        return ", ".join([*terms, *(f"{name} {way}" for name in ties)])


def _joined(parts: list[str], word: str) -> str:
    """Parts side by side; many as a balanced tree, since databases limit how deep a chain of them goes."""
    if len(parts) <= MANY:
        return word.join(parts)
    middle = len(parts) // 2
    return f"({_joined(parts[:middle], word)}){word}({_joined(parts[middle:], word)})"


def _way(order: Order) -> str:
    return "DESC" if order.descending else "ASC"


def _direction(order: Order) -> str:
    if not order.column.nullable:
        return _way(order)  # as indexes are
    return f"{_way(order)} NULLS {(order.nulls or ('last' if order.descending else 'first')).upper()}"


def kind_of(value: object) -> ColumnType:
    """What a value inside JSON is compared as."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "integer"
    return "text" if isinstance(value, str) else "json"


def _left(sql: Compiler, column: Column[Any], scopes: Scopes) -> str:
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


def _atom(sql: Compiler, part: Where, scopes: Scopes) -> str:
    left = _left(sql, part.column, scopes)
    other: Any = part.value
    if isinstance(other, Column):
        return _between_columns(sql, part, left, cast(Column[Any], other), scopes)
    if part.column.path:
        return _JSON_ATOMS[part.op](sql, part, left)
    return _ATOMS[part.op](sql, part, left)


Atom = Callable[[Compiler, Where, str], str]
TextAtom = Callable[[Compiler, str, str], str]
_ORDERED = ("<", "<=", ">", ">=")

_TEXT_ATOMS: dict[str, TextAtom] = {
    "contains": lambda sql, left, text: sql.contains(left, text),
    "contains_fold": lambda sql, left, text: sql.contains_fold(left, text),
    "contains_bare": lambda sql, left, text: sql.contains(sql.bare(left), without_accents(text)),
    "starts": lambda sql, left, text: sql.starts(left, text),
    "starts_fold": lambda sql, left, text: sql.starts(sql.folded(left), text.casefold()),
    "ends": lambda sql, left, text: sql.ends(left, text),
    "ends_fold": lambda sql, left, text: sql.ends(sql.folded(left), text.casefold()),
    "equals_fold": lambda sql, left, text: sql.equals(sql.folded(left), text.casefold()),
}


# A column and a value


def _equal(sql: Compiler, part: Where, left: str) -> str:
    return f"{left} IS NULL" if part.value is None else f"{left} = {sql.value(part.value, part.column)}"


def _different(sql: Compiler, part: Where, left: str) -> str:
    if part.value is None:
        return f"{left} IS NOT NULL"
    return f"{left} IS DISTINCT FROM {sql.value(part.value, part.column)}"


def _compared(sql: Compiler, part: Where, left: str) -> str:
    return f"{left} {part.op} {sql.value(part.value, part.column)}"


def _among(sql: Compiler, part: Where, left: str) -> str:
    given = cast(Collection[object], part.value)
    values = [value for value in given if value is not None]
    among = sql.among(left, values, part.column) if values else "false"
    return f"({among} OR {left} IS NULL)" if None in given else among


def _text(atom: TextAtom) -> Atom:
    return lambda sql, part, left: atom(sql, left, str(part.value))


_ATOMS: dict[str, Atom] = {
    "=": _equal,
    "!=": _different,
    **dict.fromkeys(_ORDERED, _compared),
    "in": _among,
    **{name: _text(atom) for name, atom in _TEXT_ATOMS.items()},
}


# A value inside a Json column and a value


def _plain_json(sql: Compiler, reference: str, column: Column[Any]) -> str:
    return f"NULLIF({sql.json_text(reference, column)}, 'null')"


def _json_equal(sql: Compiler, part: Where, left: str) -> str:
    return f"{_plain_json(sql, left, part.column)} IS NULL" if part.value is None else _json_compared(sql, part, left)


def _json_different(sql: Compiler, part: Where, left: str) -> str:
    return f"NOT COALESCE({_json_equal(sql, part._replace(op='='), left)}, false)"


def _json_compared(sql: Compiler, part: Where, left: str) -> str:
    return f"{sql.of_kind(left, part.column, kind_of(part.value))} {part.op} {sql.value(part.value, part.column)}"


def _json_among(sql: Compiler, part: Where, left: str) -> str:
    values = cast(Collection[object], part.value)
    equal = [_json_equal(sql, part._replace(op="=", value=value), left) for value in values]
    return f"({_joined(equal, ' OR ') or 'false'})"


def _json_text(atom: TextAtom) -> Atom:
    return lambda sql, part, left: atom(sql, sql.of_kind(left, part.column, "text"), str(part.value))


_JSON_ATOMS: dict[str, Atom] = {
    "=": _json_equal,
    "!=": _json_different,
    **dict.fromkeys(_ORDERED, _json_compared),
    "in": _json_among,
    **{name: _json_text(atom) for name, atom in _TEXT_ATOMS.items()},
}


# Two columns


def _between_columns(sql: Compiler, part: Where, left: str, other: Column[Any], scopes: Scopes) -> str:
    mine, theirs = _paired(sql, part.column, left, other, _right(other, scopes))
    if part.op == "!=":
        return f"{mine} IS DISTINCT FROM {theirs}"
    if part.op == "=" and part.column.nullable and other.nullable:
        return f"{mine} IS NOT DISTINCT FROM {theirs}"
    if part.op not in ("=", *_ORDERED):
        raise TypeError(f"{part.column.name}: two columns cannot be compared by '{part.op}'")
    return f"{mine} {part.op} {theirs}"


def _paired(sql: Compiler, column: Column[Any], left: str, other: Column[Any], right: str) -> tuple[str, str]:
    """Two columns as values of one kind."""
    if column.path and other.path:
        return _plain_json(sql, left, column), _plain_json(sql, right, other)
    if column.path:
        return sql.of_kind(left, column, other.kind), right
    return left, sql.of_kind(right, other, column.kind) if other.path else right
