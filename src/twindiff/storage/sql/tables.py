"""What every engine knows of a table: how its values are stored, and its rows between Python and the database."""

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
    """The same for what may be None."""
    return lambda value: None if value is None else convert(value)


class TableForm:
    """One table by its full name, and the SQL that is needed often for it; `mark` is the place of a value.

    `loading` and `storing` say how the database keeps a column's values, if not as they are; NULL is None.
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
        """The tables whose rows go with a row of this one, each with the column that refers to it."""

    @cached_property
    def select_all(self) -> str:
        return f"SELECT {names(self.columns)} FROM {self.name} ORDER BY {names(self.key)}"

    @cached_property
    def row_values(self) -> Callable[[Row], Stored]:
        """A row as it is stored."""
        return self.values_of(self.columns)

    def values_of(self, columns: Sequence[str]) -> Callable[[Row], Stored]:
        """Columns of a row as they are stored; compiled as `build` is."""
        converters = {name: convert for name in columns if (convert := self.storing[name])}
        given = {False: "store_{0}(row.{0})", True: "None if row.{0} is None else store_{0}(row.{0})"}
        values = [
            given[self.table.columns[name].nullable].format(name) if name in converters else f"row.{name}"
            for name in columns
        ]
        return eval(f"lambda row: ({', '.join(values)},)", {f"store_{name}": each for name, each in converters.items()})

    def store(self, values: Sequence[Any]) -> list[Any]:
        """Values of declared types as they are stored."""
        stored = list(values)
        for at, convert in self._stored:
            stored[at] = convert(stored[at])
        return stored

    def to_stored(self, name: str, value: Any) -> Any:
        """One value as it is stored."""
        if name not in self.storing:
            raise TypeError(f"Table '{self.table.name}' has no column '{name}'; it has {', '.join(self.columns)}")
        convert = self.storing[name]
        return convert(value) if convert else value

    @cached_property
    def build(self) -> Callable[[Sequence[Any]], Any]:
        """Stored values as a row. Compiled, as dataclasses are: names known beforehand take half the time."""
        values = ", ".join(f"{name}={value}" for name, value in self._typed.items())
        return eval(f"lambda stored: row({values})", {"row": self.table.row, **self._loaders})

    @cached_property
    def values(self) -> Callable[[Sequence[Any]], Values]:
        """Stored values as declared types, by column; compiled as `build` is."""
        values = ", ".join(f"{name!r}: {value}" for name, value in self._typed.items())
        return eval(f"lambda stored: {{{values}}}", self._loaders)

    @property
    def _typed(self) -> dict[str, str]:
        """What gives each column's value of `to_stored` as its declared type, in the words of `_loaders`."""
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
        """The key of stored values, as they are stored; compiled as `build` is."""
        return eval(f"lambda stored: ({''.join(f'stored[{at}], ' for at in self.key_at)})")

    @cached_property
    def typed_key(self) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
        """A stored key as declared types; compiled as `build` is."""
        loaders = self._loaders
        loaded = [(f"load_{name}({{}})" if f"load_{name}" in loaders else "{}") for name in self.key]
        values = [each.format(f"key[{at}]") for at, each in enumerate(loaded)]
        return eval(f"lambda key: ({', '.join(values)},)", loaders)

    @cached_property
    def key_of(self) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
        """The key of a full row by column; compiled as `build` is."""
        return eval(f"lambda values: ({''.join(f'values[{name!r}], ' for name in self.key)})")

    def not_found(self, row: Row) -> NotFound:
        """The error for a row that is not there any more."""
        return NotFound(type(row).__name__, *(getattr(row, name) for name in self.key))

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


F = TypeVar("F", bound=TableForm)


class ByRow(dict[type[Row], F]):
    """Tables by their rows; any other is refused."""

    def __init__(self, schema: Schema, forms: Mapping[type[Row], F]) -> None:
        super().__init__(forms)
        self._schema = schema

    def __missing__(self, row: type[Row]) -> F:
        known = ", ".join(form.table.name for form in self.values())
        problem = f"Table '{table_of(row).name}' is not one of {self._schema.twin}'s: {known}. List it in the Twin."
        raise LookupError(problem) from None


class TableForms(Generic[F]):
    """All tables of a schema."""

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
    """The counters of an environment while one operation uses them."""

    def __init__(self, start: Mapping[str, int]) -> None:
        self.values = dict(start)

    def next(self, counter: str, *, at_least: int = 1) -> int:
        value = self.values.get(counter, 0) + 1
        self.values[counter] = value = max(at_least, value)
        return value


def refuse_write(what: str) -> NoReturn:
    """Raises for an operation that writes though it said that it does not."""
    raise TypeError(f"An operation declared to read cannot write ({what}); declare it without reads=True")


def load_columns(columns: Sequence[Column[Any]], loading: Converter, stored_rows: Sequence[Stored]) -> list[Stored]:
    """The stored values of columns as declared types."""
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
