"""How many requests are answered in one pass of the event loop, so that whatever else waits for it has its turn."""

from __future__ import annotations

import asyncio
import time

LONGEST_SECONDS = 0.002
"""Work that is begun in one pass; requests that come to more go on in the next, in the order they came."""


class LoopBudget:
    """The present pass of an event loop."""

    def __init__(self) -> None:
        self._end: float | None = None

    async def wait(self) -> None:
        """Wait for a pass that has time left."""
        while self._is_over():  # noqa: ASYNC110 - nothing is polled: sleep(0) is the way into the next pass
            await asyncio.sleep(0)

    def _is_over(self) -> bool:
        now = time.perf_counter()
        if self._end is None:
            self._end = now + LONGEST_SECONDS
            asyncio.get_running_loop().call_soon(self._pass)
        return now > self._end

    def _pass(self) -> None:
        self._end = None
