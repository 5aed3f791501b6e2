"""Declarations of a vendor's GraphQL types; docs/reference/graphql-twins.md describes the notation.

A class declares the fields of a type (annotations), their storage (defaults such as `column()`), and the generated
filters, inputs and root fields (word lists such as `filters = "title state"`). Declaring an Entity also declares its
table: `Issue.row` is a Row with the stored columns. Annotations are parsed, never evaluated, so a name may be declared
later or elsewhere; modules need `from __future__ import annotations`.
"""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, Generic, Literal, NamedTuple, TypeVar

import msgspec

from twindiff.kit.rows import ColumnOptions, ColumnType, Date, Json, Row, Timestamp, Visibility

from .names import plural, snake

T = TypeVar("T")

Kind = Literal["column", "one", "many", "list", "computed"]


class One(Generic[T]):
    """A to-one relation, stored as a column `<field>Id`; `| None` if it may be missing."""


class Many(Generic[T]):
    """A to-many relation: a connection of entities."""


# Names for annotations, which are parsed and never evaluated; for type checkers they are the types of stored values.
ID = str
UUID = str
Duration = float
JSONObject = dict[str, Any]
PaginationOrderBy = str
PaginationNulls = str
PaginationSortOrder = str


class FieldOptions(NamedTuple):
    """Options of a field, besides its annotation."""

    kind: Kind | None = None
    name: str = ""
    default: Any = msgspec.NODEFAULT
    null: bool | None = None
    derived: bool = False
    exposed: bool = False
    hidden: bool = False
    inverse: str = ""
    through: tuple[str, ...] = ()
    serial: str = ""
    arguments: Mapping[str, Any] = {}
    """GraphQL arguments besides paging, by name, as type texts; also the flags `filter`, `sort`, `order_by`, `archived`
    and `paging`."""
    deprecated: str = ""


def column(
    *,
    name: str = "",
    default: Any = msgspec.NODEFAULT,
    null: bool | None = None,
    derived: bool = False,
    deprecated: str = "",
) -> Any:
    """A stored field. `name` is the column's name, and `null` whether it may be NULL, if they differ from the field's.

    A plain diff omits updates in which only `derived` columns change.
    """
    return FieldOptions("column", name, default, null, derived, deprecated=deprecated)


def one_with_key(
    *, name: str = "", default: Any = msgspec.NODEFAULT, null: bool | None = None, derived: bool = False
) -> Any:
    """A to-one relation whose key is a field as well: `issue` and `issueId`."""
    return FieldOptions("one", name, default, null, derived, exposed=True)


def derived_field(*, name: str = "", default: Any = None, null: bool | None = None) -> Any:
    """A stored field that the vendor derives from others; plain diffs omit updates of such fields only."""
    return FieldOptions(None, name, default, null, derived=True)


def hidden_column(*, name: str = "", default: Any = msgspec.NODEFAULT, derived: bool = False) -> Any:
    """A stored column that is not a field of the API."""
    return FieldOptions("column", name, default, None, derived, hidden=True)


def serial(*, per: str = "", name: str = "") -> Any:
    """A stored serial number, counted for each value of the relation `per`, or for the whole table."""
    return FieldOptions("column", name, serial=per or "*")


def inverse(of: str, **arguments: Any) -> Any:
    """The entities whose relation `of` points to this one; `arguments` are GraphQL arguments and `FieldOptions`."""
    return FieldOptions(inverse=of, arguments=arguments)


def through(link: str, mine: str = "", theirs: str = "", **arguments: Any) -> Any:
    """The entities that the entity or association table `link` joins to this one.

    `mine` and `theirs` are its relations or columns; by default they are derived from the names of the entities. They
    are required if both sides are the same entity.
    """
    return FieldOptions(through=(link, mine, theirs), arguments=arguments)


def computed_field(*, deprecated: str = "", **arguments: Any) -> Any:
    """A field without a column: see `Section.field`. Without a function, it is null, empty or its type's zero."""
    return FieldOptions("computed", arguments=arguments, deprecated=deprecated)


class FieldAnnotation(NamedTuple):
    """A parsed annotation."""

    kind: Literal["plain", "one", "many"]
    name: str
    is_list: bool
    null: bool
    item_null: bool

    @property
    def text(self) -> str:
        """The GraphQL type, such as `[Issue!]!`; not for a connection."""
        inner = f"[{self.name}{'' if self.item_null else '!'}]" if self.is_list else self.name
        return inner + ("" if self.null else "!")


class Field:
    """A field of an entity, a value object or an input."""

    __slots__ = ("facts", "kind", "name", "owner", "shape")

    def __init__(self, owner: str, name: str, shape: FieldAnnotation, facts: FieldOptions, kind: Kind) -> None:
        self.owner = owner
        self.name = name
        self.shape = shape
        self.facts = facts
        self.kind: Kind = kind

    @property
    def target(self) -> str:
        """The name of the field's type, without lists and `!`."""
        return self.shape.name

    @property
    def column(self) -> str:
        """The name of the column; empty for a field that is not stored."""
        if self.kind == "column":
            return self.facts.name or self.name
        return (self.facts.name or f"{self.name}Id") if self.kind == "one" else ""

    def __repr__(self) -> str:
        return f"{self.owner}.{self.name}"


class EntitySpec:
    """The declaration of a class as data."""

    def __init__(self, name: str, kind: str, fields: dict[str, Field], words: dict[str, Any]) -> None:
        self.name = name
        self.kind = kind
        self.fields = fields
        self.words = words
        self.rim = False
        self.interface = False
        self.bare = False
        self.stands_for: tuple[str, ...] = ()
        """For a concrete type of an interface: the values of the interface's kind column that stand for it."""
        self.parent: EntitySpec | None = None
        """For a concrete type: the interface in whose table it is stored."""
        self.kind_column = ""
        self.implements: tuple[str, ...] = ()
        self.row: Any = None
        """The Row class of its table; None if there is no table."""

    def word(self, name: str) -> str:
        return self.words.get(name, "")


_PLAIN = {
    "str": "String", "int": "Int", "float": "Float", "bool": "Boolean", "datetime": "DateTime", "date": "TimelessDate",
    "Json": "JSON", "Any": "JSON",
}  # fmt: skip
_COLUMN_KINDS: dict[str, ColumnType] = {
    "String": "text", "ID": "text", "UUID": "text", "Int": "integer", "Float": "float", "Boolean": "boolean",
    "DateTime": "timestamp", "TimelessDate": "date", "JSON": "json", "JSONObject": "json", "Duration": "float",
}  # fmt: skip
_HINTS: dict[ColumnType, Any] = {
    "text": str, "integer": int, "float": float, "boolean": bool, "timestamp": Timestamp, "date": Date, "json": Json,
}  # fmt: skip
WORDS = (
    "filters", "filter_variants", "create", "update", "sort", "roots", "payload", "payload_nullable", "order",
    "deletes", "enabled",
)  # fmt: skip
_COMMON = {
    "id": FieldAnnotation("plain", "ID", False, False, False),
    "createdAt": FieldAnnotation("plain", "DateTime", False, False, False),
    "updatedAt": FieldAnnotation("plain", "DateTime", False, False, False),
    "archivedAt": FieldAnnotation("plain", "DateTime", False, True, False),
}


def read_shape(text: Any, where: str) -> FieldAnnotation:
    """Parse an annotation such as `One["Team"] | None`, `list[str]` or `Many["Issue"]`; raises TypeError for others."""
    if not isinstance(text, str):
        raise TypeError(f"{where}: begin the module with `from __future__ import annotations`")
    node, null = _without_none(_parse_annotation(text))
    kind, is_list, item_null = "plain", False, False
    while isinstance(node, ast.Subscript):
        outer, node = _name(node.value, where), node.slice
        if outer == "list":
            is_list = True
            node, item_null = _without_none(node)
        elif outer in ("One", "Many"):
            kind = "one" if outer == "One" else "many"
        else:
            raise TypeError(f"{where}: '{outer}[…]' is none of One, Many and list")
    name = _name(node, where)
    return FieldAnnotation(kind, _PLAIN.get(name, name), is_list, null, item_null)  # pyright: ignore[reportArgumentType]


@cache
def _parse_annotation(text: str) -> ast.expr:
    """The syntax tree of an annotation; cached, since a hundred types repeat a few annotations a thousand times."""
    return ast.parse(text, mode="eval").body


def _without_none(node: ast.expr) -> tuple[ast.expr, bool]:
    if isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant) and node.right.value is None:
        return node.left, True
    return node, False


def _name(node: ast.expr, where: str) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.Attribute):
        return node.attr
    raise TypeError(f"{where}: cannot read the annotation {ast.unparse(node)}")


def _fields(cls: type, *, plain_is: Kind) -> dict[str, Field]:
    fields: dict[str, Field] = {}
    stated: Mapping[str, FieldOptions] = cls.__dict__.get("facts", {})
    for name, text in inspect.get_annotations(cls).items():
        where = f"{cls.__name__}.{name}"
        shape = read_shape(text, where)
        given = cls.__dict__.get(name)
        facts = given if isinstance(given, FieldOptions) else stated.get(name, FieldOptions())
        fields[name] = Field(cls.__name__, name, shape, facts, _kind(shape, facts, plain_is))
    return fields


def _kind(shape: FieldAnnotation, facts: FieldOptions, plain_is: Kind) -> Kind:
    if facts.kind == "computed":
        return "computed"
    if shape.kind == "one" or facts.kind == "one":
        return "one"
    if facts.inverse or facts.through:
        return "many" if shape.kind == "many" else "list"
    if shape.kind == "many":
        return "computed"
    return plain_is


def _words(cls: type) -> dict[str, Any]:
    return {name: cls.__dict__[name] for name in WORDS if isinstance(cls.__dict__.get(name), str | bool)}


class Entity:
    """A type whose rows are stored in a table: `class Issue(Entity)`, or `class Issue(Entity, table="issues")`.

    `rim=True` declares a type without a table: it is null or empty wherever it is reached. `bare=True` omits the fields
    `createdAt`, `updatedAt` and `archivedAt`. `interface=True` with `kind="column"` declares an interface; its concrete
    types are its Python subclasses and share its table. A subclass with `kind="value value"` lists the values of that
    column that stand for it, by default its own name.
    """

    spec: ClassVar[EntitySpec]
    row: ClassVar[Any]
    """The Row class of the table; `Issue.row.teamId` is a column."""

    def __init_subclass__(
        cls,
        *,
        table: str = "",
        rim: bool = False,
        interface: bool = False,
        kind: str = "",
        bare: bool = False,
        implements: str = "",
        indexes: tuple[tuple[str, ...], ...] = (),
        unique: tuple[tuple[str, ...], ...] = (),
        visibility: Visibility = "plain",
    ) -> None:
        parent: EntitySpec | None = next(
            (base.__dict__["spec"] for base in cls.__mro__[1:] if "spec" in base.__dict__), None
        )
        own = _fields(cls, plain_is="column")
        common = {"id": _COMMON["id"]} if bare else _COMMON
        inherited = dict(parent.fields) if parent else {n: _common_field(cls, n, s) for n, s in common.items()}
        cls.spec = spec = EntitySpec(cls.__name__, "entity", {**inherited, **own}, _words(cls))
        spec.rim, spec.interface, spec.bare, spec.parent = rim, interface, bare, parent
        spec.implements = tuple(implements.split())
        if parent:
            spec.rim = rim or parent.rim
            spec.stands_for = tuple(kind.split()) or (cls.__name__,)
            spec.row = parent.row
            return
        spec.kind_column = kind if interface else ""
        if not rim:
            cls.row = spec.row = _table(cls, table or plural(snake(cls.__name__)), indexes, unique, visibility)


def _common_field(cls: type, name: str, shape: FieldAnnotation) -> Field:
    return Field(cls.__name__, name, shape, FieldOptions(), "column")


def _table(cls: type[Entity], name: str, indexes: Any, unique: Any, visibility: Visibility) -> type[Row]:
    annotations: dict[str, Any] = {}
    space: dict[str, Any] = {"__module__": cls.__module__, "__annotations__": annotations}
    for field in cls.spec.fields.values():
        if not field.column:
            continue
        hint, options = _column(cls, field)
        annotations[field.column] = hint
        space[field.column] = options
    row: Any = type(Row)
    return row(
        cls.__name__,
        (Row,),
        space,
        table=name,
        key=("id",),
        indexes=indexes,
        unique=unique,
        visibility=visibility,
    )


def _column(cls: type[Entity], field: Field) -> tuple[Any, ColumnOptions]:
    kind = (
        "text" if field.kind == "one" else column_kind(field.shape, sys.modules[cls.__module__].__dict__, repr(field))
    )
    facts = field.facts
    null = field.shape.null if facts.null is None else facts.null
    default = None if null and facts.default is msgspec.NODEFAULT else facts.default
    if facts.derived and default is None and not null:
        default = _ZERO[kind]
    hint = _HINTS[kind]
    return (hint | None if null else hint), ColumnOptions(default, facts.derived)


_ZERO: dict[ColumnType, Any] = {
    "text": "", "integer": 0, "float": 0.0, "boolean": False, "json": {},
    "timestamp": msgspec.NODEFAULT, "date": msgspec.NODEFAULT,
}  # fmt: skip


def column_kind(shape: FieldAnnotation, known: Mapping[str, Any], where: str) -> ColumnType:
    """The column type of a plain field: scalars as such, enums as text, lists and value objects as JSON."""
    if shape.is_list:
        return "json"
    if shape.name in _COLUMN_KINDS:
        return _COLUMN_KINDS[shape.name]
    declared = known.get(shape.name)
    if isinstance(declared, type) and issubclass(declared, Enum):
        return "text"
    if isinstance(declared, type) and issubclass(declared, Value | Union):
        return "json"
    if isinstance(declared, type) and issubclass(declared, Scalar):
        return declared.stored
    raise TypeError(
        f"{where}: '{shape.name}' must be imported, not only for type checking, so that its column has a type"
    )


class Enum:
    """An enum: `class SlaType(Enum): values = "all onlyBusinessDays"`."""

    values: ClassVar[str] = ""
    nullable: ClassVar[bool] = False
    """Whether its comparator has the operator `null`."""


class Scalar:
    """A scalar of the vendor, whose values are not converted: `class SourceType(Scalar): stored = "text"`."""

    stored: ClassVar[ColumnType] = "text"


class Value:
    """An object without a table, as a dict: a value object in a JSON column, or the payload of a hand-written root."""

    spec: ClassVar[EntitySpec]

    def __init_subclass__(cls, *, implements: str = "", interface: bool = False) -> None:
        cls.spec = EntitySpec(cls.__name__, "value", _fields(cls, plain_is="computed"), {})
        cls.spec.implements = tuple(implements.split())
        cls.spec.interface = interface


class Input:
    """A hand-written input object, as a dict by field; a field that may be None is optional.

    `of="Issue"` makes it a filter of that entity, with `and` and `or`; its fields filter by the entity's fields.
    """

    spec: ClassVar[EntitySpec]

    def __init_subclass__(cls, *, of: str = "", one_of: bool = False) -> None:
        cls.spec = EntitySpec(cls.__name__, "input", _fields(cls, plain_is="column"), {"one_of": one_of, "of": of})


class Union:
    """A union: `class Content(Union): members = "Action Error"`; a value is a dict with `__typename`."""

    members: ClassVar[str] = ""
