"""The initial state of a test, as lint and audit see it: tables and rows of all of its twins."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from twindiff.checks import KnownTables
from twindiff.checks.diffs import Row
from twindiff.kit.rows import Table
from twindiff.storage.schema import Schema


class LintContext(NamedTuple):
    """The initial state of a test, by entity as checks name it: `table`, and with several twins also `twin.table`.

    A table name that two twins share is no entity of `tables` and `rows`; `shared` has its columns.
    """

    tables: Mapping[str, Table]
    rows: Mapping[str, Sequence[Row]]
    actors: Collection[str] = ()
    """The users that the agent acts as."""
    operations: Collection[str] = ()
    """The names of the twins' operations; empty if they are unknown."""
    shared: Mapping[str, Collection[str]] = {}
    guessed: Mapping[str, Collection[str]] = {}
    """The columns by entity that a drafted twin makes up where a request does not give them."""

    @property
    def known(self) -> KnownTables:
        return KnownTables({"": {name: table.columns for name, table in self.tables.items()} | dict(self.shared)})


def neighbour_of(entity: str, table: str) -> str:
    """Return the entity of another table of the same twin."""
    twin, dot, _ = entity.rpartition(".")
    return f"{twin}{dot}{table}"


def entity_of(row: Row) -> str:
    """Return the entity of a row of a diff: with several twins, rows have their `__twin__`."""
    return f"{row['__twin__']}.{row['__table__']}" if "__twin__" in row else row["__table__"]


def build_context(
    schemas: Sequence[Schema],
    rows: Mapping[tuple[str, str], Sequence[Row]],
    actors: Collection[str] = (),
    operations: Collection[str] = (),
    guessed: Mapping[tuple[str, str], Collection[str]] = {},
) -> LintContext:
    """Build the initial state of a test from the schemas of its twins and the rows by twin and table.

    `guessed` are the columns that drafted twins make up, by twin and table.
    """
    tables: dict[str, Table] = {}
    listed: dict[str, Sequence[Row]] = {}
    shared: dict[str, set[str]] = {}
    made_up: dict[str, Collection[str]] = {}
    names = [name for schema in schemas for name in schema.tables]
    for schema in schemas:
        for name, table in schema.tables.items():
            is_unique = names.count(name) == 1
            for entity in ([name] if is_unique else []) + ([f"{schema.twin}.{name}"] if len(schemas) > 1 else []):
                tables[entity], listed[entity] = table, rows.get((schema.twin, name), ())
                made_up[entity] = guessed.get((schema.twin, name), ())
            if not is_unique:
                shared.setdefault(name, set()).update(table.columns)
    return LintContext(tables, listed, actors, operations, shared, made_up)
