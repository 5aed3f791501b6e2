"""Opens the catalog of a storage engine."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from twindiff.kit.rows import table_of
from twindiff.storage import CatalogStore, StorageEngine
from twindiff.storage.schema import Schema
from twindiff.storage.whole_catalog import WholeCatalog

from .records import TABLES

CATALOG = Schema("catalog", tuple(table_of(row) for row in TABLES))


class Catalogs(NamedTuple):
    """The records that this process writes, and the records of all shards for reading."""

    own: CatalogStore
    whole: WholeCatalog


def open_catalogs(engine: StorageEngine) -> Catalogs:
    """Open the catalog in the engine's database; those of other shards are opened when they are read."""
    own, embedded = engine.catalog(CATALOG), engine.embedded
    others = partial(embedded.others.catalogs, CATALOG) if embedded else tuple
    return Catalogs(own, WholeCatalog(own, others))
