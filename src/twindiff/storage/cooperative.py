"""Large work in parts, between which whoever has an event loop can see to others."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import Any, TypeVar

T = TypeVar("T")

AT_ONCE = 100

CooperativeStep = Callable[[], object]
"""A part that may be done in another thread."""


def yield_control() -> None:
    """The part that only lets others have their turn."""


def run_to_end(steps: Generator[CooperativeStep, None, T]) -> T:
    """What comes of work in parts, all of it done here."""
    try:
        while True:
            next(steps)()
    except StopIteration as done:
        return done.value


def clear_in_chunks(items: list[Any]) -> None:
    """Empty a list in parts; to free thousands of records at once would keep every other thread waiting."""
    while items:
        del items[-AT_ONCE:]


def portions(items: list[T], size: int) -> Iterator[list[T]]:
    """A list in parts. It is emptied on the way: to let go of all of it at once would take long too."""
    items.reverse()
    while items:
        part = items[: -size - 1 : -1]
        del items[-size:]
        yield part
