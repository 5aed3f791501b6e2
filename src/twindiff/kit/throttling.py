"""Long work beside others gives way to them: it rests as it goes while they come, and so takes a fifth of the time.

Threads of one interpreter take turns, and one that computes gets more than half of what it shares with one that speaks
to sockets. So work that takes long calls `give_way` wherever it goes on for as long as a request has it. Work that
nobody else is there to wait for never rests. On the event loop itself, where nobody can rest, the same places end what
takes longer than it may there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import local

TURN_SECONDS = 0.002
"""How long work goes on before it looks whether others are there."""
RESTS = 4.0
"""How many times as long as it has used the processor it rests while they are."""
NAP_SECONDS = 0.002
"""How long it rests before it looks again."""
LINGER_SECONDS = 0.005
"""How long others count as there after one has come."""

Arrivals = Callable[[], int]
"""How many requests of others have come so far."""


class Pace:
    """The turns and rests of long work in one thread."""

    __slots__ = ("_arrivals", "_latest", "_processor", "_seen", "turn_ends")

    def __init__(self, arrivals: Arrivals) -> None:
        self._arrivals, self._seen, self._latest = arrivals, arrivals(), float("-inf")
        self._begin_turn()

    def _begin_turn(self) -> None:
        self.turn_ends = time.monotonic() + TURN_SECONDS
        self._processor = time.thread_time()

    def rest(self) -> None:
        """Rest for what the turn has used of the processor, or until nobody else is there; then begin the next."""
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
    """Work that others wait for: it never rests, and where it would give way it ends with `late` once its time is over.

    Its time is seconds of the processor; `with Brief(…):` has them begin.
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
        """End the work if it has used up its time; on a busy machine the clock alone says nothing."""
        if time.thread_time() > self._processor_ends:
            raise self._late


class _Here(local):
    pace: Pace | CpuBudget | None = None


_here = _Here()


@contextmanager
def pace_thread(arrivals: Arrivals) -> Generator[None]:
    """Have what this thread does give way to others, wherever it calls `give_way`, and at its end."""
    _here.pace = Pace(arrivals)
    try:
        yield
    finally:
        give_way()
        _here.pace = None


def current_pace() -> Pace | CpuBudget | None:
    """What this thread does by turns, for who would give way so often that looking for it each time costs too much."""
    return _here.pace


def is_at_long_work() -> bool:
    """Whether this thread rests where it gives way."""
    return isinstance(_here.pace, Pace)


def give_way() -> None:
    """Rest, in a thread at long work whose turn is over, or end brief work that is late; else this costs 0.1 µs."""
    pace = _here.pace
    if pace is not None and time.monotonic() > pace.turn_ends:
        pace.rest()
