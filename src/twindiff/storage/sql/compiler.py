"""Compiler of expressions to SQL.

Operators are defined here once. A dialect defines how its database compares values and searches text and JSON. An atom
may be NULL instead of false; only `Not` must distinguish them, so it compiles to `IS NOT TRUE`.

Example: `not_(Issue.title == "a")` under the alias `t` becomes `(t."title" = ?1) IS NOT TRUE` in SQLite.
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
"""Operands beyond which a chain of AND or OR is nested as a balanced tree."""


class Scope(NamedTuple):
    """A table and its alias. A tuple of scopes lists enclosing queries first, the innermost `exists` last."""

    alias: str
    table: type[Row]


class Search(NamedTuple):
    """How an index narrows a search: SQL that replaces the table in FROM, and an added condition; empty if none."""

    source: str = ""
    condition: str = ""


NO_SEARCH = Search()
Scopes = tuple[Scope, ...]
OUTERMOST = "t"


class SqlCompiler(ABC):
    """Compiles one statement and collects its `parameters`; a subclass is the dialect of a database.

    Parameters are in the order of their placeholders: an expression compiled first must appear first in the text, and
    only once.
    """

    def __init__(self) -> None:
        self.parameters: list[Any] = []

    # Defined by dialects

    @abstractmethod
    def table(self, row: type[Row]) -> str:
        """Return the quoted name of a table."""

    @abstractmethod
    def value(self, value: object, column: Column[Any]) -> str:
        """Add a parameter and return its placeholder; the value is stored like those of the column, or at its path."""

    @abstractmethod
    def among(self, left: str, values: Sequence[object], column: Column[Any]) -> str:
        """Test whether a column equals one of several values; there is at least one, and none is None."""

    @abstractmethod
    def json_text(self, reference: str, column: Column[Any]) -> str:
        """Return the value at the path of a Json column as JSON text; NULL if it is absent."""

    @abstractmethod
    def of_kind(self, reference: str, column: Column[Any], kind: ColumnType) -> str:
        """Return the value at the path of a Json column if it is of a kind, else NULL: JSON values are not typed."""

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
        """Case-fold a text."""

    @abstractmethod
    def bare(self, left: str) -> str:
        """Case-fold a text and remove its accents."""

    @abstractmethod
    def microseconds(self, instant: str) -> str:
        """Convert an instant to microseconds since 1970."""

    @abstractmethod
    def items(self, reference: str) -> str:
        """Return a row source with the items of the list in a Json column, as rows of `Item`; empty for a non-list."""

    @abstractmethod
    def aggregate_text(self, text: str, order: str) -> str:
        """Concatenate the texts of a group of rows, separated by `JOINT`."""

    def further(self, way: str, steps: str) -> str:
        """Return the recursive term of a closure: the targets `v` of all steps from the values in `way`."""
        return f"SELECT n.v FROM {way} JOIN ({steps}) n ON n.k = {way}.v"

    def looked_up(self, table: str, alias: str, key: str, value: str) -> str:
        """Join the row of a table by its key to a small row source."""
        return f"JOIN {table} {alias} ON {alias}.{key} = {value}"

    def contains_fold(self, left: str, text: str) -> str:
        """Test whether a text contains another, ignoring case."""
        return self.contains(self.fold_case(left), text.casefold())

    def equals_fold(self, left: str, text: str) -> str:
        """Test whether two texts are equal, ignoring case."""
        return self.equals(self.fold_case(left), text.casefold())

    @abstractmethod
    def has_word(self, left: str, word: SearchTerm) -> str:
        """Test whether a text contains a word, ignoring case and accents."""

    def has_indexed_word(self, left: str, word: SearchTerm, column: Column[Any]) -> str:
        """Do the same for a column with a full-text index."""
        return self.has_word(left, word)

    def entry(self, left: str, column: Column[Any], text: str) -> str:
        """Test by the JSON key index whether a Json column has a text under a key; empty without such an index."""
        return ""

    def search(self, table: Table, where: Sequence[Expression], alias: str) -> Search:
        """Return how full-text indexes narrow the search for matching rows of a table."""
        return NO_SEARCH

    # Common to all dialects

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
        # (WITH RECURSIVE wt1(v) AS (SELECT t."id" UNION SELECT n.v FROM wt1
        #   JOIN (SELECT st1."parent_id" AS k, st1."id" AS v FROM "folders" st1 WHERE true) n ON n.k = wt1.v)
        #   SELECT v FROM wt1) wt1 JOIN "folders" t1 ON t1."id" = wt1.v
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
        """Compile a column of the innermost enclosing row of its table, or a computed value."""
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
        """Compile a column, or the value at its path as JSON text."""
        name = self.reference(column, scopes)
        return self.json_text(name, column) if column.path else name

    def _part(self, part: object, like: Column[Any], scopes: Scopes) -> str:
        """Compile an operand of a computed value; a constant is stored like a value of the column `like`."""
        if isinstance(part, Column):
            return self.whole(cast(Column[Any], part), scopes)
        return "NULL" if part is None else self.value(part, like)

    def _aggregate(self, how: Related, scopes: Scopes) -> str:
        inner = (*scopes, Scope(f"{OUTERMOST}{len(scopes)}", row_of(how.source)))
        value = _BROUGHT[how.how](self, how.of, inner)
        return f"(SELECT {value} {self._from_related(how.source, how.where, scopes)})"

    def select_list(self, columns: Sequence[Column[Any]], table: Table) -> str:
        """Compile a SELECT list; values inside JSON are selected as JSON text."""
        return ", ".join([self.whole(column, (Scope(OUTERMOST, table.row),)) for column in columns])

    def order_by(self, order: Ordering, table: Table, alias: str = OUTERMOST) -> str:
        """Compile the terms of ORDER BY. The key is appended, so that every order is total."""
        parts = order if isinstance(order, tuple) and not isinstance(order, Order) else (order,)
        orders = [part if isinstance(part, Order) else Order(part, descending=False) for part in parts]
        references = [self.reference(part.column, (Scope(alias, table.row),)) for part in orders]
        terms = [f"{name} {_direction(part)}" for name, part in zip(references, orders, strict=True)]
        # The key has the direction of the last term, so that one index serves both directions.
        way = _way(orders[-1]) if orders else "ASC"
        ties = [name for name in (f"{alias}.{quote(column)}" for column in table.key) if name not in references]
        return ", ".join([*terms, *(f"{name} {way}" for name in ties)])


def _join_balanced(parts: list[str], word: str) -> str:
    """Join conditions; many become a balanced tree, since databases limit the depth of a chain of operators."""
    if len(parts) <= MANY:
        return word.join(parts)
    middle = len(parts) // 2
    return f"({_join_balanced(parts[:middle], word)}){word}({_join_balanced(parts[middle:], word)})"


def _way(order: Order) -> str:
    return "DESC" if order.descending else "ASC"


def _direction(order: Order) -> str:
    if not order.column.nullable:
        return _way(order)  # without NULLS, to match the order of indexes
    return f"{_way(order)} NULLS {(order.nulls or ('last' if order.descending else 'first')).upper()}"


def kind_of(value: object) -> ColumnType:
    """Return the column kind as which a value inside JSON is compared."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "integer"
    return "text" if isinstance(value, str) else "json"


def _left_operand(sql: SqlCompiler, column: Column[Any], scopes: Scopes) -> str:
    """Compile the left operand, a column of the innermost row."""
    scope = scopes[-1]
    if column.worked is None and column.table is not scope.table:
        raise TypeError(f"{column.table.__name__}.{column.name} is not a column of {scope.table.__name__}")
    return sql.reference(column, scopes)


def _right(sql: SqlCompiler, column: Column[Any], scopes: Scopes) -> str:
    """Compile the right operand: a column of the nearest enclosing row, or else of the same row."""
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
    """Test for NULL separately, so that no placeholder is written twice."""
    given = cast(Collection[object], part.value)
    values = [value for value in given if value is not None]
    among = sql.among(_left_operand(sql, part.column, scopes), values, part.column) if values else "false"
    return f"({among} OR {_left_operand(sql, part.column, scopes)} IS NULL)" if None in given else among


# Computed values


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
    """Convert two operands to comparable kinds, where one or both are inside JSON."""
    if column.path and other.path:
        return _plain_json(sql, left, column), _plain_json(sql, right, other)
    if column.path:
        return sql.of_kind(left, column, other.kind), right
    return left, sql.of_kind(right, other, column.kind) if other.path else right
