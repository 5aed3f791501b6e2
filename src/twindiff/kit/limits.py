"""Rates: how often something was asked for of late. They are kept in memory and forgotten with the process."""

from __future__ import annotations

from collections import defaultdict, deque

from .clock import SECOND

MINUTE = 60 * SECOND


class Meter:
    """Counts what happens in one environment, by name, over the last minute of its clock."""

    __slots__ = ("_hits",)

    def __init__(self) -> None:
        self._hits: defaultdict[str, deque[int]] = defaultdict(deque)

    def wait(self, name: str, most: int, micros: int) -> int:
        """Count one more and give 0, or refuse it and give the seconds after which it is one of `most` a minute."""
        hits = self._hits[name]
        while hits and hits[0] <= micros - MINUTE:
            hits.popleft()
        if len(hits) < most:
            hits.append(micros)
            return 0
        return -(-(hits[0] + MINUTE - micros) // SECOND)
