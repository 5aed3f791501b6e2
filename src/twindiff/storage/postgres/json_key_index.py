"""An index of the texts in the objects of a Json column, by GIN: which rows may have a text under a key.

It keeps a digest of each key and text behind the beginning of its environment's id, so that one environment's search
reads no other's and entries may be long. Empty objects are not in it. As with words, a function of the owner's gives
the rows.
"""

from __future__ import annotations

from collections.abc import Iterator

from twindiff.kit.rows import Table
from twindiff.storage.sql.names import quote

MANY_ROWS = 1_000
"""Rows with a text from which on they are not listed: a page of them is soon met by reading rows in their order."""
ENVIRONMENT_LETTERS = 12


def _digest(env: str, key: str, text: str) -> str:
    return f"rpad({env}, {ENVIRONMENT_LETTERS}, '0') || md5({key} || chr(1) || {text})"


def function() -> str:
    """What creates `twindiff.entries`, the digests of the entries of an object of an environment."""
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
    """The entries of a column, as its index has them."""
    return f"twindiff.entries(env_id, {quote(column)})"


def is_indexed(column: str) -> str:
    """Whether a row is in the index of a column."""
    return f"{quote(column)} <> '{{}}'"


def indexed_columns(table: Table) -> tuple[str, ...]:
    """The columns of a table whose entries have an index: rows are listed by a key of one column."""
    return table.entries if len(table.key) == 1 else ()


def lookup(schema: str, table: Table, column: str) -> str:
    """The name of the function that gives the keys of as many rows that have a text under a key as are wanted."""
    return f"{quote(schema)}.{quote(f'{table.name}({column} entries)')}"


def lookups(schema: str, table: Table) -> Iterator[str]:
    """What creates these functions."""
    here = "current_setting('app.env_id', true)"
    place, (key, *_) = f"{quote(schema)}.{quote(table.name)}", table.key
    for column in indexed_columns(table):
        # Not `env_id =`, of whose rows PostgreSQL expects so few that it would take an index by that.
        having = f"{entries_of(column)} @> ARRAY[{_digest(here, '$1', '$2')}] AND env_id || '' = {here}"
        rows = f"SELECT {quote(key)} FROM {place} WHERE {having} AND {is_indexed(column)} LIMIT $3"
        head = f"RETURNS TABLE ({quote(key)} {place}.{quote(key)}%TYPE) LANGUAGE sql STABLE SECURITY DEFINER ROWS 100"
        name = f"{lookup(schema, table, column)}(text, text, bigint)"
        yield f"CREATE OR REPLACE FUNCTION {name} {head} AS $$ {rows} $$"
        yield f"REVOKE ALL ON FUNCTION {name} FROM PUBLIC"
