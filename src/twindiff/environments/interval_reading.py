"""Reads journals in parts, so that the event loop can serve other requests in between."""

from __future__ import annotations

from collections.abc import Generator

from twindiff.storage import EnvironmentOrigin, PointComparison, StorageEngine
from twindiff.storage.cooperative import CooperativeStep, yield_control
from twindiff.storage.journal import JournalRecord, between

from .environments import EnvironmentDeleted

AT_ONCE = 100
"""Records read by one query on an event loop."""

FAR_APART = 2000
"""Operations between two points from which on comparing their rows is faster than reading the records."""

Reading = Generator[CooperativeStep, None, list[JournalRecord]]


def interval(engine: StorageEngine, environment_id: str, after: int, upto: int | None = None) -> Reading:
    """Read the records after `after` up to `upto`, or up to now; raises EnvironmentDeleted when some are gone."""
    if engine.may_block:  # each request has a thread of its own, where one query is faster than several
        records = engine.records(environment_id, after, upto)
    else:
        last = engine.seq(environment_id) if upto is None else upto
        records = yield from _in_parts(engine, environment_id, after, last)
    if upto is not None and len(records) < upto - after:
        raise EnvironmentDeleted(f"environment '{environment_id}' has been deleted")
    return records


def _in_parts(engine: StorageEngine, environment_id: str, after: int, upto: int) -> Reading:
    records: list[JournalRecord] = []
    for low in range(after, upto, AT_ONCE):
        if records:
            yield yield_control
        records += engine.records(environment_id, low, min(low + AT_ONCE, upto))
    return records


def compare_far_points(
    engine: StorageEngine, environment_id: str, origin: EnvironmentOrigin, start: int, end: int
) -> Generator[CooperativeStep, None, PointComparison | None]:
    """Compare two far apart points by their rows; returns None where the journal records should be read instead."""
    results: list[PointComparison | None] = []
    if abs(end - start) >= FAR_APART:
        yield lambda: results.append(engine.compare(environment_id, origin, start, end))
    return results[0] if results else None


def difference(engine: StorageEngine, environment_id: str, start: int, end: int, known: list[JournalRecord]) -> Reading:
    """Return the records that lead from one point to another, with rewinds resolved.

    `known` are the journal records between the two points. A rewind may lead to before both of them, and the records
    from there may contain another one, so earlier records are read until all rewinds are covered.
    """
    if start <= end and all(record.to is None for record in known):
        return known
    records, lowest = known, min(start, end)
    while (low := min([lowest, *(record.to for record in records if record.to is not None)])) < lowest:
        records = yield from interval(engine, environment_id, low, lowest)
        known, lowest = records + known, low
    led: list[JournalRecord] = []
    yield lambda: led.extend(between(lambda after, upto: known[after - lowest : upto - lowest], start, end))
    return led
