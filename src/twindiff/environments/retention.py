"""Deletes ended environments with the results of their runs, so that a catalog does not grow forever."""

from __future__ import annotations

from collections.abc import Iterator

from twindiff.catalog import EnvironmentRecord, RunRecord, TwinRunRecord
from twindiff.kit.rows import Column, Expression, not_
from twindiff.storage import CatalogStore, StorageEngine

from .call_log import CallLog

AT_ONCE = 20
"""Environments removed in one transaction; each may have runs with long results."""

KEPT = (RunRecord, TwinRunRecord, EnvironmentRecord)
"""Tables with records that remain after an environment was deleted."""


def forget_ended(engine: StorageEngine, catalog: CatalogStore, log: CallLog, before: int) -> Iterator[None]:
    """Remove what remains of deleted environments that expired before an instant, in parts.

    Environments whose calls cannot be deleted remain. Also removes twin runs that were requested before it and never
    had an environment. `before` is in microseconds since 1970.
    """
    catalog.remove_all(TwinRunRecord, TwinRunRecord.environment_id == "", TwinRunRecord.created <= before)
    expires = EnvironmentRecord.expires
    while ended := _find_deleted(catalog, log.failing.waiting, expires, expires <= before):
        yield from _forget(engine, catalog, log, ended)


def forget_surplus(engine: StorageEngine, catalog: CatalogStore, log: CallLog, kept: int) -> Iterator[None]:
    """Remove what remains of deleted environments but the `kept` that were created last, in parts."""
    surplus = catalog.count(EnvironmentRecord, EnvironmentRecord.status == "deleted") - kept
    while surplus > 0 and (ended := _find_deleted(catalog, log.failing.waiting, EnvironmentRecord.created)):
        yield from _forget(engine, catalog, log, ended[:surplus])
        surplus -= AT_ONCE


def _forget(engine: StorageEngine, catalog: CatalogStore, log: CallLog, ended: list[str]) -> Iterator[None]:
    dropped: list[str] = []
    for each in ended:
        with log.failing.attempt(each):
            yield from log.drop(each)
            dropped.append(each)
    with engine.transaction():
        for table in KEPT:
            catalog.remove_all(table, table.environment_id.in_(dropped))
    yield


def _find_deleted(catalog: CatalogStore, failing: list[str], age: Column[int], *where: Expression) -> list[str]:
    """Return the ids of deleted environments, those with the lowest `age` first."""
    status = EnvironmentRecord.status
    rows = catalog.rows(
        EnvironmentRecord,
        status == "deleted",
        *where,
        *([not_(EnvironmentRecord.environment_id.in_(failing))] if failing else ()),
        order=(status, age),
        limit=AT_ONCE,
        columns=(EnvironmentRecord.environment_id,),
    )
    return [each for (each,) in rows]
