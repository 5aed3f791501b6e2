"""Carry an image that an older version of a twin wrote into today's tables."""

from __future__ import annotations

from msgspec import DecodeError

from twindiff.storage import SchemaChanged
from twindiff.storage.journal import FORMER_QUEUE, Values

from . import full_text_index, json_key_index
from .connection import ConstraintFailed, SqliteConnection, Stored, connect
from .database import image_of
from .ddl import quote
from .table_sql import SqliteSchemaSql


def migrate(tables: SqliteSchemaSql, image: bytes) -> bytes:
    """Rows keep their values by table and column name; a new column takes its default, a column that is gone is left.

    So are the events that earlier releases kept as rows: the journal has them. Raises SchemaChanged when a new column
    needs a value, a table that holds rows is gone, or rows no longer fit.
    """
    old = connect()
    old.deserialize("main", image)
    listed = old.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").fetchall()
    try:
        names = [str(name) for (name,) in listed if name != FORMER_QUEUE]
        held = [name for name in names if not any(mark in name for mark in (full_text_index.MARK, json_key_index.MARK))]
        rows = {name: _rows(tables, old, name) for name in held}
        return image_of(tables, {name: values for name, values in rows.items() if values})
    except (ConstraintFailed, DecodeError) as error:
        raise SchemaChanged(f"The {tables.schema.twin} twin's tables cannot hold their older rows: {error}") from None
    finally:
        old.close()


def _rows(tables: SqliteSchemaSql, old: SqliteConnection, name: str) -> list[Values]:
    columns = [str(row[1]) for row in old.execute(f"PRAGMA table_info({quote(name)})")]
    stored = old.execute(f"SELECT * FROM {quote(name)}").fetchall()
    if stored and name not in tables.by_name:
        raise SchemaChanged(f"The {tables.schema.twin} twin no longer has the table '{name}', which holds rows")
    return [_row(tables, name, dict(zip(columns, values, strict=True))) for values in stored]


def _row(tables: SqliteSchemaSql, name: str, given: dict[str, object]) -> Values:
    sql = tables.by_name[name]
    stored: Stored = tuple(given.get(column) for column in sql.columns)
    loaded = sql.values(stored)
    return {column: loaded[column] if column in given else sql.default(column) for column in sql.columns}
