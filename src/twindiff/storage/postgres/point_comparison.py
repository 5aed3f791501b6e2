"""What differs between two points, folded while the journal is read: only rows that were changed are in memory."""

from __future__ import annotations

from itertools import groupby

from twindiff.storage import PointComparison
from twindiff.storage.journal import JournalRecord, Net, RowChange, RowLocation, fold, net_differences

from .records import PostgresJournal


def compare(journal: PostgresJournal, env: str, start: int, end: int) -> PointComparison | None:
    """What leads from one point to a later one, with a record of its own for each twin; in any thread.

    None where a rewind lies between them, since what counts is then known at the end only, and where records are gone.
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
