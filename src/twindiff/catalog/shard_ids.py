"""Ids that name their shard: the part of a server, with a data file of its own, that holds an environment and its runs.

An id of a shard is a UUID of version 8 (https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-8) whose next three
hexadecimal digits are the number of the shard. All other ids belong to shard 0, so that a server that is not divided
makes UUIDs of version 4.
"""

from __future__ import annotations

import re
import secrets
from typing import NamedTuple
from uuid import UUID

MAX_SHARDS = 64

SHARD_ID = re.compile(
    r"[0-9a-f]{12}8([0-9a-f]{3})[89ab][0-9a-f]{15}|[0-9a-f]{8}-[0-9a-f]{4}-8([0-9a-f]{3})-[89ab][0-9a-f]{3}-[0-9a-f]{12}",
    re.IGNORECASE,
)


class ServedShard(NamedTuple):
    """Which shard of how many a process serves."""

    number: int = 0
    total: int = 1


_served = ServedShard()


def serve_shard(served: ServedShard) -> None:
    """Make all ids of this process from now on those of a shard."""
    global _served  # noqa: PLW0603 - a process serves one shard
    _served = served


def own_shard() -> int:
    """Return the number of the shard that this process serves."""
    return _served.number


def count_served_shards() -> int:
    """Return how many shards the server of this process has."""
    return _served.total


def random_uuid() -> UUID:
    """Return a random UUID of the shard that this process serves."""
    random = UUID(bytes=secrets.token_bytes(16), version=4)
    if not _served.number:
        return random
    return UUID(f"{random.hex[:12]}8{_served.number:03x}{random.hex[16:]}")


def shard_of(id: str) -> int:
    """Return the shard that an id names; 0 for anything else."""
    match = SHARD_ID.fullmatch(id)
    return int(match[1] or match[2], 16) if match else 0
