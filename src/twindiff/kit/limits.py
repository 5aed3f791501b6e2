"""Rate limits by a sliding window of one minute, kept in memory.

They are lost when the process ends, and when the environment is evicted, which it is after minutes without a call.
"""

from __future__ import annotations

from collections import defaultdict, deque

from .clock import SECOND

MINUTE = 60 * SECOND
MAX_NAMES = 10_000
"""Names that are counted at once; clients can invent tokens, so memory must be bounded."""


class Meter:
    """Counts requests of one environment by name over the last minute of its clock."""

    __slots__ = ("_hits", "_spent")

    def __init__(self) -> None:
        self._hits: defaultdict[str, deque[int]] = defaultdict(deque)
        self._spent: dict[str, dict[int, float]] = {}
        """What was spent under a name, by the second in which it was."""

    def spend(self, name: str, amount: float, micros: int) -> float:
        """Count an amount under a name, and return all that was spent under it in the last minute.

        `micros` is the clock in microseconds since 1970. Nothing is refused.
        """
        if len(self._spent) >= MAX_NAMES and name not in self._spent:
            self._spent.clear()
        second, spent = micros // SECOND, self._spent.get(name, {})
        if second not in spent:
            spent = {at: total for at, total in spent.items() if second - 60 < at <= second}
        spent[second] = spent.get(second, 0) + amount
        self._spent[name] = spent
        return sum(spent.values())

    @property
    def names(self) -> int:
        """The number of names that are counted."""
        return len(self._hits)

    def wait(self, name: str, most: int, micros: int) -> int:
        """Count one request of `name` and return 0, or return the whole seconds to wait if `most` a minute are used.

        `micros` is the clock in microseconds since 1970. A refused request is not counted.
        """
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
        """Drop the names without a request in the last minute; if there are none, the oldest tenth."""
        past = [name for name, hits in self._hits.items() if not hits or hits[-1] <= micros - MINUTE]
        for name in past or list(self._hits)[: MAX_NAMES // 10]:
            del self._hits[name]
