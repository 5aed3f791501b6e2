"""Wall-clock timestamps and unguessable ids for catalog records."""

from __future__ import annotations

import time
from typing import NamedTuple

from twindiff.catalog.shard_ids import random_uuid
from twindiff.kit.clock import Clock


class Stamp(NamedTuple):
    """A creation time, as microseconds since 1970 and as naive ISO text in UTC."""

    micros: int
    iso: str


_last = 0


def stamp() -> Stamp:
    """Return the current time, strictly later than every previous stamp of this process."""
    global _last  # noqa: PLW0603 - one clock per process
    _last = max(wall(), _last + 1)
    return Stamp(_last, Clock(_last).iso())


def wall() -> int:
    """Return the wall clock in microseconds since 1970."""
    return time.time_ns() // 1000


def new_uuid() -> str:
    """Return a random UUID as lower-case text."""
    return str(random_uuid())


def new_environment_id() -> str:
    """Return a random id of 32 lower-case hexadecimal digits."""
    return random_uuid().hex
