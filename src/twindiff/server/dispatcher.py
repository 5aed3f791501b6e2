"""The dispatcher: sends webhook deliveries, in order per subscriber and concurrently across subscribers.
It follows the commit feed and keeps its state in the outbox, so it may crash at any time; several processes over one
database elect a leader. The first attempts of a subscriber's deliveries are made in order, one at a time; a delivery
that waits for its retry does not hold up later ones.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Coroutine, Generator
from typing import Any, NamedTuple, Protocol, TypeVar

from twindiff.environments.environments import Environments, LoadedEnvironment
from twindiff.environments.outbox import DeliveryResult, DueDelivery, Later, Outbox
from twindiff.kit.clock import SECOND
from twindiff.kit.errors import ApiError
from twindiff.kit.events import OVER_SOCKETS
from twindiff.server.runtime import run_waiting
from twindiff.storage import EnvironmentGone, NotServed, StorageEngine
from twindiff.storage.backoff import MIN_SECONDS, Backoff, RecordRetries, describe_error
from twindiff.storage.feed import EVERYTHING, RowsWritten

from .delivery_slots import DeliverySlots
from .webhook_client import WebhookClient

T = TypeVar("T")

log = logging.getLogger("twindiff")

MAX_REQUESTS = 256
"""Concurrent requests, of all environments."""
MAX_REQUESTS_OF_ENVIRONMENT = 8
"""Concurrent requests of one environment to receivers that respond, and as many to those that timed out last."""
MAX_FAILURES = 5
"""Attempts that fail with an internal error, ours or the twin's, after which a delivery is set aside."""
ELECTION_SECONDS = 0.5
RETRY_SECONDS = 1.0
"""Seconds until the next attempt while the storage cannot be reached."""
MAX_WAIT_SECONDS = 3600.0
MAX_UNACKNOWLEDGED = 20
"""Unacknowledged notifications that one subscriber may have over sockets."""
SECONDS_BETWEEN_LOOKS = 30.0
"""Seconds after which an idle socket checks whether its environment has ended."""


class SubscriberQueue(NamedTuple):
    """The delivery queue of one subscription."""

    environment: str
    subscription: str


class OpenSocket(Protocol):
    """A connected socket of a subscriber."""

    is_open: bool

    async def deliver(self, due: DueDelivery) -> DeliveryResult:
        """Send one notification and wait until it is acknowledged."""
        ...

    async def say_goodbye(self, reason: str) -> None:
        """Tell the subscriber the reason, and close the socket."""
        ...


class Dispatcher:
    """Sends deliveries while `run` is running. `load` loads an environment."""

    def __init__(
        self,
        engine: StorageEngine,
        environments: Environments,
        outbox: Outbox,
        targets: WebhookClient,
        load: Callable[[LoadedEnvironment], Awaitable[None]],
    ) -> None:
        self._engine = engine
        self._environments = environments
        self._outbox = outbox
        self._targets = targets
        self._load = load
        self._open: set[str] = set()
        self._lanes: dict[SubscriberQueue, asyncio.Task[None]] = {}
        self._again: set[SubscriberQueue] = set()
        self._timers: dict[SubscriberQueue, asyncio.TimerHandle] = {}
        self._slots = DeliverySlots(MAX_REQUESTS, MAX_REQUESTS_OF_ENVIRONMENT)
        self._slow: set[SubscriberQueue] = set()
        self._failing: dict[SubscriberQueue, Backoff] = {}
        self._unreadable = RecordRetries("Reading events of environment")
        self._sockets: dict[SubscriberQueue, list[OpenSocket]] = {}
        self._under_way: dict[SubscriberQueue, set[int]] = {}
        self._pushes: set[asyncio.Task[None]] = set()

    @property
    def moving(self) -> list[str]:
        """The environments with subscribers, except those whose clock is known not to move by itself."""
        known = [(each, self._environments.live(each)) for each in self._open]
        return [each for each, environment in known if environment is None or environment.origin.clock.moves]

    async def run(self) -> None:
        """Send deliveries until cancelled; restarts after any error."""
        self._engine.feed.listener = self._note
        backoff = Backoff("Sending deliveries")
        try:
            while True:
                wait = RETRY_SECONDS
                try:
                    await self._lead()
                    backoff.reset()
                except Exception as error:  # noqa: BLE001 - an internal error must not end the deliveries
                    wait = backoff.fail(error)
                await asyncio.sleep(wait)
        finally:
            self._engine.feed.listener = None
            await self._stop()
            await self._targets.close()

    def _note(self, written: RowsWritten) -> None:
        """Listen to the commit feed, in any thread: mark the environment if the write concerns its outbox."""
        if self._outbox.note(written):
            self._open.add(written.environment)

    def notify(self, environment_id: str) -> None:
        """Mark an environment whose outbox is new or has work, and announce it to the leading process."""
        self._open.add(environment_id)
        self._engine.announce(environment_id)

    async def _lead(self) -> None:
        """Wait until elected leader, then send until leadership is lost."""
        while not await self._do(self._engine.leads):  # noqa: ASYNC110 - no event tells that another process has ended
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
        """Process environments as their journals grow."""
        wanted = None if self._engine.is_shared else self._open.__contains__
        with self._engine.feed.watch(wanted=wanted) as watch:
            await self._look_at_all()
            async for environment_id, _ in watch:
                await (self._look_at_all() if environment_id == EVERYTHING else self._look_at(environment_id))

    async def _look_at_all(self) -> None:
        self._open |= await self._do(self._outbox.environments)
        for environment_id in sorted(self._open):
            await self._look_at(environment_id)

    async def _look_at(self, environment_id: str) -> None:
        """Process one environment; its errors do not affect others."""
        if not self._unreadable.is_due(environment_id):
            return
        with self._unreadable.attempt(environment_id):
            await self._see_to(environment_id)
        self._look_again(environment_id)

    def _look_again(self, environment_id: str) -> None:
        """Look at an environment whose events could not be read when its wait is over; timers may end a bit early."""
        seconds = self._unreadable.find_next_try(environment_id)
        if seconds == 0:
            self._engine.feed.announce_commit(environment_id, 0)
        elif seconds is not None:
            asyncio.get_running_loop().call_later(seconds, self._look_again, environment_id)

    async def _see_to(self, environment_id: str) -> None:
        """Turn new journal entries of an environment into deliveries, and start sending them."""
        if await self._do(lambda: self._outbox.is_idle(environment_id)):
            return
        environment = await self._usable(environment_id)
        if environment is None:
            return
        has_more = False
        while await self._do(lambda: self._outbox.fill(environment)):
            has_more = True
            await asyncio.sleep(0)
        if has_more and self._engine.is_shared:  # sockets may be open in other processes
            await self._do(lambda: self._engine.announce(environment_id))
        for subscription in await self._do(lambda: self._outbox.waiting(environment_id)):
            self._start(SubscriberQueue(environment_id, subscription))

    async def _usable(self, environment_id: str) -> LoadedEnvironment | None:
        """Load an environment; None, with its outbox closed, if it has ended."""
        try:
            environment = await self._do(lambda: self._environments.get(environment_id))
            await self._load(environment)
        except ApiError as error:
            if isinstance(error, NotServed) and not isinstance(error, EnvironmentGone):
                raise
        else:
            return environment
        self._open.discard(environment_id)
        self._unreadable.forget(environment_id)
        await self._do(lambda: self._outbox.close(environment_id))
        return None

    # One subscriber

    def _start(self, lane: SubscriberQueue) -> None:
        """Send a subscriber's due deliveries; if that is already running, run it once more afterwards."""
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
        except Exception as error:  # noqa: BLE001 - an internal error must not stop the deliveries to others
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
        """Return the seconds until the next attempt; sets the delivery aside after `MAX_FAILURES`."""
        backoff = self._failing.setdefault(lane, Backoff(f"A delivery of environment {lane.environment}"))
        wait = backoff.fail(error)
        if backoff.failures < MAX_FAILURES:
            return wait
        said = f"set aside after {backoff.failures} tries: {describe_error(error)}"
        try:
            await self._do(lambda: self._outbox.set_aside(*lane, said))
        except Exception as again:  # noqa: BLE001 - as above; the database may fail here as well
            return backoff.fail(again)
        self._failing.pop(lane, None)
        return MIN_SECONDS

    async def _send_all(self, lane: SubscriberQueue) -> float | None:
        """Send what is due; returns the seconds until more falls due, or None unless a moving clock will bring it."""
        while (environment := await self._usable(lane.environment)) is not None:
            busy = frozenset(self._under_way.get(lane, ()))
            first = await self._do(lambda env=environment, busy=busy: self._outbox.take(env, lane.subscription, busy))
            await self._engine.wait_until_durable()
            if not isinstance(first, DueDelivery):
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
        self, lane: SubscriberQueue, socket: OpenSocket
    ) -> Generator[tuple[int, Callable[[], Coroutine[Any, Any, None]]]]:
        """Deliver over a socket during the block.
        Yields the number of its subscriber's sockets, and a coroutine function to run meanwhile.
        """
        sockets = self._sockets.setdefault(lane, [])
        sockets.append(socket)
        try:
            yield len(sockets), lambda: self._attend(lane, socket)
        finally:
            sockets.remove(socket)
            if not sockets:
                self._sockets.pop(lane, None)

    def count_sockets(self, lane: SubscriberQueue) -> int:
        """The number of a subscriber's open sockets in this process."""
        return len(self._sockets.get(lane, ()))

    async def _attend(self, lane: SubscriberQueue, socket: OpenSocket) -> None:
        """Start a socket's delivery queue whenever its environment has written; close it once that has ended."""
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

    def _push(self, lane: SubscriberQueue, environment: LoadedEnvironment, due: DueDelivery) -> bool:
        """Send over a socket without waiting for its acknowledgement; false if no socket can take more."""
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
        self, lane: SubscriberQueue, environment: LoadedEnvironment, due: DueDelivery, socket: OpenSocket
    ) -> None:
        try:
            result = await socket.deliver(due)
            await self._do(lambda: self._outbox.settle(environment, due, result))
        except NotServed as error:
            log.warning("A delivery of environment %s could not be noted: %s", lane.environment, error)
        except Exception as error:  # an error in the twin, which a retry would only repeat
            log.exception("A %s delivery could not be sent over a socket", due.record.twin)
            failed = DeliveryResult(0, failure="error", message=describe_error(error), final=True)
            await self._do(lambda: self._outbox.settle(environment, due, failed))
        finally:
            self._under_way[lane].discard(due.record.number)
            self._start(lane)

    async def _attempt(self, due: DueDelivery) -> DeliveryResult:
        try:
            request = due.webhooks.request(due.notification, due.subscription, due.attempt)
        except Exception as error:  # an error in the twin, which a retry would only repeat
            log.exception("A %s delivery could not be written", due.record.twin)
            return DeliveryResult(0, failure="error", message=describe_error(error), final=True)
        result, answer = await self._targets.send(request, due.webhooks.timeout_seconds)
        if answer is None or result.failure is None:
            return result
        return result._replace(final=due.webhooks.is_final(answer))

    async def _do(self, work: Callable[[], T]) -> T:
        return await run_waiting(self._engine, work)

    async def _stop(self) -> None:
        """Cancel all requests and timers; the next leader resumes them from the outbox."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        lanes = [*self._lanes.values(), *self._pushes]
        for task in lanes:
            task.cancel()
        await asyncio.gather(*lanes, return_exceptions=True)
        self._again.clear()
