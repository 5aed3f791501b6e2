"""Throttling of long CPU-bound work: while other requests arrive, it sleeps and so uses a fifth of the CPU.

Threads of one interpreter share the GIL, and a thread that computes gets more than half of it beside one that serves
sockets. So long work calls `yield_processor` in its loops. In a worker thread (`pace_thread`), that sleeps for a while
if other requests have arrived, and costs nothing otherwise. On the event loop, which must not sleep, it raises an
exception once the work has used its `CpuBudget`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import local

TURN_SECONDS = 0.002
"""Time between two checks for other requests."""
RESTS = 4.0
"""Time to sleep while there are other requests, as a multiple of the CPU time used since the last check."""
NAP_SECONDS = 0.002
"""Time to sleep before the next check whether there still are other requests."""
LINGER_SECONDS = 0.005
"""Time for which a request counts as present after its arrival."""

Arrivals = Callable[[], int]
"""Request counter: returns the number of other requests that have arrived so far."""


class Throttle:
    """Throttles long work in one thread: turns of TURN_SECONDS with sleeps between them."""

    __slots__ = ("_arrivals", "_latest", "_processor", "_seen", "turn_ends")

    def __init__(self, arrivals: Arrivals) -> None:
        self._arrivals, self._seen, self._latest = arrivals, arrivals(), float("-inf")
        self._begin_turn()

    def _begin_turn(self) -> None:
        self.turn_ends = time.monotonic() + TURN_SECONDS
        self._processor = time.thread_time()

    def rest(self) -> None:
        """Sleep for RESTS times the CPU time of this turn, or until there are no other requests; then begin a turn."""
        owed = RESTS * (time.thread_time() - self._processor)
        while owed > 0 and self._others_are_there():
            time.sleep(min(owed, NAP_SECONDS))
            owed -= NAP_SECONDS
        self._begin_turn()

    def _others_are_there(self) -> bool:
        now, arrivals = time.monotonic(), self._arrivals()
        if arrivals != self._seen:
            self._seen, self._latest = arrivals, now
        return now - self._latest < LINGER_SECONDS


class CpuBudget:
    """CPU budget for work on the event loop: `yield_processor` raises `late` once `seconds` of CPU time are used.

    It never sleeps. The budget begins with `with CpuBudget(…):`.
    """

    __slots__ = ("_late", "_processor_ends", "_seconds", "turn_ends")

    def __init__(self, seconds: float, late: type[BaseException]) -> None:
        self._seconds, self._late = seconds, late

    def __enter__(self) -> None:
        self.turn_ends = time.monotonic() + self._seconds
        self._processor_ends = time.thread_time() + self._seconds
        _here.pace = self

    def __exit__(self, *raised: object) -> None:
        _here.pace = None

    def rest(self) -> None:
        """Raise `late` if the budget is used up; CPU time decides, since wall time also passes on a busy machine."""
        if time.thread_time() > self._processor_ends:
            raise self._late


class _Here(local):
    pace: Throttle | CpuBudget | None = None


_here = _Here()


@contextmanager
def pace_thread(arrivals: Arrivals) -> Generator[None]:
    """Throttle this thread for the block: it yields to other requests at each `yield_processor` and at the end."""
    _here.pace = Throttle(arrivals)
    try:
        yield
    finally:
        yield_processor()
        _here.pace = None


def current_pace() -> Throttle | CpuBudget | None:
    """The Pace or CpuBudget of this thread, for inner loops in which even `yield_processor` costs too much."""
    return _here.pace


def is_at_long_work() -> bool:
    """Whether this thread is throttled by `pace_thread`."""
    return isinstance(_here.pace, Throttle)


def yield_processor() -> None:
    """Sleep if this thread is throttled and its turn is over, or raise if its CpuBudget is used up; else 0.1 µs."""
    pace = _here.pace
    if pace is not None and time.monotonic() > pace.turn_ends:
        pace.rest()
