"""Environments made by copying templates, ahead of need where there is time, and the removal of those that are gone."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections import OrderedDict
from uuid import UUID

import msgspec
import psycopg
from psycopg import ClientCursor

from twindiff.kit.errors import ApiError
from twindiff.storage import Origin

from .connections import Connection, Pool, sql
from .copying import unseen
from .ddl import quote, schema_of
from .templates import template_env

log = logging.getLogger("twindiff")

RECIPES = 8
"""Sets of templates that are kept ready: those asked for last."""
IDLE_SECONDS = 1.0
SWEPT_AT_A_TIME = 20
"""Deleted environments whose rows are removed in one transaction."""
ABANDONED = "10 minutes"
"""After which a copy that was taken and never used is removed."""


class Copies:
    """Makes environments, and keeps `size` copies ready of each set of templates that was asked for lately."""

    def __init__(self, pool: Pool, size: int) -> None:
        self._pool = pool
        self._size = size
        self._wanted: OrderedDict[str, dict[str, str]] = OrderedDict()
        self._news = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._keep_house, name="twindiff copies", daemon=True)
        self._thread.start()

    def take(self, origin: Origin) -> str | None:
        """The id of an environment that is copied already, now the caller's to create."""
        if not self._size:
            return None
        recipe = _recipe(origin.templates)
        self._want(recipe, origin.templates)
        query = (
            "UPDATE twindiff.ready SET taken = now() WHERE env = (SELECT env FROM twindiff.ready "
            "WHERE recipe = %s AND taken IS NULL LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING env"
        )
        with self._pool.connection() as connection, connection.transaction():
            # If a crash forgets this, `create` was not committed either, and the copy is free again.
            connection.execute("SET LOCAL synchronous_commit = off")
            found = connection.execute(query, (recipe,)).fetchone()
        return found[0] if found else None

    def _want(self, recipe: str, templates: dict[str, str]) -> None:
        self._wanted[recipe] = templates
        self._wanted.move_to_end(recipe)
        while len(self._wanted) > RECIPES:
            self._wanted.popitem(last=False)
        self._news.set()

    def create(self, env: str, origin: Origin) -> None:
        """Make an environment known, and copy its rows unless that is done."""
        with self._pool.connection() as connection, connection.transaction():
            # The caller's own record, which comes next, is on disk only when this is.
            connection.execute("SET LOCAL synchronous_commit = off")
            if connection.execute("DELETE FROM twindiff.ready WHERE env = %s", (env,)).rowcount:
                stand(connection, env, origin)
                return
        with unseen(self._pool) as connection:
            _copy(connection, origin.templates, env)
            stand(connection, env, origin)

    def _keep_house(self) -> None:
        """Copy ahead and sweep, at most half of the time, until it is closed."""
        while not self._stopping.is_set():
            began = time.monotonic()
            try:
                busy = self._copy_one_ahead() or self._sweep()
            except (ApiError, psycopg.Error) as error:
                log.warning("Copying ahead failed; it is tried again: %s", error)
                busy = False
            if busy:
                self._stopping.wait(time.monotonic() - began)
            else:
                self._news.wait(IDLE_SECONDS)
                self._news.clear()

    def _copy_one_ahead(self) -> bool:
        """Copy for the set of templates that has fewest ready; whether there was need."""
        if not self._wanted:
            return False
        query = "SELECT recipe, count(*) FROM twindiff.ready WHERE taken IS NULL GROUP BY recipe"
        with self._pool.connection() as connection:
            have: dict[str, int] = dict(connection.execute(query).fetchall())
        wanted = list(self._wanted.items())
        recipe, templates = min(wanted, key=lambda each: have.get(each[0], 0))
        if have.get(recipe, 0) >= self._size:
            return False
        env = UUID(bytes=secrets.token_bytes(16), version=4).hex
        with unseen(self._pool) as connection:
            _copy(connection, templates, env)
            connection.execute("INSERT INTO twindiff.ready (env, recipe) VALUES (%s, %s)", (env, recipe))
        return True

    def _sweep(self) -> bool:
        """Remove the rows of environments that are gone, once the log up to their end is in the journal."""
        abandoned = (
            "WITH gone AS (DELETE FROM twindiff.ready WHERE taken < now() - %s::interval RETURNING env) "
            "INSERT INTO twindiff.leftovers (env) SELECT env FROM gone ON CONFLICT DO NOTHING"
        )
        due = (
            "DELETE FROM twindiff.leftovers WHERE env IN (SELECT env FROM twindiff.leftovers "
            "WHERE lsn <= (SELECT max(lsn) FROM twindiff.progress) LIMIT %s FOR UPDATE SKIP LOCKED) RETURNING env"
        )
        with self._pool.connection() as connection:
            connection.execute(abandoned, (ABANDONED,))
            if not connection.execute("SELECT 1 FROM twindiff.leftovers LIMIT 1").fetchone():
                return False
        with unseen(self._pool) as connection:
            found = [env for (env,) in connection.execute(due, (SWEPT_AT_A_TIME,))]
            _remove(connection, found)
        return bool(found)

    def close(self) -> None:
        self._stopping.set()
        self._news.set()
        self._thread.join()


def _recipe(templates: dict[str, str]) -> str:
    return msgspec.json.encode(dict(sorted(templates.items()))).decode()


def _copy(connection: Connection, templates: dict[str, str], env: str) -> None:
    calls = [f"{quote(schema_of(twin))}.copy_rows(%s, %s)" for twin in templates]
    values = [each for hash in templates.values() for each in (template_env(hash), env)]
    # What a crash takes is copied again, or stands before a record of the caller's that it takes as well.
    settings = "SELECT set_config('app.operation', 'copy', true), set_config('synchronous_commit', 'off', true)"
    query = f"{settings}; SELECT {', '.join(calls)}"
    ClientCursor(connection).execute(sql(query), values)


def stand(connection: Connection, env: str, origin: Origin) -> None:
    """Note where an environment stands before anything happened."""
    counters = msgspec.json.encode(origin.counters).decode()
    connection.execute(
        "INSERT INTO twindiff.standings (env, origin, mode, seq, clock, at, counters) "
        "VALUES (%s, %s, %s, 0, %s, %s, %s)",
        (env, msgspec.json.encode(origin).decode(), origin.clock.mode, origin.clock_start, origin.created, counters),
    )


def _remove(connection: Connection, environments: list[str]) -> None:
    connection.execute(
        "SELECT set_config('app.operation', 'delete', true), set_config('synchronous_commit', 'off', true)"
    )
    twins = [twin for (twin,) in connection.execute("SELECT twin FROM twindiff.shapes")]
    for env in environments:
        for twin in twins:
            connection.execute(sql(f"SELECT {quote(schema_of(twin))}.delete_rows(%s)"), (env,))
    connection.execute(
        "DELETE FROM twindiff.journal j WHERE env = ANY(%s) "
        "AND NOT EXISTS (SELECT 1 FROM twindiff.standings s WHERE s.env = j.env)",
        (environments,),
    )
