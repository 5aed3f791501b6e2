"""Screens of the inspector: a twin's state as plain data that the inspector renders for people.

A twin returns the content of a screen (`Twin(screen=…)`), never markup, so no stored text can run as a script. The twin
defines its paths: `""` is the first screen, and `ScreenLink("general", "channels/C1")` links to another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from .call import Call


class ScreenLink(NamedTuple):
    """A link to another screen of the twin."""

    text: str
    path: str
    note: str = ""


class ScreenPost(NamedTuple):
    """A message or a comment; `notes` are short texts below it, such as reactions."""

    author: str
    at: str
    text: str
    notes: Sequence[str] = ()
    link: ScreenLink | None = None


class Card(NamedTuple):
    """A card on a board or in a calendar."""

    title: str
    path: str
    notes: Sequence[str] = ()


class Lane(NamedTuple):
    """A column of a board, or a day of a calendar."""

    title: str
    cards: Sequence[Card]


class ScreenTable(NamedTuple):
    """A table; each row has one text or link for each column."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | ScreenLink]]
    note: str = ""
    """A note on what is left out."""


class ScreenCode(NamedTuple):
    """Lines in a fixed width, such as a log; in a diff, `+` and `-` begin lines that were added and removed."""

    title: str
    text: str
    note: str = ""
    """A note on what is left out."""
    is_diff: bool = False


class Screen(NamedTuple):
    """The content of a screen: navigation (`places`, links by heading), and any of the parts below."""

    title: str
    subtitle: str = ""
    places: Sequence[tuple[str, Sequence[ScreenLink]]] = ()
    trail: Sequence[ScreenLink] = ()
    """Breadcrumbs: the screens above this one, the outermost first."""
    text: str = ""
    facts: Sequence[tuple[str, str | ScreenLink]] = ()
    tables: Sequence[ScreenTable] = ()
    codes: Sequence[ScreenCode] = ()
    lanes: Sequence[Lane] = ()
    days: Sequence[Lane] = ()
    """Days of whole weeks, seven side by side; a phone lists only the days with cards."""
    entries: Sequence[ScreenPost] = ()
    note: str = ""
    """A note on what is left out."""


Look = Callable[[Call, str], Screen | None]
"""Returns the screen at a path, or None if there is none. It may only read; the call has no actor."""
