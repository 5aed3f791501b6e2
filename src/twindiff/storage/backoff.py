"""Exponential backoff between retries, of a loop as a whole and of single records; logs a repeated failure once."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Literal

from twindiff.kit.errors import NotServed

log = logging.getLogger("twindiff")

MIN_SECONDS = 1.0
MAX_SECONDS = 60.0
MAX_TRIES = 5
"""Failures after which a record is set aside."""


class Backoff:
    """The consecutive failures of one loop, which `what` names in the log."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._said = ""
        self.failures = 0

    def fail(self, error: Exception) -> float:
        """Count a failure and return the seconds to wait; logs it unless it equals the previous failure."""
        self.failures += 1
        said = describe_error(error)
        if said != self._said:
            self._said = said
            detail: Literal[False] | Exception = False if isinstance(error, NotServed) else error
            log.warning("%s failed; it is tried again: %s", self._what, said, exc_info=detail)
        if isinstance(error, NotServed):  # the storage may recover at any time
            return MIN_SECONDS
        return seconds_after(self.failures)

    def reset(self) -> None:
        """Reset: the next failure is logged, and retried after `MIN_SECONDS`."""
        self._said, self.failures = "", 0


def seconds_after(failures: int) -> float:
    """Return the seconds to wait after so many consecutive failures."""
    return min(MIN_SECONDS * 2 ** min(failures - 1, 10), MAX_SECONDS)


def describe_error(error: Exception) -> str:
    """Return the type and message of an error, at most 300 characters."""
    return f"{type(error).__name__}: {error}"[:300]


class RecordRetries:
    """The records of one loop that fail: each waits longer every time, and holds up no other record.

    A record is set aside after `MAX_TRIES` failures until the process ends, with one line in the log, and `set_aside`
    is called with its key and the reason.
    """

    def __init__(self, what: str, set_aside: Callable[[str, str], object] = lambda key, reason: None) -> None:
        self._what = what
        self._set_aside = set_aside
        self._failures: dict[str, int] = {}
        self._until: dict[str, float] = {}
        """When a record is tried again, in seconds of the monotonic clock."""

    @property
    def waiting(self) -> list[str]:
        """The keys of records that are set aside or wait for their next try."""
        now = time.monotonic()
        return [key for key, until in self._until.items() if until > now]

    def find_next_try(self, key: str) -> float | None:
        """Return the seconds until a record that has failed is to be tried again; None if it is not."""
        until = self._until.get(key, math.inf)
        return None if until == math.inf else max(0.0, until - time.monotonic())

    def is_due(self, key: str) -> bool:
        """Return whether a record may be tried now."""
        return self._until.get(key, 0.0) <= time.monotonic()

    def forget(self, key: str) -> None:
        """Forget the failures of a record that is gone or has succeeded."""
        self._failures.pop(key, None)
        self._until.pop(key, None)

    @contextmanager
    def attempt(self, key: str) -> Generator[None]:
        """Count the failure of the block as one of the record's; raises NotServed, which is none."""
        try:
            yield
        except NotServed:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, the other records go on
            self._fail(key, error)
        else:
            self.forget(key)

    def _fail(self, key: str, error: Exception) -> None:
        failures = self._failures[key] = self._failures.get(key, 0) + 1
        if failures < MAX_TRIES:
            self._until[key] = time.monotonic() + seconds_after(failures)
            return
        self._until[key] = math.inf
        reason = f"set aside after {failures} tries: {describe_error(error)}"
        log.warning("%s %s %s", self._what, key, reason, exc_info=error)
        try:
            self._set_aside(key, reason)
        except Exception as again:  # noqa: BLE001 - the log has the reason
            log.warning("%s %s: the reason could not be noted: %s", self._what, key, describe_error(again))
