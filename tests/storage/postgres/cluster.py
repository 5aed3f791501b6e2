"""Databases of one's own in a PostgreSQL that is there: that of `make postgres`, or what the environment names."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier

from twindiff.storage.postgres.admin import initialise, origins_of, slot_of
from twindiff.storage.postgres.drainer import Drainer
from twindiff.storage.schema import Schema

STATE = Path(__file__).parents[3] / ".tools" / "postgres.json"
ROLE = "twindiff_test"
PASSWORD = "of-a-private-cluster"
ABSENT = "no PostgreSQL here: run `make postgres`, or set TWINDIFF_POSTGRES_DSN to an administrator's DSN"


def administrator() -> str | None:
    """The DSN of a superuser, if there is a server that answers."""
    dsn = os.environ.get("TWINDIFF_POSTGRES_DSN") or (json.loads(STATE.read_text())["dsn"] if STATE.exists() else None)
    if dsn is None:
        return None
    try:
        psycopg.connect(dsn, connect_timeout=60).close()
    except psycopg.OperationalError:
        return None
    return dsn


class Database:
    """A fresh database; `admin` is its superuser's DSN and `dsn` the server's."""

    def __init__(self, cluster: str) -> None:
        self._cluster = cluster
        self.name = f"twindiff_test_{uuid4().hex[:12]}"
        self.admin = make_conninfo(cluster, dbname=self.name)
        self.dsn = make_conninfo(self.admin, user=ROLE, password=PASSWORD)
        with psycopg.connect(cluster, autocommit=True) as connection:
            connection.execute(
                SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'").format(Identifier(self.name))
            )

    def initialise(self, twins: Iterable[Schema] = (), catalog: Schema | None = None) -> None:
        initialise(self.admin, twins, catalog, password=PASSWORD, role=ROLE)

    def psql(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """One statement as a superuser writes it by hand."""
        with psycopg.connect(self.admin, autocommit=True) as connection:
            cursor = connection.execute(query, values or None)  # pyright: ignore[reportArgumentType, reportCallIssue]
            return cursor.fetchall() if cursor.description else []

    def drop(self) -> None:
        with psycopg.connect(self.admin, autocommit=True) as connection:
            slot, origins = slot_of(connection), origins_of(connection)
            connection.execute(
                "SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = %s AND active",
                (slot,),
            )
        with psycopg.connect(self._cluster, autocommit=True) as connection:
            held = "SELECT active FROM pg_replication_slots WHERE slot_name = %s"
            while connection.execute(held, (slot,)).fetchone() == (True,):
                continue  # the process that was ended is still about it
            connection.execute(
                "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = %s", (slot,)
            )
            for origin in origins:
                connection.execute("SELECT pg_replication_origin_drop(%s)", (origin,))
            connection.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(self.name)))


@contextmanager
def draining(dsn: str) -> Iterator[Drainer]:
    """A drainer in a thread of this process."""
    drainer = Drainer(dsn)
    thread = threading.Thread(target=drainer.run, name="drainer")
    thread.start()
    try:
        yield drainer
    finally:
        drainer.stop()
        thread.join()
