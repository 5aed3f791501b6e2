"""The clock of an environment: see how it stands, and set it forward."""

from __future__ import annotations

from collections.abc import Generator
from datetime import datetime
from typing import Literal

import msgspec

from twindiff.environments.clocks import ClockState, InvalidClock, Moved, Until
from twindiff.environments.due import Done
from twindiff.kit.clock import LAST_INSTANT, SECOND, Clock, Mode, micros_of
from twindiff.kit.errors import ApiError
from twindiff.kit.twin import Operations
from twindiff.server.service import Service
from twindiff.storage.portions import Work

api = Operations()


class ClockNotSaid(ApiError):
    """Say one of `advance` (seconds), `to` (an instant) and `until` ("next" or "idle")."""


class Awaited(msgspec.Struct):
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
    next: Awaited | None


class Ran(msgspec.Struct):
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

    ran: list[Ran]
    still_due: int


@api.get("/env/{envId}/clock")
async def show_clock(service: Service, env_id: str) -> ClockShown:
    """The time of an environment, and what falls due next. Nothing is done by looking."""
    await service.awaken(service.environments.get(env_id))
    return ClockShown(*_shown(env_id, service.clocks.show(env_id)))


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
    await service.awaken(service.environments.get(env_id))
    state, done, still_due = await service.runtime.run_steps(_move(service, env_id, advance, to, until))
    return ClockMoved(*_shown(env_id, state), ran=[_ran(each) for each in done], still_due=still_due)


def _move(
    service: Service, env_id: str, advance: float | None, to: str | float | None, until: Until | None
) -> Generator[Work, None, Moved]:
    if [advance, to, until].count(None) != 2:
        raise ClockNotSaid
    if advance is not None:
        return service.clocks.advance(env_id, advance)
    return service.clocks.set(env_id, _instant(to)) if to is not None else service.clocks.run(env_id, until or "next")


def _instant(given: str | float) -> int:
    """Microseconds since 1970 of an instant as clients write it; a naive one counts as UTC."""
    try:
        if not isinstance(given, str):
            return round(min(given, LAST_INSTANT) * SECOND)
        return micros_of(datetime.fromisoformat(given))
    except (ValueError, OverflowError):
        raise InvalidClock(f"to must be an ISO 8601 instant or seconds since 1970, not '{str(given)[:100]}'") from None


def _shown(env_id: str, state: ClockState) -> tuple[str, Mode, str, int, Awaited | None]:
    mode, now, seq, piece, operation = state
    waits = Awaited(Clock(piece.due).iso(), piece.twin, operation, piece.actor) if piece else None
    return env_id, mode, Clock(now).iso(), seq, waits


def _ran(done: Done) -> Ran:
    return Ran(Clock(done.at).iso(), done.twin, done.operation, done.actor, done.seq, done.error)
