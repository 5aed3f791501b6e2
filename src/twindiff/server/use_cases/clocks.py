"""The clock of an environment: read it, and set it forward."""

from __future__ import annotations

from collections.abc import Generator
from datetime import datetime

from twindiff.environments.clocks import ClockAdvance, ClockReading, InvalidClock, Until
from twindiff.kit.clock import LAST_INSTANT, SECOND, micros_of
from twindiff.kit.errors import ApiError
from twindiff.server.service import Service
from twindiff.storage.cooperative import CooperativeStep


class ClockNotSaid(ApiError):
    """Say one of `advance` (seconds), `to` (an instant) and `until` ("next" or "idle")."""


async def show_clock(service: Service, env_id: str) -> ClockReading:
    """The time of an environment, and the job that is due next; reading it runs no jobs."""
    await service.loader.load(service.environments.get(env_id))
    return service.clocks.show(env_id)


async def set_clock(
    service: Service,
    env_id: str,
    advance: float | None = None,
    to: str | float | None = None,
    until: Until | None = None,
) -> ClockAdvance:
    """Advance the clock by seconds, to an instant, or until jobs fall due; raises ClockNotSaid, InvalidClock."""
    await service.loader.load(service.environments.get(env_id))
    return await service.runtime.run_steps(_move(service, env_id, advance, to, until))


def _move(
    service: Service, env_id: str, advance: float | None, to: str | float | None, until: Until | None
) -> Generator[CooperativeStep, None, ClockAdvance]:
    if [advance, to, until].count(None) != 2:
        raise ClockNotSaid
    if advance is not None:
        return service.clocks.advance(env_id, advance)
    return service.clocks.set(env_id, _instant(to)) if to is not None else service.clocks.run(env_id, until or "next")


def _instant(given: str | float) -> int:
    """Parse an ISO 8601 instant (UTC without an offset) or seconds since 1970 into microseconds since 1970."""
    try:
        if not isinstance(given, str):
            return round(min(given, LAST_INSTANT) * SECOND)
        return micros_of(datetime.fromisoformat(given))
    except (ValueError, OverflowError):
        raise InvalidClock(f"to must be an ISO 8601 instant or seconds since 1970, not '{str(given)[:100]}'") from None
