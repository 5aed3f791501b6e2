"""DDL of tables, indexes, policies and triggers, generated from Row declarations.

Each twin has its own schema; every key begins with `env_id`.
"""

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
"""The pending list of a GIN index, which every search reads entirely; PostgreSQL's default is 4 MB."""
SHAPE_PREFIX = "twindiff-shape"
"""The prefix of WAL messages with the new shapes of a twin's rows."""
ORIGIN_PREFIX = "twindiff-origin"
"""The prefix of WAL messages that announce new replication origins."""
OF_CATALOG: tuple[str, ...] = ()
OF_TWIN: tuple[str, ...] = ("env_id",)
"""Columns added in front of a table's own."""


def schema_of(twin: str) -> str:
    """Return the name of the schema with a twin's tables."""
    return f"twin_{twin}"


def catalog_table(table: Table) -> Iterator[str]:
    """Yield the idempotent statements that create a catalog table and its indexes."""
    yield from _table(CATALOG, table, OF_CATALOG)


def twin_table(schema: str, table: Table) -> Iterator[str]:
    """Yield the idempotent statements that create a twin's table.

    Row-level security restricts it to one environment, triggers number manual changes, and the WAL has full old rows.
    """
    # CREATE POLICY of_environment ON "twin_slack"."messages" USING (env_id = current_setting('app.env_id', true))
    #   WITH CHECK (env_id = current_setting('app.env_id', true))
    yield from _table(schema, table, OF_TWIN)
    name = f"{quote(schema)}.{quote(table.name)}"
    here = "env_id = current_setting('app.env_id', true)"
    by_hand = "WHEN (coalesce(current_setting('app.operation', true), '') = '')"
    yield f"ALTER TABLE {name} REPLICA IDENTITY FULL"
    # Without statistics: PostgreSQL would expect no rows for an environment created after ANALYZE.
    yield f"ALTER TABLE {name} ALTER COLUMN env_id SET STATISTICS 0"
    yield f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY"
    yield f"DROP POLICY IF EXISTS of_environment ON {name}"
    yield f"CREATE POLICY of_environment ON {name} USING ({here}) WITH CHECK ({here})"
    yield f"DROP POLICY IF EXISTS of_owner ON {name}"
    yield f"CREATE POLICY of_owner ON {name} TO CURRENT_USER USING (true) WITH CHECK (true)"
    # AFTER INSERT, since ON CONFLICT DO NOTHING may skip the row.
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
    # CREATE TABLE IF NOT EXISTS "twin_slack"."messages" ("env_id" text COLLATE "C" NOT NULL,
    #   "id" text COLLATE "C" NOT NULL, "ts" bigint, PRIMARY KEY ("env_id", "id"))
    # CREATE INDEX IF NOT EXISTS "messages_env_id_ts" ON "twin_slack"."messages" USING btree ("env_id", "ts")
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
    """Return the SQL type of a column without its collation."""
    return STORED[column.kind].removesuffix(' COLLATE "C"')


def column_text(column: Column[Any]) -> str:
    """Return the declaration of a column for CREATE TABLE."""
    return f"{quote(column.name)} {STORED[column.kind]}{'' if column.nullable else ' NOT NULL'}"


def added_column(column: Column[Any]) -> str | None:
    """Return the declaration of a column for ALTER TABLE … ADD; None if existing rows would lack a required value."""
    if column.default is not msgspec.NODEFAULT and not (column.default is None and column.nullable):
        return f"{column_text(column)} DEFAULT {_constant(column.default, column.kind)}"
    return column_text(column) if column.nullable else None


def _constant(value: Any, kind: ColumnType) -> str:
    if kind == "json":
        return literal(written_json(value))
    return literal(escape_text(value)) if isinstance(value, str) else f"'{value}'"


class SecondaryIndex(NamedTuple):
    """An index besides the primary key."""

    name: str
    places: str
    """Its columns or expression, as in CREATE INDEX."""
    unique: bool
    method: str = "btree"
    where: str = ""
    """The predicate of a partial index; empty for all rows."""


def indexes(table: Table, first: tuple[str, ...]) -> list[SecondaryIndex]:
    """Return the indexes that a table declares, each with the columns `first` in front.

    Indexes that begin with the whole key are left out: they are for index-only scans, which `connections` disables.
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
    """Yield the DDL of a twin's functions: `copy_rows`, `delete_rows`, and lookups in full-text and JSON key indexes.

    SECURITY DEFINER exempts them from row-level security.
    """
    # CREATE OR REPLACE FUNCTION "twin_slack".delete_rows(text[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS
    #   $$ BEGIN DELETE FROM "twin_slack"."messages" WHERE env_id = ANY($1); END $$
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
    # INSERT INTO "twin_slack"."messages" (env_id, "id", "ts") SELECT e.env, "id", "ts"
    #   FROM unnest($2) e(env), "twin_slack"."messages" WHERE env_id = $1;
    columns = names(tuple(table.columns))
    return (
        f"INSERT INTO {name} (env_id, {columns}) SELECT e.env, {columns} FROM unnest($2) e(env), {name} "
        "WHERE env_id = $1;"
    )


class WalTable(msgspec.Struct, frozen=True):
    """The shape of a table's rows, which is needed to read them from the WAL: key columns, and kinds by column."""

    key: tuple[str, ...]
    kinds: dict[str, ColumnType]


Shapes = dict[str, WalTable]


def shapes(schema: Schema) -> Shapes:
    """Return the shapes of a twin's tables by name."""
    return {
        table.name: WalTable(table.key, {name: column.kind for name, column in table.columns.items()})
        for table in schema.tables.values()
    }
