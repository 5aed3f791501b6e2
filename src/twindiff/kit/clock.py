"""The environment's time: read once per operation, never by reading moved."""

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
    """A naive instant in UTC, of microseconds since 1970."""
    return EPOCH + timedelta(microseconds=micros)


def micros_of(instant: datetime) -> int:
    """Microseconds since 1970 of an instant; a naive one counts as UTC."""
    naive = instant.astimezone(UTC).replace(tzinfo=None) if instant.tzinfo else instant
    return (naive - EPOCH) // timedelta(microseconds=1)


Mode = Literal["real", "offset", "steps", "frozen"]
MODES: tuple[Mode, ...] = get_args(Mode)

LAST_INSTANT = 9_999_999_999_000_000
"""In microseconds since 1970: no clock goes beyond the last instant whose seconds have ten digits, in 2286."""


class ClockMode(msgspec.Struct, frozen=True):
    """How an environment's clock runs between the times that it is advanced.

    `real` is the wall clock. `offset` starts at `start` and runs at real speed. `steps` starts at `start` and moves
    one second per writing operation, so that a replay repeats byte for byte. `frozen` stands still at `start`.
    `start` is in microseconds since 1970. An advance moves each of them, `real` too, which then runs ahead.
    """

    mode: Mode = "real"
    start: int = 0

    @property
    def moves(self) -> bool:
        """Whether it goes on by itself."""
        return self.mode in ("real", "offset")

    def at(self, wall: int, last: int, last_wall: int, *, writes: bool) -> Clock:
        """The instant of an operation at wall-clock `wall`, given clock and wall-clock of the last one that wrote."""
        if self.mode == "real":
            return Clock(wall + max(0, last - last_wall))
        if self.mode == "offset":
            return Clock(last + wall - last_wall)
        return Clock(last + SECOND if writes and self.mode == "steps" else last)

    def resume_at(self, wall: int, last: int, last_wall: int) -> int:
        """The clock of an environment that goes on, at wall-clock `wall`, from a point with this clock and wall-clock.

        A real clock does not go back; it is as far ahead of the wall as it was at the point.
        """
        return self.at(wall, last, last_wall, writes=False).micros if self.mode == "real" else last

    def wall_of(self, clock: int, wall: int, last: int, last_wall: int) -> int:
        """The wall-clock at which a clock that runs by itself showed an instant, which was at `wall` or before."""
        return min(wall, last_wall + clock - last) if self.moves else wall
