"""Ended environments are forgotten with the results of their runs, so that a catalog does not grow for ever."""

from __future__ import annotations

from collections.abc import Iterator

from twindiff.catalog import EnvironmentRecord, RunRecord, TwinRunRecord
from twindiff.storage import CatalogStore, StorageEngine

from .call_log import CallLog

AT_ONCE = 20
"""Environments that are forgotten in one go; each may have runs with long results."""

KEPT = (RunRecord, TwinRunRecord, EnvironmentRecord)
"""What stays of an environment that was deleted."""


def forget_ended(engine: StorageEngine, catalog: CatalogStore, log: CallLog, before: int) -> Iterator[None]:
    """Forget what is left of deleted environments whose time to live was over before an instant; in parts.

    Runs that never had an environment are forgotten that were asked for before it.
    """
    catalog.remove_all(TwinRunRecord, TwinRunRecord.environment_id == "", TwinRunRecord.created <= before)
    while ended := _expired_ids(catalog, before):
        for each in ended:
            yield from log.drop(each)
        with engine.transaction():
            for table in KEPT:
                catalog.remove_all(table, table.environment_id.in_(ended))
        yield


def _expired_ids(catalog: CatalogStore, before: int) -> list[str]:
    status, expires = EnvironmentRecord.status, EnvironmentRecord.expires
    rows = catalog.rows(
        EnvironmentRecord,
        status == "deleted",
        expires <= before,
        order=(status, expires),
        limit=AT_ONCE,
        columns=(EnvironmentRecord.environment_id,),
    )
    return [each for (each,) in rows]
