"""Screens: how a twin's state looks to people, as plain data that the inspector draws.

A twin says what is on a screen (`Twin(screen=…)`), never how it is drawn, so nothing that it holds can run in a page.
Paths are the twin's own: `""` is where one begins, and `Link("general", "channels/C1")` leads on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from .call import Call


class ScreenLink(NamedTuple):
    """A way to another screen of the twin."""

    text: str
    path: str
    note: str = ""


class ScreenPost(NamedTuple):
    """Something that somebody said: a message, a comment. `notes` are small words below it, such as reactions."""

    author: str
    at: str
    text: str
    notes: Sequence[str] = ()
    link: ScreenLink | None = None


class Card(NamedTuple):
    """Something on a board."""

    title: str
    path: str
    notes: Sequence[str] = ()


class Lane(NamedTuple):
    """A column of a board, or a day of a calendar."""

    title: str
    cards: Sequence[Card]


class ScreenTable(NamedTuple):
    """Rows of as many texts, or ways to other screens, as there are columns."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | ScreenLink]]
    note: str = ""
    """What is left out."""


class Screen(NamedTuple):
    """What one sees: places to go to, by heading, and a text, facts, tables, a board, days or a conversation."""

    title: str
    subtitle: str = ""
    places: Sequence[tuple[str, Sequence[ScreenLink]]] = ()
    trail: Sequence[ScreenLink] = ()
    """The places that this one is in, the outermost first."""
    text: str = ""
    facts: Sequence[tuple[str, str | ScreenLink]] = ()
    tables: Sequence[ScreenTable] = ()
    lanes: Sequence[Lane] = ()
    days: Sequence[Lane] = ()
    """Whole weeks, seven days side by side; on a phone, those days below one another that hold something."""
    entries: Sequence[ScreenPost] = ()
    note: str = ""
    """What is left out."""


Look = Callable[[Call, str], Screen | None]
"""Gives the screen at a path, by reading, at the environment's time; nobody acts. None where there is none."""
