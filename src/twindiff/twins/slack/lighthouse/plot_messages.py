"""The form of the plot: messages with their threads, reactions, files and pins."""

from __future__ import annotations

from typing import NamedTuple


class Reply(NamedTuple):
    minutes: int
    author: str
    text: str


class Paper(NamedTuple):
    """A text file that is shared with a message."""

    name: str
    title: str
    text: str


class PlotMessage(NamedTuple):
    """A message with its replies, reactions, file and pin. `at` is in UTC; `{@name}` and `{#room}` become mentions."""

    room: str
    at: str
    author: str
    text: str
    replies: tuple[Reply, ...] = ()
    reactions: tuple[tuple[str, tuple[str, ...]], ...] = ()
    paper: Paper | None = None
    pinned_by: str = ""
