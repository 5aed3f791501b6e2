"""How many requests are answered in one pass of the event loop, so that whatever else waits for it has its turn."""

from __future__ import annotations

import asyncio
import time
from collections import deque

MAX_PASS_SECONDS = 0.002
"""Work that is begun in one pass; requests that come to more go on in the next, in the order they came."""
MIN_WOKEN = 4
"""Requests that are tried in a pass at least; beyond that twice as many as found time in the one before."""

Places = deque[asyncio.Future[None]]


class LoopBudget:
    """The present pass of an event loop, and those who wait for a later one."""

    def __init__(self) -> None:
        self._end: float | None = None
        self._begun = 0
        self.arrivals = 0
        """How many have waited and been given their turn so far."""
        self._is_passing = False
        self._is_waking = False
        """Whether some have been woken and go on before whoever comes now."""
        self._queue: Places = deque()
        self._returned: Places = deque()

    async def wait(self) -> None:
        """Wait for a pass that has time left."""
        if self._queue or self._is_waking or self._is_over():
            await self._place_in(self._queue)
            while self._is_over():
                await self._place_in(self._returned)
        self._begun += 1
        self.arrivals += 1

    def _place_in(self, places: Places) -> asyncio.Future[None]:
        place = asyncio.get_running_loop().create_future()
        places.append(place)
        self._look_at_next_pass()
        return place

    def _is_over(self) -> bool:
        now = time.perf_counter()
        if self._end is None:
            self._end = now + MAX_PASS_SECONDS
            self._look_at_next_pass()
        return now > self._end

    def _look_at_next_pass(self) -> None:
        if not self._is_passing:
            self._is_passing = True
            asyncio.get_running_loop().call_soon(self._pass)

    def _pass(self) -> None:
        """Try no more of those who wait than may find time: whoever does not has cost time and waits again."""
        tried, self._begun = max(MIN_WOKEN, 2 * self._begun), 0
        self._end, self._is_passing, self._is_waking = None, False, False
        self._queue.extendleft(reversed(self._returned))
        self._returned.clear()
        while self._queue and tried:
            place = self._queue.popleft()
            if not place.done():  # whoever waited there may have left
                place.set_result(None)
                self._is_waking = True
                tried -= 1
        if self._queue or self._is_waking:
            self._look_at_next_pass()
