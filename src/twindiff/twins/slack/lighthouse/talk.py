"""What is said on an ordinary day: talk.toml as values."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec


class Topic(msgspec.Struct, frozen=True):
    sentences: tuple[str, ...]
    answers: tuple[str, ...]
    emoji: tuple[str, ...]


class Talk(msgspec.Struct, frozen=True):
    gaps: dict[str, tuple[str, ...]]
    topics: dict[str, Topic]


@cache
def talk() -> Talk:
    """What there is to say; read when a workspace is written, which few do."""
    return msgspec.toml.decode(Path(__file__).with_name("talk.toml").read_bytes(), type=Talk)
