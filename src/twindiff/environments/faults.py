"""Faults: what goes wrong on purpose between an application and the twins of an environment.

They are settings of the environment and no rows of its twins: a diff never shows them. How often each has met a call is
counted in memory, by one process, from the time that it was set.
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
"""Letters that a fault may answer."""
MAX_DELAY_SECONDS = 60

Kind = Literal["latency", "unavailable", "rate_limit", "lost_answer", "reply"]
"""Wait first; answer the vendor's 5xx, or its 429; do the operation and lose the answer; answer what was recorded."""
Count = Annotated[int, msgspec.Meta(ge=0, le=10**9)]


class Fault(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Something that goes wrong, for calls of a twin whose operation fits a pattern (`chat.*`, `POST /v1/*`).

    The first `after` calls pass unharmed, then it meets `times` of them, or all. `seconds` is how long a `latency`
    takes, what a `rate_limit` counts within and what its answer says to wait; `calls` is how many that lets pass.
    `status` is that of `unavailable` and `reply`; `body` is what a `reply` answers.
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


class Armed:
    """A fault of an environment, and how often it has met a call."""

    __slots__ = ("_passed", "fault", "met", "seen")

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        self.seen = 0
        self.met = 0
        self._passed: deque[float] = deque()

    def meets(self, twin: str, operation: str) -> bool:
        """Whether it meets a call, which is counted."""
        fault = self.fault
        if fault.twin not in (None, twin) or not fnmatchcase(operation, fault.operation):
            return False
        self.seen += 1
        if self.seen <= fault.after or (fault.times is not None and self.met >= fault.times):
            return False
        if fault.kind == "rate_limit" and self._lets_pass():
            return False
        self.met += 1
        return True

    def _lets_pass(self) -> bool:
        """Whether a call is one of those that a limit allows within its seconds, of the wall clock."""
        now, passed = time.monotonic(), self._passed
        while passed and passed[0] <= now - self.fault.seconds:
            passed.popleft()
        if len(passed) >= self.fault.calls:
            return False
        passed.append(now)
        return True


def check_faults(faults: Sequence[Fault], twins: Sequence[Twin]) -> None:
    """Raises InvalidParameter for a fault that can never meet a call of these twins, or that says too little."""
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
