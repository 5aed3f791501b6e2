"""The clock of an environment: see how it stands, and set it forward."""

from __future__ import annotations

from typing import Literal

import msgspec

from twindiff.environments.clocks import ClockReading, Moved
from twindiff.environments.due import Done
from twindiff.kit.clock import Clock, Mode
from twindiff.kit.twin import Operations
from twindiff.server.service import Service
from twindiff.server.use_cases import clocks as use_cases

api = Operations()


class PendingWork(msgspec.Struct):
    """Work that waits for its time; `operation` is what the journal will call it."""

    at: str
    twin: str
    operation: str
    actor: str


class ClockShown(msgspec.Struct, rename="camel"):
    """`now` is the environment's time and `next` the work that falls due next; instants are ISO 8601, in UTC."""

    environment_id: str
    mode: Mode
    now: str
    seq: int
    next: PendingWork | None


class CompletedWork(msgspec.Struct):
    """Work that fell due and was done, as the journal record `seq`; `error` is the code of one that failed."""

    at: str
    twin: str
    operation: str
    actor: str
    seq: int | None
    error: str | None


class ClockMoved(ClockShown):
    """`ran` is what fell due on the way, in order.

    When there was too much of it for one request, `stillDue` pieces are left, and the clock stands where it got to.
    """

    ran: list[CompletedWork]
    still_due: int


@api.get("/env/{envId}/clock")
async def show_clock(service: Service, env_id: str) -> ClockShown:
    """The time of an environment, and what falls due next. Nothing is done by looking."""
    return clock_shown(env_id, await use_cases.show_clock(service, env_id))


@api.post("/env/{envId}/clock")
async def set_clock(
    service: Service,
    env_id: str,
    advance: float | None = None,
    to: str | float | None = None,
    until: Literal["next", "idle"] | None = None,
) -> ClockMoved:
    """Set the clock forward, by seconds, to an instant (ISO 8601, or seconds since 1970), or until work falls due.

    `until` is `next`, the next time that work falls due, or `idle`, on and on until none does. Everything that is due
    by then is done on the way, each piece at its own time, up to 10,000 pieces at once.
    """
    return clock_moved(env_id, await use_cases.set_clock(service, env_id, advance, to, until))


def clock_shown(env_id: str, state: ClockReading) -> ClockShown:
    """How a clock stands."""
    return ClockShown(*_clock_fields(env_id, state))


def clock_moved(env_id: str, moved: Moved) -> ClockMoved:
    """How a clock stands after it was set, and what was done on the way."""
    return ClockMoved(
        *_clock_fields(env_id, moved.state), ran=[_ran(each) for each in moved.done], still_due=moved.still_due
    )


def _clock_fields(env_id: str, state: ClockReading) -> tuple[str, Mode, str, int, PendingWork | None]:
    mode, now, seq, piece, operation = state
    waits = PendingWork(Clock(piece.due).iso(), piece.twin, operation, piece.actor) if piece else None
    return env_id, mode, Clock(now).iso(), seq, waits


def _ran(done: Done) -> CompletedWork:
    return CompletedWork(Clock(done.at).iso(), done.twin, done.operation, done.actor, done.seq, done.error)
