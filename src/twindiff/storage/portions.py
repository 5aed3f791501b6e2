"""Large work in parts, between which whoever has an event loop can see to others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

T = TypeVar("T")

Work = Callable[[], object]
"""A part that may be done in another thread."""


def nothing() -> None:
    """The part that only lets others have their turn."""


def portions(items: list[T], size: int) -> Iterator[list[T]]:
    """A list in parts. It is emptied on the way: to let go of all of it at once would take long too."""
    items.reverse()
    while items:
        part = items[: -size - 1 : -1]
        del items[-size:]
        yield part
