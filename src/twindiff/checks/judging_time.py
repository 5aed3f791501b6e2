"""A bound of the time that one evaluation takes, and a way to end it from another thread.

An evaluation looks at every row once for each assertion, so that a spec within all bounds of size may take minutes.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

LOOKS_BETWEEN = 64
"""Looks at rows between two looks at the clock, which takes as long as one of them."""


class JudgingStopped(Exception):
    """An evaluation was ended before it came to a verdict."""


class JudgingTime:
    """The processor seconds that an evaluation may take in its thread; `cancel` ends it sooner."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._ends: float | None = None
        self._looks = 0
        self.is_cancelled = False

    def cancel(self) -> None:
        """End the evaluation at its next look, from any thread."""
        self.is_cancelled = True

    def look(self) -> None:
        """Count a look at a row; raises JudgingStopped when the time is used up."""
        self._looks += 1
        if self._looks % LOOKS_BETWEEN and not self.is_cancelled:
            return
        now = time.thread_time()
        if self._ends is None:
            self._ends = now + self._seconds
        if self.is_cancelled or now > self._ends:
            raise JudgingStopped


_current: ContextVar[JudgingTime | None] = ContextVar("judging time", default=None)


@contextmanager
def judging_within(limit: JudgingTime) -> Generator[None]:
    """Bound the evaluation in the block; elsewhere there is no bound."""
    token = _current.set(limit)
    try:
        yield
    finally:
        _current.reset(token)


def look_at_row() -> None:
    """Count a look at a row towards the bound, if there is one."""
    if limit := _current.get():
        limit.look()
