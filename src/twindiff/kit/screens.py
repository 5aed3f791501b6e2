"""Screens: how a twin's state looks to people, as plain data that the inspector draws.

A twin says what is on a screen (`Twin(screen=…)`), never how it is drawn, so nothing that it holds can run in a page.
Paths are the twin's own: `""` is where one begins, and `Link("general", "channels/C1")` leads on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from .store import Store


class Link(NamedTuple):
    """A way to another screen of the twin."""

    text: str
    path: str
    note: str = ""


class Entry(NamedTuple):
    """Something that somebody said: a message, a comment. `notes` are small words below it, such as reactions."""

    author: str
    at: str
    text: str
    notes: Sequence[str] = ()
    link: Link | None = None


class Card(NamedTuple):
    """Something on a board."""

    title: str
    path: str
    notes: Sequence[str] = ()


class Lane(NamedTuple):
    """A column of a board."""

    title: str
    cards: Sequence[Card]


class Screen(NamedTuple):
    """What one sees: places to go to, by heading, and a text, facts, a board or a conversation."""

    title: str
    subtitle: str = ""
    places: Sequence[tuple[str, Sequence[Link]]] = ()
    text: str = ""
    facts: Sequence[tuple[str, str]] = ()
    lanes: Sequence[Lane] = ()
    entries: Sequence[Entry] = ()
    note: str = ""
    """What is left out."""


Look = Callable[[Store, str], Screen | None]
"""Gives the screen at a path, by reading; None where there is none."""
