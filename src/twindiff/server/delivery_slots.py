"""Slots for webhook requests: a limit in total, a limit per group, and round-robin between groups.
A receiver that never responds holds its slot until the request times out, so no group may hold all of them.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


class DeliverySlots:
    """At most `at_once` slots in total, and at most `of_group` of them per group."""

    def __init__(self, at_once: int, of_group: int) -> None:
        self._at_once = at_once
        self._of_group = of_group
        self._taken: Counter[str] = Counter()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    @asynccontextmanager
    async def take(self, group: str) -> AsyncGenerator[None]:
        """Hold a slot for a group during the block; waits until one is free."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(group, deque()).append(turn)
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._release(group)
            raise
        try:
            yield
        finally:
            self._release(group)

    def _release(self, group: str) -> None:
        self._taken[group] -= 1
        if not self._taken[group]:
            del self._taken[group]
        self._admit()

    def _admit(self) -> None:
        while self._taken.total() < self._at_once:
            free = [group for group in self._waiting if self._taken[group] < self._of_group]
            if not free:
                return
            self._admit_one(min(free, key=lambda group: self._taken[group]))

    def _admit_one(self, group: str) -> None:
        """Give a slot to the longest waiter of a group, and move the group behind the others."""
        queue = self._waiting.pop(group)
        turn = queue.popleft()
        if queue:
            self._waiting[group] = queue
        if not turn.done():
            self._taken[group] += 1
            turn.set_result(None)
