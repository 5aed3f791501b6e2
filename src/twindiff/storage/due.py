"""The due time of an environment: a lower bound, kept by engines, for the earliest time that a job falls due.

An operation that writes an earlier time lowers it. It is recomputed from the rows once the clock has reached it, or
after rows changed without an operation (rewind, fork, load).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable

from twindiff.kit.due import NEVER, instant_due
from twindiff.kit.store import Store

from .schema import Schema

UNKNOWN = 0
"""The due time of an environment whose rows must be searched first."""
NO_JOBS = 2**63 - 1
"""The due time of an environment whose twins declare no jobs; it never changes."""


class WorkDue(Exception):
    """Work may have fallen due by the time of an operation, `at`, in microseconds; the operation was not begun."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


class TemplateTimes:
    """A cache of the times at which jobs fall due in templates, which are immutable."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], list[int]] = {}

    def first(self, schema: Schema, hash: str, start: int, rows: Callable[[str, str], Store]) -> int:
        """Return the first time in a template at or after `start`, in microseconds since 1970.

        `rows(twin, hash)` opens the rows of a template. NO_JOBS if the twin declares no jobs, NEVER if none is due.
        """
        if not schema.due:
            return NO_JOBS
        known = self._known.get((schema.twin, hash))
        if known is None:
            known = self._known[schema.twin, hash] = _times(schema, rows(schema.twin, hash))
        return next(iter(known[bisect_left(known, start) :][:1]), NEVER)


def _times(schema: Schema, rows: Store) -> list[int]:
    instants: set[int] = set()
    for name, due in schema.due.items():
        table = schema.tables[name]
        for times in rows.rows(table.row, columns=tuple(table.columns[column] for column in due)):
            instants.update(map(instant_due, times))
    return sorted(instants)


def unknown(schemas: Iterable[Schema]) -> int:
    """Return the due time of an environment whose rows changed without an operation: UNKNOWN or NO_JOBS."""
    return UNKNOWN if any(schema.due for schema in schemas) else NO_JOBS


def earliest(times: Iterable[str | float | None], start: int) -> int:
    """Return the earliest of stored times that is at or after `start`, in microseconds since 1970, else NEVER."""
    return min((due for due in map(instant_due, times) if due >= start), default=NEVER)
