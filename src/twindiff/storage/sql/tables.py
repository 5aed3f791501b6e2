"""Conversion of rows between Python and the database, and the SQL of each table that all engines need."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Generic, NoReturn, TypeVar, cast

import msgspec

from twindiff.kit.errors import NotFound
from twindiff.kit.rows import Column, Row, Table, table_of
from twindiff.storage import SchemaChanged
from twindiff.storage.journal import Values
from twindiff.storage.schema import Schema

from .compiler import OUTERMOST
from .names import names, quote

Convert = Callable[[Any], Any]
Converter = Callable[[Column[Any]], Convert | None]
Stored = tuple[Any, ...]


def nullable(convert: Convert) -> Convert:
    """Extend a conversion to pass None through."""
    return lambda value: None if value is None else convert(value)


class TableForm:
    """One table: its frequent SQL statements, and compiled conversions of its rows.

    `name` is the quoted, perhaps qualified name, `mark` the placeholder of a parameter. `loading` and `storing` return
    the conversions between stored and declared values of a column, or None if they are the same; NULL is always None.
    """

    def __init__(self, name: str, table: Table, mark: str, loading: Converter, storing: Converter) -> None:
        self.name = name
        self.table = table
        self.columns = tuple(table.columns)
        self.key = table.key
        self.key_at = tuple(self.columns.index(name) for name in table.key)
        self.storing = {name: storing(column) for name, column in table.columns.items()}
        loads = {name: loading(column) for name, column in table.columns.items()}
        self._loaded = tuple((name, convert) for name, convert in loads.items() if convert)
        stores = enumerate(self.storing.values())
        self._stored = tuple((at, convert) for at, convert in stores if convert)
        self.selected = ", ".join(f"{OUTERMOST}.{quote(name)}" for name in self.columns)
        self.by_key = " AND ".join(f"{quote(name)} = {mark}" for name in table.key)
        self.select_by_key = f"SELECT {names(self.columns)} FROM {name} WHERE {self.by_key}"
        self.delete = f"DELETE FROM {name} WHERE {self.by_key}"
        self.dependents: tuple[tuple[Any, Column[Any]], ...] = ()
        """The tables whose rows are deleted along with a row of this one, each with its referring column."""

    @cached_property
    def select_all(self) -> str:
        return f"SELECT {names(self.columns)} FROM {self.name} ORDER BY {names(self.key)}"

    @cached_property
    def row_values(self) -> Callable[[Row], Stored]:
        """Converts a row to its stored values, in column order."""
        return self.values_of(self.columns)

    def values_of(self, columns: Sequence[str]) -> Callable[[Row], Stored]:
        """Compile a function from a row to the stored values of some columns, as `build` is compiled."""
        # Example: `lambda row: (row.id, store_tags(row.tags), None if row.data is None else store_data(row.data),)`
        converters = {name: convert for name in columns if (convert := self.storing[name])}
        given = {False: "store_{0}(row.{0})", True: "None if row.{0} is None else store_{0}(row.{0})"}
        values = [
            given[self.table.columns[name].nullable].format(name) if name in converters else f"row.{name}"
            for name in columns
        ]
        return eval(f"lambda row: ({', '.join(values)},)", {f"store_{name}": each for name, each in converters.items()})

    def store(self, values: Sequence[Any]) -> list[Any]:
        """Convert declared values, in column order, to stored ones."""
        stored = list(values)
        for at, convert in self._stored:
            stored[at] = convert(stored[at])
        return stored

    def to_stored(self, name: str, value: Any) -> Any:
        """Convert one declared value to its stored form; raises TypeError for an unknown column."""
        if name not in self.storing:
            raise TypeError(f"Table '{self.table.name}' has no column '{name}'; it has {', '.join(self.columns)}")
        convert = self.storing[name]
        return convert(value) if convert else value

    @cached_property
    def build(self) -> Callable[[Sequence[Any]], Any]:
        """Converts stored values to a row. Compiled, like the methods of dataclasses, which halves the time."""
        # Example: `lambda stored: row(id=stored[0], tags=stored[1] if stored[1] is None else load_tags(stored[1]))`
        values = ", ".join(f"{name}={value}" for name, value in self._typed.items())
        return eval(f"lambda stored: row({values})", {"row": self.table.row, **self._loaders})

    @cached_property
    def values(self) -> Callable[[Sequence[Any]], Values]:
        """Converts stored values to declared ones, by column name; compiled as `build` is."""
        # Example: `lambda stored: {'id': stored[0], 'tags': stored[1] if stored[1] is None else load_tags(stored[1])}`
        values = ", ".join(f"{name!r}: {value}" for name, value in self._typed.items())
        return eval(f"lambda stored: {{{values}}}", self._loaders)

    @property
    def _typed(self) -> dict[str, str]:
        """The source text that converts each column of `stored`, calling the functions of `_loaders`."""
        converted = dict(self._loaded)
        loaded = "stored[{at}] if stored[{at}] is None else load_{name}(stored[{at}])"
        return {
            name: (loaded if name in converted else "stored[{at}]").format(at=at, name=name)
            for at, name in enumerate(self.columns)
        }

    @property
    def _loaders(self) -> dict[str, Any]:
        return {f"load_{name}": convert for name, convert in self._loaded}

    @cached_property
    def key_in(self) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
        """Returns the stored key of stored values; compiled as `build` is."""
        # Example: `lambda stored: (stored[0], stored[2], )`
        return eval(f"lambda stored: ({''.join(f'stored[{at}], ' for at in self.key_at)})")

    @cached_property
    def typed_key(self) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
        """Converts a stored key to declared values; compiled as `build` is."""
        # Example: `lambda key: (key[0], load_at(key[1]),)`
        loaders = self._loaders
        loaded = [(f"load_{name}({{}})" if f"load_{name}" in loaders else "{}") for name in self.key]
        values = [each.format(f"key[{at}]") for at, each in enumerate(loaded)]
        return eval(f"lambda key: ({', '.join(values)},)", loaders)

    @cached_property
    def key_of(self) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
        """Returns the key of a row given as values by column name; compiled as `build` is."""
        # Example: `lambda values: (values['env'], values['number'], )`
        return eval(f"lambda values: ({''.join(f'values[{name!r}], ' for name in self.key)})")

    def not_found(self, row: Row) -> NotFound:
        """Return the error for a row that no longer exists."""
        return NotFound(type(row).__name__, *(getattr(row, name) for name in self.key))

    def insert_values(self, values: Mapping[str, Any]) -> list[Any]:
        """Convert a row, as values by column name, to stored values; missing columns take their defaults.

        A column is missing if an older schema wrote the row. Raises SchemaChanged if it has no default.
        """
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


F = TypeVar("F", bound=TableForm)


class ByRow(dict[type[Row], F]):
    """Tables by row class; raises LookupError for a class that is not of the schema."""

    def __init__(self, schema: Schema, forms: Mapping[type[Row], F]) -> None:
        super().__init__(forms)
        self._schema = schema

    def __missing__(self, row: type[Row]) -> F:
        known = ", ".join(form.table.name for form in self.values())
        problem = f"Table '{table_of(row).name}' is not one of {self._schema.twin}'s: {known}. List it in the Twin."
        raise LookupError(problem) from None


class TableForms(Generic[F]):
    """All tables of a schema, by name and by row class."""

    def __init__(self, schema: Schema, form: Callable[[Table], F]) -> None:
        self.schema = schema
        self.by_name = {name: form(table) for name, table in schema.tables.items()}
        self.by_row = ByRow(schema, {form.table.row: form for form in self.by_name.values()})
        self.of: Callable[[type[Row]], F] = self.by_row.__getitem__
        for each in self.by_name.values():
            each.dependents = tuple(self._dependents(each.table.row))

    def _dependents(self, row: type[Row]) -> Iterator[tuple[F, Column[Any]]]:
        for form in self.by_name.values():
            for column in form.table.columns.values():
                if column.on_delete and column.references is row:
                    yield form, column


class Counters:
    """The counters of an environment during one operation; `values` are the results."""

    def __init__(self, start: Mapping[str, int]) -> None:
        self.values = dict(start)

    def next(self, counter: str, *, at_least: int = 1) -> int:
        value = self.values.get(counter, 0) + 1
        self.values[counter] = value = max(at_least, value)
        return value


def refuse_write(what: str) -> NoReturn:
    """Raise TypeError for an operation that writes although it is declared to read."""
    raise TypeError(f"An operation declared to read cannot write ({what}); declare it without reads=True")


def load_columns(columns: Sequence[Column[Any]], loading: Converter, stored_rows: Sequence[Stored]) -> list[Stored]:
    """Convert stored values of selected columns to declared ones."""
    loaded = [(at, load) for at, load in enumerate(map(loading, columns)) if load]
    if not loaded:
        return cast(list[Stored], stored_rows)
    rows: list[Stored] = []
    for stored in stored_rows:
        values = list(stored)
        for at, load in loaded:
            if values[at] is not None:
                values[at] = load(values[at])
        rows.append(tuple(values))
    return rows
