"""Checks the tables and columns that a spec names against the existing ones: a misspelt check must never pass."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from twindiff.checks import readers, references
from twindiff.checks.readers import SpecError
from twindiff.checks.spec import Assertion, CheckSpec, Where
from twindiff.kit.suggestions import did_you_mean
from twindiff.storage.schema import Schema

MARKS = frozenset({"__table__", "__twin__", "__derived__"})
"""Keys of a diff's rows besides their columns."""

MAX_WARNINGS = 100
"""Unknown names that are reported."""

Tables = Mapping[str, Collection[str]]
"""Columns by table."""


@lru_cache(maxsize=64)
def known_to(schemas: tuple[Schema, ...]) -> KnownTables:
    """Return the tables of the twins that a spec is about."""
    return KnownTables(
        {schema.twin: {name: table.columns for name, table in schema.tables.items()} for schema in schemas}
    )


class Name(NamedTuple):
    """A name in a spec: of a table, or of a column of the table `of`; if `of` is empty, of any table."""

    place: str
    name: str
    is_table: bool
    of: str = ""


class KnownTables:
    """The tables that a spec may name, and their columns."""

    def __init__(self, twins: Mapping[str, Tables]) -> None:
        self.tables: dict[str, set[str]] = {}
        """Columns by table; with several twins also by `twin.table`."""
        for twin, tables in twins.items():
            for table, columns in tables.items():
                for entity in (table, f"{twin}.{table}") if len(twins) > 1 else (table,):
                    self.tables.setdefault(entity, set()).update(columns)
        self.columns = {column for columns in self.tables.values() for column in columns}

    def problem(self, said: Name) -> SpecError | None:
        """Return what is wrong with a name, None if it is known; columns of unknown tables are not reported."""
        if said.is_table:
            is_known, what, near = said.name in self.tables, "there is no table", self.tables.keys()
        else:
            columns = self.tables.get(said.of, set()) if said.of else self.columns
            is_known = said.name in columns or said.name in MARKS or (bool(said.of) and said.of not in self.tables)
            what, near = f"{said.of or 'no table'} has {'no' if said.of else 'a'} column", columns
        if is_known:
            return None
        return SpecError(said.place, f"{what} '{said.name}'", advice=did_you_mean(said.name, sorted(near)).strip())


def misspelt(spec: CheckSpec, known: KnownTables) -> list[SpecError]:
    """Return an error for each unknown table or column name, with the nearest known one; at most `MAX_WARNINGS`."""
    problems = (known.problem(name) for name in names_of(spec))
    return list(islice((problem for problem in problems if problem), MAX_WARNINGS))


def warnings(spec: CheckSpec, known: KnownTables) -> list[str]:
    """Return the unknown names as warnings, since the public language accepts them; raises SpecError for version 1."""
    problems = misspelt(spec, known)
    if problems and spec.is_extended:
        raise problems[0]
    return [str(problem) for problem in problems]


def names_of(spec: CheckSpec) -> Iterator[Name]:
    """Yield every name of a table or a column in a spec, in the order of the language's reference."""
    yield from _of_rows(spec)
    entities = {assertion.id: assertion.entity for assertion in spec.assertions if assertion.diff_type != "response"}
    for place, reference in references.of_spec(spec):
        if reference.id in entities:
            column = reference.path.partition(".")[0]
            yield Name(place, column, is_table=False, of=entities[reference.id])


def _of_rows(spec: CheckSpec) -> Iterator[Name]:
    for assertion in spec.assertions:
        if assertion.diff_type != "response":
            yield from _of_assertion(assertion)
    for entity, columns in sorted(spec.ignore_fields.items()):
        place = readers.inside("ignore_fields", entity)
        if entity != "global":
            yield Name(place, entity, is_table=True)
        for column in sorted(columns):
            yield Name(place, column, is_table=False, of="" if entity == "global" else entity)
    for at, exempt in enumerate(spec.closed_world or ()):
        place = f"closed_world.except[{at}]"
        yield Name(f"{place}.entity", exempt.entity, is_table=True)
        yield from _of_where(exempt.where, exempt.entity, f"{place}.where")


def _of_assertion(assertion: Assertion) -> Iterator[Name]:
    place, entity = f"assertions[{assertion.number - 1}]", assertion.entity
    yield Name(f"{place}.entity", entity, is_table=True)
    yield from _of_where(assertion.where, entity, f"{place}.where")
    for column in assertion.changes:
        yield Name(readers.inside(f"{place}.expected_changes", column), column, is_table=False, of=entity)
    for column in sorted(assertion.ignore):
        yield Name(f"{place}.ignore", column, is_table=False, of=entity)


def _of_where(where: Where, entity: str, place: str) -> Iterator[Name]:
    for path in dict.fromkeys(path for clause in where for path in clause.paths):
        yield Name(readers.inside(place, path), path.split(".")[0], is_table=False, of=entity)
