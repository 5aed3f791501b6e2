"""Fills a drafted twin from a configuration: lists of objects by table, and parts that an overlay declares."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, cast

import msgspec

from twindiff.kit.call import Call
from twindiff.kit.rows import Row
from twindiff.kit.seeding import InvalidSeedConfig, Person, Seeding
from twindiff.kit.suggestions import did_you_mean

from .conditions import equals, find_field
from .overlay import Overlay, SeedPart
from .placeholders import fill_placeholders, look_up, names_in
from .stored_objects import StoredObjects
from .tables import StoredResource


def make_seeding(objects: StoredObjects, overlay: Overlay) -> Seeding:
    """Return how to fill a drafted twin: `{table: [{field: value}, …]}`; fields are the vendor's.

    A part of the overlay's `seed_parts` takes the place of a table of its name.
    """
    names = sorted({*objects.by_table, *overlay.seed_parts})
    fields: list[Any] = [(name, list[dict[str, Any]], msgspec.field(default_factory=list)) for name in names]
    shape = msgspec.defstruct("DraftedSeeds", fields, kw_only=True)

    def write(call: Call, parts: Any, people: Sequence[Person]) -> dict[str, int]:
        writer = _SeedWriter(objects, call)
        for name in [*(name for name in names if name not in overlay.seed_parts), *overlay.seed_parts]:
            part = overlay.seed_parts.get(name) or SeedPart(table=name)
            writer.store_parts(part, getattr(parts, name), name, None)
        if writer.problems:
            raise InvalidSeedConfig(writer.problems)
        return writer.counts

    return Seeding(shape, write)


def describe_unknown(
    given: Mapping[str, Any], known: Collection[str], place: str, near: Collection[str] | None = None
) -> list[str]:
    """A sentence for each field of an object that there is not, with the nearest of `near`, by default of `known`."""
    names = {*(known if near is None else near)}
    return [
        f"{place}.{each}: there is no such field.{did_you_mean(each, names)}" for each in given if each not in known
    ]


def list_objects(given: Any, place: str, problems: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects of a list, each after its place; `problems` gets a sentence for what is no list or object."""
    if not isinstance(given, list):
        problems.append(f"{place}: expected a list")
        return
    for number, each in enumerate(cast(list[Any], given)):
        if isinstance(each, dict):
            yield f"{place}[{number}]", cast(dict[str, Any], each)
        else:
            problems.append(f"{place}[{number}]: expected an object")


class _SeedWriter:
    """Stores the parts of one configuration."""

    def __init__(self, objects: StoredObjects, call: Call) -> None:
        self._objects, self._call = objects, call
        self.problems: list[str] = []
        self.counts: dict[str, int] = {}

    def store_parts(self, part: SeedPart, given: Any, place: str, above: Mapping[str, Any] | None) -> None:
        """Store each object of a part, and the parts inside it; `above` are the fields of the object above."""
        for at, each in list_objects(given, place, self.problems):
            self._store(part, each, at, above)

    def _store(self, part: SeedPart, given: dict[str, Any], at: str, above: Mapping[str, Any] | None) -> None:
        stored = self._objects.by_table[part.table]
        inner = {name: given[name] for name in part.parts if name in given}
        plain = {name: value for name, value in given.items() if name not in part.parts}
        fields = self._fields_of(part, stored, plain, at, above)
        if fields is None:
            return
        row = self._objects.store_seed(self._call, stored, fields)
        self.counts[part.table] = self.counts.get(part.table, 0) + 1
        if inner:
            shown = {**self._objects.plain_fields(stored, row), "parent": above or {}}
            for name, items in inner.items():
                self.store_parts(part.parts[name], items, f"{at}.{name}", shown)

    def _fields_of(
        self,
        part: SeedPart,
        stored: StoredResource,
        given: dict[str, Any],
        at: str,
        above: Mapping[str, Any] | None,
    ) -> dict[str, Any] | None:
        """Return the fields of an object to store; None, with the problems noted, for one that cannot be."""
        values = {**given, "parent": above or {}}
        used = {name.partition(".")[0] for template in part.fields.values() for name in names_in(template)}
        used |= {
            name.partition(".")[0]
            for each in part.find.values()
            for template in each.values()
            for name in names_in(template)
        }
        direct = {name: value for name, value in given.items() if name not in used}
        known = {*stored.columns, *stored.parents}
        near = {*known, *used, *part.parts} - {"parent"}
        unknown = describe_unknown(direct, known, at, near)
        self.problems += unknown
        made = fill_placeholders(part.fields, lambda name: look_up(name, values))
        references = {field: self._find(field, stored, wanted, values, at) for field, wanted in part.find.items()}
        if unknown or any(isinstance(each, _NotFound) for each in references.values()):
            return None
        return {name: value for name, value in {**direct, **made, **references}.items() if value is not None}

    def _find(
        self, field: str, owner: StoredResource, wanted: Mapping[str, str], values: Mapping[str, Any], at: str
    ) -> Any:
        """Return what a field holds of the object to which a part refers; None if it refers to none."""
        filled = {name: fill_placeholders(each, lambda name: look_up(name, values)) for name, each in wanted.items()}
        if None in filled.values():
            return None
        stored = self._objects.by_table[next(iter(filled)).partition(".")[0]]
        conditions = [equals(find_field(stored, name.partition(".")[2]), value) for name, value in filled.items()]
        row: Row | None = self._call.db.find(stored.row, *conditions)
        if row is None:
            said = ", ".join(f"{name.partition('.')[2]} '{value}'" for name, value in filled.items())
            self.problems.append(f"{at}.{field}: there is no object in {stored.table} with {said}")
            return _NotFound()
        key = getattr(row, stored.key.name)
        return key if field in owner.parents else self._objects.as_relation(owner, field, key)


class _NotFound:
    """Stands for an object that a part refers to and that does not exist."""
