"""Expressions to SQL. An atom may be NULL where it is false; `_not` is the one place where that would matter."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple, cast

import msgspec

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
from twindiff.storage.values import INT64, json_text, without_accents

from .ddl import quote

MANY = 500
"""Values or parts beyond which SQLite wants another form: it limits parameters, and the depth of an expression."""


class Scope(NamedTuple):
    """A table under its alias; inside `exists`, the innermost is last."""

    alias: str
    table: type[Row]


Scopes = tuple[Scope, ...]
OUTERMOST = "t"

_JSON_TYPES: dict[ColumnType, str] = {
    "text": "'text'",
    "timestamp": "'text'",
    "date": "'text'",
    "integer": "'integer', 'real'",
    "float": "'integer', 'real'",
    "boolean": "'true', 'false'",
    "json": "'object', 'array'",
}


class Sql:
    """SQL text in the making, with its parameters in order."""

    def __init__(self) -> None:
        self.parameters: list[Any] = []

    def where(self, parts: Sequence[Expression], scopes: Scopes) -> str:
        return _joined([self.expression(part, scopes) for part in parts], " AND ") if parts else ""

    def expression(self, part: Expression, scopes: Scopes) -> str:
        if isinstance(part, Where):
            return _atom(self, part, scopes)
        if isinstance(part, AllOf):
            return f"({self.where(part.parts, scopes) or '1'})"
        if isinstance(part, AnyOf):
            return f"({_joined([self.expression(each, scopes) for each in part.parts], ' OR ') or '0'})"
        if isinstance(part, Not):
            return f"NOT COALESCE({self.expression(part.part, scopes)}, 0)"
        if isinstance(part, Counted):
            count = f"(SELECT COUNT(*) {self._related(part, scopes)})"
            self.parameters.append(part.value)
            return f"{count} {part.op} ?"
        return f"EXISTS (SELECT 1 {self._related(part, scopes)})"

    def _related(self, part: Exists | Counted, scopes: Scopes) -> str:
        scope = Scope(f"{OUTERMOST}{len(scopes)}", part.table)
        where = self.where(part.where, (*scopes, scope)) or "1"
        return f"FROM {quote(table_of(part.table).name)} {scope.alias} WHERE {where}"

    def value(self, value: object, column: Column[Any]) -> str:
        """A place for a value that is compared with a column."""
        self.parameters.append(stored_value(value, column))
        return "?"


def _joined(parts: list[str], word: str) -> str:
    """Parts side by side; many as a balanced tree, since SQLite counts how deep a chain of them goes."""
    if len(parts) <= MANY:
        return word.join(parts)
    middle = len(parts) // 2
    return f"({_joined(parts[:middle], word)}){word}({_joined(parts[middle:], word)})"


def _left(column: Column[Any], scopes: Scopes) -> str:
    """The plain column on the left: one of the innermost row."""
    scope = scopes[-1]
    if column.table is not scope.table:
        raise TypeError(f"{column.table.__name__}.{column.name} is not a column of {scope.table.__name__}")
    return reference(column, scope.alias)


def reference(column: Column[Any], alias: str) -> str:
    """A column of the row under an alias, or a column of the row that it points to."""
    name = f"{alias}.{quote(column.name)}"
    other = column.looked_up
    if other is None:
        return name
    table = table_of(other.table)
    return f"(SELECT l.{quote(other.name)} FROM {quote(table.name)} l WHERE l.{quote(table.key[0])} = {name})"


def _right(column: Column[Any], scopes: Scopes) -> str:
    """The plain column on the right: one of the nearest row outside, or else of the same row."""
    for scope in (*reversed(scopes[:-1]), scopes[-1]):
        if scope.table is column.table:
            return f"{scope.alias}.{quote(column.name)}"
    raise TypeError(f"{column.table.__name__}.{column.name} is compared where no row of its table is in reach")


def json_path(column: Column[Any]) -> str:
    """The path inside a Json column as SQLite reads it."""
    path = "$" + "".join(f".{json.dumps(key, ensure_ascii=False)}" for key in column.path)
    return "'" + path.replace("'", "''") + "'"


def _of_kind(reference: str, column: Column[Any], kind: ColumnType) -> str:
    """What is at a path if it is of a kind, else NULL: inside JSON every value has a type of its own."""
    place = f"{reference}, {json_path(column)}"
    return f"CASE WHEN json_type({place}) IN ({_JSON_TYPES[kind]}) THEN json_extract({place}) END"


def stored_value(value: Any, column: Column[Any]) -> Any:
    """A value as it is compared with a column; an integer that no column can hold is beyond all that it can."""
    if column.kind == "json" and (not column.path or isinstance(value, dict | list)):
        return json_text(cast(Any, value))
    if type(value) is int and value not in INT64:
        return float("inf" if value > 0 else "-inf") if column.kind == "integer" else float(value)
    return value


def _kind(value: object) -> ColumnType:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "float"
    return "text" if isinstance(value, str) else "json"


def _atom(sql: Sql, part: Where, scopes: Scopes) -> str:
    left = _left(part.column, scopes)
    other: Any = part.value
    if isinstance(other, Column):
        return _between_columns(part, left, cast(Column[Any], other), scopes)
    if part.column.path:
        return _JSON_ATOMS[part.op](sql, part, left)
    return _ATOMS[part.op](sql, part, left)


# A column and a value


def _equal(sql: Sql, part: Where, left: str) -> str:
    return f"{left} IS NULL" if part.value is None else f"{left} = {sql.value(part.value, part.column)}"


def _different(sql: Sql, part: Where, left: str) -> str:
    return f"{left} IS NOT {'NULL' if part.value is None else sql.value(part.value, part.column)}"


def _compared(sql: Sql, part: Where, left: str) -> str:
    return f"{left} {part.op} {sql.value(part.value, part.column)}"


MARKS = 4
"""Values of a list that are written out; more travel as one parameter, so that the text stays the same."""


def _among(sql: Sql, part: Where, left: str) -> str:
    values = [value for value in cast(Collection[object], part.value) if value is not None]
    if len(values) > (MARKS if part.column.kind == "text" else MANY):
        stored = [stored_value(value, part.column) for value in values]
        sql.parameters.append(msgspec.json.encode(stored).decode())
        among = f"{left} IN (SELECT value FROM json_each(?))"
    else:
        among = f"{left} IN ({', '.join([sql.value(value, part.column) for value in values])})"
    return f"({among} OR {left} IS NULL)" if None in cast(Collection[object], part.value) else among


Form = Callable[[Sql, str, str], str]
Atom = Callable[[Sql, Where, str], str]


def _contains(sql: Sql, left: str, text: str) -> str:
    sql.parameters.append(text)
    return f"instr({left}, ?) > 0"


def _starts(sql: Sql, left: str, text: str) -> str:
    return _bytes_are(sql, left, text, f"1, {len(text.encode())}")


def _ends(sql: Sql, left: str, text: str) -> str:
    return _bytes_are(sql, left, text, f"-{len(text.encode())}")


def _bytes_are(sql: Sql, left: str, text: str, span: str) -> str:
    """Compare as bytes: a length in characters would end at U+0000."""
    if not text:
        return f"{left} IS NOT NULL"
    sql.parameters.append(text.encode())
    return f"substr(CAST({left} AS BLOB), {span}) = ?"


def _text(form: Form, *, fold: bool) -> Atom:
    def atom(sql: Sql, part: Where, left: str) -> str:
        text = str(part.value)
        if fold and form is _contains and text.isascii() and text.isprintable() and len(text) <= _LONGEST_LIKE:
            return _contains_ascii(sql, left, text)
        return form(sql, f"casefold({left})", text.casefold()) if fold else form(sql, left, text)

    return atom


_LONGEST_LIKE = 20_000
"""Letters of a LIKE; SQLite takes 50,000, of which the escapes are some."""
_WILD = str.maketrans({letter: f"\\{letter}" for letter in "%_\\"})


def _contains_ascii(sql: Sql, left: str, text: str) -> str:
    """SQLite folds ASCII by itself, and quicker; only a text with other letters, or U+0000, needs our function."""
    sql.parameters += [f"%{text.translate(_WILD)}%", text.casefold()]
    is_other = f"octet_length({left}) > length({left})"
    return f"({left} LIKE ? ESCAPE '\\' OR ({is_other} AND instr(casefold({left}), ?) > 0))"


def _equals(sql: Sql, left: str, text: str) -> str:
    sql.parameters.append(text)
    return f"{left} = ?"


def _resembles(sql: Sql, part: Where, left: str) -> str:
    return _contains(sql, f"without_accents({left})", without_accents(part.value))


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
        return f"json_extract({left}, {json_path(part.column)}) IS NULL"
    return f"{_of_kind(left, part.column, _kind(part.value))} = {sql.value(part.value, part.column)}"


def _json_different(sql: Sql, part: Where, left: str) -> str:
    return f"NOT COALESCE({_json_equal(sql, part, left)}, 0)"


def _json_compared(sql: Sql, part: Where, left: str) -> str:
    return f"{_of_kind(left, part.column, _kind(part.value))} {part.op} {sql.value(part.value, part.column)}"


def _json_among(sql: Sql, part: Where, left: str) -> str:
    values = cast(Collection[object], part.value)
    return f"({_joined([_json_equal(sql, part._replace(value=value), left) for value in values], ' OR ') or '0'})"


def _json_text(atom: Atom) -> Atom:
    return lambda sql, part, left: atom(sql, part, f"({_of_kind(left, part.column, 'text')})")


_JSON_ATOMS: dict[str, Atom] = {
    "=": _json_equal,
    "!=": _json_different,
    **dict.fromkeys(("<", "<=", ">", ">="), _json_compared),
    "in": _json_among,
    **{name: _json_text(atom) for name, atom in _TEXT_ATOMS.items()},
}


# Two columns


def _between_columns(part: Where, left: str, other: Column[Any], scopes: Scopes) -> str:
    mine, theirs = _paired(part.column, left, other, _right(other, scopes))
    if part.op == "!=":
        return f"{mine} IS NOT {theirs}"
    if part.op == "=" and part.column.nullable and other.nullable:
        return f"{mine} IS {theirs}"
    if part.op not in ("=", "<", "<=", ">", ">="):
        raise TypeError(f"{part.column.name}: two columns cannot be compared by '{part.op}'")
    return f"{mine} {part.op} {theirs}"


def _paired(column: Column[Any], left: str, other: Column[Any], right: str) -> tuple[str, str]:
    """Two columns as values of one kind."""
    if column.path and other.path:
        return _plain_json(left, column), _plain_json(right, other)
    if column.path:
        return f"({_of_kind(left, column, other.kind)})", right
    return left, f"({_of_kind(right, other, column.kind)})" if other.path else right


def _plain_json(reference: str, column: Column[Any]) -> str:
    return f"NULLIF({reference} -> {json_path(column)}, 'null')"


def order_by(order: Ordering, key: Sequence[str], alias: str = OUTERMOST) -> str:
    """ORDER BY text; ties are broken by key, so that every order is total."""
    parts = order if isinstance(order, tuple) and not isinstance(order, Order) else (order,)
    orders = [part if isinstance(part, Order) else Order(part, descending=False) for part in parts]
    terms = [f"{reference(part.column, alias)} {_direction(part)}" for part in orders]
    seen = {reference(part.column, alias) for part in orders}
    # The key follows the direction of the last term, so that one index serves both ways.
    direction = _direction(orders[-1]._replace(nulls=None)) if orders else "ASC NULLS FIRST"
    ties = [name for name in (f"{alias}.{quote(column)}" for column in key) if name not in seen]
    return ", ".join([*terms, *(f"{name} {direction}" for name in ties)])


def _direction(order: Order) -> str:
    nulls = order.nulls or ("last" if order.descending else "first")
    return f"{'DESC' if order.descending else 'ASC'} NULLS {nulls.upper()}"
