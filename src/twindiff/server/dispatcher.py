"""The dispatcher: sends what subscribers are to be told, in order for each of them, and many at once.

It follows the commit feed. Whatever it knows is in the outbox, so it may die at any time; several processes over one
database elect one. To each subscriber deliveries are first tried in order, one after the other; one that waits for its
retry does not hold up those behind it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeVar

from twindiff.environments.environments import Environment, Environments
from twindiff.environments.outbox import Due, Later, Outbox, Result
from twindiff.kit.clock import SECOND
from twindiff.kit.errors import ApiError
from twindiff.storage import Engine, Gone, NotServed
from twindiff.storage.feed import EVERYTHING, Written

from .targets import Targets

T = TypeVar("T")

log = logging.getLogger("twindiff")

AT_ONCE = 32
"""Requests under way."""
ELECTION_SECONDS = 0.5
RETRY_SECONDS = 1.0
"""When the storage cannot be reached."""
LONGEST_WAIT_SECONDS = 3600.0


class Lane(NamedTuple):
    """The way to one subscriber."""

    environment: str
    subscription: str


class Dispatcher:
    """Sends deliveries while it runs. `awaken` makes an environment usable."""

    def __init__(
        self,
        engine: Engine,
        environments: Environments,
        outbox: Outbox,
        targets: Targets,
        awaken: Callable[[Environment], Awaitable[None]],
    ) -> None:
        self._engine = engine
        self._environments = environments
        self._outbox = outbox
        self._targets = targets
        self._awaken = awaken
        self._open: set[str] = set()
        self._lanes: dict[Lane, asyncio.Task[None]] = {}
        self._again: set[Lane] = set()
        self._timers: dict[Lane, asyncio.TimerHandle] = {}
        self._limit = asyncio.Semaphore(AT_ONCE)

    @property
    def moving(self) -> list[str]:
        """The environments whose events somebody waits for, unless their clock is known to stand still by itself."""
        known = [(each, self._environments.live(each)) for each in self._open]
        return [each for each, found in known if found is None or found.origin.clock.moves]

    async def run(self) -> None:
        """Until cancelled; whatever goes wrong, it begins again."""
        self._engine.feed.listener = self._note
        try:
            while True:
                try:
                    await self._lead()
                except NotServed as error:
                    log.warning("Deliveries wait: %s; it is tried again", error)
                except Exception:  # a mistake of ours must not end the deliveries of a server that goes on
                    log.exception("Deliveries stopped; they begin again")
                await asyncio.sleep(RETRY_SECONDS)
        finally:
            self._engine.feed.listener = None
            await self._stop()
            await self._targets.close()

    def _note(self, written: Written) -> None:
        """An operation has written, perhaps subscriptions; in any thread."""
        if self._outbox.note(written):
            self._open.add(written.environment)

    def notify(self, environment_id: str) -> None:
        """An environment has got an outbox, or something in it to be seen to; tells the process that leads."""
        self._open.add(environment_id)
        self._engine.announce(environment_id)

    async def _lead(self) -> None:
        """Wait to be the one who sends, then send."""
        while not await self._do(self._engine.leads):  # noqa: ASYNC110 - another process ends without a word
            await asyncio.sleep(ELECTION_SECONDS)
        wanted = self._open.__contains__ if self._engine.inline else None
        with self._engine.feed.watch(wanted=wanted) as watch:
            try:
                await self._look_at_all()
                async for environment_id, _ in watch:
                    await (self._look_at_all() if environment_id == EVERYTHING else self._look_at(environment_id))
            finally:
                await self._stop()

    async def _look_at_all(self) -> None:
        self._open |= await self._do(self._outbox.environments)
        for environment_id in sorted(self._open):
            await self._look_at(environment_id)

    async def _look_at(self, environment_id: str) -> None:
        """Make deliveries of what an environment's journal has got, and see that they are sent."""
        if await self._do(lambda: self._outbox.is_idle(environment_id)):
            return
        environment = await self._usable(environment_id)
        if environment is None:
            return
        while await self._do(lambda: self._outbox.fill(environment)):  # noqa: ASYNC110 - others have their turn
            await asyncio.sleep(0)
        for subscription in await self._do(lambda: self._outbox.waiting(environment_id)):
            self._start(Lane(environment_id, subscription))

    async def _usable(self, environment_id: str) -> Environment | None:
        """An environment that is awake; nobody is told any more of one that has ended."""
        try:
            environment = await self._do(lambda: self._environments.get(environment_id))
            await self._awaken(environment)
        except ApiError as error:
            if isinstance(error, NotServed) and not isinstance(error, Gone):
                raise
        else:
            return environment
        self._open.discard(environment_id)
        await self._do(lambda: self._outbox.close(environment_id))
        return None

    # One subscriber

    def _start(self, lane: Lane) -> None:
        """See to what is due to a subscriber; if that is being done, once more when it is done."""
        if timer := self._timers.pop(lane, None):
            timer.cancel()
        if lane in self._lanes:
            self._again.add(lane)
        else:
            self._lanes[lane] = asyncio.create_task(self._serve(lane))

    async def _serve(self, lane: Lane) -> None:
        wait: float | None = None
        try:
            wait = await self._send_all(lane)
        except NotServed:
            wait = RETRY_SECONDS
        except Exception:  # a mistake of ours must not keep others from their deliveries
            log.exception("A delivery of environment %s failed; it is tried again", lane.environment)
            wait = RETRY_SECONDS
        finally:
            del self._lanes[lane]
        if lane in self._again:
            self._again.discard(lane)
            self._start(lane)
        elif wait is not None:
            seconds = min(max(wait, 0.001), LONGEST_WAIT_SECONDS)
            self._timers[lane] = asyncio.get_running_loop().call_later(seconds, self._start, lane)

    async def _send_all(self, lane: Lane) -> float | None:
        """Send what is due; gives the seconds until there is more, if a clock that moves by itself brings it."""
        while (environment := await self._usable(lane.environment)) is not None:
            found = await self._do(lambda env=environment: self._outbox.take(env, lane.subscription))
            if not isinstance(found, Due):
                return found.micros / SECOND if isinstance(found, Later) and found.is_moving else None
            async with self._limit:
                result = await self._attempt(found)
            await self._do(lambda env=environment, due=found, came=result: self._outbox.settle(env, due, came))
        return None

    async def _attempt(self, due: Due) -> Result:
        request = due.webhooks.request(due.notification, due.subscription, due.attempt)
        result, answer = await self._targets.send(request, due.webhooks.timeout_seconds)
        if answer is None or result.failure is None:
            return result
        return result._replace(final=due.webhooks.is_final(answer))

    async def _do(self, work: Callable[[], T]) -> T:
        """Do what may wait for the database where that holds up nobody."""
        return work() if self._engine.inline else await asyncio.to_thread(work)

    async def _stop(self) -> None:
        """End what is under way; it is begun again by whoever sends next."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        lanes = [*self._lanes.values()]
        for task in lanes:
            task.cancel()
        await asyncio.gather(*lanes, return_exceptions=True)
        self._again.clear()
