"""The pre-provisioned pool: environments copied from templates in advance, and the removal of deleted environments."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import Any, cast
from uuid import UUID

import msgspec

from twindiff.storage import EnvironmentOrigin, StorageUnavailable
from twindiff.storage.backoff import Backoff

from .bulk_writes import copy_rows, delete_rows, without_capture
from .connections import PATIENCE_SECONDS, PostgresConnection, PostgresPool
from .templates import template_env

log = logging.getLogger("twindiff")

RECIPES = 8
"""Sets of templates with a pool: the most recently requested ones."""
IDLE_SECONDS = 1.0
SWEPT_AT_A_TIME = 50
"""Deleted environments whose rows are removed in one transaction."""
ABANDONED = "10 minutes"
"""Age after which a claimed but unused copy is removed."""


COPYING_SECONDS = 0.05
"""The target duration of one copying transaction, since a request that finds no copy waits for its end."""

_STANDING = "(env, origin, mode, seq, clock, at, counters, due)"
_SOON = "set_config('synchronous_commit', 'off', true)"
# Asynchronous commit is safe: a crash that loses the claim loses the environment too, and the copy is free again.
_TAKE = (
    "WITH taken AS (UPDATE twindiff.ready SET taken = now() WHERE env = (SELECT env FROM twindiff.ready "
    "WHERE recipe = %s AND taken IS NULL LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING env) "
    f"SELECT env, {_SOON} FROM taken"
)
# Asynchronous commit is safe: the caller's catalog record, committed next, cannot become durable before this.
_STAND_READY = (
    "WITH mine AS (DELETE FROM twindiff.ready WHERE env = %s RETURNING env), "
    f"stood AS (INSERT INTO twindiff.standings {_STANDING} "
    "SELECT env, %s, %s, 0, %s, %s, %s, %s FROM mine RETURNING env) "
    f"SELECT {_SOON} FROM stood"
)
_ABANDON = (
    "WITH gone AS (DELETE FROM twindiff.ready WHERE taken < now() - %s::interval RETURNING env) "
    "INSERT INTO twindiff.leftovers (env) SELECT env FROM gone ON CONFLICT DO NOTHING"
)
_DUE = (
    "DELETE FROM twindiff.leftovers WHERE env IN (SELECT env FROM twindiff.leftovers "
    "WHERE lsn <= (SELECT max(lsn) FROM twindiff.progress) LIMIT %s FOR UPDATE SKIP LOCKED) RETURNING env"
)


class TemplateDemand:
    """A recently requested set of templates: `waiting` requests, and copies to make `at_once` in a transaction."""

    def __init__(self, recipe: str, templates: dict[str, str]) -> None:
        self.recipe = recipe
        self.templates = templates
        self.waiting = 0
        self.at_once = 1


class PreprovisionedPool:
    """Creates environments, and keeps a pool of `size` copies of each recently requested set of templates."""

    def __init__(self, pool: PostgresPool, size: int) -> None:
        self._pool = pool
        self._size = size
        self._wanted: OrderedDict[str, TemplateDemand] = OrderedDict()
        self._guard = threading.Lock()
        self._copying = threading.Lock()
        self._sweep_at = 0.0
        self._pauses: dict[Backoff, float] = {}
        """Until when work that has failed is not tried again, in seconds of the monotonic clock."""
        self._news = threading.Event()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._keep_house, name="twindiff copies", daemon=True)
        self._thread.start()

    def take(self, origin: EnvironmentOrigin) -> str | None:
        """Claim a copied environment and return its id, for the caller to pass to `create`.

        If the pool is empty, waits for new copies; raises StorageUnavailable. Returns None if pools are disabled.
        """
        if not self._size:
            return None
        wanted = self._want(_recipe(origin.templates), origin.templates)
        return self._take(wanted) or self._taken_from_more(wanted)

    def _taken_from_more(self, wanted: TemplateDemand) -> str:
        """Make copies for all waiting requests: the first makes them, the others wait without a connection.

        A single waiting request makes only one copy, which is faster than waiting for a batch of the pool.
        """
        with self._waiting_for(wanted):
            if not self._copying.acquire(timeout=PATIENCE_SECONDS):
                raise StorageUnavailable("Others have been waiting for environments for seconds")
            try:
                while not (env := self._take(wanted)):
                    self._copy_some(wanted, 1 if wanted.waiting == 1 else max(wanted.waiting, self._size))
                return env
            finally:
                self._copying.release()

    @contextmanager
    def _waiting_for(self, wanted: TemplateDemand) -> Generator[None]:
        with self._guard:
            wanted.waiting += 1
        try:
            yield
        finally:
            with self._guard:
                wanted.waiting -= 1

    def _take(self, wanted: TemplateDemand) -> str | None:
        with self._pool.connection() as connection:
            row = connection.row(_TAKE, (wanted.recipe,))
        return row[0] if row else None

    def _want(self, recipe: str, templates: dict[str, str]) -> TemplateDemand:
        with self._guard:
            wanted = self._wanted.setdefault(recipe, TemplateDemand(recipe, templates))
            self._wanted.move_to_end(recipe)
            while len(self._wanted) > RECIPES:
                self._wanted.popitem(last=False)
        self._news.set()
        return wanted

    def create(self, env: str, origin: EnvironmentOrigin, due: int) -> None:
        """Register an environment with its due time, and copy its rows unless it is a claimed copy."""
        with self._pool.connection() as connection:
            if connection.row(_STAND_READY, _standing(env, origin, due)):
                return
        with without_capture(self._pool) as connection:
            _copy(connection, origin.templates, [env])
            stand(connection, env, origin, due)

    def _keep_house(self) -> None:
        """Fill pools while necessary, then remove deleted environments for at most half of the time, until closed."""
        idle = True
        copying, sweeping = Backoff("Copying ahead"), Backoff("Removing deleted environments")
        while not self._stopping.is_set():
            began = time.monotonic()
            least = 1 if idle else self._size // 4
            if self._attempt(copying, partial(self._copy_ahead, least=least)):
                continue
            if self._attempt(sweeping, self._sweep):
                self._stopping.wait(time.monotonic() - began)
            else:
                idle = not self._news.wait(IDLE_SECONDS)
                self._news.clear()

    def _attempt(self, backoff: Backoff, work: Callable[[], bool]) -> bool:
        """Return what work returns; false if it fails, or has failed too short a time ago."""
        if self._pauses.get(backoff, 0.0) > time.monotonic():
            return False
        try:
            done = work()
        except Exception as error:  # noqa: BLE001 - whatever it is, the thread goes on
            self._pauses[backoff] = time.monotonic() + backoff.fail(error)
            return False
        backoff.reset()
        return done

    def _copy_ahead(self, *, least: int) -> bool:
        """Fill the emptiest pool if at least `least` copies are missing; return whether it was necessary.

        A batch costs a fraction of single copies, so while requests arrive, several copies may be missing first.
        """
        if not self._wanted:
            return False
        query = "SELECT recipe, count(*) FROM twindiff.ready WHERE taken IS NULL GROUP BY recipe"
        with self._pool.connection() as connection:
            have: dict[str, int] = dict(cast(list[tuple[str, int]], connection.rows(query)))
        with self._guard:
            wanted = min(self._wanted.values(), key=lambda each: have.get(each.recipe, 0))
        lacking = self._size - have.get(wanted.recipe, 0)
        if lacking < max(1, least):
            return False
        self._copy_some(wanted, lacking, ahead=True)
        return True

    def _copy_some(self, wanted: TemplateDemand, lacking: int, *, ahead: bool = False) -> None:
        environments = [UUID(bytes=secrets.token_bytes(16), version=4).hex for _ in range(min(lacking, wanted.at_once))]
        with without_capture(self._pool, ahead=ahead) as connection:
            began = time.monotonic()
            _copy(connection, wanted.templates, environments)
            query = "INSERT INTO twindiff.ready (env, recipe) SELECT env, %s FROM unnest(%s::text[]) env"
            connection.count(query, (wanted.recipe, environments))
            each = (time.monotonic() - began) / len(environments)
        wanted.at_once = max(1, int(COPYING_SECONDS / each))

    def _sweep(self) -> bool:
        """Remove the rows of deleted environments whose WAL has been processed; return whether there were any."""
        if time.monotonic() < self._sweep_at:
            return False
        with self._pool.connection() as connection:
            connection.count(_ABANDON, (ABANDONED,))
            is_due = connection.row("SELECT 1 FROM twindiff.leftovers LIMIT 1")
        gone: list[str] = []
        if is_due:
            with without_capture(self._pool, ahead=True) as connection:
                gone = [env for (env,) in connection.rows(_DUE, (SWEPT_AT_A_TIME,))]
                _remove(connection, gone)
        if len(gone) < SWEPT_AT_A_TIME:
            self._sweep_at = time.monotonic() + IDLE_SECONDS
        return bool(gone)

    def close(self) -> None:
        self._stopping.set()
        self._news.set()
        self._thread.join()


def _recipe(templates: dict[str, str]) -> str:
    return msgspec.json.encode(dict(sorted(templates.items()))).decode()


def _copy(connection: PostgresConnection, templates: dict[str, str], environments: list[str]) -> None:
    # Asynchronous commit is safe: lost copies are made again, or are lost together with the caller's later record.
    connection.rows("SELECT set_config('app.operation', 'copy', true), set_config('synchronous_commit', 'off', true)")
    for twin, hash in templates.items():
        copy_rows(connection, twin, template_env(hash), environments)


def stand(connection: PostgresConnection, env: str, origin: EnvironmentOrigin, due: int) -> None:
    """Insert the initial position of an environment."""
    values = "(%s, %s, %s, 0, %s, %s, %s, %s)"
    connection.count(f"INSERT INTO twindiff.standings {_STANDING} VALUES {values}", _standing(env, origin, due))


def _standing(env: str, origin: EnvironmentOrigin, due: int) -> tuple[Any, ...]:
    given, counters = (msgspec.json.encode(each).decode() for each in (origin, origin.counters))
    return env, given, origin.clock.mode, origin.clock_start, origin.created, counters, due


def _remove(connection: PostgresConnection, environments: list[str]) -> None:
    connection.rows("SELECT set_config('app.operation', 'delete', true), set_config('synchronous_commit', 'off', true)")
    for (twin,) in connection.rows("SELECT twin FROM twindiff.shapes"):
        delete_rows(connection, twin, environments)
    connection.count(
        "DELETE FROM twindiff.journal j WHERE env = ANY(%s) "
        "AND NOT EXISTS (SELECT 1 FROM twindiff.standings s WHERE s.env = j.env)",
        (environments,),
    )
