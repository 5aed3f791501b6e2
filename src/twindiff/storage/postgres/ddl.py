"""Tables, indexes, policies and triggers from Row declarations: one schema per twin, `env_id` first in every key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import msgspec

from twindiff.kit.rows import Column, ColumnType, Table
from twindiff.storage.schema import Schema
from twindiff.storage.sql.names import names, quote

from . import full_text_index, json_key_index
from .text_encoding import escape_text, literal, written_json

STORED: dict[ColumnType, str] = {
    "text": 'text COLLATE "C"',
    "integer": "bigint",
    "float": "double precision",
    "boolean": "boolean",
    "timestamp": 'text COLLATE "C"',
    "date": 'text COLLATE "C"',
    "json": 'text COLLATE "C"',
}
CATALOG = "twindiff_catalog"
MAX_NAME_BYTES = 63
PENDING_KILOBYTES = 64
"""What waits to be put into an index of words, all of which each search reads; 4 MB unless one says so."""
SHAPE_PREFIX = "twindiff-shape"
"""Of the messages in the log that say what a twin's rows look like from there on."""
ORIGIN_PREFIX = "twindiff-origin"
"""Of those that say that there are more replication origins from there on."""
OF_CATALOG: tuple[str, ...] = ()
OF_TWIN: tuple[str, ...] = ("env_id",)
"""Columns of ours that come before a table's own."""


def schema_of(twin: str) -> str:
    """The schema that holds a twin's tables."""
    return f"twin_{twin}"


def catalog_table(table: Table) -> Iterator[str]:
    """What creates a table of the catalog and its indexes; nothing happens to those that exist."""
    yield from _table(CATALOG, table, OF_CATALOG)


def twin_table(schema: str, table: Table) -> Iterator[str]:
    """What creates a twin's table: seen one environment at a time, changes by hand numbered, full rows in the log."""
    yield from _table(schema, table, OF_TWIN)
    name = f"{quote(schema)}.{quote(table.name)}"
    here = "env_id = current_setting('app.env_id', true)"
    by_hand = "WHEN (coalesce(current_setting('app.operation', true), '') = '')"
    yield f"ALTER TABLE {name} REPLICA IDENTITY FULL"
    # Of an environment that is newer than the statistics, PostgreSQL would expect no rows and plan accordingly.
    yield f"ALTER TABLE {name} ALTER COLUMN env_id SET STATISTICS 0"
    yield f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY"
    yield f"DROP POLICY IF EXISTS of_environment ON {name}"
    yield f"CREATE POLICY of_environment ON {name} USING ({here}) WITH CHECK ({here})"
    yield f"DROP POLICY IF EXISTS of_owner ON {name}"
    yield f"CREATE POLICY of_owner ON {name} TO CURRENT_USER USING (true) WITH CHECK (true)"
    # Whether a row is added is known when it is: one that is there already may be left alone.
    for trigger, when in (("number_added", "AFTER INSERT"), ("number_external", "BEFORE UPDATE OR DELETE")):
        yield (
            f"CREATE OR REPLACE TRIGGER {trigger} {when} ON {name} "
            f"FOR EACH ROW {by_hand} EXECUTE FUNCTION twindiff.number_external()"
        )
    yield (
        f"CREATE OR REPLACE TRIGGER refuse_truncate BEFORE TRUNCATE ON {name} "
        "EXECUTE FUNCTION twindiff.refuse_truncate()"
    )
    always = ("number_added", "number_external", "refuse_truncate")
    yield f"ALTER TABLE {name} {', '.join(f'ENABLE ALWAYS TRIGGER {trigger}' for trigger in always)}"


def _table(schema: str, table: Table, first: tuple[str, ...]) -> Iterator[str]:
    name = f"{quote(schema)}.{quote(table.name)}"
    leading = [f'{quote(column)} text COLLATE "C" NOT NULL' for column in first]
    columns = [*leading, *(column_text(column) for column in table.columns.values())]
    key = f"PRIMARY KEY ({names((*first, *table.key))})"
    yield f"CREATE TABLE IF NOT EXISTS {name} ({', '.join([*columns, key])})"
    for index in indexes(table, first):
        kind = "UNIQUE INDEX" if index.unique else "INDEX"
        where = f" WHERE {index.where}" if index.where else ""
        yield f"CREATE {kind} IF NOT EXISTS {quote(index.name)} ON {name} USING {index.method} ({index.places}){where}"
        if index.method == "gin":
            yield f"ALTER INDEX {quote(schema)}.{quote(index.name)} SET (gin_pending_list_limit = {PENDING_KILOBYTES})"


def stored_type(column: Column[Any]) -> str:
    """The type of a column's values, however they are ordered."""
    return STORED[column.kind].removesuffix(' COLLATE "C"')


def column_text(column: Column[Any]) -> str:
    """A column as CREATE TABLE declares it."""
    return f"{quote(column.name)} {STORED[column.kind]}{'' if column.nullable else ' NOT NULL'}"


def added_column(column: Column[Any]) -> str | None:
    """A column as ALTER TABLE adds it to rows that lack it; None when they cannot do without a value."""
    if column.default is not msgspec.NODEFAULT and not (column.default is None and column.nullable):
        return f"{column_text(column)} DEFAULT {_constant(column.default, column.kind)}"
    return column_text(column) if column.nullable else None


def _constant(value: Any, kind: ColumnType) -> str:
    if kind == "json":
        return literal(written_json(value))
    return literal(escape_text(value)) if isinstance(value, str) else f"'{value}'"


class SecondaryIndex(NamedTuple):
    """An index beside that of the key."""

    name: str
    places: str
    """What it is by, as CREATE INDEX takes it."""
    unique: bool
    method: str = "btree"
    where: str = ""
    """Which rows are in it; all, if nothing is said."""


def indexes(table: Table, first: tuple[str, ...]) -> list[SecondaryIndex]:
    """The indexes that a table declares, each with `first` in front.

    One that begins with the whole key is for reading in the table's place, which is switched off here (`connections`).
    """
    plain = [each for each in table.indexes if each[: len(table.key)] != table.key]
    declared = [*((each, True) for each in table.unique), *((each, False) for each in plain)]
    return [
        *(
            SecondaryIndex(_index_name(table, (*first, *each)), names((*first, *each)), unique)
            for each, unique in declared
        ),
        *(_folded_index(table, first, column) for column in table.folded),
        *(_words(table, first, column) for column in table.words),
        *(_entries(table, first, column) for column in json_key_index.indexed_columns(table)),
    ]


def _folded_index(table: Table, first: tuple[str, ...], column: str) -> SecondaryIndex:
    places = f"{names(first)}, twindiff.folded_head({quote(column)})"
    return SecondaryIndex(_index_name(table, (*first, column, "folded")), places, unique=False)


def _words(table: Table, first: tuple[str, ...], column: str) -> SecondaryIndex:
    return SecondaryIndex(
        _index_name(table, (*first, column, "words")), full_text_index.words_of(column), unique=False, method="gin"
    )


def _entries(table: Table, first: tuple[str, ...], column: str) -> SecondaryIndex:
    name, places = _index_name(table, (*first, column, "entries")), json_key_index.entries_of(column)
    return SecondaryIndex(name, places, unique=False, method="gin", where=json_key_index.is_indexed(column))


def _index_name(table: Table, columns: Sequence[str]) -> str:
    text = "_".join((table.name, *columns))
    if len(text.encode()) <= MAX_NAME_BYTES:
        return text
    return f"{text[:40]}_{blake2b(text.encode(), digest_size=8).hexdigest()}"


def functions(schema: Schema) -> Iterator[str]:
    """What copies the rows of one environment to others, and deletes those of some, whoever may see them."""
    place = quote(schema_of(schema.twin))
    copies = [_copy(f"{place}.{quote(table.name)}", table) for table in schema.tables.values()]
    deletes = [f"DELETE FROM {place}.{quote(name)} WHERE env_id = ANY($1);" for name in schema.tables]
    head = "RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN"
    for earlier in ("copy_rows(text, text)", "delete_rows(text)"):
        yield f"DROP FUNCTION IF EXISTS {place}.{earlier}"
    yield f"CREATE OR REPLACE FUNCTION {place}.copy_rows(text, text[]) {head} {' '.join(copies)} END $$"
    yield f"CREATE OR REPLACE FUNCTION {place}.delete_rows(text[]) {head} {' '.join(deletes)} END $$"
    for function in ("copy_rows(text, text[])", "delete_rows(text[])"):
        yield f"REVOKE ALL ON FUNCTION {place}.{function} FROM PUBLIC"
    for table in schema.tables.values():
        yield from full_text_index.lookups(schema_of(schema.twin), table)
        yield from json_key_index.lookups(schema_of(schema.twin), table)


def _copy(name: str, table: Table) -> str:
    columns = names(tuple(table.columns))
    return (
        f"INSERT INTO {name} (env_id, {columns}) SELECT e.env, {columns} FROM unnest($2) e(env), {name} "
        "WHERE env_id = $1;"
    )


class WalTable(msgspec.Struct, frozen=True):
    """What one needs to know of a table to read its rows from the write-ahead log."""

    key: tuple[str, ...]
    kinds: dict[str, ColumnType]


Shapes = dict[str, WalTable]


def shapes(schema: Schema) -> Shapes:
    """The shapes of a twin's tables."""
    return {
        table.name: WalTable(table.key, {name: column.kind for name, column in table.columns.items()})
        for table in schema.tables.values()
    }
