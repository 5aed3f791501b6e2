"""Faults injected between an application and the twins of an environment.

Faults are settings of the environment, not rows of its twins, so a diff never shows them. Each process counts in memory
how often a fault has applied since it was set; the counters survive the eviction of the environment.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Annotated, Literal

import msgspec

from twindiff.kit.errors import InvalidParameter
from twindiff.kit.twin import Twin

MAX_FAULTS = 100
MAX_REPLY_CHARACTERS = 100_000
"""Characters of the body that a fault may respond with."""
MAX_DELAY_SECONDS = 60

Kind = Literal["latency", "unavailable", "rate_limit", "lost_answer", "reply"]
"""`latency`: wait first; `unavailable`: respond with the vendor's 5xx; `rate_limit`: with its rate-limit error.

`lost_answer`: run the operation and drop its response; `reply`: respond with a given body.
"""
Count = Annotated[int, msgspec.Meta(ge=0, le=10**9)]


class Fault(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A fault for the calls of a twin whose operation matches a pattern (`chat.*`, `POST /v1/*`).

    The first `after` calls pass, then it applies to `times` calls, or to all. `seconds` is the delay of a `latency`,
    and both the window and the `Retry-After` of a `rate_limit`, which lets `calls` calls pass per window. `status` is
    that of `unavailable` and `reply`; `body` is the body of a `reply`.
    """

    kind: Kind
    twin: str | None = None
    operation: str = "*"
    after: Count = 0
    times: Count | None = None
    seconds: Annotated[float, msgspec.Meta(gt=0, le=MAX_DELAY_SECONDS)] = 1
    calls: Count = 0
    status: Annotated[int, msgspec.Meta(ge=200, le=599)] = 503
    body: Annotated[str, msgspec.Meta(max_length=MAX_REPLY_CHARACTERS)] = ""
    content_type: Annotated[str, msgspec.Meta(max_length=200, pattern=r"^[\w.+-]+/[\w.+-]+(; ?[\w.+=-]+)*$")] = (
        "application/json"
    )


class ArmedFault:
    """An active fault with its counters: `matched` counts the matching calls, `met` those it applied to."""

    __slots__ = ("_passed", "fault", "matched", "met")

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        self.matched = 0
        self.met = 0
        self._passed: deque[float] = deque()

    def meets(self, twin: str, operation: str) -> bool:
        """Return whether the fault applies to a call, and count the call."""
        fault = self.fault
        if fault.twin not in (None, twin) or not fnmatchcase(operation, fault.operation):
            return False
        self.matched += 1
        if self.matched <= fault.after or (fault.times is not None and self.met >= fault.times):
            return False
        if fault.kind == "rate_limit" and self._lets_pass():
            return False
        self.met += 1
        return True

    def _lets_pass(self) -> bool:
        """Return whether a rate limit allows the call within its window of real time."""
        now, passed = time.monotonic(), self._passed
        while passed and passed[0] <= now - self.fault.seconds:
            passed.popleft()
        if len(passed) >= self.fault.calls:
            return False
        passed.append(now)
        return True


def check_faults(faults: Sequence[Fault], twins: Sequence[Twin]) -> None:
    """Raise InvalidParameter for a fault that can never match a call of these twins, or that is incomplete."""
    if len(faults) > MAX_FAULTS:
        raise InvalidParameter("faults", f"an environment has at most {MAX_FAULTS} of them, not {len(faults)}")
    for number, fault in enumerate(faults):
        place = f"faults[{number}]"
        names = [twin.name for twin in twins]
        if fault.twin not in (None, *names):
            raise InvalidParameter(f"{place}.twin", f"the environment has {', '.join(names)}, and no '{fault.twin}'")
        if fault.kind == "unavailable" and fault.status < 500:
            raise InvalidParameter(f"{place}.status", f"unavailable is 500 to 599, not {fault.status}")
        if not any(_fits(fault, twin) for twin in twins if fault.twin in (None, twin.name)):
            raise InvalidParameter(
                f"{place}.operation",
                f"no operation fits '{fault.operation[:100]}'; the call log names them, "
                f"such as '{twins[0].dispatch.operations[0].name}'",
            )


def _fits(fault: Fault, twin: Twin) -> bool:
    return any(fnmatchcase(operation.name, fault.operation) for operation in twin.dispatch.operations)
