"""A CPU time limit for one evaluation, which another thread can cancel.

An evaluation reads every row once for each assertion, so a spec within all size limits may take minutes.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

LOOKS_BETWEEN = 64
"""Rows read between two reads of the clock, which takes as long as reading one row."""


class JudgingStopped(Exception):
    """An evaluation was ended before it came to a verdict."""


class JudgingTime:
    """The CPU seconds that an evaluation may use in its thread; `cancel` ends it early."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._ends: float | None = None
        self._looks = 0
        self.is_cancelled = False

    def cancel(self) -> None:
        """End the evaluation at its next row; callable from any thread."""
        self.is_cancelled = True

    def look(self) -> None:
        """Count a read of a row; raises JudgingStopped when the time is used up or the evaluation is cancelled."""
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
    """Limit the evaluation in the block; outside such a block there is no limit."""
    token = _current.set(limit)
    try:
        yield
    finally:
        _current.reset(token)


def look_at_row() -> None:
    """Count a read of a row towards the current limit, if there is one."""
    if limit := _current.get():
        limit.look()
