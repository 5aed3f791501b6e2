"""Migration of an image from an older version of a twin to its current tables."""

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
    """Return an image with the rows of another one in the current tables, matched by table and column name.

    A new column takes its default, a removed column is dropped. Events that earlier releases stored as rows are dropped
    too, since the journal has them. Raises SchemaChanged if a new column has no default, a removed table has rows, or
    rows violate the new schema.
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
