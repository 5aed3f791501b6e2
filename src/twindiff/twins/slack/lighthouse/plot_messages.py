"""How the plot is written down: a message with its thread, its emoji, its file and its pin."""

from __future__ import annotations

from typing import NamedTuple


class Reply(NamedTuple):
    minutes: int
    author: str
    text: str


class Paper(NamedTuple):
    """A text file that was shared with a message."""

    name: str
    title: str
    text: str


class PlotMessage(NamedTuple):
    """One message with what hangs on it. `at` is in UTC; `{@name}` and `{#room}` become mentions."""

    room: str
    at: str
    author: str
    text: str
    replies: tuple[Reply, ...] = ()
    reactions: tuple[tuple[str, tuple[str, ...]], ...] = ()
    paper: Paper | None = None
    pinned_by: str = ""
