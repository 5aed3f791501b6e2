"""Time limits of operations, and the exceptions raised when they are exceeded."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from twindiff.kit.errors import TooSlow
from twindiff.kit.throttling import CpuBudget, Throttle, current_pace

WHOLE_SECONDS = 2.0
"""Processor time that any operation may use."""
BRIEF_SECONDS = 0.01
"""Processor time that an operation on the event loop may use, where it blocks all other requests."""


class OffloadRequired(BaseException):
    """A brief operation has not been done in time. It has changed nothing, and starts again in a worker thread.

    It is no Exception, since a handler that catches those must not take it for the answer of its question.
    """


class Deadline(NamedTuple):
    """The time limit of an operation, and the exception `late` that ends it.

    The limit is exceeded once the monotonic clock has passed `at` and the thread's processor time has passed
    `processor_at`, both in seconds: on a busy machine, time used by other threads does not count. The clock is checked
    first, since reading it costs a tenth of the other. `pace` is the throttle of the current thread.
    """

    at: float
    processor_at: float
    late: type[BaseException]
    pace: Throttle | CpuBudget | None = None

    def is_past(self) -> bool:
        """Whether the limit is exceeded; yields to other threads first if the turn of `pace` is over."""
        now = time.monotonic()
        if self.pace is not None and now > self.pace.turn_ends:
            self.pace.rest()
        return now > self.at and time.thread_time() > self.processor_at

    def refuse_late(self) -> None:
        """Raise `late` if the limit is exceeded. Inlines `is_past`, since it runs before each statement."""
        now = time.monotonic()
        if self.pace is not None and now > self.pace.turn_ends:
            self.pace.rest()
        if now > self.at and time.thread_time() > self.processor_at:
            raise self.late


Limit = Callable[[], Deadline]
"""A factory for the deadline of an operation that starts now."""


def whole() -> Deadline:
    """Return the deadline of an operation that starts now; it raises TooSlow."""
    return lasting(WHOLE_SECONDS, TooSlow)


def brief() -> Deadline:
    """Return the deadline of an operation on the event loop that starts now; it raises OffloadRequired."""
    return lasting(BRIEF_SECONDS, OffloadRequired)


def lasting(seconds: float, late: type[BaseException] = OffloadRequired) -> Deadline:
    """Return a deadline `seconds` from now for the current thread."""
    return Deadline(time.monotonic() + seconds, time.thread_time() + seconds, late, current_pace())


NEVER = Deadline(float("inf"), float("inf"), TooSlow)
