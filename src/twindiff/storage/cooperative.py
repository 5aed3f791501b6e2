"""Long work as generators of steps, between which a caller on an event loop can run other tasks."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import Any, TypeVar

T = TypeVar("T")

AT_ONCE = 100

CooperativeStep = Callable[[], object]
"""A step of long work. The caller runs it, in any thread, before it resumes the generator."""


def yield_control() -> None:
    """A step without work: it only gives other tasks a chance to run."""


def run_to_end(steps: Generator[CooperativeStep, None, T]) -> T:
    """Run all steps in the current thread and return the result of the generator."""
    try:
        while True:
            next(steps)()
    except StopIteration as done:
        return done.value


def clear_in_chunks(items: list[Any]) -> None:
    """Empty a list in chunks: freeing thousands of records in one go holds the GIL for too long."""
    while items:
        del items[-AT_ONCE:]


def portions(items: list[T], size: int) -> Iterator[list[T]]:
    """Yield a list in parts of `size` items. Empties it on the way, since freeing it in one go would take long too."""
    items.reverse()
    while items:
        part = items[: -size - 1 : -1]
        del items[-size:]
        yield part
