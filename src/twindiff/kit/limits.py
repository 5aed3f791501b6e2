"""Rates: how often something was asked for of late. They are kept in memory and forgotten with the process."""

from __future__ import annotations

from collections import defaultdict, deque

from .clock import SECOND

MINUTE = 60 * SECOND
MAX_NAMES = 10_000
"""Names that are counted at once: callers may make up tokens, and memory is not theirs to use."""


class Meter:
    """Counts what happens in one environment, by name, over the last minute of its clock."""

    __slots__ = ("_hits",)

    def __init__(self) -> None:
        self._hits: defaultdict[str, deque[int]] = defaultdict(deque)

    @property
    def names(self) -> int:
        """How many names are counted."""
        return len(self._hits)

    def wait(self, name: str, most: int, micros: int) -> int:
        """Count one more and give 0, or refuse it and give the seconds after which it is one of `most` a minute."""
        if len(self._hits) >= MAX_NAMES and name not in self._hits:
            self._forget(micros)
        hits = self._hits[name]
        while hits and hits[0] <= micros - MINUTE:
            hits.popleft()
        if len(hits) < most:
            hits.append(micros)
            return 0
        return -(-(hits[0] + MINUTE - micros) // SECOND)

    def _forget(self, micros: int) -> None:
        """Leave out what was not asked for within the minute, and a tenth of all if that is not enough."""
        past = [name for name, hits in self._hits.items() if not hits or hits[-1] <= micros - MINUTE]
        for name in past or list(self._hits)[: MAX_NAMES // 10]:
            del self._hits[name]
