"""Rows of one SQLite database: the Store that handlers are given, and the row form of captured changes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, NamedTuple, NoReturn, TypeVar, cast

import msgspec

from twindiff.kit.errors import AlreadyExists, ApiError, NotFound, TooLarge, TooSlow
from twindiff.kit.rows import Column, Expression, Row, Table, table_of
from twindiff.kit.store import Ordering
from twindiff.storage import SchemaChanged, StorageFull
from twindiff.storage.journal import Values
from twindiff.storage.schema import Schema
from twindiff.storage.values import INT64, decode_json, json_text

from .connection import OUT_OF_SPACE, BadStatement, Connection, ConstraintFailed, Cursor, Interrupted, is_taken
from .ddl import names, quote
from .expressions import OUTERMOST, Scope, Sql, json_path, order_by, reference
from .shapes import Shape, key_in, plain_columns, plain_order, plain_where

R = TypeVar("R", bound=Row)

Convert = Callable[[Any], Any]
Converters = tuple[tuple[int, Convert], ...]


def _nullable(convert: Convert) -> Convert:
    return lambda value: None if value is None else convert(value)


def _loading(column: Column[Any]) -> Convert | None:
    """How a stored value gets its declared type, if it has not got it."""
    if column.kind == "boolean":
        return _nullable(bool)
    return _nullable(decode_json) if column.kind == "json" else None


def _storing(column: Column[Any]) -> Convert | None:
    """How a value is stored, if not as it is. In a Json column that cannot be NULL, None is JSON's null."""
    if column.kind != "json":
        return None
    return _nullable(json_text) if column.nullable else json_text


_MOST_QUERIES = 1_000


class TableSql:
    """What is needed often for one table, made once."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.row: Callable[..., Row] = table.row
        self.columns = tuple(table.columns)
        self.key = table.key
        self.key_at = tuple(self.columns.index(name) for name in table.key)
        self.loaded = _converters(table, _loading)
        self.stored = _converters(table, _storing)
        self.selected = ", ".join(f"{OUTERMOST}.{quote(name)}" for name in self.columns)
        self.name = quote(table.name)
        self.by_key = " AND ".join(f"{quote(name)} = ?" for name in table.key)
        self.select_by_key = f"SELECT {names(self.columns)} FROM {self.name} WHERE {self.by_key}"
        marks = ", ".join("?" * len(self.columns))
        self.insert = f"INSERT INTO {self.name} ({names(self.columns)}) VALUES ({marks})"
        self.queries: dict[Shape, str] = {}
        self.delete = f"DELETE FROM {self.name} WHERE {self.by_key}"
        self.returning = f"WHERE {self.by_key} RETURNING {names(self.columns)}"

    def remember(self, shape: Shape, query: str) -> str:
        """Keep the text of a shape; only so many, since those who filter make up shapes as they like."""
        if len(self.queries) >= _MOST_QUERIES:
            self.queries.clear()
        self.queries[shape] = query
        return query

    @cached_property
    def select_all(self) -> str:
        return f"SELECT {names(self.columns)} FROM {self.name} ORDER BY {names(self.key)}"

    def load(self, stored: Sequence[Any]) -> list[Any]:
        """Stored values as declared types."""
        values = list(stored)
        for at, convert in self.loaded:
            values[at] = convert(values[at])
        return values

    def store(self, values: Sequence[Any]) -> list[Any]:
        """Values of declared types as they are stored."""
        stored = list(values)
        for at, convert in self.stored:
            stored[at] = convert(stored[at])
        return stored

    def build(self, stored: Sequence[Any]) -> Any:
        return self.row(**dict(zip(self.columns, self.load(stored), strict=True)))

    def values(self, stored: Sequence[Any]) -> Values:
        return dict(zip(self.columns, self.load(stored), strict=True))

    def key_of(self, values: Mapping[str, Any]) -> tuple[Any, ...]:
        return tuple([values[name] for name in self.key])

    def insert_values(self, values: Mapping[str, Any]) -> list[Any]:
        """A full row as it is stored; a column that the row's schema did not have yet takes its default."""
        return self.store([values[name] if name in values else self.default(name) for name in self.columns])

    def default(self, name: str) -> Any:
        column = self.table.columns[name]
        if column.default is not msgspec.NODEFAULT:
            return column.default
        if column.nullable:
            return None
        raise SchemaChanged(
            f"Rows of '{self.table.name}' were written without the column '{name}', which now needs a value"
        )


def _converters(table: Table, converter: Callable[[Column[Any]], Convert | None]) -> Converters:
    converters = [converter(column) for column in table.columns.values()]
    return tuple((at, convert) for at, convert in enumerate(converters) if convert)


class Tables:
    """The SQL of all tables of a schema."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.by_name = {name: TableSql(table) for name, table in schema.tables.items()}
        self.by_row: dict[type[Row], TableSql] = {sql.table.row: sql for sql in self.by_name.values()}

    def of(self, row: type[Row]) -> TableSql:
        try:
            return self.by_row[row]
        except KeyError:
            known = ", ".join(self.by_name)
            raise LookupError(
                f"Table '{table_of(row).name}' is not one of {self.schema.twin}'s: {known}. List it in the Twin."
            ) from None


class Counters:
    """The counters of an environment while one operation uses them."""

    def __init__(self, start: Mapping[str, int]) -> None:
        self.values = dict(start)

    def next(self, counter: str, *, at_least: int = 1) -> int:
        value = max(self.values.get(counter, 0) + 1, at_least)
        self.values[counter] = value
        return value


class Relation(NamedTuple):
    """How rows belong to parents: by a column of their own, or through a table between."""

    by: Column[Any]
    join: Column[Any] | None
    between: tuple[Expression, ...]


class SqliteStore:
    """A Store over an open connection; `counters` is None where nothing may be written."""

    def __init__(self, connection: Connection, tables: Tables, counters: Counters | None) -> None:
        self._execute = connection.execute
        self._connection = connection
        self._tables = tables
        self._counters = counters

    def get(self, table: type[R], *key: object, missing: type[ApiError] | None = None) -> R:
        sql = self._tables.of(table)
        found = self._run(sql.select_by_key, key).fetchone()
        if found is not None:
            return sql.build(found)
        if missing:
            raise missing
        raise NotFound(table.__name__, *key)

    def find(self, table: type[R], *where: Expression) -> R | None:
        sql = self._tables.of(table)
        key = key_in(where, sql.table)
        if key:
            found = self._run(sql.select_by_key, key).fetchone()
        else:
            query, parameters = self._query(sql, where, (), None)
            found = self._run(query, (*parameters, 1, 0)).fetchone()
        return None if found is None else sql.build(found)

    def rows(
        self,
        table: type[R],
        *where: Expression,
        order: Ordering = (),
        limit: int | None = None,
        offset: int = 0,
        columns: tuple[Column[Any], ...] | None = None,
    ) -> Any:
        sql = self._tables.of(table)
        query, parameters = self._query(sql, where, order, columns)
        bounds = (-1 if limit is None else min(limit, INT64[-1]), min(offset, INT64[-1]))
        found = self._run(query, (*parameters, *bounds)).fetchall()
        if not columns:
            return [sql.build(values) for values in found]
        return _load_columns(columns, found)

    def _query(
        self, sql: TableSql, where: Sequence[Expression], order: Ordering, columns: Sequence[Column[Any]] | None
    ) -> tuple[str, list[Any]]:
        """The text and the parameters of a query; the text of a plain one is made once per shape."""
        parameters: list[Any] = []
        shape = (plain_where(where, parameters), plain_order(order), plain_columns(columns))
        if None in shape:
            text = Sql()
            return _select(sql, text, where, order, columns), text.parameters
        query = sql.queries.get(shape)
        if query is None:
            query = sql.remember(shape, _select(sql, Sql(), where, order, columns))
        return query, parameters

    def pages(
        self,
        table: type[Row],
        by: Column[Any],
        parents: Sequence[str],
        *where: Expression,
        join: Column[Any] | None = None,
        between: tuple[Expression, ...] = (),
        order: Ordering = (),
        limit: int | None = None,
        columns: tuple[Column[Any], ...],
    ) -> dict[str, list[tuple[Any, ...]]]:
        sql = self._tables.of(table)
        relation = Relation(by, join, between)
        query, parameters = self._pages_query(sql, relation, json_text(list(parents)), where, order, columns, limit)
        pages: dict[str, list[tuple[Any, ...]]] = {}
        found = self._run(query, parameters).fetchall()
        for values in _load_columns((by, *columns), found):
            pages.setdefault(values[0], []).append(values[1:])
        return pages

    def _pages_query(
        self,
        sql: TableSql,
        relation: Relation,
        parents: str,
        where: Sequence[Expression],
        order: Ordering,
        columns: Sequence[Column[Any]],
        limit: int | None,
    ) -> tuple[str, list[Any]]:
        """The text and the parameters of `pages`; the text of a plain one is made once per shape."""
        by, join, between = relation
        bound = [] if limit is None else [limit]
        parameters: list[Any] = [parents]
        shape = (plain_where(between, parameters), plain_where(where, parameters), plain_order(order))
        shape = (
            *shape,
            plain_columns(columns),
            by.table,
            by.name,
            join.name if join is not None else "",
            limit is None,
        )
        query = sql.queries.get(shape) if None not in shape else None
        if query is not None:
            return query, parameters + bound
        text = Sql()
        text.parameters.append(parents)
        inner = _of_parent(sql, text, by, join, between, where)
        query = _paged(sql, inner, order, columns, bounded=limit is not None)
        if None not in shape:
            sql.remember(shape, query)
        return query, text.parameters + bound

    @contextmanager
    def savepoint(self) -> Generator[None]:
        self._execute("SAVEPOINT part")
        try:
            yield
        except BaseException:
            if self._connection.in_transaction:
                self._execute("ROLLBACK TO part")
            raise
        finally:
            if self._connection.in_transaction:
                self._execute("RELEASE part")

    def count(self, table: type[Row], *where: Expression) -> int:
        sql = self._tables.of(table)
        text = Sql()
        query = f"SELECT COUNT(*){_from(sql, text, where)}"
        (count,) = cast(tuple[int], self._run(query, text.parameters).fetchone())
        return count

    def add(self, row: R, *, taken: type[ApiError] | None = None) -> R:
        sql = self._writable(type(row))
        values = sql.store([getattr(row, name) for name in sql.columns])
        self._write(sql.insert, values, taken)
        return row

    def change(self, row: R, **fields: Any) -> R:
        sql = self._writable(type(row))
        key = [getattr(row, name) for name in sql.key]
        if not fields:
            return self.get(type(row), *key)
        stored = [_stored(sql.table, name, value) for name, value in fields.items()]
        sets = ", ".join([f"{quote(name)} = ?" for name in fields])
        found = self._write(f"UPDATE {sql.name} SET {sets} {sql.returning}", [*stored, *key], None)
        if not found:
            raise _gone(row, sql.table)
        return sql.build(found[0])

    def remove(self, row: Row) -> None:
        sql = self._writable(type(row))
        self._run(sql.delete, [getattr(row, name) for name in sql.key])
        if not self._connection.changes():
            raise _gone(row, sql.table)

    def next(self, counter: str, *, at_least: int = 1) -> int:
        if self._counters is None:
            _refuse_write(f"counter '{counter}'")
        return self._counters.next(counter, at_least=at_least)

    def _writable(self, row: type[Row]) -> TableSql:
        if self._counters is None:
            _refuse_write(f"table '{table_of(row).name}'")
        return self._tables.of(row)

    def _run(self, query: str, parameters: Sequence[Any]) -> Cursor:
        try:
            return self._execute(query, parameters)
        except Interrupted:
            raise TooSlow from None
        except OUT_OF_SPACE:
            raise StorageFull from None
        except BadStatement as error:
            if "too large" in str(error):  # deeper than SQLite lets an expression be
                raise TooLarge from None
            raise

    def _write(self, query: str, values: Sequence[Any], taken: type[ApiError] | None) -> list[Any]:
        try:
            return self._run(query, values).fetchall()
        except ConstraintFailed as error:
            if is_taken(error):
                raise (taken or AlreadyExists) from None
            raise


def _gone(row: Row, table: Table) -> NotFound:
    return NotFound(type(row).__name__, *(getattr(row, name) for name in table.key))


def _refuse_write(what: str) -> NoReturn:
    raise TypeError(f"An operation declared to read cannot write ({what}); declare it without reads=True")


def _from(sql: TableSql, text: Sql, where: Sequence[Expression]) -> str:
    conditions = text.where(where, (Scope(OUTERMOST, sql.table.row),))
    return f" FROM {sql.name} {OUTERMOST}" + (f" WHERE {conditions}" if conditions else "")


def _select(
    sql: TableSql, text: Sql, where: Sequence[Expression], order: Ordering, columns: Sequence[Column[Any]] | None
) -> str:
    selected = _selected(columns) if columns else sql.selected
    return f"SELECT {selected}{_from(sql, text, where)} ORDER BY {order_by(order, sql.key)} LIMIT ? OFFSET ?"


def _paged(sql: TableSql, inner: str, order: Ordering, columns: Sequence[Column[Any]], *, bounded: bool) -> str:
    """The rows of several parents. They drive: each parent's few rows are looked up by key, however many there are."""
    if bounded:
        inner += f" ORDER BY {order_by(order, sql.key, 'u')} LIMIT ?"
    return (
        f"SELECT k.value, {_selected(columns)} FROM json_each(?1) k CROSS JOIN {sql.name} {OUTERMOST}"
        f" ON {OUTERMOST}.{quote(sql.key[0])} IN ({inner}) ORDER BY k.key, {order_by(order, sql.key)}"
    )


def _of_parent(
    sql: TableSql,
    text: Sql,
    by: Column[Any],
    join: Column[Any] | None,
    between: Sequence[Expression],
    where: Sequence[Expression],
) -> str:
    """The keys of one parent's rows; the parent is `k.value` outside."""
    rows = Scope("u", sql.table.row)
    key = f"u.{quote(sql.key[0])}"
    if join is None:
        conditions = [f"u.{quote(by.name)} = k.value"]
        source = f"{sql.name} u"
    else:
        middle = Scope("m", by.table)
        conditions = [f"m.{quote(by.name)} = k.value", *([text.where(between, (middle,))] if between else [])]
        source = f"{quote(table_of(by.table).name)} m JOIN {sql.name} u ON {key} = m.{quote(join.name)}"
    conditions += [text.where(where, (rows,))] if where else []
    return f"SELECT {key} FROM {source} WHERE {' AND '.join(conditions)}"


def _selected(columns: Sequence[Column[Any]]) -> str:
    names = [(reference(column, OUTERMOST), column) for column in columns]
    return ", ".join([f"{name} -> {json_path(column)}" if column.path else name for name, column in names])


def _stored(table: Table, name: str, value: Any) -> Any:
    column = table.columns.get(name)
    if column is None:
        raise TypeError(f"Table '{table.name}' has no column '{name}'")
    convert = _storing(column)
    return convert(value) if convert else value


def _load_columns(columns: Sequence[Column[Any]], found: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
    converters = [_loading(column) for column in columns]
    if not any(converters):
        return cast(list[tuple[Any, ...]], found)
    return [
        tuple([convert(value) if convert else value for convert, value in zip(converters, values, strict=True)])
        for values in found
    ]
