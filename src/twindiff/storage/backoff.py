"""Exponential backoff between retries; logs a repeated failure once."""

from __future__ import annotations

import logging
from typing import Literal

from twindiff.kit.errors import NotServed

log = logging.getLogger("twindiff")

MIN_SECONDS = 1.0
MAX_SECONDS = 60.0


class Backoff:
    """The consecutive failures of one loop, which `what` names in the log."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._said = ""
        self.failures = 0

    def fail(self, error: Exception) -> float:
        """Count a failure and return the seconds to wait; logs it unless it equals the previous failure."""
        self.failures += 1
        said = f"{type(error).__name__}: {error}"
        if said != self._said:
            self._said = said
            detail: Literal[False] | Exception = False if isinstance(error, NotServed) else error
            log.warning("%s failed; it is tried again: %s", self._what, said, exc_info=detail)
        if isinstance(error, NotServed):  # the storage may recover at any time
            return MIN_SECONDS
        return min(MIN_SECONDS * 2 ** min(self.failures - 1, 10), MAX_SECONDS)

    def reset(self) -> None:
        """Reset: the next failure is logged, and retried after `MIN_SECONDS`."""
        self._said, self.failures = "", 0
