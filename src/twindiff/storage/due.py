"""When work falls due: a number that engines keep beside an environment, no later than the time of any that waits.

It sinks when an operation writes an earlier time, and is found again by a look at the rows once the clock has reached
it, or when rows came or went that no operation wrote.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable

from twindiff.kit.due import NEVER, instant_due
from twindiff.kit.store import Store

from .schema import Schema

UNKNOWN = 0
"""The number of an environment whose rows have to be looked at."""
NO_JOBS = 2**63 - 1
"""The number of an environment whose twins have nothing to do by themselves; it stays."""


class WorkDue(Exception):
    """Work may have fallen due by the time of an operation, `at`, in microseconds; the operation was not begun."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


class TemplateTimes:
    """The times at which work falls due in templates, which never change."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], list[int]] = {}

    def first(self, schema: Schema, hash: str, start: int, rows: Callable[[str, str], Store]) -> int:
        """The first time of a template that is not before `start`; `rows` gives the rows of a twin's template."""
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
    """The number of an environment of these twins whose rows came by no operation."""
    return UNKNOWN if any(schema.due for schema in schemas) else NO_JOBS


def earliest(times: Iterable[str | float | None], start: int) -> int:
    """The earliest of times as rows have them that is not before `start`; NEVER when there is none."""
    return min((due for due in map(instant_due, times) if due >= start), default=NEVER)
