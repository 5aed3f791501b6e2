"""How long an operation may take, and what happens to one that takes longer."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from twindiff.kit.errors import TooSlow

WHOLE_SECONDS = 2.0
"""What any operation may take."""
BRIEF_SECONDS = 0.01
"""What an operation may take while everybody else waits for it."""


class TakesLong(BaseException):
    """A brief operation has not been done in time. It has changed nothing, and is begun again where nobody waits.

    It is no Exception, since a handler that catches those must not take it for the answer of its question.
    """


class Deadline(NamedTuple):
    """An instant of the monotonic clock, and what is raised after it."""

    at: float
    late: type[BaseException]


Limit = Callable[[], Deadline]
"""Gives the deadline of an operation that begins."""


def whole() -> Deadline:
    """The deadline of an operation that begins now; TooSlow ends it."""
    return Deadline(time.monotonic() + WHOLE_SECONDS, TooSlow)


def brief() -> Deadline:
    """The deadline of an operation that others wait for; TakesLong ends it."""
    return Deadline(time.monotonic() + BRIEF_SECONDS, TakesLong)


NEVER = Deadline(float("inf"), TooSlow)
