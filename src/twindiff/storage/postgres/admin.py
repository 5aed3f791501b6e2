"""Setup of a database by an administrator: roles, schemas, tables, the replication slot and origins."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files
from typing import Any, NamedTuple
from urllib.parse import quote as url_quote
from urllib.parse import urlencode

import msgspec
import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict
from psycopg.sql import SQL, Identifier, Literal

from twindiff.kit.rows import Table
from twindiff.storage import SchemaChanged, WrongStorage
from twindiff.storage.journal import FORMER_QUEUE
from twindiff.storage.schema import Schema

from . import case_folding
from .connections import PostgresConnection, connect, reaching, sql
from .ddl import (
    CATALOG,
    OF_CATALOG,
    OF_TWIN,
    ORIGIN_PREFIX,
    SHAPE_PREFIX,
    added_column,
    catalog_table,
    column_text,
    functions,
    indexes,
    names,
    quote,
    schema_of,
    shapes,
    twin_table,
)

MIN_SERVER_VERSION = 150000
"""PostgreSQL 15, as the server reports its version."""
LAYOUT = 9
"""The version of the DDL that `ddl` generates for a twin's tables."""

_PRIVILEGES = (
    "GRANT USAGE ON SCHEMA twindiff TO {0}",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA twindiff TO {0}",
    "GRANT USAGE ON SCHEMA twindiff_catalog TO {0}",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA twindiff_catalog TO {0}",
    "GRANT EXECUTE ON FUNCTION pg_replication_origin_session_setup(text) TO {0}",
    "GRANT EXECUTE ON FUNCTION pg_replication_origin_session_reset() TO {0}",
    "GRANT EXECUTE ON FUNCTION pg_replication_origin_session_is_setup() TO {0}",
)


class Roles(NamedTuple):
    """The role of the server, and the role that owns the tables."""

    server: str = "twindiff"

    @property
    def owner(self) -> str:
        return f"{self.server}_owner"


def initialise(
    admin_dsn: str,
    twins: Iterable[Schema],
    catalog: Schema | None,
    *,
    password: str | None = None,
    role: str = "twindiff",
) -> str:
    """Create or upgrade everything that a server needs in a database; return the server's connection string.

    A new server role gets `password`, or a random one. Without `password`, an existing role keeps its own, and the
    connection string has none. Raises WrongStorage, SchemaChanged, StorageUnavailable.
    """
    roles = Roles(role)
    with reaching(), connect(admin_dsn) as connection:
        _refuse_unfit(connection)
        with connection.transaction():
            given = _make_roles(connection, roles, password)
        with connection.transaction():
            _make_schemas(connection, roles, twins, catalog)
        _allow_plugin(connection, roles)
        _make_slot(connection)
    return _url(conninfo_to_dict(admin_dsn), roles.server, given)


def _url(known: Mapping[str, object], user: str, password: str | None) -> str:
    """Return the administrator's connection string with another user and password."""
    place = {name: str(value) for name, value in known.items() if value is not None}
    secret = f":{url_quote(password, safe='')}" if password else ""
    host = url_quote(place.get("host", ""), safe="") + (f":{place['port']}" if "port" in place else "")
    more = {name: text for name, text in place.items() if name not in ("user", "password", "host", "port", "dbname")}
    query = f"?{urlencode(more)}" if more else ""
    return (
        f"postgresql://{url_quote(user, safe='')}{secret}@{host}/{url_quote(place.get('dbname', ''), safe='')}{query}"
    )


COPY_ORIGINS = 4
"""Replication origins for bulk writes. A cluster has as many active ones as replication slots, 10 by default."""


class Origins(NamedTuple):
    """The replication origins of a database. Their names are unique in a cluster; each serves one session at a time."""

    drain: str
    """The origin of journal writes, which the WAL consumer filters out."""
    copy: tuple[str, ...]
    """The origins of bulk writes (copies, deletes, rewinds), which the WAL consumer filters out."""

    @property
    def names(self) -> list[str]:
        """All names."""
        return [self.drain, *self.copy]


def origins_of(connection: psycopg.Connection[Any]) -> Origins:
    """Return the replication origins of a database."""
    name = connection.info.dbname
    others = (f"twindiff-copy-{number} {name}" for number in range(2, COPY_ORIGINS + 1))
    return Origins(f"twindiff-drain {name}", (f"twindiff-copy {name}", *others))


def slot_of(connection: psycopg.Connection[Any]) -> str:
    """Return the name of a database's replication slot, which contains its name, as slots are unique in a cluster."""
    name = "".join(each if each.isalnum() else "_" for each in connection.info.dbname.lower())
    return f"twindiff_{name}"[:63]


def _refuse_unfit(connection: PostgresConnection) -> None:
    (version,) = _one(connection, "SELECT current_setting('server_version_num')::int")
    if version < MIN_SERVER_VERSION:
        raise WrongStorage(f"PostgreSQL {version // 10000} is too old: twindiff needs 15 or later.")
    (encoding,) = _one(connection, "SELECT current_setting('server_encoding')")
    if encoding != "UTF8":
        raise WrongStorage(f"The database is encoded as {encoding}; make one with ENCODING 'UTF8'.")
    (level,) = _one(connection, "SELECT current_setting('wal_level')")
    if level != "logical":
        raise WrongStorage(f"wal_level is '{level}'; ALTER SYSTEM SET wal_level = 'logical' and restart PostgreSQL.")
    (is_super,) = _one(connection, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user")
    if not is_super:
        raise WrongStorage("Only a superuser can make the slot and its origins; give the DSN of one with --admin-dsn.")


def _one(connection: PostgresConnection, query: str) -> tuple[Any, ...]:
    row = connection.execute(sql(query)).fetchone()
    assert row is not None
    return row


def _make_roles(connection: PostgresConnection, roles: Roles, password: str | None) -> str | None:
    """Create the roles; return the password of the server's role if it was set here."""
    # Roles belong to the cluster, in which another database may be set up concurrently.
    connection.execute("LOCK TABLE pg_authid IN SHARE ROW EXCLUSIVE MODE")
    existing = {name for (name,) in connection.execute("SELECT rolname FROM pg_roles")}
    if roles.owner not in existing:
        connection.execute(SQL("CREATE ROLE {} NOLOGIN").format(Identifier(roles.owner)))
    if roles.server in existing and password is None:
        return None
    given = password or secrets.token_urlsafe(24)
    verb = "ALTER" if roles.server in existing else "CREATE"
    options = "LOGIN REPLICATION NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE PASSWORD"
    connection.execute(SQL(f"{verb} ROLE {{}} {options} {{}}").format(Identifier(roles.server), Literal(given)))  # pyright: ignore[reportArgumentType]
    return given


def _make_schemas(
    connection: PostgresConnection, roles: Roles, twins: Iterable[Schema], catalog: Schema | None
) -> None:
    connection.execute("SELECT pg_advisory_xact_lock(hashtext('twindiff db init'))")
    owner, server = Identifier(roles.owner), Identifier(roles.server)
    twins = list(twins)
    for schema in ("twindiff", CATALOG, *(schema_of(twin.twin) for twin in twins)):
        connection.execute(SQL("CREATE SCHEMA IF NOT EXISTS {} AUTHORIZATION {}").format(Identifier(schema), owner))
    connection.execute(SQL("SET LOCAL ROLE {}").format(owner))
    connection.execute(sql(files("twindiff.storage.postgres").joinpath("system.sql").read_text()))
    _make_folding(connection)
    for table in catalog.tables.values() if catalog else ():
        _drop_indexes(connection, CATALOG, table, OF_CATALOG)
        _bring_up_to_date(connection, CATALOG, table, catalog_table(table))
    for twin in twins:
        _make_twin(connection, twin, server)
    connection.execute("RESET ROLE")
    connection.execute(sql(case_folding.TRUSTED))
    for privilege in _PRIVILEGES:
        connection.execute(SQL(privilege).format(server))
    _make_origins(connection)


def _make_origins(connection: PostgresConnection) -> None:
    query = "SELECT pg_replication_origin_create(%s) WHERE pg_replication_origin_oid(%s) IS NULL"
    names = origins_of(connection).names
    made = [name for name in names if connection.execute(query, (name, name)).fetchone()]
    if made:  # notify the WAL consumer, which must filter out writes under the new origins from here on
        connection.execute("SELECT pg_logical_emit_message(true, %s, '')", (ORIGIN_PREFIX,))


def _make_folding(connection: PostgresConnection) -> None:
    for statement in case_folding.functions():
        connection.execute(sql(statement))


def version_of(twin: Schema) -> str:
    """Return the version of a twin's tables: that of the layout and the hash of the schema."""
    return f"{LAYOUT} {twin.hash}"


def _make_twin(connection: PostgresConnection, twin: Schema, server: Identifier) -> None:
    schema = schema_of(twin.twin)
    shape = connection.execute("SELECT schema_hash FROM twindiff.shapes WHERE twin = %s", (twin.twin,)).fetchone()
    if shape == (version_of(twin),):
        return
    for table in twin.tables.values():
        _drop_indexes(connection, schema, table, OF_TWIN)
        _bring_up_to_date(connection, schema, table, twin_table(schema, table))
    # The events in it are in the journal too.
    connection.execute(SQL("DROP TABLE IF EXISTS {}").format(Identifier(schema, FORMER_QUEUE)))
    for statement in functions(twin):
        connection.execute(sql(statement))
    if twin.due:  # columns with due times may be new: have environments search their rows
        query = "UPDATE twindiff.standings SET due = 0 WHERE origin::jsonb -> 'templates' ? %s"
        connection.execute(query, (twin.twin,))
    place = Identifier(schema)
    connection.execute(SQL("GRANT USAGE ON SCHEMA {} TO {}").format(place, server))
    connection.execute(
        SQL("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {} TO {}").format(place, server)
    )
    connection.execute(SQL("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA {} TO {}").format(place, server))
    _note_shape(connection, twin)


def _note_shape(connection: PostgresConnection, twin: Schema) -> None:
    """Store the current shape of a twin's rows, and emit it into the WAL, where the consumer needs it from here on."""
    shape = shapes(twin)
    text = msgspec.json.encode(shape).decode()
    connection.execute(
        "INSERT INTO twindiff.shapes (twin, schema_hash, shape, drained) VALUES (%s, %s, %s, %s) "
        "ON CONFLICT (twin) DO UPDATE SET schema_hash = excluded.schema_hash, shape = excluded.shape",
        (twin.twin, version_of(twin), text, text),
    )
    message = msgspec.json.encode((twin.twin, shape)).decode()
    connection.execute("SELECT pg_logical_emit_message(true, %s, %s)", (SHAPE_PREFIX, message))


def _bring_up_to_date(connection: PostgresConnection, schema: str, table: Table, statements: Iterator[str]) -> None:
    """Create a table, or add missing columns, with their defaults in existing rows, and indexes."""
    name = f"{quote(schema)}.{quote(table.name)}"
    # Not information_schema.columns, which takes PostgreSQL two milliseconds to plan.
    query = "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped"
    existing = {column for (column,) in connection.execute(query, (name,))}
    for column in table.columns.values():
        if existing and column.name not in existing:
            added = added_column(column)
            if added is None and connection.execute(sql(f"SELECT 1 FROM {name} LIMIT 1")).fetchone():
                raise SchemaChanged(
                    f"Rows of '{table.name}' were written without the column '{column.name}', which now needs a value"
                )
            connection.execute(sql(f"ALTER TABLE {name} ADD COLUMN {added or column_text(column)}"))
    gone = existing - {"env_id"} - {*table.columns}
    for column in sorted(gone):
        connection.execute(sql(f"ALTER TABLE {name} ALTER COLUMN {names([column])} DROP NOT NULL"))
    for statement in statements:
        connection.execute(sql(statement))


def _drop_indexes(connection: PostgresConnection, schema: str, table: Table, first: tuple[str, ...]) -> None:
    """Drop indexes that only an earlier release declared: they slow writes, and unique ones may reject valid rows."""
    declared = {(index.name, index.unique) for index in indexes(table, first)}
    query = (
        "SELECT c.relname, i.indisunique FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
        "WHERE i.indrelid = to_regclass(%s) AND NOT i.indisprimary AND starts_with(c.relname, %s)"
    )
    ours = f"{'_'.join((table.name, *first))}_"  # spares indexes of an administrator
    for name, is_unique in connection.execute(query, (f"{quote(schema)}.{quote(table.name)}", ours)):
        if (name, is_unique) not in declared:
            connection.execute(sql(f"DROP INDEX {quote(schema)}.{quote(name)}"))


def _allow_plugin(connection: PostgresConnection, roles: Roles) -> None:
    """Allow only this session and the server's role to load wal2json, if PostgreSQL has a setting for it."""
    (listed,) = _one(connection, "SELECT current_setting('output_plugin_libraries', true)")
    if listed is None:
        return
    connection.execute("SET output_plugin_libraries = wal2json")
    place = Identifier(roles.server), Identifier(connection.info.dbname)
    connection.execute(SQL("ALTER ROLE {} IN DATABASE {} SET output_plugin_libraries = wal2json").format(*place))


def _make_slot(connection: PostgresConnection) -> None:
    name = slot_of(connection)
    slot = connection.execute("SELECT plugin FROM pg_replication_slots WHERE slot_name = %s", (name,)).fetchone()
    if slot and slot[0] != "wal2json":
        raise WrongStorage(f"The replication slot {name} belongs to another plugin ({slot[0]}); drop it.")
    if slot:
        return
    try:
        with connection.transaction():
            # Stored WAL positions belong to a lost slot, perhaps of another server (after a restore): reset them.
            connection.execute("DELETE FROM twindiff.progress WHERE slot = %s", (name,))
            connection.execute("UPDATE twindiff.shapes SET drained = shape")
            connection.execute("UPDATE twindiff.leftovers SET lsn = pg_current_wal_insert_lsn()")
        connection.execute("SELECT pg_create_logical_replication_slot(%s, 'wal2json')", (name,))
    except errors.UndefinedFile:
        raise WrongStorage(
            "PostgreSQL's plugin wal2json is missing; install it (Debian: postgresql-15-wal2json, with your version)."
        ) from None
    except errors.ConfigurationLimitExceeded:
        raise WrongStorage("All replication slots are in use; raise max_replication_slots or drop one.") from None
