"""The sentences of everyday messages, read from talk.toml."""

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
    """Return the contents of talk.toml, read on first use, as few processes write the workspace."""
    return msgspec.toml.decode(Path(__file__).with_name("talk.toml").read_bytes(), type=Talk)
