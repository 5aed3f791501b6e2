"""Operations for the clock of an environment: read it, and set it forward."""

from __future__ import annotations

from typing import Literal

import msgspec

from twindiff.environments.clocks import ClockAdvance, ClockReading
from twindiff.environments.due import Done
from twindiff.kit.clock import Clock, Mode
from twindiff.kit.twin import Operations
from twindiff.server.service import Service
from twindiff.server.use_cases import clocks as use_cases

api = Operations()


class PendingWork(msgspec.Struct):
    """A pending job; `operation` is its name in the journal."""

    at: str
    twin: str
    operation: str
    actor: str


class ClockShown(msgspec.Struct, rename="camel"):
    """`now` is the environment's time and `next` the job that is due next; instants are ISO 8601, in UTC."""

    environment_id: str
    mode: Mode
    now: str
    seq: int
    next: PendingWork | None


class CompletedWork(msgspec.Struct):
    """A job that was run, as the journal record `seq`; `error` is the code of one that failed."""

    at: str
    twin: str
    operation: str
    actor: str
    seq: int | None
    error: str | None


class ClockMoved(ClockShown):
    """`ran` has the jobs that fell due on the way, in order.
    If there were too many for one request, `stillDue` jobs are left, and the clock stands at the time that it reached.
    """

    ran: list[CompletedWork]
    still_due: int


@api.get("/env/{envId}/clock")
async def show_clock(service: Service, env_id: str) -> ClockShown:
    """The time of an environment, and the job that is due next. Reading it runs no jobs."""
    return clock_shown(env_id, await use_cases.show_clock(service, env_id))


@api.post("/env/{envId}/clock")
async def set_clock(
    service: Service,
    env_id: str,
    advance: float | None = None,
    to: str | float | None = None,
    until: Literal["next", "idle"] | None = None,
) -> ClockMoved:
    """Set the clock forward, by seconds, to an instant (ISO 8601, or seconds since 1970), or until jobs fall due.
    `until` is `next`, the next time at which jobs are due, or `idle`, which repeats that until none is left. All jobs
    due by then are run on the way, each at its own time, up to 10,000 per request.
    """
    return clock_moved(env_id, await use_cases.set_clock(service, env_id, advance, to, until))


def clock_shown(env_id: str, state: ClockReading) -> ClockShown:
    """Render the state of a clock."""
    return ClockShown(*_clock_fields(env_id, state))


def clock_moved(env_id: str, moved: ClockAdvance) -> ClockMoved:
    """Render the state of a clock after it was set, and the jobs that were run on the way."""
    return ClockMoved(
        *_clock_fields(env_id, moved.state), ran=[_ran(each) for each in moved.done], still_due=moved.still_due
    )


def _clock_fields(env_id: str, state: ClockReading) -> tuple[str, Mode, str, int, PendingWork | None]:
    mode, now, seq, piece, operation = state
    waits = PendingWork(Clock(piece.due).iso(), piece.twin, operation, piece.actor) if piece else None
    return env_id, mode, Clock(now).iso(), seq, waits


def _ran(done: Done) -> CompletedWork:
    return CompletedWork(Clock(done.at).iso(), done.twin, done.operation, done.actor, done.seq, done.error)
