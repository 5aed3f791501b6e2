"""The clocks of environments: read a clock, and advance it while running all jobs that become due on the way."""

from __future__ import annotations

import time
from collections.abc import Generator
from datetime import datetime
from typing import Literal, NamedTuple

import msgspec

from twindiff.kit.clock import LAST_INSTANT, SECOND, Clock, ClockMode, Mode, micros_of
from twindiff.kit.errors import ApiError
from twindiff.kit.throttling import Arrivals
from twindiff.storage import StorageEngine
from twindiff.storage.cooperative import CooperativeStep, yield_control

from .due import MAX_PIECES_PER_REQUEST, Done, DueItem, DueSlice, DueWork, operation_of
from .environments import Environments, LoadedEnvironment

USUAL_START = 1_767_225_600_000_000
"""The first instant of 2026, the default start of a clock, in microseconds since 1970."""
MAX_ADVANCE_SECONDS = 20
"""Seconds that one advance may run; the clock then stays at the time reached."""

Until = Literal["next", "idle"]
"""Advance to the next due job, or until no job is due any more."""


class InvalidClock(ApiError):
    """The clock cannot be set to that."""


class ClockRequest(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """How an environment's clock is to run; `start` is an ISO 8601 instant, for `offset`, `steps` and `frozen`."""

    mode: Mode = "real"
    start: str | None = None

    def to_clock_mode(self) -> ClockMode:
        """Convert `start` to microseconds since 1970; raises InvalidClock."""
        try:
            start = micros_of(datetime.fromisoformat(self.start)) if self.start else USUAL_START
        except (ValueError, OverflowError):
            raise InvalidClock(f"clock.start must be an ISO 8601 instant, not '{self.start}'") from None
        if not 0 <= start < LAST_INSTANT:
            raise InvalidClock(f"clock.start must lie between 1970 and 2286, not at '{self.start}'")
        return ClockMode(self.mode, start)


class ClockGoesBack(ApiError):
    """A clock goes forward only; rewind the environment to return to an earlier point."""


class ClockReading(NamedTuple):
    """The state of a clock: its mode, its time in microseconds since 1970, and the next due job with its operation."""

    mode: Mode
    now: int
    seq: int
    next: DueItem | None
    operation: str


class ClockAdvance(NamedTuple):
    """The state of a clock after it was set, and the jobs that ran on the way.

    `still_due` counts the due jobs that one request could not run; if it is not 0, the clock did not reach its target.
    """

    state: ClockReading
    done: list[Done]
    still_due: int


class Clocks:
    """The clocks of a catalog's environments."""

    def __init__(self, engine: StorageEngine, environments: Environments, due: DueWork, arrivals: Arrivals) -> None:
        self._engine = engine
        self._arrivals = arrivals
        self._environments = environments
        self._due = due

    def show(self, environment_id: str) -> ClockReading:
        """Return the state of an environment's clock; raises what `Environments.get` raises."""
        return self._state(self._load(environment_id))

    def _load(self, environment_id: str) -> LoadedEnvironment:
        """Load an environment. It may have ended since the last yield to other requests."""
        environment = self._environments.get(environment_id)
        self._environments.load(environment)
        return environment

    def _state(self, environment: LoadedEnvironment) -> ClockReading:
        piece = self._due.next(environment)
        present = self._engine.present(environment.id)
        operation = operation_of(environment, piece) if piece else ""
        return ClockReading(environment.origin.clock.mode, present.clock, present.seq, piece, operation)

    def catch_up(self, environment_id: str) -> Generator[CooperativeStep, None, None]:
        """Run the jobs that are due by now; raises what `Environments.get` raises."""
        present = self._engine.present(self._load(environment_id).id)
        if present.due <= present.clock:
            yield from self._set(environment_id, present.clock)

    def advance(self, environment_id: str, seconds: float) -> Generator[CooperativeStep, None, ClockAdvance]:
        """Advance a clock by seconds; raises InvalidClock, ClockGoesBack."""
        if seconds < 0:
            raise ClockGoesBack(f"the clock cannot go {-seconds:g} seconds back. {ClockGoesBack.__doc__}")
        now = self._engine.present(self._load(environment_id).id).clock
        target = now + round(min(seconds, LAST_INSTANT) * SECOND)
        return self._set(environment_id, _within_reach(target, f"{seconds:g} seconds on from {Clock(now).iso()}"))

    def set(self, environment_id: str, to: int) -> Generator[CooperativeStep, None, ClockAdvance]:
        """Advance a clock to an instant, in microseconds since 1970; raises InvalidClock, ClockGoesBack."""
        now = self._engine.present(self._load(environment_id).id).clock
        if to < now:
            was = f"the clock stands at {Clock(now).iso()} and cannot be set to {Clock(max(to, 0)).iso()}"
            raise ClockGoesBack(f"{was}. {ClockGoesBack.__doc__}")
        return self._set(environment_id, _within_reach(to, f"{to} microseconds after 1970"))

    def run(self, environment_id: str, until: Until) -> Generator[CooperativeStep, None, ClockAdvance]:
        """Advance a clock to the next due job, or until no job is due."""
        if until == "idle":
            return self._set(environment_id, None)
        environment = self._load(environment_id)
        piece, now = self._due.next(environment), self._engine.present(environment.id).clock
        return self._set(environment_id, max(piece.due, now) if piece else now)

    def _set(self, environment_id: str, target: int | None) -> Generator[CooperativeStep, None, ClockAdvance]:
        """Run the jobs due by `target`, or all if it is None, then set the clock.

        Yields to other requests in between.
        """
        done: list[Done] = []
        end = time.monotonic() + MAX_ADVANCE_SECONDS
        last, turns = LAST_INSTANT if target is None else target, DueSlice(self._arrivals)
        while some := self._due.do_some(
            self._load(environment_id), last, MAX_PIECES_PER_REQUEST - len(done), turns.seconds
        ):
            done += some
            if len(done) == MAX_PIECES_PER_REQUEST or time.monotonic() > end:
                break
            yield yield_control
            if turns.is_long:  # one pass of the event loop reads waiting requests, the next answers them
                yield yield_control
            turns.end()
        environment = self._load(environment_id)
        waiting = self._due.next(environment)
        is_done = waiting is None or waiting.due > last
        if is_done and target is not None and target > self._engine.present(environment.id).clock:
            self._due.note_advance(environment, self._engine.advance(environment.id, target))
        return ClockAdvance(self._state(environment), done, 0 if is_done else self._due.count(environment, last))


def _within_reach(target: int, wanted: str) -> int:
    if target > LAST_INSTANT:
        raise InvalidClock(f"a clock goes no further than {Clock(LAST_INSTANT).iso()}; {wanted} is beyond that")
    return target
