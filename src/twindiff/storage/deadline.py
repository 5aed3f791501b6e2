"""How long an operation may take, and what happens to one that takes longer."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from twindiff.kit.errors import TooSlow
from twindiff.kit.throttling import CpuBudget, Pace, current_pace

WHOLE_SECONDS = 2.0
"""What any operation may take of the processor."""
BRIEF_SECONDS = 0.01
"""What an operation may take while everybody else waits for it."""


class TakesLong(BaseException):
    """A brief operation has not been done in time. It has changed nothing, and is begun again where nobody waits.

    It is no Exception, since a handler that catches those must not take it for the answer of its question.
    """


class Deadline(NamedTuple):
    """When an operation is late, and what is raised then.

    It is late once the monotonic clock has passed `at` and its thread's processor time `processor_at`, both in seconds:
    on a busy machine no operation is late for what others do. The clock is looked at first, since that costs a tenth.
    `pace` is that of its thread.
    """

    at: float
    processor_at: float
    late: type[BaseException]
    pace: Pace | CpuBudget | None = None

    def is_past(self) -> bool:
        """Whether an operation is late, which is asked now and then; one that takes long gives way to others first."""
        now = time.monotonic()
        if self.pace is not None and now > self.pace.turn_ends:
            self.pace.rest()
        return now > self.at and time.thread_time() > self.processor_at

    def refuse_late(self) -> None:
        """Raise what is said for an operation that is late; asked before each statement, so in one call."""
        now = time.monotonic()
        if self.pace is not None and now > self.pace.turn_ends:
            self.pace.rest()
        if now > self.at and time.thread_time() > self.processor_at:
            raise self.late


Limit = Callable[[], Deadline]
"""Gives the deadline of an operation that begins."""


def whole() -> Deadline:
    """The deadline of an operation that begins now; TooSlow ends it."""
    return lasting(WHOLE_SECONDS, TooSlow)


def brief() -> Deadline:
    """The deadline of an operation that others wait for; TakesLong ends it."""
    return lasting(BRIEF_SECONDS, TakesLong)


def lasting(seconds: float, late: type[BaseException] = TakesLong) -> Deadline:
    """The deadline of what begins now, in this thread, and is late after so many seconds."""
    return Deadline(time.monotonic() + seconds, time.thread_time() + seconds, late, current_pace())


NEVER = Deadline(float("inf"), float("inf"), TooSlow)
