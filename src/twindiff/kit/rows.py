"""Tables as typed structs: a field is a column on the class and its value on an instance.

`Message.ts < "17"` is an expression that a Store compiles to SQL; `message.ts` is plain data. This module knows no
database.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Collection
from functools import partial
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Generic,
    Literal,
    NamedTuple,
    TypeVar,
    cast,
    dataclass_transform,
    overload,
)

import msgspec

from .full_text import SearchTerm

T = TypeVar("T")

Visibility = Literal["plain", "derived", "bookkeeping"]
ColumnType = Literal["text", "integer", "float", "boolean", "timestamp", "date", "json"]

Timestamp = Annotated[
    str, msgspec.Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?$", extra={"column": "timestamp"})
]
"""An instant as naive ISO text in UTC: `2026-01-31T09:30:00`, or with six decimals of a second."""

Date = Annotated[str, msgspec.Meta(pattern=r"^\d{4}-\d\d-\d\d$", extra={"column": "date"})]
"""A date as ISO text: `2026-01-31`."""

Json = Annotated[Any, msgspec.Meta(extra={"column": "json"})]
"""Any JSON value; stored as canonical compact text."""


class Where(NamedTuple):
    """A comparison of a column with a value, or with a column of the outer row inside `exists` and aggregates."""

    column: Column[Any]
    op: str
    value: object


_where: Callable[[tuple[Column[Any], str, object]], Where] = partial(cast(Any, tuple).__new__, Where)
"""Makes a Where in half the time of `Where(…)`, since every query makes some."""


class AllOf(NamedTuple):
    """A conjunction; see `all_of`."""

    parts: tuple[Expression, ...]


class AnyOf(NamedTuple):
    """A disjunction; see `any_of`."""

    parts: tuple[Expression, ...]


class Not(NamedTuple):
    """A negation; see `not_`."""

    part: Expression


class Exists(NamedTuple):
    """A subquery; see `exists`."""

    source: Source
    where: tuple[Expression, ...]


class Step(NamedTuple):
    """An edge of a graph: from the value of one column to that of another column of the same row, under conditions."""

    source: Column[Any]
    target: Column[Any]
    where: tuple[Expression, ...] = ()


class TransitiveClosure(NamedTuple):
    """The rows whose keys are reachable from the column `start` of the outer row by any number of steps, also none."""

    table: type[Row]
    start: Column[Any]
    steps: tuple[Step, ...]


class Items(NamedTuple):
    """The items of a list in a Json column of the outer row, as rows of `computed_values.Item`."""

    column: Column[Any]


Source = type["Row"] | TransitiveClosure | Items
"""The rows of a subquery: all rows of a table, those reachable from the outer row, or items of its list."""


class Related(NamedTuple):
    """An aggregate of related rows; `how` is the function and `of` its column (None for a count)."""

    source: Source
    where: tuple[Expression, ...]
    how: Literal["only", "count", "total", "least", "greatest", "joined"]
    of: Column[Any] | None


class Formula(NamedTuple):
    """A computed value; each of its parts is a column or a constant."""

    op: Literal["elapsed", "coalesce", "+"]
    parts: tuple[object, ...]


class Case(NamedTuple):
    """The value of the first condition that is true, else `otherwise`."""

    cases: tuple[tuple[Expression, object], ...]
    otherwise: object


Worked = Related | Formula | Case
"""The definition of a computed value; `computed_values` has functions that make them."""


class Order(NamedTuple):
    """A term of an order: a column and its direction."""

    column: Column[Any]
    descending: bool
    nulls: Literal["first", "last"] | None = None
    """The position of NULL; by default NULL is the smallest value."""


class Column(Generic[T]):
    """A column of a table. A comparison returns an expression; NULL equals only NULL and is never less or greater."""

    if TYPE_CHECKING:

        @overload
        def __get__(self, row: None, table: type) -> Column[T]: ...
        @overload
        def __get__(self, row: object, table: type) -> T: ...
        def __get__(self, row: object | None, table: type) -> Any: ...
        def __set__(self, row: object, value: T) -> None: ...

    def __init__(self, table: type[Row], name: str, kind: ColumnType, options: ColumnOptions, nullable: bool) -> None:
        self.table = table
        self.name = name
        self.kind: ColumnType = kind
        self.nullable = nullable
        self.derived = options.derived
        self.references = table if options.references == "self" else options.references
        self.on_delete = options.on_delete
        self.default = options.default
        self.path: tuple[str, ...] = ()
        self.worked: Worked | None = None

    def __class_getitem__(cls, kind: Any) -> Any:
        return kind  # at run time `Column[str]` is `str`, which msgspec can validate

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> Where:  # pyright: ignore[reportIncompatibleMethodOverride]
        return _where((self, "=", other))

    def __ne__(self, other: object) -> Where:  # pyright: ignore[reportIncompatibleMethodOverride]
        return _where((self, "!=", other))

    def __lt__(self, other: object) -> Where:
        return _where((self, "<", other))

    def __le__(self, other: object) -> Where:
        return _where((self, "<=", other))

    def __gt__(self, other: object) -> Where:
        return _where((self, ">", other))

    def __ge__(self, other: object) -> Where:
        return _where((self, ">=", other))

    def __neg__(self) -> Order:
        return Order(self, descending=True)

    def __invert__(self: Column[bool] | Column[bool | None]) -> Where:
        """The expression that a boolean column is false."""
        return _where((self, "=", False))

    @property
    def is_true(self) -> Where:
        """The expression that a boolean column is true; raises TypeError for a column of another type."""
        if self.kind != "boolean":
            raise TypeError(f"{self.name} is no condition by itself, being {self.kind}; compare it with something")
        return _where((self, "=", True))

    def __add__(self, other: object) -> Column[Any]:
        return worked_out(self.kind, Formula("+", (self, other)))

    def in_(self, values: Collection[object]) -> Where:
        """The value is one of `values`."""
        return _where((self, "in", tuple(values)))

    def is_null(self) -> Where:
        """The value is NULL."""
        return _where((self, "=", None))

    def equals(self, text: str) -> Where:
        """The text equals `text`, without regard to case."""
        return _where((self, "equals_fold", text))

    def resembles(self, text: str) -> Where:
        """The text contains `text`, without regard to case and accents."""
        return _where((self, "contains_bare", text))

    def has_word(self, word: SearchTerm) -> Where:
        """The text has the whole word in one of its forms, without regard to case and accents."""
        return _where((self, "has_word", word))

    def contains(self, text: str, *, fold: bool = False) -> Where:
        """The text contains `text`; with `fold`, without regard to case."""
        return _where((self, "contains_fold" if fold else "contains", text))

    def starts(self, text: str, *, fold: bool = False) -> Where:
        """The text starts with `text`; with `fold`, without regard to case."""
        return _where((self, "starts_fold" if fold else "starts", text))

    def ends(self, text: str, *, fold: bool = False) -> Where:
        """The text ends with `text`; with `fold`, without regard to case."""
        return _where((self, "ends_fold" if fold else "ends", text))

    def json(self, *path: str) -> Column[Any]:
        """The value at a path of keys inside a Json column; NULL if it is missing."""
        inner: Column[Any] = Column(self.table, self.name, self.kind, ColumnOptions(), nullable=True)
        inner.path = (*self.path, *path)
        return inner

    def to(self, other: Column[Any]) -> Column[Any]:
        """A column of the row whose key this column holds, as by a join: `Issue.assignee_id.to(User.name)`."""
        key = table_of(other.table).columns[table_of(other.table).key[0]]
        return worked_out(other.kind, Related(other.table, (key == self,), "only", other))


Expression = Where | AllOf | AnyOf | Not | Exists | Column[bool] | Column[bool | None]
"""A condition on a row; a boolean column by itself means that it is true."""


def worked_out(kind: ColumnType, worked: Worked, *, nullable: bool = True) -> Column[Any]:
    """A column that is computed for each row instead of stored; plain columns in it are those of the innermost row."""
    virtual: Column[Any] = Column(Row, "a value", kind, ColumnOptions(), nullable)
    virtual.worked = worked
    return virtual


def all_of(*parts: Expression) -> AllOf:
    """True if every part is true; without parts, always true."""
    return AllOf(parts)


def any_of(*parts: Expression) -> AnyOf:
    """True if at least one part is true; without parts, never true."""
    return AnyOf(parts)


def not_(part: Expression) -> Not:
    """True if the part is not true."""
    return Not(part)


def exists(source: Source, *where: Expression) -> Exists:
    """True if a related row exists; a column on the right of a comparison belongs to the outer row.

    `exists(Member, Member.channel_id == Channel.channel_id)` selects the channels that have a member. A table may
    relate to itself: `exists(Issue, Issue.id == Issue.parent_id)` selects the issues whose parent exists.
    """
    return Exists(source, where)


class ColumnOptions(NamedTuple):
    """The options of a column; see `column` and `references`."""

    default: Any = msgspec.NODEFAULT
    derived: bool = False
    references: type[Row] | Literal["self"] | None = None
    on_delete: Literal["cascade"] | None = None


def column(*, default: Any = msgspec.NODEFAULT, derived: bool = False, references: type[Row] | None = None) -> Any:
    """Options of a column: its default, whether the vendor derives it from others, and the table that it refers to."""
    return ColumnOptions(default, derived, references)


def references(
    table: type[Row] | Literal["self"],
    *,
    default: Any = msgspec.NODEFAULT,
    derived: bool = False,
    on_delete: Literal["cascade"] | None = None,
) -> Any:
    """A column that holds the key of a row of another table, or of its own table (`"self"`).

    The reference is documentation for readers and tools; no constraint enforces that the row exists. With
    `on_delete="cascade"`, `db.remove` of a row also removes the rows that refer to it, recursively, and the column gets
    an index.
    """
    return ColumnOptions(default, derived, table, on_delete)


class Table(NamedTuple):
    """The declaration of a Row class: everything that a storage engine needs."""

    row: type[Row]
    name: str
    key: tuple[str, ...]
    indexes: tuple[tuple[str, ...], ...]
    unique: tuple[tuple[str, ...], ...]
    visibility: Visibility
    columns: dict[str, Column[Any]]
    due: tuple[str, ...] = ()
    """Columns with the time at which a job is due."""
    folded: tuple[str, ...] = ()
    """Text columns with an index that ignores case, one for each."""
    words: tuple[str, ...] = ()
    """Text columns with a full-text index (`has_word`), one for each."""
    labels: tuple[str, ...] = ()
    """Facets: text columns whose whole values are part of each full-text index, so that `matches` filters by them
    without reading rows."""
    entries: tuple[str, ...] = ()
    """Json columns whose objects' texts are indexed by key: `Customer.metadata.json("tier") == "gold"`."""


_tables: dict[type, Table] = {}
_given: dict[type, dict[str, ColumnOptions]] = {}
"""The column options of each class, which its subclasses inherit."""
_columns: dict[type, dict[str, Column[Any]]] = {}


def table_of(row: type[Row]) -> Table:
    """The Table that a Row class declares; raises KeyError for a class without `table=`."""
    return _tables[row]


if TYPE_CHECKING:

    class RowType(msgspec.StructMeta):
        def __new__(
            mcls,
            name: str,
            bases: tuple[type, ...],
            namespace: dict[str, Any],
            /,
            *,
            table: str = "",
            key: tuple[str, ...] = (),
            indexes: tuple[tuple[str, ...], ...] = (),
            unique: tuple[tuple[str, ...], ...] = (),
            folded: tuple[str, ...] = (),
            words: tuple[str, ...] = (),
            labels: tuple[str, ...] = (),
            entries: tuple[str, ...] = (),
            visibility: Visibility = "plain",
            omit_defaults: bool = False,
        ) -> Any: ...

    @dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(column, references))
    class Row(msgspec.Struct, metaclass=RowType): ...

else:

    class RowType(type(msgspec.Struct)):
        """Declares a Table for every class with `table=`."""

        def __new__(
            mcls,
            name: str,
            bases: tuple[type, ...],
            namespace: dict[str, Any],
            *,
            table: str = "",
            key: tuple[str, ...] = (),
            indexes: tuple[tuple[str, ...], ...] = (),
            unique: tuple[tuple[str, ...], ...] = (),
            folded: tuple[str, ...] = (),
            words: tuple[str, ...] = (),
            labels: tuple[str, ...] = (),
            entries: tuple[str, ...] = (),
            visibility: Visibility = "plain",
            **options: Any,
        ) -> type:
            given = {field: value for field, value in namespace.items() if isinstance(value, ColumnOptions)}
            for field, value in given.items():
                namespace[field] = msgspec.field(default=value.default)
            row = super().__new__(mcls, name, bases, namespace, **{**options, "kw_only": True})
            given = {name: value for base in bases for name, value in _given.get(base, {}).items()} | given
            _given[row] = given
            if table:
                columns = _columns_of(row, given)
                found_by = {"folded": folded, "words": words, "labels": labels, "entries": entries}
                declared = Table(row, table, key, indexes, unique, visibility, columns, **found_by)
                _check(declared)
                _tables[row], _columns[row] = declared, declared.columns
                _prepare_cascades(declared)
            return row

        def __getattribute__(cls, name: str) -> Any:
            try:
                return _columns[cls][name]
            except KeyError:
                return super().__getattribute__(name)

    class Row(msgspec.Struct, metaclass=RowType, frozen=True):
        """One stored object; a subclass with `table=` is a table."""


def _check(table: Table) -> None:
    """Raise TypeError for a declaration that no engine can store."""
    row, columns = table.row.__name__, ", ".join(table.columns)
    if not table.key:
        raise TypeError(f"{row} needs a key: class {row}(Row, table='{table.name}', key=('…_id',))")
    indexes = (*table.indexes, *table.unique, table.folded, table.words, table.labels, table.entries)
    for what, names in [("key", table.key), *(("index", each) for each in indexes)]:
        for name in names:
            if name not in table.columns:
                raise TypeError(f"{row}: its {what} names '{name}', which is no column. Columns: {columns}")
    for name, wanted in [*((name, "json") for name in table.entries), *((name, "text") for name in table.labels)]:
        if table.columns[name].kind != wanted:
            what = "entries are those of a Json column" if wanted == "json" else "labels are texts"
            raise TypeError(f"{row}.{name} is {table.columns[name].kind}; {what}")
    for name in table.key:
        if table.columns[name].nullable:
            raise TypeError(f"{row}.{name} belongs to the key and cannot be None")


def _prepare_cascades(table: Table) -> None:
    """Index each column with `on_delete="cascade"`."""
    for name, each in table.columns.items():
        if each.on_delete and each.references:
            key = _tables[each.references].key
            if len(key) != 1:
                row = f"{table.row.__name__}.{name}"
                raise TypeError(f"{row} cannot cascade: the key of {each.references.__name__} has several columns")
            index(table.row, (name,))


def _columns_of(row: type[Row], given: dict[str, ColumnOptions]) -> dict[str, Column[Any]]:
    hints = typing.get_type_hints(row, include_extras=True)
    columns: dict[str, Column[Any]] = {}
    for field in msgspec.structs.fields(row):
        kind, nullable = _kind_of(hints[field.name], f"{row.__name__}.{field.name}")
        options = given.get(field.name, ColumnOptions())._replace(default=_default_of(field))
        columns[field.name] = Column(row, field.name, kind, options, nullable)
    return columns


def _default_of(field: msgspec.structs.FieldInfo) -> Any:
    """The default of a field; msgspec keeps an empty list or dict as a factory."""
    factory = field.default_factory
    return field.default if factory is msgspec.NODEFAULT else factory()


_PLAIN_KINDS: dict[Any, ColumnType] = {str: "text", int: "integer", float: "float", bool: "boolean"}


def _kind_of(hint: Any, name: str) -> tuple[ColumnType, bool]:
    parts: tuple[Any, ...] = (hint,)
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        parts = typing.get_args(hint)
    nullable = types.NoneType in parts
    kinds = [part for part in parts if part is not types.NoneType]
    for note in getattr(kinds[0], "__metadata__", ()) if kinds else ():
        if isinstance(note, msgspec.Meta) and note.extra and len(kinds) == 1:
            return note.extra["column"], nullable
    if len(kinds) != 1 or kinds[0] not in _PLAIN_KINDS:
        known = "str, int, float, bool, Timestamp, Date or Json, each alone or with None"
        raise TypeError(f"{name} cannot be stored as {getattr(hint, '__name__', hint)}. Use {known}")
    return _PLAIN_KINDS[kinds[0]], nullable


def index(row: type[Row], columns: tuple[str, ...]) -> None:
    """Add an index to a declared table, unless its key or another index already begins with these columns."""
    table = _tables[row]
    if not any(known[: len(columns)] == columns for known in (table.key, *table.indexes, *table.unique)):
        _tables[row] = table._replace(indexes=(*table.indexes, columns))


def fall_due(column: Column[Any]) -> None:
    """Mark a column of a declared table as the due time of a job, and index it.

    Raises TypeError if the column cannot hold a time or already belongs to a job.
    """
    table = _tables[column.table]
    name = f"{column.table.__name__}.{column.name}"
    if column.kind not in ("timestamp", "integer", "float"):
        raise TypeError(f"{name} is {column.kind}; work falls due by a Timestamp, or by seconds since 1970 in a number")
    if column.name in table.due:
        raise TypeError(f"{name} has a job already; the time in a column is for one alone")
    _tables[column.table] = table._replace(due=(*table.due, column.name))
    index(column.table, (column.name, *table.key))
