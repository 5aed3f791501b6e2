"""Wall-clock instants and unguessable ids for our own records."""

from __future__ import annotations

import secrets
import time
from typing import NamedTuple
from uuid import UUID

from twindiff.kit.clock import Clock


class Stamp(NamedTuple):
    """When a record was made: microseconds since 1970, and the same as naive ISO text in UTC."""

    micros: int
    iso: str


_last = 0


def stamp() -> Stamp:
    """Now, later than every stamp before it in this process."""
    global _last  # noqa: PLW0603 - one clock per process
    _last = max(wall(), _last + 1)
    return Stamp(_last, Clock(_last).iso())


def wall() -> int:
    """Microseconds since 1970 by the wall clock."""
    return time.time_ns() // 1000


def new_uuid() -> str:
    """A random UUID, as lower-case text."""
    return str(UUID(bytes=secrets.token_bytes(16), version=4))


def new_environment_id() -> str:
    """32 lower-case hexadecimal digits."""
    return UUID(bytes=secrets.token_bytes(16), version=4).hex
