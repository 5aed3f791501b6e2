"""Comparison of two points by folding the journal while it is read, so that only changed rows are in memory."""

from __future__ import annotations

from itertools import groupby

from twindiff.storage import PointComparison
from twindiff.storage.journal import JournalRecord, Net, RowChange, RowLocation, fold, net_differences

from .records import PostgresJournal


def compare(journal: PostgresJournal, env: str, start: int, end: int) -> PointComparison | None:
    """Return the changes from one point to a later one, as one record per twin. Runs in any thread.

    Returns None if there is a rewind between them, since it may discard records already folded, or if records are
    missing.
    """
    differences: dict[RowLocation, Net] = {}
    seen = 0
    for part in journal.parts(env, start, end):
        if any(record.to is not None for record in part):
            return None
        fold(differences, part)
        seen += len(part)
    if seen != end - start:
        return None
    records = [
        JournalRecord(
            env, end, twin, "", "", 0, 0, {}, [RowChange(place.table, place.key, *rows) for place, rows in differing]
        )
        for twin, differing in groupby(net_differences(differences).items(), key=lambda each: each[0].twin)
    ]
    return PointComparison(records, [])
