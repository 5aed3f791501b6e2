"""Databases for the time being, in a PostgreSQL that is there."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing, contextmanager
from uuid import uuid4

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier

from twindiff.storage.postgres.admin import origins_of, slot_of


@contextmanager
def database(cluster: str) -> Generator[str]:
    """The administrator's connection string of a database for the time being."""
    name = f"twindiff_bench_{uuid4().hex[:12]}"
    admin = make_conninfo(cluster, dbname=name)
    with closing(psycopg.connect(cluster, autocommit=True)) as connection:
        connection.execute(SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'").format(Identifier(name)))
        try:
            yield admin
        finally:
            drop(connection, admin, name)


def drop(connection: psycopg.Connection, admin: str, name: str) -> None:
    """Drop a database with what belongs to it in the cluster."""
    with closing(psycopg.connect(admin, autocommit=True)) as inside:
        slot, origins = slot_of(inside), origins_of(inside).names
    connection.execute("SELECT pg_drop_replication_slot(%s)", (slot,))
    connection.execute("SELECT pg_replication_origin_drop(name) FROM unnest(%s::text[]) name", (origins,))
    connection.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))
