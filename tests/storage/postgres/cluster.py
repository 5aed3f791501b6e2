"""Databases of one's own in a PostgreSQL that is there: that of `make postgres`, or what the environment names."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec
import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier

from tests.storage.postgres.models import Model
from twindiff.catalog import TABLES
from twindiff.cli.worker_supervision import GO, Orders
from twindiff.environments.registry import Registry
from twindiff.kit.rows import table_of
from twindiff.server import Service, Settings
from twindiff.storage.postgres.admin import initialise, origins_of, slot_of, version_of
from twindiff.storage.postgres.wal_consumer import Drainer
from twindiff.storage.schema import Schema

STATE = Path(__file__).parents[3] / ".tools" / "postgres.json"
ROLE = "twindiff_test"
PASSWORD = "of-a-private-cluster"
CATALOG = Schema("catalog", tuple(table_of(row) for row in TABLES))
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


def schemas() -> list[Schema]:
    """What the installed twins store."""
    return [*Registry.load_installed().schemas.values()]


_models: dict[tuple[str, bool], Model] = {}
"""Databases with the tables of the installed twins, by cluster and whether they have their templates as well."""


def model(cluster: str, *, has_templates: bool) -> str:
    """The name of a database to copy."""

    def fill(name: str) -> None:
        made = Database(cluster, name)
        if has_templates:
            made.initialise_all()
            Service(Settings(storage=made.dsn, ready=0)).close()
        else:
            made.initialise(schemas(), CATALOG)
        made.forget_log()

    key = cluster, has_templates
    if key not in _models:
        contents = [str(STATE), str(has_templates), *sorted(version_of(schema) for schema in schemas())]
        _models[key] = Model(cluster, " ".join(contents), fill)
    return _models[key].name


class Database:
    """A fresh database, made when it is first needed; `admin` is its superuser's DSN and `dsn` the server's."""

    def __init__(self, cluster: str, name: str = "") -> None:
        self._cluster = cluster
        self._is_made = False
        self.name = name or f"twindiff_test_{uuid4().hex[:12]}"

    @classmethod
    def existing(cls, cluster: str, name: str) -> Database:
        """One that another process makes."""
        database = cls(cluster, name)
        database._is_made = True
        return database

    @property
    def admin(self) -> str:
        self._make("template0")
        return make_conninfo(self._cluster, dbname=self.name)

    @property
    def dsn(self) -> str:
        return make_conninfo(self.admin, user=ROLE, password=PASSWORD)

    def _make(self, model: str) -> None:
        if not self._is_made:
            self._is_made = True
            query = SQL("CREATE DATABASE {} TEMPLATE {} ENCODING 'UTF8'")
            with psycopg.connect(self._cluster, autocommit=True) as connection:
                connection.execute(query.format(Identifier(self.name), Identifier(model)))

    def initialise(self, twins: Iterable[Schema] = (), catalog: Schema | None = None) -> None:
        initialise(self.admin, twins, catalog, password=PASSWORD, role=ROLE)

    def initialise_all(self, *, has_templates: bool = False) -> None:
        """Set it up for the installed twins; their templates are for servers that do not have to write them first."""
        if not self._is_made:  # three hundred tables are copied in a twentieth of the time
            self._make(model(self._cluster, has_templates=has_templates))
        self.initialise(schemas(), CATALOG)

    def psql(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """One statement as a superuser writes it by hand."""
        with psycopg.connect(self.admin, autocommit=True) as connection:
            cursor = connection.execute(query, values or None)  # pyright: ignore[reportArgumentType, reportCallIssue]
            return cursor.fetchall() if cursor.description else []

    def drainer(self) -> int:
        """The process id of the drainer, once there is one that reads."""
        query = (
            "SELECT substring(application_name FROM 'twindiff drainer ([0-9]+) ')::int FROM pg_stat_activity "
            "WHERE datname = current_database() AND application_name LIKE 'twindiff drainer %% for %%' "
            "AND EXISTS (SELECT 1 FROM pg_replication_slots WHERE database = current_database() AND active)"
        )
        while not (rows := self.psql(query.replace("%%", "%"))):
            continue
        return rows[0][0]

    def drop(self) -> None:
        if not self._is_made:
            return
        self.forget_log()
        with psycopg.connect(self._cluster, autocommit=True) as connection:
            connection.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(self.name)))

    def wait_until_unread(self) -> None:
        """Wait until nobody reads the slot; a process that was ended is about it for a moment."""
        held = "SELECT count(*) FROM pg_replication_slots WHERE database = %s AND active"
        with psycopg.connect(self._cluster, autocommit=True) as connection:
            while connection.execute(held, (self.name,)).fetchone() != (0,):
                continue

    def forget_log(self) -> None:
        """Drop what the cluster has for it alone: its slot, whoever reads it, and its origins."""
        with psycopg.connect(self.admin, autocommit=True) as connection:
            slot, origins = slot_of(connection), origins_of(connection)
            connection.execute(
                "SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = %s AND active",
                (slot,),
            )
        self.wait_until_unread()
        with psycopg.connect(self._cluster, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = %s", (slot,)
            )
            for origin in origins.names:
                _drop_origin(connection, origin)


def _drop_origin(connection: psycopg.Connection[Any], origin: str) -> None:
    """Drop a replication origin; a process that was ended may hold it for a moment."""
    deadline = time.monotonic() + 60
    while True:
        try:
            connection.execute("SELECT pg_replication_origin_drop(%s)", (origin,))
            return
        except psycopg.errors.ObjectInUse:
            if time.monotonic() > deadline:
                raise


def drop_models() -> None:
    """Have no more part in the databases that others were copied from."""
    while _models:
        _models.popitem()[1].close()


class DrainerProcess:
    """A process that drains or stands by, as `twindiff serve` starts it."""

    def __init__(self, dsn: str) -> None:
        command = [sys.executable, "-m", "twindiff.cli.worker"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(msgspec.json.encode(Orders("drainer", Settings(storage=dsn))) + b"\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == b"ready\n"
        self._process.stdin.write(GO)
        self._process.stdin.flush()
        self.pid = self._process.pid

    def send(self, signum: int) -> None:
        self._process.send_signal(signum)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        self._close()

    def end(self) -> None:
        """End it, hung or not."""
        for signum in (signal.SIGTERM, signal.SIGCONT):
            self.send(signum)
        assert self._process.wait(60) == 0
        self._close()

    def _close(self) -> None:
        for stream in (self._process.stdin, self._process.stdout):
            if stream:
                stream.close()


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
