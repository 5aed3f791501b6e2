"""The JSON key index (`Table.entries`), by GIN: finds rows that may have a given text under a given key of an object.

Its entries are digests of key and text, so that texts may be long, prefixed with the start of the environment's id, so
that a search of one environment reads no entries of others. Empty objects are not indexed. As for full-text indexes,
rows are read through a SECURITY DEFINER function.
"""

from __future__ import annotations

from collections.abc import Iterator

from twindiff.kit.rows import Table
from twindiff.storage.sql.names import quote

MANY_ROWS = 1_000
"""Matching rows beyond which the index is not used: a scan soon finds enough of them for a page."""
ENVIRONMENT_LETTERS = 12


def _digest(env: str, key: str, text: str) -> str:
    return f"rpad({env}, {ENVIRONMENT_LETTERS}, '0') || md5({key} || chr(1) || {text})"


def function() -> str:
    """Return the DDL of `twindiff.entries(env, given)`, the digests of the texts in a JSON object.

    For `{"tier": "gold"}` it returns one text: 12 characters of `env`, then `md5('tier' || chr(1) || 'gold')`.
    """
    return f"""
        CREATE OR REPLACE FUNCTION twindiff.entries(env text, given text) RETURNS text[]
        LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS $$
        BEGIN
            IF NOT starts_with(given, '{{') THEN
                RETURN NULL;
            END IF;
            RETURN ARRAY(
                SELECT {_digest("env", "e.key", "(e.value #>> '{}')")} FROM json_each(given::json) e
                WHERE json_typeof(e.value) = 'string'
            );
        END $$
    """


def entries_of(column: str) -> str:
    """Return the index expression of a column's entries."""
    return f"twindiff.entries(env_id, {quote(column)})"


def is_indexed(column: str) -> str:
    """Return the predicate of the partial index of a column."""
    return f"{quote(column)} <> '{{}}'"


def indexed_columns(table: Table) -> tuple[str, ...]:
    """Return the columns of a table with a JSON key index, which requires a key of one column."""
    return table.entries if len(table.key) == 1 else ()


def lookup(schema: str, table: Table, column: str) -> str:
    """Return the name of a column's lookup function, `(key, text, limit)`, which returns the keys of matching rows."""
    return f"{quote(schema)}.{quote(f'{table.name}({column} entries)')}"


def lookups(schema: str, table: Table) -> Iterator[str]:
    """Yield the DDL of the lookup functions of a table."""
    # CREATE OR REPLACE FUNCTION "twin_stripe"."customers(metadata entries)"(text, text, bigint)
    #   RETURNS TABLE ("id" "twin_stripe"."customers"."id"%TYPE) LANGUAGE sql STABLE SECURITY DEFINER ROWS 100 AS
    #   $$ SELECT "id" FROM "twin_stripe"."customers" WHERE twindiff.entries(env_id, "metadata") @> ARRAY[…] LIMIT $3 $$
    here = "current_setting('app.env_id', true)"
    place, (key, *_) = f"{quote(schema)}.{quote(table.name)}", table.key
    for column in indexed_columns(table):
        # Not `env_id =`, for which PostgreSQL expects so few rows that it would use an index by env_id.
        having = f"{entries_of(column)} @> ARRAY[{_digest(here, '$1', '$2')}] AND env_id || '' = {here}"
        rows = f"SELECT {quote(key)} FROM {place} WHERE {having} AND {is_indexed(column)} LIMIT $3"
        head = f"RETURNS TABLE ({quote(key)} {place}.{quote(key)}%TYPE) LANGUAGE sql STABLE SECURITY DEFINER ROWS 100"
        name = f"{lookup(schema, table, column)}(text, text, bigint)"
        yield f"CREATE OR REPLACE FUNCTION {name} {head} AS $$ {rows} $$"
        yield f"REVOKE ALL ON FUNCTION {name} FROM PUBLIC"
