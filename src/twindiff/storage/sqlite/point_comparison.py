"""Comparison of two points of an environment by their rows instead of the records between them.

The cost of a diff over many operations then depends on the number of rows, not on how often they changed.
"""

from __future__ import annotations

from collections.abc import Iterator

from twindiff.storage import EnvironmentOrigin, PointComparison
from twindiff.storage.journal import JournalRecord, RowChange, Values
from twindiff.storage.sql.tables import Stored
from twindiff.storage.values import same

from .database import Database
from .files import Reading
from .pages import Pages
from .rebuild import Rebuilding
from .table_sql import SqliteSchemaSql, SqliteTableSql

OPERATIONS_PER_PAGE = 4
"""Operations that can be folded in the time it takes to compare the rows of one page."""

Row = tuple[Values | None, Values | None]
"""A row before and after."""


def compare(
    reading: Reading, rebuilding: Rebuilding, env: str, origin: EnvironmentOrigin, start: int, end: int
) -> PointComparison | None:
    """Return the changes from one point to another, as one record per twin. Runs in any thread.

    Returns None if the journal is faster or needed: for few operations, for rows that an older schema wrote, and for an
    environment that is being deleted.
    """
    if not all(rebuilding.is_of_today(reading, env, origin, seq) for seq in (start, end)):
        return None
    before, after = (rebuilding.point(reading, env, origin, seq).pages for seq in (start, end))
    if OPERATIONS_PER_PAGE * sum(pages.count for pages in after.values()) > abs(end - start):
        return None
    records = [
        JournalRecord(env, end, twin, "", "", 0, 0, {}, changes)
        for twin in sorted(after)
        if (changes := list(_changes(rebuilding.tables(twin), before[twin], after[twin])))
    ]
    rewinds = reading.rewinds(env, min(start, end), max(start, end))
    return None if reading.is_forgotten(env) else PointComparison(records, rewinds)


def _changes(tables: SqliteSchemaSql, before: Pages, after: Pages) -> Iterator[RowChange]:
    """Yield the rows that differ, ordered by table and key."""
    was, now = Database(tables, before), Database(tables, after)
    try:
        for name in sorted(tables.by_name):
            form = tables.by_name[name]
            rows = (iter(each.connection.execute(form.select_all)) for each in (was, now))
            for old, new in _differing(form, *rows):
                yield RowChange(name, form.key_of(new or old or {}), old, new)
    finally:
        was.close()
        now.close()


def _differing(form: SqliteTableSql, was: Iterator[Stored], now: Iterator[Stored]) -> Iterator[Row]:
    """Merge two tables in key order and yield the rows that are in one only or differ."""
    old, new = next(was, None), next(now, None)
    while old is not None or new is not None:
        left, right = _key(form, old), _key(form, new)
        if right is None or (left is not None and left < right):
            yield form.values(old or ()), None
            old = next(was, None)
        elif left is None or right < left:
            yield None, form.values(new or ())
            new = next(now, None)
        else:
            if (row := _compare_rows(form, old or (), new or ())) is not None:
                yield row
            old, new = next(was, None), next(now, None)


def _key(form: SqliteTableSql, row: Stored | None) -> Stored | None:
    return None if row is None else tuple([row[at] for at in form.key_at])


def _compare_rows(form: SqliteTableSql, old: Stored, new: Stored) -> Row | None:
    if old == new:
        return None
    before, after = form.values(old), form.values(new)
    return None if same(before, after) else (before, after)
