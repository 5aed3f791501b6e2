"""Server mode for tests that are written for any storage: TWINDIFF_TEST_STORAGE=postgres puts PostgreSQL under them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import pytest

from twindiff.environments.registry import Registry
from twindiff.server import Settings

if TYPE_CHECKING:
    from tests.storage.postgres.cluster import Database

IS_POSTGRES = os.environ.get("TWINDIFF_TEST_STORAGE", "") == "postgres"

_kept: dict[str, Database] = {}
"""Databases that stand for a data directory, by its path."""


def embedded_only(reason: str) -> Callable[[Any], Any]:
    """Mark a test that says nothing of server mode, and say why."""
    return pytest.mark.skipif(IS_POSTGRES, reason=f"not in server mode: {reason}")


@contextmanager
def stored(settings: Settings, registry: Registry | None) -> Generator[Settings]:
    """The settings, of a database in place of the data directory where PostgreSQL is tested.

    A database in place of memory is dropped at the end; one in place of a folder is kept for the next server over it.
    """
    if not IS_POSTGRES or settings.storage:
        yield settings
        return
    from tests.storage.postgres.cluster import draining

    database = _database(settings.data_dir, registry)
    with draining(database.dsn):
        yield settings._replace(storage=database.dsn)
    if settings.data_dir not in _kept:
        database.drop()


def _database(data_dir: str, registry: Registry | None) -> Database:
    """A database that has what the twins need: the one that stands for a folder, or a fresh one."""
    from tests.storage.postgres.cluster import ABSENT, CATALOG, Database, administrator

    cluster = administrator()
    assert cluster, ABSENT
    database = _kept.get(data_dir) or Database(cluster)
    if data_dir != ":memory:":
        _kept[data_dir] = database
    if registry:
        database.initialise(registry.schemas.values(), CATALOG)
    else:
        database.initialise_all(has_templates=True)
    return database


def change_by_hand(data_dir: str, statement: str) -> None:
    """Change the catalog of a server that is closed, as somebody with its files or its database could."""
    if IS_POSTGRES:
        _kept[data_dir].psql(f"SET search_path = twindiff_catalog; {statement}")
        return
    for file in Path(data_dir).rglob("twindiff.db"):  # of each shard
        with apsw.Connection(str(file)) as connection:
            connection.execute(statement)
        connection.close()


def drop_kept() -> None:
    """Drop the databases that stand for folders."""
    while _kept:
        _kept.popitem()[1].drop()


def drop_models() -> None:
    """Drop the databases that others were copied from, at the end of a process of tests."""
    cluster = sys.modules.get("tests.storage.postgres.cluster")
    if cluster:
        cluster.drop_models()
