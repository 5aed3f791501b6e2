"""Admission of requests per event loop iteration, so that everything else on the loop gets its turn."""

from __future__ import annotations

import asyncio
import time
from collections import deque

MAX_PASS_SECONDS = 0.002
"""Seconds of requests started in one iteration; the rest continues in the next ones, in order of arrival."""
MIN_WOKEN = 4
"""Minimum number of waiters woken per iteration; above it, twice as many as started in the previous iteration."""

Places = deque[asyncio.Future[None]]


class AdmissionControl:
    """The time budget of the current event loop iteration, and the queue of requests that wait for a later one."""

    def __init__(self) -> None:
        self._end: float | None = None
        self._begun = 0
        self.arrivals = 0
        """The number of requests admitted so far."""
        self._is_passing = False
        self._is_waking = False
        """Whether waiters have been woken, which go before new arrivals."""
        self._queue: Places = deque()
        self._returned: Places = deque()

    async def wait(self) -> None:
        """Wait for an iteration that has time left."""
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
        """Wake only as many waiters as are likely to find time, because one that has to wait again costs time."""
        tried, self._begun = max(MIN_WOKEN, 2 * self._begun), 0
        self._end, self._is_passing, self._is_waking = None, False, False
        self._queue.extendleft(reversed(self._returned))
        self._returned.clear()
        while self._queue and tried:
            place = self._queue.popleft()
            if not place.done():  # its request may have been cancelled
                place.set_result(None)
                self._is_waking = True
                tried -= 1
        if self._queue or self._is_waking:
            self._look_at_next_pass()
