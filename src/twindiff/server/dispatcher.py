"""The dispatcher: sends what subscribers are to be told, in order for each of them, and many at once.

It follows the commit feed. Whatever it knows is in the outbox, so it may die at any time; several processes over one
database elect one. To each subscriber deliveries are first tried in order, one after the other; one that waits for its
retry does not hold up those behind it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Coroutine, Generator
from typing import Any, NamedTuple, Protocol, TypeVar

from twindiff.environments.environments import Environments, LoadedEnvironment
from twindiff.environments.outbox import DeliveryResult, Due, Later, Outbox
from twindiff.kit.clock import SECOND
from twindiff.kit.errors import ApiError
from twindiff.kit.events import OVER_SOCKETS
from twindiff.storage import EnvironmentGone, NotServed, StorageEngine
from twindiff.storage.feed import EVERYTHING, RowsWritten

from .backoff import MIN_SECONDS, Backoff
from .delivery_slots import DeliverySlots
from .webhook_client import Targets

T = TypeVar("T")

log = logging.getLogger("twindiff")

MAX_REQUESTS = 256
"""Requests under way, of all environments."""
MAX_REQUESTS_OF_ENVIRONMENT = 8
"""Requests of one environment under way to receivers that answer, and as many to those that did not in time."""
MAX_FAILURES = 5
"""Tries of a delivery that fail by a mistake of ours or the twin's, after which it is set aside."""
ELECTION_SECONDS = 0.5
RETRY_SECONDS = 1.0
"""When the storage cannot be reached."""
MAX_WAIT_SECONDS = 3600.0
MAX_UNACKNOWLEDGED = 20
"""Notifications that one subscriber may be behind with over sockets."""
SECONDS_BETWEEN_LOOKS = 30.0
"""After which a socket finds out that its environment has ended."""


class SubscriberQueue(NamedTuple):
    """The way to one subscriber."""

    environment: str
    subscription: str


class Open(Protocol):
    """A socket of a subscriber."""

    is_open: bool

    async def deliver(self, due: Due) -> DeliveryResult:
        """Send one notification and wait until it is acknowledged."""
        ...

    async def say_goodbye(self, reason: str) -> None:
        """End it."""
        ...


class Dispatcher:
    """Sends deliveries while it runs. `awaken` makes an environment usable."""

    def __init__(
        self,
        engine: StorageEngine,
        environments: Environments,
        outbox: Outbox,
        targets: Targets,
        awaken: Callable[[LoadedEnvironment], Awaitable[None]],
    ) -> None:
        self._engine = engine
        self._environments = environments
        self._outbox = outbox
        self._targets = targets
        self._awaken = awaken
        self._open: set[str] = set()
        self._lanes: dict[SubscriberQueue, asyncio.Task[None]] = {}
        self._again: set[SubscriberQueue] = set()
        self._timers: dict[SubscriberQueue, asyncio.TimerHandle] = {}
        self._slots = DeliverySlots(MAX_REQUESTS, MAX_REQUESTS_OF_ENVIRONMENT)
        self._slow: set[SubscriberQueue] = set()
        self._failing: dict[SubscriberQueue, Backoff] = {}
        self._unreadable: dict[str, Backoff] = {}
        self._sockets: dict[SubscriberQueue, list[Open]] = {}
        self._under_way: dict[SubscriberQueue, set[int]] = {}
        self._pushes: set[asyncio.Task[None]] = set()

    @property
    def moving(self) -> list[str]:
        """The environments whose events somebody waits for, unless their clock is known to stand still by itself."""
        known = [(each, self._environments.live(each)) for each in self._open]
        return [each for each, environment in known if environment is None or environment.origin.clock.moves]

    async def run(self) -> None:
        """Until cancelled; whatever goes wrong, it begins again."""
        self._engine.feed.listener = self._note
        backoff = Backoff("Sending deliveries")
        try:
            while True:
                wait = RETRY_SECONDS
                try:
                    await self._lead()
                    backoff.reset()
                except Exception as error:  # noqa: BLE001 - a mistake of ours must not end the deliveries
                    wait = backoff.fail(error)
                await asyncio.sleep(wait)
        finally:
            self._engine.feed.listener = None
            await self._stop()
            await self._targets.close()

    def _note(self, written: RowsWritten) -> None:
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
        following = asyncio.create_task(self._follow())
        try:
            while not following.done() and await self._do(self._engine.leads):
                await asyncio.wait({following}, timeout=ELECTION_SECONDS)
        finally:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)
            await self._stop()
        if not following.cancelled():
            following.result()

    async def _follow(self) -> None:
        """Look at environments as their journals grow."""
        wanted = self._open.__contains__ if self._engine.inline else None
        with self._engine.feed.watch(wanted=wanted) as watch:
            await self._look_at_all()
            async for environment_id, _ in watch:
                await (self._look_at_all() if environment_id == EVERYTHING else self._look_at(environment_id))

    async def _look_at_all(self) -> None:
        self._open |= await self._do(self._outbox.environments)
        for environment_id in sorted(self._open):
            await self._look_at(environment_id)

    async def _look_at(self, environment_id: str) -> None:
        """See to one environment; what goes wrong in it is no concern of others."""
        try:
            await self._see_to(environment_id)
            self._unreadable.pop(environment_id, None)
        except NotServed:
            raise
        except Exception as error:  # noqa: BLE001 - one environment must not keep others from their deliveries
            what = f"Reading events of environment {environment_id}"
            self._unreadable.setdefault(environment_id, Backoff(what)).fail(error)

    async def _see_to(self, environment_id: str) -> None:
        """Make deliveries of what an environment's journal has got, and see that they are sent."""
        if await self._do(lambda: self._outbox.is_idle(environment_id)):
            return
        environment = await self._usable(environment_id)
        if environment is None:
            return
        has_more = False
        while await self._do(lambda: self._outbox.fill(environment)):
            has_more = True
            await asyncio.sleep(0)
        if has_more and not self._engine.inline:  # sockets may be open in other processes
            await self._do(lambda: self._engine.announce(environment_id))
        for subscription in await self._do(lambda: self._outbox.waiting(environment_id)):
            self._start(SubscriberQueue(environment_id, subscription))

    async def _usable(self, environment_id: str) -> LoadedEnvironment | None:
        """An environment that is awake; nobody is told any more of one that has ended."""
        try:
            environment = await self._do(lambda: self._environments.get(environment_id))
            await self._awaken(environment)
        except ApiError as error:
            if isinstance(error, NotServed) and not isinstance(error, EnvironmentGone):
                raise
        else:
            return environment
        self._open.discard(environment_id)
        self._unreadable.pop(environment_id, None)
        await self._do(lambda: self._outbox.close(environment_id))
        return None

    # One subscriber

    def _start(self, lane: SubscriberQueue) -> None:
        """See to what is due to a subscriber; if that is being done, once more when it is done."""
        if timer := self._timers.pop(lane, None):
            timer.cancel()
        if lane in self._lanes:
            self._again.add(lane)
        else:
            self._lanes[lane] = asyncio.create_task(self._serve(lane))

    async def _serve(self, lane: SubscriberQueue) -> None:
        wait: float | None = None
        try:
            wait = await self._send_all(lane)
            self._failing.pop(lane, None)
        except NotServed:
            wait = RETRY_SECONDS
        except Exception as error:  # noqa: BLE001 - a mistake of ours must not keep others from their deliveries
            wait = await self._fail(lane, error)
            self._again.discard(lane)
        finally:
            del self._lanes[lane]
        if lane in self._again:
            self._again.discard(lane)
            self._start(lane)
        elif wait is not None:
            seconds = min(max(wait, 0.001), MAX_WAIT_SECONDS)
            self._timers[lane] = asyncio.get_running_loop().call_later(seconds, self._start, lane)

    async def _fail(self, lane: SubscriberQueue, error: Exception) -> float:
        """Give the seconds until the next try; the delivery that has failed too often is set aside."""
        backoff = self._failing.setdefault(lane, Backoff(f"A delivery of environment {lane.environment}"))
        wait = backoff.fail(error)
        if backoff.failures < MAX_FAILURES:
            return wait
        said = f"set aside after {backoff.failures} tries: {_describe(error)}"
        try:
            await self._do(lambda: self._outbox.set_aside(*lane, said))
        except Exception as again:  # noqa: BLE001 - as above; the database may not take it either
            return backoff.fail(again)
        self._failing.pop(lane, None)
        return MIN_SECONDS

    async def _send_all(self, lane: SubscriberQueue) -> float | None:
        """Send what is due; gives the seconds until there is more, if a clock that moves by itself brings it."""
        while (environment := await self._usable(lane.environment)) is not None:
            busy = frozenset(self._under_way.get(lane, ()))
            first = await self._do(lambda env=environment, busy=busy: self._outbox.take(env, lane.subscription, busy))
            await self._engine.wait_until_durable()
            if not isinstance(first, Due):
                return first.micros / SECOND if isinstance(first, Later) and first.is_moving else None
            if first.subscription.url == OVER_SOCKETS:
                if not self._push(lane, environment, first):
                    return None
                continue
            async with self._slots.take(f"{lane.environment} {lane in self._slow}"):
                result = await self._attempt(first)
            (self._slow.add if result.failure == "timeout" else self._slow.discard)(lane)
            await self._do(lambda env=environment, due=first, came=result: self._outbox.settle(env, due, came))
        return None

    # Sockets

    @contextlib.contextmanager
    def connect_socket(
        self, lane: SubscriberQueue, socket: Open
    ) -> Generator[tuple[int, Callable[[], Coroutine[Any, Any, None]]]]:
        """Deliver over a socket while the block runs; gives how many there are, and what must run meanwhile."""
        sockets = self._sockets.setdefault(lane, [])
        sockets.append(socket)
        try:
            yield len(sockets), lambda: self._attend(lane, socket)
        finally:
            sockets.remove(socket)
            if not sockets:
                self._sockets.pop(lane, None)

    def count_sockets(self, lane: SubscriberQueue) -> int:
        """How many sockets of a subscriber are open in this process."""
        return len(self._sockets.get(lane, ()))

    async def _attend(self, lane: SubscriberQueue, socket: Open) -> None:
        """See to what is due to a socket's subscriber whenever its environment has written, until that has ended."""
        with self._engine.feed.watch(lane.environment) as watch:
            self._start(lane)
            while await self._do(lambda: self._is_ready(lane.environment)):
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(SECONDS_BETWEEN_LOOKS):
                        await anext(watch)
                self._start(lane)
        await socket.say_goodbye("link_disabled")

    def _is_ready(self, environment_id: str) -> bool:
        try:
            self._environments.get(environment_id)
        except NotServed:
            return True
        except ApiError:
            return False
        return True

    def _push(self, lane: SubscriberQueue, environment: LoadedEnvironment, due: Due) -> bool:
        """Send over a socket without waiting for its acknowledgement; whether there is a socket that takes more."""
        sockets, number = [each for each in self._sockets.get(lane, ()) if each.is_open], due.record.number
        under_way = self._under_way.setdefault(lane, set())
        if not sockets or len(under_way) >= MAX_UNACKNOWLEDGED:
            return False
        under_way.add(number)
        task = asyncio.create_task(self._push_delivery(lane, environment, due, sockets[number % len(sockets)]))
        self._pushes.add(task)
        task.add_done_callback(self._pushes.discard)
        return True

    async def _push_delivery(
        self, lane: SubscriberQueue, environment: LoadedEnvironment, due: Due, socket: Open
    ) -> None:
        try:
            result = await socket.deliver(due)
            await self._do(lambda: self._outbox.settle(environment, due, result))
        except NotServed as error:
            log.warning("A delivery of environment %s could not be noted: %s", lane.environment, error)
        except Exception as error:  # a mistake of the twin's, which a retry would only repeat
            log.exception("A %s delivery could not be sent over a socket", due.record.twin)
            failed = DeliveryResult(0, failure="error", message=_describe(error), final=True)
            await self._do(lambda: self._outbox.settle(environment, due, failed))
        finally:
            self._under_way[lane].discard(due.record.number)
            self._start(lane)

    async def _attempt(self, due: Due) -> DeliveryResult:
        try:
            request = due.webhooks.request(due.notification, due.subscription, due.attempt)
        except Exception as error:  # a mistake of the twin's, which a retry would only repeat
            log.exception("A %s delivery could not be written", due.record.twin)
            return DeliveryResult(0, failure="error", message=_describe(error), final=True)
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
        lanes = [*self._lanes.values(), *self._pushes]
        for task in lanes:
            task.cancel()
        await asyncio.gather(*lanes, return_exceptions=True)
        self._again.clear()


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:200]
