"""Kinds of network that a program can have."""

from __future__ import annotations

from enum import StrEnum


class Network(StrEnum):
    """Whether a program has a network of its own."""

    AUTO = "auto"
    PRIVATE = "private"
    SHARED = "shared"
