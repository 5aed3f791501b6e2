"""The environment's clock. An operation reads it once; reading never advances it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Literal, NamedTuple, get_args

import msgspec

EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - naive, as a Timestamp column holds it
SECOND = 1_000_000


class Clock(NamedTuple):
    """The instant of one operation, in microseconds since 1970 UTC."""

    micros: int

    @property
    def now(self) -> datetime:
        """The instant, aware, in UTC."""
        return iso_instant(self.micros).replace(tzinfo=UTC)

    def unix(self) -> int:
        """Whole seconds since 1970."""
        return self.micros // SECOND

    def iso(self) -> str:
        """The instant as a Timestamp column holds it: naive ISO text in UTC."""
        return iso_instant(self.micros).isoformat()


def iso_instant(micros: int) -> datetime:
    """The naive UTC datetime for microseconds since 1970."""
    return EPOCH + timedelta(microseconds=micros)


def micros_of(instant: datetime) -> int:
    """Microseconds since 1970 of an instant; a naive one counts as UTC."""
    naive = instant.astimezone(UTC).replace(tzinfo=None) if instant.tzinfo else instant
    return (naive - EPOCH) // timedelta(microseconds=1)


Mode = Literal["real", "offset", "steps", "frozen"]
MODES: tuple[Mode, ...] = get_args(Mode)

LAST_INSTANT = 9_999_999_999_000_000
"""The latest time of any clock, in microseconds since 1970: the last second with ten digits, in 2286."""


class ClockMode(msgspec.Struct, frozen=True):
    """How an environment's clock runs when no one advances it.

    `real` is the wall clock. `offset` starts at `start` and runs at real speed. `steps` starts at `start` and moves
    one second per writing operation, so that a replay repeats byte for byte. `frozen` stands still at `start`.
    `start` is in microseconds since 1970. A clock in any mode can be advanced; a `real` one then runs ahead.
    """

    mode: Mode = "real"
    start: int = 0

    @property
    def moves(self) -> bool:
        """Whether the clock runs by itself."""
        return self.mode in ("real", "offset")

    def at(self, wall: int, last: int, last_wall: int, *, writes: bool) -> Clock:
        """The instant of an operation at wall time `wall`; `last` and `last_wall` are those of the last write.

        All times are in microseconds since 1970.
        """
        if self.mode == "real":
            return Clock(wall + max(0, last - last_wall))
        if self.mode == "offset":
            return Clock(last + wall - last_wall)
        return Clock(last + SECOND if writes and self.mode == "steps" else last)

    def resume_at(self, wall: int, last: int, last_wall: int) -> int:
        """The clock, in microseconds, of an environment that resumes at wall time `wall` from an earlier point.

        `last` and `last_wall` are the clock and the wall time of that point. A `real` clock does not go back: it stays
        as far ahead of the wall as it was at the point.
        """
        return self.at(wall, last, last_wall, writes=False).micros if self.mode == "real" else last

    def wall_of(self, clock: int, wall: int, last: int, last_wall: int) -> int:
        """The wall time, at most `wall`, at which the clock showed `clock`; `wall` for a clock that does not run."""
        return min(wall, last_wall + clock - last) if self.moves else wall
