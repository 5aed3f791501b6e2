"""Defers Ctrl-C while other threads are working."""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Any


@contextmanager
def interrupts_held() -> Generator[None]:
    """Defer a Ctrl-C to the end of the block; a second one takes effect at once.

    Within a request it could leave a lock of the connection pool taken, and every other thread would wait forever.
    """
    if current_thread() is not main_thread():
        yield
        return
    waiting: list[int] = []

    def hold(number: int, frame: Any) -> None:
        if waiting:
            raise KeyboardInterrupt
        waiting.append(number)

    before = signal.signal(signal.SIGINT, hold)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if waiting:
        raise KeyboardInterrupt
