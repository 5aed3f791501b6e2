"""Expressions to SQL. An atom may be NULL where it is false; `Not` is the one place where that would matter.

An operator is written once, here; a dialect says how its database compares, and how it looks into text and JSON.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, NamedTuple, cast

from twindiff.kit.computed_values import row_of
from twindiff.kit.full_text import SearchTerm, without_accents
from twindiff.kit.rows import (
    AllOf,
    AnyOf,
    Case,
    Column,
    ColumnType,
    Expression,
    Items,
    Not,
    Order,
    Related,
    Row,
    Source,
    Step,
    Table,
    TransitiveClosure,
    Where,
    table_of,
    worked_out,
)
from twindiff.kit.store import Ordering

from .names import quote

MANY = 500
"""Parts beyond which a chain becomes a tree."""


class Scope(NamedTuple):
    """A table under its alias; inside `exists`, the innermost is last."""

    alias: str
    table: type[Row]


class Search(NamedTuple):
    """How rows are found sooner: what stands in the table's place, and a condition that those which fit fulfil."""

    source: str = ""
    condition: str = ""


NO_SEARCH = Search()
Scopes = tuple[Scope, ...]
OUTERMOST = "t"


class SqlCompiler(ABC):
    """SQL text in the making; a subclass is the dialect of a database.

    Parameters come in the order of their places: what is compiled first stands first, and stands there once.
    """

    def __init__(self) -> None:
        self.parameters: list[Any] = []

    # What a dialect says

    @abstractmethod
    def table(self, row: type[Row]) -> str:
        """A table by its name."""

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
    def fold_case(self, left: str) -> str:
        """A text without regard to case."""

    @abstractmethod
    def bare(self, left: str) -> str:
        """A text without regard to case and accents."""

    @abstractmethod
    def microseconds(self, instant: str) -> str:
        """An instant as the number of microseconds since 1970."""

    @abstractmethod
    def items(self, reference: str) -> str:
        """The items of the list in a Json column, as rows of `Item`; nothing when it is no list."""

    @abstractmethod
    def aggregate_text(self, text: str, order: str) -> str:
        """The texts of many rows side by side."""

    def further(self, way: str, steps: str) -> str:
        """The values `v` of the steps whose `k` is a value that the way has come to."""
        return f"SELECT n.v FROM {way} JOIN ({steps}) n ON n.k = {way}.v"

    def looked_up(self, table: str, alias: str, key: str, value: str) -> str:
        """The row of a table with a key, joined to few others."""
        return f"JOIN {table} {alias} ON {alias}.{key} = {value}"

    def contains_fold(self, left: str, text: str) -> str:
        """Whether a text contains another, whatever their case."""
        return self.contains(self.fold_case(left), text.casefold())

    def equals_fold(self, left: str, text: str) -> str:
        """Whether a text is another, whatever their case."""
        return self.equals(self.fold_case(left), text.casefold())

    @abstractmethod
    def has_word(self, left: str, word: SearchTerm) -> str:
        """Whether a text has a word, whatever their case and accents."""

    def has_indexed_word(self, left: str, word: SearchTerm, column: Column[Any]) -> str:
        """The same of a column that has an index of its words."""
        return self.has_word(left, word)

    def entry(self, left: str, column: Column[Any], text: str) -> str:
        """Whether a Json column has a text under a key, by an index of its entries; empty where there is none."""
        return ""

    def search(self, table: Table, where: Sequence[Expression], alias: str) -> Search:
        """How to find the rows of a table that fit."""
        return NO_SEARCH

    # What all of them say

    def where(self, parts: Sequence[Expression], scopes: Scopes) -> str:
        return _join_balanced([self.expression(part, scopes) for part in parts], " AND ") if parts else ""

    def expression(self, part: Expression, scopes: Scopes) -> str:
        if isinstance(part, Where):
            return _atom(self, part, scopes)
        if isinstance(part, AllOf):
            return f"({self.where(part.parts, scopes) or 'true'})"
        if isinstance(part, AnyOf):
            return f"({_join_balanced([self.expression(each, scopes) for each in part.parts], ' OR ') or 'false'})"
        if isinstance(part, Not):
            return f"({self.expression(part.part, scopes)}) IS NOT TRUE"
        if isinstance(part, Column):
            return _atom(self, part.is_true, scopes)
        return f"EXISTS (SELECT 1 {self._from_related(part.source, part.where, scopes)})"

    def _from_related(self, source: Source, where: Sequence[Expression], scopes: Scopes) -> str:
        scope = Scope(f"{OUTERMOST}{len(scopes)}", row_of(source))
        rows = self._source(source, scope.alias, scopes)
        return f"FROM {rows} WHERE {self.where(where, (*scopes, scope)) or 'true'}"

    def _source(self, source: Source, alias: str, scopes: Scopes) -> str:
        if isinstance(source, Items):
            return f"{self.items(self.whole(source.column, scopes))} {alias}"
        if not isinstance(source, TransitiveClosure):
            return f"{self.table(source)} {alias}"
        way, key = f"w{alias}", quote(table_of(source.table).key[0])
        start = self.reference(source.start, scopes)
        steps = " UNION ALL ".join([self._step(step, f"s{alias}") for step in source.steps])
        closure = f"WITH RECURSIVE {way}(v) AS (SELECT {start} UNION {self.further(way, steps)}) SELECT v FROM {way}"
        return f"({closure}) {way} {self.looked_up(self.table(source.table), alias, key, f'{way}.v')}"

    def _step(self, step: Step, alias: str) -> str:
        row = step.source.table
        names = f"{alias}.{quote(step.source.name)} AS k, {alias}.{quote(step.target.name)} AS v"
        where = self.where(step.where, (Scope(alias, row),)) or "true"
        return f"SELECT {names} FROM {self.table(row)} {alias} WHERE {where}"

    def reference(self, column: Column[Any], scopes: Scopes) -> str:
        """A column of the nearest row of its table, or a value worked out around it."""
        how = column.worked
        if how is None:
            return f"{_nearest(column, reversed(scopes)).alias}.{quote(column.name)}"
        if isinstance(how, Related):
            return self._aggregate(how, scopes)
        if isinstance(how, Case):
            cases = [
                f"WHEN {self.expression(condition, scopes)} THEN {self._part(value, column, scopes)}"
                for condition, value in how.cases
            ]
            text = " ".join(cases) or "WHEN false THEN NULL"
            return f"(CASE {text} ELSE {self._part(how.otherwise, column, scopes)} END)"
        like = _INSTANT if how.op == "elapsed" else column
        return _FORMULAS[how.op](self, [self._part(part, like, scopes) for part in how.parts])

    def whole(self, column: Column[Any], scopes: Scopes) -> str:
        """A column, or what is at its path as JSON text."""
        name = self.reference(column, scopes)
        return self.json_text(name, column) if column.path else name

    def _part(self, part: object, like: Column[Any], scopes: Scopes) -> str:
        """A column or a constant inside a value; the constant is stored as `like` would hold it."""
        if isinstance(part, Column):
            return self.whole(cast(Column[Any], part), scopes)
        return "NULL" if part is None else self.value(part, like)

    def _aggregate(self, how: Related, scopes: Scopes) -> str:
        inner = (*scopes, Scope(f"{OUTERMOST}{len(scopes)}", row_of(how.source)))
        value = _BROUGHT[how.how](self, how.of, inner)
        return f"(SELECT {value} {self._from_related(how.source, how.where, scopes)})"

    def select_list(self, columns: Sequence[Column[Any]], table: Table) -> str:
        """The values of columns; JSON as text."""
        return ", ".join([self.whole(column, (Scope(OUTERMOST, table.row),)) for column in columns])

    def order_by(self, order: Ordering, table: Table, alias: str = OUTERMOST) -> str:
        """ORDER BY text; ties are broken by key, so that every order is total."""
        parts = order if isinstance(order, tuple) and not isinstance(order, Order) else (order,)
        orders = [part if isinstance(part, Order) else Order(part, descending=False) for part in parts]
        references = [self.reference(part.column, (Scope(alias, table.row),)) for part in orders]
        terms = [f"{name} {_direction(part)}" for name, part in zip(references, orders, strict=True)]
        # The key follows the direction of the last term, so that one index serves both ways.
        way = _way(orders[-1]) if orders else "ASC"
        ties = [name for name in (f"{alias}.{quote(column)}" for column in table.key) if name not in references]
        return ", ".join([*terms, *(f"{name} {way}" for name in ties)])


def _join_balanced(parts: list[str], word: str) -> str:
    """Parts side by side; many as a balanced tree, since databases limit how deep a chain of them goes."""
    if len(parts) <= MANY:
        return word.join(parts)
    middle = len(parts) // 2
    return f"({_join_balanced(parts[:middle], word)}){word}({_join_balanced(parts[middle:], word)})"


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


def _left_operand(sql: SqlCompiler, column: Column[Any], scopes: Scopes) -> str:
    """The column on the left: one of the innermost row."""
    scope = scopes[-1]
    if column.worked is None and column.table is not scope.table:
        raise TypeError(f"{column.table.__name__}.{column.name} is not a column of {scope.table.__name__}")
    return sql.reference(column, scopes)


def _right(sql: SqlCompiler, column: Column[Any], scopes: Scopes) -> str:
    """The column on the right: one of the nearest row outside, or else of the same row."""
    if column.worked is not None:
        return sql.reference(column, scopes)
    scope = _nearest(column, (*reversed(scopes[:-1]), scopes[-1]))
    return f"{scope.alias}.{quote(column.name)}"


def _nearest(column: Column[Any], scopes: Iterable[Scope]) -> Scope:
    for scope in scopes:
        if scope.table is column.table:
            return scope
    raise TypeError(f"{column.table.__name__}.{column.name} is compared where no row of its table is in reach")


def _atom(sql: SqlCompiler, part: Where, scopes: Scopes) -> str:
    if part.op == "in" and not part.column.path:
        return _among(sql, part, scopes)
    left = _left_operand(sql, part.column, scopes)
    other: Any = part.value
    if isinstance(other, Column):
        return _between_columns(sql, part, left, cast(Column[Any], other), scopes)
    if part.column.path:
        return _JSON_ATOMS[part.op](sql, part, left)
    return _ATOMS[part.op](sql, part, left)


def _among(sql: SqlCompiler, part: Where, scopes: Scopes) -> str:
    """NULL is asked for apart, so that a place for a value is never written twice."""
    given = cast(Collection[object], part.value)
    values = [value for value in given if value is not None]
    among = sql.among(_left_operand(sql, part.column, scopes), values, part.column) if values else "false"
    return f"({among} OR {_left_operand(sql, part.column, scopes)} IS NULL)" if None in given else among


# Values that are worked out


def _of(sql: SqlCompiler, column: Column[Any] | None, scopes: Scopes) -> str:
    assert column is not None
    return sql.whole(column, scopes)


def _total(sql: SqlCompiler, column: Column[Any] | None, scopes: Scopes) -> str:
    summed = f"SUM({_of(sql, column, scopes)})"
    return f"CAST({summed} AS BIGINT)" if column is not None and column.kind == "integer" else summed


_BROUGHT: dict[str, Callable[[SqlCompiler, Column[Any] | None, Scopes], str]] = {
    "only": _of,
    "count": lambda sql, column, scopes: "COUNT(*)",
    "total": _total,
    "least": lambda sql, column, scopes: f"MIN({_of(sql, column, scopes)})",
    "greatest": lambda sql, column, scopes: f"MAX({_of(sql, column, scopes)})",
    "joined": lambda sql, column, scopes: sql.aggregate_text(_of(sql, column, scopes), _of(sql, column, scopes)),
}
_INSTANT: Column[Any] = worked_out("timestamp", Case((), None))
_FORMULAS: dict[str, Callable[[SqlCompiler, list[str]], str]] = {
    "elapsed": lambda sql, parts: f"(- {sql.microseconds(parts[0])} + {sql.microseconds(parts[1])})",
    "coalesce": lambda sql, parts: f"COALESCE({', '.join(parts)})",
    "+": lambda sql, parts: f"({' + '.join(parts)})",
}


Atom = Callable[[SqlCompiler, Where, str], str]
TextAtom = Callable[[SqlCompiler, str, str], str]
_ORDERED = ("<", "<=", ">", ">=")

_TEXT_ATOMS: dict[str, TextAtom] = {
    "contains": lambda sql, left, text: sql.contains(left, text),
    "contains_fold": lambda sql, left, text: sql.contains_fold(left, text),
    "contains_bare": lambda sql, left, text: sql.contains(sql.bare(left), without_accents(text)),
    "starts": lambda sql, left, text: sql.starts(left, text),
    "starts_fold": lambda sql, left, text: sql.starts(sql.fold_case(left), text.casefold()),
    "ends": lambda sql, left, text: sql.ends(left, text),
    "ends_fold": lambda sql, left, text: sql.ends(sql.fold_case(left), text.casefold()),
    "equals_fold": lambda sql, left, text: sql.equals_fold(left, text),
}


# A column and a value


def _equal(sql: SqlCompiler, part: Where, left: str) -> str:
    return f"{left} IS NULL" if part.value is None else f"{left} = {sql.value(part.value, part.column)}"


def _different(sql: SqlCompiler, part: Where, left: str) -> str:
    if part.value is None:
        return f"{left} IS NOT NULL"
    return f"{left} IS DISTINCT FROM {sql.value(part.value, part.column)}"


def _compare(sql: SqlCompiler, part: Where, left: str) -> str:
    return f"{left} {part.op} {sql.value(part.value, part.column)}"


def _having_word(sql: SqlCompiler, part: Where, left: str) -> str:
    word, column = cast(SearchTerm, part.value), part.column
    is_indexed = column.worked is None and column.name in table_of(column.table).words
    return sql.has_indexed_word(left, word, column) if is_indexed else sql.has_word(left, word)


def _text(atom: TextAtom) -> Atom:
    return lambda sql, part, left: atom(sql, left, str(part.value))


_ATOMS: dict[str, Atom] = {
    "=": _equal,
    "!=": _different,
    **dict.fromkeys(_ORDERED, _compare),
    **{name: _text(atom) for name, atom in _TEXT_ATOMS.items()},
    "has_word": _having_word,
}


# A value inside a Json column and a value


def _plain_json(sql: SqlCompiler, reference: str, column: Column[Any]) -> str:
    return f"NULLIF({sql.json_text(reference, column)}, 'null')"


def _json_equal(sql: SqlCompiler, part: Where, left: str) -> str:
    if part.value is None:
        return f"{_plain_json(sql, left, part.column)} IS NULL"
    by_index = sql.entry(left, part.column, part.value) if isinstance(part.value, str) else ""
    return by_index or _json_compared(sql, part, left)


def _json_different(sql: SqlCompiler, part: Where, left: str) -> str:
    return f"({_json_equal(sql, part._replace(op='='), left)}) IS NOT TRUE"


def _json_compared(sql: SqlCompiler, part: Where, left: str) -> str:
    return f"{sql.of_kind(left, part.column, kind_of(part.value))} {part.op} {sql.value(part.value, part.column)}"


def _json_among(sql: SqlCompiler, part: Where, left: str) -> str:
    values = cast(Collection[object], part.value)
    equal = [_json_equal(sql, part._replace(op="=", value=value), left) for value in values]
    return f"({_join_balanced(equal, ' OR ') or 'false'})"


def _json_text(atom: TextAtom) -> Atom:
    return lambda sql, part, left: atom(sql, sql.of_kind(left, part.column, "text"), str(part.value))


_JSON_ATOMS: dict[str, Atom] = {
    "=": _json_equal,
    "!=": _json_different,
    **dict.fromkeys(_ORDERED, _json_compared),
    "in": _json_among,
    **{name: _json_text(atom) for name, atom in _TEXT_ATOMS.items()},
    "has_word": lambda sql, part, left: sql.has_word(
        sql.of_kind(left, part.column, "text"), cast(SearchTerm, part.value)
    ),
}


# Two columns


def _between_columns(sql: SqlCompiler, part: Where, left: str, other: Column[Any], scopes: Scopes) -> str:
    mine, theirs = _unify_kinds(sql, part.column, left, other, _right(sql, other, scopes))
    if part.op == "!=":
        return f"{mine} IS DISTINCT FROM {theirs}"
    if part.op == "=" and part.column.nullable and other.nullable:
        return f"{mine} IS NOT DISTINCT FROM {theirs}"
    if part.op not in ("=", *_ORDERED):
        raise TypeError(f"{part.column.name}: two columns cannot be compared by '{part.op}'")
    return f"{mine} {part.op} {theirs}"


def _unify_kinds(sql: SqlCompiler, column: Column[Any], left: str, other: Column[Any], right: str) -> tuple[str, str]:
    """Two columns as values of one kind."""
    if column.path and other.path:
        return _plain_json(sql, left, column), _plain_json(sql, right, other)
    if column.path:
        return sql.of_kind(left, column, other.kind), right
    return left, sql.of_kind(right, other, column.kind) if other.path else right
