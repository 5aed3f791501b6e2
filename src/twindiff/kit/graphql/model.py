"""Links a vendor's declarations: resolves names and relations, creates association tables, checks word lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Any, NamedTuple

from twindiff.kit.call import Call
from twindiff.kit.rows import Column, Row, index, table_of
from twindiff.kit.suggestions import did_you_mean

from .entity import Entity, EntitySpec, Enum, Field, Input, Scalar, Union, Value
from .names import snake
from .section import Computed, Root, Section
from .surface import Surface, input_field, surface_of

Tells = Callable[[Call, EntitySpec, Any, Any], None]
"""`emit(call, spec, before, after)`: emits events about a row that was created (`before` is None), deleted (`after` is
None) or changed."""

ChecksInput = Callable[[Any, EntitySpec, str, Any], None]
ChecksFilterId = Callable[[Any, EntitySpec, str, str], None]
ChecksReference = Callable[[Any, EntitySpec, Any], None]
"""`check(run, spec, surface, given)`: raises InvalidInput for an input; `surface` is `create` or `update`."""


class RelationLink(NamedTuple):
    """How a to-many relation is stored: by a column of the target (`by`), or by two columns of an association table."""

    target: EntitySpec
    by: Column[Any] | None = None
    mine: Column[Any] | None = None
    theirs: Column[Any] | None = None


def _refer(spec: EntitySpec, field: Field, target: EntitySpec) -> None:
    """Set the table that a relation's column refers to; it may be declared after the column."""
    if spec.row is not None and target.row is not None:
        table_of(spec.row).columns[field.column].references = target.row


class EntityModel:
    """Everything that a vendor's modules declare, by name; raises LookupError for an unknown name in a declaration."""

    def __init__(self, modules: Iterable[ModuleType], payload: str = "success:Boolean!") -> None:
        self.payload = payload
        self.tells: Tells | None = None
        self.checks_input: ChecksInput | None = None
        self.checks_filter_id: ChecksFilterId | None = None
        self.checks_reference: ChecksReference | None = None
        self.entities: dict[str, EntitySpec] = {}
        self.values: dict[str, EntitySpec] = {}
        self.inputs: dict[str, EntitySpec] = {}
        self.enums: dict[str, tuple[str, ...]] = {}
        self.unions: dict[str, tuple[str, ...]] = {}
        self.nullable_enums: set[str] = set()
        self.scalars: set[str] = set()
        self.roots: list[Root] = []
        self.computed: dict[tuple[str, str], Computed] = {}
        self.hooks: dict[tuple[str, str], Callable[..., Any]] = {}
        self.refused: dict[tuple[str, str], str] = {}
        self.associations: dict[str, type[Row]] = {}
        for module in modules:
            self._collect(module)
        self.surfaces: dict[str, Surface] = {name: surface_of(spec) for name, spec in self.entities.items()}
        self.links: dict[tuple[str, str], RelationLink | None] = {}
        for spec in self.entities.values():
            self._link(spec)
        self._by_row = {
            spec.row: spec for spec in self.entities.values() if spec.row is not None and spec.parent is None
        }
        self._check()
        self._index()

    def _collect(self, module: ModuleType) -> None:
        for thing in list(vars(module).values()):
            if isinstance(thing, Section):
                self.roots += thing.roots
                self.computed |= thing.computed
                self.hooks |= thing.hooks
                self.refused |= thing.refused
            elif isinstance(thing, type) and thing.__module__ == module.__name__:
                self._declare(thing)

    def _declare(self, cls: type) -> None:
        if issubclass(cls, Entity):
            self.entities[cls.__name__] = cls.spec
        elif issubclass(cls, Value):
            self.values[cls.__name__] = cls.spec
        elif issubclass(cls, Input):
            self.inputs[cls.__name__] = cls.spec
        elif issubclass(cls, Enum):
            self.enums[cls.__name__] = tuple(cls.values.split())
            if cls.nullable:
                self.nullable_enums.add(cls.__name__)
        elif issubclass(cls, Union):
            self.unions[cls.__name__] = tuple(cls.members.split())
        elif issubclass(cls, Scalar):
            self.scalars.add(cls.__name__)
        elif issubclass(cls, Row):
            self.associations[table_of(cls).name] = cls  # an association table that hand-written code reads and writes

    @property
    def tables(self) -> list[type[Row]]:
        """All tables, association tables last."""
        rows = [spec.row for spec in self.entities.values() if spec.row is not None and spec.parent is None]
        return [*rows, *self.associations.values()]

    def target(self, field: Field) -> EntitySpec:
        """The entity that a relation points to; raises LookupError, with a suggestion, if it is not declared."""
        entity = self.entities.get(field.target)
        if entity is None:
            raise LookupError(
                f"{field!r}: there is no entity '{field.target}'.{did_you_mean(field.target, self.entities)}"
            )
        return entity

    def input_target(self, spec: EntitySpec, name: str) -> EntitySpec | None:
        """The stored entity that a field of an input refers to by id; None for other fields."""
        surface = self.surfaces[spec.name]
        for word in (*surface.create, *surface.update):
            field = spec.fields.get(word.name)
            if field and field.target in self.entities and input_field(spec, word)[0] == name:
                target = self.target(field)
                return target if target.row is not None else None
        return None

    def entity_of_row(self, row: type[Row]) -> EntitySpec | None:
        """The entity that is stored in this table; None for an association table."""
        return self._by_row.get(row)

    def concrete(self, spec: EntitySpec) -> list[EntitySpec]:
        """The types that an entity's rows can have: itself, or an interface's concrete types."""
        if not spec.interface:
            return [spec]
        return [each for each in self.entities.values() if each.parent is spec]

    # Relations

    def _link(self, spec: EntitySpec) -> None:
        for field in spec.fields.values():
            if field.kind == "one":
                _refer(spec, field, self.target(field))
            if field.kind in ("many", "list"):
                self.links[spec.name, field.name] = self._many(spec, field)

    def _many(self, spec: EntitySpec, field: Field) -> RelationLink | None:
        target = self.target(field)
        if target.row is None or spec.row is None:
            return None
        if field.facts.inverse:
            return RelationLink(target, by=self._relation(target, field.facts.inverse, field))
        name, mine, theirs = field.facts.through
        if name in self.entities:
            between = self.entities[name]
            ours = self._relation(between, mine or self._pointing(between, spec, field), field)
            return RelationLink(
                target, None, ours, self._relation(between, theirs or self._pointing(between, target, field), field)
            )
        row = self._association(name, mine or snake(spec.name) + "_id", theirs or snake(target.name) + "_id")
        columns = table_of(row).columns
        return RelationLink(
            target, None, columns[mine or snake(spec.name) + "_id"], columns[theirs or snake(target.name) + "_id"]
        )

    def _relation(self, spec: EntitySpec, name: str, asked: Field) -> Column[Any]:
        relation = spec.fields.get(name)
        if relation is None or relation.kind != "one":
            raise LookupError(f"{asked!r}: {spec.name} has no relation '{name}'.{did_you_mean(name, spec.fields)}")
        return table_of(spec.row).columns[relation.column]

    def _pointing(self, between: EntitySpec, target: EntitySpec, asked: Field) -> str:
        relations = [f.name for f in between.fields.values() if f.kind == "one" and f.target == target.name]
        if len(relations) != 1:
            raise LookupError(
                f"{asked!r}: {between.name} has {len(relations)} relations to {target.name}; name the columns"
            )
        return relations[0]

    def _association(self, name: str, mine: str, theirs: str) -> type[Row]:
        row = self.associations.get(name)
        if row is None:
            make: Any = type(Row)
            space = {"__annotations__": {mine: str, theirs: str}, "__module__": __name__}
            row = make(name, (Row,), space, table=name, key=(mine, theirs), indexes=((theirs, mine),))
            self.associations[name] = row
        missing = {mine, theirs} - table_of(row).columns.keys()
        if missing:
            raise LookupError(
                f"The association '{name}' has no column {missing.pop()}; it was made with {table_of(row).key}"
            )
        return row

    def _index(self) -> None:
        """Add the indexes for lists and relations to all tables."""
        for spec in self.entities.values():
            if spec.row is None or spec.parent:
                continue
            if "createdAt" in spec.fields:
                index(spec.row, ("createdAt", "id"))
        for link in self.links.values():
            if link and link.by is not None:
                dated = "createdAt" in link.target.fields
                index(link.target.row, (link.by.name, "createdAt", "id") if dated else (link.by.name,))
            elif link and link.mine is not None and link.theirs is not None:
                index(link.mine.table, (link.mine.name, link.theirs.name))

    # Words

    def _check(self) -> None:
        for problem in self._problems():
            raise LookupError(problem)

    def _missing_columns(self) -> Iterator[str]:
        for spec in self.entities.values():
            if spec.parent and spec.row is not None:
                for name in sorted(_stored_columns(spec) - table_of(spec.row).columns.keys()):
                    yield f"{spec.name} uses the column '{name}', which {spec.parent.name} does not declare"

    def _problems(self) -> Iterator[str]:
        for name, surface in self.surfaces.items():
            fields = self.entities[name].fields
            for words, listed in (("filters", surface.filters), ("create", surface.create), ("update", surface.update)):
                for word in listed:
                    if word.name not in fields and not word.type:
                        yield f"{name}.{words}: no field '{word.name}'.{did_you_mean(word.name, fields)}"
        yield from self._missing_columns()
        for owner, name in self.computed:
            spec = self.entities.get(owner) or self.values.get(owner)
            if spec and name not in spec.fields:
                yield f"A function computes {owner}.{name}, which is no field.{did_you_mean(name, spec.fields)}"


def _stored_columns(spec: EntitySpec) -> set[str]:
    return {field.column for field in spec.fields.values() if field.column}
